//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Journeys of customers as data: workflows, forms and partners are files, one program runs them.
#[derive(Parser)]
#[command(
    name = "journey",
    version,
    after_help = "Settings come from journey.toml and the environment (JOURNEY_SERVER__ADDRESS=…); `journey settings` lists them all."
)]
pub struct Cli {
    /// Settings file; default: journey.toml where there is one
    #[arg(long, global = true, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Start the product: pages, API, sandbox partners, and the worker in the same process
    #[command(
        after_help = "Examples:\n  journey serve --definitions .            publish ./workflows and ./forms, again on every save\n  journey serve --port 0                   take a free port; it is printed\n  journey serve --no-worker                only answer requests; run `journey worker` beside it"
    )]
    Serve(Serve),
    /// Run background jobs only: calls of partners, timers, messages
    Worker,
    /// Check definitions; every problem as file:line:column with a hint; exit code 2 on errors
    #[command(
        after_help = "Examples:\n  journey check .                          everything, as publishing would see it\n  journey check workflows/parcel/cover    one file"
    )]
    Check {
        /// Files or folders
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Read the words of all pages; without it those of files that differ from the last commit
        #[arg(long)]
        content: bool,
    },
    /// Write definitions in the one style: what fits stands on one line, comments stay
    #[command(
        after_help = "Examples:\n  journey fmt                               all definitions here\n  journey fmt --check workflows/parcel      only name the files that are written otherwise; exit code 2"
    )]
    Fmt {
        /// Files or folders
        #[arg(default_value = ".", value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Change nothing
        #[arg(long)]
        check: bool,
    },
    /// Count the lines of definitions, by line of business and kind of file; comments and empty lines apart
    #[command(
        after_help = "Examples:\n  journey stats                             all definitions here\n  journey stats --line parcel               one line of business"
    )]
    Stats {
        /// Folder with workflows/, forms/ and languages/
        #[arg(default_value = ".", value_name = "DIR")]
        dir: PathBuf,
        /// Check only this line of business
        #[arg(long)]
        line: Option<String>,
    },
    #[command(subcommand)]
    New(New),
    #[command(subcommand)]
    Texts(Texts),
    /// Print a form as somebody gets it, and which variant each change came from
    #[command(
        after_help = "Examples:\n  journey form parcel/domestic/sender                          as a visitor gets it\n  journey form parcel/domestic/sender --as role=agent,channel=app\n                                                               as an agent gets it in the app; `partner=` likewise"
    )]
    Form {
        /// `<line>/<flow>/<name>`
        name: String,
        /// Folder with workflows/, forms/ and languages/
        #[arg(default_value = ".", value_name = "DIR")]
        dir: PathBuf,
        /// Who gets it: `role=`, `channel=`, `partner=`, `experiment=name/variant`; `role=` and `experiment=` may be given again
        #[arg(long = "as", value_delimiter = ',', value_name = "WHO")]
        who: Vec<String>,
        /// Two letters: hi
        #[arg(long, default_value = "en", value_name = "LANGUAGE")]
        language: String,
    },
    /// Run a machine on a script, without a database; exit code 2 for an invalid machine
    #[command(
        after_help = "A script is a JSON list of {\"event\": {\"type\": …}} and {\"advance_ms\": n}. One JSON line is printed for the start and one per step.\nA line of a batch is {\"name\", \"machine\", \"script\"}."
    )]
    Simulate {
        /// The machine: YAML or JSON
        #[arg(required_unless_present = "batch", requires = "script", value_name = "MACHINE")]
        machine: Option<PathBuf>,
        /// Script of the machine: JSON
        #[arg(long, value_name = "FILE")]
        script: Option<PathBuf>,
        /// Many cases: JSON lines; `-` reads standard input
        #[arg(long, conflicts_with_all = ["machine", "script"], value_name = "FILE")]
        batch: Option<PathBuf>,
    },
    /// Print a workflow as a machine that XState 5 loads, or the description of the API
    Export {
        /// Workflow to print: the file, or `line/name` of one in ./workflows
        #[arg(long, required_unless_present = "openapi", value_name = "WORKFLOW")]
        xstate: Option<String>,
        /// The OpenAPI document, as `/openapi.json` serves it
        #[arg(long, conflicts_with = "xstate")]
        openapi: bool,
    },
    /// Check a folder of definitions and publish it; new journeys follow on every node within a second
    Publish {
        /// Folder with workflows/, forms/ and languages/
        dir: PathBuf,
    },
    /// Bring the database up to date, saying before what is one-way; may be repeated, and run on several nodes at once
    #[command(
        after_help = "What is one-way: a program of before refuses the database afterwards, so keep a backup.\n  journey migrate --dry-run                what would be done, and what of it is one-way\n\nA backup knows nothing of what was done after it; partners do. After a restore, with nothing else running:\n  journey migrate --restored               new orders get keys that no partner has seen, and nothing is sent\n  journey effects release                  what waits is sent, once you have looked at it: `journey effects list --state pending`"
    )]
    Migrate {
        /// Say what would be done and what of it is one-way, and change nothing
        #[arg(long, conflicts_with = "restored")]
        dry_run: bool,
        /// The database was restored from a backup
        #[arg(long)]
        restored: bool,
    },
    /// Look for what is wrong with this set-up, and say what to do
    Doctor,
    /// List every setting with its environment variable, default and meaning
    Settings,
    /// Run the stories of all workflows: given events → expected states and effects
    #[command(
        after_help = "Examples:\n  journey stories --watch                  again after every save\n  journey stories --only payment-late      those whose file or name has this"
    )]
    Stories {
        /// Folder with workflows/, forms/ and languages/
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// A part of the file or of the name of those to run
        #[arg(long, value_name = "WORDS")]
        only: Option<String>,
        /// Run them again whenever a definition is saved
        #[arg(long)]
        watch: bool,
    },
    /// Print what an expression of a flow gives at a moment of a story, or which row of a table fits, and why
    #[command(
        after_help = "Examples:\n  journey try parcel/domestic --story light-parcel --until offers \"total\"\n                                           a value of the flow where the story comes to its offers, and what it came from\n  journey try parcel/domestic \"table('parcel/rates', {'grams': 400}).price\"\n  journey try table parcel/rates grams=400    the row that fits, and how many were left after each column; exit code 2: none"
    )]
    Try {
        /// `line/flow`, or `table`
        what: String,
        /// The expression; of a table its name and inputs, `column=value`
        #[arg(required = true)]
        words: Vec<String>,
        /// Story of the flow, by its file's name
        #[arg(long, value_name = "NAME")]
        story: Option<String>,
        /// State at which the story is stopped; default: its end
        #[arg(long, requires = "story", value_name = "STATE")]
        until: Option<String>,
        /// Folder with workflows/, forms/ and languages/
        #[arg(long, default_value = ".")]
        dir: PathBuf,
    },
    /// Orders to partners and messages: list them, retry or skip what is parked
    #[command(subcommand)]
    Effects(Effects),
    /// What an operator must look at
    #[command(subcommand)]
    Incidents(Incidents),
    /// Tell what a partner would tell, where its webhook opens that to operators (`by_hand`): the answer to a complaint
    #[command(
        after_help = "Example:\n  journey tell desk moved '{\"id\": \"1\", \"case\": \"GR-20261125-482133\", \"status\": \"answered\", \"words\": \"It is put right.\"}'"
    )]
    Tell {
        partner: String,
        webhook: String,
        /// JSON, as the partner would send it
        body: String,
    },
    /// SMS, e-mails and other messages that were sent, with their recipients masked
    #[command(subcommand)]
    Messages(Messages),
    /// Show what happened in a journey: events, effects, timers, incidents; never what people wrote
    History {
        journey: String,
        /// Below each event the values that its definitions worked out: name, result, and what each read; what is
        /// personal is hidden
        #[arg(long)]
        explain: bool,
    },
    /// Tokens of the operator API
    #[command(subcommand)]
    Operator(Operator),
    #[command(subcommand)]
    Staff(Staff),
    #[command(subcommand)]
    Token(Token),
    #[command(subcommand)]
    Audit(Audit),
    #[command(subcommand)]
    Keys(Keys),
    #[command(subcommand)]
    Person(Person),
    /// Rebuild a journey from its events and compare with what is stored; exit code 2 when they differ
    Replay { journey: String },
}

/// Write definitions that work, to go on from
#[derive(Subcommand)]
pub enum New {
    /// A line of business with a first question, offers of two sample partners and the way to the policy, in every place that a line has
    #[command(
        after_help = "Examples:\n  journey new line bicycle                 workflows/bicycle, forms/bicycle …, and what it needs of shared files\n  journey new line boat --title \"Houseboat insurance\" --noun boat"
    )]
    Line {
        /// Small letters and digits; the first page is at /<name>-insurance
        name: String,
        /// Folder with workflows/, forms/ and languages/
        #[arg(default_value = ".", value_name = "DIR")]
        dir: PathBuf,
        /// What people call it; default: “Bicycle insurance”
        #[arg(long)]
        title: Option<String>,
        /// What is insured, in a sentence: “Your bicycle is insured”
        #[arg(long)]
        noun: Option<String>,
    },
}

/// Translations: what is missing, files for translators, and what comes back from them
#[derive(Subcommand)]
#[command(
    after_help = "`languages/hi/workflows/parcel/texts.yaml` says in Hindi what `workflows/parcel/texts.yaml` says: place → English → Hindi.\nExamples:\n  journey texts list --language hi --only workflows/parcel    what is missing of these files\n  journey texts write --language hi                           what is said elsewhere is proposed, the rest gets an empty entry\n  journey texts export --language hi --to hi.po                for a translator's program (GNU gettext)\n  journey texts import hi.po                                  what is translated there is written into the files"
)]
pub enum Texts {
    /// List what is not yet said in a language, and what is out of date; exit code 2 when anything is
    List {
        #[command(flatten)]
        which: WhichTexts,
    },
    /// Write the translations: the words of the same English elsewhere, and an empty entry for everything else that is missing
    Write {
        #[command(flatten)]
        which: WhichTexts,
        /// Leave out what is said for English that is not there any more
        #[arg(long)]
        prune: bool,
    },
    /// Print a PO file: what is missing is empty, what is out of date or said elsewhere is marked `fuzzy`
    Export {
        #[command(flatten)]
        which: WhichTexts,
        /// Write it here
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Write what a PO file says into the translations; `fuzzy` and empty entries stay as they are; exit code 2 when its English is not there any more
    Import {
        /// The PO file; its header names the language
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Folder with workflows/, forms/ and languages/
        #[arg(default_value = ".", value_name = "DIR")]
        dir: PathBuf,
    },
}

#[derive(Args)]
pub struct WhichTexts {
    /// Two letters: hi
    #[arg(long, value_name = "LANGUAGE")]
    pub language: String,
    /// Folder with workflows/, forms/ and languages/
    #[arg(default_value = ".", value_name = "DIR")]
    pub dir: PathBuf,
    /// A part of the path of the files to look at
    #[arg(long, value_name = "PATH")]
    pub only: Option<String>,
}

#[derive(Args)]
pub struct Serve {
    /// Folder with workflows/, forms/ and languages/; default: what the database has, else what the program carries
    #[arg(long, value_name = "DIR")]
    pub definitions: Option<PathBuf>,
    /// Publish again whenever a definition is saved (on by default with --definitions in development)
    #[arg(long, conflicts_with = "no_watch")]
    pub watch: bool,
    /// Do not watch the folder
    #[arg(long)]
    pub no_watch: bool,
    /// Address and port to listen on
    #[arg(long, value_name = "HOST:PORT")]
    pub address: Option<String>,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Database: sqlite:<file> or postgres://…
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// Leave background jobs to `journey worker`
    #[arg(long)]
    pub no_worker: bool,
}

#[derive(Subcommand)]
pub enum Effects {
    /// List effects; by default those that are parked
    List {
        /// Only effects of this journey
        #[arg(long)]
        journey: Option<String>,
        /// pending, running, done, parked or cancelled; `all` for every state
        #[arg(long, default_value = "parked")]
        state: String,
        /// call, notify, or a workflow's own
        #[arg(long)]
        kind: Option<String>,
        /// Only effects of this lane, such as a partner
        #[arg(long)]
        lane: Option<String>,
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Try a parked effect again, with fresh attempts
    Retry {
        /// Key of the effect as `list` shows it: journey.seq.index
        key: String,
    },
    /// After a restore from a backup: let effects go out again
    Release,
    /// Give a parked effect up; a call that is still awaited fails, and its journey goes on
    Skip { key: String },
}

#[derive(Subcommand)]
pub enum Messages {
    /// List messages, newest first: state, channel, recipient, language, template, reason
    List {
        /// Only messages of this journey
        #[arg(long)]
        journey: Option<String>,
        /// Only messages to this number or address
        #[arg(long)]
        to: Option<String>,
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
}

#[derive(Subcommand)]
pub enum Incidents {
    /// List open incidents
    List {
        /// Closed ones too
        #[arg(long)]
        all: bool,
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Do the work that raised an incident again (a call, a timer, a webhook), and close it
    Retry { id: String },
    /// Mark an incident as dealt with
    Close { id: String },
}

/// The trail of who saw and did what
#[derive(Subcommand)]
pub enum Audit {
    /// Whether every row is as it was written, and none is missing; exit code 1, and chain, number and fault of the
    /// first that is not, and also without an anchor
    Verify {
        /// What the newest line “the audit trail is anchored” of the log says
        #[arg(long, value_name = "NUMBER:HASH")]
        anchor: Option<engine_runtime::Anchor>,
    },
    /// Who saw the journeys of the person of a mobile number: time, journey, kind, name, purpose of the link
    Seen {
        #[arg(long)]
        mobile: String,
    },
}

/// Keys of what is stored
#[derive(Subcommand)]
pub enum Keys {
    /// Wrap every key by `keys.master`, also what `keys.previous` had wrapped; nodes go on meanwhile
    Rotate,
}

/// Persons
#[derive(Subcommand)]
pub enum Person {
    /// Forget the person of a mobile number; what a broker must keep stays (records, documents)
    Forget {
        #[arg(long)]
        mobile: String,
    },
}

/// Who works for the house or for customers: their roles
#[derive(Subcommand)]
pub enum Staff {
    /// Give a role to a mobile number; for somebody new, print once the address that sets up an authenticator app, and codes for when it is lost
    #[command(
        after_help = "They sign in at the page of a flow with `signs_in: staff`, with the number's one-time password and a code of the app.\nWho has lost the app takes one of the codes that were printed; who has lost these too: revoke, then add."
    )]
    Add {
        #[arg(long)]
        mobile: String,
        /// One of workflows/roles.yaml that the program does not give itself
        #[arg(long)]
        role: String,
        /// Who it is; by default the number's last digits
        #[arg(long)]
        name: Option<String>,
        /// Name of the account at the provider of `openid.issuer`: its own (`sub`), or a verified e-mail
        #[arg(long, value_name = "NAME")]
        openid: Option<String>,
    },
    /// List them: name, number (masked), roles
    List,
    /// Take all roles from a number and end its sessions
    Revoke {
        #[arg(long)]
        mobile: String,
    },
}

/// Service tokens: what a program of the house hands to a session
#[derive(Subcommand)]
pub enum Token {
    /// Make a token and print it, once; only its hash is kept
    Issue {
        /// Name of who holds the token; it is revoked by this
        #[arg(long)]
        name: String,
        /// The role of a session that holds it
        #[arg(long)]
        role: String,
        /// What brought the customers whose numbers need not be verified at first, of `sources` of workflows/roles.yaml
        #[arg(long = "source", required = true, value_name = "SOURCE")]
        sources: Vec<String>,
        /// How long it is valid
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=8))]
        hours: u32,
    },
    /// List those that are valid: name, role, sources, end
    List,
    /// End all tokens of a name at once, and the sessions that hold them
    Revoke {
        #[arg(long)]
        name: String,
    },
}

#[derive(Subcommand)]
pub enum Operator {
    /// Make a token and print it, once; only its hash is kept
    Token {
        /// Who gets it; it stands beside everything that is done with it
        #[arg(long)]
        name: String,
        /// How long it is valid
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=24))]
        hours: u32,
    },
    /// End all tokens of somebody at once
    Revoke {
        #[arg(long)]
        name: String,
    },
}

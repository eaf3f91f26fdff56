//! Every setting: name, type, default and meaning, written once.
//!
//! `settings!` turns one listing into the struct, its defaults and its rows of [`crate::reference`].

use crate::Secret;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One row of the reference table.
pub struct Field {
    pub area: &'static str,
    pub name: &'static str,
    pub default: &'static str,
    pub doc: String,
}

impl Field {
    /// `server.address`
    pub fn path(&self) -> String {
        if self.area.is_empty() { self.name.to_owned() } else { format!("{}.{}", self.area, self.name) }
    }
}

macro_rules! settings {
    ($(#[doc = $area_doc:literal])* $area:literal $name:ident { $( $(#[doc = $doc:literal])* $field:ident : $kind:ty = $default:expr ),* $(,)? }) => {
        $(#[doc = $area_doc])*
        #[derive(Debug, Clone, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $( $(#[doc = $doc])* pub $field: $kind ),* }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $field: $default ),* }
            }
        }

        impl $name {
            /// Rows of the reference table.
            pub fn fields() -> Vec<Field> {
                vec![ $( Field { area: $area, name: stringify!($field), default: stringify!($default), doc: [$($doc),*].concat().trim().to_owned() } ),* ]
            }
        }
    };
}

settings! {
    /// The listener and what stands before it.
    "server" Server {
        /// Address and port to listen on; port 0 takes a free one.
        address: String = "127.0.0.1:8080".into(),
        /// Address and port that serve `/healthz` and `/readyz` only, apart from customers' connections.
        health_address: Option<String> = None,
        /// Address that customers see, without a path, such as `https://shop.example`; default: the listening address.
        public_url: Option<String> = None,
        /// Further origins whose pages may send changing requests.
        origins: Vec<String> = Vec::new(),
        /// Addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed.
        trusted_proxies: Vec<String> = Vec::new(),
        /// Whether `/docs` and `/openapi.json` describe the API, the operators' too; if not said, in development alone.
        reference: Option<bool> = None,
        /// Built web app on disk; default: what is embedded in the binary, in development `web/dist` where it exists.
        web_dir: Option<PathBuf> = None,
        /// Longest wait for running requests and jobs at a stop, in milliseconds.
        stop_ms: u64 = 8_000,
        /// Threads that serve requests and run jobs; 0: one per core, on SQLite one less, because its writer has a
        /// thread of its own.
        threads: usize = 0,
        /// Token that `/metrics` asks for as `Authorization: Bearer …`; without one only this machine may read it.
        metrics_token: Option<Secret> = None,
    }
}

settings! {
    /// The database.
    "database" Database {
        /// `sqlite:<file>` or `postgres://…`.
        url: String = "sqlite:.data/journey.db".into(),
    }
}

settings! {
    /// Keys that protect what is stored.
    "keys" Keys {
        /// Master key: 32 bytes as 64 hexadecimal digits. In development one is made and kept in `keys.file`.
        master: Option<Secret> = None,
        /// Another master key that opens too: the coming one, until every node has it, and then the one before, until what
        /// it wrapped is wrapped anew (`journey keys rotate`).
        previous: Option<Secret> = None,
        /// File of the development key, made with a new database, readable by its owner only.
        file: PathBuf = ".data/master.key".into(),
        /// List of who was forgotten, outside of the database: every start forgets again what a restored backup brings
        /// back. Each node has one, and they become alike.
        forgotten: PathBuf = ".data/forgotten.list".into(),
    }
}

settings! {
    /// Partners: what a definition may call and with which secrets.
    "partners" Partners {
        /// Host alias → address. This is the allow-list; an alias that is not here goes to the sandbox, where it is
        /// enabled.
        hosts: BTreeMap<String, Host> = BTreeMap::new(),
        /// Name of `secret://name` → value. Names are compared in lower case with `_` for `-`.
        secrets: BTreeMap<String, Secret> = BTreeMap::new(),
        /// Longest wait for a connection to a partner, in milliseconds.
        connect_timeout_ms: u64 = 2_000,
        /// Longest whole call, in milliseconds; an operation may ask for less.
        timeout_ms_max: u64 = 30_000,
        /// Largest reply that is read, in bytes.
        reply_bytes_max: usize = 2 * 1024 * 1024,
    }
}

settings! {
    /// Outgoing e-mail. Without a host, e-mail goes to the sandbox inbox.
    "smtp" Smtp {
        /// Host name of the mail server.
        host: Option<String> = None,
        /// Port of the mail server.
        port: u16 = 587,
        /// `starttls`, `tls` or `none`.
        security: String = "starttls".into(),
        /// User name, where the server asks for one.
        username: Option<String> = None,
        /// Password of that user.
        password: Option<Secret> = None,
        /// Sender, such as `Shop <no-reply@shop.example>`.
        from: String = "Journey <no-reply@localhost>".into(),
    }
}

settings! {
    /// Fake partners for development.
    "sandbox" Sandbox {
        /// Serve `/sandbox` and let unbound host aliases reach it. Must be off in production.
        enabled: bool = true,
        /// Address of the sandbox, for a worker of its own; default: `<listening address>/sandbox`.
        url: Option<String> = None,
        /// Address of the product that the sandbox's webhooks go to, without a path; default: the listening address.
        product_url: Option<String> = None,
        /// Pages have a chat, with a stand-in that answers, while `partners.hosts.chat` names nobody.
        chat: bool = true,
        /// Multiplies every scripted delay by this many hundredths; 0 answers at once.
        delay_percent: u32 = 100,
    }
}

settings! {
    /// Bounds on what comes in. Too much answers 413, 429 or 503.
    "limits" Limits {
        /// Largest request body, in bytes.
        body_bytes_max: usize = 256 * 1024,
        /// Deepest nesting of a JSON body.
        json_depth_max: usize = 32,
        /// Most values of a JSON body.
        json_values_max: usize = 2_000,
        /// Most fields of an object in a JSON body.
        json_fields_max: usize = 200,
        /// Longest handling of a request other than a stream, in milliseconds.
        request_timeout_ms: u64 = 30_000,
        /// Requests handled at once.
        concurrency_max: usize = 1_024,
        /// Webhooks handled at once; they take no places of other requests.
        webhooks_max: usize = 128,
        /// Connections at once; 0: three quarters of the files that the system lets this process open.
        connections_max: usize = 0,
        /// Connections of one client address, behind which an office may be, at once; never more than half of all.
        /// Proxies of `server.trusted_proxies` may have any number.
        connections_per_address: usize = 1_024,
        /// Longest time from the first byte of a request, or the begin of its connection, to the end of its header, in
        /// milliseconds.
        header_timeout_ms: u64 = 10_000,
        /// Longest time between two requests of a connection, in milliseconds.
        idle_timeout_ms: u64 = 75_000,
        /// Longest time in which a client reads nothing of its answer, in milliseconds.
        stalled_timeout_ms: u64 = 30_000,
        /// Time that any body may take, in milliseconds; a longer one must come at `body_bytes_per_s`.
        body_timeout_ms: u64 = 10_000,
        /// Slowest body, in bytes per second.
        body_bytes_per_s: u64 = 1_024,
        /// Bodies that are still arriving, of webhooks and of other requests each; they take no places of requests.
        bodies_max: usize = 1_024,
        /// Bodies of one client address that are still arriving.
        bodies_per_address: usize = 64,
        /// Reading requests per second and client address, on average.
        rate_per_s: u32 = 50,
        /// Reading requests of a client address at once.
        rate_burst: u32 = 300,
        /// Changing requests per second and client address, on average.
        write_rate_per_s: u32 = 10,
        /// Changing requests of a client address at once.
        write_rate_burst: u32 = 60,
        /// Journeys that one client address may start in an hour.
        starts_per_hour: u32 = 600,
        /// Error reports of a client address in an hour.
        error_reports_per_hour: u32 = 60,
        /// Error reports of all browsers in an hour; more are dropped.
        error_reports_per_hour_all: u32 = 6_000,
        /// Most errors of one report.
        errors_per_report: usize = 20,
        /// Open change streams of one session, which is one browser.
        streams_per_session: usize = 8,
        /// Open change streams of one client address, behind which an office may be.
        streams_per_address: usize = 1_000,
        /// Open change streams on this node.
        streams_max: usize = 10_000,
    }
}

settings! {
    /// Sign-in of the staff with an OpenID Connect provider, beside number and app. Without an issuer it is off.
    "openid" Openid {
        /// The provider, such as `https://login.example`: where its `/.well-known/openid-configuration` is. It must lead
        /// back to `<server.public_url>/openid/back`.
        issuer: Option<String> = None,
        /// Name by which the provider knows us.
        client_id: String = String::new(),
        /// Secret that the provider knows us by, where we have one.
        client_secret: Option<Secret> = None,
        /// What the button on the staff's sign-in page says.
        label: String = "Sign in with your company account".into(),
        /// The page that one comes to.
        page: String = "/staff".into(),
        /// Whether the provider's address may be a private one.
        allow_private: bool = false,
    }
}

settings! {
    /// Background work.
    "worker" Worker {
        /// Jobs at work at once on this node.
        concurrency: usize = 64,
        /// How long a claimed job is ours without a sign of life, in milliseconds.
        lease_ms: i64 = 10_000,
        /// How long running jobs may go on at a stop before they are given back for others, in milliseconds.
        stop_ms: u64 = 4_000,
        /// Longest sleep between two looks at the queue, in milliseconds; five seconds at most.
        poll_ms: u64 = 1_000,
        /// Most jobs claimed at once.
        batch_max: u32 = 64,
        /// Address and port at which `journey worker` serves `/metrics` and `/healthz`; without one it does not listen.
        address: Option<String> = None,
        /// A webhook whose reference no journey has for so long is an incident, in milliseconds.
        unknown_ms: i64 = 120_000,
        /// Settled work, used keys and ended sessions older than this are removed, in milliseconds.
        keep_ms: i64 = 7 * 86_400_000,
        /// The record of sent messages is removed after this time, in milliseconds; 400 days.
        keep_messages_ms: i64 = 400 * 86_400_000,
    }
}

settings! {
    /// Files that people send.
    "uploads" Uploads {
        /// Folder for their bytes, which are sealed; several nodes share one, or have a bucket.
        dir: PathBuf = ".data/files".into(),
        /// Bucket that speaks S3, in the place of the folder.
        bucket: Option<String> = None,
        /// Region of the bucket.
        region: String = "us-east-1".into(),
        /// Address of the bucket's service; without one it is Amazon's.
        endpoint: Option<String> = None,
        /// Name by which the bucket's service knows us.
        key: String = String::new(),
        /// Secret that goes with the name for the bucket's service.
        secret: Option<Secret> = None,
        /// Folder within the bucket.
        prefix: String = String::new(),
        /// Largest picture, in bytes.
        picture_bytes_max: u64 = 10 * 1024 * 1024,
        /// Most pixels of a picture.
        pixels_max: u64 = 50_000_000,
        /// Longer side of a picture as it is kept, in pixels.
        side_max: u32 = 2_560,
        /// Largest PDF, in bytes.
        pdf_bytes_max: u64 = 10 * 1024 * 1024,
        /// Most pages of a PDF.
        pdf_pages_max: u32 = 30,
        /// Largest video, in bytes.
        video_bytes_max: u64 = 100 * 1024 * 1024,
        /// Shortest video, in seconds.
        video_s_min: u32 = 20,
        /// Longest video, in seconds.
        video_s_max: u32 = 120,
        /// Files of one journey.
        journey_files_max: usize = 60,
        /// Bytes of all files of one journey.
        journey_bytes_max: u64 = 300 * 1024 * 1024,
        /// Files that are begun with one journey in a minute.
        per_minute: usize = 20,
    }
}

settings! {
    /// Who is there: pings of browsers, kept in memory and written in batches.
    "presence" Presence {
        /// Time between two pings of a browser, in milliseconds.
        every_ms: u64 = 30_000,
        /// Time without a sign of the person after which a browser stops, in milliseconds.
        idle_ms: u64 = 360_000,
        /// Time between two writes of what was heard, in milliseconds.
        flush_ms: u64 = 5_000,
        /// Most journeys of one statement.
        batch_max: usize = 1_000,
        /// Most journeys that are kept between two writes on this node; more are not noted.
        journeys_max: usize = 200_000,
        /// How long a visitor's right to a journey is remembered, in milliseconds.
        allow_ms: i64 = 600_000,
        /// Most calls to partners that wait; more are dropped.
        calls_max: usize = 1_000,
        /// Calls to partners at once.
        calls_at_once: usize = 8,
    }
}

settings! {
    /// Steps of journeys as partners track them.
    "tracking" Tracking {
        /// Hosts to which a tracking partner may send the browser, beside this product, such as `shop.example:8443`.
        redirect_hosts: Vec<String> = Vec::new(),
    }
}

settings! {
    /// Sessions of visitors.
    "session" Session {
        /// Life of a session since its last use, in milliseconds.
        ttl_ms: i64 = 30 * 86_400_000,
        /// Longest life of a session of somebody who has signed in, however much it is used, in milliseconds. 90 days.
        most_ms: i64 = 90 * 86_400_000,
        /// Time after a person's last sign-in from which a one-time password alone no longer opens the account, in
        /// milliseconds: numbers are given to others. 180 days.
        trust_ms: i64 = 180 * 86_400_000,
    }
}

settings! {
    /// One-time passwords, and the one gate for every message that somebody's press sends, whatever its channel.
    "otp" Otp {
        /// Life of a password, in milliseconds.
        ttl_ms: i64 = 300_000,
        /// Shortest time between two passwords to one number, in milliseconds.
        resend_ms: i64 = 30_000,
        /// Wrong tries before a password is void.
        tries: i32 = 5,
        /// Sends to one number in an hour.
        per_hour: i64 = 5,
        /// Sends to one number in a day.
        per_day: i64 = 10,
        /// Sends asked for by one session, or one of the staff, in an hour.
        per_sender_hour: i64 = 60,
        /// Sends asked for by one client network in an hour.
        per_address_hour: i64 = 500,
        /// Sends asked for by one client network in an hour without a proof; more ask the browser for one.
        unproven_per_address_hour: i64 = 2,
        /// Partner of the contract `captcha/verify` whose page asks for the proof; without one, or while it does not
        /// answer, the browser works for it.
        captcha: Option<String> = None,
        /// Work of a proof: 2 to the power of it attempts on average.
        proof_bits: u32 = 16,
        /// Sends to one block of 1,000 numbers in an hour.
        block_hour: i64 = 50,
        /// Sends of the whole product in an hour.
        global_hour: i64 = 20_000,
    }
}

settings! {
    /// Where workflows and forms come from.
    "definitions" Definitions {
        /// Folder with `workflows/` and `forms/`, published at the start; default: what is embedded, into an empty
        /// database only.
        dir: Option<PathBuf> = None,
        /// Publish again whenever a file of `definitions.dir` is saved.
        watch: bool = true,
    }
}

settings! {
    /// Log lines on standard error.
    "log" Log {
        /// One JSON object per line.
        json: bool = false,
        /// Levels by target, such as `info,engine_http=debug`.
        filter: String = "info,sqlx=warn".into(),
    }
}

/// Host to which an alias leads.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Base address, such as `https://api.partner.example`; a path in it comes before the operation's.
    pub url: String,
    /// Whether private and loopback addresses may be reached.
    #[serde(default)]
    pub allow_private: bool,
    /// Names of the secrets that may be sent there; empty means none in production, any in development.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// Public values of this set-up (such as a key's id), merged over the partner's own `data`.
    #[serde(default)]
    pub data: BTreeMap<String, String>,
    /// Whether customers may be sent there with a form (a hosted payment page): its origin joins `form-action`.
    #[serde(default)]
    pub redirect: bool,
    /// Whether the host's pages may be shown within ours (a captcha): its origin joins `frame-src`.
    #[serde(default)]
    pub frame: bool,
    /// Whether the host's script may run in our pages (a chat, a counter of visits): its origin joins `script-src`,
    /// `connect-src` and `img-src`.
    #[serde(default)]
    pub script: bool,
}

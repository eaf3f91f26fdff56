//! `journey-bench`: the reference journey over HTTP, beside the same rows written by hand; jobs and timers.
//!
//! Both sides run in the same minutes on the same machine and are driven by the same client: read the ratios.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod database;
mod drive;
mod floor;
mod jobs;
mod lists;
mod offers;
mod pages;
mod process;
mod report;
mod side;
mod table;
mod uploads;
mod work;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// The product's own: both sides allocate alike.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Speed and memory of the product, side by side with a baseline in the same run.
#[derive(Parser)]
#[command(
    name = "journey-bench",
    after_help = "Databases are made in the system's folder for temporary files: set TMPDIR to one on a disk of the kind that you will use.\n\
        `others` is the share of the machine that neither we nor the driver used: read it before you believe a figure.\n\
        tests/bench/README.md says how each figure is taken."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The reference journey: steps a second, latency, CPU, memory and disk, on SQLite and PostgreSQL
    #[command(
        after_help = "Examples:\n  journey-bench journeys                                        everything, about five minutes\n  \
        journey-bench journeys --database sqlite --connections 16 --open 0 --grown 0\n  \
        journey-bench journeys --rounds 5 --json figures.json         more windows, of which the best counts\n  \
        journey-bench journeys --former path/to/journey --open 0 --grown 0   beside another build, window by window"
    )]
    Journeys(Journeys),
    /// Background work: effects end to end, pickup by an idle worker, timers due within a minute
    #[command(
        after_help = "Examples:\n  journey-bench jobs\n  journey-bench jobs --database postgres --timers 0             effects only\n  \
        journey-bench jobs --database postgres --effects 0            timers only\n  \
        journey-bench jobs --timers 1000 --within 5                   a quick look"
    )]
    Jobs(Jobs),
    /// A person's account, dashboard and list, with hundreds of journeys among a million of others
    #[command(
        after_help = "Examples:\n  journey-bench lists                                           about five minutes\n  \
        journey-bench lists --database sqlite --journeys 10000        a quick look"
    )]
    Lists(Lists),
    /// Insurers' answers of each line: from the question to the last recorded one
    #[command(
        after_help = "Examples:\n  journey-bench offers\n  journey-bench offers --only lorry --rounds 5 --database sqlite      a quick look"
    )]
    Offers(Offers),
    /// Page views of the shipped site: pages a second, latency, CPU, beside the same answer from memory
    #[command(
        after_help = "Examples:\n  journey-bench pages\n  journey-bench pages --path /car-insurance --connections 64 --former path/to/journey"
    )]
    Pages(Pages),
    /// Files: memory while many come at once, CPU of a photo, the list of a journey with 60
    #[command(
        after_help = "Examples:\n  journey-bench uploads\n  journey-bench uploads --at-once 4 --photos 1 --looks 10      a quick look"
    )]
    Uploads(Uploads),
    /// The baseline alone: one answer from memory (started by `pages`)
    #[command(hide = true)]
    Answer {
        #[arg(long)]
        file: PathBuf,
        #[arg(long)]
        port: u16,
    },
    /// The baseline alone: the reference journey's rows written by hand (started by `journeys`)
    #[command(hide = true)]
    Floor {
        #[arg(long)]
        database: String,
        #[arg(long)]
        port: u16,
    },
}

#[derive(Args, Clone)]
pub struct Journeys {
    /// The product's binary, an optimised build; default: `journey` beside this program
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Another build of the product, in the place of the baseline
    #[arg(long, value_name = "FILE")]
    former: Option<PathBuf>,
    /// sqlite, postgres
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<String>,
    /// Customers at once
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    connections: Vec<usize>,
    /// Length of one window
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Windows per number of customers and side; the best counts
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Journeys left open for memory and disk
    #[arg(long, default_value_t = 10_000)]
    open: usize,
    /// Also drive with this many open journeys, to see whether the cost stays flat; 0 leaves it out
    #[arg(long, default_value_t = 100_000)]
    grown: usize,
    /// Figures and every window as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct Jobs {
    /// sqlite, postgres
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<String>,
    /// Effects without work; 0 leaves them out
    #[arg(long, default_value_t = 20_000)]
    effects: usize,
    /// Timers due within a minute, and as many that wait; 0 leaves them out
    #[arg(long, default_value_t = 100_000)]
    timers: usize,
    /// Seconds within which the timers become due
    #[arg(long, default_value_t = 60.0)]
    within: f64,
    /// Figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct Lists {
    /// sqlite, postgres
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<String>,
    /// Journeys of others
    #[arg(long, default_value_t = 1_000_000)]
    journeys: usize,
    /// Journeys of the person
    #[arg(long, default_value_t = 200)]
    own: usize,
    /// Looks at each page
    #[arg(long, default_value_t = 200)]
    looks: usize,
    /// Figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct Offers {
    /// The product's binary, an optimised build; default: `journey` beside this program
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// sqlite, postgres
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<String>,
    /// Requests of each file, one after another; the median counts
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// A part of the name of a file in `tests/bench/offers`
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct Uploads {
    /// The product's binary, an optimised build; default: `journey` beside this program
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// sqlite, postgres
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    database: Vec<String>,
    /// Files of 10 MB that come at once
    #[arg(long, default_value_t = 64)]
    at_once: usize,
    /// Photos, one after another
    #[arg(long, default_value_t = 7)]
    photos: usize,
    /// Looks at the list
    #[arg(long, default_value_t = 200)]
    looks: usize,
    /// Figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct Pages {
    /// The product's binary, an optimised build; default: `journey` beside this program
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Another build, measured in turn
    #[arg(long, value_name = "FILE")]
    former: Option<PathBuf>,
    /// Addresses of pages
    #[arg(long, value_delimiter = ',', default_value = "/,/car-insurance")]
    path: Vec<String>,
    /// People at once
    #[arg(long, value_delimiter = ',', default_value = "1,64")]
    connections: Vec<usize>,
    /// Length of one window
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Windows per page, number of people and side; the best counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Journeys(options) => report::journeys(&options).await,
        Command::Jobs(options) => jobs::run(&options).await,
        Command::Lists(options) => lists::run(&options).await,
        Command::Offers(options) => offers::run(&options).await,
        Command::Uploads(options) => uploads::run(&options).await,
        Command::Pages(options) => pages::run(&options).await,
        Command::Answer { file, port } => pages::answer(&file, port).await,
        Command::Floor { database, port } => floor::serve(&database, port).await,
    }
}

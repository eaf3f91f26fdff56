//! `make chaos`: see `--help`.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

use anyhow::Context as _;
use clap::Parser;
use journey_tests::chaos::{self, Database, Disk, Options, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Kill the product again and again while customers use it, then audit what is stored; restore a backup that was taken
/// under load, and take over the database that an earlier build left. Exit code 1 on any violation.
#[derive(Parser)]
#[command(name = "chaos")]
struct Arguments {
    /// The product's binary, an optimised build; default: that of this build
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// sqlite (one process), power (the same on a disk that loses what was not synced), postgres (two servers, two
    /// workers) or all
    #[arg(long, default_value = "all", value_parser = ["sqlite", "power", "postgres", "all"])]
    database: String,
    /// crashes (with bad lines, a full disk, a clock that jumps), restore (customers work, a backup is taken, the
    /// database is lost; the backup goes on elsewhere: nothing is sent before an operator says so, nothing is done
    /// twice, what was told of lost orders is an operator's), files (they come in parts while the product dies),
    /// money (banks keep it ready: it is taken once, or let go; the short form: on SQLite alone), slow-partner (hundreds of steps wait for it, a message and a timer do not), keys (another master key, node by
    /// node, there and back; the short form leaves it out), upgrade (the kept database of tests/histories is taken
    /// over, killed at its start, and its journeys go on; the short form: on SQLite alone) or all; record writes
    /// journeys under kills into tests/histories, only while the format is open
    #[arg(long, default_value = "all", value_parser = ["crashes", "restore", "files", "money", "slow-partner", "keys", "upgrade", "record", "all"])]
    round: String,
    /// Crashes (kill -9) on each database
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Customers at once
    #[arg(long, default_value_t = 64)]
    customers: usize,
    /// Seed of the faults: one seed gives one list of faults in one order; default: a new one, which is printed
    #[arg(long)]
    seed: Option<u64>,
    /// Lease of claimed work, in milliseconds
    #[arg(long, default_value_t = 10_000)]
    lease_ms: u64,
    /// How long a worker stands still, in seconds
    #[arg(long, default_value_t = 90)]
    frozen_s: u64,
    /// Longest start until ready, in seconds; an unoptimised build beside other work needs more than the default
    #[arg(long, default_value_t = 2.0)]
    ready_s: f64,
    /// Longest wait until interrupted work goes on, in seconds
    #[arg(long, default_value_t = 15.0)]
    resumed_s: f64,
    /// The form of `make test`: ten kills, a lease of 3 s, a freeze of 5 s, the same seed each time
    #[arg(long, conflicts_with_all = ["kills", "seed", "lease_ms", "frozen_s", "ready_s"])]
    short: bool,
}

/// Seed of the short form.
const SEED: u64 = 4_101;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let seed = if arguments.short { SEED } else { arguments.seed.unwrap_or_else(rand::random) };
    println!("seed {seed}");
    let databases = match arguments.database.as_str() {
        "sqlite" => vec![Database::Sqlite],
        "power" => vec![Database::Unplugged],
        "postgres" => vec![Database::Postgres],
        _ => vec![Database::Sqlite, Database::Unplugged, Database::Postgres],
    };
    let mut broken = Vec::new();
    for database in databases {
        if database == Database::Unplugged && !Disk::possible() {
            println!("\nSKIPPED: a disk that loses its power needs /dev/fuse and the right to mount");
            continue;
        }
        let long = Options {
            database,
            binary: None,
            seed,
            kills: arguments.kills,
            customers: arguments.customers,
            lease: Duration::from_millis(arguments.lease_ms),
            frozen: Duration::from_secs(arguments.frozen_s),
            ready_max: Duration::from_secs_f64(arguments.ready_s),
            resumed_max: Duration::from_secs_f64(arguments.resumed_s),
        };
        let options = if arguments.short { Options::short(database, seed) } else { long };
        let options = Options { binary: arguments.binary.clone(), ..options };
        let wanted = |round: &str| [round, "all"].contains(&arguments.round.as_str());
        if wanted("crashes") {
            print_report(chaos::run(options.clone()).await?, &mut broken);
        }
        if arguments.round == "record" && database != Database::Unplugged {
            let report = chaos::record(options).await?.context("no C compiler: what is kept has a day of its own")?;
            print_report(report, &mut broken);
            continue;
        }
        let is_brief = arguments.short && arguments.round == "all";
        // The disk without power differs in its crashes only.
        if wanted("restore") && database != Database::Unplugged {
            print_report(chaos::restore(options.clone()).await?, &mut broken);
        }
        if wanted("files") && database != Database::Unplugged {
            print_report(chaos::files(options.clone()).await?, &mut broken);
        }
        if wanted("money") && (database == Database::Sqlite || database == Database::Postgres && !is_brief) {
            print_report(chaos::money(options.clone()).await?, &mut broken);
        }
        if wanted("slow-partner") && database != Database::Unplugged {
            print_report(chaos::slow_partner(options.clone()).await?, &mut broken);
        }
        if wanted("keys") && !is_brief && database != Database::Unplugged {
            print_report(chaos::another_key(options.clone()).await?, &mut broken);
        }
        // A test takes both over; what dies meanwhile differs little.
        let takes_over = database == Database::Sqlite || database == Database::Postgres && !is_brief;
        if wanted("upgrade") && takes_over {
            match chaos::upgrade(options).await? {
                Some(report) => print_report(report, &mut broken),
                None => println!("\nSKIPPED: the kept database lives on a day of its own, which needs a C compiler"),
            }
        }
    }
    // a log is read from its end
    broken.iter().for_each(|violation| println!("VIOLATED {violation}"));
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a round's report, and adds its violations to `broken`.
fn print_report(report: Report, broken: &mut Vec<String>) {
    println!("{report}");
    broken.extend(report.violations.iter().map(|violation| format!("{}: {violation}", report.round)));
}

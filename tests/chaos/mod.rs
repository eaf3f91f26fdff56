//! Crash tests: the real `journey` binary as processes, customers in a closed loop over HTTP, fake partners that
//! misbehave, and `kill -9` at random. Afterwards an auditor counts what was promised against what is there.
//!
//! [`run`] does one round on one database: `make chaos` with hundreds of kills, `make test` with ten (`--short`). The
//! partners are a process of their own with a database of their own, which is never killed: their record of requests is
//! the witness.

mod audit;
mod clock;
mod customers;
mod disk;
mod faults;
pub mod partners;
pub mod processes;
mod report;
mod resumed;
mod wire;

pub use report::Report;

use crate::postgres::Cluster;
use anyhow::{Context as _, Result};
use clock::Clock;
use customers::Ledger;
pub use disk::Disk;
use faults::Machine;
use partners::Partners;
use processes::{Binary, Product};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use wire::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// One `journey serve` with its worker.
    Sqlite,
    /// The same on a disk of its own, which loses its power with every kill: [`Disk`].
    Unplugged,
    /// Two `journey serve --no-worker` and two `journey worker`.
    Postgres,
}

/// One round.
#[derive(Debug, Clone)]
pub struct Options {
    pub database: Database,
    /// The product's binary; without one that of this build.
    pub binary: Option<PathBuf>,
    pub seed: u64,
    pub kills: u32,
    pub customers: usize,
    pub lease: Duration,
    /// How long one worker stands still; longer than its lease.
    pub frozen: Duration,
    /// Longest start of a process until it is ready.
    pub ready_max: Duration,
    /// Longest wait until work that a crash interrupted is taken up again.
    pub resumed_max: Duration,
}

/// The definitions that the customers use.
pub fn definitions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("chaos/definitions")
}

/// Violations are in the report; an error is a failure of the test itself.
pub async fn run(options: Options) -> Result<Report> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let begun = Instant::now();
    let folder = tempfile::Builder::new().prefix("journey-chaos-").tempdir()?;
    let binary = match &options.binary {
        Some(file) => Binary::copied(file, folder.path())?,
        None => Binary::build(folder.path())?,
    };
    let disk = (options.database == Database::Unplugged).then(|| Disk::mount(folder.path())).transpose()?;
    let cluster = match options.database {
        Database::Sqlite | Database::Unplugged => None,
        Database::Postgres => Some(tokio::task::spawn_blocking(|| Cluster::start(None)).await??),
    };
    let url = match &cluster {
        None => {
            let at = disk.as_ref().map_or(folder.path(), |disk| &disk.folder);
            format!("sqlite:{}", at.join("journey.db").display())
        }
        Some(cluster) => cluster.database().await?,
    };
    let wire = cluster.as_ref().map(|cluster| Wire::start(folder.path(), &cluster.folder)).transpose()?;
    // The product's own way to the database; the auditor's has no faults.
    let reached = wire.as_ref().map_or_else(|| url.clone(), |wire| wire.address(&url));
    let clock = if disk.is_none() { Clock::build(folder.path())? } else { None };
    let ports = processes::free_ports(3)?;
    let partners = Partners::start(&binary, folder.path(), &definitions(), ports[0], ports[1])
        .await
        .context("the partners' process")?;
    let product = Arc::new(
        Product::start(&options, &binary, folder.path(), &reached, partners.url(), &ports[1..], clock.as_ref())
            .await
            .context("the product's processes")?,
    );
    let ledger = Arc::new(Ledger::default());
    let stop = CancellationToken::new();
    let watching = CancellationToken::new();
    // Who looks has the file open, and would not lose its power with the others.
    let watch = match &disk {
        None => resumed::Watch::start(&url, watching.clone()).await?,
        Some(_) => resumed::Watch::blind(),
    };
    let customers: Vec<_> = (0..options.customers)
        .map(|number| {
            tokio::spawn(customers::run(
                number,
                customers::dice(options.seed, number),
                product.clone(),
                ledger.clone(),
                stop.clone(),
            ))
        })
        .collect();

    let mut rng = StdRng::seed_from_u64(options.seed);
    let machine = Machine { database: cluster.as_ref().zip(wire.as_ref()), clock: clock.as_ref() };
    let told = match &disk {
        None => faults::run(&options, &mut rng, &product, &partners, machine, &watch).await,
        Some(disk) => faults::unplugged(&options, &mut rng, &product, &partners, disk).await,
    };
    stop.cancel();
    for customer in customers {
        customer.await?;
    }
    let mut report = told?;
    let quiet = resumed::quiet(&url, Duration::from_secs(90)).await;
    watching.cancel();
    report.samples(&product, &watch, &options);
    audit::audit(&url, &ledger, &partners, &mut report).await?;
    if let Err(why) = quiet {
        report.violation(format!("work is left over: {why}"));
    }
    product.end(&mut report).await;
    report.taken = begun.elapsed();
    if !report.violations.is_empty() {
        let kept = folder.keep();
        report.logs = Some(kept);
    }
    Ok(report)
}

impl Options {
    /// The short form of `make test`: ten kills, a short lease. An unoptimised build beside other tests starts slower.
    pub fn short(database: Database, seed: u64) -> Options {
        Options {
            database,
            binary: None,
            seed,
            kills: 10,
            customers: 64,
            lease: Duration::from_secs(3),
            frozen: Duration::from_secs(5),
            ready_max: Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 2 }),
            resumed_max: Duration::from_secs(15),
        }
    }
}

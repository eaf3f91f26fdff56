//! Crash tests: the real `journey` binary as processes, customers in a closed loop over HTTP, fake partners that
//! misbehave, and `kill -9` at random. Afterwards an auditor counts what was promised against what is there.
//!
//! [`run`] does one round on one database: `make chaos` with hundreds of kills, `make test` with ten (`--short`);
//! [`restore`] goes back to a backup, [`files`] is sent files, [`money`] waits at
//! banks, [`slow_partner`] has one that answers late, [`another_key`] changes the master key, [`upgrade`] takes over a database of an earlier build, [`record`] leaves one. The partners are a process of their
//! own with a database of their own, which is never killed: their record of requests is the witness.

mod audit;
mod caller;
mod clock;
mod customers;
mod disk;
mod faults;
mod files;
mod keys;
mod money;
pub mod partners;
pub mod processes;
mod record;
mod report;
mod restore;
mod resumed;
mod slow;
mod upgrade;
mod wire;

pub use customers::Kept;
pub use files::run as files;
pub use keys::run as another_key;
pub use money::run as money;
pub use record::{finished, run as record};
pub use report::Report;
pub use restore::run as restore;
pub use slow::run as slow_partner;
pub use upgrade::run as upgrade;

use crate::postgres::Cluster;
use anyhow::{Context as _, Result};
use clock::Clock;
use customers::{Ledger, Stay};
pub use disk::Disk;
use faults::Machine;
use partners::Partners;
use processes::{Binary, Ground, Product};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use wire::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// One `journey serve` with its worker.
    Sqlite,
    /// One `journey serve` with its worker, on a disk of its own, which loses its power with every kill: [`Disk`].
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

/// Writes definitions into a folder.
fn write_files<'f>(folder: &Path, files: impl Iterator<Item = (&'f str, &'f Arc<[u8]>)>) -> Result<()> {
    for (path, bytes) in files {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().context("a folder")?)?;
        std::fs::write(file, bytes)?;
    }
    Ok(())
}

/// What a round stands on.
struct Stage {
    folder: TempDir,
    binary: Binary,
    cluster: Option<Cluster>,
    /// Ports of the partners, and of the product's servers.
    ports: Vec<u16>,
}

impl Stage {
    async fn set(options: &Options) -> Result<Stage> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::Builder::new().prefix("journey-chaos-").tempdir()?;
        let binary = match &options.binary {
            Some(file) => Binary::copied(file, folder.path())?,
            None => Binary::build(folder.path())?,
        };
        let cluster = match options.database {
            Database::Sqlite | Database::Unplugged => None,
            Database::Postgres => Some(tokio::task::spawn_blocking(|| Cluster::start(None)).await??),
        };
        Ok(Stage { folder, binary, cluster, ports: processes::free_ports(3)? })
    }

    async fn partners(&self) -> Result<Partners> {
        Partners::start(&self.binary, self.folder.path(), &definitions(), self.ports[0], self.ports[1]).await
    }

    /// Leaves logs and databases where something was wrong.
    fn leave(self, mut report: Report, begun: Instant) -> Report {
        report.taken = begun.elapsed();
        if !report.violations.is_empty() {
            report.logs = Some(self.folder.keep());
        }
        report
    }
}

/// Customers, crashes and faults. Violations are in the report; an error is a failure of the test itself.
pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let (folder, cluster) = (stage.folder.path(), stage.cluster.as_ref());
    let disk = (options.database == Database::Unplugged).then(|| Disk::mount(folder)).transpose()?;
    let url = match cluster {
        None => {
            let at = disk.as_ref().map_or(folder, |disk| &disk.folder);
            format!("sqlite:{}", at.join("journey.db").display())
        }
        Some(cluster) => cluster.database().await?,
    };
    let wire = cluster.map(|cluster| Wire::start(folder, &cluster.folder)).transpose()?;
    // The product's own way to the database; the auditor's has no faults.
    let reached = wire.as_ref().map_or_else(|| url.clone(), |wire| wire.address(&url));
    let clock = if disk.is_none() { Clock::build(folder)? } else { None };
    let partners = stage.partners().await.context("the partners' process")?;
    let ground = Ground {
        binary: &stage.binary,
        folder,
        url: &reached,
        definitions: &definitions(),
        partners: partners.url(),
        ports: &stage.ports[1..],
        settings: clock.iter().flat_map(Clock::settings).collect(),
    };
    let product = Arc::new(Product::start(&options, ground).await.context("the product's processes")?);
    let ledger = Arc::new(Ledger::default());
    let stay = Stay::default();
    let watching = CancellationToken::new();
    // Who looks has the file open, and would not lose its power with the others.
    let watch = match &disk {
        None => resumed::Watch::start(&url, watching.clone()).await?,
        Some(_) => resumed::Watch::blind(),
    };
    let customers = customers::crowd(options.seed, options.customers, &product, &ledger, &stay);

    let mut rng = StdRng::seed_from_u64(options.seed);
    let machine = Machine { database: cluster.zip(wire.as_ref()), clock: clock.as_ref() };
    let told = match &disk {
        None => faults::run(&options, &mut rng, &product, &partners, machine, &watch).await,
        Some(disk) => faults::unplugged(&options, &mut rng, &product, &partners, disk).await,
    };
    stay.stop.cancel();
    for customer in customers {
        customer.await?;
    }
    let mut report = told?;
    let quiet = resumed::quiet(&url, Duration::from_secs(90), false).await;
    watching.cancel();
    report.samples(&product, &watch, &options);
    audit::audit(&url, &ledger, &partners, None, &mut report).await?;
    match quiet {
        Ok(_) => {}
        Err(why) => report.violation(format!("work is left over: {why}")),
    }
    product.end(&mut report).await;
    // Mounted in the folder: it goes first.
    drop(disk);
    Ok(stage.leave(report, begun))
}

impl Options {
    /// The short form of `make test`: ten kills, a short lease. An unoptimised build stands beside other tests there, so its
    /// bounds only say that everything goes on at all; the long form says how soon.
    pub fn short(database: Database, seed: u64) -> Options {
        Options {
            database,
            binary: None,
            seed,
            kills: 10,
            customers: 64,
            lease: Duration::from_secs(3),
            frozen: Duration::from_secs(5),
            ready_max: Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 2 }),
            resumed_max: Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 15 }),
        }
    }
}

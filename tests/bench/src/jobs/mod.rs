//! `journey-bench jobs`: the product's own worker in this process, over a database of its own.

mod bare;
mod begun;
mod effects;
mod timers;

use crate::Jobs;
use crate::database::Database;
use crate::process;
use crate::side::definitions;
use crate::table::{Goal, Row, Table};
use anyhow::{Context as _, Result};
use begun::Begun;
use engine_definitions::Files;
use engine_partners::Partners;
use engine_runtime::{Actor, Runtime, Stories, SystemClock};
use engine_settings::{Secret, Settings};
use engine_store::{Changed, Commit, JourneyStatus, JourneyUpdate, NewJourney};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Longest wait for work to end.
const PATIENCE: Duration = Duration::from_secs(300);

pub async fn run(options: &Jobs) -> Result<()> {
    // the worker could speak TLS, and asks for its provider
    let _ = rustls::crypto::ring::default_provider().install_default();
    let begun = Begun::listen()?;
    let mut table = Table::default();
    for kind in &options.database {
        let database = Database::start(kind).await?;
        let mut bench = Bench::start(database).await?;
        if options.effects > 0 {
            let bare = bare::per_second(&bench.database, options.effects).await?;
            effects::measure(&bench, &begun, options, bare, &mut table).await?;
            bench = Bench::start(bench.database).await?;
        }
        if options.timers > 0 {
            timers::measure(&bench, options.timers, options.within, &mut table).await?;
        }
    }
    table.print();
    table.write(options.json.as_deref())
}

/// A fresh database with the definitions of the bench, and what a worker needs.
struct Bench {
    database: Database,
    runtime: Runtime,
    partners: Arc<Partners>,
}

impl Bench {
    async fn start(database: Database) -> Result<Bench> {
        let mut settings = Settings::default();
        settings.database.url = database.fresh().await?;
        settings.keys.master = Some(Secret::new("5a".repeat(32)));
        let settings = Arc::new(settings);
        let store = engine_store::connect(&settings.database.url).await?;
        store.migrate().await?;
        let runtime = Runtime::new(store, settings.clone(), Arc::new(SystemClock::default())).await?;
        let files = Files::read_dir(definitions())?;
        let by = Actor::operator("bench");
        runtime
            .publishing
            .publish(&files, &by, Stories::OfChanges)
            .await
            .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        Ok(Bench { database, runtime, partners: Arc::new(Partners::new(settings, None)?) })
    }

    fn worker(&self) -> Worker {
        let (stop, stopped) = oneshot::channel::<()>();
        let context = worker::Context { runtime: self.runtime.clone(), partners: self.partners.clone() };
        let task = tokio::spawn(worker::run(context, async {
            let _ = stopped.await;
        }));
        Worker { stop, task }
    }

    /// Waits until nothing is due before `ms`, and no lease is held.
    async fn until_idle(&self, ms: i64) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        while self.runtime.store().next_due().await?.is_some_and(|due| due < ms) {
            anyhow::ensure!(Instant::now() < end, "work is left over");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    /// Ours and the database's.
    fn cpu_s(&self) -> f64 {
        process::usage(std::process::id()).cpu_s + self.database.cpu_s()
    }

    /// Adds another figure, told as it comes.
    fn add(&self, table: &mut Table, what: String, floor: Option<f64>, product: f64, goal: Goal, others: &Others) {
        let row = Row {
            database: self.database.name(),
            what,
            floor: floor.unwrap_or(f64::NAN),
            product,
            goal,
            others: others.share(self),
        };
        eprintln!("{row}");
        table.add(row);
    }

    fn tell(&self, what: &str) {
        eprintln!("{:8} {what}", self.database.name());
    }
}

struct Worker {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), worker::WorkerError>>,
}

impl Worker {
    async fn stop(self) -> Result<()> {
        let _ = self.stop.send(());
        self.task.await?.context("the worker")
    }
}

/// How much of the machine others take, from here on.
struct Others {
    busy_s: f64,
    ours_s: f64,
    begun: Instant,
}

impl Others {
    fn from_now(bench: &Bench) -> Others {
        Others { busy_s: process::machine_busy_s(), ours_s: bench.cpu_s(), begun: Instant::now() }
    }

    fn share(&self, bench: &Bench) -> Option<f64> {
        let cores = std::thread::available_parallelism().ok()?.get() as f64;
        let others = process::machine_busy_s() - self.busy_s - (bench.cpu_s() - self.ours_s);
        Some((others / (self.begun.elapsed().as_secs_f64() * cores)).max(0.0))
    }
}

/// The start of a journey without rows beside it.
fn started(id: &str, workflow: &str, version: &str, state: String, at_ms: i64) -> Box<Commit> {
    let update = JourneyUpdate {
        revision: 1,
        status: JourneyStatus::Active,
        step: "waiting".into(),
        state,
        owner: id.into(),
        person: None,
        expires_at_ms: None,
        at_ms,
    };
    let new = NewJourney {
        session: None,
        workflow: workflow.into(),
        version: version.into(),
        owner: id.into(),
        language: "en".into(),
        channel: "web".into(),
        attribution: json!({}),
        keys: String::new(),
    };
    Box::new(Commit { new: Some(new), ..Commit::moving(id, 0, update, Changed::Step) })
}

/// The value below which this share of the sorted values lies.
fn at<T: Copy + Default>(sorted: &[T], share: f64) -> T {
    sorted.get((sorted.len().max(1) - 1).min((sorted.len() as f64 * share) as usize)).copied().unwrap_or_default()
}

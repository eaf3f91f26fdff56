//! The master key is changed under load, there and back, each time in another order of the nodes: no customer notices.
//! What would break the order is refused, and nothing of it is done.

use super::customers::{self, Ledger, Stay};
use super::processes::{KEY, Process, Product};
use super::report::Report;
use super::restore::Place;
use super::{Database, Options, Stage, audit, resumed};
use anyhow::{Context as _, Result, ensure};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const COMING: &str = "6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b";
const MASTER: &str = "JOURNEY_KEYS__MASTER";
const PREVIOUS: &str = "JOURNEY_KEYS__PREVIOUS";
/// Customers work so long before, between and after.
const WORK: Duration = Duration::from_secs(1);
/// How long a node takes at most until it has begun, or has said why it does not.
const BEGINS: Duration = Duration::from_secs(20);

pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let mut report = Report::new("another master key", &options);
    let partners = stage.partners().await.context("the partners' process")?;
    let place = stage.place("keys").await?;
    let product = stage.product(&options, &place, &partners, Vec::new()).await?;
    let (ledger, stay) = (Arc::new(Ledger::default()), Stay::default());
    let customers = customers::crowd(options.seed, options.customers, &product, &ledger, &stay);
    tokio::time::sleep(WORK).await;

    let change = Change { stage: &stage, place: &place, product: &product };
    let mut order: Vec<&Arc<Process>> = product.processes.iter().collect();
    for (old, new) in [(KEY, COMING), (COMING, KEY)] {
        change.is_refused_out_of_order(options.database, old, new, &mut report).await?;
        change.give(&order, old, Some(new)).await?;
        change.is_not_rotated_yet(old, new, &mut report)?;
        change.give(&order, new, Some(old)).await?;
        tokio::time::sleep(WORK).await;
        let rotated = change.rotates(new, old)?;
        ensure!(rotated.status.success(), "`keys rotate`: {}", String::from_utf8_lossy(&rotated.stderr));
        change.give(&order, new, None).await?;
        tokio::time::sleep(WORK).await;
        order.reverse();
    }
    stay.stop.cancel();
    for customer in customers {
        customer.await?;
    }
    match resumed::quiet(&place.url, Duration::from_secs(60), false).await {
        Ok(_) => {}
        Err(why) => report.violation(format!("work is left over: {why}")),
    }
    let broken = ledger.broken.load(Ordering::Relaxed);
    if broken > 0 {
        report.violation(format!("{broken} answers were 500"));
    }
    report.figure("starts of a node with other keys", product.processes.len() * 6);
    audit::audit(&place.url, &ledger, &partners, None, &mut report).await?;
    product.end(&mut report).await;
    Ok(stage.leave(report, begun))
}

struct Change<'c> {
    stage: &'c Stage,
    place: &'c Place,
    product: &'c Product,
}

impl Change<'_> {
    /// Stops and starts each node with these keys, one after the other.
    async fn give(&self, order: &[&Arc<Process>], master: &str, previous: Option<&str>) -> Result<()> {
        self.product.set(MASTER, Some(master));
        self.product.set(PREVIOUS, previous);
        for node in order {
            node.stop().await?;
            node.start()?;
            self.product.up().await.with_context(|| format!("{} with other keys", node.name))?;
        }
        Ok(())
    }

    fn rotates(&self, master: &str, previous: &str) -> Result<Output> {
        let mut command = self.stage.binary.command(&self.place.folder, &self.place.url);
        command.env(MASTER, master).env(PREVIOUS, previous).args(["keys", "rotate"]);
        Ok(command.output()?)
    }

    /// No node with the coming key alone begins beside those that do not know it. A file has one process anyway.
    async fn is_refused_out_of_order(&self, of: Database, old: &str, new: &str, report: &mut Report) -> Result<()> {
        self.is_not_rotated_yet(old, new, report)?;
        if of != Database::Postgres {
            return Ok(());
        }
        let mut command = self.stage.binary.command(&self.place.folder, &self.place.url);
        command.env(MASTER, new).env(PREVIOUS, old).arg("worker");
        let mut early = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let until = Instant::now() + BEGINS;
        while early.try_wait()?.is_none() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // Without effect on one that has ended.
        let _ = early.kill();
        let early = early.wait_with_output()?;
        let said = String::from_utf8_lossy(&early.stderr);
        if early.status.success() || !said.contains("give it to every node as `keys.previous` first") {
            report.violation(format!("a node with a key that no other has begins, or says otherwise: {said}"));
        }
        Ok(())
    }

    /// Nothing is wrapped with a key that a running node does not wrap with.
    fn is_not_rotated_yet(&self, old: &str, new: &str, report: &mut Report) -> Result<()> {
        let early = self.rotates(new, old)?;
        let said = String::from_utf8_lossy(&early.stderr);
        if early.status.success() || !said.contains("a running node wraps with another key") {
            report.violation(format!("keys are wrapped anew too early, or it says otherwise: {said}"));
        }
        Ok(())
    }
}

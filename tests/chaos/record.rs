//! Journeys under kills, recorded for later builds (`tests/histories/crashes…`): each of those must give the stored
//! states from their histories, and finish what was open. `chaos --round record` writes them anew, only while the
//! format is open.

use super::clock::Clock;
use super::customers::{self, Customer, Kept, Ledger, Stay};
use super::processes::{Process, Product};
use super::report::Report;
use super::{Database, Options, Stage, audit};
use crate::kept::{Kind, Store};
use crate::server::START_MS;
use anyhow::{Context as _, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const JOURNEYS: usize = 200;
/// Seed of the customers who come back.
const SEED: u64 = 200;
/// Few: more kills go by until there are enough journeys.
const CUSTOMERS: usize = 16;
/// Time from one kill to the next, in milliseconds.
const BETWEEN: RangeInclusive<u64> = 200..=1_500;
/// How long before the end partners fail: what they had to tell arrives, and new calls wait.
const DOWN: Duration = Duration::from_secs(6);

/// `None` where there is no C compiler: what is kept lives on a day of its own.
pub async fn run(options: Options) -> Result<Option<Report>> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let Some(clock) = Clock::build(stage.folder.path())? else { return Ok(None) };
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64;
    clock.set(START_MS / 1_000 - now_s)?;
    let mut report = Report::new("journeys recorded under kills", &options);
    let partners = stage.partners().await.context("the partners' process")?;
    let place = stage.place("kept").await?;
    let product = stage.product(&options, &place, &partners, clock.settings().into()).await?;
    let (ledger, stay) = (Arc::new(Ledger::default()), Stay::default());
    let crowd = customers::crowd(options.seed, CUSTOMERS, &product, &ledger, &stay);

    let mut rng = StdRng::seed_from_u64(options.seed);
    while ledger.promised().len() < JOURNEYS {
        tokio::time::sleep(Duration::from_millis(rng.random_range(BETWEEN))).await;
        let dies = &product.processes[rng.random_range(0..product.processes.len())];
        dies.kill();
        report.kills += 1;
        dies.start()?;
        product.up().await?;
    }
    partners.switch(json!({"partner": "*", "mode": "fail"})).await?;
    tokio::time::sleep(DOWN).await;
    product.kill();
    stay.gone.cancel();
    let mut kept = Vec::new();
    for customer in crowd {
        kept.push(customer.await?.keeps());
    }
    let wrong: Vec<String> = ledger.wrong.lock().unwrap_or_else(|e| e.into_inner()).drain(..).collect();
    wrong.into_iter().for_each(|wrong| report.violation(wrong));
    let runtime = audit::opened(&place.url).await?;
    let (mut events, mut open) = (0, 0);
    for journey in kept.iter().flat_map(|kept| &kept.journeys) {
        if let Some((record, history)) = audit::history(&**runtime.store(), &runtime, journey, &mut report).await? {
            events += history.len();
            open += usize::from(record.status == engine_store::JourneyStatus::Active);
        }
    }
    drop(runtime);
    let kind = if options.database == Database::Postgres { Kind::Postgres } else { Kind::Sqlite };
    let dump = kind.dumped(&place.url, &place.folder, stage.cluster.as_ref()).await?;
    if report.violations.is_empty() {
        kind.keep(Store::Crashes, &dump, &kept)?;
    }
    report.figure("journeys", kept.iter().map(|kept| kept.journeys.len()).sum::<usize>());
    report.figure("of them open", open);
    report.figure("events in the histories", events);
    report.figure("bytes before they are packed", dump.len());
    Ok(Some(stage.leave(report, begun)))
}

/// Every customer comes back to the shop at this port and ends all that they had begun; what went wrong.
pub async fn finished(kept: Vec<Kept>, port: u16) -> Result<Vec<String>> {
    let shop = Process::new("shop", false, Some(port), Path::new("."), || Command::new("false"));
    let product = Arc::new(Product::of(vec![Arc::new(shop)]));
    let (ledger, stay) = (Arc::new(Ledger::default()), Stay::default());
    stay.stop.cancel();
    let count: usize = kept.iter().map(|kept| kept.journeys.len()).sum();
    let back: Vec<_> = kept
        .into_iter()
        .map(|kept| {
            let customer = Customer::of(kept, SEED, &product, &ledger);
            tokio::spawn(customer.returns(product.clone(), ledger.clone(), stay.clone()))
        })
        .collect();
    for customer in back {
        customer.await?;
    }
    let lost = ledger.lost.load(std::sync::atomic::Ordering::Relaxed);
    ensure!(lost == 0, "{lost} of {count} journeys are not there");
    Ok(ledger.wrong.lock().unwrap_or_else(|e| e.into_inner()).drain(..).collect())
}

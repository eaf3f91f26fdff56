//! The kept database of an earlier build (`tests/histories`) is taken over by this one, as processes: killed at its
//! first start and once more on the way, while customers go on with what they had begun.

use super::audit;
use super::clock::Clock;
use super::processes::{Binary, Ground, Process, Product, free_ports};
use super::report::Report;
use super::{Database, Options};
use crate::kept::{KeptJourney, Kind, Store};
use crate::server::START_MS;
use anyhow::{Context as _, Result, ensure};
use engine_store::JourneyStatus;
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The customers' clock goes so much faster than ours: what was pending is tried again.
const FASTER: i64 = 10;
/// A process that takes over an old database dies after so long, wherever it is.
const KILLED_AFTER: Duration = Duration::from_millis(400);
const AT_ONCE: usize = 8;
/// Rounds of so many kills go on with every journey; shorter ones with one of each kind, up to the prices.
const LONG: u32 = 50;

/// `None` where there is no C compiler: the kept database lives on a day of its own.
pub async fn run(options: Options) -> Result<Option<Report>> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let begun = Instant::now();
    let folder = tempfile::Builder::new().prefix("journey-upgrade-").tempdir()?;
    let Some(clock) = Clock::build(folder.path())? else { return Ok(None) };
    let binary = match &options.binary {
        Some(file) => Binary::copied(file, folder.path())?,
        None => Binary::build(folder.path())?,
    };
    let kind = if options.database == Database::Postgres { Kind::Postgres } else { Kind::Sqlite };
    let (url, journeys) = kind.opened::<KeptJourney>(Store::Steps, folder.path()).await?;
    let mut report = Report::new("the kept database taken over", &options);
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64;
    let day_s = START_MS / 1_000 - now_s;
    clock.set(day_s)?;
    let ports = free_ports(2)?;
    let mut settings: Vec<_> = clock.settings().into();
    settings.extend(TOWN.map(|(name, value)| (name, value.into())));
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ground = Ground {
        binary: &binary,
        folder: folder.path(),
        url: &url,
        definitions: &shipped,
        partners: format!("http://127.0.0.1:{}/sandbox", ports[0]),
        ports: &ports,
        settings,
    };

    binary.told(folder.path(), &url, &["migrate"])?;
    replayed(&url, &journeys, &mut report).await?;
    partners_come_back(&binary, folder.path(), &url, ports[0], &ground.settings).await?;
    report.kills += 1;
    let product = Arc::new(Product::start(&options, ground).await.context("the product's processes")?);
    crash(&product, &mut report).await?;

    let ticking = tokio::spawn(async move {
        for tick in 0.. {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let _ = clock.set(day_s + tick * FASTER / 10);
        }
    });
    let is_short = options.kills < LONG;
    let going = if is_short { KeptJourney::of_each_kind(&journeys) } else { journeys.iter().collect() };
    let going: Vec<_> = going.into_iter().filter(|journey| !is_short || !journey.sees_prices()).collect();
    let (early, late) = going.split_at(going.len() / 2);
    go_on(&product, early, &mut report).await;
    crash(&product, &mut report).await?;
    go_on(&product, late, &mut report).await;
    report.figure("journeys in it", journeys.len());
    report.figure("of them gone on with", going.len());
    ticking.abort();
    replayed(&url, &journeys, &mut report).await?;
    product.end(&mut report).await;
    report.taken = begun.elapsed();
    if !report.violations.is_empty() {
        report.logs = Some(folder.keep());
    }
    Ok(Some(report))
}

/// One address sends what a town would; partners answer at once.
const TOWN: [(&str, &str); 5] = [
    ("JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR", "1000000"),
    ("JOURNEY_OTP__PER_ADDRESS_HOUR", "1000000"),
    ("JOURNEY_OTP__BLOCK_HOUR", "1000000"),
    ("JOURNEY_SANDBOX__DELAY_PERCENT", "0"),
    ("JOURNEY_WORKER__POLL_MS", "100"),
];

/// Brings the partners back, who are all down in the kept database. A server alone tells them, before anybody works,
/// and dies.
async fn partners_come_back(
    binary: &Binary,
    folder: &Path,
    url: &str,
    port: u16,
    settings: &[(&'static str, OsString)],
) -> Result<()> {
    let build = {
        let (binary, folder, url, settings) = (binary.clone(), folder.to_owned(), url.to_owned(), settings.to_vec());
        move || {
            let mut command = binary.command(&folder, &url);
            command.envs(settings.iter().map(|(name, value)| (name, value)));
            command.args(["serve", "--no-worker", "--address", &format!("127.0.0.1:{port}")]);
            command
        }
    };
    let first = Product::of(vec![Arc::new(Process::new("first", false, Some(port), folder, build))]);
    first.processes[0].start()?;
    first.up().await?;
    let up = json!({"partner": "*", "mode": "normal"});
    let switches = format!("{}/sandbox/switches", first.server(0));
    let switched = reqwest::Client::new().post(switches).json(&up).send().await?;
    ensure!(switched.status().is_success(), "the partners stay away: {}", switched.status());
    first.kill();
    Ok(())
}

/// All processes die while they start, and once they are up; then they are up for good.
async fn crash(product: &Product, report: &mut Report) -> Result<()> {
    for wait in [true, false] {
        product.kill();
        report.kills += product.processes.len() as u32;
        for process in &product.processes {
            process.start()?;
        }
        if wait {
            tokio::time::sleep(KILLED_AFTER).await;
        }
    }
    product.up().await
}

async fn go_on(product: &Arc<Product>, journeys: &[&KeptJourney], report: &mut Report) {
    let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let going: Vec<_> = journeys
        .iter()
        .enumerate()
        .map(|(number, journey)| {
            let (gate, journey, shop) = (gate.clone(), KeptJourney::clone(journey), product.server(number));
            tokio::spawn(async move {
                let _place = gate.acquire().await?;
                journey.goes_on(&shop).await
            })
        })
        .collect();
    for (journey, going) in journeys.iter().zip(going) {
        match going.await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => report.violation(format!("{why:#}")),
            Err(failed) => report.violation(format!("{} at `{}`: {failed}", journey.id, journey.step)),
        }
    }
}

/// Every journey is there, and its history gives the state that is stored.
async fn replayed(url: &str, journeys: &[KeptJourney], report: &mut Report) -> Result<()> {
    let runtime = audit::opened(url).await?;
    let store = runtime.store().clone();
    let (mut events, mut moved) = (0, 0);
    for journey in journeys {
        let Some((record, history)) = audit::history(&*store, &runtime, &journey.id, report).await? else { continue };
        events += history.len();
        moved += usize::from(record.step != journey.step || record.status != JourneyStatus::Active);
    }
    for incident in store.incidents(true, 1_000).await? {
        report.violation(format!("incident at `{}` of {}: {}", incident.place, incident.journey, incident.reason));
    }
    report.figure("events in the histories", events);
    report.figure("journeys that have moved", moved);
    Ok(())
}

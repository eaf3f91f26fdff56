//! A partner that answers late, and hundreds of steps that wait for it: who comes now gets a message and a timer in
//! time.

use super::processes::Product;
use super::report::Report;
use super::{Options, Stage, audit, resumed};
use anyhow::{Context as _, Result, ensure};
use engine_store::{EffectFilter, EffectState, JourneyStatus, Store};
use futures::stream::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How late the watcher answers.
const LATE_MS: u64 = 1_000;
/// Parades that begin before anybody is looked at, and how many of them at once.
const PARADES: usize = 150;
const AT_ONCE: usize = 16;
/// Parades that are looked at, one after the other.
const LOOKED_AT: usize = 3;
/// A timer of a parade.
const MARCH: Duration = Duration::from_secs(1);
/// Longest wait beyond it, for an unoptimised build beside other work.
const SOON: Duration = Duration::from_secs(4);

pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let mut report = Report::new("a slow partner", &options);
    let partners = stage.partners().await.context("the partners' process")?;
    let place = stage.place("slow").await?;
    let product = stage.product(&options, &place, &partners, Vec::new()).await?;
    partners.switch(json!({"partner": "watcher", "mode": "slow", "delay_ms": LATE_MS})).await?;
    let runtime = audit::opened(&place.url).await?;
    let store = runtime.store().clone();

    let client = reqwest::Client::new();
    let parades = futures::stream::iter(0..PARADES).map(|number| parade(&client, &product, number));
    let mut journeys: Vec<String> = parades.buffer_unordered(AT_ONCE).try_collect().await?;
    let waiting = steps(&*store, EffectState::Pending).await?;
    report.figure("steps that wait for the watcher", waiting);
    ensure!(waiting > PARADES / 2, "only {waiting} steps wait: the watcher is not slow enough");

    let mut longest = Duration::ZERO;
    for number in 0..LOOKED_AT {
        let from = Instant::now();
        let journey = parade(&client, &product, PARADES + number).await?;
        match served(&*store, &journey, from + MARCH + SOON).await? {
            true => longest = longest.max(from.elapsed().saturating_sub(MARCH)),
            false => report.violation(format!("{journey} waited longer than {SOON:?} for its message and its timer")),
        }
        journeys.push(journey);
    }
    report.figure("message and timer beside them, longest", format!("{} ms late", longest.as_millis()));
    let left = steps(&*store, EffectState::Pending).await? + steps(&*store, EffectState::Running).await?;
    report.figure("steps that still wait", left);
    if left == 0 {
        report.violation("nothing waited any more when the last was served".into());
    }

    partners.behave().await?;
    if let Err(why) = resumed::quiet(&place.url, Duration::from_secs(90), false).await {
        report.violation(format!("work is left over: {why}"));
    }
    let requests = partners.requests().await?;
    for journey in &journeys {
        let seen = requests.keys().filter(|(of, key)| of == "watcher/step" && key.starts_with(journey)).count();
        let filter = EffectFilter { journey: Some(journey.clone()), ..EffectFilter::default() };
        let told = store.effects(filter).await?.iter().filter(|e| e.kind == "track").count();
        if seen != told || seen == 0 {
            report.violation(format!("the watcher saw {seen} of {told} steps of {journey}"));
        }
    }
    product.end(&mut report).await;
    Ok(stage.leave(report, begun))
}

async fn parade(client: &reqwest::Client, product: &Product, number: usize) -> Result<String> {
    let server = product.server(number % 2);
    let data = json!({"weight": 3, "tag": format!("9{:09}", number * 6_345_678)});
    let start = client
        .post(format!("{server}/api/v1/journeys"))
        .header("x-journey", "1")
        .header("origin", &server)
        .header("idempotency-key", uuid::Uuid::new_v4().simple().to_string())
        .json(&json!({"workflow": "courier/parade", "data": data}));
    let answer = start.send().await?;
    let status = answer.status();
    let body: Value = answer.json().await?;
    ensure!(status.is_success(), "a start was answered {status}: {body}");
    Ok(body["journey"]["id"].as_str().context("a journey")?.to_owned())
}

/// Whether its message is sent and its timer has fired in time.
async fn served(store: &dyn Store, journey: &str, until: Instant) -> Result<bool> {
    loop {
        let filter = EffectFilter { journey: Some(journey.to_owned()), ..EffectFilter::default() };
        let sent = store.effects(filter).await?.iter().any(|e| e.kind == "notify" && e.state == EffectState::Done);
        let ended = store.journey(journey).await?.is_some_and(|record| record.status != JourneyStatus::Active);
        if sent && ended {
            return Ok(true);
        }
        if Instant::now() > until {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn steps(store: &dyn Store, state: EffectState) -> Result<usize> {
    let filter =
        EffectFilter { state: Some(state), kind: Some("track".into()), limit: 100_000, ..EffectFilter::default() };
    Ok(store.effects(filter).await?.len())
}

//! Money that banks keep ready while the product dies again and again: what is accepted is taken once and whole, what is
//! not is let go, and nothing waits at a bank for nobody.

use super::caller::{Caller, PATIENCE};
use super::report::Report;
use super::{Options, Stage, audit, processes, resumed};
use crate::server::line;
use anyhow::{Context as _, Result, bail, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const PAYERS: u64 = 8;
/// How long the product lives between two kills, beyond its start.
const LIVES_MS: std::ops::Range<u64> = 300..2_500;
const LOOK: Duration = Duration::from_millis(50);
/// Who presses and hears nothing presses again after this time: by then the bank has told what it did.
const PRESSES_AGAIN: Duration = Duration::from_secs(8);

#[derive(Default)]
struct Seen {
    /// Presses at the bank without an answer.
    unheard: AtomicU64,
}

/// What somebody asked for: the journey, and whether it is accepted.
type Asked = (String, bool);

pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let mut report = Report::new("money at banks while the product dies", &options);
    let place = stage.place("money").await?;
    let definitions = stage.folder.path().join("hold");
    super::write_files(&definitions, line("hold").iter())?;
    let many = || "1000000".to_owned();
    let settings = [
        ("JOURNEY_LIMITS__RATE_PER_S", "0".to_owned()),
        ("JOURNEY_LIMITS__WRITE_RATE_PER_S", "0".to_owned()),
        ("JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR", many()),
        ("JOURNEY_OTP__PER_ADDRESS_HOUR", many()),
        ("JOURNEY_OTP__BLOCK_HOUR", many()),
        ("JOURNEY_WORKER__LEASE_MS", options.lease.as_millis().to_string()),
    ];
    let port = stage.ports[1];
    let product = processes::serve(&stage.binary, &place.folder, &place.url, &definitions, port, &settings).await?;
    let (seen, stop) = (Arc::new(Seen::default()), CancellationToken::new());
    let mut payers = JoinSet::new();
    for number in 0..PAYERS {
        let (base, seed) = (format!("http://127.0.0.1:{port}"), options.seed ^ number);
        payers.spawn(pay(base, (seed, number), seen.clone(), stop.clone()));
    }
    let mut rng = StdRng::seed_from_u64(options.seed);
    for _ in 0..options.kills {
        tokio::time::sleep(Duration::from_millis(rng.random_range(LIVES_MS))).await;
        product.kill();
        report.kills += 1;
        product.starts_again().await?;
    }
    stop.cancel();
    let mut all = Vec::new();
    while let Some(paid) = payers.join_next().await {
        match paid? {
            Ok(asked) => all.extend(asked),
            Err(why) => report.violation(format!("{why:#}")),
        }
    }
    if let Err(why) = resumed::quiet(&place.url, PATIENCE, false).await {
        report.violation(format!("work is left over: {why}"));
    }
    are_settled(&place.url, &all, &mut report).await?;
    report.figure("presses at a bank without an answer", seen.unheard.load(Ordering::Relaxed));
    product.stop().await?;
    Ok(stage.leave(report, begun))
}

/// Checks what the bank did for each journey, and that it did nothing for nobody.
async fn are_settled(url: &str, all: &[Asked], report: &mut Report) -> Result<()> {
    let store = audit::opened(url).await?.store().clone();
    let blocks = store.kv_list("sandbox:blocks", 100_000).await?;
    let mut of: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
    for (id, block) in &blocks {
        of.entry(block["notes"]["journey"].as_str().unwrap_or_default()).or_default().push((id, block));
    }
    let (mut taken, mut released) = (0, 0);
    for (journey, accepted) in all {
        let mut debits = 0;
        for (id, block) in of.remove(journey.as_str()).unwrap_or_default() {
            let payments = store.kv_list(&format!("sandbox:payments of {id}"), 100).await?;
            debits += payments.len();
            let ends = if payments.is_empty() { "released" } else { "debited" };
            if block["status"] != ends {
                report.violation(format!("{journey}: the bank has {id} as {}, and not as {ends}", block["status"]));
            }
            if payments.iter().any(|(_, payment)| payment["amount"] != block["amount"]) {
                report.violation(format!("{journey}: another amount was taken of {id}"));
            }
        }
        if debits != usize::from(*accepted) {
            report.violation(format!("{journey}, accepted: {accepted}: {debits} debits"));
        }
        taken += debits;
        released += usize::from(!accepted);
    }
    for (journey, blocks) in of.iter().filter(|(_, blocks)| blocks.iter().any(|(_, b)| b["status"] == "debited")) {
        report.violation(format!("{journey}: nobody asked for it, and {} blocks are debited", blocks.len()));
    }
    report.figure("debits", taken);
    report.figure("blocks that were let go", released);
    if taken == 0 || released == 0 {
        report.violation("nothing was decided each way: it proves nothing".into());
    }
    Ok(())
}

/// One block after another, until `stop`; all of them.
async fn pay(base: String, (seed, number): (u64, u64), seen: Arc<Seen>, stop: CancellationToken) -> Result<Vec<Asked>> {
    let mut all = Vec::new();
    let mut rng = StdRng::seed_from_u64(seed);
    while !stop.is_cancelled() {
        let caller = Caller::new(&base, StdRng::seed_from_u64(rng.random()))?;
        let mobile = format!("98{:08}", 20_000_001 + number * 100_000 + all.len() as u64);
        let mut payer = Payer { caller, mobile, seen: seen.clone() };
        all.push(payer.keeps_ready(rng.random_bool(0.5)).await?);
    }
    Ok(all)
}

struct Payer {
    caller: Caller,
    mobile: String,
    seen: Arc<Seen>,
}

impl Payer {
    /// From the first question until the bank was told what became of it.
    async fn keeps_ready(&mut self, accepted: bool) -> Result<Asked> {
        let data =
            json!({"name": "Asha Rao", "mobile": self.mobile, "email": "asha@example.com", "accepted": accepted});
        let begun = self.caller.posts("/api/v1/journeys", &json!({"workflow": "hold/keep", "data": data})).await?;
        let journey = begun["journey"]["id"].as_str().context("a journey")?.to_owned();
        let until = Instant::now() + 2 * PATIENCE;
        let mut pressed: Option<Instant> = None;
        loop {
            let (status, view) = self.caller.gets(&format!("/api/v1/journeys/{journey}")).await?;
            ensure!(status.is_success(), "{journey} was answered {status}");
            let view: Value = serde_json::from_slice(&view)?;
            match view["step"]["id"].as_str().unwrap_or_default() {
                "keep.over" => return Ok((journey, accepted)),
                "keep.otp.asking" => self.shows_the_number(&view).await?,
                "keep.keeping.agreeing" if pressed.is_none_or(|at| at.elapsed() > PRESSES_AGAIN) => {
                    pressed = Some(Instant::now());
                    if self.agrees(&view["step"]["redirect"]).await.is_none() {
                        self.seen.unheard.fetch_add(1, Ordering::Relaxed);
                    }
                }
                "keep.paying.failed" | "keep.paying.paying" => bail!("{journey} is to be paid again: {view}"),
                _ => ensure!(Instant::now() < until, "{journey} stands still: {view}"),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn shows_the_number(&mut self, view: &Value) -> Result<()> {
        let (_, inbox) = self.caller.gets(&format!("/sandbox/inbox.json?to={}", self.mobile)).await?;
        let inbox: Value = serde_json::from_slice(&inbox)?;
        let texts = inbox["messages"].as_array().into_iter().flatten().filter_map(|one| one["text"].as_str());
        let Some(code) = texts.filter_map(crate::people::password_in).next().map(str::to_owned) else { return Ok(()) };
        let path = format!("/api/v1/journeys/{}/events", view["journey"]["id"].as_str().context("a journey")?);
        let event = json!({"type": "submit", "data": {"code": code}, "revision": view["journey"]["revision"]});
        self.caller.posts(&path, &event).await.map(drop)
    }

    /// Agrees on the bank's page. `None`: nobody knows whether it was heard.
    async fn agrees(&mut self, redirect: &Value) -> Option<()> {
        let fields = redirect["fields"].as_object().into_iter().flatten();
        let fields: Vec<(&str, &str)> = fields.filter_map(|(name, value)| Some((&**name, value.as_str()?))).collect();
        let page = self.caller.presses(redirect["url"].as_str()?, &fields).await?;
        self.caller.presses(&page, &[("button", "agree")]).await.map(drop)
    }
}

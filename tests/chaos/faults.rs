//! What goes wrong, and when: kills at random, partners that misbehave, and one of each large fault on the way.

use super::Options;
use super::clock::Clock;
use super::disk::Disk;
use super::partners::Partners;
use super::processes::{Process, Product};
use super::report::Report;
use super::resumed::Watch;
use super::wire::{Line, Wire};
use crate::postgres::Cluster;
use anyhow::Result;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MODES: [(&str, Option<u64>); 6] =
    [("slow", Some(1_500)), ("fail", None), ("garbage", None), ("reset", None), ("hang", None), ("twice", None)];
const OPERATIONS: [(&str, Option<&str>); 7] = [
    ("steady", Some("check")),
    ("swift", Some("book")),
    ("swift", None),
    ("slow", None),
    ("texts", None),
    ("steady", Some("log")),
    ("*", None),
];

/// What the line to the database does, and for how long.
const LINES: [(Line, Duration); 3] = [
    (Line::Silent, Duration::from_secs(8)),
    (Line::Broken, Duration::from_millis(500)),
    (Line::Slow(Duration::from_secs(5)), Duration::from_secs(12)),
];

/// The clock's jumps: so many seconds beside the true time from then on, and whether the product is down meanwhile.
/// Less than the hour in which a first start may be repeated without its cookie: customers repeat what a crash
/// interrupted.
const CLOCKS: [(i64, bool); 3] = [(3_300, false), (0, false), (-3_300, true)];

/// What the product runs on.
pub struct Machine<'m> {
    pub database: Option<(&'m Cluster, &'m Wire)>,
    /// None where there is no C compiler.
    pub clock: Option<&'m Clock>,
}

/// Bytes beyond which nothing can be written while the disk is full.
const BOUND: u64 = 65_536;

pub async fn run(
    options: &Options,
    rng: &mut StdRng,
    product: &Product,
    partners: &Partners,
    Machine { database, clock }: Machine<'_>,
    watch: &Watch,
) -> Result<Report> {
    let cluster = database.map(|(cluster, _)| cluster);
    let mut report = Report::new("crashes", options);
    // Customers get going first.
    pause(1_000).await;
    for kill in 0..options.kills {
        misbehave(rng, partners).await?;
        pause(rng.random_range(200..1_000)).await;
        if let Some(victim) = product.processes.choose(rng) {
            crash(victim, watch, rng).await?;
            report.kills += 1;
        }
        if kill == options.kills / 4 {
            full_disk(product, cluster, watch, &mut report).await?;
        }
        if kill == options.kills / 2 {
            freeze(options, product, watch, &mut report).await?;
        }
        if kill == 3 * options.kills / 4
            && let Some(cluster) = cluster
        {
            database_away(product, cluster, watch, &mut report).await?;
        }
        if let Some((_, wire)) = database
            && let Some((line, lasts)) =
                LINES.iter().enumerate().find_map(|(i, fault)| (kill == line_at(options, i)).then_some(*fault))
        {
            bad_line(product, wire, line, lasts, watch, &mut report).await;
        }
        if let Some(clock) = clock
            && let Some((_, jump)) = CLOCKS.iter().enumerate().find(|(i, _)| kill == clock_at(options, *i))
        {
            clock_jumps(product, clock, *jump, watch, &mut report).await?;
        }
    }
    if clock.is_none() {
        report.faults.push("SKIPPED: a clock that jumps needs a C compiler".into());
    }
    partners.behave().await?;
    // Who was killed last is up again before the customers finish.
    for process in &product.processes {
        until_it_runs(process).await?;
    }
    Ok(report)
}

/// The only process dies with the power of its disk, again and again.
pub async fn unplugged(
    options: &Options,
    rng: &mut StdRng,
    product: &Product,
    partners: &Partners,
    disk: &Disk,
) -> Result<Report> {
    let mut report = Report::new("crashes", options);
    let mut lost = 0;
    pause(1_000).await;
    for _ in 0..options.kills {
        misbehave(rng, partners).await?;
        pause(rng.random_range(200..1_000)).await;
        for process in &product.processes {
            process.kill();
            lost += disk.lose_power();
            report.kills += 1;
            process.start()?;
            until_it_runs(process).await?;
        }
    }
    partners.behave().await?;
    report.figure("bytes that were not synced, lost", lost);
    Ok(report)
}

/// Some calls of some operation go wrong from now on.
async fn misbehave(rng: &mut StdRng, partners: &Partners) -> Result<()> {
    let (Some((partner, operation)), Some((mode, delay_ms))) = (OPERATIONS.choose(rng), MODES.choose(rng)) else {
        return Ok(());
    };
    let mut switch = json!({"partner": partner, "mode": mode, "percent": rng.random_range(10..60), "times": 40});
    if let Some(operation) = operation {
        switch["operation"] = json!(operation);
    }
    if let Some(delay_ms) = delay_ms {
        switch["delay_ms"] = json!(delay_ms);
    }
    partners.switch(switch).await
}

/// `kill -9`, and a new start a moment later.
async fn crash(victim: &Arc<Process>, watch: &Watch, rng: &mut StdRng) -> Result<()> {
    let at = Instant::now();
    victim.kill();
    if victim.works {
        watch.killed(at).await;
    }
    pause(rng.random_range(0..300)).await;
    victim.start()
}

/// Files of whoever writes the database may not grow beyond a bound, as if the disk were full; then there is room
/// again.
async fn full_disk(product: &Product, cluster: Option<&Cluster>, watch: &Watch, report: &mut Report) -> Result<()> {
    if let Some(cluster) = cluster {
        cluster.limit_files(Some(BOUND))?;
        pause(2_000).await;
        // All of its processes end when it cannot write its log; who comes after has no limit.
        let _ = cluster.limit_files(None);
        tokio::task::block_in_place(|| cluster.start_server())?;
    }
    for process in product.processes.iter().filter(|_| cluster.is_none()) {
        until_it_runs(process).await?;
        let Some(id) = process.id() else { continue };
        limit_files(id, &BOUND.to_string())?;
        pause(1_200).await;
        let told = is_told(product).await;
        pause(800).await;
        limit_files(id, "unlimited")?;
        told.into_iter().for_each(|violation| report.violation(violation));
    }
    outage(product, watch);
    report.faults.push("disk full for 2 s".into());
    Ok(())
}

/// Who may not begin for want of room hears the same from `/readyz`; what is wrong about it.
async fn is_told(product: &Product) -> Option<String> {
    let (client, server) = (reqwest::Client::new(), product.server(0));
    let start = client
        .post(format!("{server}/api/v1/journeys"))
        .header("x-journey", "1")
        .header("origin", &server)
        .header("idempotency-key", uuid::Uuid::new_v4().simple().to_string())
        .json(&json!({"workflow": "courier/errand", "data": {"weight": 3, "tag": "full"}}));
    let started = start.send().await.ok()?.status();
    let ready = client.get(format!("{server}/readyz")).send().await.ok()?;
    let (status, said) = (ready.status(), ready.text().await.unwrap_or_default());
    (started.as_u16() == 503 && status.is_success())
        .then(|| format!("a start met a full disk, and `/readyz` says {said}"))
}

/// Sets only the soft limit, so that it can be lifted again.
fn limit_files(id: u32, bytes: &str) -> Result<()> {
    let done = Command::new("prlimit").args(["--pid", &id.to_string(), &format!("--fsize={bytes}:")]).status()?;
    anyhow::ensure!(done.success(), "prlimit");
    Ok(())
}

/// A worker stands still for longer than its lease; others take over, and it cannot write when it comes back.
async fn freeze(options: &Options, product: &Product, watch: &Watch, report: &mut Report) -> Result<()> {
    let Some(worker) = product.processes.iter().find(|process| process.works) else { return Ok(()) };
    until_it_runs(worker).await?;
    let at = Instant::now();
    worker.signal("STOP")?;
    let alone = product.processes.iter().filter(|process| process.works).count() == 1;
    if !alone {
        watch.killed(at).await;
    }
    tokio::time::sleep(options.frozen).await;
    worker.signal("CONT")?;
    if alone {
        watch.outage();
    }
    report.faults.push(format!("{} frozen for {} s", worker.name, options.frozen.as_secs()));
    Ok(())
}

/// The server crashes and stays away for a while.
async fn database_away(product: &Product, cluster: &Cluster, watch: &Watch, report: &mut Report) -> Result<()> {
    tokio::task::block_in_place(|| cluster.stop_server())?;
    pause(2_000).await;
    tokio::task::block_in_place(|| cluster.start_server())?;
    outage(product, watch);
    report.faults.push("PostgreSQL crashed and away for 2 s".into());
    Ok(())
}

/// After which kill the line has its fault of this number: between the other large faults.
fn line_at(options: &Options, fault: usize) -> u32 {
    options.kills * (2 * fault as u32 + 1) / 8
}

/// After which kill the clock jumps for the n-th time: not with the other large faults.
fn clock_at(options: &Options, jump: usize) -> u32 {
    options.kills * (3 * jump as u32 + 1) / 9
}

/// The machine's clock jumps, on running nodes or while all are down.
async fn clock_jumps(
    product: &Product,
    clock: &Clock,
    (beside_s, down): (i64, bool),
    watch: &Watch,
    report: &mut Report,
) -> Result<()> {
    if down {
        product.kill();
    }
    clock.set(beside_s)?;
    if down {
        for process in &product.processes {
            process.start()?;
            until_it_runs(process).await?;
        }
        outage(product, watch);
    }
    let how = if down { "while all were down" } else { "on running nodes" };
    report.faults.push(format!("clock {beside_s} s beside the true time {how}"));
    Ok(())
}

/// The line between the product and its database goes silent, breaks, or becomes slow; then it is as before.
async fn bad_line(product: &Product, wire: &Wire, line: Line, lasts: Duration, watch: &Watch, report: &mut Report) {
    wire.set(line);
    tokio::time::sleep(lasts).await;
    wire.set(Line::Through);
    outage(product, watch);
    report.faults.push(format!("line to PostgreSQL {line:?} for {:.1} s", lasts.as_secs_f64()));
}

/// Notes that neither work nor a start could go on until now.
fn outage(product: &Product, watch: &Watch) {
    watch.outage();
    product.processes.iter().for_each(|process| process.outage());
}

/// A process that ended by itself is started again, as a supervisor would.
async fn until_it_runs(process: &Arc<Process>) -> Result<()> {
    if !process.runs() {
        process.start()?;
    }
    let begun = Instant::now();
    while process.is_starting() && begun.elapsed() < Duration::from_secs(30) {
        pause(20).await;
    }
    Ok(())
}

async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

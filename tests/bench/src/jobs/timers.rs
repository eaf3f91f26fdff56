//! Timers: many that wait cost nothing, and as many that are due within one minute fire within it, once each.

use super::{Bench, Others, at, effects, started};
use crate::table::{Goal, Table};
use anyhow::{Context, Result, ensure};
use engine_runtime::{Actor, Start};
use engine_store::{Commit, EventRecord, JourneyRecord, NewEvent, NewTimer};
use futures::stream::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Sooner than the timer of the template itself.
const FAR_MS: i64 = 12 * 3_600_000;
const IDLE_S: f64 = 10.0;
const TOGETHER: usize = 10_000;
/// Commits that wait at once while journeys are made.
const AT_ONCE: usize = 1_000;

pub async fn measure(bench: &Bench, count: usize, within_s: f64, table: &mut Table) -> Result<()> {
    // the last is due a little before the time is over
    let spread_ms = (within_s * 59.0 / 60.0 * 1000.0) as i64;
    let idle_s = IDLE_S.min(within_s);
    let template = Template::take(bench).await?;
    let mut add = |what: String, product, goal, others: &Others| bench.add(table, what, None, product, goal, others);

    let clock = Instant::now();
    let far = bench.runtime.now_ms() + FAR_MS;
    template.write(bench, (0..count).map(|_| far)).await?;
    let took_ms = clock.elapsed().as_millis() as i64;
    bench.tell(&format!("{count} journeys written in {:.1} s", took_ms as f64 / 1000.0));

    let worker = bench.worker();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (others, cpu) = (Others::from_now(bench), bench.cpu_s());
    tokio::time::sleep(Duration::from_secs_f64(idle_s)).await;
    let idle = (bench.cpu_s() - cpu) / idle_s * 100.0;
    add(format!("idle, {count} timers wait: CPU, % of a core"), idle, Goal::Within(1.0), &others);

    // all are written before the first is due
    let minute = bench.runtime.now_ms() + took_ms * 3 / 2 + 2_000;
    let due = (0..count as i64).map(|n| minute + n * spread_ms / count as i64);
    let journeys = template.write(bench, due).await?;
    let late_ms = bench.runtime.now_ms() - minute;
    ensure!(late_ms < 0, "the timers were not written in time, by {late_ms} ms: take fewer");
    tokio::time::sleep(Duration::from_millis(late_ms.unsigned_abs())).await;

    let (others, cpu) = (Others::from_now(bench), bench.cpu_s());
    tokio::time::sleep(Duration::from_millis(spread_ms as u64)).await;
    bench.until_idle(minute + spread_ms + 1).await?;
    bench.until_idle(far).await?;
    let took_s = (bench.runtime.now_ms() - minute) as f64 / 1000.0;
    let cpu = (bench.cpu_s() - cpu) / count as f64 * 1000.0;
    add(format!("{count} timers due in {within_s:.0} s: all fired after, s"), took_s, Goal::Within(within_s), &others);
    add("CPU s per 1,000 timers".into(), cpu, Goal::None, &others);
    let late = lateness(bench, &template, &journeys).await?;
    add("timers late, p50 ms".into(), at(&late, 0.5) as f64, Goal::None, &others);
    add("timers late, p99 ms".into(), at(&late, 0.99) as f64, Goal::None, &others);
    worker.stop().await
}

/// Every one of them fired exactly once: its history says when. Sorted, milliseconds after it was due.
async fn lateness(bench: &Bench, template: &Template, journeys: &[(String, i64)]) -> Result<Vec<i64>> {
    let store = bench.runtime.store();
    let read = futures::stream::iter(journeys).map(|(id, due)| async move {
        let fired: Vec<i64> = store
            .events(id, template.record.seq, 100)
            .await?
            .iter()
            .filter(|e| e.kind == "timer_fired")
            .map(|e| e.at_ms)
            .collect();
        ensure!(fired.len() == 1, "a timer of `{id}` fired {} times", fired.len());
        Ok(fired[0] - due)
    });
    let mut late: Vec<i64> = read.buffer_unordered(16).try_collect().await?;
    late.sort_unstable();
    Ok(late)
}

/// A journey as the product started it: the others are copies of it with another time.
struct Template {
    record: JourneyRecord,
    events: Vec<EventRecord>,
    timer: String,
    state: Value,
}

impl Template {
    async fn take(bench: &Bench) -> Result<Template> {
        let start = Start {
            workflow: "bench/timer".into(),
            key: "template".into(),
            event: None,
            attribution: json!({}),
            session: None,
        };
        let sent = bench
            .runtime
            .journeys
            .start(&Actor::visitor(engine_runtime::new_id()), start)
            .await
            .map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?;
        let store = bench.runtime.store();
        let id = sent.view.journey.id.context("the template's id")?;
        let record = store.journey(&id).await?.context("the template")?;
        let events = store.events(&record.id, 0, 100).await?;
        let state: Value = serde_json::from_str(&record.state)?;
        let timer =
            state.pointer("/snapshot/timers/0/id").and_then(Value::as_str).context("the template's timer")?.to_owned();
        Ok(Template { record, events, timer, state })
    }

    /// One journey for each time; ids and times.
    async fn write(&self, bench: &Bench, due: impl Iterator<Item = i64>) -> Result<Vec<(String, i64)>> {
        let journeys: Vec<(String, i64)> = due.map(|due| (engine_runtime::new_id(), due)).collect();
        let mut state = self.state.clone();
        for some in journeys.chunks(TOGETHER) {
            let commits: Vec<_> =
                some.iter().map(|(id, due)| self.copy(id, *due, &mut state, bench.runtime.now_ms())).collect();
            effects::write(bench, commits, AT_ONCE).await?;
        }
        Ok(journeys)
    }

    fn copy(&self, id: &str, due: i64, state: &mut Value, now: i64) -> Box<Commit> {
        if let Some(place) = state.pointer_mut("/snapshot/timers/0/due_ms") {
            *place = json!(due);
        }
        let mut commit = started(id, &self.record.workflow, &self.record.version, state.to_string(), now);
        commit.update.step = self.record.step.clone();
        commit.events = self
            .events
            .iter()
            .map(|e| NewEvent { kind: e.kind.clone(), data: e.data.clone(), by: e.by.clone(), at_ms: now })
            .collect();
        commit.timers.push(NewTimer { id: self.timer.clone(), due_at_ms: due });
        commit
    }
}

//! Effects that are over as soon as a worker has them.

use super::begun::Begun;
use super::{Bench, Others, at, started};
use crate::Jobs;
use crate::table::{Goal, Table};
use anyhow::{Result, ensure};
use engine_store::{Committed, EffectKey, NewEffect, NewEvent};
use serde_json::json;
use std::time::{Duration, Instant};

/// Orders of one commit while the queue is filled.
const TOGETHER: usize = 100;
/// Commits that wait at once.
const AT_ONCE: usize = 64;
/// Single orders for an idle worker.
const SINGLES: usize = 300;
/// A kind that no job of its own takes: it is over at once.
const KIND: &str = "nothing";

pub async fn measure(bench: &Bench, begun: &Begun, options: &Jobs, bare: f64, table: &mut Table) -> Result<()> {
    let count = options.effects;
    let mut add =
        |what: String, floor, product, goal, others: &Others| bench.add(table, what, floor, product, goal, others);

    order(bench, count, TOGETHER).await?;
    let (others, clock, cpu) = (Others::from_now(bench), Instant::now(), bench.cpu_s());
    let worker = bench.worker();
    bench.until_idle(i64::MAX).await?;
    let took = clock.elapsed().as_secs_f64();
    let cpu = (bench.cpu_s() - cpu) / count as f64 * 1000.0;
    once(begun, count)?;
    add(format!("effects/s, {count} waiting"), Some(bare), count as f64 / took, Goal::Reaches(5000.0), &others);
    add("CPU s per 1,000 effects".into(), None, cpu, Goal::None, &others);

    let (others, clock) = (Others::from_now(bench), Instant::now());
    order(bench, count, 1).await?;
    bench.until_idle(i64::MAX).await?;
    let took = clock.elapsed().as_secs_f64();
    once(begun, count)?;
    add(format!("effects/s, {count} ordered one by one meanwhile"), None, count as f64 / took, Goal::None, &others);

    let others = Others::from_now(bench);
    let singles = SINGLES.min(count);
    let mut waits = Vec::with_capacity(singles);
    for _ in 0..singles {
        // the worker has gone to sleep
        tokio::time::sleep(Duration::from_millis(15)).await;
        order(bench, 1, 1).await?;
        let ordered = Instant::now();
        let began = tokio::task::block_in_place(|| begun.next(Duration::from_secs(10)))?;
        waits.push(began.saturating_duration_since(ordered).as_secs_f64() * 1000.0);
        bench.until_idle(i64::MAX).await?;
    }
    waits.sort_by(f64::total_cmp);
    add("pickup by an idle worker, p50 ms".into(), None, at(&waits, 0.5), Goal::Within(2.0), &others);
    add("pickup by an idle worker, p99 ms".into(), None, at(&waits, 0.99), Goal::Within(5.0), &others);
    worker.stop().await
}

fn once(begun: &Begun, count: usize) -> Result<()> {
    let done = begun.count();
    ensure!(done == count, "{done} jobs for {count} effects");
    Ok(())
}

/// Orders so many effects, `together` in each journey's start.
async fn order(bench: &Bench, count: usize, together: usize) -> Result<()> {
    let mut commits = Vec::new();
    for first in (0..count).step_by(together) {
        let (id, now) = (engine_runtime::new_id(), bench.runtime.now_ms());
        let mut commit = started(&id, "bench/reference", &"0f".repeat(16), "{}".into(), now);
        commit.events.push(NewEvent {
            kind: "start".into(),
            data: json!({}),
            by: json!({"kind": "system"}),
            at_ms: now,
        });
        commit.effects = (0..together.min(count - first) as i32)
            .map(|index| NewEffect {
                key: EffectKey { journey: id.clone(), seq: 1, index },
                kind: KIND.into(),
                lane: "bench".into(),
                payload: json!({"step": "bench"}),
                due_at_ms: now,
                attempts_max: 5,
                deadline_ms: None,
                is_ahead: false,
            })
            .collect();
        commits.push(commit);
    }
    write(bench, commits, AT_ONCE).await
}

/// Commits as so many customers would: some wait at once, and share.
pub async fn write(
    bench: &Bench,
    commits: impl IntoIterator<Item = Box<engine_store::Commit>>,
    at_once: usize,
) -> Result<()> {
    use futures::stream::{StreamExt, TryStreamExt};
    let written =
        futures::stream::iter(commits).map(|commit| bench.runtime.store().commit(commit)).buffer_unordered(at_once);
    written
        .err_into::<anyhow::Error>()
        .try_for_each(|committed| async move {
            ensure!(matches!(committed, Committed::Done { .. }), "a commit was refused: {committed:?}");
            Ok(())
        })
        .await
}

//! Work that no journey orders: retry parked webhooks, end idle journeys, clean up.

use crate::Context;
use engine_store::EffectState;
use std::collections::HashSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An unknown webhook reference is tried again for a day.
const PARKED_KEEP_MS: i64 = 24 * 3_600_000;
const EXPIRE_BATCH: u32 = 200;
const CLEAN_BATCH: u32 = 1_000;

/// Work that is due for so long is late.
const LATE_MS: i64 = 30_000;

/// Time is kept so often, and at once when the clock jumps.
const KEEP_TIME_MS: i64 = 10_000;

/// Ticks once a second until stopped; each task is safe on every node at once.
pub async fn run(context: Context, stop: CancellationToken) {
    let (mut tick, mut kept_ms) = (0_u64, 0);
    let mut unknown = HashSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        let runtime = &context.runtime;
        tell("retry parked webhooks", runtime.work.retry_parked(PARKED_KEEP_MS).await.map(drop));
        let now_ms = runtime.now_ms();
        if now_ms - kept_ms >= KEEP_TIME_MS {
            kept_ms = now_ms;
            tell("keep the time", runtime.keep_time().await);
        }
        if tick.is_multiple_of(5) {
            let reported = runtime.work.report_unknown(runtime.settings().worker.unknown_ms, &mut unknown).await;
            let count = |reported| metrics::counter!("webhooks_unknown_total").increment(reported as u64);
            tell("report webhooks of nobody", reported.map(count));
        }
        if tick.is_multiple_of(10) {
            tell("expire journeys", runtime.work.expire_due(EXPIRE_BATCH).await.map(drop));
        }
        if tick.is_multiple_of(60) {
            let (now, settings) = (now_ms, &runtime.settings().worker);
            tell(
                "clean up",
                runtime.store().clean(now - settings.keep_ms, CLEAN_BATCH).await.map(drop).map_err(Into::into),
            );
            let messages = runtime.store().clean_messages(now - settings.keep_messages_ms, CLEAN_BATCH).await;
            tell("clean up messages", messages.map(drop).map_err(Into::into));
        }
        if tick.is_multiple_of(60) {
            tell("look for late work", tell_late(runtime).await);
            tell("anchor the audit trail", runtime.work.anchor_audit().await);
            tell("keep the list of the forgotten", runtime.remember_forgotten().await);
        }
        tick += 1;
    }
}

/// What is late is told by lane, for whoever has no metrics.
async fn tell_late(runtime: &engine_runtime::Runtime) -> Result<(), engine_runtime::RuntimeError> {
    for row in runtime.store().backlog().await? {
        let late_ms = runtime.now_ms() - row.oldest_ms;
        if row.state == EffectState::Pending && late_ms >= LATE_MS {
            let late_s = late_ms / 1_000;
            tracing::warn!(kind = row.kind, lane = row.lane, waiting = row.count, late_s, "work is late");
        }
    }
    Ok(())
}

fn tell(task: &str, result: Result<(), engine_runtime::RuntimeError>) {
    if let Err(error) = result {
        tracing::warn!(task, %error, "housekeeping failed; it will be tried again");
    }
}

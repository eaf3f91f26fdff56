//! A due timer becomes an event of its journey.

use super::Context;
use engine_runtime::{RuntimeError, Settled};
use engine_store::TimerRecord;

pub(super) async fn fire(context: &Context, timer: &TimerRecord) -> Result<(), RuntimeError> {
    let settled = context.runtime.work.fire(&timer.journey, &timer.id).await?;
    let late_ms = context.runtime.now_ms() - timer.due_at_ms;
    let outcome = if settled == Settled::Done { "fired" } else { "superseded" };
    metrics::counter!("journey_timers_total", "outcome" => outcome).increment(1);
    metrics::histogram!("journey_timer_late_seconds").record(late_ms.max(0) as f64 / 1000.0);
    tracing::debug!(journey = timer.journey, timer = timer.id, ?settled, late_ms, "timer");
    Ok(())
}

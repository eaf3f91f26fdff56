//! A sign of life of this worker, again and again: who stops giving one is dead for the others, and what it held is
//! theirs at once (**fence** keeps it from writing, should it come back).

use engine_runtime::Runtime;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_millis(500);
const DEAD_AFTER_MS: i64 = 1_800;
/// Who is slow itself cannot tell the dead from the slow.
const QUICK: Duration = Duration::from_millis(500);

/// Gives signs of life until stopped. `worker`: the name under which it claims.
pub async fn run(runtime: Runtime, worker: String, stop: CancellationToken) {
    let mut quick = true;
    let mut last = Instant::now();
    loop {
        let begun = Instant::now();
        let dead_after = quick.then_some(DEAD_AFTER_MS);
        match runtime.store().sign_of_life(&worker, runtime.now_ms(), dead_after).await {
            Ok(0) => {}
            Ok(freed) => tracing::warn!(freed, "a worker gives no sign of life; what it held goes on elsewhere"),
            Err(error) => tracing::warn!(%error, "no sign of life can be given"),
        }
        quick = begun.elapsed() < QUICK && begun - last < EVERY + QUICK;
        last = begun;
        if tokio::time::timeout(EVERY, stop.cancelled()).await.is_ok() {
            return;
        }
    }
}

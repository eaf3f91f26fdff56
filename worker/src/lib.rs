//! `worker`: background jobs. `run(context, shutdown)` in the product's process, or alone as `journey worker`.
//!
//! apalis executes ([`queue`] is its `Backend`), the store's effects and timers are the queue and the only truth:
//! a job is claimed there with a lease, counted before the work, and settled there with its fence.
//! It does not know HTTP routes, SQL, or what any workflow means.
//! A new kind of effect: one file in `jobs/`, one arm in [`jobs::perform`].

mod backoff;
mod housekeeping;
mod jobs;
mod queue;

pub use jobs::Context;

use apalis::layers::WorkerBuilderExt;
use apalis::prelude::{Data, WorkerBuilder};
use queue::{Job, Queue};
use std::future::Future;
use std::time::Duration;

/// Runs until `shutdown` completes; then finishes what was begun, for at most ten seconds (security rule 10).
pub async fn run(context: Context, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), WorkerError> {
    let stop = tokio_util::sync::CancellationToken::new();
    let housekeeping = tokio::spawn(housekeeping::run(context.clone(), stop.clone()));
    let concurrency = context.runtime.settings().worker.concurrency.max(1);
    let queue = Queue::new(context.runtime.clone(), concurrency, stop.clone());
    // The name is new at every start: a lease of a former life is never mistaken for ours.
    let name = format!("worker-{}", engine_runtime::new_id());
    let worker = WorkerBuilder::new(name).backend(queue).data(context).concurrency(concurrency).build(handle);
    let ended = {
        let stop = stop.clone();
        async move {
            shutdown.await;
            stop.cancel();
            Ok::<(), std::io::Error>(())
        }
    };
    let result = worker.run_until(ended).await;
    stop.cancel();
    let _ = tokio::time::timeout(Duration::from_secs(10), housekeeping).await;
    result.map_err(|error| WorkerError(error.to_string()))
}

#[derive(Debug, thiserror::Error)]
#[error("worker ended: {0}")]
pub struct WorkerError(String);

/// Never an error for apalis: the outcome of a job is in our tables.
async fn handle(job: Job, context: Data<Context>) {
    jobs::perform(job, &context).await;
}

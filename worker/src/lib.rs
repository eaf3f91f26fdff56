//! `worker`: background jobs. `run(context, shutdown)` in the product's process, or alone as `journey worker`.
//!
//! apalis executes ([`queue`] is its `Backend`), the store's effects and timers are the queue and the only truth:
//! a job is claimed there with a lease, counted there before its call goes out, and settled there with its fence.
//! The worker does not know HTTP routes, SQL, or what any workflow means.
//! A new kind of effect: one file in `jobs/`, one arm in [`jobs::perform`].

mod backoff;
mod files;
mod housekeeping;
mod jobs;
mod life;
mod places;
mod queue;
mod settlements;

pub use jobs::Context;

use apalis::layers::WorkerBuilderExt;
use apalis::prelude::{Data, WorkerBuilder};
use engine_runtime::Runtime;
use engine_store::Changed;
use queue::{Job, Queue};
use settlements::Settlements;
use std::future::Future;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// Runs until `shutdown` completes; then finishes what was begun, for at most ten seconds.
pub async fn run(context: Context, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), WorkerError> {
    let stop = CancellationToken::new();
    let housekeeping = tokio::spawn(housekeeping::run(context.clone(), stop.clone()));
    let files = tokio::spawn(files::run(context.clone(), stop.clone()));
    let following = tokio::spawn(follow(context.runtime.clone(), stop.clone()));
    let concurrency = context.runtime.settings().worker.concurrency.max(1);
    // The name is new at every start: a lease of a former life is never mistaken for ours.
    let name = engine_runtime::new_id();
    let living = tokio::spawn(life::run(context.runtime.clone(), name.clone(), stop.clone()));
    let queue = Queue::new(context.runtime.clone(), name.clone(), concurrency, stop.clone());
    let worker = WorkerBuilder::new(name)
        .backend(queue)
        .data(context.clone())
        .data(stop.clone())
        .data(Settlements::start(context.runtime.store().clone()))
        .concurrency(places::Places::count(concurrency))
        .build(handle);
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
    let _ =
        tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(housekeeping, files, following, living) })
            .await;
    result.map_err(|error| WorkerError(error.to_string()))
}

#[derive(Debug, thiserror::Error)]
#[error("worker ended: {0}")]
pub struct WorkerError(String);

/// Serves what any node publishes, until stopped: at once when this node is told, else when it looks. A node without a
/// worker follows too.
pub async fn follow(runtime: Runtime, stop: CancellationToken) {
    let mut changes = runtime.changes();
    loop {
        let mut look = std::pin::pin!(tokio::time::sleep(Duration::from_millis(500)));
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = &mut look => break,
                change = changes.recv() => match change {
                    Ok(change) if !matches!(change.what, Changed::Publication | Changed::Missed) => {}
                    Ok(_) | Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return,
                },
            }
        }
        if let Err(error) = runtime.publishing.follow_publications().await {
            tracing::warn!(%error, "publications cannot be followed; it will be tried again");
        }
    }
}

/// Never an error for apalis: the outcome of a job is in our tables.
async fn handle(job: Job, context: Data<Context>, stop: Data<CancellationToken>, settlements: Data<Settlements>) {
    jobs::perform(job, &context, &stop, &settlements).await;
}

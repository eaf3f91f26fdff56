//! apalis's `Backend` over our own tables: one queue, one writer on SQLite, no second truth.
//!
//! A job is claimed only when there is room to begin it at once: nothing waits here while its lease runs out.
//! Idle, it sleeps until a commit wakes it, the next due time, or the poll interval: a lost wake-up is found within that.

use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use engine_runtime::Runtime;
use engine_store::{ClaimRequest, EffectRecord, StoreError, TimerRecord};
use futures::stream::{BoxStream, StreamExt};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// One execution of claimed work; the permit is its place.
pub enum Work {
    Effect(Box<EffectRecord>),
    Timer(TimerRecord),
}

/// What apalis carries; it must be cloneable, the work is done once all the same.
#[derive(Clone)]
pub struct Job(Arc<std::sync::Mutex<Option<(Work, OwnedSemaphorePermit)>>>);

impl Job {
    fn new(work: Work, permit: OwnedSemaphorePermit) -> Self {
        Job(Arc::new(std::sync::Mutex::new(Some((work, permit)))))
    }

    /// The work, for the first who asks.
    pub fn take(&self) -> Option<(Work, OwnedSemaphorePermit)> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).take()
    }
}

pub struct Queue {
    jobs: BoxStream<'static, Job>,
}

impl Queue {
    pub fn new(runtime: Runtime, concurrency: usize, stop: CancellationToken) -> Queue {
        let claimer = Claimer { places: Arc::new(Semaphore::new(concurrency)), worker: engine_runtime::new_id(), runtime, stop };
        let batches = futures::stream::unfold(claimer, |claimer| async move { claimer.next().await.map(|jobs| (jobs, claimer)) });
        Queue { jobs: batches.flat_map(futures::stream::iter).boxed() }
    }
}

impl Backend for Queue {
    type Task = Task<Job>;
    type Error = StoreError;

    fn poll_ready(&mut self, _: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), StoreError>> {
        Poll::Ready(Ok(()))
    }

    fn poll_next(&mut self, cx: &mut Context<'_>, _: &WorkerContext) -> Poll<Option<Result<Task<Job>, StoreError>>> {
        self.jobs.poll_next_unpin(cx).map(|next| next.map(|job| Ok(TaskBuilder::new(job).build())))
    }

    fn poll_close(&mut self, _: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), StoreError>> {
        Poll::Ready(Ok(()))
    }
}

impl BackendConfig for Queue {
    type Args = Job;
    type Id = String;
    type Kind = Ephemeral;
    type Config = ();
    type Layer = tower_layer::Identity;

    fn config(&self) -> &() {
        &()
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Self::Layer {
        tower_layer::Identity::new()
    }
}

struct Claimer {
    runtime: Runtime,
    places: Arc<Semaphore>,
    worker: String,
    stop: CancellationToken,
}

impl Claimer {
    /// The next jobs; `None` when stopping. A database error is waited out: it never ends the worker.
    async fn next(&self) -> Option<Vec<Job>> {
        let mut wake = self.runtime.store().wake();
        let settings = self.runtime.settings().worker.clone();
        loop {
            let first = tokio::select! {
                () = self.stop.cancelled() => return None,
                permit = self.places.clone().acquire_owned() => permit.ok()?,
            };
            wake.borrow_and_update();
            match self.claim(first, &settings).await {
                Ok(jobs) if !jobs.is_empty() => return Some(jobs),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "the queue cannot be read; trying again"),
            }
            let sleep = self.until_due(settings.poll_ms).await;
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = tokio::time::sleep(sleep) => {}
                changed = wake.changed() => if changed.is_err() { return None },
            }
        }
    }

    async fn claim(&self, first: OwnedSemaphorePermit, settings: &engine_settings::Worker) -> Result<Vec<Job>, StoreError> {
        let mut places = vec![first];
        while places.len() < settings.batch_max.max(1) as usize {
            let Ok(place) = self.places.clone().try_acquire_owned() else { break };
            places.push(place);
        }
        let request =
            |limit: usize| ClaimRequest { worker: self.worker.clone(), now_ms: self.runtime.now_ms(), lease_ms: settings.lease_ms, limit: limit as u32 };
        let store = self.runtime.store();
        let mut work: Vec<Work> = store.claim_effects(request(places.len())).await?.into_iter().map(|e| Work::Effect(Box::new(e))).collect();
        if work.len() < places.len() {
            work.extend(store.claim_timers(request(places.len() - work.len())).await?.into_iter().map(Work::Timer));
        }
        Ok(work.into_iter().zip(places).map(|(work, place)| Job::new(work, place)).collect())
    }

    async fn until_due(&self, poll_ms: u64) -> Duration {
        let poll = Duration::from_millis(poll_ms.max(1));
        match self.runtime.store().next_due().await {
            Ok(Some(due)) => poll.min(Duration::from_millis((due - self.runtime.now_ms()).max(1) as u64)),
            Ok(None) | Err(_) => poll,
        }
    }
}

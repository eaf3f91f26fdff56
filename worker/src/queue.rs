//! apalis's `Backend` over our own tables: one queue, one writer on SQLite, no second truth.
//!
//! A job is claimed only when there is room to begin it at once: nothing waits here while its lease runs out.
//! Idle, it sleeps until a commit wakes it, the next due time, or the poll interval: a lost wake-up is found within
//! that. Busy, it gathers: looks follow each other after a pause, and a queue that had more is asked again when half of
//! the places are free.

use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use engine_runtime::Runtime;
use engine_store::{ClaimRequest, EffectRecord, LOOK_MS, StoreError, TimerRecord};
use futures::stream::{BoxStream, StreamExt};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Between two looks at the queue: what becomes due meanwhile shares a claim, and its commits a batch.
const PAUSE: Duration = Duration::from_millis(5);

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
    /// `worker`: its name, new at every start.
    pub fn new(runtime: Runtime, worker: String, concurrency: usize, stop: CancellationToken) -> Queue {
        let batch = (runtime.settings().worker.batch_max.max(1) as usize).min(concurrency);
        let places = Arc::new(Semaphore::new(concurrency));
        let claimer = Claimer { runtime, places, batch, worker, stop, looked: None, more: false };
        let batches =
            futures::stream::unfold(
                claimer,
                |mut claimer| async move { claimer.next().await.map(|jobs| (jobs, claimer)) },
            );
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
    /// Most jobs of one claim.
    batch: usize,
    worker: String,
    stop: CancellationToken,
    /// When the queue was last asked, and whether it may have had more than there were places.
    looked: Option<Instant>,
    more: bool,
}

impl Claimer {
    /// The next jobs; `None` when stopping. A database error is waited out: it never ends the worker.
    async fn next(&mut self) -> Option<Vec<Job>> {
        let mut wake = self.runtime.store().wake();
        let stop = self.stop.clone();
        loop {
            let places = tokio::select! {
                () = stop.cancelled() => return None,
                places = self.gather() => places?,
            };
            wake.borrow_and_update();
            match self.claim(places).await {
                Ok(jobs) if !jobs.is_empty() => return Some(jobs),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "the queue cannot be read; trying again"),
            }
            let sleep = self.until_due().await;
            tokio::select! {
                () = stop.cancelled() => return None,
                () = tokio::time::sleep(sleep) => {}
                changed = wake.changed() => if changed.is_err() { return None },
            }
        }
    }

    /// Free places for the next claim, at least one; an idle worker does not wait for them.
    async fn gather(&self) -> Option<Vec<OwnedSemaphorePermit>> {
        if let Some(looked) = self.looked {
            let half = async {
                match self.more {
                    true => self.places.acquire_many(self.batch.div_ceil(2) as u32).await.map(drop).unwrap_or_default(),
                    false => std::future::pending().await,
                }
            };
            let _ = tokio::time::timeout_at(looked + PAUSE, half).await;
        }
        let mut places = vec![self.places.clone().acquire_owned().await.ok()?];
        while places.len() < self.batch {
            let Ok(place) = self.places.clone().try_acquire_owned() else { break };
            places.push(place);
        }
        Some(places)
    }

    async fn claim(&mut self, places: Vec<OwnedSemaphorePermit>) -> Result<Vec<Job>, StoreError> {
        (self.looked, self.more) = (Some(Instant::now()), false);
        let lease_ms = self.runtime.settings().worker.lease_ms;
        let request = |limit: usize| ClaimRequest {
            worker: self.worker.clone(),
            now_ms: self.runtime.now_ms(),
            lease_ms,
            limit: limit as u32,
        };
        let store = self.runtime.store();
        let mut work: Vec<Work> =
            store.claim_effects(request(places.len())).await?.into_iter().map(|e| Work::Effect(Box::new(e))).collect();
        if work.len() < places.len() {
            let timers = store.claim_timers(request(places.len() - work.len())).await?;
            self.runtime.work.prefetch(timers.iter().map(|timer| timer.journey.as_str())).await;
            work.extend(timers.into_iter().map(Work::Timer));
        }
        self.more = work.len() == places.len();
        Ok(work.into_iter().zip(places).map(|(work, place)| Job::new(work, place)).collect())
    }

    async fn until_due(&self) -> Duration {
        let poll = Duration::from_millis(self.runtime.settings().worker.poll_ms.clamp(1, LOOK_MS));
        match self.runtime.store().next_due().await {
            Ok(Some(due)) => poll.min(Duration::from_millis((due - self.runtime.now_ms()).max(1) as u64)),
            Ok(None) | Err(_) => poll,
        }
    }
}

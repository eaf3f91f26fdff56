//! apalis's `Backend` over our own tables: one queue, one writer on SQLite, no second truth.
//!
//! A job is claimed only when there is room to begin it at once, in its pool and at its partner ([`crate::places`]):
//! nothing waits here while its lease runs out.
//! Idle, it sleeps until a commit wakes it, the next due time, or the poll interval: a lost wake-up is found within
//! that. Busy, it gathers: looks follow each other after a pause, and a queue that had more is asked again when half of
//! the places are free.

use crate::places::{JobSlot, Places, Taken};
use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use engine_runtime::Runtime;
use engine_store::{ClaimRequest, EffectRecord, LOOK_MS, LaneRoom, StoreError, TimerRecord};
use futures::stream::{BoxStream, StreamExt};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Between two looks at the queue: what becomes due meanwhile shares a claim, and its commits a batch.
const PAUSE: Duration = Duration::from_millis(5);
/// A look that passes over full lanes is followed by a pause of so many times its length, if that is longer.
const PAUSES: u32 = 4;
/// While effects fill all places, timers are looked for so often.
const TIMERS_PAUSE: Duration = Duration::from_millis(10);

/// One execution of claimed work.
pub enum Work {
    Effect(Box<EffectRecord>),
    Timer(TimerRecord),
}

/// What apalis carries; it must be cloneable, the work is done once all the same.
#[derive(Clone)]
pub struct Job(Arc<std::sync::Mutex<Option<(Work, JobSlot)>>>);

impl Job {
    fn new(work: Work, place: JobSlot) -> Self {
        Job(Arc::new(std::sync::Mutex::new(Some((work, place)))))
    }

    /// The work, for the first who asks.
    pub fn take(&self) -> Option<(Work, JobSlot)> {
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
        let places = Places::new(concurrency);
        let (looked, resting) = (Looked::default(), HashSet::new());
        let claimer = Claimer { runtime, places, batch, worker, stop, looked, resting };
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
    places: Places,
    /// Most jobs of one claim.
    batch: usize,
    worker: String,
    stop: CancellationToken,
    looked: Looked,
    /// Gates whose free places were taken: all others have a claim of their own before them.
    resting: HashSet<String>,
}

/// What the last look at the queue was like.
#[derive(Default)]
struct Looked {
    at: Option<Instant>,
    timers_at: Option<Instant>,
    took: Duration,
    /// There may have been more than there were places.
    more_effects: bool,
    more_timers: bool,
    /// Lanes that have no free place now.
    full: Vec<String>,
    /// Some lanes had to rest, and may have had something.
    left_out: bool,
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
            let jobs = self.claim(places).await;
            if !jobs.is_empty() {
                return Some(jobs);
            }
            if self.looked.left_out {
                continue;
            }
            let sleep = self.until_due().await;
            tokio::select! {
                () = stop.cancelled() => return None,
                () = tokio::time::sleep(sleep) => {}
                () = self.places.wait_for_slot(), if !self.looked.full.is_empty() => {}
                changed = wake.changed() => if changed.is_err() { return None },
            }
        }
    }

    /// Free places for the next claim, at least one; an idle worker does not wait for them. What stands in lanes that
    /// are full is passed over by each look: with a long queue, looks are rarer.
    async fn gather(&self) -> Option<Taken> {
        let Looked { at, more_effects, more_timers, full, took, .. } = &self.looked;
        if let Some(at) = at {
            let pause = if full.is_empty() { PAUSE } else { PAUSE.max(*took * PAUSES) };
            let half = self.places.free(self.batch.div_ceil(2), *more_effects, *more_timers);
            let _ = tokio::time::timeout_at(*at + pause, half).await;
        }
        self.places.take(self.batch).await
    }

    async fn claim(&mut self, mut places: Taken) -> Vec<Job> {
        let begun = Instant::now();
        let room = self.places.room(&self.runtime, &self.resting);
        let busy = self.looked.more_effects;
        let seldom = self.looked.timers_at.filter(|at| busy && at.elapsed() < TIMERS_PAUSE);
        let timers_max = if seldom.is_some() { 0 } else { places.timers.len() };
        let (effects_max, ahead_max) = (places.effects.len(), places.ahead.len());
        let (effects, timers) =
            tokio::join!(self.claim_effects(effects_max, ahead_max, room.clone()), self.claim_timers(timers_max));

        let (mut taken, mut filled): (HashMap<&str, u32>, Vec<&str>) = (HashMap::new(), Vec::new());
        let gates: HashMap<&str, &LaneRoom> = room.iter().map(|room| (room.lane.as_str(), room)).collect();
        for effect in effects.iter().filter(|effect| !effect.is_ahead) {
            if let Some(room) = gates.get(effect.lane.as_str()) {
                let taken = taken.entry(&room.gate).or_default();
                *taken += 1;
                if *taken >= room.free {
                    filled.push(&room.gate);
                }
            }
        }
        let more_effects = effects.iter().filter(|effect| !effect.is_ahead).count() == effects_max;
        let more_timers = timers_max > 0 && timers.len() == timers_max;
        let mut jobs = Vec::with_capacity(effects.len() + timers.len());
        for effect in effects {
            let of_kind = if effect.is_ahead { &mut places.ahead } else { &mut places.effects };
            // Without a place its lease lapses; the claim asked for no more than there are.
            let Some(permit) = of_kind.pop() else { continue };
            let place = self.places.hold(&effect, permit);
            jobs.push(Job::new(Work::Effect(Box::new(effect)), place));
        }
        jobs.extend(timers.into_iter().zip(places.timers).map(|(timer, permit)| {
            let place = JobSlot::timer_slot(permit);
            Job::new(Work::Timer(timer), place)
        }));
        let now = self.places.room(&self.runtime, &HashSet::new());
        let left_out = now.iter().any(|room| room.free > 0 && self.resting.contains(&room.gate));
        match filled.is_empty() {
            // Everybody else had their turn.
            true => self.resting.clear(),
            false => self.resting.extend(filled.into_iter().map(str::to_owned)),
        }
        let full = now.into_iter().filter(|room| room.free == 0).map(|room| room.lane).collect();
        let timers_at = if seldom.is_some() { self.looked.timers_at } else { Some(begun) };
        let (at, took) = (Some(Instant::now()), begun.elapsed());
        self.looked = Looked { at, timers_at, took, more_effects, more_timers, full, left_out };
        jobs
    }

    fn request(&self, limit: usize) -> ClaimRequest {
        ClaimRequest {
            worker: self.worker.clone(),
            now_ms: self.runtime.now_ms(),
            lease_ms: self.runtime.settings().worker.lease_ms,
            limit: limit as u32,
            ..ClaimRequest::default()
        }
    }

    async fn claim_effects(&self, limit: usize, ahead: usize, lanes: Vec<LaneRoom>) -> Vec<EffectRecord> {
        if limit + ahead == 0 {
            return Vec::new();
        }
        let claim = ClaimRequest { ahead: ahead as u32, lanes, ..self.request(limit) };
        log_claim_error(self.runtime.store().claim_effects(claim).await)
    }

    async fn claim_timers(&self, limit: usize) -> Vec<TimerRecord> {
        if limit == 0 {
            return Vec::new();
        }
        let timers = log_claim_error(self.runtime.store().claim_timers(self.request(limit)).await);
        self.runtime.work.prefetch(timers.iter().map(|timer| timer.journey.as_str())).await;
        timers
    }

    async fn until_due(&self) -> Duration {
        let poll = Duration::from_millis(self.runtime.settings().worker.poll_ms.clamp(1, LOOK_MS));
        let full: Vec<&str> = self.looked.full.iter().map(String::as_str).collect();
        match self.runtime.store().next_due_beside(&full).await {
            Ok(Some(due)) => poll.min(Duration::from_millis((due - self.runtime.now_ms()).max(1) as u64)),
            Ok(None) | Err(_) => poll,
        }
    }
}

fn log_claim_error<T>(claimed: Result<Vec<T>, StoreError>) -> Vec<T> {
    claimed.unwrap_or_else(|error| {
        tracing::warn!(%error, "the queue cannot be read; trying again");
        Vec::new()
    })
}

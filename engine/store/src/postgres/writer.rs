//! Commits: what already waits shares a statement and a commit. A batch that fails is repeated one commit at a time; an
//! outcome that a lost connection leaves unknown is resolved by reading what was written.

use super::commit::{self, Line};
use super::notify::Sender;
use crate::hub::Hub;
use crate::normal::BatchConflicts;
use crate::{Commit, Committed, EffectState, Result, StoreError};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

/// Beyond so many waiting commits the store says that it is busy.
const WAITING_MAX: usize = 8192;
const BATCH_MAX: usize = 256;
/// Batches on their way at once: the second keeps one slow lock from holding up everyone.
const TASKS: usize = 2;
const TRIES: usize = 5;
/// How long a commit waits for a database that went away.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reading again does no harm; a macro, because closures that borrow cannot be sent to a task.
macro_rules! patiently {
    ($read:expr) => {{
        let until = Instant::now() + PATIENCE;
        loop {
            match $read.await {
                Err(error) if super::lost(&error) && Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(20)).await
                }
                result => break result,
            }
        }
    }};
}

pub struct Writer {
    jobs: mpsc::Sender<Waiting>,
}

struct Waiting {
    commit: Box<Commit>,
    reply: oneshot::Sender<Result<Committed>>,
}

struct Task {
    options: PgConnectOptions,
    line: Option<Line>,
    reads: PgPool,
    hub: Arc<Hub>,
    others: Sender,
    epoch: Arc<AtomicI32>,
}

impl Writer {
    pub fn start(
        options: &PgConnectOptions,
        reads: PgPool,
        hub: Arc<Hub>,
        others: Sender,
        epoch: Arc<AtomicI32>,
    ) -> Writer {
        let (jobs, queue) = mpsc::channel(WAITING_MAX);
        let queue = Arc::new(Mutex::new(queue));
        // the statement's plan does not depend on its arrays
        let options = options.clone().options([("plan_cache_mode", "force_generic_plan")]);
        for _ in 0..TASKS {
            let task = Task {
                options: options.clone(),
                line: None,
                reads: reads.clone(),
                hub: hub.clone(),
                others: others.clone(),
                epoch: epoch.clone(),
            };
            tokio::spawn(task.run(queue.clone()));
        }
        Writer { jobs }
    }

    /// Runs in the writer's task: dropping this future changes nothing.
    pub async fn commit(&self, commit: Box<Commit>) -> Result<Committed> {
        let (reply, answer) = oneshot::channel();
        self.jobs.try_send(Waiting { commit, reply }).map_err(|_| StoreError::Busy)?;
        answer.await.map_err(|_| StoreError::Busy)?
    }
}

impl Task {
    async fn run(mut self, queue: Arc<Mutex<mpsc::Receiver<Waiting>>>) {
        let mut jobs = Vec::with_capacity(BATCH_MAX);
        let mut deferred: Vec<Waiting> = Vec::new();
        loop {
            if deferred.is_empty() && queue.lock().await.recv_many(&mut jobs, BATCH_MAX).await == 0 {
                return;
            }
            let mut conflicts = BatchConflicts::new();
            let (batch, rest): (Vec<Waiting>, Vec<Waiting>) =
                deferred.drain(..).chain(jobs.drain(..)).partition(|w| conflicts.join(&w.commit));
            deferred = rest;
            self.process(batch).await;
        }
    }

    async fn process(&mut self, mut batch: Vec<Waiting>) {
        // nodes that lock the same journeys lock them in the same order
        batch.sort_by(|a, b| a.commit.journey.cmp(&b.commit.journey));
        let all: Vec<&Commit> = batch.iter().map(|w| &*w.commit).collect();
        let epoch = self.epoch.load(Ordering::Relaxed);
        let together = match self.connection().await {
            Ok(line) => commit::write(line, &all, epoch).await,
            Err(error) => {
                for waiting in batch {
                    let _ = waiting.reply.send(Err(error.shared()));
                }
                return;
            }
        };
        match together {
            Ok(mut written) => {
                for (place, waiting) in batch.into_iter().enumerate() {
                    match written.remove(&place) {
                        Some(records) => self.answer(waiting, Ok(Committed::Done { records })),
                        None => {
                            let why = self.explain(&waiting.commit).await;
                            self.answer(waiting, why);
                        }
                    }
                }
            }
            Err(error) => {
                let unknown = super::lost(&error);
                if unknown {
                    self.line = None;
                }
                tracing::debug!(%error, commits = batch.len(), "a batch is repeated one by one");
                for waiting in batch {
                    let outcome = self.write_one(&waiting.commit, unknown).await;
                    self.answer(waiting, outcome);
                }
            }
        }
    }

    /// Repeating is safe: what was written once is refused the second time, and then recognised as ours.
    async fn write_one(&mut self, commit: &Commit, mut unknown: bool) -> Result<Committed> {
        let until = Instant::now() + PATIENCE;
        let mut tries = 0;
        loop {
            let epoch = self.epoch.load(Ordering::Relaxed);
            let written = commit::write(self.connection().await?, &[commit], epoch).await;
            tries += 1;
            match written {
                Ok(mut written) => match (written.remove(&0), unknown) {
                    (Some(records), _) => return Ok(Committed::Done { records }),
                    (None, false) => return self.explain(commit).await,
                    (None, true) => return self.resolve(commit).await,
                },
                Err(error) if super::lost(&error) && Instant::now() < until => {
                    self.line = None;
                    unknown = true;
                }
                Err(error) if tries < TRIES && passing(&error) => {}
                Err(error) if blocked(&error) => return Err(StoreError::Busy),
                Err(error) => return Err(error),
            }
        }
    }

    fn answer(&self, waiting: Waiting, outcome: Result<Committed>) {
        if let Ok(Committed::Done { .. }) = &outcome {
            if waiting.commit.brings_work() {
                self.hub.wake();
                self.others.wake();
            }
            self.others.tell(waiting.commit.change.clone());
            self.hub.tell(waiting.commit.change);
        }
        let _ = waiting.reply.send(outcome);
    }

    /// Why nothing was written.
    async fn explain(&self, commit: &Commit) -> Result<Committed> {
        patiently!(self.reason(commit))
    }

    /// A connection was lost on the way: was it written before?
    async fn resolve(&self, commit: &Commit) -> Result<Committed> {
        if patiently!(self.is_written(commit))? {
            return patiently!(self.commit_one(commit));
        }
        self.explain(commit).await
    }

    /// A used key first, then **fence**, then **seq-cas**.
    async fn reason(&self, commit: &Commit) -> Result<Committed> {
        if let Some(key) = &commit.idempotency
            && let Some(used) = super::shared::used_key(&self.reads, &commit.journey, key.key).await?
        {
            return Ok(Committed::KeyUsed(used));
        }
        if let Some((key, fence, _)) = &commit.settles {
            let held = super::shared::effect_by_key(&self.reads, key)
                .await?
                .is_some_and(|e| e.fence == *fence && matches!(e.state, EffectState::Running | EffectState::Parked));
            if !held {
                return Ok(Committed::Superseded);
            }
        }
        if let Some(timer) = &commit.fires {
            let there: bool = sqlx::query_scalar(
                "select exists (select 1 from timers t join journeys j on j.n = \
                 t.journey where j.id = $1 and t.id = $2)",
            )
            .bind(crate::ids::pack(&commit.journey))
            .bind(timer.as_str())
            .fetch_one(&self.reads)
            .await?;
            if !there {
                return Ok(Committed::Superseded);
            }
        }
        if let Some(hook) = &commit.consumes {
            let seen: bool = sqlx::query_scalar(
                sql!("select exists (select 1 from webhooks where partner = $1 and once = $2 and state <> \
                     " waiting ")"),
            )
            .bind(hook.partner.as_str())
            .bind(hook.once.as_str())
            .fetch_one(&self.reads)
            .await?;
            if seen {
                return Ok(Committed::Superseded);
            }
        }
        Ok(Committed::Moved)
    }

    /// Whether the events of this commit are the journey's events at their numbers.
    async fn is_written(&self, commit: &Commit) -> Result<bool> {
        let stored =
            super::shared::events(&self.reads, &commit.journey, commit.expected_seq, commit.events.len() as u32)
                .await?;
        Ok(!stored.is_empty()
            && stored.len() == commit.events.len()
            && stored.iter().zip(&commit.events).all(|(there, ours)| {
                there.kind == ours.kind && there.at_ms == ours.at_ms && there.by == ours.by && there.data == ours.data
            }))
    }

    async fn commit_one(&self, commit: &Commit) -> Result<Committed> {
        let mut records = super::shared::records(&self.reads, &commit.journey).await?;
        records.retain(|r| commit.records.iter().any(|new| new.kind == r.kind && new.key == r.key));
        Ok(Committed::Done { records })
    }

    async fn connection(&mut self) -> Result<&mut Line> {
        let line = match self.line.take() {
            Some(line) => line,
            None => {
                let until = Instant::now() + PATIENCE;
                loop {
                    match self.options.connect().await {
                        Ok(conn) => break Line::new(conn),
                        Err(error) if Instant::now() >= until => return Err(error.into()),
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
            }
        };
        Ok(self.line.insert(line))
    }
}

/// Whether another node was faster (a unique key, a webhook) or a deadlock was cut: the next look decides.
fn passing(error: &StoreError) -> bool {
    let StoreError::Database(sqlx::Error::Database(e)) = error else { return false };
    e.code().is_some_and(|code| ["23505", "23502", "40P01", "40001"].contains(&&*code))
}

/// Somebody holds the journey's row for too long.
fn blocked(error: &StoreError) -> bool {
    matches!(error, StoreError::Database(sqlx::Error::Database(e)) if e.code().as_deref() == Some("55P03"))
}

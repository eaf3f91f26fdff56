//! The one writer: whatever waits goes down in one transaction; replies leave only after it is durable.
//!
//! Commits of a batch are written together, a table at a time; other writes run one by one under a savepoint. What is
//! refused or fails does not harm its neighbours: a batch that fails is undone and repeated one commit at a time.

use super::{Conn, commit};
use crate::hub::Hub;
use crate::normal::Claims;
use crate::{Commit, Committed, Result, StoreError};
use futures::FutureExt;
use futures::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Beyond so many waiting writes the store says that it is busy.
const WAITING_MAX: usize = 8192;
const BATCH_MAX: usize = 256;

pub struct Writer {
    jobs: mpsc::Sender<Job>,
}

enum Job {
    Commit(Waiting),
    Write(Box<dyn Write>),
}

pub struct Waiting {
    pub commit: Box<Commit>,
    pub reply: oneshot::Sender<Result<Committed>>,
}

impl Writer {
    pub async fn start(options: SqliteConnectOptions, hub: Arc<Hub>) -> Result<Writer> {
        let conn = options.connect().await?;
        let (jobs, queue) = mpsc::channel(WAITING_MAX);
        tokio::spawn(run(conn, options, queue, hub));
        Ok(Writer { jobs })
    }

    pub async fn commit(&self, commit: Commit) -> Result<Committed> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Commit(Waiting { commit: Box::new(commit), reply }))?;
        answer.await.map_err(|_| StoreError::Busy)?
    }

    /// `many`: of several statements, which must be undone together.
    pub async fn write<T, F>(&self, many: bool, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Write(Box::new(Call { many, call: Some(call), result: None, reply })))?;
        answer.await.map_err(|_| StoreError::Busy)?
    }

    fn send(&self, job: Job) -> Result<()> {
        self.jobs.try_send(job).map_err(|_| StoreError::Busy)
    }
}

async fn run(mut conn: Conn, options: SqliteConnectOptions, mut queue: mpsc::Receiver<Job>, hub: Arc<Hub>) {
    let mut jobs = Vec::with_capacity(BATCH_MAX);
    // commits that could not share a batch with an earlier one
    let mut late: Vec<Waiting> = Vec::new();
    loop {
        if late.is_empty() && queue.recv_many(&mut jobs, BATCH_MAX).await == 0 {
            return;
        }
        let mut batch = Batch::default();
        let mut claims = Claims::new();
        for waiting in late.drain(..).map(Job::Commit).collect::<Vec<_>>().into_iter().chain(jobs.drain(..)) {
            match waiting {
                Job::Write(write) => batch.writes.push(write),
                Job::Commit(waiting) if claims.join(&waiting.commit) => batch.commits.push(waiting),
                Job::Commit(waiting) => late.push(waiting),
            }
        }
        let sound = match AssertUnwindSafe(batch.process(&mut conn, &hub)).catch_unwind().await {
            Ok(sound) => sound,
            Err(_) => {
                tracing::error!("the writer panicked; its batch is undone");
                false
            }
        };
        if !sound {
            conn = reopen(conn, &options).await;
        }
    }
}

/// A connection in an unknown state is not used again.
async fn reopen(conn: Conn, options: &SqliteConnectOptions) -> Conn {
    // closing ends an open transaction
    let _ = conn.close().await;
    loop {
        match options.connect().await {
            Ok(conn) => return conn,
            Err(error) => {
                tracing::error!(%error, "the database cannot be opened");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

#[derive(Default)]
struct Batch {
    writes: Vec<Box<dyn Write>>,
    commits: Vec<Waiting>,
}

impl Batch {
    /// False when the connection should be replaced.
    async fn process(mut self, conn: &mut Conn, hub: &Hub) -> bool {
        let mut outcomes: Vec<Result<Committed>> = Vec::new();
        match self.transaction(conn, &mut outcomes).await {
            Ok(()) => {
                let done = |outcome: &Result<Committed>| matches!(outcome, Ok(Committed::Done { .. }));
                if self.commits.iter().zip(&outcomes).any(|(w, outcome)| done(outcome) && w.commit.brings_work()) {
                    hub.wake();
                }
                for (waiting, outcome) in self.commits.into_iter().zip(outcomes) {
                    if done(&outcome) {
                        hub.tell(waiting.commit.change);
                    }
                    let _ = waiting.reply.send(outcome);
                }
                for write in self.writes {
                    write.reply(None);
                }
                true
            }
            Err(error) => {
                tracing::error!(%error, "a batch of writes failed");
                for waiting in self.commits {
                    let _ = waiting.reply.send(Err(copy(&error)));
                }
                for write in self.writes {
                    write.reply(Some(copy(&error)));
                }
                false
            }
        }
    }

    async fn transaction(&mut self, conn: &mut Conn, outcomes: &mut Vec<Result<Committed>>) -> Result<()> {
        let all: Vec<&Commit> = self.commits.iter().map(|w| &*w.commit).collect();
        if self.writes.is_empty() {
            match commit::write(conn, &all, "begin immediate; ", "commit").await {
                Ok(done) => {
                    outcomes.extend(done.into_iter().map(Ok));
                    return Ok(());
                }
                Err(error) if all.len() == 1 => {
                    rollback(conn).await?;
                    outcomes.push(Err(error));
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(%error, commits = all.len(), "a batch is repeated one by one");
                    rollback(conn).await?;
                    sqlx::raw_sql("begin immediate").execute(&mut *conn).await?;
                }
            }
        } else {
            sqlx::raw_sql("begin immediate").execute(&mut *conn).await?;
            if let ([write], true) = (self.writes.as_mut_slice(), all.is_empty()) {
                let end = if write.run(conn).await { "commit" } else { "rollback" };
                sqlx::raw_sql(end).execute(conn).await?;
                return Ok(());
            }
            for write in &mut self.writes {
                if write.many() {
                    sqlx::raw_sql("savepoint part").execute(&mut *conn).await?;
                    let end = if write.run(conn).await { "release part" } else { "rollback to part; release part" };
                    sqlx::raw_sql(end).execute(&mut *conn).await?;
                } else {
                    // a statement that fails changes nothing by itself
                    write.run(conn).await;
                }
            }
        }
        if !all.is_empty() && !self.writes.is_empty() {
            match commit::write(conn, &all, "savepoint part; ", "release part").await {
                Ok(done) => {
                    outcomes.extend(done.into_iter().map(Ok));
                    sqlx::raw_sql("commit").execute(conn).await?;
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(%error, commits = all.len(), "a batch is repeated one by one");
                    sqlx::raw_sql("rollback to part; release part").execute(&mut *conn).await?;
                }
            }
        }
        for commit in &all {
            match commit::write(conn, &[*commit], "savepoint part; ", "release part").await {
                Ok(done) => outcomes.extend(done.into_iter().map(Ok)),
                Err(error) => {
                    sqlx::raw_sql("rollback to part; release part").execute(&mut *conn).await?;
                    outcomes.push(Err(error));
                }
            }
        }
        sqlx::raw_sql("commit").execute(conn).await?;
        Ok(())
    }
}

/// Some failures end the transaction by themselves.
async fn rollback(conn: &mut Conn) -> Result<()> {
    if let Err(error) = sqlx::raw_sql("rollback").execute(conn).await {
        tracing::debug!(%error, "nothing to roll back");
    }
    Ok(())
}

/// The same failure for everyone in the batch.
fn copy(error: &StoreError) -> StoreError {
    StoreError::Database(sqlx::Error::Protocol(error.to_string()))
}

/// A write with its reply.
trait Write: Send {
    fn many(&self) -> bool;
    /// True when its changes shall stay.
    fn run<'a>(&'a mut self, conn: &'a mut Conn) -> BoxFuture<'a, bool>;
    /// With the failure of the transaction, if it failed.
    fn reply(self: Box<Self>, failure: Option<StoreError>);
}

struct Call<T, F> {
    many: bool,
    call: Option<F>,
    result: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Write for Call<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send,
{
    fn many(&self) -> bool {
        self.many
    }

    fn run<'a>(&'a mut self, conn: &'a mut Conn) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            if let Some(call) = self.call.take() {
                self.result = Some(call(conn).await);
            }
            matches!(self.result, Some(Ok(_)))
        })
    }

    fn reply(self: Box<Self>, failure: Option<StoreError>) {
        let result = match (self.result, failure) {
            (Some(Err(error)), _) | (_, Some(error)) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(StoreError::Busy),
        };
        let _ = self.reply.send(result);
    }
}

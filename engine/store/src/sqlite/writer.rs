//! The one writer, a thread of its own: whatever waits goes down together; replies leave only after it is durable.
//!
//! Commits have a connection of their own, where one costs a few microseconds; all other writes share the statements
//! that both databases know. Only this thread writes, so the two never wait for each other. What is refused or fails
//! does not harm its neighbours: commits that fail together are undone and repeated one by one, other writes have
//! savepoints.

use super::{BUSY_TIMEOUT, Conn, commit};
use crate::hub::Hub;
use crate::{Commit, Committed, Result, StoreError};
use futures::executor::block_on;
use futures::future::BoxFuture;
use rusqlite::{Connection, OpenFlags};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tokio::sync::oneshot;

/// Beyond so many waiting writes the store says that it is busy.
const WAITING_MAX: usize = 8192;
const BATCH_MAX: usize = 256;

pub struct Writer {
    jobs: SyncSender<Job>,
}

enum Job {
    Commit(Waiting),
    Write(Box<dyn Write>),
}

struct Waiting {
    commit: Box<Commit>,
    reply: oneshot::Sender<Result<Committed>>,
}

impl Writer {
    pub async fn start(options: SqliteConnectOptions, hub: Arc<Hub>, epoch: Arc<AtomicI32>) -> Result<Writer> {
        // this one first: it creates the file
        let writes = super::open(&options).await?;
        let commits = open(&options)?;
        let (jobs, queue) = sync_channel(WAITING_MAX);
        let writer = WriterThread { commits, writes, options, hub, epoch };
        let thread = std::thread::Builder::new().name("sqlite-writer".into());
        thread
            .spawn(move || writer.run(&queue))
            .map_err(|e| StoreError::Settings(format!("a thread for the writer: {e}")))?;
        Ok(Writer { jobs })
    }

    pub async fn commit(&self, commit: Box<Commit>) -> Result<Committed> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Commit(Waiting { commit, reply }))?;
        answer.await.map_err(|_| StoreError::Busy)?
    }

    /// `atomic`: of several statements, which must be undone together.
    pub async fn write<T, F>(&self, atomic: bool, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Write(Box::new(Call { atomic, call: Some(call), result: None, reply })))?;
        answer.await.map_err(|_| StoreError::Busy)?
    }

    fn send(&self, job: Job) -> Result<()> {
        self.jobs.try_send(job).map_err(|_| StoreError::Busy)
    }
}

/// Opens the writer's connection, with the settings that the other connections have.
fn open(options: &SqliteConnectOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(options.get_filename(), flags)?;
    conn.execute_batch("pragma synchronous = full; pragma cache_size = -2048; pragma foreign_keys = off")?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

struct WriterThread {
    commits: Connection,
    writes: Conn,
    options: SqliteConnectOptions,
    hub: Arc<Hub>,
    epoch: Arc<AtomicI32>,
}

impl WriterThread {
    /// Writes what is queued until the store is dropped.
    fn run(mut self, queue: &Receiver<Job>) {
        while let Ok(first) = queue.recv() {
            let (mut commits, mut writes) = (Vec::new(), Vec::new());
            for job in std::iter::once(first).chain(queue.try_iter().take(BATCH_MAX - 1)) {
                match job {
                    Job::Commit(waiting) => commits.push(waiting),
                    Job::Write(write) => writes.push(write),
                }
            }
            if !writes.is_empty() && !run_guarded(|| block_on(write_all(&mut self.writes, writes))) {
                self.writes = reopen(|| block_on(self.options.connect()).map_err(StoreError::from));
            }
            if !commits.is_empty()
                && !run_guarded(|| {
                    commit_all(&mut self.commits, commits, &self.hub, self.epoch.load(Ordering::Relaxed))
                })
            {
                self.commits = reopen(|| open(&self.options));
            }
        }
    }
}

/// A connection in an unknown state is not used again.
fn run_guarded(work: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        tracing::error!("the writer panicked; its batch is undone");
        false
    })
}

fn reopen<T>(open: impl Fn() -> Result<T>) -> T {
    loop {
        match open() {
            Ok(conn) => return conn,
            Err(error) => {
                tracing::error!(%error, "the database cannot be opened");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// False when the connection should be replaced.
fn commit_all(conn: &mut Connection, commits: Vec<Waiting>, hub: &Hub, epoch: i32) -> bool {
    let together = commit_together(conn, &commits, epoch);
    let outcomes: Vec<Result<Committed>> = match together {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        Err(error) if commits.len() == 1 => vec![Err(error)],
        Err(error) => {
            tracing::warn!(%error, commits = commits.len(), "a batch is repeated one by one");
            commits
                .chunks(1)
                .map(|one| commit_together(conn, one, epoch).map(|mut done| done.pop().unwrap_or(Committed::Moved)))
                .collect()
        }
    };
    let done = |outcome: &Result<Committed>| matches!(outcome, Ok(Committed::Done { .. }));
    if commits.iter().zip(&outcomes).any(|(waiting, outcome)| done(outcome) && waiting.commit.brings_work()) {
        hub.wake();
    }
    for (waiting, outcome) in commits.into_iter().zip(outcomes) {
        if done(&outcome) {
            hub.tell(waiting.commit.change);
        }
        let _ = waiting.reply.send(outcome);
    }
    conn.is_autocommit()
}

/// Writes commits in one transaction, which is undone when it is dropped before its end.
fn commit_together(conn: &mut Connection, commits: &[Waiting], epoch: i32) -> Result<Vec<Committed>> {
    let transaction = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let write = |waiting: &Waiting| commit::write(&transaction, &waiting.commit, epoch);
    let outcomes = commits.iter().map(write).collect::<Result<Vec<_>>>()?;
    transaction.commit()?;
    Ok(outcomes)
}

/// False when the connection should be replaced.
async fn write_all(conn: &mut Conn, mut writes: Vec<Box<dyn Write>>) -> bool {
    let failure = write_together(conn, &mut writes).await.err();
    if let Some(error) = &failure {
        tracing::error!(%error, "a batch of writes failed");
        // some failures end the transaction by themselves
        if let Err(error) = sqlx::raw_sql("rollback").execute(conn).await {
            tracing::debug!(%error, "nothing to roll back");
        }
    }
    for write in writes {
        write.reply(failure.as_ref().map(StoreError::shared));
    }
    failure.is_none()
}

async fn write_together(conn: &mut Conn, writes: &mut [Box<dyn Write>]) -> Result<()> {
    sqlx::raw_sql("begin immediate").execute(&mut *conn).await?;
    if let [write] = writes {
        let end = if write.run(conn).await { "commit" } else { "rollback" };
        sqlx::raw_sql(end).execute(conn).await?;
        return Ok(());
    }
    for write in writes {
        if write.atomic() {
            sqlx::raw_sql("savepoint part").execute(&mut *conn).await?;
            let end = if write.run(conn).await { "release part" } else { "rollback to part; release part" };
            sqlx::raw_sql(end).execute(&mut *conn).await?;
        } else {
            // a statement that fails changes nothing by itself
            write.run(conn).await;
        }
    }
    sqlx::raw_sql("commit").execute(conn).await?;
    Ok(())
}

/// A write with its reply.
trait Write: Send {
    fn atomic(&self) -> bool;
    /// True when its changes shall stay.
    fn run<'a>(&'a mut self, conn: &'a mut Conn) -> BoxFuture<'a, bool>;
    /// Answers who waits, with the failure of the transaction, if it failed.
    fn reply(self: Box<Self>, failure: Option<StoreError>);
}

struct Call<T, F> {
    atomic: bool,
    call: Option<F>,
    result: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Write for Call<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send,
{
    fn atomic(&self) -> bool {
        self.atomic
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

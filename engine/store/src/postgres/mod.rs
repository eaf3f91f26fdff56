//! PostgreSQL: any number of nodes share one database; row locks and **seq-cas** decide between them.

mod batch;
mod commit;
pub(crate) mod dialect;
mod notify;
mod tables;
// One source is compiled once per backend, each with its own `dialect`.
#[allow(clippy::duplicate_mod)]
#[path = "../shared/mod.rs"]
mod shared;
mod writer;

use crate::hub::Hub;
use crate::{Change, Commit, Committed, Result, StoreError};
use futures::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgPool};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::time::Duration;

pub(crate) type Backend = sqlx::Postgres;
pub(crate) type Conn = sqlx::PgConnection;
pub(crate) type Pool = sqlx::PgPool;
pub(crate) type Row = sqlx::postgres::PgRow;

const READERS: u32 = 10;
const WRITERS: u32 = 6;

pub(crate) struct Database {
    /// Pool for single reading statements only: nothing ever begins a transaction here.
    pub pool: PgPool,
    pub hub: Arc<Hub>,
    pub epoch: Arc<AtomicI32>,
    writes: PgPool,
    writer: writer::Writer,
    notify: notify::Notify,
    options: PgConnectOptions,
}

impl Database {
    pub async fn connect(url: &str) -> Result<Database> {
        // Every query goes by an index. Statements are planned while tables may still be empty, and kept: these
        // settings keep a plan from scanning a table that has grown since.
        let options = PgConnectOptions::from_str(url)?
            .application_name("journey")
            .statement_cache_capacity(256)
            .options([
                ("enable_seqscan", "off"),
                ("enable_hashjoin", "off"),
                ("enable_mergejoin", "off"),
                ("enable_bitmapscan", "off"),
                ("jit", "off"),
                ("lock_timeout", "5s"),
                ("idle_in_transaction_session_timeout", "30s"),
            ])
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(READERS)
            .min_connections(1)
            .acquire_timeout(Duration::from_secs(10))
            .test_before_acquire(false)
            .connect_with(options.clone())
            .await?;
        // A `begin` that is dropped half-way would leave its transaction open in the pool, and later writes would
        // vanish: writes run in tasks that nobody cancels.
        let writes = PgPoolOptions::new()
            .max_connections(WRITERS)
            .min_connections(0)
            .acquire_timeout(Duration::from_secs(10))
            .connect_lazy_with(options.clone());
        let hub = Arc::new(Hub::new());
        let notify = notify::Notify::start(&options, hub.clone());
        let epoch = Arc::default();
        let writer = writer::Writer::start(&options, pool.clone(), hub.clone(), notify.sender(), Arc::clone(&epoch));
        Ok(Database { pool, hub, epoch, writes, writer, notify, options })
    }

    pub fn migrator() -> Migrator {
        crate::migrations::migrator(crate::migrations::POSTGRES)
    }

    /// Nodes that start at once wait for each other under a lock of the migrator.
    pub async fn run_migrations(&self) -> Result<()> {
        let migrator = Database::migrator();
        let mut conn = self.options.clone().options([("lock_timeout", "0")]).connect().await?;
        migrator.run_direct(None, &mut conn, false).await?;
        conn.close().await?;
        Ok(())
    }

    pub async fn write_commit(&self, mut commit: Box<Commit>) -> Result<Committed> {
        crate::normal::normalise(&mut commit)?;
        self.writer.commit(commit).await
    }

    /// One statement, one round trip.
    pub async fn write<T, F>(&self, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        let pool = self.writes.clone();
        let task = tokio::spawn(async move {
            let mut conn = pool.acquire().await?;
            call(&mut conn).await
        });
        task.await.map_err(|_| StoreError::Busy)?
    }

    /// Several statements: all or nothing.
    pub async fn transact<T, F>(&self, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        let pool = self.writes.clone();
        let task = tokio::spawn(async move {
            let mut conn = pool.acquire().await?;
            let mut transaction = conn.begin().await?;
            let done = match call(&mut transaction).await {
                Ok(value) => transaction.commit().await.map(|()| value).map_err(StoreError::from),
                Err(error) => {
                    drop(transaction);
                    Err(error)
                }
            };
            if done.is_err() {
                // closing rolls back; in an unknown state it is not used again
                conn.close_on_drop();
            }
            done
        });
        task.await.map_err(|_| StoreError::Busy)?
    }

    /// Signs are compared by the database's own clock. What a dead worker held ends with the lease at the latest, so
    /// only what is leased for longer than now is looked at.
    pub async fn write_sign_of_life(&self, worker: &str, now_ms: i64, dead_after_ms: Option<i64>) -> Result<u64> {
        let worker = worker.to_owned();
        let sql = sql!("with clock as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now), \
             here as (insert into workers (id, seen_at) select $1, now from clock \
               on conflict (id) do update set seen_at = excluded.seen_at), \
             dead as (delete from workers w using clock where w.id <> $1 and w.seen_at < clock.now - $3 returning \
             w.id), \
             freed as (update effects e set next_at = $2 - case when e.next_at < 0 then " ahead " else 0 end from dead \
               where e.state <= " open " and e.state = " running " and e.worker = dead.id \
               and (e.next_at > $2 or e.next_at < 0 and e.next_at > $2 - " ahead ") \
               returning 1), \
             unset as (update timers t set next_at = t.due_at from dead \
               where t.next_at > $2 and t.due_at <= $2 and t.worker = dead.id returning 1) \
             select (select count(*) from freed) + (select count(*) from unset)");
        let freed: i64 = self
            .write(move |conn| {
                Box::pin(async move {
                    let query = sqlx::query_scalar(sql).bind(worker).bind(now_ms).bind(dead_after_ms);
                    Ok(query.fetch_one(conn).await?)
                })
            })
            .await?;
        Ok(freed.unsigned_abs())
    }

    pub fn wake_all(&self) {
        self.hub.wake();
        self.notify.sender().wake();
    }

    pub fn tell_all(&self, change: Change) {
        self.notify.sender().tell(change.clone());
        self.hub.tell(change);
    }
}

/// The connection is gone, and with it the knowledge whether its last statement was committed.
pub(crate) fn lost(error: &StoreError) -> bool {
    matches!(error, StoreError::Database(error) if lost_connection(error))
}

fn lost_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(e) => e.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

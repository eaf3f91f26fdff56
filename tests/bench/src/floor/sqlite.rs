//! SQLite: one writer, which binds every row of a batch to one execution; readers beside it.

use super::{BATCH_MAX, Journey, Used, Write};
use anyhow::Result;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Row, SqliteConnection, SqlitePool};
use std::collections::HashSet;
use tokio::sync::mpsc;
use uuid::Uuid;

/// Events and effects carry `n << 20 | revision`; the scope of a start's key is 0.
const TABLES: &str = "
    create table if not exists journeys (
      n integer primary key, id blob not null unique, revision integer not null, step integer not null, updated_at integer not null, state text not null);
    create table if not exists events (id integer primary key, at integer not null, kind text not null, data text not null);
    create table if not exists effects (
      id integer primary key, due_at integer not null, state integer not null, kind text not null, payload text not null);
    create index if not exists effects_due on effects (due_at) where state = 0;
    create table if not exists idempotency (
      scope integer not null, key blob not null, body_hash blob not null, journey blob not null, primary key (scope, key)) without rowid;";

pub struct Store {
    reads: SqlitePool,
    pub writer: mpsc::Sender<Write>,
}

impl Store {
    pub async fn open(file: &str) -> Result<Store> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("cache_size", "-16384")
            .statement_cache_capacity(256)
            .disable_statement_logging();
        let mut conn = options.connect().await?;
        sqlx::raw_sql(TABLES).execute(&mut conn).await?;
        let last: i64 = sqlx::query_scalar("select coalesce(max(n), 0) from journeys").fetch_one(&mut conn).await?;
        let reads = SqlitePoolOptions::new()
            .max_connections(4)
            .min_connections(1)
            .test_before_acquire(false)
            .connect_with(options.read_only(true).create_if_missing(false).pragma("cache_size", "-4096"))
            .await?;
        let (writer, queue) = mpsc::channel(4096);
        tokio::spawn(write(conn, last, queue));
        Ok(Store { reads, writer })
    }

    pub async fn journey(&self, id: Uuid) -> Result<Option<Journey>> {
        let row = sqlx::query("select n, revision, step, state from journeys where id = ?")
            .bind(id.as_bytes().as_slice())
            .fetch_optional(&self.reads)
            .await?;
        row.map(|r| {
            Ok(Journey { n: r.try_get(0)?, revision: r.try_get(1)?, step: r.try_get(2)?, state: r.try_get(3)? })
        })
        .transpose()
    }

    pub async fn used(&self, scope: i64, key: &[u8]) -> Result<Option<Used>> {
        let sql = "select journey, body_hash from idempotency where scope = ? and key = ?";
        let row = sqlx::query(sql).bind(scope).bind(key).fetch_optional(&self.reads).await?;
        row.map(|r| Ok(Used { id: Uuid::from_slice(r.try_get(0)?)?, body_hash: r.try_get(1)? })).transpose()
    }
}

async fn write(mut conn: SqliteConnection, mut last: i64, mut queue: mpsc::Receiver<Write>) {
    let statements: Vec<String> = (0..=BATCH_MAX).map(statement).collect();
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        // of two writes to one journey that wait at once, one is too late
        let mut seen = HashSet::new();
        let (mut writes, late): (Vec<Write>, Vec<Write>) = batch.drain(..).partition(|w| seen.insert(w.id));
        late.into_iter().for_each(|w| drop(w.reply.send(Ok(false))));
        for write in writes.iter_mut().filter(|w| w.n.is_none()) {
            last += 1;
            write.n = Some(last);
        }
        let all: Vec<&Write> = writes.iter().collect();
        if execute(&mut conn, &statements, &all).await.is_ok() {
            writes.into_iter().for_each(|w| drop(w.reply.send(Ok(true))));
            continue;
        }
        // somebody is too late or repeats a key: one by one tells who
        for write in writes {
            let done = match execute(&mut conn, &statements, &[&write]).await {
                Ok(()) => Ok(true),
                Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Ok(false),
                Err(error) => Err(error.into()),
            };
            let _ = write.reply.send(done);
        }
    }
}

/// All rows or none; a journey that moved on breaks the key of its event.
async fn execute(conn: &mut SqliteConnection, statements: &[String], writes: &[&Write]) -> sqlx::Result<()> {
    let mut query = sqlx::query(AssertSqlSafe(statements[writes.len()].as_str()));
    for w in writes {
        query = query
            .bind(w.n)
            .bind(w.id.as_bytes().as_slice())
            .bind(w.revision)
            .bind(w.step)
            .bind(w.at)
            .bind(w.state.as_str());
    }
    let place = |w: &Write| w.n.unwrap_or(0) << 20 | w.revision;
    for w in writes {
        query = query.bind(place(w)).bind(w.at).bind("submit").bind(w.data.as_str());
    }
    for w in writes {
        query = query.bind(place(w)).bind(w.at).bind(0).bind("call").bind(w.effect);
    }
    for w in writes {
        let scope = if w.revision == 1 { 0 } else { w.n.unwrap_or(0) };
        query = query.bind(scope).bind(w.key.as_slice()).bind(w.body_hash.as_slice()).bind(w.id.as_bytes().as_slice());
    }
    if let Err(error) = query.execute(&mut *conn).await {
        sqlx::raw_sql("rollback").execute(conn).await?;
        return Err(error);
    }
    Ok(())
}

/// One string for a whole batch of this size, prepared once.
fn statement(size: usize) -> String {
    let rows = |columns: usize| vec![format!("({})", vec!["?"; columns].join(",")); size].join(",");
    format!(
        "begin immediate; \
         insert into journeys (n, id, revision, step, updated_at, state) values {} on conflict (n) do update set revision = excluded.revision, \
           step = excluded.step, updated_at = excluded.updated_at, state = excluded.state where revision = excluded.revision - 1; \
         insert into events (id, at, kind, data) values {}; \
         insert into effects (id, due_at, state, kind, payload) values {}; \
         insert into idempotency (scope, key, body_hash, journey) values {}; \
         commit",
        rows(6),
        rows(4),
        rows(5),
        rows(4),
    )
}

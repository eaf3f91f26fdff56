//! PostgreSQL: two writers take whatever waits in turn; a batch is one statement, one round trip, one commit.

use super::{BATCH_MAX, Journey, Used, Write};
use anyhow::Result;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgConnection, PgPool, Row};
use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};
use uuid::Uuid;

/// Two: while one waits for the disk, the other gathers and computes.
const WRITERS: usize = 2;

/// Events and effects carry `n << 20 | revision`; the scope of a start's key is 0.
const TABLES: &str = "
    create table if not exists journeys (
      n bigint generated always as identity (cache 16) primary key, id uuid not null unique, revision bigint not null, step bigint not null,
      updated_at bigint not null, state text not null) with (fillfactor = 70);
    create table if not exists events (id bigint primary key, at bigint not null, kind text not null, data text not null);
    create table if not exists effects (id bigint primary key, due_at bigint not null, state smallint not null, kind text not null, payload text not null);
    create index if not exists effects_due on effects (due_at) where state = 0;
    create table if not exists idempotency (
      scope bigint not null, key bytea not null, body_hash bytea not null, journey uuid not null, primary key (scope, key));";

/// Says which journeys it wrote: one that moved on is not among them.
const WRITE: &str = "with b as materialized (\
      select * from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::bytea[], $10::bytea[]) \
      as b (n, id, revision, step, at, state, data, effect, key, body_hash)), \
    s as (insert into journeys (id, revision, step, updated_at, state) select id, revision, step, at, state from b where n is null returning n, id), \
    m as (update journeys j set revision = b.revision, step = b.step, updated_at = b.at, state = b.state from b \
      where j.n = b.n and j.revision = b.revision - 1 returning j.n, j.id), \
    d as (select * from s union all select * from m), \
    e as (insert into events select d.n << 20 | b.revision, b.at, 'submit', b.data from b join d using (id)), \
    f as (insert into effects select d.n << 20 | b.revision, b.at, 0, 'call', b.effect from b join d using (id)), \
    i as (insert into idempotency select coalesce(b.n, 0), b.key, b.body_hash, b.id from b join d using (id)) \
    select id from d";

pub struct Store {
    reads: PgPool,
    pub writer: mpsc::Sender<Write>,
}

impl Store {
    pub async fn open(url: &str) -> Result<Store> {
        // statements are planned while the tables are empty, and kept
        let options = PgConnectOptions::from_str(url)?
            .options([
                ("enable_seqscan", "off"),
                ("enable_mergejoin", "off"),
                ("plan_cache_mode", "force_generic_plan"),
                ("jit", "off"),
            ])
            .disable_statement_logging();
        let mut conn = options.connect().await?;
        sqlx::raw_sql(TABLES).execute(&mut conn).await?;
        let reads = PgPoolOptions::new()
            .max_connections(10)
            .min_connections(1)
            .test_before_acquire(false)
            .connect_with(options.clone())
            .await?;
        let (writer, queue) = mpsc::channel(4096);
        let queue = Arc::new(Mutex::new(queue));
        tokio::spawn(write(conn, queue.clone()));
        for _ in 1..WRITERS {
            tokio::spawn(write(options.connect().await?, queue.clone()));
        }
        Ok(Store { reads, writer })
    }

    pub async fn journey(&self, id: Uuid) -> Result<Option<Journey>> {
        let row = sqlx::query("select n, revision, step, state from journeys where id = $1")
            .bind(id)
            .fetch_optional(&self.reads)
            .await?;
        row.map(|r| {
            Ok(Journey { n: r.try_get(0)?, revision: r.try_get(1)?, step: r.try_get(2)?, state: r.try_get(3)? })
        })
        .transpose()
    }

    pub async fn used(&self, scope: i64, key: &[u8]) -> Result<Option<Used>> {
        let sql = "select journey, body_hash from idempotency where scope = $1 and key = $2";
        let row = sqlx::query(sql).bind(scope).bind(key).fetch_optional(&self.reads).await?;
        row.map(|r| Ok(Used { id: r.try_get(0)?, body_hash: r.try_get(1)? })).transpose()
    }
}

async fn write(mut conn: PgConnection, queue: Arc<Mutex<mpsc::Receiver<Write>>>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    loop {
        if queue.lock().await.recv_many(&mut batch, BATCH_MAX).await == 0 {
            return;
        }
        // of two writes to one journey that wait at once, one is too late
        let mut seen = HashSet::new();
        let (mut writes, late): (Vec<Write>, Vec<Write>) = batch.drain(..).partition(|w| seen.insert(w.id));
        late.into_iter().for_each(|w| drop(w.reply.send(Ok(false))));
        // locks in one order: two writers never wait for each other
        writes.sort_unstable_by_key(|w| w.n);
        let all: Vec<&Write> = writes.iter().collect();
        if let Ok(done) = execute(&mut conn, &all).await {
            writes.into_iter().for_each(|w| drop(w.reply.send(Ok(done.contains(&w.id)))));
            continue;
        }
        // somebody repeats a key: one by one tells who
        for write in writes {
            let done = match execute(&mut conn, &[&write]).await {
                Ok(done) => Ok(done.contains(&write.id)),
                Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Ok(false),
                Err(error) => Err(error.into()),
            };
            let _ = write.reply.send(done);
        }
    }
}

async fn execute(conn: &mut PgConnection, writes: &[&Write]) -> sqlx::Result<HashSet<Uuid>> {
    let rows = sqlx::query(WRITE)
        .bind(writes.iter().map(|w| w.n).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.id).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.revision).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.step).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.at).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.state.as_str()).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.data.as_str()).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.effect).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.key.as_slice()).collect::<Vec<_>>())
        .bind(writes.iter().map(|w| w.body_hash.as_slice()).collect::<Vec<_>>())
        .fetch_all(conn)
        .await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

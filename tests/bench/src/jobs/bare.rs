//! What the database allows: rows claimed and finished in batches by two statements, and nothing else.

use crate::database::Database;
use anyhow::Result;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgConnection};
use std::str::FromStr;
use std::time::Instant;

/// How many the worker claims at once.
const BATCH: i64 = 64;

const TABLE: &str = "create table bare (id bigint primary key, next_at bigint not null, state bigint not null, fence bigint not null, payload text not null); \
    create index bare_next on bare (next_at) where state <= 1";
const FILL: &str = "with recursive n (id) as (select 1 union all select id + 1 from n where id < $1) \
    insert into bare select id, 0, 0, 0, '{\"step\":\"bench\"}' from n";

/// Rows a second.
pub async fn per_second(database: &Database, count: usize) -> Result<f64> {
    let url = database.fresh().await?;
    match database {
        Database::Sqlite(_) => sqlite(&url, count as i64).await,
        Database::Postgres(_) => postgres(&url, count as i64).await,
    }
}

async fn sqlite(url: &str, count: i64) -> Result<f64> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut conn = options.connect().await?;
    sqlx::raw_sql(TABLE).execute(&mut conn).await?;
    sqlx::query(FILL).bind(count).execute(&mut conn).await?;
    let begun = Instant::now();
    loop {
        let sql = "update bare set state = 1, fence = fence + 1, next_at = 1 where id in (select id from bare where state <= 1 and next_at <= 0 limit $1) \
            returning id, payload";
        let claimed: Vec<(i64, String)> = sqlx::query_as(sql).bind(BATCH).fetch_all(&mut conn).await?;
        if claimed.is_empty() {
            return Ok(count as f64 / begun.elapsed().as_secs_f64());
        }
        let ids: Vec<i64> = claimed.iter().map(|(id, _)| *id).collect();
        let sql = "update bare set state = 2 where fence = 1 and id in (select value from json_each($1))";
        sqlx::query(sql).bind(serde_json::to_string(&ids)?).execute(&mut conn).await?;
    }
}

async fn postgres(url: &str, count: i64) -> Result<f64> {
    let mut conn = PgConnection::connect(url).await?;
    sqlx::raw_sql(TABLE).execute(&mut conn).await?;
    sqlx::query(FILL).bind(count).execute(&mut conn).await?;
    let begun = Instant::now();
    loop {
        let sql = "with due as materialized (select id from bare where state <= 1 and next_at <= 0 order by next_at limit $1 for update skip locked) \
            update bare set state = 1, fence = fence + 1, next_at = 1 from due where bare.id = due.id returning bare.id, payload";
        let claimed: Vec<(i64, String)> = sqlx::query_as(sql).bind(BATCH).fetch_all(&mut conn).await?;
        if claimed.is_empty() {
            return Ok(count as f64 / begun.elapsed().as_secs_f64());
        }
        let ids: Vec<i64> = claimed.iter().map(|(id, _)| *id).collect();
        sqlx::query("update bare set state = 2 where fence = 1 and id = any($1)").bind(ids).execute(&mut conn).await?;
    }
}

//! Set-up, health, a restored backup, cleaning.

use super::super::{Conn, Database, dialect};
use super::{queue, values};
use crate::*;
use async_trait::async_trait;
use serde_json::Value;
use std::sync::atomic::Ordering;

/// What a commit of a long journey writes, and no more.
const PROBE_BYTES: usize = 16 * 1024;

#[async_trait]
impl Upkeep for Database {
    async fn migrate(&self) -> Result<()> {
        self.run_migrations().await?;
        let epoch = read!(self.read_kv(STORE, "epoch"))?.and_then(|epoch| epoch.as_i64()).unwrap_or(0);
        self.epoch.store(epoch as i32, Ordering::Relaxed);
        Ok(())
    }
    async fn outstanding(&self) -> Result<Outstanding> {
        let is_new = sqlx::query_scalar::<_, i64>(dialect::IS_MIGRATED).fetch_one(&self.pool).await? == 0;
        let done: Vec<i64> = match is_new {
            true => Vec::new(),
            false => sqlx::query_scalar("select version from journey_migrations").fetch_all(&self.pool).await?,
        };
        let migrator = Database::migrator();
        let migrations = migrator.iter().filter(|one| !done.contains(&one.version)).map(|one| {
            let takes = one.sql.as_str().lines().filter_map(|line| line.strip_prefix("-- takes: "));
            Migration {
                number: one.version,
                name: one.description.to_string(),
                takes: takes.map(str::to_owned).collect(),
            }
        });
        Ok(Outstanding { is_new, migrations: migrations.collect() })
    }
    fn kind(&self) -> &'static str {
        dialect::KIND
    }
    async fn ping(&self) -> Result<()> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }
    async fn try_write(&self) -> Result<()> {
        if let Some(outage) = self.hub.refused_lately() {
            return Err(StoreError::Unavailable { outage, reason: "it took none of the last commits".into() });
        }
        // What is written is as large as a commit, and hard to compress: where that has no room, no commit has.
        let bytes: String = (0..PROBE_BYTES / 32).map(|_| uuid::Uuid::new_v4().simple().to_string()).collect();
        write!(self, conn => values::kv_put(conn, STORE, "written", &Value::String(bytes)))
    }
    fn epoch(&self) -> i32 {
        self.epoch.load(Ordering::Relaxed)
    }
    async fn begin_epoch(&self, now_ms: i64) -> Result<i32> {
        let epoch = self.epoch() + 1;
        transact!(self, conn => begin_epoch(conn, epoch, now_ms))?;
        self.epoch.store(epoch, Ordering::Relaxed);
        Ok(epoch)
    }
    async fn sends_held(&self) -> Result<bool> {
        Ok(read!(self.read_kv(STORE, HELD))?.is_some())
    }
    async fn release_sends(&self) -> Result<bool> {
        let released = write!(self, conn => values::kv_delete(conn, STORE, HELD))?;
        if released {
            self.wake_all();
        }
        Ok(released)
    }
    async fn clean(&self, before_ms: i64, limit: u32) -> Result<u64> {
        // found by a reader: on SQLite they have no index by time, and the writer must not scan
        let replies = read!(self.read_old_replies(before_ms, limit))?;
        transact!(self, conn => clean(conn, &replies, before_ms, limit))
    }
}

impl Database {
    pub async fn read_old_replies(&self, before_ms: i64, limit: u32) -> Result<Vec<(String, Vec<u8>)>> {
        let replies = sqlx::query_as("select source, input_hash from replies where at < $1 limit $2");
        Ok(replies.bind(before_ms).bind(i64::from(limit)).fetch_all(&self.pool).await?)
    }
}

/// Bucket of what the store keeps about itself.
pub const STORE: &str = "store";
/// While this key is there no effect is claimed.
pub const HELD: &str = "held";

pub async fn begin_epoch(conn: &mut Conn, epoch: i32, now_ms: i64) -> Result<()> {
    values::kv_put(conn, STORE, "epoch", &epoch.into()).await?;
    values::kv_put(conn, STORE, HELD, &now_ms.into()).await?;
    queue::end_leases(conn, now_ms).await
}

/// Removes what is over: of each table at most `limit` rows, so that a transaction stays short; the caller repeats
/// while something was removed.
pub async fn clean(conn: &mut Conn, replies: &[(String, Vec<u8>)], before_ms: i64, limit: u32) -> Result<u64> {
    let mut removed = 0;
    for (source, input_hash) in replies {
        let query = sqlx::query("delete from replies where source = $1 and input_hash = $2 and at < $3");
        let query = query.bind(source.as_str()).bind(input_hash.as_slice()).bind(before_ms);
        removed += query.execute(&mut *conn).await?.rows_affected();
    }
    for sql in [
        sql!(
            "delete from effects where id in (select id from effects where state in (" done ", " cancelled ") \
             and due_at < $1 limit $2)"
        ),
        "delete from sessions where token_hash in (select token_hash from sessions where expires_at < $1 limit $2)",
        "delete from sends where (recipient, number) in (select recipient, number from sends where at < $1 limit $2)",
        "delete from send_counts where (bucket, slot) in (select bucket, slot from send_counts where slot < $1 limit \
             $2)",
    ] {
        let done = sqlx::query(sql).bind(before_ms).bind(i64::from(limit)).execute(&mut *conn).await?;
        removed += done.rows_affected();
    }
    Ok(removed)
}

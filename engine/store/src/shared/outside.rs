//! References, webhooks, replies, results, incidents, and small values by key.

use super::super::{Conn, Database, Pool, Row};
use super::values::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Row as _};

impl Database {
    pub async fn read_correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>> {
        let row = sqlx::query("select journey, expected from correlations where partner = $1 and reference = $2")
            .bind(partner)
            .bind(reference)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| {
            Ok(CorrelationRecord {
                partner: partner.to_owned(),
                reference: reference.to_owned(),
                journey: unpack(r.try_get(0)?, "correlations.journey")?,
                expected: value(r.try_get(1)?, "correlations.expected")?,
            })
        })
        .transpose()
    }

    pub async fn read_parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>> {
        let rows = sqlx::query(
            "select partner, once, reference, event, at from webhooks where state = 0 order by at limit $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|r| {
                Ok(WebhookRecord {
                    partner: r.try_get(0)?,
                    once: r.try_get(1)?,
                    reference: r.try_get(2)?,
                    event: value(r.try_get(3)?, "webhooks.event")?,
                    at_ms: r.try_get(4)?,
                })
            })
            .collect()
    }

    pub async fn read_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<Value>> {
        let row = sqlx::query("select output from replies where source = $1 and input_hash = $2 and at >= $3")
            .bind(source)
            .bind(pack(input_hash))
            .bind(since_ms)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| value(r.try_get(0)?, "replies.output")).transpose()
    }

    pub async fn read_records(&self, journey: &str) -> Result<Vec<Record>> {
        records(&self.pool, journey).await
    }

    pub async fn read_record(&self, public_id: &str) -> Result<Option<Record>> {
        let row = sqlx::query(
            "select j.id, r.kind, r.key, r.public_id, r.data, r.at from records r join journeys j on j.n = r.journey \
             where r.public_id = $1",
        )
        .bind(pack(public_id))
        .fetch_optional(&self.pool)
        .await?;
        row.map(|r| record(&r)).transpose()
    }

    pub async fn read_document(&self, id: &str) -> Result<Option<DocumentRecord>> {
        let row = sqlx::query("select journey, name, media_type, bytes, at from documents where id = $1")
            .bind(pack(id))
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| {
            Ok(DocumentRecord {
                id: id.to_owned(),
                journey: unpack(r.try_get(0)?, "documents.journey")?,
                name: r.try_get(1)?,
                media_type: r.try_get(2)?,
                bytes: r.try_get(3)?,
                at_ms: r.try_get(4)?,
            })
        })
        .transpose()
    }

    pub async fn read_incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>> {
        let open = if open_only { "where closed_at is null" } else { "" };
        let query = AssertSqlSafe(format!("select {INCIDENT} from incidents {open} order by at desc limit $1"));
        sqlx::query(query).bind(i64::from(limit)).fetch_all(&self.pool).await?.iter().map(incident).collect()
    }

    pub async fn read_incident(&self, id: &str) -> Result<Option<IncidentRecord>> {
        let row = sqlx::query(AssertSqlSafe(format!("select {INCIDENT} from incidents where id = $1")))
            .bind(pack(id))
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| incident(&r)).transpose()
    }

    pub async fn read_incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>> {
        let query =
            AssertSqlSafe(format!("select {INCIDENT} from incidents where journey = $1 order by at desc limit $2"));
        sqlx::query(query)
            .bind(pack(journey))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?
            .iter()
            .map(incident)
            .collect()
    }

    pub async fn read_old_replies(&self, before_ms: i64, limit: u32) -> Result<Vec<(String, Vec<u8>)>> {
        let replies = sqlx::query_as("select source, input_hash from replies where at < $1 limit $2");
        Ok(replies.bind(before_ms).bind(i64::from(limit)).fetch_all(&self.pool).await?)
    }

    pub async fn read_kv(&self, bucket: &str, key: &str) -> Result<Option<Value>> {
        let text: Option<String> = sqlx::query_scalar("select value from kv where bucket = $1 and key = $2")
            .bind(bucket)
            .bind(key)
            .fetch_optional(&self.pool)
            .await?;
        text.map(|t| value(&t, "kv.value")).transpose()
    }

    pub async fn read_kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>> {
        let rows = sqlx::query("select key, value from kv where bucket = $1 order by key limit $2")
            .bind(bucket)
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|r| Ok((r.try_get(0)?, value(r.try_get(1)?, "kv.value")?))).collect()
    }
}

const INCIDENT: &str = "id, journey, version, place, reason, detail, at, closed_at, closed_by";

fn incident(r: &Row) -> Result<IncidentRecord> {
    Ok(IncidentRecord {
        id: unpack(r.try_get(0)?, "incidents.id")?,
        journey: unpack(r.try_get(1)?, "incidents.journey")?,
        version: unpack(r.try_get(2)?, "incidents.version")?,
        place: r.try_get(3)?,
        reason: r.try_get(4)?,
        detail: value(r.try_get(5)?, "incidents.detail")?,
        at_ms: r.try_get(6)?,
        closed_at_ms: r.try_get(7)?,
        closed_by: r.try_get(8)?,
    })
}

pub async fn records(pool: &Pool, journey: &str) -> Result<Vec<Record>> {
    let rows = sqlx::query(
        "select j.id, r.kind, r.key, r.public_id, r.data, r.at from records r join journeys j on j.n = r.journey \
         where j.id = $1 order by r.kind, r.key",
    )
    .bind(pack(journey))
    .fetch_all(pool)
    .await?;
    rows.iter().map(record).collect()
}

pub async fn park_webhook(conn: &mut Conn, hook: &WebhookRecord) -> Result<bool> {
    let done = sqlx::query(
        "insert into webhooks (partner, once, state, reference, at, event) values ($1, $2, 0, $3, $4, $5) \
         on conflict (partner, once) do nothing",
    )
    .bind(hook.partner.as_str())
    .bind(hook.once.as_str())
    .bind(hook.reference.as_str())
    .bind(hook.at_ms)
    .bind(json(&hook.event))
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Its key stays seen.
pub async fn drop_webhook(conn: &mut Conn, partner: &str, once: &str) -> Result<()> {
    sqlx::query("update webhooks set state = 2 where partner = $1 and once = $2 and state = 0")
        .bind(partner)
        .bind(once)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn requeue_webhook(conn: &mut Conn, partner: &str, once: &str) -> Result<bool> {
    let done = sqlx::query("update webhooks set state = 0 where partner = $1 and once = $2 and state = 1")
        .bind(partner)
        .bind(once)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn close_incident(conn: &mut Conn, id: &str, by: &str, now_ms: i64) -> Result<bool> {
    let done = sqlx::query("update incidents set closed_at = $2, closed_by = $3 where id = $1 and closed_at is null")
        .bind(pack(id))
        .bind(now_ms)
        .bind(by)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn kv_put(conn: &mut Conn, bucket: &str, key: &str, value: &Value) -> Result<()> {
    sqlx::query(
        "insert into kv (bucket, key, value) values ($1, $2, $3) \
         on conflict (bucket, key) do update set value = excluded.value",
    )
    .bind(bucket)
    .bind(key)
    .bind(json(value))
    .execute(conn)
    .await?;
    Ok(())
}

/// Compares values, not their text; the text that was read is what the update insists on.
pub async fn kv_swap(conn: &mut Conn, bucket: &str, key: &str, expected: Option<&Value>, new: &Value) -> Result<bool> {
    let found: Option<String> = sqlx::query_scalar("select value from kv where bucket = $1 and key = $2")
        .bind(bucket)
        .bind(key)
        .fetch_optional(&mut *conn)
        .await?;
    let query = match (found, expected) {
        (None, None) => {
            sqlx::query("insert into kv (bucket, key, value) values ($1, $2, $3) on conflict (bucket, key) do nothing")
                .bind(bucket)
                .bind(key)
                .bind(json(new))
        }
        (Some(text), Some(expected)) if value(&text, "kv.value")? == *expected => {
            sqlx::query("update kv set value = $3 where bucket = $1 and key = $2 and value = $4")
                .bind(bucket)
                .bind(key)
                .bind(json(new))
                .bind(text)
        }
        _ => return Ok(false),
    };
    Ok(query.execute(conn).await?.rows_affected() == 1)
}

pub async fn kv_delete(conn: &mut Conn, bucket: &str, key: &str) -> Result<bool> {
    let done =
        sqlx::query("delete from kv where bucket = $1 and key = $2").bind(bucket).bind(key).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

/// Bucket of what the store keeps about itself.
pub const STORE: &str = "store";
/// While this key is there no effect is claimed.
pub const HELD: &str = "held";

pub async fn begin_epoch(conn: &mut Conn, epoch: i32, now_ms: i64) -> Result<()> {
    kv_put(conn, STORE, "epoch", &epoch.into()).await?;
    kv_put(conn, STORE, HELD, &now_ms.into()).await?;
    super::effects::end_leases(conn, now_ms).await
}

/// Each table at most `limit` rows, so that a transaction stays short; the caller repeats while something was removed.
pub async fn clean(conn: &mut Conn, replies: &[(String, Vec<u8>)], before_ms: i64, limit: u32) -> Result<u64> {
    let mut removed = 0;
    for (source, input_hash) in replies {
        let query = sqlx::query("delete from replies where source = $1 and input_hash = $2 and at < $3");
        let query = query.bind(source.as_str()).bind(input_hash.as_slice()).bind(before_ms);
        removed += query.execute(&mut *conn).await?.rows_affected();
    }
    for sql in [
        "delete from effects where id in (select id from effects where state in (2, 4) and due_at < $1 limit $2)",
        "delete from sessions where token_hash in (select token_hash from sessions where expires_at < $1 limit $2)",
        "delete from sends where (recipient, number) in (select recipient, number from sends where at < $1 limit $2)",
        "delete from send_counts where (bucket, slot) in (select bucket, slot from send_counts where slot < $1 limit $2)",
    ] {
        let done = sqlx::query(sql).bind(before_ms).bind(i64::from(limit)).execute(&mut *conn).await?;
        removed += done.rows_affected();
    }
    Ok(removed)
}

pub fn record(r: &Row) -> Result<Record> {
    Ok(Record {
        journey: unpack(r.try_get(0)?, "records.journey")?,
        kind: r.try_get(1)?,
        key: r.try_get(2)?,
        public_id: unpack(r.try_get(3)?, "records.public_id")?,
        data: value(r.try_get(4)?, "records.data")?,
        at_ms: r.try_get(5)?,
    })
}

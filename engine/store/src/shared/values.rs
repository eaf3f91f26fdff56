//! Small values by bucket and key.

use super::super::{Conn, Database};
use super::json::{json, value};
use crate::*;
use async_trait::async_trait;
use serde_json::Value;
use sqlx::Row as _;

#[async_trait]
impl Values for Database {
    async fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Value>> {
        read!(self.read_kv(bucket, key))
    }
    async fn kv_put(&self, bucket: &str, key: &str, value: Value) -> Result<()> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => kv_put(conn, &bucket, &key, &value))
    }
    async fn kv_swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => kv_swap(conn, &bucket, &key, expected.as_ref(), &value))
    }
    async fn kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>> {
        read!(self.read_kv_list(bucket, limit))
    }
    async fn kv_delete(&self, bucket: &str, key: &str) -> Result<()> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => kv_delete(conn, &bucket, &key)).map(drop)
    }
}

impl Database {
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

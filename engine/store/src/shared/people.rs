//! Sessions and one-time passwords.

use super::super::{Conn, Database, Row, dialect};
use super::values::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use sqlx::Row as _;
use std::collections::BTreeSet;

impl Database {
    pub async fn read_session(&self, token_hash: &str) -> Result<Option<SessionRecord>> {
        let row = sqlx::query("select id, subject, created_at, expires_at from sessions where token_hash = $1")
            .bind(pack(token_hash))
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| {
            Ok(SessionRecord {
                token_hash: token_hash.to_owned(),
                id: unpack(r.try_get(0)?, "sessions.id")?,
                subject: value(r.try_get(1)?, "sessions.subject")?,
                created_at_ms: r.try_get(2)?,
                expires_at_ms: r.try_get(3)?,
            })
        })
        .transpose()
    }
}

pub async fn save_session(conn: &mut Conn, session: &SessionRecord) -> Result<()> {
    sqlx::query(
        "insert into sessions (token_hash, id, created_at, expires_at, subject) values ($1, $2, $3, $4, $5) \
         on conflict (token_hash) do update set expires_at = excluded.expires_at, subject = excluded.subject",
    )
    .bind(pack(&session.token_hash))
    .bind(pack(&session.id))
    .bind(session.created_at_ms)
    .bind(session.expires_at_ms)
    .bind(json(&session.subject))
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_session(conn: &mut Conn, token_hash: &str) -> Result<()> {
    sqlx::query("delete from sessions where token_hash = $1").bind(pack(token_hash)).execute(conn).await?;
    Ok(())
}

/// Buckets are locked before they are counted: two nodes cannot both see the last free place. "Now" is the OTP's
/// `created_at_ms`. Of several refusals the longest is told.
pub async fn open_otp(conn: &mut Conn, otp: &OtpRecord, limits: &[RateLimit]) -> Result<OtpOpened> {
    let now_ms = otp.created_at_ms;
    let buckets: BTreeSet<&str> = limits.iter().map(|l| l.bucket.as_str()).collect();
    for bucket in &buckets {
        dialect::lock(conn, bucket).await?;
    }
    let mut limited: Option<(i64, &str)> = None;
    for limit in limits {
        // the newest `max` sends: if there are so many, the oldest of them must leave the window first
        let sends: Vec<i64> =
            sqlx::query_scalar("select at from otp_sends where bucket = $1 and at > $2 order by at desc limit $3")
                .bind(limit.bucket.as_str())
                .bind(now_ms.saturating_sub(limit.window_ms))
                .bind(limit.max.max(0))
                .fetch_all(&mut *conn)
                .await?;
        if sends.len() as i64 >= limit.max {
            let retry_at_ms = sends.last().copied().unwrap_or(now_ms).saturating_add(limit.window_ms);
            limited = limited.max(Some((retry_at_ms, &limit.bucket)));
        }
    }
    if let Some((retry_at_ms, bucket)) = limited {
        return Ok(OtpOpened::Limited { bucket: bucket.to_owned(), retry_at_ms });
    }
    for bucket in &buckets {
        sqlx::query("insert into otp_sends (bucket, at) values ($1, $2)")
            .bind(*bucket)
            .bind(now_ms)
            .execute(&mut *conn)
            .await?;
    }
    sqlx::query(
        "insert into otps (id, purpose, target_hash, flow, nonce, tries, created_at, expires_at, used_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(pack(&otp.id))
    .bind(otp.purpose.as_str())
    .bind(pack(&otp.target_hash))
    .bind(otp.flow.as_str())
    .bind(otp.nonce.as_str())
    .bind(otp.tries)
    .bind(now_ms)
    .bind(otp.expires_at_ms)
    .bind(otp.used_at_ms)
    .execute(conn)
    .await?;
    Ok(OtpOpened::Opened)
}

pub async fn try_otp(conn: &mut Conn, id: &str, now_ms: i64, tries_max: i32) -> Result<Option<OtpRecord>> {
    let row = sqlx::query(
        "update otps set tries = tries + 1 where id = $1 and used_at is null and expires_at > $2 and tries < $3 \
         returning purpose, target_hash, flow, nonce, tries, created_at, expires_at",
    )
    .bind(pack(id))
    .bind(now_ms)
    .bind(tries_max)
    .fetch_optional(conn)
    .await?;
    row.map(|r| otp(id, &r)).transpose()
}

pub async fn use_otp(conn: &mut Conn, id: &str, now_ms: i64) -> Result<bool> {
    let done = sqlx::query("update otps set used_at = $2 where id = $1 and used_at is null and expires_at > $2")
        .bind(pack(id))
        .bind(now_ms)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

fn otp(id: &str, r: &Row) -> Result<OtpRecord> {
    Ok(OtpRecord {
        id: id.to_owned(),
        purpose: r.try_get(0)?,
        target_hash: unpack(r.try_get(1)?, "otps.target_hash")?,
        flow: r.try_get(2)?,
        nonce: r.try_get(3)?,
        tries: r.try_get(4)?,
        created_at_ms: r.try_get(5)?,
        expires_at_ms: r.try_get(6)?,
        used_at_ms: None,
    })
}

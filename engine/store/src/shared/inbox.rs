//! References, webhooks and replies.

use super::super::{Conn, Database};
use super::json::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::Row as _;

#[async_trait]
impl Inbox for Database {
    async fn correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>> {
        read!(self.read_correlation(partner, reference))
    }
    async fn park_webhook(&self, hook: WebhookRecord) -> Result<bool> {
        let new = write!(self, conn => park_webhook(conn, &hook))?;
        if new {
            self.wake_all();
        }
        Ok(new)
    }
    async fn parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>> {
        read!(self.read_parked_webhooks(limit))
    }
    async fn drop_webhook(&self, partner: &str, once: &str) -> Result<()> {
        let (partner, once) = (partner.to_owned(), once.to_owned());
        write!(self, conn => drop_webhook(conn, &partner, &once))
    }
    async fn requeue_webhook(&self, partner: &str, once: &str) -> Result<bool> {
        let (partner, once) = (partner.to_owned(), once.to_owned());
        write!(self, conn => requeue_webhook(conn, &partner, &once))
    }
    async fn reusable_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<ReusableReply>> {
        read!(self.read_reply(source, input_hash, since_ms))
    }
}

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
        let rows = sqlx::query(sql!("select partner, once, reference, event, at from webhooks where state = " waiting
                 " order by exists (select 1 from correlations known where known.partner = webhooks.partner \
                 and known.reference = webhooks.reference) desc, at limit $1"))
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

    pub async fn read_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<ReusableReply>> {
        let row = sqlx::query("select output, at from replies where source = $1 and input_hash = $2 and at >= $3")
            .bind(source)
            .bind(pack(input_hash))
            .bind(since_ms)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| {
            Ok(ReusableReply {
                source: source.to_owned(),
                input_hash: input_hash.to_owned(),
                output: value(r.try_get(0)?, "replies.output")?,
                at_ms: r.try_get(1)?,
            })
        })
        .transpose()
    }
}

pub async fn park_webhook(conn: &mut Conn, hook: &WebhookRecord) -> Result<bool> {
    let done = sqlx::query(sql!(
        "insert into webhooks (partner, once, state, reference, at, event) \
         values ($1, $2, " waiting ", $3, $4, $5) on conflict (partner, once) do nothing"
    ))
    .bind(hook.partner.as_str())
    .bind(hook.once.as_str())
    .bind(hook.reference.as_str())
    .bind(hook.at_ms)
    .bind(json(&hook.event))
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Drops a webhook; its key stays seen.
pub async fn drop_webhook(conn: &mut Conn, partner: &str, once: &str) -> Result<()> {
    let sql = sql!("update webhooks set state = " dropped " where partner = $1 and once = $2 and state = " waiting);
    sqlx::query(sql).bind(partner).bind(once).execute(conn).await?;
    Ok(())
}

pub async fn requeue_webhook(conn: &mut Conn, partner: &str, once: &str) -> Result<bool> {
    let sql = sql!("update webhooks set state = " waiting " where partner = $1 and once = $2 and state = " consumed);
    let done = sqlx::query(sql).bind(partner).bind(once).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

//! Messages that were sent, and who is there.

use super::super::{Conn, Database, Row, dialect};
use super::json::{json, value};
use crate::ids::{effect_key, effect_place, pack, to_hex, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

#[async_trait]
impl Contact for Database {
    async fn save_message(&self, message: SentMessage) -> Result<()> {
        write!(self, conn => save_message(conn, &message))
    }
    async fn message(&self, effect: &EffectKey) -> Result<Option<SentMessage>> {
        read!(self.read_message(effect))
    }
    async fn messages(&self, filter: MessageFilter) -> Result<Vec<SentMessage>> {
        read!(self.read_messages(&filter))
    }
    async fn note_presence(&self, notes: Vec<PresenceNote>) -> Result<()> {
        write!(self, conn => note_presence(conn, &notes))
    }
    async fn presence(&self, journey: &str) -> Result<Option<PresenceNote>> {
        read!(self.read_presence(journey))
    }
    async fn clean_messages(&self, before_ms: i64, limit: u32) -> Result<u64> {
        write!(self, conn => clean_messages(conn, before_ms, limit))
    }
}

const COLUMNS: &str = "effect, (select j.id from journeys j where j.n = messages.effect >> 32), message, channel, \
     purpose, language, \
     template_id, recipient, recipient_hash, state, provider_id, reason, ordered_at, at";

impl Database {
    /// Newest first; a limit of 0 means 1,000.
    pub async fn read_messages(&self, filter: &MessageFilter) -> Result<Vec<SentMessage>> {
        let mut query = QueryBuilder::new(format!("select {COLUMNS} from messages where 1 = 1"));
        if let Some(journey) = &filter.journey {
            let number: Option<i64> = sqlx::query_scalar("select n from journeys where id = $1")
                .bind(pack(journey))
                .fetch_optional(&self.pool)
                .await?;
            let Some(n) = number else { return Ok(Vec::new()) };
            query.push(" and effect >= ").push_bind(n << 32).push(" and effect < ").push_bind((n + 1) << 32);
        }
        if let Some(hash) = &filter.recipient_hash {
            query.push(" and recipient_hash = ").push_bind(pack(hash));
        }
        let limit = if filter.limit == 0 { 1000 } else { i64::from(filter.limit) };
        query.push(format!(" order by at desc, effect desc limit {limit}"));
        query.build().fetch_all(&self.pool).await?.iter().map(message).collect()
    }

    pub async fn read_message(&self, key: &EffectKey) -> Result<Option<SentMessage>> {
        let sql = format!(
            "select {COLUMNS} from messages where effect = (((select n from journeys where id = $1) << 32) | $2)"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(pack(&key.journey))
            .bind(effect_place(key))
            .fetch_optional(&self.pool)
            .await?;
        row.map(|r| message(&r)).transpose()
    }

    pub async fn read_presence(&self, journey: &str) -> Result<Option<PresenceNote>> {
        let sql = "select seen_at, online from presence where journey = (select n from journeys where id = $1)";
        let row = sqlx::query(sql).bind(pack(journey)).fetch_optional(&self.pool).await?;
        row.map(|r| {
            Ok(PresenceNote {
                journey: journey.to_owned(),
                seen_at_ms: r.try_get(0)?,
                online: r.try_get::<i16, _>(1)? == 1,
            })
        })
        .transpose()
    }
}

/// One row per effect; what was sent stays sent.
pub async fn save_message(conn: &mut Conn, m: &SentMessage) -> Result<()> {
    sqlx::query(sql!(
        "insert into messages (effect, ordered_at, at, state, message, channel, purpose, language, template_id, \
           recipient, recipient_hash, provider_id, reason) \
         select (n << 32) | $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from journeys where id = $1 \
         on conflict (effect) do update set at = excluded.at, state = excluded.state, \
           language = excluded.language, template_id = excluded.template_id, provider_id = excluded.provider_id, \
           reason = excluded.reason where messages.state <> " sent
    ))
    .bind(pack(&m.effect.journey))
    .bind(effect_place(&m.effect))
    .bind(m.ordered_at_ms)
    .bind(m.at_ms)
    .bind(m.state.number())
    .bind(m.message.as_str())
    .bind(m.channel.as_str())
    .bind(m.purpose.as_str())
    .bind(m.language.as_str())
    .bind(m.template_id.as_deref())
    .bind(m.recipient.as_str())
    .bind(pack(&m.recipient_hash))
    .bind(m.provider_id.as_deref())
    .bind(m.reason.as_ref().map(json))
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn clean_messages(conn: &mut Conn, before_ms: i64, limit: u32) -> Result<u64> {
    let sql = "delete from messages where effect in (select effect from messages where at < $1 order by at limit $2)";
    Ok(sqlx::query(sql).bind(before_ms).bind(i64::from(limit)).execute(conn).await?.rows_affected())
}

/// Journeys that are not known are left out; the newest news of a journey counts. The caller names each journey once.
pub async fn note_presence(conn: &mut Conn, notes: &[PresenceNote]) -> Result<()> {
    let rows: Vec<_> = notes
        .iter()
        .map(|n| serde_json::json!([to_hex(&pack(&n.journey)), n.seen_at_ms, i32::from(n.online)]))
        .collect();
    let sql = format!(
        "insert into presence (journey, seen_at, online) {} on conflict (journey) do update set online = \
             excluded.online, \
         seen_at = excluded.seen_at where excluded.seen_at >= presence.seen_at",
        dialect::SEEN
    );
    sqlx::query(AssertSqlSafe(sql)).bind(serde_json::Value::from(rows).to_string()).execute(conn).await?;
    Ok(())
}

fn message(r: &Row) -> Result<SentMessage> {
    Ok(SentMessage {
        effect: effect_key(unpack(r.try_get(1)?, "messages.effect")?, r.try_get(0)?),
        message: r.try_get(2)?,
        channel: r.try_get(3)?,
        purpose: r.try_get(4)?,
        language: r.try_get(5)?,
        template_id: r.try_get(6)?,
        recipient: r.try_get(7)?,
        recipient_hash: unpack(r.try_get(8)?, "messages.recipient_hash")?,
        state: MessageState::from_number(r.try_get(9)?)?,
        provider_id: r.try_get(10)?,
        reason: r.try_get::<Option<&str>, _>(11)?.map(|t| value(t, "messages.reason")).transpose()?,
        ordered_at_ms: r.try_get(12)?,
        at_ms: r.try_get(13)?,
    })
}

//! Reading journeys, their events and drafts.

use super::super::{Backend, Conn, Database, Pool, Row, dialect};
use super::json::{json, parse, value};
use crate::ids::{pack, to_hex, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};
use tokio::sync::broadcast;

#[async_trait]
impl Journeys for Database {
    async fn journey(&self, id: &str) -> Result<Option<JourneyRecord>> {
        read!(self.read_journey(id))
    }
    async fn journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>> {
        read!(self.read_journeys(ids))
    }
    async fn commit(&self, commit: Box<Commit>) -> Result<Committed> {
        let committed = self.write_commit(commit).await;
        self.hub.note_commit(&committed);
        committed
    }
    async fn used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>> {
        read!(self.read_used_key(journey, key))
    }
    async fn events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>> {
        read!(self.read_events(journey, after_seq, limit))
    }
    async fn journeys_of(&self, filter: JourneyFilter) -> Result<Vec<JourneyHead>> {
        read!(self.read_journeys_of(&filter))
    }
    async fn expired_journeys(&self, now_ms: i64, limit: u32) -> Result<Vec<String>> {
        read!(self.read_expired(now_ms, limit))
    }
    async fn journey_counts(&self) -> Result<Vec<JourneyCount>> {
        read!(self.read_counts())
    }
    async fn save_draft(&self, draft: Draft) -> Result<()> {
        write!(self, conn => save_draft(conn, &draft))
    }
    fn changes(&self) -> broadcast::Receiver<Change> {
        self.hub.changes()
    }
}

impl Database {
    pub async fn read_journey(&self, id: &str) -> Result<Option<JourneyRecord>> {
        let row = sqlx::query(dialect::JOURNEY).bind(pack(id)).fetch_optional(&self.pool).await?;
        row.map(|r| journey(&r)).transpose()
    }

    pub async fn read_journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>> {
        let ids: Vec<String> = ids.iter().map(|id| to_hex(&pack(id))).collect();
        let rows =
            sqlx::query(dialect::JOURNEYS).bind(serde_json::Value::from(ids).to_string()).fetch_all(&self.pool).await?;
        rows.iter().map(journey).collect()
    }

    pub async fn read_events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>> {
        events(&self.pool, journey, after_seq, limit).await
    }

    pub async fn read_journeys_of(&self, filter: &JourneyFilter) -> Result<Vec<JourneyHead>> {
        if filter.owners.is_empty() {
            return Ok(Vec::new());
        }
        let mut page = list(filter);
        let rows = page.build().fetch_all(&self.pool).await?;
        rows.iter()
            .map(|r| {
                Ok(JourneyHead {
                    id: unpack(r.try_get(0)?, "journeys.id")?,
                    workflow: r.try_get(1)?,
                    version: unpack(r.try_get(2)?, "journeys.version")?,
                    status: JourneyStatus::from_name(r.try_get(3)?)?,
                    step: r.try_get(4)?,
                    revision: r.try_get(5)?,
                    created_at_ms: r.try_get(6)?,
                    updated_at_ms: r.try_get(7)?,
                })
            })
            .collect()
    }

    pub async fn read_expired(&self, now_ms: i64, limit: u32) -> Result<Vec<String>> {
        let rows = sqlx::query(
            "select id from journeys where status = 'active' and expires_at is not null and expires_at <= $1 \
             order by expires_at limit $2",
        )
        .bind(now_ms)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|r| unpack(r.try_get(0)?, "journeys.id")).collect()
    }

    pub async fn read_counts(&self) -> Result<Vec<JourneyCount>> {
        let rows = sqlx::query(
            "select workflow, version, step, status, count(*) from journeys \
             group by workflow, version, step, status order by workflow, version, step, status",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|r| {
                Ok(JourneyCount {
                    workflow: r.try_get(0)?,
                    version: unpack(r.try_get(1)?, "journeys.version")?,
                    step: r.try_get(2)?,
                    status: JourneyStatus::from_name(r.try_get(3)?)?,
                    count: r.try_get(4)?,
                })
            })
            .collect()
    }

    pub async fn read_used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>> {
        used_key(&self.pool, journey, key).await
    }
}

/// The page of a list: one look into each index, each from the newest on and no further than the page.
pub fn list(filter: &JourneyFilter) -> QueryBuilder<Backend> {
    let mut query = QueryBuilder::new(
        "select id, workflow, version, status, step, revision, created_at, updated_at from journeys where n in (",
    );
    let columns = filter.owners.iter().flat_map(|owner| [("owner", owner), ("person", owner)]);
    for (at, (column, owner)) in columns.enumerate() {
        query.push(if at == 0 { "" } else { " union " }).push("select n from (select n from journeys where ");
        query.push(column).push(" = ").push_bind(pack(owner));
        query.push(if filter.forgotten { " and keys like '.%'" } else { " and keys not like '.%'" });
        if let Some(status) = filter.status {
            query.push(" and status = ").push_bind(status.as_str());
        }
        if !filter.workflows.is_empty() {
            query.push(" and workflow in (");
            let mut ids = query.separated(", ");
            for workflow in &filter.workflows {
                ids.push_bind(workflow.clone());
            }
            query.push(")");
        }
        if let Some(person) = &filter.person {
            query.push(" and person = ").push_bind(pack(person));
        }
        if let Some(person) = &filter.not_of_others {
            // not `or`: the journeys of an owner are looked for by that index alone
            query.push(" and coalesce(person, ").push_bind(pack(person)).push(") = ").push_bind(pack(person));
        }
        if !filter.records.is_empty() {
            query.push(" and exists (select 1 from records where journey = journeys.n and kind in (");
            let mut kinds = query.separated(", ");
            for kind in &filter.records {
                kinds.push_bind(kind.clone());
            }
            query.push("))");
        }
        if let Some(before) = &filter.before {
            query.push(" and n < (select n from journeys where id = ").push_bind(pack(before)).push(")");
        }
        query.push(" order by n desc limit ").push_bind(i64::from(filter.limit)).push(") as page");
    }
    query.push(") order by n desc limit ").push_bind(i64::from(filter.limit));
    query
}

pub async fn events(pool: &Pool, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>> {
    let rows = sqlx::query(
        // not a join: with `order by` and `limit` PostgreSQL would walk through everyone's events
        "select id, kind, data, actor, at from events where id > (((select n from journeys where id = $1) << 20) | $2) \
         and id < (((select n from journeys where id = $1) + 1) << 20) order by id limit $3",
    )
    .bind(pack(journey))
    .bind(after_seq.clamp(0, ids::SEQ_MAX))
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    rows.iter()
        .map(|r| {
            Ok(EventRecord {
                seq: r.try_get::<i64, _>(0)? & ids::SEQ_MAX,
                kind: r.try_get(1)?,
                data: value(r.try_get(2)?, "events.data")?,
                by: value(r.try_get(3)?, "events.actor")?,
                at_ms: r.try_get(4)?,
            })
        })
        .collect()
}

/// Use of the key $2 in the journey $1. The plus: SQLite would not look a column up in an index of expressions.
pub const USED_KEY: &str =
    "select j.id, e.body_hash from journeys j join events e on e.id >> 20 = +j.n and e.key = $2 where j.id = $1";
/// Use of a key by the start of the journey $1.
pub const USED_START: &str = "select j.id, e.body_hash from journeys j join events e on e.id = ((j.n << 20) | 1) \
     where j.id = $1 and e.body_hash is not null";

/// The body's hash stands with the first event of the commit that used the key.
pub async fn used_key(pool: &Pool, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>> {
    let query = match key {
        Some(key) => sqlx::query(USED_KEY).bind(pack(journey)).bind(key),
        None => sqlx::query(USED_START).bind(pack(journey)),
    };
    let row = query.fetch_optional(pool).await?;
    row.map(|r| Ok(UsedKey { journey: unpack(r.try_get(0)?, "journeys.id")?, body_hash: r.try_get(1)? })).transpose()
}

/// An older draft never replaces a newer one; a draft of an unknown journey is nothing.
pub async fn save_draft(conn: &mut Conn, draft: &Draft) -> Result<()> {
    sqlx::query(
        "insert into drafts (journey, step, at, data) select n, $2, $3, $4 from journeys where id = $1 \
         on conflict (journey, step) do update set at = excluded.at, data = excluded.data where excluded.at >= \
         drafts.at",
    )
    .bind(pack(&draft.journey))
    .bind(draft.step.as_str())
    .bind(draft.at_ms)
    .bind(json(&draft.data))
    .execute(conn)
    .await?;
    Ok(())
}

fn journey(r: &Row) -> Result<JourneyRecord> {
    let id = unpack(r.try_get(0)?, "journeys.id")?;
    let mut answers: Vec<AnswerRecord> = match r.try_get::<Option<&str>, _>(16)? {
        None => Vec::new(),
        Some(text) => parse::<Vec<(String, String, String)>>(text, "answers")?
            .into_iter()
            .map(|(into, key, text)| Ok(AnswerRecord { into, key, value: value(&text, "answers.value")? }))
            .collect::<Result<_>>()?,
    };
    answers.sort_by(|a, b| (&a.into, &a.key).cmp(&(&b.into, &b.key)));
    let drafts = match r.try_get::<Option<&str>, _>(17)? {
        None => Vec::new(),
        Some(text) => parse::<Vec<(String, i64, String)>>(text, "drafts")?
            .into_iter()
            .map(|(step, at_ms, text)| {
                Ok(Draft { journey: id.clone(), step, data: value(&text, "drafts.data")?, at_ms })
            })
            .collect::<Result<_>>()?,
    };
    Ok(JourneyRecord {
        id,
        workflow: r.try_get(1)?,
        version: unpack(r.try_get(2)?, "journeys.version")?,
        revision: r.try_get(3)?,
        seq: r.try_get(4)?,
        status: JourneyStatus::from_name(r.try_get(5)?)?,
        step: r.try_get(6)?,
        owner: unpack(r.try_get(7)?, "journeys.owner")?,
        person: r.try_get::<Option<&[u8]>, _>(8)?.map(|id| unpack(id, "journeys.person")).transpose()?,
        language: r.try_get(9)?,
        channel: r.try_get(10)?,
        created_at_ms: r.try_get(11)?,
        updated_at_ms: r.try_get(12)?,
        expires_at_ms: r.try_get(13)?,
        attribution: value(r.try_get(14)?, "journeys.attribution")?,
        state: r.try_get(15)?,
        answers,
        drafts,
        keys: r.try_get(18)?,
    })
}

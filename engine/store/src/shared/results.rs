//! Records, documents, incidents.

use super::super::{Backend, Conn, Database, Pool, Row};
use super::json::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

#[async_trait]
impl Results for Database {
    async fn records(&self, journey: &str) -> Result<Vec<Record>> {
        read!(self.read_records(journey))
    }
    async fn records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>> {
        read!(self.read_records_of(person, kinds, limit))
    }
    async fn records_in(&self, journeys: &[String], kinds: &[String]) -> Result<Vec<Record>> {
        read!(self.read_records_in(journeys, kinds))
    }
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>> {
        read!(self.read_record(public_id))
    }
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>> {
        read!(self.read_document(id))
    }
    async fn documents_in(&self, journeys: &[String]) -> Result<Vec<DocumentHead>> {
        read!(self.read_documents_in(journeys))
    }
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>> {
        read!(self.read_incidents(open_only, limit))
    }
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>> {
        read!(self.read_incident(id))
    }
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>> {
        read!(self.read_incidents_of(journey, limit))
    }
    async fn add_incident(&self, incident: IncidentRecord) -> Result<bool> {
        write!(self, conn => add_incident(conn, &incident))
    }
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool> {
        let (id, by) = (id.to_owned(), by.to_owned());
        write!(self, conn => close_incident(conn, &id, &by, now_ms))
    }
}

impl Database {
    pub async fn read_records(&self, journey: &str) -> Result<Vec<Record>> {
        records(&self.pool, journey).await
    }

    async fn read_records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>> {
        let mut query = QueryBuilder::new(RECORD);
        query.push(" where j.person = ").push_bind(pack(person));
        of_kinds(&mut query, kinds);
        query.push(" order by r.at desc limit ").push_bind(i64::from(limit));
        query.build().fetch_all(&self.pool).await?.iter().map(record).collect()
    }

    async fn read_records_in(&self, journeys: &[String], kinds: &[String]) -> Result<Vec<Record>> {
        if journeys.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = QueryBuilder::new(RECORD);
        query.push(" where j.id in ");
        these(&mut query, journeys.iter().map(|journey| pack(journey)));
        of_kinds(&mut query, kinds);
        query.push(" order by r.at desc, r.public_id");
        query.build().fetch_all(&self.pool).await?.iter().map(record).collect()
    }

    async fn read_documents_in(&self, journeys: &[String]) -> Result<Vec<DocumentHead>> {
        if journeys.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = QueryBuilder::new("select id, journey, name, media_type, at from documents where journey in ");
        these(&mut query, journeys.iter().map(|journey| pack(journey)));
        query.push(" order by at, id");
        let head = |r: &Row| {
            Ok(DocumentHead {
                id: unpack(r.try_get(0)?, "documents.id")?,
                journey: unpack(r.try_get(1)?, "documents.journey")?,
                name: r.try_get(2)?,
                media_type: r.try_get(3)?,
                at_ms: r.try_get(4)?,
            })
        };
        query.build().fetch_all(&self.pool).await?.iter().map(head).collect()
    }

    pub async fn read_record(&self, public_id: &str) -> Result<Option<Record>> {
        let row = sqlx::query(
            "select j.id, r.kind, r.key, r.public_id, r.data, r.at, r.kept from records r \
             join journeys j on j.n = r.journey where r.public_id = $1",
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
}

const RECORD: &str =
    "select j.id, r.kind, r.key, r.public_id, r.data, r.at, r.kept from journeys j join records r on r.journey = j.n";

/// Adds the condition of these kinds; all where none is said.
fn of_kinds(query: &mut QueryBuilder<Backend>, kinds: &[String]) {
    if !kinds.is_empty() {
        query.push(" and r.kind in ");
        these(query, kinds.iter().cloned());
    }
}

/// A list in brackets.
fn these<'q, T: sqlx::Encode<'q, Backend> + sqlx::Type<Backend>>(
    query: &mut QueryBuilder<Backend>,
    all: impl Iterator<Item = T>,
) {
    query.push("(");
    let mut list = query.separated(", ");
    for one in all {
        list.push_bind(one);
    }
    query.push(")");
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
        "select j.id, r.kind, r.key, r.public_id, r.data, r.at, r.kept from records r \
         join journeys j on j.n = r.journey where j.id = $1 order by r.kind, r.key",
    )
    .bind(pack(journey))
    .fetch_all(pool)
    .await?;
    rows.iter().map(record).collect()
}

pub async fn add_incident(conn: &mut Conn, incident: &IncidentRecord) -> Result<bool> {
    let done = sqlx::query(
        "insert into incidents (id, journey, version, place, reason, at, detail) \
         values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing",
    )
    .bind(pack(&incident.id))
    .bind(pack(&incident.journey))
    .bind(pack(&incident.version))
    .bind(incident.place.as_str())
    .bind(incident.reason.as_str())
    .bind(incident.at_ms)
    .bind(json(&incident.detail))
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

pub fn record(r: &Row) -> Result<Record> {
    Ok(Record {
        journey: unpack(r.try_get(0)?, "records.journey")?,
        kind: r.try_get(1)?,
        key: r.try_get(2)?,
        public_id: unpack(r.try_get(3)?, "records.public_id")?,
        data: value(r.try_get(4)?, "records.data")?,
        at_ms: r.try_get(5)?,
        kept: Kept::from_number(r.try_get(6)?)?,
    })
}

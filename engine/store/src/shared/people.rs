//! Persons, sessions, and what the gate of sends has counted.

use super::super::{Conn, Database, Row};
use super::json::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

#[async_trait]
impl People for Database {
    async fn session(&self, token_hash: &str) -> Result<Option<SessionRecord>> {
        read!(self.read_session(token_hash))
    }
    async fn save_session(&self, session: SessionRecord) -> Result<()> {
        write!(self, conn => save_session(conn, &session))
    }
    async fn end_session(&self, token_hash: &str) -> Result<()> {
        let token_hash = token_hash.to_owned();
        write!(self, conn => end_session(conn, &token_hash))
    }
    async fn sessions_of(&self, person: &str, limit: u32) -> Result<Vec<SessionRecord>> {
        read!(self.read_sessions_of(person, limit))
    }
    async fn person(&self, id: &str) -> Result<Option<PersonRecord>> {
        read!(self.read_person("id", id))
    }
    async fn known_person(&self, mobile: &str) -> Result<Option<PersonRecord>> {
        read!(self.read_person("mobile", mobile))
    }
    async fn person_of(&self, fresh: PersonRecord) -> Result<PersonRecord> {
        if let Some(known) = read!(self.read_person("mobile", &fresh.mobile))? {
            return Ok(known);
        }
        let added = fresh.clone();
        write!(self, conn => add_person(conn, &added))?;
        // Another may have been first.
        Ok(read!(self.read_person("mobile", &fresh.mobile))?.unwrap_or(fresh))
    }
    async fn save_person(&self, person: PersonRecord) -> Result<()> {
        write!(self, conn => save_person(conn, &person))
    }
    async fn renumber(&self, id: &str, mobile: &str) -> Result<bool> {
        let (id, mobile) = (id.to_owned(), mobile.to_owned());
        write!(self, conn => renumber(conn, &id, &mobile))
    }
    async fn remove_person(&self, id: &str) -> Result<()> {
        let id = id.to_owned();
        write!(self, conn => remove_person(conn, &id))
    }
    async fn first_use(&self, hash: &str, now_ms: i64) -> Result<bool> {
        let hash = hash.to_owned();
        write!(self, conn => first_use(conn, &hash, now_ms))
    }
    async fn send_history(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory> {
        read!(self.read_sends(recipient, limit, buckets))
    }
}

impl Database {
    pub async fn read_session(&self, token_hash: &str) -> Result<Option<SessionRecord>> {
        let row = sqlx::query(AssertSqlSafe(format!("{SESSION} where token_hash = $1")))
            .bind(pack(token_hash))
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(session_of).transpose()
    }

    async fn read_sessions_of(&self, person: &str, limit: u32) -> Result<Vec<SessionRecord>> {
        let rows =
            sqlx::query(AssertSqlSafe(format!("{SESSION} where person = $1 order by used_at desc, id limit $2")))
                .bind(pack(person))
                .bind(i64::from(limit))
                .fetch_all(&self.pool)
                .await?;
        rows.iter().map(session_of).collect()
    }

    async fn read_person(&self, column: &str, known: &str) -> Result<Option<PersonRecord>> {
        let sql = format!("select id, mobile, profile, created_at, seen_at, keys from persons where {column} = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(pack(known)).fetch_optional(&self.pool).await?;
        row.map(|r| {
            Ok(PersonRecord {
                id: unpack(r.try_get(0)?, "persons.id")?,
                mobile: unpack(r.try_get(1)?, "persons.mobile")?,
                profile: value(r.try_get(2)?, "persons.profile")?,
                created_at_ms: r.try_get(3)?,
                seen_at_ms: r.try_get(4)?,
                keys: r.try_get(5)?,
            })
        })
        .transpose()
    }

    /// Sends to a recipient, and the counts of buckets, in one statement.
    pub async fn read_sends(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory> {
        let mut query = QueryBuilder::new("select recipient, number, at from sends where recipient = ");
        query
            .push_bind(pack(recipient))
            .push(" and number > (select coalesce(max(number), 0) from sends where recipient = ");
        query.push_bind(pack(recipient)).push(") - ").push_bind(i64::from(limit));
        for (bucket, after) in buckets {
            query
                .push(" union all select bucket, slot, count from send_counts where bucket = ")
                .push_bind(pack(bucket));
            query.push(" and slot > ").push_bind(*after);
        }
        let mut history = SendHistory::default();
        for row in query.build().fetch_all(&self.pool).await? {
            let (number, at) = (row.try_get(1)?, row.try_get(2)?);
            match unpack(row.try_get(0)?, "send_counts.bucket")? {
                of if of == recipient => history.latest.push((number, at)),
                bucket => history.slots.push((bucket, number, at)),
            }
        }
        history.latest.sort_unstable_by(|a, b| b.cmp(a));
        history.slots.sort_unstable_by_key(|(_, slot, _)| *slot);
        Ok(history)
    }
}

const SESSION: &str = "select token_hash, id, subject, person, created_at, used_at, expires_at from sessions";

fn session_of(row: &Row) -> Result<SessionRecord> {
    let person: Option<Vec<u8>> = row.try_get(3)?;
    Ok(SessionRecord {
        token_hash: unpack(row.try_get(0)?, "sessions.token_hash")?,
        id: unpack(row.try_get(1)?, "sessions.id")?,
        subject: value(row.try_get(2)?, "sessions.subject")?,
        person: person.map(|person| unpack(&person, "sessions.person")).transpose()?,
        created_at_ms: row.try_get(4)?,
        used_at_ms: row.try_get(5)?,
        expires_at_ms: row.try_get(6)?,
    })
}

/// A row among the sends, which are cleaned by time: the first of its name.
async fn first_use(conn: &mut Conn, hash: &str, now_ms: i64) -> Result<bool> {
    let sql = "insert into sends (recipient, number, at) values ($1, 1, $2) on conflict do nothing";
    Ok(sqlx::query(sql).bind(pack(hash)).bind(now_ms).execute(conn).await?.rows_affected() == 1)
}

async fn add_person(conn: &mut Conn, person: &PersonRecord) -> Result<()> {
    let sql = "insert into persons (id, mobile, created_at, seen_at, profile, keys) values ($1, $2, $3, $4, $5, $6) \
         on conflict (mobile) do nothing";
    sqlx::query(sql)
        .bind(pack(&person.id))
        .bind(pack(&person.mobile))
        .bind(person.created_at_ms)
        .bind(person.seen_at_ms)
        .bind(json(&person.profile))
        .bind(person.keys.as_str())
        .execute(conn)
        .await?;
    Ok(())
}

async fn renumber(conn: &mut Conn, id: &str, mobile: &str) -> Result<bool> {
    let sql = "update persons set mobile = $2 where id = $1 \
         and not exists (select 1 from persons where mobile = $2 and id <> $1)";
    Ok(sqlx::query(sql).bind(pack(id)).bind(pack(mobile)).execute(conn).await?.rows_affected() == 1)
}

async fn remove_person(conn: &mut Conn, id: &str) -> Result<()> {
    sqlx::query("delete from persons where id = $1").bind(pack(id)).execute(conn).await?;
    Ok(())
}

async fn save_person(conn: &mut Conn, person: &PersonRecord) -> Result<()> {
    sqlx::query("update persons set seen_at = $2, profile = $3, keys = $4, created_at = $5 where id = $1")
        .bind(pack(&person.id))
        .bind(person.seen_at_ms)
        .bind(json(&person.profile))
        .bind(person.keys.as_str())
        .bind(person.created_at_ms)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn save_session(conn: &mut Conn, session: &SessionRecord) -> Result<()> {
    sqlx::query(
        "insert into sessions (token_hash, id, created_at, expires_at, subject, person, used_at) \
         values ($1, $2, $3, $4, $5, $6, $7) on conflict (token_hash) do update set expires_at = excluded.expires_at, \
         subject = excluded.subject, person = excluded.person, used_at = excluded.used_at",
    )
    .bind(pack(&session.token_hash))
    .bind(pack(&session.id))
    .bind(session.created_at_ms)
    .bind(session.expires_at_ms)
    .bind(json(&session.subject))
    .bind(session.person.as_deref().map(pack))
    .bind(session.used_at_ms)
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_session(conn: &mut Conn, token_hash: &str) -> Result<()> {
    sqlx::query("delete from sessions where token_hash = $1").bind(pack(token_hash)).execute(conn).await?;
    Ok(())
}

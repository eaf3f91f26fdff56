//! Wrapped keys of journeys and persons.

use super::super::{Conn, Database};
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

#[async_trait]
impl Keys for Database {
    async fn journey_keys(&self, journeys: &[String]) -> Result<Vec<(String, String)>> {
        read!(self.read_journey_keys(journeys))
    }
    async fn keys_after(&self, number: i64, limit: u32) -> Result<Vec<StoredKeys>> {
        read!(self.read_keys_after(number, limit))
    }
    async fn replace_keys(&self, journey: &str, before: &str, keys: &str) -> Result<bool> {
        let (journey, before, keys) = (journey.to_owned(), before.to_owned(), keys.to_owned());
        write!(self, conn => replace_keys(conn, "journeys", &journey, &before, &keys))
    }
    async fn person_keys_after(&self, person: &str, limit: u32) -> Result<Vec<(String, String)>> {
        read!(self.read_person_keys_after(person, limit))
    }
    async fn replace_person_keys(&self, person: &str, before: &str, keys: &str) -> Result<bool> {
        let (person, before, keys) = (person.to_owned(), before.to_owned(), keys.to_owned());
        write!(self, conn => replace_keys(conn, "persons", &person, &before, &keys))
    }
    async fn person_of_buried(&self, journey: &str) -> Result<Option<String>> {
        read!(self.read_person_of_buried(journey))
    }
    async fn bury_journey(&self, journey: &str, keys: &str, now_ms: i64) -> Result<()> {
        let (journey, keys) = (journey.to_owned(), keys.to_owned());
        transact!(self, conn => bury_journey(conn, &journey, &keys, now_ms))
    }
}

impl Database {
    async fn read_journey_keys(&self, journeys: &[String]) -> Result<Vec<(String, String)>> {
        let mut query = QueryBuilder::new("select id, keys from journeys where id in (");
        let mut ids = query.separated(", ");
        for journey in journeys {
            ids.push_bind(pack(journey));
        }
        query.push(")");
        let rows = query.build().fetch_all(&self.pool).await?;
        rows.iter().map(|r| Ok((unpack(r.try_get(0)?, "journeys.id")?, r.try_get(1)?))).collect()
    }

    async fn read_person_of_buried(&self, journey: &str) -> Result<Option<String>> {
        let sql = "select person from journeys where id = $1 and person is not null and keys like '.%'";
        let row = sqlx::query(sql).bind(pack(journey)).fetch_optional(&self.pool).await?;
        row.map(|r| unpack(r.try_get(0)?, "journeys.person")).transpose()
    }

    async fn read_keys_after(&self, number: i64, limit: u32) -> Result<Vec<StoredKeys>> {
        let rows = sqlx::query("select n, id, keys from journeys where n > $1 order by n limit $2")
            .bind(number)
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|r| {
                let journey = unpack(r.try_get(1)?, "journeys.id")?;
                Ok(StoredKeys { number: r.try_get(0)?, journey, keys: r.try_get(2)? })
            })
            .collect()
    }

    async fn read_person_keys_after(&self, person: &str, limit: u32) -> Result<Vec<(String, String)>> {
        let rows = sqlx::query("select id, keys from persons where id > $1 order by id limit $2")
            .bind(pack(person))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|r| Ok((unpack(r.try_get(0)?, "persons.id")?, r.try_get(1)?))).collect()
    }
}

async fn bury_journey(conn: &mut Conn, journey: &str, keys: &str, now_ms: i64) -> Result<()> {
    let sql = "update journeys set keys = $2, status = 'expired', expires_at = null where id = $1 returning n";
    let number: Option<i64> = sqlx::query_scalar(sql).bind(pack(journey)).bind(keys).fetch_optional(&mut *conn).await?;
    let Some(n) = number else { return Ok(()) };
    let gone = [
        "delete from drafts where journey = $1",
        "delete from answers where journey = $1",
        "delete from timers where journey = $1",
        "delete from presence where journey = $1",
        sql!(
            "delete from documents where journey = (select id from journeys where n = $1) \
             and not exists (select 1 from records where journey = $1 and kept = " on_account ")"
        ),
        sql!(
            "delete from uploads where journey = (select id from journeys where n = $1) and (kept = 0 \
             or not exists (select 1 from records where journey = $1 and kept = " on_account "))"
        ),
        sql!("delete from records where journey = $1 and kept = " not_kept),
    ];
    for sql in gone {
        sqlx::query(sql).bind(n).execute(&mut *conn).await?;
    }
    let sql = sql!(
        "update effects set state = " cancelled ", due_at = $3 \
         where id >= $1 and id < $2 and state in (" pending ", " running ")"
    );
    sqlx::query(sql).bind(n << 32).bind((n + 1) << 32).bind(now_ms).execute(&mut *conn).await?;
    // What partners told of it; that it came stays.
    let sql = "update webhooks set event = 'null' where exists (select 1 from correlations c \
         where c.partner = webhooks.partner and c.reference = webhooks.reference and c.journey = $1)";
    sqlx::query(sql).bind(pack(journey)).execute(&mut *conn).await?;
    let sql = "delete from messages where effect >= $1 and effect < $2";
    sqlx::query(sql).bind(n << 32).bind((n + 1) << 32).execute(&mut *conn).await?;
    Ok(())
}

async fn replace_keys(conn: &mut Conn, of: &str, owner: &str, before: &str, keys: &str) -> Result<bool> {
    let done = sqlx::query(AssertSqlSafe(format!("update {of} set keys = $3 where id = $1 and keys = $2")))
        .bind(pack(owner))
        .bind(before)
        .bind(keys)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

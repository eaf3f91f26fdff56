//! Files that people send.

use super::super::{Conn, Database, Row};
use super::json::{json, value};
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

#[async_trait]
impl Uploads for Database {
    async fn add_upload(&self, upload: UploadRecord) -> Result<()> {
        write!(self, conn => add_upload(conn, &upload))
    }
    async fn upload(&self, id: &str) -> Result<Option<UploadRecord>> {
        read!(self.read_upload(id))
    }
    async fn uploads_in(&self, journeys: &[String]) -> Result<Vec<UploadRecord>> {
        read!(self.read_uploads_in(journeys))
    }
    async fn uploads_due(&self, now_ms: i64, limit: u32) -> Result<Vec<UploadRecord>> {
        read!(self.read_uploads_due(now_ms, limit))
    }
    async fn change_upload(&self, upload: UploadRecord) -> Result<bool> {
        write!(self, conn => change_upload(conn, &upload))
    }
    async fn remove_upload(&self, id: &str) -> Result<()> {
        let id = id.to_owned();
        write!(self, conn => remove_upload(conn, &id))
    }
}

const UPLOAD: &str = "select id, journey, kind, state, version, size, received, kept, at, due, data from uploads";

impl Database {
    async fn read_upload(&self, id: &str) -> Result<Option<UploadRecord>> {
        let sql = AssertSqlSafe(format!("{UPLOAD} where id = $1"));
        sqlx::query(sql).bind(pack(id)).fetch_optional(&self.pool).await?.as_ref().map(upload).transpose()
    }

    async fn read_uploads_in(&self, journeys: &[String]) -> Result<Vec<UploadRecord>> {
        if journeys.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = QueryBuilder::new(UPLOAD);
        query.push(" where journey in (");
        let mut ids = query.separated(", ");
        for journey in journeys {
            ids.push_bind(pack(journey));
        }
        query.push(") order by at, id");
        query.build().fetch_all(&self.pool).await?.iter().map(upload).collect()
    }

    async fn read_uploads_due(&self, now_ms: i64, limit: u32) -> Result<Vec<UploadRecord>> {
        let sql = AssertSqlSafe(format!("{UPLOAD} where due <= $1 order by due limit $2"));
        let rows = sqlx::query(sql).bind(now_ms).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        rows.iter().map(upload).collect()
    }
}

fn upload(r: &Row) -> Result<UploadRecord> {
    let kept: i64 = r.try_get(7)?;
    Ok(UploadRecord {
        id: unpack(r.try_get(0)?, "uploads.id")?,
        journey: unpack(r.try_get(1)?, "uploads.journey")?,
        kind: r.try_get(2)?,
        state: r.try_get(3)?,
        version: r.try_get(4)?,
        size: r.try_get(5)?,
        received: r.try_get(6)?,
        kept: kept != 0,
        at_ms: r.try_get(8)?,
        due_ms: r.try_get(9)?,
        data: value(r.try_get(10)?, "uploads.data")?,
    })
}

async fn add_upload(conn: &mut Conn, upload: &UploadRecord) -> Result<()> {
    sqlx::query(
        "insert into uploads (id, journey, kind, state, version, size, received, kept, at, due, data) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(pack(&upload.id))
    .bind(pack(&upload.journey))
    .bind(upload.kind.as_str())
    .bind(upload.state)
    .bind(upload.version)
    .bind(upload.size)
    .bind(upload.received)
    .bind(i64::from(upload.kept))
    .bind(upload.at_ms)
    .bind(upload.due_ms)
    .bind(json(&upload.data))
    .execute(conn)
    .await?;
    Ok(())
}

async fn change_upload(conn: &mut Conn, upload: &UploadRecord) -> Result<bool> {
    let done = sqlx::query(
        "update uploads set state = $3, version = $2, size = $4, received = $5, due = $6, data = $7 \
         where id = $1 and version = $2 - 1",
    )
    .bind(pack(&upload.id))
    .bind(upload.version)
    .bind(upload.state)
    .bind(upload.size)
    .bind(upload.received)
    .bind(upload.due_ms)
    .bind(json(&upload.data))
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn remove_upload(conn: &mut Conn, id: &str) -> Result<()> {
    sqlx::query("delete from uploads where id = $1").bind(pack(id)).execute(conn).await?;
    Ok(())
}

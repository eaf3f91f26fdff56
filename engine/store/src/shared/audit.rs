//! Rows of the audit trail.

use super::super::{Conn, Database, Row};
use super::upkeep::STORE;
use super::values;
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use serde_json::Value;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

const ROW: &str = "select chain, number, at, hash, row from audit";

#[async_trait]
impl Audit for Database {
    async fn append_audit(&self, row: AuditRow, count: Option<AuditCount>) -> Result<bool> {
        transact!(self, conn => append_audit(conn, &row, count.as_ref()))
    }
    async fn audit_count(&self) -> Result<Option<String>> {
        Ok(read!(self.read_kv(STORE, COUNT))?.and_then(|count| count.as_str().map(str::to_owned)))
    }
    async fn audit_head(&self, chain: &str) -> Result<Option<AuditRow>> {
        read!(self.read_audit_head(chain))
    }
    async fn audit_of(&self, chains: &[String], since_ms: i64, limit: u32) -> Result<Vec<AuditRow>> {
        if chains.is_empty() {
            return Ok(Vec::new());
        }
        read!(self.read_audit_of(chains, since_ms, limit))
    }
    async fn audit_after(
        &self,
        after: Option<(String, i64)>,
        time_ms: Option<(i64, i64)>,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        read!(self.read_audit_after(after.as_ref(), time_ms, limit))
    }
}

impl Database {
    async fn read_audit_head(&self, chain: &str) -> Result<Option<AuditRow>> {
        let sql = format!("{ROW} where chain = $1 order by number desc limit 1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(pack(chain)).fetch_optional(&self.pool).await?;
        row.as_ref().map(audit_row).transpose()
    }

    async fn read_audit_of(&self, chains: &[String], since_ms: i64, limit: u32) -> Result<Vec<AuditRow>> {
        let mut query = QueryBuilder::new(ROW);
        query.push(" where at >= ").push_bind(since_ms).push(" and chain in (");
        let mut all = query.separated(", ");
        for chain in chains {
            all.push_bind(pack(chain));
        }
        query.push(") order by at desc, chain, number desc limit ").push_bind(i64::from(limit));
        query.build().fetch_all(&self.pool).await?.iter().map(audit_row).collect()
    }

    async fn read_audit_after(
        &self,
        after: Option<&(String, i64)>,
        time_ms: Option<(i64, i64)>,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        let mut query = QueryBuilder::new(ROW);
        let (from_ms, until_ms) = time_ms.unwrap_or((0, i64::MAX));
        query.push(" where at >= ").push_bind(from_ms).push(" and at < ").push_bind(until_ms);
        if let Some((chain, number)) = after {
            query.push(" and (chain, number) > (").push_bind(pack(chain)).push(", ").push_bind(*number).push(")");
        }
        query.push(" order by chain, number limit ").push_bind(i64::from(limit));
        query.build().fetch_all(&self.pool).await?.iter().map(audit_row).collect()
    }
}

fn audit_row(row: &Row) -> Result<AuditRow> {
    Ok(AuditRow {
        chain: unpack(row.try_get(0)?, "audit.chain")?,
        number: row.try_get(1)?,
        at_ms: row.try_get(2)?,
        hash: unpack(row.try_get(3)?, "audit.hash")?,
        row: row.try_get(4)?,
    })
}

/// Key of what is counted.
const COUNT: &str = "audit";

async fn append_audit(conn: &mut Conn, row: &AuditRow, count: Option<&AuditCount>) -> Result<bool> {
    let Some(AuditCount { before, after }) = count else { return insert(conn, row).await };
    let (before, after) = (before.as_deref().map(Value::from), Value::from(after.as_str()));
    if !values::kv_swap(conn, STORE, COUNT, before.as_ref(), &after).await? {
        return Ok(false);
    }
    let is_written = insert(conn, row).await?;
    if !is_written {
        match &before {
            Some(before) => values::kv_put(conn, STORE, COUNT, before).await?,
            None => drop(values::kv_delete(conn, STORE, COUNT).await?),
        }
    }
    Ok(is_written)
}

async fn insert(conn: &mut Conn, row: &AuditRow) -> Result<bool> {
    let sql = "insert into audit (chain, number, at, hash, row) values ($1, $2, $3, $4, $5) on conflict do nothing";
    let done = sqlx::query(sql)
        .bind(pack(&row.chain))
        .bind(row.number)
        .bind(row.at_ms)
        .bind(pack(&row.hash))
        .bind(&row.row)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

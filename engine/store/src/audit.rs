//! The audit trail: rows that are only added, in chains.

use crate::Result;
use async_trait::async_trait;

/// Who saw and did what. What a row says, and how its hash is made, is the caller's.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Appends a row, with what is counted from now on, where the row counts. False: the chain has a row of this number
    /// already, or something else is counted by now, and nothing is written.
    async fn append_audit(&self, row: AuditRow, count: Option<AuditCount>) -> Result<bool>;
    /// What is counted, outside of the rows.
    async fn audit_count(&self) -> Result<Option<String>>;
    /// The newest row of a chain.
    async fn audit_head(&self, chain: &str) -> Result<Option<AuditRow>>;
    /// Rows of these chains since a time, the newest first, at most `limit`.
    async fn audit_of(&self, chains: &[String], since_ms: i64, limit: u32) -> Result<Vec<AuditRow>>;
    /// Rows in the order of chain and number, after that one, from the first on without one; all or those of a time,
    /// from the first millisecond until before the second.
    async fn audit_after(
        &self,
        after: Option<(String, i64)>,
        time_ms: Option<(i64, i64)>,
        limit: u32,
    ) -> Result<Vec<AuditRow>>;
}

/// What is counted with a row: opaque text.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditCount {
    pub before: Option<String>,
    pub after: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    pub chain: String,
    /// 1, 2, 3 … in its chain.
    pub number: i64,
    pub at_ms: i64,
    pub hash: String,
    /// Opaque text.
    pub row: String,
}

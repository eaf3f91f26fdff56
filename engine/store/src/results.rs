//! What journeys leave behind: records, documents, incidents.

use crate::{Result, StoreError};
use async_trait::async_trait;
use serde_json::Value;

/// What journeys leave behind.
#[async_trait]
pub trait Results: Send + Sync {
    async fn records(&self, journey: &str) -> Result<Vec<Record>>;
    /// Records of all journeys that belong to a person, of these kinds or, where none is said, of all; the newest
    /// first.
    async fn records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>>;
    /// Records of these journeys, the newest first; of these kinds or, where none is said, of all.
    async fn records_in(&self, journeys: &[String], kinds: &[String]) -> Result<Vec<Record>>;
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>>;
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>>;
    /// Documents of these journeys, the oldest first.
    async fn documents_in(&self, journeys: &[String]) -> Result<Vec<DocumentHead>>;
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>>;
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>>;
    /// Newest first.
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>>;
    /// One of no journey: its name, and its version, are empty. False when it is there already.
    async fn add_incident(&self, incident: IncidentRecord) -> Result<bool>;
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool>;
}

/// Why a record stays when its person is forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kept {
    /// The record served a request, and goes.
    #[default]
    No,
    /// A law asks for it.
    ByLaw,
    /// A law asks for it, and it stays on its person's account, as do the documents of its journey.
    OnAccount,
}

impl Kept {
    /// The number as it is stored.
    pub fn as_int(self) -> i64 {
        match self {
            Kept::No => 0,
            Kept::ByLaw => 1,
            Kept::OnAccount => 2,
        }
    }

    pub(crate) fn from_number(number: i64) -> Result<Kept> {
        match number {
            0 => Ok(Kept::No),
            1 => Ok(Kept::ByLaw),
            2 => Ok(Kept::OnAccount),
            other => {
                Err(StoreError::Corrupt { column: "records.kept", reason: format!("`{other}` is no reason to keep") })
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct NewRecord {
    pub kind: String,
    pub key: String,
    pub data: Value,
    pub kept: Kept,
}

/// Durable result of a journey, upserted by (journey, kind, key); `public_id` is made at the first write.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub journey: String,
    pub kind: String,
    pub key: String,
    pub public_id: String,
    pub data: Value,
    pub kept: Kept,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRecord {
    pub id: String,
    pub journey: String,
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
    pub at_ms: i64,
}

/// A document without what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentHead {
    pub id: String,
    pub journey: String,
    pub name: String,
    pub media_type: String,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IncidentRecord {
    pub id: String,
    pub journey: String,
    pub version: String,
    pub place: String,
    pub reason: String,
    pub detail: Value,
    pub at_ms: i64,
    pub closed_at_ms: Option<i64>,
    /// Who closed it; not written with the incident.
    pub closed_by: Option<String>,
}

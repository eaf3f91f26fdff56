//! What journeys leave behind: records, documents, incidents.

use crate::Result;
use async_trait::async_trait;
use serde_json::Value;

/// What journeys leave behind.
#[async_trait]
pub trait Results: Send + Sync {
    async fn records(&self, journey: &str) -> Result<Vec<Record>>;
    /// Of all journeys that belong to a person, of these kinds or, where none is said, of all; the newest first.
    async fn records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>>;
    /// Of these journeys, the newest first; kinds as above.
    async fn records_in(&self, journeys: &[String], kinds: &[String]) -> Result<Vec<Record>>;
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>>;
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>>;
    /// Of these journeys, the oldest first.
    async fn documents_in(&self, journeys: &[String]) -> Result<Vec<DocumentHead>>;
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>>;
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>>;
    /// Newest first.
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>>;
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool>;
}

#[derive(Debug, Clone)]
pub struct NewRecord {
    pub kind: String,
    pub key: String,
    pub data: Value,
}

/// Durable result of a journey, upserted by (journey, kind, key); `public_id` is made at the first write.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub journey: String,
    pub kind: String,
    pub key: String,
    pub public_id: String,
    pub data: Value,
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

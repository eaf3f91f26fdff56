//! Files that people send: what is known of each; their bytes lie elsewhere.

use crate::Result;
use async_trait::async_trait;
use serde_json::Value;

#[async_trait]
pub trait Uploads: Send + Sync {
    async fn add_upload(&self, upload: UploadRecord) -> Result<()>;
    async fn upload(&self, id: &str) -> Result<Option<UploadRecord>>;
    /// Uploads of these journeys, the oldest first.
    async fn uploads_in(&self, journeys: &[String]) -> Result<Vec<UploadRecord>>;
    /// Uploads that somebody is to look at by then, the most urgent first.
    async fn uploads_due(&self, now_ms: i64, limit: u32) -> Result<Vec<UploadRecord>>;
    /// Replaces the upload with the number before this one's `version`; false when it is another by now.
    async fn change_upload(&self, upload: UploadRecord) -> Result<bool>;
    async fn remove_upload(&self, id: &str) -> Result<()>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct UploadRecord {
    pub id: String,
    pub journey: String,
    /// What it is a file of.
    pub kind: String,
    /// State of the file, in the words of who keeps it.
    pub state: i64,
    /// Counts its changes, from 1.
    pub version: i64,
    /// Bytes: as announced, and so many of them that are there.
    pub size: i64,
    pub received: i64,
    /// Whether the file stays where a record stays on the account of a person who is forgotten.
    pub kept: bool,
    pub at_ms: i64,
    /// When somebody is to look at it.
    pub due_ms: Option<i64>,
    pub data: Value,
}

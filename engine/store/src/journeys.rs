//! Journeys and their history.

use crate::{Commit, Committed, Result, StoreError};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Journeys, their history, and what is typed beside it.
#[async_trait]
pub trait Journeys: Send + Sync {
    /// Journey with its answers (fan-out rows) in one read; `None` when there is none.
    async fn journey(&self, id: &str) -> Result<Option<JourneyRecord>>;
    /// Journeys of these ids, as far as there are any, in any order, in one read.
    async fn journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>>;
    /// Writes a journey's commit: the one write path (**one-commit**, **seq-cas**, **key-with-event**, **fence**).
    async fn commit(&self, commit: Box<Commit>) -> Result<Committed>;
    /// What this key was used for in a journey; without one, by a start.
    async fn used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>>;
    async fn events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>>;
    /// What one of these began, or what belongs to one as a person; the newest begun first. A page costs the same
    /// however much there is.
    async fn journeys_of(&self, filter: JourneyFilter) -> Result<Vec<JourneyHead>>;
    /// Active journeys whose `expires_at` has passed.
    async fn expired_journeys(&self, now_ms: i64, limit: u32) -> Result<Vec<String>>;
    async fn journey_counts(&self) -> Result<Vec<JourneyCount>>;
    async fn save_draft(&self, draft: Draft) -> Result<()>;
    /// Changes of journeys as they commit, on this node or another.
    fn changes(&self) -> tokio::sync::broadcast::Receiver<Change>;
}

/// A journey as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct JourneyRecord {
    pub id: String,
    pub workflow: String,
    pub version: String,
    /// Number of the step that a person sees.
    pub revision: i64,
    /// Number of the last event; without gaps from 1.
    pub seq: i64,
    pub status: JourneyStatus,
    /// Id of the state whose step is shown, for lists and counts.
    pub step: String,
    /// The runtime's document (snapshot, trail, runs …): JSON text, which this crate never reads.
    pub state: String,
    /// Subject that began it: a session's or a person's id.
    pub owner: String,
    /// The person whose journey it is: who began it signed in, or whose number was verified in it.
    pub person: Option<String>,
    pub language: String,
    pub channel: String,
    pub attribution: Value,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    pub expires_at_ms: Option<i64>,
    /// Fan-out rows, by (`into`, `key`).
    pub answers: Vec<AnswerRecord>,
    /// What is being typed, by step.
    pub drafts: Vec<Draft>,
    /// Keys of the journey, wrapped: for who seals what this crate stores.
    pub keys: String,
}

/// Whether a journey still goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JourneyStatus {
    Active,
    /// The journey's machine came to an end.
    Done,
    /// The journey was idle for its time to live.
    Expired,
}

impl JourneyStatus {
    /// The status as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            JourneyStatus::Active => "active",
            JourneyStatus::Done => "done",
            JourneyStatus::Expired => "expired",
        }
    }

    pub(crate) fn from_name(name: &str) -> Result<JourneyStatus> {
        let all = [JourneyStatus::Active, JourneyStatus::Done, JourneyStatus::Expired];
        all.into_iter()
            .find(|status| status.as_str() == name)
            .ok_or_else(|| StoreError::Corrupt { column: "journeys.status", reason: format!("`{name}` is no status") })
    }
}

/// One answer of a fan-out, beside the snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRecord {
    pub into: String,
    pub key: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub journey: String,
    pub step: String,
    pub data: Value,
    pub at_ms: i64,
}

/// Which journeys of somebody.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JourneyFilter {
    pub owners: Vec<String>,
    /// Workflows of the journeys; of any where none is said.
    pub workflows: Vec<String>,
    /// Kinds of which the journeys have a record; with or without any where none is said.
    pub records: Vec<String>,
    /// The person to whom the journeys belong, whoever began them.
    pub person: Option<String>,
    /// Without those of other persons than this one.
    pub not_of_others: Option<String>,
    pub status: Option<JourneyStatus>,
    /// Whether only journeys are read whose person was forgotten; otherwise those are left out.
    pub forgotten: bool,
    /// Begun before this one: the last of the page before.
    pub before: Option<String>,
    pub limit: u32,
}

impl JourneyFilter {
    /// All of one.
    pub fn of(owner: &str, limit: u32) -> JourneyFilter {
        JourneyFilter { owners: vec![owner.to_owned()], limit, ..JourneyFilter::default() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct JourneyHead {
    pub id: String,
    pub workflow: String,
    pub version: String,
    pub status: JourneyStatus,
    pub step: String,
    pub revision: i64,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

impl JourneyRecord {
    /// What lists show of it.
    pub fn head(self) -> JourneyHead {
        let JourneyRecord { id, workflow, version, status, step, revision, created_at_ms, updated_at_ms, .. } = self;
        JourneyHead { id, workflow, version, status, step, revision, created_at_ms, updated_at_ms }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct JourneyCount {
    pub workflow: String,
    pub version: String,
    pub step: String,
    pub status: JourneyStatus,
    pub count: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    pub seq: i64,
    pub kind: String,
    pub data: Value,
    pub by: Value,
    pub at_ms: i64,
}

/// What a key was used for.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedKey {
    pub journey: String,
    pub body_hash: i64,
}

/// Told to listeners after a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub journey: String,
    pub seq: i64,
    pub revision: i64,
    pub what: Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// What a person sees.
    Step,
    /// Rows of a fan-out, on the same step.
    Answer,
    /// Something beside them.
    Message,
    /// Without a journey: other definitions are current.
    Publication,
    /// Without a journey: a node could not hear the others for a while, and anything may have changed.
    Missed,
}

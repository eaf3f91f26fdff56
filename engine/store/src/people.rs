//! Who people are, who is signed in, and how often something was sent to whom.

use crate::Result;
use async_trait::async_trait;
use serde_json::Value;

/// Persons, sessions, and what the gate of sends counts.
#[async_trait]
pub trait People: Send + Sync {
    async fn session(&self, token_hash: &str) -> Result<Option<SessionRecord>>;
    async fn save_session(&self, session: SessionRecord) -> Result<()>;
    async fn end_session(&self, token_hash: &str) -> Result<()>;
    /// The newest `limit` of a person's, last used first; those that are over may be among them.
    async fn sessions_of(&self, person: &str, limit: u32) -> Result<Vec<SessionRecord>>;
    async fn person(&self, id: &str) -> Result<Option<PersonRecord>>;
    /// The person of a number, by its hash.
    async fn known_person(&self, mobile: &str) -> Result<Option<PersonRecord>>;
    /// The person of a number, by its hash; this one from now on if there is none.
    async fn person_of(&self, fresh: PersonRecord) -> Result<PersonRecord>;
    /// Saves a person: profile, keys, when they began and when they signed in last.
    async fn save_person(&self, person: PersonRecord) -> Result<()>;
    /// Gives a person another number from now on, by its hash; false when it is another person's.
    async fn renumber(&self, id: &str, mobile: &str) -> Result<bool>;
    async fn remove_person(&self, id: &str) -> Result<()>;
    /// Whether something that counts once is shown for the first time, on any node; by its hash.
    async fn first_use(&self, hash: &str, now_ms: i64) -> Result<bool>;
    /// The newest `limit` sends to a recipient, and what each bucket counted in the slots that begin after a time.
    async fn send_history(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory>;
}

/// Somebody who has shown that a mobile number is theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonRecord {
    pub id: String,
    /// Keyed hash of the number.
    pub mobile: String,
    pub profile: Value,
    /// Keys of the person, wrapped: for who seals what this crate stores.
    pub keys: String,
    pub created_at_ms: i64,
    /// When the person signed in last.
    pub seen_at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// Hash of the opaque token; the token itself is never stored.
    pub token_hash: String,
    pub id: String,
    /// Who it is: `{kind, roles, person?, channel …}`.
    pub subject: Value,
    /// The person of the session, once they have signed in.
    pub person: Option<String>,
    pub created_at_ms: i64,
    /// When the session was last used, to the hour.
    pub used_at_ms: i64,
    pub expires_at_ms: i64,
}

/// A send that a gate counts, at the time of its commit.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedSend {
    /// Keyed hash of the number or address.
    pub recipient: String,
    /// One more than that of the recipient's last send. Who finds it taken decides anew ([`Committed::Moved`]): two
    /// nodes cannot both take the last free place.
    pub number: i64,
    /// Wider buckets, each with the start of the slot of time in which the send falls.
    pub buckets: Vec<(String, i64)>,
}

/// What a gate has counted so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SendHistory {
    /// Number and time of a recipient's newest sends, newest first.
    pub latest: Vec<(i64, i64)>,
    /// Bucket, start of a slot, sends in it; oldest slot first.
    pub slots: Vec<(String, i64, i64)>,
}

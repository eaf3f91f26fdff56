//! Wrapped keys of journeys and persons, for who seals what is stored.

use crate::Result;
use async_trait::async_trait;

#[async_trait]
pub trait Keys: Send + Sync {
    /// Keys of these journeys, as far as there are any.
    async fn journey_keys(&self, journeys: &[String]) -> Result<Vec<(String, String)>>;
    /// Keys in the order of the journeys' numbers, after this one.
    async fn keys_after(&self, number: i64, limit: u32) -> Result<Vec<StoredKeys>>;
    /// Replaces `before` by a journey's new keys; false when they are others by now.
    async fn replace_keys(&self, journey: &str, before: &str, keys: &str) -> Result<bool>;
    /// Keys of the persons whose ids come after this one, in their order: id and keys.
    async fn person_keys_after(&self, person: &str, limit: u32) -> Result<Vec<(String, String)>>;
    /// Replaces `before` by a person's new keys; false when they are others by now.
    async fn replace_person_keys(&self, person: &str, before: &str, keys: &str) -> Result<bool>;
    /// The person of a journey that was buried; `None`: it was not, or is nobody's.
    async fn person_of_buried(&self, journey: &str) -> Result<Option<String>>;
    /// A journey has these keys alone from now on, is over, and nothing of it is due any more: its drafts, answers,
    /// timers, messages and records that no law keeps are removed, its effects cancelled; its documents, and
    /// of what was sent with it what is kept, stay where a record stays on the account.
    async fn bury_journey(&self, journey: &str, keys: &str, now_ms: i64) -> Result<()>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredKeys {
    /// Number of the journey.
    pub number: i64,
    pub journey: String,
    pub keys: String,
}

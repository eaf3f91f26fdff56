//! Messages that were sent, and who is there.

use crate::{EffectKey, Result, StoreError};
use async_trait::async_trait;
use serde_json::Value;

/// Messages that were sent, and who is there.
#[async_trait]
pub trait Contact: Send + Sync {
    /// Records what became of a message: one row per effect, and what was sent stays sent.
    async fn save_message(&self, message: SentMessage) -> Result<()>;
    async fn message(&self, effect: &EffectKey) -> Result<Option<SentMessage>>;
    async fn messages(&self, filter: MessageFilter) -> Result<Vec<SentMessage>>;
    /// Who came and went, in one statement; each journey once, unknown ones are left out. Older news than what is
    /// written changes nothing.
    async fn note_presence(&self, notes: Vec<PresenceNote>) -> Result<()>;
    async fn presence(&self, journey: &str) -> Result<Option<PresenceNote>>;
    /// Removes the record of messages that were sent before.
    async fn clean_messages(&self, before_ms: i64, limit: u32) -> Result<u64>;
}

/// What became of a message to a person. The recipient is masked; the hash (keyed by the caller) finds it again.
#[derive(Debug, Clone, PartialEq)]
pub struct SentMessage {
    /// The effect that ordered it: never two rows for one.
    pub effect: EffectKey,
    /// Id of the message's definition.
    pub message: String,
    pub channel: String,
    pub purpose: String,
    pub language: String,
    pub template_id: Option<String>,
    pub recipient: String,
    pub recipient_hash: String,
    pub state: MessageState,
    /// The gateway's own id of it.
    pub provider_id: Option<String>,
    /// Why it failed or was skipped.
    pub reason: Option<Value>,
    pub ordered_at_ms: i64,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageState {
    Failed,
    Sent,
    /// Not sent on purpose.
    Skipped,
}

impl MessageState {
    const ALL: [MessageState; 3] = [MessageState::Failed, MessageState::Sent, MessageState::Skipped];

    /// The state's number as it is stored.
    pub(crate) fn number(self) -> i16 {
        match self {
            MessageState::Failed => 0,
            MessageState::Sent => 1,
            MessageState::Skipped => 2,
        }
    }

    pub(crate) fn from_number(number: i16) -> Result<MessageState> {
        MessageState::ALL
            .into_iter()
            .find(|state| state.number() == number)
            .ok_or_else(|| StoreError::Corrupt { column: "messages.state", reason: number.to_string() })
    }
}

#[derive(Debug, Clone, Default)]
pub struct MessageFilter {
    pub journey: Option<String>,
    pub recipient_hash: Option<String>,
    pub limit: u32,
}

/// When somebody was last active on a journey's page.
#[derive(Debug, Clone, PartialEq)]
pub struct PresenceNote {
    pub journey: String,
    pub seen_at_ms: i64,
    pub online: bool,
}

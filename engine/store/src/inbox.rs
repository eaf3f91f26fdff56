//! What comes from outside: references under which journeys are found, webhooks, replies that can be used again.

use crate::Result;
use async_trait::async_trait;
use serde_json::Value;

/// What comes from outside, and how its journey is found.
#[async_trait]
pub trait Inbox: Send + Sync {
    async fn correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>>;
    /// Records a webhook once; false when its `once` key was seen. It waits until a commit consumes it.
    async fn park_webhook(&self, hook: WebhookRecord) -> Result<bool>;
    /// Webhooks that wait; those whose reference is known by now first, then the oldest.
    async fn parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>>;
    /// Drops a webhook: it waits no more; its key stays seen.
    async fn drop_webhook(&self, partner: &str, once: &str) -> Result<()>;
    /// One that a commit has consumed waits again, to be delivered once more; false when there is none.
    async fn requeue_webhook(&self, partner: &str, once: &str) -> Result<bool>;
    /// A successful answer of the same source and input, younger than `since_ms`.
    async fn reusable_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<ReusableReply>>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationRecord {
    pub partner: String,
    pub reference: String,
    pub journey: String,
    /// What a later event must agree with, e.g. amount and currency.
    pub expected: Value,
}

/// An outside event, unique by (`partner`, `once`).
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookRecord {
    pub partner: String,
    pub once: String,
    pub reference: String,
    pub event: Value,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReusableReply {
    pub source: String,
    pub input_hash: String,
    pub output: Value,
    pub at_ms: i64,
}

//! Outside events: verified and read by `http`, found here by their references.

use super::Background;
use crate::core::{RuntimeError, Settled};
use crate::turn::Ends;
use engine_store::WebhookRecord;
use serde_json::{Map, Value};

/// A webhook that was verified and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    pub partner: String,
    /// Business key: the same fact arrives once, by whichever way.
    pub once: String,
    pub reference: String,
    /// Event type, and the one that is sent instead when `actual` is not what was expected.
    pub event: String,
    pub mismatch: Option<String>,
    pub data: Map<String, Value>,
    pub actual: Map<String, Value>,
}

impl Background {
    /// An outside event, found by its reference; unknown ones are parked (workflows.md rule 22).
    pub async fn deliver(&self, hook: &Hook) -> Result<Settled, RuntimeError> {
        let record = self.hook_record(hook)?;
        let Some(correlation) = self.core.store().correlation(&hook.partner, &hook.reference).await? else {
            self.core.store().park_webhook(record).await?;
            return Ok(Settled::Unknown);
        };
        self.deliver_to(&correlation.journey, &correlation.expected, hook, record).await
    }

    /// Parked webhooks whose reference is known by now; old ones become incidents of nobody and are dropped.
    pub async fn retry_parked(&self, keep_ms: i64) -> Result<usize, RuntimeError> {
        let mut delivered = 0;
        for record in self.core.store().parked_webhooks(100).await? {
            let Ok(hook) = serde_json::from_value::<StoredHook>(record.event.clone()) else { continue };
            let hook = hook.into_hook(&record);
            if let Some(correlation) = self.core.store().correlation(&hook.partner, &hook.reference).await? {
                self.deliver_to(&correlation.journey, &correlation.expected, &hook, record).await?;
                delivered += 1;
            } else if record.at_ms + keep_ms < self.core.now_ms() {
                tracing::warn!(partner = record.partner, "a webhook's reference stayed unknown");
                self.core.store().drop_webhook(&record.partner, &record.once).await?;
            }
        }
        Ok(delivered)
    }

    async fn deliver_to(
        &self,
        journey: &str,
        expected: &Value,
        hook: &Hook,
        record: WebhookRecord,
    ) -> Result<Settled, RuntimeError> {
        let agrees = hook.actual.iter().all(|(name, actual)| expected.get(name).is_none_or(|e| e == actual));
        let kind = if agrees {
            hook.event.clone()
        } else {
            hook.mismatch.clone().unwrap_or_else(|| format!("{}.mismatch", hook.partner))
        };
        let mut data = hook.data.clone();
        data.insert("expected".into(), expected.clone());
        let ends = Ends::Webhook(record.clone());
        self.core.turn(journey, &ends, |turn| turn.webhook(&record, &kind, data.clone()).map(|()| true)).await
    }

    fn hook_record(&self, hook: &Hook) -> Result<WebhookRecord, RuntimeError> {
        let event = serde_json::to_value(StoredHook {
            event: hook.event.clone(),
            mismatch: hook.mismatch.clone(),
            data: hook.data.clone(),
            actual: hook.actual.clone(),
        })?;
        Ok(WebhookRecord {
            partner: hook.partner.clone(),
            once: hook.once.clone(),
            reference: hook.reference.clone(),
            event,
            at_ms: self.core.now_ms(),
        })
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
struct StoredHook {
    event: String,
    mismatch: Option<String>,
    data: Map<String, Value>,
    actual: Map<String, Value>,
}

impl StoredHook {
    fn into_hook(self, record: &WebhookRecord) -> Hook {
        Hook {
            partner: record.partner.clone(),
            once: record.once.clone(),
            reference: record.reference.clone(),
            event: self.event,
            mismatch: self.mismatch,
            data: self.data,
            actual: self.actual,
        }
    }
}

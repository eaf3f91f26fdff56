//! Outside events: verified and read by `http`, found here by their references.

use super::Background;
use crate::core::{RuntimeError, Settled};
use crate::turn::{Ends, Turn};
use engine_definitions::WebhookTells as Tells;
use engine_store::{IncidentRecord, WebhookRecord};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Waiting webhooks of one look for those of nobody.
const REPORT_MAX: u32 = 10_000;
/// What is to be done about an event of nobody, where its definition says nothing.
const TO_DO: &str = "find it at the partner, and have it put in order or undone";

/// Who closes the incident of a webhook that was delivered after all.
const ITS_JOURNEY: &str = "its journey";

/// A webhook that was verified and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    pub partner: String,
    /// Business key: the same fact arrives once, by whichever way.
    pub once: String,
    pub reference: String,
    pub tells: Tells,
}

impl Background {
    /// An outside event, found by its reference. Unknown ones are parked, also those whose journey is forgotten: money
    /// that comes for it is reported.
    pub async fn deliver(&self, hook: &Hook) -> Result<Settled, RuntimeError> {
        let record = self.hook_record(hook)?;
        let settled = self.deliver_known(hook, record.clone()).await?;
        if settled == Settled::Unknown {
            self.core.store().park_webhook(record).await?;
        }
        Ok(settled)
    }

    async fn deliver_known(&self, hook: &Hook, record: WebhookRecord) -> Result<Settled, RuntimeError> {
        match self.core.store().correlation(&hook.partner, &hook.reference).await? {
            Some(correlation) => self.deliver_to(&correlation.journey, &correlation.expected, hook, record).await,
            None => Ok(Settled::Unknown),
        }
    }

    /// Parked webhooks whose reference is known by now; old ones are dropped, their incident stays.
    pub async fn retry_parked(&self, keep_ms: i64) -> Result<usize, RuntimeError> {
        let mut delivered = 0;
        for record in self.core.store().parked_webhooks(100).await? {
            let Ok(tells) = serde_json::from_value::<Tells>(record.event.clone()) else { continue };
            let (partner, once) = (record.partner.clone(), record.once.clone());
            let hook = Hook { partner, once, reference: record.reference.clone(), tells };
            if self.deliver_known(&hook, record.clone()).await? != Settled::Unknown {
                self.core
                    .store()
                    .close_incident(&incident_of(&hook.partner, &hook.once), ITS_JOURNEY, self.core.now_ms())
                    .await?;
                delivered += 1;
            } else if record.at_ms + keep_ms < self.core.now_ms() {
                tracing::warn!(partner = record.partner, "a webhook's reference stayed unknown");
                self.core.store().drop_webhook(&record.partner, &record.once).await?;
            }
        }
        Ok(delivered)
    }

    /// Webhooks that have waited so long for their journey become incidents of nobody: money that was taken, or
    /// whatever else was told, waits for an operator. `known`: those of former looks, which are not asked about again.
    pub async fn report_unknown(&self, after_ms: i64, known: &mut HashSet<String>) -> Result<usize, RuntimeError> {
        let store = self.core.store();
        let mut parked = HashSet::new();
        let mut reported = Vec::new();
        for record in store.parked_webhooks(REPORT_MAX).await? {
            let Ok(tells) = serde_json::from_value::<Tells>(record.event) else { continue };
            let hook = Hook { partner: record.partner, once: record.once, reference: record.reference, tells };
            let id = incident_of(&hook.partner, &hook.once);
            if record.at_ms + after_ms > self.core.now_ms() {
                continue;
            }
            if !known.contains(&id) && store.add_incident(self.unknown(&hook, &id)).await? {
                tracing::warn!(partner = hook.partner, reference = hook.reference, "a webhook of nobody");
                reported.push(id.clone());
            }
            parked.insert(id);
        }
        *known = parked;
        self.close_delivered(&reported).await?;
        Ok(reported.len())
    }

    /// Closes those of the incidents whose webhook has found its journey since the look: another node delivers it and
    /// closes an incident that is not there yet.
    async fn close_delivered(&self, incidents: &[String]) -> Result<(), RuntimeError> {
        if incidents.is_empty() {
            return Ok(());
        }
        let store = self.core.store();
        let parked = store.parked_webhooks(u32::MAX).await?;
        let parked: HashSet<_> = parked.iter().map(|record| incident_of(&record.partner, &record.once)).collect();
        for id in incidents.iter().filter(|id| !parked.contains(*id)) {
            store.close_incident(id, ITS_JOURNEY, self.core.now_ms()).await?;
        }
        Ok(())
    }

    fn unknown(&self, hook: &Hook, id: &str) -> IncidentRecord {
        let Hook { partner, reference, tells, .. } = hook;
        let catalog = self.core.catalog();
        let webhooks = catalog.partner(partner).into_iter().flat_map(|partner| partner.webhooks.values());
        let to_do = webhooks.into_iter().find_map(|webhook| webhook.unknown(tells.name())).unwrap_or(TO_DO);
        IncidentRecord {
            id: id.to_owned(),
            journey: String::new(),
            version: String::new(),
            place: partner.clone(),
            reason: format!("nobody here knows `{reference}` of the event {}: {to_do}", tells.name()),
            detail: Value::Null,
            at_ms: self.core.now_ms(),
            closed_at_ms: None,
            closed_by: None,
        }
    }

    async fn deliver_to(
        &self,
        journey: &str,
        expected: &Value,
        hook: &Hook,
        record: WebhookRecord,
    ) -> Result<Settled, RuntimeError> {
        let ends = Ends::Webhook(record.clone());
        let (event, data, actual, mismatch) = match &hook.tells {
            Tells::Event { event, data, actual, mismatch } => (event, data, actual, mismatch),
            Tells::Record { record: kind, key, data } => {
                let noted = |turn: &mut Turn<'_>| turn.record_note(kind, key, data).map(|()| true);
                return self.core.turn(journey, &ends, noted).await;
            }
        };
        let agrees = actual.iter().all(|(name, actual)| expected.get(name).is_none_or(|e| e == actual));
        let kind = if agrees {
            event.clone()
        } else {
            mismatch.clone().unwrap_or_else(|| format!("{}.mismatch", hook.partner))
        };
        let mut data = data.clone();
        data.insert("expected".into(), expected.clone());
        self.core.turn(journey, &ends, |turn| turn.webhook(&record, &kind, data.clone()).map(|()| true)).await
    }

    fn hook_record(&self, hook: &Hook) -> Result<WebhookRecord, RuntimeError> {
        Ok(WebhookRecord {
            partner: hook.partner.clone(),
            once: hook.once.clone(),
            reference: hook.reference.clone(),
            event: serde_json::to_value(&hook.tells)?,
            at_ms: self.core.now_ms(),
        })
    }
}

/// Id of a webhook's incident, the same on every node and at every look.
fn incident_of(partner: &str, once: &str) -> String {
    let digest = hex::encode(Sha256::digest(format!("{partner}\n{once}")));
    digest.get(..32).unwrap_or_default().to_owned()
}

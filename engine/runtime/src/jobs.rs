//! What background work does with journeys: replies, timers, webhooks, expiry. Called by `worker` and by the webhook
//! routes.

use crate::actor::Actor;
use crate::clock::new_id;
use crate::effect::{CallPayload, CallResult, NotifyPayload};
use crate::fact::{Outcome, Work};
use crate::journeys::{Unanswered, read};
use crate::runtime::{Runtime, RuntimeError};
use crate::turn::{Ends, Refused, Turn};
use engine_store::{Committed, EffectEnd, EffectRecord, WebhookRecord};
use serde_json::{Map, Value, json};

/// What became of a piece of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    Done,
    /// Somebody else did it, or it is no longer wanted.
    Superseded,
    /// The reference is not known (yet).
    Unknown,
}

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

const TRIES: usize = 50;

impl Runtime {
    /// The outcome of a call's effect, in one commit with what it changes.
    pub async fn settle(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        result: CallResult,
    ) -> Result<Settled, RuntimeError> {
        let outcome = match &result.outcome {
            Outcome::Output(_) => json!({"ok": true}),
            Outcome::Error(failure) => json!({"ok": false, "code": failure.code}),
        };
        self.settle_as(effect, payload, result, EffectEnd::Done { outcome }).await
    }

    pub(crate) async fn settle_as(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        result: CallResult,
        end: EffectEnd,
    ) -> Result<Settled, RuntimeError> {
        let ends = Ends::Effect(effect.key.clone(), effect.fence, end);
        let reply = |turn: &mut Turn<'_>| turn.reply(payload, result.clone()).map(|()| true);
        self.internal_turn(&effect.key.journey, &ends, reply).await
    }

    /// A message is given up: an operator sees it, and the person, where the journey has something to say.
    pub async fn message_failed(
        &self,
        effect: &EffectRecord,
        order: &NotifyPayload,
        reason: Value,
    ) -> Result<Settled, RuntimeError> {
        let code = reason.get("code").and_then(Value::as_str).unwrap_or("failed").to_owned();
        let ends = Ends::Effect(effect.key.clone(), effect.fence, EffectEnd::Parked { reason });
        self.internal_turn(&effect.key.journey, &ends, |turn| turn.message_failed(order, &code)).await
    }

    /// Work on these journeys follows at once: what this node does not have in hand is read together. A journey that is
    /// not read here is read when its turn comes.
    pub async fn expect(&self, journeys: impl Iterator<Item = &str>) {
        let unknown: Vec<String> = journeys.filter(|id| !self.inner.recent.has(id)).map(str::to_owned).collect();
        if unknown.len() < 2 {
            return;
        }
        match self.store().journeys(&unknown).await {
            Ok(records) => records
                .into_iter()
                .filter_map(|record| read(record).ok())
                .for_each(|journey| self.inner.recent.put(journey)),
            Err(error) => tracing::debug!(%error, "journeys cannot be read together"),
        }
    }

    /// A due timer. One that the journey no longer has does nothing (security rule 8).
    pub async fn fire(&self, journey: &str, timer: &str) -> Result<Settled, RuntimeError> {
        self.internal_turn(journey, &Ends::Timer(timer.to_string()), |turn| turn.fire(timer)).await
    }

    /// An outside event, found by its reference; unknown ones are parked (workflows.md rule 22).
    pub async fn deliver(&self, hook: &Hook) -> Result<Settled, RuntimeError> {
        let record = self.hook_record(hook)?;
        let Some(correlation) = self.store().correlation(&hook.partner, &hook.reference).await? else {
            self.store().park_webhook(record).await?;
            return Ok(Settled::Unknown);
        };
        self.deliver_to(&correlation.journey, &correlation.expected, hook, record).await
    }

    /// Parked webhooks whose reference is known by now; old ones become incidents of nobody and are dropped.
    pub async fn retry_parked(&self, keep_ms: i64) -> Result<usize, RuntimeError> {
        let mut delivered = 0;
        for record in self.store().parked_webhooks(100).await? {
            let Ok(hook) = serde_json::from_value::<StoredHook>(record.event.clone()) else { continue };
            let hook = hook.into_hook(&record);
            if let Some(correlation) = self.store().correlation(&hook.partner, &hook.reference).await? {
                self.deliver_to(&correlation.journey, &correlation.expected, &hook, record).await?;
                delivered += 1;
            } else if record.at_ms + keep_ms < self.now_ms() {
                tracing::warn!(partner = record.partner, "a webhook's reference stayed unknown");
                self.store().drop_webhook(&record.partner, &record.once).await?;
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
        self.internal_turn(journey, &ends, |turn| turn.webhook(&record, &kind, data.clone()).map(|()| true)).await
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
            at_ms: self.now_ms(),
        })
    }

    /// Ends journeys that were idle for their time to live.
    pub async fn expire_due(&self, limit: u32) -> Result<usize, RuntimeError> {
        let due = self.store().expired_journeys(self.now_ms(), limit).await?;
        for journey in &due {
            self.internal_turn(journey, &Ends::Nothing, |turn| turn.expire().map(|()| true)).await?;
        }
        Ok(due.len())
    }

    /// The shared frame: read, decide, commit; again when another writer was first; an incident when the definition
    /// fails.
    pub(crate) async fn internal_turn(
        &self,
        journey: &str,
        ends: &Ends,
        decide: impl Fn(&mut Turn<'_>) -> Result<bool, Refused>,
    ) -> Result<Settled, RuntimeError> {
        let _line = self.lock(journey).await;
        let mut recent = self.inner.recent.take(journey);
        for _ in 0..TRIES {
            let from_recent = recent.is_some();
            let stored = match recent.take() {
                Some(stored) => stored,
                None => match self.store().journey(journey).await? {
                    Some(record) => read(record)?,
                    None => return Ok(Settled::Superseded),
                },
            };
            let (workflow, catalog) = (self.workflow_of(&stored.record).await?, self.catalog());
            let mut turn = Turn::on(&workflow, &catalog, stored, self.now_ms());
            turn.end(ends.clone());
            let decided = decide(&mut turn);
            if from_recent && (!matches!(decided, Ok(true)) || turn.has_questions()) {
                continue;
            }
            let done = match decided {
                Ok(done) => done,
                Err(Refused::Unselected) => false,
                Err(Refused::Broken { place, reason }) => {
                    tracing::error!(
                        workflow = workflow.id,
                        version = workflow.version,
                        place,
                        reason,
                        "definition failed on a reply or timer"
                    );
                    return self.incident_commit(journey, &place, &reason, ends).await;
                }
            };
            if !done && !ends.without_a_fact() {
                return Ok(Settled::Superseded);
            }
            match self.answer_pending(&mut turn, &Actor::system()).await {
                Ok(()) => {}
                Err(Unanswered::Broken { place, reason }) => {
                    return self.incident_commit(journey, &place, &reason, ends).await;
                }
                Err(Unanswered::Refused(_)) => return Err(engine_store::StoreError::Busy.into()),
            }
            let (commit, after) = turn.commit()?;
            match self.store().commit(commit).await? {
                Committed::Done { .. } => {
                    self.inner.recent.put(after);
                    return Ok(Settled::Done);
                }
                Committed::Superseded | Committed::KeyUsed(_) => return Ok(Settled::Superseded),
                Committed::Moved => {}
            }
        }
        Err(engine_store::StoreError::Busy.into())
    }

    /// Only facts, on a journey that does not move.
    pub(crate) async fn note(
        &self,
        journey: &str,
        note: impl Fn(&mut Turn<'_>) -> Result<(), Refused>,
    ) -> Result<Option<Committed>, RuntimeError> {
        for _ in 0..TRIES {
            let Some(record) = self.store().journey(journey).await? else { return Ok(None) };
            let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
            let mut turn = Turn::on(&workflow, &catalog, read(record)?, self.now_ms());
            let failed = |reason: String| RuntimeError::Definition { place: journey.into(), reason };
            note(&mut turn).map_err(|refused| failed(format!("{refused:?}")))?;
            match self.store().commit(turn.commit()?.0).await? {
                Committed::Moved => {}
                committed => return Ok(Some(committed)),
            }
        }
        Err(engine_store::StoreError::Busy.into())
    }

    /// Only an incident, on a journey that does not move. Tries of passwords that the failed turn made stay counted.
    pub(crate) async fn record_incident(
        &self,
        failed: &Turn<'_>,
        place: &str,
        reason: &str,
        detail: Value,
    ) -> Result<(String, String), RuntimeError> {
        let (id, tried) = (new_id(), &failed.state.otps);
        let step = std::sync::Mutex::new(String::new());
        let noted = self.note(failed.id(), |turn| {
            *step.lock().unwrap_or_else(|e| e.into_inner()) = turn.step_node();
            turn.fail(&id, place, reason, detail.clone(), tried)
        });
        match noted.await? {
            Some(_) => Ok((id, step.into_inner().unwrap_or_else(|e| e.into_inner()))),
            None => Err(engine_store::StoreError::Busy.into()),
        }
    }

    async fn incident_commit(
        &self,
        journey: &str,
        place: &str,
        reason: &str,
        ends: &Ends,
    ) -> Result<Settled, RuntimeError> {
        let detail = Work::beside(Value::Null, ends.work().as_ref());
        let parked = EffectEnd::Parked { reason: json!({"code": "definition", "place": place, "reason": reason}) };
        let noted = self.note(journey, |turn| {
            turn.end(match ends.clone() {
                Ends::Effect(key, fence, _) => Ends::Effect(key, fence, parked.clone()),
                other => other,
            });
            turn.fail(&new_id(), place, reason, detail.clone(), &Default::default())
        });
        Ok(match noted.await? {
            Some(Committed::Done { .. }) => Settled::Done,
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) | None => Settled::Superseded,
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

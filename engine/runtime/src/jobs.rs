//! What background work does with journeys: replies, timers, webhooks, expiry. Called by `worker` and by the webhook
//! routes.

use crate::actor::Actor;
use crate::clock::new_id;
use crate::effect::{CallPayload, CallResult, NotifyPayload};
use crate::journeys::{Unanswered, read};
use crate::operator::{with_work, work_of};
use crate::runtime::{Runtime, RuntimeError};
use crate::turn::{Finished, Journey, Refused, Turn};
use engine_store::{
    Commit, Committed, EffectEnd, EffectRecord, IncidentRecord, JourneyRecord, JourneyUpdate, NewEvent, WebhookRecord,
};
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
/// Event of an incident: recorded, without a consequence for the machine.
pub(crate) const INCIDENT: &str = "incident";

impl Runtime {
    /// The outcome of a call's effect, in one commit with what it changes.
    pub async fn settle(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        result: CallResult,
    ) -> Result<Settled, RuntimeError> {
        let outcome = match &result {
            CallResult::Done { .. } => json!({"ok": true}),
            CallResult::Failed { code, .. } => json!({"ok": false, "code": code}),
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
        let ends = (effect.key.clone(), effect.fence, end);
        let finished = || Finished { settles: Some(ends.clone()), ..Finished::default() };
        self.internal_turn(&effect.key.journey, finished, |turn| {
            turn.reply(&effect.key, payload, result.clone()).map(|()| true)
        })
        .await
    }

    /// A message is given up: an operator sees it, and the person, where the journey has something to say.
    pub async fn message_failed(
        &self,
        effect: &EffectRecord,
        order: &NotifyPayload,
        reason: Value,
    ) -> Result<Settled, RuntimeError> {
        let code = reason.get("code").and_then(Value::as_str).unwrap_or("failed").to_owned();
        let ends = (effect.key.clone(), effect.fence, EffectEnd::Parked { reason });
        let finished = || Finished { settles: Some(ends.clone()), ..Finished::default() };
        self.internal_turn(&effect.key.journey, finished, |turn| turn.message_failed(&effect.key, order, &code)).await
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
        let finished = || Finished { fires: Some(timer.to_string()), ..Finished::default() };
        self.internal_turn(journey, finished, |turn| turn.fire(timer)).await
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
        let finished = || Finished { consumes: Some(record.clone()), ..Finished::default() };
        self.internal_turn(journey, finished, |turn| turn.webhook(&record, &kind, data.clone()).map(|()| true)).await
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
            self.internal_turn(journey, Finished::default, |turn| turn.expire().map(|()| true)).await?;
        }
        Ok(due.len())
    }

    /// The shared frame: read, decide, commit; again when another writer was first; an incident when the definition
    /// fails.
    pub(crate) async fn internal_turn(
        &self,
        journey: &str,
        finished: impl Fn() -> Finished,
        decide: impl Fn(&mut Turn) -> Result<bool, Refused>,
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
            let expires = stored.record.expires_at_ms;
            let mut turn = Turn::on(&workflow, &catalog, stored, self.now_ms());
            let decided = decide(&mut turn);
            if from_recent && (!matches!(decided, Ok(true)) || !turn.pending.is_empty()) {
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
                    return self.incident_commit(journey, &place, &reason, finished()).await;
                }
            };
            if !done && finished().settles.is_none() && finished().fires.is_none() {
                return Ok(Settled::Superseded);
            }
            match self.answer_pending(&mut turn, &Actor::system()).await {
                Ok(()) => {}
                Err(Unanswered::Broken { place, reason }) => {
                    return self.incident_commit(journey, &place, &reason, finished()).await;
                }
                Err(Unanswered::Refused(_)) => return Err(engine_store::StoreError::Busy.into()),
            }
            let (commit, after) = turn.commit(finished(), expires)?;
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

    /// Only an incident, on a journey that does not move. Tries of passwords that the failed turn made stay counted.
    pub(crate) async fn record_incident(
        &self,
        failed: &Turn<'_>,
        place: &str,
        reason: &str,
        detail: Value,
    ) -> Result<(String, String), RuntimeError> {
        for _ in 0..TRIES {
            let Some(record) = self.store().journey(&failed.journey).await? else { break };
            let id = new_id();
            let step = record.step.clone();
            let incident = self.incident_record(&id, &record, place, reason, detail.clone());
            let Journey { state: mut now, .. } = read(record.clone())?;
            let tries = now.count_tries(&failed.state.otps);
            let mut commit = unmoved(record, &incident, self.now_ms());
            if !tries.is_empty() {
                commit.update.state = serde_json::to_string(&now)?;
                commit.events[0].data["tries"] = json!(tries);
            }
            commit.incidents.push(incident);
            if let Committed::Done { .. } = self.store().commit(commit).await? {
                return Ok((id, step));
            }
        }
        Err(engine_store::StoreError::Busy.into())
    }

    async fn incident_commit(
        &self,
        journey: &str,
        place: &str,
        reason: &str,
        finished: Finished,
    ) -> Result<Settled, RuntimeError> {
        for _ in 0..TRIES {
            let Some(record) = self.store().journey(journey).await? else { return Ok(Settled::Superseded) };
            let incident =
                self.incident_record(&new_id(), &record, place, reason, with_work(Value::Null, &work_of(&finished)));
            let mut commit = unmoved(record, &incident, self.now_ms());
            commit.incidents.push(incident);
            commit.settles = finished.settles.clone().map(|(key, fence, _)| {
                (
                    key,
                    fence,
                    EffectEnd::Parked { reason: json!({"code": "definition", "place": place, "reason": reason}) },
                )
            });
            commit.fires = finished.fires.clone();
            commit.consumes = finished.consumes.clone();
            match self.store().commit(commit).await? {
                Committed::Moved => {}
                Committed::Done { .. } => return Ok(Settled::Done),
                Committed::Superseded | Committed::KeyUsed(_) => return Ok(Settled::Superseded),
            }
        }
        Err(engine_store::StoreError::Busy.into())
    }

    fn incident_record(
        &self,
        id: &str,
        record: &JourneyRecord,
        place: &str,
        reason: &str,
        detail: Value,
    ) -> IncidentRecord {
        let (journey, version) = (record.id.clone(), record.version.clone());
        IncidentRecord {
            id: id.into(),
            journey,
            version,
            place: place.into(),
            reason: reason.into(),
            detail,
            at_ms: self.now_ms(),
            closed_at_ms: None,
            closed_by: None,
        }
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

/// A commit that moves nothing: the history says that there was an incident.
fn unmoved(record: JourneyRecord, incident: &IncidentRecord, now_ms: i64) -> Commit {
    let event = NewEvent {
        kind: INCIDENT.into(),
        data: json!({"id": incident.id, "place": incident.place}),
        by: Actor::system().stored_by(&record.owner),
        at_ms: now_ms,
    };
    noted(record, event, now_ms)
}

/// One event beside the machine.
pub(crate) fn noted(record: JourneyRecord, event: NewEvent, now_ms: i64) -> Commit {
    let update = JourneyUpdate {
        revision: record.revision,
        status: record.status,
        step: record.step,
        state: record.state,
        owner: None,
        expires_at_ms: record.expires_at_ms,
        at_ms: now_ms,
    };
    Commit { events: vec![event], ..Commit::moving(&record.id, record.seq, update, "message") }
}

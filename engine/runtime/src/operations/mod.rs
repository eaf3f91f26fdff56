//! What operators do: look at stuck work and incidents, retry, skip, close, read and replay a journey's history.
//!
//! The operator API and the command line both call this. Every use asks the table of roles (`Core::permit`); whoever
//! may not gets what an unknown address gets. Who did it stands beside what was done: in the outcome of a skipped
//! effect, in `closed_by`, and as an event `retried` of the journey.

mod audit;
mod keys;
mod replay;
mod tell;
mod view;

pub use crate::core::{Forgotten, Holds};
pub use view::{EffectView, Effects, EventView, IncidentView, JourneyHistory, TimerView, state_name};

use crate::actor::{Action, Actor, Resource};
use crate::core::{Core, Deed, Settled, read};
use crate::effect::{CallFailure, Effect};
use crate::fact::{Fact, Work};
use crate::refusal::Refusal;
use crate::turn::{Ends, Turn};
use crate::work::Background;
use engine_store::{Committed, EffectEnd, EffectFilter, EffectKey, EffectRecord, EffectState, NewTimer};
use serde_json::json;
use std::sync::Arc;

/// What operators do.
#[derive(Clone)]
pub struct Operations {
    pub(crate) core: Arc<Core>,
    pub(crate) work: Background,
}

/// Longest list.
const LIMIT_MAX: u32 = 1_000;

impl Operations {
    pub async fn effects(&self, actor: &Actor, wanted: Effects) -> Result<Vec<EffectView>, Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        let filter = EffectFilter {
            journey: wanted.journey,
            state: wanted.state,
            kind: wanted.kind,
            lane: wanted.lane,
            limit: wanted.limit.clamp(1, LIMIT_MAX),
        };
        Ok(self.core.store().effects(filter).await?.iter().map(EffectView::of).collect())
    }

    /// A parked effect is due again, with fresh attempts and its old key: a partner that honours keys does nothing
    /// twice.
    pub async fn retry_effect(&self, actor: &Actor, key: &EffectKey) -> Result<(), Refusal> {
        self.core.operate(actor, Deed::EffectRetried, &key.to_string()).await?;
        self.load_parked(key).await?;
        self.do_again(actor, key).await
    }

    /// A parked effect is given up. A call that is still awaited fails with the code `skipped`, and the journey goes
    /// on.
    pub async fn skip_effect(&self, actor: &Actor, key: &EffectKey) -> Result<(), Refusal> {
        self.core.operate(actor, Deed::EffectSkipped, &key.to_string()).await?;
        let effect = self.load_parked(key).await?;
        let end = EffectEnd::Cancelled { reason: json!({"code": "skipped", "by": actor.id, "was": effect.outcome}) };
        let done = match Effect::read(&effect) {
            Ok(Effect::Call(payload)) => {
                let skipped = CallFailure::of("skipped").into();
                self.work.settle_as(&effect, &payload, skipped, end).await? == Settled::Done
            }
            // Also one that this program cannot read.
            Ok(Effect::Notify(_) | Effect::Track(_)) | Err(_) => {
                self.core.store().finish_effect(key, effect.fence, end).await?
            }
        };
        if !done {
            return Err(not_possible(format!("effect `{key}` has changed meanwhile")));
        }
        tracing::info!(operator = actor.id, effect = %key, "effect skipped");
        Ok(())
    }

    /// After a restore from a backup: effects go out again; false when they were not held.
    pub async fn release_sends(&self, actor: &Actor) -> Result<bool, Refusal> {
        self.core.operate(actor, Deed::SendsReleased, "").await?;
        let released = self.core.store().release_sends().await?;
        if released {
            tracing::info!(operator = actor.id, "effects go out again");
        }
        Ok(released)
    }

    pub async fn incidents(&self, actor: &Actor, open_only: bool, limit: u32) -> Result<Vec<IncidentView>, Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        Ok(self
            .core
            .store()
            .incidents(open_only, limit.clamp(1, LIMIT_MAX))
            .await?
            .into_iter()
            .map(IncidentView::of)
            .collect())
    }

    pub async fn close_incident(&self, actor: &Actor, id: &str) -> Result<(), Refusal> {
        self.core.operate(actor, Deed::IncidentClosed, id).await?;
        if self.core.store().incident(id).await?.is_none() {
            return Err(Refusal::NotFound);
        }
        if !self.core.store().close_incident(id, &actor.id, self.core.now_ms()).await? {
            return Err(not_possible("the incident is closed already".into()));
        }
        tracing::info!(operator = actor.id, incident = id, "incident closed");
        Ok(())
    }

    /// The work that raised an open incident is done again: a call, a timer, a webhook. What a
    /// person sent is kept as their draft, and is theirs to send again.
    pub async fn retry_incident(&self, actor: &Actor, id: &str) -> Result<(), Refusal> {
        self.core.operate(actor, Deed::IncidentRetried, id).await?;
        let incident = self.core.store().incident(id).await?.ok_or(Refusal::NotFound)?;
        if incident.closed_at_ms.is_some() {
            return Err(not_possible("the incident is closed already".into()));
        }
        let work = Work::of(&incident.detail).ok_or_else(|| {
            not_possible("nothing waits for this incident: the person sends it again, or close it".into())
        })?;
        match work.clone() {
            Work::Effect(key) => self.do_again(actor, &key).await?,
            Work::Timer(timer) => {
                let due = NewTimer { id: timer, due_at_ms: self.core.now_ms() };
                self.note_retry(actor, &incident.journey, work, Some(due)).await?;
            }
            Work::Webhook(partner, once) => {
                self.note_retry(actor, &incident.journey, work, None).await?;
                if !self.core.store().requeue_webhook(&partner, &once).await? {
                    return Err(not_possible("the webhook is not kept any more".into()));
                }
            }
        }
        // Last: until then it may be retried again.
        self.core.store().close_incident(id, &actor.id, self.core.now_ms()).await?;
        tracing::info!(operator = actor.id, incident = id, "incident retried");
        Ok(())
    }

    /// Events in order, with names of fields instead of what people wrote; effects, timers and incidents.
    pub async fn history(&self, actor: &Actor, journey: &str) -> Result<JourneyHistory, Refusal> {
        let (record, _) = self.core.mine(actor, Action::Operate, journey).await?;
        let events = self.events(journey).await?;
        let filter = EffectFilter { journey: Some(journey.into()), limit: LIMIT_MAX, ..EffectFilter::default() };
        let effects = self.core.store().effects(filter).await?;
        let incidents = self.core.store().incidents_of(journey, LIMIT_MAX).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let head = record.clone();
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
        Ok(JourneyHistory::of(
            &head,
            &events,
            &effects,
            turn.due_timers().into_iter().map(|(due_ms, id)| TimerView::of(&turn, due_ms, id)).collect(),
            incidents,
        ))
    }

    async fn load_parked(&self, key: &EffectKey) -> Result<EffectRecord, Refusal> {
        let effect = self.core.store().effect(key).await?.ok_or(Refusal::NotFound)?;
        if effect.state != EffectState::Parked {
            return Err(not_possible(format!("effect `{key}` is not parked")));
        }
        Ok(effect)
    }

    /// First the journey awaits it, then it is due: a crash in between is mended by asking again.
    async fn do_again(&self, actor: &Actor, key: &EffectKey) -> Result<(), Refusal> {
        let effect = self
            .core
            .store()
            .effect(key)
            .await?
            .ok_or_else(|| not_possible(format!("effect `{key}` is not kept any more")))?;
        if !matches!(effect.state, EffectState::Parked | EffectState::Done) {
            return Err(not_possible(format!("effect `{key}` is neither parked nor done")));
        }
        match Effect::read(&effect) {
            Ok(Effect::Call(payload)) if payload.invoke.is_some() => {
                let reopened = std::sync::atomic::AtomicBool::new(false);
                let settled = self.core.turn(&key.journey, &Ends::Nothing, |turn| {
                    let open = turn.reopen(&payload, key, actor)?;
                    reopened.store(open, std::sync::atomic::Ordering::Relaxed);
                    Ok(open)
                });
                settled.await?;
                if !reopened.into_inner() {
                    return Err(not_possible("the journey has left the state that made this call".into()));
                }
            }
            Ok(_) => self.note_retry(actor, &key.journey, Work::Effect(key.clone()), None).await?,
            Err(error) => return Err(not_possible(format!("effect `{key}` is not readable: {error}"))),
        }
        if !self.core.store().requeue_effect(key, self.core.now_ms()).await? {
            return Err(not_possible(format!("effect `{key}` has changed meanwhile")));
        }
        tracing::info!(operator = actor.id, effect = %key, "effect retried");
        Ok(())
    }

    /// The history says who asked for it; with it, what becomes due.
    async fn note_retry(
        &self,
        actor: &Actor,
        journey: &str,
        work: Work,
        timer: Option<NewTimer>,
    ) -> Result<(), Refusal> {
        let noted = self.core.note(journey, |turn| {
            turn.due(timer.clone());
            turn.apply(Fact::Retried { work: work.clone(), awaited: None }, actor).map(drop)
        });
        match noted.await? {
            Some(Committed::Done { .. }) => Ok(()),
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) | None => Err(Refusal::Busy),
        }
    }
}

fn not_possible(reason: String) -> Refusal {
    Refusal::NotPossible { reason }
}

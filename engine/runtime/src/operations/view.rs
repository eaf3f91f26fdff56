//! What an operator sees. Never what people wrote or partners said: names, codes, numbers and times.

use crate::actor::VISITOR;
use crate::clock::rfc3339;
use crate::effect::Effect;
use crate::fact::{Fact, Work};
use crate::turn::Turn;
use crate::view::Status;
use engine_store::{EffectRecord, EffectState, EventRecord, IncidentRecord, JourneyRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Which effects; everything that is not named is not asked about.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    pub state: Option<EffectState>,
    pub kind: Option<String>,
    pub lane: Option<String>,
    pub journey: Option<String>,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EffectView {
    /// `journey.seq.index`; the partner's idempotency key.
    pub key: String,
    pub journey: String,
    /// `call`, `notify`, `track`.
    pub kind: String,
    pub lane: String,
    /// `partner/operation`, the message, or the step.
    pub target: String,
    /// `pending`, `running`, `done`, `parked`, `cancelled`.
    pub state: String,
    pub attempts: i32,
    pub attempts_max: i32,
    pub created_at: String,
    pub due_at: String,
    /// How it ended, or why the last attempt did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Where a definition is at fault, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The operator who gave it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl EffectView {
    pub(super) fn of(effect: &EffectRecord) -> EffectView {
        let outcome = effect.outcome.as_ref();
        let text = |name: &str| outcome.and_then(|o| o.get(name)).and_then(Value::as_str).map(str::to_owned);
        let ok = outcome.is_some_and(|o| o["ok"] == true || o["sent"] == true || o["recorded"] == true);
        let code = text("code").or_else(|| ok.then(|| "ok".into()));
        let target = Effect::read(effect).map(|order| order.target()).unwrap_or_default();
        EffectView {
            key: effect.key.to_string(),
            journey: effect.key.journey.clone(),
            kind: effect.kind.clone(),
            lane: effect.lane.clone(),
            target,
            state: state_name(effect.state).into(),
            attempts: effect.attempts,
            attempts_max: effect.attempts_max,
            created_at: rfc3339(effect.created_at_ms),
            due_at: rfc3339(effect.due_at_ms),
            // What a mail server or a mapping said may quote an address; a definition's fault does not.
            reason: text("reason")
                .filter(|_| code.as_deref() == Some("definition"))
                .map(|why| format!("{}: {why}", text("place").unwrap_or_default())),
            by: text("by"),
            code,
        }
    }
}

/// The state's name in lists and filters.
pub fn state_name(state: EffectState) -> &'static str {
    match state {
        EffectState::Pending => "pending",
        EffectState::Running => "running",
        EffectState::Done => "done",
        EffectState::Parked => "parked",
        EffectState::Cancelled => "cancelled",
    }
}

impl Effects {
    /// `all`, or a state by its name.
    pub fn state_named(name: &str) -> Option<Option<EffectState>> {
        let all = [
            EffectState::Pending,
            EffectState::Running,
            EffectState::Done,
            EffectState::Parked,
            EffectState::Cancelled,
        ];
        if name == "all" { Some(None) } else { all.into_iter().find(|state| state_name(*state) == name).map(Some) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IncidentView {
    pub id: String,
    pub journey: String,
    /// Version of the workflow at fault.
    pub version: String,
    pub place: String,
    pub reason: String,
    pub at: String,
    /// What `retry` would do again: `effect`, `timer` or `webhook`; absent when there is nothing to do again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
}

impl IncidentView {
    pub(super) fn of(incident: IncidentRecord) -> IncidentView {
        let work = Work::of(&incident.detail).filter(|_| incident.closed_at_ms.is_none());
        IncidentView {
            retries: work.map(|work| work.name().into()),
            id: incident.id,
            journey: incident.journey,
            version: incident.version,
            place: incident.place,
            reason: incident.reason,
            at: rfc3339(incident.at_ms),
            closed_at: incident.closed_at_ms.map(rfc3339),
            closed_by: incident.closed_by,
        }
    }
}

/// One journey from its first event to now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JourneyHistory {
    pub id: String,
    pub workflow: String,
    pub version: String,
    pub status: Status,
    pub step: String,
    pub revision: i64,
    pub events: Vec<EventView>,
    pub effects: Vec<EffectView>,
    pub timers: Vec<TimerView>,
    pub incidents: Vec<IncidentView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventView {
    pub seq: i64,
    /// What happened in one word; of an event its own name.
    pub kind: String,
    pub at: String,
    /// `visitor`, `customer`, `system`, …; of an operator with the name.
    pub by: String,
    /// Names of what it carried; values are the person's.
    pub fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TimerView {
    pub id: String,
    pub due_at: String,
    /// `keep_deadline`, `keep_rest`, `restart`: what a move to another version does to it.
    pub on_version: String,
}

impl TimerView {
    pub(super) fn of(turn: &Turn<'_>, due_ms: i64, id: String) -> TimerView {
        TimerView { on_version: turn.on_version(&id).as_str().into(), due_at: rfc3339(due_ms), id }
    }
}

impl JourneyHistory {
    pub(super) fn of(
        head: &JourneyRecord,
        events: &[EventRecord],
        effects: &[EffectRecord],
        mut timers: Vec<TimerView>,
        incidents: Vec<IncidentRecord>,
    ) -> JourneyHistory {
        timers.sort_by(|a, b| a.due_at.cmp(&b.due_at));
        JourneyHistory {
            id: head.id.clone(),
            workflow: head.workflow.clone(),
            version: head.version.clone(),
            status: head.status.into(),
            step: head.step.clone(),
            revision: head.revision,
            events: events.iter().map(EventView::of).collect(),
            effects: effects.iter().map(EffectView::of).collect(),
            timers,
            incidents: incidents.into_iter().map(IncidentView::of).collect(),
        }
    }
}

impl EventView {
    fn of(event: &EventRecord) -> EventView {
        let kind = event.by.get("kind").and_then(Value::as_str).unwrap_or(VISITOR);
        let by = match (kind, event.by.get("id").and_then(Value::as_str)) {
            ("operator", Some(name)) => format!("operator {name}"),
            _ => kind.to_owned(),
        };
        let fact = Fact::read(event);
        let fields = fact.as_ref().ok().and_then(Fact::data).map(|data| data.keys().cloned().collect());
        EventView {
            seq: event.seq,
            kind: fact.map_or_else(|_| event.kind.clone(), |fact| fact.name()),
            at: rfc3339(event.at_ms),
            by,
            fields: fields.unwrap_or_default(),
        }
    }
}

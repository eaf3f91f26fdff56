//! A journey's state from nothing but its events.
//!
//! Every fact is in the history with what it carried; what the store answered on the way (one-time passwords, reused
//! replies) is there as the fact that it caused. So replay asks nobody.

use super::{Journey, Refused, Turn};
use crate::actor::Actor;
use crate::comparison::differ;
use crate::fact::Fact;
use crate::state::JourneyState;
use engine_definitions::{Catalog, Workflow};
use engine_store::{EventRecord, JourneyRecord, NewJourney};
use serde_json::{Map, Value};

/// An event that has no consequence any more.
#[derive(Debug, thiserror::Error)]
#[error("event {seq}: {reason}")]
pub struct ReplayError {
    pub seq: i64,
    pub reason: String,
}

/// The state and answers that the events give; compared with what is stored.
pub fn replay<'w>(
    workflow: &'w Workflow,
    catalog: &'w Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
) -> Result<Turn<'w>, ReplayError> {
    replay_before(workflow, catalog, record, events, |_, _| {})
}

/// Replays the events; `before` sees the turn before each event.
pub(super) fn replay_before<'w>(
    workflow: &'w Workflow,
    catalog: &'w Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
    before: impl Fn(&mut Turn<'w>, &EventRecord),
) -> Result<Turn<'w>, ReplayError> {
    let mut owner = Actor::visitor(record.owner.clone());
    (owner.channel, owner.language) = (record.channel.clone(), record.language.clone());
    let new = NewJourney {
        session: None,
        workflow: record.workflow.clone(),
        version: record.version.clone(),
        owner: record.owner.clone(),
        language: record.language.clone(),
        channel: record.channel.clone(),
        keys: String::new(),
        attribution: record.attribution.clone(),
    };
    let begun_ms = events.first().map_or(record.created_at_ms, |event| event.at_ms);
    let mut turn = Turn::on(workflow, catalog, Journey::new(&record.id, &new, begun_ms), begun_ms);
    for event in events {
        let failed = |reason: String| ReplayError { seq: event.seq, reason };
        turn.set_now(event.at_ms);
        turn.questions.forget_orders();
        before(&mut turn, event);
        let fact = Fact::read(event).map_err(|error| failed(error.to_string()))?;
        turn.apply(fact, &Actor::of_stored(&event.by, &owner)).map_err(|refused| {
            failed(match refused {
                Refused::Unselected => "nothing takes it".into(),
                Refused::Broken { place, reason } => format!("at `{place}`: {reason}"),
            })
        })?;
    }
    Ok(turn)
}

/// Differences between replay and the stored journey; empty when they agree.
pub fn differences(
    workflow: &Workflow,
    catalog: &Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
) -> Result<Vec<String>, ReplayError> {
    let again = replay(workflow, catalog, record, events)?;
    let mut wrong = Vec::new();
    let state = serde_json::to_value(&again.state).unwrap_or(Value::Null);
    // as it would be written today
    let stored =
        serde_json::from_str::<JourneyState>(&record.state).and_then(serde_json::to_value).unwrap_or(Value::Null);
    both_ways("state", &stored, &state, &mut wrong);
    let stored: Map<String, Value> =
        record.answers.iter().map(|a| (format!("{}.{}", a.into, a.key), a.value.clone())).collect();
    let rows = again.answers.iter().map(|(into, key, value)| (format!("{into}.{key}"), value.clone()));
    both_ways("answers", &Value::Object(stored), &Value::Object(rows.collect()), &mut wrong);
    if again.record.seq != record.seq {
        wrong.push(format!("seq: stored {}, replayed {}", record.seq, again.record.seq));
    }
    Ok(wrong)
}

fn both_ways(at: &str, stored: &Value, replayed: &Value, wrong: &mut Vec<String>) {
    let mut differences = Vec::new();
    differ(at, stored, replayed, &mut differences);
    if differences.is_empty() {
        differ(at, replayed, stored, &mut differences);
    }
    wrong.extend(differences.iter().map(ToString::to_string));
}

//! A journey's state from nothing but its events (security rule 3).
//!
//! Every event that the machine was stepped with is in the history with what it carried; what the store answered on
//! the way (one-time passwords, reused replies) is there as the event that it caused. So replay asks nobody.

use super::{Refused, Turn};
use crate::actor::Actor;
use crate::effect::{CallResult, FailureKind};
use crate::state::JourneyState;
use crate::turn::person::Answer;
use engine_definitions::{Catalog, Workflow};
use engine_statechart::Event;
use engine_store::{EventRecord, JourneyRecord};
use serde_json::{Map, Value};

/// The state and answers that the events give; compared with what is stored.
pub fn replay<'w>(
    workflow: &'w Workflow,
    catalog: &'w Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
) -> Result<Turn<'w>, Refused> {
    let mut actor = Actor::visitor(record.owner.clone());
    (actor.channel, actor.language) = (record.channel.clone(), record.language.clone());
    let first = events.first().map_or(record.created_at_ms, |e| e.at_ms);
    let mut turn = Turn::begin(workflow, catalog, &record.id, &actor, &record.attribution, first)?;
    turn.replaying = true;
    for event in events.iter().skip(1) {
        turn.set_now(event.at_ms);
        turn.pending.clear();
        let by = Actor::of_stored(&event.by, &actor);
        turn.again(event, &by)?;
    }
    Ok(turn)
}

/// Where replay and the stored journey disagree; empty when they agree.
pub fn differs_from_replay(
    workflow: &Workflow,
    catalog: &Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
) -> Result<Vec<String>, Refused> {
    let again = replay(workflow, catalog, record, events)?;
    let mut wrong = Vec::new();
    let state = serde_json::to_value(&again.state).unwrap_or(Value::Null);
    // as it would be written today
    let stored =
        serde_json::from_str::<JourneyState>(&record.state).and_then(serde_json::to_value).unwrap_or(Value::Null);
    both_ways("state", &stored, &state, &mut wrong);
    let stored: Map<String, Value> =
        record.answers.iter().map(|a| (format!("{}.{}", a.into, a.key), a.value.clone())).collect();
    let rows = again
        .answers
        .iter()
        .flat_map(|(into, rows)| rows.iter().map(move |(key, value)| (format!("{into}.{key}"), value.clone())));
    both_ways("answers", &Value::Object(stored), &Value::Object(rows.collect()), &mut wrong);
    if again.seq() != record.seq {
        wrong.push(format!("seq: stored {}, replayed {}", record.seq, again.seq()));
    }
    Ok(wrong)
}

fn both_ways(at: &str, stored: &Value, replayed: &Value, wrong: &mut Vec<String>) {
    let mut differences = Vec::new();
    crate::story::differ(at, stored, replayed, &mut differences);
    if differences.is_empty() {
        crate::story::differ(at, replayed, stored, &mut differences);
    }
    wrong.extend(differences.iter().map(ToString::to_string));
}

impl Turn<'_> {
    fn again(&mut self, event: &EventRecord, by: &Actor) -> Result<(), Refused> {
        let data = event.data.get("data").cloned().unwrap_or(Value::Null);
        match event.kind.as_str() {
            "submit" => {
                let secrets = event.data.get("secret").and_then(Value::as_object).cloned().unwrap_or_default();
                self.submit(Answer { data, secrets }, by)
            }
            "save" => self.save(&data, by),
            "back" => self.back(by),
            "change" => {
                let step = event
                    .data
                    .get("step")
                    .or_else(|| event.data.pointer("/data/step"))
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_string();
                self.change(&step, by)
            }
            "expire" => self.expire(),
            super::report::LEAVE => {
                self.lead_away(&text(&event.data, "step"), &text(&event.data, "url"));
                Ok(())
            }
            "timer" => self.fire(&text(&event.data, "id")).map(drop),
            super::calls::RETRIED => {
                self.reopen_again(&event.data, by);
                Ok(())
            }
            "answer" => self.answer_again(event),
            // Recorded, without a consequence for the machine.
            "reply.dropped" => {
                self.append(&event.kind, event.data.clone(), by);
                Ok(())
            }
            crate::jobs::INCIDENT => {
                for (purpose, left) in event.data.get("tries").and_then(Value::as_object).into_iter().flatten() {
                    if let (Some(open), Some(left)) = (self.state.otps.get_mut(purpose), left.as_i64()) {
                        open.left = left as i32;
                    }
                }
                self.append(&event.kind, event.data.clone(), by);
                Ok(())
            }
            kind if kind.starts_with("xstate.") => self.internal_again(kind, event),
            kind if by.kind == "system" => {
                let before = self.step_node();
                let mut outside = Event::new(kind);
                outside.data = event.data.as_object().cloned().unwrap_or_default();
                self.append(kind, event.data.clone(), by);
                if self.status == "active" {
                    self.feed(super::Move::Event(&outside))?;
                }
                self.after_internal(&before);
                Ok(())
            }
            kind => self.accept_event(kind, &data, by),
        }
    }

    fn answer_again(&mut self, event: &EventRecord) -> Result<(), Refused> {
        let Some(invoke) = self.workflow.invoke(&text(&event.data, "invoke")) else { return Ok(()) };
        let result = result_of(event.data.get("result").unwrap_or(&Value::Null));
        self.settle_one_of(invoke, &text(&event.data, "key"), result, &Actor::system())
    }

    /// A done or error event of an invoke, with what `into` did before it.
    fn internal_again(&mut self, kind: &str, event: &EventRecord) -> Result<(), Refused> {
        let fields: Map<String, Value> = event.data.as_object().cloned().unwrap_or_default();
        let id = kind.trim_start_matches("xstate.done.actor.").trim_start_matches("xstate.error.actor.");
        if let Some(invoke) = self.workflow.invoke(id).filter(|i| !i.each) {
            return self.settle_single(invoke, result_of(&Value::Object(fields)), &Actor::system());
        }
        // The done of a fan-out follows from its last answer, or from its deadline.
        if self.state.runs.get(id).is_some_and(|r| !r.settled) { self.complete(id, &Actor::system()) } else { Ok(()) }
    }
}

fn result_of(described: &Value) -> CallResult {
    match described.get("error") {
        Some(error) => CallResult::Failed {
            code: text(error, "code"),
            row: text(error, "row"),
            message: error.get("message").and_then(Value::as_str).map(str::to_string),
            pointer: error.get("pointer").and_then(Value::as_str).map(str::to_string),
            kind: error.get("kind").and_then(|k| serde_json::from_value(k.clone()).ok()).unwrap_or(FailureKind::Failed),
        },
        None => CallResult::Done {
            output: described.get("output").cloned().unwrap_or(Value::Null),
            correlate: Vec::new(),
            document: None,
        },
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}

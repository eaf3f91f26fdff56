//! Why a journey went the way it did: the values of its definitions, as each event worked them out.

use super::replay::replay_before;
use super::{ReplayError, Turn};
use engine_definitions::{Catalog, Workflow, is_personal_name};
use engine_statechart::{Host, Worked};
use engine_store::{EventRecord, JourneyRecord};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// A value that an event worked out. What is personal stands there as [`HIDDEN`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Number of the event.
    pub seq: i64,
    pub name: String,
    pub arguments: Vec<Value>,
    /// What it read of the context, by dotted paths.
    pub inputs: Vec<(String, Value)>,
    pub result: Value,
}

/// Instead of what belongs to a person.
pub const HIDDEN: &str = "•••";
/// Shorter texts stand in too many others.
const HIDDEN_CHARS_MIN: usize = 3;

/// All values in the order in which they were worked out; the events are applied as in a replay.
pub fn explain(
    workflow: &Workflow,
    catalog: &Catalog,
    record: &JourneyRecord,
    events: &[EventRecord],
) -> Result<Vec<Explained>, ReplayError> {
    let listener = Listener::default();
    replay_before(workflow, catalog, record, events, |turn: &mut Turn, event| {
        listener.found.lock().expect("nobody panics with it").0 = event.seq;
        turn.listener = Some(&listener);
    })?;
    let mut found = listener.found.into_inner().expect("nobody panics with it").1;
    let mut personal = Personal::of(workflow);
    events.iter().for_each(|event| personal.learn(&event.data));
    for value in &found {
        value.inputs.iter().for_each(|(path, input)| personal.learn_at(last_key(path), input));
    }
    found.iter_mut().for_each(|value| personal.hide_in(value));
    Ok(found)
}

/// Keeps what it hears, with the number of the event.
#[derive(Default)]
struct Listener {
    found: Mutex<(i64, Vec<Explained>)>,
}

impl Host for Listener {
    fn variable(&self, _: &str) -> Option<Cow<'_, Value>> {
        None
    }

    fn call(&self, name: &str, _: &mut [Value]) -> Result<Value, String> {
        Err(format!("unknown function `{name}`"))
    }

    fn explains(&self) -> bool {
        true
    }

    fn explain(&self, worked: Worked<'_>) {
        let mut found = self.found.lock().expect("nobody panics with it");
        let seq = found.0;
        found.1.push(Explained {
            seq,
            name: worked.name.to_owned(),
            arguments: worked.arguments.to_vec(),
            inputs: worked.inputs,
            result: worked.result.clone(),
        });
    }
}

/// What belongs to people: fields of forms that are marked or take any text, well-known names, and whatever says the
/// same.
struct Personal<'w> {
    names: BTreeSet<&'w str>,
    texts: BTreeSet<String>,
}

impl<'w> Personal<'w> {
    fn of(workflow: &'w Workflow) -> Personal<'w> {
        let forms = workflow.steps().filter_map(|step| workflow.form(step.form.as_deref()?));
        let names = forms.flat_map(|form| form.typed().chain(form.personal().map(|(name, _)| name))).collect();
        Personal { names, texts: BTreeSet::new() }
    }

    fn is_personal(&self, key: &str) -> bool {
        self.names.contains(key) || is_personal_name(key)
    }

    /// The texts below keys that are personal.
    fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| self.learn_at(key, value)),
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            _ => {}
        }
    }

    fn learn_at(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) if self.is_personal(key) && text.chars().count() >= HIDDEN_CHARS_MIN => {
                self.texts.insert(text.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn_at(key, item)),
            other => self.learn(other),
        }
    }

    fn hide_in(&self, value: &mut Explained) {
        value.arguments.iter_mut().for_each(|argument| self.hide("", argument));
        value.inputs.iter_mut().for_each(|(path, input)| self.hide(last_key(path), input));
        self.hide(&value.name, &mut value.result);
    }

    fn hide(&self, key: &str, value: &mut Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Object(map) => map.iter_mut().for_each(|(key, value)| self.hide(key, value)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(key, item)),
            Value::Number(_) if self.is_personal(key) => *value = HIDDEN.into(),
            Value::Number(_) => {}
            Value::String(text) => {
                if self.is_personal(key) || self.texts.iter().any(|hidden| text.contains(hidden.as_str())) {
                    *value = HIDDEN.into();
                }
            }
        }
    }
}

fn last_key(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

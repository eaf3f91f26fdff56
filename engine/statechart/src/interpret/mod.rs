//! The interpreter.

use crate::event::Event;
use crate::expression::EvalError;
use crate::host::Env;
use crate::machine::Machine;
use crate::snapshot::{Snapshot, Timer};
use serde_json::{Map, Value};

/// An order to the host, in order of execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A named action of the node `node`; its value fields are evaluated.
    Action { node: String, kind: String, fields: Map<String, Value> },
    Invoke { id: String, node: String, src: String, input: Value },
    /// The state of an invoke was left, or the machine is done.
    Stop { id: String },
    StartTimer(Timer),
    CancelTimer { id: String },
}

/// What became of one macrostep.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub snapshot: Snapshot,
    pub effects: Vec<Effect>,
    /// A transition was selected for the event itself.
    pub selected: bool,
    /// Why the status is `error`.
    pub error: Option<EvalError>,
}

fn todo(s: Snapshot) -> Outcome {
    Outcome { snapshot: s, effects: Vec::new(), selected: false, error: None }
}

pub fn start(_m: &Machine, _env: &Env<'_>) -> Outcome {
    todo(Snapshot::default())
}

pub fn step(_m: &Machine, s: Snapshot, _e: &Event, _env: &Env<'_>) -> Outcome {
    todo(s)
}

pub fn fire(_m: &Machine, s: Snapshot, _timer_id: &str, _env: &Env<'_>) -> Outcome {
    todo(s)
}

pub fn jump(_m: &Machine, s: Snapshot, _from: &str, _to: &str, _env: &Env<'_>) -> Option<Outcome> {
    Some(todo(s))
}

pub fn value(_m: &Machine, _s: &Snapshot) -> Value {
    Value::Null
}

pub fn is_in(_m: &Machine, _s: &Snapshot, _id: &str) -> bool {
    false
}

//! What a journey's row holds beside its columns: the snapshot of its machine and the runtime's own notes.

use crate::actor::Actor;
use engine_statechart::Snapshot;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Stable across versions of the program: names, no indices; empty parts are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JourneyState {
    pub snapshot: Snapshot,
    /// Steps that a person left by an answer, oldest first; the way of Back and Change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<TrailEntry>,
    /// Calls of active states, by the id of their invoke.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runs: BTreeMap<String, Run>,
    /// Shown until the next accepted event of a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Note>,
    /// After a change: what is sent again on the way back to where the person was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Open one-time passwords by purpose.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub otps: BTreeMap<String, String>,
    /// A mobile number was proved by a one-time password in this journey.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verified: bool,
    /// What the person agreed to, or no longer agrees to, by purpose.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub consents: BTreeMap<String, bool>,
    /// Where a tracking partner wants the person while this step is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<Leave>,
    /// Purposes of links → when those made so far ended, UTC milliseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revoked: BTreeMap<String, i64>,
    /// When the shown step was reached, UTC milliseconds.
    #[serde(default)]
    pub since_ms: i64,
}

/// An address outside of the flow, already checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leave {
    /// State whose step is left.
    pub step: String,
    pub url: String,
    /// Number of the event that said so: a browser follows it once.
    pub seq: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrailEntry {
    /// Id of the step's state.
    pub node: String,
    /// The event with which it was left; `None` when the machine moved by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// Values of the step's `depends` when it was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    #[serde(default = "submit", skip_serializing_if = "is_submit")]
    pub kind: String,
    /// Number of the event; its data stands in the history only.
    #[serde(default)]
    pub seq: i64,
}

fn submit() -> String {
    "submit".into()
}

fn is_submit(kind: &str) -> bool {
    kind == "submit"
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// The step from which the change started.
    pub goal: String,
    /// Entries of the trail behind the changed step, in order.
    pub later: Vec<TrailEntry>,
    /// Who changed: the answers are sent again as theirs, also when a reply moves the journey on.
    pub by: Actor,
}

/// One run of an invoke: the effects (`seq`, `first_index` …) that it ordered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub seq: i64,
    pub since_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<i64>,
    /// Open calls: key (empty for a single call) → index of the effect.
    pub open: BTreeMap<String, i32>,
    pub of: usize,
    /// The done event was sent; later answers are late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
}

/// A text to the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// A partner's own text, when there is no text for the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub fields: Value,
}

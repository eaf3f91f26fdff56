//! What a journey's row holds beside its columns: the snapshot of its machine and the runtime's own notes.

use crate::actor::Actor;
use engine_definitions::row_number;
use engine_statechart::Snapshot;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
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
    /// After a change or a correction: what is sent again on the way back to where the person was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Open one-time passwords by purpose.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub otps: BTreeMap<String, OpenOtp>,
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
    /// The highest number of a row that each list of answers ever had, by its place in the context: keys of rows are
    /// not used again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<String, u32>,
    /// When the shown step was reached, UTC milliseconds.
    #[serde(default)]
    pub since_ms: i64,
}

/// A one-time password that was sent and not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenOtp {
    /// Random; with the server's key and what it is bound to it gives the code.
    pub id: String,
    /// Tries that are left.
    pub left: i32,
    /// When it was ordered, UTC milliseconds.
    pub sent_ms: i64,
}

impl JourneyState {
    /// Notes the rows of an answer that goes to `into`.
    pub fn count_rows(&mut self, into: &str, answer: &Map<String, Value>) {
        for (name, list) in answer.iter().filter_map(|(name, value)| Some((name, value.as_array()?))) {
            if let Some(highest) = list.iter().filter_map(row_number).max() {
                let known = self.rows.entry(format!("{into}.{name}")).or_default();
                *known = highest.max(*known);
            }
        }
    }

    /// The highest number of a row for each list of the answers at `into`.
    pub fn row_numbers(&self, into: &str) -> BTreeMap<String, u32> {
        let below = |place: &String| Some(place.strip_prefix(into)?.strip_prefix('.')?.to_owned());
        self.rows.iter().filter_map(|(place, n)| Some((below(place)?, *n))).collect()
    }

    /// Passwords that have fewer tries left than here, as (purpose, tries left): here too, they are gone now.
    pub(crate) fn count_tries(&mut self, tried: &BTreeMap<String, OpenOtp>) -> BTreeMap<String, i32> {
        let fewer = |open: &OpenOtp, tried: &OpenOtp| open.id == tried.id && tried.left < open.left;
        let mut counted = BTreeMap::new();
        for (purpose, open) in &mut self.otps {
            if let Some(tried) = tried.get(purpose).filter(|tried| fewer(open, tried)) {
                open.left = tried.left;
                counted.insert(purpose.clone(), tried.left);
            }
        }
        counted
    }
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

/// Stored as `[node, seq]` when it says no more than that a submit left the step: every journey has many of these.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "WrittenEntry")]
pub struct TrailEntry {
    /// Id of the step's state.
    pub node: String,
    /// The event with which it was left; `None` when the machine moved by itself.
    pub sent: Option<Sent>,
    /// Values of the step's `depends` when it was left.
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

/// The two forms of a [`TrailEntry`].
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenEntry<N = String, S = Sent, D = Vec<Value>> {
    Short(N, i64),
    Full {
        node: N,
        #[serde(skip_serializing_if = "Option::is_none")]
        sent: Option<S>,
        #[serde(skip_serializing_if = "Option::is_none")]
        depends: Option<D>,
    },
}

impl From<WrittenEntry> for TrailEntry {
    fn from(written: WrittenEntry) -> TrailEntry {
        match written {
            WrittenEntry::Short(node, seq) => {
                TrailEntry { node, sent: Some(Sent { kind: submit(), seq }), depends: Vec::new() }
            }
            WrittenEntry::Full { node, sent, depends } => {
                TrailEntry { node, sent, depends: depends.unwrap_or_default() }
            }
        }
    }
}

impl Serialize for TrailEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match &self.sent {
            Some(sent) if is_submit(&sent.kind) && self.depends.is_empty() => WrittenEntry::Short(&self.node, sent.seq),
            sent => WrittenEntry::Full {
                node: &self.node,
                sent: sent.as_ref(),
                depends: (!self.depends.is_empty()).then_some(&self.depends),
            },
        };
        written.serialize(serializer)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// The state to which it leads: the step from which a change started, or what a transition named.
    pub goal: String,
    /// The step that waits for the person.
    #[serde(default)]
    pub at: String,
    /// Entries of the trail behind the first of these steps, in order.
    pub later: Vec<TrailEntry>,
    /// Who answered since: the answers are sent again as theirs, also when a reply moves the journey on; `None`: nobody
    /// has, so nothing is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: Value) -> TrailEntry {
        serde_json::from_value(text).expect("an entry of a trail")
    }

    #[test]
    fn an_entry_of_the_trail_says_no_more_than_it_must() {
        let plain = TrailEntry {
            node: "start.contact".into(),
            sent: Some(Sent { kind: "submit".into(), seq: 3 }),
            depends: Vec::new(),
        };
        let bound = TrailEntry { depends: vec![json!("petrol")], ..plain.clone() };
        let other = TrailEntry { sent: Some(Sent { kind: "choose".into(), seq: 3 }), ..plain.clone() };
        let alone = TrailEntry { sent: None, ..plain.clone() };
        for (entry, written) in [
            (plain.clone(), json!(["start.contact", 3])),
            (bound, json!({"node": "start.contact", "sent": {"seq": 3}, "depends": ["petrol"]})),
            (other, json!({"node": "start.contact", "sent": {"kind": "choose", "seq": 3}})),
            (alone, json!({"node": "start.contact"})),
        ] {
            assert_eq!(serde_json::to_value(&entry).expect("JSON"), written);
            assert_eq!(read(written), entry);
        }
        // as it was written before there was a short form
        assert_eq!(read(json!({"node": "start.contact", "sent": {"seq": 3}})), plain);
    }
}

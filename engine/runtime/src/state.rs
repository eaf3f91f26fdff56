//! What a journey's row holds beside its columns: the snapshot of its machine and the runtime's own notes.

use crate::actor::{ASSISTANCE, Actor};
use crate::fact::Assisted;
use engine_definitions::row_number;
use engine_statechart::Snapshot;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Hashes of the numbers that were proved in this journey.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub proved: BTreeSet<String>,
    /// Hashes of the number that the person who is signed in has shown to be still theirs, and of the one that became
    /// theirs then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_number: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_number: Option<String>,
    /// One of the staff has shown the second factor: the key of who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Somebody began it for a customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assisted: Option<Assisted>,
    /// The customer has asked an advisor to help, and has a code for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<Invitation>,
    /// Who came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helper: Option<Helper>,
    /// Steps of a journey in which somebody acts for the customer, and the role of who answered each last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answered_by: BTreeMap<String, String>,
    /// What the person agreed to, or no longer agrees to, by purpose.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub consents: BTreeMap<String, bool>,
    /// The address to which a tracking partner sends the person while this step is shown.
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

/// A code with which an advisor may help, once, until a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invitation {
    pub code: String,
    pub until_ms: i64,
}

/// An advisor whom the customer let in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Helper {
    pub role: String,
    /// Name by which operators know who helps.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub until_ms: i64,
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
    /// Who sees the journey beside its customer, with their consent: the role and the name of whoever began it for
    /// them, and of whom they let in.
    pub fn companions(&self, now_ms: i64) -> impl Iterator<Item = (&str, &str)> {
        let began = self.assisted.as_ref().filter(|_| !self.revoked.contains_key(ASSISTANCE));
        let helps = self.helper.as_ref().filter(|helper| now_ms < helper.until_ms);
        let began = began.map(|one| (one.role.as_str(), one.name.as_str()));
        began.into_iter().chain(helps.map(|one| (one.role.as_str(), one.name.as_str())))
    }

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

    /// Passwords that have fewer tries left there than here: purpose → tries left.
    pub(crate) fn fewer_tries(&self, tried: &BTreeMap<String, OpenOtp>) -> BTreeMap<String, i32> {
        let fewer = |(purpose, open): (&String, &OpenOtp)| {
            let tried = tried.get(purpose).filter(|tried| tried.id == open.id && tried.left < open.left)?;
            Some((purpose.clone(), tried.left))
        };
        self.otps.iter().filter_map(fewer).collect()
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

/// Stored as `[node, seq]` when nothing that it depends on is kept: every journey has many of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenEntry", into = "WrittenEntry")]
pub struct TrailEntry {
    /// Id of the step's state.
    pub node: String,
    /// Number of the event with which it was left, whose data stands in the history only; `None` when the machine moved
    /// by itself, or when it cannot be sent again.
    pub sent: Option<i64>,
    /// Values of the step's `depends` when it was left.
    pub depends: Vec<Value>,
}

/// The two forms of a [`TrailEntry`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenEntry {
    Short(String, Option<i64>),
    Full(String, Option<i64>, Vec<Value>),
}

impl From<WrittenEntry> for TrailEntry {
    fn from(written: WrittenEntry) -> TrailEntry {
        match written {
            WrittenEntry::Short(node, sent) => TrailEntry { node, sent, depends: Vec::new() },
            WrittenEntry::Full(node, sent, depends) => TrailEntry { node, sent, depends },
        }
    }
}

impl From<TrailEntry> for WrittenEntry {
    fn from(TrailEntry { node, sent, depends }: TrailEntry) -> WrittenEntry {
        if depends.is_empty() { WrittenEntry::Short(node, sent) } else { WrittenEntry::Full(node, sent, depends) }
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
    /// Whose press the run follows from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presser: Option<String>,
}

/// One call of a fan-out, as expressions see it (`context.<into>[key]`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRow {
    pub state: AnswerState,
    pub run: i64,
    /// RFC 3339, UTC.
    pub asked_at: String,
    /// Whether the answer came after the fan-out was over.
    pub late: bool,
    /// What the same call gave in the run before.
    #[serde(default)]
    pub previous: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerState {
    Asked,
    Answered,
    /// The partner understood and says no.
    Declined,
    /// No usable answer.
    Failed,
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

impl Note {
    /// Whether it says that something is not as the person may think.
    pub fn is_warning(&self) -> bool {
        matches!(self.level.as_deref(), Some("warning" | "error"))
    }
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
        let plain = TrailEntry { node: "start.contact".into(), sent: Some(3), depends: Vec::new() };
        let bound = TrailEntry { depends: vec![json!("petrol")], ..plain.clone() };
        let by_itself = TrailEntry { sent: None, ..plain.clone() };
        for (entry, written) in [
            (plain, json!(["start.contact", 3])),
            (bound, json!(["start.contact", 3, ["petrol"]])),
            (by_itself, json!(["start.contact", null])),
        ] {
            assert_eq!(serde_json::to_value(&entry).expect("JSON"), written);
            assert_eq!(read(written), entry);
        }
    }
}

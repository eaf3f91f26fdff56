//! Where a machine stands: small, serialisable, by state ids, so that it outlives the program.

use crate::event::Event;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The state of a machine; empty parts are left out of the serialised form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Ids of the innermost active states (those without an active child), in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active: Vec<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Id of a history node → ids of the states it recorded, in document order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub history: BTreeMap<String, Vec<String>>,
    /// Pending timers in the order in which they were started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<Timer>,
    #[serde(default, skip_serializing_if = "Status::is_active")]
    pub status: Status,
    /// Output of the root, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Timers started so far: makes their ids unique for ever.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub counter: u64,
}

/// An `after` of an active state (`after:<n>:<node id>`) or a delayed raise (`raise:<n>:<its id>`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timer {
    pub id: String,
    pub due_ms: i64,
    /// A timer that is delivered as an external event when due.
    pub event: Event,
    /// The name of its delay, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Active,
    Done,
    Error,
}

impl Status {
    pub fn is_active(&self) -> bool {
        *self == Status::Active
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Done => "done",
            Status::Error => "error",
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

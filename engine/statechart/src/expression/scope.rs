//! What an expression can see.

use super::val::Val;
use super::{Memory, Names};
use crate::event::Event;
use crate::host::Host;
use serde_json::{Map, Value};

/// Variables by name over an optional host; the nearest definition of a name wins.
#[derive(Clone, Default)]
pub struct Scope<'a> {
    pub(super) context: Option<&'a Map<String, Value>>,
    pub(super) event: Option<&'a Event>,
    variables: Vec<(&'a str, Val<'a>)>,
    pub(super) host: Option<&'a dyn Host>,
    pub(super) active: Option<&'a [u32]>,
    pub(super) names: Option<&'a Names>,
    pub(super) memory: Option<&'a Memory>,
}

impl<'a> Scope<'a> {
    pub fn new() -> Self {
        Scope::default()
    }

    pub fn with(mut self, name: &'a str, value: &'a Value) -> Self {
        self.variables.push((name, Val::borrowed(value)));
        self
    }

    pub fn with_map(mut self, name: &'a str, map: &'a Map<String, Value>) -> Self {
        self.variables.push((name, Val::Map(map)));
        self
    }

    /// `context` as a machine sees it.
    pub fn with_context(mut self, context: &'a Map<String, Value>) -> Self {
        self.context = Some(context);
        self
    }

    /// `event` as a machine sees it.
    pub fn with_event(mut self, event: &'a Event) -> Self {
        self.event = Some(event);
        self
    }

    pub fn with_host(mut self, host: &'a dyn Host) -> Self {
        self.host = Some(host);
        self
    }

    /// What names mean in expressions that were read without them.
    pub fn with_names(mut self, names: Option<&'a Names>) -> Self {
        self.names = names;
        self
    }

    /// Sets where values are remembered; it must not outlive this state of the context.
    pub fn with_memory(mut self, memory: &'a Memory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// The sorted active nodes, for `inState`.
    pub(crate) fn with_active(mut self, active: &'a [u32]) -> Self {
        self.active = Some(active);
        self
    }

    /// A variable's value and its weight when the host had to make it.
    pub(super) fn variable(&self, name: &str) -> Option<Val<'a>> {
        if let Some((_, value)) = self.variables.iter().rev().find(|(n, _)| *n == name) {
            return Some(value.clone());
        }
        match name {
            "context" if self.context.is_some() => return self.context.map(Val::Map),
            "event" if self.event.is_some() => return self.event.map(Val::Event),
            _ => {}
        }
        match self.host?.variable(name)? {
            std::borrow::Cow::Borrowed(value) => Some(Val::borrowed(value)),
            std::borrow::Cow::Owned(value) => Some(Val::from_value(value)),
        }
    }
}

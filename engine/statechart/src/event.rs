//! An event: a type and its payload.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event, in JSON a flat object: `{"type": "submit", …payload}`. `kind` wins over a payload field `type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub kind: String,
    pub data: Map<String, Value>,
}

impl Event {
    pub fn new(kind: impl Into<String>) -> Self {
        Event { kind: kind.into(), data: Map::new() }
    }

    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.insert(field.into(), value.into());
        self
    }

    /// The flat object; `type` first.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("type".into(), Value::String(self.kind.clone()));
        map.extend(self.data.iter().filter(|(k, _)| *k != "type").map(|(k, v)| (k.clone(), v.clone())));
        Value::Object(map)
    }

    /// `None` unless the value is an object with a string `type`.
    pub fn from_json(json: &Value) -> Option<Event> {
        let mut data = json.as_object()?.clone();
        match data.shift_remove("type")? {
            Value::String(kind) => Some(Event { kind, data }),
            _ => None,
        }
    }
}

impl Serialize for Event {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &self.kind)?;
        for (k, v) in self.data.iter().filter(|(k, _)| *k != "type") {
            map.serialize_entry(k, v)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Value::Object(Map::deserialize(deserializer)?);
        Event::from_json(&json).ok_or_else(|| serde::de::Error::custom("an event needs a string `type`"))
    }
}

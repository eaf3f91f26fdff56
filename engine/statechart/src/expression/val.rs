//! A value during evaluation: borrowed from the snapshot, the event, the host or the expression
//! wherever possible.

use crate::event::Event;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub enum Val<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Str(&'a str),
    Text(String),
    List(&'a [Value]),
    Map(&'a Map<String, Value>),
    Event(&'a Event),
    /// A list or map made by this evaluation or by the host.
    Made(Box<Value>),
}

impl<'a> Val<'a> {
    pub fn borrowed(value: &'a Value) -> Val<'a> {
        match value {
            Value::Null => Val::Null,
            Value::Bool(b) => Val::Bool(*b),
            Value::Number(n) => number(n),
            Value::String(s) => Val::Str(s),
            Value::Array(items) => Val::List(items),
            Value::Object(map) => Val::Map(map),
        }
    }

    pub fn from_value(value: Value) -> Val<'a> {
        match value {
            Value::Null => Val::Null,
            Value::Bool(b) => Val::Bool(b),
            Value::Number(n) => number(&n),
            Value::String(s) => Val::Text(s),
            Value::Array(_) | Value::Object(_) => Val::Made(Box::new(value)),
        }
    }

    /// An error when a double is no JSON number.
    pub fn into_json(self) -> Result<Value, String> {
        Ok(match self {
            Val::Null => Value::Null,
            Val::Bool(b) => Value::Bool(b),
            Val::Int(i) => Value::from(i),
            Val::Double(d) => Value::Number(Number::from_f64(d).ok_or("number is infinite or not a number")?),
            Val::Str(s) => Value::String(s.to_owned()),
            Val::Text(s) => Value::String(s),
            Val::List(items) => Value::Array(items.to_vec()),
            Val::Map(map) => Value::Object(map.clone()),
            Val::Event(event) => event.to_json(),
            Val::Made(value) => *value,
        })
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Val::Str(s) => Some(s),
            Val::Text(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Val::List(items) => Some(items),
            Val::Made(value) => value.as_array().map(Vec::as_slice),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map<String, Value>> {
        match self {
            Val::Map(map) => Some(map),
            Val::Made(value) => value.as_object(),
            _ => None,
        }
    }

    pub fn size(&self) -> Option<i64> {
        let size = match self {
            Val::Event(event) => event.data.len() + usize::from(!event.data.contains_key("type")),
            _ => match (self.as_text(), self.as_list(), self.as_map()) {
                (Some(text), _, _) => text.chars().count(),
                (_, Some(list), _) => list.len(),
                (_, _, Some(map)) => map.len(),
                _ => return None,
            },
        };
        i64::try_from(size).ok()
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "a boolean",
            Val::Int(_) => "an int",
            Val::Double(_) => "a double",
            Val::Str(_) | Val::Text(_) => "a string",
            Val::List(_) => "a list",
            Val::Map(_) | Val::Event(_) => "a map",
            Val::Made(value) if value.is_array() => "a list",
            Val::Made(_) => "a map",
        }
    }

    /// Whether two values are equal: different types are not; an int and a double compare as numbers.
    pub fn equals(&self, other: &Val<'_>) -> bool {
        match (self, other) {
            (Val::Null, Val::Null) => true,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Int(_) | Val::Double(_), Val::Int(_) | Val::Double(_)) => {
                self.compare(other) == Some(Ordering::Equal)
            }
            (Val::Event(a), _) => other.equals_map_of(a),
            (_, Val::Event(b)) => self.equals_map_of(b),
            _ => match (self.as_text(), other.as_text()) {
                (Some(a), Some(b)) => a == b,
                (None, None) => match (self.as_list(), other.as_list()) {
                    (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equals(a, b)),
                    (None, None) => matches!((self.as_map(), other.as_map()), (Some(a), Some(b)) if maps_equal(a, b)),
                    _ => false,
                },
                _ => false,
            },
        }
    }

    fn equals_map_of(&self, event: &Event) -> bool {
        match (self, event.to_json()) {
            (Val::Event(other), _) => *other == event,
            (_, Value::Object(map)) => self.as_map().is_some_and(|own| maps_equal(own, &map)),
            _ => false,
        }
    }

    /// The order of two numbers, strings or booleans; `None` for anything else.
    pub fn compare(&self, other: &Val<'_>) -> Option<Ordering> {
        match (self, other) {
            (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
            (Val::Double(a), Val::Double(b)) => a.partial_cmp(b),
            (Val::Int(a), Val::Double(b)) => (*a as f64).partial_cmp(b),
            (Val::Double(a), Val::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
            _ => Some(self.as_text()?.cmp(other.as_text()?)),
        }
    }
}

/// Reads an integer; beyond 64 signed bits it is a double.
fn number<'a>(n: &Number) -> Val<'a> {
    match n.as_i64() {
        Some(i) => Val::Int(i),
        None => Val::Double(n.as_f64().unwrap_or(f64::NAN)),
    }
}

fn json_equals(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equals(a, b)),
        (Value::Object(a), Value::Object(b)) => maps_equal(a, b),
        _ => Val::borrowed(a).equals(&Val::borrowed(b)),
    }
}

fn maps_equal(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| json_equals(v, w)))
}

/// Pieces of 16 bytes that a copy of this value takes, for the step budget.
pub fn weight(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        Value::String(s) => 1 + s.len() as u64 / 16,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(map) => 1 + map.iter().map(|(k, v)| 1 + k.len() as u64 / 16 + weight(v)).sum::<u64>(),
    }
}

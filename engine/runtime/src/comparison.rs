//! What was expected beside what was found.

use serde_json::Value;
use std::fmt;

/// One place where they differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub at: String,
    pub expected: Value,
    pub found: Value,
}

impl Difference {
    pub fn new(at: impl Into<String>, expected: impl Into<Value>, found: impl Into<Value>) -> Self {
        Difference { at: at.into(), expected: expected.into(), found: found.into() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, was {}", self.at, self.expected, self.found)
    }
}

/// Maps are compared by the members that are expected.
pub(crate) fn differ(at: &str, expected: &Value, found: &Value, wrong: &mut Vec<Difference>) {
    match (expected, found) {
        (Value::Object(e), Value::Object(a)) => {
            for (key, value) in e {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                differ(&at, value, a.get(key).unwrap_or(&Value::Null), wrong);
            }
        }
        (Value::Array(e), Value::Array(a)) if e.len() == a.len() => {
            for (index, (x, y)) in e.iter().zip(a).enumerate() {
                differ(&format!("{at}[{index}]"), x, y, wrong);
            }
        }
        _ if expected == found => {}
        _ => wrong.push(Difference::new(at, expected.clone(), found.clone())),
    }
}

pub fn contains(expected: &Value, found: &Value) -> bool {
    let mut wrong = Vec::new();
    differ("", expected, found, &mut wrong);
    wrong.is_empty()
}

/// Each of the expected must be in the list. Of one that is not, the nearest is shown: the first of the same name.
pub fn each_in(at: &str, expected: &[Value], list: &[Value], wrong: &mut Vec<Difference>) {
    for one in expected.iter().filter(|one| !list.iter().any(|found| contains(one, found))) {
        match list.iter().find(|found| name(one).is_some() && name(one) == name(found)) {
            Some(nearest) => differ(&format!("{at} {}", name(one).unwrap_or_default()), one, nearest, wrong),
            None => {
                let names: Vec<Value> =
                    list.iter().map(|found| name(found).map_or(found.clone(), Value::from)).collect();
                wrong.push(Difference::new(at, one.clone(), names));
            }
        }
    }
}

/// None of them may be in the list.
pub fn none_in(at: &str, unwanted: &[Value], list: &[Value], wrong: &mut Vec<Difference>) {
    for one in unwanted {
        if let Some(found) = list.iter().find(|found| contains(one, found)) {
            wrong.push(Difference::new(at, format!("no {one}"), found.clone()));
        }
    }
}

/// What a thing of a list is called: an effect by its first key, a message or an error by where it stands.
fn name(value: &Value) -> Option<String> {
    let map = value.as_object()?;
    let kind = ["call", "notify", "record", "message", "cancel", "incident", "correlate", "kind", "code", "pointer"];
    kind.iter().find_map(|key| Some(format!("{key} {}", map.get(*key)?.as_str()?)))
}

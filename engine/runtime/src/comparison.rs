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

/// What names a thing of a list; of two with one name the first counts.
const NAMES: [&str; 4] = ["id", "key", "event", "block"];

/// Maps are compared by the members that are expected, and lists whole, or by the names of those of their things that
/// are expected: `{"gold": {…}, "silver": null}` asks for one and that another is not there.
pub(crate) fn differ(at: &str, expected: &Value, found: &Value, wrong: &mut Vec<Difference>) {
    match (expected, found) {
        (Value::Object(e), Value::Object(a)) => {
            for (key, value) in e {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                differ(&at, value, a.get(key).unwrap_or(&Value::Null), wrong);
            }
        }
        (Value::Object(e), Value::Array(list)) if !e.is_empty() => {
            for (name, value) in e {
                let is_named = |one: &&Value| NAMES.iter().any(|key| one.get(*key).is_some_and(|known| known == name));
                let found = list.iter().find(is_named).unwrap_or(&Value::Null);
                differ(&format!("{at}.{name}"), value, found, wrong);
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_is_compared_whole_or_by_the_names_of_what_is_expected() {
        let found = json!({"offers": [{"id": "gold", "price": 3, "tags": ["a"]}, {"id": "silver", "price": 2}]});
        let wrong = |expected: Value| {
            let mut wrong = Vec::new();
            differ("", &expected, &found, &mut wrong);
            wrong.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(wrong(json!({"offers": [{"id": "gold"}, {"price": 2}]})), Vec::<String>::new());
        assert_eq!(wrong(json!({"offers": {"silver": {"price": 2}, "bronze": null}})), Vec::<String>::new());
        assert_eq!(wrong(json!({"offers": {"gold": {"price": 4}}})), ["offers.gold.price: expected 4, was 3"]);
        assert_eq!(
            wrong(json!({"offers": {"bronze": {"price": 1}}})),
            [r#"offers.bronze: expected {"price":1}, was null"#]
        );
        assert_eq!(
            wrong(json!({"offers": {"silver": null}})),
            [r#"offers.silver: expected null, was {"id":"silver","price":2}"#]
        );
        assert_eq!(wrong(json!({"offers": [{"id": "gold"}]})).len(), 1);
        assert_eq!(wrong(json!({"offers": {}})).len(), 1);
    }
}

//! What a form asks, given the answers so far: which fields are shown, which of them are required.

use super::condition::{Answers, holds, shows};
use super::rows;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A field that is shown.
pub struct Asked<'a> {
    pub pointer: String,
    pub rule: &'a Value,
    pub required: bool,
    pub value: Option<&'a Value>,
}

/// Whether a field of a drawn form is shown beside these answers.
pub fn is_asked(schema: &Value, data: &Map<String, Value>, pointer: &str) -> bool {
    asked(schema, data).iter().any(|field| field.pointer == pointer)
}

/// Takes away the values of fields that are not shown, until nothing more is hidden, and optional objects that nothing
/// is left of.
pub fn prune(schema: &Value, data: &mut Value) {
    loop {
        let mut hidden = Vec::new();
        if let Some(root) = data.as_object() {
            find_hidden(schema, Answers { own: root, root }, &mut Vec::new(), &mut hidden);
        }
        if hidden.is_empty() {
            break;
        }
        hidden.iter().for_each(|path| remove(data, path));
    }
    drop_empty(schema, data);
}

enum Part {
    Name(String),
    Row(usize),
}

fn find_hidden(schema: &Value, answers: Answers<'_>, at: &mut Vec<Part>, hidden: &mut Vec<Vec<Part>>) {
    for (name, rule) in super::properties(schema) {
        let Some(value) = answers.own.get(name) else { continue };
        at.push(Part::Name(name.clone()));
        if !shows(schema, rule, answers) {
            let path = at.iter().map(|part| match part {
                Part::Name(name) => Part::Name(name.clone()),
                Part::Row(row) => Part::Row(*row),
            });
            hidden.push(path.collect());
        } else if let Some(own) = value.as_object() {
            find_hidden(rule, Answers { own, ..answers }, at, hidden);
        } else {
            for (i, (row, value)) in rows::of(rule, value).enumerate() {
                let Some(own) = value.as_object() else { continue };
                at.push(Part::Row(i));
                find_hidden(row, Answers { own, ..answers }, at, hidden);
                at.pop();
            }
        }
        at.pop();
    }
}

fn remove(data: &mut Value, path: &[Part]) {
    let Some((last, above)) = path.split_last() else { return };
    let found = above.iter().try_fold(data, |at, part| match part {
        Part::Name(name) => at.get_mut(name),
        Part::Row(row) => at.get_mut(row),
    });
    if let (Some(Value::Object(map)), Part::Name(name)) = (found, last) {
        map.shift_remove(name);
    }
}

fn drop_empty(schema: &Value, data: &mut Value) {
    let Some(map) = data.as_object_mut() else { return };
    for (name, rule) in super::properties(schema) {
        let Some(value) = map.get_mut(name) else { continue };
        if value.is_object() && rule.get("properties").is_some() {
            drop_empty(rule, value);
            if value.as_object().is_some_and(Map::is_empty) && !super::requires(schema, name) {
                map.shift_remove(name);
            }
        } else if let Some(items) = value.as_array_mut() {
            items.iter_mut().enumerate().for_each(|(i, item)| {
                if let Some(row) = rows::schema(rule, i) {
                    drop_empty(row, item);
                }
            });
        }
    }
}

/// All fields that are shown, in the order of the form. `data` was normalised and pruned.
pub fn asked<'a>(schema: &'a Value, data: &'a Map<String, Value>) -> Vec<Asked<'a>> {
    let mut found = Vec::new();
    visit(schema, Answers { own: data, root: data }, "", true, &mut found);
    found
}

/// `is_needed`: an optional object without answers asks for nothing, though its fields are shown.
fn visit<'a>(schema: &'a Value, answers: Answers<'a>, at: &str, is_needed: bool, found: &mut Vec<Asked<'a>>) {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    for (name, rule) in super::properties(schema).filter(|(_, rule)| shows(schema, rule, answers)) {
        let pointer = super::below(at, name);
        let value = answers.own.get(name);
        let when = rule.get("x-required").is_some_and(|condition| holds(condition, answers));
        let required = is_needed && (when || super::requires(schema, name));
        found.push(Asked { pointer: pointer.clone(), rule, required, value });
        if rule.get("properties").is_some() {
            let own = value.and_then(Value::as_object);
            visit(rule, Answers { own: own.unwrap_or(&NOTHING), ..answers }, &pointer, own.is_some(), found);
        } else if let Some(value) = value {
            for (i, (row, value)) in rows::of(rule, value).enumerate() {
                if let Some(own) = value.as_object() {
                    visit(row, Answers { own, ..answers }, &format!("{pointer}/{i}"), true, found);
                }
            }
        }
    }
}

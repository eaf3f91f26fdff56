//! The fields of a form as one audience sees it: what is laid into a form, and what an answer replaces.

use super::resolve::{Prepared, Resolved, names};
use super::{FormView, properties, rows};
use serde_json::{Map, Value, json};
use std::sync::Arc;

#[derive(Clone)]
pub struct Fields {
    prepared: Arc<Prepared>,
    resolved: Arc<Resolved>,
}

impl Fields {
    pub(super) fn new(prepared: Arc<Prepared>, resolved: Arc<Resolved>) -> Self {
        Fields { prepared, resolved }
    }

    pub(super) fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    pub fn contains(&self, name: &str) -> bool {
        names(&self.prepared).any(|known| known == name)
    }

    /// The words of a field, as its form shows them; empty when there are none.
    pub fn title(&self, field: &str) -> String {
        let rule = self.resolved.schema.get("properties").and_then(|all| all.get(field));
        rule.and_then(|rule| rule.get("title")?.as_str()).unwrap_or_default().to_owned()
    }

    pub fn view(&self) -> FormView {
        self.resolved.view.clone()
    }

    /// What a form begins with: defaults, which are for display and never enter a context by themselves, and over them
    /// the layers, each field by itself; rows by their keys.
    pub fn data(&self, layers: &[&Map<String, Value>]) -> Map<String, Value> {
        let mut data = defaults(&self.resolved.schema);
        layers.iter().for_each(|layer| lay(&self.resolved.schema, &mut data, layer));
        data
    }

    /// An answer replaces what this actor could see of the old one, and nothing else of it.
    pub fn replace(&self, old: &mut Map<String, Value>, new: Map<String, Value>) {
        replace(&self.prepared.tree, old, new);
    }
}

/// A pointer that names rows by their keys as one into this data of a form: `/people/spouse/dob` is `/people/1/dob`.
/// `None` when there is no such row.
pub fn place_of(pointer: &str, schema: &Value, data: &Value) -> Option<String> {
    let mut parts = pointer.split('/').skip(1);
    let rule = parts.next().and_then(|name| Some((name, schema.get("properties")?.get(name)?)));
    let (Some((name, rule)), Some(key)) = (rule.filter(|(_, rule)| rows::is_list(rule)), parts.next()) else {
        return Some(pointer.to_owned());
    };
    let list = data.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let by_key = || list.iter().position(|row| row.get(rows::key_name(rule)).and_then(Value::as_str) == Some(key));
    let index = key.parse().ok().or_else(by_key).filter(|index| *index < list.len())?;
    let rest: String = parts.map(|part| format!("/{part}")).collect();
    Some(format!("/{name}/{index}{rest}"))
}

fn defaults(schema: &Value) -> Map<String, Value> {
    let mut data = Map::new();
    for (name, rule) in properties(schema) {
        let value = if let Some(fixed) = rule.get("prefixItems").and_then(Value::as_array) {
            let row = |row: &Value| {
                let key = (rows::key_name(rule).to_owned(), row.get("x-row").cloned().unwrap_or_default());
                Value::Object([key].into_iter().chain(defaults(row)).collect())
            };
            Some(Value::Array(fixed.iter().map(row).collect()))
        } else if let Some(items) = rule.get("items").filter(|_| rows::is_list(rule)) {
            let count = rule.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let mut list: Vec<Value> = (0..count).map(|_| Value::Object(defaults(items))).collect();
            rows::arrange(rule, &mut list);
            Some(Value::Array(list)).filter(|_| count > 0)
        } else if rule.get("properties").is_some() {
            Some(defaults(rule)).filter(|inner| !inner.is_empty()).map(Value::Object)
        } else {
            rule.get("default").cloned()
        };
        data.extend(value.map(|value| (name.clone(), value)));
    }
    data
}

fn lay(schema: &Value, data: &mut Map<String, Value>, layer: &Map<String, Value>) {
    for (name, rule) in properties(schema) {
        let Some(value) = layer.get(name).filter(|v| !v.is_null()) else { continue };
        if let Some(fixed) = rule.get("prefixItems").and_then(Value::as_array) {
            let Some(list) = data.get_mut(name).and_then(Value::as_array_mut) else { continue };
            for (row, into) in fixed.iter().zip(list) {
                let key = row.get("x-row").and_then(Value::as_str).unwrap_or_default();
                if let (Some(into), Some(from)) = (into.as_object_mut(), row_of(rule, value, key)) {
                    lay(row, into, from);
                }
            }
        } else if let (true, Value::Array(list)) = (rows::is_list(rule), value) {
            let mut list: Vec<Value> = list.iter().filter(|row| row.is_object()).cloned().collect();
            rows::arrange(rule, &mut list);
            data.insert(name.clone(), Value::Array(list));
        } else if let (true, Some(from)) = (rule.get("properties").is_some(), value.as_object()) {
            if let Some(into) = data.entry(name.clone()).or_insert(json!({})).as_object_mut() {
                lay(rule, into, from);
            }
        } else {
            data.insert(name.clone(), value.clone());
        }
    }
}

/// The row with a key: of a list of rows, or of a map by key.
fn row_of<'a>(rule: &Value, value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    let name = rows::key_name(rule);
    let found = match value {
        Value::Array(list) => list.iter().find(|row| row.get(name).and_then(Value::as_str) == Some(key)),
        map => map.get(key),
    };
    found.and_then(Value::as_object)
}

fn replace(schema: &Value, old: &mut Map<String, Value>, mut new: Map<String, Value>) {
    for (name, rule) in properties(schema) {
        let before = old.shift_remove(name);
        match (before, new.get_mut(name)) {
            (Some(Value::Object(mut before)), Some(Value::Object(after))) => {
                replace(rule, &mut before, std::mem::take(after));
                *after = before;
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) => {
                let Some(items) = rule.get("items").filter(|items| items.get("properties").is_some()) else { continue };
                for row in after.iter_mut().filter_map(Value::as_object_mut) {
                    let key = rows::key_name(rule);
                    let same = before.iter().find(|b| b.get(key) == row.get(key)).and_then(Value::as_object);
                    let Some(mut kept) = same.cloned() else { continue };
                    kept.shift_remove(key);
                    let new = std::mem::take(row);
                    row.extend(new.get(key).map(|value| (key.to_owned(), value.clone())));
                    replace(items, &mut kept, new);
                    row.extend(kept);
                }
            }
            _ => {}
        }
    }
    old.extend(new);
}

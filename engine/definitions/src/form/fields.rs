//! The fields of a form as one audience sees it: what is laid into a form, and what an answer replaces.

use super::level::{Field, Holds, Level};
use super::resolve::{Prepared, Resolved, names};
use super::rows::{Rows, Which};
use super::{FormView, properties, rows};
use serde_json::{Map, Value, json};
use std::sync::Arc;

#[derive(Clone)]
pub struct FormFields {
    prepared: Arc<Prepared>,
    resolved: Arc<Resolved>,
}

impl FormFields {
    pub(super) fn new(prepared: Arc<Prepared>, resolved: Arc<Resolved>) -> Self {
        FormFields { prepared, resolved }
    }

    pub(super) fn resolve(&self) -> &Resolved {
        &self.resolved
    }

    pub fn contains(&self, name: &str) -> bool {
        names(&self.prepared).any(|known| known == name)
    }

    /// The words of a field, as its form shows them; empty when there are none.
    pub fn title(&self, field: &str) -> String {
        let rule = self.resolved.view.schema.get("properties").and_then(|all| all.get(field));
        rule.and_then(|rule| rule.get("title")?.as_str()).unwrap_or_default().to_owned()
    }

    pub fn view(&self) -> FormView {
        self.resolved.view.clone()
    }

    /// What a form begins with: defaults, which are for display and never enter a context by themselves, and over them
    /// the layers, each field by itself; rows by their keys.
    pub fn data(&self, layers: &[&Map<String, Value>]) -> Map<String, Value> {
        let mut data = self.resolved.defaults.clone();
        layers.iter().for_each(|layer| lay(&self.resolved.level, &mut data, layer));
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

/// What a form begins with when nothing is known.
pub fn defaults(level: &Level) -> Map<String, Value> {
    let of = |field: &Field| match &field.holds {
        Holds::Rows(rows) => beginning(rows),
        Holds::Object(inner) => Some(defaults(inner)).filter(|inner| !inner.is_empty()).map(Value::Object),
        Holds::Value => field.default.clone(),
    };
    level.fields.iter().filter_map(|field| Some((field.name.clone(), of(field)?))).collect()
}

fn beginning(rows: &Rows) -> Option<Value> {
    match &rows.of {
        Which::Fixed(fixed) => {
            let row = |(key, level): &(Value, Level)| {
                Value::Object([(rows.key.clone(), key.clone())].into_iter().chain(defaults(level)).collect())
            };
            Some(Value::Array(fixed.iter().map(row).collect()))
        }
        Which::Added(level) => {
            let mut list: Vec<Value> = (0..rows.min).map(|_| Value::Object(defaults(level))).collect();
            rows.arrange(&mut list);
            Some(Value::Array(list)).filter(|_| rows.min > 0)
        }
    }
}

fn lay(level: &Level, data: &mut Map<String, Value>, layer: &Map<String, Value>) {
    if layer.is_empty() {
        return;
    }
    for field in &level.fields {
        let Some(value) = layer.get(&field.name).filter(|v| !v.is_null()) else { continue };
        match (&field.holds, value) {
            (Holds::Rows(Rows { key: name, of: Which::Fixed(fixed), .. }), _) => {
                let Some(list) = data.get_mut(&field.name).and_then(Value::as_array_mut) else { continue };
                for ((key, row), into) in fixed.iter().zip(list) {
                    let key = key.as_str().unwrap_or_default();
                    if let (Some(into), Some(from)) = (into.as_object_mut(), row_of(name, value, key)) {
                        lay(row, into, from);
                    }
                }
            }
            (Holds::Rows(rows), Value::Array(list)) => {
                let mut list: Vec<Value> = list.iter().filter(|row| row.is_object()).cloned().collect();
                rows.arrange(&mut list);
                data.insert(field.name.clone(), Value::Array(list));
            }
            (Holds::Object(inner), Value::Object(from)) => {
                if let Some(into) = data.entry(field.name.clone()).or_insert(json!({})).as_object_mut() {
                    lay(inner, into, from);
                }
            }
            _ => {
                data.insert(field.name.clone(), value.clone());
            }
        }
    }
}

/// The row with a key: of a list of rows that carry it under this name, or of a map by key.
fn row_of<'a>(name: &str, value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    let found = match value {
        Value::Array(list) => list.iter().find(|row| row.get(name).and_then(Value::as_str) == Some(key)),
        map => map.get(key),
    };
    found.and_then(Value::as_object)
}

fn replace(schema: &Value, old: &mut Map<String, Value>, mut new: Map<String, Value>) {
    if old.is_empty() {
        *old = new;
        return;
    }
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

//! Lists of objects. Rows fixed by the context (`x-each`) have a schema each, in `prefixItems`, with their key in
//! `x-row`; rows that people add share `items`. Every row carries its key.

use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Whether a field is a list of objects.
pub fn is_list(rule: &Value) -> bool {
    rule.get("x-key").is_some()
}

/// The name under which rows carry their key.
pub fn key_name(rule: &Value) -> &str {
    rule.get("x-key").and_then(Value::as_str).unwrap_or("key")
}

/// The schema of a row by its index; `None` for lists of plain values and beyond fixed rows.
pub fn schema(rule: &Value, index: usize) -> Option<&Value> {
    if !is_list(rule) {
        return None;
    }
    match rule.get("prefixItems") {
        Some(fixed) => fixed.get(index),
        None => rule.get("items"),
    }
}

/// Rows with their schemas.
pub fn of<'a>(rule: &'a Value, value: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    let items = value.as_array().filter(|_| is_list(rule)).map_or(&[][..], Vec::as_slice);
    items.iter().enumerate().filter_map(|(i, item)| Some((schema(rule, i)?, item)))
}

/// Brings a list into its shape: one row for each fixed one, by key, in their order; added rows with keys of their own.
pub fn arrange(rule: &Value, items: &mut Vec<Value>) {
    match rule.get("prefixItems").and_then(Value::as_array) {
        Some(fixed) => *items = align(rule, fixed, items),
        None => number(key_name(rule), items),
    }
}

/// A row without a key is the one at its place; rows that are gone are left out.
fn align(rule: &Value, fixed: &[Value], items: &mut [Value]) -> Vec<Value> {
    let name = key_name(rule);
    let row = |(i, row): (usize, &Value)| {
        let key = row.get("x-row").unwrap_or(&Value::Null);
        let by_key = items.iter().position(|item| item.get(name) == Some(key));
        let by_place = || items.get(i).is_some_and(|item| item.is_object() && item.get(name).is_none()).then_some(i);
        let mut map = Map::from_iter([(name.to_owned(), key.clone())]);
        if let Some(Value::Object(found)) = by_key.or_else(by_place).map(|at| &items[at]) {
            map.extend(found.iter().filter(|(n, _)| *n != name).map(|(n, v)| (n.clone(), v.clone())));
        }
        Value::Object(map)
    };
    fixed.iter().enumerate().map(row).collect()
}

/// `r1`, `r2` …: rows without a good key of their own get the next number.
fn number(name: &str, items: &mut [Value]) {
    let mut seen = HashSet::new();
    let good: Vec<Option<u32>> =
        items.iter().map(|item| item.get(name).and_then(number_of).filter(|n| seen.insert(*n))).collect();
    let mut next = good.iter().flatten().max().copied().unwrap_or(0);
    for (item, good) in items.iter_mut().zip(good) {
        let Some(map) = item.as_object_mut() else { continue };
        let number = good.unwrap_or_else(|| {
            next += 1;
            next
        });
        map.shift_remove(name);
        map.shift_insert(0, name.to_owned(), json!(format!("r{number}")));
    }
}

/// The number in a key of an added row.
pub fn number_of(key: &Value) -> Option<u32> {
    let digits = key.as_str()?.strip_prefix('r')?;
    let is_plain = (1..=6).contains(&digits.len()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain && digits.bytes().all(|b| b.is_ascii_digit()))
}

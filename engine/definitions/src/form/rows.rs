//! Lists of objects. Rows fixed by the context (`x-each`) have a schema each, in `prefixItems`, with their key in
//! `x-row`; rows that people add share `items`. Every row carries its key.

use super::level::{Level, Normalisers};
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

/// The rows of a list.
pub struct Rows {
    /// The name under which each carries its key.
    pub key: String,
    pub of: Which,
    pub min: usize,
}

pub enum Which {
    /// One for each key.
    Fixed(Vec<(Value, Level)>),
    /// As many rows as a person adds.
    Added(Level),
}

impl Rows {
    pub fn read(rule: &Value, normalisers: &Normalisers) -> Rows {
        let fixed = |row: &Value| (row.get("x-row").cloned().unwrap_or_default(), Level::read(row, normalisers));
        let of = match rule.get("prefixItems").and_then(Value::as_array) {
            Some(rows) => Which::Fixed(rows.iter().map(fixed).collect()),
            None => Which::Added(rule.get("items").map(|row| Level::read(row, normalisers)).unwrap_or_default()),
        };
        let min = rule.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
        Rows { key: key_name(rule).to_owned(), of, min }
    }

    /// The fields of a row by its index; `None` beyond fixed rows.
    pub fn level(&self, index: usize) -> Option<&Level> {
        match &self.of {
            Which::Fixed(rows) => rows.get(index).map(|(_, level)| level),
            Which::Added(level) => Some(level),
        }
    }

    /// Brings a list into its shape: one row for each fixed one, by key, in their order; added rows with keys of their
    /// own.
    pub fn arrange(&self, items: &mut Vec<Value>) {
        match &self.of {
            Which::Fixed(fixed) => *items = align(&self.key, fixed, items),
            Which::Added(_) => number(&self.key, items),
        }
    }
}

/// A row without a key is the one at its place; rows that are gone are left out.
fn align(name: &str, fixed: &[(Value, Level)], items: &mut [Value]) -> Vec<Value> {
    let row = |(i, (key, _)): (usize, &(Value, Level))| {
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

//! Functions on lists and maps.

use crate::values::type_error;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// The value under a key, or the default when it is absent or null.
pub fn get(map: &mut Value, key: &Value, default: &mut Value) -> Result<Value, String> {
    let found = match (map, key) {
        (Value::Object(map), Value::String(key)) => map.get_mut(key),
        (Value::Array(list), Value::Number(index)) => {
            index.as_u64().and_then(|i| list.get_mut(usize::try_from(i).ok()?))
        }
        (Value::Null, _) => None,
        (Value::Object(_), other) => return Err(type_error("a text as key", other)),
        (other, _) => return Err(type_error("a map", other)),
    };
    Ok(found.filter(|v| !v.is_null()).unwrap_or(default).take())
}

/// Merges two maps, not deeply: keys of `b` win; null is a value. A null side counts as empty.
pub fn merge(a: &mut Value, b: &mut Value) -> Result<Value, String> {
    let mut out = match a.take() {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => return Err(type_error("a map", &other)),
    };
    match b.take() {
        Value::Object(map) => out.extend(map),
        Value::Null => {}
        other => return Err(type_error("a map", &other)),
    }
    Ok(Value::Object(out))
}

/// The map without the keys of a list (or one key).
pub fn without(map: &mut Value, keys: &Value) -> Result<Value, String> {
    let mut out = map_of(map)?;
    let keys = match keys {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(key) => vec![key.as_str()],
        other => return Err(type_error("a list of keys", other)),
    };
    out.retain(|k, _| !keys.contains(&k.as_str()));
    Ok(Value::Object(out))
}

pub fn keys(map: &mut Value) -> Result<Value, String> {
    Ok(map_of(map)?.into_iter().map(|(key, _)| key).collect())
}

pub fn values(map: &mut Value) -> Result<Value, String> {
    Ok(map_of(map)?.into_iter().map(|(_, value)| value).collect())
}

fn map_of(value: &mut Value) -> Result<Map<String, Value>, String> {
    match value.take() {
        Value::Object(map) => Ok(map),
        other => Err(type_error("a map", &other)),
    }
}

fn list_of(value: &mut Value, what: &str) -> Result<Vec<Value>, String> {
    match value.take() {
        Value::Array(items) => Ok(items),
        other => Err(type_error(what, &other)),
    }
}

/// The first item; null for an empty list.
pub fn first(list: &mut Value) -> Result<Value, String> {
    Ok(list_of(list, "a list")?.into_iter().next().unwrap_or_default())
}

/// Ascending by a member; `-key` descending; stable. Rows without the member come last.
pub fn sort_by(list: &mut Value, key: &str) -> Result<Value, String> {
    let mut items = list_of(list, "a list")?;
    let (key, down) = key.strip_prefix('-').map_or((key, false), |k| (k, true));
    let path: Vec<&str> = key.split('.').collect();
    let of = |v: &'_ Value| path.iter().try_fold(v, |v, k| v.get(*k)).filter(|v| !v.is_null()).cloned();
    items.sort_by_cached_key(|v| Ordered { value: of(v), down });
    Ok(Value::Array(items))
}

struct Ordered {
    value: Option<Value>,
    down: bool,
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.value, &other.value) {
            (None, None) => Ordering::Equal,
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
            (Some(a), Some(b)) => {
                let order = compare(a, b).unwrap_or(Ordering::Equal);
                if self.down { order.reverse() } else { order }
            }
        }
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ordered {}

/// A map from each value of a member to the list of rows that have it, in order of first appearance.
pub fn group_by(list: &mut Value, key: &str) -> Result<Value, String> {
    let mut out: Map<String, Value> = Map::new();
    for item in list_of(list, "a list")? {
        let group = item.get(key).map(crate::text::plain).unwrap_or_default();
        if let Value::Array(rows) = out.entry(group).or_insert_with(|| Value::Array(Vec::new())) {
            rows.push(item);
        }
    }
    Ok(Value::Object(out))
}

/// The smallest or largest number or text; null for an empty list. Nulls are left out.
pub fn extreme(list: &Value, wanted: Ordering) -> Result<Value, String> {
    let items = list.as_array().ok_or_else(|| type_error("a list", list))?;
    let mut best: Option<&Value> = None;
    for item in items.iter().filter(|v| !v.is_null()) {
        let replace = match best {
            None => true,
            Some(b) => compare(item, b).ok_or("the list mixes values that do not compare")? == wanted,
        };
        if replace {
            best = Some(item);
        }
    }
    Ok(best.cloned().unwrap_or(Value::Null))
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => match (x.as_i64(), y.as_i64()) {
            (Some(x), Some(y)) => Some(x.cmp(&y)),
            _ => x.as_f64()?.partial_cmp(&y.as_f64()?),
        },
        (Value::String(x), Value::String(y)) => Some(x.cmp(y)),
        (Value::Bool(x), Value::Bool(y)) => Some(x.cmp(y)),
        _ => None,
    }
}

/// The items of a list of lists, one after another.
pub fn concat(lists: &mut Value) -> Result<Value, String> {
    let mut out = Vec::new();
    for mut list in list_of(lists, "a list of lists")? {
        out.append(&mut list_of(&mut list, "a list")?);
    }
    Ok(Value::Array(out))
}

/// Lists 0 … n-1, at most 1,000 numbers.
pub fn range(n: &Value) -> Result<Value, String> {
    match n.as_i64() {
        Some(n @ 0..=1_000) => Ok((0..n).collect::<Vec<_>>().into()),
        Some(_) => Err("`range` takes 0 to 1000".into()),
        None => Err(type_error("an integer", n)),
    }
}

//! Conditions of `show` and `x-required`: what other answers must be. All must hold. A field that is not shown or not
//! answered fulfils nothing, `not` neither; so taking answers away never makes a condition true.

use serde_json::{Map, Value};

/// Answers of one object, and of the whole form for names that begin with `/`.
#[derive(Clone, Copy)]
pub struct Answers<'a> {
    pub own: &'a Map<String, Value>,
    pub root: &'a Map<String, Value>,
}

pub fn holds(condition: &Value, answers: Answers<'_>) -> bool {
    match condition {
        Value::Bool(known) => *known,
        Value::Object(map) => map.iter().all(|(name, wanted)| fulfils(wanted, read(name, answers))),
        _ => true,
    }
}

/// Whether a field is shown by its own condition and those of its groups.
pub fn shows(level: &Value, rule: &Value, answers: Answers<'_>) -> bool {
    of_field(level, rule).all(|condition| holds(condition, answers))
}

/// The conditions of a field: its own, its group's, and of the groups around that.
pub fn of_field<'a>(level: &'a Value, rule: &'a Value) -> impl Iterator<Item = &'a Value> {
    let ui = rule.get("x-ui");
    let mut group = ui.and_then(|ui| ui.get("group"));
    let groups = std::iter::from_fn(move || {
        let found = level.get("groups")?.get(group?.as_str()?)?;
        group = found.get("in");
        Some(found)
    });
    let own = ui.and_then(|ui| ui.get("show"));
    own.into_iter().chain(groups.filter_map(|group| group.get("show")))
}

fn read<'a>(name: &str, answers: Answers<'a>) -> Option<&'a Value> {
    match name.strip_prefix('/') {
        None => answers.own.get(name),
        Some(path) => {
            let (objects, last) = path.rsplit_once('/').map_or((None, path), |(objects, last)| (Some(objects), last));
            let mut map = answers.root;
            for part in objects.into_iter().flat_map(|o| o.split('/')) {
                map = map.get(part)?.as_object()?;
            }
            map.get(last)
        }
    }
}

fn fulfils(wanted: &Value, actual: Option<&Value>) -> bool {
    let Some(actual) = actual else { return false };
    let is_one_of = |wanted: &Value| match wanted {
        Value::Array(list) => list.iter().any(|one| same(one, actual)),
        one => same(one, actual),
    };
    match wanted {
        Value::Object(map) => match (map.get("not"), map.get("contains")) {
            (Some(not), _) => !is_one_of(not),
            (_, Some(member)) => actual.as_array().is_some_and(|list| list.iter().any(|item| is_member(member, item))),
            _ => false,
        },
        wanted => is_one_of(wanted),
    }
}

/// A plain value, or fields that a row must have.
fn is_member(member: &Value, item: &Value) -> bool {
    match member {
        Value::Object(fields) => {
            fields.iter().all(|(name, wanted)| item.get(name).is_some_and(|actual| same(wanted, actual)))
        }
        plain => same(plain, item),
    }
}

/// Equal as JSON in the browser: `1` is `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    a == b || a.is_number() && a.as_f64() == b.as_f64()
}

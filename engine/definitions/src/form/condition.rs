//! Conditions of `show` and `x-required`: what other answers must be. All must hold. A field that is not shown or not
//! answered fulfils nothing, `not` neither; so taking answers away never makes a condition true.

use crate::source::{Node, Value as Source};
use engine_statechart::{Problem, did_you_mean};
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

/// A value that the field which is asked for never has makes a condition that never holds, or with `not` always.
pub fn can_hold(rule: &Node, wanted: &Node, problems: &mut Vec<Problem>) {
    let (rule, values) = match wanted.map() {
        [(word, inner)] if word.name == "not" => (rule, inner),
        [(word, inner)] if word.name == "contains" => match rule.get("items") {
            Some(item) if item.get("properties").is_none() => (item, inner),
            _ => return,
        },
        [] => (rule, wanted),
        _ => return,
    };
    for value in values.items().iter().filter(|value| !value.is_map()) {
        let choices = choices(rule);
        let known = match &choices {
            Some(choices) => choices.contains(&value.to_json()),
            None => rule.get("type").and_then(Node::as_str).is_none_or(|kind| is_of(value, kind)),
        };
        if !known {
            let given = value.to_json();
            let texts = choices.iter().flatten().filter_map(Value::as_str);
            let hint = did_you_mean(value.as_str().unwrap_or_default(), texts).or_else(|| {
                let all = choices.as_ref().map(|all| all.iter().map(Value::to_string).collect::<Vec<_>>().join(", "));
                all.or_else(|| Some(rule.get("type")?.as_str()?.to_owned())).map(|what| format!("it is {what}"))
            });
            let message = format!("the field is never {given}, so this condition decides nothing");
            problems.push(Problem::error("never-matches", &value.span, message).maybe_hint(hint));
        }
    }
}

/// The values of a field that has a list of them, unless they are computed.
fn choices(rule: &Node) -> Option<Vec<Value>> {
    let list = rule.get("enum").or_else(|| rule.get("oneOf")).filter(|list| list.is_list())?;
    let value = |item: &Node| item.get("const").unwrap_or(item).to_json();
    let is_computed = list.list().iter().any(|item| item.get("$cel").is_some());
    (!is_computed).then(|| list.list().iter().map(value).collect())
}

fn is_of(value: &Node, kind: &str) -> bool {
    match kind {
        "string" => matches!(value.value, Source::String(_)),
        "boolean" => matches!(value.value, Source::Bool(_)),
        "integer" | "number" => matches!(value.value, Source::Int(_) | Source::Float(_)),
        _ => true,
    }
}

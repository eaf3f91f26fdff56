//! Export to a JSON machine that XState 5 loads: shapes and targets are XState's own; expressions
//! become named guards and actions (`cel`, `cel.assign`, `cel.raise`, `cel.cancel`) whose `params`
//! hold them, for whoever provides implementations.

use crate::duration::parse_duration_ms;
use crate::source::{Node, Value as Source};
use serde_json::{Map, Value, json};

/// The machine of a definition in the plain dialect; unknown keys are left out.
pub fn export(machine: &Node) -> Value {
    state(machine)
}

fn state(node: &Node) -> Value {
    let mut out = Map::new();
    for (key, value) in node.map() {
        let exported = match key.name.as_str() {
            "id" | "type" | "context" | "history" | "target" | "description" | "tags" | "meta" => value.to_json(),
            "initial" if value.is_map() => json!({
                "target": value.get("target").map(Node::to_json),
                "actions": value.get("actions").map_or(json!([]), actions),
            }),
            "initial" => value.to_json(),
            "states" => each(value, state),
            "on" => each(value, transitions),
            "always" | "onDone" => transitions(value),
            "after" => {
                Value::Object(value.map().iter().map(|(delay, t)| (delay_key(&delay.name), transitions(t))).collect())
            }
            "entry" | "exit" => actions(value),
            "invoke" => Value::Array(value.items().iter().map(invoke).collect()),
            "output" => json!({"cel": value.to_json()}),
            _ => continue,
        };
        out.insert(key.name.clone(), exported);
    }
    Value::Object(out)
}

fn each(map: &Node, export: fn(&Node) -> Value) -> Value {
    Value::Object(map.map().iter().map(|(key, value)| (key.name.clone(), export(value))).collect())
}

/// Milliseconds, or the name of a delay.
fn delay_key(written: &str) -> String {
    parse_duration_ms(written).map_or_else(|_| written.to_owned(), |ms| ms.to_string())
}

fn invoke(node: &Node) -> Value {
    let mut out = Map::new();
    for (key, value) in node.map() {
        let exported = match key.name.as_str() {
            "onDone" | "onError" => transitions(value),
            "input" => json!({"cel": value.to_json()}),
            _ => value.to_json(),
        };
        out.insert(key.name.clone(), exported);
    }
    Value::Object(out)
}

fn transitions(node: &Node) -> Value {
    Value::Array(node.items().iter().map(transition).collect())
}

fn transition(node: &Node) -> Value {
    if !node.is_map() {
        return json!({ "target": node.to_json() });
    }
    let mut out = Map::new();
    for (key, value) in node.map() {
        let exported = match key.name.as_str() {
            "guard" => json!({"type": "cel", "params": {"expression": guard(value)}}),
            "actions" => actions(value),
            _ => value.to_json(),
        };
        out.insert(key.name.clone(), exported);
    }
    Value::Object(out)
}

/// Guard objects become one expression.
fn guard(node: &Node) -> String {
    let joined = |list: &Node, sign: &str, empty: &str| {
        let parts: Vec<String> = list.list().iter().map(|g| format!("({})", guard(g))).collect();
        if parts.is_empty() { empty.to_owned() } else { parts.join(sign) }
    };
    match &node.value {
        Source::String(text) => text.clone(),
        Source::Map(_) => match (node.get("and"), node.get("or"), node.get("not")) {
            (Some(list), _, _) => joined(list, " && ", "true"),
            (_, Some(list), _) => joined(list, " || ", "false"),
            (_, _, Some(inner)) => format!("!({})", guard(inner)),
            _ => "false".to_owned(),
        },
        _ => node.to_json().to_string(),
    }
}

fn actions(node: &Node) -> Value {
    Value::Array(node.items().iter().map(action).collect())
}

fn action(node: &Node) -> Value {
    let named = |kind: &str, params: Value| json!({"type": kind, "params": params});
    if node.get("type").is_some() || !node.is_map() {
        let kind = node.get("type").unwrap_or(node).to_json();
        let params: Map<String, Value> =
            node.map().iter().filter(|(k, _)| k.name != "type").map(|(k, v)| (k.name.clone(), v.to_json())).collect();
        return if params.is_empty() { json!({ "type": kind }) } else { json!({"type": kind, "params": params}) };
    }
    match node.map() {
        [(key, value)] if matches!(key.name.as_str(), "assign" | "raise" | "cancel") => {
            let params = if key.name == "cancel" { json!({"id": value.to_json()}) } else { value.to_json() };
            named(&format!("cel.{}", key.name), params)
        }
        _ => named("cel", node.to_json()),
    }
}

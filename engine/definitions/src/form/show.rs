//! `ui:show`: conditions on other fields of the same object, written once. The schema's `if/then` is
//! made from them, and the values of hidden fields are dropped.

use serde_json::{Map, Value, json};

/// Moves the fields that a condition guards from `required` into generated `allOf` `if`/`then`.
pub fn generate(schema: &mut Value, ui: &Value) {
    let Some(entries) = ui.as_object() else { return };
    let mut rules = Vec::new();
    for (name, field) in entries.iter().filter(|(n, _)| !n.starts_with("ui:")) {
        if let Some(inner) = schema.get_mut("properties").and_then(|p| p.get_mut(name))
            && inner.get("properties").is_some()
        {
            generate(inner, field);
        }
        let Some(show) = field.get("ui:show").and_then(Value::as_object) else { continue };
        let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) else { continue };
        let before = required.len();
        required.retain(|r| r != name);
        if required.len() < before {
            rules.push(json!({"if": condition(show), "then": {"required": [name]}}));
        }
    }
    if rules.is_empty() {
        return;
    }
    if let Some(map) = schema.as_object_mut() {
        let mut all = map.get("allOf").and_then(Value::as_array).cloned().unwrap_or_default();
        all.extend(rules);
        map.insert("allOf".into(), Value::Array(all));
    }
}

fn condition(show: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, wanted) in show {
        match wanted.get("not") {
            // A field without an answer differs from every value.
            Some(other) => properties.insert(name.clone(), json!({"not": one_of(other)})),
            None => {
                required.push(Value::String(name.clone()));
                properties.insert(name.clone(), one_of(wanted))
            }
        };
    }
    json!({"properties": properties, "required": required})
}

fn one_of(wanted: &Value) -> Value {
    match wanted {
        Value::Array(values) => json!({"enum": values}),
        value => json!({"const": value}),
    }
}

/// Removes the values of fields whose condition does not hold, until nothing more is hidden.
pub fn drop_hidden(ui: &Value, data: &mut Value) {
    let (Some(entries), Some(map)) = (ui.as_object(), data.as_object_mut()) else { return };
    loop {
        let hidden = entries.iter().find(|(name, field)| {
            map.contains_key(*name)
                && field.get("ui:show").and_then(Value::as_object).is_some_and(|show| !is_shown(show, map))
        });
        let Some((name, _)) = hidden else { break };
        map.shift_remove(name);
    }
    for (name, field) in entries {
        if let Some(inner) = map.get_mut(name).filter(|v| v.is_object()) {
            drop_hidden(field, inner);
        }
    }
}

fn is_shown(show: &Map<String, Value>, data: &Map<String, Value>) -> bool {
    let equals = |value: Option<&Value>, wanted: &Value| match wanted {
        Value::Array(list) => value.is_some_and(|v| list.contains(v)),
        wanted => value == Some(wanted),
    };
    show.iter().all(|(name, wanted)| match wanted.get("not") {
        Some(other) => !equals(data.get(name), other),
        None => equals(data.get(name), wanted),
    })
}

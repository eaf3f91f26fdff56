//! The conditions of a form's schema, as far as drawing needs them: what is required for the answers so far.
//! The runtime checks answers with the whole of JSON Schema; here an unknown condition counts as not met.

use serde_json::Value;

/// Is this property required, given these answers? Looks into `allOf`, `if`/`then`/`else` and `dependentRequired`.
pub fn is_required(schema: &Value, name: &str, data: &Value) -> bool {
    let named = |list: Option<&Value>| {
        list.and_then(Value::as_array).is_some_and(|all| all.iter().any(|item| item.as_str() == Some(name)))
    };
    if named(schema.get("required")) {
        return true;
    }
    let dependent = schema.get("dependentRequired").and_then(Value::as_object).into_iter().flatten();
    if dependent.filter(|(other, _)| is_there(data, other)).any(|(_, list)| named(Some(list))) {
        return true;
    }
    if schema.get("allOf").and_then(Value::as_array).into_iter().flatten().any(|part| is_required(part, name, data)) {
        return true;
    }
    let branch =
        schema.get("if").and_then(|condition| schema.get(if meets(condition, data) { "then" } else { "else" }));
    branch.is_some_and(|branch| is_required(branch, name, data))
}

fn meets(condition: &Value, data: &Value) -> bool {
    let Some(keywords) = condition.as_object() else { return condition == &Value::Bool(true) };
    let all = |list: &Value| list.as_array().is_some_and(|list| list.iter().all(|part| meets(part, data)));
    keywords.iter().all(|(keyword, value)| match keyword.as_str() {
        "properties" => value.as_object().is_some_and(|properties| {
            properties
                .iter()
                .all(|(name, part)| !is_there(data, name) || data.get(name).is_some_and(|data| meets(part, data)))
        }),
        "required" => value
            .as_array()
            .is_some_and(|names| names.iter().filter_map(Value::as_str).all(|name| is_there(data, name))),
        "const" => data == value,
        "enum" => value.as_array().is_some_and(|list| list.contains(data)),
        "not" => !meets(value, data),
        "allOf" => all(value),
        "anyOf" => value.as_array().is_some_and(|list| list.iter().any(|part| meets(part, data))),
        _ => false,
    })
}

fn is_there(data: &Value, name: &str) -> bool {
    data.get(name).is_some_and(|value| !value.is_null() && value != "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_asked_is_required() {
        let schema = json!({"required": ["kind"], "dependentRequired": {"phone": ["hour"]}, "allOf": [
            {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"required": ["name"]}, "else": {"required": ["other"]}},
            {"if": {"properties": {"kind": {"not": {"enum": ["a", "b"]}}}, "required": ["kind"]}, "then": {"required": ["why"]}},
        ]});
        let check = |data: Value, expected: &[&str]| {
            let all = ["kind", "name", "other", "why", "hour"];
            assert_eq!(
                all.into_iter().filter(|name| is_required(&schema, name, &data)).collect::<Vec<_>>(),
                expected,
                "{data}"
            );
        };
        check(json!({}), &["kind", "other"]);
        check(json!({"kind": "a"}), &["kind", "name"]);
        check(json!({"kind": "c", "phone": "1"}), &["kind", "other", "why", "hour"]);
    }
}

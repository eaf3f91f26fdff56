//! One field of a form, handed in by a call before the step of the form is reached.

use super::normalise::as_typed;
use super::{FieldError, Form, below, messages, properties};
use serde_json::{Map, Value};

impl Form {
    /// The answer to one field, of the kind that the field has: a text is read as the number, the yes or no, or the
    /// list of one that it says; `None` says nothing. A value of another kind is refused, so that what an endpoint works
    /// out of it cannot fail. What else the form demands is asked at its step.
    pub fn read_ahead(&self, name: &str, mut value: Value) -> Result<Option<Value>, FieldError> {
        let trees = [&self.tree].into_iter().chain(self.variants.iter().map(|variant| &variant.merge));
        let rules = trees.flat_map(properties).filter(|(known, _)| *known == name).map(|(_, rule)| rule);
        let Some((rule, kind)) = rules.filter_map(|rule| Some((rule, rule.get("type")?.as_str()?))).next() else {
            return Ok(Some(value).filter(|value| !value.is_null()));
        };
        if value.is_null() || value == "" && kind != "string" {
            return Ok(None);
        }
        as_typed(kind, &mut value);
        if is_of(kind, &value) { Ok(Some(value)) } else { Err(self.wrong_kind(name, rule)) }
    }

    fn wrong_kind(&self, name: &str, rule: &Value) -> FieldError {
        let mut alone = serde_json::json!({ "properties": Map::from_iter([(name.to_owned(), rule.clone())]) });
        messages::complete(&mut alone, "", self.tree.get("messages"), &self.messages);
        let pointer = below("", name);
        let text = alone.pointer(&format!("/properties{pointer}/x-messages/type")).and_then(Value::as_str);
        FieldError { text: text.unwrap_or("type").to_owned(), code: "type".to_owned(), pointer }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

//! JSON bodies as security rule 18 wants them: no duplicate keys, no deep nesting, nothing unknown; and views as
//! bodies.

use crate::problem::{Code, FieldProblem, Problem};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use engine_runtime::view::StepView;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Most views need no more room.
const VIEW_BYTES: usize = 4_096;

/// A view as the body of a response, written at once into enough room.
pub struct Shown(pub Box<StepView>);

impl IntoResponse for Shown {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(VIEW_BYTES);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => {
                tracing::error!(%error, "a view cannot be written");
                Problem::new(Code::Internal).into_response()
            }
        }
    }
}

/// Reads a body whose keys must be unique at every level and whose nesting is at most `depth_max`.
/// The detail of the problem names line and column, never the content.
pub fn read(bytes: &[u8], depth_max: usize) -> Result<Value, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { depth: depth_max }.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let text = error.to_string();
        let reason = [DUPLICATE, DEEP].into_iter().find(|known| text.starts_with(known)).unwrap_or("not valid JSON");
        Problem::new(Code::BodyInvalid).detail(format!("{reason} at {place}"))
    })
}

const DUPLICATE: &str = "a key stands twice";
const DEEP: &str = "nested too deeply";

/// An object that is taken apart field by field; what is left over is refused.
#[derive(Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    pub fn of(value: Value) -> Result<Fields, Problem> {
        match value {
            Value::Object(map) => Ok(Fields(map)),
            _ => Err(Problem::new(Code::BodyInvalid).detail("the body must be an object")),
        }
    }

    pub fn text(&mut self, name: &str) -> Result<String, Problem> {
        self.text_or_none(name)?.ok_or_else(|| wrong(name, "required", "is required"))
    }

    pub fn text_or_none(&mut self, name: &str) -> Result<Option<String>, Problem> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() <= 200 => Ok(Some(text)),
            Some(Value::String(_)) => Err(wrong(name, "maxLength", "is too long")),
            Some(_) => Err(wrong(name, "type", "must be text")),
        }
    }

    pub fn integer(&mut self, name: &str) -> Result<i64, Problem> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Err(wrong(name, "required", "is required")),
            Some(value) => value.as_i64().ok_or_else(|| wrong(name, "type", "must be a whole number")),
        }
    }

    /// An object; `None` when absent or null.
    pub fn object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, Problem> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(wrong(name, "type", "must be an object")),
        }
    }

    pub fn finish(self) -> Result<(), Problem> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(wrong(&name.replace('~', "~0").replace('/', "~1"), "unknown", "is not known here")),
        }
    }
}

fn wrong(name: &str, code: &str, text: &str) -> Problem {
    let name: String = name.chars().take(60).collect();
    let error = FieldProblem { pointer: format!("/{name}"), code: code.into(), text: format!("`{name}` {text}") };
    Problem::new(Code::BodyInvalid).detail(error.text.clone()).errors(vec![error])
}

#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: Error>(self) -> Result<Strict, E> {
        self.depth.checked_sub(1).map(|depth| Strict { depth }).ok_or_else(|| E::custom(DEEP))
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(deeper)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(deeper)?;
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom(DUPLICATE));
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Result<&str, &str>) {
        let found =
            read(body.as_bytes(), 4).map(|value| value.to_string()).map_err(|problem| problem.detail_text().to_owned());
        match expected {
            Ok(json) => assert_eq!(found.as_deref(), Ok(json), "{body}"),
            Err(part) => assert!(found.as_ref().is_err_and(|detail| detail.contains(part)), "{body}: {found:?}"),
        }
    }

    #[test]
    fn bodies() {
        check(r#" {"a":[1,-2,2.5,null,true,"ü"]} "#, Ok(r#"{"a":[1,-2,2.5,null,true,"ü"]}"#));
        check(r#"{"a":1,"a":2}"#, Err("stands twice"));
        check(r#"{"a":{"b":1,"c":2,"b":3}}"#, Err("stands twice"));
        check(r#"{"a":1,"\u0061":2}"#, Err("stands twice"));
        check("[[[[]]]]", Ok("[[[[]]]]"));
        check("[[[[[]]]]]", Err("too deeply"));
        check("{} {}", Err("not valid JSON"));
        check("", Err("line 1, column 0"));
        check(&"[".repeat(100_000), Err("too deeply"));
    }
}

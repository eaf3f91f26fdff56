//! JSON bodies, read strictly: no duplicate keys, no deep nesting, nothing unknown; and views as
//! bodies.

use crate::problem::{Code, FieldProblem, Problem};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use engine_runtime::view::StepView;
use engine_settings::Limits;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

/// Most views need no more room.
const VIEW_BYTES: usize = 4_096;

/// A view as the body of a response, written at once into enough room.
pub struct ViewBody(pub Box<StepView>);

impl IntoResponse for ViewBody {
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

/// What a body may hold.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub depth: usize,
    /// Most fields of one object.
    pub fields: usize,
    /// Most values of a whole body, with lists and objects.
    pub values: usize,
}

impl Bounds {
    /// Bounds of what customers and their browsers send.
    pub fn of(limits: &Limits) -> Bounds {
        Bounds { depth: limits.json_depth_max, fields: limits.json_fields_max, values: limits.json_values_max }
    }

    /// Bounds of what partners send, as large as its bytes allow.
    pub fn of_partners(limits: &Limits) -> Bounds {
        Bounds { depth: limits.json_depth_max, fields: usize::MAX, values: usize::MAX }
    }
}

/// Reads a body whose keys must be unique at every level, within these bounds.
/// The detail of the problem names line and column, never the content.
pub fn read(bytes: &[u8], bounds: Bounds) -> Result<Value, Problem> {
    text(bytes).and_then(|text| read_text(text, bounds))
}

fn read_text(text: &str, bounds: Bounds) -> Result<Value, Problem> {
    look_through(text, bounds).and_then(|()| serde_json::from_str(text)).map_err(|error| unread(&error))
}

/// Looked at once as a whole, which is faster than each text by itself, twice.
fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|_| match serde_json::from_slice::<Value>(bytes) {
        Err(error) => unread(&error),
        Ok(_) => Problem::new(Code::BodyInvalid).detail("not a text in UTF-8"),
    })
}

/// Builds nothing: what a body holds is made once, as the type that it is for.
fn look_through(text: &str, bounds: Bounds) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let strict = Strict { depth: bounds.depth, fields: bounds.fields, left: &Cell::new(bounds.values) };
    strict.deserialize(&mut reader)?;
    reader.end()
}

fn unread(error: &serde_json::Error) -> Problem {
    let place = format!("line {}, column {}", error.line(), error.column());
    let text = error.to_string();
    let reason =
        [DUPLICATE, DEEP, WIDE, MANY].into_iter().find(|known| text.starts_with(known)).unwrap_or("not valid JSON");
    Problem::new(Code::BodyInvalid).detail(format!("{reason} at {place}"))
}

const DUPLICATE: &str = "a key stands twice";
const DEEP: &str = "nested too deeply";
const WIDE: &str = "an object has too many fields";
const MANY: &str = "too many values";

/// Reads a request's body into its type. The problem's pointer names the member at fault, never its value.
pub fn body<T: DeserializeOwned>(bytes: &[u8], bounds: Bounds) -> Result<T, Problem> {
    let text = text(bytes)?;
    look_through(text, bounds).map_err(|error| unread(&error))?;
    if !text.trim_ascii_start().starts_with('{') {
        return Err(Problem::new(Code::BodyInvalid).detail("the body must be an object"));
    }
    // Where it does not fit is looked for only then.
    serde_json::from_str(text).or_else(|_| Err(misfit::<T>(read_text(text, bounds)?)))
}

fn misfit<T: DeserializeOwned>(value: Value) -> Problem {
    let Err(error) = serde_path_to_error::deserialize::<_, T>(value) else { return Problem::new(Code::BodyInvalid) };
    let place = error.path().to_string();
    let said = error.inner().to_string();
    let named = || said.split('`').nth(1).unwrap_or_default().chars().take(NAME_CHARS_MAX).collect();
    if said.starts_with("missing field") {
        wrong(named(), "required", "is required")
    } else if said.starts_with("unknown field") {
        wrong(named(), "unknown", "is not known here")
    } else if said.starts_with(Word::TOO_LONG) {
        wrong(place, "maxLength", Word::TOO_LONG)
    } else {
        wrong(place, "type", "has another type")
    }
}

const NAME_CHARS_MAX: usize = 60;

fn wrong(name: String, code: &str, text: &str) -> Problem {
    let pointer = pointer_to(&name);
    let error = FieldProblem { pointer, code: code.into(), text: format!("`{name}` {text}") };
    Problem::new(Code::BodyInvalid).detail(error.text.clone()).errors(vec![error])
}

/// A short text of a body: an id or a name.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Word(String);

impl Word {
    /// Most characters, as the description of the API says it.
    const CHARS_MAX: usize = 200;
    const TOO_LONG: &str = "is too long";
}

impl TryFrom<String> for Word {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Word, &'static str> {
        if text.chars().count() <= Word::CHARS_MAX { Ok(Word(text)) } else { Err(Word::TOO_LONG) }
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.0
    }
}

#[derive(Clone, Copy)]
struct Strict<'l> {
    depth: usize,
    fields: usize,
    /// Values that may still come.
    left: &'l Cell<usize>,
}

impl Strict<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        self.depth.checked_sub(1).map(|depth| Strict { depth, ..self }).ok_or_else(|| E::custom(DEEP))
    }
}

/// A key as it stands in the body.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'b>(#[serde(borrow)] Cow<'b, str>);

/// The keys of one object: a few are compared one by one, which is faster than a tree; more are kept in one.
#[derive(Default)]
struct Keys<'b> {
    few: Vec<Key<'b>>,
    more: BTreeSet<Key<'b>>,
}

const FEW: usize = 24;

impl<'b> Keys<'b> {
    /// False when it is there already.
    fn insert(&mut self, key: Key<'b>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(key);
            return true;
        }
        self.more.insert(key)
    }

    fn len(&self) -> usize {
        self.few.len() + self.more.len()
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.left.set(self.left.get().checked_sub(1).ok_or_else(|| D::Error::custom(MANY))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let deeper = self.deeper()?;
        while items.next_element_seed(deeper)?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let deeper = self.deeper()?;
        let mut keys = Keys::default();
        while let Some(key) = entries.next_key::<Key<'de>>()? {
            entries.next_value_seed(deeper)?;
            if !keys.insert(key) {
                return Err(A::Error::custom(DUPLICATE));
            }
            if keys.len() > self.fields {
                return Err(A::Error::custom(WIDE));
            }
        }
        Ok(())
    }
}

/// The JSON Pointer of a member of the outermost map (RFC 6901).
pub fn pointer_to(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    const BOUNDS: Bounds = Bounds { depth: 4, fields: 3, values: 10 };

    fn check(body: &str, expected: Result<&str, &str>) {
        let found = read(body.as_bytes(), BOUNDS)
            .map(|value| value.to_string())
            .map_err(|problem| problem.detail_text().unwrap_or_default().to_owned());
        match expected {
            Ok(json) => assert_eq!(found.as_deref(), Ok(json), "{body}"),
            Err(part) => assert!(found.as_ref().is_err_and(|detail| detail.contains(part)), "{body}: {found:?}"),
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(rename = "type")]
        kind: Word,
        data: Option<Map<String, Value>>,
    }

    #[test]
    fn the_member_at_fault_is_named_and_its_value_is_not() {
        let check = |text: &str, pointer: &str, code: &str| {
            let problem = body::<Sample>(text.as_bytes(), BOUNDS).map(|found| (found.kind, found.data)).unwrap_err();
            let found = serde_json::to_value(&problem).unwrap();
            assert_eq!([&found["errors"][0]["pointer"], &found["errors"][0]["code"]], [pointer, code], "{text}");
            assert!(!found.to_string().contains("secret"), "{found}");
        };
        check(r#"{"data":{}}"#, "/type", "required");
        check(r#"{"type":"a","da/ta":"secret"}"#, "/da~1ta", "unknown");
        check(r#"{"type":"a","data":"secret"}"#, "/data", "type");
        check(r#"{"type":["secret"]}"#, "/type", "type");
        check(&json!({"type": "secret".repeat(50)}).to_string(), "/type", "maxLength");
        assert!(body::<Sample>(br#"["a", {}]"#, BOUNDS).is_err(), "a list is no body");
        assert!(body::<Sample>(br#"{"type":"a","data":null}"#, BOUNDS).is_ok());
    }

    #[test]
    fn bodies() {
        check(r#" {"a":[1,-2,2.5,null,true,"ü"]} "#, Ok(r#"{"a":[1,-2,2.5,null,true,"ü"]}"#));
        check(r#"{"a":1,"a":2}"#, Err("stands twice"));
        check(r#"{"a":{"b":1,"c":2,"b":3}}"#, Err("stands twice"));
        check(r#"{"a":1,"\u0061":2}"#, Err("stands twice"));
        check("[[[[]]]]", Ok("[[[[]]]]"));
        check("[[[[[]]]]]", Err("too deeply"));
        check(r#"{"a":1,"b":{"c":1,"d":2,"e":3}}"#, Ok(r#"{"a":1,"b":{"c":1,"d":2,"e":3}}"#));
        check(r#"{"a":1,"b":{"c":1,"d":2,"e":3,"f":4}}"#, Err("too many fields at line 1"));
        check("[1,2,3,4,5,6,7,8,9]", Ok("[1,2,3,4,5,6,7,8,9]"));
        check("[1,2,3,4,5,6,7,8,[9]]", Err("too many values at line 1"));
        check("{} {}", Err("not valid JSON"));
        check("", Err("line 1, column 0"));
        check(&"[".repeat(100_000), Err("too deeply"));
    }
}

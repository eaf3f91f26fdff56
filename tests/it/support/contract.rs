//! Every exchange of the integration tests is held against the description of the API: the operation is described, and
//! so are the answer's status, its content type and its body.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(engine_http::openapi()).expect("the description is JSON"));

/// Validators by the pointer of their schema.
static KNOWN: LazyLock<Mutex<HashMap<String, jsonschema::Validator>>> = LazyLock::new(Mutex::default);

/// Panics with what differs. Addresses outside of the description, and methods that nobody offers, are none of its
/// business.
#[track_caller]
pub fn check(method: &str, path: &str, status: u16, content_type: &str, body: &[u8]) {
    let path = path.split('?').next().unwrap_or_default();
    let Some(operation) = operation(method, path) else { return };
    let at = format!("{operation}/responses/{status}");
    let Some(answer) = resolved(&at) else { panic!("{method} {path}: {status} is not described") };
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let content = DESCRIPTION.pointer(&format!("{answer}/content"));
    if content.is_none() || kind.is_empty() {
        assert!(content.is_none() && body.is_empty(), "{method} {path}: {status} with `{kind}` is not described");
        return;
    }
    let schema = format!("{answer}/content/{}/schema", kind.replace('/', "~1"));
    let described = content.is_some_and(|content| content.get(kind).or(content.get("*/*")).is_some());
    assert!(described, "{method} {path}: {status} as `{kind}` is not described");
    if kind.ends_with("json") && DESCRIPTION.pointer(&schema).is_some() {
        let value: Value = serde_json::from_slice(body).expect("JSON as its content type says");
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let validator = known.entry(schema.clone()).or_insert_with(|| validator(&schema));
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{method} {path}: {status} differs from its description: {errors:#?}");
    }
}

/// Pointer of the operation that serves this.
fn operation(method: &str, path: &str) -> Option<String> {
    let paths = DESCRIPTION["paths"].as_object()?;
    let fits = |template: &&String| {
        let (mut wanted, mut given) = (template.split('/'), path.split('/'));
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return true,
                (Some(part), Some(_)) if part.starts_with('{') => {}
                (Some(part), Some(other)) if part == other => {}
                _ => return false,
            }
        }
    };
    let template = paths.keys().find(fits)?;
    let pointer = format!("/paths/{}/{}", template.replace('/', "~1"), method.to_lowercase());
    DESCRIPTION.pointer(&pointer).map(|_| pointer)
}

/// Target of a `$ref`.
fn resolved(pointer: &str) -> Option<String> {
    let found = DESCRIPTION.pointer(pointer)?;
    Some(match found.get("$ref").and_then(Value::as_str) {
        Some(reference) => reference.trim_start_matches('#').to_owned(),
        None => pointer.to_owned(),
    })
}

fn validator(pointer: &str) -> jsonschema::Validator {
    let mut schema = DESCRIPTION.pointer(pointer).cloned().unwrap_or_default();
    schema["components"] = json!({"schemas": DESCRIPTION["components"]["schemas"]});
    jsonschema::draft202012::new(&schema).expect("the description's schemas are schemas")
}

//! Wrong fields, each with the text that the form has for it.

use super::FieldError;
use super::date;
use super::resolve::Resolved;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use std::collections::HashSet;

const PATTERN_BYTES_MAX: usize = 1 << 20;
const ERRORS_MAX: usize = 100;

/// Draft 2020-12, nothing fetched, patterns in linear time, formats checked.
pub fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES_MAX))
        .should_validate_formats(true)
        .build(schema)
        .map_err(|e| format!("not a schema at `{}`: {}", e.instance_path(), e.masked()))
}

/// Errors in the order of the form, one for each place.
pub fn errors(resolved: &Resolved, data: &Value) -> Vec<FieldError> {
    if !resolved.dated && resolved.validator.is_valid(data) {
        return Vec::new();
    }
    let mut found: Vec<(String, String)> = Vec::new();
    for error in resolved.validator.iter_errors(data).take(ERRORS_MAX) {
        found.extend(places(&error));
    }
    if resolved.dated {
        dates(&resolved.schema, data, "", &mut found);
    }
    if found.is_empty() {
        return Vec::new();
    }
    let order = order(resolved);
    found.sort_by_key(|(pointer, code)| (order(pointer), rank(code)));
    let mut seen = HashSet::new();
    found.retain(|(pointer, _)| seen.insert(pointer.clone()));
    found
        .into_iter()
        .map(|(pointer, code)| {
            let text = text(&resolved.schema, &pointer, &code);
            FieldError { pointer, code, text }
        })
        .collect()
}

/// Errors of a payload whose schema has no texts.
pub fn plain_errors(validator: &Validator, data: &Value) -> Vec<FieldError> {
    let places = validator.iter_errors(data).take(ERRORS_MAX).flat_map(|e| places(&e));
    places
        .map(|(pointer, code)| FieldError {
            text: format!("{} does not fit ({code})", pointer.trim_start_matches('/')),
            pointer,
            code,
        })
        .collect()
}

/// Pointers and codes of one error: a missing or unexpected property is an error of that property.
fn places(error: &ValidationError<'_>) -> Vec<(String, String)> {
    let at = error.instance_path().as_str();
    let child = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![(child(property.as_str().unwrap_or_default()), "required".into())]
        }
        ValidationErrorKind::UnevaluatedProperties { unexpected }
        | ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| (child(name), "unknown".to_owned())).collect()
        }
        kind => {
            let code = match kind.keyword() {
                "oneOf" | "anyOf" | "not" | "falseSchema" => "enum",
                keyword => keyword,
            };
            vec![(at.to_owned(), code.to_owned())]
        }
    }
}

fn dates(schema: &Value, data: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    if let Some(code) = schema.get("x-date").and_then(|rule| date::broken(rule, data)) {
        found.push((pointer.to_owned(), code.to_owned()));
    }
    for (name, rule) in super::properties(schema) {
        if let Some(value) = data.get(name) {
            dates(rule, value, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }
    }
    if let (Some(rule), Some(items)) = (schema.get("items"), data.as_array()) {
        for (i, item) in items.iter().enumerate() {
            dates(rule, item, &format!("{pointer}/{i}"), found);
        }
    }
}

/// Place of a pointer's first field in `ui:order`, else in the schema.
fn order(resolved: &Resolved) -> impl Fn(&str) -> usize {
    let mut names: Vec<String> = Vec::new();
    let listed =
        resolved.view.ui.get("ui:order").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.extend(listed.map(str::to_owned));
    names.extend(super::properties(&resolved.schema).map(|(n, _)| n.clone()));
    move |pointer: &str| {
        let first =
            pointer.trim_start_matches('/').split('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        names.iter().position(|n| *n == first).unwrap_or(usize::MAX)
    }
}

/// What is said first when several rules are broken.
fn rank(code: &str) -> usize {
    const ORDER: [&str; 9] =
        ["required", "type", "const", "enum", "minLength", "maxLength", "pattern", "format", "minimum"];
    ORDER.iter().position(|c| *c == code).unwrap_or(ORDER.len())
}

fn text(schema: &Value, pointer: &str, code: &str) -> String {
    let mut rule = schema;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let next = rule
            .get("properties")
            .and_then(|p| p.get(&name))
            .or_else(|| rule.get("items").filter(|_| part.parse::<usize>().is_ok()));
        match next {
            Some(next) => rule = next,
            None => return fallback(code),
        }
    }
    let texts = rule.get("x-messages");
    let of = |k: &str| texts.and_then(|t| t.get(k)).and_then(Value::as_str).map(str::to_owned);
    of(code).or_else(|| of("pattern")).or_else(|| of("required")).unwrap_or_else(|| fallback(code))
}

fn fallback(code: &str) -> String {
    match code {
        "unknown" => "This field is not expected".to_owned(),
        _ => "Please check this field".to_owned(),
    }
}

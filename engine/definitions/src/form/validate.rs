//! Wrong fields, each with the text that the form has for it.

use super::answers::{ShownField, shown_fields};
use super::level::{Format, Holds, Level, Reads, Rule};
use super::resolve::Resolved;
use super::{FieldError, date, properties, refuse};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

const PATTERN_BYTES_MAX: usize = 1 << 20;
/// What one answer says at most.
pub const ERRORS_MAX: usize = 50;

/// Builds a validator: draft 2020-12, nothing fetched, patterns in linear time.
pub fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES_MAX))
        .should_validate_formats(true)
        .build(schema)
        .map_err(|e| format!("not a schema at `{}`: {}", e.instance_path(), e.masked()))
}

/// What jsonschema checks of a form: the values. What is required, known, a date or an address is checked here, since
/// it depends on what is shown, or reads alike in the browser only when we say how.
pub fn of_values(rule: &Value) -> Value {
    const KEYWORDS: [&str; 12] = [
        "type",
        "const",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "uniqueItems",
        "enum",
    ];
    let mut out = Map::new();
    let own = rule.as_object().into_iter().flatten().filter(|(key, _)| KEYWORDS.contains(&key.as_str()));
    out.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    if let Some(choices) = rule.get("oneOf").and_then(Value::as_array) {
        out.insert("enum".into(), choices.iter().map(|c| c.get("const").cloned().unwrap_or_default()).collect());
    }
    if out.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        out.shift_remove("enum");
        out.insert("not".into(), json!({}));
    }
    if rule.get("properties").is_some() {
        let inner: Map<String, Value> = properties(rule).map(|(name, rule)| (name.clone(), of_values(rule))).collect();
        out.insert("properties".into(), Value::Object(inner));
    }
    if let Some(fixed) = rule.get("prefixItems").and_then(Value::as_array).filter(|fixed| !fixed.is_empty()) {
        out.insert("prefixItems".into(), fixed.iter().map(of_values).collect());
    } else if let Some(items) = rule.get("items") {
        out.insert("items".into(), of_values(items));
    }
    Value::Object(out)
}

/// Errors in the order of the form, one for each place. `data` was normalised and pruned.
pub fn errors(resolved: &Resolved, data: &Value) -> Result<Vec<FieldError>, String> {
    let validator = resolved.validator()?;
    let Some(map) = data.as_object() else {
        return Ok(vec![error(&resolved.texts, String::new(), "type")]);
    };
    let fields = shown_fields(&resolved.level, map);
    let mut wrong: BTreeMap<String, &'static str> = BTreeMap::new();
    if !validator.is_valid(data) {
        for error in validator.iter_errors(data) {
            let (place, code) = place(&fields, &error);
            let known = wrong.entry(place).or_insert(code);
            if rank(code) < rank(known) {
                *known = code;
            }
        }
    }
    let mut found = Vec::new();
    for asked in &fields {
        let code = match asked.value {
            None => asked.required.then_some("required"),
            Some(value) => {
                let rule = &asked.field.rule;
                let by_schema = || wrong.get(&*asked.pointer).copied();
                overlong(rule, value)
                    .or_else(|| refusal_code(rule, value))
                    .or_else(by_schema)
                    .or_else(|| broken_rule(rule, value))
            }
        };
        found.extend(code.map(|code| error(&asked.field.texts, asked.pointer.to_string(), code)));
    }
    let is_said = |pointer: &String| fields.iter().any(|asked| asked.pointer == **pointer);
    found.extend(wrong.into_keys().filter(|p| !is_said(p)).map(|pointer| error(&resolved.texts, pointer, "type")));
    let mut unknown = Vec::new();
    find_unknown(&resolved.level, map, &|| String::new(), None, &mut unknown);
    found.extend(unknown.into_iter().map(|pointer| error(&resolved.texts, pointer, "unknown")));
    found.truncate(ERRORS_MAX);
    Ok(found)
}

/// A number of more than 15 digits: none that is typed has them, and expressions may multiply what is left.
fn overlong(rule: &Rule, value: &Value) -> Option<&'static str> {
    let is_number = matches!(rule.reads, Some(Reads::Integer | Reads::Number));
    (is_number && value.as_f64().is_some_and(|number| number.abs() >= 1e15)).then_some("type")
}

/// A text that cannot be written so, or of a shape that has words of its own: said before all else.
fn refusal_code(rule: &Rule, value: &Value) -> Option<&'static str> {
    if let Value::Array(items) = value {
        return items.iter().find_map(|item| refusal_code(rule.items.as_deref()?, item));
    }
    let text = value.as_str()?;
    let is_unwritable = rule.normaliser.as_ref().is_some_and(|normaliser| normaliser.refuses(text));
    if is_unwritable { Some("letters") } else { refuse::refusal_code(&rule.refusals, text) }
}

/// Name of the rule of ours that a value breaks, as both languages check it.
fn broken_rule(rule: &Rule, value: &Value) -> Option<&'static str> {
    let text = value.as_str()?;
    let is_good = match rule.format {
        Some(Format::Date) => date::is_day(text),
        Some(Format::Email) => is_email(text),
        None => true,
    };
    if is_good { rule.bounds.broken_bound(text) } else { Some("format") }
}

/// A mailbox with a domain of at least two names, the last one of letters.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@') else { return false };
    let is_name = (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b))
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !name.contains("..");
    let labels: Vec<&str> = domain.split('.').collect();
    let is_label = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_last = |label: &&&str| label.len() >= 2 && label.bytes().all(|b| b.is_ascii_alphabetic());
    is_name && labels.len() >= 2 && labels.iter().all(is_label) && labels.last().filter(is_last).is_some()
}

/// Keys that no field has, by name at each level; `key`: the one that a row carries.
fn find_unknown(
    level: &Level,
    map: &Map<String, Value>,
    at: &dyn Fn() -> String,
    key: Option<&str>,
    found: &mut Vec<String>,
) {
    let mut names: Vec<&String> = map.keys().filter(|name| key != Some(name.as_str()) && !level.has(name)).collect();
    names.sort_unstable();
    found.extend(names.into_iter().map(|name| super::below(&at(), name)));
    for field in level.fields.iter().filter(|field| !matches!(field.holds, Holds::Value)) {
        match (&field.holds, map.get(&field.name)) {
            (Holds::Object(inner), Some(Value::Object(own))) => {
                find_unknown(inner, own, &|| at() + &field.part, None, found);
            }
            (Holds::Rows(rows), Some(value)) => {
                for (i, (row, value)) in field.rows(value).enumerate() {
                    if let Some(own) = value.as_object() {
                        find_unknown(row, own, &|| format!("{}{}/{i}", at(), field.part), Some(&rows.key), found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Errors of a payload whose schema has no texts.
pub fn plain_errors(validator: &Validator, data: &Value) -> Vec<FieldError> {
    let mut seen = HashSet::new();
    let places =
        validator.iter_errors(data).flat_map(|e| places(&e)).filter(|(pointer, _)| seen.insert(pointer.clone()));
    places
        .take(ERRORS_MAX)
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
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![(super::below(at, property.as_str().unwrap_or_default()), "required".into())]
        }
        ValidationErrorKind::UnevaluatedProperties { unexpected }
        | ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| (super::below(at, name), "unknown".to_owned())).collect()
        }
        kind => vec![(at.to_owned(), code(kind.keyword()).to_owned())],
    }
}

/// The field that shows a wrong value: an item that is wrong as a whole belongs to its list.
fn place(fields: &[ShownField<'_>], error: &ValidationError<'_>) -> (String, &'static str) {
    let at = error.instance_path().as_str();
    let list = at
        .rsplit_once('/')
        .map(|(list, _)| list)
        .filter(|list| fields.iter().any(|asked| asked.pointer == **list && asked.field.rule.items.is_some()));
    (list.unwrap_or(at).to_owned(), code(error.kind().keyword()))
}

/// What is said first when several rules are broken, and all that a value may break.
const CODES: [&str; 16] = [
    "required",
    "type",
    "const",
    "enum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "x-date.min",
    "x-date.max",
];

fn code(keyword: &str) -> &'static str {
    let plain = match keyword {
        "oneOf" | "anyOf" | "not" | "falseSchema" => "enum",
        keyword => keyword,
    };
    CODES.into_iter().find(|code| *code == plain).unwrap_or("any")
}

fn rank(code: &str) -> usize {
    CODES.iter().position(|c| *c == code).unwrap_or(CODES.len())
}

/// Texts are complete: every rule of a field has one (`messages.rs`).
fn error(texts: &Value, pointer: String, code: &str) -> FieldError {
    let text = texts.get(code).and_then(Value::as_str).unwrap_or(code);
    FieldError { pointer, code: code.to_owned(), text: text.to_owned() }
}

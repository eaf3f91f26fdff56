//! Which widget draws a field, and how its standard messages are called.

use crate::fields::{unknown, unknown_keys};
use crate::keys::widgets::WIDGETS;
use crate::keys::{self, Gives, Key, Takes};
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use serde_json::Value;

/// How the standard messages of lists of rows are called.
pub const ROWS_KIND: &str = "rows";

/// What standard messages may be for.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    WIDGETS.iter().filter_map(|w| w.kind).chain([ROWS_KIND])
}

/// Holds an `x-ui` (`base`: of the shared field that it changes) against what may stand there.
pub fn check(ui: &Node, base: Option<&Node>, what: &'static str, keys: &[Key], problems: &mut Vec<Problem>) {
    unknown_keys(ui, what, &keys::names(keys), problems);
    for key in keys {
        match ui.get(key.name) {
            Some(given) => check_key(key, given, problems),
            None if key.is_needed && base.is_none_or(|base| base.get(key.name).is_none()) => {
                let message = format!("{what} needs `{}`", key.name);
                problems.push(Problem::error("widget", &ui.span, message));
            }
            None => {}
        }
    }
}

fn check_key(key: &Key, given: &Node, problems: &mut Vec<Problem>) {
    if given.is_null() || given.get("$cel").is_some() {
        return;
    }
    if let (Takes::Name(of @ [_, ..]), Some(word)) = (key.takes, given.as_str()) {
        if !of.contains(&word) {
            problems.push(unknown(key.name, given, word, of.iter().copied()));
        }
        return;
    }
    let fits = matches!(
        (key.takes, &given.value),
        (Takes::Words | Takes::Name(_) | Takes::Value(Gives::Text), Source::String(_))
            | (Takes::Value(Gives::Number), Source::Int(_))
            | (Takes::Value(Gives::Flag), Source::Bool(_))
            | (Takes::Value(Gives::Data), Source::Map(_))
            | (Takes::List(_) | Takes::Value(Gives::Texts), Source::List(_))
            | (Takes::Value(Gives::Anything), _)
    );
    if !fits {
        let expected = match key.takes {
            Takes::Value(Gives::Number) => "a whole number".into(),
            Takes::Value(gives) => gives.phrase(),
            Takes::List(_) => "a list".into(),
            _ => "a text".into(),
        };
        let found = match &given.value {
            Source::Float(number) => number.to_string(),
            _ => given.kind().to_owned(),
        };
        let message = format!("`{}` is {expected}, not {found}", key.name);
        problems.push(Problem::error("shape", &given.span, message));
    }
}

/// The widget that a field names, else the one that fits its values.
pub fn of(rule: &Value) -> &str {
    const CHOICE_MAX: usize = 4;
    const LINE_MAX: u64 = 150;
    if let Some(named) = rule.pointer("/x-ui/widget").and_then(Value::as_str) {
        return named;
    }
    let choices = rule.get("oneOf").or_else(|| rule.get("enum")).and_then(Value::as_array);
    match (rule.get("type").and_then(Value::as_str), choices) {
        (Some("array"), _) => "checkboxes",
        (Some("boolean"), _) if rule.get("const") == Some(&Value::Bool(true)) => "consent",
        (Some("boolean"), _) => "toggle",
        (_, Some(list)) => {
            if list.len() <= CHOICE_MAX {
                "choice"
            } else {
                "select"
            }
        }
        (Some("integer" | "number"), _) => "number",
        _ if rule.get("x-date").is_some() || rule.get("format").and_then(Value::as_str) == Some("date") => "date",
        _ if rule.get("maxLength").and_then(Value::as_u64).is_some_and(|max| max > LINE_MAX) => "textarea",
        _ => "text",
    }
}

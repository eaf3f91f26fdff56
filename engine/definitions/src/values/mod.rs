//! Dates, times and money as plain values: how they are read, counted and written.

pub mod amounts;
pub mod dates;
pub mod growth;
pub mod money;

pub use dates::{Now, ZONE, local_ms, locale, parse_date, parse_time, show_time, time_value};

use serde_json::Value;

/// What a function says of a value of another kind.
pub fn type_error(what: &str, value: &Value) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    format!("expected {what}, got {kind}")
}

/// A date or moment as text, in India's zone: for messages, which know no workflow.
pub fn format_date(value: &Value, pattern: &str, language: &str) -> Result<String, String> {
    dates::format_date(value, pattern, ZONE, language).map(|v| crate::text::plain(&v))
}

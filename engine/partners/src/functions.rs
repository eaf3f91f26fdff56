//! Functions that operations and sandbox scripts have beside the product's: times as partners write them.

use chrono::{DateTime, SecondsFormat};
use serde_json::Value;

/// `None` when the name is not one of these.
pub fn call(name: &str, args: &[Value]) -> Option<Result<Value, String>> {
    match (name, args) {
        ("unix", [time]) => Some(unix(time)),
        ("time_of", [seconds]) => Some(time_of(seconds)),
        _ => None,
    }
}

/// Seconds since 1970 of a time.
fn unix(time: &Value) -> Result<Value, String> {
    let time = time.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    time.map(|time| time.timestamp().into()).ok_or_else(|| "a time is needed".into())
}

/// The time of seconds since 1970.
fn time_of(seconds: &Value) -> Result<Value, String> {
    let time = seconds.as_i64().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true).into())
        .ok_or_else(|| "seconds since 1970 are needed".into())
}

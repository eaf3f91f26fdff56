//! later
use serde_json::Value;
/// File name and JSON Schema of every kind of file.
pub fn all() -> Vec<(&'static str, Value)> {
    Vec::new()
}

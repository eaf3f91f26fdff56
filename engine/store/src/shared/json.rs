//! JSON in, JSON out.

use crate::{Result, StoreError};
use serde_json::Value;

pub fn json(value: &Value) -> String {
    // not through `Display`, which takes three times as long
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}

pub fn value(text: &str, column: &'static str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| StoreError::Corrupt { column, reason: e.to_string() })
}

pub fn parse<T: serde::de::DeserializeOwned>(text: &str, column: &'static str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| StoreError::Corrupt { column, reason: e.to_string() })
}

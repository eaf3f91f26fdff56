//! The sandbox's memory, kept in the product's database so that a restart changes nothing.

use async_trait::async_trait;
use engine_partners::memory::{Memory, MemoryError};
use engine_store::{Store, StoreError};
use serde_json::Value;
use std::sync::Arc;

/// Buckets of the sandbox have this prefix among the store's small things.
const PREFIX: &str = "sandbox:";

pub struct StoreMemory(pub Arc<dyn Store>);

#[async_trait]
impl Memory for StoreMemory {
    async fn get(&self, bucket: &str, key: &str) -> Result<Option<Value>, MemoryError> {
        self.0.kv_get(&place(bucket), key).await.map_err(told)
    }

    async fn put(&self, bucket: &str, key: &str, value: Value) -> Result<(), MemoryError> {
        match value {
            Value::Null => self.0.kv_delete(&place(bucket), key).await,
            value => self.0.kv_put(&place(bucket), key, value).await,
        }
        .map_err(told)
    }

    async fn list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>, MemoryError> {
        self.0.kv_list(&place(bucket), limit).await.map_err(told)
    }

    async fn swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool, MemoryError> {
        self.0.kv_swap(&place(bucket), key, expected, value).await.map_err(told)
    }
}

fn place(bucket: &str) -> String {
    format!("{PREFIX}{bucket}")
}

fn told(error: StoreError) -> MemoryError {
    MemoryError(error.to_string())
}

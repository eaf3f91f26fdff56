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
        Ok(self.0.kv_get(&place(bucket), key).await.map_err(memory_error)?.filter(|value| !value.is_null()))
    }

    async fn put(&self, bucket: &str, key: &str, value: Value) -> Result<(), MemoryError> {
        match value {
            Value::Null => self.0.kv_delete(&place(bucket), key).await,
            value => self.0.kv_put(&place(bucket), key, value).await,
        }
        .map_err(memory_error)
    }

    async fn list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>, MemoryError> {
        let mut found = self.0.kv_list(&place(bucket), limit).await.map_err(memory_error)?;
        found.retain(|(_, value)| !value.is_null());
        Ok(found)
    }

    async fn swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool, MemoryError> {
        let bucket = place(bucket);
        let (created, removed) = (expected.is_none(), value.is_null());
        let mut swapped = self.0.kv_swap(&bucket, key, expected, value.clone()).await.map_err(memory_error)?;
        if !swapped && created {
            // Left by a crash between the two steps of a removal.
            swapped = self.0.kv_swap(&bucket, key, Some(Value::Null), value).await.map_err(memory_error)?;
        }
        if swapped && removed {
            self.0.kv_delete(&bucket, key).await.map_err(memory_error)?;
        }
        Ok(swapped)
    }
}

fn place(bucket: &str) -> String {
    format!("{PREFIX}{bucket}")
}

fn memory_error(error: StoreError) -> MemoryError {
    MemoryError(error.to_string())
}

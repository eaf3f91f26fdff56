//! Small values by bucket and key.

use crate::Result;
use async_trait::async_trait;
use serde_json::Value;

/// Small values by bucket and key (sandbox partners' memory, schedules).
#[async_trait]
pub trait Values: Send + Sync {
    /// A value by bucket and key (sandbox partners' memory, schedules).
    async fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Value>>;
    async fn kv_put(&self, bucket: &str, key: &str, value: Value) -> Result<()>;
    /// Stores only if the stored value equals `expected` (`None` = absent).
    async fn kv_swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool>;
    async fn kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>>;
    async fn kv_delete(&self, bucket: &str, key: &str) -> Result<()>;
}

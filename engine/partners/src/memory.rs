//! What fake partners remember: JSON values by bucket and key. The server keeps them in its database, so that they
//! survive a restart; tests keep them here.

use async_trait::async_trait;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Debug, thiserror::Error)]
#[error("memory: {0}")]
pub struct MemoryError(pub String);

/// Values by bucket and key. A null value means that there is none.
#[async_trait]
pub trait Memory: Send + Sync + 'static {
    async fn get(&self, bucket: &str, key: &str) -> Result<Option<Value>, MemoryError>;
    /// Stores a value; null removes.
    async fn put(&self, bucket: &str, key: &str, value: Value) -> Result<(), MemoryError>;
    /// Lists at most `limit` entries in the order of their keys.
    async fn list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>, MemoryError>;
    /// Stores only if the stored value is `expected` (`None`: there is none); says whether it did.
    async fn swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool, MemoryError>;
}

/// Bucket of messages to people: `{channel, to, subject?, text, html?, time_ms}`.
pub const INBOX: &str = "inbox";

/// Most entries that a page sees of one bucket.
pub const LIST_MAX: u32 = 1_000;

/// Most entries that `recall_all` of a script sees of one bucket.
pub const RECALL_MAX: u32 = 20_000;

/// Puts a message into the inbox; the same key and time write the same entry. Keys sort newest first.
pub async fn put_message(memory: &dyn Memory, key: &str, mut message: Value, now_ms: i64) -> Result<(), MemoryError> {
    if let Some(message) = message.as_object_mut() {
        message.insert("time_ms".into(), now_ms.into());
    }
    memory.put(INBOX, &format!("{:014}-{key}", 99_999_999_999_999_i64.saturating_sub(now_ms)), message).await
}

/// Memory of this process only.
#[derive(Default)]
pub struct InMemory {
    values: Mutex<BTreeMap<(String, String), Value>>,
}

impl InMemory {
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<(String, String), Value>) -> T) -> T {
        work(&mut self.values.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

#[async_trait]
impl Memory for InMemory {
    async fn get(&self, bucket: &str, key: &str) -> Result<Option<Value>, MemoryError> {
        Ok(self.with(|values| values.get(&(bucket.to_owned(), key.to_owned())).cloned()))
    }

    async fn put(&self, bucket: &str, key: &str, value: Value) -> Result<(), MemoryError> {
        let place = (bucket.to_owned(), key.to_owned());
        self.with(|values| if value.is_null() { values.remove(&place) } else { values.insert(place, value) });
        Ok(())
    }

    async fn list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>, MemoryError> {
        Ok(self.with(|values| {
            let start = (bucket.to_owned(), String::new());
            values
                .range(start..)
                .take_while(|((b, _), _)| b == bucket)
                .take(limit as usize)
                .map(|((_, k), v)| (k.clone(), v.clone()))
                .collect()
        }))
    }

    async fn swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool, MemoryError> {
        let place = (bucket.to_owned(), key.to_owned());
        Ok(self.with(|values| {
            let fits = values.get(&place) == expected.as_ref();
            if fits {
                if value.is_null() {
                    values.remove(&place)
                } else {
                    values.insert(place, value)
                };
            }
            fits
        }))
    }
}

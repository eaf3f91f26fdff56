//! Proofs of work that were shown.

use std::collections::HashMap;
use std::sync::Mutex;

/// Tokens that were used, until they would be void anyway.
#[derive(Default)]
pub struct UsedProofs(Mutex<HashMap<String, i64>>);

impl UsedProofs {
    /// Whether it is shown for the first time.
    pub fn first(&self, token: &str, until_ms: i64, now_ms: i64) -> bool {
        let mut used = self.0.lock().unwrap_or_else(|e| e.into_inner());
        used.retain(|_, until_ms| *until_ms > now_ms);
        used.insert(token.to_owned(), until_ms).is_none()
    }
}

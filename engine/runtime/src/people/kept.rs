//! What a browser keeps for us, and can neither read nor change.

use super::People;

impl People {
    /// Sealed for a purpose; `None` beyond 64 GiB.
    pub fn seal_for(&self, purpose: &str, plain: &[u8]) -> Option<String> {
        self.core.keys.seal_bytes(plain, purpose)
    }

    /// What was sealed for this purpose.
    pub fn open_for(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
        self.core.keys.open_bytes(sealed, purpose)
    }
}

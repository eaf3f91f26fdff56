//! A fast hash for the two tables that every step asks: ids and event types. The keys in them are
//! the author's, so that nobody else can make them collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type Table = HashMap<Box<str>, u32, BuildHasherDefault<Fnv>>;

/// FNV-1a over eight bytes at a time.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

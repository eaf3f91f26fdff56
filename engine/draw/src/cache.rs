//! Drawn pages, as many as fit; the one that was wanted longest ago goes first.

use crate::{Key, Waiting};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

#[derive(Clone)]
pub enum Drawing {
    Drawn(Arc<str>),
    /// A drawing that failed, and is not tried again before then.
    Failed(Instant),
    Asked(Waiting),
}

impl Drawing {
    fn bytes(&self) -> usize {
        match self {
            Drawing::Drawn(html) => html.len() + BESIDE,
            Drawing::Failed(_) | Drawing::Asked(_) => BESIDE,
        }
    }
}

/// What a place costs beside its text.
const BESIDE: usize = 256;

pub struct Cache {
    places: HashMap<Key, (Drawing, u64)>,
    bytes: usize,
    max: usize,
    /// Count of what was wanted or kept so far: the clock of the cache.
    now: u64,
}

impl Cache {
    pub fn new(max: usize) -> Cache {
        Cache { places: HashMap::new(), bytes: 0, max, now: 0 }
    }

    pub fn find(&mut self, key: &Key) -> Option<Drawing> {
        self.now += 1;
        let (place, wanted) = self.places.get_mut(key)?;
        *wanted = self.now;
        Some(place.clone())
    }

    pub fn put(&mut self, key: Key, place: Drawing) {
        self.now += 1;
        self.bytes += place.bytes();
        if let Some((before, _)) = self.places.insert(key, (place, self.now)) {
            self.bytes -= before.bytes();
        }
        while self.bytes > self.max && self.places.len() > 1 {
            let Some(oldest) = self.places.iter().min_by_key(|(_, (_, wanted))| *wanted).map(|(key, _)| *key) else {
                return;
            };
            if let Some((gone, _)) = self.places.remove(&oldest) {
                self.bytes -= gone.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_wanted_longest_ago_goes_first() {
        let page = |length: usize| Drawing::Drawn("x".repeat(length).into());
        let mut cache = Cache::new(4_000);
        for key in 0..3 {
            cache.put([key; 32], page(1_000));
        }
        assert!(cache.find(&[0; 32]).is_some());
        cache.put([3; 32], page(1_000));
        let kept: Vec<bool> = (0..4).map(|key| cache.find(&[key; 32]).is_some()).collect();
        assert_eq!(kept, [true, false, true, true]);
        // One that is larger than everything stands alone, and is counted once when it is put again.
        for _ in 0..2 {
            cache.put([9; 32], page(10_000));
        }
        assert_eq!((cache.places.len(), cache.bytes), (1, 10_000 + BESIDE));
    }
}

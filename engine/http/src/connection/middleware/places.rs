//! Places that connections, arriving bodies and streams take while they last: so many in all, so many of one address
//!.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone)]
pub struct Places(Arc<Inner>);

struct Inner {
    max: usize,
    per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_address: HashMap<u128, usize>,
}

/// What is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    Address,
    All,
}

/// Given back when dropped.
pub struct Slot {
    home: Places,
    bucket: Option<u128>,
}

impl Places {
    pub fn new(max: usize, per_address: usize) -> Places {
        Places(Arc::new(Inner { max, per_address, taken: Mutex::default() }))
    }

    /// A place for this bucket ([`super::Client::bucket`]); without one only all together are counted.
    pub fn take(&self, bucket: Option<u128>) -> Result<Slot, Full> {
        let mut taken = self.lock_taken();
        if taken.all >= self.0.max {
            return Err(Full::All);
        }
        if let Some(bucket) = bucket {
            let count = taken.by_address.entry(bucket).or_default();
            if *count >= self.0.per_address {
                return Err(Full::Address);
            }
            *count += 1;
        }
        taken.all += 1;
        Ok(Slot { home: self.clone(), bucket })
    }

    /// How many are taken.
    pub fn all(&self) -> usize {
        self.lock_taken().all
    }

    fn lock_taken(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.home.lock_taken();
        taken.all -= 1;
        let Some(bucket) = self.bucket else { return };
        if let Some(count) = taken.by_address.get_mut(&bucket) {
            *count -= 1;
            if *count == 0 {
                taken.by_address.remove(&bucket);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_for_its_address_and_for_all() {
        let places = Places::new(3, 2);
        let taken = |bucket| places.take(bucket).map_err(|full| (full, places.all()));
        let (one, two) = (taken(Some(1)).unwrap(), taken(Some(1)).unwrap());
        assert_eq!(taken(Some(1)).err(), Some((Full::Address, 2)));
        let three = taken(None).unwrap();
        assert_eq!(taken(Some(2)).err(), Some((Full::All, 3)));
        drop((one, three));
        assert!(taken(Some(1)).is_ok());
        drop(two);
        assert!(places.all() == 0 && places.lock_taken().by_address.is_empty(), "nothing is kept of who has left");
    }
}

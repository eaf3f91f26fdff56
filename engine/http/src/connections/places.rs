//! So many at once, in all and for each client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counted places. Cheap to clone.
#[derive(Clone)]
pub struct Places(Arc<Inner>);

struct Inner {
    taken: Mutex<Taken>,
    max: usize,
    each_max: u32,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_client: HashMap<u128, u32>,
}

/// Given back when dropped.
pub struct Place {
    client: Option<u128>,
    home: Places,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This client has all of its own.
    Client,
    All,
}

impl Places {
    pub fn new(max: usize, each_max: u32) -> Places {
        Places(Arc::new(Inner { taken: Mutex::default(), max, each_max }))
    }

    /// A place for this client; without one it counts only among all.
    pub fn take(&self, client: Option<u128>) -> Result<Place, Full> {
        let mut taken = self.taken();
        if taken.all >= self.0.max {
            return Err(Full::All);
        }
        if let Some(client) = client {
            let count = taken.by_client.entry(client).or_default();
            if *count >= self.0.each_max {
                return Err(Full::Client);
            }
            *count += 1;
        }
        taken.all += 1;
        Ok(Place { client, home: self.clone() })
    }

    /// How many are taken.
    pub fn count(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.home.taken();
        taken.all = taken.all.saturating_sub(1);
        let Some(client) = self.client else { return };
        if let Some(count) = taken.by_client.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                taken.by_client.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_by_client_and_in_all() {
        let places = Places::new(4, 2);
        let first = places.take(Some(1)).ok();
        let _second = places.take(Some(1)).ok();
        assert_eq!(places.take(Some(1)).err(), Some(Full::Client));
        let _other = places.take(Some(2)).ok();
        let _known = places.take(None).ok();
        assert_eq!((places.take(Some(3)).err(), places.take(None).err()), (Some(Full::All), Some(Full::All)));
        drop(first);
        assert!(places.take(Some(1)).is_ok() && places.count() == 3);
    }
}

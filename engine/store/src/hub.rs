//! Who is told after a commit: workers (something may be due) and listeners of journeys.

use crate::{Change, Changed, Committed, Outage, Result, StoreError};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

pub(crate) struct Hub {
    wake: watch::Sender<u64>,
    changes: broadcast::Sender<Change>,
    is_refused: AtomicBool,
    /// What the last commit met, and when, if it was not written for want of room or rights.
    refused: Mutex<Option<(Instant, Outage)>>,
}

/// How long after a commit that was refused another is taken to be refused too.
const REFUSED_FOR: Duration = Duration::from_secs(10);

impl Hub {
    pub fn new() -> Self {
        Hub {
            wake: watch::Sender::new(0),
            changes: broadcast::Sender::new(1024),
            is_refused: AtomicBool::new(false),
            refused: Mutex::default(),
        }
    }

    pub fn note_commit(&self, committed: &Result<Committed>) {
        let outage = committed.as_ref().err().and_then(StoreError::outage);
        match (committed, outage) {
            (Err(_), Some(outage @ (Outage::Full | Outage::ReadOnly))) => {
                *self.refused.lock().unwrap_or_else(|e| e.into_inner()) = Some((Instant::now(), outage));
                self.is_refused.store(true, Ordering::Relaxed);
            }
            (Ok(_), _) => self.is_refused.store(false, Ordering::Relaxed),
            (Err(_), _) => {}
        }
    }

    /// What the last commit met, if that was a moment ago.
    pub fn refused_lately(&self) -> Option<Outage> {
        if !self.is_refused.load(Ordering::Relaxed) {
            return None;
        }
        let refused = *self.refused.lock().unwrap_or_else(|e| e.into_inner());
        refused.filter(|(at, _)| at.elapsed() < REFUSED_FOR).map(|(_, outage)| outage)
    }

    /// Work may be due.
    pub fn wake(&self) {
        self.wake.send_modify(|n| *n = n.wrapping_add(1));
    }

    pub fn tell(&self, change: Change) {
        // nobody listens: fine
        let _ = self.changes.send(change);
    }

    /// What others said meanwhile is unknown: everybody looks again.
    pub fn mark_missed(&self) {
        self.wake();
        self.tell(Change { journey: String::new(), seq: 0, revision: 0, what: Changed::Missed });
    }

    pub fn wakes(&self) -> watch::Receiver<u64> {
        self.wake.subscribe()
    }

    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }
}

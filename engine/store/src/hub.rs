//! Who is told after a commit: workers (something may be due) and listeners of journeys.

use crate::{Change, Changed};
use tokio::sync::{broadcast, watch};

pub(crate) struct Hub {
    wake: watch::Sender<u64>,
    changes: broadcast::Sender<Change>,
}

impl Hub {
    pub fn new() -> Self {
        Hub { wake: watch::Sender::new(0), changes: broadcast::Sender::new(1024) }
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
    pub fn missed(&self) {
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

//! What a connection is doing, and since when: a client that only holds it loses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a connection may be in each state.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From the first byte of a header to its last, and before the first byte of all.
    pub header: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// With a request at work and no byte moving either way.
    pub stalled: Duration,
}

/// Why a connection was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    Header,
    Idle,
    Stalled,
}

impl Closed {
    pub fn name(self) -> &'static str {
        match self {
            Closed::Header => "header",
            Closed::Idle => "idle",
            Closed::Stalled => "stalled",
        }
    }
}

/// Shared by a connection's bytes, its requests and whoever looks at the time. Times are milliseconds since it began;
/// 0 is never one of them.
pub struct Watch {
    began: Instant,
    /// Requests at work, until the last byte of the answer.
    working: AtomicU32,
    /// The last byte in or out.
    moved_ms: AtomicU64,
    /// The end of the last request.
    rested_ms: AtomicU64,
    /// The first byte after that; 0 while there is none.
    header_ms: AtomicU64,
    /// Several requests share it, and bytes that belong to none of them are normal.
    http2: AtomicBool,
}

impl Watch {
    pub fn new() -> Arc<Watch> {
        Arc::new(Watch {
            began: Instant::now(),
            working: AtomicU32::new(0),
            moved_ms: AtomicU64::new(1),
            rested_ms: AtomicU64::new(0),
            header_ms: AtomicU64::new(0),
            http2: AtomicBool::new(false),
        })
    }

    fn now_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64 + 1
    }

    pub fn received(&self) {
        let now = self.now_ms();
        self.moved_ms.store(now, Ordering::Relaxed);
        let waits = self.working.load(Ordering::Relaxed) == 0 && self.header_ms.load(Ordering::Relaxed) == 0;
        if waits && !self.http2.load(Ordering::Relaxed) {
            self.header_ms.store(now, Ordering::Relaxed);
        }
    }

    pub fn sent(&self) {
        self.moved_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    /// A request has arrived; it is at work as long as this is held.
    pub fn begin(self: &Arc<Watch>, http2: bool) -> AtWork {
        self.working.fetch_add(1, Ordering::Relaxed);
        self.header_ms.store(0, Ordering::Relaxed);
        self.http2.store(http2, Ordering::Relaxed);
        AtWork(self.clone())
    }

    /// Has it been in its state for too long, and if not: when to look again.
    pub fn look(&self, patience: &Patience) -> Result<Duration, Closed> {
        let now = self.now_ms();
        let (header, rested) = (self.header_ms.load(Ordering::Relaxed), self.rested_ms.load(Ordering::Relaxed));
        let (since, limit, closed) = if self.working.load(Ordering::Relaxed) > 0 {
            (self.moved_ms.load(Ordering::Relaxed), patience.stalled, Closed::Stalled)
        } else if header > 0 {
            (header, patience.header, Closed::Header)
        } else if rested == 0 {
            (1, patience.header, Closed::Header)
        } else {
            (rested, patience.idle, Closed::Idle)
        };
        let left = limit.saturating_sub(Duration::from_millis(now.saturating_sub(since)));
        // A header may begin at any moment: never look later than it would have to end.
        if left.is_zero() { Err(closed) } else { Ok(left.min(patience.header)) }
    }
}

/// A request at work.
pub struct AtWork(Arc<Watch>);

impl Drop for AtWork {
    fn drop(&mut self) {
        if self.0.working.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.rested_ms.store(self.0.now_ms(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience =
        Patience { header: Duration::from_secs(10), idle: Duration::from_secs(60), stalled: Duration::from_secs(30) };

    /// A watch that began so long ago.
    fn aged(seconds: u64) -> Arc<Watch> {
        let mut watch = Arc::into_inner(Watch::new()).expect("nobody else has it");
        watch.began = Instant::now() - Duration::from_secs(seconds);
        Arc::new(watch)
    }

    #[test]
    fn who_says_nothing_or_half_a_header_is_closed() {
        assert_eq!(aged(11).look(&PATIENCE), Err(Closed::Header));
        assert!(aged(9).look(&PATIENCE).is_ok_and(|left| left <= Duration::from_secs(1)));
        let begun = aged(100);
        begun.received();
        assert!(begun.look(&PATIENCE).is_ok(), "its header has just begun");
        begun.header_ms.store(1, Ordering::Relaxed);
        begun.received();
        assert_eq!(begun.look(&PATIENCE), Err(Closed::Header), "further bytes win no time");
    }

    #[test]
    fn between_requests_it_may_rest_and_at_work_only_a_stall_counts() {
        let watch = aged(100);
        watch.sent();
        let work = watch.begin(false);
        assert!(watch.look(&PATIENCE).is_ok());
        watch.moved_ms.store(1, Ordering::Relaxed);
        assert_eq!(watch.look(&PATIENCE), Err(Closed::Stalled));
        drop(work);
        assert!(watch.look(&PATIENCE).is_ok(), "it has just begun to rest");
        watch.rested_ms.store(1, Ordering::Relaxed);
        assert_eq!(watch.look(&PATIENCE), Err(Closed::Idle));
    }
}

//! The one clock and the one source of randomness.

#![allow(clippy::disallowed_methods)] // the room of both

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// UTC milliseconds since 1970.
pub trait Clock: Send + Sync + 'static {
    fn now_ms(&self) -> i64;

    /// Sets a time that the clock does not go behind: another process named it, whatever the machine's clock says.
    fn not_before(&self, ms: i64);
}

/// The machine's clock, which only goes forward: when it is set back, time goes on at its own speed, so that nobody
/// waits longer than was meant; when it is set forward, time follows.
pub struct SystemClock {
    started: Instant,
    latest: Mutex<Latest>,
}

/// The time that was told last, and when that was on a clock that nobody sets.
#[derive(Clone, Copy)]
struct Latest {
    told_ms: i64,
    steady_ms: i64,
}

impl Latest {
    fn next(self, wall_ms: i64, steady_ms: i64) -> Latest {
        Latest { told_ms: wall_ms.max(self.told_ms + (steady_ms - self.steady_ms)), steady_ms }
    }
}

/// A clock that was so far ahead was wrong: waits begin anew rather than never end.
const AHEAD_MAX_MS: i64 = 26 * 3_600_000;

impl SystemClock {
    fn wall_ms() -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        let latest = Latest { told_ms: SystemClock::wall_ms(), steady_ms: 0 };
        SystemClock { started: Instant::now(), latest: Mutex::new(latest) }
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let mut latest = self.latest.lock().unwrap_or_else(|e| e.into_inner());
        *latest = latest.next(SystemClock::wall_ms(), self.started.elapsed().as_millis() as i64);
        latest.told_ms
    }

    fn not_before(&self, ms: i64) {
        let ahead_ms = ms - self.now_ms();
        if ahead_ms > AHEAD_MAX_MS {
            tracing::error!(ahead_ms, "the clock was set back by more than a day since this database was last used");
            return;
        }
        let mut latest = self.latest.lock().unwrap_or_else(|e| e.into_inner());
        latest.told_ms = latest.told_ms.max(ms);
    }
}

/// A clock that a test moves by hand, in both directions.
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub fn at(ms: i64) -> Self {
        Self(AtomicI64::new(ms))
    }
    pub fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn not_before(&self, ms: i64) {
        self.0.fetch_max(ms, Ordering::SeqCst);
    }
}

/// RFC 3339, UTC, milliseconds, fixed width: so that text order is time order.
pub fn rfc3339(ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Milliseconds of an RFC 3339 text; `None` when it is not one.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|t| t.timestamp_millis())
}

/// A new 128-bit random id, 32 hex digits.
pub fn new_id() -> String {
    hex::encode(rand::random::<[u8; 16]>())
}

/// A new token, 256 random bits as 64 hex digits: who has it is who it says.
pub fn new_token() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (machine's clock, steady clock) → time told.
    fn check(reads: &[(i64, i64, i64)]) {
        let mut latest = Latest { told_ms: 1_000, steady_ms: 0 };
        for (wall_ms, steady_ms, told_ms) in reads {
            latest = latest.next(*wall_ms, *steady_ms);
            assert_eq!(latest.told_ms, *told_ms, "at {steady_ms}");
        }
    }

    #[test]
    fn time_goes_on_when_the_machine_is_set_back() {
        const HOUR: i64 = 3_600_000;
        check(&[(1_010, 10, 1_010), (1_020 - HOUR, 20, 1_020), (1_090 - HOUR, 90, 1_090)]);
        // set right again, or forward: it follows
        check(&[(1_010 - HOUR, 10, 1_010), (1_500, 500, 1_500), (1_600 + HOUR, 600, 1_600 + HOUR)]);
    }

    #[test]
    fn a_process_begins_where_the_last_one_ended() {
        let clock = SystemClock::default();
        let wall = SystemClock::wall_ms();
        clock.not_before(wall + 3_600_000);
        assert!(clock.now_ms() >= wall + 3_600_000);
        clock.not_before(wall - 1);
        assert!(clock.now_ms() >= wall + 3_600_000, "an earlier one changes nothing");
        let wrong = SystemClock::default();
        wrong.not_before(wall + 10 * AHEAD_MAX_MS);
        assert!(wrong.now_ms() < wall + AHEAD_MAX_MS, "a clock that was years ahead is not believed");
    }
}

//! Token buckets by client address, one map per class of request.

use engine_settings::Limits;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Read,
    Write,
    /// Starting a journey, or having a partner called, on top of the others.
    Start,
    /// An error report from a browser.
    Report,
    /// Error reports of everybody together.
    Reports,
}

/// `per_second` tokens flow in, at most `burst` are kept; a rate of 0 means no limit.
#[derive(Debug, Clone, Copy)]
struct Rate {
    per_second: f64,
    burst: f64,
}

struct Bucket {
    tokens: f64,
    at: Instant,
}

pub struct Limiter {
    classes: [(Rate, Mutex<HashMap<u128, Bucket>>); 5],
}

/// Beyond this many addresses of one class, full buckets are forgotten.
const BUCKETS_MAX: usize = 50_000;

impl Limiter {
    pub fn new(limits: &Limits) -> Limiter {
        let class =
            |per_second: f64, burst: u32| (Rate { per_second, burst: f64::from(burst).max(1.0) }, Mutex::default());
        let hourly = |count: u32| class(f64::from(count) / 3600.0, count);
        Limiter {
            classes: [
                class(f64::from(limits.rate_per_s), limits.rate_burst),
                class(f64::from(limits.write_rate_per_s), limits.write_rate_burst),
                hourly(limits.starts_per_hour),
                hourly(limits.error_reports_per_hour),
                hourly(limits.error_reports_per_hour_all),
            ],
        }
    }

    /// Takes one token, or says how long to wait for the next.
    pub fn take(&self, class: Class, bucket: u128, now: Instant) -> Result<(), Duration> {
        let (rate, buckets) = &self.classes[class as usize];
        if rate.per_second <= 0.0 {
            return Ok(());
        }
        let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(&bucket) {
            buckets.retain(|_, bucket| filled(bucket, rate, now) < rate.burst);
        }
        let entry = buckets.entry(bucket).or_insert(Bucket { tokens: rate.burst, at: now });
        entry.tokens = filled(entry, rate, now);
        entry.at = now;
        if entry.tokens >= 1.0 {
            entry.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - entry.tokens) / rate.per_second))
    }
}

fn filled(bucket: &Bucket, rate: &Rate, now: Instant) -> f64 {
    (bucket.tokens + now.saturating_duration_since(bucket.at).as_secs_f64() * rate.per_second).min(rate.burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_the_rate_holds() {
        let limiter =
            Limiter::new(&Limits { write_rate_per_s: 2, write_rate_burst: 3, starts_per_hour: 0, ..Limits::default() });
        let start = Instant::now();
        let taken =
            |at_ms: u64, address| limiter.take(Class::Write, address, start + Duration::from_millis(at_ms)).is_ok();
        assert_eq!([taken(0, 1), taken(0, 1), taken(0, 1), taken(0, 1)], [true, true, true, false]);
        assert!(taken(0, 2), "another address has its own bucket");
        assert_eq!([taken(400, 1), taken(600, 1), taken(700, 1)], [false, true, false]);
        assert!((0..1000).all(|_| limiter.take(Class::Start, 1, start).is_ok()), "0 means no limit");
    }
}

//! When to try again.

#![allow(clippy::disallowed_methods)] // the room of chance

/// Exponential with full jitter: anywhere between nothing and `base · 2^(attempt - 1)`, capped.
pub fn full_jitter(attempt: i32, base_ms: i64, cap_ms: i64) -> i64 {
    let doublings = attempt.clamp(1, 20) - 1;
    let ceiling = base_ms.max(1).saturating_mul(1 << doublings).min(cap_ms.max(1));
    rand::random_range(0..=ceiling)
}

#[cfg(test)]
mod tests {
    use super::full_jitter;

    #[test]
    fn waits_grow_and_stay_under_the_cap() {
        for attempt in 1..100 {
            let ceiling = (500_i64 << (attempt.min(20) - 1)).min(20_000);
            for _ in 0..50 {
                let wait = full_jitter(attempt, 500, 20_000);
                assert!((0..=ceiling).contains(&wait), "attempt {attempt}: {wait}");
            }
        }
    }
}

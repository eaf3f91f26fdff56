//! The circuit breaker of one operation, as data: times and orders come in, decisions go out.
//!
//! closed —(as many orders as `failures` fail, and none succeeds between)→ open —(`open_ms` later)→ half-open: one call
//! tries —(it succeeds)→ closed, else → open.
//!
//! What one order causes says nothing about the others: an order that fails again and again counts once, and is the
//! last to try whether the operation works again. The first is the oldest that waits and has not failed.

use std::collections::{BTreeMap, BTreeSet};

/// Rule of partner.yaml by which a breaker opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Orders in a row that fail until it opens; at least two.
    pub failures: u32,
    /// How long it stays open, in milliseconds.
    pub open_ms: u64,
}

impl Rule {
    fn failures(self) -> usize {
        self.failures.max(2) as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Closed {
        /// Orders that have failed since one succeeded.
        failures: u32,
    },
    Open {
        until_ms: u64,
    },
    /// One call is on its way and decides.
    HalfOpen,
}

/// What a call may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Go,
    /// The call may not go now; it is worth another try in so many milliseconds.
    Refused {
        retry_after_ms: u64,
    },
}

/// How an admitted call ended, as far as the breaker is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The partner answered, whatever it answered about this order.
    Answered,
    /// The partner did not answer, or with nonsense.
    Failed,
    /// The call was given up by us before it could tell.
    Unknown,
}

/// The order that a call belongs to: its name, and since when it waits.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    pub subject: &'a str,
    pub since_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    state: State,
    /// Orders that have failed since one succeeded.
    failed: BTreeSet<String>,
    /// Orders that were turned away and have not failed, oldest first.
    waiting: BTreeMap<(i64, String), ()>,
}

/// Longest lists: beyond them nobody is told apart.
const ORDERS_MAX: usize = 1_000;
/// Time for which the oldest order is waited for after the end of an open time; it may be gone, or on another node.
const GRACE_MS: u64 = 1_000;
/// Pause of a call that finds another one trying.
const AGAIN_MS: u64 = 1_000;

impl Default for Breaker {
    fn default() -> Self {
        Breaker { state: State::Closed { failures: 0 }, failed: BTreeSet::new(), waiting: BTreeMap::new() }
    }
}

impl Breaker {
    pub fn state(&self) -> State {
        self.state
    }

    pub fn admit(&mut self, rule: Rule, caller: Caller<'_>, now_ms: u64) -> Admission {
        let State::Open { until_ms } = self.state else {
            return match self.state {
                State::Closed { .. } | State::Open { .. } => Admission::Go,
                State::HalfOpen => self.turn_away(caller, rule.open_ms.min(AGAIN_MS)),
            };
        };
        if now_ms < until_ms {
            return self.turn_away(caller, until_ms - now_ms);
        }
        let over_ms = now_ms - until_ms;
        let first = match self.failed.contains(caller.subject) {
            true => self.waiting.is_empty() || over_ms >= 2 * GRACE_MS,
            false => {
                let oldest = self.waiting.keys().next();
                oldest.is_none_or(|oldest| (caller.since_ms, caller.subject) <= (oldest.0, oldest.1.as_str()))
                    || over_ms >= GRACE_MS
            }
        };
        if !first {
            return self.turn_away(caller, (GRACE_MS / 4).min(rule.open_ms));
        }
        self.waiting.remove(&(caller.since_ms, caller.subject.to_owned()));
        self.state = State::HalfOpen;
        Admission::Go
    }

    pub fn record(&mut self, rule: Rule, subject: &str, verdict: Verdict, now_ms: u64) {
        match (self.state, verdict) {
            (State::Closed { .. } | State::HalfOpen, Verdict::Answered) => *self = Breaker::default(),
            (State::Closed { .. }, Verdict::Failed) => {
                self.note_failure(subject);
                self.state = match self.failed.len() >= rule.failures() {
                    true => State::Open { until_ms: now_ms.saturating_add(rule.open_ms) },
                    false => State::Closed { failures: self.failed.len() as u32 },
                };
            }
            (State::HalfOpen, Verdict::Failed) => {
                self.note_failure(subject);
                self.state = State::Open { until_ms: now_ms.saturating_add(rule.open_ms) };
            }
            // Nobody knows yet: the next call tries.
            (State::HalfOpen, Verdict::Unknown) => self.state = State::Open { until_ms: now_ms },
            (State::Closed { .. }, Verdict::Unknown) => {}
            // Calls admitted before it opened say nothing new of the operation, but something of their order.
            (State::Open { .. }, Verdict::Failed) => self.note_failure(subject),
            (State::Open { .. }, Verdict::Answered | Verdict::Unknown) => {}
        }
    }

    fn note_failure(&mut self, subject: &str) {
        if self.failed.len() < ORDERS_MAX {
            self.failed.insert(subject.to_owned());
        }
        self.waiting.retain(|(_, waiting), ()| waiting != subject);
    }

    fn turn_away(&mut self, caller: Caller<'_>, retry_after_ms: u64) -> Admission {
        if self.waiting.len() < ORDERS_MAX && !self.failed.contains(caller.subject) {
            self.waiting.insert((caller.since_ms, caller.subject.to_owned()), ());
        }
        Admission::Refused { retry_after_ms }
    }
}

impl State {
    /// Number of the state for the gauge: 0 closed, 1 half-open, 2 open.
    pub fn level(self) -> u8 {
        match self {
            State::Closed { .. } => 0,
            State::HalfOpen => 1,
            State::Open { .. } => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { failures: 3, open_ms: 10_000 };

    /// Each word is a call: time, then order, then `f` fails, `a` answers, `u` is given up; a capital was not let in.
    /// Order `1` waits since 1.
    fn check(calls: &str, end: State) {
        let mut breaker = Breaker::default();
        for call in calls.split_whitespace() {
            let (now, rest) = call.split_once(':').unwrap();
            let (subject, outcome) = rest.split_at(1);
            let (now, since_ms) = (now.parse().unwrap(), subject.parse().unwrap());
            let admission = breaker.admit(RULE, Caller { subject, since_ms }, now);
            let outcome = outcome.chars().next().unwrap();
            assert_eq!(admission == Admission::Go, outcome.is_lowercase(), "{call} in {breaker:?}");
            let verdict = match outcome {
                'f' => Verdict::Failed,
                'a' => Verdict::Answered,
                'u' => Verdict::Unknown,
                _ => continue,
            };
            breaker.record(RULE, subject, verdict, now);
        }
        assert_eq!(breaker.state(), end, "{calls}");
    }

    #[test]
    fn opens_tries_and_closes() {
        check("0:1f 1:2f 2:3a 3:1f 4:2f", State::Closed { failures: 2 });
        check("0:1f 1:2f 2:3f 3:4X 5000:5X", State::Open { until_ms: 10_002 });
        check("0:1f 1:2f 2:3f 10002:4f 10003:5X", State::Open { until_ms: 20_002 });
        check("0:1f 1:2f 2:3f 10002:4a 10003:5f", State::Closed { failures: 1 });
        check("0:1f 1:2f 2:3f 10002:4u 10003:5a", State::Closed { failures: 0 });
        check("0:1u 1:2f 2:3u 3:4f", State::Closed { failures: 2 });
    }

    #[test]
    fn one_order_alone_never_opens_it() {
        check("0:1f 1:1f 2:1f 3:1f 4:1f 5:2f", State::Closed { failures: 2 });
        check("0:1f 1:1f 2:2a 3:1f", State::Closed { failures: 1 });
    }

    #[test]
    fn the_oldest_order_that_has_not_failed_tries_first() {
        // 3, 5 and 4 are turned away while it is open; 1 and 2 have failed
        let open = "0:1f 1:2f 2:9f 100:5X 101:3X 102:4X";
        check(&format!("{open} 10002:1X 10003:5X 10004:3a 10005:1f"), State::Closed { failures: 1 });
        // the oldest does not come: after a while another may try, and at last one that has failed
        check(&format!("{open} 10900:5X 11002:5a"), State::Closed { failures: 0 });
        check(&format!("{open} 11900:1X 12002:1a"), State::Closed { failures: 0 });
        // it fails too: then the next oldest
        check(&format!("{open} 10004:3f 20004:3X 20005:5X 20006:4a"), State::Closed { failures: 0 });
        // nobody waits: whoever comes tries
        check("0:1f 1:2f 2:9f 10002:1f 20002:2a", State::Closed { failures: 0 });
    }

    #[test]
    fn one_call_tries_while_half_open() {
        check("0:1f 1:2f 2:9f 10002:3u 10002:4a 10003:5f 10004:5f 10005:6f", State::Closed { failures: 2 });
        let mut breaker = Breaker::default();
        for subject in ["a", "b", "c"] {
            breaker.record(RULE, subject, Verdict::Failed, 0);
        }
        let caller = |subject| Caller { subject, since_ms: 0 };
        assert_eq!(breaker.admit(RULE, caller("d"), 10_000), Admission::Go);
        assert_eq!(breaker.admit(RULE, caller("e"), 10_001), Admission::Refused { retry_after_ms: 1_000 });
        assert_eq!(breaker.state(), State::HalfOpen);
    }
}

//! The circuit breaker of one partner, as data: times come in, decisions go out.
//!
//! closed —(`failures` in a row)→ open —(`open_ms` later)→ half-open: one call tries —(it succeeds)→ closed, else →
//! open.

/// When a breaker opens and for how long; of partner.yaml.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Failures in a row that open it.
    pub failures: u32,
    /// How long it stays open, in milliseconds.
    pub open_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Closed {
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
    /// Not now; worth another try in so many milliseconds.
    Refused {
        retry_after_ms: u64,
    },
}

/// How an admitted call ended, as far as the breaker is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It answered, whatever it answered.
    Answered,
    /// It did not, or with nonsense.
    Failed,
    /// The call was given up by us before it could tell.
    Unknown,
}

impl State {
    pub const START: State = State::Closed { failures: 0 };

    pub fn admit(self, rule: Rule, now_ms: u64) -> (State, Admission) {
        match self {
            State::Closed { .. } => (self, Admission::Go),
            State::Open { until_ms } if now_ms >= until_ms => (State::HalfOpen, Admission::Go),
            State::Open { until_ms } => (self, Admission::Refused { retry_after_ms: until_ms - now_ms }),
            State::HalfOpen => (self, Admission::Refused { retry_after_ms: rule.open_ms.min(1_000) }),
        }
    }

    pub fn record(self, rule: Rule, verdict: Verdict, now_ms: u64) -> State {
        let open = State::Open { until_ms: now_ms.saturating_add(rule.open_ms) };
        match (self, verdict) {
            (State::Closed { .. } | State::HalfOpen, Verdict::Answered) => State::START,
            (State::Closed { failures }, Verdict::Failed) if failures + 1 >= rule.failures.max(1) => open,
            (State::Closed { failures }, Verdict::Failed) => State::Closed { failures: failures + 1 },
            (State::HalfOpen, Verdict::Failed) => open,
            // Nobody knows yet: the next call tries.
            (State::HalfOpen, Verdict::Unknown) => State::Open { until_ms: now_ms },
            (State::Closed { .. }, Verdict::Unknown) => self,
            // Calls admitted before it opened say nothing new.
            (State::Open { .. }, Verdict::Answered | Verdict::Failed | Verdict::Unknown) => self,
        }
    }

    /// For the gauge: 0 closed, 1 half-open, 2 open.
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

    /// Each letter is a call at the given time: `f` fails, `a` answers, `u` is given up; a capital was not admitted.
    fn check(calls: &[(u64, char)], end: State) {
        let rule = Rule { failures: 3, open_ms: 100 };
        let mut state = State::START;
        for (now, call) in calls {
            let (next, admission) = state.admit(rule, *now);
            assert_eq!(admission == Admission::Go, call.is_lowercase(), "at {now}: {call} in {state:?}");
            state = next;
            let verdict = match call {
                'f' => Verdict::Failed,
                'a' => Verdict::Answered,
                'u' => Verdict::Unknown,
                _ => continue,
            };
            state = state.record(rule, verdict, *now);
        }
        assert_eq!(state, end);
    }

    #[test]
    fn opens_tries_and_closes() {
        check(&[(0, 'f'), (1, 'f'), (2, 'a'), (3, 'f'), (4, 'f')], State::Closed { failures: 2 });
        check(&[(0, 'f'), (1, 'f'), (2, 'f'), (3, 'A'), (101, 'A')], State::Open { until_ms: 102 });
        check(&[(0, 'f'), (1, 'f'), (2, 'f'), (102, 'f'), (103, 'A')], State::Open { until_ms: 202 });
        check(&[(0, 'f'), (1, 'f'), (2, 'f'), (102, 'a'), (103, 'f')], State::Closed { failures: 1 });
        check(&[(0, 'f'), (1, 'f'), (2, 'f'), (102, 'u'), (103, 'a')], State::START);
        check(&[(0, 'u'), (1, 'f'), (2, 'u'), (3, 'f')], State::Closed { failures: 2 });
    }

    #[test]
    fn one_call_tries_while_half_open() {
        let rule = Rule { failures: 1, open_ms: 5_000 };
        let open = State::START.record(rule, Verdict::Failed, 0);
        let (half, first) = open.admit(rule, 5_000);
        let (half, second) = half.admit(rule, 5_001);
        assert_eq!(
            (first, second, half),
            (Admission::Go, Admission::Refused { retry_after_ms: 1_000 }, State::HalfOpen)
        );
    }
}

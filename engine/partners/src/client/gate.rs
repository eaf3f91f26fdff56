//! One gate per partner: how many calls at once, and whether any at all.

use super::breaker::{Admission, Verdict, Rule, State};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The gates of all partners, made at their first call.
pub struct Gates {
    started: Instant,
    gates: Mutex<HashMap<String, Arc<Gate>>>,
}

struct Gate {
    partner: String,
    concurrency: usize,
    permits: Arc<Semaphore>,
    breaker: Mutex<State>,
}

/// Why a call was not let through.
#[derive(Debug, PartialEq, Eq)]
pub enum Closed {
    /// Too many calls at once for longer than this one could wait.
    Busy,
    /// The breaker is open.
    Open { retry_after_ms: u64 },
}

/// A call's right to go out. Dropping it without [`Pass::end`] (a cancelled call) says nothing about the partner.
pub struct Pass<'a> {
    gates: &'a Gates,
    gate: Arc<Gate>,
    rule: Rule,
    verdict: Verdict,
    _permit: OwnedSemaphorePermit,
}

impl Gates {
    pub fn new() -> Self {
        Gates { started: Instant::now(), gates: Mutex::new(HashMap::new()) }
    }

    /// Waits for a free place at most `wait`, then asks the breaker.
    pub async fn enter(&self, partner: &str, concurrency: usize, rule: Rule, wait: Duration) -> Result<Pass<'_>, Closed> {
        let gate = self.gate(partner, concurrency.max(1));
        let permit = match tokio::time::timeout(wait, Arc::clone(&gate.permits).acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => return Err(Closed::Busy),
        };
        let admission = gate.change(|state| state.admit(rule, self.now_ms()));
        match admission {
            Admission::Go => Ok(Pass { gates: self, gate, rule, verdict: Verdict::Unknown, _permit: permit }),
            Admission::Refused { retry_after_ms } => Err(Closed::Open { retry_after_ms }),
        }
    }

    /// State of each partner's breaker, for pages and checks; partners that were never called are absent.
    pub fn breakers(&self) -> Vec<(String, State)> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = gates.values().map(|gate| (gate.partner.clone(), gate.change(|state| (state, state)))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn gate(&self, partner: &str, concurrency: usize) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        match gates.get(partner) {
            Some(gate) if gate.concurrency == concurrency => Arc::clone(gate),
            // New, or its definition changed: calls under way finish on the old places.
            earlier => {
                let state = earlier.map_or(State::START, |gate| gate.change(|state| (state, state)));
                let permits = Arc::new(Semaphore::new(concurrency));
                let gate = Arc::new(Gate { partner: partner.to_owned(), concurrency, permits, breaker: Mutex::new(state) });
                gates.insert(partner.to_owned(), Arc::clone(&gate));
                gate
            }
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Gate {
    fn change<T>(&self, next: impl FnOnce(State) -> (State, T)) -> T {
        let mut state = self.breaker.lock().unwrap_or_else(PoisonError::into_inner);
        let (new, answer) = next(*state);
        if new != *state {
            metrics::gauge!("partner_breaker_state", "partner" => self.partner.clone()).set(f64::from(new.level()));
            if new.level() != state.level() {
                tracing::warn!(partner = %self.partner, from = state.level(), to = new.level(), "circuit breaker moved");
            }
        }
        *state = new;
        answer
    }
}

impl Pass<'_> {
    pub fn end(mut self, verdict: Verdict) {
        self.verdict = verdict;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let now_ms = self.gates.now_ms();
        self.gate.change(|state| (state.record(self.rule, self.verdict, now_ms), ()));
    }
}

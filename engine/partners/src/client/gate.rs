//! One gate per partner: how many calls at once, and, by operation, whether any at all. An operation that fails for one
//! customer again and again must not close the others of its partner.

use super::breaker::{Admission, Breaker, Caller, Rule, State, Verdict};
use std::collections::{BTreeMap, HashMap};
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
    /// Breakers by operation; those that were never called are absent.
    breakers: Mutex<BTreeMap<String, Breaker>>,
}

/// Why a call was not let through.
#[derive(Debug, PartialEq, Eq)]
pub enum Closed {
    /// The partner has had too many calls at once for longer than this one could wait.
    Busy,
    /// The breaker is open.
    Open { retry_after_ms: u64 },
}

/// A call's right to go out. Dropping it without [`Pass::end`] (a cancelled call) says nothing about the partner.
pub struct Pass<'a> {
    gates: &'a Gates,
    gate: Arc<Gate>,
    operation: String,
    subject: String,
    rule: Rule,
    verdict: Verdict,
    _permit: OwnedSemaphorePermit,
}

impl Gates {
    pub fn new() -> Self {
        Gates { started: Instant::now(), gates: Mutex::new(HashMap::new()) }
    }

    /// Waits for a free place at most `wait`, then asks the operation's breaker.
    pub async fn enter(
        &self,
        partner: &str,
        operation: &str,
        caller: Caller<'_>,
        concurrency: usize,
        rule: Rule,
        wait: Duration,
    ) -> Result<Pass<'_>, Closed> {
        let gate = self.gate(partner, concurrency.max(1));
        let permit = match tokio::time::timeout(wait, Arc::clone(&gate.permits).acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => return Err(Closed::Busy),
        };
        let admission = gate.change(operation, |breaker| breaker.admit(rule, caller, self.now_ms()));
        match admission {
            Admission::Go => Ok(Pass {
                gates: self,
                gate,
                operation: operation.to_owned(),
                subject: caller.subject.to_owned(),
                rule,
                verdict: Verdict::Unknown,
                _permit: permit,
            }),
            Admission::Refused { retry_after_ms } => Err(Closed::Open { retry_after_ms }),
        }
    }

    /// State of each breaker as `(partner/operation, state)`, for pages and checks; what was never called is absent.
    pub fn breakers(&self) -> Vec<(String, State)> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = gates
            .values()
            .flat_map(|gate| {
                let named = |(operation, breaker): (String, Breaker)| {
                    (format!("{}/{operation}", gate.partner), breaker.state())
                };
                gate.breakers().into_iter().map(named)
            })
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn gate(&self, partner: &str, concurrency: usize) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        match gates.get(partner) {
            Some(gate) if gate.concurrency == concurrency => Arc::clone(gate),
            // New, or its definition changed: calls under way finish on the old places.
            earlier => {
                let breakers = earlier.map(|gate| gate.breakers()).unwrap_or_default();
                let permits = Arc::new(Semaphore::new(concurrency));
                let gate = Arc::new(Gate {
                    partner: partner.to_owned(),
                    concurrency,
                    permits,
                    breakers: Mutex::new(breakers),
                });
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
    fn breakers(&self) -> BTreeMap<String, Breaker> {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, operation: &str, change: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(operation.to_owned()).or_default();
        let before = breaker.state().level();
        let answer = change(breaker);
        let after = breaker.state().level();
        if before != after {
            metrics::counter!("partner_breaker_moves_total", "partner" => self.partner.clone(), "operation" => operation.to_owned()).increment(1);
            tracing::warn!(partner = %self.partner, operation, from = before, to = after, "circuit breaker moved");
        }
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
        let record = |breaker: &mut Breaker| breaker.record(self.rule, &self.subject, self.verdict, now_ms);
        self.gate.change(&self.operation, record);
    }
}

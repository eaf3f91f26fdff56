//! The frame of every turn on a stored journey: read, decide, commit; decided anew as long as another writer was first.

use super::{Core, RuntimeError, Unanswered, read};
use crate::actor::Actor;
use crate::clock::new_id;
use crate::fact::Work;
use crate::turn::{Ends, Journey, Refused, Turn};
use engine_store::{Committed, EffectEnd, StoreError};
use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;

/// What became of a piece of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    Done,
    /// Somebody else did it, or it is no longer wanted.
    Superseded,
    /// The reference, or the journey that it leads to, is not known (yet, or any more).
    Unknown,
}

/// Tries of one decision on one journey.
pub(crate) struct Tries<'c> {
    core: &'c Core,
    left: usize,
    /// The journey as this node has just written it, for the first try.
    recent: Option<Journey>,
    /// Whether what is written now may be the next one's beginning.
    keeps: bool,
    /// Guard of this node's line: writers of one journey wait for each other.
    line: Option<OwnedMutexGuard<()>>,
}

/// Most tries of one decision: so many other writers may be first.
const TRIES_MAX: usize = 50;

impl Core {
    /// Tries on a stored journey, one writer of this node after the other.
    pub async fn tries(&self, journey: &str) -> Tries<'_> {
        let line = Some(self.lock(journey).await);
        Tries { core: self, left: TRIES_MAX, recent: self.recent.take(journey), keeps: true, line }
    }

    /// Tries on a journey that is not there yet, or beside a turn that has its line.
    pub fn tries_without_line(&self, keeps: bool) -> Tries<'_> {
        Tries { core: self, left: TRIES_MAX, recent: None, keeps, line: None }
    }

    /// A turn of the product itself; an incident when the definition fails. What `decide` gives false for changes
    /// nothing, unless work ends with it.
    pub async fn turn(
        &self,
        journey: &str,
        ends: &Ends,
        decide: impl Fn(&mut Turn<'_>) -> Result<bool, Refused>,
    ) -> Result<Settled, RuntimeError> {
        let mut tries = self.tries(journey).await;
        loop {
            tries.begin()?;
            let (stored, is_recent) = match tries.recent.take() {
                Some(stored) => (stored, true),
                None => match self.store().journey(journey).await? {
                    Some(record) => (read(record)?, false),
                    None if matches!(ends, Ends::Webhook(_)) => return Ok(Settled::Unknown),
                    None => return Ok(Settled::Superseded),
                },
            };
            let (workflow, catalog) = (self.workflow_of(&stored.record).await?, self.catalog());
            let mut turn = Turn::on(&workflow, &catalog, stored, self.now_ms());
            turn.end(ends.clone());
            let decided = decide(&mut turn);
            if is_recent && (!matches!(decided, Ok(true)) || turn.has_questions()) {
                // Only what is stored says so for certain.
                continue;
            }
            let broken = match decided {
                Ok(false) | Err(Refused::Unselected) if !ends.without_a_fact() => return Ok(Settled::Superseded),
                Ok(_) | Err(Refused::Unselected) => match self.answer_questions(&mut turn, &Actor::system()).await {
                    Ok(()) => None,
                    Err(Unanswered::Broken { place, reason }) => Some((place, reason)),
                    Err(Unanswered::Refused(_)) => return Err(StoreError::Busy.into()),
                },
                Err(Refused::Broken { place, reason }) => Some((place, reason)),
            };
            if let Some((place, reason)) = broken {
                let (workflow, version) = (&workflow.id, &workflow.version);
                tracing::error!(workflow, version, place, reason, "definition failed on a reply or timer");
                return self.fail_turn(journey, &place, &reason, ends).await;
            }
            match tries.commit(turn).await? {
                None => {}
                Some(Committed::Done { .. }) => return Ok(Settled::Done),
                Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) => {
                    return Ok(Settled::Superseded);
                }
            }
        }
    }

    /// Notes only facts, on a journey that does not move; `None`: there is no such journey.
    pub async fn note(
        &self,
        journey: &str,
        note: impl Fn(&mut Turn<'_>) -> Result<(), Refused>,
    ) -> Result<Option<Committed>, RuntimeError> {
        let mut tries = self.tries_without_line(false);
        loop {
            tries.begin()?;
            let Some(record) = self.store().journey(journey).await? else { return Ok(None) };
            let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
            let mut turn = Turn::on(&workflow, &catalog, read(record)?, self.now_ms());
            let failed = |reason: String| RuntimeError::Definition { place: journey.into(), reason };
            note(&mut turn).map_err(|refused| failed(format!("{refused:?}")))?;
            if let Some(committed) = tries.commit(turn).await? {
                return Ok(Some(committed));
            }
        }
    }

    /// A turn failed: an incident, and the tries of passwords that it made stay counted. The incident's id and the step
    /// that is shown.
    pub async fn keep_failure(
        &self,
        failed: &Turn<'_>,
        place: &str,
        reason: &str,
        detail: Value,
    ) -> Result<(String, String), RuntimeError> {
        let (id, tried) = (new_id(), &failed.state.otps);
        let noted = self.note(failed.id(), |turn| turn.fail(&id, place, reason, detail.clone(), tried));
        match noted.await? {
            Some(_) => Ok((id, failed.record.step.clone())),
            None => Err(StoreError::Busy.into()),
        }
    }

    /// The work of a turn that failed: its effect is parked, and the incident names it.
    async fn fail_turn(&self, journey: &str, place: &str, reason: &str, ends: &Ends) -> Result<Settled, RuntimeError> {
        let detail = Work::beside(Value::Null, ends.work().as_ref());
        let parked = EffectEnd::Parked { reason: json!({"code": "definition", "place": place, "reason": reason}) };
        let noted = self.note(journey, |turn| {
            turn.end(match ends.clone() {
                Ends::Effect(key, fence, _) => Ends::Effect(key, fence, parked.clone()),
                other => other,
            });
            turn.fail(&new_id(), place, reason, detail.clone(), &Default::default())
        });
        Ok(match noted.await? {
            Some(Committed::Done { .. }) => Settled::Done,
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) | None => Settled::Superseded,
        })
    }
}

impl Tries<'_> {
    /// One more; busy when others were first each time.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.left = self.left.checked_sub(1).ok_or(StoreError::Busy)?;
        Ok(())
    }

    /// The journey as this node has just written it, if it fits: only a commit may trust it.
    pub fn recent(&mut self, fits: impl Fn(&Journey) -> bool) -> Option<Journey> {
        self.recent.take().filter(fits)
    }

    /// What is written now is not the next one's beginning.
    pub fn forgets(&mut self) {
        self.keeps = false;
    }

    /// `None`: another writer was first, and it must be decided anew.
    pub async fn commit(&mut self, mut turn: Turn<'_>) -> Result<Option<Committed>, RuntimeError> {
        let _sending = turn.sending.take();
        let (commit, after) = turn.commit()?;
        match self.core.store().commit(commit).await? {
            Committed::Moved => Ok(None),
            done @ Committed::Done { .. } => {
                if self.keeps {
                    self.core.recent.put(after);
                }
                self.line = None;
                Ok(Some(done))
            }
            other => Ok(Some(other)),
        }
    }
}

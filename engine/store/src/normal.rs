//! A commit before it is written: checked, and with at most one change per row, so that a backend may write its parts
//! in any order or in one statement.

use crate::{AnswerRecord, Commit, LOOK_MS, Result, StoreError, ids};
use std::collections::HashSet;
use std::hash::Hash;

pub(crate) fn normalise(commit: &mut Commit) -> Result<()> {
    let foreign = |journey: &str| journey != commit.journey;
    if commit.cancel_effects.iter().any(|k| foreign(&k.journey))
        || commit.effects.iter().any(|e| foreign(&e.key.journey))
        || commit.settles.as_ref().is_some_and(|(k, _, _)| foreign(&k.journey))
    {
        return Err(StoreError::Invalid("a commit changes effects of another journey".into()));
    }
    let last_seq = commit.expected_seq.saturating_add(commit.events.len() as i64);
    if commit.effects.iter().any(|e| !ids::fits(e.key.seq, e.key.index)) || !ids::fits(last_seq, 0) {
        return Err(StoreError::Invalid("a journey has more events or effects than can be numbered".into()));
    }

    if let Some(used) = &commit.idempotency {
        if commit.events.is_empty() {
            return Err(StoreError::Invalid("a key is used by a commit without an event".into()));
        }
        if used.key.is_some() == commit.new.is_some() {
            return Err(StoreError::Invalid(
                "an event has a key of its own, a start has none beside its journey's id".into(),
            ));
        }
    }

    last_of_each(&mut commit.timers, |t| t.id.clone());
    last_of_each(&mut commit.answers, |a| (a.into.clone(), a.key.clone()));
    last_of_each(&mut commit.records, |r| (r.kind.clone(), r.key.clone()));
    last_of_each(&mut commit.documents, |d| d.id.clone());
    last_of_each(&mut commit.correlations, |c| (c.partner.clone(), c.reference.clone()));
    last_of_each(&mut commit.incidents, |i| i.id.clone());
    last_of_each(&mut commit.sends, |s| (s.recipient.clone(), s.number));
    last_of_each(&mut commit.replies, |r| (r.source.clone(), r.input_hash.clone()));
    last_of_each(&mut commit.cancel_effects, Clone::clone);
    last_of_each(&mut commit.drafts, |d| d.step.clone());
    commit.clear_drafts.retain(|step| commit.drafts.iter().all(|d| d.step != *step));
    last_of_each(&mut commit.clear_drafts, Clone::clone);

    let settled = commit.settles.as_ref().map(|(key, _, _)| key);
    commit.cancel_effects.retain(|k| ids::fits(k.seq, k.index) && Some(k) != settled);
    // a timer that is set again is not removed first
    commit.cancel_timers.extend(commit.fires.clone());
    last_of_each(&mut commit.cancel_timers, Clone::clone);
    let set: HashSet<&str> = commit.timers.iter().map(|t| t.id.as_str()).collect();
    commit.cancel_timers.retain(|id| !set.contains(id.as_str()));
    Ok(())
}

impl Commit {
    /// Whether something is due before workers look again by themselves.
    pub(crate) fn brings_work(&self) -> bool {
        let again = self.settles.as_ref().and_then(|(_, _, end)| end.due_again_ms());
        let due =
            self.effects.iter().map(|e| e.due_at_ms).chain(self.timers.iter().map(|t| t.due_at_ms)).chain(again).min();
        due.is_some_and(|due| due <= self.update.at_ms.saturating_add(LOOK_MS as i64))
    }
}

/// What stands with the event at this place of a commit: the key and the body's hash (**key-with-event**).
pub(crate) fn key_of_event(commit: &Commit, at: usize) -> (Option<i64>, Option<i64>) {
    let used = commit.idempotency.as_ref().filter(|_| at == 0);
    (used.and_then(|used| used.key), used.map(|used| used.body_hash))
}

/// Whether a row of a cleared list is written again by the same commit.
pub(crate) fn kept<'a>(answers: &'a [AnswerRecord], slot: &'a str) -> impl Iterator<Item = &'a str> {
    answers.iter().filter(move |a| a.into == slot).map(|a| a.key.as_str())
}

fn last_of_each<T, K: Eq + Hash>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    if items.len() > 1 {
        let mut seen = HashSet::new();
        items.reverse();
        items.retain(|item| seen.insert(key(item)));
        items.reverse();
    }
}

/// What two commits of one batch must not share: the second would be decided against what the first has not yet
/// written.
pub(crate) struct BatchConflicts {
    journeys: HashSet<String>,
    hooks: HashSet<(String, String)>,
    rows: HashSet<(u8, String, String)>,
}

impl BatchConflicts {
    pub fn new() -> Self {
        BatchConflicts { journeys: HashSet::new(), hooks: HashSet::new(), rows: HashSet::new() }
    }

    /// Whether `commit` can join the batch; if so, what it touches is taken.
    pub fn join(&mut self, commit: &Commit) -> bool {
        let hook = commit.consumes.as_ref().map(|h| (h.partner.clone(), h.once.clone()));
        let rows: Vec<(u8, String, String)> = (commit.correlations.iter())
            .map(|c| (0, c.partner.clone(), c.reference.clone()))
            .chain(commit.replies.iter().map(|r| (1, r.source.clone(), r.input_hash.clone())))
            .chain(commit.documents.iter().map(|d| (2, d.id.clone(), String::new())))
            .chain(commit.incidents.iter().map(|i| (3, i.id.clone(), String::new())))
            .chain(commit.sends.iter().map(|s| (4, s.recipient.clone(), s.number.to_string())))
            .collect();
        if self.journeys.contains(&commit.journey)
            || hook.as_ref().is_some_and(|h| self.hooks.contains(h))
            || rows.iter().any(|r| self.rows.contains(r))
        {
            return false;
        }
        self.journeys.insert(commit.journey.clone());
        self.hooks.extend(hook);
        self.rows.extend(rows);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changed, EffectEnd, EffectKey, JourneyStatus, JourneyUpdate, NewTimer};

    #[test]
    fn only_what_is_due_soon_wakes_the_workers() {
        let update = JourneyUpdate {
            revision: 1,
            status: JourneyStatus::Active,
            step: "s".into(),
            state: "{}".into(),
            owner: String::new(),
            person: None,
            expires_at_ms: None,
            at_ms: 1_000,
        };
        let commit = Commit::moving("j", 1, update, Changed::Step);
        let timer = |due_at_ms| Commit { timers: vec![NewTimer { id: "t".into(), due_at_ms }], ..commit.clone() };
        let settles = |end| Commit {
            settles: Some((EffectKey { journey: "j".into(), seq: 1, index: 0 }, 1, end)),
            ..commit.clone()
        };
        let soon = 1_000 + LOOK_MS as i64;
        assert!(!commit.brings_work());
        assert!(timer(500).brings_work() && timer(soon).brings_work() && !timer(soon + 1).brings_work());
        assert!(settles(EffectEnd::Retry { due_at_ms: soon, reason: true.into() }).brings_work());
        assert!(!settles(EffectEnd::Done { outcome: true.into() }).brings_work());
    }
}

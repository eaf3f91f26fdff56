//! What a turn writes at its end, as it comes up: one commit, in which nothing is both ordered and taken back.

use super::finish::Ends;
use crate::fact::Work;
use engine_store::{
    Changed, Commit, Draft, EffectKey, IncidentRecord, JourneyRecord, JourneyUpdate, NewEffect, NewJourney, NewTimer,
};
use serde_json::Value;

#[derive(Clone)]
pub(super) struct Writes {
    pub commit: Box<Commit>,
    /// The revision that people saw before; 0 of a journey that begins.
    base_revision: i64,
    /// Numbers effects of one event.
    next_index: i32,
}

impl Writes {
    pub fn on(record: &JourneyRecord) -> Writes {
        Writes { commit: Box::new(Commit::on(record)), base_revision: record.revision, next_index: 0 }
    }

    /// The journey itself is new.
    pub fn begin(&mut self, new: NewJourney) {
        self.base_revision = 0;
        self.commit.new = Some(new);
    }

    /// Whether people see another revision already.
    pub fn has_moved(&self, record: &JourneyRecord) -> bool {
        record.revision != self.base_revision
    }

    /// What the next event orders is counted from it.
    pub fn next_event(&mut self) {
        self.next_index = 0;
    }

    pub fn start_timer(&mut self, id: String, due_at_ms: i64) {
        self.commit.timers.push(NewTimer { id, due_at_ms });
    }

    pub fn cancel_timer(&mut self, id: String) {
        let started_here = self.commit.timers.len();
        self.commit.timers.retain(|timer| timer.id != id);
        if self.commit.timers.len() == started_here {
            self.commit.cancel_timers.push(id);
        }
    }

    /// Orders an effect of the event with this number; its index among them comes back.
    pub fn order(&mut self, seq: i64, effect: impl FnOnce(EffectKey) -> NewEffect) -> i32 {
        let index = self.next_index;
        self.next_index += 1;
        let key = EffectKey { journey: self.commit.journey.clone(), seq, index };
        self.commit.effects.push(effect(key));
        index
    }

    /// Takes an effect back, whoever ordered it. What this turn ordered never was.
    pub fn cancel(&mut self, key: EffectKey) {
        if !self.take_back(&key) {
            self.commit.cancel_effects.push(key);
        }
    }

    /// Takes back what this turn ordered; false where it did not.
    pub fn take_back(&mut self, key: &EffectKey) -> bool {
        let ordered_here = self.commit.effects.len();
        self.commit.effects.retain(|effect| effect.key != *key);
        self.commit.effects.len() != ordered_here
    }

    /// A link of a message of this turn leads to the account, and opens nothing.
    pub fn make_plain(&mut self, effect: &EffectKey, name: &str) {
        let order = self.commit.effects.iter_mut().find(|order| order.key == *effect);
        if let Some(link) = order.and_then(|order| order.payload.get_mut("links")?.get_mut(name)) {
            link["is_plain"] = Value::Bool(true);
        }
    }

    /// Answers of a fan-out are asked for anew.
    pub fn clear_answers(&mut self, into: &str) {
        if !self.commit.clear_answers.iter().any(|cleared| cleared == into) {
            self.commit.clear_answers.push(into.to_owned());
        }
    }

    /// What is being typed on a step, of what was kept before this turn.
    pub fn draft<'d>(&'d self, kept: &'d [Draft], step: &str) -> Option<&'d Draft> {
        let is_over = self.commit.clear_drafts.iter().any(|over| over == step);
        let kept = kept.iter().filter(|_| !is_over);
        self.commit.drafts.iter().chain(kept).find(|draft| draft.step == step)
    }

    /// Ends this work with the turn.
    pub fn end(&mut self, ends: Ends) {
        match ends {
            Ends::Nothing => {}
            Ends::Effect(key, fence, end) => self.commit.settles = Some((key, fence, end)),
            Ends::Timer(timer) => self.commit.fires = Some(timer),
            Ends::Webhook(hook) => self.commit.consumes = Some(hook),
        }
    }

    /// The effect whose end this turn is.
    pub fn work(&self) -> Option<Work> {
        self.commit.settles.as_ref().map(|(key, ..)| Work::Effect(key.clone()))
    }

    pub fn incident(&mut self, id: String, version: &str, at_ms: i64, (place, reason, detail): (&str, &str, Value)) {
        self.commit.incidents.push(IncidentRecord {
            id,
            journey: self.commit.journey.clone(),
            version: version.to_owned(),
            place: place.to_owned(),
            reason: reason.to_owned(),
            detail,
            at_ms,
            closed_at_ms: None,
            closed_by: None,
        });
    }

    /// The whole commit of a journey that is now so; its drafts are brought to the state that the store will have.
    pub fn finish(self, record: &JourneyRecord, state: String, drafts: &mut Vec<Draft>) -> Box<Commit> {
        let has_moved = self.has_moved(record);
        let mut commit = self.commit;
        commit.update = JourneyUpdate { state, ..JourneyUpdate::of(record) };
        commit.change.seq = record.seq;
        commit.change.revision = record.revision;
        commit.change.what = if has_moved {
            Changed::Step
        } else if commit.answers.is_empty() {
            Changed::Message
        } else {
            Changed::Answer
        };
        let over = |step: &String| commit.clear_drafts.contains(step) || commit.drafts.iter().any(|d| d.step == *step);
        drafts.retain(|draft| !over(&draft.step));
        drafts.extend(commit.drafts.iter().cloned());
        commit
    }
}

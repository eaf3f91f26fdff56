//! The end of a turn: one commit.

use super::{Journey, Turn};
use engine_store::{
    Change, Commit, EffectEnd, EffectKey, IdempotencyKey, JourneyRecord, JourneyUpdate, NewJourney, WebhookRecord,
};
use std::time::Duration;

/// What the turn was for, beside the journey itself.
#[derive(Default)]
pub struct Finished {
    pub new: Option<NewJourney>,
    pub owner: Option<String>,
    pub idempotency: Option<IdempotencyKey>,
    pub settles: Option<(EffectKey, i64, EffectEnd)>,
    pub fires: Option<String>,
    pub consumes: Option<WebhookRecord>,
    /// A person acted: the time to live starts anew.
    pub alive: bool,
}

impl Turn<'_> {
    /// Everything that this turn changed, for the store, and the journey as it is once that is written.
    pub fn commit(
        mut self,
        finished: Finished,
        expires_at_ms: Option<i64>,
    ) -> Result<(Commit, Journey), serde_json::Error> {
        self.track_step();
        let answers = self.answer_rows();
        let what = if self.revision != self.base_revision {
            "step"
        } else if answers.is_empty() {
            "message"
        } else {
            "answer"
        };
        let step = self.step_node();
        let ttl = self.workflow.ttl_ms.map(|ttl| self.now_ms + ttl);
        let expires_at_ms = if finished.alive { ttl } else { expires_at_ms };
        let record = self.after(&finished, &step, expires_at_ms);
        let commit = Commit {
            expected_seq: self.base_seq,
            new: finished.new,
            update: JourneyUpdate {
                revision: self.revision,
                status: self.status.clone(),
                step,
                state: serde_json::to_string(&self.state)?,
                owner: finished.owner,
                expires_at_ms,
                at_ms: self.now_ms,
            },
            answers,
            clear_answers: self.cleared_answers.iter().cloned().collect(),
            idempotency: finished.idempotency,
            settles: finished.settles,
            fires: finished.fires,
            consumes: finished.consumes,
            change: Change { journey: self.journey.clone(), seq: self.seq, revision: self.revision, what: what.into() },
            journey: self.journey,
            events: self.out.events,
            effects: self.out.effects,
            cancel_effects: self.out.cancel_effects,
            timers: self.out.timers,
            cancel_timers: self.out.cancel_timers,
            records: self.out.records,
            documents: self.out.documents,
            correlations: self.out.correlations,
            incidents: self.out.incidents,
            replies: self.out.replies,
            sends: self.out.sends,
            drafts: self.out.typed,
            clear_drafts: self.out.clear_drafts,
        };
        let over = |step: &String| commit.clear_drafts.contains(step) || commit.drafts.iter().any(|d| d.step == *step);
        self.drafts.retain(|draft| !over(&draft.step));
        self.drafts.extend(commit.drafts.iter().cloned());
        Ok((commit, Journey { record, state: self.state, answers: self.answers, drafts: self.drafts }))
    }

    /// The journey's row after this turn.
    fn after(&mut self, finished: &Finished, step: &str, expires_at_ms: Option<i64>) -> Box<JourneyRecord> {
        let before = self.record.take();
        let new = finished.new.clone();
        let mut record = before.unwrap_or_else(|| {
            let text = |of: fn(&NewJourney) -> &String| new.as_ref().map(of).cloned().unwrap_or_default();
            Box::new(JourneyRecord {
                id: self.journey.clone(),
                workflow: text(|new| &new.workflow),
                version: text(|new| &new.version),
                owner: text(|new| &new.owner),
                language: text(|new| &new.language),
                channel: text(|new| &new.channel),
                attribution: new.as_ref().map(|new| new.attribution.clone()).unwrap_or_default(),
                created_at_ms: self.now_ms,
                revision: 0,
                seq: 0,
                status: String::new(),
                step: String::new(),
                state: String::new(),
                updated_at_ms: 0,
                expires_at_ms: None,
                answers: Vec::new(),
                drafts: Vec::new(),
            })
        });
        (record.revision, record.seq, record.updated_at_ms, record.expires_at_ms) =
            (self.revision, self.seq, self.now_ms, expires_at_ms);
        (record.status, record.step) = (self.status.clone(), step.to_string());
        if let Some(owner) = &finished.owner {
            record.owner = owner.clone();
        }
        record
    }
}

/// How long a reply may wait for a quick call to settle (workflows.md rule 17).
pub(crate) const SETTLE_WAIT: Duration = Duration::from_secs(1);

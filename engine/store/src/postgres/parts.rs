//! A batch of commits as rows by table. The first field of every row says whose it is: the place of its commit in the
//! batch.

use super::rows::Rows;
use super::shared::ended;
use crate::ids::{effect_place, pack};
use crate::normal::{kept, key_of_event};
use crate::{Commit, NewJourney};

pub const STARTS: usize = 0;
pub const UPDATES: usize = 1;
pub const EVENTS: usize = 2;
pub const SETTLES: usize = 3;
pub const CANCELS: usize = 4;
pub const EFFECTS: usize = 5;
pub const UNSET: usize = 6;
pub const TIMERS: usize = 7;
pub const CLEARS: usize = 8;
pub const ANSWERS: usize = 9;
pub const DRAFTS: usize = 10;
pub const CORRELATIONS: usize = 11;
pub const HOOKS: usize = 12;
pub const REPLIES: usize = 13;
pub const INCIDENTS: usize = 14;
pub const DOCUMENTS: usize = 15;
pub const RECORDS: usize = 16;
pub const SESSIONS: usize = 17;
pub const COUNTS: usize = 18;
pub const TYPED: usize = 19;
pub const SENDS: usize = 20;
pub const PARTS: usize = 21;

pub struct Parts {
    pub rows: [Rows; PARTS],
    epoch: i32,
}

impl Parts {
    pub fn new(epoch: i32) -> Self {
        Parts { rows: std::array::from_fn(Rows::of_part), epoch }
    }

    pub fn add(&mut self, no: i64, commit: &Commit) {
        self.add_journey(no, commit);
        self.add_queue(no, commit);
        self.add_outside(no, commit);
        for (at, event) in commit.events.iter().enumerate() {
            let (key, body_hash) = key_of_event(commit, at);
            let row = self.rows[EVENTS].row().int(no).int(commit.expected_seq + 1 + at as i64);
            row.int(event.at_ms).text(&event.kind).json(&event.by).json(&event.data).maybe(key).maybe(body_hash);
        }
        for slot in &commit.clear_answers {
            let again = serde_json::Value::from_iter(kept(&commit.answers, slot)).to_string();
            self.rows[CLEARS].row().int(no).text(slot).text(&again);
        }
        for answer in &commit.answers {
            self.rows[ANSWERS].row().int(no).text(&answer.into).text(&answer.key).json(&answer.value);
        }
        for d in &commit.drafts {
            self.rows[TYPED].row().int(no).text(&d.step).int(d.at_ms).json(&d.data);
        }
        for step in &commit.clear_drafts {
            self.rows[DRAFTS].row().int(no).text(step);
        }
    }

    fn add_journey(&mut self, no: i64, commit: &Commit) {
        let update = &commit.update;
        let seq = commit.expected_seq + commit.events.len() as i64;
        let owner = update.owner.as_deref().map(pack);
        match &commit.new {
            Some(NewJourney { session, workflow, version, owner: first, language, channel, attribution }) => {
                if let Some(session) = session {
                    let row =
                        self.rows[SESSIONS].row().int(no).bytes(&pack(&session.token_hash)).bytes(&pack(&session.id));
                    row.int(session.created_at_ms).int(session.expires_at_ms).json(&session.subject);
                }
                let row =
                    self.rows[STARTS].row().int(no).bytes(&pack(&commit.journey)).text(workflow).bytes(&pack(version));
                let row = row.int(update.revision).int(seq).text(update.status.as_str()).text(&update.step);
                let row =
                    row.bytes(&owner.unwrap_or_else(|| pack(first))).text(language).text(channel).int(update.at_ms);
                row.maybe(update.expires_at_ms).json(attribution).text(&update.state);
            }
            None => {
                let row = self.rows[UPDATES].row().int(no).int(update.revision).int(seq).text(update.status.as_str());
                let row = row.text(&update.step);
                row.maybe_bytes(owner).int(update.at_ms).maybe(update.expires_at_ms).text(&update.state);
            }
        }
    }

    fn add_queue(&mut self, no: i64, commit: &Commit) {
        if let Some((key, _, end)) = &commit.settles {
            let (state, due_at, outcome) = ended(end);
            self.rows[SETTLES].row().int(no).int(effect_place(key)).int(state.into()).maybe(due_at).text(&outcome);
        }
        for key in &commit.cancel_effects {
            self.rows[CANCELS].row().int(no).int(effect_place(key)).int(commit.update.at_ms);
        }
        let epoch = self.epoch.into();
        for e in &commit.effects {
            let row = self.rows[EFFECTS].row().int(no).int(effect_place(&e.key)).int(e.due_at_ms);
            row.int(e.attempts_max.into()).maybe(e.deadline_ms).text(&e.kind).text(&e.lane).json(&e.payload);
            row.int(epoch);
        }
        for id in &commit.cancel_timers {
            self.rows[UNSET].row().int(no).text(id);
        }
        for timer in &commit.timers {
            self.rows[TIMERS].row().int(no).text(&timer.id).int(timer.due_at_ms);
        }
    }

    fn add_outside(&mut self, no: i64, commit: &Commit) {
        for c in &commit.correlations {
            let row = self.rows[CORRELATIONS].row().int(no).text(&c.partner).text(&c.reference);
            row.bytes(&pack(&c.journey)).json(&c.expected);
        }
        if let Some(hook) = &commit.consumes {
            let row = self.rows[HOOKS].row().int(no).text(&hook.partner).text(&hook.once);
            row.text(&hook.reference).int(hook.at_ms).json(&hook.event);
        }
        for reply in &commit.replies {
            let row = self.rows[REPLIES].row().int(no).text(&reply.source).bytes(&pack(&reply.input_hash));
            row.int(reply.at_ms).json(&reply.output);
        }
        for send in &commit.sends {
            let row = self.rows[SENDS].row().int(no).bytes(&pack(&send.recipient));
            row.int(send.number).int(commit.update.at_ms);
            for (bucket, slot) in &send.buckets {
                self.rows[COUNTS].row().int(no).bytes(&pack(bucket)).int(*slot);
            }
        }
        for i in &commit.incidents {
            let row = self.rows[INCIDENTS]
                .row()
                .int(no)
                .bytes(&pack(&i.id))
                .bytes(&pack(&i.journey))
                .bytes(&pack(&i.version));
            row.text(&i.place).text(&i.reason).int(i.at_ms).maybe(i.closed_at_ms).json(&i.detail);
        }
        for d in &commit.documents {
            let row = self.rows[DOCUMENTS].row().int(no).bytes(&pack(&d.id)).bytes(&pack(&d.journey)).text(&d.name);
            row.text(&d.media_type).int(d.at_ms).bytes(&d.bytes);
        }
        for record in &commit.records {
            let public_id = uuid::Uuid::new_v4();
            let row = self.rows[RECORDS].row().int(no).text(&record.kind).text(&record.key).bytes(public_id.as_bytes());
            row.int(commit.update.at_ms).json(&record.data);
        }
    }
}

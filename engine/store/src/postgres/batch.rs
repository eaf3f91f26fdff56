//! A batch of commits as rows by table.

use super::shared::{end_columns, json};
use super::tables::*;
use crate::ids::{effect_place, pack};
use crate::normal::{kept, key_of_event};
use crate::{Commit, NewJourney};

#[derive(Default)]
pub struct BatchRows {
    pub starts: Starts,
    pub moves: Moves,
    pub sends: Sends,
    pub events: Events,
    pub settles: Settles,
    pub cancels: Cancels,
    pub effects: Effects,
    pub unset_timers: UnsetTimers,
    pub timers: Timers,
    pub cleared_answers: ClearedAnswers,
    pub answers: Answers,
    pub cleared_drafts: ClearedDrafts,
    pub correlations: Correlations,
    pub webhooks: Webhooks,
    pub replies: Replies,
    pub incidents: Incidents,
    pub documents: Documents,
    pub records: Records,
    pub sessions: Sessions,
    pub send_counts: SendCounts,
    pub drafts: Drafts,
}

impl BatchRows {
    /// Tables in the order of their arguments: counted sends, journeys that begin, journeys that go on, then the
    /// writes.
    pub fn tables(&mut self) -> [&mut dyn Table; 21] {
        [
            &mut self.sends,
            &mut self.starts,
            &mut self.moves,
            &mut self.events,
            &mut self.settles,
            &mut self.cancels,
            &mut self.effects,
            &mut self.unset_timers,
            &mut self.timers,
            &mut self.cleared_answers,
            &mut self.answers,
            &mut self.cleared_drafts,
            &mut self.correlations,
            &mut self.webhooks,
            &mut self.replies,
            &mut self.incidents,
            &mut self.documents,
            &mut self.records,
            &mut self.sessions,
            &mut self.send_counts,
            &mut self.drafts,
        ]
    }

    pub fn of(commits: &[&Commit], epoch: i32) -> BatchRows {
        let mut rows = BatchRows::default();
        for (no, commit) in (0..).zip(commits) {
            rows.add_journey(no, commit);
            rows.add_history(no, commit);
            rows.add_queue(no, commit, epoch.into());
            rows.add_typed(no, commit);
            rows.add_inbox(no, commit);
            rows.add_sends(no, commit);
            rows.add_results(no, commit);
        }
        rows
    }

    fn add_journey(&mut self, no: i64, commit: &Commit) {
        let update = &commit.update;
        let seq = commit.expected_seq + commit.events.len() as i64;
        let person = update.person.as_deref().map(pack);
        let (status, step, state) = (update.status.as_str().to_owned(), update.step.clone(), update.state.clone());
        let place = commit.settles.as_ref().map(|(key, ..)| effect_place(key));
        let timer = commit.fires.clone();
        let (partner, once) = commit.consumes.as_ref().map(|hook| (hook.partner.clone(), hook.once.clone())).unzip();
        match &commit.new {
            Some(NewJourney { session, workflow, version, owner, language, channel, attribution, keys }) => {
                if let Some(session) = session {
                    self.sessions.push(Session {
                        no,
                        token_hash: pack(&session.token_hash),
                        id: pack(&session.id),
                        created_at: session.created_at_ms,
                        expires_at: session.expires_at_ms,
                        subject: json(&session.subject),
                    });
                }
                self.starts.push(Start {
                    no,
                    id: pack(&commit.journey),
                    workflow: workflow.clone(),
                    version: pack(version),
                    revision: update.revision,
                    seq,
                    status,
                    step,
                    owner: pack(owner),
                    person,
                    language: language.clone(),
                    channel: channel.clone(),
                    at: update.at_ms,
                    expires_at: update.expires_at_ms,
                    attribution: json(attribution),
                    keys: keys.clone(),
                    state,
                    expected: commit.expected_seq,
                    place,
                    timer,
                    partner,
                    once,
                });
            }
            None => self.moves.push(Move {
                no,
                journey: pack(&commit.journey),
                revision: update.revision,
                seq,
                status,
                step,
                person,
                at: update.at_ms,
                expires_at: update.expires_at_ms,
                state,
                expected: commit.expected_seq,
                used: commit.idempotency.as_ref().and_then(|used| used.key),
                place,
                fence: commit.settles.as_ref().map(|(_, fence, _)| *fence),
                timer,
                partner,
                once,
            }),
        }
    }

    fn add_history(&mut self, no: i64, commit: &Commit) {
        for (at, event) in commit.events.iter().enumerate() {
            let (key, body_hash) = key_of_event(commit, at);
            self.events.push(Event {
                no,
                seq: commit.expected_seq + 1 + at as i64,
                at: event.at_ms,
                kind: event.kind.clone(),
                actor: json(&event.by),
                data: json(&event.data),
                key,
                body_hash,
            });
        }
    }

    fn add_queue(&mut self, no: i64, commit: &Commit, epoch: i64) {
        if let Some((key, _, end)) = &commit.settles {
            let (state, due_at, outcome) = end_columns(end);
            self.settles.push(Settle { no, place: effect_place(key), state: state.into(), due_at, outcome });
        }
        for key in &commit.cancel_effects {
            self.cancels.push(Cancel { no, place: effect_place(key), at: commit.update.at_ms });
        }
        for e in &commit.effects {
            self.effects.push(Effect {
                no,
                place: effect_place(&e.key),
                next_at: e.next_at_ms(),
                due_at: e.due_at_ms,
                attempts_max: e.attempts_max.into(),
                deadline: e.deadline_ms,
                kind: e.kind.clone(),
                lane: e.lane.clone(),
                payload: json(&e.payload),
                epoch,
            });
        }
        for id in &commit.cancel_timers {
            self.unset_timers.push(UnsetTimer { no, id: id.clone() });
        }
        for timer in &commit.timers {
            self.timers.push(Timer { no, id: timer.id.clone(), due_at: timer.due_at_ms });
        }
    }

    fn add_typed(&mut self, no: i64, commit: &Commit) {
        for slot in &commit.clear_answers {
            let again = serde_json::Value::from_iter(kept(&commit.answers, slot)).to_string();
            self.cleared_answers.push(ClearedAnswer { no, slot: slot.clone(), again });
        }
        for answer in &commit.answers {
            let (slot, key) = (answer.into.clone(), answer.key.clone());
            self.answers.push(Answer { no, slot, key, value: json(&answer.value) });
        }
        for step in &commit.clear_drafts {
            self.cleared_drafts.push(ClearedDraft { no, step: step.clone() });
        }
        for draft in &commit.drafts {
            self.drafts.push(Draft { no, step: draft.step.clone(), at: draft.at_ms, data: json(&draft.data) });
        }
    }

    fn add_inbox(&mut self, no: i64, commit: &Commit) {
        for c in &commit.correlations {
            let (partner, reference) = (c.partner.clone(), c.reference.clone());
            let (journey, expected) = (pack(&c.journey), json(&c.expected));
            self.correlations.push(Correlation { no, partner, reference, journey, expected });
        }
        if let Some(hook) = &commit.consumes {
            self.webhooks.push(Webhook {
                no,
                partner: hook.partner.clone(),
                once: hook.once.clone(),
                reference: hook.reference.clone(),
                at: hook.at_ms,
                event: json(&hook.event),
            });
        }
        for reply in &commit.replies {
            let (source, input_hash) = (reply.source.clone(), pack(&reply.input_hash));
            self.replies.push(Reply { no, source, input_hash, at: reply.at_ms, output: json(&reply.output) });
        }
    }

    fn add_sends(&mut self, no: i64, commit: &Commit) {
        for send in &commit.sends {
            let (recipient, number) = (pack(&send.recipient), send.number);
            self.sends.push(CountedSend { no, recipient, number, at: commit.update.at_ms });
            for (bucket, slot) in &send.buckets {
                self.send_counts.push(SendCount { no, bucket: pack(bucket), slot: *slot });
            }
        }
    }

    fn add_results(&mut self, no: i64, commit: &Commit) {
        for i in &commit.incidents {
            self.incidents.push(Incident {
                no,
                id: pack(&i.id),
                journey: pack(&i.journey),
                version: pack(&i.version),
                place: i.place.clone(),
                reason: i.reason.clone(),
                at: i.at_ms,
                closed_at: i.closed_at_ms,
                detail: json(&i.detail),
            });
        }
        for d in &commit.documents {
            self.documents.push(Document {
                no,
                id: pack(&d.id),
                journey: pack(&d.journey),
                name: d.name.clone(),
                media_type: d.media_type.clone(),
                at: d.at_ms,
                bytes: d.bytes.clone(),
            });
        }
        for record in &commit.records {
            self.records.push(RecordRow {
                no,
                kind: record.kind.clone(),
                key: record.key.clone(),
                public_id: uuid::Uuid::new_v4().as_bytes().to_vec(),
                at: commit.update.at_ms,
                data: json(&record.data),
                kept: record.kept.as_int(),
            });
        }
    }
}

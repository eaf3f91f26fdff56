//! The one write path of journeys: everything that one accepted event changes.

use crate::{
    AnswerRecord, Change, Changed, CorrelationRecord, CountedSend, DocumentRecord, Draft, EffectEnd, EffectKey,
    IncidentRecord, JourneyRecord, JourneyStatus, NewEffect, NewRecord, NewTimer, Record, ReusableReply, SessionRecord,
    UsedKey, WebhookRecord,
};
use serde_json::Value;

/// Everything that one accepted event changes. `new` starts a journey, otherwise `journey` must exist with
/// `expected_seq`.
#[derive(Debug, Clone)]
pub struct Commit {
    pub journey: String,
    /// The `seq` that this was computed from; 0 for a new journey.
    pub expected_seq: i64,
    pub new: Option<NewJourney>,
    pub update: JourneyUpdate,
    /// Events in order; their `seq` run on from `expected_seq + 1` without gaps.
    pub events: Vec<NewEvent>,
    pub effects: Vec<NewEffect>,
    /// Effects whose run is over: pending or running ones become `cancelled`.
    pub cancel_effects: Vec<EffectKey>,
    pub timers: Vec<NewTimer>,
    pub cancel_timers: Vec<String>,
    pub answers: Vec<AnswerRecord>,
    /// `into` names whose rows are removed before `answers` are written.
    pub clear_answers: Vec<String>,
    pub records: Vec<NewRecord>,
    pub documents: Vec<DocumentRecord>,
    pub correlations: Vec<CorrelationRecord>,
    pub incidents: Vec<IncidentRecord>,
    pub replies: Vec<ReusableReply>,
    pub sends: Vec<CountedSend>,
    /// Stands with the first event; of a start with the journey.
    pub idempotency: Option<IdempotencyKey>,
    /// The effect that this commit settles, with the fence of the caller's lease (**fence**).
    pub settles: Option<(EffectKey, i64, EffectEnd)>,
    /// The timer that this commit fires: removed, and the commit refused when it is gone.
    pub fires: Option<String>,
    /// The webhook that this commit consumes: recorded once, the commit refused when it was seen.
    pub consumes: Option<WebhookRecord>,
    /// What is being typed, kept with the event that said so.
    pub drafts: Vec<Draft>,
    /// Steps whose draft is over.
    pub clear_drafts: Vec<String>,
    /// Told to listeners after the commit.
    pub change: Change,
}

impl Commit {
    /// Begins at a journey as it is read; what it becomes is put in at the end.
    pub fn on(record: &JourneyRecord) -> Commit {
        Commit::moving(&record.id, record.seq, JourneyUpdate::of(record), Changed::Message)
    }

    /// Moves a journey on, and nothing beside it yet; `what` is told to listeners ([`Change::what`]), with the number
    /// of one event.
    pub fn moving(journey: &str, expected_seq: i64, update: JourneyUpdate, what: Changed) -> Commit {
        Commit {
            journey: journey.into(),
            expected_seq,
            new: None,
            change: Change { journey: journey.into(), seq: expected_seq + 1, revision: update.revision, what },
            update,
            events: Vec::new(),
            effects: Vec::new(),
            cancel_effects: Vec::new(),
            timers: Vec::new(),
            cancel_timers: Vec::new(),
            answers: Vec::new(),
            clear_answers: Vec::new(),
            records: Vec::new(),
            documents: Vec::new(),
            correlations: Vec::new(),
            incidents: Vec::new(),
            replies: Vec::new(),
            sends: Vec::new(),
            idempotency: None,
            settles: None,
            fires: None,
            consumes: None,
            drafts: Vec::new(),
            clear_drafts: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Committed {
    /// Durable. `records` carry their public ids.
    Done { records: Vec<Record> },
    /// **seq-cas** failed: read again and decide anew.
    Moved,
    /// The idempotency key is used already.
    KeyUsed(UsedKey),
    /// The lease was lost, the timer is gone, or the webhook was seen: nothing to do.
    Superseded,
}

#[derive(Debug, Clone)]
pub struct NewJourney {
    /// A session that begins with it.
    pub session: Option<SessionRecord>,
    pub workflow: String,
    pub version: String,
    pub owner: String,
    pub language: String,
    pub channel: String,
    pub attribution: Value,
    /// See [`JourneyRecord::keys`].
    pub keys: String,
}

impl JourneyUpdate {
    /// The row as it is, without its state.
    pub fn of(record: &JourneyRecord) -> JourneyUpdate {
        JourneyUpdate {
            revision: record.revision,
            status: record.status,
            step: record.step.clone(),
            state: String::new(),
            owner: record.owner.clone(),
            person: record.person.clone(),
            expires_at_ms: record.expires_at_ms,
            at_ms: record.updated_at_ms,
        }
    }
}

#[derive(Debug, Clone)]
pub struct JourneyUpdate {
    pub revision: i64,
    pub status: JourneyStatus,
    pub step: String,
    /// JSON text.
    pub state: String,
    /// Subject that began the journey: for who seals the state; not written again.
    pub owner: String,
    pub person: Option<String>,
    pub expires_at_ms: Option<i64>,
    pub at_ms: i64,
}

#[derive(Debug, Clone)]
pub struct NewEvent {
    pub kind: String,
    pub data: Value,
    /// Actor: `{kind, id, roles}`.
    pub by: Value,
    pub at_ms: i64,
}

/// Keyed hashes of what a person's program chose and sent. 64 bits: only the few keys of one journey are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct IdempotencyKey {
    /// Unique within its journey. A start has none: from its key comes the id of its journey.
    pub key: Option<i64>,
    pub body_hash: i64,
}

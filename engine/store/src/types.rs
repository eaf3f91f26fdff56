//! What goes in and out of the store. JSON values are opaque here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether a journey still goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JourneyStatus {
    Active,
    /// Its machine came to an end.
    Done,
    /// It was idle for its time to live.
    Expired,
}

impl JourneyStatus {
    /// As it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            JourneyStatus::Active => "active",
            JourneyStatus::Done => "done",
            JourneyStatus::Expired => "expired",
        }
    }

    pub(crate) fn named(name: &str) -> crate::Result<JourneyStatus> {
        let all = [JourneyStatus::Active, JourneyStatus::Done, JourneyStatus::Expired];
        all.into_iter().find(|status| status.as_str() == name).ok_or_else(|| crate::StoreError::Corrupt {
            column: "journeys.status",
            reason: format!("`{name}` is no status"),
        })
    }
}

/// A journey as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct JourneyRecord {
    pub id: String,
    pub workflow: String,
    pub version: String,
    /// Number of the step that a person sees.
    pub revision: i64,
    /// Number of the last event; without gaps from 1.
    pub seq: i64,
    pub status: JourneyStatus,
    /// Id of the state whose step is shown, for lists and counts.
    pub step: String,
    /// The runtime's document (snapshot, trail, runs …): JSON text, which this crate never reads.
    pub state: String,
    /// Subject that may see it: a session's or a customer's id.
    pub owner: String,
    pub language: String,
    pub channel: String,
    pub attribution: Value,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    pub expires_at_ms: Option<i64>,
    /// Fan-out rows, by (`into`, `key`).
    pub answers: Vec<AnswerRecord>,
    /// What is being typed, by step.
    pub drafts: Vec<Draft>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JourneyHead {
    pub id: String,
    pub workflow: String,
    pub version: String,
    pub status: JourneyStatus,
    pub step: String,
    pub revision: i64,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JourneyCount {
    pub workflow: String,
    pub version: String,
    pub step: String,
    pub status: JourneyStatus,
    pub count: i64,
}

/// One answer of a fan-out, beside the snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRecord {
    pub into: String,
    pub key: String,
    pub value: Value,
}

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

impl JourneyUpdate {
    /// The row as it is, without its state.
    pub fn of(record: &JourneyRecord) -> JourneyUpdate {
        JourneyUpdate {
            revision: record.revision,
            status: record.status,
            step: record.step.clone(),
            state: String::new(),
            owner: None,
            expires_at_ms: record.expires_at_ms,
            at_ms: record.updated_at_ms,
        }
    }
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
}

#[derive(Debug, Clone)]
pub struct JourneyUpdate {
    pub revision: i64,
    pub status: JourneyStatus,
    pub step: String,
    /// JSON text.
    pub state: String,
    pub owner: Option<String>,
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

#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    pub seq: i64,
    pub kind: String,
    pub data: Value,
    pub by: Value,
    pub at_ms: i64,
}

/// Stable for ever and the same for each attempt: (journey, seq of the event that ordered it, index in that commit).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectKey {
    pub journey: String,
    pub seq: i64,
    pub index: i32,
}

impl std::fmt::Display for EffectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.journey, self.seq, self.index)
    }
}

impl std::str::FromStr for EffectKey {
    type Err = ();

    /// `journey.seq.index`, as lists show it.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or(());
        let (journey, seq, index) = (next()?.to_owned(), next()?, next()?);
        Ok(EffectKey { journey, seq: seq.parse().map_err(|_| ())?, index: index.parse().map_err(|_| ())? })
    }
}

/// An effect's key as the outside sees it.
pub fn named_in(epoch: i32, key: &EffectKey) -> String {
    if epoch == 0 { key.to_string() } else { format!("{key}.{epoch}") }
}

#[derive(Debug, Clone)]
pub struct NewEffect {
    /// `seq` is that of the event within this commit.
    pub key: EffectKey,
    /// `call`, `notify`, `refund` … the runtime's word.
    pub kind: String,
    /// Queue lane, e.g. the partner; for fairness and lists.
    pub lane: String,
    pub payload: Value,
    pub due_at_ms: i64,
    pub attempts_max: i32,
    /// After this moment it is not worth doing.
    pub deadline_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EffectRecord {
    pub key: EffectKey,
    pub kind: String,
    pub lane: String,
    pub payload: Value,
    pub state: EffectState,
    pub due_at_ms: i64,
    /// Those that began and were not given back.
    pub attempts: i32,
    pub attempts_max: i32,
    /// Claims since the last attempt began: with each that ends without one, its worker has died.
    pub claims: i32,
    /// Of the database when it was ordered.
    pub epoch: i32,
    pub deadline_ms: Option<i64>,
    /// Grows with each claim; the settling commit must name it.
    pub fence: i64,
    pub lease_until_ms: Option<i64>,
    pub worker: Option<String>,
    pub outcome: Option<Value>,
    /// Of the event that ordered it.
    pub created_at_ms: i64,
}

/// So many claims in a row may end without an attempt: work that kills its process must not do so for ever.
pub const CLAIMS_MAX: i32 = 20;

impl EffectRecord {
    /// Number of the attempt that a claim may begin.
    pub fn attempt(&self) -> i32 {
        self.attempts + 1
    }

    /// Whether another one may follow it.
    pub fn may_retry(&self) -> bool {
        self.attempt() < self.attempts_max
    }

    /// Name under which partners know it; the same for every attempt. After a restore new orders have new names, since
    /// the old ones may have been used for something that is not known here any more.
    pub fn idempotency_key(&self) -> String {
        named_in(self.epoch, &self.key)
    }

    /// Why it waits or how it ended: its last outcome, else what its order said.
    pub fn reason(&self) -> Option<&Value> {
        self.outcome.as_ref().or_else(|| self.payload.get("waits").filter(|waits| !waits.is_null()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectState {
    Pending,
    Running,
    Done,
    /// Attempts are used up: an operator decides.
    Parked,
    Cancelled,
}

#[derive(Debug, Clone)]
pub enum EffectEnd {
    Done {
        outcome: Value,
    },
    /// Try again at this time; the attempt counts, whether it began or was turned away before.
    Retry {
        due_at_ms: i64,
        reason: Value,
    },
    /// Not yet: due again at this time, and the attempt does not count.
    Later {
        due_at_ms: i64,
        reason: Value,
    },
    Parked {
        reason: Value,
    },
    Cancelled {
        reason: Value,
    },
}

impl EffectEnd {
    /// When it is to be done again, if it is.
    pub fn due_again_ms(&self) -> Option<i64> {
        match self {
            EffectEnd::Retry { due_at_ms, .. } | EffectEnd::Later { due_at_ms, .. } => Some(*due_at_ms),
            EffectEnd::Done { .. } | EffectEnd::Parked { .. } | EffectEnd::Cancelled { .. } => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct EffectFilter {
    pub journey: Option<String>,
    pub state: Option<EffectState>,
    pub kind: Option<String>,
    pub lane: Option<String>,
    pub limit: u32,
}

/// What stands in the queue, for figures: effects that wait, run or are parked, by kind and lane; timers have the kind
/// `timer` and wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Backlog {
    pub kind: String,
    pub lane: String,
    pub state: EffectState,
    pub count: i64,
    /// Earliest time at which one is due, or at which its lease ends; of parked ones when the first was due.
    pub oldest_ms: i64,
}

/// Workers look at the queue at least this often, so that work which is due later wakes nobody.
pub const LOOK_MS: u64 = 5_000;

#[derive(Debug, Clone)]
pub struct ClaimRequest {
    /// A name that is new at every start of a worker.
    pub worker: String,
    pub now_ms: i64,
    pub lease_ms: i64,
    pub limit: u32,
}

#[derive(Debug, Clone)]
pub struct NewTimer {
    pub id: String,
    pub due_at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TimerRecord {
    pub journey: String,
    pub id: String,
    pub due_at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub journey: String,
    pub step: String,
    pub data: Value,
    pub at_ms: i64,
}

#[derive(Debug, Clone)]
pub struct NewRecord {
    pub kind: String,
    pub key: String,
    pub data: Value,
}

/// Durable result of a journey, upserted by (journey, kind, key); `public_id` is made at the first write.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub journey: String,
    pub kind: String,
    pub key: String,
    pub public_id: String,
    pub data: Value,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRecord {
    pub id: String,
    pub journey: String,
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationRecord {
    pub partner: String,
    pub reference: String,
    pub journey: String,
    /// What a later event must agree with, e.g. amount and currency.
    pub expected: Value,
}

/// An outside event, unique by (`partner`, `once`).
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookRecord {
    pub partner: String,
    pub once: String,
    pub reference: String,
    pub event: Value,
    pub at_ms: i64,
}

#[derive(Debug, Clone)]
pub struct ReusableReply {
    pub source: String,
    pub input_hash: String,
    pub output: Value,
    pub at_ms: i64,
}

/// Keyed hashes of what a person's program chose and sent. 64 bits: only the few keys of one journey are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct IdempotencyKey {
    /// Unique within its journey. A start has none: from its key comes the id of its journey.
    pub key: Option<i64>,
    pub body_hash: i64,
}

/// What a key was used for.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedKey {
    pub journey: String,
    pub body_hash: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IncidentRecord {
    pub id: String,
    pub journey: String,
    pub version: String,
    pub place: String,
    pub reason: String,
    pub detail: Value,
    pub at_ms: i64,
    pub closed_at_ms: Option<i64>,
    /// Who closed it; not written with the incident.
    pub closed_by: Option<String>,
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

/// Told to listeners after a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub journey: String,
    pub seq: i64,
    pub revision: i64,
    pub what: Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// What a person sees.
    Step,
    /// Rows of a fan-out, on the same step.
    Answer,
    /// Something beside them.
    Message,
    /// Without a journey: other definitions are current.
    Publication,
    /// Without a journey: a node could not hear the others for a while, and anything may have changed.
    Missed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// Hash of the opaque token; the token itself is never stored.
    pub token_hash: String,
    pub id: String,
    /// Who it is: `{roles, mobile?, customer?, channel …}`.
    pub subject: Value,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
}

/// A send that a gate counts, at the time of its commit.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedSend {
    /// Keyed hash of the number or address.
    pub recipient: String,
    /// One more than that of the recipient's last send. Who finds it taken decides anew ([`Committed::Moved`]): two
    /// nodes cannot both take the last free place.
    pub number: i64,
    /// Wider buckets, each with the start of the slot of time in which the send falls.
    pub buckets: Vec<(String, i64)>,
}

/// What a gate has counted so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SendHistory {
    /// Number and time of a recipient's newest sends, newest first.
    pub latest: Vec<(i64, i64)>,
    /// Bucket, start of a slot, sends in it; oldest slot first.
    pub slots: Vec<(String, i64, i64)>,
}

/// What became of a message to a person. The recipient is masked; the hash (keyed by the caller) finds it again.
#[derive(Debug, Clone, PartialEq)]
pub struct SentMessage {
    /// The effect that ordered it: never two rows for one.
    pub effect: EffectKey,
    /// Id of the message's definition.
    pub message: String,
    pub channel: String,
    pub purpose: String,
    pub language: String,
    pub template_id: Option<String>,
    pub recipient: String,
    pub recipient_hash: String,
    pub state: MessageState,
    /// The gateway's own id of it.
    pub provider_id: Option<String>,
    /// Why it failed or was skipped.
    pub reason: Option<Value>,
    pub ordered_at_ms: i64,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageState {
    Failed,
    Sent,
    /// Not sent on purpose.
    Skipped,
}

#[derive(Debug, Clone, Default)]
pub struct MessageFilter {
    pub journey: Option<String>,
    pub recipient_hash: Option<String>,
    pub limit: u32,
}

/// When somebody was last active on a journey's page.
#[derive(Debug, Clone, PartialEq)]
pub struct PresenceNote {
    pub journey: String,
    pub seen_at_ms: i64,
    pub online: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DefinitionFile {
    pub path: String,
    pub hash: String,
    pub content: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    pub number: i64,
    pub at_ms: i64,
    pub by: String,
    /// Every file of the publication; stored once by hash.
    pub files: Vec<DefinitionFile>,
    /// Versions that it makes known: (workflow, version, paths and hashes of the closure).
    pub versions: Vec<VersionRecord>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VersionRecord {
    pub workflow: String,
    pub version: String,
    pub closure: Vec<(String, String)>,
}

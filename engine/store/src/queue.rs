//! Effects and timers: our tables are the queue.

use crate::{Result, StoreError};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Effects and timers: our tables are the queue.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Leases due effects (pending, or running with a lapsed lease), those that a person waits for first, then the
    /// oldest due, no more of a lane than it has places. Some are only to be given up ([`EffectRecord::spent`]): who
    /// claims them tells their journey. One that nobody could give up in [`GIVE_UPS_MAX`] claims is parked instead,
    /// with the outcome `{"code": "attempts" or "claims", "last": its last reason}`. None while sends are held.
    async fn claim_effects(&self, claim: ClaimRequest) -> Result<Vec<EffectRecord>>;
    /// Counts an attempt of each, durably, before it is made; false where the lease was lost: then it must not be.
    async fn begin_effects(&self, effects: Vec<(EffectKey, i64)>) -> Result<Vec<bool>>;
    /// Notes that this worker lives. Where others may work too, claims of those that gave no sign for `dead_after_ms`
    /// are given up; how many. `None` only says that this one lives.
    async fn sign_of_life(&self, worker: &str, now_ms: i64, dead_after_ms: Option<i64>) -> Result<u64>;
    async fn extend_lease(&self, effect: &EffectKey, fence: i64, until_ms: i64) -> Result<bool>;
    /// Ends an effect outside of a journey's commit (sent message, cancelled, parked); false when the fence is old or
    /// the effect is over. `Retry` and `Later` give a lease back.
    async fn finish_effect(&self, effect: &EffectKey, fence: i64, end: EffectEnd) -> Result<bool> {
        Ok(self.finish_effects(vec![(effect.clone(), fence, end)]).await?.contains(&true))
    }
    /// Ends many, each named once, in one transaction; says for each whether it did.
    async fn finish_effects(&self, ends: Vec<(EffectKey, i64, EffectEnd)>) -> Result<Vec<bool>>;
    /// Whether no earlier effect of this kind and journey is still to be done: the order of a lane within a journey.
    async fn first_in_line(&self, effect: &EffectKey, kind: &str) -> Result<bool>;
    /// The next effect of this kind and journey, if it waits, is due now; false when there is none.
    async fn call_next(&self, effect: &EffectKey, kind: &str, now_ms: i64) -> Result<bool>;
    /// A pending effect is due now; false when it is not waiting.
    async fn call_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool>;
    async fn effect(&self, effect: &EffectKey) -> Result<Option<EffectRecord>>;
    async fn effects(&self, filter: EffectFilter) -> Result<Vec<EffectRecord>>;
    /// Parked effect, or one that is done and is to be done again: due now with fresh attempts. (An operator who skips
    /// it ends it: `finish_effect` with the effect's fence and `Cancelled`.)
    async fn requeue_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool>;
    /// Due timers, leased like effects so that two nodes do not fire one at once.
    async fn claim_timers(&self, claim: ClaimRequest) -> Result<Vec<TimerRecord>>;
    /// Nobody works: all leases end now, those of files that are looked at too. Only for who knows that it is alone, at
    /// its start.
    async fn end_leases(&self, now_ms: i64) -> Result<()>;
    /// Earliest due time of any effect (or end of its lease) and timer; lets an idle worker sleep. Expiry of journeys
    /// is not in it.
    async fn next_due(&self) -> Result<Option<i64>> {
        self.next_due_beside(&[]).await
    }
    /// When the next work is due, without the effects of some lanes.
    async fn next_due_beside(&self, lanes: &[&str]) -> Result<Option<i64>>;
    /// Wakes when work may have arrived that is due within [`LOOK_MS`] (a commit here, or a notification from another
    /// node). Spurious wakes are allowed.
    fn wake(&self) -> tokio::sync::watch::Receiver<u64>;
    /// Counts of what waits, for figures; not cheap with a long queue.
    async fn backlog(&self) -> Result<Vec<Backlog>>;
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
    fn from_str(text: &str) -> std::result::Result<Self, ()> {
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
    /// A person waits for it: it is claimed before all that is not, into places of its own.
    pub is_ahead: bool,
}

impl NewEffect {
    /// Place of the effect in the queue: when it is due, or ahead of all that is only due.
    pub(crate) fn next_at_ms(&self) -> i64 {
        self.due_at_ms - if self.is_ahead { AHEAD_MS } else { 0 }
    }
}

/// The number of SQL's `ahead`.
pub(crate) const AHEAD_MS: i64 = 1 << 52;

#[derive(Debug, Clone, PartialEq)]
pub struct EffectRecord {
    pub key: EffectKey,
    pub kind: String,
    pub lane: String,
    pub payload: Value,
    pub state: EffectState,
    pub due_at_ms: i64,
    /// Attempts that began and were not given back.
    pub attempts: i32,
    pub attempts_max: i32,
    /// Claims since the last attempt began: with each that ends without one, its worker has died.
    pub claims: i32,
    /// Epoch of the database when the effect was ordered.
    pub epoch: i32,
    pub deadline_ms: Option<i64>,
    /// Grows with each claim; the settling commit must name it.
    pub fence: i64,
    pub lease_until_ms: Option<i64>,
    pub worker: Option<String>,
    pub outcome: Option<Value>,
    /// When the event was that ordered the effect.
    pub created_at_ms: i64,
    /// A person waits for it.
    pub is_ahead: bool,
}

impl EffectRecord {
    /// Why a claim may only give it up: its attempts are used up (the last was interrupted), or its claims.
    pub fn spent(&self) -> Option<Spent> {
        if self.attempts >= self.attempts_max {
            return Some(Spent::Attempts);
        }
        (self.claims > CLAIMS_MAX).then_some(Spent::Claims)
    }

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

/// What an effect has no more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spent {
    Attempts,
    /// The effect's workers died, again and again, before an attempt began.
    Claims,
}

impl Spent {
    pub fn code(self) -> &'static str {
        match self {
            Spent::Attempts => "attempts",
            Spent::Claims => "claims",
        }
    }
}

/// How many claims in a row may end without an attempt: work that kills its process must not do so for ever.
pub const CLAIMS_MAX: i32 = 20;
/// How many further claims may try to give the effect up.
pub const GIVE_UPS_MAX: i32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectState {
    Pending,
    Running,
    Done,
    /// Attempts are used up: an operator decides.
    Parked,
    Cancelled,
}

impl EffectState {
    const ALL: [EffectState; 5] =
        [EffectState::Pending, EffectState::Running, EffectState::Done, EffectState::Parked, EffectState::Cancelled];

    /// The state's number as it is stored.
    pub(crate) fn number(self) -> i16 {
        match self {
            EffectState::Pending => 0,
            EffectState::Running => 1,
            EffectState::Done => 2,
            EffectState::Parked => 3,
            EffectState::Cancelled => 4,
        }
    }

    pub(crate) fn from_number(number: i64) -> Result<EffectState> {
        EffectState::ALL
            .into_iter()
            .find(|state| i64::from(state.number()) == number)
            .ok_or_else(|| StoreError::Corrupt { column: "effects.state", reason: number.to_string() })
    }
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

#[derive(Debug, Clone, Default)]
pub struct ClaimRequest {
    /// A name that is new at every start of a worker.
    pub worker: String,
    pub now_ms: i64,
    pub lease_ms: i64,
    pub limit: u32,
    /// Places for effects, beside `limit`, that a person waits for.
    pub ahead: u32,
    /// Lanes of effects whose places are counted. Others take what `limit` lets them.
    pub lanes: Vec<LaneRoom>,
}

/// The free places of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneRoom {
    pub lane: String,
    /// What its places belong to: lanes of one gate share them.
    pub gate: String,
    pub free: u32,
    /// Free ones for what a person waits for; those of `free` are among them.
    pub free_ahead: u32,
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

/// What stands in the queue, for figures: effects that wait, run or are parked, by kind and lane; timers have the kind
/// `timer` and wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Backlog {
    pub kind: String,
    pub lane: String,
    pub state: EffectState,
    pub count: i64,
    /// Earliest time at which one is due, or at which its lease ends; of parked ones, and of timers, when the first was
    /// due.
    pub oldest_ms: i64,
}

/// Workers look at the queue at least this often, so that work which is due later wakes nobody.
pub const LOOK_MS: u64 = 5_000;

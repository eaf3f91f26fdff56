//! `engine-store`: durable state of journeys, one trait over SQLite and PostgreSQL.
//!
//! What it is: about thirty verbs, each one transaction, over opaque JSON. It is the only crate with SQL.
//! What it does not know: workflows, forms, partners, HTTP, or what any JSON column means.
//! A new verb: add it to [`Store`], to both backends, and to the shared story in `tests/it/store.rs`.
//!
//! Invariants (named here, cited where code relies on them):
//! - **one-commit**: everything an accepted event changes is in one [`Commit`]: all of it or nothing.
//! - **seq-cas**: a commit names the `seq` it was computed from; if the journey moved on, nothing is written
//!   ([`Committed::Moved`]).
//! - **key-with-event**: an idempotency key is stored only together with the event that it belongs to.
//! - **fence**: an effect is settled only by the holder of its latest lease.

#![allow(clippy::duplicate_mod)] // `shared` is compiled once per backend, on purpose

mod hub;
mod ids;
mod normal;
mod outage;
mod postgres;
mod sqlite;
mod types;
pub use types::*;

use async_trait::async_trait;
use std::sync::Arc;

/// Errors of the database itself; "not found" is never one of them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error("database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("migration: {0}")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// Nothing of it was touched.
    #[error(
        "the database was made by another build of this program, which this one cannot read; begin with an empty one"
    )]
    OtherBuild,
    #[error("stored value in `{column}` is not readable: {reason}")]
    Corrupt { column: &'static str, reason: String },
    /// The writer queue is full or stopped; the caller may try again.
    #[error("store is busy")]
    Busy,
    /// What failed for many at once, told to each.
    #[error("database: {reason}")]
    Unavailable { outage: Outage, reason: String },
    #[error("{0}")]
    Settings(String),
}

pub type Result<T> = std::result::Result<T, StoreError>;

/// Why a database takes nothing now; it may again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    Unreachable,
    Full,
    ReadOnly,
}

impl StoreError {
    /// `None`: the database is there, and the fault is another.
    pub fn outage(&self) -> Option<Outage> {
        match self {
            StoreError::Unavailable { outage, .. } => Some(*outage),
            StoreError::Database(error) => outage::of_sqlx(error),
            StoreError::Sqlite(error) => outage::of_rusqlite(error),
            StoreError::Migration(_)
            | StoreError::OtherBuild
            | StoreError::Corrupt { .. }
            | StoreError::Busy
            | StoreError::Settings(_) => None,
        }
    }

    /// For each of several whose work failed together.
    pub(crate) fn shared(&self) -> StoreError {
        match self.outage() {
            Some(outage) => StoreError::Unavailable { outage, reason: self.to_string() },
            None => StoreError::Database(sqlx::Error::Protocol(self.to_string())),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        use sqlx::migrate::MigrateError::{VersionMismatch, VersionMissing};
        match error {
            VersionMismatch(_) | VersionMissing(_) => StoreError::OtherBuild,
            other => StoreError::Migration(other),
        }
    }
}

/// Opens `sqlite:path` or `postgres://…`. Tables are made by [`Store::migrate`], not here.
pub async fn connect(url: &str) -> Result<Arc<dyn Store>> {
    match url.split(':').next() {
        Some("sqlite") => Ok(Arc::new(sqlite::Database::connect(url).await?)),
        Some("postgres" | "postgresql") => Ok(Arc::new(postgres::Database::connect(url).await?)),
        _ => Err(StoreError::Settings("the database's address must begin with `sqlite:` or `postgres://`".into())),
    }
}

/// One database. All times are UTC milliseconds since 1970, all ids 128-bit random text unless said otherwise.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // ---- set-up
    async fn migrate(&self) -> Result<()>;
    /// How often this database has begun anew from a backup; part of the names of new effects. Read by `migrate`.
    fn epoch(&self) -> i32;
    /// It was restored from a backup: what was done since then is forgotten here, and not at the partners. New effects
    /// get names of their own, nobody holds a lease, and no effect is claimed until [`Store::release_sends`].
    async fn begin_epoch(&self, now_ms: i64) -> Result<i32>;
    async fn sends_held(&self) -> Result<bool>;
    /// Effects may be claimed again; false when they were not held.
    async fn release_sends(&self) -> Result<bool>;
    /// A cheap query that proves that the database answers.
    async fn ping(&self) -> Result<()>;
    /// Proves that it takes writes: a full disk answers reads.
    async fn try_write(&self) -> Result<()>;
    fn kind(&self) -> &'static str;

    // ---- journeys
    /// Journey with its answers (fan-out rows) in one read; `None` when there is none.
    async fn journey(&self, id: &str) -> Result<Option<JourneyRecord>>;
    /// Those of these ids that there are, in any order, in one read.
    async fn journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>>;
    /// The one write path (**one-commit**, **seq-cas**, **key-with-event**, **fence**).
    async fn commit(&self, commit: Commit) -> Result<Committed>;
    /// What this key was used for in a journey; without one, by a start.
    async fn used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>>;
    async fn events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>>;
    async fn journeys_of(&self, owner: &str, limit: u32) -> Result<Vec<JourneyHead>>;
    /// Active journeys whose `expires_at` has passed.
    async fn expired_journeys(&self, now_ms: i64, limit: u32) -> Result<Vec<String>>;
    async fn journey_counts(&self) -> Result<Vec<JourneyCount>>;

    // ---- drafts (never part of a commit's history)
    async fn save_draft(&self, draft: Draft) -> Result<()>;

    // ---- effects and timers: our tables are the queue
    /// Leases due effects (pending, or running with a lapsed lease), oldest due first. One without attempts left is
    /// parked instead, with the outcome `{"code": "attempts", "last": its last reason}`; one whose last [`CLAIMS_MAX`]
    /// claims ended without an attempt, with the code `claims`. None while sends are held.
    async fn claim_effects(&self, claim: ClaimRequest) -> Result<Vec<EffectRecord>>;
    /// Counts an attempt of each, durably, before it is made; false where the lease was lost: then it must not be.
    async fn begin_effects(&self, effects: Vec<(EffectKey, i64)>) -> Result<Vec<bool>>;
    /// This worker lives. Where others may work too, claims of those that gave no sign for `dead_after_ms` are given
    /// up; how many. `None` only says that this one lives.
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
    /// Nobody works: all leases end now. Only for who knows that it is alone, at its start.
    async fn end_leases(&self, now_ms: i64) -> Result<()>;
    /// Earliest due time of any effect (or end of its lease) and timer; lets an idle worker sleep. Expiry of journeys
    /// is not in it.
    async fn next_due(&self) -> Result<Option<i64>>;
    /// Wakes when work may have arrived that is due within [`LOOK_MS`] (a commit here, or a notification from another
    /// node). Spurious wakes are allowed.
    fn wake(&self) -> tokio::sync::watch::Receiver<u64>;
    /// Changes of journeys as they commit, on this node or another.
    fn changes(&self) -> tokio::sync::broadcast::Receiver<Change>;

    /// For figures; not cheap with a long queue.
    async fn backlog(&self) -> Result<Vec<Backlog>>;

    // ---- outside references
    async fn correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>>;
    /// Records a webhook once; false when its `once` key was seen. It waits until a commit consumes it.
    async fn park_webhook(&self, hook: WebhookRecord) -> Result<bool>;
    async fn parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>>;
    /// It waits no more; its key stays seen.
    async fn drop_webhook(&self, partner: &str, once: &str) -> Result<()>;
    /// One that a commit has consumed waits again, to be delivered once more; false when there is none.
    async fn requeue_webhook(&self, partner: &str, once: &str) -> Result<bool>;
    /// A successful answer of the same source and input, younger than `since_ms`.
    async fn reusable_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<serde_json::Value>>;

    // ---- results
    async fn records(&self, journey: &str) -> Result<Vec<Record>>;
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>>;
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>>;
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>>;
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>>;
    /// Newest first.
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>>;
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool>;

    // ---- people
    async fn session(&self, token_hash: &str) -> Result<Option<SessionRecord>>;
    async fn save_session(&self, session: SessionRecord) -> Result<()>;
    async fn end_session(&self, token_hash: &str) -> Result<()>;
    /// The newest `limit` sends to a recipient, and what each bucket counted in the slots that begin after a time.
    async fn send_history(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory>;

    // ---- contact
    /// Records what became of a message: one row per effect, and what was sent stays sent.
    async fn save_message(&self, message: SentMessage) -> Result<()>;
    async fn message(&self, effect: &EffectKey) -> Result<Option<SentMessage>>;
    async fn messages(&self, filter: MessageFilter) -> Result<Vec<SentMessage>>;
    /// Who came and went, in one statement; each journey once, unknown ones are left out. Older news than what is
    /// written changes nothing.
    async fn note_presence(&self, notes: Vec<PresenceNote>) -> Result<()>;
    async fn presence(&self, journey: &str) -> Result<Option<PresenceNote>>;

    // ---- definitions
    /// Stores files by content and makes the manifest current, in one transaction.
    async fn publish(&self, publication: Publication) -> Result<i64>;
    async fn current_publication(&self) -> Result<Option<Publication>>;
    /// The number of the current publication: cheap, for nodes that poll.
    async fn publication_number(&self) -> Result<i64>;
    /// Closure of a workflow's version: path → content.
    async fn version_files(&self, workflow: &str, version: &str) -> Result<Option<Vec<DefinitionFile>>>;

    // ---- small things
    /// A value by bucket and key (sandbox partners' memory, schedules).
    async fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<serde_json::Value>>;
    async fn kv_put(&self, bucket: &str, key: &str, value: serde_json::Value) -> Result<()>;
    /// Stores only if the stored value equals `expected` (`None` = absent).
    async fn kv_swap(
        &self,
        bucket: &str,
        key: &str,
        expected: Option<serde_json::Value>,
        value: serde_json::Value,
    ) -> Result<bool>;
    async fn kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, serde_json::Value)>>;
    async fn kv_delete(&self, bucket: &str, key: &str) -> Result<()>;
    /// Removes what is over: settled effects, reusable replies, expired sessions and OTPs older than `before_ms`.
    async fn clean(&self, before_ms: i64, limit: u32) -> Result<u64>;
    /// Removes the record of messages that were sent before.
    async fn clean_messages(&self, before_ms: i64, limit: u32) -> Result<u64>;
}

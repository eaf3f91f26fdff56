//! `engine-store`: durable state of journeys, one trait over SQLite and PostgreSQL.
//!
//! What it is: verbs by subject (one trait and file each), each one transaction, over opaque JSON. It is the only crate
//! with SQL.
//! What it does not know: workflows, forms, partners, HTTP, or what any JSON column means.
//! A new verb: its subject's trait here, its SQL in `shared/` under the same name, a test in `tests/it/store/`.
//!
//! Invariants (named here, cited where code relies on them):
//! - **one-commit**: everything an accepted event changes is in one [`Commit`]: all of it or nothing.
//! - **seq-cas**: a commit names the `seq` it was computed from; if the journey moved on, nothing is written
//!   ([`Committed::Moved`]).
//! - **key-with-event**: an idempotency key is stored only together with the event that it belongs to.
//! - **fence**: an effect is settled only by the holder of its latest lease.

#![allow(clippy::duplicate_mod)] // `shared` is compiled once per backend, on purpose

#[macro_use]
mod states;

mod audit;
mod commit;
mod contact;
mod definitions;
mod error;
mod hub;
mod ids;
mod inbox;
mod journeys;
mod keys;
mod migrations;
mod normal;
mod outage;
mod people;
mod postgres;
mod queue;
mod results;
mod sqlite;
mod upkeep;
mod uploads;
mod values;

pub use audit::{Audit, AuditCount, AuditRow};
pub use commit::{Commit, Committed, IdempotencyKey, JourneyUpdate, NewEvent, NewJourney};
pub use contact::{Contact, MessageFilter, MessageState, PresenceNote, SentMessage};
pub use definitions::{DefinitionFile, Definitions, Publication, VersionFiles, VersionRecord};
pub use error::{Outage, Result, StoreError};
pub use inbox::{CorrelationRecord, Inbox, ReusableReply, WebhookRecord};
pub use journeys::{
    AnswerRecord, Change, Changed, Draft, EventRecord, JourneyCount, JourneyFilter, JourneyHead, JourneyRecord,
    JourneyStatus, Journeys, UsedKey,
};
pub use keys::{Keys, StoredKeys};
pub use people::{CountedSend, People, PersonRecord, SendHistory, SessionRecord};
pub use queue::{
    Backlog, CLAIMS_MAX, ClaimRequest, EffectEnd, EffectFilter, EffectKey, EffectRecord, EffectState, GIVE_UPS_MAX,
    LOOK_MS, LaneRoom, NewEffect, NewTimer, Queue, Spent, TimerRecord, named_in,
};
pub use results::{DocumentHead, DocumentRecord, IncidentRecord, Kept, NewRecord, Record, Results};
pub use upkeep::{Migration, Outstanding, Upkeep};
pub use uploads::{UploadRecord, Uploads};
pub use values::Values;

use std::sync::Arc;

/// Opens `sqlite:path` or `postgres://…`. Tables are made by [`Upkeep::migrate`], not here.
pub async fn connect(url: &str) -> Result<Arc<dyn Store>> {
    match url.split(':').next() {
        Some("sqlite") => Ok(Arc::new(sqlite::Database::connect(url).await?)),
        Some("postgres" | "postgresql") => Ok(Arc::new(postgres::Database::connect(url).await?)),
        _ => Err(StoreError::Settings("the database's address must begin with `sqlite:` or `postgres://`".into())),
    }
}

/// One database. All times are UTC milliseconds since 1970, all ids 128-bit random text unless said otherwise.
pub trait Store:
    Journeys
    + Keys
    + Queue
    + Inbox
    + Results
    + Uploads
    + People
    + Contact
    + Audit
    + Definitions
    + Values
    + Upkeep
    + Send
    + Sync
    + 'static
{
}

impl<T> Store for T where
    T: Journeys
        + Keys
        + Queue
        + Inbox
        + Results
        + Uploads
        + People
        + Contact
        + Audit
        + Definitions
        + Values
        + Upkeep
        + Send
        + Sync
        + 'static
{
}

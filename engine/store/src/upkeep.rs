//! The database itself: set-up, health, a restored backup, cleaning.

use crate::Result;
use async_trait::async_trait;

/// What [`Upkeep::migrate`] has to do.
#[derive(Debug, Default, PartialEq)]
pub struct Outstanding {
    /// Nothing is in this database yet.
    pub is_new: bool,
    /// Migrations in their order.
    pub migrations: Vec<Migration>,
}

/// A change of the tables, always one-way: a program that does not know it refuses the database.
#[derive(Debug, PartialEq)]
pub struct Migration {
    pub number: i64,
    pub name: String,
    /// What of the data it takes away for good: lines `-- takes: …` of its file.
    pub takes: Vec<String>,
}

/// The database itself.
#[async_trait]
pub trait Upkeep: Send + Sync {
    async fn migrate(&self) -> Result<()>;
    /// What `migrate` would do now; changes nothing.
    async fn outstanding(&self) -> Result<Outstanding>;
    fn kind(&self) -> &'static str;
    /// A cheap query that proves that the database answers.
    async fn ping(&self) -> Result<()>;
    /// Proves that it takes writes: a full disk answers reads.
    /// An error also while commits of a moment ago met a full disk: what is small may still fit there.
    async fn try_write(&self) -> Result<()>;
    /// How often this database has begun anew from a backup; part of the names of new effects. Read by `migrate`.
    fn epoch(&self) -> i32;
    /// Begins a new epoch after a restore from a backup: what was done since then is forgotten here, and not at the
    /// partners. New effects get names of their own, nobody holds a lease, and no effect is claimed until
    /// [`Self::release_sends`].
    async fn begin_epoch(&self, now_ms: i64) -> Result<i32>;
    async fn sends_held(&self) -> Result<bool>;
    /// Effects may be claimed again; false when they were not held.
    async fn release_sends(&self) -> Result<bool>;
    /// Removes what is over: settled effects, reusable replies, expired sessions and OTPs older than `before_ms`.
    async fn clean(&self, before_ms: i64, limit: u32) -> Result<u64>;
}

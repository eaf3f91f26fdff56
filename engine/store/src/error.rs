//! What can be wrong with a database.

use crate::outage;

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
    /// What the caller wants written contradicts itself.
    #[error("{0}")]
    Invalid(String),
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
            | StoreError::Settings(_)
            | StoreError::Invalid(_) => None,
        }
    }

    /// The error for each of several whose work failed together.
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

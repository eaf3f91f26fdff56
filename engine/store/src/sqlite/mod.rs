//! SQLite: one file, one writer thread with group commit, a pool of readers.

mod commit;
pub(crate) mod dialect;
// One source is compiled once per backend, each with its own `dialect`.
#[allow(clippy::duplicate_mod)]
#[path = "../shared/mod.rs"]
mod shared;
mod writer;

use crate::hub::Hub;
use crate::{Change, Commit, Committed, Result, StoreError};
use futures::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqlitePool};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::time::Duration;

pub(crate) type Backend = sqlx::Sqlite;
pub(crate) type Conn = sqlx::SqliteConnection;
pub(crate) type Pool = sqlx::SqlitePool;
pub(crate) type Row = sqlx::sqlite::SqliteRow;

const READERS: u32 = 4;
/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// `SQLITE_BUSY`.
const BUSY: &str = "5";

pub(crate) struct Database {
    /// Readers only; they never see an unfinished write and never wait for one.
    pub pool: SqlitePool,
    pub hub: Arc<Hub>,
    pub epoch: Arc<AtomicI32>,
    writer: writer::Writer,
    options: SqliteConnectOptions,
}

/// A new database is readable by its owner only; SQLite gives its journal files the same mode.
fn private(file: &std::path::Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let opened = std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(file);
    opened.map(drop).map_err(|e| StoreError::Settings(format!("database file: {e}")))
}

impl Database {
    /// Opens or creates the file, and its folder. Statements that wait for another process give up after 5 s.
    pub async fn connect(url: &str) -> Result<Database> {
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(false)
            .statement_cache_capacity(256)
            .disable_statement_logging();
        if let Some(folder) = options.get_filename().parent()
            && !folder.as_os_str().is_empty()
        {
            std::fs::create_dir_all(folder)
                .map_err(|e| StoreError::Settings(format!("folder of the database: {e}")))?;
        }
        private(options.get_filename())?;
        let (hub, epoch) = (Arc::new(Hub::new()), Arc::default());
        let on_writer = options.clone().pragma("cache_size", "-2048").pragma("secure_delete", "on");
        let writer = writer::Writer::start(on_writer, hub.clone(), Arc::clone(&epoch)).await?;
        let pool = SqlitePoolOptions::new()
            .max_connections(READERS)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options.clone().read_only(true).create_if_missing(false).pragma("cache_size", "-1024"))
            .await?;
        Ok(Database { pool, hub, epoch, writer, options })
    }

    pub fn migrator() -> Migrator {
        crate::migrations::migrator(crate::migrations::SQLITE)
    }

    /// `sqlx` takes no lock on SQLite: when two processes race, the loser fails once and then finds everything applied.
    pub async fn run_migrations(&self) -> Result<()> {
        let migrator = Database::migrator();
        let mut conn = open(&self.options).await?;
        let mut tries = 0;
        loop {
            match migrator.run_direct(None, &mut conn, false).await {
                Ok(()) => return Ok(()),
                Err(
                    error @ (sqlx::migrate::MigrateError::Execute(_)
                    | sqlx::migrate::MigrateError::ExecuteMigration(..)),
                ) if tries < 5 => {
                    tries += 1;
                    tracing::debug!(%error, "another process migrates");
                    conn = open(&self.options).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub async fn write_commit(&self, mut commit: Box<Commit>) -> Result<Committed> {
        crate::normal::normalise(&mut commit)?;
        self.writer.commit(commit).await
    }

    pub async fn write<T, F>(&self, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        self.writer.write(false, call).await
    }

    /// Under a savepoint of its own.
    pub async fn transact<T, F>(&self, call: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T>> + Send + 'static,
    {
        self.writer.write(true, call).await
    }

    /// One process works on a file: nobody else can die, and nobody needs to be told.
    pub async fn write_sign_of_life(&self, _: &str, _: i64, _: Option<i64>) -> Result<u64> {
        Ok(0)
    }

    pub fn wake_all(&self) {
        self.hub.wake();
    }

    pub fn tell_all(&self, change: Change) {
        self.hub.tell(change);
    }
}

/// A connection that writes; the first one creates the file and switches it to WAL. While another process does that,
/// SQLite refuses at once, without the wait that statements have.
async fn open(options: &SqliteConnectOptions) -> Result<Conn> {
    let end = tokio::time::Instant::now() + BUSY_TIMEOUT;
    loop {
        match options.connect().await {
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(BUSY) && tokio::time::Instant::now() < end =>
            {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            opened => return Ok(opened?),
        }
    }
}

/// There is no connection to lose.
pub(crate) fn lost(_: &StoreError) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JourneyFilter, JourneyStatus};
    use sqlx::{AssertSqlSafe, Connection, Row as _};

    /// A page of a list is read from the newest on, and no further: nothing is sorted that is not of the page.
    #[tokio::test]
    async fn a_page_of_a_list_is_found_without_a_scan() -> std::result::Result<(), Box<dyn std::error::Error>> {
        let mut conn = Conn::connect("sqlite::memory:").await?;
        Database::migrator().run_direct(None, &mut conn, false).await?;
        let filter = JourneyFilter {
            owners: vec!["0a".repeat(16), "0b".repeat(16)],
            workflows: vec!["parcel/cover".into()],
            records: vec!["lead".into(), "policy".into()],
            person: None,
            not_of_others: Some("0d".repeat(16)),
            status: Some(JourneyStatus::Active),
            forgotten: false,
            before: Some("0c".repeat(16)),
            limit: 50,
        };
        let sql = format!("explain query plan {}", shared::list(&filter).sql().as_str());
        let plan = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut conn).await?;
        let lines: Vec<String> = plan.iter().map(|row| row.try_get("detail")).collect::<std::result::Result<_, _>>()?;
        for index in ["journeys_owner (owner=? AND rowid<?)", "journeys_person (person=? AND rowid<?)"] {
            assert_eq!(lines.iter().filter(|line| line.contains(index)).count(), 2, "{index}: {lines:#?}");
        }
        assert!(!lines.iter().any(|line| line.starts_with("SCAN journeys")), "{lines:#?}");
        assert!(!lines.iter().any(|line| line.contains("FOR ORDER BY")), "{lines:#?}");
        Ok(())
    }

    /// A repeated request costs the same whatever is stored.
    #[tokio::test]
    async fn a_used_key_is_found_without_a_scan() -> std::result::Result<(), Box<dyn std::error::Error>> {
        let mut conn = Conn::connect("sqlite::memory:").await?;
        Database::migrator().run_direct(None, &mut conn, false).await?;
        for sql in [shared::USED_KEY, shared::USED_START] {
            let plan = sqlx::query(AssertSqlSafe(format!("explain query plan {sql}"))).fetch_all(&mut conn).await?;
            assert!(!plan.is_empty());
            for row in plan {
                let line: String = row.try_get("detail")?;
                assert!(line.starts_with("SEARCH"), "{line}: {sql}");
            }
        }
        Ok(())
    }
}

//! Databases of a run: a folder of SQLite files, or a PostgreSQL cluster of its own that waits for the disk.

use crate::process;
use anyhow::{Context, Result, bail};
use journey_tests::postgres::Cluster;
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const DURABLE: &str =
    "-c fsync=on -c synchronous_commit=on -c max_connections=200 -c shared_buffers=512MB -c max_wal_size=4GB";

pub enum Database {
    Sqlite(TempDir),
    Postgres(Cluster),
}

impl Database {
    /// `sqlite` or `postgres`; ends with the value. Both live in the system's folder for temporary files (`TMPDIR`).
    pub async fn start(kind: &str) -> Result<Database> {
        match kind {
            "sqlite" => Ok(Database::Sqlite(tempfile::Builder::new().prefix("journey-bench-").tempdir()?)),
            "postgres" => Ok(Database::Postgres(tokio::task::spawn_blocking(|| Cluster::start_with(DURABLE)).await??)),
            other => bail!("`{other}` is no database: sqlite, postgres"),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Database::Sqlite(_) => "sqlite",
            Database::Postgres(_) => "postgres",
        }
    }

    /// Address of a new, empty database.
    pub async fn fresh(&self) -> Result<String> {
        match self {
            Database::Sqlite(folder) => {
                let folder = folder.path().join(uuid::Uuid::new_v4().simple().to_string());
                std::fs::create_dir(&folder)?;
                Ok(format!("sqlite:{}", folder.join("j.db").display()))
            }
            Database::Postgres(cluster) => cluster.database().await,
        }
    }

    /// CPU seconds of the database's own processes.
    pub fn cpu_s(&self) -> f64 {
        match self {
            Database::Sqlite(_) => 0.0,
            Database::Postgres(cluster) => {
                let file = std::fs::read_to_string(cluster.folder.join("data/postmaster.pid")).unwrap_or_default();
                file.lines().next().and_then(|pid| pid.trim().parse().ok()).map_or(0.0, |pid| process::usage(pid).cpu_s)
            }
        }
    }

    /// Bytes that a database takes, with its log written back.
    pub async fn bytes(&self, url: &str) -> Result<u64> {
        match self {
            Database::Sqlite(_) => {
                let mut conn = SqliteConnection::connect(url).await?;
                sqlx::query("pragma wal_checkpoint(truncate)").execute(&mut conn).await?;
                conn.close().await?;
                Ok(process::disk(sqlite_file(url).parent().context("a folder")?))
            }
            Database::Postgres(_) => {
                let mut conn = PgConnection::connect(url).await?;
                sqlx::query("checkpoint").execute(&mut conn).await?;
                let bytes: i64 =
                    sqlx::query_scalar("select pg_database_size(current_database())").fetch_one(&mut conn).await?;
                conn.close().await?;
                Ok(bytes as u64)
            }
        }
    }
}

fn sqlite_file(url: &str) -> PathBuf {
    Path::new(url.trim_start_matches("sqlite:")).to_owned()
}

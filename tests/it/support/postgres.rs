//! A PostgreSQL cluster of the tests' own: one per test process, a fresh database for every test.
//!
//! It lives in a temporary folder, is reached by a Unix socket only (no port to collide), and ends with the process:
//! a small shell beside the server waits for our end and stops it, however we end. PostgreSQL refuses to run as root; then
//! it runs as the user `postgres`.

use anyhow::{Context, Result, bail};
use sqlx::Connection;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// A running cluster; dropping it ends it.
pub struct Cluster {
    pub folder: PathBuf,
    databases: AtomicU32,
    /// Its standard input closes with us: the sign to stop.
    _guard: Child,
}

static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();

/// Durable as in production where the tests depend on it (commit, crash), without waiting for the disk.
const QUICK: &str = "-c fsync=off -c max_connections=300 -c shared_buffers=64MB";

/// Address of a new, empty database.
pub async fn database() -> Result<String> {
    CLUSTER.get_or_try_init(|| async { tokio::task::spawn_blocking(|| Cluster::start_with(QUICK)).await? }).await?.database().await
}

impl Cluster {
    /// With these options of the server, such as `-c fsync=on`.
    pub fn start_with(options: &str) -> Result<Cluster> {
        let bin = binaries()?;
        let root = is_root();
        let folder = tempfile::Builder::new().prefix("journey-pg-").tempdir()?.keep();
        if root {
            run(Command::new("chown").arg("postgres").arg(&folder))?;
        }
        let script = folder.join("run.sh");
        std::fs::write(
            &script,
            format!(
                "cd {folder}\n\
                 {bin}/initdb -D data -U postgres -A trust -E UTF8 --no-locale --no-sync >init.log 2>&1 || exit 1\n\
                 {bin}/postgres -D data -k {folder} -c listen_addresses= {options} >server.log 2>&1 &\n\
                 server=$!\n\
                 cat >/dev/null\n\
                 kill -INT $server\n\
                 wait $server\n\
                 cd /\n\
                 rm -rf {folder}\n",
                folder = folder.display(),
                bin = bin.display(),
            ),
        )?;
        let mut command = if root {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--", "sh"]);
            command
        } else {
            Command::new("sh")
        };
        let mut guard = command.arg(&script).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("start of PostgreSQL")?;
        let until = Instant::now() + Duration::from_secs(60);
        while !ready(&bin, &folder) {
            if guard.try_wait()?.is_some() || Instant::now() > until {
                bail!("PostgreSQL did not start: see {}", folder.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Cluster { folder, databases: AtomicU32::new(0), _guard: guard })
    }

    /// Address of a new, empty database.
    pub async fn database(&self) -> Result<String> {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut admin = sqlx::PgConnection::connect(&self.address("postgres")).await?;
        sqlx::query(sqlx::AssertSqlSafe(format!("create database {name}"))).execute(&mut admin).await?;
        Ok(self.address(&name))
    }

    pub fn address(&self, database: &str) -> String {
        format!("postgres://postgres@localhost/{database}?host={}", self.folder.display())
    }
}

fn ready(bin: &Path, folder: &Path) -> bool {
    let mut command = Command::new(bin.join("pg_isready"));
    command.arg("-q").arg("-h").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The newest installed server, else the one in the search path.
fn binaries() -> Result<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|e| e.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut installed: Vec<PathBuf> = installed.filter(|p| p.join("initdb").exists()).collect();
    installed.sort();
    (installed.into_iter().rev())
        .chain(std::env::split_paths(&path).filter(|p| p.join("initdb").exists()))
        .next()
        .context("PostgreSQL's server binaries are not installed (initdb, postgres)")
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout.starts_with(b"0\n"))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

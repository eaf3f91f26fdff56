//! A PostgreSQL cluster of the tests' own: one per test process, a fresh database for every test. Crash tests start one
//! for themselves, which they may stop and start.
//!
//! The cluster lives in a temporary folder, is reached by a Unix socket only (no port to collide), and ends with the
//! process: a small shell beside the server waits for our end and stops it, however we end. PostgreSQL refuses to run
//! as root; then it runs as the user `postgres`.

use anyhow::{Context, Result, bail};
use sqlx::Connection;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// A running cluster; dropping it ends it.
pub struct Cluster {
    pub folder: PathBuf,
    bin: PathBuf,
    databases: AtomicU32,
    /// Process whose standard input takes `stop` and `start`, and closes with us: the sign to end.
    guard: Mutex<Child>,
}

static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();

/// Durable as in production where the tests depend on it (commit, crash), without waiting for the disk.
const QUICK: &str = "-c fsync=off -c max_connections=300 -c shared_buffers=64MB";

/// Address of a new, empty database.
pub async fn database() -> Result<String> {
    cluster().await?.database().await
}

/// The cluster of this process.
pub async fn cluster() -> Result<&'static Cluster> {
    CLUSTER.get_or_try_init(|| async { tokio::task::spawn_blocking(|| Cluster::start(None)).await? }).await
}

impl Cluster {
    /// Starts a cluster in a new folder below `parent`, or below the system's.
    pub fn start(parent: Option<&Path>) -> Result<Cluster> {
        Cluster::begin(parent, QUICK)
    }

    /// Starts a cluster with these options of the server, such as `-c fsync=on`.
    pub fn start_with(options: &str) -> Result<Cluster> {
        Cluster::begin(None, options)
    }

    fn begin(parent: Option<&Path>, options: &str) -> Result<Cluster> {
        let bin = binaries()?;
        let root = is_root();
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("journey-pg-");
        let folder = match parent {
            Some(parent) => builder.tempdir_in(parent),
            None => builder.tempdir(),
        };
        let folder = folder?.keep();
        if root {
            run(Command::new("chown").arg("postgres").arg(&folder))?;
        }
        let script = folder.join("run.sh");
        std::fs::write(
            &script,
            format!(
                "cd {folder}\n\
                 {bin}/initdb -D data -U postgres -A trust -E UTF8 --no-locale --no-sync >init.log 2>&1 || exit 1\n\
                 start() {{ {bin}/pg_ctl -D data -w -l server.log -o '-k {folder} -c listen_addresses= {options}' start >>control.log 2>&1; }}\n\
                 stop() {{ {bin}/pg_ctl -D data -w -m immediate stop >>control.log 2>&1; }}\n\
                 start || exit 1\n\
                 while read word; do $word; done\n\
                 stop\n\
                 cd /\n\
                 rm -rf {folder}\n",
                folder = folder.display(),
                bin = bin.display(),
            ),
        )?;
        let guard = shell(root)
            .arg(&script)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("start of PostgreSQL")?;
        let cluster = Cluster { folder, bin, databases: AtomicU32::new(0), guard: Mutex::new(guard) };
        cluster.wait(true)?;
        Ok(cluster)
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

    /// What one of its programs (`pg_dump`, `psql`) prints, given `input`, about the database of this address.
    pub fn told(&self, program: &str, arguments: &[&str], address: &str, input: &[u8]) -> Result<Vec<u8>> {
        let mut command = Command::new(self.bin.join(program));
        command.args(arguments).arg(address).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| program.to_owned())?;
        let mut stdin = child.stdin.take().context("its input")?;
        let given = input.to_vec();
        let writing = std::thread::spawn(move || stdin.write_all(&given));
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("{program}: {}", String::from_utf8_lossy(&output.stderr));
        }
        writing.join().map_err(|_| anyhow::anyhow!("{program} read nothing"))??;
        Ok(output.stdout)
    }

    /// Ends the server as a crash would: nothing is written back first.
    pub fn stop_server(&self) -> Result<()> {
        self.say("stop")?;
        self.wait(false)
    }

    pub fn start_server(&self) -> Result<()> {
        self.say("start")?;
        self.wait(true)
    }

    /// Files of its server may not grow beyond so many bytes, or again without a limit, as if the disk were full.
    pub fn limit_files(&self, bytes: Option<u64>) -> Result<()> {
        let bytes = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
        let ids: Vec<String> = self.processes().iter().map(u32::to_string).collect();
        // one may be gone by now; only the soft limit, so that it can be lifted again
        let each = format!(
            "n=1; for id in {}; do prlimit --pid $id --fsize={bytes}: 2>/dev/null && n=0; done; exit $n",
            ids.join(" ")
        );
        run(shell(is_root()).args(["-c", &each]))
    }

    /// Processes of the server, the first one the parent of the others; none when it is down.
    fn processes(&self) -> Vec<u32> {
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        let Some(parent) = read(self.folder.join("data/postmaster.pid"))
            .lines()
            .next()
            .and_then(|line| line.trim().parse::<u32>().ok())
        else {
            return Vec::new();
        };
        let children = read(PathBuf::from(format!("/proc/{parent}/task/{parent}/children")));
        std::iter::once(parent).chain(children.split_whitespace().filter_map(|id| id.parse().ok())).collect()
    }

    fn say(&self, word: &str) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(|e| e.into_inner());
        let input = guard.stdin.as_mut().context("the cluster has ended")?;
        writeln!(input, "{word}")?;
        Ok(input.flush()?)
    }

    fn wait(&self, wanted: bool) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(60);
        while ready(&self.bin, &self.folder) != wanted {
            let ended = self.guard.lock().unwrap_or_else(|e| e.into_inner()).try_wait()?.is_some();
            if ended || Instant::now() > until {
                bail!("PostgreSQL did not {}: see {}", if wanted { "start" } else { "stop" }, self.folder.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

/// A shell of the user that PostgreSQL runs as.
fn shell(root: bool) -> Command {
    if !root {
        return Command::new("sh");
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", "sh"]);
    command
}

fn ready(bin: &Path, folder: &Path) -> bool {
    let mut command = Command::new(bin.join("pg_isready"));
    command.arg("-q").arg("-h").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The newest installed server, else the one in the search path.
fn binaries() -> Result<PathBuf> {
    let installed =
        std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|e| e.path().join("bin"));
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

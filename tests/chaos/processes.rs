//! The product as processes of the real binary.

use super::report::Report;
use super::{Database, Options};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The `journey` binary of a round.
#[derive(Clone)]
pub struct Binary(PathBuf);

/// Whether a binary is as new as all that cargo says it was built from. Cargo itself would build much of it anew when
/// it is asked from within a test.
fn is_current(binary: &Path) -> bool {
    let modified = |file: &Path| file.metadata().and_then(|about| about.modified()).ok();
    let sources = std::fs::read_to_string(binary.with_extension("d")).unwrap_or_default();
    let Some((_, sources)) = sources.split_once(": ") else { return false };
    let built = modified(binary);
    built.is_some()
        && sources.split_whitespace().all(|file| modified(Path::new(file)).is_some_and(|at| Some(at) <= built))
}

impl Binary {
    /// Built beside this program by cargo, and copied to `to`: what is built meanwhile does not get into the round.
    pub fn build(to: &Path) -> Result<Binary> {
        // Once: cargo lets only one build go on at a time.
        static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let built = BUILT.get_or_init(|| Binary::built().map_err(|error| format!("{error:#}")));
        Binary::copied(built.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?, to)
    }

    /// A copy of `file`, in the folder `to`.
    pub fn copied(file: &Path, to: &Path) -> Result<Binary> {
        let copy = to.join("journey");
        std::fs::copy(file, &copy).with_context(|| format!("`{}`", file.display()))?;
        Ok(Binary(copy))
    }

    fn built() -> Result<PathBuf> {
        let here = std::env::current_exe()?;
        let folder = here.ancestors().find(|folder| folder.join("deps").is_dir()).context("not in a target folder")?;
        let binary = folder.join("journey");
        if is_current(&binary) {
            return Ok(binary);
        }
        let profile = if folder.ends_with("release") { "release" } else { "dev" };
        let target = folder.parent().context("a target folder")?;
        let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "--package", "engine-server", "--bin", "journey", "--profile", profile])
            .arg("--target-dir")
            .arg(target)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .status()
            .context("cargo build")?;
        ensure!(built.success(), "the `journey` binary does not build");
        Ok(binary)
    }

    /// The command with the settings of the crash tests, in `folder`; no setting of this shell gets in.
    pub fn command(&self, folder: &Path, url: &str) -> Command {
        let mut command = Command::new(&self.0);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("JOURNEY_")) {
            command.env_remove(name);
        }
        command
            .current_dir(folder)
            .env("JOURNEY_DATABASE__URL", url)
            .env("JOURNEY_KEYS__MASTER", KEY)
            .env("JOURNEY_LOG__FILTER", "info,sqlx=warn");
        for limit in ["RATE_PER_S", "WRITE_RATE_PER_S", "STARTS_PER_HOUR"] {
            command.env(format!("JOURNEY_LIMITS__{limit}"), "0");
        }
        command
    }

    /// Publishes these definitions without their stories: `make check` has played them, and playing takes a minute.
    pub fn publish(&self, folder: &Path, url: &str, definitions: &Path) -> Result<()> {
        let bare = tempfile::Builder::new().prefix("definitions-").tempdir_in(folder)?;
        for part in ["workflows", "forms", "languages"] {
            copy_without_stories(&definitions.join(part), &bare.path().join(part))?;
        }
        let from = bare.path().to_str().context("a path")?;
        self.told(folder, url, &["publish", from]).map(drop)
    }

    /// What it prints, run with these arguments to its end.
    pub fn told(&self, folder: &Path, url: &str, arguments: &[&str]) -> Result<String> {
        let done = self.command(folder, url).args(arguments).output()?;
        if !done.status.success() {
            bail!("{}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr));
        }
        Ok(String::from_utf8(done.stdout)?)
    }
}

/// The master key of a round; settings of this program's own store need it too.
pub const KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// Ports that no outgoing connection is given, so that a process finds its own again.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    let mut found = Vec::new();
    while found.len() < count {
        let port = rand::random_range(20_000..32_000);
        if !found.contains(&port) && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            found.push(port);
        }
    }
    Ok(found)
}

/// One process that is started again and again.
pub struct Process {
    pub name: String,
    pub works: bool,
    /// Port at which the process listens, if it does.
    pub port: Option<u16>,
    folder: PathBuf,
    build: Box<dyn Fn() -> Command + Send + Sync>,
    child: Mutex<Option<Child>>,
    /// When it was started, or the database came back meanwhile.
    begun: Mutex<Instant>,
    /// Times from each start until the process was ready.
    pub ready: Mutex<Vec<Duration>>,
    starting: AtomicBool,
}

impl Process {
    pub fn new(
        name: &str,
        works: bool,
        port: Option<u16>,
        folder: &Path,
        build: impl Fn() -> Command + Send + Sync + 'static,
    ) -> Process {
        let (build, folder) = (Box::new(build), folder.to_owned());
        Process {
            name: name.into(),
            works,
            port,
            folder,
            build,
            child: Mutex::default(),
            begun: Mutex::new(Instant::now()),
            ready: Mutex::default(),
            starting: AtomicBool::new(false),
        }
    }

    /// Starts it; a thread notes when it says that it is ready, and a server when `/readyz` agrees.
    pub fn start(self: &Arc<Process>) -> Result<()> {
        let log = File::options().append(true).create(true).open(self.folder.join(format!("{}.log", self.name)))?;
        self.outage();
        let mut command = (self.build)();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("start of {}", self.name))?;
        let out = child.stdout.take().context("its output")?;
        *self.child() = Some(child);
        self.starting.store(true, Ordering::Relaxed);
        // Weak: the thread lasts as long as the process, which ends when nobody else wants it.
        let process = Arc::downgrade(self);
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(out).lines().map_while(Result::ok);
            if lines.any(|line| line.starts_with("listening on") || line.starts_with("working on")) {
                let Some(noted) = process.upgrade() else { return };
                runtime.spawn(async move {
                    if noted.answers(Instant::now()).await {
                        noted.starting.store(false, Ordering::Relaxed);
                        let taken = noted.begun.lock().unwrap_or_else(|e| e.into_inner()).elapsed();
                        noted.ready.lock().unwrap_or_else(|e| e.into_inner()).push(taken);
                    }
                });
            }
            lines.for_each(drop);
        });
        Ok(())
    }

    /// Notes that the process could not have been ready before now: the clock of a start begins anew.
    pub fn outage(&self) {
        *self.begun.lock().unwrap_or_else(|e| e.into_inner()) = Instant::now();
    }

    async fn answers(&self, begun: Instant) -> bool {
        let Some(port) = self.port else { return true };
        let url = format!("http://127.0.0.1:{port}/readyz");
        let client = reqwest::Client::builder().timeout(Duration::from_secs(2)).build().unwrap_or_default();
        while begun.elapsed() < Duration::from_secs(60) && self.runs() {
            if client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    pub fn runs(&self) -> bool {
        self.child().as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Whether the process was started, and has not said that it is ready.
    pub fn is_starting(&self) -> bool {
        self.starting.load(Ordering::Relaxed)
    }

    /// `kill -9`.
    pub fn kill(&self) {
        if let Some(mut child) = self.child().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Any other signal, by its name.
    pub fn signal(&self, name: &str) -> Result<()> {
        let Some(id) = self.id() else { return Ok(()) };
        let sent = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status()?;
        if !sent.success() {
            bail!("SIG{name} did not reach {}", self.name);
        }
        Ok(())
    }

    pub fn id(&self) -> Option<u32> {
        self.child().as_ref().map(Child::id)
    }

    /// SIGTERM: how long it took, and whether it ended well. It has 10 s.
    pub async fn stop(&self) -> Result<Duration> {
        self.signal("TERM")?;
        let begun = Instant::now();
        loop {
            let ended = match self.child().as_mut() {
                Some(child) => child.try_wait()?,
                None => return Ok(begun.elapsed()),
            };
            match ended {
                Some(status) if status.success() => return Ok(begun.elapsed()),
                Some(status) => bail!("{} ended with {status}", self.name),
                None if begun.elapsed() > Duration::from_secs(20) => bail!("{} does not stop", self.name),
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// One `journey serve` over these definitions with the settings as they come but for `settings`; ready when this
/// returns.
pub async fn serve(
    binary: &Binary,
    folder: &Path,
    url: &str,
    definitions: &Path,
    port: u16,
    settings: &[(&'static str, String)],
) -> Result<Arc<Process>> {
    binary.publish(folder, url, definitions)?;
    let (binary, at, url, settings) = (binary.clone(), folder.to_owned(), url.to_owned(), settings.to_owned());
    let build = move || {
        let mut command = binary.command(&at, &url);
        command.envs(settings.iter().map(|(name, value)| (*name, value)));
        command.args(["serve", "--address", &format!("127.0.0.1:{port}")]);
        command
    };
    let process = Arc::new(Process::new("serve", true, Some(port), folder, build));
    process.starts_again().await?;
    Ok(process)
}

impl Process {
    /// Starts it, and waits until it is ready.
    pub async fn starts_again(self: &Arc<Process>) -> Result<()> {
        self.start()?;
        let until = Instant::now() + Duration::from_secs(60);
        while self.is_starting() {
            ensure!(self.runs() && Instant::now() < until, "the product does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Variables beyond those of every process, as the next start finds them.
type Variables = Arc<Mutex<BTreeMap<&'static str, OsString>>>;

/// All processes of the product over one database.
pub struct Product {
    pub processes: Vec<Arc<Process>>,
    settings: Variables,
}

/// What the product's processes are started with.
pub struct Ground<'g> {
    pub binary: &'g Binary,
    pub folder: &'g Path,
    pub url: &'g str,
    pub definitions: &'g Path,
    /// Address of the sandbox.
    pub partners: String,
    pub ports: &'g [u16],
    /// Variables beyond those of every process.
    pub settings: Vec<(&'static str, OsString)>,
}

impl Product {
    pub async fn start(options: &Options, ground: Ground<'_>) -> Result<Product> {
        let Ground { binary, folder, url, definitions, partners, ports, settings } = ground;
        binary.publish(folder, url, definitions)?;
        let lease = options.lease.as_millis().to_string();
        let own = [("JOURNEY_SANDBOX__URL", partners.into()), ("JOURNEY_WORKER__LEASE_MS", lease.into())];
        let settings: Variables = Arc::new(Mutex::new(settings.into_iter().chain(own).collect()));
        let process = |name: &str, arguments: Vec<String>, works: bool, port: Option<u16>| {
            let (binary, at, url, settings) = (binary.clone(), folder.to_owned(), url.to_owned(), settings.clone());
            let build = move || {
                let mut command = binary.command(&at, &url);
                // a write beyond a limit of the file's size is an error like a full disk, not a signal
                command.envs(&*settings.lock().unwrap_or_else(|e| e.into_inner())).args(&arguments);
                ignoring_xfsz(command)
            };
            Arc::new(Process::new(name, works, port, folder, build))
        };
        let serve = |port: u16, more: &[&str]| {
            let mut arguments: Vec<String> =
                ["serve", "--address", &format!("127.0.0.1:{port}")].map(str::to_owned).into();
            arguments.extend(more.iter().map(|a| (*a).to_owned()));
            arguments
        };
        let processes = match options.database {
            Database::Sqlite | Database::Unplugged => {
                vec![process("serve", serve(ports[0], &[]), true, Some(ports[0]))]
            }
            Database::Postgres => vec![
                process("serve-a", serve(ports[0], &["--no-worker"]), false, Some(ports[0])),
                process("serve-b", serve(ports[1], &["--no-worker"]), false, Some(ports[1])),
                process("worker-a", vec!["worker".into()], true, None),
                process("worker-b", vec!["worker".into()], true, None),
            ],
        };
        let product = Product { processes, settings };
        for process in &product.processes {
            process.start()?;
        }
        product.up().await?;
        Ok(product)
    }

    /// The product of processes that have their settings already.
    pub fn of(processes: Vec<Arc<Process>>) -> Product {
        Product { processes, settings: Variables::default() }
    }

    /// Sets a variable for whatever starts from now on.
    pub fn set(&self, name: &'static str, value: Option<&str>) {
        let mut settings = self.settings.lock().unwrap_or_else(|e| e.into_inner());
        match value {
            Some(value) => settings.insert(name, value.into()),
            None => settings.remove(name),
        };
    }

    /// Waits until every process that was started has said that it is ready.
    pub async fn up(&self) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(60);
        for process in &self.processes {
            while process.is_starting() {
                ensure!(process.runs() && Instant::now() < until, "{} does not start", process.name);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Ok(())
    }

    /// Address of a server, the first on each try a customer's own.
    pub fn server(&self, number: usize) -> String {
        let ports: Vec<u16> = self.processes.iter().filter_map(|process| process.port).collect();
        format!("http://127.0.0.1:{}", ports[number % ports.len()])
    }

    /// `kill -9` of all.
    pub fn kill(&self) {
        self.processes.iter().for_each(|process| process.kill());
    }

    /// Every process is asked to stop, and does.
    pub async fn end(&self, report: &mut Report) {
        for process in &self.processes {
            match process.stop().await {
                Ok(taken) if taken <= Duration::from_secs(10) => {}
                Ok(taken) => report.violation(format!("{} took {taken:?} to stop", process.name)),
                Err(error) => report.violation(format!("{error:#}")),
            }
        }
    }
}

/// A command below a shell that ignores SIGXFSZ; `exec` keeps the process.
fn ignoring_xfsz(command: Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell
}

fn copy_without_stories(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, kept) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true if entry.file_name() == "stories" => {}
            true => copy_without_stories(&path, &kept)?,
            false => std::fs::copy(&path, &kept).map(drop)?,
        }
    }
    Ok(())
}

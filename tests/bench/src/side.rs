//! One of the two programs that are compared, as a process of its own.

use crate::drive::{self, Target};
use crate::process::{self, Usage};
use anyhow::{Context, Result};
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

pub enum Program {
    /// Rows written by hand; this very binary.
    Floor,
    Product(PathBuf),
    /// Another build of the product, in the place of the baseline.
    Former(PathBuf),
    /// The product with the definitions that are shipped.
    Site(PathBuf),
    /// The product with its worker, and sandbox partners that answer at once.
    Shop {
        binary: PathBuf,
        definitions: PathBuf,
    },
    /// The bytes of this file, from memory; this very binary.
    Answer(PathBuf),
}

pub struct Side {
    program: Program,
    pub url: String,
    pub target: Target,
    home: TempDir,
    child: Option<Child>,
}

/// `tests/bench/definitions`.
pub fn definitions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions")
}

/// The definitions of the product.
pub fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Side {
    pub fn new(program: Program, url: String) -> Result<Side> {
        Ok(Side { program, url, target: Target { address: String::new() }, home: tempfile::tempdir()?, child: None })
    }

    pub fn name(&self) -> &'static str {
        match self.program {
            Program::Floor | Program::Answer(_) => "baseline",
            Program::Product(_) | Program::Site(_) | Program::Shop { .. } => "product",
            Program::Former(_) => "former",
        }
    }

    /// Starts the program; the time until its first journey was started, in seconds.
    pub async fn start(&mut self) -> Result<f64> {
        let begun = Instant::now();
        self.begin()?;
        let first = drive::first_journey(&self.target, PATIENCE).await;
        first.with_context(|| {
            let log = std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
            format!("the {} did not start: {log}", self.name())
        })?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Starts the program, and waits until it has this page.
    pub async fn begin_with(&mut self, page: &str) -> Result<()> {
        self.begin()?;
        let first = crate::pages::first(&self.target, page).await;
        first.with_context(|| std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default())?;
        Ok(())
    }

    /// Starts the program.
    pub fn begin(&mut self) -> Result<()> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        self.target.address = format!("127.0.0.1:{port}");
        let own = |arguments: &[&str]| {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(arguments).args(["--port", &port.to_string()]);
            anyhow::Ok(command)
        };
        let (address, home) = (&self.target.address, self.home.path());
        let mut command = match &self.program {
            Program::Floor => own(&["floor", "--database", &self.url])?,
            Program::Answer(file) => own(&["answer", "--file", &file.to_string_lossy()])?,
            Program::Product(binary) | Program::Former(binary) => {
                product(binary, &self.url, address, home, &definitions())
            }
            Program::Site(binary) => product(binary, &self.url, address, home, &shipped()),
            Program::Shop { binary, definitions } => {
                let mut command = Command::new(binary);
                command.args(["serve", "--no-watch", "--definitions"]).arg(definitions);
                settings(&mut command, &self.url, address, home);
                command.env("JOURNEY_SANDBOX__DELAY_PERCENT", "0").env("JOURNEY_OTP__PER_HOUR", "1000");
                command
                    .env("JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR", "1000")
                    .env("JOURNEY_UPLOADS__DIR", home.join("files"));
                command.env("JOURNEY_UPLOADS__PER_MINUTE", "1000");
                command
            }
        };
        let log = self.home.path().join("log");
        command.current_dir(self.home.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        self.child = Some(command.spawn().with_context(|| format!("{command:?}"))?);
        Ok(())
    }

    /// Asks it to end, and waits.
    pub fn stop(&mut self) -> Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        Command::new("kill").arg(child.id().to_string()).status()?;
        let until = Instant::now() + PATIENCE;
        while child.try_wait()?.is_none() {
            if Instant::now() > until {
                child.kill()?;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub fn usage(&self) -> Usage {
        self.child.as_ref().map_or_else(Usage::default, |child| process::usage(child.id()))
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            eprintln!("the {} may still run: {error}", self.name());
        }
    }
}

/// The journey API alone.
fn product(binary: &Path, url: &str, address: &str, home: &Path, definitions: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["serve", "--no-worker", "--no-watch", "--definitions"]).arg(definitions);
    settings(&mut command, url, address, home);
    command
}

/// As its operator would start it, without bounds per address: all customers share one.
fn settings(command: &mut Command, url: &str, address: &str, home: &Path) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("JOURNEY_")) {
        command.env_remove(name);
    }
    command
        .env("JOURNEY_SERVER__ADDRESS", address)
        .env("JOURNEY_DATABASE__URL", url)
        .env("JOURNEY_LOG__FILTER", "warn");
    command.env("JOURNEY_KEYS__FILE", home.join("master.key")).env("JOURNEY_KEYS__FORGOTTEN", home.join("forgotten"));
    for limit in ["RATE_PER_S", "WRITE_RATE_PER_S", "STARTS_PER_HOUR"] {
        command.env(format!("JOURNEY_LIMITS__{limit}"), "0");
    }
}

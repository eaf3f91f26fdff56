//! One file per command; here is which.

mod attempt;
mod audit;
mod check;
mod doctor;
mod effects;
mod export;
mod fmt;
mod form;
mod history;
mod incidents;
mod keys;
mod messages;
mod migrate;
mod new;
mod operator;
mod publish;
mod replay;
mod serve;
mod simulate;
mod staff;
mod stats;
mod stories;
mod texts;
mod work;

use crate::cli::{Cli, Command, New};
use anyhow::Result;
use engine_runtime::{Actor, Runtime, SystemClock};
use engine_settings::Settings;
use std::io::IsTerminal;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;

/// The definitions are wrong: the caller must change them.
pub const INVALID: u8 = 2;

pub fn run(cli: Cli) -> Result<ExitCode> {
    let settings = || -> Result<Settings> {
        let settings = Settings::load(cli.settings.as_deref())?;
        log(&settings);
        for warning in &settings.warnings {
            tracing::warn!("{warning}");
        }
        Ok(settings)
    };
    match cli.command {
        Command::Serve(options) => {
            let settings = settings()?;
            on_threads(threads(&settings), serve::serve(settings, options))
        }
        Command::Worker => {
            let settings = settings()?;
            on_threads(threads(&settings), work::work(settings))
        }
        Command::Check { paths, content } => Ok(check::check(&paths, content)),
        Command::Fmt { paths, check } => fmt::fmt(&paths, check),
        Command::Stats { dir, line } => stats::stats(&dir, line.as_deref()),
        Command::New(New::Line { name, dir, title, noun }) => new::line(&dir, &name, title, noun),
        Command::Texts(action) => texts::texts(action),
        Command::Form { name, dir, who, language } => form::form(&dir, &name, &who, &language),
        Command::Simulate { machine, script, batch } => {
            simulate::simulate(machine.as_deref(), script.as_deref(), batch.as_deref())
        }
        Command::Export { xstate: Some(workflow), .. } => export::machine(&workflow),
        Command::Export { xstate: None, .. } => export::description(),
        Command::Publish { dir } => alone(publish::publish(settings()?, dir)),
        Command::Migrate { dry_run: true, .. } => alone(migrate::dry_run(settings()?)),
        Command::Migrate { restored, .. } => alone(migrate::migrate(settings()?, restored)),
        Command::Doctor => alone(doctor::doctor(Settings::load(cli.settings.as_deref()).map_err(Into::into))),
        Command::Settings => {
            print!("{}", engine_settings::reference());
            Ok(ExitCode::SUCCESS)
        }
        Command::Stories { dir, only, watch } => stories::stories(&dir, only.as_deref(), watch),
        Command::Try { what, words, story, until, dir } => match words.as_slice() {
            [expression] if what != "table" => {
                let moment = attempt::Moment { story: story.as_deref(), until: until.as_deref() };
                attempt::expression(&dir, &what, &moment, expression)
            }
            [name, inputs @ ..] if what == "table" => attempt::table(&dir, name, inputs),
            _ => anyhow::bail!("`journey try <flow> <expression>` or `journey try table <table> <column>=<value> …`"),
        },
        Command::Effects(command) => alone(effects::effects(settings()?, command)),
        Command::Incidents(command) => alone(incidents::incidents(settings()?, command)),
        Command::Tell { partner, webhook, body } => alone(incidents::tell(settings()?, partner, webhook, body)),
        Command::Messages(command) => alone(messages::messages(settings()?, command)),
        Command::History { journey, explain } => alone(history::history(settings()?, journey, explain)),
        Command::Audit(command) => alone(audit::audit(settings()?, command)),
        Command::Keys(command) => alone(keys::keys(settings()?, command)),
        Command::Person(command) => alone(keys::person(settings()?, command)),
        Command::Operator(command) => alone(operator::operator(settings()?, command)),
        Command::Staff(command) => alone(staff::staff(settings()?, command)),
        Command::Token(command) => alone(staff::token(settings()?, command)),
        Command::Replay { journey } => alone(replay::replay(settings()?, journey)),
    }
}

/// The runtime over the settings' database, for whoever sits at this machine.
async fn open_as_operator(mut settings: Settings) -> Result<(Runtime, Actor)> {
    let store = crate::product::open(&mut settings).await?;
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    runtime.go_on().await?;
    runtime.publishing.load_current().await?;
    runtime.remember_forgotten().await?;
    Ok((runtime, Actor::operator("command line")))
}

/// Count of threads, as `server.threads` says.
fn threads(settings: &Settings) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    match settings.server.threads {
        0 if settings.database.url.starts_with("sqlite:") => cores.saturating_sub(1).max(1),
        0 => cores,
        threads => threads,
    }
}

fn on_threads(threads: usize, command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?.block_on(command)
}

fn alone(command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    on_threads(1, command)
}

/// Log lines go to standard error; standard output is for what was asked.
fn log(settings: &Settings) {
    use tracing_subscriber::{EnvFilter, fmt};
    let filter = EnvFilter::try_new(&settings.log.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let started = if settings.log.json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.with_target(false).try_init()
    };
    if let Err(error) = started {
        eprintln!("logging is set up already: {error}");
    }
}

//! `journey doctor`: every part of the set-up, with what to do about it.

use anyhow::Result;
use engine_runtime::{Runtime, SystemClock};
use engine_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;

/// Exit code 1 when something must be put right.
pub async fn doctor(settings: Result<Settings>) -> Result<ExitCode> {
    let mut report = Report::default();
    match settings {
        Err(error) => report.bad("settings", &error.to_string()),
        Ok(settings) => {
            report
                .good("settings", &format!("{:?} mode, as `journey settings` explains", settings.mode).to_lowercase());
            for warning in &settings.warnings {
                report.note("settings", warning);
            }
            for refusal in settings.refusals() {
                report.bad("production", &refusal.to_string());
            }
            if settings.sandbox.enabled {
                report.note("sandbox", "fake partners answer; e-mail and SMS go to /sandbox/inbox");
            }
            database(settings, &mut report).await;
        }
    }
    Ok(if report.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn database(settings: Settings, report: &mut Report) {
    let url = settings.database.url.clone();
    let shown = url.split('@').next_back().unwrap_or_default().to_owned();
    let store = match engine_store::connect(&url).await {
        Ok(store) => store,
        Err(error) => return report.bad("database", &format!("{shown}: {error}; check `database.url`")),
    };
    if let Err(error) = store.ping().await {
        return report.bad("database", &format!("{shown}: {error}"));
    }
    let number = match store.publication_number().await {
        Ok(number) => number,
        Err(error) => return report.bad("database", &format!("{shown}: {error}; run `journey migrate`")),
    };
    report.good("database", &format!("{} at {shown}", store.kind()));
    if settings.is_key_new && engine_runtime::is_sealed(&*store).await.unwrap_or(true) {
        let file = settings.keys.file.display();
        report
            .bad("keys", &format!("key file `{file}` is missing: bring back the one that the database was made with"));
    }
    if store.kind() == "sqlite" {
        report.note(
            "processes",
            "a SQLite file has one process, `journey serve`; `journey worker` and further nodes need PostgreSQL",
        );
    }
    if number == 0 {
        return report.note(
            "definitions",
            "nothing is published: `journey publish <dir>`, or `journey serve` publishes what the program carries",
        );
    }
    match Runtime::new(store.clone(), Arc::new(settings), Arc::new(SystemClock::default())).await {
        Err(error) => report.bad("keys", &error.to_string()),
        Ok(runtime) => {
            match runtime.uploads.try_place().await {
                Ok(()) => report.good("files", "what people send can be kept"),
                Err(error) => report.bad("files", &format!("{error}; look at `uploads.dir` or `uploads.bucket`")),
            }
            match runtime.publishing.load_current().await {
                Err(error) => report.bad("definitions", &error.to_string()),
                Ok(_) => report.good(
                    "definitions",
                    &format!("publication {number} with {} workflows", runtime.catalog().workflows().count()),
                ),
            }
        }
    }
    match store.sends_held().await {
        Ok(false) => {}
        Ok(true) => report.note("restored", "nothing is sent since a backup was restored: `journey effects release`"),
        Err(error) => report.bad("restored", &error.to_string()),
    }
    let parked =
        engine_store::EffectFilter { state: Some(engine_store::EffectState::Parked), limit: 100, ..Default::default() };
    match store.effects(parked).await {
        Ok(found) if found.is_empty() => report.good("effects", "nothing is parked"),
        Ok(found) => report.note("effects", &format!("{} are parked: `journey effects list`", found.len())),
        Err(error) => report.bad("effects", &error.to_string()),
    }
    match store.incidents(true, 100).await {
        Ok(found) if found.is_empty() => report.good("incidents", "none is open"),
        Ok(found) => report.note("incidents", &format!("{} are open: `journey incidents list`", found.len())),
        Err(error) => report.bad("incidents", &error.to_string()),
    }
}

#[derive(Default)]
struct Report {
    failed: bool,
}

impl Report {
    fn good(&mut self, part: &str, text: &str) {
        println!("ok    {part:<12} {text}");
    }

    fn note(&mut self, part: &str, text: &str) {
        println!("note  {part:<12} {text}");
    }

    fn bad(&mut self, part: &str, text: &str) {
        self.failed = true;
        println!("FAIL  {part:<12} {text}");
    }
}

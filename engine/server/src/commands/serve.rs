//! `journey serve`.

use crate::cli::Serve;
use crate::product::{Product, Source, Start};
use anyhow::{Result, bail};
use engine_runtime::SystemClock;
use engine_settings::{Mode, Settings};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

pub async fn serve(mut settings: Settings, options: Serve) -> Result<ExitCode> {
    if let Some(address) = options.address {
        settings.server.address = address;
    }
    if let Some(port) = options.port {
        let host = settings.server.address.rsplit_once(':').map_or("127.0.0.1", |(host, _)| host);
        settings.server.address = format!("{host}:{port}");
    }
    if let Some(url) = options.database {
        settings.database.url = url;
    }
    refuse_unsafe(&settings)?;
    let source = match options.definitions.or_else(|| settings.definitions.dir.clone()) {
        Some(folder) => Source::Folder {
            folder,
            watch: options.watch
                || (settings.definitions.watch && !options.no_watch && settings.mode == Mode::Development),
        },
        None => Source::Stored,
    };
    if options.no_worker && settings.database.url.starts_with("sqlite:") {
        tracing::warn!(
            "--no-worker on SQLite: calls, timers and messages wait until `journey serve` runs with its worker"
        );
    }
    let mut product =
        Product::start(Start { settings, source, clock: Arc::new(SystemClock::default()), worker: !options.no_worker })
            .await?;
    announce(&product);
    let ended = tokio::select! {
        () = asked_to_stop() => None,
        error = product.run_until_end() => Some(error),
    };
    if let Some(error) = ended {
        return Err(error);
    }
    tracing::info!("stopping");
    product.stop().await?;
    Ok(ExitCode::SUCCESS)
}

/// Production mode starts only when nothing must be put right first.
pub(super) fn refuse_unsafe(settings: &Settings) -> Result<()> {
    let refusals = settings.refusals();
    if refusals.is_empty() {
        return Ok(());
    }
    for refusal in &refusals {
        eprintln!("refused: {refusal}");
    }
    bail!("production mode does not start like this; `journey doctor` explains")
}

/// Says where to look. The first line is for programs, the rest for people.
fn announce(product: &Product) {
    let mut text = format!("listening on {}\n\n", product.url());
    for (title, address) in product.landings() {
        text.push_str(&format!("  {title:<24} {address}\n"));
    }
    let public = product.settings.public_url();
    if product.settings.sandbox.enabled {
        text.push_str(&format!(
            "  {:<24} {public}/sandbox/inbox\n  {:<24} {public}/sandbox\n",
            "Sandbox: messages", "Sandbox: partners"
        ));
    }
    if product.settings.shows_reference() {
        text.push_str(&format!("  {:<24} {public}/docs\n", "API reference"));
    }
    text.push('\n');
    let mut out = std::io::stdout();
    // A closed pipe is the reader's choice, not our failure.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// SIGTERM or Ctrl-C.
pub(super) async fn asked_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::warn!(%error, "SIGTERM cannot be heard");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        _ = interrupt => {}
        () = terminate => {}
    }
}

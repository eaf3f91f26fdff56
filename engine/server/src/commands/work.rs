//! `journey worker`: jobs only, on the PostgreSQL database that `journey serve --no-worker` shares.

use super::serve::{asked_to_stop, refuse_unsafe};
use crate::StoreMemory;
use crate::product::{join, metrics, open};
use anyhow::{Context as _, Result, bail};
use axum::Router;
use axum::http::header;
use axum::routing::get;
use engine_http::Doors;
use engine_partners::Partners;
use engine_partners::memory::Memory;
use engine_runtime::{Runtime, SystemClock};
use engine_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub async fn work(mut settings: Settings) -> Result<ExitCode> {
    refuse_unsafe(&settings)?;
    if settings.database.url.starts_with("sqlite:") {
        bail!(
            "a SQLite file has one process: `journey serve` works on it too; `journey worker` needs PostgreSQL (`database.url`)"
        );
    }
    let store = open(&mut settings).await?;
    let settings = Arc::new(settings);
    let handle = metrics(&CancellationToken::new());
    let listener = match &settings.worker.address {
        Some(address) => Some(
            engine_http::bind(address)
                .await
                .with_context(|| format!("`worker.address`: cannot listen on {address}"))?,
        ),
        None => None,
    };
    let runtime = Runtime::new(store, settings.clone(), Arc::new(SystemClock::default())).await?;
    runtime.go_on().await?;
    let stopped = CancellationToken::new();
    let shown = join(&runtime, false, &stopped).await?;
    let memory: Arc<dyn Memory> = Arc::new(StoreMemory(runtime.store().clone()));
    if !runtime.publishing.load_current().await? {
        tracing::warn!("no definitions are published yet; waiting for them");
    }
    runtime.remember_forgotten().await?;
    let partners = Arc::new(Partners::new(settings.clone(), settings.sandbox.enabled.then_some(memory))?);
    println!("working on {}", runtime.store().kind());
    if let Some(listener) = listener {
        println!("metrics at http://{}/metrics", listener.local_addr()?);
        let (runtime, partners) = (runtime.clone(), partners.clone());
        let page = move || async move {
            let recorded =
                handle.as_ref().map(metrics_exporter_prometheus::PrometheusHandle::render).unwrap_or_default();
            (
                [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
                format!("{recorded}\n{}", engine_http::metrics_page(&runtime, &partners).await),
            )
        };
        let router = Router::new().route("/metrics", get(page)).route("/healthz", get(|| async { "ok" }));
        let doors = Doors::of_health(&settings);
        tokio::spawn(engine_http::serve(listener, router, doors, CancellationToken::new()));
    }
    let ended = worker::run(worker::Context { runtime: runtime.clone(), partners }, asked_to_stop()).await;
    stopped.cancel();
    // Whoever looks sees this node for a while longer, should this fail.
    let _ = shown.await;
    ended.context("the worker ended")?;
    Ok(ExitCode::SUCCESS)
}

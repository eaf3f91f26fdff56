//! `journey worker`: jobs only, on the database that `journey serve --no-worker` shares.

use super::serve::{asked_to_stop, refuse_unsafe};
use crate::StoreMemory;
use crate::product::open;
use anyhow::{Context as _, Result};
use engine_partners::Partners;
use engine_partners::memory::Memory;
use engine_runtime::{Runtime, SystemClock};
use engine_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;

pub async fn work(settings: Settings) -> Result<ExitCode> {
    refuse_unsafe(&settings)?;
    let settings = Arc::new(settings);
    let store = open(&settings).await?;
    let memory: Arc<dyn Memory> = Arc::new(StoreMemory(store.clone()));
    let runtime = Runtime::new(store, settings.clone(), Arc::new(SystemClock))?;
    if !runtime.load_current().await? {
        tracing::warn!("no definitions are published yet; waiting for them");
    }
    let partners = Arc::new(Partners::new(settings.clone(), settings.sandbox.enabled.then_some(memory))?);
    println!("working on {}", runtime.store().kind());
    worker::run(worker::Context { runtime, partners }, asked_to_stop()).await.context("the worker ended")?;
    Ok(ExitCode::SUCCESS)
}

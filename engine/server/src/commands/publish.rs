//! `journey publish` and `journey migrate`.

use super::keys::forgotten;
use super::{INVALID, operated};
use crate::definitions::{print_problems, told};
use crate::product::{alone, open};
use anyhow::{Context as _, Result};
use engine_definitions::Files;
use engine_runtime::{Clock, PublishError, Runtime, SystemClock};
use engine_settings::Settings;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

pub async fn publish(settings: Settings, dir: PathBuf) -> Result<ExitCode> {
    let files = Files::read_dir(&dir).with_context(|| format!("definitions in `{}` cannot be read", dir.display()))?;
    let store = open(&settings).await?;
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    runtime.publishing.load_current().await?;
    match runtime.publishing.publish(&files, "command line").await {
        Ok(published) => {
            print_problems(&published.warnings);
            println!("{}", told(&published));
            Ok(ExitCode::SUCCESS)
        }
        Err(PublishError::Problems(problems)) => {
            print_problems(&problems);
            eprintln!("nothing was published");
            Ok(ExitCode::from(INVALID))
        }
        Err(PublishError::Runtime(error)) => Err(error.into()),
    }
}

/// `restored`: from a backup.
pub async fn migrate(settings: Settings, restored: bool) -> Result<ExitCode> {
    let _alone = if restored { alone(&settings.database.url)? } else { None };
    let store = open(&settings).await?;
    println!("the {} database is up to date", store.kind());
    if restored {
        let epoch = store.begin_epoch(SystemClock::default().now_ms()).await?;
        let list = forgotten(&settings.keys.forgotten).context("the list of what was forgotten cannot be read")?;
        if !list.is_empty() {
            let (runtime, operator) = operated(settings).await?;
            runtime.operations.forget_journeys(&operator, &list).await?;
            println!("{} journeys were forgotten before and are again", list.len());
        }
        println!("restored {epoch} times: new orders have new keys; nothing is sent until `journey effects release`");
    }
    Ok(ExitCode::SUCCESS)
}

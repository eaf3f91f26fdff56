//! `journey publish`.

use super::INVALID;
use crate::definitions::{describe_publication, print_problems};
use crate::product::open;
use anyhow::{Context as _, Result};
use engine_definitions::Files;
use engine_runtime::{Actor, PublishError, Runtime, Stories, SystemClock};
use engine_settings::Settings;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

pub async fn publish(mut settings: Settings, dir: PathBuf) -> Result<ExitCode> {
    let begun = Instant::now();
    let files = Files::read_dir(&dir).with_context(|| format!("definitions in `{}` cannot be read", dir.display()))?;
    let store = open(&mut settings).await?;
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    runtime.publishing.load_current().await?;
    match runtime.publishing.publish(&files, &Actor::operator("command line"), Stories::Play).await {
        Ok(published) => {
            print_problems(&published.warnings);
            println!("{}", describe_publication(&published, begun));
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

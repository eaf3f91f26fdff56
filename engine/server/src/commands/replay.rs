//! `journey replay`.

use crate::product::open;
use anyhow::{Result, bail};
use engine_runtime::{Runtime, SystemClock};
use engine_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;

pub async fn replay(mut settings: Settings, journey: String) -> Result<ExitCode> {
    let store = open(&mut settings).await?;
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    runtime.publishing.load_current().await?;
    let Some(differences) = runtime.operations.replay(&journey).await? else {
        bail!("there is no journey `{journey}`")
    };
    if differences.is_empty() {
        println!("{journey}: the events give what is stored");
        return Ok(ExitCode::SUCCESS);
    }
    for difference in &differences {
        println!("{journey}: {difference}");
    }
    Ok(ExitCode::from(2))
}

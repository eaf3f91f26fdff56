//! `journey incidents`.

use crate::cli::Incidents;
use crate::product::open;
use anyhow::{Result, bail};
use engine_runtime::{Clock, SystemClock, rfc3339};
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn incidents(settings: Settings, command: Incidents) -> Result<ExitCode> {
    let store = open(&settings).await?;
    match command {
        Incidents::List { all, limit } => {
            let found = store.incidents(!all, limit).await?;
            for incident in &found {
                let state = if incident.closed_at_ms.is_some() { "closed" } else { "open" };
                println!(
                    "{}\t{state}\t{}\t{}\t{}\t{}\t{}",
                    incident.id,
                    rfc3339(incident.at_ms),
                    incident.journey,
                    incident.version,
                    incident.place,
                    incident.reason
                );
            }
            eprintln!("{} incidents", found.len());
        }
        Incidents::Close { id } => {
            if !store.close_incident(&id, "operator", SystemClock.now_ms()).await? {
                bail!("`{id}` is not an open incident");
            }
            println!("{id} is closed");
        }
    }
    Ok(ExitCode::SUCCESS)
}

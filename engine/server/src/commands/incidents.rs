//! `journey incidents`, `journey tell`.

use super::open_as_operator;
use crate::cli::Incidents;
use anyhow::{Context, Result};
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn incidents(settings: Settings, command: Incidents) -> Result<ExitCode> {
    let (runtime, me) = open_as_operator(settings).await?;
    match command {
        Incidents::List { all, limit } => {
            let found = runtime.operations.incidents(&me, !all, limit).await?;
            for i in &found {
                let state = i.closed_by.as_ref().map_or_else(|| "open".to_owned(), |by| format!("closed by {by}"));
                let retries = i.retries.as_ref().map(|work| format!("\tretry: {work}")).unwrap_or_default();
                println!(
                    "{}\t{state}\t{}\t{}\t{}\t{}\t{}{retries}",
                    i.id, i.at, i.journey, i.version, i.place, i.reason
                );
            }
            eprintln!("{} incidents", found.len());
        }
        Incidents::Retry { id } => {
            runtime.operations.retry_incident(&me, &id).await?;
            println!("{id} is retried and closed");
        }
        Incidents::Close { id } => {
            runtime.operations.close_incident(&me, &id).await?;
            println!("{id} is closed");
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn tell(settings: Settings, partner: String, webhook: String, body: String) -> Result<ExitCode> {
    let body = serde_json::from_str(&body).context("the body is not JSON")?;
    let (runtime, me) = open_as_operator(settings).await?;
    runtime.operations.tell(&me, &partner, &webhook, &body).await?;
    println!("{partner}/{webhook} is told");
    Ok(ExitCode::SUCCESS)
}

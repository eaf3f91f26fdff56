//! `journey effects`: what an operator does about orders that are stuck.

use super::open_as_operator;
use crate::cli::Effects;
use anyhow::{Result, anyhow};
use engine_runtime::operations;
use engine_settings::Settings;
use engine_store::EffectKey;
use std::process::ExitCode;

pub async fn effects(settings: Settings, command: Effects) -> Result<ExitCode> {
    let (runtime, me) = open_as_operator(settings).await?;
    match command {
        Effects::List { journey, state, kind, lane, limit } => {
            let named = operations::Effects::state_named(&state);
            let state = named
                .ok_or_else(|| anyhow!("unknown state `{state}`: pending, running, done, parked, cancelled or all"))?;
            let found =
                runtime.operations.effects(&me, operations::Effects { state, kind, lane, journey, limit }).await?;
            for e in &found {
                let why = [e.code.as_deref(), e.reason.as_deref(), e.by.as_deref()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ");
                println!(
                    "{}\t{}\t{}\t{}\t{}\t{}/{}\t{}\t{why}",
                    e.key, e.state, e.kind, e.lane, e.target, e.attempts, e.attempts_max, e.created_at
                );
            }
            eprintln!("{} effects", found.len());
        }
        Effects::Retry { key } => {
            runtime.operations.retry_effect(&me, &read_key(&key)?).await?;
            println!("{key} is due again");
        }
        Effects::Release => match runtime.operations.release_sends(&me).await? {
            true => println!("what waits goes out now"),
            false => println!("nothing was held"),
        },
        Effects::Skip { key } => {
            runtime.operations.skip_effect(&me, &read_key(&key)?).await?;
            println!("{key} is skipped");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read_key(text: &str) -> Result<EffectKey> {
    text.parse().map_err(|()| anyhow!("`{text}` is not a key: journey.seq.index, as `journey effects list` shows it"))
}

//! `journey effects`: what an operator does about orders that are stuck.

use crate::cli::Effects;
use crate::product::open;
use anyhow::{Result, anyhow, bail};
use engine_runtime::{Clock, SystemClock, rfc3339};
use engine_settings::Settings;
use engine_store::{EffectEnd, EffectFilter, EffectKey, EffectState};
use serde_json::json;
use std::process::ExitCode;

pub async fn effects(settings: Settings, command: Effects) -> Result<ExitCode> {
    let store = open(&settings).await?;
    match command {
        Effects::List { journey, state, limit } => {
            let state = match state.as_str() {
                "all" => None,
                "pending" => Some(EffectState::Pending),
                "running" => Some(EffectState::Running),
                "done" => Some(EffectState::Done),
                "parked" => Some(EffectState::Parked),
                "cancelled" => Some(EffectState::Cancelled),
                other => bail!("unknown state `{other}`: pending, running, done, parked, cancelled or all"),
            };
            let found = store.effects(EffectFilter { journey, state, kind: None, limit }).await?;
            for effect in &found {
                let reason = effect.reason().map_or_else(String::new, ToString::to_string);
                println!(
                    "{}\t{:?}\t{}\t{}\t{}/{}\t{}\t{reason}",
                    effect.key,
                    effect.state,
                    effect.kind,
                    effect.lane,
                    effect.attempts,
                    effect.attempts_max,
                    rfc3339(effect.created_at_ms)
                );
            }
            eprintln!("{} effects", found.len());
            Ok(ExitCode::SUCCESS)
        }
        Effects::Retry { key } => {
            let key = read_key(&key)?;
            if !store.requeue_effect(&key, SystemClock.now_ms()).await? {
                bail!("`{key}` is not parked");
            }
            println!("{key} is due again");
            Ok(ExitCode::SUCCESS)
        }
        Effects::Skip { key } => {
            let key = read_key(&key)?;
            let effect = store.effect(&key).await?.filter(|effect| effect.state == EffectState::Parked).ok_or_else(|| anyhow!("`{key}` is not parked"))?;
            let end = EffectEnd::Cancelled { reason: json!({"code": "skipped", "by": "operator", "was": effect.outcome}) };
            if !store.finish_effect(&key, effect.fence, end).await? {
                bail!("`{key}` has changed meanwhile");
            }
            println!("{key} is skipped");
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// `journey.seq.index`
fn read_key(text: &str) -> Result<EffectKey> {
    let mut parts = text.splitn(3, '.');
    let key = (|| Some(EffectKey { journey: parts.next()?.to_owned(), seq: parts.next()?.parse().ok()?, index: parts.next()?.parse().ok()? }))();
    key.ok_or_else(|| anyhow!("`{text}` is not a key: journey.seq.index, as `journey effects list` shows it"))
}

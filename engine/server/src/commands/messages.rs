//! `journey messages`: what was sent to people. The store keeps numbers and addresses masked and hashed only.

use crate::cli::Messages;
use crate::product::open;
use anyhow::Result;
use engine_runtime::{Runtime, SystemClock, rfc3339};
use engine_settings::Settings;
use engine_store::MessageFilter;
use std::process::ExitCode;
use std::sync::Arc;

pub async fn messages(mut settings: Settings, command: Messages) -> Result<ExitCode> {
    let Messages::List { journey, to, limit } = command;
    let store = open(&mut settings).await?;
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    let recipient_hash = to.map(|to| runtime.people.recipient_hash(&to));
    let found = runtime.store().messages(MessageFilter { journey, recipient_hash, limit }).await?;
    for m in &found {
        println!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            m.effect,
            format!("{:?}", m.state).to_lowercase(),
            rfc3339(m.at_ms),
            m.channel,
            m.purpose,
            m.message,
            m.language,
            m.template_id.as_deref().unwrap_or("-"),
            m.recipient,
            m.provider_id.as_deref().unwrap_or("-"),
            m.reason.as_ref().map_or_else(String::new, ToString::to_string)
        );
    }
    eprintln!("{} messages", found.len());
    Ok(ExitCode::SUCCESS)
}

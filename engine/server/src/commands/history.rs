//! `journey history`: what happened in a journey, without what people wrote.

use super::operated;
use anyhow::Result;
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn history(settings: Settings, journey: String) -> Result<ExitCode> {
    let (runtime, me) = operated(settings).await?;
    let history = runtime.operations.history(&me, &journey).await?;
    println!(
        "{}\t{}\t{}\t{} at {}\trevision {}",
        history.id, history.workflow, history.version, history.status, history.step, history.revision
    );
    for event in &history.events {
        println!("event\t{}\t{}\t{}\t{}\t{}", event.seq, event.at, event.by, event.kind, event.fields.join(" "));
    }
    for e in &history.effects {
        let why = [e.code.as_deref(), e.reason.as_deref(), e.by.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        println!("effect\t{}\t{}\t{}\t{}\t{}/{}\t{why}", e.key, e.kind, e.target, e.state, e.attempts, e.attempts_max);
    }
    for timer in &history.timers {
        println!("timer\t{}\t{}\t{}", timer.id, timer.due_at, timer.on_version);
    }
    for i in &history.incidents {
        println!(
            "incident\t{}\t{}\t{}\t{}\t{}",
            i.id,
            i.at,
            i.place,
            i.reason,
            i.closed_by.as_deref().unwrap_or("open")
        );
    }
    Ok(ExitCode::SUCCESS)
}

//! `journey history`: what happened in a journey, without what people wrote; `--explain`: and why.

use super::open_as_operator;
use anyhow::Result;
use engine_runtime::turn::Explained;
use engine_settings::Settings;
use serde_json::Value;
use std::process::ExitCode;

pub async fn history(settings: Settings, journey: String, is_explained: bool) -> Result<ExitCode> {
    let (runtime, me) = open_as_operator(settings).await?;
    let history = runtime.operations.history(&me, &journey).await?;
    let mut values = Vec::new();
    if is_explained {
        values = runtime.operations.explain(&me, &journey).await?;
    }
    println!(
        "{}\t{}\t{}\t{} at {}\trevision {}",
        history.id, history.workflow, history.version, history.status, history.step, history.revision
    );
    for event in &history.events {
        println!("event\t{}\t{}\t{}\t{}\t{}", event.seq, event.at, event.by, event.kind, event.fields.join(" "));
        values.iter().filter(|value| value.seq == event.seq).for_each(print_value);
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

/// A value of the definitions: what it is called, what it came to, and what it read.
fn print_value(value: &Explained) {
    let arguments: Vec<String> = value.arguments.iter().map(brief).collect();
    let called =
        if arguments.is_empty() { value.name.clone() } else { format!("{}({})", value.name, arguments.join(", ")) };
    let inputs: Vec<String> = value.inputs.iter().map(|(path, input)| format!("{path}={}", brief(input))).collect();
    println!("value\t{}\t{called}\t{}\t{}", value.seq, brief(&value.result), inputs.join(" "));
}

/// The beginning of a long value.
fn brief(value: &Value) -> String {
    const CHARS_MAX: usize = 120;
    let whole = value.to_string();
    match whole.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

//! `journey audit`: the trail of who saw and did what.

use super::operated;
use crate::cli::Audit;
use anyhow::Result;
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn audit(settings: Settings, command: Audit) -> Result<ExitCode> {
    let (runtime, me) = operated(settings).await?;
    match command {
        Audit::Verify { anchor } => match runtime.operations.verify_audit(&me).await? {
            Ok(whole) => {
                let newest = whole.anchor.map(|one| one.to_string());
                println!("{} rows, each as it was written; anchor {}", whole.rows, newest.as_deref().unwrap_or("none"));
                if anchor.is_some() && anchor != newest {
                    println!("the newest anchor is another one: the trail was cut off or replaced");
                    return Ok(ExitCode::FAILURE);
                }
                Ok(ExitCode::SUCCESS)
            }
            Err(bad) => {
                println!("{}\t{}\t{}", bad.chain, bad.number, bad.how);
                Ok(ExitCode::FAILURE)
            }
        },
        Audit::Seen { mobile } => match runtime.operations.seen_of(&me, &mobile).await? {
            Some(all) => {
                for sight in &all {
                    println!("{}\t{}\t{}\t{}\t{}", sight.at, sight.journey, sight.kind, sight.who, sight.about);
                }
                eprintln!("{} times", all.len());
                Ok(ExitCode::SUCCESS)
            }
            None => {
                eprintln!("nobody has shown that this number is theirs");
                Ok(ExitCode::FAILURE)
            }
        },
    }
}

//! `journey audit`: the trail of who saw and did what.

use super::open_as_operator;
use crate::cli::Audit;
use anyhow::Result;
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn audit(settings: Settings, command: Audit) -> Result<ExitCode> {
    let (runtime, me) = open_as_operator(settings).await?;
    match command {
        Audit::Verify { anchor } => match runtime.operations.verify_audit(&me, anchor.as_ref()).await? {
            Ok(whole) => {
                let newest = whole.anchor.map_or_else(|| "none".to_owned(), |one| one.to_string());
                println!("{} rows in {} chains, each as it was written; anchor {newest}", whole.rows, whole.chains);
                if anchor.is_none() {
                    println!("held against nothing outside: give `--anchor` as the log has the newest one");
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

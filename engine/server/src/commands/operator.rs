//! `journey operator`: tokens of the operator API.

use super::open_as_operator;
use crate::cli::Operator;
use anyhow::{Result, ensure};
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn operator(settings: Settings, command: Operator) -> Result<ExitCode> {
    let (runtime, _) = open_as_operator(settings).await?;
    match command {
        Operator::Token { name, hours } => {
            good_name(&name)?;
            // On standard output alone, so that it can be kept without being seen.
            println!("{}", runtime.people.new_operator(&name, hours).await?);
            eprintln!(
                "token of {name} for {hours} hours; it is not shown again: `Authorization: Bearer …` at /api/v1/operator"
            );
        }
        Operator::Revoke { name } => {
            println!("{} tokens of {name} are revoked", runtime.people.revoke_operator(&name).await?)
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A name that can stand beside what is done under it.
pub(super) fn good_name(name: &str) -> Result<()> {
    let good = (1..=60).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte));
    ensure!(good, "a name has 1 to 60 letters, digits, `-`, `_`, `.` or `@`");
    Ok(())
}

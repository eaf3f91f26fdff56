//! `journey keys` and `journey person`: keys wrapped anew, a person forgotten.

use super::operated;
use crate::cli::{Keys, Person};
use anyhow::{Context as _, Result};
use engine_settings::Settings;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub async fn keys(settings: Settings, command: Keys) -> Result<ExitCode> {
    let Keys::Rotate = command;
    let (runtime, operator) = operated(settings).await?;
    let changed = runtime.operations.rotate_keys(&operator).await?;
    println!("the keys of {changed} journeys are wrapped anew; `keys.previous` is needed no more");
    Ok(ExitCode::SUCCESS)
}

/// The list of what was forgotten stands outside of the database: `journey migrate --restored` applies it to a backup.
pub async fn person(settings: Settings, command: Person) -> Result<ExitCode> {
    let Person::Forget { mobile } = command;
    let list = settings.keys.forgotten.clone();
    let (runtime, operator) = operated(settings).await?;
    match runtime.operations.forget_person(&operator, &mobile).await? {
        Some(journeys) => {
            note(&list, &journeys).with_context(|| format!("`{}` cannot be written", list.display()))?;
            println!("{} journeys are forgotten", journeys.len());
            Ok(ExitCode::SUCCESS)
        }
        None => {
            eprintln!("nobody has shown that this number is theirs");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn note(list: &Path, journeys: &[String]) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list)?;
    for journey in journeys {
        writeln!(file, "{journey}")?;
    }
    file.sync_all()
}

/// What was forgotten, as the list has it.
pub fn forgotten(list: &Path) -> std::io::Result<Vec<String>> {
    match std::fs::read_to_string(list) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

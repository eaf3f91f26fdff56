//! `journey keys` and `journey person`: keys wrapped anew, a person forgotten.

use super::operated;
use crate::cli::{Keys, Person};
use anyhow::{Context as _, Result};
use engine_runtime::operations::Forgotten;
use engine_settings::Settings;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub async fn keys(settings: Settings, command: Keys) -> Result<ExitCode> {
    let Keys::Rotate = command;
    let (runtime, operator) = operated(settings).await?;
    let changed = runtime.operations.rotate_keys(&operator).await?;
    println!("the keys of {changed} journeys and persons are wrapped anew; `keys.previous` is needed no more");
    Ok(ExitCode::SUCCESS)
}

/// The list of what was forgotten stands outside of the database: `journey migrate --restored` applies it to a backup.
pub async fn person(settings: Settings, command: Person) -> Result<ExitCode> {
    let Person::Forget { mobile } = command;
    let list = settings.keys.forgotten.clone();
    let (runtime, operator) = operated(settings).await?;
    match runtime.operations.forget_person(&operator, &mobile).await? {
        Some(forgotten) => {
            note(&list, &forgotten).with_context(|| format!("`{}` cannot be written", list.display()))?;
            println!("{} journeys are forgotten", forgotten.journeys.len());
            Ok(ExitCode::SUCCESS)
        }
        None => {
            eprintln!("nobody has shown that this number is theirs");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Before a person's id in the list; a journey's stands alone.
const PERSON: &str = "person ";

fn note(list: &Path, forgotten: &Forgotten) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list)?;
    for journey in &forgotten.journeys {
        writeln!(file, "{journey}")?;
    }
    for person in &forgotten.persons {
        writeln!(file, "{PERSON}{person}")?;
    }
    file.sync_all()
}

/// What was forgotten, as the list has it.
pub fn forgotten(list: &Path) -> std::io::Result<Forgotten> {
    let mut all = Forgotten::default();
    match std::fs::read_to_string(list) {
        Ok(text) => {
            for line in text.lines() {
                match line.strip_prefix(PERSON) {
                    Some(person) => all.persons.push(person.to_owned()),
                    None => all.journeys.push(line.to_owned()),
                }
            }
            Ok(all)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(all),
        Err(error) => Err(error),
    }
}

//! `journey keys` and `journey person`: keys wrapped anew, a person forgotten.

use super::open_as_operator;
use crate::cli::{Keys, Person};
use anyhow::Result;
use engine_runtime::operations::Holds;
use engine_settings::Settings;
use std::process::ExitCode;

pub async fn keys(settings: Settings, command: Keys) -> Result<ExitCode> {
    let Keys::Rotate = command;
    let (runtime, operator) = open_as_operator(settings).await?;
    let changed = runtime.operations.rotate_keys(&operator).await?;
    println!("the keys of {changed} journeys and persons are wrapped anew; `keys.previous` is needed no more");
    Ok(ExitCode::SUCCESS)
}

pub async fn person(settings: Settings, command: Person) -> Result<ExitCode> {
    let Person::Forget { mobile } = command;
    let list = settings.keys.forgotten.clone();
    let (runtime, operator) = open_as_operator(settings).await?;
    match runtime.operations.forget_person(&operator, &mobile).await? {
        Some(Ok(forgotten)) => {
            println!(
                "{} journeys are forgotten; every session has ended, and the number is told",
                forgotten.journeys.len()
            );
            return Ok(ExitCode::SUCCESS);
        }
        Some(Err(Holds::UnderWay)) => {
            eprintln!("something is paid and not there yet: nobody is forgotten before it is a policy, or paid back");
        }
        Some(Err(Holds::Paying)) => {
            eprintln!("a payment is open: nobody is forgotten before it has gone through or failed")
        }
        Some(Err(Holds::NoList)) => eprintln!("`{}` cannot be written", list.display()),
        None => eprintln!("nobody has shown that this number is theirs"),
    }
    Ok(ExitCode::FAILURE)
}

//! `journey export --xstate`, `journey export --openapi`.

use super::INVALID;
use crate::definitions::print_problems;
use anyhow::{Context as _, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// JSON on standard output. `workflow` is a file, or `line/name` of one below ./workflows.
pub fn machine(workflow: &str) -> Result<ExitCode> {
    let given = PathBuf::from(workflow);
    let path = if given.is_file() { given } else { PathBuf::from(format!("workflows/{workflow}/flow.yaml")) };
    let bytes = std::fs::read(&path)
        .with_context(|| format!("`{workflow}` is neither a file nor a workflow in ./workflows"))?;
    match engine_definitions::xstate_machine(&path.display().to_string(), &bytes) {
        Ok(machine) => {
            println!("{machine:#}");
            Ok(ExitCode::SUCCESS)
        }
        Err(problems) => {
            print_problems(&problems);
            Ok(ExitCode::from(INVALID))
        }
    }
}

/// The contract that the web app's types are made from.
pub fn description() -> Result<ExitCode> {
    println!("{}", engine_http::openapi().to_pretty_json()?);
    Ok(ExitCode::SUCCESS)
}

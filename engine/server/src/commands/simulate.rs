//! `journey simulate`: the contract of the machines' dialect.

use super::INVALID;
use crate::definitions::print_problems;
use anyhow::{Context as _, Result};
use engine_statechart::simulate;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;

pub fn simulate(machine: Option<&Path>, script: Option<&Path>, batch: Option<&Path>) -> Result<ExitCode> {
    let mut out = BufWriter::new(stdout().lock());
    if let Some(cases) = batch {
        if cases == Path::new("-") {
            simulate::batch(stdin().lock(), &mut out)?;
        } else {
            simulate::batch(BufReader::new(File::open(cases).with_context(|| cases.display().to_string())?), &mut out)?;
        }
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let (Some(machine), Some(script)) = (machine, script) else {
        anyhow::bail!("a machine and its --script are needed")
    };
    let read = |path: &Path| std::fs::read(path).with_context(|| path.display().to_string());
    let compiled = match engine_definitions::plain_machine(&machine.display().to_string(), &read(machine)?) {
        Ok(compiled) => compiled,
        Err(problems) => {
            print_problems(&problems);
            return Ok(ExitCode::from(INVALID));
        }
    };
    let script = serde_json::from_slice(&read(script)?).with_context(|| script.display().to_string())?;
    let script = simulate::script(&script).map_err(anyhow::Error::msg)?;
    for line in simulate::run(&compiled, &script) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

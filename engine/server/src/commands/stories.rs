//! `journey stories`.

use super::INVALID;
use crate::definitions::print_problems;
use anyhow::{Context as _, Result};
use engine_definitions::Files;
use std::path::Path;
use std::process::ExitCode;

/// Failures on standard output as `file:line:column: story: message`; exit code 1 when there are some.
pub fn stories(dir: &Path) -> Result<ExitCode> {
    let files = Files::read_dir(dir).with_context(|| format!("definitions in `{}` cannot be read", dir.display()))?;
    let loaded = engine_definitions::load(&files);
    let Some(catalog) = loaded.catalog else {
        print_problems(&loaded.problems);
        return Ok(ExitCode::from(INVALID));
    };
    let (mut count, mut failed) = (0, 0);
    for workflow in catalog.workflows() {
        for story in workflow.stories() {
            count += 1;
            let failures = engine_runtime::story::run(&catalog, story);
            failed += usize::from(!failures.is_empty());
            for failure in failures {
                println!("{}: {}: {}", failure.place, failure.story, failure.message);
            }
        }
    }
    eprintln!("{count} stories, {failed} failed");
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

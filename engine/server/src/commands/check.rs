//! `journey check`.

use super::{INVALID, texts};
use engine_definitions::Severity;
use engine_definitions::check::check as checked;
use std::path::PathBuf;
use std::process::ExitCode;

/// Problems on standard output, one per line; how far each language is and the count on standard error.
pub fn check(paths: &[PathBuf]) -> ExitCode {
    let found = checked(paths);
    let errors = found.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    for problem in &found.problems {
        let grade = if problem.severity == Severity::Error { "" } else { "warning: " };
        println!("{}: {grade}{}", place(problem), rest(problem));
    }
    for (language, sheets) in found.sheets.iter().filter(|_| errors == 0) {
        eprintln!("{language}: {}", texts::summarize(sheets));
    }
    let warnings = found.problems.len() - errors;
    eprintln!("{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings));
    if errors > 0 { ExitCode::from(INVALID) } else { ExitCode::SUCCESS }
}

fn place(problem: &engine_definitions::Problem) -> String {
    format!("{}:{}:{}", problem.span.file, problem.span.line, problem.span.column)
}

fn rest(problem: &engine_definitions::Problem) -> String {
    match &problem.hint {
        Some(hint) => format!("{} ({hint})", problem.message),
        None => problem.message.clone(),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

//! `journey check`.

use super::INVALID;
use engine_definitions::Severity;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Problems on standard output, one per line; the count on standard error.
pub fn check(paths: &[PathBuf]) -> ExitCode {
    let problems = engine_definitions::check::check(paths);
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    for problem in &problems {
        let grade = if problem.severity == Severity::Error { "" } else { "warning: " };
        println!("{}: {grade}{}", place(problem), rest(problem));
    }
    let warnings = problems.len() - errors;
    for root in paths.iter().filter_map(|path| path.parent()).filter(|_| errors == 0).take(1) {
        told(if root.as_os_str().is_empty() { Path::new(".") } else { root });
    }
    eprintln!("{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings));
    if errors > 0 { ExitCode::from(INVALID) } else { ExitCode::SUCCESS }
}

/// How far each language is.
fn told(root: &Path) {
    let Ok(files) = engine_definitions::Files::read_dir(root) else { return };
    for language in engine_definitions::languages(&files) {
        eprintln!("{language}: {}", super::texts::counted(&engine_definitions::sheets(&files, &language)));
    }
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

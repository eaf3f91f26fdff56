//! `journey check`.

use super::{INVALID, texts};
use crate::definitions::Verdict;
use engine_definitions::Severity;
use engine_definitions::check::{Pages, check_pages};
use engine_runtime::{Clock as _, SystemClock};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Problems on standard output, one per line; how far each language is and the count on standard error.
pub fn check(paths: &[PathBuf], all_content: bool) -> ExitCode {
    let of = |root: &Path| (!all_content).then(|| changed(root));
    let verdicts: Vec<Verdict> = paths.iter().filter_map(|path| Verdict::read(path)).collect();
    let found = check_pages(paths, &Pages { now_ms: SystemClock::default().now_ms(), of: &of });
    let errors = found.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    for problem in &found.problems {
        let grade = if problem.severity == Severity::Error { "" } else { "warning: " };
        println!("{}: {grade}{}", place(problem), rest(problem));
    }
    for (language, sheets) in found.sheets.iter().filter(|_| errors == 0) {
        eprintln!("{language}: {}", texts::summarize(sheets));
    }
    if found.problems.is_empty() {
        verdicts.into_iter().for_each(Verdict::keep);
    }
    let warnings = found.problems.len() - errors;
    eprintln!("{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings));
    if errors > 0 { ExitCode::from(INVALID) } else { ExitCode::SUCCESS }
}

/// Files below a folder that differ from the last commit; none where there is no history.
fn changed(root: &Path) -> BTreeSet<String> {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["ls-files", "--modified", "--others", "--exclude-standard"]);
    let Ok(listed) = git.args(["workflows", "forms"]).output() else { return BTreeSet::new() };
    String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect()
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

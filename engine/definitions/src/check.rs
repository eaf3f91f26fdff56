//! `journey check`: plain machines and whole trees of definitions. Paths in problems are as given.

use crate::files::Files;
use crate::load::{finish, load};
use crate::source;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::path::Path;
use std::sync::Arc;

/// Checks a folder that holds `workflows/` and `forms/`, a file of such a folder (which is checked as
/// a whole, problems of that file are returned), or a machine that stands alone.
pub fn check(paths: &[impl AsRef<Path>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for path in paths {
        one(path.as_ref(), &mut problems);
    }
    finish(&mut problems);
    problems
}

fn one(path: &Path, problems: &mut Vec<Problem>) {
    let span = Span::new(&Arc::from(path.to_string_lossy().as_ref()), 0, 0);
    if let Some((root, inside)) = tree_of(path) {
        match Files::read_dir(&root) {
            Ok(files) => {
                let mut found = load(&files).problems;
                found.extend(masters(&files));
                found.retain(|p| p.span.file.starts_with(&inside) || inside.is_empty());
                problems.extend(found.into_iter().map(|p| placed(p, &root)));
            }
            Err(e) => problems.push(Problem::error("file", &span, format!("cannot be read: {e}"))),
        }
        return;
    }
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for entry in entries {
            let is_machine = entry.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
            if entry.is_dir() || is_machine {
                one(&entry, problems);
            }
        }
        return;
    }
    match std::fs::read(path) {
        Ok(bytes) => match crate::plain::machine(&path.to_string_lossy(), &bytes) {
            Ok((_, warnings)) => problems.extend(warnings),
            Err(found) => problems.extend(found),
        },
        Err(e) => problems.push(Problem::error("file", &span, format!("cannot be read: {e}"))),
    }
}

/// The root of the definitions that a path belongs to, and the part of it that was asked for.
fn tree_of(path: &Path) -> Option<(std::path::PathBuf, String)> {
    if path.join("workflows").is_dir() || path.join("forms").is_dir() {
        return Some((path.to_owned(), String::new()));
    }
    let full = path.canonicalize().ok()?;
    let root = full.ancestors().skip(1).find(|a| a.join("workflows").is_dir())?;
    let inside = full.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    (inside.starts_with("workflows") || inside.starts_with("forms")).then(|| (shown_root(path, &inside), inside))
}

/// The root as the caller would write it.
fn shown_root(path: &Path, inside: &str) -> std::path::PathBuf {
    let depth = inside.split('/').count();
    let shown = path.components().count();
    if path.is_relative() && shown == depth {
        return std::path::PathBuf::from(".");
    }
    path.ancestors().nth(depth).map_or_else(|| std::path::PathBuf::from("."), Path::to_owned)
}

fn placed(mut problem: Problem, root: &Path) -> Problem {
    if root != Path::new(".") && !root.as_os_str().is_empty() && !problem.span.file.is_empty() {
        problem.span.file = Arc::from(root.join(&*problem.span.file).to_string_lossy().as_ref());
    }
    problem
}

/// Reference data is read whole here; `load` does not.
fn masters(files: &Files) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, bytes) in files.iter() {
        if let Some(name) = path.strip_prefix("workflows/master/").and_then(|p| p.strip_suffix(".csv")) {
            let note_path = format!("workflows/master/{name}.yaml");
            let note = files.get(&note_path).and_then(|b| source::read(&note_path, b).ok());
            let master = crate::master::Master::new(name, path, Arc::clone(bytes), note.as_ref(), &mut Vec::new());
            problems.extend(master.problems().iter().cloned());
        }
    }
    problems
}

//! `journey check`: plain machines and whole trees of definitions. Paths in problems are as given.

use crate::catalog::Catalog;
use crate::content::content;
use crate::files::{FOLDERS, Files};
use crate::layout;
use crate::load::{finish, load};
use crate::source;
use crate::translation::Sheet;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a check found.
#[derive(Default)]
pub struct Checked {
    pub problems: Vec<Problem>,
    /// Words by language: where all flows or forms are asked for, every file that has words.
    pub sheets: BTreeMap<String, Vec<Sheet>>,
}

/// Which pages' words are read too, at which moment.
pub struct Pages<'a> {
    pub now_ms: i64,
    /// Files of a root whose words alone are read; `None`: all are.
    pub of: &'a dyn Fn(&Path) -> Option<BTreeSet<String>>,
}

/// Checks definitions, and what their pages say.
pub fn check_pages(paths: &[impl AsRef<Path>], pages: &Pages<'_>) -> Checked {
    checked(paths, Some(pages))
}

/// Checks a folder that holds `workflows/` and `forms/`, a file of such a folder (which is checked as
/// a whole, problems of that file are returned), or a machine that stands alone.
pub fn check(paths: &[impl AsRef<Path>]) -> Checked {
    checked(paths, None)
}

fn checked(paths: &[impl AsRef<Path>], pages: Option<&Pages<'_>>) -> Checked {
    let (mut checked, mut trees) = (Checked::default(), Trees::new());
    for path in paths {
        checked.one(path.as_ref(), &mut trees);
    }
    for (root, inside) in &trees {
        checked.tree(root, inside, pages);
    }
    finish(&mut checked.problems);
    checked
}

impl Pages<'_> {
    fn read(&self, root: &Path, catalog: &Catalog, files: &Files) -> Vec<Problem> {
        let of = (self.of)(root);
        if of.as_ref().is_some_and(BTreeSet::is_empty) {
            return Vec::new();
        }
        let mut found = content(catalog, files, self.now_ms);
        found.retain(|problem| of.as_ref().is_none_or(|of| of.contains(&*problem.span.file)));
        found
    }
}

/// Roots of definitions with the parts that were asked for.
type Trees = BTreeMap<PathBuf, Vec<String>>;

impl Checked {
    fn one(&mut self, path: &Path, trees: &mut Trees) {
        if let Some((root, inside)) = tree_of(path) {
            trees.entry(root).or_default().push(inside);
            return;
        }
        if path.is_dir() {
            let mut entries: Vec<_> =
                std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
            entries.sort();
            for entry in entries {
                let is_machine = entry.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
                if entry.is_dir() || is_machine {
                    self.one(&entry, trees);
                }
            }
            return;
        }
        match std::fs::read(path) {
            Ok(bytes) => match crate::single_file::machine(&path.to_string_lossy(), &bytes) {
                Ok((_, warnings)) => self.problems.extend(warnings),
                Err(found) => self.problems.extend(found),
            },
            Err(e) => self.unreadable(path, &e),
        }
    }

    /// `inside`: what is asked for; an empty one is all of it.
    fn tree(&mut self, root: &Path, inside: &[String], pages: Option<&Pages<'_>>) {
        let files = match Files::read_dir(root) {
            Ok(files) => files,
            Err(e) => return self.unreadable(root, &e),
        };
        let loaded = load(&files);
        if inside.iter().any(|part| !part.contains('/')) {
            self.sheets.extend(loaded.sheets());
        }
        let read = pages.zip(loaded.catalog.as_ref()).map(|(pages, catalog)| pages.read(root, catalog, &files));
        let found = loaded.problems.into_iter().chain(masters(&files)).chain(read.unwrap_or_default());
        let found = found.filter(|problem| inside.iter().any(|part| is_inside(&problem.span.file, part)));
        self.problems.extend(found.map(|problem| relative_to(problem, root)));
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        let span = Span::new(&Arc::from(path.to_string_lossy().as_ref()), 0, 0);
        self.problems.push(Problem::error("file", &span, format!("cannot be read: {error}")));
    }
}

/// Whether a file, or what it translates, lies in the part that was asked for.
fn is_inside(file: &str, part: &str) -> bool {
    file.starts_with(part) || layout::translation(file).is_some_and(|(of, _)| of.starts_with(part))
}

/// Whether a folder holds definitions; the mirror of them in a language does not.
fn is_root(folder: &Path) -> bool {
    let is_mirror = folder.parent().and_then(Path::file_name).is_some_and(|name| name == "languages");
    !is_mirror && (folder.join("workflows").is_dir() || folder.join("forms").is_dir())
}

/// The root of the definitions that a path belongs to, and the part of it that was asked for.
fn tree_of(path: &Path) -> Option<(PathBuf, String)> {
    if is_root(path) {
        return Some((path.to_owned(), String::new()));
    }
    let full = path.canonicalize().ok()?;
    let root = full.ancestors().skip(1).find(|folder| is_root(folder))?;
    let inside = full.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    let is_definition = FOLDERS.iter().any(|folder| inside.split('/').next() == Some(*folder));
    is_definition.then(|| (shown_root(path, &inside), inside))
}

/// The root as the caller would write it.
fn shown_root(path: &Path, inside: &str) -> PathBuf {
    let depth = inside.split('/').count();
    let shown = path.components().count();
    if path.is_relative() && shown == depth {
        return PathBuf::from(".");
    }
    path.ancestors().nth(depth).map_or_else(|| PathBuf::from("."), Path::to_owned)
}

fn relative_to(mut problem: Problem, root: &Path) -> Problem {
    if root != Path::new(".") && !root.as_os_str().is_empty() && !problem.span.file.is_empty() {
        problem.span.file = Arc::from(root.join(&*problem.span.file).to_string_lossy().as_ref());
    }
    problem
}

/// Reads reference data whole, which `load` does not.
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

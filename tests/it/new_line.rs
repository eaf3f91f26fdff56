//! `journey new line`: what it writes is a line that sells, in every place that the manual names.

use engine_definitions::{Files, Problem, load};
use engine_runtime::story::{Outcome, Runner};
use engine_server::cli::{Cli, Command, New};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// Lines of a new line's flow and values, at most.
const LINES_MAX: usize = 150;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn written(dir: &Path) -> ExitCode {
    let command = Command::New(New::Line { name: "gadget".into(), dir: dir.to_owned(), title: None, noun: None });
    engine_server::commands::run(Cli { settings: None, command }).expect("it is written")
}

/// The definitions of the product in a folder of their own.
fn shop() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, bytes) in Files::read_dir(root()).expect("the definitions are there").iter() {
        let file = dir.path().join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, bytes).expect("written");
    }
    dir
}

#[test]
fn a_new_line_sells_at_once() {
    let dir = shop();
    let before = Files::read_dir(dir.path()).expect("the definitions");
    assert_eq!(format!("{:?}", written(dir.path())), format!("{:?}", ExitCode::SUCCESS));
    let files = Files::read_dir(dir.path()).expect("the definitions");
    let loaded = load(&files);
    let known: BTreeSet<String> = load(&before).problems.iter().map(Problem::to_string).collect();
    let problems: Vec<String> = loaded.problems.iter().map(Problem::to_string).filter(|p| !known.contains(p)).collect();
    assert_eq!(problems, Vec::<String>::new());
    let catalog = loaded.catalog.expect("a catalog");
    let mut runner = Runner::new(&catalog);
    let stories = catalog.workflow("gadget/cover").expect("the flow").stories();
    for story in stories {
        let outcome = runner.run(story);
        assert!(matches!(outcome, Outcome::Held), "{}: {outcome:?}", story.id);
    }
    assert!(stories.iter().any(|story| story.id.ends_with("bought")), "one goes to the policy");
    assert!(stories.len() >= 2, "{} stories", stories.len());
    let lines =
        |path: &str| files.iter().find(|(at, _)| *at == path).map_or(0, |(_, bytes)| text(bytes).lines().count());
    let written = lines("workflows/gadget/cover/flow.yaml") + lines("workflows/gadget/cover/values.yaml");
    assert!(written > 0 && written <= LINES_MAX, "{written} lines");

    assert_eq!(format!("{:?}", self::written(dir.path())), format!("{:?}", ExitCode::from(2)), "not a second time");
}

/// The table in the manual: each file in it is there, and names the line.
#[test]
fn the_manual_names_every_place() {
    let dir = shop();
    written(dir.path());
    let manual = std::fs::read_to_string(root().join("workflows/README.md")).expect("the manual");
    let section = manual.split("## A new line").nth(1).expect("a section").split("\n## ").next().unwrap_or_default();
    let named: Vec<String> = section
        .lines()
        .filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .map(|path| path.replace("<line>", "gadget"))
        .collect();
    assert!(named.len() >= 15, "{named:?}");
    for path in &named {
        let at = dir.path().join(path);
        let is_there = if at.is_dir() {
            std::fs::read_dir(&at).is_ok_and(|mut files| files.next().is_some())
        } else {
            std::fs::read(&at).is_ok_and(|bytes| path.contains("gadget") || text(&bytes).contains("gadget"))
        };
        assert!(is_there, "{path}");
    }
    let is_named = |path: &str| named.iter().any(|place| path.starts_with(place.as_str()));
    let before = Files::read_dir(root()).expect("the definitions");
    let after = Files::read_dir(dir.path()).expect("the definitions");
    for (path, bytes) in after.iter() {
        let is_changed = before.iter().find(|(at, _)| *at == path).is_none_or(|(_, known)| known != bytes);
        assert!(!is_changed || is_named(path), "{path} is written, and the manual does not name it");
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

//! The words of the repository: names and comments that were given up do not come back, and the glossary is
//! true.

use regex::Regex;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn walk(dir: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true if !["target", "node_modules", "test-results"].contains(&name.as_str()) => walk(&path, ending, found),
            false if name.ends_with(ending) => found.push(path),
            _ => {}
        }
    }
}

/// `file:line: text` of each line in `folders` that fits.
fn lines_with(folders: &[&str], ending: &str, pattern: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let mut files = Vec::new();
    folders.iter().for_each(|folder| walk(&root().join(folder), ending, &mut files));
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let hits = text.lines().enumerate().filter(|(_, line)| pattern.is_match(line));
        found.extend(hits.map(|(at, line)| format!("{}:{}: {}", file.display(), at + 1, line.trim())));
    }
    found
}

const CODE: [&str; 2] = ["engine", "worker"];

#[test]
fn functions_are_not_named_like_finished_states() {
    let given_up = r"\bfn (said|told|asked|made|whole|known|came|own|held|began)\b";
    assert_eq!(lines_with(&CODE, ".rs", given_up), Vec::<String>::new());
}

#[test]
fn types_have_the_name_of_their_subject() {
    let given_up =
        r"\b(struct|enum|type) (Place|Found|Part|Kind|Reader|Known|Fields|Came|Said|Told|Asked|Own|Held|Whole)\b";
    let found = lines_with(&CODE, ".rs", given_up);
    // `type Kind = …;` of somebody else's trait has the trait's name.
    let found: Vec<_> = found.into_iter().filter(|line| !line.contains("type Kind = Ephemeral")).collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn comments_stand_alone() {
    let first = lines_with(&CODE, ".rs", r"^\s*///? (The same\b|Of |As \[)");
    let is_first = |line: &&String| {
        let mut parts = line.splitn(3, ':');
        let (Some(file), Some(at)) = (parts.next(), parts.next().and_then(|at| at.parse::<usize>().ok())) else {
            return true;
        };
        let text = std::fs::read_to_string(file).unwrap_or_default();
        at < 2 || !text.lines().nth(at - 2).is_some_and(|before| before.trim_start().starts_with("//"))
    };
    let first: Vec<_> = first.iter().filter(is_first).collect();
    assert!(first.is_empty(), "{first:#?}");
}

#[test]
fn people_are_called_by_what_they_are() {
    let mut found = lines_with(&CODE, ".rs", r"//.*\b([Ss]he|[Hh]er|[Hh]ers|[Hh]erself)\b");
    found.extend(lines_with(&["engine", "docs"], ".md", r"\b([Ss]he|[Hh]er|[Hh]ers|[Hh]erself)\b"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_glossary_names_places_that_exist() {
    let text = std::fs::read_to_string(root().join("engine/GLOSSARY.md")).expect("engine/GLOSSARY.md");
    let mut terms = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [term, meaning, places] = cells[..] else { panic!("not a row of three: {line}") };
        assert!(!meaning.is_empty(), "{term}");
        for place in places.split('`').skip(1).step_by(2) {
            let (head, tail) = place.split_once('/').unwrap_or((place, ""));
            let engine = root().join("engine");
            let inside = engine.join(head).join("src").join(tail);
            let there = [root().join(place), engine.join(place), inside, root().join(head).join("src").join(tail)];
            assert!(there.iter().any(|path| path.exists()), "{term}: {place}");
        }
        terms.push(term);
    }
    assert!(terms.len() >= 60, "{} terms", terms.len());
}

//! What authors do wrong, each with the place, the words and the hint that it gets, and nothing beside it; and what
//! looks wrong and is not. A case in `tests/mistakes` changes one file of definitions that are right: `from` becomes
//! `to`. The problem stands where `«` is, or where `at` first is in the changed file (or in the file `in`).

use engine_definitions::content::content;
use engine_definitions::{Files, Problem, load, source};
use engine_runtime::story::{Outcome, Runner};
use journey_tests::server::{fixture, line};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Cases of one kind: the file of `tests/mistakes`.
struct Kind {
    name: &'static str,
    /// The definitions that are right.
    right: fn() -> Files,
    /// What a case changes if it names no file.
    file: &'static str,
}

const KINDS: [Kind; 6] = [
    Kind { name: "flow", right: guide, file: "workflows/bicycle/cover/flow.yaml" },
    Kind { name: "views", right: guide, file: "workflows/bicycle/cover/views/quotes.yaml" },
    Kind { name: "forms", right: guide, file: "forms/bicycle/cover/bicycle.json" },
    Kind { name: "others", right: guide, file: "" },
    Kind { name: "floors", right: guide, file: "workflows/bicycle/cover/flow.yaml" },
    Kind { name: "library", right: library, file: "workflows/library/loan/flow.yaml" },
];
/// Mistakes of what pages say.
const CONTENT: Kind = Kind { name: "content", right: guide, file: "workflows/site/pages/other.yaml" };
const FINE: Kind = Kind { name: "fine", right: guide, file: "workflows/bicycle/cover/flow.yaml" };

/// The line of the guide, beside the drawings that are shipped.
fn guide() -> Files {
    let mut files = line("guide");
    let scenes = "workflows/shared/tables/scenes.yaml";
    files.insert(scenes, std::fs::read(format!("{ROOT}/{scenes}")).expect("the drawings"));
    files
}

fn library() -> Files {
    fixture("library")
}

/// 25 November 2026.
const DAY_MS: i64 = 1_795_608_000_000;

struct Case {
    name: String,
    files: Files,
    /// `file:line:column: `
    place: String,
    says: String,
    /// What is rightly said beside it.
    also: Vec<String>,
}

fn cases(kind: &Kind) -> Vec<Case> {
    let path = format!("{ROOT}/tests/mistakes/{}.yaml", kind.name);
    let text = std::fs::read(&path).expect("the cases");
    let list = source::read(&path, &text).expect("YAML");
    list.list().iter().map(|case| read(case, kind)).collect()
}

fn read(case: &source::Node, kind: &Kind) -> Case {
    let text = |key: &str| case.get(key).and_then(source::Node::as_str);
    let need = |key: &str| text(key).unwrap_or_else(|| panic!("{}: a case needs `{key}`", case.span));
    let file = text("file").unwrap_or(kind.file);
    let mut files = (kind.right)();
    let long = ["context.plan.total"; 17].join(" + ");
    let (from, to) = (need("from"), need("to").replace("LONG", &long));
    let old = files.get(file).map(|bytes| String::from_utf8(bytes.to_vec()).expect("text")).unwrap_or_default();
    assert!(old.contains(from), "{}: `{from}` is not in {file}", case.span);
    let marked = if old.is_empty() { to } else { old.replacen(from, &to, 1) };
    let new = marked.replace('«', "");
    files.insert(file, new.clone().into_bytes());
    let place = match (marked.find('«'), text("at")) {
        (Some(at), _) => format!("{file}:{}: ", position(&marked, at)),
        (None, Some(words)) => {
            let within = text("in").unwrap_or(file);
            let text =
                files.get(within).map(|bytes| String::from_utf8(bytes.to_vec()).expect("text")).unwrap_or_default();
            let at = text.find(words).unwrap_or_else(|| panic!("{}: `{words}` is not in {within}", case.span));
            format!("{within}:{}: ", position(&text, at))
        }
        (None, None) => String::new(),
    };
    let also = case.get("also").map_or(&[][..], source::Node::items);
    let also = also.iter().filter_map(source::Node::as_str).map(str::to_owned).collect();
    Case { name: need("name").to_owned(), files, place, says: text("says").unwrap_or_default().to_owned(), also }
}

fn position(text: &str, at: usize) -> String {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    format!("{}:{}", text[..at].matches('\n').count() + 1, text[line_start..at].chars().count() + 1)
}

fn said(files: &Files) -> Vec<String> {
    load(files).problems.iter().map(Problem::to_string).collect()
}

#[test]
fn every_mistake_is_said_at_its_place_with_a_hint_and_nothing_else_is() {
    let cases: Vec<Case> = KINDS.iter().flat_map(cases).collect();
    assert!(cases.len() >= 250, "{} cases", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn differs(case: &Case) -> Option<String> {
    let found = said(&case.files);
    let expected = format!("{}{}", case.place, case.says);
    let is_also = |one: &&String| !case.also.iter().any(|also| one.ends_with(also.as_str()));
    let rest: Vec<&String> = found.iter().filter(is_also).collect();
    let holds = rest.len() == 1 && *rest[0] == expected && found.len() == 1 + case.also.len();
    (!holds).then(|| format!("{}\n  expected {expected}\n  found    {}", case.name, found.join("\n           ")))
}

#[test]
fn what_a_page_should_not_say_is_told_at_its_place() {
    for case in cases(&CONTENT) {
        let loaded = load(&case.files);
        let catalog = loaded.catalog.unwrap_or_else(|| panic!("{}: {:?}", case.name, loaded.problems));
        let found = content(&catalog, &case.files, DAY_MS);
        let here = case.place.split(':').next().unwrap_or_default();
        let found: Vec<String> = found.iter().filter(|one| &*one.span.file == here).map(ToString::to_string).collect();
        let expected = if case.says.is_empty() { vec![] } else { vec![format!("{}{}", case.place, case.says)] };
        assert_eq!(found, expected, "{}", case.name);
    }
}

#[test]
fn what_is_right_is_not_refused() {
    for case in cases(&FINE) {
        assert_eq!(said(&case.files), Vec::<String>::new(), "{}", case.name);
    }
}

/// The line that the guide writes is right, and its stories hold.
#[test]
fn the_line_of_the_guide_leads_to_the_policy() {
    let loaded = load(&line("guide"));
    assert_eq!(loaded.problems.iter().map(Problem::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let catalog = loaded.catalog.expect("a catalog");
    let mut runner = Runner::new(&catalog);
    for story in catalog.workflow("bicycle/cover").expect("the flow").stories() {
        let outcome = runner.run(story);
        assert!(matches!(outcome, Outcome::Held), "{}: {outcome:?}", story.id);
    }
}

/// What the guide shows of a file stands in that file: a block that begins with ```` ```yaml path ````.
#[test]
fn the_guide_shows_what_is_there() {
    let guide = std::fs::read_to_string(format!("{ROOT}/workflows/README.md")).expect("the guide");
    let files = line("guide");
    let mut shown = 0;
    for block in guide.split("\n```").skip(1).step_by(2) {
        let (head, text) = block.split_once('\n').expect("a head");
        let Some((kind, path)) = head.split_once(' ') else {
            assert_eq!(head, "sh", "a block names its file: {head}");
            continue;
        };
        assert!(["yaml", "json"].contains(&kind), "{head}");
        let whole = files.get(path).unwrap_or_else(|| panic!("{path} is not there"));
        let whole = String::from_utf8(whole.to_vec()).expect("text");
        for part in
            text.split("\n# …\n").map(|part| part.trim_end().trim_start_matches("# …\n").trim_end_matches("\n# …"))
        {
            assert!(whole.contains(part), "this is not in {path}:\n{part}");
        }
        shown += 1;
    }
    assert!(shown > 10, "{shown} blocks");
}

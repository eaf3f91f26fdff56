//! Files are found, read within their bounds, and written as they are kept.

use super::{WORKFLOW, catalog, library, show};
use engine_definitions::{Files, Problem, load};
use journey_tests::server::all_definitions;
use serde_json::Map;

#[test]
fn a_small_library_loads_without_problems() {
    let catalog = catalog(&library());
    let workflow = catalog.by_base("/loan").expect("by base");
    assert_eq!((workflow.id.as_str(), workflow.line.as_str(), workflow.version.len()), ("library/loan", "library", 32));
    assert_eq!(
        workflow.steps().map(|s| s.node.as_str()).collect::<Vec<_>>(),
        ["loan.asking", "loan.checking.ask", "loan.checking.checking", "loan.searching", "loan.found"]
    );
    assert_eq!(workflow.invokes().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["checking.verify", "search"]);
    assert!(workflow.forbids("loan.found", "back") && !workflow.forbids("loan.asking", "back"));
    assert!(catalog.site("en").address("/about").is_some());
    assert_eq!(workflow.text("loan.hint", &Map::new()), "Look on the spine");
    assert_eq!(workflow.find_text("loan.none", &Map::new()), None);
}

/// A flow's own texts come before its line's, a part's before those of all lines; a name without a slash
/// is beside the file in which it stands, also when another flow extends that file.
#[test]
fn names_are_looked_up_from_the_folder_outwards() {
    let mut files = library();
    files.insert("workflows/library/loan/texts.yaml", "loan.hint: Look twice".as_bytes());
    files.insert("workflows/shared/code/texts.yaml", "loan.sent: Sent".as_bytes());
    files.insert("workflows/shared/texts.yaml", "{loan.sent: 'Sent, once', loan.over: Over}".as_bytes());
    let sister = "extends: library/loan\nmerge: {base: /borrow, states: {found: {step: {view: seen}}}}\n";
    files.insert("workflows/library/sister/flow.yaml", sister.as_bytes());
    files.insert("workflows/library/sister/views/seen.yaml", "blocks: [{block: text, text: Seen}]".as_bytes());
    let catalog = catalog(&files);
    let sister = catalog.workflow("library/sister").expect("the sister");
    let texts = ["loan.hint", "loan.searching", "loan.sent", "loan.over"].map(|c| sister.text(c, &Map::new()));
    assert_eq!(texts, ["Look twice", "Searching ", "Sent", "Over"]);
    let forms: Vec<&str> = sister.steps().filter_map(|s| s.form.as_deref()).collect();
    let views: Vec<&str> = sister.steps().filter_map(|s| s.face.view.as_deref()).collect();
    assert_eq!(forms, ["library/loan/loan", "shared/code/code"]);
    assert_eq!(views, ["library/loan/hint", "library/sister/seen"]);
    assert!(sister.closure.iter().any(|(path, _)| path == "workflows/shared/code/texts.yaml"));
}

#[test]
fn a_file_that_nobody_reads_is_a_mistake() {
    for path in ["workflows/library/loan.yaml", "workflows/messages/ready.yaml", "forms/library/loan.json"] {
        let mut files = library();
        files.insert(path, "{}".as_bytes());
        assert_eq!(
            show(&load(&files).problems),
            format!("{path}:1:1: no definition is read from here (workflows/README.md says which file lies where)\n")
        );
    }
    let mut files = library();
    files.insert("workflows/shared/messages/ready.yaml", "channel: email\ntext: Ready\n".as_bytes());
    let said = show(&load(&files).problems);
    assert!(said.contains("workflows/library/messages/ready.yaml is called `ready` too"), "{said}");
}

#[test]
fn a_warning_takes_nothing_away() {
    let mut files = library();
    let long = format!("blocks: [{{block: facts, items: [{{label: Sum, value: \"{}1\"}}]}}]", "1 + ".repeat(45));
    files.insert("workflows/library/loan/views/found.yaml", long.into_bytes());
    let loaded = load(&files);
    assert!(show(&loaded.problems).contains("hard to read"), "{}", show(&loaded.problems));
    let catalog = loaded.catalog.expect("warnings are no errors");
    assert!(catalog.workflow("library/loan").expect("workflow").view("library/loan/found").is_some());
}

/// Every bomb is refused with a place, and soon.
#[test]
fn bombs_are_refused() {
    let aliases =
        (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, i| format!("{text}a{i}: &a{i} [*a{0}, *a{0}]\n", i - 1));
    let values = (1..300).fold("d0: 1 + 1\n".to_owned(), |text, i| format!("{text}d{i}: d{0} + d{0}\n", i - 1));
    let deep = format!("title: {}", "[".repeat(5_000));
    let blocks = format!("channel: sms\ntext: \"{}\"\n", "{{#if a}}".repeat(1_500));
    for (path, text, expected) in [
        (WORKFLOW, aliases, "more than 60000 values in one file"),
        ("workflows/library/loan/values.yaml", values, "leads through too many values one inside another"),
        (WORKFLOW, deep, "recursion limit exceeded"),
        (WORKFLOW, "x".repeat(300_000), "at most 262144 are read"),
        ("workflows/library/messages/ready.yaml", blocks, "more than 200 blocks"),
        ("forms/library/loan/loan.json", "{\"a\":".repeat(10_000), "nested deeper than 32"),
    ] {
        let mut files = library();
        files.insert(path, text.into_bytes());
        let start = std::time::Instant::now();
        let said = show(&load(&files).problems);
        assert!(
            said.contains(expected) && said.contains(path),
            "expected {expected}\ngot {}",
            said.chars().take(500).collect::<String>()
        );
        assert!(start.elapsed().as_secs() < 5, "{expected} took {:?}", start.elapsed());
    }
}

#[test]
fn the_repository_has_no_errors_and_what_is_made_from_its_tables_is_current() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let files = all_definitions();
    let errors: Vec<Problem> = load(&files).problems.into_iter().filter(Problem::is_error).collect();
    assert_eq!(show(&errors), "");
    let sentences = engine_definitions::schema::sentences(&files);
    for (path, text) in engine_definitions::schema::generated_files().into_iter().chain(sentences) {
        let written = std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_default();
        assert!(written == text, "{path}: run `cargo run --example schemas`");
    }
}

/// `journey fmt` can write whatever stands in the repository, and what it wrote stays.
#[test]
fn every_definition_can_be_formatted() {
    for root in ["..", "it/fixtures/club", "it/fixtures/parcel", "chaos/definitions", "bench/definitions"] {
        let files = Files::read_dir(format!("{}/{root}", env!("CARGO_MANIFEST_DIR"))).expect("readable");
        for (path, bytes) in files.iter().filter(|(path, _)| !path.ends_with(".csv")) {
            let once = engine_definitions::fmt::format(path, bytes).map_err(|p| show(&p)).expect(path);
            let twice = engine_definitions::fmt::format(path, once.as_bytes()).map_err(|p| show(&p)).expect(path);
            assert_eq!(once, twice, "{path}");
        }
    }
}

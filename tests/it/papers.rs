//! The parts for whatever an insurer decides on, and for money that waits: a flow that names no line of business walks
//! each of them with its stories (`fixtures/papers`), among the definitions of the product.

use engine_definitions::{Problem, fmt, load};
use engine_runtime::story::{Outcome, Runner};
use journey_tests::server::{all_definitions, fixture};

#[test]
fn parts_are_walked_by_flows_of_no_line() {
    let mut files = all_definitions();
    for (path, bytes) in fixture("papers").iter() {
        assert_eq!(
            fmt::format(path, bytes).expect("a definition").as_bytes(),
            &bytes[..],
            "{path}: journey fmt writes it otherwise"
        );
        files.insert(path, bytes.clone());
    }
    let loaded = load(&files);
    let errors: Vec<String> = loaded.problems.iter().filter(|p| p.is_error()).map(Problem::to_string).collect();
    assert_eq!(errors, Vec::<String>::new());
    let catalog = loaded.catalog.expect("a catalog");
    let mut runner = Runner::new(&catalog);
    let mut count = 0;
    for flow in ["papers/request", "papers/case"] {
        for story in catalog.workflow(flow).expect("the flow").stories() {
            let outcome = runner.run(story);
            assert!(matches!(outcome, Outcome::Held), "{}: {outcome:?}", story.id);
            count += 1;
        }
    }
    assert!(count >= 36, "{count} stories");
}

/// The shared form asks for whatever kind of file there is; which of them are shown says the flow.
#[test]
fn every_kind_of_file_can_be_asked_for() {
    let product = all_definitions();
    let text = |path: &str| {
        let bytes = product.iter().find(|(known, _)| *known == path).expect("the file is there").1;
        String::from_utf8(bytes.to_vec()).expect("text")
    };
    let form: serde_json::Value = serde_json::from_str(&text("forms/shared/papers/papers.json")).expect("JSON");
    let table = text("workflows/shared/tables/document_kinds.yaml");
    let kinds: Vec<&str> = table.lines().filter_map(|l| l.strip_prefix("  - [")?.split(',').next()).collect();
    assert!(kinds.len() > 20, "{kinds:?}");
    for kind in kinds {
        assert_eq!(form["properties"][kind]["x-ui"]["kind"], kind, "the form has no field `{kind}`");
    }
}

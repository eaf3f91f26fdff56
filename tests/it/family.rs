//! A line of business that is files and nothing else: health insurance for a family (`fixtures/family`), among the
//! definitions of the product.

use engine_definitions::{Files, Problem, fmt, load};
use engine_runtime::story::{Outcome, Runner};
use journey_tests::server::{all_definitions, fixture};

/// All of it but tables, stories and what plays the fake insurers.
const LINES_MAX: usize = 900;

fn among_the_others() -> Files {
    let mut files = all_definitions();
    for (path, bytes) in fixture("family").iter() {
        files.insert(path, bytes.clone());
    }
    files
}

#[test]
fn a_family_is_insured_by_files_alone() {
    let loaded = load(&among_the_others());
    assert_eq!(loaded.problems.iter().map(Problem::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let catalog = loaded.catalog.expect("a catalog");
    let mut runner = Runner::new(&catalog);
    let stories = catalog.workflow("family/retail").expect("the flow").stories();
    for story in stories {
        let outcome = runner.run(story);
        assert!(matches!(outcome, Outcome::Held), "{}: {outcome:?}", story.id);
    }
    assert!(stories.len() >= 9, "{} stories", stories.len());
}

#[test]
fn its_files_are_few_and_in_the_one_style() {
    let files = fixture("family");
    let mut lines = 0;
    for (path, bytes) in files.iter() {
        let text = std::str::from_utf8(bytes).expect("text");
        assert_eq!(fmt::format(path, bytes).expect("a definition"), text, "{path}: journey fmt writes it otherwise");
        if !["/tables/", "/stories/", ".sandbox.yaml"].iter().any(|part| path.contains(part)) {
            lines += text.lines().count();
        }
    }
    assert!(lines <= LINES_MAX, "{lines} lines");
}

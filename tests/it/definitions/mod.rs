//! Definitions at their boundary: files in, a catalog or problems with places out. What authors do wrong is in
//! `mistakes`.

mod expressions;
mod files;
mod forms;
mod machine;
mod parts;
mod reads;
mod versions;
mod views;

use engine_definitions::{Catalog, Files, Problem, load};
use std::sync::Arc;

const WORKFLOW: &str = "workflows/library/loan/flow.yaml";
const NOON: i64 = 1_795_242_600_000; // 2026-11-21T06:30:00Z, Saturday noon in India

/// A small library that lends books.
pub(crate) fn library() -> Files {
    journey_tests::server::fixture("library")
}

/// How it lends them.
fn loan() -> String {
    String::from_utf8(library().get(WORKFLOW).expect("the flow").to_vec()).expect("text")
}

pub(crate) fn catalog(files: &Files) -> Arc<Catalog> {
    let loaded = load(files);
    assert_eq!(show(&loaded.problems), "");
    loaded.catalog.expect("no problems, so there is a catalog")
}

fn show(problems: &[Problem]) -> String {
    problems.iter().map(|p| format!("{p}\n")).collect()
}

//! The product's own words in machines: actions and their fields.

use engine_statechart::Field;
use std::collections::BTreeMap;

/// Type, then the fields that are names (literal) and those that are values (expressions).
pub const ACTIONS: [(&str, &[&str], &[&str]); 9] = [
    ("message", &["code", "level", "pointer"], &["from", "data"]),
    ("record", &["kind"], &["key", "data"]),
    ("notify", &["message"], &["to", "data", "language", "links", "attach"]),
    ("call", &["operation"], &["input"]),
    ("track", &["step"], &["data"]),
    ("incident", &["reason"], &["detail"]),
    ("correlate", &["partner"], &["reference", "expect"]),
    ("revoke", &["purpose"], &[]),
    (RESUME, &["to"], &[]),
];
/// What `resume` beside a target becomes; nobody writes it.
pub const RESUME: &str = "resume";

/// Fields that must be there.
pub const NEEDED: [(&str, &[&str]); 8] = [
    ("message", &[]),
    ("record", &["kind", "key"]),
    ("notify", &["message", "to"]),
    ("call", &["operation"]),
    ("track", &["step"]),
    ("incident", &["reason"]),
    ("correlate", &["partner", "reference"]),
    ("revoke", &["purpose"]),
];

pub const LEVELS: [&str; 4] = ["info", "success", "warning", "error"];

pub fn actions() -> BTreeMap<String, BTreeMap<String, Field>> {
    let fields = |names: &[&str], values: &[&str]| {
        let names = names.iter().map(|n| ((*n).to_owned(), Field::Name));
        names.chain(values.iter().map(|v| ((*v).to_owned(), Field::Value))).collect()
    };
    ACTIONS.iter().map(|(kind, names, values)| ((*kind).to_owned(), fields(names, values))).collect()
}

/// Whether a field of an action is an expression.
pub fn is_value(kind: &str, field: &str) -> bool {
    ACTIONS.iter().any(|(k, _, values)| *k == kind && values.contains(&field))
}

//! Which tables and reference data an expression names. Their names are literal texts, so
//! that a version can pin its tables.

use crate::fields::unknown;
use crate::master::Masters;
use crate::source::{Node, Value};
use crate::table::Tables;
use crate::workflow::words::calls;
use engine_statechart::Problem;
use engine_statechart::source::Span;

/// Tables that an expression names.
pub fn tables(text: &str) -> impl Iterator<Item = &str> {
    named(text).filter(|(f, _)| matches!(*f, "table" | "rows")).filter_map(|(_, name)| name)
}

/// Calls of the functions that take a name; most expressions have none.
fn named(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let may = ["table", "rows", "lookup"].iter().any(|f| text.contains(f));
    may.then(|| calls(text)).into_iter().flatten()
}

/// Problems for names that do not exist.
pub fn check(text: &str, span: &Span, tables: &Tables, masters: &Masters, problems: &mut Vec<Problem>) {
    let at = || Node::new(span.clone(), Value::Null);
    for (function, name) in named(text) {
        match (function, name) {
            ("table" | "rows", None) => {
                problems.push(Problem::error(
                    "table-name",
                    span,
                    format!("`{function}` takes the name of a table as a literal text"),
                ));
            }
            ("table" | "rows", Some(name)) if tables.get(name).is_none() => {
                problems.push(unknown("table", &at(), name, tables.ids()))
            }
            ("lookup", Some(name)) if masters.get(name).is_none() => {
                problems.push(unknown("master data", &at(), name, masters.names()))
            }
            _ => {}
        }
    }
}

//! Which tables and reference data an expression names. Their names are literal texts, so that a version
//! can pin its tables.

use crate::fields::unknown;
use crate::master::Masters;
use crate::source::{Node, Value};
use crate::table::Tables;
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;

/// Functions whose first argument is the name of a table, of reference data, or of either.
pub const NAMING: [&str; 3] = ["table", "rows", "lookup"];

/// Names of tables and reference data.
pub fn names(expression: &Expression) -> impl Iterator<Item = &str> {
    expression.things().filter_map(|(_, _, name)| name)
}

/// Problems of an expression.
pub fn check(expression: &Expression, tables: &Tables, masters: &Masters, problems: &mut Vec<Problem>) {
    expression.things().for_each(|(span, function, name)| check_name(function, name, span, tables, masters, problems));
}

/// Problems for names that do not exist.
pub fn check_name(
    function: &str,
    name: Option<&str>,
    span: &Span,
    tables: &Tables,
    masters: &Masters,
    problems: &mut Vec<Problem>,
) {
    let at = Node::new(span.clone(), Value::Null);
    let Some(name) = name else {
        let message = format!("`{function}` takes the name of a table as a literal text");
        problems.push(Problem::error("table-name", span, message));
        return;
    };
    match (function, tables.get(name)) {
        (_, None) if tables.is_broken(name) => {}
        ("lookup", None) if masters.get(name).is_none() => {
            let known = masters.names().chain(tables.ids());
            problems.push(unknown("table or reference data", &at, name, known));
        }
        ("lookup", None) => {}
        ("lookup", Some(table)) if table.only_match().is_none() => {
            let message = format!("`lookup` finds by one column; table `{name}` has several");
            problems.push(Problem::error("table-name", span, message).hint("table('name', {'column': value, …})"));
        }
        (_, Some(_)) => {}
        (_, None) => problems.push(unknown("table", &at, name, tables.ids())),
    }
}

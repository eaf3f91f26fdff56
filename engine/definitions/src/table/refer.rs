//! Cells that are keys of other tables.

use super::columns::{Columns, cell};
use super::{Table, Tables};
use crate::master::Masters;
use crate::source::Node;
use engine_statechart::source::Span;
use engine_statechart::{Problem, did_you_mean};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A column that says `refers`, with its cells.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    column: String,
    target: String,
    cells: Vec<(String, Span)>,
}

pub(super) fn references(columns: &Columns, rows: &[Map<String, Value>], nodes: &[Node]) -> Vec<Reference> {
    let refers = columns.iter().filter_map(|(name, column)| Some((name, column.refers.as_ref()?)));
    let of = |(name, target): (&String, &String)| {
        let cells = rows.iter().zip(nodes).flat_map(|(row, node)| {
            let at = cell(node, columns, name).unwrap_or(node).span.clone();
            keys(row.get(name)).into_iter().map(move |key| (key, at.clone()))
        });
        Reference { column: name.clone(), target: target.clone(), cells: cells.collect() }
    };
    refers.map(of).collect()
}

/// The keys in a cell: several in a list.
fn keys(cell: Option<&Value>) -> Vec<String> {
    match cell {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list.iter().map(crate::text::plain).collect(),
        Some(one) => vec![crate::text::plain(one)],
    }
}

impl Tables {
    /// Problems for cells whose row stands nowhere: `refers` names a table that is looked up by one column, or reference
    /// data.
    pub(crate) fn check_references(&self, masters: &Masters, problems: &mut Vec<Problem>) {
        for table in self.map.values() {
            for reference in &table.references {
                reference.check(table, self, masters, problems);
            }
        }
    }
}

impl Reference {
    fn check(&self, of: &Table, tables: &Tables, masters: &Masters, problems: &mut Vec<Problem>) {
        let target = &self.target;
        if tables.is_broken(target) {
            return;
        }
        let known: HashSet<String> = match (tables.get(target), masters.get(target)) {
            (Some(table), _) => match table.only_match() {
                Some(key) => table.cells(key).map(crate::text::plain).collect(),
                None => {
                    return self.refuse(
                        of,
                        format!("`refers`: table `{target}` is not looked up by one column"),
                        problems,
                    );
                }
            },
            (None, Some(master)) => {
                let missing = |key: &&(String, Span)| master.get(&key.0).is_none();
                self.cells.iter().filter(missing).for_each(|cell| problems.push(self.stray(cell, std::iter::empty())));
                return;
            }
            (None, None) => {
                return self.refuse(
                    of,
                    format!("`refers` of `{}`: no table or reference data `{target}`", self.column),
                    problems,
                );
            }
        };
        let strays = self.cells.iter().filter(|(key, _)| !known.contains(key));
        problems.extend(strays.map(|cell| self.stray(cell, known.iter().map(String::as_str))));
    }

    fn refuse(&self, of: &Table, message: String, problems: &mut Vec<Problem>) {
        let here = self.cells.first().map(|(_, span)| span.clone());
        let span =
            here.unwrap_or_else(|| Span::new(&std::sync::Arc::from(crate::layout::table_file(&of.id).as_str()), 1, 1));
        problems.push(Problem::error("unknown-name", &span, message));
    }

    fn stray<'k>(&self, (key, span): &(String, Span), known: impl Iterator<Item = &'k str>) -> Problem {
        let message = format!("`{}` has no row `{key}`", self.target);
        Problem::error("unknown-name", span, message).maybe_hint(did_you_mean(key, known))
    }
}

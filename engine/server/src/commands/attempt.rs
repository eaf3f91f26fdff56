//! `journey try`: what an expression of a flow gives, which row of a table fits, and why.

use super::INVALID;
use crate::definitions::read_to_try;
use anyhow::Result;
use engine_definitions::{Table, Workflow};
use engine_runtime::story::Runner;
use engine_runtime::{Clock as _, SystemClock, rfc3339};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Values that stand below a value are shown so far down.
const DEPTH_MAX: usize = 3;
/// Letters of a value that says why.
const SHOWN_MAX: usize = 100;

/// Where in a flow an expression is worked out.
pub struct Moment<'a> {
    pub story: Option<&'a str>,
    pub until: Option<&'a str>,
}

/// Prints what `expression` gives in the flow `name`, and below it the values that it came from, each with its place.
/// Exit code 2 where there is no answer.
pub fn expression(dir: &Path, name: &str, moment: &Moment<'_>, expression: &str) -> Result<ExitCode> {
    let Some(catalog) = read_to_try(dir)? else { return Ok(ExitCode::from(INVALID)) };
    let Some(workflow) = catalog.workflow(name) else {
        return Ok(refuse(
            &format!("there is no flow `{name}`"),
            catalog.workflows().map(|flow| flow.id.as_str()),
            name,
        ));
    };
    let mut trial = Trial { runner: Runner::new(&catalog), workflow, moment, shown: BTreeSet::new() };
    match trial.evaluate(expression) {
        Ok(value) => {
            println!("{}", serde_json::to_string_pretty(&value)?);
            trial.print_reasons(expression, 1);
            Ok(ExitCode::SUCCESS)
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            Ok(ExitCode::from(INVALID))
        }
    }
}

/// Prints the row of the table `name` that these inputs (`column=value`) find, and how many rows were left after each
/// column. Exit code 2 where none fits.
pub fn table(dir: &Path, name: &str, inputs: &[String]) -> Result<ExitCode> {
    let Some(catalog) = read_to_try(dir)? else { return Ok(ExitCode::from(INVALID)) };
    let Some(table) = catalog.tables().get(name) else {
        return Ok(refuse(&format!("there is no table `{name}`"), catalog.tables().ids(), name));
    };
    let mut given = Map::new();
    for input in inputs {
        let Some((column, text)) = input.split_once('=') else {
            eprintln!("error: an input is `column=value`, not `{input}`");
            return Ok(ExitCode::from(INVALID));
        };
        if !table.columns().any(|known| known == column) {
            return Ok(refuse(&format!("`{name}` has no column `{column}`"), table.columns(), column));
        }
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        given.insert(column.to_owned(), value);
    }
    Ok(print_search(table, &given))
}

fn print_search(table: &Table, given: &Map<String, Value>) -> ExitCode {
    let today: String = rfc3339(SystemClock::default().now_ms()).chars().take_while(|letter| *letter != 'T').collect();
    let today = Value::from(today);
    let search = table.explain(given, &today);
    match search.at {
        Some(at) => println!("{}\nrow {} of {}", search.row, at + 1, search.of),
        None => println!("no row fits"),
    }
    for (column, left) in &search.narrowed {
        let value = given.get(*column).map_or_else(|| "not given".to_owned(), Value::to_string);
        println!("  {column:<24} {value:<24} {left} of {} rows are left", search.of);
    }
    if search.at.is_some() { ExitCode::SUCCESS } else { ExitCode::from(INVALID) }
}

struct Trial<'a> {
    runner: Runner<'a>,
    workflow: &'a Arc<Workflow>,
    moment: &'a Moment<'a>,
    /// Values that were shown: each once.
    shown: BTreeSet<String>,
}

impl Trial<'_> {
    fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        self.runner.evaluate(self.workflow, self.moment.story, self.moment.until, expression)
    }

    /// Each value that the text of an expression names, what it gives and where it stands; below it those that it names.
    fn print_reasons(&mut self, text: &str, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let workflow = self.workflow;
        for name in workflow.values_named(text) {
            if !self.shown.insert(name.to_owned()) {
                continue;
            }
            let Some(written) = workflow.written(name) else { continue };
            let value =
                self.evaluate(name).map_or_else(|reason| format!("({reason})"), |value| shorten(&value.to_string()));
            println!("{:indent$}{name} = {value}   {}", "", written.span, indent = depth * 2);
            self.print_reasons(&written.texts().join(" "), depth + 1);
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn refuse<'a>(message: &str, known: impl Iterator<Item = &'a str>, name: &str) -> ExitCode {
    let hint = engine_statechart::did_you_mean(name, known);
    eprintln!("error: {message}{}", hint.map(|hint| format!(" ({hint})")).unwrap_or_default());
    ExitCode::from(INVALID)
}

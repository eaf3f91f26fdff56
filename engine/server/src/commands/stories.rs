//! `journey stories`.

use super::INVALID;
use crate::definitions::{read_to_try, watch_folder};
use anyhow::Result;
use engine_runtime::story::{Difference, Failure, Outcome, Runner};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Failures on standard output, expected beside found; exit code 1 when there are some. `only`: a part of the file or
/// name of those that are run. `watch`: again after every save.
pub fn stories(dir: &Path, only: Option<&str>, watch: bool) -> Result<ExitCode> {
    if !watch {
        return run(dir, only);
    }
    let (heard, saves) = std::sync::mpsc::channel();
    let _watcher = watch_folder(dir, move || {
        let _ = heard.send(());
    })?;
    loop {
        run(dir, only)?;
        if saves.recv().is_err() {
            return Ok(ExitCode::SUCCESS);
        }
        // An editor writes a file in several steps.
        while saves.recv_timeout(crate::definitions::DEBOUNCE).is_ok() {}
        println!();
    }
}

fn run(dir: &Path, only: Option<&str>) -> Result<ExitCode> {
    let begun = Instant::now();
    let Some(catalog) = read_to_try(dir)? else { return Ok(ExitCode::from(INVALID)) };
    let (mut count, mut failed) = (0, 0);
    let mut runner = Runner::new(&catalog);
    let mut unbegun: BTreeMap<String, usize> = BTreeMap::new();
    for story in catalog.workflows().flat_map(|workflow| workflow.stories()) {
        if only.is_some_and(|only| !story.path.contains(only) && !story.name.contains(only)) {
            continue;
        }
        count += 1;
        let outcome = runner.run(story);
        failed += usize::from(outcome != Outcome::Held);
        match outcome {
            Outcome::Held => {}
            Outcome::Failed(failures) => print!("{}", describe_failures(&story.name, &failures)),
            Outcome::NotBegun { beginning } => {
                *unbegun.entry(format!("{}: {beginning}", story.workflow)).or_default() += 1;
            }
        }
    }
    for (beginning, count) in unbegun {
        println!("{beginning} does not come as far as {count} stories begin");
    }
    eprintln!("{count} stories, {failed} failed, {} ms", begun.elapsed().as_millis());
    Ok(if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// One step after the other, each with its differences in columns.
fn describe_failures(story: &str, failures: &[Failure]) -> String {
    let mut out = String::new();
    let mut place = None;
    for failure in failures {
        if place != Some(&failure.place) {
            place = Some(&failure.place);
            let place = &failure.place;
            out.push_str(&format!("{place}: {story}\n{}", row(["", "expected", "found"])));
        }
        let Difference { at, expected, found } = &failure.difference;
        out.push_str(&row([at, &show(expected), &show(found)]));
    }
    out
}

/// Widths of the columns: what, expected, found.
const COLUMNS: [usize; 3] = [36, 56, 56];

fn row(cells: [&str; 3]) -> String {
    let columns: Vec<Vec<String>> = cells.iter().zip(COLUMNS).map(|(cell, width)| wrap(cell, width)).collect();
    let lines = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for number in 0..lines {
        let cell = |column: usize| columns[column].get(number).map_or("", String::as_str);
        let line = format!("  {:w$}  {:x$}  {}", cell(0), cell(1), cell(2), w = COLUMNS[0], x = COLUMNS[1]);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Broken after spaces, commas and dots where possible.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in text.split_inclusive([' ', ',', '.', '/']) {
        let line = lines.last_mut().filter(|line| line.chars().count() + piece.trim_end().chars().count() <= width);
        match line {
            Some(line) => line.push_str(piece),
            None => lines.push(piece.to_owned()),
        }
    }
    lines
}

fn show(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_statechart::source::Span;
    use serde_json::json;

    #[test]
    fn expected_and_found_stand_side_by_side() {
        let failure = |at: &str, expected: Value, found: Value| Failure {
            place: Span::new(&"a/stories/b.yaml".into(), 7, 5),
            difference: Difference::new(at, expected, found),
        };
        let failures = [
            failure("state", json!("offers"), json!("sender")),
            failure("effects", json!({"notify": "booked"}), json!(["call parcel/price", "record lead"])),
        ];
        let expected = "\
a/stories/b.yaml:7:5: two prices
                                        expected                                                  found
  state                                 offers                                                    sender
  effects                               {\"notify\":\"booked\"}                                       call parcel/price, record lead
";
        assert_eq!(describe_failures("two prices", &failures), expected);
    }
}

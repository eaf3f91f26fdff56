//! Which row fits: rows that fit the same are a group, in which the newest that has begun counts.

use super::columns::{Band, Match};
use crate::source::Node;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Rows of a table in the order in which they are tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The columns that inputs are held against, without the day.
    columns: Vec<String>,
    /// The column that says since when a row holds.
    since: Option<String>,
    list: Vec<Group>,
    index: Option<Index>,
}

/// Groups by what they want of the first column, where all want one value or any: a table of offices or towns is not
/// read from its beginning for each of them.
#[derive(Clone, Debug, Default)]
struct Index {
    by_value: HashMap<String, Vec<usize>>,
    any: Vec<usize>,
}

/// Fewer rows are as quickly looked through.
const INDEXED_ROWS_MIN: usize = 16;

#[derive(Clone, Debug)]
struct Group {
    tests: Vec<Test>,
    /// Rows of the group with the day from which each holds, the newest first; an empty day: always.
    rows: Vec<(String, usize)>,
}

/// What an input is held against.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any,
    Equals(Value),
    Max(Value),
    Min(Value),
    In(Vec<Value>),
    Band(Band),
}

impl Groups {
    /// Problems for rows that nothing can ever reach.
    pub(super) fn of(
        rows: &[Map<String, Value>],
        matches: &[(String, Match)],
        nodes: &[Node],
        problems: &mut Vec<Problem>,
    ) -> Groups {
        let plain: Vec<_> = matches.iter().filter(|(_, how)| *how != Match::Since).collect();
        let since = matches.iter().find(|(_, how)| *how == Match::Since).map(|(name, _)| name.clone());
        let mut groups = Groups {
            columns: plain.iter().map(|(name, _)| name.clone()).collect(),
            since,
            list: Vec::new(),
            index: None,
        };
        let mut earlier = Earlier::default();
        for (at, (row, node)) in rows.iter().zip(nodes).enumerate() {
            let tests: Vec<Test> = plain.iter().map(|(name, how)| Test::of(*how, row.get(name))).collect();
            let day = groups.since.as_ref().and_then(|name| row.get(name)?.as_str()).unwrap_or_default().to_owned();
            // A table without inputs is a list; nothing is looked for in it.
            let hidden_by =
                if tests.is_empty() && groups.since.is_none() { None } else { earlier.hides(&groups, &tests, &day) };
            match hidden_by {
                Some((group, false)) => {
                    let group = &mut groups.list[group];
                    let place = group.rows.iter().position(|(other, _)| *other < day).unwrap_or(group.rows.len());
                    group.rows.insert(place, (day, at));
                }
                Some((group, true)) => {
                    let first = groups.list[group].rows.last().and_then(|(_, at)| nodes.get(*at));
                    let line = first.map_or(0, |node| node.span.line);
                    let message = format!("this row is never reached: line {line} fits before it");
                    problems.push(Problem::error("never", &node.span, message));
                }
                None => {
                    earlier.note(&tests, groups.list.len());
                    groups.list.push(Group { tests, rows: vec![(day, at)] });
                }
            }
        }
        groups.index = Index::of(&groups.list);
        groups
    }

    /// Position of the first row that fits what `input` gives for a column.
    pub(super) fn first<'v>(&self, input: impl Fn(&str) -> Option<&'v Value>, today: &Value) -> Option<usize> {
        let day = self.since.as_deref().and_then(&input).unwrap_or(today);
        let fits = |group: &&Group| {
            self.columns.iter().zip(&group.tests).all(|(name, test)| test.fits(input(name).unwrap_or(&Value::Null)))
        };
        let holds = |group: &Group| group.that_holds(day.as_str());
        match self.index.as_ref().zip(self.columns.first()) {
            Some((index, column)) => {
                let near = index.near(input(column).unwrap_or(&Value::Null));
                near.into_iter().filter_map(|at| self.list.get(at)).filter(fits).find_map(holds)
            }
            None => self.list.iter().filter(fits).find_map(holds),
        }
    }

    /// Each column that inputs are held against, with the number of rows that fit it and the columns before it.
    pub(super) fn narrowed<'v>(&self, input: impl Fn(&str) -> Option<&'v Value>) -> Vec<(&str, usize)> {
        let mut left: Vec<&Group> = self.list.iter().collect();
        let columns = self.columns.iter().enumerate();
        let counts = columns.map(|(at, name)| {
            let value = input(name).unwrap_or(&Value::Null);
            left.retain(|group| group.tests.get(at).is_some_and(|test| test.fits(value)));
            (name.as_str(), left.iter().map(|group| group.rows.len()).sum())
        });
        counts.collect()
    }

    /// The rows that hold on a day, in their order.
    pub(super) fn that_hold(&self, day: &Value) -> impl Iterator<Item = usize> {
        self.list.iter().filter_map(move |group| group.that_holds(day.as_str()))
    }
}

impl Index {
    fn of(list: &[Group]) -> Option<Index> {
        let mut index = Index::default();
        for (at, group) in list.iter().enumerate() {
            match group.tests.first()? {
                Test::Equals(value) => index.by_value.entry(equal_key(value)).or_default().push(at),
                Test::Any => index.any.push(at),
                _ => return None,
            }
        }
        (list.len() >= INDEXED_ROWS_MIN).then_some(index)
    }

    /// Groups that may fit a value of the first column, in their order.
    fn near(&self, value: &Value) -> Vec<usize> {
        let own = self.by_value.get(&equal_key(value)).map_or(&[][..], Vec::as_slice);
        let mut near = [own, &self.any].concat();
        near.sort_unstable();
        near
    }
}

/// One text for values that are the same, as [`same`] has it.
fn equal_key(value: &Value) -> String {
    match value.as_f64() {
        // adding it makes one zero of two
        Some(number) => (number + 0.0).to_string(),
        None => value.to_string(),
    }
}

impl Group {
    fn that_holds(&self, day: Option<&str>) -> Option<usize> {
        let begun = |since: &str| since.is_empty() || day.is_some_and(|day| since <= day);
        self.rows.iter().find(|(since, _)| begun(since)).map(|(_, at)| *at)
    }

    /// The day from which one of its rows holds.
    fn begins(&self) -> &str {
        self.rows.last().map(|(day, _)| day.as_str()).unwrap_or_default()
    }
}

impl Test {
    fn of(how: Match, cell: Option<&Value>) -> Test {
        let Some(cell) = cell.filter(|cell| !cell.is_null()) else { return Test::Any };
        match how {
            Match::Equals => Test::Equals(cell.clone()),
            Match::Max => Test::Max(cell.clone()),
            Match::Min => Test::Min(cell.clone()),
            Match::In => Test::In(cell.as_array().cloned().unwrap_or_default()),
            Match::Band => cell.as_str().and_then(Band::read).map_or(Test::Any, Test::Band),
            Match::Since => Test::Any,
        }
    }

    fn fits(&self, input: &Value) -> bool {
        match self {
            Test::Any => true,
            Test::Equals(cell) => same(cell, input),
            Test::Max(cell) => order(input, cell).is_some_and(|o| o.is_le()),
            Test::Min(cell) => order(input, cell).is_some_and(|o| o.is_ge()),
            Test::In(list) => list.iter().any(|cell| same(cell, input)),
            Test::Band(band) => band.holds(input),
        }
    }

    /// Whether it fits all that the other fits.
    fn covers(&self, other: &Test) -> bool {
        match (self, other) {
            (Test::Any, _) => true,
            (Test::Equals(a), Test::Equals(b)) => same(a, b),
            (Test::Max(a), Test::Max(b)) => order(b, a).is_some_and(|o| o.is_le()),
            (Test::Min(a), Test::Min(b)) => order(b, a).is_some_and(|o| o.is_ge()),
            (Test::In(a), Test::In(b)) => b.iter().all(|one| a.iter().any(|cell| same(cell, one))),
            (Test::Band(a), Test::Band(b)) => a.from <= b.from && b.to <= a.to,
            _ => false,
        }
    }
}

/// Groups that were read before, by what they want to be equal: a row can be hidden by few of many thousands.
#[derive(Default)]
struct Earlier {
    by_equals: HashMap<Vec<String>, Vec<usize>>,
}

/// Columns of `equals` that are told apart when one looks for what hides a row.
const TOLD_APART: usize = 6;

impl Earlier {
    fn note(&mut self, tests: &[Test], group: usize) {
        let key = tests.iter().take(TOLD_APART).map(wanted_key).collect();
        self.by_equals.entry(key).or_default().push(group);
    }

    /// The first group that fits all that these tests fit, and whether the row is never reached, rather than one of that
    /// group for another time.
    fn hides(&self, groups: &Groups, tests: &[Test], day: &str) -> Option<(usize, bool)> {
        let mut found: Option<(usize, bool)> = None;
        let told: Vec<String> = tests.iter().take(TOLD_APART).map(wanted_key).collect();
        for choice in 0..1_usize << told.len() {
            let open = |at: usize| choice >> at & 1 == 1;
            if told.iter().enumerate().any(|(at, word)| open(at) && word.is_empty()) {
                continue;
            }
            let key: Vec<String> =
                told.iter().enumerate().map(|(at, word)| if open(at) { String::new() } else { word.clone() }).collect();
            for at in self.by_equals.get(&key).into_iter().flatten() {
                let Some(group) = groups.list.get(*at) else { continue };
                let is_same = groups.since.is_some() && group.tests == tests;
                let is_taken = group.rows.iter().any(|(other, _)| other == day);
                let hides = is_same || covers(&group.tests, tests) && group.begins() <= day;
                if hides && found.is_none_or(|(first, _)| *at < first) {
                    found = Some((*at, !is_same || is_taken));
                }
            }
        }
        found
    }
}

fn covers(a: &[Test], b: &[Test]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.covers(b))
}

/// What a test wants to be equal, as a key; empty when it wants nothing of the kind.
fn wanted_key(test: &Test) -> String {
    match test {
        Test::Equals(value) => value.to_string(),
        _ => String::new(),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    a == b || matches!((a.as_f64(), b.as_f64()), (Some(x), Some(y)) if x == y)
}

fn order(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Value as Source;
    use engine_statechart::source::Span;
    use serde_json::json;

    #[test]
    fn an_index_finds_what_reading_from_the_beginning_finds() {
        let mut rows: Vec<Value> = (0..30).map(|n| json!({"town": format!("t{n}"), "size": n % 3})).collect();
        rows.insert(7, json!({"town": null, "size": 1}));
        rows.push(json!({"town": 4, "size": 0}));
        rows.push(json!({"town": null, "size": null}));
        let rows: Vec<Map<String, Value>> = rows.iter().filter_map(Value::as_object).cloned().collect();
        let nodes = vec![Node::new(Span::unknown(), Source::Null); rows.len()];
        let matches = [("town".to_owned(), Match::Equals), ("size".to_owned(), Match::Equals)];
        let groups = Groups::of(&rows, &matches, &nodes, &mut Vec::new());
        assert!(groups.index.is_some());
        let plain = Groups { index: None, ..groups.clone() };
        for town in
            [json!("t3"), json!("t20"), json!("t29"), json!(4), json!(4.0), json!("4"), json!("t99"), Value::Null]
        {
            for size in [json!(0), json!(1), json!(2), Value::Null] {
                let input = |column: &str| Some(if column == "town" { &town } else { &size });
                assert_eq!(groups.first(input, &Value::Null), plain.first(input, &Value::Null), "{town} {size}");
            }
        }
        assert_eq!(groups.first(|column| (column == "town").then_some(&rows[31]["town"]), &Value::Null), Some(32));
    }
}

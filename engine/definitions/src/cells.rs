//! Rows by what stands in one of their columns, for expressions that look for a few among many:
//! `rows('t').filter(r, r.column == text)` looks only at rows that have the text there.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// With fewer rows each is as soon looked at.
const ROWS_MIN: usize = 32;

/// Places of the rows by the text in a column. Made when a column is first asked for; `None` of one that does not have
/// a text in each row.
#[derive(Clone, Debug, Default)]
pub struct Cells(BTreeMap<String, OnceLock<Option<Places>>>);

type Places = HashMap<String, Vec<u32>>;

impl Cells {
    pub fn new<'c>(columns: impl Iterator<Item = &'c str>) -> Cells {
        Cells(columns.map(|column| (column.to_owned(), OnceLock::new())).collect())
    }

    /// The rows of the list that have this text in this column, in their order. `None`: all have to be looked at.
    pub fn with<'r>(&self, list: &'r Value, column: &str, text: &str) -> Option<Vec<&'r Value>> {
        let rows = list.as_array().filter(|rows| rows.len() >= ROWS_MIN)?;
        let places = self.0.get(column)?.get_or_init(|| index(rows, column)).as_ref()?;
        Some(places.get(text).into_iter().flatten().filter_map(|at| rows.get(*at as usize)).collect())
    }
}

fn index(rows: &[Value], column: &str) -> Option<Places> {
    let mut places = Places::new();
    for (at, row) in (0..).zip(rows) {
        places.entry(row.get(column)?.as_str()?.to_owned()).or_default().push(at);
    }
    Some(places)
}

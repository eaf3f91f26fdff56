//! Answers of fan-outs: rows beside the state, laid into the context where an expression or the machine reads it.

use super::set_path;
use crate::state::AnswerRow;
use engine_store::AnswerRecord;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rows by the place in the context that they stand at, then by key.
pub(super) type Rows = BTreeMap<String, Map<String, Value>>;

/// The rows of a journey, and which of them this turn has written.
#[derive(Clone, Default)]
pub(super) struct Answers {
    rows: Rows,
    changed: BTreeSet<(String, String)>,
}

impl Answers {
    pub fn on(rows: Rows) -> Answers {
        Answers { rows, changed: BTreeSet::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn lay_into(&self, context: &mut Map<String, Value>) {
        for (into, rows) in &self.rows {
            set_path(context, into, Value::Object(rows.clone()));
        }
    }

    /// The rows are the truth; the context keeps the place only (**rows-beside**).
    pub fn take_from(&self, context: &mut Map<String, Value>) {
        for into in self.rows.keys() {
            set_path(context, into, json!({}));
        }
    }

    pub fn put(&mut self, into: &str, key: &str, row: &AnswerRow) -> serde_json::Result<()> {
        self.rows.entry(into.into()).or_default().insert(key.into(), serde_json::to_value(row)?);
        self.changed.insert((into.into(), key.into()));
        Ok(())
    }

    /// Every row: its place, its key, and itself.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.rows.iter().flat_map(|(into, rows)| rows.iter().map(move |(key, row)| (into.as_str(), key.as_str(), row)))
    }

    /// A row, to be written again.
    pub fn take(&mut self, into: &str, key: &str) -> Option<Value> {
        self.rows.get_mut(into).and_then(|rows| rows.get_mut(key)).map(Value::take)
    }

    /// Everybody is asked anew; what they said before comes back.
    pub fn restart(&mut self, into: &str) -> Map<String, Value> {
        self.changed.retain(|(name, _)| name != into);
        self.rows.insert(into.to_owned(), Map::new()).unwrap_or_default()
    }

    /// The rows as they are now, and those that the store has to write.
    pub fn finish(self) -> (Rows, Vec<AnswerRecord>) {
        let row = |(into, key): (String, String)| {
            let value = self.rows.get(&into)?.get(&key)?.clone();
            Some(AnswerRecord { into, key, value })
        };
        let changed = self.changed.into_iter().filter_map(row).collect();
        (self.rows, changed)
    }
}

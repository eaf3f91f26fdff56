//! Rows of many commits as one array per column, read in SQL with `unnest`: one statement writes a whole batch,
//! whatever its size, and its text depends only on which tables it touches.

use super::commit::COLUMNS;
use super::shared::json;
use serde_json::Value;
use sqlx::Arguments;
use sqlx::postgres::PgArguments;

#[derive(Clone, Copy)]
pub enum Kind {
    Int,
    Text,
    Bytes,
}

pub struct Rows {
    names: Vec<(&'static str, Kind)>,
    columns: Vec<Column>,
    at: usize,
    pub count: usize,
}

enum Column {
    Int(Vec<Option<i64>>),
    Text(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Rows {
    pub fn of_part(part: usize) -> Self {
        Rows::of(COLUMNS.get(part).copied().unwrap_or(&[]))
    }

    pub fn of(names: &'static [(&'static str, Kind)]) -> Self {
        Rows { names: names.to_vec(), columns: Vec::new(), at: 0, count: 0 }
    }

    /// Starts a row; its fields follow in the order of the columns.
    pub fn row(&mut self) -> &mut Self {
        if self.columns.is_empty() {
            self.columns = (self.names.iter())
                .map(|(_, kind)| match kind {
                    Kind::Int => Column::Int(Vec::new()),
                    Kind::Text => Column::Text(Vec::new()),
                    Kind::Bytes => Column::Bytes(Vec::new()),
                })
                .collect();
        }
        self.at = 0;
        self.count += 1;
        self
    }

    pub fn int(&mut self, value: i64) -> &mut Self {
        self.maybe(Some(value))
    }

    pub fn maybe(&mut self, value: Option<i64>) -> &mut Self {
        if let Some(Column::Int(values)) = self.columns.get_mut(self.at) {
            values.push(value);
        }
        self.at += 1;
        self
    }

    pub fn null(&mut self) -> &mut Self {
        match self.columns.get_mut(self.at) {
            Some(Column::Int(values)) => values.push(None),
            Some(Column::Text(values)) => values.push(None),
            Some(Column::Bytes(values)) => values.push(None),
            None => {}
        }
        self.at += 1;
        self
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.owned(value.to_owned())
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.maybe_bytes(Some(value.to_vec()))
    }

    pub fn maybe_bytes(&mut self, value: Option<Vec<u8>>) -> &mut Self {
        if let Some(Column::Bytes(values)) = self.columns.get_mut(self.at) {
            values.push(value);
        }
        self.at += 1;
        self
    }

    pub fn json(&mut self, value: &Value) -> &mut Self {
        self.owned(json(value))
    }

    fn owned(&mut self, value: String) -> &mut Self {
        if let Some(Column::Text(values)) = self.columns.get_mut(self.at) {
            values.push(Some(value));
        }
        self.at += 1;
        self
    }

    /// Two lists of the same length as one.
    pub fn beside(mut self, other: Rows) -> Rows {
        self.names.extend(other.names);
        self.columns.extend(other.columns);
        self
    }

    /// `unnest($1::bigint[], …) as x(no, …)`, with the arrays added to the arguments.
    pub fn source(self, alias: &str, arguments: &mut PgArguments) -> Result<String, sqlx::Error> {
        let mut types = String::new();
        let mut names = String::new();
        for ((name, _), column) in self.names.iter().zip(self.columns) {
            let (added, kind) = match column {
                Column::Int(values) => (arguments.add(values), "bigint"),
                Column::Text(values) => (arguments.add(values), "text"),
                Column::Bytes(values) => (arguments.add(values), "bytea"),
            };
            added.map_err(sqlx::Error::Encode)?;
            let comma = if names.is_empty() { "" } else { ", " };
            types.push_str(&format!("{comma}${}::{kind}[]", arguments.len()));
            names.push_str(comma);
            names.push_str(name);
        }
        Ok(format!("unnest({types}) as {alias}({names})"))
    }
}

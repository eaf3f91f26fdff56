//! Tables of rules: the first row whose match columns fit the inputs wins.

use crate::fields::Fields;
use crate::source::{Node, Value as Source};
use crate::values::{money, parse_date};
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tables by id (`<line>/<table>`).
#[derive(Clone, Debug, Default)]
pub struct Tables {
    map: BTreeMap<String, Arc<Table>>,
    /// Those that have mistakes.
    broken: BTreeSet<String>,
}

impl Tables {
    pub fn insert(&mut self, table: Arc<Table>) {
        self.map.insert(table.id.clone(), table);
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Table>> {
        self.map.get(id)
    }

    pub(crate) fn broken(&mut self, id: String) {
        self.broken.insert(id);
    }

    /// Whether it was said already why it is not there.
    pub(crate) fn is_broken(&self, id: &str) -> bool {
        self.broken.contains(id)
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// These and others.
    pub(crate) fn with(&self, others: &Tables) -> Tables {
        let map = self.map.iter().chain(&others.map).map(|(id, table)| (id.clone(), Arc::clone(table)));
        Tables { map: map.collect(), broken: BTreeSet::new() }
    }

    pub fn need(&self, id: &str) -> Result<&Table, String> {
        self.map.get(id).map(|t| &**t).ok_or_else(|| format!("unknown table `{id}`"))
    }
}

#[derive(Clone, Debug)]
pub struct Table {
    pub id: String,
    pub title: String,
    /// Where the figures come from; `None` for samples.
    pub source: Option<String>,
    columns: Columns,
    matches: Vec<(String, Match)>,
    /// The rows as they are returned.
    rows: Vec<Map<String, Value>>,
}

/// Columns of a table in their order.
pub(crate) type Columns = IndexMap<String, Kind>;

/// How the cells of a column are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Text,
    Int,
    Money,
    Rate,
    List,
    Bool,
    Date,
    Number,
    Json,
}

/// How an input is held against a cell; an absent or `any` cell fits everything.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Match {
    Equals,
    Max,
    Min,
    In,
}

const KINDS: [&str; 9] = ["text", "int", "money", "rate", "list", "bool", "date", "number", "json"];
const MATCHES: [&str; 4] = ["equals", "max", "min", "in"];
const ROWS_MAX: usize = 20_000;

impl Table {
    pub fn compile(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Table> {
        let before = problems.len();
        let keys = ["title", "source", "sample", "note", "match", "columns", "rows"];
        let mut fields = Fields::open(node, "a table", &keys, problems)?;
        let title = fields.text("title").unwrap_or_else(|| id.to_owned());
        let source = fields.text("source");
        if source.is_none() && !fields.bool("sample") {
            fields.problems.push(Problem::error(
                "source",
                &node.span,
                "a table names its `source`, or says `sample: true`",
            ));
        }
        let columns = columns(&mut fields);
        let matches = matches(&mut fields, &columns);
        let rows_node = fields.need("rows")?;
        if !rows_node.is_list() {
            fields.wrong(rows_node, "rows", "a list");
        }
        if rows_node.list().len() > ROWS_MAX {
            problems.push(Problem::error(
                "size",
                &rows_node.span,
                format!("a table has at most {ROWS_MAX} rows; more belongs into workflows/master"),
            ));
            return None;
        }
        let rows = rows_node.list().iter().map(|row| read_row(row, &columns, problems)).collect();
        (!problems[before..].iter().any(Problem::is_error)).then(|| Table {
            id: id.to_owned(),
            title,
            source,
            columns,
            matches,
            rows,
        })
    }

    /// The first row that fits, or null. Inputs that no column matches are ignored.
    pub fn first(&self, inputs: &Value) -> Result<Value, String> {
        let inputs = inputs.as_object().ok_or("`table` takes a map of inputs")?;
        if let Some(stray) = inputs.keys().find(|k| !self.columns.contains_key(*k)) {
            return Err(format!("table `{}` has no column `{stray}`", self.id));
        }
        let found = self
            .rows
            .iter()
            .find(|row| self.matches.iter().all(|(column, how)| fits(row.get(column), *how, inputs.get(column))));
        Ok(found.map_or(Value::Null, |row| Value::Object(row.clone())))
    }

    /// The only column that inputs are held against.
    pub fn only_match(&self) -> Option<&str> {
        match self.matches.as_slice() {
            [(column, _)] => Some(column),
            _ => None,
        }
    }

    /// The first row that fits in the only column that inputs are held against, or null.
    pub fn find(&self, input: &Value) -> Result<Value, String> {
        let [(column, how)] = self.matches.as_slice() else {
            return Err(format!("table `{}` is not looked up by one column", self.id));
        };
        let found = self.rows.iter().find(|row| fits(row.get(column), *how, Some(input)));
        Ok(found.map_or(Value::Null, |row| Value::Object(row.clone())))
    }

    pub fn rows(&self) -> Value {
        Value::Array(self.rows.iter().cloned().map(Value::Object).collect())
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Names of the columns that inputs are held against.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.matches.iter().map(|(name, _)| name.as_str())
    }
}

fn fits(cell: Option<&Value>, how: Match, input: Option<&Value>) -> bool {
    let Some(cell) = cell.filter(|c| !c.is_null()) else { return true };
    let input = input.unwrap_or(&Value::Null);
    match how {
        Match::Equals => same(cell, input),
        Match::Max => order(input, cell).is_some_and(|o| o.is_le()),
        Match::Min => order(input, cell).is_some_and(|o| o.is_ge()),
        Match::In => cell.as_array().is_some_and(|list| list.iter().any(|c| same(c, input))),
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

pub(crate) fn columns(fields: &mut Fields<'_, '_>) -> Columns {
    let mut columns = IndexMap::new();
    if fields.need("columns").is_none() {
        return columns;
    }
    for (key, value) in fields.entries("columns") {
        let kind = match value.as_str().unwrap_or_default() {
            "text" => Kind::Text,
            "int" => Kind::Int,
            "money" => Kind::Money,
            "rate" => Kind::Rate,
            "list" => Kind::List,
            "bool" => Kind::Bool,
            "date" => Kind::Date,
            "number" => Kind::Number,
            "json" => Kind::Json,
            other => {
                let hint = did_you_mean(other, KINDS).unwrap_or_else(|| KINDS.join(", "));
                fields
                    .problems
                    .push(Problem::error("value", &value.span, format!("unknown column kind `{other}`")).hint(hint));
                Kind::Json
            }
        };
        columns.insert(key.name.clone(), kind);
    }
    columns
}

fn matches(fields: &mut Fields<'_, '_>, columns: &Columns) -> Vec<(String, Match)> {
    let mut list = Vec::new();
    for (key, value) in fields.entries("match") {
        let how = match value.as_str().unwrap_or_default() {
            "equals" => Match::Equals,
            "max" => Match::Max,
            "min" => Match::Min,
            "in" => Match::In,
            other => {
                let hint = did_you_mean(other, MATCHES).unwrap_or_else(|| MATCHES.join(", "));
                fields
                    .problems
                    .push(Problem::error("value", &value.span, format!("unknown match `{other}`")).hint(hint));
                continue;
            }
        };
        if !columns.contains_key(&key.name) {
            fields.problems.push(crate::fields::unknown(
                "column",
                &Node::new(key.span.clone(), Source::Null),
                &key.name,
                columns.keys().map(String::as_str),
            ));
        }
        list.push((key.name.clone(), how));
    }
    list
}

pub(crate) fn read_row(node: &Node, columns: &Columns, problems: &mut Vec<Problem>) -> Map<String, Value> {
    let mut row: Map<String, Value> = columns.keys().map(|c| (c.clone(), Value::Null)).collect();
    match &node.value {
        Source::List(cells) if cells.len() == columns.len() => {
            for ((name, kind), cell) in columns.iter().zip(cells) {
                row.insert(name.clone(), read_cell(cell, *kind, name, problems));
            }
        }
        Source::List(cells) => {
            let message = format!("the row has {} cells, the table {} columns", cells.len(), columns.len());
            problems.push(Problem::error("shape", &node.span, message));
        }
        Source::Map(entries) => {
            for (key, cell) in entries {
                match columns.get(&key.name) {
                    Some(kind) => {
                        row.insert(key.name.clone(), read_cell(cell, *kind, &key.name, problems));
                    }
                    None => {
                        let at = Node::new(key.span.clone(), Source::Null);
                        problems.push(crate::fields::unknown(
                            "column",
                            &at,
                            &key.name,
                            columns.keys().map(String::as_str),
                        ));
                    }
                }
            }
        }
        _ => {
            problems.push(Problem::error("shape", &node.span, format!("a row is a list or a map, not {}", node.kind())))
        }
    }
    row
}

fn read_cell(node: &Node, kind: Kind, column: &str, problems: &mut Vec<Problem>) -> Value {
    let text = node.as_str();
    if node.is_null() || text == Some("any") || text == Some("") && kind != Kind::Text {
        return Value::Null;
    }
    let value = match kind {
        Kind::Text => text.map(Value::from).or_else(|| node.as_int().map(|i| Value::String(i.to_string()))),
        Kind::Int => node.as_int().map(Value::from),
        Kind::Money => node.as_int().map(Value::from).or_else(|| text.and_then(money::parse).map(Value::from)),
        Kind::Rate => node.as_int().map(Value::from).or_else(|| text.and_then(money::parse_rate).map(Value::from)),
        Kind::List => node
            .is_list()
            .then(|| node.to_json())
            .or_else(|| text.map(|t| t.split_whitespace().collect::<Vec<_>>().into())),
        Kind::Bool => node.as_bool().map(Value::from),
        Kind::Date => text.and_then(parse_date).map(|d| Value::String(d.to_string())),
        Kind::Number => matches!(node.value, Source::Int(_) | Source::Float(_)).then(|| node.to_json()),
        Kind::Json => Some(node.to_json()),
    };
    value.unwrap_or_else(|| {
        let example = match kind {
            Kind::Money => "like ₹2,094 or an integer of paise",
            Kind::Rate => "like 3.127% or an integer of millionths",
            Kind::Int => "an integer",
            Kind::Bool => "true or false",
            Kind::Date => "a date like 2026-11-21",
            Kind::Number => "a number",
            Kind::List => "a list",
            Kind::Text | Kind::Json => "a text",
        };
        problems.push(Problem::error(
            "value",
            &node.span,
            format!("the cell of `{column}` is {example}, not {}", node.kind()),
        ));
        Value::Null
    })
}

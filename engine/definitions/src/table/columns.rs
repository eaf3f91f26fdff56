//! Columns of a table and the cells in them.

use crate::fields::{MapReader, unknown};
use crate::prose::{self, Prose};
use crate::source::{Node, Value as Source};
use crate::values::{money, parse_date};
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Columns of a table in their order.
pub(crate) type Columns = IndexMap<String, Column>;

#[derive(Clone, Debug)]
pub(crate) struct Column {
    kind: ColumnKind,
    /// What a row has that does not say it; null without one.
    default: Value,
    is_unique: bool,
    /// The table or reference data that has a row of this key.
    pub refers: Option<String>,
    /// Numbers between which the column's cells are.
    within: Option<Band>,
    matched: Option<Match>,
}

/// How the cells of a column are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnKind {
    Text,
    Int,
    Money,
    Rate,
    List,
    Bool,
    Date,
    Number,
    Json,
    /// Words in Markdown.
    Prose,
}

/// How an input is held against a cell; an absent or `any` cell fits everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Match {
    Equals,
    Max,
    Min,
    In,
    /// Two bounds that belong to the cell: `18-25`, `66+` or `30`.
    Band,
    /// The row holds from that day on.
    Since,
}

pub(crate) const KINDS: [&str; 10] =
    ["text", "int", "money", "rate", "list", "bool", "date", "number", "json", "prose"];
pub(crate) const MATCHES: [&str; 6] = ["equals", "max", "min", "in", "band", "since"];

impl ColumnKind {
    fn of_word(word: &str) -> Option<ColumnKind> {
        Some(match word {
            "text" => ColumnKind::Text,
            "int" => ColumnKind::Int,
            "money" => ColumnKind::Money,
            "rate" => ColumnKind::Rate,
            "list" => ColumnKind::List,
            "bool" => ColumnKind::Bool,
            "date" => ColumnKind::Date,
            "number" => ColumnKind::Number,
            "json" => ColumnKind::Json,
            "prose" => ColumnKind::Prose,
            _ => return None,
        })
    }

    fn example(self) -> &'static str {
        match self {
            ColumnKind::Money => "like ₹2,094 or an integer of paise",
            ColumnKind::Rate => "like 3.127% or an integer of millionths",
            ColumnKind::Int => "an integer",
            ColumnKind::Bool => "true or false",
            ColumnKind::Date => "a date like 2026-11-21",
            ColumnKind::Number => "a number",
            ColumnKind::List => "a list",
            ColumnKind::Text | ColumnKind::Json | ColumnKind::Prose => "a text",
        }
    }

    fn read(self, node: &Node) -> Option<Value> {
        let text = node.as_str();
        match self {
            ColumnKind::Text => text.map(Value::from).or_else(|| node.as_int().map(|i| Value::String(i.to_string()))),
            ColumnKind::Int => node.as_int().map(Value::from),
            ColumnKind::Money => {
                node.as_int().map(Value::from).or_else(|| text.and_then(money::parse).map(Value::from))
            }
            ColumnKind::Rate => {
                node.as_int().map(Value::from).or_else(|| text.and_then(money::parse_rate).map(Value::from))
            }
            ColumnKind::List => node
                .is_list()
                .then(|| node.to_json())
                .or_else(|| text.map(|t| t.split_whitespace().collect::<Vec<_>>().into())),
            ColumnKind::Bool => node.as_bool().map(Value::from),
            ColumnKind::Date => text.and_then(parse_date).map(|d| Value::String(d.to_string())),
            ColumnKind::Number => matches!(node.value, Source::Int(_) | Source::Float(_)).then(|| node.to_json()),
            ColumnKind::Json => Some(node.to_json()),
            ColumnKind::Prose => text.map(Value::from),
        }
    }
}

impl Column {
    fn plain(kind: ColumnKind) -> Column {
        Column { kind, default: Value::Null, is_unique: false, refers: None, within: None, matched: None }
    }

    /// A column: a word for its kind, or a map `{kind, default, unique, refers, within}`.
    fn read(name: &str, node: &Node, problems: &mut Vec<Problem>) -> Column {
        let kind_of = |node: &Node, problems: &mut Vec<Problem>| {
            let word = node.as_str().unwrap_or_default();
            ColumnKind::of_word(word).unwrap_or_else(|| {
                let hint = did_you_mean(word, KINDS).unwrap_or_else(|| KINDS.join(", "));
                problems.push(Problem::error("value", &node.span, format!("unknown column kind `{word}`")).hint(hint));
                ColumnKind::Json
            })
        };
        if !node.is_map() {
            return Column::plain(kind_of(node, problems));
        }
        let keys = ["kind", "default", "unique", "refers", "within"];
        let Some(mut fields) = MapReader::open(node, "a column", &keys, problems) else {
            return Column::plain(ColumnKind::Json);
        };
        let mut column = Column::plain(match fields.need("kind") {
            Some(kind) => kind_of(kind, fields.problems),
            None => ColumnKind::Json,
        });
        column.is_unique = fields.bool("unique");
        column.refers = fields.text("refers");
        if let Some(within) = fields.text("within") {
            column.within = Band::read(&within);
            if column.within.is_none() {
                let message = "`within` is a band like 1-5";
                fields.problems.push(Problem::error("value", &node.span, message));
            }
        }
        if let Some(default) = fields.get("default") {
            column.default = read_cell(default, &column, name, fields.problems);
        }
        column
    }
}

pub(crate) fn read_columns(fields: &mut MapReader<'_, '_>) -> Columns {
    let mut columns = IndexMap::new();
    if fields.need("columns").is_some() {
        for (key, value) in fields.entries("columns") {
            columns.insert(key.name.clone(), Column::read(&key.name, value, fields.problems));
        }
    }
    columns
}

/// How inputs are held against columns; the columns learn it too, since a band is written in another way.
pub(super) fn read_matches(fields: &mut MapReader<'_, '_>, columns: &mut Columns) -> Vec<(String, Match)> {
    let mut list = Vec::new();
    for (key, value) in fields.entries("match") {
        let how = match value.as_str().unwrap_or_default() {
            "equals" => Match::Equals,
            "max" => Match::Max,
            "min" => Match::Min,
            "in" => Match::In,
            "band" => Match::Band,
            "since" => Match::Since,
            other => {
                let hint = did_you_mean(other, MATCHES).unwrap_or_else(|| MATCHES.join(", "));
                let message = format!("unknown match `{other}`");
                fields.problems.push(Problem::error("value", &value.span, message).hint(hint));
                continue;
            }
        };
        let names = columns.keys().map(String::as_str);
        let Some(column) = columns.get(&key.name) else {
            let at = Node::new(key.span.clone(), Source::Null);
            fields.problems.push(unknown("column", &at, &key.name, names));
            continue;
        };
        let needed: &[ColumnKind] = match how {
            Match::Band => &[ColumnKind::Int, ColumnKind::Money, ColumnKind::Rate],
            Match::Since => &[ColumnKind::Date],
            Match::In => &[ColumnKind::List, ColumnKind::Json],
            Match::Equals | Match::Max | Match::Min => &[],
        };
        if !needed.is_empty() && !needed.contains(&column.kind) {
            let kinds: Vec<&str> = needed.iter().map(|kind| KINDS[*kind as usize]).collect();
            let message =
                format!("a column that matches by `{}` is of the kind {}", MATCHES[how as usize], kinds.join(" or "));
            fields.problems.push(Problem::error("value", &value.span, message));
            continue;
        }
        if how == Match::Since && list.iter().any(|(_, other)| *other == Match::Since) {
            fields.problems.push(Problem::error("value", &value.span, "one column says since when a row holds"));
            continue;
        }
        if let Some(column) = columns.get_mut(&key.name) {
            column.matched = Some(how);
        }
        list.push((key.name.clone(), how));
    }
    list
}

pub(crate) fn read_row(node: &Node, columns: &Columns, problems: &mut Vec<Problem>) -> Map<String, Value> {
    let mut row: Map<String, Value> = columns.iter().map(|(name, of)| (name.clone(), of.default.clone())).collect();
    match &node.value {
        Source::List(cells) if cells.len() == columns.len() => {
            for ((name, column), cell) in columns.iter().zip(cells) {
                row.insert(name.clone(), read_cell(cell, column, name, problems));
            }
        }
        Source::List(cells) => {
            let message = format!("the row has {} cells, the table {} columns", cells.len(), columns.len());
            problems.push(Problem::error("shape", &node.span, message));
        }
        Source::Map(entries) => {
            for (key, cell) in entries {
                match columns.get(&key.name) {
                    Some(column) => {
                        row.insert(key.name.clone(), read_cell(cell, column, &key.name, problems));
                    }
                    None => {
                        let at = Node::new(key.span.clone(), Source::Null);
                        problems.push(unknown("column", &at, &key.name, columns.keys().map(String::as_str)));
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

/// The cell of a column in a row: its position in a list, its key in a map.
pub(super) fn cell<'n>(row: &'n Node, columns: &Columns, name: &str) -> Option<&'n Node> {
    match &row.value {
        Source::List(cells) => cells.get(columns.get_index_of(name)?),
        _ => row.get(name),
    }
}

fn read_cell(node: &Node, column: &Column, name: &str, problems: &mut Vec<Problem>) -> Value {
    let (text, kind) = (node.as_str(), column.kind);
    if text == Some("") && column.matched.is_some() {
        let message = format!("the cell of `{name}` is empty: nothing that is asked for is");
        problems.push(Problem::error("value", &node.span, message).hint("any"));
    }
    if node.is_null() || text == Some("any") || text == Some("") && kind != ColumnKind::Text {
        return Value::Null;
    }
    if column.matched == Some(Match::Band) {
        let written = text.map(str::to_owned).or_else(|| node.as_int().map(|i| i.to_string()));
        if let Some(written) = written.filter(|text| Band::read(text).is_some()) {
            return Value::String(written);
        }
        let message = format!("the cell of `{name}` is a band like 18-25, 66+ or 30, not {}", node.kind());
        problems.push(Problem::error("value", &node.span, message));
        return Value::Null;
    }
    if kind == ColumnKind::Prose
        && let Some(words) = text
    {
        return match prose::parse(words) {
            Ok(all) => all.map_or(words.into(), |all| all.iter().map(Prose::to_json).collect()),
            Err(mistake) => {
                problems.push(mistake.at(node));
                words.into()
            }
        };
    }
    let read = kind.read(node);
    if let (Some(band), Some(number)) = (column.within, read.as_ref().and_then(Value::as_i64))
        && !(band.from..=band.to).contains(&number)
    {
        let message = format!("the cell of `{name}` is {number}, which is not within {}-{}", band.from, band.to);
        problems.push(Problem::error("value", &node.span, message));
    }
    read.unwrap_or_else(|| {
        let message = format!("the cell of `{name}` is {}, not {}", kind.example(), node.kind());
        problems.push(Problem::error("value", &node.span, message));
        Value::Null
    })
}

/// Numbers from a lower bound to an upper one, both belonging to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    pub from: i64,
    pub to: i64,
}

impl Band {
    /// `18-25`, `66+` or `30`; amounts and rates as they are written elsewhere.
    pub(super) fn read(text: &str) -> Option<Band> {
        let bound = |text: &str| {
            let text = text.trim();
            text.parse().ok().or_else(|| money::parse(text)).or_else(|| money::parse_rate(text))
        };
        if let Some(from) = text.strip_suffix('+') {
            return Some(Band { from: bound(from)?, to: i64::MAX });
        }
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let band = Band { from: bound(from)?, to: bound(to)? };
        (band.from <= band.to).then_some(band)
    }

    pub(super) fn holds(self, input: &Value) -> bool {
        input.as_i64().is_some_and(|n| (self.from..=self.to).contains(&n))
    }
}

/// A value that stands twice in a column that says `unique`.
pub(super) fn check_unique(
    columns: &Columns,
    rows: &[Map<String, Value>],
    nodes: &[Node],
    problems: &mut Vec<Problem>,
) {
    for (name, _) in columns.iter().filter(|(_, column)| column.is_unique) {
        let mut taken: HashMap<String, u32> = HashMap::new();
        for (row, node) in rows.iter().zip(nodes) {
            let Some(value) = row.get(name).filter(|value| !value.is_null()) else { continue };
            let at = cell(node, columns, name).unwrap_or(node);
            match taken.entry(value.to_string()) {
                std::collections::hash_map::Entry::Occupied(first) => {
                    let message = format!("`{name}` has {value} twice, first in line {}", first.get());
                    problems.push(Problem::error("duplicate-key", &at.span, message));
                }
                std::collections::hash_map::Entry::Vacant(free) => drop(free.insert(at.span.line)),
            }
        }
    }
}

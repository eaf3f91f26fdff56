//! Tables of rules: the first row whose match columns fit the inputs wins. A column that matches by `since` says from
//! which day a row holds: of rows that fit the same, the newest that has begun counts, wherever it stands.

mod columns;
mod fit;
mod refer;

pub(crate) use columns::{Columns, KINDS, MATCHES, read_columns, read_row};

use crate::cells::Cells;
use crate::fields::MapReader;
use crate::layout;
use crate::policy::is_fatal;
use crate::source::{Key, Node, Nodes, Value as Source};
use columns::Match;
use engine_statechart::Problem;
use engine_statechart::source::digest_of;
use fit::Groups;
use refer::Reference;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tables by id (`<line>/<table>`).
#[derive(Clone, Debug, Default)]
pub struct Tables {
    map: BTreeMap<String, Arc<Table>>,
    /// Ids of tables that have mistakes.
    broken: BTreeSet<String>,
}

impl Tables {
    pub fn insert(&mut self, table: Arc<Table>) {
        self.map.insert(table.id.clone(), table);
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Table>> {
        self.map.get(id)
    }

    pub(crate) fn mark_broken(&mut self, id: String) {
        self.broken.insert(id);
    }

    /// Whether it was said already why it is not there.
    pub(crate) fn is_broken(&self, id: &str) -> bool {
        self.broken.contains(id)
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// The tables together with others.
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
    /// Source of the figures; `None` for samples.
    pub source: Option<String>,
    columns: Columns,
    matches: Vec<(String, Match)>,
    /// The rows, a list of maps, as expressions have them.
    rows: Value,
    cells: Cells,
    groups: Groups,
    references: Vec<Reference>,
    /// Which tables say the same, with overwhelming likelihood.
    pub(crate) digest: u64,
}

/// How a row of a table was found, or not.
#[derive(Debug)]
pub struct Search<'a> {
    /// Position of the row, from 0.
    pub at: Option<usize>,
    pub row: &'a Value,
    /// How many rows there are.
    pub of: usize,
    /// Each column that inputs are held against, with the number of rows that fit it and the columns before it.
    pub narrowed: Vec<(&'a str, usize)>,
}

const ROWS_MAX: usize = 20_000;

/// The rows of a table that are files of their own, by path.
pub(crate) fn rows_in_files<'n>(id: &str, nodes: &'n Nodes) -> impl Iterator<Item = (&'n String, &'n Arc<Node>)> {
    let folder = layout::rows_of(id);
    nodes.range(folder.clone()..).take_while(move |(path, _)| path.starts_with(&folder))
}

/// A table with its rows that are files of their own: the name of the file stands in the first column, the front matter
/// in those that it names, the text in `body`.
pub(crate) fn with_rows<'n>(id: &str, node: &'n Node, nodes: &Nodes) -> Cow<'n, Node> {
    let first = node.get("columns").and_then(|columns| columns.map().first()).map(|(key, _)| key.name.clone());
    let rows: Vec<Node> = rows_in_files(id, nodes)
        .map(|(path, row)| {
            let mut row = Node::clone(row);
            let name = path.rsplit('/').next().unwrap_or_default();
            let key = name.trim_end_matches(".md").to_owned();
            let of_key = first.clone().map(|name| {
                let at = Key { name, span: row.span.clone() };
                (at, Node::new(row.span.clone(), Source::String(key)))
            });
            row.map_mut().into_iter().for_each(|cells| cells.extend(of_key.clone()));
            row
        })
        .collect();
    if rows.is_empty() {
        return Cow::Borrowed(node);
    }
    let mut whole = node.clone();
    if let Some(entries) = whole.map_mut() {
        match entries.iter_mut().find(|(key, _)| key.name == "rows") {
            Some((_, Node { value: Source::List(list), .. })) => list.extend(rows),
            Some(_) => {}
            None => {
                let key = Key { name: "rows".into(), span: node.span.clone() };
                entries.push((key, Node::new(node.span.clone(), Source::List(rows))));
            }
        }
    }
    Cow::Owned(whole)
}

impl Table {
    pub fn compile(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Table> {
        let before = problems.len();
        let keys = ["title", "source", "sample", "note", "match", "columns", "rows"];
        let mut fields = MapReader::open(node, "a table", &keys, problems)?;
        let title = fields.text("title").unwrap_or_else(|| id.to_owned());
        let source = fields.text("source");
        if source.is_none() && !fields.bool("sample") {
            fields.problems.push(Problem::error(
                "source",
                &node.span,
                "a table names its `source`, or says `sample: true`",
            ));
        }
        let mut columns = read_columns(&mut fields);
        let matches = columns::read_matches(&mut fields, &mut columns);
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
        let rows: Vec<_> = rows_node.list().iter().map(|row| read_row(row, &columns, problems)).collect();
        columns::check_unique(&columns, &rows, rows_node.list(), problems);
        // What a mistake leaves open would be said of every row.
        let is_sound = !problems[before..].iter().any(is_fatal);
        let mut hidden = Vec::new();
        let groups = Groups::of(&rows, &matches, rows_node.list(), &mut hidden);
        problems.extend(hidden.into_iter().filter(|_| is_sound));
        let references = refer::references(&columns, &rows, rows_node.list());
        (!problems[before..].iter().any(is_fatal)).then(|| Table {
            id: id.to_owned(),
            title,
            source,
            cells: Cells::new(columns.keys().map(String::as_str)),
            columns,
            matches,
            rows: rows.into_iter().map(Value::Object).collect(),
            groups,
            references,
            digest: digest_of(node),
        })
    }

    /// The first row that fits, or null. Inputs that no column matches are ignored. `today`, a date, is the day of a
    /// column that matches by `since` when the inputs do not name it.
    pub fn first(&self, inputs: &Value, today: &Value) -> Result<&Value, String> {
        let inputs = inputs.as_object().ok_or("`table` takes a map of inputs")?;
        if let Some(stray) = inputs.keys().find(|k| !self.columns.contains_key(*k)) {
            return Err(format!("table `{}` has no column `{stray}`", self.id));
        }
        Ok(self.row(self.groups.first(|column| inputs.get(column), today)))
    }

    /// The only column that inputs are held against, apart from the day on which a row begins to hold.
    pub fn only_match(&self) -> Option<&str> {
        let mut plain = self.matches.iter().filter(|(_, how)| *how != Match::Since);
        plain.next().filter(|_| plain.next().is_none()).map(|(column, _)| column.as_str())
    }

    /// The first row that fits in the only column that inputs are held against, or null.
    pub fn find(&self, input: &Value, today: &Value) -> Result<&Value, String> {
        let Some(only) = self.only_match() else {
            return Err(format!("table `{}` is not looked up by one column", self.id));
        };
        Ok(self.row(self.groups.first(|column| (column == only).then_some(input), today)))
    }

    /// What a search for a row comes to.
    pub fn explain(&self, inputs: &Map<String, Value>, today: &Value) -> Search<'_> {
        let at = self.groups.first(|column| inputs.get(column), today);
        let narrowed = self.groups.narrowed(|column| inputs.get(column));
        Search { at, row: self.row(at), of: self.list().len(), narrowed }
    }

    /// The rows that hold today, a date.
    pub fn rows(&self, today: &Value) -> Value {
        self.groups.that_hold(today).filter_map(|at| self.rows.get(at).cloned()).collect()
    }

    /// All rows, while they hold on every day.
    pub fn all(&self) -> Option<&Value> {
        self.matches.iter().all(|(_, how)| *how != Match::Since).then_some(&self.rows)
    }

    /// Those of them that have this text in this column; `None`: all have to be looked at.
    pub fn rows_with(&self, column: &str, text: &str) -> Option<Vec<&Value>> {
        self.cells.with(self.all()?, column, text)
    }

    fn list(&self) -> &[Value] {
        self.rows.as_array().map_or(&[], Vec::as_slice)
    }

    fn row(&self, at: Option<usize>) -> &Value {
        at.and_then(|at| self.rows.get(at)).unwrap_or(&Value::Null)
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Names of the columns that inputs are held against.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.matches.iter().map(|(name, _)| name.as_str())
    }

    /// What stands in a column of all rows.
    fn cells<'t>(&'t self, column: &str) -> impl Iterator<Item = &'t Value> {
        self.list().iter().filter_map(move |row| row.get(column)).filter(|cell| !cell.is_null())
    }
}

//! Reference data: CSV files with a header, the first column is the key. Indexed on first use, so
//! that 20,000 rows cost nothing at start; always live.

use crate::cells::Cells;
use crate::source::{Node, Span};
use engine_statechart::Problem;
use engine_statechart::source::digest_of;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

#[derive(Clone, Debug, Default)]
pub struct Masters {
    map: BTreeMap<String, Arc<Master>>,
}

impl Masters {
    pub fn insert(&mut self, master: Arc<Master>) {
        self.map.insert(master.name.clone(), master);
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Master>> {
        self.map.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Master>> {
        self.map.values()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// The row of a key, or null.
    pub fn lookup(&self, name: &str, key: &str) -> Result<Value, String> {
        let master = self.map.get(name).ok_or_else(|| format!("unknown master data `{name}`"))?;
        Ok(master.get(key).map_or(Value::Null, Value::Object))
    }
}

/// One file of reference data.
#[derive(Debug)]
pub struct Master {
    pub name: String,
    pub title: String,
    pub source: String,
    pub licence: String,
    path: String,
    bytes: Arc<[u8]>,
    kinds: BTreeMap<String, CellKind>,
    /// Column and value of the rows that a search finds; by its key every row is found.
    offered: Vec<(String, String)>,
    data: OnceLock<Data>,
    /// All rows as an expression has them, once one asks for them.
    listed: OnceLock<Value>,
    cells: OnceLock<Cells>,
    digest: OnceLock<u64>,
}

#[derive(Debug, Default)]
struct Data {
    columns: Vec<String>,
    kinds: Vec<CellKind>,
    /// All cells, row by row.
    cells: Vec<Box<str>>,
    index: HashMap<Box<str>, u32>,
    problems: Vec<Problem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
enum CellKind {
    Text,
    Int,
    Money,
    Bool,
}

/// Most rows that an expression may have at once; what has more is looked up by its key.
pub const ROWS_MAX: usize = 2_000;

const MASTER_BYTES_MAX: usize = 64 * 1024 * 1024;

impl Master {
    /// `note`: `{title, source, licence, columns?: {name: int|money|bool|text}, offered?: {name: value}}` beside the CSV.
    pub fn new(name: &str, path: &str, bytes: Arc<[u8]>, note: Option<&Node>, problems: &mut Vec<Problem>) -> Master {
        let mut master = Master {
            name: name.to_owned(),
            title: name.to_owned(),
            source: String::new(),
            licence: String::new(),
            path: path.to_owned(),
            bytes,
            kinds: BTreeMap::new(),
            offered: Vec::new(),
            data: OnceLock::new(),
            listed: OnceLock::new(),
            cells: OnceLock::new(),
            digest: OnceLock::new(),
        };
        if master.bytes.len() > MASTER_BYTES_MAX {
            problems.push(Problem::error(
                "size",
                &master.place(1),
                format!("at most {MASTER_BYTES_MAX} bytes are read"),
            ));
            master.bytes = Arc::from(&b""[..]);
        }
        match note.and_then(|n| {
            crate::fields::MapReader::open(
                n,
                "a note on master data",
                &["title", "source", "licence", "version", "columns", "offered", "note"],
                problems,
            )
        }) {
            Some(mut fields) => {
                master.title = fields.text("title").unwrap_or_else(|| name.to_owned());
                master.source = fields.need_text("source");
                master.licence = fields.text("licence").unwrap_or_default();
                for (key, value) in fields.entries("offered") {
                    master.offered.push((key.name.clone(), value.as_str().unwrap_or_default().to_owned()));
                }
                for (key, value) in fields.entries("columns") {
                    let kind = match value.as_str().unwrap_or_default() {
                        "int" => CellKind::Int,
                        "money" => CellKind::Money,
                        "bool" => CellKind::Bool,
                        "text" => CellKind::Text,
                        other => {
                            fields.problems.push(
                                Problem::error("value", &value.span, format!("unknown column kind `{other}`"))
                                    .hint("int, money, bool, text"),
                            );
                            continue;
                        }
                    };
                    master.kinds.insert(key.name.clone(), kind);
                }
            }
            None => {
                let note =
                    format!("beside it belongs {}.yaml with title, source and licence", path.trim_end_matches(".csv"));
                problems.push(
                    Problem::warning("source", &master.place(1), "the data does not say where it comes from")
                        .hint(note),
                );
            }
        }
        master
    }

    /// Which data are the same, with overwhelming likelihood.
    pub(crate) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest_of(&(&self.bytes, &self.kinds)))
    }

    pub fn get(&self, key: &str) -> Option<Map<String, Value>> {
        let data = self.data();
        data.index.get(key).map(|row| data.row(*row as usize))
    }

    /// All of them, for what lists them: at most [`ROWS_MAX`], which the check of definitions sees to.
    pub fn rows(&self) -> &Value {
        self.listed.get_or_init(|| {
            let data = self.data();
            (0..data.rows()).map(|row| Value::Object(data.row(row))).collect()
        })
    }

    /// Those of them that have this text in this column; `None`: all have to be looked at.
    pub fn rows_with(&self, column: &str, text: &str) -> Option<Vec<&Value>> {
        let cells = self.cells.get_or_init(|| Cells::new(self.columns().iter().map(String::as_str)));
        cells.with(self.rows(), column, text)
    }

    /// Names of the columns, read from the first line alone.
    pub fn header(&self) -> Vec<&str> {
        let line = self.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = std::str::from_utf8(line).unwrap_or_default().trim_start_matches('\u{feff}').trim_end();
        line.split(',').map(|name| name.trim_matches('"')).collect()
    }

    pub fn columns(&self) -> &[String] {
        &self.data().columns
    }

    pub fn len(&self) -> usize {
        self.data().index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows whose columns equal `filters` and one of whose cells contains `q` (case aside); rows that
    /// start with it come first. The flag says that there are more than `limit`.
    pub fn find(&self, q: &str, filters: &[(String, String)], limit: usize) -> (Vec<Value>, bool) {
        let data = self.data();
        let q = crate::form::digits(q.trim()).to_lowercase();
        let filters: Option<Vec<(usize, &str)>> = filters
            .iter()
            .chain(&self.offered)
            .map(|(column, value)| Some((data.columns.iter().position(|c| c == column)?, value.as_str())))
            .collect();
        let Some(filters) = filters else { return (Vec::new(), false) };
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for row in 0..data.rows() {
            let cells = data.cells_of(row);
            if !filters.iter().all(|(i, value)| cells[*i].eq_ignore_ascii_case(value)) {
                continue;
            }
            // nobody looks for the address of a picture
            let mut words = cells.iter().filter(|cell| !cell.starts_with('/'));
            if q.is_empty() || words.clone().any(|c| starts_with(c, &q)) {
                first.push(row);
            } else if later.len() <= limit && words.any(|c| c.to_lowercase().contains(&q)) {
                later.push(row);
            }
            if first.len() > limit {
                break;
            }
        }
        first.extend(later);
        let more = first.len() > limit;
        (first.into_iter().take(limit).map(|row| Value::Object(data.row(row))).collect(), more)
    }

    /// Reads the whole file now and says what is wrong with it.
    pub fn problems(&self) -> &[Problem] {
        &self.data().problems
    }

    fn data(&self) -> &Data {
        self.data.get_or_init(|| self.read())
    }

    fn read(&self) -> Data {
        let mut data = Data::default();
        let Ok(text) = std::str::from_utf8(&self.bytes) else {
            data.problems.push(Problem::error("encoding", &self.place(1), "the file is not UTF-8 text"));
            return data;
        };
        let mut rows = Rows { text: text.trim_start_matches('\u{feff}'), line: 1 };
        let Some((_, columns)) = rows.next() else {
            data.problems.push(Problem::error("empty", &self.place(1), "the file is empty"));
            return data;
        };
        data.columns = columns.iter().map(|c| c.to_string()).collect();
        data.kinds = data.columns.iter().map(|c| self.kinds.get(c).copied().unwrap_or(CellKind::Text)).collect();
        let named = self.kinds.keys().chain(self.offered.iter().map(|(column, _)| column));
        for name in named.filter(|k| !data.columns.contains(k)) {
            data.problems.push(Problem::error(
                "unknown-name",
                &self.place(1),
                format!("the note names a column `{name}` that is not in the header"),
            ));
        }
        for (line, cells) in rows {
            if cells.len() != data.columns.len() {
                data.complain(
                    &self.place(line),
                    "shape",
                    format!("{} cells in a row of {} columns", cells.len(), data.columns.len()),
                );
                continue;
            }
            if let Some(i) = (0..cells.len()).find(|i| !data.kinds[*i].accepts(&cells[*i])) {
                data.complain(
                    &self.place(line),
                    "value",
                    format!("the cell of `{}` does not fit its kind", data.columns[i]),
                );
            }
            let row = data.rows() as u32;
            if data.index.insert(cells[0].clone(), row).is_some() {
                data.complain(&self.place(line), "duplicate-key", format!("duplicate key `{}`", cells[0]));
            }
            data.cells.extend(cells);
        }
        data
    }

    fn place(&self, line: u32) -> Span {
        Span::new(&Arc::from(self.path.as_str()), line, 1)
    }
}

impl Data {
    fn complain(&mut self, span: &Span, code: &'static str, message: String) {
        if self.problems.len() < 50 {
            self.problems.push(Problem::error(code, span, message));
        }
    }

    fn rows(&self) -> usize {
        if self.columns.is_empty() { 0 } else { self.cells.len() / self.columns.len() }
    }

    fn cells_of(&self, row: usize) -> &[Box<str>] {
        let width = self.columns.len();
        &self.cells[row * width..(row + 1) * width]
    }

    fn row(&self, row: usize) -> Map<String, Value> {
        let cells = self.cells_of(row).iter().zip(&self.kinds).map(|(cell, kind)| kind.value(cell));
        self.columns.iter().cloned().zip(cells).collect()
    }
}

impl CellKind {
    fn accepts(self, cell: &str) -> bool {
        cell.is_empty()
            || match self {
                CellKind::Text => true,
                _ => !self.value(cell).is_null(),
            }
    }

    fn value(self, cell: &str) -> Value {
        match self {
            CellKind::Text => Value::String(cell.to_owned()),
            CellKind::Int => cell.parse::<i64>().map_or(Value::Null, Value::from),
            CellKind::Money => {
                cell.parse::<i64>().ok().or_else(|| crate::values::money::parse(cell)).map_or(Value::Null, Value::from)
            }
            CellKind::Bool => match cell {
                "true" | "1" | "yes" => Value::Bool(true),
                "false" | "0" | "no" => Value::Bool(false),
                _ => Value::Null,
            },
        }
    }
}

fn starts_with(cell: &str, q: &str) -> bool {
    cell.get(..q.len()).is_some_and(|head| head.eq_ignore_ascii_case(q))
}

/// RFC 4180 rows with the line on which each starts.
struct Rows<'a> {
    text: &'a str,
    line: u32,
}

impl Iterator for Rows<'_> {
    type Item = (u32, Vec<Box<str>>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(rest) = self.text.strip_prefix('\n').or_else(|| self.text.strip_prefix("\r\n")) {
            self.text = rest;
            self.line += 1;
        }
        if self.text.is_empty() {
            return None;
        }
        let line = self.line;
        let mut cells = Vec::new();
        loop {
            let end = if self.text.starts_with('"') {
                let (cell, used) = read_quoted(self.text);
                self.line += cell.matches('\n').count() as u32;
                cells.push(cell.into_boxed_str());
                used
            } else {
                let used = self.text.find([',', '\n']).unwrap_or(self.text.len());
                cells.push(self.text[..used].trim_end_matches('\r').trim().into());
                used
            };
            self.text = &self.text[end..];
            match self.text.strip_prefix(',') {
                Some(rest) => self.text = rest,
                None => break,
            }
        }
        let end = self.text.find('\n').map_or(self.text.len(), |i| i + 1);
        self.line += u32::from(end > 0);
        self.text = &self.text[end..];
        Some((line, cells))
    }
}

/// The content of a cell in quotes and the bytes that it takes.
fn read_quoted(text: &str) -> (String, usize) {
    let mut cell = String::new();
    let mut at = 1;
    while let Some(length) = text[at..].find('"') {
        cell.push_str(&text[at..at + length]);
        at += length + 1;
        if text[at..].starts_with('"') {
            cell.push('"');
            at += 1;
        } else {
            return (cell, at);
        }
    }
    cell.push_str(&text[at..]);
    (cell, text.len())
}

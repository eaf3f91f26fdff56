//! Contracts: what a workflow asks of a partner and what it gets, whoever answers. A contract is pinned with the
//! journeys; operations are live and are held against every contract that is in use.

use crate::extends::ExtendableFiles;
use crate::fields::{MapReader, unknown};
use crate::form::personal_kind;
use crate::layout::FileKind;
use crate::policy::FLOOR;
use crate::shape::{Misfit, PathTarget, Shape};
use crate::source::{Node, Nodes};
use crate::table::{self, Columns};
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Contracts by id (`<line>/<name>`).
pub type Contracts = BTreeMap<String, Arc<Contract>>;

#[derive(Clone, Debug)]
pub struct Contract {
    pub id: String,
    pub title: String,
    pub input: Shape,
    pub output: Shape,
    pub errors: ErrorTable,
    /// What a call by it takes of a customer.
    pub takes: Vec<Takes>,
    /// The input that names who is sent a message by a call: such calls are counted by receiver.
    pub sends: Option<String>,
    /// The file and those that it extends or takes its errors from.
    pub files: BTreeSet<String>,
    /// The file and those that it extends.
    bases: BTreeSet<String>,
}

/// What is taken of a customer alone, and only once a number was verified in the journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Money,
    Agreement,
}

impl Takes {
    pub(crate) const ALL: [Takes; 2] = [Takes::Money, Takes::Agreement];

    pub const fn word(self) -> &'static str {
        match self {
            Takes::Money => "money",
            Takes::Agreement => "agreement",
        }
    }

    fn read(fields: &mut MapReader<'_, '_>) -> Vec<Takes> {
        let words = fields.texts("takes");
        let at = fields.get("takes").map_or(&[][..], Node::items);
        let found = words.iter().zip(at).map(|(word, at)| {
            let found = Takes::ALL.into_iter().find(|takes| takes.word() == word);
            if found.is_none() {
                fields.problems.push(unknown("word", at, word, Takes::ALL.map(Takes::word)));
            }
            found
        });
        found.flatten().collect()
    }
}

/// What is known of each error code; the row of a code travels with the error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorTable {
    columns: Vec<String>,
    /// Rows by error code, in the order of the file.
    rows: IndexMap<String, Map<String, Value>>,
    /// Codes that tell something personal, each with its kind.
    personal: BTreeMap<String, String>,
}

/// The row for every code that has none.
pub const ANY: &str = "any";
pub(crate) const KEYS: [&str; 7] = ["title", "description", "takes", "sends", "input", "output", "errors"];
/// What every error has besides the columns of its contract.
pub const ERROR_FIELDS: [&str; 5] = ["kind", "code", "row", "message", "pointer"];

/// Every contract of the files.
pub(crate) fn compile(nodes: &Nodes, problems: &mut Vec<Problem>) -> Contracts {
    let id = |kind| if let FileKind::Contract(id) = kind { Some(id) } else { None };
    let kind = ExtendableFiles::of(nodes, "contract", id);
    kind.names().filter_map(|id| Some((id.to_owned(), Arc::new(Contract::compile(id, &kind, problems)?)))).collect()
}

impl Contract {
    fn compile(id: &str, kind: &ExtendableFiles<'_>, problems: &mut Vec<Problem>) -> Option<Contract> {
        let mut files = BTreeSet::new();
        let tree = kind.resolve(kind.paths.get(id)?, &mut files, problems)?;
        let bases = files.clone();
        let mut fields = MapReader::open(&tree, "a contract", &KEYS, problems)?;
        let title = fields.need_text("title");
        let takes = Takes::read(&mut fields);
        let sends = fields.text("sends");
        let shape = |node: Option<&Node>, problems: &mut Vec<Problem>| {
            let Some(node) = node else { return Shape::empty() };
            if !node.is_map() {
                let message = format!("a map from names to shapes is expected, not {}", node.kind());
                problems.push(Problem::error("shape", &node.span, message));
            }
            Shape::read(node, problems)
        };
        let input = shape(fields.get("input"), fields.problems);
        fields.get("input").into_iter().for_each(|input| check_marks(input, fields.problems));
        if let (Some(receiver), Some(at)) = (&sends, fields.get("sends")) {
            let known: Vec<&str> = fields.entries("input").iter().map(|(key, _)| key.name.as_str()).collect();
            if !known.contains(&receiver.as_str()) {
                fields.problems.push(unknown("input", at, receiver, known));
            }
        }
        let output = shape(fields.get("output"), fields.problems);
        let errors = match fields.get("errors") {
            Some(node) => errors(node, kind, &mut files, fields.problems),
            None => ErrorTable::default(),
        };
        Some(Contract { id: id.to_owned(), title, input, output, errors, takes, sends, files, bases })
    }

    /// Whether it is made of that contract.
    pub fn extends(&self, id: &str) -> bool {
        self.bases.contains(&crate::layout::contract_file(id))
    }

    /// The input with its defaults; an error when it does not fit.
    pub fn input(&self, input: &Value) -> Result<Value, Misfit> {
        let filled = self.input.fill(input.clone());
        self.input.misfit(&filled).map_or(Ok(filled), Err)
    }

    /// The output with its defaults; an error when it does not fit.
    pub fn output(&self, output: Value) -> Result<Value, Misfit> {
        let filled = self.output.fill(output);
        self.output.misfit(&filled).map_or(Ok(filled), Err)
    }

    /// Why journeys that hold `old` cannot go on with this: each reason.
    pub fn breaks(&self, old: &Contract) -> Vec<String> {
        let input = self.input.refuses(&old.input).map(|misfit| format!("input {misfit}"));
        let output = self.output.gives_less(&old.output).map(|misfit| format!("output {misfit}"));
        input.into_iter().chain(output).collect()
    }

    /// `{code: {column: …}}`: the variable `contract.errors` of sandbox scripts.
    pub fn errors_json(&self) -> Value {
        let coded = self.errors.rows.iter().filter(|(code, _)| *code != ANY);
        Value::Object(coded.map(|(code, row)| (code.clone(), Value::Object(row.clone()))).collect())
    }

    /// Problem for a path of the input that is not there, such as `owner.name`.
    pub(crate) fn unknown_input(&self, path: &[&str]) -> Option<(String, Option<String>)> {
        not_there("input", &self.input, path)
    }
}

/// What a partner gets under a well-known name carries the mark of its kind.
fn check_marks(properties: &Node, problems: &mut Vec<Problem>) {
    for (key, shape) in properties.map() {
        let inner = shape.get("properties").or_else(|| shape.get("items"));
        let is_schema = shape.get("type").is_some() || shape.get("enum").is_some();
        // The id of a file says nothing of what is on it.
        let is_file = shape.get("format").and_then(Node::as_str) == Some("document");
        let is_text =
            shape.as_str().or_else(|| shape.get("type")?.as_str()).is_some_and(|kind| kind == "string" && !is_file);
        let has_mark = ["x-pii", "x-secret"].iter().any(|mark| shape.get(mark).is_some());
        if let Some(kind) = personal_kind(&key.name).filter(|_| is_text && !has_mark && shape.get("enum").is_none()) {
            let message = format!("`{}` looks like personal data, and a partner is told it", key.name);
            problems.push(Problem::error(FLOOR, &key.span, message).hint(format!("x-pii: {kind}")));
        }
        match inner {
            Some(inner) => check_marks(inner, problems),
            None if !is_schema => shape.items().iter().for_each(|shape| check_marks(shape, problems)),
            None => {}
        }
    }
}

/// What is wrong with a path into a shape, and a hint.
pub(crate) fn not_there(root: &str, shape: &Shape, path: &[&str]) -> Option<(String, Option<String>)> {
    let PathTarget::Unknown { at, known } = shape.find(path) else { return None };
    let shown = format!("{root}.{}", path[..=at].join("."));
    let hint = did_you_mean(path[at], known.iter().copied())
        .or_else(|| (!known.is_empty()).then(|| format!("it has `{}`", known.join("`, `"))));
    Some((shown, hint))
}

impl ErrorTable {
    /// What the rows have in a column of texts.
    pub fn texts<'t>(&'t self, column: &'t str) -> impl Iterator<Item = &'t str> {
        self.rows.values().filter_map(move |row| row.get(column)?.as_str())
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str)
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str).filter(|code| *code != ANY)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn has(&self, code: &str) -> bool {
        self.rows.contains_key(code)
    }

    /// Codes that tell something personal of a customer, each with its kind (`x-pii`).
    pub fn personal(&self) -> impl Iterator<Item = (&str, &str)> {
        self.personal.iter().map(|(code, kind)| (code.as_str(), kind.as_str()))
    }

    /// The columns of a code, `{{row}}` in their texts replaced.
    pub fn of(&self, code: &str, row: &str) -> Map<String, Value> {
        let found = self.rows.get(code).or_else(|| self.rows.get(ANY));
        let put = |value: &Value| match value {
            Value::String(text) => Value::String(put_row(text, row).into_owned()),
            other => other.clone(),
        };
        found.into_iter().flatten().map(|(column, value)| (column.clone(), put(value))).collect()
    }
}

/// `/people/{{row}}/dob` with the row's key as a part of a JSON pointer.
fn put_row<'t>(text: &'t str, row: &str) -> Cow<'t, str> {
    if text.contains("{{row}}") {
        Cow::Owned(text.replace("{{row}}", &row.replace('~', "~0").replace('/', "~1")))
    } else {
        Cow::Borrowed(text)
    }
}

fn errors(
    node: &Node,
    kind: &ExtendableFiles<'_>,
    files: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> ErrorTable {
    let mut node = Cow::Borrowed(node);
    // A contract may take the errors of another, which may do the same.
    let mut taken: BTreeSet<String> = BTreeSet::new();
    while let Some(name) = node.as_str().map(str::to_owned) {
        let Some(path) = kind.paths.get(name.as_str()) else {
            problems.push(crate::fields::unknown("contract", &node, &name, kind.names()));
            return ErrorTable::default();
        };
        if !taken.insert(name) {
            problems.push(Problem::error("extends-cycle", &node.span, "`errors` goes round in a circle"));
            return ErrorTable::default();
        }
        let Some(tree) = kind.resolve(path, files, problems) else { return ErrorTable::default() };
        match tree.get("errors") {
            Some(errors) => node = Cow::Owned(errors.clone()),
            None => return ErrorTable::default(),
        }
    }
    let Some(mut fields) = MapReader::open(&node, "`errors`", &["columns", "rows", "x-pii"], problems) else {
        return ErrorTable::default();
    };
    let columns: Columns = table::read_columns(&mut fields);
    for name in columns.keys().filter(|name| ERROR_FIELDS.contains(&name.as_str())) {
        fields.problems.push(Problem::error("bad-key", &node.span, format!("every error already has `{name}`")));
    }
    fields.need("rows");
    let rows: IndexMap<String, Map<String, Value>> = fields
        .entries("rows")
        .iter()
        .map(|(code, cells)| (code.name.clone(), table::read_row(cells, &columns, fields.problems)))
        .map(|(code, row)| (code, row.into_iter().map(|(k, v)| (k, if v.is_null() { "".into() } else { v })).collect()))
        .collect();
    if !rows.contains_key(ANY) {
        let at = fields.get("rows").map_or(&node.span, |n| &n.span);
        let problem = Problem::error("missing", at, format!("`errors` needs a row `{ANY}`, for codes that have none"));
        fields.problems.push(problem);
    }
    let mut personal = BTreeMap::new();
    for (kind, codes) in fields.entries("x-pii") {
        for code in codes.items() {
            let name = code.as_str().unwrap_or_default();
            if !rows.contains_key(name) {
                fields.problems.push(crate::fields::unknown("code", code, name, rows.keys().map(String::as_str)));
            }
            personal.insert(name.to_owned(), kind.name.clone());
        }
    }
    ErrorTable { columns: columns.keys().cloned().collect(), rows, personal }
}

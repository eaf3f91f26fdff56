//! Files that people send: which kinds there are is a table, and a field of a form asks for one of them.

use crate::fields::unknown;
use crate::source::{Key, Node, Nodes, Value as Source};
use crate::table::Table;
use engine_statechart::Problem;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Table of the kinds of files that a form may ask for.
pub const FILE_KINDS: &str = "shared/document_kinds";
pub(crate) const FILE_KINDS_FILE: &str = "workflows/shared/tables/document_kinds.yaml";

/// What a file may be, and what a browser offers to choose from then. Pictures as some phones keep them are not named:
/// where nobody asks for them, these phones send others.
const MEDIA: [(&str, &str); 3] = [
    ("picture", "image/jpeg,image/png,image/webp"),
    ("pdf", "application/pdf"),
    ("video", "video/mp4,video/quicktime,video/webm"),
];
/// Contracts of what scans a file and what reads it.
const SCANS: &str = "shared/scan-file";
const READS: &str = "shared/read-document";
/// The id of a file.
const ID_CHARS: i64 = 32;
const FILES_MAX: i64 = 20;
pub(crate) const WIDGET: &str = "upload";

/// What is asked of files of a kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UploadKind {
    pub kind: String,
    pub media: Vec<String>,
    /// Most files of this kind in one journey.
    pub files: usize,
    /// Least length of one side of a picture, `height_min` of the other, whichever way it is held; 0: any.
    pub width_min: u32,
    pub height_min: u32,
    /// The operation (`partner/operation`) that must have found it clean before anybody gets it; empty: none.
    pub scan: String,
    /// The operation that reads it; empty: none.
    pub read: String,
    /// Whether a file stays with a record that a law keeps on its person's account.
    pub kept: bool,
}

impl UploadKind {
    pub(crate) fn of(kind: &str, kinds: Option<&Arc<Table>>) -> Option<UploadKind> {
        let row = kinds?.find(&kind.into(), &Value::Null).ok().filter(|row| row.is_object())?;
        let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
        let number = |column: &str| u32::try_from(row[column].as_i64().unwrap_or_default()).unwrap_or_default();
        let media = row["media"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Some(UploadKind {
            kind: kind.to_owned(),
            media: media.map(str::to_owned).collect(),
            files: number("files") as usize,
            width_min: number("min_width"),
            height_min: number("min_height"),
            scan: text("scan"),
            read: text("read"),
            kept: row["kept"] == Value::Bool(true),
        })
    }

    pub(crate) fn verify(kinds: &Table, node: &Node, problems: &mut Vec<Problem>) {
        let mut wrong = |message: String| problems.push(Problem::error("uploads", &node.span, message));
        if kinds.only_match() != Some("kind") {
            wrong("a kind of file is found by its `kind`: `match: {kind: equals}`".into());
        }
        for row in kinds.rows(&Value::Null).as_array().into_iter().flatten() {
            let kind = row["kind"].as_str().unwrap_or_default();
            let media: Vec<_> = row["media"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if media.is_empty() || media.iter().any(|word| accept(word).is_none()) {
                let words = MEDIA.map(|(word, _)| word).join(", ");
                wrong(format!("`media` of `{kind}` is a list of {words}"));
            }
            if !row["files"].as_i64().is_some_and(|files| (1..=FILES_MAX).contains(&files)) {
                wrong(format!("`files` of `{kind}` is a number up to {FILES_MAX}"));
            }
        }
    }

    /// What scans and reads is an operation of a partner, by these contracts.
    pub(crate) fn verify_operations(
        kinds: &Table,
        node: &Node,
        contract_of: impl Fn(&str) -> Option<String>,
        problems: &mut Vec<Problem>,
    ) {
        for row in kinds.rows(&Value::Null).as_array().into_iter().flatten() {
            for (column, contract) in [("scan", SCANS), ("read", READS)] {
                let named = row[column].as_str().unwrap_or_default();
                if !named.is_empty() && contract_of(named).as_deref() != Some(contract) {
                    let kind = row["kind"].as_str().unwrap_or_default();
                    let message = format!("`{column}` of `{kind}`: `{named}` is no operation by `{contract}`");
                    let problem = Problem::error("uploads", &node.span, message);
                    problems.push(problem.hint("<partner>/<operation>, or nothing"));
                }
            }
        }
    }
}

fn accept(media: &str) -> Option<&'static str> {
    MEDIA.iter().find(|(word, _)| *word == media).map(|(_, accept)| *accept)
}

/// The kinds as they are written, for forms: a form says to the browser what its fields take.
struct Written<'n> {
    columns: Vec<&'n str>,
    rows: &'n [Node],
}

impl<'n> Written<'n> {
    fn of(nodes: &'n Nodes) -> Option<Written<'n>> {
        let table = nodes.get(FILE_KINDS_FILE)?;
        let columns = table.get("columns")?.map().iter().map(|(key, _)| key.name.as_str()).collect();
        Some(Written { columns, rows: table.get("rows")?.items() })
    }

    fn cell(&self, row: &'n Node, column: &str) -> Option<&'n Node> {
        row.list().get(self.columns.iter().position(|known| *known == column)?)
    }

    fn row(&self, kind: &str) -> Option<&'n Node> {
        self.rows.iter().find(|row| self.cell(row, "kind").and_then(Node::as_str) == Some(kind))
    }

    fn kinds(&self) -> impl Iterator<Item = &'n str> {
        self.rows.iter().filter_map(|row| self.cell(row, "kind")?.as_str())
    }
}

/// Makes explicit what a field for files takes. `files` are those that the form is made of.
pub(crate) fn complete(form: &mut Node, nodes: &Nodes, files: &mut BTreeSet<String>, problems: &mut Vec<Problem>) {
    if is_upload(form) {
        return field(form, nodes, files, problems);
    }
    match &mut form.value {
        Source::List(items) => items.iter_mut().for_each(|item| complete(item, nodes, files, problems)),
        Source::Map(map) => map.iter_mut().for_each(|(_, inner)| complete(inner, nodes, files, problems)),
        _ => {}
    }
}

fn is_upload(rule: &Node) -> bool {
    rule.get("type").is_some()
        && rule.get("x-ui").and_then(|ui| ui.get("widget")).and_then(Node::as_str) == Some(WIDGET)
}

fn field(rule: &mut Node, nodes: &Nodes, files: &mut BTreeSet<String>, problems: &mut Vec<Problem>) {
    let span = rule.span.clone();
    let node = |value: Source| Node::new(span.clone(), value);
    let text = |text: &str| node(Source::String(text.to_owned()));
    let key = |name: &str| Key { span: span.clone(), name: name.to_owned() };
    let put = |map: &mut Node, name: &str, value: Node| {
        if map.get(name).is_none()
            && let Some(entries) = map.map_mut()
        {
            entries.push((key(name), value));
        }
    };
    let Some(ui) = rule.get("x-ui").cloned() else { return };
    let at = ui.get("kind").unwrap_or(&ui);
    let written = Written::of(nodes);
    let named = ui.get("kind").and_then(Node::as_str);
    let found = written.as_ref().zip(named).and_then(|(kinds, named)| Some((kinds, kinds.row(named)?)));
    if found.is_none() {
        let known: Vec<&str> = written.iter().flat_map(Written::kinds).collect();
        problems.push(match named {
            Some(named) => unknown("kind of file", at, named, known),
            None => Problem::error("missing", &at.span, "widget `upload` needs `kind`").hint(FILE_KINDS_FILE),
        });
    }
    let cell = |column: &str| found.and_then(|(kinds, row)| kinds.cell(row, column));
    if written.is_some() {
        files.insert(FILE_KINDS_FILE.to_owned());
    }
    let is_list = rule.get("type").and_then(Node::as_str) == Some("array");
    let most = cell("files").and_then(Node::as_int).unwrap_or(1);
    let asked = ui.get("max").or_else(|| rule.get("maxItems"));
    let max = match asked.and_then(Node::as_int) {
        _ if !is_list => 1,
        Some(max) if (1..=most).contains(&max) => max,
        Some(_) => {
            let message = format!("there are 1 to {most} files of this kind");
            problems.push(Problem::error("value", &asked.unwrap_or(at).span, message));
            most
        }
        None => most,
    };
    let media: Vec<&str> = match cell("media").map(|cell| (cell.as_str(), cell.items())) {
        Some((Some(word), _)) => vec![word],
        Some((None, words)) => words.iter().filter_map(Node::as_str).collect(),
        None => Vec::new(),
    };
    let accepted: Vec<&str> = media.iter().filter_map(|word| accept(word)).collect();
    if is_list {
        let item = Source::Map(vec![(key("type"), text("string")), (key("maxLength"), node(Source::Int(ID_CHARS)))]);
        put(rule, "items", node(item));
        put(rule, "maxItems", node(Source::Int(max)));
        put(rule, "uniqueItems", node(Source::Bool(true)));
    } else {
        put(rule, "maxLength", node(Source::Int(ID_CHARS)));
    }
    let entries = rule.map_mut().into_iter().flatten();
    if let Some((_, ui)) = entries.into_iter().find(|(key, _)| key.name == "x-ui") {
        put(ui, "max", node(Source::Int(max)));
        put(ui, "media", node(Source::List(media.iter().map(|word| text(word)).collect())));
        put(ui, "accept", text(&accepted.join(",")));
    }
}

/// A file in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadAnswer {
    /// JSON pointer of the field.
    pub pointer: String,
    pub kind: String,
    pub id: String,
}

/// The files that an answer names; `schema` is a form, or what a variant makes of it.
pub(crate) fn collect_answers(schema: &Value, data: &Value, at: &str, found: &mut Vec<UploadAnswer>) {
    for (name, rule) in crate::form::properties(schema) {
        let Some(value) = data.get(name).filter(|value| !value.is_null()) else { continue };
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        if let Some(kind) = kind_of(rule) {
            let ids = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            found.extend(ids.iter().map(|id| UploadAnswer {
                pointer: pointer.clone(),
                kind: kind.to_owned(),
                id: id.as_str().unwrap_or_default().to_owned(),
            }));
        } else if let Some(items) = rule.get("items").filter(|items| items.get("properties").is_some()) {
            for (i, row) in value.as_array().into_iter().flatten().enumerate() {
                collect_answers(items, row, &format!("{pointer}/{i}"), found);
            }
        } else {
            collect_answers(rule, value, &pointer, found);
        }
    }
}

/// Kinds of files that a schema asks for, at any depth.
pub(crate) fn kinds(schema: &Value, found: &mut BTreeSet<String>) {
    for (_, rule) in crate::form::properties(schema) {
        found.extend(kind_of(rule).map(str::to_owned));
        kinds(rule, found);
        rule.get("items").into_iter().for_each(|items| kinds(items, found));
    }
}

/// Whether a field holds files.
pub(crate) fn is_file(rule: &Value) -> bool {
    kind_of(rule).is_some()
}

fn kind_of(rule: &Value) -> Option<&str> {
    let ui = rule.get("x-ui").filter(|ui| ui.get("widget").and_then(Value::as_str) == Some(WIDGET))?;
    ui.get("kind")?.as_str()
}

//! The only reader of authored text: YAML and JSON files become [`Node`]s with positions.
//! Refused with a position: duplicate keys, bombs (size, depth, aliases), several documents,
//! numbers that are not what they look like. Every mistake of a file is reported, not the first.

mod front;
mod json;
mod yaml;

pub(crate) use front::BODY;
pub(crate) use yaml::is_text;

use engine_statechart::Problem;
pub use engine_statechart::source::{Key, Node, Span, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files that were read, by path; one that reads the same in several languages is there once.
pub(crate) type Nodes = BTreeMap<String, Arc<Node>>;

/// Bounds of one file.
pub const FILE_BYTES_MAX: usize = 256 * 1024;
pub const DEPTH_MAX: usize = 32;
pub const NODES_MAX: usize = 60_000;

/// Reads one file by its extension: `.json` as JSON, `.md` as a row in Markdown, all else as YAML.
pub fn read(path: &str, bytes: &[u8]) -> Result<Node, Vec<Problem>> {
    match read_all(path, bytes) {
        (Some(node), problems) if problems.is_empty() => Ok(node),
        (_, problems) => Err(problems),
    }
}

/// Reads a file as `read` does, and beside problems such as duplicate keys the rest of the file, so that it can be
/// checked too. Of a duplicate key the first value stays.
pub fn read_all(path: &str, bytes: &[u8]) -> (Option<Node>, Vec<Problem>) {
    let file: Arc<str> = Arc::from(path);
    let start = Span::new(&file, 1, 1);
    if bytes.len() > FILE_BYTES_MAX {
        let message = format!("the file has {} bytes, at most {FILE_BYTES_MAX} are read", bytes.len());
        return (None, vec![Problem::error("size", &start, message)]);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(e) => {
            let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() as u32 + 1;
            return (None, vec![Problem::error("encoding", &Span::new(&file, line, 1), "the file is not UTF-8 text")]);
        }
    };
    match path.rsplit_once('.') {
        Some((_, "json")) => json::read(&file, text),
        Some((_, "md")) => front::read(&file, text),
        _ => yaml::read(&file, text),
    }
}

/// What a reader has used up; shared by both formats.
struct Budget {
    nodes: usize,
}

impl Budget {
    fn new() -> Self {
        Budget { nodes: NODES_MAX }
    }

    fn take(&mut self, nodes: usize, span: &Span) -> Result<(), Problem> {
        match self.nodes.checked_sub(nodes) {
            Some(rest) => {
                self.nodes = rest;
                Ok(())
            }
            None => Err(Problem::error("size", span, format!("more than {NODES_MAX} values in one file"))),
        }
    }

    fn depth(depth: usize, span: &Span) -> Result<(), Problem> {
        if depth > DEPTH_MAX {
            return Err(Problem::error("depth", span, format!("nested deeper than {DEPTH_MAX} levels")));
        }
        Ok(())
    }
}

fn duplicate(key: &Key, first: &Span) -> Problem {
    Problem::error("duplicate-key", &key.span, format!("duplicate key `{}`", key.name))
        .hint(format!("first written in line {}", first.line))
}

/// What an alias costs: the values in the node, itself included, and long texts by their length.
fn count(node: &Node) -> usize {
    const CHARS_PER_VALUE: usize = 64;
    match &node.value {
        Value::List(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Map(entries) => {
            1 + entries.iter().map(|(k, v)| k.name.len() / CHARS_PER_VALUE + count(v)).sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / CHARS_PER_VALUE,
        _ => 1,
    }
}

fn height(node: &Node) -> usize {
    match &node.value {
        Value::List(items) => 1 + items.iter().map(height).max().unwrap_or(0),
        Value::Map(entries) => 1 + entries.iter().map(|(_, v)| height(v)).max().unwrap_or(0),
        _ => 1,
    }
}

//! A parsed document with positions, independent of the file format that it came from.

use crate::expression::Names;
use serde_json::{Map, Number};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Place where a value or key starts; line and column count from 1, 0 means unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl Span {
    pub fn new(file: &Arc<str>, line: u32, column: u32) -> Self {
        Span { file: Arc::clone(file), line, column }
    }

    /// A span for values that no file holds.
    pub fn unknown() -> Self {
        Span { file: Arc::from(""), line: 0, column: 0 }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() { "definition" } else { &self.file };
        if self.line == 0 { f.write_str(file) } else { write!(f, "{file}:{}:{}", self.line, self.column) }
    }
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    pub span: Span,
    pub value: Value,
    /// What names in its expressions mean beside the vocabulary: those of the file it stands in.
    pub names: Option<Arc<Names>>,
}

/// The value of a node; maps keep the order of the file, and the reader has refused duplicate keys.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Clone, Debug)]
pub struct Key {
    pub span: Span,
    pub name: String,
}

impl Key {
    pub fn new(name: impl Into<String>) -> Self {
        Key { span: Span::unknown(), name: name.into() }
    }
}

/// A number that is the same for what is the same, and with overwhelming likelihood for nothing else. It holds within
/// one build of the program.
pub fn digest_of(what: &(impl Hash + ?Sized)) -> u64 {
    let mut digest = DefaultHasher::new();
    what.hash(&mut digest);
    digest.finish()
}

/// What it says and what its names mean, wherever it stands.
impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.value).hash(state);
        match &self.value {
            Value::Null => {}
            Value::Bool(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::Float(value) => value.to_bits().hash(state),
            Value::String(value) => value.hash(state),
            Value::List(items) => items.hash(state),
            Value::Map(entries) => {
                entries.len().hash(state);
                for (key, value) in entries {
                    key.name.hash(state);
                    value.hash(state);
                }
            }
        }
        self.names.as_deref().map(Names::digest).hash(state);
    }
}

impl Node {
    pub fn new(span: Span, value: Value) -> Self {
        Node { span, value, names: None }
    }

    /// A node without positions. Integers beyond 64 signed bits become floats.
    pub fn from_json(json: &serde_json::Value) -> Node {
        let value = match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(b) => Value::Bool(*b),
            serde_json::Value::Number(n) => match n.as_i64() {
                Some(i) => Value::Int(i),
                None => Value::Float(n.as_f64().unwrap_or(f64::MAX)),
            },
            serde_json::Value::String(s) => Value::String(s.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Node::from_json).collect()),
            serde_json::Value::Object(map) => {
                Value::Map(map.iter().map(|(k, v)| (Key::new(k.clone()), Node::from_json(v))).collect())
            }
        };
        Node::new(Span::unknown(), value)
    }

    /// The tree, its expressions read with these names.
    pub fn with_names(mut self, names: &Arc<Names>) -> Node {
        self.name(names);
        self
    }

    fn name(&mut self, names: &Arc<Names>) {
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.name(names)),
            Value::Map(entries) => entries.iter_mut().for_each(|(_, value)| value.name(names)),
            _ => {}
        }
        self.names = Some(Arc::clone(names));
    }

    /// The value alone; a float that JSON cannot hold becomes null.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => serde_json::Value::Bool(*b),
            Value::Int(i) => serde_json::Value::from(*i),
            Value::Float(f) => Number::from_f64(*f).map_or(serde_json::Value::Null, serde_json::Value::Number),
            Value::String(s) => serde_json::Value::String(s.clone()),
            Value::List(items) => serde_json::Value::Array(items.iter().map(Node::to_json).collect()),
            Value::Map(entries) => {
                let map: Map<_, _> = entries.iter().map(|(k, v)| (k.name.clone(), v.to_json())).collect();
                serde_json::Value::Object(map)
            }
        }
    }

    /// Every text within it, in its order.
    pub fn texts(&self) -> Vec<&str> {
        match &self.value {
            Value::String(text) => vec![text],
            Value::List(items) => items.iter().flat_map(Node::texts).collect(),
            Value::Map(entries) => entries.iter().flat_map(|(_, node)| node.texts()).collect(),
            _ => Vec::new(),
        }
    }

    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map().iter().find(|(k, _)| k.name == key).map(|(_, v)| v)
    }

    /// The key itself with its span.
    pub fn key(&self, key: &str) -> Option<&Key> {
        self.map().iter().find(|(k, _)| k.name == key).map(|(k, _)| k)
    }

    /// The entries of a map; nothing for other values.
    pub fn map(&self) -> &[(Key, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn map_mut(&mut self) -> Option<&mut Vec<(Key, Node)>> {
        match &mut self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// The items of a list; nothing for other values.
    pub fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    /// A list's items, or the value itself: "one or a list of".
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(i) => Some(i),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// What an author would call this value: `a map`, `a list`, `a string` …
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

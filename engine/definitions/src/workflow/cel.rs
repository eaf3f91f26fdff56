//! Literals as CEL, for the assignments that the product adds to a machine.

use crate::source::{Node, Value as Source};

/// A text as a literal.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A tree of literals as a tree of expressions that gives it.
pub fn quote_tree(node: &Node) -> Node {
    let value = match &node.value {
        Source::String(text) => Source::String(quote(text)),
        Source::List(items) => Source::List(items.iter().map(quote_tree).collect()),
        Source::Map(entries) => Source::Map(entries.iter().map(|(k, v)| (k.clone(), quote_tree(v))).collect()),
        plain => plain.clone(),
    };
    Node::new(node.span.clone(), value)
}

/// A tree of literals as one expression.
pub fn literal(node: &Node) -> String {
    match &node.value {
        Source::Null => "null".into(),
        Source::Bool(b) => b.to_string(),
        Source::Int(i) => i.to_string(),
        Source::Float(f) => format!("{f:?}"),
        Source::String(text) => quote(text),
        Source::List(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Source::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(k, v)| format!("{}: {}", quote(&k.name), literal(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

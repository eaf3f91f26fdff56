//! Which keys a state node, a transition, an invoke and so on may have.

use crate::problem::{Problem, Problems};
use crate::source::Node;
use crate::suggest::did_you_mean;

pub const STATE: &[&str] = &[
    "id",
    "type",
    "initial",
    "context",
    "states",
    "on",
    "always",
    "after",
    "entry",
    "exit",
    "onDone",
    "invoke",
    "history",
    "target",
    "output",
    "description",
    "tags",
    "meta",
];
pub const TRANSITION: &[&str] = &["target", "guard", "actions", "reenter", "description"];
pub const INVOKE: &[&str] = &["src", "id", "input", "onDone", "onError"];
pub const INITIAL: &[&str] = &["target", "actions"];
pub const RAISE: &[&str] = &["type", "params", "delay", "id"];
pub const GUARD: &[&str] = &["and", "or", "not"];

/// Reports keys of the map `node` outside `known`; `false` when it is no map at all.
pub fn check(node: &Node, known: &[&str], what: &str, problems: &mut Problems) -> bool {
    if !node.is_map() {
        problems.push(Problem::error("shape", &node.span, format!("{what} is a map, not {}", node.kind())));
        return false;
    }
    for (key, _) in node.map() {
        if !known.contains(&key.name.as_str()) {
            let message = format!("unknown key `{}` in {what}", key.name);
            let hint = if problems.is_full() { None } else { did_you_mean(&key.name, known.iter().copied()) };
            problems.push(Problem::error("unknown-key", &key.span, message).maybe_hint(hint));
        }
    }
    true
}

/// The string under `key`; a problem when it is something else.
pub fn string<'a>(node: &'a Node, key: &str, problems: &mut Problems) -> Option<&'a str> {
    let value = node.get(key)?;
    match value.as_str() {
        Some(text) if !text.is_empty() => Some(text),
        Some(_) => {
            problems.push(Problem::error("shape", &value.span, format!("`{key}` is empty")));
            None
        }
        None => {
            problems.push(Problem::error("shape", &value.span, format!("`{key}` is a string, not {}", value.kind())));
            None
        }
    }
}

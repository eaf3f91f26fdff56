//! JSON in the one style. The keys of a field stand in one order, the fields in the author's.

use super::{WIDTH, fill_lines, width};
use crate::source::{Key, Node, Value};
use std::borrow::Cow;

/// Order of the keys of a field. Others follow as written; `x-ui` is last.
const FIELD_KEYS: [&str; 20] = [
    "$ref",
    "title",
    "description",
    "type",
    "format",
    "default",
    "const",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "items",
    "required",
    "properties",
    "enum",
    "oneOf",
];
/// Maps whose values are fields.
const FIELDS: [&str; 2] = ["properties", "$defs"];

pub fn write(path: &str, node: &Node) -> String {
    let mut writer = Writer { out: String::new(), is_form: path.split('/').any(|part| part == "forms") };
    writer.value(node, 0, 0, Role::Open);
    writer.out.push('\n');
    writer.out
}

/// What a value is for its surroundings.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Plain,
    /// A value that never stands on one line.
    Open,
    /// A map of fields.
    Fields,
    Field,
}

struct Writer {
    out: String,
    is_form: bool,
}

impl Writer {
    /// `used`: what stands on the line before and must stand after the value.
    fn value(&mut self, node: &Node, indent: usize, used: usize, role: Role) {
        if role != Role::Open || is_leaf(node) {
            let line = self.line(node, role);
            if indent + used + width(&line) <= WIDTH {
                return self.out.push_str(&line);
            }
        }
        match &node.value {
            Value::Map(entries) => {
                self.out.push('{');
                for (number, (key, value)) in self.order(entries, role).iter().enumerate() {
                    self.new_line(number, indent + 2);
                    let name = text(&key.name);
                    self.out.push_str(&name);
                    self.out.push_str(": ");
                    self.value(value, indent + 2, width(&name) + 3, self.role(&key.name, role));
                }
                self.close(indent, '}');
            }
            Value::List(items) if items.iter().all(is_leaf) => {
                self.out.push('[');
                let words: Vec<String> = items.iter().map(|item| self.line(item, Role::Plain)).collect();
                let last = words.len().saturating_sub(1);
                let words: Vec<String> =
                    words.into_iter().enumerate().map(|(n, w)| if n < last { w + "," } else { w }).collect();
                for line in fill_lines(&words, WIDTH.saturating_sub(indent + 2), WIDTH.saturating_sub(indent + 2)) {
                    self.new_line(0, indent + 2);
                    self.out.push_str(&line);
                }
                self.close(indent, ']');
            }
            Value::List(items) => {
                self.out.push('[');
                for (number, item) in items.iter().enumerate() {
                    self.new_line(number, indent + 2);
                    self.value(item, indent + 2, 1, Role::Plain);
                }
                self.close(indent, ']');
            }
            _ => {
                let line = self.line(node, role);
                self.out.push_str(&line);
            }
        }
    }

    fn line(&self, node: &Node, role: Role) -> String {
        match &node.value {
            Value::Map(entries) => {
                let entries = self.order(entries, role);
                let parts: Vec<String> = entries
                    .iter()
                    .map(|(k, v)| format!("{}: {}", text(&k.name), self.line(v, self.role(&k.name, role))))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Value::List(items) => {
                let parts: Vec<String> = items.iter().map(|item| self.line(item, Role::Plain)).collect();
                format!("[{}]", parts.join(", "))
            }
            _ => node.to_json().to_string(),
        }
    }

    fn role(&self, key: &str, above: Role) -> Role {
        match above {
            Role::Fields => Role::Field,
            _ if self.is_form && FIELDS.contains(&key) => Role::Fields,
            _ if self.is_form && key == "items" => Role::Field,
            _ => Role::Plain,
        }
    }

    fn order<'n>(&self, entries: &'n [(Key, Node)], role: Role) -> Cow<'n, [(Key, Node)]> {
        if role != Role::Field {
            return Cow::Borrowed(entries);
        }
        let rank = |name: &str| match FIELD_KEYS.iter().position(|key| *key == name) {
            Some(at) => at,
            None if name == "x-ui" => FIELD_KEYS.len() + 1,
            None => FIELD_KEYS.len(),
        };
        let mut entries = entries.to_vec();
        entries.sort_by_key(|(key, _)| rank(&key.name));
        Cow::Owned(entries)
    }

    fn new_line(&mut self, number: usize, indent: usize) {
        if number > 0 {
            self.out.push(',');
        }
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn close(&mut self, indent: usize, end: char) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push(end);
    }
}

fn is_leaf(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => entries.is_empty(),
        Value::List(items) => items.is_empty(),
        _ => true,
    }
}

fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! Short texts with `{{name}}` places. Only names and dotted paths: no blocks, no partials, so a
//! text costs as much as it is long. Longer texts with conditions are messages.

use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use serde_json::Value;

/// A literal, or a text with places.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Place(Vec<String>),
}

/// Longest text that is accepted, in bytes.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;

impl Text {
    pub fn literal(text: impl Into<String>) -> Text {
        Text { parts: vec![Part::Literal(text.into())] }
    }

    /// Parses `…{{name}}…`; the error says what is wrong.
    pub fn template(text: &str) -> Result<Text, String> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(format!("the text has {} bytes, at most {TEXT_BYTES_MAX} are allowed", text.len()));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start + 2..].find("}}") else { return Err("`{{` is never closed".into()) };
            let name = rest[start + 2..start + 2 + length].trim();
            let path: Vec<String> = name.split('.').map(str::to_owned).collect();
            let word = |w: &String| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !path.iter().all(word) {
                return Err(format!("`{{{{{name}}}}}` is not a name; blocks and partials belong into messages"));
            }
            if start > 0 {
                parts.push(Part::Literal(rest[..start].to_owned()));
            }
            parts.push(Part::Place(path));
            rest = &rest[start + 2 + length + 2..];
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Ok(Text { parts })
    }

    /// A literal string, or `{text: "…{{name}}…"}`.
    pub fn from_node(node: &Node, problems: &mut Vec<Problem>) -> Option<Text> {
        match &node.value {
            Source::String(text) => Some(Text::literal(text)),
            Source::Map(entries) if entries.len() == 1 && entries[0].0.name == "text" => {
                let inner = &entries[0].1;
                let Some(text) = inner.as_str() else {
                    problems.push(Problem::error(
                        "shape",
                        &inner.span,
                        format!("`text` is a text, not {}", inner.kind()),
                    ));
                    return None;
                };
                Text::template(text).map_err(|e| problems.push(Problem::error("template", &inner.span, e))).ok()
            }
            _ => {
                let message = format!("a text or {{text: \"…\"}} is expected here, not {}", node.kind());
                problems.push(Problem::error("shape", &node.span, message));
                None
            }
        }
    }

    /// The names that the places start with.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            Part::Place(path) => path.first().map(String::as_str),
            Part::Literal(_) => None,
        })
    }

    /// Strict: an absent name is an error naming it. `find` gives the value of a first name.
    pub fn render_with<'a>(&'a self, find: impl Fn(&str) -> Option<&'a Value>) -> Result<String, String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Place(path) => {
                    let mut value = find(&path[0]);
                    for key in &path[1..] {
                        value = value.and_then(|v| member(v, key));
                    }
                    let value = value.ok_or_else(|| format!("the text needs `{}`", path.join(".")))?;
                    out.push_str(&plain(value));
                }
            }
        }
        Ok(out)
    }

    /// Strict rendering over the members of an object.
    pub fn render(&self, data: &Value) -> Result<String, String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Place(path) => {
                    let value = path.iter().try_fold(data, |v, key| member(v, key));
                    let value = value.ok_or_else(|| format!("the text needs `{}`", path.join(".")))?;
                    out.push_str(&plain(value));
                }
            }
        }
        Ok(out)
    }

    /// Rendering where an absent name is empty: for texts shown to people, which must appear.
    pub fn render_lax(&self, data: &Value) -> String {
        let text = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Place(path) => path.iter().try_fold(data, |v, key| member(v, key)).map(plain).unwrap_or_default(),
        };
        self.parts.iter().map(text).collect()
    }
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(key),
        Value::Array(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
        _ => None,
    }
}

/// How a value reads inside a text.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

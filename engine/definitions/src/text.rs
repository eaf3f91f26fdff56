//! Short texts with `{{name}}` places, and `{{n: offer | offers}}`, the words for one or for any other number by the
//! rule of the language. Only names and dotted paths: no blocks, no partials, so a text costs as much as it is long.
//! Longer texts with conditions are messages.

use crate::layout;
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::rows::{ColumnRead, Rows};
use engine_statechart::source::Span;
use serde_json::Value;

/// The language that authors write.
pub const ENGLISH: &str = "en";

/// A literal, or a text with places.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    parts: Vec<TextPart>,
}

#[derive(Clone, Debug, PartialEq)]
enum TextPart {
    Literal(String),
    Place(Vec<String>),
    Counted { path: Vec<String>, one: String, others: String, counts: Counts },
}

/// Rule for which numbers take the words for one (Unicode CLDR, integers).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counts {
    One,
    NothingToo,
}

impl Counts {
    fn of(language: &str) -> Counts {
        if ["hi", "bn", "gu", "kn"].contains(&language) { Counts::NothingToo } else { Counts::One }
    }

    fn is_one(self, value: &Value) -> bool {
        let number = value.as_f64().unwrap_or(f64::NAN);
        number == 1.0 || number == 0.0 && self == Counts::NothingToo
    }
}

/// Longest text that is accepted, in bytes.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;

impl Text {
    pub fn literal(text: impl Into<String>) -> Text {
        Text { parts: vec![TextPart::Literal(text.into())] }
    }

    /// Parses `…{{name}}…`, in English; the error says what is wrong.
    pub fn template(text: &str) -> Result<Text, String> {
        Text::in_language(text, ENGLISH)
    }

    /// Parses `…{{name}}…` as a text of this language; the error says what is wrong.
    pub fn in_language(text: &str, language: &str) -> Result<Text, String> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(format!("the text has {} bytes, at most {TEXT_BYTES_MAX} are allowed", text.len()));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start + 2..].find("}}") else { return Err("`{{` is never closed".into()) };
            let inside = rest[start + 2..start + 2 + length].trim();
            let (name, words) = inside.split_once(':').map_or((inside, None), |(name, words)| (name, Some(words)));
            let path: Vec<String> = name.split('.').map(str::to_owned).collect();
            let word = |w: &String| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !path.iter().all(word) {
                return Err(format!("`{{{{{name}}}}}` is not a name; blocks and partials belong into messages"));
            }
            if start > 0 {
                parts.push(TextPart::Literal(rest[..start].to_owned()));
            }
            parts.push(match words.map(|words| words.split_once('|')) {
                None => TextPart::Place(path),
                Some(Some((one, others))) if !others.contains('|') => TextPart::Counted {
                    path,
                    one: one.trim().to_owned(),
                    others: others.trim().to_owned(),
                    counts: Counts::of(language),
                },
                Some(_) => {
                    return Err(format!(
                        "`{{{{{inside}}}}}` needs the words for one and for others: `{{{{n: offer | offers}}}}`"
                    ));
                }
            });
            rest = &rest[start + 2 + length + 2..];
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(TextPart::Literal(rest.to_owned()));
        }
        Ok(Text { parts })
    }

    /// A text in the language of the file in which it stands.
    pub(crate) fn at(node: &Node, text: &str) -> Result<Text, String> {
        let language = layout::translation(&node.span.file).map_or(ENGLISH.to_owned(), |(_, language)| language);
        Text::in_language(text, &language)
    }

    /// A name in single braces would be shown as it is: somebody meant a place.
    pub(crate) fn check_braces(&self, span: &Span, problems: &mut Vec<Problem>) {
        let literals =
            self.parts.iter().filter_map(|part| if let TextPart::Literal(text) = part { Some(text) } else { None });
        if let Some(name) = literals.map(String::as_str).find_map(in_one_brace) {
            let message = format!("`{{{name}}}` would be shown as it is: a place is `{{{{{name}}}}}`");
            problems.push(Problem::error("brace", span, message));
        }
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
                let text = Text::at(inner, text);
                let text = text.map_err(|e| problems.push(Problem::error("template", &inner.span, e))).ok()?;
                text.check_braces(&inner.span, problems);
                Some(text)
            }
            _ => {
                let message = format!("a text or {{text: \"…\"}} is expected here, not {}", node.kind());
                problems.push(Problem::error("shape", &node.span, message));
                None
            }
        }
    }

    /// The names that the places start with.
    /// Columns of rows that it shows, of what is known of variables.
    pub(crate) fn columns(&self, known: &[(String, Rows)], span: &Span) -> Vec<ColumnRead> {
        let path = |part: &TextPart| match part {
            TextPart::Place(path) | TextPart::Counted { path, .. } => Some(path.clone()),
            TextPart::Literal(_) => None,
        };
        let of = |path: Vec<String>| {
            let [name, column, ..] = path.as_slice() else { return None };
            let (_, rows) = known.iter().rev().find(|(variable, _)| variable == name)?;
            let Rows::Row(table) = rows else { return None };
            Some(ColumnRead { table: table.clone(), column: column.clone(), span: span.clone() })
        };
        self.parts.iter().filter_map(path).filter_map(of).collect()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            TextPart::Place(path) | TextPart::Counted { path, .. } => path.first().map(String::as_str),
            TextPart::Literal(_) => None,
        })
    }

    /// What its places show: names and dotted paths.
    pub(crate) fn places(&self) -> impl Iterator<Item = String> {
        self.parts.iter().filter_map(|p| match p {
            TextPart::Place(path) | TextPart::Counted { path, .. } => Some(path.join(".")),
            TextPart::Literal(_) => None,
        })
    }

    /// Strict: an absent name is an error naming it. `find` gives the value of a first name.
    pub fn render_with<'a>(&'a self, find: impl Fn(&str) -> Option<&'a Value>) -> Result<String, String> {
        self.said_with(|path| path[1..].iter().try_fold(find(&path[0])?, |value, key| member(value, key)))
    }

    /// Strict rendering over the members of an object.
    pub fn render(&self, data: &Value) -> Result<String, String> {
        self.said_with(|path| path.iter().try_fold(data, |value, key| member(value, key)))
    }

    fn said_with<'a>(&'a self, find: impl Fn(&'a [String]) -> Option<&'a Value>) -> Result<String, String> {
        let said = |part: &'a TextPart| match part {
            TextPart::Literal(text) => Ok(text.clone()),
            TextPart::Place(path) | TextPart::Counted { path, .. } => {
                let value = find(path).ok_or_else(|| format!("the text needs `{}`", path.join(".")))?;
                Ok(part.of(value))
            }
        };
        self.parts.iter().map(said).collect()
    }

    /// Rendering where an absent name is empty: for texts shown to people, which must appear.
    pub fn render_lax(&self, data: &Value) -> String {
        let said = |part: &TextPart| match part {
            TextPart::Literal(text) => text.clone(),
            TextPart::Place(path) | TextPart::Counted { path, .. } => {
                let value = path.iter().try_fold(data, |value, key| member(value, key));
                value.map(|value| part.of(value)).unwrap_or_default()
            }
        };
        self.parts.iter().map(said).collect()
    }
}

impl TextPart {
    /// What stands at this place for a value.
    fn of(&self, value: &Value) -> String {
        match self {
            TextPart::Literal(text) => text.clone(),
            TextPart::Place(_) => plain(value),
            TextPart::Counted { one, others, counts, .. } => (if counts.is_one(value) { one } else { others }).clone(),
        }
    }
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(key),
        Value::Array(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
        _ => None,
    }
}

fn in_one_brace(text: &str) -> Option<&str> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.'))
    };
    let after_braces = text.split('{').skip(1);
    after_braces.filter_map(|after| after.split_once('}')).map(|(name, _)| name).find(|name| is_name(name))
}

/// How a value reads inside a text.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_take_the_words_of_their_language() {
        let said =
            |text: &str, language: &str, n: i64| Text::in_language(text, language).unwrap().render(&json!({"n": n}));
        for (n, expected) in [(0, "0 offers"), (1, "1 offer"), (2, "2 offers")] {
            assert_eq!(said("{{n}} {{n: offer | offers}}", "en", n).as_deref(), Ok(expected));
        }
        for (n, expected) in [(0, "0 कंपनी"), (1, "1 कंपनी"), (2, "2 कंपनियाँ")] {
            assert_eq!(said("{{n}} {{n: कंपनी | कंपनियाँ}}", "hi", n).as_deref(), Ok(expected));
        }
        assert_eq!(said("{{m: a | b}}", "en", 1), Err("the text needs `m`".into()));
        assert!(Text::template("{{n: offers}}").is_err() && Text::template("{{n: a | b | c}}").is_err());
    }
}

//! YAML 1.2 events → nodes. Plain scalars follow the core schema, strictly: `true`, `false`,
//! `null`, decimal numbers; everything else is text.

use super::{Budget, Key, Node, Span, Value, count, duplicate, height};
use engine_statechart::Problem;
use serde_yaml::granit_parser::{self, Event, Parser, Placement, ScalarStyle, Tag};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub fn read(file: &Arc<str>, text: &str) -> (Option<Node>, Vec<Problem>) {
    let mut reader = YamlReader {
        budget: Budget::new(),
        stack: Vec::new(),
        anchors: HashMap::new(),
        problems: Vec::new(),
        root: None,
        plain: None,
    };
    let options = granit_parser::options! {
        emit_comments: true, max_buffered_comment_events: usize::MAX, disallow_directives: true
    };
    let mut documents = 0;
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = match next {
            Ok(next) => next,
            Err(e) => {
                let place = Span::new(file, e.marker().line() as u32, e.marker().col() as u32 + 1);
                let problem = Problem::error("syntax", &place, e.info().to_string());
                reader.problems.push(problem.maybe_hint(cure(&e.info()).map(str::to_owned)));
                return (None, reader.problems);
            }
        };
        let place = Span::new(file, span.start.line() as u32, span.start.col() as u32 + 1);
        if matches!(event, Event::DocumentStart(..)) {
            documents += 1;
            if documents > 1 {
                reader.problems.push(Problem::error("syntax", &place, "one file holds one document"));
                return (None, reader.problems);
            }
        }
        if let Err(problem) = reader.event(event, place) {
            reader.problems.push(problem);
            return (None, reader.problems);
        }
    }
    if reader.root.is_none() {
        reader.problems.push(Problem::error("empty", &Span::new(file, 1, 1), "the file is empty"));
    }
    (reader.root, reader.problems)
}

/// What an author wanted to write, mostly an expression.
fn cure(said: &str) -> Option<&'static str> {
    match said {
        _ if said.contains("mapping values are not allowed") => Some("put the expression in double quotes"),
        _ if said.contains("did not find expected ','") => {
            Some("an expression with `: `, a comma or braces stands in double quotes")
        }
        _ if said.contains("unknown escape character") => {
            Some("in double quotes only `\"` and `\\` are written with a backslash; `'` stands as it is")
        }
        _ => None,
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Longest map whose keys are compared one by one.
const LONG_MAP: usize = 32;

struct YamlReader {
    budget: Budget,
    stack: Vec<Frame>,
    anchors: HashMap<usize, Node>,
    problems: Vec<Problem>,
    root: Option<Node>,
    /// Line of the last text without quotes.
    plain: Option<u32>,
}

/// An open list or map, with the anchor that names it (0: none).
struct Frame {
    span: Span,
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    /// `seen` is made when a map becomes long.
    Map {
        entries: Vec<(Key, Node)>,
        seen: HashMap<String, Span>,
        key: Option<Key>,
        /// The waiting key was there before.
        is_again: bool,
    },
}

impl YamlReader {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let waits_for_key =
                    matches!(self.stack.last(), Some(Frame { content: Content::Map { key: None, .. }, .. }));
                if waits_for_key {
                    return self.key(text.into_owned(), span);
                }
                let value = scalar(&text, style, tag.as_deref(), &span).unwrap_or_else(|problem| {
                    self.problems.push(problem);
                    Value::Null
                });
                self.budget.take(1, &span)?;
                let is_plain = style == ScalarStyle::Plain && matches!(value, Value::String(_));
                self.plain = is_plain.then_some(span.line);
                self.add(Node::new(span, value), anchor)
            }
            // `See #1` is the text `See`
            Event::Comment(text, Placement::Right)
                if self.plain == Some(span.line) && text.starts_with(|first: char| first.is_alphanumeric()) =>
            {
                let message = format!("the text ends before `#{}`, which is a comment", first_word(&text));
                let hint = "put the text in quotes, or a space behind `#`";
                self.problems.push(Problem::error("comment", &span, message).hint(hint));
                Ok(())
            }
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id).cloned() else {
                    return Err(Problem::error("alias", &span, "the alias stands inside its own anchor"));
                };
                self.budget.take(count(&node), &span)?;
                Budget::depth(self.stack.len() + height(&node), &span)?;
                self.add(node, 0)
            }
            Event::SequenceStart(_, anchor, _) => self.open(Content::List(Vec::new()), anchor, span),
            Event::MappingStart(_, anchor, _) => self.open(
                Content::Map { entries: Vec::new(), seen: HashMap::new(), key: None, is_again: false },
                anchor,
                span,
            ),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(frame) = self.stack.pop() else { return Ok(()) };
                let value = match frame.content {
                    Content::List(items) => Value::List(items),
                    Content::Map { entries, .. } => Value::Map(self.merge(entries)),
                };
                self.add(Node::new(frame.span, value), frame.anchor)
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, content: Content, anchor: usize, span: Span) -> Result<(), Problem> {
        if let Some(Frame { content: Content::Map { key: None, .. }, .. }) = self.stack.last() {
            return Err(Problem::error("syntax", &span, "a key is a word, not a list or a map"));
        }
        self.budget.take(1, &span)?;
        Budget::depth(self.stack.len() + 1, &span)?;
        self.stack.push(Frame { span, anchor, content });
        Ok(())
    }

    fn key(&mut self, name: String, span: Span) -> Result<(), Problem> {
        let Some(Frame { content: Content::Map { entries, seen, key, is_again }, .. }) = self.stack.last_mut() else {
            return Ok(());
        };
        let found = Key { span, name };
        if entries.len() == LONG_MAP {
            seen.extend(entries.iter().map(|(k, _)| (k.name.clone(), k.span.clone())));
        }
        let first = if entries.len() < LONG_MAP {
            entries.iter().find(|(k, _)| k.name == found.name).map(|(k, _)| &k.span)
        } else {
            seen.get(&found.name)
        };
        match first {
            Some(first) => {
                *is_again = true;
                self.problems.push(duplicate(&found, first));
            }
            None if entries.len() >= LONG_MAP => {
                seen.insert(found.name.clone(), found.span.clone());
            }
            None => {}
        }
        *key = Some(found);
        Ok(())
    }

    /// `<<: *anchor` (or a list of these): the keys of those maps that this map does not have itself.
    fn merge(&mut self, entries: Vec<(Key, Node)>) -> Vec<(Key, Node)> {
        if !entries.iter().any(|(k, _)| k.name == "<<") {
            return entries;
        }
        let mut own: HashSet<String> = entries.iter().map(|(k, _)| k.name.clone()).collect();
        let mut merged = Vec::with_capacity(entries.len());
        for (key, node) in entries {
            if key.name != "<<" {
                merged.push((key, node));
                continue;
            }
            for map in node.items() {
                if !map.is_map() {
                    self.problems.push(Problem::error(
                        "shape",
                        &key.span,
                        format!("`<<` takes a map, not {}", map.kind()),
                    ));
                }
                merged.extend(map.map().iter().filter(|(k, _)| own.insert(k.name.clone())).cloned());
            }
        }
        merged
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.stack.last_mut().map(|f| &mut f.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map { entries, key, is_again, .. }) => match key.take() {
                // The second value of a duplicate key.
                Some(_) if std::mem::take(is_again) => {}
                Some(key) => entries.push((key, node)),
                None => return Err(Problem::error("syntax", &node.span, "a key is a word, not an alias")),
            },
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Result<Value, Problem> {
    if let Some(tag) = tag {
        if tag.is_yaml_core_schema_tag("str") {
            return Ok(Value::String(text.to_owned()));
        }
        return Err(Problem::error("syntax", span, "tags are not supported"));
    }
    if style != ScalarStyle::Plain {
        return Ok(Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        ".inf" | "-.inf" | "+.inf" | ".nan" => {
            return Err(Problem::error("number", span, format!("`{text}` is not a number of JSON")));
        }
        _ => number(text, span)?.unwrap_or_else(|| Value::String(text.to_owned())),
    })
}

/// Whether an unquoted scalar is a text for this reader.
pub(crate) fn is_text(plain: &str) -> bool {
    let span = Span::unknown();
    matches!(scalar(plain, ScalarStyle::Plain, None, &span), Ok(Value::String(_)))
}

/// `None` when the text does not look like a decimal number.
fn number(text: &str, span: &Span) -> Result<Option<Value>, Problem> {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    if body.is_empty() || !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Ok(None);
    }
    if body.bytes().all(|b| b.is_ascii_digit()) {
        if body.len() > 1 && body.starts_with('0') {
            return Err(
                Problem::error("number", span, format!("`{text}` starts with 0")).hint("quote it if it is text")
            );
        }
        return match text.parse::<i64>() {
            Ok(i) => Ok(Some(Value::Int(i))),
            Err(_) => Err(Problem::error("number", span, format!("`{text}` is too large for an integer"))
                .hint("quote it if it is text")),
        };
    }
    let looks = body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
        && body.bytes().any(|b| b.is_ascii_digit());
    Ok(if looks { text.parse::<f64>().ok().filter(|f| f.is_finite()).map(Value::Float) } else { None })
}

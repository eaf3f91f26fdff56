//! YAML with what a reader drops: comments, blank lines, anchors, and how a value was written.

use crate::source::is_text;
use serde_yaml::granit_parser::{self, Event, Parser, Placement, ScalarStyle, Span};

#[derive(Debug, Default)]
pub struct Item {
    pub anchor: Option<String>,
    pub content: Content,
}

#[derive(Debug, Default)]
pub enum Content {
    #[default]
    Nothing,
    Scalar(Scalar),
    Alias(String),
    Map(Entries),
    List(Entries),
}

#[derive(Debug)]
pub struct Scalar {
    pub text: String,
    /// A text, whatever it looks like.
    pub is_text: bool,
}

/// The members of a map or list.
#[derive(Debug, Default)]
pub struct Entries {
    pub list: Vec<Entry>,
    /// Comments after the last entry.
    pub tail: Vec<Comment>,
}

#[derive(Debug, Default)]
pub struct Entry {
    pub above: Vec<Comment>,
    /// An empty line stands before it.
    pub is_apart: bool,
    /// The key of an entry in a map.
    pub key: Option<Scalar>,
    pub item: Item,
    /// The comment on its own line.
    pub beside: Option<Comment>,
}

#[derive(Debug)]
pub struct Comment {
    pub text: String,
    pub column: usize,
    pub is_apart: bool,
}

/// An open map or list.
struct Open {
    is_map: bool,
    anchor: Option<String>,
    entries: Entries,
    /// The entry whose value is awaited.
    awaited: Option<Entry>,
    column: usize,
}

struct TreeReader<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    stack: Vec<Open>,
    pending: Vec<Comment>,
    root: Entry,
    tail: Vec<Comment>,
    /// Line on which the last key or value ended.
    last_line: usize,
}

/// The document and the comments after it. The text has been read without problems before.
pub fn read(text: &str) -> (Entry, Vec<Comment>) {
    let mut reader = TreeReader {
        text,
        lines: text.lines().collect(),
        stack: Vec::new(),
        pending: Vec::new(),
        root: Entry::default(),
        tail: Vec::new(),
        last_line: 0,
    };
    let options = granit_parser::options! { emit_comments: true, emit_anchor_events: true, disallow_directives: true };
    for (event, span) in Parser::new_from_str_with_options(text, options).map_while(Result::ok) {
        let ends_a_value = !matches!(event, Event::Comment(..) | Event::Anchor(..));
        let is_block_end =
            matches!(event, Event::SequenceEnd | Event::MappingEnd) && span.start.index() == span.end.index();
        reader.event(event, &span);
        if ends_a_value && !is_block_end {
            reader.last_line = span.end.line();
        }
    }
    reader.tail.append(&mut reader.pending);
    (reader.root, reader.tail)
}

/// The words of all comments, in some order of their own.
pub fn comments(text: &str) -> Vec<String> {
    let options = granit_parser::options! { emit_comments: true, disallow_directives: true };
    let events = Parser::new_from_str_with_options(text, options).map_while(Result::ok);
    let mut words: Vec<String> = events
        .filter_map(|(event, _)| match event {
            Event::Comment(text, _) => Some(text.trim_end().to_owned()),
            _ => None,
        })
        .collect();
    words.sort();
    words
}

impl TreeReader<'_> {
    fn event(&mut self, event: Event<'_>, span: &Span) {
        match event {
            Event::Comment(text, placement) => {
                let line = span.start.line();
                let comment = Comment {
                    text: text.trim_end().to_owned(),
                    column: span.start.col(),
                    is_apart: self.is_apart(line),
                };
                self.comment(comment, placement == Placement::Right && line == self.last_line);
            }
            Event::Scalar(text, style, _, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some() || is_text(&text);
                let scalar = Scalar { text: text.into_owned(), is_text };
                if matches!(self.stack.last(), Some(Open { is_map: true, awaited: None, .. })) {
                    let entry = Entry { key: Some(scalar), ..self.entry(span) };
                    if let Some(open) = self.stack.last_mut() {
                        open.awaited = Some(entry);
                    }
                    return;
                }
                self.begin(span);
                self.add(Content::Scalar(scalar), None);
            }
            Event::Alias(_) => {
                let name = self.text.lines().nth(span.start.line() - 1).unwrap_or_default();
                let name: String = name.chars().skip(span.start.col() + 1).take_while(is_name).collect();
                self.begin(span);
                self.add(Content::Alias(name), None);
            }
            Event::Anchor(_, name) => self.anchor(name.into_owned()),
            Event::SequenceStart(..) => self.open(false, span),
            Event::MappingStart(..) => self.open(true, span),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.stack.pop() else { return };
                let inside = self.pending.iter().take_while(|comment| comment.column >= open.column).count();
                open.entries.tail = self.pending.drain(..inside).collect();
                let content = if open.is_map { Content::Map(open.entries) } else { Content::List(open.entries) };
                self.add(content, open.anchor);
            }
            _ => {}
        }
    }

    fn is_apart(&self, line: usize) -> bool {
        line >= 2 && self.lines.get(line - 2).is_some_and(|before| before.trim().is_empty())
    }

    /// An entry that begins here, with the comments above it.
    fn entry(&mut self, span: &Span) -> Entry {
        let above = std::mem::take(&mut self.pending);
        Entry { above, is_apart: self.is_apart(span.start.line()), ..Entry::default() }
    }

    /// An item of a list, or the document itself, begins here.
    fn begin(&mut self, span: &Span) {
        let entry = self.entry(span);
        match self.stack.last_mut() {
            Some(open) if open.is_map => self.pending = entry.above,
            Some(open) => open.awaited = Some(entry),
            None => self.root = entry,
        }
    }

    fn open(&mut self, is_map: bool, span: &Span) {
        // Comments between a key and its block belong to the block's first entry.
        self.begin(span);
        let entries = Entries::default();
        self.stack.push(Open { is_map, anchor: None, entries, awaited: None, column: span.start.col() });
    }

    fn anchor(&mut self, name: String) {
        match self.stack.last_mut() {
            Some(open) if open.entries.list.is_empty() && open.awaited.is_none() => open.anchor = Some(name),
            Some(open) => {
                if let Some(last) = open.entries.list.last_mut() {
                    last.item.anchor = Some(name);
                }
            }
            None => {}
        }
    }

    fn add(&mut self, content: Content, anchor: Option<String>) {
        let item = Item { anchor, content };
        match self.stack.last_mut() {
            Some(open) => {
                let entry = open.awaited.take().unwrap_or_default();
                open.entries.list.push(Entry { item, ..entry });
            }
            None => self.root.item = item,
        }
    }

    fn comment(&mut self, comment: Comment, is_beside: bool) {
        let entry = self.stack.last_mut().and_then(|open| match &mut open.awaited {
            Some(entry) => Some(entry),
            None => open.entries.list.last_mut(),
        });
        match entry.filter(|entry| is_beside && entry.beside.is_none()) {
            Some(entry) => entry.beside = Some(comment),
            None => self.pending.push(comment),
        }
    }
}

fn is_name(c: &char) -> bool {
    !c.is_whitespace() && !matches!(c, ',' | '[' | ']' | '{' | '}')
}

//! What an author may write in a block, a widget and an action, each key declared once. From these tables come the
//! checker, the JSON Schemas, the reference (`workflows/REFERENCE.md`) and the browser's types
//! (`web/src/contract/blocks.ts`).
//!
//! To add a block: its keys in `blocks`, a file in `web/src/renderer/blocks`, a line in the `index.tsx` there. To add a
//! widget: `widgets`, a file and a line in `web/src/renderer/widgets`.

pub mod actions;
pub mod blocks;
mod fit;
pub mod reference;
pub mod typescript;
pub mod widgets;

use engine_statechart::expression::reads;

pub use fit::retain_fitting;

/// One key of a map that authors write.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub takes: Takes,
    pub is_needed: bool,
    pub side: Side,
    pub note: &'static str,
}

/// Who writes it, and who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The author writes it, the browser reads it.
    Both,
    /// The server alone reads it.
    Author,
    /// The server puts it in.
    Browser,
}

/// What may stand under a key.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Words for people: as they are, or `{text: "… {{name}}"}`, or `{cel: …}`.
    Words,
    /// Words for people in Markdown; an expression gives a text, or such words of a table.
    Prose,
    /// A literal, one of these if there are any.
    Name(&'static [&'static str]),
    /// An expression; also a tree of them.
    Value(Gives),
    /// A map with these keys.
    Map(&'static Entry),
    /// A map with these keys that makes items of the list `items` beside it: one for each who gave no offer.
    Unanswered(&'static Entry),
    /// A list of such maps, each with `when`, `each` and `as` if it likes; or an expression that gives it.
    List(&'static Entry),
    /// A list of values.
    Values(Gives),
    /// A list of lists of values: the cells of a table.
    Rows,
    /// A map of names to numbers.
    Figures,
    /// A block of its own.
    Block,
    /// A list of blocks of its own.
    Blocks,
}

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// What is drawn as a value: a text, a number, `{paise}`, `{percent}`, `{date}`, `{time}`, `{height}`, `{text}`.
    Shown,
    /// A value as `Shown` draws it, or yes or no.
    Cell,
    Text,
    /// A text, or words of a table that were written in Markdown.
    Prose,
    Number,
    Flag,
    Paise,
    /// A list of texts.
    Texts,
    List,
    /// A map of anything.
    Data,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    Anything,
}

/// A map that authors write, under the name that the browser's types have for it.
#[derive(Debug)]
pub struct Entry {
    pub name: &'static str,
    pub keys: &'static [Key],
}

/// The keys of a drawn value that is a map.
pub const SHOWN: [&str; 6] = ["paise", "percent", "date", "time", "height", "text"];
pub const TONES: &[&str] = &["info", "success", "warning", "error", "plain"];

pub const fn key(name: &'static str, takes: Takes, note: &'static str) -> Key {
    Key { name, takes, is_needed: false, side: Side::Both, note }
}

pub const fn words(name: &'static str, note: &'static str) -> Key {
    key(name, Takes::Words, note)
}

pub const fn name(name: &'static str, of: &'static [&'static str], note: &'static str) -> Key {
    key(name, Takes::Name(of), note)
}

pub const fn value(name: &'static str, gives: Gives, note: &'static str) -> Key {
    key(name, Takes::Value(gives), note)
}

impl Key {
    /// Marks the key as one that must be there.
    pub const fn needed(mut self) -> Key {
        self.is_needed = true;
        self
    }

    pub const fn of(mut self, side: Side) -> Key {
        self.side = side;
        self
    }

    pub fn is_authors(&self) -> bool {
        self.side != Side::Browser
    }
}

/// Names of the keys that authors write.
pub fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().filter(|key| key.is_authors()).map(|key| key.name).collect()
}

pub fn find<'k>(keys: &'k [Key], name: &str) -> Option<&'k Key> {
    keys.iter().find(|key| key.name == name && key.is_authors())
}

impl Takes {
    /// Words for it in the reference and in messages.
    pub fn phrase(self) -> String {
        match self {
            Takes::Words => "words".into(),
            Takes::Prose => "words in Markdown".into(),
            Takes::Name([]) => "a literal".into(),
            Takes::Name(of) => one_of(of),
            Takes::Value(gives) => format!("CEL: {}", gives.phrase()),
            Takes::Map(entry) | Takes::Unanswered(entry) => format!("a map: {}", entry.name),
            Takes::List(entry) => format!("a list: {}", entry.name),
            Takes::Values(gives) => format!("a list, each CEL: {}", gives.phrase()),
            Takes::Rows => "a list of lists of CEL, or `{each, as, when, cells}`".into(),
            Takes::Figures => "a map: name → CEL: a number".into(),
            Takes::Block => "a block".into(),
            Takes::Blocks => "a list of blocks".into(),
        }
    }
}

impl Gives {
    pub fn phrase(self) -> String {
        match self {
            Gives::Shown => "a text, a number, or `{paise}` `{percent}` `{date}` `{time}` `{height}` `{text}`".into(),
            Gives::Cell => "a value that is shown, or yes or no".into(),
            Gives::Text => "a text".into(),
            Gives::Prose => "a text, or a cell of the kind `prose`".into(),
            Gives::Number => "a number".into(),
            Gives::Flag => "true or false".into(),
            Gives::Paise => "`{paise: …}`".into(),
            Gives::Texts => "a list of texts".into(),
            Gives::List => "a list".into(),
            Gives::Data => "a map".into(),
            Gives::OneOf(of) => one_of(of),
            Gives::Anything => "anything".into(),
        }
    }

    /// What cannot be it, of what is known of an expression before it runs.
    pub fn refuses(self, shape: &reads::Shape<'_>) -> bool {
        use reads::{Shape, ValueKind};
        match shape {
            Shape::Plain(ValueKind::Null) => false,
            Shape::Plain(kind) => match self {
                Gives::Shown => !matches!(kind, ValueKind::Text | ValueKind::Number | ValueKind::Map),
                Gives::Cell => *kind == ValueKind::List,
                Gives::Text | Gives::OneOf(_) => *kind != ValueKind::Text,
                Gives::Prose => !matches!(kind, ValueKind::Text | ValueKind::List),
                Gives::Number => *kind != ValueKind::Number,
                Gives::Flag => *kind != ValueKind::Bool,
                Gives::Paise | Gives::Data => *kind != ValueKind::Map,
                Gives::Texts | Gives::List => *kind != ValueKind::List,
                Gives::Anything => false,
            },
            Shape::Map(keys) => match self {
                Gives::Shown | Gives::Cell => !keys.iter().all(|(key, _)| SHOWN.contains(key)),
                Gives::Paise => !keys.iter().all(|(key, _)| *key == "paise"),
                Gives::Data | Gives::Anything => false,
                _ => true,
            },
            Shape::Copy(_) | Shape::Merge(..) | Shape::Unknown => false,
        }
    }
}

fn one_of(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

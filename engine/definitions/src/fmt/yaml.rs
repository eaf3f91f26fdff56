//! YAML in the one style.

use super::tree::{Comment, Content, Entries, Entry, Item, Scalar};
use super::{WIDTH, fill_lines, width};
use crate::source::is_text;

/// Deepest nesting of maps on one line.
const CLOSED_LEVELS: usize = 3;

pub fn write(document: &(Entry, Vec<Comment>)) -> String {
    let (root, tail) = document;
    let mut writer = Writer { lines: Vec::new() };
    writer.comments(&root.above, 0);
    match &root.item.content {
        Content::Map(entries) => writer.entries(entries, 0, Surroundings::Root, !root.above.is_empty()),
        Content::List(entries) => writer.entries(entries, 0, Surroundings::Inside, false),
        _ => writer.lines.extend(line(&root.item, 0)),
    }
    writer.comments(tail, 0);
    writer.lines.join("\n") + "\n"
}

/// What keeps a value from standing on one line.
#[derive(Clone, Copy, PartialEq)]
enum Surroundings {
    /// The document itself.
    Root,
    /// Each entry begins a line of its own.
    Open,
    /// Each entry, and each entry within it, begins a line of its own.
    OpenTwice,
    Inside,
}

fn surroundings(entry: &Entry, above: Surroundings) -> Surroundings {
    match (entry.key.as_ref().map(|key| key.text.as_str()), above) {
        (Some("states" | "blocks"), _) => Surroundings::OpenTwice,
        (Some("context" | "params" | "aliases" | "define" | "rows" | "steps"), Surroundings::Root) => {
            Surroundings::Open
        }
        // `done: {type: final}`
        (Some(_), Surroundings::OpenTwice) if is_single(&entry.item) => Surroundings::Inside,
        (_, Surroundings::OpenTwice) => Surroundings::Open,
        _ => Surroundings::Inside,
    }
}

struct Writer {
    lines: Vec<String>,
}

impl Writer {
    fn comments(&mut self, comments: &[Comment], indent: usize) {
        for comment in comments {
            if comment.is_apart && !self.lines.is_empty() {
                self.lines.push(String::new());
            }
            self.lines.push(format!("{}#{}", " ".repeat(indent), comment.text));
        }
    }

    /// `is_led`: a comment stands before the first one.
    fn entries(&mut self, entries: &Entries, indent: usize, around: Surroundings, is_led: bool) {
        for (number, entry) in entries.list.iter().enumerate() {
            let at = self.lines.len();
            self.comments(&entry.above, indent);
            if entry.is_apart && self.lines.last().is_some_and(|line| !line.is_empty()) {
                self.lines.push(String::new());
            }
            // An empty line before the first entry says nothing.
            if number == 0 && !is_led && self.lines.get(at).is_some_and(String::is_empty) {
                self.lines.remove(at);
            }
            self.entry(entry, indent, around);
        }
        self.comments(&entries.tail, indent);
    }

    fn entry(&mut self, entry: &Entry, indent: usize, around: Surroundings) {
        let start = match &entry.key {
            Some(key) => format!("{}:", key_text(key, false)),
            None => "-".to_owned(),
        };
        let inside = surroundings(entry, around);
        let is_open = matches!(inside, Surroundings::Open | Surroundings::OpenTwice);
        let anchor = entry.item.anchor.as_ref().map(|name| format!(" &{name}")).unwrap_or_default();
        let pad = " ".repeat(indent);
        let is_words = matches!(&entry.item.content, Content::List(list) if is_row(list));
        // `- key: value` is shorter than `- {key: value}`.
        let is_dashed = entry.key.is_none() && anchor.is_empty() && is_single(&entry.item);
        let may_close = (!is_open || is_leaf(&entry.item) || is_words) && !is_dashed;
        if let Some(text) = line(&entry.item, 0).filter(|_| may_close) {
            let whole = format!("{pad}{start}{}", if text.is_empty() { text } else { format!(" {text}") });
            if width(&whole) <= WIDTH {
                return self.head(whole, entry.beside.as_ref());
            }
        }
        let head = format!("{pad}{start}{anchor}");
        if entry.key.is_none()
            && let Some(comment) = &entry.beside
        {
            self.lines.push(format!("{pad}#{}", comment.text));
        }
        let comment = entry.beside.as_ref().filter(|_| entry.key.is_some());
        // Lines that go on stand under the key, or under the first word of an item.
        let inner = if entry.key.is_some() { indent + 2 } else { indent + 3 };
        match &entry.item.content {
            Content::Scalar(scalar) => self.long_text(scalar, &head, indent + 2, comment),
            Content::List(list) if comment.is_none() && is_row(list) => {
                let words = list.list.iter().filter_map(|entry| line(&entry.item, 1)).collect();
                self.closed(words, ['[', ']'], &head, inner);
            }
            Content::Map(map) if comment.is_none() && !is_open && is_record(map) => {
                self.closed(members(map, 0).unwrap_or_default(), ['{', '}'], &head, inner);
            }
            Content::Map(entries) | Content::List(entries) => {
                let begins_beside = entries.list.first().is_some_and(|first| first.above.is_empty());
                let is_map = matches!(entry.item.content, Content::Map(_));
                if entry.key.is_none() && anchor.is_empty() && begins_beside && is_map {
                    return self.dashed(entries, indent, inside);
                }
                self.head(head, comment);
                self.entries(entries, indent + 2, inside, false);
            }
            Content::Nothing | Content::Alias(_) => self.head(head, comment),
        }
    }

    /// A map in a list, its first key beside the dash.
    fn dashed(&mut self, entries: &Entries, indent: usize, inside: Surroundings) {
        let at = self.lines.len();
        self.entries(entries, indent + 2, inside, false);
        // A comment that its line had no room for stands above the dash.
        for line in self.lines.iter_mut().skip(at) {
            let is_above = line.trim_start().starts_with('#');
            let start = if is_above { "" } else { "- " };
            line.replace_range(..indent + 2, &format!("{}{start}", " ".repeat(indent)));
            if !is_above {
                break;
            }
        }
    }

    /// A line with its comment, in the column where it stood when there is room; above it when it is too long.
    fn head(&mut self, line: String, comment: Option<&Comment>) {
        let Some(comment) = comment else { return self.lines.push(line) };
        let gap = comment.column.saturating_sub(width(&line)).max(1);
        let whole = format!("{line}{}#{}", " ".repeat(gap), comment.text);
        if width(&whole) <= WIDTH {
            return self.lines.push(whole);
        }
        let indent = line.len() - line.trim_start().len();
        self.lines.push(format!("{}#{}", " ".repeat(indent), comment.text));
        self.lines.push(line);
    }

    /// Writes brackets over several lines.
    fn closed(&mut self, mut words: Vec<String>, [open, close]: [char; 2], head: &str, indent: usize) {
        let last = words.len().saturating_sub(1);
        for (number, word) in words.iter_mut().enumerate() {
            word.push(if number < last { ',' } else { close });
        }
        let mut lines =
            fill_lines(&words, WIDTH.saturating_sub(width(head) + 2), WIDTH.saturating_sub(indent)).into_iter();
        self.lines.push(format!("{head} {open}{}", lines.next().unwrap_or_default()));
        self.lines.extend(lines.map(|line| format!("{}{line}", " ".repeat(indent))));
    }

    /// A text that does not fit on its line or has several.
    fn long_text(&mut self, scalar: &Scalar, head: &str, indent: usize, comment: Option<&Comment>) {
        let text = &scalar.text;
        let is_printable = |c: char| c == '\n' || !c.is_control();
        let body = text.trim_end_matches('\n');
        let ending = match text.len() - body.len() {
            0 => "-",
            1 => "",
            _ => "+",
        };
        let is_block = scalar.is_text
            && text.chars().all(is_printable)
            && !body.is_empty()
            && !body.starts_with([' ', '\t'])
            && body.lines().all(|line| !line.ends_with([' ', '\t']));
        let pad = " ".repeat(indent);
        if !is_block || ending == "+" {
            return self.head(format!("{head} {}", scalar_text(scalar, false)), comment);
        }
        let room = WIDTH.saturating_sub(indent);
        let is_long = !body.contains('\n') || body.lines().any(|line| width(line) > room);
        let is_level = body.lines().all(|line| !line.starts_with(' '));
        let folds = is_long && is_level && body.contains(' ') && !body.contains("  ") && !body.contains('\t');
        if folds {
            self.head(format!("{head} >{ending}"), comment);
            // An empty line is a line break of the text.
            for (number, paragraph) in body.split('\n').enumerate() {
                if number > 0 {
                    self.lines.push(String::new());
                }
                let words: Vec<String> = paragraph.split_whitespace().map(str::to_owned).collect();
                self.lines.extend(
                    fill_lines(&words, room, room).iter().map(|line| format!("{pad}{line}").trim_end().to_owned()),
                );
            }
        } else if body.contains('\n') {
            self.head(format!("{head} |{ending}"), comment);
            self.lines.extend(body.split('\n').map(|line| format!("{pad}{line}").trim_end().to_owned()));
        } else {
            self.head(format!("{head} {}", scalar_text(scalar, false)), comment);
        }
    }
}

fn is_leaf(item: &Item) -> bool {
    match &item.content {
        Content::Map(entries) | Content::List(entries) => entries.list.is_empty() && entries.tail.is_empty(),
        _ => true,
    }
}

fn is_single(item: &Item) -> bool {
    matches!(&item.content, Content::Map(entries) if entries.list.len() == 1)
}

/// A map that deserves a line of its own among others.
fn is_wide(item: &Item) -> bool {
    matches!(&item.content, Content::Map(entries) if entries.list.len() > 1)
}

/// A list of words only.
fn is_row(entries: &Entries) -> bool {
    let plain = |entry: &Entry| {
        entry.above.is_empty() && entry.beside.is_none() && is_leaf(&entry.item) && line(&entry.item, 1).is_some()
    };
    entries.tail.is_empty() && entries.list.iter().all(plain)
}

/// A map of short values, which is read as a whole.
fn is_record(entries: &Entries) -> bool {
    const SHORT: usize = 60;
    let flat = entries.list.iter().all(|entry| is_leaf(&entry.item) || matches!(&entry.item.content, Content::List(_)));
    flat && members(entries, 0).is_some_and(|members| members.iter().all(|member| width(member) <= SHORT))
}

/// The item on one line; `None` when a comment or a text of several lines stands in it, or maps too deep.
/// `level`: 0 outside of all brackets.
fn line(item: &Item, level: usize) -> Option<String> {
    if levels(item) > CLOSED_LEVELS {
        return None;
    }
    let content = match &item.content {
        Content::Nothing => String::new(),
        Content::Alias(name) => format!("*{name}"),
        Content::Scalar(scalar) if scalar.text.contains('\n') && scalar.is_text => return None,
        Content::Scalar(scalar) => scalar_text(scalar, level > 0),
        Content::List(entries) if entries.list.iter().filter(|entry| is_wide(&entry.item)).count() > 1 => return None,
        Content::List(entries) => format!("[{}]", members(entries, level)?.join(", ")),
        Content::Map(entries) => format!("{{{}}}", members(entries, level)?.join(", ")),
    };
    Some(match &item.anchor {
        Some(name) if content.is_empty() => format!("&{name}"),
        Some(name) => format!("&{name} {content}"),
        None => content,
    })
}

fn members(entries: &Entries, level: usize) -> Option<Vec<String>> {
    if !entries.tail.is_empty() {
        return None;
    }
    let member = |entry: &Entry| {
        if !entry.above.is_empty() || entry.beside.is_some() {
            return None;
        }
        let value = line(&entry.item, level + 1)?;
        Some(match &entry.key {
            Some(key) if value.is_empty() => format!("{}: null", key_text(key, true)),
            Some(key) => format!("{}: {value}", key_text(key, true)),
            None => value,
        })
    };
    entries.list.iter().map(member).collect()
}

fn levels(item: &Item) -> usize {
    match &item.content {
        Content::Map(entries) => {
            usize::from(!entries.list.is_empty()) + entries.list.iter().map(|e| levels(&e.item)).max().unwrap_or(0)
        }
        Content::List(entries) => entries.list.iter().map(|e| levels(&e.item)).max().unwrap_or(0),
        _ => 0,
    }
}

fn key_text(key: &Scalar, in_brackets: bool) -> String {
    // A key is a text, whatever it looks like; our reader takes `on` and `1` as they stand.
    let is_asked = in_brackets && key.text.contains('?');
    if is_plain(&key.text, true) && !is_asked && !key.text.contains(": ") { key.text.clone() } else { quote(&key.text) }
}

fn scalar_text(scalar: &Scalar, in_brackets: bool) -> String {
    match scalar.text.as_str() {
        text if !scalar.is_text => if text.is_empty() || text == "~" { "null" } else { text }.to_owned(),
        // in brackets PyYAML takes a question mark for the beginning of a key
        text if is_plain(text, in_brackets) && !(in_brackets && text.contains('?')) && !is_ambiguous(text) => {
            text.to_owned()
        }
        text => quote(text),
    }
}

/// Whether the letters can stand without quotes.
fn is_plain(text: &str, in_brackets: bool) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    let second = chars.next();
    let begins = match first {
        '-' => second.is_some_and(|c| !c.is_whitespace() && c != '-'),
        _ => !"?:,[]{}#&*!|>'\"%@`=".contains(first) && !first.is_whitespace(),
    };
    let inside = !in_brackets || !text.contains([',', '[', ']', '{', '}']) && !text.contains(".?");
    begins
        && inside
        && !text.ends_with([':', ' ', '\t'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains("\t")
        && !text.chars().any(char::is_control)
        && !(in_brackets && text.contains(":") && text.contains("\""))
}

/// Whether YAML 1.1 or 1.2 reads something else than a text.
fn is_ambiguous(text: &str) -> bool {
    const WORDS: [&str; 12] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "<<", "="];
    let is_number_like = || {
        let body = text.trim_start_matches(['-', '+', '.']);
        let is_decimal = body.chars().all(|c| c.is_ascii_digit() || "._:+-TtZz ".contains(c));
        let is_based = ["0x", "0o", "0b"].iter().any(|start| body.starts_with(start));
        body.starts_with(|c: char| c.is_ascii_digit()) && (is_decimal || is_based)
    };
    !is_text(text) || WORDS.contains(&text.to_ascii_lowercase().as_str()) || is_number_like()
}

fn quote(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let needs_escapes = text.chars().any(char::is_control);
    if needs_escapes || !text.contains(['"', '\\']) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

//! Translations. Authors write English in place; `languages/<code>/` mirrors their folders
//! (`languages/hi/workflows/…/quotes.yaml`, `languages/hi/forms/…/owner.json`): place → English → the same in that
//! language.
//!
//! A place is the keys that lead to the words, without positions of lists; an item of a list adds its `id`, `event`
//! or `const` where it has one. Moving a line changes nothing; a changed English sentence is missing, and what was
//! said for the old one is out of date. A file in another language is read as if its author had written it so:
//! nothing else of a definition can differ.

use crate::files::Files;
use crate::keys::blocks;
use crate::layout::{self, FileKind};
use crate::prose;
use crate::source::{Key, Node, Nodes, Value as Source};
use crate::text::Text;
use engine_statechart::{Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What is said for English that has changed.
pub(crate) const OUT_OF_DATE: &str = "out-of-date";
/// Keys that name an item of a list.
const NAMES: [&str; 3] = ["id", "event", "const"];
/// Keys that say that a text is an expression; they are no part of a place.
const EXPRESSIONS: [&str; 2] = ["cel", "$cel"];
/// Words of a form's fields and of their `x-ui`.
const OF_FIELDS: [&str; 9] = ["title", "intro", "hint", "placeholder", "empty", "add", "remove", "suffix", "prefix"];
/// Words of menus, footers and frames.
const OF_SITE: [&str; 8] = ["text", "title", "label", "hint", "upper_text", "bottom_text", "legal", "heading"];
/// Key below which all texts are words.
const BROWSER: &str = "browser";
const OF_MESSAGES: [&str; 3] = ["subject", "text", "after"];
/// Words of a message's facts and button.
const OF_LETTERS: [&str; 2] = ["label", "value"];

/// Everything that was read, apart from each other.
#[derive(Default)]
pub(crate) struct Read {
    /// Files as they are written.
    pub nodes: Nodes,
    /// Language → path of what is translated → translation.
    pub translations: BTreeMap<String, Nodes>,
}

/// The words of one file in a language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Path of the file in English.
    pub file: String,
    /// Words in the order of the file, each once.
    pub words: Vec<Translated>,
    /// What is said for words that are not there any more.
    pub unused: Vec<Translated>,
}

/// Words and what they are in a language.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    /// Line on which the words stand; of unused ones in the translation.
    pub line: u32,
    pub place: String,
    pub english: String,
    /// `None`: nobody has said it yet.
    pub said: Option<String>,
}

impl Sheet {
    pub fn missing(&self) -> impl Iterator<Item = &Translated> {
        self.words.iter().filter(|words| words.said.is_none())
    }

    /// What an unused entry's place reads now, when nobody has said that yet.
    pub fn now(&self, unused: &Translated) -> Option<&str> {
        self.missing().find(|words| words.place == unused.place).map(|words| words.english.as_str())
    }

    /// What was said for English that stood where only these words stand now: a start for a translator.
    pub fn before(&self, words: &Translated) -> Option<&Translated> {
        let mut missing = self.missing().filter(|other| other.place == words.place);
        let mut unused = self.unused.iter().filter(|other| other.place == words.place && other.said.is_some());
        match (missing.next(), missing.next(), unused.next(), unused.next()) {
            (Some(_), None, Some(before), None) => Some(before),
            _ => None,
        }
    }

    /// Path of the translation's file.
    pub fn path(&self, language: &str) -> String {
        layout::translation_path(&self.file, language)
    }
}

/// Every file that has words, in a language.
pub fn sheets(files: &Files, language: &str) -> Vec<Sheet> {
    crate::load::parse(files, &mut Vec::new()).sheets(language)
}

impl Read {
    pub fn of(nodes: Nodes) -> Read {
        let mut read = Read { nodes: Nodes::new(), translations: BTreeMap::new() };
        for (path, node) in nodes {
            match layout::translation(&path) {
                Some((of, language)) => drop(read.translations.entry(language).or_default().insert(of, node)),
                None => drop(read.nodes.insert(path, node)),
            }
        }
        read
    }

    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.translations.keys().map(String::as_str)
    }

    /// All files as they read in a language.
    pub fn translate(&self, language: &str, problems: &mut Vec<Problem>) -> Nodes {
        let mut nodes = self.nodes.clone();
        for (path, translation) in self.translations.get(language).into_iter().flatten() {
            let (Some(node), Some(kind)) = (nodes.get_mut(path), layout::kind_of(path)) else {
                problems.push(Problem::error(
                    "place",
                    &translation.span,
                    format!("there is no {path} that this could translate"),
                ));
                continue;
            };
            if matches!(kind, FileKind::Row(_)) {
                say_row(Arc::make_mut(node), translation, problems);
                continue;
            }
            let mut dictionary = Dictionary::read(translation, problems);
            let mut used = BTreeSet::new();
            let mut empty = std::mem::take(&mut dictionary.empty);
            words(&kind, Arc::make_mut(node), &mut |place, word| {
                empty.retain(|entry, _| *entry != (place, word.english()));
                let Some(said) = dictionary.find(place, word.english()) else { return };
                used.insert(&said.span);
                problems.extend(word.strange(said, language));
                word.say(said);
            });
            let unused = dictionary.entries.iter().filter(|(_, said)| !used.contains(&said.span));
            for ((place, english), said) in unused.chain(&empty) {
                let message = format!("`{place}` of {path} does not read “{}”", short(english));
                let hint = format!("`journey texts list --language {language}` shows what it reads now");
                problems.push(Problem::warning(OUT_OF_DATE, &said.span, message).hint(hint));
            }
        }
        nodes
    }

    pub fn sheets(&self, language: &str) -> Vec<Sheet> {
        let none = Nodes::new();
        let translations = self.translations.get(language).unwrap_or(&none);
        let sheet = |(path, node): (&String, &Arc<Node>)| {
            let kind = layout::kind_of(path)?;
            let dictionary = translations.get(path).map(|node| Dictionary::read(node, &mut Vec::new()));
            let dictionary = dictionary.unwrap_or_default();
            let mut sheet = Sheet { file: path.clone(), ..Sheet::default() };
            let mut known = BTreeSet::new();
            words(&kind, &mut Node::clone(node), &mut |place, word| {
                let said = dictionary.find(place, word.english()).and_then(Node::as_str).map(str::to_owned);
                let is_new = known.insert((place.to_owned(), word.english().to_owned()));
                // Names, figures and places read alike in every language; nobody has to write them down.
                let is_written = said.as_deref().is_some_and(|said| said != word.english());
                if is_new && (word.is_needed || is_written) {
                    let (line, english) = (word.line, word.english().to_owned());
                    sheet.words.push(Translated { line, place: place.to_owned(), english, said });
                }
            });
            let is_known = |(place, english): (&str, &str)| known.contains(&(place.to_owned(), english.to_owned()));
            let entries = dictionary.entries.iter().chain(&dictionary.empty);
            let unused = entries.filter(|(entry, _)| !is_known(**entry));
            sheet.unused.extend(unused.map(|((place, english), said)| Translated {
                line: said.span.line,
                place: (*place).to_owned(),
                english: (*english).to_owned(),
                said: said.as_str().map(str::to_owned),
            }));
            (!sheet.words.is_empty() || !sheet.unused.is_empty()).then_some(sheet)
        };
        self.nodes.iter().filter_map(sheet).collect()
    }
}

/// A translation's entries by place and English.
#[derive(Default)]
struct Dictionary<'n> {
    entries: BTreeMap<(&'n str, &'n str), &'n Node>,
    /// Entries that nobody has filled in yet.
    empty: BTreeMap<(&'n str, &'n str), &'n Node>,
}

impl<'n> Dictionary<'n> {
    fn read(node: &'n Node, problems: &mut Vec<Problem>) -> Dictionary<'n> {
        let mut dictionary = Dictionary::default();
        let shape = "a translation is place → English → the same in its language";
        if !node.is_map() && !node.is_null() {
            problems.push(Problem::error("shape", &node.span, shape));
        }
        for (place, pairs) in node.map() {
            if !pairs.is_map() {
                problems.push(Problem::error("shape", &pairs.span, shape));
            }
            for (english, said) in pairs.map() {
                let entry = (place.name.as_str(), english.name.as_str());
                match said.as_str() {
                    _ if said.is_null() => drop(dictionary.empty.insert(entry, said)),
                    Some("") => drop(dictionary.empty.insert(entry, said)),
                    Some(_) => drop(dictionary.entries.insert(entry, said)),
                    None => problems.push(Problem::error("shape", &said.span, shape)),
                }
            }
        }
        dictionary
    }

    fn find(&self, place: &str, english: &str) -> Option<&'n Node> {
        self.entries.get(&(place, english)).copied()
    }
}

/// Words at a place.
struct Word<'w> {
    node: &'w mut Node,
    line: u32,
    is_needed: bool,
    part: Wording,
}

/// Part of a text that is words.
enum Wording {
    Whole,
    /// What an expression says with `say('…')`.
    Quoted(Range<usize>, String),
    /// A line of a message.
    Line(Range<usize>),
}

impl Word<'_> {
    fn english(&self) -> &str {
        let text = self.node.as_str().unwrap_or_default();
        match &self.part {
            Wording::Whole => text,
            Wording::Quoted(_, words) => words,
            Wording::Line(range) => &text[range.clone()],
        }
    }

    /// A place of one that the other has not: nobody fills it, or something is not told. Messages are held against their
    /// own data.
    fn strange(&self, said: &Node, language: &str) -> Option<Problem> {
        let english = Text::template(self.english()).ok().filter(|_| !matches!(self.part, Wording::Line(_)))?;
        let text = Text::in_language(said.as_str()?, language).ok()?;
        if let Some(problem) = strange_link(said, self.english()) {
            return Some(problem);
        }
        let known: BTreeSet<String> = english.places().collect();
        let own: BTreeSet<String> = text.places().collect();
        if let Some(name) = own.iter().find(|name| !known.contains(*name)) {
            let problem = Problem::error("unknown-name", &said.span, format!("the English has no `{{{{{name}}}}}`"));
            return Some(problem.maybe_hint(did_you_mean(name, known.iter().map(String::as_str))));
        }
        let lost = known.iter().find(|name| !own.contains(*name))?;
        Some(Problem::error("lost", &said.span, format!("the English has `{{{{{lost}}}}}`, and this has not")))
    }

    fn say(self, said: &Node) {
        let (words, text) = (said.as_str().unwrap_or_default(), self.node.as_str().unwrap_or_default());
        let within =
            |range: &Range<usize>, words: &str| format!("{}{words}{}", &text[..range.start], &text[range.end..]);
        let text = match &self.part {
            Wording::Whole => words.to_owned(),
            Wording::Quoted(range, _) => within(range, &words.replace('\\', "\\\\").replace('\'', "\\'")),
            Wording::Line(range) => within(range, words),
        };
        if !matches!(self.part, Wording::Quoted(..)) {
            self.node.span = said.span.clone();
        }
        self.node.value = Source::String(text);
    }
}

/// Whether there is a letter outside of places and tags, or in the words of a number.
fn is_said(text: &str) -> bool {
    let (mut depth, mut counted) = (0_i32, false);
    text.chars().any(|c| {
        depth += i32::from(matches!(c, '{' | '<')) - i32::from(matches!(c, '}' | '>'));
        counted = depth > 1 && (counted || c == ':');
        (depth <= 0 || counted) && c.is_alphabetic()
    })
}

/// Whether words for people stand under this key of a view or page, or in this column of a table.
fn is_words(key: &str) -> bool {
    ["title", "intro", "description"].contains(&key) || blocks::is_words(key)
}

type Visit<'v> = dyn FnMut(&str, Word<'_>) + 'v;

/// Every word of a file that people read, with its place.
fn words(kind: &FileKind, node: &mut Node, visit: &mut Visit<'_>) {
    let rule: Rule = match kind {
        FileKind::Texts(_) => Rule::All,
        FileKind::View(_) => Rule::View,
        FileKind::Page => Rule::Page,
        FileKind::Site => Rule::Site,
        FileKind::Flow(_) | FileKind::Part(_) => Rule::Flow,
        FileKind::Values(_) => Rule::Values,
        FileKind::Message(_) => Rule::Message,
        FileKind::Form(_) => Rule::Form,
        FileKind::Endpoint(_) => Rule::Endpoint,
        FileKind::Table(_) => return table(node, visit),
        _ => return,
    };
    let rule = if matches!(kind, FileKind::Form(id) if id == "shared/messages") { Rule::All } else { rule };
    walk(rule, node, &mut Vec::new(), visit);
}

#[derive(Clone, Copy, PartialEq)]
enum Rule {
    All,
    View,
    Page,
    Site,
    Flow,
    Values,
    Message,
    Form,
    Endpoint,
}

impl Rule {
    /// Whether a literal text at these keys is read by people.
    fn takes(self, keys: &[String]) -> bool {
        let Some(last) = keys.last().map(String::as_str) else { return false };
        let above = |n: usize| keys.len().checked_sub(n).map_or("", |at| keys[at].as_str());
        let parent = above(2);
        match self {
            Rule::All => true,
            Rule::View => is_words(last) && !(keys.len() == 1 && last == "description"),
            Rule::Page => is_words(last) || ["", "asks"].contains(&parent) && last == "submit",
            Rule::Site => keys[0] == BROWSER || OF_SITE.contains(&last) && !["company", "timers"].contains(&parent),
            Rule::Flow => match root(keys) {
                [_] => last == "title",
                [first, ..] if first == "params" => true,
                [first, ..] if first == "sections" => last == "title",
                rest => {
                    // `steps` beside `use` says more of a part's steps, by state
                    let is_of_step =
                        parent == "step" || above(3) == "steps" || rest.iter().any(|key| key == "variants");
                    is_of_step && ["title", "submit"].contains(&last)
                }
            },
            Rule::Values => false,
            // What is said to who is refused.
            Rule::Endpoint => last == "or",
            Rule::Message => match keys {
                [_] => OF_MESSAGES.contains(&last),
                [first, ..] => ["facts", "action"].contains(&first.as_str()) && OF_LETTERS.contains(&last),
                [] => false,
            },
            Rule::Form => {
                keys.iter().any(|key| key == "x-messages" || key == "messages")
                    || OF_FIELDS.contains(&last) && parent != "properties"
                    || last == "x-title"
                    || last == "text" && parent == "x-refuse"
                    || last == "label" && parent == "links"
                    || ["description", "head"].contains(&last) && keys.iter().any(|key| key == "oneOf")
            }
        }
    }
}

/// Whether people read a literal text under this key of a form, a view or a step.
pub(crate) fn are_words(key: &str) -> bool {
    OF_FIELDS.contains(&key) || is_words(key) || key == "submit"
}

/// A literal, not an expression.
fn is_name(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | '.'))
}

/// The keys of a flow, also where it changes another one.
fn root(keys: &[String]) -> &[String] {
    match keys {
        [merge, rest @ ..] if merge == "merge" => rest,
        keys => keys,
    }
}

fn walk(rule: Rule, node: &mut Node, keys: &mut Vec<String>, visit: &mut Visit<'_>) {
    let line = node.span.line;
    let marked = matches!(node.map(), [(key, inner)] if key.name == "text" && inner.as_str().is_some());
    match &mut node.value {
        Source::Map(entries) if marked => {
            let node = &mut entries[0].1;
            visit(&keys.join("."), Word { line, node, is_needed: true, part: Wording::Whole });
        }
        Source::Map(entries) => {
            for (key, inner) in entries {
                match (EXPRESSIONS.contains(&key.name.as_str()), inner.as_str()) {
                    (true, Some(text)) if text.contains(SAY) => visit_quoted(inner, &keys.join("."), visit),
                    (true, Some(_)) => {}
                    _ => {
                        keys.push(key.name.clone());
                        walk(rule, inner, keys, visit);
                        keys.pop();
                    }
                }
            }
        }
        Source::List(items) => {
            for item in items {
                let name = NAMES.iter().find_map(|name| item.get(name)?.as_str()).filter(|name| is_name(name));
                let name = name.map(str::to_owned);
                let known = keys.len();
                keys.extend(name);
                walk(rule, item, keys, visit);
                keys.truncate(known);
            }
        }
        Source::String(text) if text.contains(SAY) => visit_quoted(node, &keys.join("."), visit),
        Source::String(_) if rule == Rule::Message && rule.takes(keys) => lines(node, &keys.join("."), visit),
        Source::String(text) if rule.takes(keys) => {
            let is_needed = is_said(text) && root(keys).first().is_none_or(|first| first != "params");
            visit(&keys.join("."), Word { line, node, is_needed, part: Wording::Whole });
        }
        _ => {}
    }
}

/// How expressions mark what people read.
const SAY: &str = "say('";

/// Visits the quoted words of a text from the last to the first, so that what was replaced moves nothing that follows.
fn visit_quoted(node: &mut Node, place: &str, visit: &mut Visit<'_>) {
    let text = node.as_str().unwrap_or_default().to_owned();
    let line = node.span.line;
    let starts: Vec<usize> = text.match_indices(SAY).map(|(at, _)| at + SAY.len()).collect();
    for start in starts.into_iter().rev() {
        let mut escaped = false;
        let end = text[start..].char_indices().find(|(_, c)| {
            let ends = *c == '\'' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let Some((length, _)) = end else { continue };
        let range = start..start + length;
        let words = text[range.clone()].replace("\\'", "'").replace("\\\\", "\\");
        visit(place, Word { line, node, is_needed: true, part: Wording::Quoted(range, words) });
    }
}

/// Each line of a message, from the last to the first.
fn lines(node: &mut Node, place: &str, visit: &mut Visit<'_>) {
    let (text, line) = (node.as_str().unwrap_or_default().to_owned(), node.span.line);
    let mut end = text.len();
    for one in text.split('\n').rev() {
        let range = end - one.len()..end;
        end = range.start.saturating_sub(1);
        if is_said(one) {
            visit(place, Word { line, node, is_needed: true, part: Wording::Line(range) });
        }
    }
}

/// A link that the English has not: where a page leads is decided there.
fn strange_link(said: &Node, english: &str) -> Option<Problem> {
    let (own, known) = (prose::links(said.as_str()?), prose::links(english));
    let strange = own.into_iter().find(|link| !known.contains(link))?;
    Some(Problem::error("link", &said.span, format!("the English has no link to `{strange}`")))
}

/// A row that is a file of its own reads in a language as that file does there; what it does not say stays.
fn say_row(row: &mut Node, said: &Node, problems: &mut Vec<Problem>) {
    for (key, words) in said.map() {
        let Some(cell) = row.map_mut().and_then(|cells| cells.iter_mut().find(|(known, _)| known.name == key.name))
        else {
            problems.push(Problem::error("unknown-key", &key.span, format!("the English has no `{}`", key.name)));
            continue;
        };
        problems.extend(strange_link(words, cell.1.as_str().unwrap_or_default()));
        cell.1 = words.clone();
    }
}

/// Cells of columns whose names are those of words.
fn table(node: &mut Node, visit: &mut Visit<'_>) {
    let columns: Vec<String> =
        node.get("columns").map_or(&[][..], Node::map).iter().map(|(key, _)| key.name.clone()).collect();
    let Source::Map(entries) = &mut node.value else { return };
    let rows = entries.iter_mut().find(|(key, _)| key.name == "rows").map(|(_, rows)| &mut rows.value);
    let Some(Source::List(rows)) = rows else { return };
    let mut word = |place: &str, node: &mut Node| {
        let line = node.span.line;
        let is_needed = node.as_str().is_some_and(is_said);
        if is_needed {
            visit(place, Word { line, node, is_needed, part: Wording::Whole });
        }
    };
    let mut cell = |column: &str, node: &mut Node| {
        let place = format!("rows.{column}");
        match &mut node.value {
            Source::List(items) if blocks::is_list_of_words(column) => {
                items.iter_mut().for_each(|item| word(&place, item));
            }
            _ if is_words(column) => word(&place, node),
            _ => {}
        }
    };
    for row in rows {
        match &mut row.value {
            Source::List(cells) => columns.iter().zip(cells).for_each(|(column, node)| cell(column, node)),
            Source::Map(cells) => cells.iter_mut().for_each(|(Key { name, .. }, node)| cell(name, node)),
            _ => {}
        }
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

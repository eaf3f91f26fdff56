//! Markdown of authors: paragraphs, headings, lists, emphasis, links and tables (CommonMark, and tables as GitHub writes
//! them) become a tree of a few elements, which the page, the paper and the e-mail draw each in their way. What would be
//! shown as letters or could carry a script is refused: HTML, pictures, code, addresses that are no links.
//!
//! Places of a text, `{{name}}`, are no Markdown: what fills them in is shown as it is, whatever signs it has.

use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A mistake, and on which line of the text it stands, from 0.
#[derive(Debug, PartialEq)]
pub(crate) struct Mistake {
    pub line: u32,
    pub message: String,
    pub hint: &'static str,
}

impl Mistake {
    /// The mistake as a problem of the file in which the text stands.
    pub fn at(self, text: &Node) -> Problem {
        Problem::error("prose", &line_of(text, self.line), self.message).hint(self.hint)
    }
}

/// Place of a line of a text, from 0: in YAML a block of several lines begins on the line below its key.
fn line_of(text: &Node, line: u32) -> Span {
    let begins = u32::from(text.as_str().is_some_and(|text| text.contains('\n')) && text.span.column > 1);
    let mut span = text.span.clone();
    span.line += line + begins;
    span
}

/// The elements that there are, as HTML names them.
pub(crate) const ELEMENTS: [&str; 14] =
    ["p", "h3", "ul", "ol", "li", "strong", "em", "a", "table", "thead", "tbody", "tr", "th", "td"];

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Prose {
    Words(String),
    /// `name` as HTML has it, since browsers and programs that read mail know it so.
    Element {
        name: &'static str,
        href: Option<String>,
        of: Vec<Prose>,
    },
}

/// Stand for places while Markdown is read: no sign of it, and no letter of anybody (Unicode, private use).
const PLACES: std::ops::RangeInclusive<u32> = 0xE000..=0xF8FF;

/// Reads Markdown. `None`: it is plain paragraphs, and says what it says without being read.
pub(crate) fn parse(text: &str) -> Result<Option<Vec<Prose>>, Mistake> {
    if !text.contains(['*', '_', '[', '`', '<', '#', '|', '\\', '&', '~', '>', '+', '-', '=']) && !has_number(text) {
        return Ok(None);
    }
    let (masked, places) = mask(text);
    let mut reader = MarkdownReader { text: &masked, open: vec![(None, Vec::new())], is_head: false };
    for (event, at) in Parser::new_ext(&masked, Options::ENABLE_TABLES).into_offset_iter() {
        reader.read(event, at.start)?;
    }
    let mut all = reader.open.pop().map(|(_, of)| of).unwrap_or_default();
    all.iter_mut().for_each(|one| one.unmask(&places));
    Ok((!is_plain(&all, text)).then_some(all))
}

/// Whether a line begins like that of a numbered list.
fn has_number(text: &str) -> bool {
    let is_numbered = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.trim_start().len() && rest.starts_with(['.', ')'])
    };
    text.lines().any(is_numbered)
}

/// The text with each `{{…}}` as one sign, and what these were.
fn mask(text: &str) -> (Cow<'_, str>, Vec<String>) {
    let (mut out, mut places, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inside, behind)) = after.split_once("}}") else { break };
        let Some(sign) = char::from_u32(PLACES.start() + places.len() as u32).filter(|c| is_place(*c)) else { break };
        out.push_str(before);
        out.push(sign);
        places.push(format!("{{{{{inside}}}}}"));
        rest = behind;
    }
    if places.is_empty() {
        return (text.into(), places);
    }
    out.push_str(rest);
    (out.into(), places)
}

/// Whether browsers follow it, and nothing else.
fn is_link(address: &str) -> bool {
    let scheme =
        address.split(['/', '?', '#']).next().and_then(|first| first.split_once(':')).map(|(scheme, _)| scheme);
    let is_known = scheme.is_none_or(|scheme| ["https", "mailto", "tel"].contains(&scheme));
    is_known && !address.is_empty() && !address.starts_with("//") && !address.contains('\\')
}

/// Addresses of the links of a text; none of one that cannot be read.
pub(crate) fn links(text: &str) -> Vec<String> {
    // most texts have none
    let all = if text.contains("](") || text.contains("]:") { parse(text).ok().flatten() } else { None };
    all.iter().flatten().flat_map(Prose::links).map(str::to_owned).collect()
}

/// The links of a text, each with its place.
pub(crate) fn links_at(text: &Node) -> Vec<(String, Span)> {
    let words = text.as_str().unwrap_or_default();
    let place = |link: String| {
        let line = words.split(&format!("({link}")).next().map_or(0, |before| before.matches('\n').count() as u32);
        (link, line_of(text, line))
    };
    links(words).into_iter().map(place).collect()
}

fn is_place(sign: char) -> bool {
    PLACES.contains(&u32::from(sign))
}

/// Whether nothing but paragraphs was found, and their words are those of the text.
fn is_plain(all: &[Prose], text: &str) -> bool {
    let spaced = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut read = all.iter().map(|one| match one {
        Prose::Element { name: "p", of, .. } => match of.as_slice() {
            [Prose::Words(words)] => Some(spaced(words)),
            _ => None,
        },
        _ => None,
    });
    let mut written = text.split("\n\n").map(spaced);
    let mut written = written.by_ref().filter(|part| !part.is_empty());
    loop {
        match (read.next(), written.next()) {
            (None, None) => return true,
            (Some(Some(read)), Some(written)) if read == written => {}
            _ => return false,
        }
    }
}

/// What an element that was opened gathers.
type Opened = (Option<(&'static str, Option<String>)>, Vec<Prose>);

struct MarkdownReader<'t> {
    text: &'t str,
    open: Vec<Opened>,
    /// Inside the first row of a table.
    is_head: bool,
}

impl MarkdownReader<'_> {
    fn read(&mut self, event: Event<'_>, at: usize) -> Result<(), Mistake> {
        match event {
            Event::Start(tag) => {
                let (name, href) = self.element(tag, at)?;
                self.open.push((Some((name, href)), Vec::new()));
            }
            Event::End(TagEnd::TableHead) => {
                self.is_head = false;
                self.close();
            }
            Event::End(_) => self.close(),
            Event::Text(words) => self.say(&words),
            Event::SoftBreak | Event::HardBreak => self.say("\n"),
            Event::Rule => return Err(self.wrong(at, "a line across the page", "a heading parts what follows")),
            Event::Html(html) | Event::InlineHtml(html) => return Err(self.html(at, &html)),
            Event::Code(_) => return Err(self.wrong(at, "code", "words for people have no code; \\` is the sign")),
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
        Ok(())
    }

    fn element(&mut self, tag: Tag<'_>, at: usize) -> Result<(&'static str, Option<String>), Mistake> {
        Ok((
            match tag {
                Tag::Paragraph => "p",
                Tag::Heading { level: HeadingLevel::H1, .. } => {
                    return Err(self.wrong(at, "a heading of the page", "`title` is that; begin with ##"));
                }
                Tag::Heading { .. } => "h3",
                Tag::List(None) => "ul",
                Tag::List(Some(_)) => "ol",
                Tag::Item => "li",
                Tag::Strong => "strong",
                Tag::Emphasis => "em",
                Tag::Link { dest_url, .. } => {
                    let is_place = dest_url.starts_with(is_place);
                    if !is_place && !is_link(&dest_url) {
                        let message = format!("`{dest_url}` is no link: a browser would not follow it");
                        return Err(self.mistake(at, message, "an address of this site, https:, mailto: or tel:"));
                    }
                    return Ok(("a", Some(dest_url.into_string())));
                }
                Tag::Table(_) => "table",
                Tag::TableHead => {
                    self.is_head = true;
                    "tr"
                }
                Tag::TableRow => "tr",
                Tag::TableCell if self.is_head => "th",
                Tag::TableCell => "td",
                Tag::CodeBlock(_) => {
                    return Err(self.wrong(at, "code", "a paragraph begins at the margin of the text"));
                }
                Tag::HtmlBlock => return Err(self.html(at, self.text.get(at..).unwrap_or_default())),
                Tag::Image { .. } => return Err(self.wrong(at, "a picture", "pictures stand in blocks of their own")),
                Tag::BlockQuote(_) => {
                    return Err(self.wrong(at, "a quotation", "reviews stand in blocks of their own"));
                }
                _ => return Err(self.wrong(at, "something else", "paragraphs, headings, lists, links and tables")),
            },
            None,
        ))
    }

    fn close(&mut self) {
        if let Some((Some((name, href)), mut of)) = self.open.pop() {
            // A list with empty lines between its items reads like one without.
            if name == "li"
                && let [Prose::Element { name: "p", of: inner, .. }] = of.as_mut_slice()
            {
                of = std::mem::take(inner);
            }
            if name == "table" {
                let rows = of.split_off(1.min(of.len()));
                let part = |name, of| Prose::Element { name, href: None, of };
                of = vec![part("thead", of), part("tbody", rows)];
            }
            self.put(Prose::Element { name, href, of });
        }
    }

    fn put(&mut self, one: Prose) {
        if let Some((_, of)) = self.open.last_mut() {
            of.push(one);
        }
    }

    fn say(&mut self, words: &str) {
        match self.open.last_mut().and_then(|(_, of)| of.last_mut()) {
            Some(Prose::Words(before)) => before.push_str(words),
            _ => self.put(Prose::Words(words.to_owned())),
        }
    }

    fn html(&self, at: usize, html: &str) -> Mistake {
        let first = html.trim().lines().next().unwrap_or_default();
        let message = format!("`{}` is HTML", first.chars().take(30).collect::<String>());
        self.mistake(at, message, "**strong**, *emphasis*, [a link](/address), - a list")
    }

    fn wrong(&self, at: usize, what: &str, hint: &'static str) -> Mistake {
        self.mistake(at, format!("{what} has no place in a text"), hint)
    }

    fn mistake(&self, at: usize, message: String, hint: &'static str) -> Mistake {
        let line = self.text.get(..at).map_or(0, |before| before.matches('\n').count() as u32);
        Mistake { line, message, hint }
    }
}

impl Prose {
    fn unmask(&mut self, places: &[String]) {
        let write = |text: &mut String| {
            if !places.is_empty() && text.contains(is_place) {
                let of = |sign: char| places.get((u32::from(sign).wrapping_sub(*PLACES.start())) as usize);
                *text = text.chars().map(|c| of(c).cloned().unwrap_or_else(|| c.to_string())).collect();
            }
        };
        match self {
            Prose::Words(words) => write(words),
            Prose::Element { href, of, .. } => {
                href.iter_mut().for_each(write);
                of.iter_mut().for_each(|one| one.unmask(places));
            }
        }
    }

    /// As the browser gets it: a text, or `{is, href?, of}`.
    pub fn to_json(&self) -> Value {
        match self {
            Prose::Words(words) => words.as_str().into(),
            Prose::Element { name, href, of } => {
                let mut element = json!({"is": name, "of": of.iter().map(Prose::to_json).collect::<Vec<_>>()});
                if let Some(href) = href {
                    element["href"] = href.as_str().into();
                }
                element
            }
        }
    }

    /// Addresses of its links.
    pub fn links(&self) -> Vec<&str> {
        match self {
            Prose::Words(_) => Vec::new(),
            Prose::Element { href, of, .. } => {
                href.iter().map(String::as_str).chain(of.iter().flat_map(Prose::links)).collect()
            }
        }
    }
}

/// A value that is to stand in Markdown as it is: none of its signs is a mark, no line of it begins anything.
pub(crate) fn quote(value: &str) -> String {
    let line = |line: &str| {
        let mut quoted = String::with_capacity(line.len());
        for sign in line.trim_start().chars() {
            quoted.extend(sign.is_ascii_punctuation().then_some('\\').into_iter().chain([sign]));
        }
        quoted
    };
    value.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Markdown with quoted values as letters alone.
pub(crate) fn letters(text: &str) -> String {
    match parse(text) {
        Ok(Some(all)) => plain_text(&all.iter().map(Prose::to_json).collect()),
        _ => text.to_owned(),
    }
}

/// What a text of a block says in letters alone: paragraphs parted by an empty line, `•` before an item of a list, `: `
/// between the cells of a row.
pub fn plain_text(text: &Value) -> String {
    match text {
        Value::Array(parts) => {
            let all: Vec<String> = parts.iter().map(paragraph).filter(|part| !part.is_empty()).collect();
            all.join("\n\n")
        }
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn paragraph(part: &Value) -> String {
    let items = || part["of"].as_array().into_iter().flatten();
    match part["is"].as_str() {
        Some("ul" | "ol") => items().map(|item| format!("• {}", inline(item))).collect::<Vec<_>>().join("\n"),
        Some("table") => {
            let cells = |row: &Value| row["of"].as_array().into_iter().flatten().map(inline).collect::<Vec<_>>();
            let rows = items().flat_map(|part| part["of"].as_array().into_iter().flatten());
            rows.map(|row| cells(row).join(": ")).collect::<Vec<_>>().join("\n")
        }
        _ => inline(part),
    }
}

fn inline(part: &Value) -> String {
    match part {
        Value::String(words) => words.clone(),
        _ => part["of"].as_array().into_iter().flatten().map(inline).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Mistake, Prose, parse, plain_text};
    use serde_json::{Value, json};

    fn tree(text: &str) -> Value {
        parse(text).expect("it is Markdown").expect("it has marks").iter().map(Prose::to_json).collect()
    }

    #[test]
    fn marks_become_elements() {
        let text = "## Who pays\n\nThe **carrier**, *mostly*. See [the figures](/figures).\n\n- One\n- Two\n\n1. First\n\n| Age | Price |\n|---|---|\n| 30 | ₹7 |";
        assert_eq!(
            tree(text),
            json!([
                {"is": "h3", "of": ["Who pays"]},
                {"is": "p", "of": ["The ", {"is": "strong", "of": ["carrier"]}, ", ", {"is": "em", "of": ["mostly"]},
                    ". See ", {"is": "a", "href": "/figures", "of": ["the figures"]}, "."]},
                {"is": "ul", "of": [{"is": "li", "of": ["One"]}, {"is": "li", "of": ["Two"]}]},
                {"is": "ol", "of": [{"is": "li", "of": ["First"]}]},
                {"is": "table", "of": [
                    {"is": "thead", "of": [{"is": "tr", "of": [{"is": "th", "of": ["Age"]}, {"is": "th", "of": ["Price"]}]}]},
                    {"is": "tbody", "of": [{"is": "tr", "of": [{"is": "td", "of": ["30"]}, {"is": "td", "of": ["₹7"]}]}]}]}
            ])
        );
        assert_eq!(
            plain_text(&tree(text)),
            "Who pays\n\nThe carrier, mostly. See the figures.\n\n• One\n• Two\n\n• First\n\nAge: Price\n30: ₹7"
        );
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        for text in ["One.\n\nTwo, at 18 %.", "A well-known one: 5 * 3, a_b_c and #7", "Rs 5 & more", "12 days", ""] {
            assert_eq!(parse(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn places_are_no_marks() {
        let expected = json!([{"is": "p", "of": [{"is": "strong", "of": ["{{a_b.c_d}}"]}, " {{n: one | *many*}} ",
            {"is": "a", "href": "{{way}}", "of": ["on"]}]}]);
        assert_eq!(tree("**{{a_b.c_d}}** {{n: one | *many*}} [on]({{way}})"), expected);
        assert_eq!(parse("{{a_b}} and {{c_d}}"), Ok(None));
    }

    #[test]
    fn what_is_no_text_is_refused_on_its_line() {
        for (text, line, message) in [
            ("One\n\nTwo <b>three</b>", 2, "`<b>` is HTML"),
            ("<script>alert(1)</script>", 0, "`<script>alert(1)</script>` is HTML"),
            ("*One*\n\n![a](/b.png)", 2, "a picture has no place in a text"),
            ("[x](javascript:alert(1))", 0, "`javascript:alert(1)` is no link: a browser would not follow it"),
            ("# One", 0, "a heading of the page has no place in a text"),
            ("`a`", 0, "code has no place in a text"),
        ] {
            let found = parse(text).map_err(|Mistake { line, message, .. }| (line, message));
            assert_eq!(found, Err((line, message.to_owned())), "{text}");
        }
    }
}

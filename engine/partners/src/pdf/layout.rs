//! Where everything stands: wrapping, columns, page breaks. Points, from the lower left corner.

use super::font::{self, Font};
use super::{Document, Section};

pub const WIDTH: f32 = 595.0;
pub const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 56.0;
const RIGHT: f32 = WIDTH - MARGIN;
const BOTTOM: f32 = 72.0;
/// Left edge of values.
const VALUES: f32 = MARGIN + 200.0;
const GAP: f32 = 12.0;

#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    Text { x: f32, y: f32, size: u32, font: Font, grey: bool, bytes: Vec<u8> },
    Rule { y: f32, strong: bool },
}

pub type Page = Vec<Mark>;

/// Left and right end of a rule.
pub const RULE: (f32, f32) = (MARGIN, RIGHT);

pub fn pages(document: &Document) -> Vec<Page> {
    let mut sheet = Sheet { pages: vec![Vec::new()], y: HEIGHT - MARGIN };
    sheet.paragraph(&document.title, Style { size: 18, font: Font::Bold, grey: false }, 24.0);
    sheet.paragraph(&document.subtitle, Style { size: 10, font: Font::Regular, grey: true }, 14.0);
    for section in &document.sections {
        sheet.section(section);
    }
    number(&mut sheet.pages, &document.title);
    sheet.pages
}

#[derive(Clone, Copy)]
struct Style {
    size: u32,
    font: Font,
    grey: bool,
}

const LABEL: Style = Style { size: 10, font: Font::Regular, grey: true };
const VALUE: Style = Style { size: 10, font: Font::Regular, grey: false };
const HEADING: Style = Style { size: 12, font: Font::Bold, grey: false };
const LINE: f32 = 14.0;

struct Sheet {
    pages: Vec<Page>,
    /// Upper edge of what comes next.
    y: f32,
}

impl Sheet {
    fn section(&mut self, section: &Section) {
        self.y -= 14.0;
        if !section.heading.is_empty() {
            // A heading stays with what follows it.
            self.room(16.0 + 8.0 + 2.0 * LINE);
            self.paragraph(&section.heading, HEADING, 16.0);
            self.rule(true);
        }
        for (label, value) in &section.rows {
            self.row(label, value);
        }
        if !section.rows.is_empty() && !section.lines.is_empty() {
            self.y -= 6.0;
        }
        for line in &section.lines {
            self.paragraph(line, VALUE, LINE);
            self.y -= 2.0;
        }
    }

    fn row(&mut self, label: &str, value: &str) {
        let value = font::encode(value.trim());
        let amount = is_amount(&value);
        // An amount leaves most of the line to its label.
        let label_width = if amount { RIGHT - MARGIN - points(&value, VALUE) - GAP } else { VALUES - MARGIN - GAP };
        let labels = wrap(&font::encode(label), LABEL, label_width.max(80.0));
        let values = if amount { vec![value] } else { wrap(&value, VALUE, RIGHT - VALUES) };
        for i in 0..labels.len().max(values.len()) {
            self.room(LINE + 6.0);
            self.y -= LINE;
            if let Some(label) = labels.get(i) {
                self.text(MARGIN, LABEL, label.clone());
            }
            if let Some(value) = values.get(i) {
                let x = if amount { RIGHT - points(value, VALUE) } else { VALUES };
                self.text(x, VALUE, value.clone());
            }
        }
        self.rule(false);
    }

    fn paragraph(&mut self, text: &str, style: Style, line: f32) {
        if text.trim().is_empty() {
            return;
        }
        for bytes in wrap(&font::encode(text), style, RIGHT - MARGIN) {
            self.room(line);
            self.y -= line;
            self.text(MARGIN, style, bytes);
        }
    }

    fn text(&mut self, x: f32, style: Style, bytes: Vec<u8>) {
        let y = self.y;
        self.page().push(Mark::Text { x, y, size: style.size, font: style.font, grey: style.grey, bytes });
    }

    fn rule(&mut self, strong: bool) {
        self.y -= 4.0;
        let y = self.y;
        self.page().push(Mark::Rule { y, strong });
    }

    /// A new page unless this much is left.
    fn room(&mut self, height: f32) {
        if self.y - height < BOTTOM {
            self.pages.push(Vec::new());
            self.y = HEIGHT - MARGIN;
        }
    }

    fn page(&mut self) -> &mut Page {
        if self.pages.is_empty() {
            self.pages.push(Vec::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }
}

/// `Rs. 1,234.00`, with or without a sign before it.
fn is_amount(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"\x96")).unwrap_or(bytes).trim_ascii();
    let Some(number) = text.strip_prefix(b"Rs.").map(<[u8]>::trim_ascii) else { return false };
    number.iter().any(u8::is_ascii_digit)
        && number.iter().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.' | b'-'))
}

fn points(bytes: &[u8], style: Style) -> f32 {
    font::width(bytes, style.font, style.size) as f32 / 1000.0
}

/// Wraps words to lines of at most this width, broken at spaces; a word that is wider is broken inside.
fn wrap(bytes: &[u8], style: Style, width: f32) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut line: Vec<u8> = Vec::new();
    for word in bytes.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
        let mut longer = line.clone();
        if !longer.is_empty() {
            longer.push(b' ');
        }
        longer.extend_from_slice(word);
        if points(&longer, style) <= width {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for byte in word {
            line.push(*byte);
            if points(&line, style) > width && line.len() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, vec![*byte]));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn number(pages: &mut [Page], title: &str) {
    let count = pages.len();
    let style = Style { size: 8, font: Font::Regular, grey: true };
    for (i, page) in pages.iter_mut().enumerate() {
        let place = font::encode(&format!("Page {} of {count}", i + 1));
        let x = RIGHT - points(&place, style);
        let name = wrap(&font::encode(title), style, x - MARGIN - GAP).into_iter().next().unwrap_or_default();
        for (x, bytes) in [(MARGIN, name), (x, place)] {
            page.push(Mark::Text { x, y: 40.0, size: style.size, font: style.font, grey: true, bytes });
        }
    }
}

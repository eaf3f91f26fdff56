//! Where everything stands. Points from the upper left corner.

use crate::code;
use crate::letters::{Letters, Weight};
use crate::{Error, Fact, Look, Paper, PaperPart, Row};

pub const WIDTH: f32 = 595.28;
pub const HEIGHT: f32 = 841.89;
const MARGIN: f32 = 48.0;
const RIGHT: f32 = WIDTH - MARGIN;
const INNER: f32 = RIGHT - MARGIN;
/// Room between two columns, and within a card.
const GAP: f32 = 20.0;
/// Widest column of values in a table.
const VALUES: f32 = INNER * 0.6;
/// Height of a line, in sizes of its letters.
const LINE: f32 = 1.25;

/// Room between things, beside their letters.
#[derive(Clone, Copy)]
struct Spacing {
    /// Room below a part.
    part: f32,
    /// Room below a heading.
    heading: f32,
    /// Room below a fact, and around a row of a table.
    fact: f32,
    row: f32,
    /// Side of the code: at 80 points its smallest squares are two thirds of a millimetre.
    code: f32,
}

const ROOMY: Spacing = Spacing { part: 12.0, heading: 4.0, fact: 6.0, row: 5.5, code: 92.0 };
/// Spacing for a paper that takes a page less by it.
const TIGHT: Spacing = Spacing { part: 8.0, heading: 2.0, fact: 4.0, row: 3.5, code: 80.0 };

/// Colours by what they are for: the tokens of the web app by day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Text,
    Soft,
    Line,
    Brand,
    /// Colour of the road's line.
    Glow,
    OnBrand,
    OnBrandSoft,
    Plate,
    Black,
}

#[derive(Debug)]
pub enum Mark {
    /// `y` is its baseline.
    Text {
        x: f32,
        y: f32,
        size: f32,
        weight: Weight,
        ink: Ink,
        line: String,
    },
    Box {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        radius: f32,
        ink: Ink,
    },
    /// Dark squares of a code, each with this side.
    Squares {
        x: f32,
        y: f32,
        side: f32,
        dark: Vec<(usize, usize)>,
    },
}

/// What a part of the paper is to whoever reads it aloud.
#[derive(Debug)]
pub enum Role {
    Heading(u16, String),
    Paragraph,
    Table,
    Row,
    Label,
    Value,
    Figure(String),
    Link,
}

#[derive(Debug)]
pub enum Node {
    Group(Role, Vec<Node>),
    /// Index of a leaf.
    Leaf(usize),
}

#[derive(Debug, Default)]
pub struct Leaf {
    pub page: usize,
    pub marks: Vec<Mark>,
    /// Link of the words: left, top, right, bottom, and where it leads.
    pub link: Option<([f32; 4], String)>,
}

#[derive(Debug, Default)]
pub struct Layout {
    /// Marks of each page that are seen but not read.
    pub grounds: Vec<Vec<Mark>>,
    /// Leaves in reading order, and so by page.
    pub leaves: Vec<Leaf>,
    pub tree: Vec<Node>,
    /// Headings: title, page, upper edge.
    pub headings: Vec<(String, usize, f32)>,
}

/// Lays a paper out: roomy, unless a page can be saved.
pub fn layout(paper: &Paper, letters: &Letters) -> Result<Layout, Error> {
    let roomy = laid_out(paper, letters, ROOMY)?;
    if roomy.grounds.len() == 1 {
        return Ok(roomy);
    }
    let tight = laid_out(paper, letters, TIGHT)?;
    Ok(if tight.grounds.len() < roomy.grounds.len() { tight } else { roomy })
}

fn laid_out(paper: &Paper, letters: &Letters, spacing: Spacing) -> Result<Layout, Error> {
    let legal = letters.wrap(&paper.legal, Weight::Regular, 7.5, INNER - 40.0);
    let bottom = HEIGHT - MARGIN - 10.0 * legal.len() as f32;
    let mut sheet = Sheet { letters, layout: Layout::default(), y: 0.0, bottom, on: Inks::PAPER, spacing };
    sheet.turn_over();
    sheet.head(paper);
    for part in &paper.parts {
        sheet.part(part)?;
    }
    sheet.feet(&legal);
    Ok(sheet.layout)
}

/// Inks of words by what they are written on.
#[derive(Clone, Copy)]
struct Inks {
    text: Ink,
    soft: Ink,
}

impl Inks {
    const PAPER: Inks = Inks { text: Ink::Text, soft: Ink::Soft };
    const CARD: Inks = Inks { text: Ink::OnBrand, soft: Ink::OnBrandSoft };
}

struct Sheet<'l> {
    letters: &'l Letters,
    layout: Layout,
    /// Upper edge of what comes next.
    y: f32,
    bottom: f32,
    on: Inks,
    spacing: Spacing,
}

/// Lines of one look.
struct Lines {
    lines: Vec<String>,
    size: f32,
    weight: Weight,
    ink: Ink,
}

impl Lines {
    fn height(&self) -> f32 {
        self.lines.len() as f32 * self.size * LINE
    }
}

impl Sheet<'_> {
    fn turn_over(&mut self) {
        self.layout.grounds.push(Vec::new());
        self.y = MARGIN;
    }

    /// A new page unless this much is left.
    fn room(&mut self, height: f32) {
        if self.y + height > self.bottom {
            self.turn_over();
        }
    }

    fn page(&self) -> usize {
        self.layout.grounds.len() - 1
    }

    fn ground(&mut self, mark: Mark) {
        let page = self.page();
        self.layout.grounds[page].push(mark);
    }

    fn leaf(&mut self, marks: Vec<Mark>) -> Node {
        let page = self.page();
        self.layout.leaves.push(Leaf { page, marks, link: None });
        Node::Leaf(self.layout.leaves.len() - 1)
    }

    fn lines(&self, text: &str, weight: Weight, size: f32, width: f32, ink: Ink) -> Lines {
        Lines { lines: self.letters.wrap(text, weight, size, width), size, weight, ink }
    }

    /// Sets lines below each other from an upper edge.
    fn set(&mut self, lines: Lines, x: f32, top: f32) -> Node {
        let Lines { lines, size, weight, ink } = lines;
        let marks = lines.into_iter().enumerate().map(|(at, line)| {
            let y = top + size * LINE * at as f32 + size;
            Mark::Text { x, y, size, weight, ink, line }
        });
        let marks = marks.collect();
        self.leaf(marks)
    }

    /// The plate that a name of this width stands on, with the road in its band: as the site's pages have it.
    fn sign(&mut self, top: f32, width: f32) {
        let mut block = |x: f32, y: f32, (width, height): (f32, f32), radius: f32, ink: Ink| {
            self.ground(Mark::Box { x: MARGIN + x, y: top + y, width, height, radius, ink });
        };
        block(0.0, 0.0, (width + 29.0, 26.0), 4.0, Ink::Black);
        block(1.2, 1.2, (width + 26.6, 23.6), 3.0, Ink::Plate);
        block(1.2, 1.2, (12.0, 23.6), 3.0, Ink::Brand);
        for dash in [4.0, 10.5, 17.0] {
            block(6.2, dash, (2.0, 5.0), 0.0, Ink::Glow);
        }
    }

    /// The brand, the day, and the title.
    fn head(&mut self, paper: &Paper) {
        let top = MARGIN - 14.0;
        let made = self.lines(&paper.made, Weight::Regular, 9.0, INNER / 2.0, Ink::Soft);
        let width = made.lines.iter().map(|line| self.letters.width(line, Weight::Regular, 9.0)).fold(0.0, f32::max);
        let brand = self.lines(&paper.brand, Weight::Bold, 15.0, INNER / 2.0, Ink::Black);
        self.sign(top, self.letters.width(&paper.brand, Weight::Bold, 15.0).min(INNER / 2.0));
        let brand = self.set(brand, MARGIN + 20.0, top + 4.0);
        let made = self.set(made, RIGHT - width, top + 8.0);
        self.layout.tree.extend([Node::Group(Role::Paragraph, vec![brand]), Node::Group(Role::Paragraph, vec![made])]);
        self.y = top + 46.0;
        self.heading(&paper.title, 1, 22.0);
        self.y += 6.0;
    }

    fn heading(&mut self, title: &str, level: u16, size: f32) {
        let lines = self.lines(title, Weight::Bold, size, INNER, Ink::Text);
        if lines.lines.is_empty() {
            return;
        }
        self.layout.headings.push((title.to_owned(), self.page(), self.y));
        let height = lines.height();
        let words = self.set(lines, MARGIN, self.y);
        self.layout.tree.push(Node::Group(Role::Heading(level, title.to_owned()), vec![words]));
        self.y += height + self.spacing.heading;
    }

    fn part(&mut self, part: &PaperPart) -> Result<(), Error> {
        match part {
            PaperPart::Facts { title, facts, card: true } => self.card(title, facts),
            PaperPart::Facts { title, facts, card: false } => {
                self.room(80.0);
                self.heading(title, 2, 12.0);
                self.facts(facts, MARGIN, INNER);
            }
            PaperPart::Table { title, rows } => {
                self.room(100.0);
                self.heading(title, 2, 12.0);
                self.table(rows);
            }
            PaperPart::Text { title, text } => {
                let lines = self.lines(text, Weight::Regular, 10.5, INNER, Ink::Text);
                self.room(lines.height() + 30.0);
                self.heading(title, 2, 12.0);
                self.paragraph(lines, MARGIN);
            }
            PaperPart::List { title, items } => self.list(title, items),
            PaperPart::Code { title, text, address } => self.code(title, text, address)?,
        }
        self.y += self.spacing.part;
        Ok(())
    }

    /// Headings one below the list's own, or in its place.
    fn list(&mut self, title: &str, items: &[(String, String)]) {
        let (level, size) = if title.is_empty() { (2, 12.0) } else { (3, 10.5) };
        for (at, (name, text)) in items.iter().enumerate() {
            let lines = self.lines(text, Weight::Regular, 10.5, INNER, Ink::Text);
            self.room(lines.height() + 30.0);
            match at {
                0 => self.heading(title, 2, 12.0),
                _ => self.y += self.spacing.part / 2.0,
            }
            self.heading(name, level, size);
            self.paragraph(lines, MARGIN);
        }
    }

    fn paragraph(&mut self, lines: Lines, x: f32) {
        if lines.lines.is_empty() {
            return;
        }
        let height = lines.height();
        let words = self.set(lines, x, self.y);
        self.layout.tree.push(Node::Group(Role::Paragraph, vec![words]));
        self.y += height;
    }

    /// What one keeps: white on the brand's colour.
    fn card(&mut self, title: &str, facts: &[Fact]) {
        let (plates, rest): (Vec<&Fact>, Vec<&Fact>) = facts.iter().partition(|fact| fact.look == Look::Plate);
        let rest: Vec<Fact> = rest.into_iter().cloned().collect();
        let width = INNER - 2.0 * GAP;
        let height = GAP + 30.0 + self.height_of(&rest, width) + GAP - 10.0;
        self.room(height);
        let top = self.y;
        self.ground(Mark::Box { x: MARGIN, y: top, width: INNER, height, radius: 12.0, ink: Ink::Brand });
        self.on = Inks::CARD;
        self.y += GAP - 4.0;
        self.layout.headings.push((title.to_owned(), self.page(), top));
        let name = self.lines(title, Weight::Bold, 16.0, width / 2.0, Ink::OnBrand);
        let name = self.set(name, MARGIN + GAP, self.y);
        self.layout.tree.push(Node::Group(Role::Heading(2, title.to_owned()), vec![name]));
        for plate in plates {
            self.plate(plate);
        }
        self.y += 34.0;
        self.facts(&rest, MARGIN + GAP, width);
        self.on = Inks::PAPER;
        self.y = top + height;
    }

    /// Draws the number plate at the right edge of the card.
    fn plate(&mut self, fact: &Fact) {
        let line = self.letters.readable(&fact.value.replace('-', " "));
        let width = self.letters.width(&line, Weight::Bold, 17.0) + 22.0;
        let x = RIGHT - GAP - width;
        let y = self.y - 3.0;
        self.ground(Mark::Box {
            x: x - 1.2,
            y: y - 1.2,
            width: width + 2.4,
            height: 29.4,
            radius: 6.2,
            ink: Ink::Black,
        });
        self.ground(Mark::Box { x, y, width, height: 27.0, radius: 5.0, ink: Ink::Plate });
        let number = Mark::Text { x: x + 11.0, y: y + 19.5, size: 17.0, weight: Weight::Bold, ink: Ink::Black, line };
        let number = self.leaf(vec![number]);
        self.layout.tree.push(Node::Group(Role::Paragraph, vec![number]));
    }

    /// Its label, value and hint.
    fn cell(&self, fact: &Fact, width: f32) -> [Lines; 3] {
        let small = |text: &str| self.lines(text, Weight::Regular, 8.0, width, self.on.soft);
        [small(&fact.label), self.lines(&fact.value, Weight::Bold, 10.0, width, self.on.text), small(&fact.hint)]
    }

    fn pair_height(&self, pair: &[Fact], width: f32) -> f32 {
        let heights =
            pair.iter().map(|fact| self.cell(fact, width).iter().map(Lines::height).sum::<f32>() + self.spacing.fact);
        heights.fold(0.0, f32::max)
    }

    fn height_of(&self, facts: &[Fact], width: f32) -> f32 {
        let column = (width - GAP) / 2.0;
        facts.chunks(2).map(|pair| self.pair_height(pair, column)).sum()
    }

    /// Draws facts, two beside each other; a table of labels and values for whoever listens.
    fn facts(&mut self, facts: &[Fact], x: f32, width: f32) {
        let column = (width - GAP) / 2.0;
        let mut rows = Vec::new();
        for pair in facts.chunks(2) {
            let height = self.pair_height(pair, column);
            self.room(height);
            for (at, fact) in pair.iter().enumerate() {
                let x = x + at as f32 * (column + GAP);
                let [label, value, hint] = self.cell(fact, column);
                let below = self.y + label.height();
                let lowest = below + value.height();
                let label = self.set(label, x, self.y);
                let mut values = vec![self.set(value, x, below)];
                if !hint.lines.is_empty() {
                    values.push(self.set(hint, x, lowest));
                }
                rows.push(row(vec![label], values));
            }
            self.y += height;
        }
        self.layout.tree.push(Node::Group(Role::Table, rows));
    }

    /// Amounts at the right edge, sentences in a column there; lines between the rows.
    fn table(&mut self, rows: &[Row]) {
        let mut nodes = Vec::new();
        for one in rows {
            let (weight, size) = if one.is_total { (Weight::Bold, 11.5) } else { (Weight::Regular, 9.5) };
            let value = self.lines(&one.value, weight, size, VALUES, Ink::Text);
            let taken = value.lines.iter().map(|line| self.letters.width(line, weight, size)).fold(0.0, f32::max);
            let label = self.lines(&one.label, weight, size, INNER - taken - GAP, Ink::Text);
            let detail = self.lines(&one.detail, Weight::Regular, 8.0, INNER - taken - GAP, Ink::Soft);
            let width = |lines: &Lines| {
                lines.lines.first().map_or(0.0, |line| self.letters.width(line, lines.weight, lines.size))
            };
            let end = width(&label) + 8.0;
            let short = label.lines.len() == 1 && detail.lines.len() == 1;
            let is_beside = short && end + width(&detail) <= INNER - taken - GAP;
            let named = label.height() + if is_beside { 0.0 } else { detail.height() };
            let height = named.max(value.height()) + self.spacing.row;
            self.room(height);
            let ink = if one.is_total { Ink::Brand } else { Ink::Line };
            let thick = if one.is_total { 1.2 } else { 0.6 };
            self.ground(Mark::Box { x: MARGIN, y: self.y, width: INNER, height: thick, radius: 0.0, ink });
            let top = self.y + 2.5;
            // on the line of the label where there is room, else below it
            let place =
                if is_beside { (MARGIN + end, top + size - detail.size) } else { (MARGIN, top + label.height()) };
            let mut words = vec![self.set(label, MARGIN, top)];
            if !detail.lines.is_empty() {
                words.push(self.set(detail, place.0, place.1));
            }
            let value = self.set(value, RIGHT - taken, top);
            nodes.push(row(words, vec![value]));
            self.y += height;
        }
        self.layout.tree.push(Node::Group(Role::Table, nodes));
    }

    fn code(&mut self, title: &str, text: &str, address: &str) -> Result<(), Error> {
        let side = self.spacing.code;
        self.room(side);
        let squares = code::squares(address)?;
        let (top, x) = (self.y, MARGIN + side + GAP);
        let mark = Mark::Squares { x: MARGIN, y: top, side: side / squares.side as f32, dark: squares.dark };
        let heading = self.lines(title, Weight::Bold, 13.0, RIGHT - x, Ink::Text);
        self.layout.headings.push((title.to_owned(), self.page(), top));
        self.y += heading.height() + 2.0;
        let heading = self.set(heading, x, top);
        self.layout.tree.push(Node::Group(Role::Heading(2, title.to_owned()), vec![heading]));
        let words = self.lines(text, Weight::Regular, 10.0, RIGHT - x, Ink::Text);
        self.paragraph(words, x);
        let line = self.letters.readable(address);
        let size = (8.5 * (RIGHT - x) / self.letters.width(&line, Weight::Regular, 8.5)).min(8.5);
        let (width, y) = (self.letters.width(&line, Weight::Regular, size), self.y + 4.0 + size);
        let words = Mark::Text { x, y, size, weight: Weight::Regular, ink: Ink::Brand, line };
        let link = self.leaf(vec![words]);
        if let Some(leaf) = self.layout.leaves.last_mut() {
            leaf.link = Some(([x, y - size, x + width, y + 3.0], address.to_owned()));
        }
        self.layout.tree.push(Node::Group(Role::Paragraph, vec![Node::Group(Role::Link, vec![link])]));
        let figure = self.leaf(vec![mark]);
        self.layout.tree.push(Node::Group(Role::Figure(format!("{title}: {address}")), vec![figure]));
        self.y = self.y.max(top + side);
        Ok(())
    }

    /// Draws the foot of every page: the same words, with the page's number.
    fn feet(&mut self, legal: &[String]) {
        let pages = self.layout.grounds.len();
        for page in 0..pages {
            let top = HEIGHT - MARGIN + 14.0 - 10.0 * legal.len() as f32;
            let text = |x: f32, y: f32, line: String| Mark::Text {
                x,
                y,
                size: 7.5,
                weight: Weight::Regular,
                ink: Ink::Soft,
                line,
            };
            let number = format!("{} / {pages}", page + 1);
            let x = RIGHT - self.letters.width(&number, Weight::Regular, 7.5);
            let ground = &mut self.layout.grounds[page];
            let lines = legal.iter().enumerate();
            ground.extend(lines.map(|(at, line)| text(MARGIN, top + 10.0 * at as f32, line.clone())));
            ground.push(text(x, top, number));
        }
    }
}

fn row(label: Vec<Node>, value: Vec<Node>) -> Node {
    Node::Group(Role::Row, vec![Node::Group(Role::Label, label), Node::Group(Role::Value, value)])
}

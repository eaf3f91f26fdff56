//! What an expression takes out of rows: `lookup('t', k).column`, `rows('t').map(r, r.column)`, also through values,
//! their arguments and functions on lists. For checks of definitions; evaluation does not use it.
//!
//! A function that takes the name of something as its first argument ([`crate::Vocabulary::naming`]) gives a row of it,
//! or a list of its rows; the caller says which.

use super::tree::{Comprehension, ComprehensionKind, Expr};
use super::{Expression, Names};
use crate::source::Span;
use std::collections::BTreeMap;

/// What is known of a value: whether it is made of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rows {
    #[default]
    Unknown,
    /// A row of this table.
    Row(String),
    List(Box<Rows>),
    /// A map, with some of its keys.
    Map(BTreeMap<String, Rows>),
}

/// A column that an expression names.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnRead {
    pub table: String,
    pub column: String,
    /// The string that names it, perhaps of a value.
    pub span: Span,
}

/// Functions that give rows of what their first argument names.
#[derive(Clone, Copy)]
pub struct RowFunctions<'f> {
    pub one: &'f [&'f str],
    pub all: &'f [&'f str],
}

/// Most parts of one expression that are looked at, its values included.
const PARTS_MAX: usize = 50_000;

impl Expression {
    /// The columns that it names. `late`: what names mean when it was read without them; `known`: what is known of
    /// variables.
    pub fn columns(
        &self,
        functions: RowFunctions<'_>,
        late: Option<&Names>,
        known: &[(String, Rows)],
    ) -> Vec<ColumnRead> {
        let mut walk = self.walk(functions, known);
        walk.expr(&self.compiled.root, &mut self.frame(late));
        walk.found
    }

    /// What is known of its value.
    pub fn rows(&self, functions: RowFunctions<'_>, late: Option<&Names>, known: &[(String, Rows)]) -> Rows {
        self.walk(functions, known).expr(&self.compiled.root, &mut self.frame(late))
    }

    fn frame<'e>(&'e self, late: Option<&'e Names>) -> Frame<'e> {
        Frame { names: self.compiled.names.as_deref().or(late), locals: Vec::new() }
    }

    fn walk<'w>(&self, functions: RowFunctions<'w>, known: &'w [(String, Rows)]) -> Walk<'w> {
        Walk { functions, known, found: Vec::new(), span: self.compiled.span.clone(), parts: 0 }
    }
}

impl Rows {
    /// What is known of an item of it.
    pub fn item(&self) -> Rows {
        match self {
            Rows::List(item) => (**item).clone(),
            _ => Rows::Unknown,
        }
    }

    fn list(item: Rows) -> Rows {
        match item {
            Rows::Unknown => Rows::Unknown,
            item => Rows::List(Box::new(item)),
        }
    }

    /// What is known of a value that is one or the other.
    fn or(self, other: Rows) -> Rows {
        if self == other { self } else { Rows::Unknown }
    }
}

struct Frame<'e> {
    names: Option<&'e Names>,
    /// Arguments of a value, then variables of the comprehensions around.
    locals: Vec<Rows>,
}

struct Walk<'w> {
    functions: RowFunctions<'w>,
    known: &'w [(String, Rows)],
    found: Vec<ColumnRead>,
    span: Span,
    parts: usize,
}

impl Walk<'_> {
    fn expr<'e>(&mut self, expr: &'e Expr, frame: &mut Frame<'e>) -> Rows {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Rows::Unknown;
        }
        match expr {
            Expr::Written(written) => {
                let mut inner = Frame {
                    names: written.names.as_deref().or(frame.names),
                    locals: std::mem::take(&mut frame.locals),
                };
                let before = std::mem::replace(&mut self.span, written.span.clone());
                let rows = self.expr(&written.expr, &mut inner);
                self.span = before;
                frame.locals = inner.locals;
                rows
            }
            Expr::Local(at) => frame.locals.get(*at).cloned().unwrap_or_default(),
            Expr::Variable(_, name) => self
                .known
                .iter()
                .rev()
                .find(|(known, _)| **known == **name)
                .map(|(_, rows)| rows.clone())
                .unwrap_or_default(),
            Expr::Value(_, name, arguments) => {
                let locals = arguments.iter().map(|argument| self.expr(argument, frame)).collect();
                match frame.names.and_then(|names| names.find(name)) {
                    Some((_, definition)) => self.expr(&definition.body, &mut Frame { names: frame.names, locals }),
                    None => Rows::Unknown,
                }
            }
            Expr::Select(_, base, name) | Expr::OptionalSelect(_, base, name) | Expr::Has(_, base, name) => {
                let base = self.expr(base, frame);
                let below = self.select(&base, name);
                if matches!(expr, Expr::Has(..)) { Rows::Unknown } else { below }
            }
            Expr::Index(_, base, index) | Expr::OptionalIndex(_, base, index) => {
                let base = self.expr(base, frame);
                self.expr(index, frame);
                match text(index) {
                    Some(name) => self.select(&base, name),
                    None => base.item(),
                }
            }
            Expr::Either(a, b) | Expr::OrValue(a, b) => {
                let (a, b) = (self.either(a, frame), self.either(b, frame));
                a.zip(b).map_or(Rows::Unknown, |(a, b)| a.or(b))
            }
            Expr::Conditional(_, parts) => {
                let [condition, a, b] = &**parts;
                self.expr(condition, frame);
                match (self.either(a, frame), self.either(b, frame)) {
                    (Some(a), Some(b)) => a.or(b),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => Rows::Unknown,
                }
            }
            Expr::Map(entries) => {
                let mut known = BTreeMap::new();
                for (_, key, value) in entries {
                    self.expr(key, frame);
                    let rows = self.expr(value, frame);
                    if let (Some(key), true) = (text(key), rows != Rows::Unknown) {
                        known.insert(key.to_owned(), rows);
                    }
                }
                if known.is_empty() { Rows::Unknown } else { Rows::Map(known) }
            }
            Expr::List(items) => {
                let mut each = items.iter().map(|item| self.expr(item, frame));
                let first = each.next().unwrap_or_default();
                Rows::list(each.fold(first, Rows::or))
            }
            Expr::Items(items) => {
                let mut kinds = Vec::new();
                for item in items {
                    kinds.push(self.item(item, frame));
                }
                Rows::list(kinds.into_iter().reduce(Rows::or).unwrap_or_default())
            }
            Expr::Comprehension(_, comprehension) => self.comprehension(comprehension, frame),
            Expr::Host(_, name, arguments) => self.call(name, arguments, frame),
            other => {
                other.children(&mut |child| drop(self.expr(child, frame)));
                Rows::Unknown
            }
        }
    }

    /// `None` for null, which says nothing of what else it may be.
    fn either<'e>(&mut self, expr: &'e Expr, frame: &mut Frame<'e>) -> Option<Rows> {
        let rows = self.expr(expr, frame);
        (!matches!(expr, Expr::Null)).then_some(rows)
    }

    fn item<'e>(&mut self, item: &'e super::tree::Item, frame: &mut Frame<'e>) -> Rows {
        let local = item.each.as_ref().map(|(each, local)| (self.expr(each, frame).item(), *local));
        self.with(local, frame, |walk, frame| {
            if let Some(when) = &item.when {
                walk.expr(when, frame);
            }
            walk.expr(&item.value, frame)
        })
    }

    fn comprehension<'e>(&mut self, comprehension: &'e Comprehension, frame: &mut Frame<'e>) -> Rows {
        let range = self.expr(&comprehension.range, frame);
        let local = Some((range.item(), comprehension.local));
        self.with(local, frame, |walk, frame| match &comprehension.kind {
            ComprehensionKind::All(body) | ComprehensionKind::Exists(body) | ComprehensionKind::ExistsOne(body) => {
                walk.expr(body, frame);
                Rows::Unknown
            }
            ComprehensionKind::Filter(body) => {
                walk.expr(body, frame);
                range.clone()
            }
            ComprehensionKind::Map(condition, value) => {
                if let Some(condition) = condition {
                    walk.expr(condition, frame);
                }
                Rows::list(walk.expr(value, frame))
            }
            ComprehensionKind::Fold(initial, value) => {
                let so_far = walk.expr(initial, frame);
                walk.with(Some((so_far, comprehension.local + 1)), frame, |walk, frame| walk.expr(value, frame));
                Rows::Unknown
            }
        })
    }

    /// Looks at something within a variable's reach.
    fn with<'e>(
        &mut self,
        local: Option<(Rows, usize)>,
        frame: &mut Frame<'e>,
        inner: impl FnOnce(&mut Self, &mut Frame<'e>) -> Rows,
    ) -> Rows {
        let Some((rows, at)) = local else { return inner(self, frame) };
        let before = frame.locals.len();
        frame.locals.resize(before.max(at + 1), Rows::Unknown);
        let hidden = std::mem::replace(&mut frame.locals[at], rows);
        let result = inner(self, frame);
        frame.locals[at] = hidden;
        frame.locals.truncate(before.max(at));
        result
    }

    fn call<'e>(&mut self, name: &str, arguments: &'e [Expr], frame: &mut Frame<'e>) -> Rows {
        let kinds: Vec<Rows> = arguments.iter().map(|argument| self.expr(argument, frame)).collect();
        let (first, key) = (kinds.first().cloned().unwrap_or_default(), arguments.get(1).and_then(text));
        let named = arguments.first().and_then(text).map(|table| Rows::Row(table.to_owned()));
        match (name, key) {
            _ if self.functions.one.contains(&name) => named.unwrap_or_default(),
            _ if self.functions.all.contains(&name) => named.map_or(Rows::Unknown, Rows::list),
            ("first" | "min_of" | "max_of", _) => first.item(),
            ("concat", _) => first.item(),
            ("get", Some(key)) => {
                let found = self.select(&first, key);
                if matches!(arguments.get(2), Some(Expr::Null)) { found } else { Rows::Unknown }
            }
            ("sort_by", Some(key)) => {
                self.select(&first.item(), key.trim_start_matches('-').split('.').next().unwrap_or_default());
                first
            }
            ("group_by", Some(key)) => {
                self.select(&first.item(), key);
                Rows::Unknown
            }
            _ => Rows::Unknown,
        }
    }

    fn select(&mut self, base: &Rows, name: &str) -> Rows {
        match base {
            Rows::Row(table) => {
                let read = ColumnRead { table: table.clone(), column: name.to_owned(), span: self.span.clone() };
                if !self.found.contains(&read) {
                    self.found.push(read);
                }
                Rows::Unknown
            }
            Rows::Map(known) => known.get(name).cloned().unwrap_or_default(),
            Rows::Unknown | Rows::List(_) => Rows::Unknown,
        }
    }
}

fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Text(text) => Some(text),
        Expr::Written(written) => text(&written.expr),
        _ => None,
    }
}

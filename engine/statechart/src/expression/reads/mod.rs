//! What an expression takes from the context: which paths it needs, which it only asks for, and what
//! it compares them with. For checks of definitions; evaluation does not use it.
//!
//! `has(a.b)`, `'b' in a`, `a.?b` and `get(a, 'b', …)` (a function of the host, by its name) ask. A branch that
//! is only taken when a path is there may read it: `has(a.b) && a.b > 1`, `a.?b.orValue('') != '' ? a.b : …`.
//! Values are looked through, with their arguments.

mod conditions;
mod places;
mod shape;
mod truth;

pub use truth::{KnownValue, Knows};

use self::conditions::{equalities, implied_paths};
use self::places::{Env, kind, place, resolve};
use super::parser::Operator;
use super::tree::{ComprehensionKind, Expr};
use super::{Expression, Names};
use crate::source::Span;
use serde_json::Value;

/// Segments below `context`; [`ANY_KEY`] stands for a computed one.
pub type Path<'e> = Vec<&'e str>;

const CONTEXT: &str = "context";

/// A key that only the evaluation knows.
pub const ANY_KEY: &str = "*";

/// A path that is read: segments beyond `known` and up to `needed` must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<'e> {
    pub path: Path<'e>,
    pub known: usize,
    pub needed: usize,
    /// Texts that other paths equal wherever this one is read.
    pub when: Vec<Equal<'e>>,
    pub asked: ReadBy<'e>,
}

/// Who reads: a string of a tree, perhaps one of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadBy<'e> {
    /// Place at which it is read. `None`: the whole expression is one string.
    pub span: Option<&'e Span>,
    /// The value that reads it, and where that is asked for.
    pub value: Option<&'e str>,
    pub by: Option<&'e Span>,
}

/// A path that equals a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equal<'e> {
    pub path: Path<'e>,
    pub text: &'e str,
}

/// Kind of a JSON value; integers and floats are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Map,
}

impl ValueKind {
    pub fn of(value: &Value) -> ValueKind {
        match value {
            Value::Null => ValueKind::Null,
            Value::Bool(_) => ValueKind::Bool,
            Value::Number(_) => ValueKind::Number,
            Value::String(_) => ValueKind::Text,
            Value::Array(_) => ValueKind::List,
            Value::Object(_) => ValueKind::Map,
        }
    }
}

/// A path beside a literal: `context.a == 'x'`, `get(context.a, 'b', 0) < 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison<'e> {
    pub path: Path<'e>,
    /// Kind of the default of `get`.
    pub default: Option<ValueKind>,
    pub literal: ValueKind,
    /// `<`, `<=`, `>`, `>=`
    pub is_order: bool,
    pub asked: ReadBy<'e>,
}

/// What is known of a value before it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape<'e> {
    Unknown,
    Plain(ValueKind),
    /// A map with exactly these keys.
    Map(Vec<(&'e str, Shape<'e>)>),
    /// The value of a path of the context.
    Copy(Path<'e>),
    /// `merge(a, b)`
    Merge(Box<Shape<'e>>, Box<Shape<'e>>),
}

#[derive(Clone, Debug, Default)]
pub struct Reads<'e> {
    pub reads: Vec<Read<'e>>,
    pub comparisons: Vec<Comparison<'e>>,
}

impl Expression {
    /// `late`: what names mean when it was read without them.
    pub fn reads<'e>(&'e self, late: Option<&'e Names>) -> Reads<'e> {
        self.reads_of(CONTEXT, late)
    }

    /// What the expression reads of another variable than `context`: `event`, `input`.
    pub fn reads_of<'e>(&'e self, root: &'static str, late: Option<&'e Names>) -> Reads<'e> {
        let mut walk = Walk::default();
        walk.expr(&self.compiled.root, &Env { root, ..self.env(late) });
        walk.found
    }

    /// Paths that are there whenever this condition is `value`.
    pub fn implies(&self, value: bool) -> Vec<Path<'_>> {
        implied_paths(&self.compiled.root, &self.env(None), value)
    }

    /// Paths that equal a text whenever this condition is true.
    pub fn equalities(&self) -> Vec<Equal<'_>> {
        equalities(&self.compiled.root, &self.env(None), true)
    }

    /// Paths of another variable than `context` that equal a text whenever this condition is true.
    pub fn equalities_of(&self, root: &'static str) -> Vec<Equal<'_>> {
        equalities(&self.compiled.root, &Env { root, ..self.env(None) }, true)
    }

    pub fn shape(&self) -> Shape<'_> {
        shape::shape(&self.compiled.root, &self.env(None))
    }

    fn env<'e>(&'e self, late: Option<&'e Names>) -> Env<'e> {
        Env { root: CONTEXT, names: self.compiled.names.as_deref().or(late), arguments: &[], outer: None }
    }
}

impl Expr {
    /// Paths of the context that the body of a value takes, through all values that it asks for.
    pub(super) fn paths<'e>(&'e self, names: &'e Names) -> impl Iterator<Item = Path<'e>> {
        let mut walk = Walk::default();
        walk.expr(self, &Env { root: CONTEXT, names: Some(names), arguments: &[], outer: None });
        walk.found.reads.into_iter().map(|read| read.path)
    }
}

/// Most parts of one expression that are looked at, its values included.
const PARTS_MAX: usize = 50_000;

#[derive(Default)]
struct Walk<'e> {
    found: Reads<'e>,
    /// Paths that are there on this branch.
    facts: Vec<Path<'e>>,
    equal: Vec<Equal<'e>>,
    asked: ReadBy<'e>,
    parts: usize,
}

impl<'e> Walk<'e> {
    fn expr(&mut self, expr: &'e Expr, env: &Env<'e>) {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return;
        }
        if let Expr::Written(written) = expr {
            let before = self.asked;
            if before.value.is_none() {
                self.asked.by = Some(&written.span);
            }
            self.asked.span = Some(&written.span);
            if let Some((inner, env)) = resolve(expr, env) {
                self.expr(inner, &env);
            }
            self.asked = before;
            return;
        }
        if let Some(place) = place(expr, env) {
            self.note(place.path, place.needed);
            self.inner(expr, env);
            return;
        }
        match expr {
            Expr::Value(_, name, arguments) => {
                arguments.iter().for_each(|a| self.expr(a, env));
                let before = self.asked;
                self.asked.value = before.value.or(Some(name));
                if let Some((body, env)) = resolve(expr, env) {
                    self.expr(body, &env);
                }
                self.asked = before;
            }
            Expr::Has(_, base, field) => match place(base, env) {
                Some(at) => {
                    let needed = at.path.len();
                    let mut path = at.path;
                    path.push(field);
                    self.note(path, needed);
                    self.inner(base, env);
                }
                None => self.expr(base, env),
            },
            Expr::Binary(_, operator, left, right) => {
                self.compare(*operator, left, right, env);
                self.expr(left, env);
                self.expr(right, env);
            }
            Expr::And(_, terms) => self.terms(terms, env, true),
            Expr::Or(_, terms) => self.terms(terms, env, false),
            Expr::Conditional(_, parts) => {
                let [condition, then, otherwise] = &**parts;
                self.expr(condition, env);
                self.read_under([(condition, true)], then, env);
                self.read_under([(condition, false)], otherwise, env);
            }
            Expr::Comprehension(_, comprehension) => {
                self.expr(&comprehension.range, env);
                match &comprehension.kind {
                    ComprehensionKind::All(e)
                    | ComprehensionKind::Exists(e)
                    | ComprehensionKind::ExistsOne(e)
                    | ComprehensionKind::Filter(e) => self.expr(e, env),
                    ComprehensionKind::Map(condition, value) => {
                        condition.iter().for_each(|c| self.expr(c, env));
                        self.read_under(condition.iter().map(|c| (c, true)), value, env);
                    }
                    ComprehensionKind::Fold(initial, value) => {
                        self.expr(initial, env);
                        self.expr(value, env);
                    }
                }
            }
            Expr::Items(items) => {
                for item in items {
                    item.each.iter().for_each(|(each, _)| self.expr(each, env));
                    item.when.iter().for_each(|when| self.expr(when, env));
                    self.read_under(item.when.iter().map(|when| (when, true)), &item.value, env);
                }
            }
            other => other.children(&mut |child| self.expr(child, env)),
        }
    }

    /// What computed keys and defaults of a path read.
    fn inner(&mut self, expr: &'e Expr, env: &Env<'e>) {
        match expr {
            Expr::Select(_, base, _) | Expr::OptionalSelect(_, base, _) => self.inner(base, env),
            Expr::Index(_, base, index) | Expr::OptionalIndex(_, base, index) => {
                self.inner(base, env);
                self.expr(index, env);
            }
            Expr::OrValue(optional, default) => {
                self.inner(optional, env);
                self.expr(default, env);
            }
            Expr::Host(_, _, args) => {
                args.first().iter().for_each(|a| self.inner(a, env));
                args.iter().skip(1).for_each(|a| self.expr(a, env));
            }
            Expr::Value(_, _, arguments) => arguments.iter().for_each(|a| self.expr(a, env)),
            _ => {}
        }
    }

    /// Each term is decided by the others: an error in one that another decides has no effect.
    fn terms(&mut self, terms: &'e [Expr], env: &Env<'e>, value: bool) {
        for (i, term) in terms.iter().enumerate() {
            let others = terms.iter().enumerate().filter(|(j, _)| *j != i);
            self.read_under(others.map(|(_, t)| (t, value)), term, env);
        }
    }

    /// An expression that only counts when these conditions have these values.
    fn read_under(&mut self, conditions: impl IntoIterator<Item = (&'e Expr, bool)>, expr: &'e Expr, env: &Env<'e>) {
        let before = (self.facts.len(), self.equal.len());
        for (condition, value) in conditions {
            self.facts.extend(implied_paths(condition, env, value));
            self.equal.extend(equalities(condition, env, value));
        }
        self.expr(expr, env);
        self.facts.truncate(before.0);
        self.equal.truncate(before.1);
    }

    fn note(&mut self, path: Path<'e>, needed: usize) {
        let common = |fact: &Path<'e>| fact.iter().zip(&path).take_while(|(a, b)| a == b).count();
        let known = self.facts.iter().map(common).max().unwrap_or(0);
        let when = self.equal.clone();
        let read = Read { path, known, needed, when, asked: self.asked };
        if !read.path.is_empty() && !self.found.reads.contains(&read) {
            self.found.reads.push(read);
        }
    }

    fn compare(&mut self, operator: Operator, left: &'e Expr, right: &'e Expr, env: &Env<'e>) {
        let is_order = match operator {
            Operator::Equal | Operator::NotEqual => false,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => true,
            _ => return,
        };
        let asked = self.asked;
        for (side, other) in [(left, right), (right, left)] {
            if let (Some(at), Some(literal)) = (place(side, env), kind(other)) {
                let default = at.default.and_then(kind);
                if at.default.is_some() && default.is_none() {
                    continue;
                }
                self.found.comparisons.push(Comparison { path: at.path, default, literal, is_order, asked });
            } else if let (None, Some(ValueKind::Null), true) = (place(side, env), kind(other), is_order) {
                let (path, literal) = (Vec::new(), ValueKind::Null);
                self.found.comparisons.push(Comparison { path, default: None, literal, is_order, asked });
            }
        }
    }
}

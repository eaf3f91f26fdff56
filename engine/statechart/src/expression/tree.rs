//! The tree that is evaluated: names resolved, macros recognised.

use super::Names;
use super::functions::Function;
use super::parser::Operator;
use crate::source::Span;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
pub enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Box<str>),
    /// A tree without expressions.
    Literal(Box<Value>),
    /// An argument of the value that this belongs to, or the variable of an enclosing comprehension: counted
    /// from the outermost.
    Local(usize),
    Context,
    Event,
    Variable(u32, Box<str>),
    /// A name for a place in the context.
    Place(u32, Box<str>),
    /// A value of the file, with its arguments.
    Value(u32, Box<str>, Vec<Expr>),
    Select(u32, Box<Expr>, Box<str>),
    /// `has(a.b)`
    Has(u32, Box<Expr>, Box<str>),
    Index(u32, Box<Expr>, Box<Expr>),
    /// `a.?b`, and `.b` of an optional.
    OptionalSelect(u32, Box<Expr>, Box<str>),
    /// `a[?b]`, and `[b]` of an optional.
    OptionalIndex(u32, Box<Expr>, Box<Expr>),
    /// `a.or(b)`: an optional.
    Either(Box<Expr>, Box<Expr>),
    /// `a.orValue(b)`
    OrValue(Box<Expr>, Box<Expr>),
    /// `a.hasValue()`
    HasValue(Box<Expr>),
    List(Vec<Expr>),
    Map(Vec<(u32, Expr, Expr)>),
    Not(u32, Box<Expr>),
    Negate(u32, Box<Expr>),
    Binary(u32, Operator, Box<Expr>, Box<Expr>),
    And(u32, Vec<Expr>),
    Or(u32, Vec<Expr>),
    Conditional(u32, Box<[Expr; 3]>),
    /// A function of the dialect; a method's target is its first argument.
    Call(u32, Function, Vec<Expr>),
    Host(u32, Box<str>, Vec<Expr>),
    /// `inState('…')`, resolved to a node's index.
    InState(u32),
    Comprehension(u32, Box<Comprehension>),
    /// A list whose items may be none, one or many.
    Items(Vec<Item>),
    /// One string of a tree, as it was written.
    Written(Box<Written>),
}

#[derive(Debug)]
pub struct Comprehension {
    pub range: Expr,
    pub local: usize,
    pub kind: ComprehensionKind,
}

#[derive(Debug)]
pub enum ComprehensionKind {
    All(Expr),
    Exists(Expr),
    ExistsOne(Expr),
    Filter(Expr),
    /// A map: an optional condition, then the value.
    Map(Option<Expr>, Expr),
    /// The result so far is the variable after the element's: what it begins with, then what it becomes.
    Fold(Expr, Expr),
}

impl Comprehension {
    /// The parts of `f('name').filter(r, r.key == other && …)`: f, name, key and the other side, which does not ask for
    /// `r`.
    pub fn equal_key(&self) -> Option<(&str, &str, &str, &Expr)> {
        let (Expr::Host(_, function, arguments), Some(condition)) = (self.range.plain(), self.condition()) else {
            return None;
        };
        let [Expr::Text(name)] = &arguments[..] else { return None };
        let first = match condition {
            Expr::And(_, all) => all.first()?,
            one => one,
        };
        let Expr::Binary(_, Operator::Equal, left, right) = first else { return None };
        let is_item = |base: &Expr| matches!(base, Expr::Local(at) if *at == self.local);
        let (key, other) = match (&**left, &**right) {
            (Expr::Select(_, base, key), other) if is_item(base) => (key, other),
            (other, Expr::Select(_, base, key)) if is_item(base) => (key, other),
            _ => return None,
        };
        let mut asks = false;
        other.each(&mut |part| asks |= matches!(part, Expr::Local(at) if *at >= self.local));
        (!asks).then_some((function, name, key, other))
    }

    /// What an item has to meet.
    fn condition(&self) -> Option<&Expr> {
        match &self.kind {
            ComprehensionKind::Exists(condition)
            | ComprehensionKind::ExistsOne(condition)
            | ComprehensionKind::Filter(condition)
            | ComprehensionKind::Map(Some(condition), _) => Some(condition),
            ComprehensionKind::All(_) | ComprehensionKind::Map(None, _) | ComprehensionKind::Fold(..) => None,
        }
    }
}

/// `{each, as, when, …}` in a list.
#[derive(Debug)]
pub struct Item {
    /// What it is repeated for, and the number of its variable.
    pub each: Option<(Expr, usize)>,
    pub when: Option<Expr>,
    pub value: Expr,
}

#[derive(Debug)]
pub struct Written {
    pub text: Box<str>,
    pub span: Span,
    /// Names of the file in which the text stands.
    pub names: Option<Arc<Names>>,
    pub expr: Expr,
}

impl Expr {
    /// The expression itself, without the string that it was written in.
    fn plain(&self) -> &Expr {
        match self {
            Expr::Written(written) => written.expr.plain(),
            other => other,
        }
    }

    /// Whether it gives nothing instead of an error when something is not there.
    pub fn is_optional(&self) -> bool {
        matches!(self, Expr::OptionalSelect(..) | Expr::OptionalIndex(..) | Expr::Either(..))
    }

    /// Visits this part and all below it.
    pub fn each<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        self.children(&mut |child| child.each(visit));
    }

    /// The parts that it is made of.
    pub fn children<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        match self {
            Expr::Null
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Double(_)
            | Expr::Text(_)
            | Expr::Literal(_)
            | Expr::Local(_)
            | Expr::Context
            | Expr::Event
            | Expr::Variable(..)
            | Expr::Place(..)
            | Expr::InState(_) => {}
            Expr::Select(_, base, _)
            | Expr::OptionalSelect(_, base, _)
            | Expr::Has(_, base, _)
            | Expr::HasValue(base)
            | Expr::Not(_, base)
            | Expr::Negate(_, base) => visit(base),
            Expr::Index(_, a, b)
            | Expr::OptionalIndex(_, a, b)
            | Expr::Either(a, b)
            | Expr::OrValue(a, b)
            | Expr::Binary(_, _, a, b) => {
                visit(a);
                visit(b);
            }
            Expr::Value(_, _, list)
            | Expr::List(list)
            | Expr::And(_, list)
            | Expr::Or(_, list)
            | Expr::Call(_, _, list)
            | Expr::Host(_, _, list) => list.iter().for_each(visit),
            Expr::Map(entries) => entries.iter().for_each(|(_, key, value)| {
                visit(key);
                visit(value);
            }),
            Expr::Conditional(_, parts) => parts.iter().for_each(visit),
            Expr::Comprehension(_, comprehension) => {
                visit(&comprehension.range);
                match &comprehension.kind {
                    ComprehensionKind::All(body)
                    | ComprehensionKind::Exists(body)
                    | ComprehensionKind::ExistsOne(body)
                    | ComprehensionKind::Filter(body) => visit(body),
                    ComprehensionKind::Map(condition, value) => {
                        condition.iter().for_each(&mut *visit);
                        visit(value);
                    }
                    ComprehensionKind::Fold(initial, value) => {
                        visit(initial);
                        visit(value);
                    }
                }
            }
            Expr::Items(items) => items.iter().for_each(|item| {
                item.each.iter().for_each(|(each, _)| visit(each));
                item.when.iter().for_each(&mut *visit);
                visit(&item.value);
            }),
            Expr::Written(written) => visit(&written.expr),
        }
    }
}

//! Expressions: CEL over JSON, with limits.
//!
//! Reading: [`lexer`] → [`parser`] (a tree with positions, bounded in length, nodes and height) →
//! [`lower`] (names resolved, comprehension nesting bounded); [`read`] makes one expression of a tree of
//! strings, [`names`] the values of a file. Running: [`eval`] walks that tree over borrowed JSON; it copies
//! nothing that the expression does not name, counts its steps and never recurses deeper than the tree and
//! the values that it asks for. Integers are 64 signed bits; there are no unsigned numbers, bytes, times or
//! messages, since JSON has none.

mod eval;
mod functions;
mod lexer;
mod literal;
mod lower;
mod memory;
mod names;
mod operators;
mod parser;
mod plain;
mod read;
pub mod reads;
pub mod rows;
mod scope;
mod tree;
mod val;

pub use memory::Memory;
pub use names::Names;
pub(crate) use plain::plain;
pub use scope::Scope;
pub(crate) use tree::Expr;

use crate::problem::Problem;
use crate::source::{Node, Span};
use crate::vocabulary::Vocabulary;
pub use lower::NamingCall;
use lower::{Lowering, NamedLists, Thing};
use read::{ExpressionReader, FaultPlace};
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A compiled expression; cheap to clone.
#[derive(Clone, Debug)]
pub struct Expression {
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    text: String,
    span: Span,
    root: Expr,
    /// What its file says that names mean.
    names: Option<Arc<Names>>,
    named: NamedLists,
    steps_max: u64,
}

/// An evaluation that gave no value; says what, where and in which expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{span}: {message} in `{expression}`")]
pub struct EvalError {
    pub message: String,
    pub span: Span,
    pub expression: String,
}

/// Finds the states that `inState` names; `None` for a name that is no state.
pub(crate) type StateResolver<'a> = &'a dyn Fn(&str) -> Result<u32, Option<String>>;

impl Expression {
    /// Compiles `text`; `extra_variables` are known beside `context`, `event` and the vocabulary's.
    pub fn compile(
        text: &str,
        span: &Span,
        vocabulary: &Vocabulary,
        extra_variables: &[&str],
    ) -> Result<Expression, Problem> {
        let node = Node::new(span.clone(), crate::source::Value::String(text.to_owned()));
        let mut problems = Vec::new();
        let read = Expression::read(&node, vocabulary, extra_variables, &mut problems);
        read.ok_or_else(|| problems.swap_remove(0))
    }

    /// A string, or a tree whose strings are expressions, with the names of its file. Whatever is wrong or
    /// doubtful becomes a problem; `None` when something is wrong.
    pub fn read(
        node: &Node,
        vocabulary: &Vocabulary,
        extra_variables: &[&str],
        problems: &mut Vec<Problem>,
    ) -> Option<Expression> {
        Expression::read_in(node, vocabulary, extra_variables, None, problems)
    }

    pub(crate) fn read_in(
        node: &Node,
        vocabulary: &Vocabulary,
        extra_variables: &[&str],
        states: Option<StateResolver<'_>>,
        problems: &mut Vec<Problem>,
    ) -> Option<Expression> {
        let mut found = Vec::new();
        let mut lowering = Lowering::new(vocabulary, extra_variables, None);
        lowering.states = states;
        let root = ExpressionReader { lowering: &mut lowering, problems: &mut found }.root(node);
        let is_wrong = found.iter().any(Problem::is_error);
        problems.append(&mut found);
        let root = root.filter(|_| !is_wrong)?;
        let compiled = Compiled {
            text: node.as_str().unwrap_or("{…}").to_owned(),
            span: node.span.clone(),
            root,
            names: node.names.clone(),
            named: lowering.named.into(),
            steps_max: vocabulary.limits.evaluation_steps_max,
        };
        Some(Expression { compiled: Arc::new(compiled) })
    }

    /// An expression that gives `value`.
    pub fn literal(value: Value) -> Expression {
        let compiled = Compiled {
            text: String::new(),
            span: Span::unknown(),
            root: Expr::Literal(Box::new(value)),
            names: None,
            named: NamedLists::default(),
            steps_max: u64::MAX,
        };
        Expression { compiled: Arc::new(compiled) }
    }

    /// The value of the expression; an error never kills anything by itself.
    pub fn eval(&self, scope: &Scope<'_>) -> Result<Value, EvalError> {
        self.eval_within(scope, &Cell::new(self.compiled.steps_max))
    }

    /// The value of a condition; anything but a boolean is an error.
    pub fn eval_bool(&self, scope: &Scope<'_>) -> Result<bool, EvalError> {
        self.eval_bool_within(scope, &Cell::new(self.compiled.steps_max))
    }

    /// Evaluates with steps from a budget shared with other expressions.
    pub(crate) fn eval_within(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<Value, EvalError> {
        let names = self.compiled.names.as_deref();
        eval::eval(&self.compiled.root, names, scope, steps).map_err(|fault| self.error(*fault))
    }

    pub(crate) fn eval_bool_within(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<bool, EvalError> {
        let names = self.compiled.names.as_deref();
        eval::eval_bool(&self.compiled.root, names, scope, steps).map_err(|fault| self.error(*fault))
    }

    /// Variables and functions of the host that the expression names (`context` and `event` too).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.compiled.named.names.iter().map(|name| &**name)
    }

    /// The longest dotted paths that it reads: `context.order.kind`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.compiled.named.paths.iter().map(|path| &**path)
    }

    /// Calls of functions that take the name of something, by place, with that name when it is literal.
    pub fn things(&self) -> impl Iterator<Item = NamingCall<'_>> {
        let at = |thing| Thing::at(thing, &self.compiled.span);
        self.compiled.named.things.iter().map(at)
    }

    /// Values and the number of their arguments, when it was read without the names that they are of.
    pub fn late_values(&self) -> impl Iterator<Item = (&str, usize)> {
        let late = self.compiled.names.is_none().then_some(&self.compiled.named.values);
        late.into_iter().flat_map(|values| values.iter()).map(|(name, arity)| (&**name, *arity))
    }

    pub fn text(&self) -> &str {
        &self.compiled.text
    }

    pub fn span(&self) -> &Span {
        &self.compiled.span
    }

    /// The value, when the expression is a constant such as `true` or `'text'`.
    pub(crate) fn constant_bool(&self) -> Option<bool> {
        match &self.compiled.root {
            Expr::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The value, when nothing of it has to be worked out.
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.compiled.root {
            Expr::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The keys that it always gives, when it is a map.
    pub fn keys(&self) -> Option<Vec<&str>> {
        let text = |key: &'_ Expr| matches!(key, Expr::Text(_));
        match &self.compiled.root {
            Expr::Map(entries) if entries.iter().all(|(_, key, _)| text(key)) => Some(
                entries.iter().filter_map(|(_, k, _)| if let Expr::Text(k) = k { Some(&**k) } else { None }).collect(),
            ),
            Expr::Literal(value) => value.as_object().map(|map| map.keys().map(String::as_str).collect()),
            _ => None,
        }
    }

    fn error(&self, fault: Fault) -> EvalError {
        if let Some(place) = &fault.place {
            let at = fault.column(&place.text);
            let message = match &place.value {
                Some(value) => {
                    let asked_by = place.asked_by.as_ref().unwrap_or(&self.compiled.span);
                    format!("{} (at character {at} of `{value}`, asked for at {asked_by})", fault.message)
                }
                None => format!("{} (at character {at})", fault.message),
            };
            return EvalError { message, span: place.span.clone(), expression: place.text.to_string() };
        }
        let at = fault.column(&self.compiled.text);
        EvalError {
            message: format!("{} (at character {at})", fault.message),
            span: self.compiled.span.clone(),
            expression: self.compiled.text.clone(),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.compiled.text)
    }
}

/// What is wrong at a byte of the expression's text.
#[derive(Debug)]
struct Fault {
    at: u32,
    code: &'static str,
    message: String,
    hint: Option<String>,
    /// Place of the fault; set while it leaves the strings and values that it happened in.
    place: Option<Box<FaultPlace>>,
}

impl Fault {
    fn new(at: u32, message: impl Into<String>) -> Box<Fault> {
        Fault::with_code(at, "expression", message, None)
    }

    fn with_code(at: u32, code: &'static str, message: impl Into<String>, hint: Option<String>) -> Box<Fault> {
        Box::new(Fault { at, code, message: message.into(), hint, place: None })
    }

    /// Character of the text at which it is, counted from 1.
    fn column(&self, text: &str) -> usize {
        text.char_indices().take_while(|(i, _)| *i < self.at as usize).count() + 1
    }

    fn into_problem(self, text: &str, span: &Span) -> Problem {
        const SHOWN_CHARS_MAX: usize = 60;
        let column = self.column(text);
        let mut shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        let message = format!("{} in expression `{shown}` (at character {column})", self.message);
        Problem::error(self.code, span, message).maybe_hint(self.hint)
    }
}

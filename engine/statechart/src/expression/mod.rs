//! Expressions: CEL over JSON, with limits.
//!
//! Reading: [`lexer`] → [`parser`] (a tree with positions, bounded in length, nodes and height) →
//! [`lower`] (names resolved, comprehension nesting bounded). Running: [`eval`] walks that tree over
//! borrowed JSON; it copies nothing that the expression does not name, counts its steps and never
//! recurses deeper than the tree. Integers are 64 signed bits; there are no unsigned numbers, bytes,
//! times or messages, since JSON has none.

mod eval;
mod functions;
mod lexer;
mod literal;
mod lower;
mod operators;
mod parser;
pub mod reads;
mod scope;
mod tree;
mod val;

pub use scope::Scope;
pub(crate) use tree::Expr;

use crate::problem::Problem;
use crate::source::Span;
use crate::vocabulary::Vocabulary;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeSet;
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
    names: BTreeSet<String>,
    paths: BTreeSet<String>,
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
        Expression::compile_in(text, span, vocabulary, extra_variables, None)
    }

    pub(crate) fn compile_in(
        text: &str,
        span: &Span,
        vocabulary: &Vocabulary,
        extra_variables: &[&str],
        states: Option<StateResolver<'_>>,
    ) -> Result<Expression, Problem> {
        let limits = &vocabulary.limits;
        let lowered = parser::parse(text, limits)
            .and_then(|ast| lower::lower(ast, vocabulary, extra_variables, states))
            .map_err(|fault| fault.into_problem(text, span))?;
        Ok(Expression {
            compiled: Arc::new(Compiled {
                text: text.to_owned(),
                span: span.clone(),
                root: lowered.root,
                names: lowered.names,
                paths: lowered.paths,
                steps_max: limits.evaluation_steps_max,
            }),
        })
    }

    /// The value of the expression; an error never kills anything by itself.
    pub fn eval(&self, scope: &Scope<'_>) -> Result<Value, EvalError> {
        self.eval_within(scope, &Cell::new(self.compiled.steps_max))
    }

    /// The value of a condition; anything but a boolean is an error.
    pub fn eval_bool(&self, scope: &Scope<'_>) -> Result<bool, EvalError> {
        self.eval_bool_within(scope, &Cell::new(self.compiled.steps_max))
    }

    /// As `eval`, taking its steps from a budget shared with other expressions.
    pub(crate) fn eval_within(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<Value, EvalError> {
        eval::eval(&self.compiled.root, scope, steps).map_err(|fault| self.error(*fault))
    }

    pub(crate) fn eval_bool_within(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<bool, EvalError> {
        eval::eval_bool(&self.compiled.root, scope, steps).map_err(|fault| self.error(*fault))
    }

    /// Variables and functions of the host that the expression names (`context` and `event` too).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.compiled.names.iter().map(String::as_str)
    }

    /// The longest dotted paths that it reads: `context.order.kind`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.compiled.paths.iter().map(String::as_str)
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

    fn error(&self, fault: Fault) -> EvalError {
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
}

impl Fault {
    fn new(at: u32, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { at, code: "expression", message: message.into(), hint: None })
    }

    fn coded(at: u32, code: &'static str, message: impl Into<String>, hint: Option<String>) -> Box<Fault> {
        Box::new(Fault { at, code, message: message.into(), hint })
    }

    /// 1-based character of the text.
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

//! Mappings: a JSON tree whose strings are CEL and whose other values are literal.

use crate::expression::{EvalError, Expression, Scope};
use crate::problem::Problem;
use crate::source::{Node, Value as Source};
use crate::vocabulary::Vocabulary;
use serde_json::{Map, Value};
use std::cell::Cell;

#[derive(Clone, Debug)]
pub struct Mapping {
    root: Part,
    steps_max: u64,
}

#[derive(Clone, Debug)]
enum Part {
    /// A subtree without expressions.
    Literal(Value),
    Expression(Expression),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
}

impl Mapping {
    /// Compiles every string of the tree; all problems at once.
    pub fn compile(node: &Node, vocabulary: &Vocabulary, extra_variables: &[&str]) -> Result<Mapping, Vec<Problem>> {
        let mut problems = Vec::new();
        let root = part(node, vocabulary, extra_variables, &mut problems);
        if problems.is_empty() {
            Ok(Mapping { root, steps_max: vocabulary.limits.evaluation_steps_max })
        } else {
            Err(problems)
        }
    }

    /// A mapping that gives `value`.
    pub fn literal(value: Value) -> Mapping {
        Mapping { root: Part::Literal(value), steps_max: 0 }
    }

    pub fn eval(&self, scope: &Scope<'_>) -> Result<Value, EvalError> {
        self.eval_within(scope, &Cell::new(self.steps_max))
    }

    pub(crate) fn eval_within(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<Value, EvalError> {
        self.root.eval(scope, steps)
    }

    /// The keys that it always gives, when it is a map.
    pub fn keys(&self) -> Option<Vec<&str>> {
        match &self.root {
            Part::Map(parts) => Some(parts.iter().map(|(k, _)| k.as_str()).collect()),
            Part::Literal(Value::Object(map)) => Some(map.keys().map(String::as_str).collect()),
            Part::Literal(_) | Part::Expression(_) | Part::List(_) => None,
        }
    }

    /// Every expression of the tree.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        self.root.collect(&mut found);
        found
    }
}

fn part(node: &Node, vocabulary: &Vocabulary, extra: &[&str], problems: &mut Vec<Problem>) -> Part {
    match &node.value {
        Source::String(text) => match Expression::compile(text, &node.span, vocabulary, extra) {
            Ok(expression) => Part::Expression(expression),
            Err(problem) => {
                problems.push(problem);
                Part::Literal(Value::Null)
            }
        },
        Source::List(items) => {
            let parts: Vec<Part> = items.iter().map(|item| part(item, vocabulary, extra, problems)).collect();
            if parts.iter().all(Part::is_literal) { Part::Literal(node.to_json()) } else { Part::List(parts) }
        }
        Source::Map(entries) => {
            let parts: Vec<(String, Part)> =
                entries.iter().map(|(k, v)| (k.name.clone(), part(v, vocabulary, extra, problems))).collect();
            if parts.iter().all(|(_, p)| p.is_literal()) { Part::Literal(node.to_json()) } else { Part::Map(parts) }
        }
        Source::Null | Source::Bool(_) | Source::Int(_) | Source::Float(_) => Part::Literal(node.to_json()),
    }
}

impl Part {
    fn is_literal(&self) -> bool {
        matches!(self, Part::Literal(_))
    }

    fn eval(&self, scope: &Scope<'_>, steps: &Cell<u64>) -> Result<Value, EvalError> {
        match self {
            Part::Literal(value) => Ok(value.clone()),
            Part::Expression(expression) => expression.eval_within(scope, steps),
            Part::List(parts) => parts.iter().map(|p| p.eval(scope, steps)).collect::<Result<_, _>>().map(Value::Array),
            Part::Map(parts) => {
                let entry = |(k, p): &(String, Part)| Ok((k.clone(), p.eval(scope, steps)?));
                parts.iter().map(entry).collect::<Result<Map<_, _>, EvalError>>().map(Value::Object)
            }
        }
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Expression>) {
        match self {
            Part::Literal(_) => {}
            Part::Expression(expression) => found.push(expression),
            Part::List(parts) => parts.iter().for_each(|p| p.collect(found)),
            Part::Map(parts) => parts.iter().for_each(|(_, p)| p.collect(found)),
        }
    }
}

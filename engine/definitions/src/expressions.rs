//! Reading what is worked out later: one expression, or a tree of them.

use crate::source::{Node, Value};
use engine_statechart::expression::Expression;
use engine_statechart::{Problem, Vocabulary};

/// One expression; a literal boolean or integer is one too.
pub fn expression(
    node: &Node,
    vocabulary: &Vocabulary,
    extra: &[&str],
    problems: &mut Vec<Problem>,
) -> Option<Expression> {
    match &node.value {
        Value::String(_) | Value::Bool(_) | Value::Int(_) => Expression::read(node, vocabulary, extra, problems),
        _ => {
            let message = format!("an expression is expected here, not {}", node.kind());
            problems.push(Problem::error("shape", &node.span, message));
            None
        }
    }
}

/// A tree whose strings are expressions; what is wrong gives null.
pub fn mapping(node: &Node, vocabulary: &Vocabulary, extra: &[&str], problems: &mut Vec<Problem>) -> Expression {
    let read = Expression::read(node, vocabulary, extra, problems);
    read.unwrap_or_else(|| Expression::literal(serde_json::Value::Null))
}

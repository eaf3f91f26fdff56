//! What is known of a value before it is computed.

use super::places::{Env, kind, place, resolve};
use super::{ANY_KEY, Shape, ValueKind};
use crate::expression::parser::Operator;
use crate::expression::tree::Expr;
use serde_json::Value;

pub(super) fn shape<'e>(expr: &'e Expr, env: &Env<'e>) -> Shape<'e> {
    if let Some(at) = place(expr, env) {
        return if at.default.is_none() && !at.path.contains(&ANY_KEY) { Shape::Copy(at.path) } else { Shape::Unknown };
    }
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => shape(inner, &env),
            None => Shape::Unknown,
        },
        Expr::Literal(value) => of_literal(value),
        Expr::Map(entries) => {
            let key = |k: &'_ Expr| matches!(k, Expr::Text(_));
            if !entries.iter().all(|(_, k, _)| key(k)) {
                return Shape::Unknown;
            }
            Shape::Map(
                entries
                    .iter()
                    .filter_map(|(_, k, v)| if let Expr::Text(k) = k { Some((&**k, shape(v, env))) } else { None })
                    .collect(),
            )
        }
        Expr::Host(_, name, args) if &**name == "merge" => match args.as_slice() {
            [a, b] => Shape::Merge(Box::new(shape(a, env)), Box::new(shape(b, env))),
            _ => Shape::Unknown,
        },
        Expr::Not(..) | Expr::And(..) | Expr::Or(..) | Expr::Has(..) | Expr::HasValue(_) | Expr::InState(_) => {
            Shape::Plain(ValueKind::Bool)
        }
        Expr::Binary(_, operator, _, right) => match operator {
            Operator::Equal
            | Operator::NotEqual
            | Operator::In
            | Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => Shape::Plain(ValueKind::Bool),
            Operator::Add => kind(right).map_or(Shape::Unknown, Shape::Plain),
            _ => Shape::Plain(ValueKind::Number),
        },
        Expr::Conditional(_, parts) => {
            let (then, otherwise) = (shape(&parts[1], env), shape(&parts[2], env));
            if then == otherwise { then } else { Shape::Unknown }
        }
        _ => kind(expr).map_or(Shape::Unknown, Shape::Plain),
    }
}

fn of_literal(value: &Value) -> Shape<'_> {
    match value {
        Value::Object(map) => Shape::Map(map.iter().map(|(k, v)| (k.as_str(), of_literal(v))).collect()),
        Value::Null => Shape::Plain(ValueKind::Null),
        Value::Bool(_) => Shape::Plain(ValueKind::Bool),
        Value::Number(_) => Shape::Plain(ValueKind::Number),
        Value::String(_) => Shape::Plain(ValueKind::Text),
        Value::Array(_) => Shape::Plain(ValueKind::List),
    }
}

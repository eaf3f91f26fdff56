//! What the outcome of a condition tells: which paths are there, and which texts they are.

use super::places::{ContextPath, Env, kind, literal, place, resolve};
use super::{Equal, Path};
use crate::expression::functions::Function;
use crate::expression::parser::Operator;
use crate::expression::tree::Expr;

/// Paths that are there when a condition has this value.
pub(super) fn implied_paths<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Path<'e>> {
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => implied_paths(inner, &env, value),
            None => Vec::new(),
        },
        Expr::HasValue(optional) if value => place(optional, env).map(|at| vec![at.path]).unwrap_or_default(),
        Expr::Has(_, base, field) if value => match place(base, env) {
            Some(mut at) => {
                at.path.push(field);
                vec![at.path]
            }
            None => Vec::new(),
        },
        Expr::Binary(_, Operator::In, left, right) if value && matches!(literal(left, env), Expr::Text(_)) => {
            match (literal(left, env), place(right, env)) {
                (Expr::Text(key), Some(mut at)) => {
                    at.path.push(key);
                    vec![at.path]
                }
                _ => by_default(expr, env, value),
            }
        }
        Expr::Not(_, inner) => implied_paths(inner, env, !value),
        Expr::And(_, terms) | Expr::Or(_, terms) => {
            let each = terms.iter().map(|t| implied_paths(t, env, value));
            if matches!(expr, Expr::And(..)) == value {
                return each.flatten().collect();
            }
            each.reduce(|a, b| a.into_iter().filter(|p| b.contains(p)).collect()).unwrap_or_default()
        }
        Expr::Conditional(_, parts) => match (&**parts, value) {
            ([a, b, Expr::Bool(false)], true) => [implied_paths(a, env, true), implied_paths(b, env, true)].concat(),
            ([a, Expr::Bool(true), c], false) => [implied_paths(a, env, false), implied_paths(c, env, false)].concat(),
            _ => Vec::new(),
        },
        _ => by_default(expr, env, value),
    }
}

/// `size` of what is empty when it is not there: nought is its default.
fn size_path<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<ContextPath<'e>> {
    const NOUGHT: &Expr = &Expr::Int(0);
    let Expr::Call(_, Function::Size, arguments) = literal(expr, env) else { return None };
    let at = place(arguments.first()?, env)?;
    let is_empty = match at.default? {
        Expr::List(items) => items.is_empty(),
        Expr::Map(entries) => entries.is_empty(),
        Expr::Text(text) => text.is_empty(),
        Expr::Literal(value) => value.as_array().is_some_and(Vec::is_empty),
        _ => false,
    };
    is_empty.then_some(ContextPath { default: Some(NOUGHT), ..at })
}

/// A condition on one `get` that its default does not meet: then the key is there.
fn by_default<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Path<'e>> {
    let probe = |side: &'e Expr| size_path(side, env).or_else(|| place(side, env).filter(|p| p.default.is_some()));
    let (probe, outcome) = match expr {
        Expr::Binary(_, operator, left, right) => match (probe(left), probe(right)) {
            (Some(probe), None) => {
                let outcome = probe.default.and_then(|d| compare_literals(*operator, d, literal(right, env)));
                (probe, outcome)
            }
            (None, Some(probe)) => {
                let outcome = probe.default.and_then(|d| compare_literals(*operator, literal(left, env), d));
                (probe, outcome)
            }
            _ => return Vec::new(),
        },
        Expr::Host(..) | Expr::OrValue(..) => match place(expr, env) {
            Some(ContextPath { path, needed, default: Some(Expr::Bool(b)) }) => {
                (ContextPath { path, needed, default: None }, Some(*b))
            }
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    if outcome == Some(!value) { vec![probe.path] } else { Vec::new() }
}

/// The outcome of a comparison of literals, as far as it is plain to see.
fn compare_literals(operator: Operator, left: &Expr, right: &Expr) -> Option<bool> {
    use Operator::{Equal, Greater, In, Less, NotEqual};
    let empty = |e: &Expr| match e {
        Expr::Text(t) => t.is_empty(),
        Expr::Map(m) => m.is_empty(),
        Expr::List(l) => l.is_empty(),
        _ => false,
    };
    match (operator, left, right) {
        (In, _, right) if empty(right) => Some(false),
        (In, left, Expr::List(items)) => {
            let each: Option<Vec<bool>> = items.iter().map(|i| compare_literals(Equal, left, i)).collect();
            each.map(|found| found.contains(&true))
        }
        // Nothing sorts before the empty text.
        (Greater, Expr::Text(t), _) | (Less, _, Expr::Text(t)) if t.is_empty() => Some(false),
        (Equal | NotEqual, left, right) => {
            let same = match (left, right) {
                (Expr::Text(a), Expr::Text(b)) => a == b,
                (Expr::Int(a), Expr::Int(b)) => a == b,
                (Expr::Bool(a), Expr::Bool(b)) => a == b,
                (Expr::Null, Expr::Null) => true,
                (a, b) if empty(a) && empty(b) => kind(a) == kind(b),
                (a, b) if kind(a)? != kind(b)? => false,
                _ => return None,
            };
            Some(same == (operator == Equal))
        }
        (_, Expr::Int(a), Expr::Int(b)) => Some(match operator {
            Less => a < b,
            Operator::LessOrEqual => a <= b,
            Greater => a > b,
            Operator::GreaterOrEqual => a >= b,
            _ => return None,
        }),
        _ => None,
    }
}

/// Paths that equal a text when a condition has this value.
pub(super) fn equalities<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Equal<'e>> {
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => equalities(inner, &env, value),
            None => Vec::new(),
        },
        Expr::Binary(_, operator, left, right)
            if matches!((operator, value), (Operator::Equal, true) | (Operator::NotEqual, false)) =>
        {
            let sides = [(left, right), (right, left)];
            sides
                .into_iter()
                .filter_map(|(side, text)| match literal(text, env) {
                    Expr::Text(text) => Some(Equal { path: place(side, env)?.path, text }),
                    _ => None,
                })
                .collect()
        }
        Expr::Not(_, inner) => equalities(inner, env, !value),
        Expr::And(_, terms) if value => terms.iter().flat_map(|t| equalities(t, env, true)).collect(),
        Expr::Or(_, terms) if !value => terms.iter().flat_map(|t| equalities(t, env, false)).collect(),
        _ => Vec::new(),
    }
}

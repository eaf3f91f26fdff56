//! Places in the context: the path that an expression names, through the names and arguments that lead to it.

use super::{ANY_KEY, CONTEXT, Path, ValueKind};
use crate::expression::Names;
use crate::expression::tree::Expr;
use std::rc::Rc;

/// What names and arguments mean where an expression stands.
#[derive(Clone)]
pub(super) struct Env<'e> {
    /// The variable whose paths are looked for.
    pub root: &'static str,
    pub names: Option<&'e Names>,
    /// Arguments of the value whose body this is; they stand in `outer`.
    pub arguments: &'e [Expr],
    pub outer: Option<Rc<Env<'e>>>,
}

/// An expression through the names that lead to it: the body of a value, an argument of one.
pub(super) fn resolve<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<(&'e Expr, Env<'e>)> {
    match expr {
        Expr::Written(written) => {
            Some((&written.expr, Env { names: written.names.as_deref().or(env.names), ..env.clone() }))
        }
        Expr::Local(i) => Some((env.arguments.get(*i)?, (**env.outer.as_ref()?).clone())),
        Expr::Value(_, name, arguments) => {
            let (_, definition) = env.names?.find(name)?;
            let inner = Env { root: env.root, names: env.names, arguments, outer: Some(Rc::new(env.clone())) };
            Some((&definition.body, inner))
        }
        _ => None,
    }
}

/// A path of the context, perhaps through `get`.
pub(super) struct ContextPath<'e> {
    pub path: Path<'e>,
    /// Leading segments that must be there.
    pub needed: usize,
    /// The default of the outermost `get`.
    pub default: Option<&'e Expr>,
}

pub(super) fn place<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<ContextPath<'e>> {
    match expr {
        Expr::Context if env.root == CONTEXT => Some(ContextPath { path: Vec::new(), needed: 0, default: None }),
        Expr::Event if env.root == "event" => Some(ContextPath { path: Vec::new(), needed: 0, default: None }),
        Expr::Variable(_, name) if &**name == env.root => {
            Some(ContextPath { path: Vec::new(), needed: 0, default: None })
        }
        Expr::Place(_, name) => short(name, env),
        Expr::Value(_, name, arguments)
            if arguments.is_empty() && env.names.is_some_and(|n| n.find(name).is_none()) =>
        {
            short(name, env)
        }
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => {
            let (inner, env) = resolve(expr, env)?;
            place(inner, &env)
        }
        Expr::Select(_, base, field) => below(place(base, env)?, field),
        Expr::Index(_, base, index) => below(place(base, env)?, key(index, env)?),
        Expr::OptionalSelect(_, base, field) => Some(optional(place(base, env)?, field)),
        Expr::OptionalIndex(_, base, index) => Some(optional(place(base, env)?, key(index, env)?)),
        Expr::OrValue(optional, default) => {
            Some(ContextPath { default: Some(literal(default, env)), ..place(optional, env)? })
        }
        Expr::Host(_, name, args) if &**name == "get" => {
            let [map, key, default] = args.as_slice() else { return None };
            let at = place(map, env)?;
            let (Expr::Text(key), default) = (literal(key, env), literal(default, env)) else { return None };
            Some(ContextPath { default: Some(default), ..optional(at, key) })
        }
        _ => None,
    }
}

/// A place that has a name of its own; it is always there.
fn short<'e>(name: &str, env: &Env<'e>) -> Option<ContextPath<'e>> {
    if env.root != CONTEXT {
        return None;
    }
    Some(ContextPath { path: env.names?.place(name)?.collect(), needed: 0, default: None })
}

/// The key of an index; none for a position in a list.
fn key<'e>(index: &'e Expr, env: &Env<'e>) -> Option<&'e str> {
    match literal(index, env) {
        Expr::Text(key) => Some(key),
        Expr::Int(_) => None,
        _ => Some(ANY_KEY),
    }
}

/// An expression itself, not what leads to it.
pub(super) fn literal<'e>(expr: &'e Expr, env: &Env<'e>) -> &'e Expr {
    match resolve(expr, env) {
        Some((inner, env)) => literal(inner, &env),
        None => expr,
    }
}

fn optional<'e>(mut at: ContextPath<'e>, key: &'e str) -> ContextPath<'e> {
    at.path.push(key);
    ContextPath { default: Some(&Expr::Null), ..at }
}

fn below<'e>(mut at: ContextPath<'e>, key: &'e str) -> Option<ContextPath<'e>> {
    // What a default holds is another place.
    if at.default.is_some() {
        return None;
    }
    at.path.push(key);
    at.needed = at.path.len();
    Some(at)
}

pub(super) fn kind(expr: &Expr) -> Option<ValueKind> {
    Some(match expr {
        Expr::Null => ValueKind::Null,
        Expr::Bool(_) => ValueKind::Bool,
        Expr::Int(_) | Expr::Double(_) => ValueKind::Number,
        Expr::Text(_) => ValueKind::Text,
        Expr::List(_) => ValueKind::List,
        Expr::Map(_) => ValueKind::Map,
        Expr::Negate(_, inner) => return kind(inner),
        Expr::Written(written) => return kind(&written.expr),
        Expr::Literal(value) => match &**value {
            serde_json::Value::Null => ValueKind::Null,
            serde_json::Value::Bool(_) => ValueKind::Bool,
            serde_json::Value::Number(_) => ValueKind::Number,
            serde_json::Value::String(_) => ValueKind::Text,
            serde_json::Value::Array(_) => ValueKind::List,
            serde_json::Value::Object(_) => ValueKind::Map,
        },
        Expr::Items(_) => ValueKind::List,
        _ => return None,
    })
}

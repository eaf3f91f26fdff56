//! What a condition comes to when little is known: true, false, or either. For checks that follow the ways of a machine.

use super::places::{Env, literal, resolve};
use crate::expression::Expression;
use crate::expression::parser::Operator;
use crate::expression::tree::Expr;

/// What is known of a place, such as `journey.verified`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownValue {
    Bool(bool),
    Text(String),
    /// A text, not the empty one.
    SomeText,
    /// A place at which nothing is there.
    Absent,
}

/// Gives what is known of a place by its names, the variable first.
pub type Knows<'k> = dyn Fn(&[&str]) -> Option<KnownValue> + 'k;

impl Expression {
    /// The value of a condition as far as what is known decides it.
    pub fn truth(&self, knows: &Knows<'_>) -> Option<bool> {
        truth(&self.compiled.root, &self.env(None), knows)
    }
}

fn truth(expr: &Expr, env: &Env<'_>, knows: &Knows<'_>) -> Option<bool> {
    match expr {
        Expr::Bool(value) => Some(*value),
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => {
            let (inner, env) = resolve(expr, env)?;
            truth(inner, &env, knows)
        }
        Expr::Not(_, inner) => truth(inner, env, knows).map(|value| !value),
        Expr::And(_, terms) => all(terms.iter().map(|term| truth(term, env, knows))),
        Expr::Or(_, terms) => all(terms.iter().map(|term| truth(term, env, knows).map(|value| !value))).map(|v| !v),
        Expr::Conditional(_, parts) => match truth(&parts[0], env, knows) {
            Some(true) => truth(&parts[1], env, knows),
            Some(false) => truth(&parts[2], env, knows),
            None => truth(&parts[1], env, knows).filter(|one| truth(&parts[2], env, knows) == Some(*one)),
        },
        Expr::Has(_, base, field) => {
            let mut path = names(base, env)?;
            path.push(field);
            (knows(&path)? == KnownValue::Absent).then_some(false)
        }
        Expr::Binary(_, Operator::Equal, left, right) => equal(left, right, env, knows),
        Expr::Binary(_, Operator::NotEqual, left, right) => equal(left, right, env, knows).map(|value| !value),
        _ => match value_of(expr, env, knows)? {
            KnownValue::Bool(value) => Some(value),
            _ => None,
        },
    }
}

fn all(terms: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let terms: Vec<Option<bool>> = terms.collect();
    if terms.contains(&Some(false)) { Some(false) } else { terms.iter().all(Option::is_some).then_some(true) }
}

fn equal(left: &Expr, right: &Expr, env: &Env<'_>, knows: &Knows<'_>) -> Option<bool> {
    match (value_of(left, env, knows)?, value_of(right, env, knows)?) {
        (KnownValue::Bool(one), KnownValue::Bool(other)) => Some(one == other),
        (KnownValue::Text(one), KnownValue::Text(other)) => Some(one == other),
        (KnownValue::SomeText, KnownValue::Text(text)) | (KnownValue::Text(text), KnownValue::SomeText)
            if text.is_empty() =>
        {
            Some(false)
        }
        _ => None,
    }
}

/// A literal, or what is known of the place that an expression names.
fn value_of(expr: &Expr, env: &Env<'_>, knows: &Knows<'_>) -> Option<KnownValue> {
    match literal(expr, env) {
        Expr::Text(text) => Some(KnownValue::Text(text.to_string())),
        Expr::Bool(value) => Some(KnownValue::Bool(*value)),
        Expr::OrValue(optional, _) => value_of(optional, env, knows),
        _ => knows(&names(expr, env)?),
    }
}

/// The names that lead to a place, the variable first.
fn names<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<Vec<&'e str>> {
    match expr {
        Expr::Context => Some(vec!["context"]),
        Expr::Event => Some(vec!["event"]),
        Expr::Variable(_, name) => Some(vec![name]),
        Expr::Place(_, name) => Some(["context"].into_iter().chain(env.names?.place(name)?).collect()),
        Expr::Select(_, base, field) | Expr::OptionalSelect(_, base, field) => {
            let mut path = names(base, env)?;
            path.push(field);
            Some(path)
        }
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => {
            let (inner, env) = resolve(expr, env)?;
            names(inner, &env)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn a_condition_is_decided_as_far_as_something_is_known() {
        let knows = |path: &[&str]| match path {
            ["context", "verified"] => Some(KnownValue::Bool(false)),
            ["context", "by"] => Some(KnownValue::SomeText),
            ["context", "part", "input"] => Some(KnownValue::Absent),
            _ => None,
        };
        for (text, expected) in [
            ("context.verified", Some(false)),
            ("!context.verified && context.by != ''", Some(true)),
            ("context.by == ''", Some(false)),
            ("context.by == 'x'", None),
            ("context.verified && context.open", Some(false)),
            ("context.verified || context.open", None),
            ("context.open || !context.verified", Some(true)),
            ("context.open ? context.verified : false", Some(false)),
            ("has(context.part.input) && context.open", Some(false)),
            ("has(context.other.input)", None),
            ("true", Some(true)),
        ] {
            let expression = Expression::compile(text, &Span::unknown(), &Vocabulary::default(), &[]).expect(text);
            assert_eq!(expression.truth(&knows), expected, "{text}");
        }
    }
}

//! What search engines are told of an address: whether they may keep it, which address stands for it, what kind of page
//! it is, and since when it says what it says.

use crate::fields::MapReader;
use crate::host::shared_vocabulary;
use crate::source::Node;
use crate::values::parse_date;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Value, json};

/// Kinds of pages: each is one list of the sitemap.
pub const PAGE_KINDS: [&str; 6] = ["page", "article", "service", "list", "place", "model"];

/// What a page says of it; what may differ by row reads the row in `data`.
#[derive(Debug)]
pub(super) struct Rules {
    pub kind: &'static str,
    noindex: Option<Expression>,
    canonical: Option<Expression>,
    changed: Option<Expression>,
    published: Option<Expression>,
    about: Option<Expression>,
}

/// What holds for one address.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Search engines shall not keep it.
    pub noindex: bool,
    /// The address that they shall know in its place; empty: its own.
    pub canonical: String,
    /// The day on which what it says last changed, `2026-11-26`; empty: nobody said so.
    pub changed: String,
    /// The day on which it was first there.
    pub published: String,
    /// The thing or place that it is about, `{type, name, brand?}` in words of schema.org; null: none.
    pub about: Value,
}

impl Rules {
    pub fn read(fields: &mut MapReader<'_, '_>) -> Rules {
        let kind = fields.word("kind", &PAGE_KINDS).unwrap_or(PAGE_KINDS[0]);
        let mut expression = |key: &str, reads: fn(&Node, &mut Vec<Problem>) -> Option<Expression>| {
            fields.get(key).and_then(|node| reads(node, fields.problems))
        };
        let noindex = expression("noindex", read);
        let canonical = expression("canonical", read);
        let (changed, published) = (expression("changed", day), expression("published", day));
        let about = expression("about", read);
        Rules { kind, noindex, canonical, changed, published, about }
    }

    pub fn canonical_at(&self) -> Option<&Span> {
        self.canonical.as_ref().map(Expression::span)
    }

    /// Whether any of it is worked out for each address.
    pub fn reads_rows(&self) -> bool {
        [&self.noindex, &self.canonical, &self.changed, &self.published, &self.about]
            .into_iter()
            .flatten()
            .any(|expression| expression.as_literal().is_none())
    }

    /// What holds for the address whose row stands in `data`.
    pub fn of(&self, data: &Value, host: &dyn Host) -> Result<Listing, EvalError> {
        let scope = Scope::new().with("data", data).with_host(host);
        let value = |expression: &Option<Expression>| match expression {
            Some(expression) => expression.eval(&scope),
            None => Ok(Value::Null),
        };
        let text = |expression: &Option<Expression>| Ok(value(expression)?.as_str().unwrap_or_default().to_owned());
        let day = |expression: &Option<Expression>| {
            let day: String = text(expression)?;
            match (expression, parse_date(&day).is_some()) {
                (Some(at), false) if !day.is_empty() => Err(EvalError {
                    message: format!("`{day}` is no day: write 2026-11-26"),
                    span: at.span().clone(),
                    expression: String::new(),
                }),
                _ => Ok(day),
            }
        };
        Ok(Listing {
            noindex: value(&self.noindex)? == true,
            canonical: text(&self.canonical)?,
            changed: day(&self.changed)?,
            published: day(&self.published)?,
            about: match &self.about {
                Some(expression) => about(expression, value(&self.about)?)?,
                None => Value::Null,
            },
        })
    }
}

/// Whether it may be a type of schema.org.
fn is_type(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase()) && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// What a page says that it is about, if programs know such things.
fn about(expression: &Expression, value: Value) -> Result<Value, EvalError> {
    let is_known = value["type"].as_str().is_some_and(is_type) && value["name"].is_string();
    if is_known || value.is_null() {
        return Ok(value);
    }
    Err(EvalError {
        message: "`about` has a `name` and a `type` of schema.org, such as `Country`".into(),
        span: expression.span().clone(),
        expression: String::new(),
    })
}

fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Expression> {
    crate::expressions::expression(node, shared_vocabulary(), &["data"], problems)
}

/// A day as it stands there, or an expression that gives one.
fn day(node: &Node, problems: &mut Vec<Problem>) -> Option<Expression> {
    match node.as_str() {
        Some(text) if parse_date(text).is_some() => Some(Expression::literal(json!(text))),
        _ => read(node, problems),
    }
}

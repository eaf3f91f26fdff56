//! What a call reads elsewhere: rows of reference data, and what a partner says.

use super::{NAMES, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

const ROWS_MAX: i64 = 2_000;

/// A call of a partner that is made while the caller waits.
#[derive(Debug)]
pub struct Calls {
    /// `partner/operation`.
    pub of: String,
    input: Expression,
}

impl Calls {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Calls> {
        let mut fields = MapReader::open(node, "a call", &["src", "input"], problems)?;
        let src = fields.need_text("src");
        let input = fields.need("input").map(|input| mapping(input, words(), &NAMES, fields.problems))?;
        Some(Calls { of: src, input })
    }

    pub(super) fn expression(&self) -> &Expression {
        &self.input
    }

    /// What the partner is told.
    pub fn evaluate_input(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.input.eval(&scope(found).with_host(host))
    }
}

/// Rows of reference data.
#[derive(Debug)]
pub struct List {
    pub of: String,
    search: Option<Expression>,
    /// Column → what it must equal; empty texts are passed over.
    columns: Vec<(String, Expression)>,
    pub limit: usize,
}

impl List {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<List> {
        let mut fields = MapReader::open(node, "a list", &["of", "search", "where", "limit"], problems)?;
        let of = fields.need_text("of");
        let search = fields.get("search").and_then(|search| expression(search, words(), &NAMES, fields.problems));
        let limit = fields.int("limit").unwrap_or(ROWS_MAX).clamp(1, ROWS_MAX) as usize;
        let columns = fields.entries("where");
        let columns = columns
            .iter()
            .filter_map(|(key, value)| Some((key.name.clone(), expression(value, words(), &NAMES, fields.problems)?)));
        Some(List { of, search, columns: columns.collect(), limit })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.search.iter().chain(self.columns.iter().map(|(_, value)| value))
    }

    /// The words to look for, and what columns must equal.
    pub fn evaluate_search(
        &self,
        found: &Map<String, Value>,
        host: &dyn Host,
    ) -> Result<(String, Vec<(String, String)>), EvalError> {
        let scope = scope(found).with_host(host);
        let text = |expression: &Expression| {
            Ok(match expression.eval(&scope)? {
                Value::String(text) => text,
                Value::Null => String::new(),
                other => other.to_string(),
            })
        };
        let search = self.search.as_ref().map_or(Ok(String::new()), text)?;
        let columns: Result<Vec<_>, _> =
            self.columns.iter().map(|(name, value)| Ok((name.clone(), text(value)?))).collect();
        Ok((search, columns?.into_iter().filter(|(_, value)| !value.is_empty()).collect()))
    }
}

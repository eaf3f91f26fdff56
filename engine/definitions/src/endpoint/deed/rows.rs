//! Rows of reference data are looked up.

use crate::endpoint::{NAMES, scope, words};
use crate::expressions::expression;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

const ROWS_MAX: i64 = 2_000;

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
    pub(in crate::endpoint) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<List> {
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

    pub(in crate::endpoint) fn expressions(&self) -> impl Iterator<Item = &Expression> {
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

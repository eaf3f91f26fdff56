//! Records that a page or an endpoint lists of who is signed in: of which kinds, what is looked for, from where on.

use crate::expressions::expression;
use crate::fields::Fields;
use crate::source::Node;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::{EvalError, Problem, Vocabulary};
use serde_json::Value;

/// Journeys of a page of the list, unless it says another number.
const JOURNEYS: i64 = 25;
const JOURNEYS_MAX: i64 = 100;

/// Kind of the records of what a person agreed to, or no longer agrees to, one for each purpose:
/// `{purpose, given, text}`, and of what ended elsewhere `given_at`. Nobody else writes one.
pub const CONSENT: &str = "consent";

#[derive(Debug)]
pub struct Records {
    kinds: Expression,
    search: Option<Expression>,
    before: Option<Expression>,
    limit: u32,
}

/// One page of such a list.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordsAsked {
    pub kinds: Vec<String>,
    /// Part of the title of a journey, or a whole mobile number; empty: any.
    pub search: String,
    /// The last journey of the page before; empty for the first one.
    pub before: String,
    /// Journeys, each with all of its records.
    pub limit: u32,
}

impl Records {
    pub(crate) fn read(
        node: &Node,
        vocabulary: &Vocabulary,
        names: &[&str],
        problems: &mut Vec<Problem>,
    ) -> Option<Records> {
        let keys = ["kinds", "search", "before", "limit"];
        let mut fields = Fields::open(node, "a list of records", &keys, problems)?;
        let limit = fields.int("limit").unwrap_or(JOURNEYS).clamp(1, JOURNEYS_MAX) as u32;
        let search = fields.get("search").and_then(|at| expression(at, vocabulary, names, fields.problems));
        let before = fields.get("before").and_then(|at| expression(at, vocabulary, names, fields.problems));
        let kinds = fields.need("kinds").and_then(|at| expression(at, vocabulary, names, fields.problems))?;
        Some(Records { kinds, search, before, limit })
    }

    pub fn asked(&self, scope: &Scope<'_>) -> Result<RecordsAsked, EvalError> {
        let text = |of: &Option<Expression>| {
            let value = of.as_ref().map(|of| of.eval(scope)).transpose()?;
            Ok(value.as_ref().and_then(Value::as_str).unwrap_or_default().trim().to_owned())
        };
        let kinds = self.kinds.eval(scope)?;
        let kinds = kinds.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(RecordsAsked { kinds, search: text(&self.search)?, before: text(&self.before)?, limit: self.limit })
    }
}

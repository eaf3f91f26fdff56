//! Records that a page or an endpoint lists of who is signed in: of which kinds, what is looked for, from where on.

use crate::expressions::expression;
use crate::fields::MapReader;
use crate::source::Node;
use crate::table::Table;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::{EvalError, Problem, Vocabulary};
use serde_json::Value;
use std::sync::Arc;

/// Journeys on a page of the list, unless it says another number.
const JOURNEYS: i64 = 25;
const JOURNEYS_MAX: i64 = 100;

/// Kind of the records of what a person agreed to, or no longer agrees to, one for each purpose:
/// `{purpose, given, text}`, and of what ended elsewhere `given_at`. Nobody else writes one.
pub const CONSENT: &str = "consent";

/// Kind of the records of what a customer agreed to so that something is sold: written only once a number was verified.
pub const AGREEMENT: &str = "agreement";
/// Table of the kinds of records that stay when their person is forgotten, each with the law that asks for it.
pub const KEPT: &str = "shared/kept";
pub(crate) const KEPT_FILE: &str = "workflows/shared/tables/kept.yaml";

/// A law that asks for the records of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Whether the records stay on the account, with the documents of their journey.
    pub on_account: bool,
    /// Kinds of which one ends what such a record has begun: until there is one the journey is not forgotten.
    pub until: Vec<String>,
    /// Statuses with which such a record waits for its end; none: it always does.
    open: Vec<String>,
}

impl Law {
    pub(crate) fn of(kind: &str, kept: Option<&Arc<Table>>) -> Option<Law> {
        let row = kept?.find(&kind.into(), &Value::Null).ok().filter(|row| row.is_object())?;
        let names = |column: &str| {
            let list = row[column].as_array().into_iter().flatten().filter_map(Value::as_str);
            list.map(str::to_owned).collect()
        };
        Some(Law { on_account: row["on_account"] == Value::Bool(true), until: names("until"), open: names("open") })
    }

    /// Whether a record with this data waits for its end, among records of these kinds.
    pub fn is_under_way<'k>(&self, data: &Value, mut kinds: impl Iterator<Item = &'k str>) -> bool {
        let status = data.get("status").and_then(Value::as_str).unwrap_or_default();
        let waits = match self.open.as_slice() {
            [] => !self.until.is_empty(),
            open => open.iter().any(|open| open == status),
        };
        waits && !kinds.any(|kind| self.until.iter().any(|until| until == kind))
    }

    /// Checks that nothing is kept without the law that asks for it, and for how long.
    pub(crate) fn verify(kept: &Table, node: &Node, problems: &mut Vec<Problem>) {
        let mut wrong = |message: String| problems.push(Problem::error("kept", &node.span, message));
        if kept.only_match() != Some("kind") {
            wrong("what a law keeps is found by its `kind`: `match: {kind: equals}`".into());
        }
        let needed = [("kind", ""), ("description", ", its law"), ("text", ", the time")];
        for row in kept.rows(&Value::Null).as_array().into_iter().flatten() {
            for (column, what) in needed {
                if row[column].as_str().is_none_or(|text| text.trim().is_empty()) {
                    let why = "what no law asks for goes with its person";
                    wrong(format!("every kind of record that is kept has `{column}`{what}: {why}"));
                }
            }
        }
    }
}

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
    /// Part of a title, name, plate or policy number, or a mobile number or its end; empty: any.
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
        let mut fields = MapReader::open(node, "a list of records", &keys, problems)?;
        let limit = fields.int("limit").unwrap_or(JOURNEYS).clamp(1, JOURNEYS_MAX) as u32;
        let search = fields.get("search").and_then(|at| expression(at, vocabulary, names, fields.problems));
        let before = fields.get("before").and_then(|at| expression(at, vocabulary, names, fields.problems));
        let kinds = fields.need("kinds").and_then(|at| expression(at, vocabulary, names, fields.problems))?;
        Some(Records { kinds, search, before, limit })
    }

    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<RecordsAsked, EvalError> {
        let text = |of: &Option<Expression>| {
            let value = of.as_ref().map(|of| of.eval(scope)).transpose()?;
            Ok(value.as_ref().and_then(Value::as_str).unwrap_or_default().trim().to_owned())
        };
        let kinds = self.kinds.eval(scope)?;
        let kinds = kinds.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(RecordsAsked { kinds, search: text(&self.search)?, before: text(&self.before)?, limit: self.limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn law(until: &[&str], open: &[&str]) -> Law {
        let names = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        Law { on_account: false, until: names(until), open: names(open) }
    }

    #[test]
    fn money_that_a_bank_keeps_ready_holds_a_journey_until_it_is_taken_or_let_go() {
        let block = law(&["payment"], &["blocked"]);
        assert!(block.is_under_way(&json!({"status": "blocked"}), ["block"].into_iter()));
        assert!(!block.is_under_way(&json!({"status": "released"}), ["block"].into_iter()));
        assert!(!block.is_under_way(&json!({"status": "blocked"}), ["block", "payment"].into_iter()));

        let claim = law(&[], &["received"]);
        assert!(claim.is_under_way(&json!({"status": "received"}), ["claim"].into_iter()));
        assert!(!claim.is_under_way(&json!({"status": "refused"}), ["claim"].into_iter()));

        let payment = law(&["policy", "refund"], &[]);
        assert!(payment.is_under_way(&json!({"status": "captured"}), ["payment"].into_iter()));
        assert!(!payment.is_under_way(&json!({}), ["payment", "policy"].into_iter()));
        assert!(!law(&[], &[]).is_under_way(&json!({}), ["refund"].into_iter()));
    }
}

//! A partner is asked while the caller waits.

use crate::endpoint::{NAMES, scope, words};
use crate::expressions::mapping;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

/// A call of a partner that is made while the caller waits.
#[derive(Debug)]
pub struct PartnerCall {
    /// `partner/operation`.
    pub of: String,
    input: Expression,
}

impl PartnerCall {
    pub(in crate::endpoint) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<PartnerCall> {
        let mut fields = MapReader::open(node, "a call", &["src", "input"], problems)?;
        let src = fields.need_text("src");
        let input = fields.need("input").map(|input| mapping(input, words(), &NAMES, fields.problems))?;
        Some(PartnerCall { of: src, input })
    }

    pub(in crate::endpoint) fn expression(&self) -> &Expression {
        &self.input
    }

    /// What the partner is told.
    pub fn evaluate_input(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.input.eval(&scope(found).with_host(host))
    }
}

//! `track` and `presence` of a workflow: what a partner is told of a journey, without a consequence for the flow.

use super::desugar::Builder;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Scope;
use engine_statechart::template::Mapping;
use indexmap::IndexMap;
use serde_json::{Map, Value};

/// An operation and what it is given.
#[derive(Debug)]
pub struct Report {
    pub partner: String,
    pub operation: String,
    pub(crate) input: IndexMap<String, Mapping>,
}

impl Report {
    /// The input at this moment. What cannot be read yet is left out: a report never stops a journey.
    pub fn input(&self, scope: &Scope<'_>) -> Map<String, Value> {
        self.input.iter().filter_map(|(name, mapping)| Some((name.clone(), mapping.eval(scope).ok()?))).collect()
    }
}

impl Builder<'_> {
    /// `partner/operation`, or `{call: partner/operation, input: {name: CEL}}`.
    pub fn report(&mut self, tree: &Node, name: &'static str) -> Option<Report> {
        let node = tree.get(name).filter(|n| !n.is_null())?;
        let mut problems = std::mem::take(&mut self.problems);
        let (call, mut input) = match node.as_str() {
            Some(_) => (Some(node), IndexMap::new()),
            None => {
                let mut fields = MapReader::open(node, name, &["call", "input"], &mut problems);
                (fields.as_mut().and_then(|f| f.need("call")), IndexMap::new())
            }
        };
        for (key, value) in node.get("input").map_or(&[][..], Node::map) {
            input.insert(key.name.clone(), self.mapping(value, &[], &mut problems));
        }
        problems.append(&mut self.problems);
        self.problems = problems;
        let call = call?;
        let (partner, operation, contract) = self.need_operation(call, call.as_str().unwrap_or_default())?;
        self.note_asked(contract.as_ref(), node.get("input"));
        Some(Report { partner, operation, input })
    }
}

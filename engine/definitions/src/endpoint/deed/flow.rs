//! Which workflow a call is about.

use crate::endpoint::{NAMES, scope, words};
use crate::expressions::expression;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

/// The workflow of a journey, or of several that a word of the call chooses from.
#[derive(Debug)]
pub enum Flow {
    One(String),
    /// Any of these workflows, for a journey that is there.
    Any(Vec<String>),
    Chosen {
        of: Expression,
        among: Vec<(String, String)>,
    },
}

impl Flow {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Flow> {
        if let Some(id) = node.as_str() {
            return Some(Flow::One(id.to_owned()));
        }
        if node.is_list() {
            return Some(Flow::Any(node.list().iter().filter_map(|id| Some(id.as_str()?.to_owned())).collect()));
        }
        if !node.is_map() {
            let problem = Problem::error("shape", &node.span, "`workflow` is the name of one, or a choice");
            problems.push(problem.hint("{of: path.kind, letter: post/letter, parcel: post/parcel}"));
            return None;
        }
        let Some(of) = node.get("of") else {
            problems.push(Problem::error("missing", &node.span, "a choice of workflows needs `of`"));
            return None;
        };
        let of = expression(of, words(), &NAMES, problems)?;
        let named = node.map().iter().filter(|(key, _)| key.name != "of");
        let among = named.filter_map(|(key, flow)| Some((key.name.clone(), flow.as_str()?.to_owned()))).collect();
        Some(Flow::Chosen { of, among })
    }

    /// All that it may be.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let (one, any, among): (Option<&String>, &[String], &[(String, String)]) = match self {
            Flow::One(id) => (Some(id), &[], &[]),
            Flow::Any(ids) => (None, ids, &[]),
            Flow::Chosen { among, .. } => (None, &[], among),
        };
        one.into_iter().chain(any).map(String::as_str).chain(among.iter().map(|(_, id)| id.as_str()))
    }

    /// The one that is meant; `None`: the word is not among them.
    pub fn id(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&str>, EvalError> {
        match self {
            Flow::One(id) => Ok(Some(id)),
            Flow::Any(ids) => Ok(ids.first().map(String::as_str)),
            Flow::Chosen { of, among } => {
                let word = of.eval(&scope(found).with_host(host))?;
                Ok(among.iter().find(|(known, _)| word == known.as_str()).map(|(_, id)| id.as_str()))
            }
        }
    }

    /// Whether a journey of this workflow is meant.
    pub fn is(&self, workflow: &str, found: &Map<String, Value>, host: &dyn Host) -> Result<bool, EvalError> {
        match self {
            Flow::Any(ids) => Ok(ids.iter().any(|id| id == workflow)),
            Flow::One(_) | Flow::Chosen { .. } => Ok(self.id(found, host)? == Some(workflow)),
        }
    }

    pub(super) fn expression(&self) -> Option<&Expression> {
        match self {
            Flow::One(_) | Flow::Any(_) => None,
            Flow::Chosen { of, .. } => Some(of),
        }
    }
}

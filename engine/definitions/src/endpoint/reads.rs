//! What expressions of an endpoint read of its body, its query and its journey must be there.

use super::check::EndpointReferences;
use super::{Deed, Endpoint, Refuses};
use crate::fields::unknown;
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::ANY_KEY;
use std::collections::BTreeSet;

/// What a call knows of its journey.
pub const OF_JOURNEY: [&str; 14] = [
    "id", "url", "step", "state", "title", "status", "verified", "waits", "code", "messages", "after", "values",
    "answers", "data",
];

impl Endpoint {
    pub(super) fn reads_what_is_there(&self, known: &EndpointReferences<'_>, problems: &mut Vec<Problem>) {
        if self.asks.forms().any(|form| !known.forms.contains_key(form)) {
            return;
        }
        let expressions: Vec<&Expression> = self
            .answer
            .expressions()
            .chain(self.refuses.iter().map(Refuses::expression))
            .chain(self.deed.expressions())
            .collect();
        let mut told = BTreeSet::new();
        let mut check = |name: &'static str, what: &str, there: &BTreeSet<&str>| {
            for expression in &expressions {
                for read in expression.reads_of(name, None).reads {
                    let Some(key) = read.path.first().filter(|key| **key != ANY_KEY && !there.contains(*key)) else {
                        continue;
                    };
                    let span = read.asked.span.unwrap_or_else(|| expression.span());
                    if !told.insert((span.line, span.column, (*key).to_owned())) {
                        continue;
                    }
                    let at = Node::new(span.clone(), Source::Null);
                    problems.push(unknown(what, &at, key, there.iter().copied()));
                }
            }
        };
        match self.asks.query_form.as_ref().map(|form| known.forms.get(form)) {
            Some(form) => {
                check(
                    "query",
                    "field of the query",
                    &form.into_iter().flat_map(|form| form.property_names()).collect(),
                );
            }
            None => check("query", "parameter of the query", &self.asks.query.names().collect()),
        }
        if self.asks.body.is_some() || self.asks.body_steps {
            let mut body: BTreeSet<&str> = self.asks.body_within.iter().map(String::as_str).collect();
            for form in self.asks.body.iter().filter_map(|form| known.forms.get(form)) {
                body.extend(form.property_names());
            }
            let flows = self.flows().filter_map(|flow| known.workflows.get(flow)).filter(|_| self.asks.body_steps);
            for (flow, step) in flows.flat_map(|flow| flow.steps().map(move |step| (flow, step))) {
                let form = step.form.as_deref().and_then(|form| flow.form(form));
                body.extend(form.into_iter().flat_map(|form| form.property_names()));
            }
            check("body", "field of the body", &body);
        }
        if matches!(self.deed, Deed::Journey(_)) {
            check("journey", "part of the journey", &BTreeSet::from(OF_JOURNEY));
        }
    }
}

//! What a workflow sends to partners and reads of their answers, held against the contracts of its calls.

use super::Invoke;
use super::desugar::Builder;
use crate::contract::{Contract, ERROR_FIELDS, not_there};
use crate::host::shared_vocabulary;
use crate::shape::Given;
use crate::source::{Node, Span, Value};
use engine_statechart::expression::Expression;
use engine_statechart::flow::Work;
use engine_statechart::{Machine, Problem, did_you_mean};
use std::collections::BTreeMap;

impl Builder<'_> {
    /// `input` of a call: keys and kinds that the contract has not, and what is missing.
    pub fn check_input(&mut self, contract: &Contract, node: &Node) {
        let empty = Node::new(node.span.clone(), Value::Map(Vec::new()));
        let input = node.get("input").unwrap_or(&empty);
        // Mistakes of an expression are said where it is compiled.
        let compile = |at: &Node| Expression::read(at, shared_vocabulary(), &["item"], &mut Vec::new());
        let given = Given { of: "contract", is_cut: false, compile: &compile };
        contract.input.check_mapping(input, "", &given, &mut self.problems);
    }
}

/// `event.output.x` and `event.error.x` where a call's answer is taken.
pub fn check(machine: &Machine, builder: &mut Builder<'_>) {
    let mut found: BTreeMap<(Span, String), Problem> = BTreeMap::new();
    for node in machine.nodes() {
        for candidate in machine.candidates(node.order).into_iter().flatten() {
            let (done, failed) = ("xstate.done.actor.", "xstate.error.actor.");
            let id = candidate.event.strip_prefix(done).or_else(|| candidate.event.strip_prefix(failed));
            let Some(invoke) = id.and_then(|id| builder.invokes.get(id)).filter(|invoke| !invoke.each) else {
                continue;
            };
            let Some(contract) = invoke.contract.as_deref().and_then(|id| builder.contracts.get(id)) else { continue };
            let work = candidate.work.iter().map(|work| match work {
                Work::Read(expression) | Work::Assign { value: expression, .. } => *expression,
            });
            for expression in candidate.guard.into_iter().chain(work) {
                read(expression, invoke, contract, candidate.event.starts_with(done), &mut found);
            }
        }
    }
    builder.problems.extend(found.into_values());
}

fn read(
    expression: &Expression,
    invoke: &Invoke,
    contract: &Contract,
    is_done: bool,
    found: &mut BTreeMap<(Span, String), Problem>,
) {
    for read in expression.reads_of("event", None).reads {
        let wrong = match read.path.as_slice() {
            ["output", rest @ ..] if is_done => not_there("event.output", &contract.output, rest),
            ["error", name, ..] if !is_done => {
                let known: Vec<&str> = ERROR_FIELDS.into_iter().chain(contract.errors.columns()).collect();
                let hint = did_you_mean(name, known.iter().copied())
                    .unwrap_or_else(|| format!("it has `{}`", known.join("`, `")));
                (!known.contains(name)).then(|| (format!("event.error.{name}"), Some(hint)))
            }
            _ => None,
        };
        let Some((shown, hint)) = wrong else { continue };
        let span = read.asked.span.unwrap_or_else(|| expression.span());
        let message = format!("`{shown}` is not in the contract `{}` of the call `{}`", contract.id, invoke.id);
        let problem = Problem::error("contract", span, message).maybe_hint(hint);
        found.entry((span.clone(), shown)).or_insert(problem);
    }
}

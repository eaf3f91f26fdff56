//! Views beside the steps that show them: what their buttons send, where they lead, what they read of partners' answers;
//! and what a flow reads of the events that people send.

use super::desugar::Builder;
use super::{Face, Invoke, Step};
use crate::contract::not_there;
use crate::fields::unknown;
use crate::source::Span;
use crate::view::View;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::{ANY_KEY, Shape};
use engine_statechart::flow::Work;
use engine_statechart::{Machine, Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};

/// Problems by their place, each once.
type ProblemsByPlace = BTreeMap<(Span, String), Problem>;

pub fn check(machine: &Machine, builder: &mut Builder<'_>) {
    let mut problems = Vec::new();
    let mut shown: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
    for step in builder.steps.values() {
        for view in step.all_faces().filter_map(|face| face.view.as_ref()) {
            let steps = shown.entry(view).or_default();
            if steps.last().is_none_or(|last| last.node != step.node) {
                steps.push(step);
            }
        }
    }
    let nodes: BTreeSet<&str> = machine.nodes().map(|node| node.id).collect();
    let mut found = ProblemsByPlace::new();
    for (id, steps) in shown {
        let Some(view) = builder.library.views.get(id) else { continue };
        events(view, &steps, &mut problems);
        for (step, at) in view.named("step").filter(|(step, _)| !nodes.contains(step)) {
            problems.push(unknown("step", at, step, builder.steps.keys().map(String::as_str)));
        }
        for step in steps {
            answers(view, step, builder, &mut found);
        }
    }
    check_event_data(machine, builder, &mut found);
    builder.problems.extend(problems);
    builder.problems.extend(found.into_values());
}

/// What the buttons of a view send some step that shows it accepts.
fn events(view: &View, steps: &[&Step], problems: &mut Vec<Problem>) {
    let accepted: BTreeSet<&str> = steps
        .iter()
        .flat_map(|step| step.accepts.keys().map(String::as_str))
        .chain(["submit", "back", "save"])
        .collect();
    for (event, at) in view.named("event").filter(|(event, _)| !accepted.contains(event)) {
        let problem = unknown("event", at, event, accepted.iter().copied());
        let message = format!("{}: no step that shows this view accepts it", problem.message);
        problems.push(Problem { message, ..problem });
    }
    for (event, keys) in view.button_events() {
        let Some(known) = event_keys(steps.iter().copied(), event) else { continue };
        for key in keys.iter().filter(|key| !known.contains(key.name.as_str())) {
            problems.push(not_brought(event, &key.name, &key.span, &known));
        }
    }
}

/// `event.data.x` where a flow takes what people send.
fn check_event_data(machine: &Machine, builder: &Builder<'_>, found: &mut ProblemsByPlace) {
    for candidate in machine.nodes().flat_map(|node| machine.candidates(node.order)).flatten() {
        let Some(known) = event_keys(builder.steps.values(), candidate.event) else { continue };
        let work = candidate.work.iter().map(|work| match work {
            Work::Read(expression) | Work::Assign { value: expression, .. } => *expression,
        });
        for expression in candidate.guard.into_iter().chain(work) {
            for read in expression.reads_of("event", None).reads {
                let ["data", name, ..] = read.path.as_slice() else { continue };
                if *name != ANY_KEY && !known.contains(name) {
                    let span = read.asked.by.unwrap_or_else(|| expression.span());
                    let problem = not_brought(candidate.event, name, span, &known);
                    found.entry((span.clone(), (*name).to_owned())).or_insert(problem);
                }
            }
        }
    }
}

/// The keys that an event may bring, by the steps that accept it; `None` when none does.
fn event_keys<'s>(steps: impl Iterator<Item = &'s Step>, event: &str) -> Option<BTreeSet<&'s str>> {
    let accepted: Vec<_> = steps.filter_map(|step| step.accepts.get(event)).collect();
    let keys = accepted.iter().filter_map(|accept| accept.schema["properties"].as_object()).flatten();
    (!accepted.is_empty()).then(|| keys.map(|(key, _)| key.as_str()).collect())
}

fn not_brought(event: &str, name: &str, span: &Span, known: &BTreeSet<&str>) -> Problem {
    let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
        format!("`accepts` of the step says what it brings: `{event}: {{{name}: {{type: string}}}}`")
    });
    Problem::error("unknown-key", span, format!("`{event}` brings no `{name}`")).hint(hint)
}

/// What a view reads below `data` of the answers to a call stands in the call's contract.
fn answers(view: &View, step: &Step, builder: &Builder<'_>, found: &mut ProblemsByPlace) {
    let names = step.all_faces().find(|face| face.view.as_ref() == Some(&view.id)).and_then(Face::view_names);
    for expression in view.expressions() {
        for read in expression.reads_of("data", names).reads {
            let Some((name, rest)) = read.path.split_first() else { continue };
            let Some(whole) = step.data.get(*name).and_then(context_place) else { continue };
            let whole: Vec<&str> = whole.into_iter().chain(rest.iter().copied()).collect();
            for invoke in builder.invokes.values() {
                let Some((shown, hint, contract)) = missing_output(invoke, builder, &whole) else { continue };
                let span = read.asked.span.unwrap_or_else(|| expression.span());
                let message = format!("`{shown}` is not in the contract `{contract}` of the call `{}`", invoke.id);
                let problem = Problem::error("contract", span, message).maybe_hint(hint);
                found.entry((span.clone(), shown)).or_insert(problem);
            }
        }
    }
}

/// The place of the context that a name of `data` is.
fn context_place(data: &Expression) -> Option<Vec<&str>> {
    if let Shape::Copy(path) = data.shape() { Some(path) } else { None }
}

type Unanswered<'b> = (String, Option<String>, &'b str);

/// A path of the context that lies in what a call fills, and that its contract does not give.
fn missing_output<'b>(invoke: &'b Invoke, builder: &'b Builder<'_>, path: &[&str]) -> Option<Unanswered<'b>> {
    let contract = builder.contracts.get(invoke.contract.as_deref()?)?;
    let into: Vec<&str> = invoke.into.as_deref().filter(|_| invoke.each)?.split('.').collect();
    let ["previous" | "output", rest @ ..] = path.strip_prefix(into.as_slice())?.get(1..)? else { return None };
    let (shown, hint) = not_there("output", &contract.output, rest)?;
    Some((shown, hint, &contract.id))
}

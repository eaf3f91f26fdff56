//! What a workflow sends to partners and reads of their answers, held against the contracts of its calls.

use super::Invoke;
use super::desugar::Builder;
use crate::contract::{Contract, ERROR_FIELDS, not_there};
use crate::host::shared_vocabulary;
use crate::layout::{FileKind, kind_of};
use crate::policy::FLOOR;
use crate::shape::{Given, Shape};
use crate::source::{Node, Span, Value};
use engine_statechart::expression::Expression;
use engine_statechart::flow::Work;
use engine_statechart::{Machine, Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a call gives, held against what its contract takes.
pub struct CallInput {
    contract: Option<Arc<Contract>>,
    input: Node,
}

impl Builder<'_> {
    /// Notes what a call gives; without a contract it is a question of the runtime itself.
    pub fn note_asked(&mut self, contract: Option<&Arc<Contract>>, input: Option<&Node>) {
        let asked = input.map(|input| CallInput { contract: contract.cloned(), input: input.clone() });
        self.asked.extend(asked);
    }

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
            if candidate.event.starts_with(failed) {
                candidate.guard.iter().for_each(|guard| never(guard, contract, &mut found));
            }
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

/// A guard that asks for a word that no row of the contract's errors has.
fn never(guard: &Expression, contract: &Contract, found: &mut BTreeMap<(Span, String), Problem>) {
    for equal in guard.equalities_of("event") {
        let ["error", column] = equal.path.as_slice() else { continue };
        let known: BTreeSet<&str> = contract.errors.texts(column).filter(|text| !text.is_empty()).collect();
        // a part asks for what the contract of its host may have
        let is_of_part = matches!(kind_of(&guard.span().file), Some(FileKind::Part(_)));
        if is_of_part || known.is_empty() || known.contains(equal.text) {
            continue;
        }
        let message = format!("no error of the contract `{}` has the {column} `{}`", contract.id, equal.text);
        let hint = did_you_mean(equal.text, known.iter().copied());
        let hint = hint.unwrap_or_else(|| known.into_iter().collect::<Vec<_>>().join(", "));
        found
            .entry((guard.span().clone(), message.clone()))
            .or_insert_with(|| Problem::error("never", guard.span(), message).hint(hint));
    }
}

/// Secrets and personal answers go only where a contract marks that it takes them.
pub fn check_marks(machine: &Machine, builder: &mut Builder<'_>) {
    if !builder.library.is_whole {
        return; // what a form that cannot be read says of its fields is not known
    }
    let known = Marked::read(builder);
    let mut problems = Vec::new();
    let code = Shape::secret();
    for CallInput { contract, input } in std::mem::take(&mut builder.asked) {
        match contract {
            Some(contract) => known.check(&contract.input, &input, "", &mut problems),
            None => {
                let own = input.map().iter().map(|(key, value)| (key.name.as_str(), value));
                let (codes, others): (Vec<_>, Vec<_>) = own.partition(|(name, _)| *name == "code");
                codes.iter().for_each(|(name, value)| known.check(&code, value, name, &mut problems));
                others.iter().for_each(|(name, value)| known.check_secrets(None, value, name, &mut problems));
            }
        }
    }
    let mut given: BTreeSet<&Span> = BTreeSet::new();
    given.extend(builder.given.iter());
    for at in 0..machine.nodes().count() {
        let candidates = machine.candidates(at).into_iter().flatten();
        let (mut guards, mut works) = (Vec::new(), machine.entry_work(at, true));
        for candidate in candidates {
            guards.extend(candidate.guard);
            works.extend(candidate.work);
        }
        works.extend(machine.exit_work(at));
        let read = works.iter().map(|work| match work {
            Work::Read(expression) | Work::Assign { value: expression, .. } => *expression,
        });
        for expression in guards.into_iter().chain(read).filter(|expression| !given.contains(expression.span())) {
            if let Some(name) = secrets_in(expression).next() {
                let message = format!("`event.secret.{name}` goes to a call alone, and nowhere else");
                let problem = Problem::error(FLOOR, expression.span(), message);
                problems.push(problem.hint("in the `input` of a call whose contract marks it `x-secret`"));
            }
        }
    }
    builder.problems.append(&mut problems);
}

fn secrets_in(expression: &Expression) -> impl Iterator<Item = String> {
    let reads = expression.reads_of("event", None).reads.into_iter();
    let name = |path: &[&str]| path.get(1).map_or_else(|| "*".to_owned(), |name| (*name).to_owned());
    reads.filter(|read| read.path.first() == Some(&"secret")).map(move |read| name(&read.path))
}

/// What the forms of a flow say of its answers.
struct Marked {
    /// Place in the context → kind of personal data.
    personal: Vec<(Vec<String>, String)>,
    /// Fields that nobody reads again.
    secrets: BTreeSet<String>,
}

impl Marked {
    fn read(builder: &Builder<'_>) -> Marked {
        let mut marked = Marked { personal: Vec::new(), secrets: BTreeSet::new() };
        for step in builder.steps.values() {
            let Some(form) = step.form.as_ref().and_then(|form| builder.library.forms.get(form)) else { continue };
            marked.secrets.extend(form.secrets().iter().cloned());
            let Some(into) = &step.into else { continue };
            for (field, kind) in form.personal() {
                let place = into.split('.').chain([field]).map(str::to_owned).collect();
                marked.personal.push((place, kind.to_owned()));
            }
        }
        marked
    }

    /// The kinds of personal data that a place of the context holds, or what is in it.
    fn kinds(&self, path: &[&str]) -> impl Iterator<Item = &str> {
        let holds = move |place: &[String]| place.iter().zip(path).all(|(one, other)| one == other);
        self.personal.iter().filter(move |(place, _)| holds(place)).map(|(_, kind)| kind.as_str())
    }

    fn check(&self, shape: &Shape, node: &Node, at: &str, problems: &mut Vec<Problem>) {
        let below = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        match &node.value {
            Value::String(_) => {
                self.check_secrets(Some(shape), node, at, problems);
                self.check_personal(shape, node, at, problems);
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    let inner = shape.properties().find(|(name, _)| *name == key.name).map(|(_, shape)| shape);
                    self.check(inner.unwrap_or(shape), value, &below(&key.name), problems);
                }
            }
            Value::List(items) => {
                items.iter().for_each(|item| self.check(shape.item().unwrap_or(shape), item, at, problems));
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {}
        }
    }

    fn check_secrets(&self, shape: Option<&Shape>, node: &Node, at: &str, problems: &mut Vec<Problem>) {
        let Some(expression) = Expression::read(node, shared_vocabulary(), &["item"], &mut Vec::new()) else { return };
        for name in secrets_in(&expression) {
            let problem = if !self.secrets.contains(&name) {
                let message = format!("`event.secret.{name}`: no form of this flow has a secret field `{name}`");
                Problem::error(FLOOR, &node.span, message).hint("\"x-secret\": true in the form")
            } else if !shape.is_some_and(Shape::is_secret) {
                let message = format!("`{at}` does not take what nobody reads again: `event.secret.{name}`");
                Problem::error(FLOOR, &node.span, message).hint("x-secret: true in the contract, where it needs it")
            } else {
                continue;
            };
            problems.push(problem);
        }
    }

    fn check_personal(&self, shape: &Shape, node: &Node, at: &str, problems: &mut Vec<Problem>) {
        let Some(expression) = Expression::read(node, shared_vocabulary(), &["item"], &mut Vec::new()) else { return };
        let taken = shape.personal();
        let reads = expression.reads_of("context", None).reads;
        let kinds: BTreeSet<&str> = reads.iter().flat_map(|read| self.kinds(&read.path)).collect();
        if let Some(kind) = kinds.into_iter().find(|kind| !taken.contains(kind)) {
            let what = if at.is_empty() { "it".to_owned() } else { format!("`{at}`") };
            let message = format!("{what} is not said to take personal data: `{kind}`");
            problems.push(Problem::error(FLOOR, &node.span, message).hint(format!("x-pii: {kind} in the contract")));
        }
    }
}

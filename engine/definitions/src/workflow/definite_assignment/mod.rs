//! What an expression reads of the context must have been defined on some way that leads
//! there, for certain, or be asked for with `has()` or `get()`; and it is compared with its own kind.
//!
//! The ways of the machine are followed from its start, joining by the better: a place counts as there
//! when one way defines it. So nothing that can work is refused; what is missed stands in
//! workflows/FORMAT.md. Machines with parallel regions are checked for names and kinds only.

mod answers;
mod dataflow;
mod report;

use super::Step;
use super::desugar::Builder;
use super::locations::{ABSENT, Change, FlowState, Ix, Locations};
pub use answers::of_step;
use answers::{Shown, answers, required_fields};
use engine_statechart::expression::reads::{Equal, Reads};
use engine_statechart::expression::{Expression, Names};
use engine_statechart::flow::{Candidate, Successor, Work};
use engine_statechart::{Machine, NodeKind, Problem};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Position in `expressions`.
type Ex = usize;

enum Op {
    Read(Ex),
    Do(Change),
}

/// The candidates of a node for one event.
struct List<'m> {
    event: &'m str,
    /// Position of the event among all.
    number: usize,
    /// Taken when the state above is done: by its last leaves alone.
    is_done: bool,
    /// Whether nothing further up hears of the event.
    is_answer: bool,
    candidates: Vec<Follow<'m>>,
}

/// A candidate of a node, ready to be followed.
struct Follow<'m> {
    guard: Vec<Ex>,
    granted: Vec<Ix>,
    denied: Vec<Ix>,
    equal: Vec<Equal<'m>>,
    /// Fields that must have been filled where it is taken, others being what its guard says.
    filled: Vec<Ix>,
    work: Vec<Op>,
    successor: Successor,
}

struct Node<'m> {
    lists: Vec<List<'m>>,
    entry: Vec<Op>,
    initial: Vec<Op>,
    exit: Vec<Op>,
    reads: Vec<Ex>,
    is_leaf: bool,
    is_final: bool,
}

struct Check<'m> {
    machine: &'m Machine,
    /// Every expression with what it reads.
    expressions: Vec<(&'m Expression, Reads<'m>)>,
    places: Locations,
    nodes: Vec<Node<'m>>,
    /// State → what the answers of its step do.
    answers: BTreeMap<usize, Change>,
    /// Every event that something waits for, with its number.
    events: HashMap<&'m str, usize>,
    /// Event of a call's success → what its output does.
    outputs: HashMap<String, Change>,
    steps: BTreeMap<usize, &'m Step>,
    /// State → expressions of its step and its form.
    of_steps: BTreeMap<usize, Vec<Ex>>,
    /// Fields that are asked, and must be filled, when these others have one of these values.
    shown: BTreeMap<Ix, Vec<Shown>>,
    ever: FlowState,
    /// First keys of what is assigned after the start.
    assigned: BTreeSet<String>,
}

/// What a flow reads and defines of its context.
pub struct Defined {
    pub problems: Vec<Problem>,
    /// Keys of the context that something defines.
    pub keys: BTreeSet<String>,
    /// Keys that something reads, or writes later on; `None`: something takes the context as a whole.
    pub used: Option<BTreeSet<String>>,
}

/// Every way is followed unless the files were checked before: then nothing but the keys is asked for.
pub fn check<'m>(machine: &'m Machine, builder: &'m Builder<'_>) -> Defined {
    let order: BTreeMap<&str, usize> = machine.nodes().map(|n| (n.id, n.order)).collect();
    let steps: BTreeMap<usize, &Step> =
        builder.steps.values().filter_map(|s| Some((*order.get(s.node.as_str())?, s))).collect();
    let mut check = Check {
        machine,
        expressions: Vec::new(),
        places: Locations::new(),
        nodes: Vec::new(),
        answers: BTreeMap::new(),
        events: HashMap::new(),
        outputs: HashMap::new(),
        steps,
        of_steps: BTreeMap::new(),
        shown: BTreeMap::new(),
        ever: FlowState::default(),
        assigned: BTreeSet::new(),
    };
    check.nodes = machine.nodes().map(|n| check.node(n.order, n.kind)).collect();
    for invoke in builder.invokes.values() {
        check.output(invoke, &order, builder);
    }
    for (at, step) in check.steps.clone() {
        let Some((form, into)) =
            step.form.as_ref().and_then(|f| builder.library.forms.get(f)).zip(step.into.as_deref())
        else {
            continue;
        };
        let answers = answers(&mut check.places, form, into);
        check.answers.insert(at, answers);
        for (field, shown) in required_fields(&mut check.places, form, into) {
            check.shown.entry(field).or_default().push(shown);
        }
    }
    for (at, step) in check.steps.clone() {
        let form = step.form.as_ref().and_then(|f| builder.library.forms.get(f)).map(|f| &**f);
        let names = step.names.as_deref();
        let list = of_step(step, form).into_iter().map(|e| check.note(e, names)).collect();
        check.of_steps.insert(at, list);
    }
    check.gather();
    check.fill_in();
    let is_parallel = machine.nodes().any(|n| n.kind == NodeKind::Parallel);
    let was_checked = builder.library.was_checked;
    let states = if is_parallel || was_checked { Vec::new() } else { check.follow() };
    let defined = check.places.children(0).filter(|(_, ix)| check.ever.level.get(*ix) > ABSENT);
    let keys = defined.map(|(key, _)| key.to_owned()).collect();
    let written = builder.invokes.values().filter_map(|invoke| invoke.into.as_deref());
    let written = written.chain(check.steps.values().filter_map(|step| step.into.as_deref()));
    let written = written.filter_map(|into| into.split('.').next().map(str::to_owned));
    let used = check.read_keys().map(|read| read.into_iter().chain(written).collect());
    let problems = if was_checked { Vec::new() } else { check.report(&states) };
    Defined { problems, keys, used }
}

impl<'m> Check<'m> {
    /// Keeps an expression; every place that it reads is known from now on.
    fn note(&mut self, expression: &'m Expression, late: Option<&'m Names>) -> Ex {
        let reads = expression.reads(late);
        let paths = reads.reads.iter().map(|r| &r.path).chain(reads.comparisons.iter().map(|c| &c.path));
        for path in paths {
            self.places.at(path.iter().copied());
        }
        self.expressions.push((expression, reads));
        self.expressions.len() - 1
    }

    fn node(&mut self, at: usize, kind: NodeKind) -> Node<'m> {
        let machine = self.machine;
        let lists = machine.candidates(at).into_iter().filter_map(|list| self.list(list)).collect();
        let entry = machine.entry_work(at, false);
        let initial = machine.entry_work(at, true).split_off(entry.len());
        let reads = machine.expressions_of(at).into_iter().map(|e| self.note(e, None)).collect();
        Node {
            lists,
            entry: self.ops(entry),
            initial: self.ops(initial),
            exit: self.ops(machine.exit_work(at)),
            reads,
            is_leaf: matches!(kind, NodeKind::Atomic | NodeKind::Final),
            is_final: kind == NodeKind::Final,
        }
    }

    /// `None` for a list without candidates.
    fn list(&mut self, list: Vec<Candidate<'m>>) -> Option<List<'m>> {
        let event = list.first()?.event;
        let next = self.events.len();
        let number = *self.events.entry(event).or_insert(next);
        let is_answer = !event.is_empty() && list.iter().any(|candidate| candidate.guard.is_empty());
        let is_done = event.starts_with("xstate.done.state.");
        let candidates = list.into_iter().map(|candidate| self.candidate(candidate)).collect();
        Some(List { event, number, is_done, is_answer, candidates })
    }

    fn candidate(&mut self, c: Candidate<'m>) -> Follow<'m> {
        let guard = c.guard.into_iter().map(|e| self.note(e, None)).collect();
        let mut paths = |list: Vec<Vec<&str>>| list.into_iter().flat_map(|p| self.prefixes(&p)).collect();
        let (granted, denied) = (paths(c.granted), paths(c.denied));
        Follow {
            guard,
            granted,
            denied,
            equal: c.equal,
            filled: Vec::new(),
            work: self.ops(c.work),
            successor: c.successor,
        }
    }

    /// A path that is there has all that leads to it.
    fn prefixes(&mut self, path: &[&str]) -> Vec<Ix> {
        let mut at = 0;
        path.iter()
            .map(|key| {
                at = self.places.below(at, key);
                at
            })
            .collect()
    }

    fn ops(&mut self, work: Vec<Work<'m>>) -> Vec<Op> {
        work.into_iter()
            .flat_map(|work| match work {
                Work::Read(expression) => vec![Op::Read(self.note(expression, None))],
                Work::Assign { path, value, .. } => {
                    let own: Vec<&str> = path.iter().map(String::as_str).collect();
                    self.assigned.extend(path.first().cloned());
                    let at = self.places.at(own.iter().copied());
                    let value = self.places.value(at, Some(&own), &value.shape());
                    // Maps above a dotted key are made where they are missing.
                    vec![
                        Op::Do(Change::Within(self.prefixes(own.split_last().map_or(&[][..], |(_, above)| above)))),
                        Op::Do(Change::Set(at, value)),
                    ]
                }
            })
            .collect()
    }

    /// First keys of what is read, or assigned after the start; `None` when something reads the whole context.
    fn read_keys(&self) -> Option<BTreeSet<String>> {
        let reads = self.expressions.iter().flat_map(|(_, reads)| {
            let compared = reads.comparisons.iter().map(|comparison| &comparison.path);
            reads.reads.iter().map(|read| &read.path).chain(compared)
        });
        let read = reads.map(|path| path.first().map(|key| (*key).to_owned()));
        read.chain(self.assigned.iter().cloned().map(Some)).collect()
    }

    fn initial(&mut self) -> Vec<Change> {
        let context = self.machine.initial_context();
        context
            .iter()
            .map(|(key, value)| {
                let at = self.places.below(0, key);
                Change::Set(at, self.places.literal(at, value))
            })
            .collect()
    }

    /// Which fields are filled where a candidate is taken, now that all places are known.
    fn fill_in(&mut self) {
        let mut nodes = std::mem::take(&mut self.nodes);
        for candidate in nodes.iter_mut().flat_map(|node| &mut node.lists).flat_map(|list| &mut list.candidates) {
            let fields = self.shown.keys().filter(|field| self.is_shown(**field, &candidate.equal));
            candidate.filled = fields.copied().collect();
        }
        self.nodes = nodes;
    }

    /// Everything that anything ever defines.
    fn gather(&mut self) {
        let initial = self.initial();
        let mut ever = FlowState::new(&self.places, true);
        let works = self.nodes.iter().flat_map(|n| {
            n.entry
                .iter()
                .chain(&n.initial)
                .chain(&n.exit)
                .chain(n.lists.iter().flat_map(|list| &list.candidates).flat_map(|f| &f.work))
        });
        let done = works.filter_map(|op| if let Op::Do(change) = op { Some(change) } else { None });
        for change in initial.iter().chain(done).chain(self.answers.values()).chain(self.outputs.values()) {
            ever.apply(&self.places, change, true);
        }
        self.ever = ever;
    }
}

//! Rule 9: what an expression reads of the context must have been defined on some way that leads
//! there, for certain, or be asked for with `has()` or `get()`; and it is compared with its own kind.
//!
//! The ways of the machine are followed from its start, joining by the better: a place counts as there
//! when one way defines it. So nothing that can work is refused; what is missed stands in
//! workflows/README.md. Machines with parallel regions are checked for names and kinds only.

use super::desugar::Builder;
use super::places::{ALL_KINDS, Change, Ix, Kinds, Known, OPTIONAL, Places, THERE, bit, kind_of};
use super::{Invoke, Step};
use crate::form::Form;
use crate::source::Span;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::{ANY_KEY, Equal, Kind, Read};
use engine_statechart::flow::{Assigned, Candidate, Way, Work};
use engine_statechart::{Machine, NodeKind, Problem, did_you_mean};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fields of a row of `each`.
const ROW: [(&str, &[Kind]); 8] = [
    ("state", &[Kind::Text]),
    ("output", &[]),
    ("error", &[]),
    ("late", &[Kind::Bool]),
    ("asked_at", &[Kind::Text]),
    ("answered_at", &[Kind::Text]),
    ("previous", &[]),
    ("run", &[]),
];

enum Op<'m> {
    Read(&'m Expression),
    Do(Change),
}

/// A candidate of a node, ready to be followed.
struct Follow<'m> {
    event: &'m str,
    guard: Vec<&'m Expression>,
    granted: Vec<Ix>,
    denied: Vec<Ix>,
    equal: Vec<Equal<'m>>,
    work: Vec<Op<'m>>,
    way: Way,
}

struct Node<'m> {
    lists: Vec<Vec<Follow<'m>>>,
    entry: Vec<Op<'m>>,
    initial: Vec<Op<'m>>,
    exit: Vec<Op<'m>>,
    reads: Vec<&'m Expression>,
    is_leaf: bool,
    is_final: bool,
}

struct Check<'m, 'b> {
    machine: &'m Machine,
    places: Places,
    nodes: Vec<Node<'m>>,
    /// By state: what the answers of its step do.
    answers: BTreeMap<usize, Change>,
    /// By event of a call's success: what its output does.
    outputs: BTreeMap<String, Change>,
    steps: BTreeMap<usize, &'b Step>,
    /// Fields that are asked, and must be filled, when these others have one of these values.
    shown: BTreeMap<Ix, Vec<Shown>>,
    ever: Known,
    problems: BTreeMap<(Span, String), Problem>,
}

/// `ui:show` of a required field: places of the other fields with the texts that show it.
type Shown = Vec<(Ix, Vec<String>)>;

pub fn check(machine: &Machine, builder: &Builder<'_>) -> Vec<Problem> {
    let order: BTreeMap<&str, usize> = machine.nodes().map(|n| (n.id, n.order)).collect();
    let steps: BTreeMap<usize, &Step> = builder.steps.values().filter_map(|s| Some((*order.get(s.node.as_str())?, s))).collect();
    let mut check = Check {
        machine,
        places: Places::new(),
        nodes: Vec::new(),
        answers: BTreeMap::new(),
        outputs: BTreeMap::new(),
        steps,
        shown: BTreeMap::new(),
        ever: Known::default(),
        problems: BTreeMap::new(),
    };
    check.nodes = machine.nodes().map(|n| check.node(n.order, n.kind)).collect();
    for invoke in builder.invokes.values() {
        check.output(invoke, &order, builder);
    }
    for (at, step) in check.steps.clone() {
        let Some((form, into)) = step.form.as_ref().and_then(|f| builder.library.forms.get(f)).zip(step.into.as_deref()) else { continue };
        let answers = answers(&mut check.places, form, into);
        check.answers.insert(at, answers);
        for (field, shown) in shown(&mut check.places, form, into) {
            check.shown.entry(field).or_default().push(shown);
        }
    }
    let forms: Vec<(usize, Vec<&Expression>)> =
        check.steps.iter().map(|(at, step)| (*at, of_step(step, step.form.as_ref().and_then(|f| builder.library.forms.get(f)).map(|f| &**f)))).collect();
    for expression in forms.iter().flat_map(|(_, list)| list) {
        note(&mut check.places, expression);
    }
    check.gather();
    let is_parallel = machine.nodes().any(|n| n.kind == NodeKind::Parallel);
    let ways = if is_parallel { Vec::new() } else { check.follow() };
    check.report(&ways, &forms);
    check.problems.into_values().collect()
}

/// Every place that an expression reads.
fn note(places: &mut Places, expression: &Expression) {
    let reads = expression.reads();
    for read in &reads.reads {
        places.at(read.path.iter().copied());
    }
    for comparison in &reads.comparisons {
        places.at(comparison.path.iter().copied());
    }
}

fn of_step<'s>(step: &'s Step, form: Option<&'s Form>) -> Vec<&'s Expression> {
    let mut found: Vec<&Expression> = step.data.values().flat_map(|m| m.expressions()).collect();
    found.extend(step.prefill.iter().flat_map(|m| m.expressions()));
    found.extend(&step.depends);
    found.extend(&step.satisfied);
    if let Some(redirect) = &step.redirect {
        found.push(&redirect.url);
        found.extend(redirect.fields.expressions());
    }
    found.extend(form.into_iter().flat_map(|f| f.cels.values()));
    found
}

/// Answers replace what the form asks: required fields are there, others perhaps.
fn answers(places: &mut Places, form: &Form, into: &str) -> Change {
    let at = places.at(into.split('.'));
    let schema = form.tree.get("schema");
    let required: BTreeSet<&str> = schema.and_then(|s| s.get("required")).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let is_shown = |name: &str| form.tree.get("ui").and_then(|ui| ui.get(name)).and_then(|f| f.get("ui:show")).is_none();
    let mut fields: BTreeMap<&str, (u8, Kinds)> = BTreeMap::new();
    let own = schema.into_iter().flat_map(crate::form::properties).map(|(name, rule)| (name, rule, required.contains(name.as_str()) && is_shown(name)));
    let merged = form.variants.iter().filter_map(|v| v.merge.get("schema")).flat_map(crate::form::properties).filter(|(_, r)| !r.is_null());
    for (name, rule, is_there) in own.chain(merged.map(|(name, rule)| (name, rule, false))) {
        if rule.get("x-secret").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let entry = fields.entry(name).or_insert((OPTIONAL, 0));
        entry.0 = entry.0.max(if is_there { THERE } else { OPTIONAL });
        entry.1 |= kinds(rule);
    }
    Change::Answers(at, fields.into_iter().map(|(name, (level, kinds))| (places.below(at, name), level, kinds)).collect())
}

/// Required fields that `ui:show` asks for when other fields have a text.
fn shown(places: &mut Places, form: &Form, into: &str) -> Vec<(Ix, Shown)> {
    let at = places.at(into.split('.'));
    let required = form.tree.get("schema").and_then(|s| s.get("required")).and_then(Value::as_array);
    let mut found = Vec::new();
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let show = form.tree.get("ui").and_then(|ui| ui.get(name)).and_then(|f| f.get("ui:show")).and_then(Value::as_object);
        let Some(show) = show else { continue };
        let texts = |wanted: &Value| match wanted {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(list) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        let each: Option<Shown> = show.iter().map(|(other, wanted)| Some((places.below(at, other), texts(wanted)?))).collect();
        let field = places.below(at, name);
        found.extend(each.map(|shown| (field, shown)));
    }
    found
}

/// Kinds that a schema lets through.
fn kinds(rule: &Value) -> Kinds {
    let named = |name: &str| match name {
        "string" => bit(Kind::Text),
        "integer" | "number" => bit(Kind::Number),
        "boolean" => bit(Kind::Bool),
        "array" => bit(Kind::List),
        "object" => bit(Kind::Map),
        "null" => bit(Kind::Null),
        _ => ALL_KINDS,
    };
    match rule.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(named).fold(0, |a, b| a | b),
        _ => match rule.get("enum") {
            Some(Value::Array(values)) => values.iter().map(|v| bit(kind_of(v))).fold(0, |a, b| a | b),
            _ => ALL_KINDS,
        },
    }
}

impl<'m> Check<'m, '_> {
    fn node(&mut self, at: usize, kind: NodeKind) -> Node<'m> {
        let machine = self.machine;
        let lists = machine.candidates(at).into_iter().map(|list| list.into_iter().map(|c| self.candidate(c)).collect()).collect();
        let entry = machine.entry_work(at, false);
        let initial = machine.entry_work(at, true).split_off(entry.len());
        let reads = machine.expressions_of(at);
        reads.iter().for_each(|e| note(&mut self.places, e));
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

    fn candidate(&mut self, c: Candidate<'m>) -> Follow<'m> {
        c.guard.iter().for_each(|e| note(&mut self.places, e));
        let mut paths = |list: Vec<Vec<&str>>| list.into_iter().flat_map(|p| self.prefixes(&p)).collect();
        let (granted, denied) = (paths(c.granted), paths(c.denied));
        Follow { event: c.event, guard: c.guard, granted, denied, equal: c.equal, work: self.ops(c.work), way: c.way }
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

    fn ops(&mut self, work: Vec<Work<'m>>) -> Vec<Op<'m>> {
        work.into_iter()
            .flat_map(|work| match work {
                Work::Read(expression) => {
                    note(&mut self.places, expression);
                    vec![Op::Read(expression)]
                }
                Work::Assign { path, value, .. } => {
                    let own: Vec<&str> = path.iter().map(String::as_str).collect();
                    let at = self.places.at(own.iter().copied());
                    let value = match value {
                        Assigned::Literal(value) => self.places.literal(at, value),
                        Assigned::Expression(expression) => self.places.value(at, Some(&own), &expression.shape()),
                    };
                    // Maps above a dotted key are made where they are missing.
                    vec![Op::Do(Change::Within(self.prefixes(own.split_last().map_or(&[][..], |(_, above)| above)))), Op::Do(Change::Set(at, value))]
                }
            })
            .collect()
    }

    /// What a call's answer puts into the context: rows while it runs, or its output when it is done.
    fn output(&mut self, invoke: &Invoke, order: &BTreeMap<&str, usize>, builder: &Builder<'_>) {
        use super::Source;
        use super::places::Put;
        let Some(into) = invoke.into.as_deref() else { return };
        let at = self.places.at(into.split('.'));
        if invoke.each {
            let row = self.places.below(at, ANY_KEY);
            let field = |(name, kinds): &(&str, &[Kind])| {
                let value = if let [kind] = kinds { Put::Plain(*kind) } else { Put::Unknown };
                (self.places.below(row, name), value)
            };
            let fields = ROW.iter().map(field).collect();
            let above: Vec<&str> = into.split('.').collect();
            let above = self.prefixes(&above);
            if let Some(node) = order.get(invoke.node.as_str()).and_then(|ix| self.nodes.get_mut(*ix)) {
                node.entry.push(Op::Do(Change::Within(above)));
                node.entry.push(Op::Do(Change::Set(row, Put::Map(fields))));
            }
            return;
        }
        let operation = match &invoke.source {
            Source::Operation { partner, operation } => builder.library.partners.get(partner).and_then(|p| p.operation(operation)),
            Source::Contract(_) | Source::System(_) => None,
        };
        let value = match operation.and_then(|o| o.output.keys()) {
            Some(keys) => Put::Map(keys.into_iter().map(|key| (self.places.below(at, key), Put::Unknown)).collect()),
            None => Put::Unknown,
        };
        let event = format!("xstate.done.actor.{}", invoke.id);
        self.outputs.insert(event, Change::Set(at, Put::Over(Box::new(Put::Same), Box::new(value))));
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

    /// Everything that anything ever defines.
    fn gather(&mut self) {
        let initial = self.initial();
        let mut ever = Known::new(&self.places, true);
        let works = self.nodes.iter().flat_map(|n| n.entry.iter().chain(&n.initial).chain(&n.exit).chain(n.lists.iter().flatten().flat_map(|f| &f.work)));
        let done = works.filter_map(|op| if let Op::Do(change) = op { Some(change) } else { None });
        for change in initial.iter().chain(done).chain(self.answers.values()).chain(self.outputs.values()) {
            ever.apply(&self.places, change, true);
        }
        self.ever = ever;
    }

    /// What is known in each leaf, `None` where nothing leads.
    fn follow(&mut self) -> Vec<Option<Known>> {
        let mut start = Known::new(&self.places, false);
        for change in self.initial() {
            start.apply(&self.places, &change, false);
        }
        let mut known: Vec<Option<Known>> = (0..self.nodes.len()).map(|_| None).collect();
        let mut entered = vec![];
        let mut at = Some(0);
        while let Some(ix) = at {
            entered.push((ix, true));
            at = self.machine.initial_child(ix);
        }
        let mut waiting: BTreeSet<usize> = BTreeSet::new();
        self.enter(&entered, start, &mut known, &mut waiting, &mut |_, _| {});
        // Levels only rise: this ends. The bound is a belt beside the braces.
        let mut rounds = self.nodes.len() * 50;
        while let Some(leaf) = waiting.pop_first() {
            rounds = rounds.saturating_sub(1);
            if rounds == 0 {
                break;
            }
            self.leave(leaf, &mut known, &mut waiting, &mut |_, _| {});
        }
        known
    }

    /// Every transition that can be taken in a leaf; `seen` gets each expression with what is known then.
    fn leave(&self, leaf: usize, known: &mut Vec<Option<Known>>, waiting: &mut BTreeSet<usize>, seen: &mut dyn FnMut(&'m Expression, &Known)) {
        let Some(here) = known[leaf].clone() else { return };
        let mut answered: BTreeSet<&str> = BTreeSet::new();
        let mut node = Some(leaf);
        while let Some(ix) = node {
            for list in &self.nodes[ix].lists {
                let Some(event) = list.first().map(|c| c.event) else { continue };
                let is_done = event.strip_prefix("xstate.done.state.").is_some();
                if is_done && !self.nodes[leaf].is_final || answered.contains(event) {
                    continue;
                }
                let mut state = here.clone();
                self.happened(event, leaf, &mut state);
                for candidate in list {
                    candidate.guard.iter().for_each(|e| seen(e, &state));
                    let mut taken = state.clone();
                    candidate.granted.iter().for_each(|at| taken.level[*at] = THERE);
                    for field in self.shown.keys() {
                        if taken.level[*field] == OPTIONAL && self.is_shown(*field, &candidate.equal) {
                            taken.level[*field] = THERE;
                        }
                    }
                    candidate.denied.iter().for_each(|at| state.level[*at] = THERE);
                    self.take(leaf, candidate, taken, known, waiting, seen);
                }
            }
            for list in &self.nodes[ix].lists {
                answered.extend(list.iter().filter(|c| c.guard.is_empty() && !c.event.is_empty()).map(|c| c.event));
            }
            node = self.machine.parent(ix);
        }
    }

    fn take(
        &self,
        leaf: usize,
        candidate: &Follow<'m>,
        mut state: Known,
        known: &mut Vec<Option<Known>>,
        waiting: &mut BTreeSet<usize>,
        seen: &mut dyn FnMut(&'m Expression, &Known),
    ) {
        let mut run = |ops: &[Op<'m>], state: &mut Known| self.run(ops, state, seen);
        match &candidate.way {
            Way::Open => {
                run(&candidate.work, &mut state);
            }
            Way::Stays => {
                run(&candidate.work, &mut state);
                self.arrive(leaf, state, known, waiting);
            }
            Way::Goes { domain, entered } => {
                let mut node = Some(leaf);
                while let Some(ix) = node.filter(|ix| Some(*ix) != *domain) {
                    run(&self.nodes[ix].exit, &mut state);
                    node = self.machine.parent(ix);
                }
                run(&candidate.work, &mut state);
                self.enter(entered, state, known, waiting, seen);
            }
        }
    }

    fn enter(
        &self,
        entered: &[(usize, bool)],
        mut state: Known,
        known: &mut Vec<Option<Known>>,
        waiting: &mut BTreeSet<usize>,
        seen: &mut dyn FnMut(&'m Expression, &Known),
    ) {
        for (ix, by_default) in entered {
            let node = &self.nodes[*ix];
            self.run(&node.entry, &mut state, seen);
            if *by_default {
                self.run(&node.initial, &mut state, seen);
            }
        }
        for (ix, _) in entered.iter().filter(|(ix, _)| self.nodes[*ix].is_leaf) {
            self.arrive(*ix, state.clone(), known, waiting);
        }
    }

    fn arrive(&self, leaf: usize, state: Known, known: &mut [Option<Known>], waiting: &mut BTreeSet<usize>) {
        let changed = match &mut known[leaf] {
            Some(there) => there.join(&state),
            slot => {
                *slot = Some(state);
                true
            }
        };
        if changed {
            waiting.insert(leaf);
        }
    }

    fn run(&self, ops: &[Op<'m>], state: &mut Known, seen: &mut dyn FnMut(&'m Expression, &Known)) {
        for op in ops {
            match op {
                Op::Read(expression) => seen(expression, state),
                Op::Do(change) => state.apply(&self.places, change, false),
            }
        }
    }

    /// What the product has done before the machine hears of an event.
    fn happened(&self, event: &str, leaf: usize, state: &mut Known) {
        if let Some(change) = self.outputs.get(event) {
            state.apply(&self.places, change, false);
        }
        if event == "submit" {
            let mut node = Some(leaf);
            while let Some(ix) = node {
                if self.steps.contains_key(&ix) {
                    if let Some(change) = self.answers.get(&ix) {
                        state.apply(&self.places, change, false);
                    }
                    return;
                }
                node = self.machine.parent(ix);
            }
        }
    }

    fn report(&mut self, ways: &[Option<Known>], steps: &[(usize, Vec<&Expression>)]) {
        let mut found: BTreeMap<(Span, String), Problem> = BTreeMap::new();
        let everything = self.every_expression();
        for expression in everything.into_iter().chain(steps.iter().flat_map(|(_, list)| list.iter().copied())) {
            self.names_and_kinds(expression, &mut found);
        }
        if !ways.is_empty() {
            let mut known = ways.to_vec();
            // By expression: the best that is known at any of its moments.
            let mut best: BTreeMap<*const Expression, (&Expression, Known)> = BTreeMap::new();
            let mut see = |expression: &'m Expression, state: &Known| match best.get_mut(&std::ptr::from_ref(expression)) {
                Some((_, there)) => {
                    there.join(state);
                }
                None => {
                    best.insert(std::ptr::from_ref(expression), (expression, state.clone()));
                }
            };
            let mut waiting = BTreeSet::new();
            for leaf in 0..self.nodes.len() {
                self.leave(leaf, &mut known, &mut waiting, &mut see);
            }
            for (expression, state) in best.values() {
                self.absent(expression, state, &mut found);
            }
            for ix in 0..self.nodes.len() {
                let reads = &self.nodes[ix].reads;
                let of_step = steps.iter().find(|(at, _)| *at == ix).map_or(&[][..], |(_, list)| list.as_slice());
                if reads.is_empty() && of_step.is_empty() {
                    continue;
                }
                let mut inside = self.machine.subtree(ix).filter_map(|leaf| ways[leaf].as_ref());
                let Some(mut state) = inside.next().cloned() else { continue };
                inside.for_each(|other| {
                    state.join(other);
                });
                for expression in reads.iter().copied().chain(of_step.iter().copied()) {
                    self.absent(expression, &state, &mut found);
                }
            }
        }
        self.problems.append(&mut found);
    }

    fn every_expression(&self) -> Vec<&'m Expression> {
        let mut found = Vec::new();
        for node in &self.nodes {
            let candidates = node.lists.iter().flatten();
            found.extend(candidates.clone().flat_map(|c| c.guard.iter().copied()));
            let works = candidates.flat_map(|c| &c.work).chain(&node.entry).chain(&node.initial).chain(&node.exit);
            found.extend(works.filter_map(|op| if let Op::Read(e) = op { Some(*e) } else { None }));
            found.extend(node.reads.iter().copied());
        }
        found
    }

    fn names_and_kinds(&self, expression: &Expression, found: &mut BTreeMap<(Span, String), Problem>) {
        let reads = expression.reads();
        for read in &reads.reads {
            let mut at = 0;
            for (depth, key) in read.path.iter().enumerate() {
                let below = self.row_or(at, key);
                // Below a row that stood in for a key only the fields of rows have places.
                if below.is_none() && self.ever.kinds[at] != bit(Kind::Map) {
                    break;
                }
                if *key != ANY_KEY && below.is_none_or(|ix| self.ever.level[ix] == 0) {
                    let known = self.places.children(at).filter(|(_, ix)| self.ever.level[*ix] > 0).map(|(name, _)| name);
                    let shown = show(&read.path[..=depth]);
                    let message = format!("`{shown}` is never defined: no form, assignment or answer of a call puts it there");
                    let problem = Problem::error("never-defined", expression.span(), message).maybe_hint(did_you_mean(key, known));
                    found.insert((expression.span().clone(), shown), problem);
                    break;
                }
                let Some(below) = below else { break };
                at = below;
            }
        }
        for comparison in &reads.comparisons {
            let place = comparison.path.iter().try_fold(0, |at, key| self.places.find(at, key));
            let mut kinds = place.filter(|ix| self.ever.level[*ix] > 0).and_then(|ix| self.ever.kinds.get(ix).copied()).unwrap_or(0);
            let shown = show(&comparison.path);
            if let Some(default) = comparison.default {
                kinds |= bit(default);
            }
            let literal = bit(comparison.literal);
            let (code, message) = if comparison.is_order && comparison.literal == Kind::Null {
                ("comparison", "null has no order: it is compared with `==` or `!=` only".to_owned())
            } else if kinds == 0 || kinds == ALL_KINDS || comparison.literal == Kind::Null {
                continue;
            } else if kinds & literal == 0 {
                ("comparison", format!("`{shown}` is {}, never {}", words(kinds), words(literal)))
            } else if comparison.is_order && kinds & !literal != 0 {
                ("comparison", format!("`{shown}` may be {}: comparing it with {} fails then", words(kinds & !literal), words(literal)))
            } else {
                continue;
            };
            let problem = Problem::error(code, expression.span(), message);
            found.insert((expression.span().clone(), format!("{shown} {literal}")), problem);
        }
    }

    /// The place of a key; a key that nothing names is a row, where rows are kept.
    fn row_or(&self, at: Ix, key: &str) -> Option<Ix> {
        let own = self.places.find(at, key);
        let row = self.places.find(at, ANY_KEY).filter(|row| self.ever.level[*row] > 0);
        own.filter(|ix| self.ever.level[*ix] > 0).or(row).or(own)
    }

    /// Whether a field must have been filled, other fields being what they are.
    fn is_shown(&self, field: Ix, equal: &[Equal<'_>]) -> bool {
        let place = |e: &Equal<'_>| e.path.iter().try_fold(0, |at, key| self.places.find(at, key));
        let holds = |(other, texts): &(Ix, Vec<String>)| equal.iter().any(|e| place(e) == Some(*other) && texts.iter().any(|t| t == e.text));
        self.shown.get(&field).is_some_and(|each| each.iter().any(|shown| shown.iter().all(holds)))
    }

    /// Reads of what no way has defined for certain.
    fn absent(&self, expression: &Expression, state: &Known, found: &mut BTreeMap<(Span, String), Problem>) {
        for Read { path, known, needed, when } in &expression.reads().reads {
            let mut at = 0;
            for (depth, key) in path.iter().enumerate().take(*needed) {
                let Some(below) = self.row_or(at, key) else { break };
                at = below;
                let level = state.level[at];
                if depth < *known || level >= THERE || *key == ANY_KEY || self.ever.level[at] == 0 {
                    continue;
                }
                if level == OPTIONAL && self.is_shown(at, when) {
                    continue;
                }
                let shown = show(&path[..=depth]);
                let why = if level == OPTIONAL { "may be absent: its field need not be filled" } else { "is not defined on any way that leads here" };
                let code = if level == OPTIONAL { "maybe-absent" } else { "not-yet-defined" };
                let message = format!("`{shown}` {why}");
                let hint = format!("has({shown}) or get({}, '{key}', …)", show(&path[..depth]));
                found.entry((expression.span().clone(), shown)).or_insert_with(|| Problem::error(code, expression.span(), message).hint(hint));
                break;
            }
        }
    }
}

fn show(path: &[&str]) -> String {
    let mut shown = "context".to_owned();
    for key in path {
        if *key == ANY_KEY {
            shown.push_str("[…]");
        } else {
            shown.push('.');
            shown.push_str(key);
        }
    }
    shown
}

fn words(kinds: Kinds) -> String {
    let names = [(Kind::Null, "null"), (Kind::Bool, "a boolean"), (Kind::Number, "a number"), (Kind::Text, "a text"), (Kind::List, "a list"), (Kind::Map, "a map")];
    let each: Vec<&str> = names.iter().filter(|(k, _)| kinds & bit(*k) != 0).map(|(_, name)| *name).collect();
    each.join(" or ")
}

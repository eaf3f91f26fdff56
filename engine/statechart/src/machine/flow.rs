//! What a machine does, in order, for checks that follow its ways: candidates of each node with what
//! they read, assign, leave and enter. Running a machine does not use it.

use super::Machine;
use super::model::{Action, Delay, Domain, Guard, NodeIx, Output, Transition, TransitionIx};
use crate::expression::Expression;
use crate::expression::reads::{Equal, Knows, Path};
use crate::source::Span;
use serde_json::Value;

/// One thing that happens.
#[derive(Debug)]
pub enum Work<'m> {
    Read(&'m Expression),
    Assign { path: &'m [String], value: &'m Expression, span: &'m Span },
}

impl<'m> Work<'m> {
    fn read(self) -> Option<&'m Expression> {
        match self {
            Work::Read(expression) => Some(expression),
            Work::Assign { .. } => None,
        }
    }
}

/// A transition as it is tried.
#[derive(Debug)]
pub struct Candidate<'m> {
    /// Descriptor of the event; empty for `always`.
    pub event: &'m str,
    pub guard: Vec<&'m Expression>,
    /// Paths of the context that are there when it is taken; when it is not.
    pub granted: Vec<Path<'m>>,
    pub denied: Vec<Path<'m>>,
    /// Texts that paths equal when it is taken.
    pub equal: Vec<Equal<'m>>,
    pub work: Vec<Work<'m>>,
    pub successor: Successor,
    condition: Option<&'m Guard>,
}

impl Candidate<'_> {
    /// Whether it is taken when its turn comes, as far as what is known decides it.
    pub fn is_taken(&self, knows: &Knows<'_>) -> Option<bool> {
        self.condition.map_or(Some(true), |guard| truth(guard, knows))
    }
}

fn truth(guard: &Guard, knows: &Knows<'_>) -> Option<bool> {
    let all = |list: &[Guard], wanted: bool| {
        let each: Vec<Option<bool>> = list.iter().map(|guard| truth(guard, knows)).collect();
        let decided = each.iter().all(Option::is_some).then_some(wanted);
        if each.contains(&Some(!wanted)) { Some(!wanted) } else { decided }
    };
    match guard {
        Guard::Expression(expression) => expression.truth(knows),
        Guard::Constant(value) => Some(*value),
        Guard::And(list) => all(list, true),
        Guard::Or(list) => all(list, false),
        Guard::Not(inner) => truth(inner, knows).map(|value| !value),
    }
}

/// Nodes by their position in document order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Successor {
    /// A transition without a target.
    SameState,
    /// Everything active below `domain` (`None`: the root too) is left, then these are entered; `true`:
    /// by default, so that the initial actions run.
    Enters { domain: Option<usize>, entered: Vec<(usize, bool)> },
    /// A successor that depends on the snapshot.
    Dynamic,
}

impl Machine {
    /// Lists of candidates of a node: one list by event, in the order in which they are tried.
    pub fn candidates(&self, node: usize) -> Vec<Vec<Candidate<'_>>> {
        let Some(state) = self.nodes.get(node) else { return Vec::new() };
        let exact = state.on.iter().map(|(event, list)| (&*self.event_names[*event as usize], list));
        let wild = state.wildcards.iter().map(|(wildcard, list)| (&*wildcard.descriptor, list));
        let all = exact.chain(wild).chain([("", &state.always)]);
        all.map(|(event, list)| list.iter().map(|ix| self.candidate(event, *ix)).collect()).collect()
    }

    /// What entering a node does; its initial actions when it is entered by default.
    pub fn entry_work(&self, node: usize, by_default: bool) -> Vec<Work<'_>> {
        let Some(state) = self.nodes.get(node) else { return Vec::new() };
        let initial = if by_default { &state.initial_actions[..] } else { &[] };
        self.work(state.entry.iter().chain(initial))
    }

    fn work<'m>(&'m self, actions: impl IntoIterator<Item = &'m Action>) -> Vec<Work<'m>> {
        let mut found = Vec::new();
        for action in actions {
            match action {
                // Values of one assignment are computed before any is written.
                Action::Assign(list) => {
                    found.extend(list.iter().map(|a| Work::Read(&a.value)));
                    found.extend(list.iter().map(|a| Work::Assign { path: &a.path, value: &a.value, span: &a.span }));
                }
                Action::Raise(raise) => {
                    found.extend(raise.params.iter().map(|(_, value)| Work::Read(value)));
                    if let Some(Delay::Named(_, value)) = &raise.delay {
                        found.push(Work::Read(value));
                    }
                }
                Action::Cancel(_) => {}
                Action::Named { number, .. } => {
                    let fields = self.named.get(*number).into_iter().flatten();
                    found.extend(fields.map(|(_, value)| Work::Read(value)));
                }
            }
        }
        found
    }

    pub fn exit_work(&self, node: usize) -> Vec<Work<'_>> {
        self.nodes.get(node).map(|n| self.work(&n.exit)).unwrap_or_default()
    }

    /// Expressions that are evaluated while a node is active: inputs of calls, delays, output.
    pub fn expressions_of(&self, node: usize) -> Vec<&Expression> {
        let Some(state) = self.nodes.get(node) else { return Vec::new() };
        let mut found: Vec<&Expression> = state.invokes.iter().map(|i| &i.input).collect();
        for after in &state.after {
            if let Delay::Named(_, expression) = &after.delay {
                found.push(expression);
            }
        }
        match &state.output {
            Some(Output::Value(value)) => found.push(value),
            Some(Output::Map(entries)) => found.extend(entries.iter().map(|(_, value)| value)),
            None => {}
        }
        found
    }

    /// Every expression of the machine.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            found.extend(self.expressions_of(at));
            let actions = node.entry.iter().chain(&node.initial_actions).chain(&node.exit);
            found.extend(self.work(actions).into_iter().filter_map(Work::read));
        }
        for transition in &self.transitions {
            if let Some(guard) = &transition.guard {
                expressions(guard, &mut found);
            }
            found.extend(self.work(&transition.actions).into_iter().filter_map(Work::read));
        }
        found
    }

    /// Nodes below a node, in document order; the node itself first.
    pub fn subtree(&self, node: usize) -> std::ops::Range<usize> {
        node..self.nodes.get(node).map_or(node, |n| n.end as usize)
    }

    /// The child that a compound node enters by default.
    pub fn initial_child(&self, node: usize) -> Option<usize> {
        self.nodes.get(node)?.initial.map(|ix| ix as usize)
    }

    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes.get(node)?.parent.map(|ix| ix as usize)
    }

    pub fn initial_context(&self) -> &serde_json::Map<String, Value> {
        &self.context
    }

    fn candidate<'m>(&'m self, event: &'m str, ix: TransitionIx) -> Candidate<'m> {
        let transition = self.transition(ix);
        let mut guard = Vec::new();
        if let Some(g) = &transition.guard {
            expressions(g, &mut guard);
        }
        let implied = |value| transition.guard.as_ref().map(|g| implied_paths(g, value)).unwrap_or_default();
        let equal = transition.guard.as_ref().map(equalities).unwrap_or_default();
        Candidate {
            event,
            guard,
            granted: implied(true),
            denied: implied(false),
            equal,
            work: self.work(&transition.actions),
            successor: successor(transition),
            condition: transition.guard.as_ref(),
        }
    }
}

fn successor(transition: &Transition) -> Successor {
    match &transition.plan {
        None if transition.targets.is_empty() => Successor::SameState,
        None => Successor::Dynamic,
        Some(plan) => {
            let domain = match plan.domain {
                Domain::AboveRoot => None,
                Domain::Node(ix) => Some(ix as usize),
            };
            Successor::Enters {
                domain,
                entered: plan.entry.iter().map(|(ix, default): &(NodeIx, bool)| (*ix as usize, *default)).collect(),
            }
        }
    }
}

fn expressions<'m>(guard: &'m Guard, found: &mut Vec<&'m Expression>) {
    match guard {
        Guard::Expression(e) => found.push(e),
        Guard::Constant(_) => {}
        Guard::And(list) | Guard::Or(list) => list.iter().for_each(|g| expressions(g, found)),
        Guard::Not(inner) => expressions(inner, found),
    }
}

fn implied_paths(guard: &Guard, value: bool) -> Vec<Path<'_>> {
    match guard {
        Guard::Expression(e) => e.implies(value),
        Guard::Constant(_) => Vec::new(),
        Guard::Not(inner) => implied_paths(inner, !value),
        Guard::And(list) if value => list.iter().flat_map(|g| implied_paths(g, true)).collect(),
        Guard::Or(list) if !value => list.iter().flat_map(|g| implied_paths(g, false)).collect(),
        Guard::And(_) | Guard::Or(_) => Vec::new(),
    }
}

fn equalities(guard: &Guard) -> Vec<Equal<'_>> {
    match guard {
        Guard::Expression(e) => e.equalities(),
        Guard::And(list) => list.iter().flat_map(equalities).collect(),
        Guard::Constant(_) | Guard::Or(_) | Guard::Not(_) => Vec::new(),
    }
}

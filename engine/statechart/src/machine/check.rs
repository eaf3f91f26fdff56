//! Checks of the whole machine: what can be reached, what can be left, what can never stop.
//! These checks run beside other errors too: a broken transition leads nobody knows where, and not for sure.

use super::Machine;
use super::body::Faults;
use super::model::{Action, Guard, NodeIx, NodeKind, Transition, TransitionIx};
use crate::interpret::domain::transition_domain;
use crate::interpret::entry_set::{EntrySet, effective_targets};
use crate::machine::model::Domain;
use crate::problem::{Problem, Problems};
use crate::suggest::did_you_mean;
use std::collections::HashSet;

/// Most mistyped targets that are guessed at.
const LOST_TARGETS_MAX: usize = 20;

pub fn check(machine: &Machine, faults: &Faults, problems: &mut Problems) {
    let broken = &faults.broken;
    if !problems.has_errors() && history_loops(machine, problems) {
        return;
    }
    let reachable = reachable(machine, &faults.lost_targets);
    unreachable_states(machine, &reachable, problems);
    dead_ends(machine, broken, &reachable, problems);
    endless_always(machine, broken, &reachable, problems);
}

/// History defaults that lead back to their own history node.
fn history_loops(m: &Machine, problems: &mut Problems) -> bool {
    let nothing = |_| None;
    let mut found = false;
    for (ix, node) in m.nodes.iter().enumerate().filter(|(_, n)| n.kind == NodeKind::History) {
        let target = [ix as NodeIx];
        let looped = effective_targets(m, &target, &nothing)
            .and_then(|effective| EntrySet::new(m, &nothing).enter(&target, &effective, Domain::Node(0)));
        if looped.is_err() {
            let message = format!("the default of history state `{}` leads back to itself", node.id);
            problems.push(Problem::error("history-loop", &node.span, message));
            found = true;
        }
    }
    found
}

/// Nodes that some sequence of events may enter, whatever the guards say.
/// A state that a target which does not exist may have meant counts.
fn reachable(m: &Machine, lost_targets: &[String]) -> Vec<bool> {
    let mut search =
        Search { m, active: vec![false; m.nodes.len()], default: vec![false; m.nodes.len()], next: Vec::new() };
    search.enter(0);
    search.follow();
    for target in lost_targets.iter().take(LOST_TARGETS_MAX) {
        let word = target.rsplit(['.', '#']).next().unwrap_or(target);
        for ix in 0..m.nodes.len() {
            let node = &m.nodes[ix];
            if !search.active[ix] && did_you_mean(word, [&*node.key, &*node.id]).is_some() {
                search.enter(ix as NodeIx);
                search.follow();
            }
        }
    }
    search.active
}

struct Search<'m> {
    m: &'m Machine,
    active: Vec<bool>,
    default: Vec<bool>,
    /// Newly reachable nodes whose transitions were not followed yet.
    next: Vec<NodeIx>,
}

impl Search<'_> {
    /// Enters what the transitions of newly reachable nodes lead to, until nothing is new.
    fn follow(&mut self) {
        while let Some(ix) = self.next.pop() {
            let node = &self.m.nodes[ix as usize];
            let own = node
                .on
                .iter()
                .map(|(_, list)| list)
                .chain(node.wildcards.iter().map(|(_, list)| list))
                .chain([&node.always]);
            for transition in own.flatten() {
                self.m.transition(*transition).targets.iter().for_each(|target| self.enter(*target));
            }
        }
    }

    /// Enters a node as a target: its ancestors, and inside it by default.
    fn enter(&mut self, ix: NodeIx) {
        let m = self.m;
        let mut pending = vec![ix];
        while let Some(ix) = pending.pop() {
            if std::mem::replace(&mut self.default[ix as usize], true) {
                continue;
            }
            let node = &m.nodes[ix as usize];
            self.mark(ix);
            match node.kind {
                NodeKind::Atomic | NodeKind::Final => {}
                // Without a valid `initial` any child may be meant.
                NodeKind::Compound if node.initial.is_none() => pending.extend(&node.children),
                NodeKind::Compound => pending.extend(node.initial),
                NodeKind::Parallel => pending.extend(node.regions(&m.nodes)),
                NodeKind::History if !node.defaults.is_empty() => pending.extend(&node.defaults),
                NodeKind::History => pending.extend(node.parent),
            }
            let mut above = node.parent;
            while let Some(ancestor) = above {
                self.mark(ancestor);
                if m.nodes[ancestor as usize].kind == NodeKind::Parallel && !self.default[ancestor as usize] {
                    pending.push(ancestor);
                }
                above = m.nodes[ancestor as usize].parent;
            }
        }
    }

    fn mark(&mut self, ix: NodeIx) {
        if !std::mem::replace(&mut self.active[ix as usize], true) {
            self.next.push(ix);
        }
    }
}

/// Reports unreachable states, of nested ones only the outermost.
fn unreachable_states(m: &Machine, reachable: &[bool], problems: &mut Problems) {
    for (ix, node) in m.nodes.iter().enumerate() {
        let parent_reachable = node.parent.is_none_or(|p| reachable[p as usize]);
        if !reachable[ix] && parent_reachable && node.kind != NodeKind::History {
            let problem =
                Problem::warning("unreachable-state", &node.span, format!("state `{}` can never be entered", node.id));
            problems.push(problem.hint("no transition leads to it"));
        }
    }
}

/// Atomic states that nothing can leave, neither their own transitions nor those around them.
fn dead_ends(m: &Machine, broken: &HashSet<TransitionIx>, reachable: &[bool], problems: &mut Problems) {
    // Transitions with a target, counted up to each node.
    let mut leaving = vec![0usize; m.nodes.len() + 1];
    for (_, transition) in m
        .transitions
        .iter()
        .enumerate()
        .filter(|(ix, t)| !t.targets.is_empty() || broken.contains(&(*ix as TransitionIx)))
    {
        leaving[transition.source as usize + 1] += 1;
    }
    for ix in 0..m.nodes.len() {
        leaving[ix + 1] += leaving[ix];
    }
    let within = |from: NodeIx, to: NodeIx| leaving[to as usize] - leaving[from as usize];
    for (ix, node) in m.nodes.iter().enumerate().filter(|(ix, n)| n.kind == NodeKind::Atomic && reachable[*ix]) {
        let mut around = std::iter::successors(Some(ix as NodeIx), |n| m.nodes[*n as usize].parent);
        let stuck = around.all(|n| match m.nodes[n as usize].kind {
            NodeKind::Parallel => within(n, m.nodes[n as usize].end) == 0,
            _ => within(n, n + 1) == 0,
        });
        if stuck {
            let message = format!("state `{}` can never be left", node.id);
            problems.push(Problem::warning("dead-end", &node.span, message).hint("add a transition, or `type: final`"));
        }
    }
}

/// Cycles of eventless transitions that no guard can end.
fn endless_always(m: &Machine, broken: &HashSet<TransitionIx>, reachable: &[bool], problems: &mut Problems) {
    if !m.has_always {
        return;
    }
    let steps: Vec<Option<Vec<NodeIx>>> =
        (0..m.nodes.len() as NodeIx)
            .map(|ix| {
                if m.nodes[ix as usize].is_leaf() && reachable[ix as usize] {
                    certain_step(m, broken, ix)
                } else {
                    None
                }
            })
            .collect();
    let mut state = vec![Visit::New; m.nodes.len()];
    for start in 0..m.nodes.len() as NodeIx {
        if let Some(cycle) = find_cycle(&steps, &mut state, start) {
            let names: Vec<&str> = cycle.iter().map(|ix| &*m.nodes[*ix as usize].id).collect();
            let first = cycle.iter().min().copied().unwrap_or(start);
            let span = certain_transition(m, broken, first).map_or(&m.nodes[first as usize].span, |t| &t.span);
            let message = format!("`always` can never stop: `{}`", names.join("` → `"));
            problems
                .push(Problem::error("endless-always", span, message).hint("give one of these transitions a guard"));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Closed,
}

/// A cycle reachable from `start` that was not seen before, closed with its first node.
fn find_cycle(steps: &[Option<Vec<NodeIx>>], state: &mut [Visit], start: NodeIx) -> Option<Vec<NodeIx>> {
    let mut path: Vec<(NodeIx, usize)> = Vec::new();
    let mut found = None;
    if state[start as usize] == Visit::New {
        state[start as usize] = Visit::Open;
        path.push((start, 0));
    }
    while let Some((ix, taken)) = path.last_mut() {
        let ix = *ix;
        let next = steps[ix as usize].as_ref().and_then(|n| n.get(*taken)).copied();
        *taken += 1;
        match next {
            None => {
                state[ix as usize] = Visit::Closed;
                path.pop();
            }
            Some(next) => match state[next as usize] {
                Visit::New => {
                    state[next as usize] = Visit::Open;
                    path.push((next, 0));
                }
                Visit::Open => {
                    let cycle = path.iter().map(|(n, _)| *n).skip_while(|n| *n != next).chain([next]);
                    found = found.or(Some(cycle.collect()));
                }
                Visit::Closed => {}
            },
        }
    }
    found
}

/// The eventless transition that is taken for sure while this leaf is active.
fn certain_transition<'m>(m: &'m Machine, broken: &HashSet<TransitionIx>, leaf: NodeIx) -> Option<&'m Transition> {
    let around = std::iter::successors(Some(leaf), |n| m.nodes[*n as usize].parent);
    let candidates = around.flat_map(|n| &m.nodes[n as usize].always).map(|t| (m.transition(*t), broken.contains(t)));
    let mut possible =
        candidates.filter(|(t, is_broken)| *is_broken || !matches!(t.guard, Some(Guard::Constant(false))));
    possible
        .next()
        .filter(|(t, is_broken)| !is_broken && matches!(t.guard, None | Some(Guard::Constant(true))))
        .map(|(t, _)| t)
}

/// The leaves that are active after it, when that arms the next eventless selection.
fn certain_step(m: &Machine, broken: &HashSet<TransitionIx>, leaf: NodeIx) -> Option<Vec<NodeIx>> {
    let transition = certain_transition(m, broken, leaf)?;
    let nothing = |_| None;
    let mut assigns = has_assign(&transition.actions);
    if transition.targets.is_empty() {
        return assigns.then(|| vec![leaf]);
    }
    let effective = effective_targets(m, &transition.targets, &nothing).ok()?;
    let domain = transition_domain(m, transition.source, transition.reenter, &effective);
    let mut set = EntrySet::new(m, &nothing);
    set.enter(&transition.targets, &effective, domain).ok()?;
    let entered: Vec<NodeIx> = set.into_sorted().into_iter().map(|(n, _)| n).collect();
    assigns |=
        entered.iter().any(|n| has_assign(&m.nodes[*n as usize].entry) || has_assign(&m.nodes[*n as usize].exit));
    let mut leaves: Vec<NodeIx> = entered.into_iter().filter(|n| m.nodes[*n as usize].is_leaf()).collect();
    if leaves.is_empty() {
        leaves.push(leaf);
    }
    // Coming back to the same leaf changes nothing by itself.
    let rests = !assigns && leaves.contains(&leaf);
    if rests { None } else { Some(leaves) }
}

fn has_assign(actions: &[Action]) -> bool {
    actions.iter().any(|a| matches!(a, Action::Assign(_)))
}

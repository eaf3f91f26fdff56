//! The ways of a machine: what is known in each of its leaves.

use super::super::locations::{FlowState, OPTIONAL, THERE};
use super::{Check, Ex, Follow, Op};
use engine_statechart::flow::Successor;
use std::collections::BTreeSet;

impl<'m> Check<'m> {
    /// What is known in each leaf, `None` where nothing leads.
    pub fn follow(&mut self) -> Vec<Option<FlowState>> {
        let mut start = FlowState::new(&self.places, false);
        for change in self.initial() {
            start.apply(&self.places, &change, false);
        }
        let mut known: Vec<Option<FlowState>> = (0..self.nodes.len()).map(|_| None).collect();
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
    pub fn leave(
        &self,
        leaf: usize,
        known: &mut [Option<FlowState>],
        waiting: &mut BTreeSet<usize>,
        seen: &mut dyn FnMut(Ex, &FlowState),
    ) {
        let Some(here) = known[leaf].clone() else { return };
        let mut answered: Vec<usize> = Vec::new();
        let mut node = Some(leaf);
        while let Some(ix) = node {
            let lists = &self.nodes[ix].lists;
            for list in lists {
                if list.is_done && !self.nodes[leaf].is_final || answered.contains(&list.number) {
                    continue;
                }
                let mut state = here.clone();
                self.apply_event(list.event, leaf, &mut state);
                for candidate in &list.candidates {
                    candidate.guard.iter().for_each(|e| seen(*e, &state));
                    let mut taken = state.clone();
                    candidate.granted.iter().for_each(|at| taken.level.set(*at, THERE));
                    for field in candidate.filled.iter().filter(|field| state.level.get(**field) == OPTIONAL) {
                        taken.level.set(*field, THERE);
                    }
                    candidate.denied.iter().for_each(|at| state.level.set(*at, THERE));
                    self.take(leaf, candidate, taken, known, waiting, seen);
                }
            }
            answered.extend(lists.iter().filter(|list| list.is_answer).map(|list| list.number));
            node = self.machine.parent(ix);
        }
    }

    fn take(
        &self,
        leaf: usize,
        candidate: &Follow<'m>,
        mut state: FlowState,
        known: &mut [Option<FlowState>],
        waiting: &mut BTreeSet<usize>,
        seen: &mut dyn FnMut(Ex, &FlowState),
    ) {
        let mut run = |ops: &[Op], state: &mut FlowState| self.run(ops, state, seen);
        match &candidate.successor {
            Successor::Dynamic => {
                run(&candidate.work, &mut state);
            }
            Successor::SameState => {
                run(&candidate.work, &mut state);
                self.arrive(leaf, state, known, waiting);
            }
            Successor::Enters { domain, entered } => {
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
        mut state: FlowState,
        known: &mut [Option<FlowState>],
        waiting: &mut BTreeSet<usize>,
        seen: &mut dyn FnMut(Ex, &FlowState),
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

    fn arrive(&self, leaf: usize, state: FlowState, known: &mut [Option<FlowState>], waiting: &mut BTreeSet<usize>) {
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

    fn run(&self, ops: &[Op], state: &mut FlowState, seen: &mut dyn FnMut(Ex, &FlowState)) {
        for op in ops {
            match op {
                Op::Read(expression) => seen(*expression, state),
                Op::Do(change) => state.apply(&self.places, change, false),
            }
        }
    }

    /// What the product has done before the machine hears of an event.
    fn apply_event(&self, event: &str, leaf: usize, state: &mut FlowState) {
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
}

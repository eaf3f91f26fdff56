//! One microstep: leave the exit set, run the transitions' actions, enter the entry set.

use super::Effect;
use super::domain::exit_range;
use super::entry_set::{EntrySet, effective_targets};
use super::run::{Fatal, Run};
use crate::event::Event;
use crate::machine::model::{Domain, NodeIx, Output, Transition};
use crate::machine::{Machine, NodeKind};
use crate::snapshot::Status;
use serde_json::{Map, Value};

impl<'m> Run<'m> {
    pub fn microstep(&mut self, mut transitions: Vec<&'m Transition>, event: &Event) -> Result<(), Fatal> {
        self.remove_conflicting_transitions(&mut transitions)?;
        if let [only] = transitions.as_slice()
            && let Some(plan) = &only.plan
        {
            self.exit_states(&[plan.domain], event)?;
            self.execute(&only.actions, only.source, event)?;
            return self.enter_states(&plan.entry, event);
        }
        let mut domains = Vec::with_capacity(transitions.len());
        for transition in &transitions {
            domains.extend(self.domain(transition)?);
        }
        self.exit_states(&domains, event)?;
        for transition in &transitions {
            self.execute(&transition.actions, transition.source, event)?;
        }
        let entry = self.entry_set(&transitions, &domains)?;
        self.enter_states(&entry, event)
    }

    /// Enters the root: the first microstep.
    pub fn enter_root(&mut self, event: &Event) -> Result<(), Fatal> {
        let nothing = |_| None;
        let mut set = EntrySet::new(self.m, &nothing);
        set.enter_root().map_err(|_| self.history_loop_at(0))?;
        let entry = set.into_sorted();
        self.enter_states(&entry, event)
    }

    fn exit_states(&mut self, domains: &[Domain], event: &Event) -> Result<(), Fatal> {
        for domain in domains {
            let range = exit_range(self.m, *domain);
            let from = self.active.partition_point(|n| *n < range.start);
            let to = self.active.partition_point(|n| *n < range.end);
            if from < to {
                self.leaving.extend_from_slice(&self.active[from..to]);
            }
        }
        if self.leaving.is_empty() {
            return Ok(());
        }
        let mut leaving = std::mem::take(&mut self.leaving);
        if domains.len() > 1 {
            leaving.sort_unstable();
            leaving.dedup();
        }
        if self.m.has_history {
            self.record_history(&leaving);
        }
        let m = self.m;
        for node in leaving.iter().rev() {
            let state = &m.nodes[*node as usize];
            self.execute(&state.exit, *node, event)?;
            self.cancel_after(*node);
            self.stop_invokes(*node);
        }
        self.deactivate(&leaving);
        leaving.clear();
        self.leaving = leaving;
        Ok(())
    }

    fn deactivate(&mut self, leaving: &[NodeIx]) {
        let (Some(first), Some(last)) = (leaving.first(), leaving.last()) else { return };
        let from = self.active.partition_point(|n| n < first);
        let to = self.active.partition_point(|n| n <= last);
        if to - from == leaving.len() {
            self.active.drain(from..to);
        } else {
            self.active.retain(|n| leaving.binary_search(n).is_err());
        }
    }

    fn record_history(&mut self, leaving: &[NodeIx]) {
        let m = self.m;
        for parent in leaving {
            for history in &m.nodes[*parent as usize].histories {
                let deep = m.nodes[*history as usize].deep;
                let wanted = |n: &&NodeIx| match deep {
                    true => m.nodes[**n as usize].is_leaf(),
                    false => m.nodes[**n as usize].parent == Some(*parent),
                };
                let inside = self.active.iter().filter(|n| **n != *parent && m.is_within(**n, *parent));
                let nodes: Vec<NodeIx> = inside.filter(wanted).copied().collect();
                self.record(*history, nodes);
            }
        }
    }

    /// `domains` are those of the transitions with targets, as the states were left: a history node
    /// recorded on leaving does not narrow them, so that all that was left is entered again.
    fn entry_set(&mut self, transitions: &[&'m Transition], domains: &[Domain]) -> Result<Vec<(NodeIx, bool)>, Fatal> {
        let recorded = |history| self.recorded(history);
        let mut set = EntrySet::new(self.m, &recorded);
        let targeted = transitions.iter().filter(|t| !t.targets.is_empty());
        for (transition, domain) in targeted.zip(domains) {
            // Transitions that do not conflict enter separate parts of the tree, so that a plan
            // stays true beside others.
            match &transition.plan {
                Some(plan) => set.add_planned(&plan.entry),
                None => {
                    let targets = &transition.targets;
                    let looped = |_| self.history_loop(transition);
                    let effective = effective_targets(self.m, targets, &recorded).map_err(looped)?;
                    set.enter(targets, &effective, *domain).map_err(looped)?;
                }
            }
        }
        Ok(set.into_sorted())
    }

    fn enter_states(&mut self, entry: &[(NodeIx, bool)], event: &Event) -> Result<(), Fatal> {
        let m = self.m;
        let mut completed: Vec<NodeIx> = Vec::new();
        for (node, default_entered) in entry {
            self.activate(*node);
            let state = &m.nodes[*node as usize];
            self.execute(&state.entry, *node, event)?;
            for after in &state.after {
                self.start_after(*node, after, event)?;
            }
            for invoke in &state.invokes {
                let input = invoke.input.eval_within(&self.scope(event), &self.steps)?;
                self.effects.push(Effect::Invoke {
                    id: invoke.id.to_string(),
                    node: state.id.to_string(),
                    src: invoke.src.to_string(),
                    input,
                });
            }
            if *default_entered {
                self.execute(&state.initial_actions, *node, event)?;
            }
            if state.kind == NodeKind::Final {
                self.enter_final(*node, event, &mut completed)?;
            }
        }
        if self.status == Status::Done { self.exit_interpreter(event) } else { Ok(()) }
    }

    fn activate(&mut self, node: NodeIx) {
        match self.active.last() {
            Some(last) if *last >= node => {
                if let Err(place) = self.active.binary_search(&node) {
                    self.active.insert(place, node);
                }
            }
            Some(_) | None => self.active.push(node),
        }
    }

    fn enter_final(&mut self, node: NodeIx, event: &Event, completed: &mut Vec<NodeIx>) -> Result<(), Fatal> {
        let m = self.m;
        let state = &m.nodes[node as usize];
        let parent = state.parent.map(|p| (p, &m.nodes[p as usize]));
        let mut output = None;
        let mut above = None;
        if let Some((ix, parent)) = parent {
            if parent.kind == NodeKind::Parallel {
                above = Some(ix);
            } else {
                output = state.output.as_ref().map(|o| self.output(o, event)).transpose()?;
                let mut done = Event::new(&*parent.done);
                done.data.extend(output.clone().map(|output| ("output".to_owned(), output)));
                self.queue.push_back(done);
                above = parent.parent;
            }
        }
        let mut done_by = &parent.map_or(state, |(_, parent)| parent).done;
        while let Some(ix) = above {
            let ancestor = &m.nodes[ix as usize];
            if ancestor.kind != NodeKind::Parallel || completed.contains(&ix) || !is_done(m, &self.active, ix) {
                return Ok(());
            }
            completed.push(ix);
            self.queue.push_back(Event::new(&*ancestor.done));
            done_by = &ancestor.done;
            above = ancestor.parent;
        }
        self.status = Status::Done;
        if let Some(root_output) = &m.nodes[0].output {
            let of_root = parent.is_some_and(|(ix, parent)| ix == 0 && parent.kind == NodeKind::Compound);
            let mut done = Event::new(&**done_by);
            done.data.extend(output.filter(|_| of_root).map(|output| ("output".to_owned(), output)));
            // A final root has one output, which is the machine's.
            self.final_output = Some(self.output(root_output, &done)?);
        }
        Ok(())
    }

    fn output(&self, output: &Output, event: &Event) -> Result<Value, Fatal> {
        match output {
            Output::Value(source) => self.value(source, event),
            Output::Map(entries) => {
                let mut map = Map::new();
                for (key, source) in entries {
                    map.insert(key.clone(), self.value(source, event)?);
                }
                Ok(Value::Object(map))
            }
        }
    }

    /// Exits the interpreter, as SCXML's `exitInterpreter`: the configuration stays to be read.
    fn exit_interpreter(&mut self, event: &Event) -> Result<(), Fatal> {
        let m = self.m;
        for at in (0..self.active.len()).rev() {
            let node = self.active[at];
            self.execute(&m.nodes[node as usize].exit, node, event)?;
            self.stop_invokes(node);
        }
        self.queue.clear();
        self.cancel_timers(|_| true);
        Ok(())
    }

    fn stop_invokes(&mut self, node: NodeIx) {
        for invoke in &self.m.nodes[node as usize].invokes {
            self.effects.push(Effect::Stop { id: invoke.id.to_string() });
        }
    }
}

/// Whether a state is done, as SCXML's `isInFinalState`.
fn is_done(m: &Machine, active: &[NodeIx], ix: NodeIx) -> bool {
    let node = &m.nodes[ix as usize];
    let is_active = |n: NodeIx| active.binary_search(&n).is_ok();
    match node.kind {
        NodeKind::Compound => {
            node.regions(&m.nodes).any(|c| m.nodes[c as usize].kind == NodeKind::Final && is_active(c))
        }
        NodeKind::Parallel => node.regions(&m.nodes).all(|r| is_done(m, active, r)),
        NodeKind::Final => is_active(ix),
        NodeKind::Atomic | NodeKind::History => false,
    }
}

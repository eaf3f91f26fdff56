//! Which transitions an event, or no event, selects; conflicts among them.

use super::domain::{exit_range, transition_domain};
use super::entry_set::effective_targets;
use super::run::{Fatal, Run};
use crate::event::Event;
use crate::machine::NodeKind;
use crate::machine::model::{Domain, EventIx, Guard, NodeIx, Transition, TransitionIx};
use std::ops::Range;

type Selected<'m> = Vec<&'m Transition>;

impl<'m> Run<'m> {
    /// SCXML `selectTransitions`: the innermost node decides, a parallel node when no region did.
    pub fn select_transitions(&self, event: &Event) -> Result<Selected<'m>, Fatal> {
        let mut selected = Vec::new();
        if !self.active.is_empty() {
            self.select_at(0, event, self.m.event(&event.kind), &mut selected)?;
        }
        Ok(selected)
    }

    fn select_at(&self, at: usize, event: &Event, number: EventIx, selected: &mut Selected<'m>) -> Result<(), Fatal> {
        let node = &self.m.nodes[self.active[at] as usize];
        let before = selected.len();
        match node.kind {
            NodeKind::Compound | NodeKind::Parallel => {
                // The next active index is the first active child: see *Order*.
                let mut next = at + 1;
                while let Some(child) = self.active.get(next).filter(|c| **c < node.end) {
                    self.select_at(next, event, number, selected)?;
                    let end = self.m.nodes[*child as usize].end;
                    next += 1;
                    while self.active.get(next).is_some_and(|n| *n < end) {
                        next += 1;
                    }
                }
            }
            NodeKind::Atomic | NodeKind::Final | NodeKind::History => {}
        }
        if selected.len() > before {
            return Ok(());
        }
        if let Ok(exact) = node.on.binary_search_by_key(&number, |(event, _)| *event)
            && let Some(transition) = self.first_enabled(&node.on[exact].1, event)?
        {
            selected.push(transition);
            return Ok(());
        }
        for (wildcard, candidates) in &node.wildcards {
            if wildcard.matches(&event.kind)
                && let Some(transition) = self.first_enabled(candidates, event)?
            {
                selected.push(transition);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Selects eventless transitions, as SCXML's `selectEventlessTransitions`.
    pub fn select_eventless_transitions(&self, event: &Event) -> Result<Selected<'m>, Fatal> {
        let mut selected: Selected<'m> = Vec::new();
        if !self.m.has_always {
            return Ok(selected);
        }
        for leaf in self.active.iter().filter(|n| self.m.nodes[**n as usize].is_leaf()) {
            let mut next = Some(*leaf);
            while let Some(ix) = next {
                let node = &self.m.nodes[ix as usize];
                if let Some(transition) = self.first_enabled(&node.always, event)? {
                    if !selected.iter().any(|t| std::ptr::eq(*t, transition)) {
                        selected.push(transition);
                    }
                    break;
                }
                next = node.parent;
            }
        }
        self.remove_conflicting_transitions(&mut selected)?;
        Ok(selected)
    }

    fn first_enabled(&self, candidates: &[TransitionIx], event: &Event) -> Result<Option<&'m Transition>, Fatal> {
        for candidate in candidates {
            let transition = self.m.transition(*candidate);
            let enabled = match &transition.guard {
                None => true,
                Some(guard) => self.holds(guard, event)?,
            };
            if enabled {
                return Ok(Some(transition));
            }
        }
        Ok(None)
    }

    fn holds(&self, guard: &Guard, event: &Event) -> Result<bool, Fatal> {
        match guard {
            Guard::Constant(value) => Ok(*value),
            Guard::Expression(expression) => Ok(expression.eval_bool_within(&self.scope(event), &self.steps)?),
            Guard::Not(inner) => Ok(!self.holds(inner, event)?),
            Guard::And(list) => {
                for inner in list {
                    if !self.holds(inner, event)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Guard::Or(list) => {
                for inner in list {
                    if self.holds(inner, event)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// SCXML `removeConflictingTransitions`: of two that leave the same node the inner one stays,
    /// otherwise the one selected first.
    pub fn remove_conflicting_transitions(&self, selected: &mut Selected<'m>) -> Result<(), Fatal> {
        if selected.len() < 2 {
            return Ok(());
        }
        let mut kept: Vec<(&'m Transition, Range<NodeIx>)> = Vec::with_capacity(selected.len());
        for transition in selected.drain(..) {
            let range = self.exit_range(transition)?;
            let conflicts =
                |other: &Range<NodeIx>| self.any_active(range.start.max(other.start)..range.end.min(other.end));
            let is_inner = |other: &Transition| {
                other.source != transition.source && self.m.is_within(transition.source, other.source)
            };
            if kept.iter().any(|(other, exit)| conflicts(exit) && !is_inner(other)) {
                continue;
            }
            kept.retain(|(_, exit)| !conflicts(exit));
            kept.push((transition, range));
        }
        selected.extend(kept.into_iter().map(|(t, _)| t));
        Ok(())
    }

    fn any_active(&self, range: Range<NodeIx>) -> bool {
        !range.is_empty() && {
            let first = self.active.partition_point(|n| *n < range.start);
            self.active.get(first).is_some_and(|n| *n < range.end)
        }
    }

    /// Range of nodes whose active part is the exit set.
    fn exit_range(&self, transition: &Transition) -> Result<Range<NodeIx>, Fatal> {
        Ok(self.domain(transition)?.map_or(0..0, |domain| exit_range(self.m, domain)))
    }

    /// Domain of a transition; `None` for a targetless one, which leaves nothing.
    pub fn domain(&self, transition: &Transition) -> Result<Option<Domain>, Fatal> {
        if transition.targets.is_empty() {
            return Ok(None);
        }
        if let Some(plan) = &transition.plan {
            return Ok(Some(plan.domain));
        }
        let recorded = |history| self.recorded(history);
        let effective =
            effective_targets(self.m, &transition.targets, &recorded).map_err(|_| self.history_loop(transition))?;
        Ok(Some(transition_domain(self.m, transition.source, transition.reenter, &effective)))
    }
}

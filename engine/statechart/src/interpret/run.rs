//! One macrostep at work: everything that may have to be thrown away.

use super::{Effect, Outcome};
use crate::event::Event;
use crate::expression::{EvalError, Memory, Scope};
use crate::host::Env;
use crate::machine::Machine;
use crate::machine::model::{NodeIx, Transition};
use crate::snapshot::{Snapshot, Status, Timer};
use crate::source::Span;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::VecDeque;

/// The error that ends the macrostep: the snapshot stays as it was before.
pub type Fatal = Box<EvalError>;

pub struct Run<'m> {
    pub m: &'m Machine,
    pub env: &'m Env<'m>,
    /// Snapshot as it was before; its context is in `context`, undone by `undo`.
    before: Snapshot,
    pub context: Map<String, Value>,
    pub undo: Vec<(&'m String, Option<Value>)>,
    /// Active nodes, sorted; see *Order*.
    pub active: Vec<NodeIx>,
    /// What history nodes recorded in this macrostep.
    history: Vec<(NodeIx, Vec<NodeIx>)>,
    /// A copy once something changed.
    timers: Option<Vec<Timer>>,
    pub counter: u64,
    pub queue: VecDeque<Event>,
    pub status: Status,
    pub final_output: Option<Value>,
    pub effects: Vec<Effect>,
    /// What happened since the last microstep began.
    pub assigned: bool,
    pub history_recorded: bool,
    pub steps: Cell<u64>,
    /// What values are while the context stays as it is.
    pub memory: Memory,
    pub leaving: Vec<NodeIx>,
}

impl<'m> Run<'m> {
    pub fn new(m: &'m Machine, env: &'m Env<'m>, mut before: Snapshot, active: Vec<NodeIx>) -> Self {
        Run {
            m,
            env,
            context: std::mem::take(&mut before.context),
            undo: Vec::new(),
            active,
            history: Vec::new(),
            timers: None,
            counter: before.counter,
            queue: VecDeque::new(),
            status: before.status,
            final_output: None,
            effects: Vec::new(),
            assigned: false,
            history_recorded: false,
            steps: Cell::new(m.limits.evaluation_steps_max),
            memory: Memory::new(),
            leaving: Vec::new(),
            before,
        }
    }

    /// Runs what follows the first microstep, or the selection for the external event: eventless transitions and the
    /// internal queue until nothing is left.
    pub fn complete_macrostep(&mut self, external: &Event) -> Result<(), Fatal> {
        let mut internal: Option<Event> = None;
        let mut armed = true;
        let mut microsteps = 0;
        while self.status == Status::Active {
            if microsteps > 0 && microsteps >= self.m.limits.microsteps_max {
                let message = format!("more than {} microsteps for one event", self.m.limits.microsteps_max);
                return Err(self.fatal(message, self.active.last().copied().unwrap_or(0)));
            }
            microsteps += 1;
            let event = internal.as_ref().unwrap_or(external);
            let eventless = if armed { self.select_eventless_transitions(event)? } else { Vec::new() };
            if !eventless.is_empty() {
                let before = self.active.clone();
                (self.assigned, self.history_recorded) = (false, false);
                // Borrowed from `internal`, which this microstep does not touch.
                let event = internal.as_ref().unwrap_or(external);
                self.microstep(eventless, event)?;
                armed = self.assigned || self.history_recorded || self.active != before;
                continue;
            }
            let Some(next) = self.queue.pop_front() else { break };
            let selected = self.select_transitions(&next)?;
            self.microstep(selected, &next)?;
            internal = Some(next);
            armed = true;
        }
        Ok(())
    }

    pub fn scope<'s>(&'s self, event: &'s Event) -> Scope<'s> {
        let scope = Scope::new().with_context(&self.context).with_event(event).with_host(self.env.host);
        scope.with_active(&self.active).with_memory(&self.memory)
    }

    pub fn recorded(&self, history: NodeIx) -> Option<Vec<NodeIx>> {
        if let Some((_, nodes)) = self.history.iter().rev().find(|(h, _)| *h == history) {
            return Some(nodes.clone());
        }
        if self.before.history.is_empty() {
            return None;
        }
        let ids = self.before.history.get(&*self.m.nodes[history as usize].id)?;
        Some(ids.iter().filter_map(|id| self.m.find(id)).collect())
    }

    pub fn record(&mut self, history: NodeIx, nodes: Vec<NodeIx>) {
        self.history_recorded = true;
        self.history.retain(|(h, _)| *h != history);
        self.history.push((history, nodes));
    }

    pub fn timers(&self) -> &[Timer] {
        self.timers.as_deref().unwrap_or(&self.before.timers)
    }

    pub fn timers_mut(&mut self) -> &mut Vec<Timer> {
        self.timers.get_or_insert_with(|| self.before.timers.clone())
    }

    /// Actions cost a step each, so that raises cannot breed without bound.
    pub fn charge(&self, node: NodeIx) -> Result<(), Fatal> {
        match self.steps.get().checked_sub(1) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(self.fatal("one event causes too much work".into(), node)),
        }
    }

    pub fn history_loop(&self, transition: &Transition) -> Fatal {
        Box::new(EvalError { span: transition.span.clone(), ..*self.history_loop_at(transition.source) })
    }

    pub fn history_loop_at(&self, node: NodeIx) -> Fatal {
        self.fatal("history states lead back into themselves".into(), node)
    }

    fn fatal(&self, message: String, node: NodeIx) -> Fatal {
        let node = &self.m.nodes[node as usize];
        Box::new(EvalError { message, span: node.span.clone(), expression: node.id.to_string() })
    }

    /// The outcome of a macrostep that went well.
    pub fn commit(self, selected: bool) -> Outcome {
        let Run { m, mut before, context, active, history, timers, counter, status, final_output, effects, .. } = self;
        super::configuration::store(m, &active, &mut before.active);
        for (history, nodes) in history {
            let ids = nodes.iter().map(|n| m.nodes[*n as usize].id.to_string()).collect();
            before.history.insert(m.nodes[history as usize].id.to_string(), ids);
        }
        if let Some(timers) = timers {
            before.timers = timers;
        }
        let snapshot = Snapshot { context, counter, status, output: final_output.or(before.output.take()), ..before };
        Outcome { snapshot, effects, selected, error: None }
    }

    /// The outcome of a macrostep that was given up: everything as before, status `error`.
    pub fn roll_back(self, error: EvalError) -> Outcome {
        let Run { before, mut context, undo, .. } = self;
        for (key, old) in undo.into_iter().rev() {
            match old {
                Some(value) => {
                    context.insert(key.clone(), value);
                }
                None => {
                    context.shift_remove(key);
                }
            }
        }
        failed(Snapshot { context, ..before }, error)
    }
}

/// A dead machine; nothing of the event remains.
pub fn failed(snapshot: Snapshot, error: EvalError) -> Outcome {
    let snapshot = Snapshot { status: Status::Error, ..snapshot };
    Outcome { snapshot, effects: Vec::new(), selected: false, error: Some(error) }
}

/// An error that no place in the definition causes.
pub fn without_place(message: String) -> EvalError {
    EvalError { message, span: Span::unknown(), expression: String::new() }
}

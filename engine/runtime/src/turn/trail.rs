//! Where a person has been: Back, Change, and the way forward again after a change (workflows.md rules 18–20).

use super::{Move, Refused, Turn};
use crate::state::TrailEntry;
use engine_definitions::{StepKind, Trail};
use serde_json::Value;

impl Turn<'_> {
    /// Keeps the trail after a move from `before`; `sent` is the number of the person's event that caused it.
    pub(super) fn moved(&mut self, before: &str, sent: Option<i64>) {
        let after = self.step_node();
        if after == before {
            return;
        }
        self.state.since_ms = self.now_ms;
        self.state.leave = None;
        if let Some(position) = self.state.trail.iter().position(|e| e.node == after) {
            self.state.trail.truncate(position);
        } else if self.keeps(before) {
            let depends = self.depends(before);
            self.state.trail.push(TrailEntry { node: before.into(), sent, depends });
        }
        if self.workflow.step_by_node(&after).is_some_and(|s| s.trail == Trail::Close) {
            self.state.trail.clear();
            self.state.resume = None;
        }
    }

    /// Waits and redirects are passed, not visited.
    fn keeps(&self, node: &str) -> bool {
        self.workflow
            .step_by_node(node)
            .is_some_and(|s| s.trail == Trail::Keep && !matches!(s.kind, StepKind::Wait | StepKind::Redirect))
    }

    fn depends(&self, node: &str) -> Vec<Value> {
        let Some(step) = self.workflow.step_by_node(node) else { return Vec::new() };
        let form = step.form.as_deref().and_then(|form| self.workflow.form(form));
        self.with_step(step, |scope| {
            // A missing value is a value too: it counts as null.
            let written = step.depends.iter().map(|e| e.eval(scope).unwrap_or(Value::Null));
            // Who is asked about belongs to it: a row more or less asks again.
            written.chain(form.and_then(|form| form.row_keys(scope))).collect()
        })
    }

    pub(super) fn jump(&mut self, target: &str) -> Result<(), Refused> {
        let from = self.step_node();
        self.state.messages.clear();
        if !self.feed(Move::Jump { from: &from, to: target })? {
            return Err(Refused::Unselected);
        }
        if let Some(position) = self.state.trail.iter().position(|e| e.node == target) {
            self.state.trail.truncate(position);
        }
        self.state.since_ms = self.now_ms;
        self.state.leave = None;
        self.record.revision += 1;
        Ok(())
    }

    /// Whether an active state names this event exactly.
    pub(super) fn names(&self, kind: &str) -> bool {
        let machine = &self.workflow.machine;
        let mut nodes = self.state.snapshot.active.iter().flat_map(|leaf| machine.ancestors(leaf));
        nodes.any(|node| machine.events_of(node).any(|named| named == kind))
    }

    /// After a change: the later answers are sent once more, until a step needs the person or the start of the change
    /// is reached.
    pub(super) fn way_forward(&mut self) {
        if self.all_answered().is_some() {
            // That follows by itself, and comes first.
            return;
        }
        let Some(mut resume) = self.state.resume.take() else { return };
        let here = self.step_node();
        if here == resume.goal {
            return;
        }
        if self.workflow.step_by_node(&here).is_none_or(|s| matches!(s.kind, StepKind::Wait | StepKind::Redirect)) {
            self.state.resume = Some(resume);
            return;
        }
        let Some(position) = resume.later.iter().position(|entry| entry.node == here) else { return };
        // Each entry is sent once at most: this ends.
        let entry = resume.later.remove(position);
        if self.satisfied(&entry) {
            self.state.resume = Some(resume);
            self.resending = entry.sent;
        }
    }

    fn satisfied(&self, entry: &TrailEntry) -> bool {
        let Some(step) = self.workflow.step_by_node(&entry.node) else { return false };
        if self.depends(&entry.node) != entry.depends {
            return false;
        }
        step.satisfied
            .as_ref()
            .is_none_or(|e| self.with_scope(|scope| e.eval(scope).is_ok_and(|v| v == Value::Bool(true))))
    }
}

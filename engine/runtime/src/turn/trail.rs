//! Where a person has been: Back, Change, and the way forward again after a change (workflows.md rules 18–20).

use super::{Move, Pending, Refused, Turn};
use crate::actor::Actor;
use crate::state::{Resume, Sent, TrailEntry};
use engine_definitions::{Step, StepKind, Trail};
use engine_statechart::Event;
use serde_json::{Value, json};

impl Turn<'_> {
    /// Keeps the trail after a move from `before`; `sent` is the person's event that caused it.
    pub(super) fn moved(&mut self, before: &str, sent: Option<Sent>) {
        let after = self.step_node();
        let resumes = self.resumes.take();
        if after == before {
            return;
        }
        self.state.since_ms = self.now_ms;
        self.state.leave = None;
        let position = self.state.trail.iter().position(|e| e.node == after);
        if let Some(goal) = resumes {
            let later = self.state.trail[position.map_or(0, |p| p + 1)..].to_vec();
            self.state.resume = Some(Resume { goal, at: after.clone(), later, by: None });
        }
        if let Some(position) = position {
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

    /// One step back. The machine is asked first, by exact descriptor.
    pub fn back(&mut self, actor: &Actor) -> Result<(), Refused> {
        if self.asked("back", Value::Null, actor)? {
            return Ok(());
        }
        let Some(target) = self.state.trail.last().map(|e| e.node.clone()) else { return Err(Refused::Unselected) };
        self.state.resume = None;
        self.jump("back", &target, json!({}), actor)
    }

    /// Back to a step of the trail, remembering where from.
    pub fn change(&mut self, node: &str, actor: &Actor) -> Result<(), Refused> {
        if self.asked("change", json!({"step": node}), actor)? {
            return Ok(());
        }
        let Some(position) = self.state.trail.iter().position(|e| e.node == node) else {
            return Err(Refused::Unselected);
        };
        let later = self.state.trail[position + 1..].to_vec();
        let resume = Resume { goal: self.step_node(), at: node.into(), later, by: Some(actor.clone()) };
        self.jump("change", node, json!({"step": node}), actor)?;
        self.state.resume = Some(resume);
        Ok(())
    }

    fn jump(&mut self, kind: &str, target: &str, data: Value, actor: &Actor) -> Result<(), Refused> {
        let from = self.step_node();
        self.state.messages.clear();
        self.append(kind, data, actor);
        if !self.feed(Move::Jump { from: &from, to: target })? {
            return Err(Refused::Unselected);
        }
        if let Some(position) = self.state.trail.iter().position(|e| e.node == target) {
            self.state.trail.truncate(position);
        }
        self.state.since_ms = self.now_ms;
        self.state.leave = None;
        self.revision += 1;
        Ok(())
    }

    /// Lets the machine answer a built-in event itself, when an active state names it exactly.
    pub(super) fn asked(&mut self, kind: &str, data: Value, actor: &Actor) -> Result<bool, Refused> {
        if !self.names(kind) {
            return Ok(false);
        }
        let before = self.step_node();
        let (seq, index) = (self.seq, self.next_index);
        self.append(kind, data.clone(), actor);
        let event = Event::new(kind).with("data", data).with("by", actor.by());
        if self.feed(Move::Event(&event))? {
            self.moved(&before, None);
            self.revision += 1;
            return Ok(true);
        }
        self.out.events.pop();
        (self.seq, self.next_index) = (seq, index);
        Ok(false)
    }

    /// Whether an active state names this event exactly.
    pub(super) fn names(&self, kind: &str) -> bool {
        let machine = &self.workflow.machine;
        let mut nodes = self.state.snapshot.active.iter().flat_map(|leaf| machine.ancestors(leaf));
        nodes.any(|node| machine.events_of(node).any(|named| named == kind))
    }

    /// After a change: sends the later answers again until the goal is reached. A step that needs the person is shown,
    /// and with its answer it goes on.
    pub(super) fn resume(&mut self) -> Result<(), Refused> {
        let Some(mut resume) = self.state.resume.take() else { return Ok(()) };
        let here = self.step_node();
        if here == resume.goal || self.is_active(&resume.goal) {
            return Ok(());
        }
        let passes = |step: &Step| matches!(step.kind, StepKind::Wait | StepKind::Redirect);
        if here == resume.at || self.workflow.step_by_node(&here).is_none_or(passes) {
            self.state.resume = Some(resume);
            return Ok(());
        }
        // Each entry is sent once at most: this ends.
        let entry = resume.later.iter().position(|e| e.node == here).map(|at| resume.later.remove(at));
        resume.at.clone_from(&here);
        let can_send = !self.replaying && resume.by.is_some();
        self.state.resume = Some(resume);
        let sent = entry.filter(|entry| can_send && self.satisfied(entry) && !self.is_asking(&here));
        if let Some(Sent { kind, seq }) = sent.and_then(|entry| entry.sent) {
            self.pending.push_back(Pending::Sent { node: here, kind, seq });
        }
        Ok(())
    }

    fn is_active(&self, state: &str) -> bool {
        let machine = &self.workflow.machine;
        self.state.snapshot.active.iter().any(|leaf| machine.ancestors(leaf).any(|id| id == state))
    }

    /// Whether partners are being asked on this step: there is nothing yet to choose from.
    fn is_asking(&self, node: &str) -> bool {
        let is_here = |run: &str| self.workflow.invoke(run).is_some_and(|i| i.each && i.node == node);
        self.state.runs.iter().any(|(id, run)| !run.settled && is_here(id))
    }

    /// The answer to [`Pending::Sent`]: sends it once more; what is refused now waits for the person.
    pub fn sent_again(&mut self, node: &str, kind: &str, data: Option<Value>) -> Result<bool, Refused> {
        let Some(by) = self.state.resume.as_ref().and_then(|resume| resume.by.clone()) else { return Ok(false) };
        if self.step_node() != node {
            return Ok(false);
        }
        if data.is_none_or(|data| self.send_again(kind, &data, &by).is_err()) {
            return Ok(false);
        }
        if self.step_node() != node {
            self.resume()?;
        }
        Ok(true)
    }

    /// Later answers are sent again for whoever answers now.
    pub(super) fn answered(&mut self, actor: &Actor) {
        if let Some(resume) = &mut self.state.resume {
            resume.by = Some(actor.clone());
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

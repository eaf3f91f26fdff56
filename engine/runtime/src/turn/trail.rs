//! Where a person has been: Back, Change, and the way forward again after a change.

use super::{Move, Refused, Turn};
use crate::actor::Actor;
use crate::state::{Note, Resume, TrailEntry};
use engine_definitions::{Step, StepKind, Trail};
use serde_json::Value;

impl Turn<'_> {
    /// Keeps the trail after a move from `before`; `sent` is the number of the person's event that caused it.
    pub(super) fn record_move(&mut self, before: &str, sent: Option<i64>) {
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
            self.state.resume = Some(Resume { goal, at: after.to_owned(), later, by: None });
        }
        if let Some(position) = position {
            self.state.trail.truncate(position);
        } else if self.keeps(before) {
            let depends = self.depends(before);
            self.state.trail.push(TrailEntry { node: before.into(), sent, depends });
        }
        if self.workflow.step_by_node(after).is_some_and(|s| s.trail == Trail::Close) {
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
        if !self.feed(Move::Jump { from, to: target })? {
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
    pub(crate) fn names(&self, kind: &str) -> bool {
        let machine = &self.workflow.machine;
        let mut nodes = self.state.snapshot.active.iter().flat_map(|leaf| machine.ancestors(leaf));
        nodes.any(|node| machine.events_of(node).any(|named| named == kind))
    }

    /// After a change the later answers are sent once more, until the goal is reached. A step that needs the person is
    /// shown, and with its answer it goes on.
    pub(super) fn way_forward(&mut self) {
        if self.all_answered().is_some() {
            // That follows by itself, and comes first.
            return;
        }
        let Some(mut resume) = self.state.resume.take() else { return };
        let here = self.step_node();
        if here == resume.goal || self.is_in(&resume.goal) {
            return;
        }
        let passes = |step: &Step| matches!(step.kind, StepKind::Wait | StepKind::Redirect);
        if here == resume.at || self.workflow.step_by_node(here).is_none_or(passes) {
            self.state.resume = Some(resume);
            return;
        }
        // Each entry is sent once at most: this ends.
        let entry = resume.later.iter().position(|entry| entry.node == here).map(|at| resume.later.remove(at));
        let can_send = resume.by.is_some() && !self.is_asking(here);
        if entry.is_none() && self.is_known(here) {
            self.questions.ask_known(here);
        }
        let sent = entry.filter(|entry| can_send && self.satisfied(entry)).and_then(|entry| entry.sent);
        self.questions.resend(sent);
        resume.at = here.to_owned();
        self.state.resume = Some(resume);
    }

    fn is_in(&self, state: &str) -> bool {
        let machine = &self.workflow.machine;
        self.state.snapshot.active.iter().any(|leaf| machine.ancestors(leaf).any(|id| id == state))
    }

    /// Whether partners are being asked on this step: there is nothing yet to choose from.
    fn is_asking(&self, node: &str) -> bool {
        let is_here = |run: &str| self.workflow.invoke(run).is_some_and(|i| i.each && i.node == node);
        self.state.runs.iter().any(|(id, run)| !run.settled && is_here(id))
    }

    /// Later answers are sent again for whoever answers now.
    pub(super) fn goes_on_for(&mut self, actor: &Actor) {
        if let Some(resume) = &mut self.state.resume {
            resume.by = Some(actor.clone());
        }
    }

    /// Whether nobody need be asked at this step: what was said of it is for the person to read, though.
    fn is_known(&self, node: &str) -> bool {
        let step = self.workflow.step_by_node(node).filter(|_| !self.state.messages.iter().any(Note::is_warning));
        let Some((step, known)) = step.and_then(|step| Some((step, step.known.as_ref()?))) else { return false };
        self.with_step(step, |scope| known.eval(scope).is_ok_and(|known| known == Value::Bool(true)))
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

//! What partners are told of a journey: tracked steps in order, and who is there. Without a consequence for the flow,
//! except that a tracking partner may ask for the person elsewhere.

use super::Turn;
use super::effects::ATTEMPTS_DEFAULT;
use crate::actor::Actor;
use crate::effect::{Target, TrackPayload};
use crate::state::Leave;
use crate::view::LeaveView;
use engine_definitions::Report;
use serde_json::{Map, Value, json};

/// Event of a person who is asked elsewhere; the machine does not see it.
pub(super) const LEAVE: &str = "system.leave";

impl Turn<'_> {
    /// A change of step is tracked where the workflow says so, once per commit.
    pub(super) fn track_step(&mut self) {
        if self.workflow.track.is_none() {
            return;
        }
        let node = self.step_node();
        if self.record.as_ref().is_some_and(|before| before.step == node) {
            return;
        }
        let root = self.workflow.machine.id();
        let step = node.strip_prefix(root).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&node).to_string();
        self.track(&step, Value::Null);
    }

    pub(super) fn track(&mut self, step: &str, data: Value) {
        let mut payload = TrackPayload { step: step.into(), data, at: self.step_node(), to: None, input: Value::Null };
        let (mut lane, mut attempts) = ("track".to_string(), ATTEMPTS_DEFAULT);
        if let Some(report) = &self.workflow.track {
            let target = Target::Operation { partner: report.partner.clone(), operation: report.operation.clone() };
            payload.to = Some(target.to_string());
            let mut input = self.report_input(report);
            let more = [("step", Value::from(step)), ("data", payload.data.clone()), ("journey", self.meta.clone())];
            input.extend(more.map(|(name, value)| (name.to_string(), value)));
            payload.input = Value::Object(input);
            attempts = self.operation(&target).map_or(1, |o| o.retry.attempts.max(1) as i32);
            lane = report.partner.clone();
        }
        let payload = serde_json::to_value(payload).unwrap_or(Value::Null);
        self.push_effect("track", lane, payload, attempts, None, self.now_ms);
    }

    /// What the workflow's `presence` says now; `None` when it has none.
    pub(crate) fn presence_input(&self) -> Option<Value> {
        self.workflow.presence.as_ref().map(|report| Value::Object(self.report_input(report)))
    }

    fn report_input(&self, report: &Report) -> Map<String, Value> {
        self.with_scope(|scope| report.input(scope))
    }

    /// The browser is led to `url` while the step of state `step` is shown; false when it is no longer.
    pub(crate) fn lead_away(&mut self, step: &str, url: &str) -> bool {
        if self.status != "active" || self.step_node() != step {
            return false;
        }
        self.append(LEAVE, json!({"step": step, "url": url}), &Actor::system());
        self.state.leave = Some(Leave { step: step.into(), url: url.into(), seq: self.seq });
        true
    }

    pub(crate) fn leave(&self) -> Option<LeaveView> {
        let leave = self.state.leave.as_ref().filter(|l| l.step == self.step_node())?;
        Some(LeaveView { url: leave.url.clone(), seq: leave.seq })
    }
}

//! What partners are told of a journey: tracked steps in order, and who is there. Without a consequence for the flow,
//! except that a tracking partner may ask for the person elsewhere.

use super::effects::ATTEMPTS_DEFAULT;
use super::{Refused, Turn};
use crate::actor::Actor;
use crate::effect::{Effect, TRACK, Target, TrackPayload};
use crate::fact::Fact;
use crate::view::LeaveView;
use engine_definitions::{OnDemand, Report};
use serde_json::{Map, Value};

impl Turn<'_> {
    /// A change of step is tracked where the workflow says so, once per commit.
    pub(super) fn track_step(&mut self) -> serde_json::Result<()> {
        let node = self.step_node();
        if self.workflow.track.is_none() || self.record.step == node {
            return Ok(());
        }
        let root = self.workflow.machine.id();
        let step = node.strip_prefix(root).and_then(|rest| rest.strip_prefix('.')).unwrap_or(node).to_string();
        self.track(&step, Value::Null)
    }

    pub(super) fn track(&mut self, step: &str, data: Value) -> serde_json::Result<()> {
        let mut payload =
            TrackPayload { step: step.into(), data, at: self.step_node().to_owned(), to: None, input: Value::Null };
        let (mut lane, mut attempts) = (TRACK.to_string(), ATTEMPTS_DEFAULT);
        if let Some(report) = &self.workflow.track {
            let target = Target::Operation { partner: report.partner.clone(), operation: report.operation.clone() };
            let mut input = self.report_input(report);
            let more =
                [("step", Value::from(step)), ("data", payload.data.clone()), ("journey", self.variable().clone())];
            input.extend(more.map(|(name, value)| (name.to_string(), value)));
            payload.input = Value::Object(input);
            attempts = self.operation(&target).map_or(1, |o| o.retry.attempts.max(1) as i32);
            payload.to = Some(target);
            lane = report.partner.clone();
        }
        self.push_effect(Effect::Track(payload), lane, attempts, None, self.now_ms).map(drop)
    }

    /// What the workflow's `presence` says now; `None` when it has none.
    pub(crate) fn presence_input(&self) -> Option<Value> {
        self.workflow.presence.as_ref().map(|report| Value::Object(self.report_input(report)))
    }

    fn report_input(&self, report: &Report) -> Map<String, Value> {
        self.with_scope(|scope| report.input(scope))
    }

    /// The browser is led to `url` while the step of state `step` is shown; false when it is no longer.
    pub(crate) fn lead_away(&mut self, step: &str, url: &str) -> Result<bool, Refused> {
        if !self.is_active() || self.step_node() != step {
            return Ok(false);
        }
        self.happen(Fact::LedAway { step: step.into(), url: url.into() }, &Actor::system())
    }

    pub(crate) fn leave(&self) -> Option<LeaveView> {
        let leave = self.state.leave.as_ref().filter(|l| l.step == self.step_node())?;
        Some(LeaveView { url: leave.url.clone(), seq: leave.seq })
    }
}

//! Replies of calls: of one, of one among many, late, or never.

use super::effects::parse_deadline;
use super::{Move, Refused, Turn};
use crate::actor::Actor;
use crate::clock::new_id;
use crate::effect::{CallPayload, CallResult, FailureKind};
use crate::state::OpenOtp;
use engine_definitions::{Invoke, Source};
use engine_statechart::Event;
use engine_store::{CorrelationRecord, DocumentRecord, EffectKey, ReusableReply};
use serde_json::{Map, Value, json};

impl Turn<'_> {
    /// The outcome of a call's effect. A reply of a run that is over is recorded and changes nothing else (rule 13).
    pub fn reply(&mut self, effect: &EffectKey, payload: &CallPayload, result: CallResult) -> Result<(), Refused> {
        let system = Actor::system();
        self.work = json!({"effect": effect.to_string()});
        self.correlate(payload, &result);
        let result = self.keep_document(result);
        if let (Some(hash), CallResult::Done { output, .. }) = (&payload.reuse, &result) {
            self.out.replies.push(ReusableReply {
                source: payload.target.to_string(),
                input_hash: hash.clone(),
                output: output.clone(),
                at_ms: self.now_ms,
            });
        }
        let Some(invoke) = payload
            .invoke
            .as_deref()
            .and_then(|id| self.workflow.invoke(id))
            .filter(|i| self.runs(i, payload.run, &payload.key))
        else {
            let data = json!({"target": payload.target.to_string(), "run": payload.run, "key": payload.key, "result": describe(&result)});
            self.append("reply.dropped", data, &system);
            if payload.invoke.is_none()
                && let CallResult::Failed { code, message, .. } = &result
            {
                self.incident(&payload.target.to_string(), code, json!({"message": message}));
            }
            return Ok(());
        };
        self.settle(invoke, &payload.key, result, &system)?;
        self.resume()
    }

    /// Is this call still awaited?
    fn runs(&self, invoke: &Invoke, run: i64, key: &str) -> bool {
        self.state.runs.get(&invoke.id).is_some_and(|r| r.seq == run && r.open.contains_key(key))
    }

    /// A call of a state that is still active is awaited again, as an operator wants it; false when its run is over.
    pub fn reopen(&mut self, payload: &CallPayload, effect: &EffectKey, by: &Actor) -> bool {
        let Some(id) = payload.invoke.as_deref() else { return true };
        let Some(run) = self.state.runs.get_mut(id).filter(|run| run.seq == payload.run) else { return false };
        run.open.insert(payload.key.clone(), effect.index);
        self.append(RETRIED, json!({"invoke": id, "run": payload.run, "key": payload.key, "index": effect.index}), by);
        true
    }

    /// As the history has it.
    pub(super) fn reopen_again(&mut self, data: &Value, by: &Actor) {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| data.get(name).and_then(Value::as_i64).unwrap_or_default();
        if let Some(run) = self.state.runs.get_mut(text("invoke")).filter(|run| run.seq == number("run")) {
            run.open.insert(text("key").to_string(), number("index") as i32);
        }
        self.append(RETRIED, data.clone(), by);
    }

    /// Answers a pending question of this turn; false when it is no longer asked.
    pub fn settle_pending(&mut self, invoke: &str, run: i64, key: &str, result: CallResult) -> Result<bool, Refused> {
        let Some(invoke) = self.workflow.invoke(invoke) else { return Ok(false) };
        let Some(state) = self.state.runs.get(&invoke.id).filter(|r| r.seq == run) else { return Ok(false) };
        if invoke.each && state.of == 0 {
            self.complete(&invoke.id, &Actor::system())?;
            self.resume()?;
            return Ok(true);
        }
        let Some(index) = state.open.get(key).copied() else { return Ok(false) };
        if index >= 0 {
            self.cancel_call(run, index);
        }
        self.settle(invoke, key, result, &Actor::system())?;
        self.resume()?;
        Ok(true)
    }

    fn settle(&mut self, invoke: &Invoke, key: &str, result: CallResult, by: &Actor) -> Result<(), Refused> {
        if invoke.each { self.settle_one_of(invoke, key, result, by) } else { self.settle_single(invoke, result, by) }
    }

    pub(super) fn settle_single(&mut self, invoke: &Invoke, result: CallResult, by: &Actor) -> Result<(), Refused> {
        if let Some(run) = self.state.runs.get_mut(&invoke.id) {
            run.open.clear();
        }
        self.remember_otp(invoke, &result);
        let event = match result {
            CallResult::Done { output, .. } => {
                if let Some(into) = &invoke.into {
                    self.merge_into(into, &output);
                }
                Event::new(format!("xstate.done.actor.{}", invoke.id)).with("output", output)
            }
            CallResult::Failed { code, row, message, pointer, kind } => {
                let known = self.workflow.error_columns(invoke, &code, &row);
                let pointer = pointer.or_else(|| pointed(&known));
                let mut error = json!({"code": code, "row": row, "message": message, "pointer": pointer, "kind": kind});
                error.as_object_mut().into_iter().for_each(|error| error.extend(known.clone()));
                Event::new(format!("xstate.error.actor.{}", invoke.id)).with("error", error)
            }
        };
        if event.kind.starts_with("xstate.error.") && !invoke.handles_error {
            let detail = event.data.get("error").cloned().unwrap_or(Value::Null);
            self.append(&event.kind, Value::Object(event.data), by);
            self.incident(&invoke.id, "a failed call that nothing handles", detail);
            return Ok(());
        }
        self.deliver_internal(event, by)
    }

    /// Which password is open for a purpose, how many tries it has left, and that one was verified: from the answers of
    /// the system's sources, so that replay knows it too.
    fn remember_otp(&mut self, invoke: &Invoke, result: &CallResult) {
        let (Source::System(name), CallResult::Done { output, .. }) = (&invoke.source, result) else { return };
        let text = |field: &str| output.get(field).and_then(Value::as_str).unwrap_or_default().to_string();
        let left = output.get("left").and_then(Value::as_i64).and_then(|left| i32::try_from(left).ok()).unwrap_or(0);
        if name == "otp.send" {
            self.state.otps.insert(text("purpose"), OpenOtp { id: text("id"), left, sent_ms: self.now_ms });
        } else if output.get("ok") == Some(&Value::Bool(true)) {
            self.state.otps.remove(&text("purpose"));
            self.state.verified = true;
            self.meta["verified"] = Value::Bool(true);
        } else if let Some(open) = self.state.otps.get_mut(&text("purpose")) {
            open.left = left;
        }
    }

    /// `context.<into>` takes the fields of the output.
    fn merge_into(&mut self, into: &str, output: &Value) {
        let context = &mut self.state.snapshot.context;
        match output.as_object() {
            Some(new) => super::map_at(context, into).extend(new.clone()),
            None => super::set_path(context, into, output.clone()),
        }
    }

    pub(super) fn settle_one_of(
        &mut self,
        invoke: &Invoke,
        key: &str,
        result: CallResult,
        by: &Actor,
    ) -> Result<(), Refused> {
        let Some(into) = invoke.into.clone() else { return Ok(()) };
        let Some(run) = self.state.runs.get_mut(&invoke.id) else { return Ok(()) };
        run.open.remove(key);
        let (late, all_in, settled) = (run.settled, run.open.is_empty(), run.settled);
        let mut row = self
            .answers
            .get(&into)
            .and_then(|rows| rows.get(key))
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        row.insert("late".into(), Value::Bool(late));
        row.insert("answered_at".into(), Value::String(self.now_text()));
        match &result {
            CallResult::Done { output, .. } => {
                row.insert("state".into(), "quoted".into());
                row.insert("output".into(), output.clone());
            }
            CallResult::Failed { code, row: of, message, kind, .. } => {
                row.insert(
                    "state".into(),
                    if *kind == FailureKind::Declined { "declined".into() } else { "failed".into() },
                );
                let mut error = self.workflow.error_columns(invoke, code, of);
                error.extend([("code".into(), json!(code)), ("message".into(), json!(message))]);
                row.insert("error".into(), Value::Object(error));
            }
        }
        self.append("answer", json!({"invoke": invoke.id, "key": key, "result": describe(&result), "late": late}), by);
        self.put_answer(&into, key, Value::Object(row));
        if invoke.on_reply {
            let event = Event::new(format!("reply.{}", invoke.id)).with("key", key);
            self.feed(Move::Event(&event))?;
        }
        if all_in && !settled && !self.replaying { self.complete(&invoke.id, by) } else { Ok(()) }
    }

    /// All have settled, or the deadline has come: the done event, once.
    pub(super) fn complete(&mut self, id: &str, by: &Actor) -> Result<(), Refused> {
        let Some(run) = self.state.runs.get_mut(id) else { return Ok(()) };
        if run.settled {
            return Ok(());
        }
        run.settled = true;
        let (of, open, deadline, seq) = (run.of, run.open.len(), run.deadline_ms, run.seq);
        if deadline.is_some_and(|due| due > self.now_ms) {
            self.out.cancel_timers.push(super::effects::deadline_timer(id, seq));
        }
        let event =
            Event::new(format!("xstate.done.actor.{id}")).with("output", json!({"asked": of, "answered": of - open}));
        self.deliver_internal(event, by)
    }

    /// A timer of the runtime (`deadline:…`) or of the machine.
    pub fn fire(&mut self, timer: &str) -> Result<bool, Refused> {
        let system = Actor::system();
        let Some((seq, id)) = parse_deadline(timer) else {
            let before = self.step_node();
            let known = self.state.snapshot.timers.iter().any(|t| t.id == timer);
            if !known {
                return Ok(false);
            }
            self.append("timer", json!({"id": timer}), &system);
            self.feed(Move::Timer(timer))?;
            self.after_internal(&before);
            self.resume()?;
            return Ok(true);
        };
        let Some(invoke) = self.workflow.invoke(id) else { return Ok(false) };
        let Some(run) = self.state.runs.get(id).filter(|r| r.seq == seq && !r.settled) else { return Ok(false) };
        if invoke.each {
            self.complete(id, &system)?;
        } else {
            let open: Vec<i32> = run.open.values().copied().filter(|i| *i >= 0).collect();
            for index in open {
                self.cancel_call(seq, index);
            }
            let result = CallResult::Failed {
                code: "deadline".into(),
                row: String::new(),
                message: None,
                pointer: None,
                kind: FailureKind::Failed,
            };
            self.settle_single(invoke, result, &system)?;
        }
        self.resume()?;
        Ok(true)
    }

    pub(super) fn deliver_internal(&mut self, event: Event, by: &Actor) -> Result<(), Refused> {
        let before = self.step_node();
        self.append(&event.kind, Value::Object(event.data.clone()), by);
        self.feed(Move::Event(&event))?;
        self.after_internal(&before);
        Ok(())
    }

    /// A change of step moves the revision, whoever caused it (security rule 3).
    pub(super) fn after_internal(&mut self, before: &str) {
        self.moved(before, None);
        if self.step_node() != before && self.revision == self.base_revision {
            self.revision += 1;
        }
    }

    fn correlate(&mut self, payload: &CallPayload, result: &CallResult) {
        if let CallResult::Done { correlate, .. } = result {
            for (reference, expected) in correlate {
                let partner = payload.target.partner().to_string();
                self.out.correlations.push(CorrelationRecord {
                    partner,
                    reference: reference.clone(),
                    journey: self.journey.clone(),
                    expected: expected.clone(),
                });
            }
        }
    }

    fn keep_document(&mut self, result: CallResult) -> CallResult {
        let CallResult::Done { mut output, correlate, document: Some(document) } = result else { return result };
        let id = new_id();
        if !output.is_object() {
            output = Value::Object(Map::new());
        }
        if let Some(map) = output.as_object_mut() {
            map.insert("document".into(), Value::String(id.clone()));
        }
        self.out.documents.push(DocumentRecord {
            id,
            journey: self.journey.clone(),
            name: document.name,
            media_type: document.media_type,
            bytes: document.bytes,
            at_ms: self.now_ms,
        });
        CallResult::Done { output, correlate, document: None }
    }
}

/// Event of an operator's retry of a call.
pub(crate) const RETRIED: &str = "retried";

/// The field that a contract's row names for a code: a pointer into the form where it is corrected.
fn pointed(known: &Map<String, Value>) -> Option<String> {
    known.get("field").and_then(Value::as_str).filter(|field| !field.is_empty()).map(str::to_string)
}

/// For the history; enough to replay.
fn describe(result: &CallResult) -> Value {
    match result {
        CallResult::Done { output, .. } => json!({"output": output}),
        CallResult::Failed { code, row, message, pointer, kind } => {
            json!({"error": {"code": code, "row": row, "message": message, "pointer": pointer, "kind": kind}})
        }
    }
}

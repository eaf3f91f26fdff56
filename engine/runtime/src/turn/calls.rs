//! Replies of calls: of one, of one among many, late, or never.

use super::effects::{deadline_timer, parse_deadline};
use super::{Move, Refused, Turn};
use crate::actor::Actor;
use crate::clock::{new_id, rfc3339};
use crate::effect::{CallFailure, CallPayload, CallResult, DocumentBytes};
use crate::fact::{Awaited, Fact, Outcome, Work};
use crate::state::{AnswerRow, AnswerState, OpenOtp};
use engine_definitions::{CallErrorKind, Invoke, Source};
use engine_statechart::Event;
use engine_store::{CorrelationRecord, DocumentRecord, EffectKey, ReusableReply};
use serde_json::{Map, Value, json};

impl Turn<'_> {
    /// The outcome of a call's effect. A reply of a run that is over is recorded and changes nothing else.
    pub fn reply(&mut self, payload: &CallPayload, result: CallResult) -> Result<(), Refused> {
        let system = Actor::system();
        self.correlate(payload, result.correlate);
        let outcome = self.keep_document(result.outcome, result.document);
        if let (Some(hash), Outcome::Output(output)) = (&payload.reuse, &outcome) {
            self.writes.commit.replies.push(ReusableReply {
                source: payload.target.to_string(),
                input_hash: hash.clone(),
                output: output.clone(),
                at_ms: self.now_ms,
            });
        }
        let invoke = payload.invoke.as_deref().and_then(|id| self.workflow.invoke(id));
        if let Some(invoke) = invoke.filter(|invoke| self.is_awaited(invoke, payload.run, &payload.key)) {
            return self.happen(reply_fact(invoke, &payload.key, outcome, None), &system).map(drop);
        }
        if let (None, Outcome::Error(CallFailure { code, message, .. })) = (&payload.invoke, &outcome) {
            self.incident(&payload.target.to_string(), code, json!({"message": message}));
        }
        let (target, run, key) = (payload.target.clone(), payload.run, payload.key.clone());
        self.happen(Fact::Dropped { target, run, key, result: outcome }, &system).map(drop)
    }

    fn is_awaited(&self, invoke: &Invoke, run: i64, key: &str) -> bool {
        self.state.runs.get(&invoke.id).is_some_and(|r| r.seq == run && r.open.contains_key(key))
    }

    /// A call of a state that is still active is awaited again, as an operator wants it; false when its run is over.
    pub fn reopen(&mut self, payload: &CallPayload, effect: &EffectKey, by: &Actor) -> Result<bool, Refused> {
        let run = payload.invoke.as_ref().and_then(|id| Some((id, self.state.runs.get(id)?)));
        let Some((invoke, _)) = run.filter(|(_, run)| run.seq == payload.run) else { return Ok(false) };
        let (run, key, index) = (payload.run, payload.key.clone(), effect.index);
        let awaited = Some(Awaited { invoke: invoke.clone(), run, key, index });
        self.happen(Fact::Retried { work: Work::Effect(effect.clone()), awaited }, by)
    }

    /// The answer to a question of this turn; nothing when it is no longer asked. One that was given to an earlier call
    /// keeps its time: what it offers lasts no longer for being used again.
    pub fn answer(
        &mut self,
        invoke: &str,
        run: i64,
        key: &str,
        outcome: Outcome,
        given_ms: Option<i64>,
    ) -> Result<(), Refused> {
        let workflow = self.workflow;
        let Some(invoke) = workflow.invoke(invoke) else { return Ok(()) };
        let run_of = self.state.runs.get(&invoke.id).filter(|r| r.seq == run);
        let Some(index) = run_of.and_then(|run| run.open.get(key).copied()) else { return Ok(()) };
        if index >= 0 {
            self.cancel_call(run, index);
        }
        self.happen(reply_fact(invoke, key, outcome, given_ms), &Actor::system()).map(drop)
    }

    pub(super) fn call_ended(&mut self, invoke: &str, result: &Outcome) -> Result<bool, Refused> {
        let workflow = self.workflow;
        let Some(invoke) = workflow.invoke(invoke) else { return Ok(false) };
        if let Some(run) = self.state.runs.get_mut(&invoke.id) {
            run.open.clear();
        }
        let event = match result {
            Outcome::Output(output) => {
                self.remember_otp(invoke, output);
                if let Some(into) = &invoke.into {
                    self.merge_into(into, output);
                }
                Event::new(format!("xstate.done.actor.{}", invoke.id)).with("output", output.clone())
            }
            Outcome::Error(CallFailure { code, row, message, pointer, kind }) => {
                let known = self.workflow.error_columns(invoke, code, row);
                let pointer = pointer.clone().or_else(|| error_pointer(&known));
                let mut error = json!({"code": code, "row": row, "message": message, "pointer": pointer, "kind": kind});
                error.as_object_mut().into_iter().for_each(|error| error.extend(known.clone()));
                if !invoke.handles_error {
                    self.incident(&invoke.id, "a failed call that nothing handles", error);
                    return Ok(false);
                }
                Event::new(format!("xstate.error.actor.{}", invoke.id)).with("error", error)
            }
        };
        self.hear(&event)
    }

    /// An event of the machine's own.
    fn hear(&mut self, event: &Event) -> Result<bool, Refused> {
        let before = self.step_node();
        let taken = self.feed(Move::Event(event))?;
        self.moved_by_itself(before);
        Ok(taken)
    }

    /// Which password is open for a purpose, how many tries it has left, that one was verified, and that one of the
    /// staff has shown a second factor: from the answers of the system's sources, so that replay knows it too.
    fn remember_otp(&mut self, invoke: &Invoke, output: &Value) {
        let Source::System(name) = &invoke.source else { return };
        let text = |field: &str| output.get(field).and_then(Value::as_str).unwrap_or_default().to_string();
        let left = output.get("left").and_then(Value::as_i64).and_then(|left| i32::try_from(left).ok()).unwrap_or(0);
        if name.starts_with("person.") {
            return;
        }
        let shown = |field: &str| Some(text(field)).filter(|text| !text.is_empty());
        self.state.own_number = shown("own").or(self.state.own_number.take());
        self.state.taken_number = shown("taken").or(self.state.taken_number.take());
        if name == "totp.verify" {
            self.state.member = shown("member");
        } else if output.get("known") == Some(&Value::Bool(true)) {
            self.state.verified = true;
            self.meta.take();
        } else if name == "otp.send" {
            self.state.otps.insert(text("purpose"), OpenOtp { id: text("id"), left, sent_ms: self.now_ms });
        } else if output.get("ok") == Some(&Value::Bool(true)) {
            self.state.otps.remove(&text("purpose"));
            self.state.verified = true;
            self.state.proved.extend(Some(text("number")).filter(|number| !number.is_empty()));
            self.meta.take();
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

    pub(super) fn record_answer(
        &mut self,
        invoke: &str,
        key: &str,
        result: &Outcome,
        given_ms: Option<i64>,
    ) -> Result<bool, Refused> {
        let workflow = self.workflow;
        let Some((invoke, into)) = workflow.invoke(invoke).and_then(|i| Some((i, i.into.as_deref()?))) else {
            return Ok(false);
        };
        let Some(run) = self.state.runs.get_mut(&invoke.id) else { return Ok(false) };
        run.open.remove(key);
        let (run, late) = (run.seq, run.settled);
        let known = self.answers.take(into, key);
        let row = match known.map(serde_json::from_value) {
            Some(row) => row?,
            None => self.pending_answer(run),
        };
        let answered_at = Some(given_ms.map_or_else(|| self.now_text(), rfc3339));
        let row = match result {
            Outcome::Output(output) => {
                AnswerRow { state: AnswerState::Answered, output: Some(output.clone()), error: None, ..row }
            }
            Outcome::Error(CallFailure { code, row: of, message, kind, .. }) => {
                let state = match kind {
                    CallErrorKind::Declined => AnswerState::Declined,
                    CallErrorKind::Refused | CallErrorKind::Failed => AnswerState::Failed,
                };
                let mut error = workflow.error_columns(invoke, code, of);
                error.extend([("code".into(), json!(code)), ("message".into(), json!(message))]);
                AnswerRow { state, error: Some(error), ..row }
            }
        };
        self.answers.put(into, key, &AnswerRow { late, answered_at, ..row })?;
        if invoke.on_reply {
            self.hear(&Event::new(format!("reply.{}", invoke.id)).with("key", key))?;
        }
        Ok(true)
    }

    /// A fan-out without an open call that is not over yet.
    pub(super) fn all_answered(&self) -> Option<String> {
        let over = |(id, run): &(&String, &crate::state::Run)| {
            run.open.is_empty() && !run.settled && self.workflow.invoke(id).is_some_and(|invoke| invoke.each)
        };
        self.state.runs.iter().find(over).map(|(id, _)| id.clone())
    }

    /// The done event of a fan-out, once.
    pub(super) fn all_are_answered(&mut self, id: &str) -> Result<bool, Refused> {
        let Some(run) = self.state.runs.get_mut(id).filter(|run| !run.settled) else { return Ok(false) };
        run.settled = true;
        let (of, open, deadline, seq) = (run.of, run.open.len(), run.deadline_ms, run.seq);
        if deadline.is_some_and(|due| due > self.now_ms) {
            self.writes.cancel_timer(deadline_timer(id, seq));
        }
        let output = json!({"asked": of, "answered": of - open});
        self.hear(&Event::new(format!("xstate.done.actor.{id}")).with("output", output))
    }

    /// A timer of the runtime (`deadline:…`) or of the machine; false when there is none.
    pub fn fire(&mut self, timer: &str) -> Result<bool, Refused> {
        let system = Actor::system();
        let Some((seq, id)) = parse_deadline(timer) else {
            if !self.state.snapshot.timers.iter().any(|t| t.id == timer) {
                return Ok(false);
            }
            self.happen(Fact::TimerFired { timer: timer.into() }, &system)?;
            return Ok(true);
        };
        let Some(invoke) = self.workflow.invoke(id) else { return Ok(false) };
        let Some(run) = self.state.runs.get(id).filter(|r| r.seq == seq && !r.settled) else { return Ok(false) };
        let fact = if invoke.each {
            Fact::AllAnswered { invoke: id.into() }
        } else {
            let open: Vec<i32> = run.open.values().copied().filter(|i| *i >= 0).collect();
            for index in open {
                self.cancel_call(seq, index);
            }
            Fact::CallEnded { invoke: id.into(), result: Outcome::Error(CallFailure::of("deadline")) }
        };
        self.happen(fact, &system)?;
        Ok(true)
    }

    fn correlate(&mut self, payload: &CallPayload, references: Vec<(String, Value)>) {
        for (reference, expected) in references {
            let (partner, journey) = (payload.target.partner().to_string(), self.record.id.clone());
            self.expect_reference(CorrelationRecord { partner, reference, journey, expected });
        }
    }

    /// A document is kept under an id that the output then has.
    fn keep_document(&mut self, outcome: Outcome, document: Option<DocumentBytes>) -> Outcome {
        let (Outcome::Output(output), Some(document)) = (&outcome, document) else { return outcome };
        let id = new_id();
        let mut output = output.as_object().cloned().unwrap_or_default();
        output.insert("document".into(), Value::String(id.clone()));
        self.writes.commit.documents.push(DocumentRecord {
            id,
            journey: self.record.id.clone(),
            name: document.name,
            media_type: document.media_type,
            bytes: document.bytes,
            at_ms: self.now_ms,
        });
        Outcome::Output(Value::Object(output))
    }
}

fn reply_fact(invoke: &Invoke, key: &str, result: Outcome, given_ms: Option<i64>) -> Fact {
    let id = invoke.id.clone();
    match invoke.each {
        true => Fact::Answered { invoke: id, key: key.into(), result, given_ms },
        false => Fact::CallEnded { invoke: id, result },
    }
}

/// The field that a contract's row names for a code: a pointer into the form where it is corrected.
fn error_pointer(known: &Map<String, Value>) -> Option<String> {
    known.get("field").and_then(Value::as_str).filter(|field| !field.is_empty()).map(str::to_string)
}

//! Effects of a macrostep become rows: calls, messages, records, timers.

use super::external_events::MESSAGE_FAILED;
use super::{Move, Question, Refused, Turn};
use crate::actor::Actor;
use crate::effect::{CallPayload, Effect, LinkOrder, NotifyPayload, Target, message_lane};
use crate::fact::Fact;
use crate::state::{AnswerRow, AnswerState, Note, Run};
use engine_definitions::{AGREEMENT, Invoke, OnVersion, Operation, Reuse, Source};
use engine_statechart::{Effect as MachineEffect, Event};
use engine_store::{CorrelationRecord, EffectKey, Kept, NewEffect, NewRecord};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a workflow can order besides calls that it waits for.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Message(MessageSpec),
    Record {
        kind: String,
        #[serde(deserialize_with = "text_of")]
        key: String,
        #[serde(default)]
        data: Value,
    },
    Notify {
        message: String,
        #[serde(deserialize_with = "text_of")]
        to: String,
        #[serde(default)]
        data: Value,
        #[serde(default)]
        language: Option<String>,
        #[serde(default)]
        links: BTreeMap<String, LinkOrder>,
        #[serde(default)]
        attach: Option<String>,
    },
    Call {
        operation: String,
        #[serde(default = "nothing")]
        input: Value,
    },
    Correlate {
        partner: String,
        #[serde(deserialize_with = "text_of")]
        reference: String,
        #[serde(default)]
        expect: Value,
    },
    Revoke {
        purpose: String,
    },
    Resume {
        to: String,
    },
    Incident {
        #[serde(default = "default_level")]
        reason: String,
        #[serde(default)]
        detail: Value,
    },
    Track {
        step: String,
        #[serde(default)]
        data: Value,
    },
}

/// A text to the person; `from` is an error that has the rest.
#[derive(Deserialize)]
struct MessageSpec {
    code: Option<String>,
    level: Option<String>,
    pointer: Option<String>,
    #[serde(default)]
    from: Value,
    #[serde(default)]
    data: Value,
}

fn default_level() -> String {
    "reported by the workflow".into()
}

fn nothing() -> Value {
    json!({})
}

fn text_of<'d, D: Deserializer<'d>>(deserializer: D) -> Result<String, D::Error> {
    Ok(as_text(&Value::deserialize(deserializer)?))
}

/// Why the gate lets a message not go out, for states that hear of it.
const LIMITED: &str = "limited";
/// What the page says of it otherwise.
const WITHHELD: &str = "journey.withheld";
/// Attempts of what has no policy of its own.
pub(super) const ATTEMPTS_DEFAULT: i32 = 5;
/// Attempts of a call that its invoke prolongs: the deadline ends it, not a count.
const ATTEMPTS_PROLONGED: i32 = 10_000;

impl Turn<'_> {
    pub(super) fn order(&mut self, effects: Vec<MachineEffect>) -> Result<(), Refused> {
        for effect in effects {
            match effect {
                MachineEffect::Action { node, kind, fields } => self.act(&node, &kind, fields)?,
                MachineEffect::Invoke { id, input, .. } => self.invoke(&id, input)?,
                MachineEffect::Stop { id } => self.stop(&id),
                MachineEffect::StartTimer(timer) => self.writes.start_timer(timer.id, timer.due_ms),
                MachineEffect::CancelTimer { id } => self.writes.cancel_timer(id),
            }
        }
        Ok(())
    }

    /// Whether a law asks for records of this kind.
    pub(super) fn retention(&self, kind: &str) -> Kept {
        match self.catalog.law_of(kind) {
            Some(law) if law.on_account => Kept::OnAccount,
            Some(_) => Kept::ByLaw,
            None => Kept::No,
        }
    }

    fn act(&mut self, node: &str, kind: &str, fields: Map<String, Value>) -> Result<(), Refused> {
        let broken = |reason: String| Refused::Broken { place: node.into(), reason };
        let written = Value::Object(Map::from_iter([(kind.to_owned(), Value::Object(fields))]));
        let action = serde_json::from_value(written).map_err(|error| broken(format!("action `{kind}`: {error}")))?;
        match action {
            Action::Message(message) => self.tell(message),
            Action::Record { kind, .. } if kind == AGREEMENT && !self.state.verified => {
                return Err(refuse_unverified(node, "an agreement is recorded"));
            }
            Action::Record { kind, key, data } => {
                let kept = self.retention(&kind);
                self.writes.commit.records.push(NewRecord { kind, key, data, kept });
            }
            Action::Notify { message, to, data, language, links, attach } => {
                let languages = language.into_iter().collect();
                let data = if data.is_null() { json!({}) } else { data };
                let attach = attach.filter(|id| !id.is_empty());
                return self.notify(NotifyPayload {
                    message,
                    to,
                    data,
                    languages,
                    waits: None,
                    otp: None,
                    links,
                    attach,
                });
            }
            Action::Call { operation, input } => {
                let (partner, operation) = operation.split_once('/').unwrap_or((operation.as_str(), ""));
                let target = Target::Operation { partner: partner.into(), operation: operation.into() };
                let run = self.record.seq;
                let sent = self.receiver(&target, &input).zip(self.presser.clone());
                let message = target.to_string();
                let call = CallPayload { target, invoke: None, key: String::new(), run, input, reuse: None };
                let index = self.call(call, None, None)?;
                if let Some((to, presser)) = sent {
                    let effect = EffectKey { journey: self.record.id.clone(), seq: run, index };
                    self.questions.push(Question::Send { effect, message, to, presser });
                }
            }
            Action::Correlate { partner, reference, expect } => {
                let journey = self.record.id.clone();
                self.expect_reference(CorrelationRecord { partner, reference, journey, expected: expect });
            }
            Action::Resume { to } => self.resumes = Some(to),
            Action::Revoke { purpose } => drop(self.state.revoked.insert(purpose, self.now_ms)),
            Action::Incident { reason, detail } => self.incident(node, &reason, detail),
            Action::Track { step, data } => self.track(&step, data)?,
        }
        Ok(())
    }

    fn tell(&mut self, message: MessageSpec) {
        let MessageSpec { code, level, pointer, from, data } = message;
        let of = |name: &str| from.get(name).and_then(Value::as_str).map(str::to_string);
        let note = Note {
            code: code.or_else(|| of("code")).unwrap_or_else(|| "unknown".into()),
            level: level.or_else(|| of("level")).or_else(|| (!from.is_null()).then(|| "error".into())),
            pointer: of("pointer").or(pointer),
            // What an outage, or an answer that no rule knows, says of itself is for operators.
            text: of("message").filter(|words| {
                let unknown = of("code").is_some_and(|code| code.starts_with("partner."));
                !words.is_empty() && !unknown && of("kind").as_deref() != Some("failed")
            }),
            fields: data,
        };
        // Told again, not twice.
        self.state.messages.retain(|told| told.code != note.code || told.pointer != note.pointer);
        self.state.messages.push(note);
    }

    pub(crate) fn expect_reference(&mut self, correlation: CorrelationRecord) {
        self.writes.commit.correlations.push(correlation);
    }

    /// Orders a message in the journey's language; outside of its hours it is due when they begin.
    pub fn notify(&mut self, mut payload: NotifyPayload) -> Result<(), Refused> {
        payload.languages.extend([self.record.language.clone(), self.workflow.language.clone()]);
        payload.languages.dedup();
        let message = self.catalog.message(&payload.message);
        if let Some(message) = message {
            self.say_params(message.language(&payload.languages), &mut payload.data);
        }
        let waits = message.and_then(|m| m.waits(self.catalog.calendars(), self.now_ms));
        let due_ms = waits.as_ref().map_or(self.now_ms, |(_, opening)| *opening);
        payload.waits = waits.map(|(calendar, until)| quiet(&calendar, until));
        let lane = message_lane(&payload.message);
        let (links, message, to) = (payload.links.clone(), payload.message.clone(), payload.to.clone());
        // A one-time password has passed the gate when its message is ordered.
        let presser = self.presser.clone().filter(|_| payload.otp.is_none());
        let index = self.push_effect(Effect::Notify(payload), lane, ATTEMPTS_DEFAULT, None, due_ms)?;
        let effect = EffectKey { journey: self.record.id.clone(), seq: self.record.seq, index };
        for (name, order) in links {
            self.questions.push(Question::Link { effect: effect.clone(), name, order, to: to.clone() });
        }
        if let Some(presser) = presser {
            self.questions.push(Question::Send { effect, message, to, presser });
        }
        Ok(())
    }

    /// The gate lets a message not go out: it is not ordered, and the page says so.
    pub(crate) fn withhold(&mut self, effect: &EffectKey, message: String) -> Result<(), Refused> {
        self.writes.take_back(effect);
        self.questions.withhold(effect);
        self.happen(Fact::Withheld { message }, &Actor::system()).map(drop)
    }

    /// A message is not sent: a state that names [`MESSAGE_FAILED`] says it, else the program's own words do.
    pub(super) fn withheld(&mut self, message: &str) -> Result<(), Refused> {
        // what is told beside it as done is not
        self.state.messages.retain(Note::is_warning);
        if self.is_active() && self.names(MESSAGE_FAILED) {
            let event = Event::new(MESSAGE_FAILED).with("message", json!(message)).with("code", json!(LIMITED));
            self.feed(Move::Event(&event))?;
        } else {
            let (code, level) = (Some(WITHHELD.to_owned()), Some("warning".to_owned()));
            self.tell(MessageSpec { code, level, pointer: None, from: Value::Null, data: Value::Null });
        }
        Ok(())
    }

    /// A link of a message of this turn leads to the account, and opens nothing.
    pub(crate) fn make_plain(&mut self, effect: &EffectKey, name: &str) {
        self.writes.make_plain(effect, name);
    }

    /// What a message shows of the flow's `params`, under their names, is said in the message's language.
    fn say_params(&self, language: &str, data: &mut Value) {
        let said = &self.workflow.in_language(language).params;
        for (name, value) in data.as_object_mut().into_iter().flatten() {
            if let Some(word) = said.get(name).filter(|_| self.workflow.params.get(name) == Some(value)) {
                *value = word.clone();
            }
        }
    }

    fn invoke(&mut self, id: &str, input: Value) -> Result<(), Refused> {
        let Some(invoke) = self.workflow.invoke(id) else {
            return Err(Refused::Broken { place: id.into(), reason: format!("unknown invoke `{id}`") });
        };
        let mut run = Run {
            seq: self.record.seq,
            since_ms: self.now_ms,
            deadline_ms: invoke.deadline_ms.map(|d| self.now_ms + d),
            open: BTreeMap::new(),
            of: 0,
            settled: false,
            presser: self.presser.clone(),
        };
        if let Some(due) = run.deadline_ms {
            self.writes.start_timer(deadline_timer(id, run.seq), due);
        }
        if invoke.each {
            self.fan_out(invoke, &input, &mut run)?;
        } else {
            self.single(invoke, input, &mut run)?;
        }
        run.of = run.open.len();
        self.state.runs.insert(id.to_string(), run);
        Ok(())
    }

    fn single(&mut self, invoke: &Invoke, mut input: Value, run: &mut Run) -> Result<(), Refused> {
        let partner = input.get("partner").map(as_text);
        let input = input.get_mut("input").map(Value::take).unwrap_or(Value::Null);
        let target = match &invoke.source {
            Source::System(name) => {
                run.open.insert(String::new(), -1);
                self.questions.push(Question::System {
                    invoke: invoke.id.clone(),
                    run: run.seq,
                    name: name.clone(),
                    input,
                });
                return Ok(());
            }
            Source::Operation { partner, operation } => {
                Target::Operation { partner: partner.clone(), operation: operation.clone() }
            }
            Source::Contract(contract) => {
                Target::Contract { contract: contract.clone(), partner: partner.unwrap_or_default() }
            }
        };
        self.start_call(invoke, target, String::new(), input, run)
    }

    fn fan_out(&mut self, invoke: &Invoke, input: &Value, run: &mut Run) -> Result<(), Refused> {
        let Some(into) = invoke.into.clone() else { return Ok(()) };
        let before = self.answers.restart(&into);
        self.writes.clear_answers(&into);
        for call in input.get("calls").and_then(Value::as_array).into_iter().flatten() {
            let key = call.get("key").map(as_text).unwrap_or_default();
            let partner = call.get("partner").map(as_text).unwrap_or_else(|| key.clone());
            let target = match &invoke.source {
                Source::Operation { partner, operation } => {
                    Target::Operation { partner: partner.clone(), operation: operation.clone() }
                }
                Source::Contract(contract) | Source::System(contract) => {
                    Target::Contract { contract: contract.clone(), partner }
                }
            };
            let previous = before.get(&key).and_then(|row| row.get("output").or_else(|| row.get("previous")));
            let row = AnswerRow { previous: previous.cloned().unwrap_or_default(), ..self.pending_answer(run.seq) };
            self.answers.put(&into, &key, &row)?;
            self.start_call(invoke, target, key, call.get("input").cloned().unwrap_or(Value::Null), run)?;
        }
        Ok(())
    }

    pub(super) fn pending_answer(&self, run: i64) -> AnswerRow {
        AnswerRow {
            state: AnswerState::Asked,
            run,
            asked_at: self.now_text(),
            late: false,
            previous: Value::Null,
            answered_at: None,
            output: None,
            error: None,
        }
    }

    fn start_call(
        &mut self,
        invoke: &Invoke,
        target: Target,
        key: String,
        input: Value,
        run: &mut Run,
    ) -> Result<(), Refused> {
        let within = |reuse: &Reuse| (!reuse.across_all).then_some(self.record.id.as_str());
        let reuse = invoke.reuse.map(|reuse| hash_input(&target, &input, within(&reuse)));
        if let (Some(Reuse { age_ms: age, .. }), Some(hash)) = (invoke.reuse, &reuse) {
            self.questions.push(Question::Reuse {
                invoke: invoke.id.clone(),
                run: run.seq,
                key: key.clone(),
                source: target.to_string(),
                input_hash: hash.clone(),
                since_ms: self.now_ms - age,
            });
        }
        if let (Some(to), Some(presser)) = (self.receiver(&target, &input), self.presser.clone()) {
            let (invoke, key) = (invoke.id.clone(), key.clone());
            self.questions.push(Question::SendByCall { invoke, run: run.seq, key, to, presser });
        }
        let payload =
            CallPayload { target, invoke: Some(invoke.id.clone()), key: key.clone(), run: run.seq, input, reuse };
        let index = self.call(payload, invoke.retry_ms, run.deadline_ms.filter(|_| !invoke.each))?;
        run.open.insert(key, index);
        Ok(())
    }

    /// Whom a call sends a message.
    fn receiver(&self, target: &Target, input: &Value) -> Option<String> {
        let receiver = self.operation(target)?.sends()?;
        Some(input.get(receiver).map(as_text).unwrap_or_default())
    }

    fn call(&mut self, payload: CallPayload, retry_ms: Option<i64>, deadline_ms: Option<i64>) -> Result<i32, Refused> {
        let operation = self.operation(&payload.target);
        let takes = operation.and_then(|operation| operation.takes().next()).filter(|_| !self.state.verified);
        if let Some(takes) = takes {
            return Err(refuse_unverified(&payload.target.to_string(), &format!("it takes {}", takes.word())));
        }
        let attempts = match (retry_ms, operation) {
            (Some(_), _) => ATTEMPTS_PROLONGED,
            (None, Some(operation)) => operation.retry.attempts.max(1) as i32,
            (None, None) => 1,
        };
        let deadline = retry_ms.map(|r| self.now_ms + r).or(deadline_ms);
        let lane = payload.target.partner().to_string();
        Ok(self.push_effect(Effect::Call(payload), lane, attempts, deadline, self.now_ms)?)
    }

    pub(super) fn operation(&self, target: &Target) -> Option<&Operation> {
        match target {
            Target::Operation { partner, operation } => self.catalog.operation(partner, operation).map(|o| &**o),
            Target::Contract { contract, partner } => self.catalog.for_contract(contract, partner).map(|(_, o)| &**o),
        }
    }

    pub(super) fn push_effect(
        &mut self,
        order: Effect,
        lane: String,
        attempts_max: i32,
        deadline_ms: Option<i64>,
        due_at_ms: i64,
    ) -> serde_json::Result<i32> {
        let is_ahead = self.is_waited_for(&order);
        let (kind, payload) = order.into_row()?;
        Ok(self.writes.order(self.record.seq, |key| NewEffect {
            key,
            kind,
            lane,
            payload,
            due_at_ms,
            attempts_max,
            deadline_ms,
            is_ahead,
        }))
    }

    /// Whether a person sits and waits for it: for a code, or for a link in a message that is never delayed.
    fn is_waited_for(&self, order: &Effect) -> bool {
        let Effect::Notify(order) = order else { return false };
        let is_never_delayed = || self.catalog.message(&order.message).is_some_and(|m| !m.is_delayed());
        order.otp.is_some() || !order.links.is_empty() && is_never_delayed()
    }

    /// The state of an invoke was left: open calls and their deadline are over.
    fn stop(&mut self, id: &str) {
        let Some(run) = self.state.runs.remove(id) else { return };
        if run.deadline_ms.is_some() && !run.settled {
            self.writes.cancel_timer(deadline_timer(id, run.seq));
        }
        for index in run.open.values().copied().filter(|i| *i >= 0) {
            self.cancel_call(run.seq, index);
        }
        self.questions.stop_invoke(id);
    }

    pub(super) fn cancel_call(&mut self, seq: i64, index: i32) {
        let key = EffectKey { journey: self.record.id.clone(), seq, index };
        self.writes.cancel(key);
    }

    /// Every timer that could fire: the machine's and the deadlines of runs, as (due, id).
    pub fn due_timers(&self) -> Vec<(i64, String)> {
        let deadlines = self
            .state
            .runs
            .iter()
            .filter(|(_, r)| !r.settled)
            .filter_map(|(id, r)| Some((r.deadline_ms?, deadline_timer(id, r.seq))));
        self.state.snapshot.timers.iter().map(|t| (t.due_ms, t.id.clone())).chain(deadlines).collect()
    }

    /// What a change of version does to a timer: its delay says so, in the version to which the journey is pinned.
    pub fn on_version(&self, timer: &str) -> OnVersion {
        let name = self.state.snapshot.timers.iter().find(|t| t.id == timer).and_then(|t| t.name.as_deref());
        name.and_then(|name| self.workflow.delays.get(name)).copied().unwrap_or_default()
    }
}

/// Money and agreements wait for a verified number, whatever led here.
fn refuse_unverified(place: &str, what: &str) -> Refused {
    Refused::Broken { place: place.into(), reason: format!("{what}, and no number was verified in this journey") }
}

/// Timer that ends a run; beside the machine's own timers.
pub(super) fn deadline_timer(invoke: &str, seq: i64) -> String {
    format!("deadline:{seq}:{invoke}")
}

/// The invoke and run of a deadline timer's id.
pub(super) fn parse_deadline(id: &str) -> Option<(i64, &str)> {
    let (seq, invoke) = id.strip_prefix("deadline:")?.split_once(':')?;
    Some((seq.parse().ok()?, invoke))
}

/// Why a message is not sent now.
pub fn quiet(calendar: &str, until_ms: i64) -> Value {
    json!({"code": "quiet_hours", "calendar": calendar, "until": crate::clock::rfc3339(until_ms)})
}

/// Text of a scalar; other JSON as JSON.
pub(crate) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// Within a journey, or the same for all.
fn hash_input(target: &Target, input: &Value, within: Option<&str>) -> String {
    use sha2::Digest;
    let mut text = format!("{target}\n{}\n", within.unwrap_or_default()).into_bytes();
    write_canonical(input, &mut text);
    hex::encode(sha2::Sha256::digest(text))
}

/// JSON with sorted keys, so that equal inputs give equal hashes.
pub(crate) fn write_canonical(value: &Value, text: &mut Vec<u8>) {
    let mut comma: &[u8] = b"";
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push(b'{');
            for (key, value) in entries {
                text.extend_from_slice(comma);
                write_scalar(key, text);
                text.push(b':');
                write_canonical(value, text);
                comma = b",";
            }
            text.push(b'}');
        }
        Value::Array(list) => {
            text.push(b'[');
            for value in list {
                text.extend_from_slice(comma);
                write_canonical(value, text);
                comma = b",";
            }
            text.push(b']');
        }
        scalar => write_scalar(scalar, text),
    }
}

/// Writing to memory never fails.
fn write_scalar(scalar: &impl serde::Serialize, text: &mut Vec<u8>) {
    drop(serde_json::to_writer(text, scalar));
}

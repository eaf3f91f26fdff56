//! Effects of a macrostep become rows: calls, messages, records, timers.

use super::{Pending, Refused, Turn};
use crate::effect::{CallPayload, LinkOrder, NotifyPayload, Target};
use crate::state::{Note, Run};
use engine_definitions::{Invoke, OnVersion, Operation, Source};
use engine_statechart::Effect;
use engine_store::{CorrelationRecord, EffectKey, NewEffect, NewRecord, NewTimer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Attempts of what has no policy of its own.
pub(super) const ATTEMPTS_DEFAULT: i32 = 5;
/// Attempts of a call that its invoke prolongs: the deadline ends it, not a count.
const ATTEMPTS_PROLONGED: i32 = 10_000;

impl Turn<'_> {
    pub(super) fn order(&mut self, effects: Vec<Effect>) -> Result<(), Refused> {
        for effect in effects {
            match effect {
                Effect::Action { node, kind, fields } => self.act(&node, &kind, fields),
                Effect::Invoke { id, input, .. } => self.invoke(&id, input)?,
                Effect::Stop { id } => self.stop(&id),
                Effect::StartTimer(timer) => self.out.timers.push(NewTimer { id: timer.id, due_at_ms: timer.due_ms }),
                Effect::CancelTimer { id } => self.cancel_timer(id),
            }
        }
        Ok(())
    }

    fn cancel_timer(&mut self, id: String) {
        let started_here = self.out.timers.len();
        self.out.timers.retain(|t| t.id != id);
        if self.out.timers.len() == started_here {
            self.out.cancel_timers.push(id);
        }
    }

    fn act(&mut self, node: &str, kind: &str, mut fields: Map<String, Value>) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_string);
        match kind {
            "message" => {
                let from = fields.get("from").cloned().unwrap_or(Value::Null);
                let of = |name: &str| from.get(name).and_then(Value::as_str).map(str::to_string);
                let note = Note {
                    code: text("code").or_else(|| of("code")).unwrap_or_else(|| "unknown".into()),
                    level: text("level").or_else(|| of("level")).or_else(|| (!from.is_null()).then(|| "error".into())),
                    pointer: of("pointer").or_else(|| text("pointer")),
                    // What an outage, or an answer that no rule knows, says of itself is for operators (security rule 26).
                    text: of("message").filter(|words| {
                        let unknown = of("code").is_some_and(|code| code.starts_with("partner."));
                        !words.is_empty() && !unknown && of("kind").as_deref() != Some("failed")
                    }),
                    fields: fields.shift_remove("data").unwrap_or(Value::Null),
                };
                // Told again, not twice.
                self.state.messages.retain(|told| told.code != note.code || told.pointer != note.pointer);
                self.state.messages.push(note);
            }
            "record" => {
                let (kind, key) =
                    (text("kind").unwrap_or_default(), fields.get("key").map(as_text).unwrap_or_default());
                let data = fields.shift_remove("data").unwrap_or(Value::Null);
                self.out.records.push(NewRecord { kind, key, data });
            }
            "notify" => {
                let languages = text("language").into_iter().collect();
                let payload = NotifyPayload {
                    message: text("message").unwrap_or_default(),
                    to: fields.get("to").map(as_text).unwrap_or_default(),
                    data: fields.shift_remove("data").unwrap_or_else(|| json!({})),
                    languages,
                    waits: None,
                    otp: None,
                    links: fields
                        .shift_remove("links")
                        .and_then(|links| serde_json::from_value(links).ok())
                        .unwrap_or_default(),
                };
                self.notify(payload);
            }
            "call" => {
                let operation = text("operation").unwrap_or_default();
                let input = fields.shift_remove("input").unwrap_or_else(|| Value::Object(fields));
                let (partner, operation) = operation.split_once('/').unwrap_or((operation.as_str(), ""));
                let target = Target::Operation { partner: partner.into(), operation: operation.into() };
                self.call(
                    CallPayload { target, invoke: None, key: String::new(), run: self.seq, input, reuse: None },
                    None,
                    None,
                );
            }
            "correlate" => {
                let reference = fields.get("reference").map(as_text).unwrap_or_default();
                let partner = text("partner").unwrap_or_default();
                let expected = fields.shift_remove("expect").unwrap_or(Value::Null);
                self.expect_reference(CorrelationRecord {
                    partner,
                    reference,
                    journey: self.journey.clone(),
                    expected,
                });
            }
            "revoke" => drop(self.state.revoked.insert(text("purpose").unwrap_or_default(), self.now_ms)),
            "incident" => {
                let reason = text("reason").unwrap_or_else(|| "reported by the workflow".into());
                let detail = fields.shift_remove("detail").unwrap_or(Value::Null);
                self.incident(node, &reason, detail);
            }
            "track" => {
                let step = text("step").unwrap_or_default();
                self.track(&step, fields.shift_remove("data").unwrap_or(Value::Null));
            }
            // Other named effects are jobs of their own name.
            other => {
                let lane = other.to_string();
                self.push_effect(other, lane, Value::Object(fields), ATTEMPTS_DEFAULT, None, self.now_ms);
            }
        }
    }

    pub(crate) fn expect_reference(&mut self, correlation: CorrelationRecord) {
        self.out.correlations.push(correlation);
    }

    /// In the journey's language; outside of its hours it is due when they begin.
    pub fn notify(&mut self, mut payload: NotifyPayload) {
        let own = self.meta.get("language").and_then(Value::as_str).unwrap_or_default();
        payload.languages.extend([own.to_string(), self.workflow.language.clone()]);
        payload.languages.dedup();
        let waits = self.catalog.message(&payload.message).and_then(|m| m.waits(self.catalog.calendars(), self.now_ms));
        let due_ms = waits.as_ref().map_or(self.now_ms, |(_, opening)| *opening);
        payload.waits = waits.map(|(calendar, until)| quiet(&calendar, until));
        let lane = format!("message:{}", payload.message);
        let links = payload.links.clone();
        let payload = serde_json::to_value(payload).unwrap_or(Value::Null);
        let index = self.push_effect("notify", lane, payload, ATTEMPTS_DEFAULT, None, due_ms);
        for (name, LinkOrder { purpose, valid_ms }) in links {
            let effect = EffectKey { journey: self.journey.clone(), seq: self.seq, index };
            self.pending.push_back(Pending::Link { effect, name, purpose, valid_ms });
        }
    }

    fn invoke(&mut self, id: &str, input: Value) -> Result<(), Refused> {
        let Some(invoke) = self.workflow.invoke(id) else {
            return Err(Refused::Broken { place: id.into(), reason: format!("unknown invoke `{id}`") });
        };
        let mut run = Run {
            seq: self.seq,
            since_ms: self.now_ms,
            deadline_ms: invoke.deadline_ms.map(|d| self.now_ms + d),
            open: BTreeMap::new(),
            of: 0,
            settled: false,
        };
        if let Some(due) = run.deadline_ms {
            self.out.timers.push(NewTimer { id: deadline_timer(id, run.seq), due_at_ms: due });
        }
        if invoke.each {
            self.fan_out(invoke, &input, &mut run);
        } else {
            self.single(invoke, input, &mut run);
        }
        run.of = run.open.len();
        let empty = run.open.is_empty() && !matches!(invoke.source, Source::System(_));
        self.state.runs.insert(id.to_string(), run);
        if empty {
            // A fan-out over nobody is over at once.
            self.pending.push_back(Pending::System {
                invoke: id.into(),
                run: self.seq,
                name: "settled".into(),
                input: Value::Null,
            });
        }
        Ok(())
    }

    fn single(&mut self, invoke: &Invoke, mut input: Value, run: &mut Run) {
        let partner = input.get("partner").map(as_text);
        let input = input.get_mut("input").map(Value::take).unwrap_or(Value::Null);
        let target = match &invoke.source {
            Source::System(name) => {
                run.open.insert(String::new(), -1);
                self.pending.push_back(Pending::System {
                    invoke: invoke.id.clone(),
                    run: run.seq,
                    name: name.clone(),
                    input,
                });
                return;
            }
            Source::Operation { partner, operation } => {
                Target::Operation { partner: partner.clone(), operation: operation.clone() }
            }
            Source::Contract(contract) => {
                Target::Contract { contract: contract.clone(), partner: partner.unwrap_or_default() }
            }
        };
        self.start_call(invoke, target, String::new(), input, run);
    }

    fn fan_out(&mut self, invoke: &Invoke, input: &Value, run: &mut Run) {
        let Some(into) = invoke.into.clone() else { return };
        let before = self.answers.remove(&into).unwrap_or_default();
        self.cleared_answers.insert(into.clone());
        self.changed_answers.retain(|(name, _)| *name != into);
        self.answers.insert(into.clone(), Map::new());
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
            let previous = before
                .get(&key)
                .and_then(|row| row.get("output").or_else(|| row.get("previous")))
                .filter(|v| !v.is_null())
                .cloned();
            let row = json!({"state": "asked", "run": run.seq, "asked_at": self.now_text(), "late": false, "previous": previous});
            self.put_answer(&into, &key, row);
            self.start_call(invoke, target, key, call.get("input").cloned().unwrap_or(Value::Null), run);
        }
    }

    fn start_call(&mut self, invoke: &Invoke, target: Target, key: String, input: Value, run: &mut Run) {
        let reuse = invoke.reuse_ms.map(|_| hash_input(&target, &input));
        if let (Some(age), Some(hash)) = (invoke.reuse_ms, &reuse) {
            self.pending.push_back(Pending::Reuse {
                invoke: invoke.id.clone(),
                run: run.seq,
                key: key.clone(),
                source: target.to_string(),
                input_hash: hash.clone(),
                since_ms: self.now_ms - age,
            });
        }
        let payload =
            CallPayload { target, invoke: Some(invoke.id.clone()), key: key.clone(), run: run.seq, input, reuse };
        let index = self.call(payload, invoke.retry_ms, run.deadline_ms.filter(|_| !invoke.each));
        run.open.insert(key, index);
    }

    fn call(&mut self, payload: CallPayload, retry_ms: Option<i64>, deadline_ms: Option<i64>) -> i32 {
        let operation = self.operation(&payload.target);
        let attempts = match (retry_ms, operation) {
            (Some(_), _) => ATTEMPTS_PROLONGED,
            (None, Some(operation)) => operation.retry.attempts.max(1) as i32,
            (None, None) => 1,
        };
        let deadline = retry_ms.map(|r| self.now_ms + r).or(deadline_ms);
        let lane = payload.target.partner().to_string();
        let payload = serde_json::to_value(payload).unwrap_or(Value::Null);
        self.push_effect("call", lane, payload, attempts, deadline, self.now_ms)
    }

    pub(super) fn operation(&self, target: &Target) -> Option<&Operation> {
        match target {
            Target::Operation { partner, operation } => self.catalog.operation(partner, operation).map(|o| &**o),
            Target::Contract { contract, partner } => self.catalog.for_contract(contract, partner).map(|(_, o)| &**o),
        }
    }

    pub(super) fn push_effect(
        &mut self,
        kind: &str,
        lane: String,
        payload: Value,
        attempts_max: i32,
        deadline_ms: Option<i64>,
        due_at_ms: i64,
    ) -> i32 {
        let index = self.take_index();
        let key = EffectKey { journey: self.journey.clone(), seq: self.seq, index };
        self.out.effects.push(NewEffect {
            key,
            kind: kind.into(),
            lane,
            payload,
            due_at_ms,
            attempts_max,
            deadline_ms,
        });
        index
    }

    /// The state of an invoke was left: open calls and their deadline are over.
    fn stop(&mut self, id: &str) {
        let Some(run) = self.state.runs.remove(id) else { return };
        if run.deadline_ms.is_some() && !run.settled {
            self.cancel_timer(deadline_timer(id, run.seq));
        }
        for index in run.open.values().copied().filter(|i| *i >= 0) {
            self.cancel_call(run.seq, index);
        }
        self.pending.retain(|p| match p {
            Pending::System { invoke, .. } | Pending::Reuse { invoke, .. } => invoke != id,
            Pending::Sent { .. } | Pending::Link { .. } => true,
        });
    }

    pub(super) fn cancel_call(&mut self, seq: i64, index: i32) {
        let key = EffectKey { journey: self.journey.clone(), seq, index };
        let ordered_here = self.out.effects.len();
        self.out.effects.retain(|e| e.key != key);
        if self.out.effects.len() == ordered_here {
            self.out.cancel_effects.push(key);
        }
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

fn hash_input(target: &Target, input: &Value) -> String {
    use sha2::Digest;
    let mut text = format!("{target}\n").into_bytes();
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

//! One journey of a story: what happens to it, what it shows.

use crate::actor::{Action, Actor, can};
use crate::comparison::{Difference, differ, each_in, none_in};
use crate::core::Passwords;
use crate::effect::{CallFailure, CallPayload, CallResult, Effect, NotifyPayload};
use crate::fact::{Fact, Outcome};
use crate::journeys::{Applied, apply_event, new_journey};
use crate::render::{draw, render};
use crate::turn::{Journey, Question, Refused, Turn, differences};
use engine_definitions::story::{Act, Answer, Expect, Sender, Story, StoryStep};
use engine_definitions::{Catalog, FieldError, Operation, Partner, Workflow};
use engine_statechart::Scope;
use engine_statechart::expression::Expression;
use engine_store::{Commit, EffectKey, EventRecord, JourneyRecord};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The code that `otp: correct` enters.
const CODE: &str = "123456";
/// The key that stands for each row of an `each` that is still asked.
const EACH: &str = "*";
/// Settings of one-time passwords, as the settings' defaults have them.
const PASSWORDS: Passwords = Passwords { ttl_ms: 300_000, resend_ms: 30_000, tries: 5 };

/// What one step of the story showed.
#[derive(Default)]
pub struct Seen {
    effects: Vec<Value>,
    errors: Vec<FieldError>,
    refused: Option<String>,
}

/// A journey that stands where a step of a story left it.
#[derive(Clone)]
pub struct Stage<'a> {
    catalog: &'a Catalog,
    workflow: &'a Workflow,
    actor: Actor,
    /// Roles of who has sent last: the page is shown to them.
    roles: Vec<String>,
    /// `{name, mobile, email}` of who is signed in.
    signed_in: Value,
    now_ms: i64,
    record: JourneyRecord,
    calls: BTreeMap<EffectKey, CallPayload>,
    /// Successes that a call with `reuse` takes instead of a new call, and when they came.
    replies: BTreeMap<(String, String), (i64, Value)>,
    events: Vec<EventRecord>,
}

impl<'a> Stage<'a> {
    pub fn open(catalog: &'a Catalog, workflow: &'a Workflow, story: &Story) -> Result<Self, String> {
        let mut actor = Actor::visitor("story");
        actor.language = story.language.clone().unwrap_or(actor.language);
        actor.channel = story.channel.clone().unwrap_or(actor.channel);
        let now_ms = story.at_ms.unwrap_or(1_795_200_000_000);
        let new = new_journey(workflow, &actor, None, story.attribution.clone());
        let turn =
            Turn::begin(workflow, catalog, "story", new, &actor, now_ms).map_err(|refused| format!("{refused:?}"))?;
        let mut record = (*turn.record).clone();
        record.seq = 0;
        let mut stage = Stage {
            catalog,
            workflow,
            roles: actor.roles.clone(),
            signed_in: story.signed_in.clone(),
            actor,
            now_ms,
            record,
            calls: BTreeMap::new(),
            replies: BTreeMap::new(),
            events: Vec::new(),
        };
        stage.end(turn, &mut Seen::default());
        Ok(stage)
    }

    fn turn(&self) -> Result<Turn<'a>, String> {
        Ok(Turn::on(self.workflow, self.catalog, Journey::read(self.record.clone())?, self.now_ms))
    }

    pub fn play(&mut self, step: &StoryStep) -> Seen {
        let mut seen = Seen::default();
        match &step.act {
            Act::Look => {}
            Act::Send { kind, data, change: Value::Null, by } => self.send(kind, data, by, &mut seen),
            Act::Send { kind, change, by, .. } => {
                let mut data = self.form_data();
                merge(&mut data, change);
                self.send(kind, &data, by, &mut seen);
            }
            Act::Otp { correct, into } => {
                let field = into.clone().or_else(|| self.secret_field()).unwrap_or_else(|| "otp".into());
                let mut data = Map::new();
                data.insert(field, Value::from(if *correct { CODE } else { "000000" }));
                self.send("submit", &Value::Object(data), &Sender::default(), &mut seen);
            }
            Act::Reply { invoke, key, answer } if key.as_deref() == Some(EACH) => {
                let open = self.calls.values().filter(|call| is_of(call, invoke)).map(|call| call.key.clone());
                let open: BTreeSet<String> = open.collect();
                if open.is_empty() {
                    seen.refused = Some(format!("no open call of `{invoke}`"));
                }
                open.iter().for_each(|key| self.reply(invoke, key, answer, &mut seen));
            }
            Act::Reply { invoke, key, answer } => {
                self.reply(invoke, key.as_deref().unwrap_or_default(), answer, &mut seen)
            }
            Act::Event { kind, data } => {
                let data = data.as_object().cloned().unwrap_or_default();
                self.internal(&mut seen, |turn| {
                    // Like the runtime: an event that nothing takes is an incident, not an error.
                    turn.receive(kind, data.clone()).map(drop)
                });
            }
            Act::Advance { ms } => self.advance(*ms, &mut seen),
        }
        seen
    }

    fn secret_field(&self) -> Option<String> {
        let turn = self.turn().ok()?;
        let step = self.workflow.step(&turn.state.snapshot.active)?;
        self.workflow.form(step.form.as_deref()?)?.secrets().first().cloned()
    }

    fn send(&mut self, kind: &str, data: &Value, by: &Sender, seen: &mut Seen) {
        let mut actor = self.actor.clone();
        if let Some(purpose) = by.link.as_deref() {
            // Acts as one who followed a link of this purpose in a browser of their own.
            actor.id = "somebody".into();
            let opened = self.workflow.link_events(purpose, &self.record.step).map(|events| (purpose, events));
            actor = actor.came_by(&self.record.id, opened.into_iter()).unwrap_or(actor);
            if !can(self.catalog.policy(), &actor, Action::See, &self.record) {
                return seen.refused = Some("not_found".into());
            }
            if !can(self.catalog.policy(), &actor, Action::Send(kind), &self.record) {
                return seen.refused = Some("not_accepted".into());
            }
        }
        if let Some(role) = &by.role {
            actor.roles = vec![role.clone()];
        }
        if by.partner.is_some() {
            actor.partner.clone_from(&by.partner);
        }
        self.roles.clone_from(&actor.roles);
        let mut turn = match self.turn() {
            Ok(turn) => turn,
            Err(reason) => return seen.refused = Some(reason),
        };
        match apply_event(&mut turn, &actor, kind, data, &|plain| format!("sealed:{plain}")) {
            Ok(Applied::Done) => self.end(turn, seen),
            Ok(Applied::Invalid(errors)) => {
                seen.refused = Some("invalid".into());
                seen.errors = errors;
            }
            Err(Refused::Unselected) => seen.refused = Some("not_accepted".into()),
            Err(Refused::Broken { place, reason }) => seen.refused = Some(format!("broken at {place}: {reason}")),
        }
    }

    fn reply(&mut self, invoke: &str, key: &str, answer: &Answer, seen: &mut Seen) {
        let call = self.calls.iter().rev().find(|(_, call)| call.key == key && is_of(call, invoke));
        let Some((effect, payload)) = call.map(|(k, c)| (k.clone(), c.clone())) else {
            seen.refused = Some(format!(
                "no open call of `{invoke}`{}",
                if key.is_empty() { String::new() } else { format!(" for `{key}`") }
            ));
            return;
        };
        let result = match answer {
            Answer::Output(output) => self.map_output(&payload, output.clone()),
            Answer::Error(error) => failure(error),
            Answer::Example { name, change } => match self.example(&payload, name) {
                Some(Ok(mut output)) => {
                    merge(&mut output, change);
                    self.map_output(&payload, output)
                }
                Some(Err(error)) => failure(&error),
                None => Err(format!("`{invoke}` has no example `{name}`")),
            },
        };
        let result = match result {
            Ok(result) => result,
            Err(why) => return seen.refused = Some(why),
        };
        self.calls.remove(&effect);
        self.internal(seen, |turn| turn.reply(&payload, result.clone()));
    }

    /// An output as the partner's mapping would give it: with the contract's defaults, and nothing else.
    fn map_output(&self, payload: &CallPayload, mut output: Value) -> Result<CallResult, String> {
        let invoke = payload.invoke.as_deref().and_then(|id| self.workflow.invoke(id));
        let Some(contract) = invoke.and_then(|invoke| self.workflow.contract(invoke)) else {
            return Ok(CallResult::output(output));
        };
        // The id of a kept document is given by the runtime.
        let keeps = self.operation(payload).is_some_and(|(_, operation)| operation.document);
        if let (Some(map), true) = (output.as_object_mut(), keeps) {
            map.entry("document").or_insert_with(|| "document".into());
        }
        let output = contract.output(output).map_err(|misfit| format!("output: {misfit}, by `{}`", contract.id))?;
        Ok(CallResult::output(output))
    }

    fn operation(&self, payload: &CallPayload) -> Option<(&Partner, &Operation)> {
        use crate::effect::Target;
        Some(match &payload.target {
            Target::Operation { partner, operation } => {
                (self.catalog.partner(partner)?, self.catalog.operation(partner, operation)?)
            }
            Target::Contract { contract, partner } => {
                let (partner, operation) = self.catalog.for_contract(contract, partner)?;
                (partner, operation)
            }
        })
    }

    /// Output or error of an example, the error as its mapping gives it.
    fn example(&self, payload: &CallPayload, name: &str) -> Option<Result<Value, Value>> {
        let (partner, operation) = self.operation(payload)?;
        let example = operation.examples.iter().find(|e| e.name == name)?;
        if let Some(output) = &example.output {
            return Some(Ok(output.clone()));
        }
        let error = self.catalog.example_error(partner, operation, example)?;
        Some(Err(json!({
            "code": error.code, "row": error.row, "message": error.message, "kind": error.kind.as_str(),
        })))
    }

    /// What the form of the shown step holds.
    fn form_data(&self) -> Value {
        let Ok(turn) = self.turn() else { return Value::Null };
        let view =
            render(&turn, &self.actor, (Some("story"), None), &|partner| format!("https://here/return/{partner}"));
        serde_json::to_value(view).map(|mut view| view["step"]["form"]["data"].take()).unwrap_or_default()
    }

    /// Whether a state, named from the root, is active.
    /// What an expression of the flow gives here.
    pub fn evaluate(&self, expression: &Expression) -> Result<Value, String> {
        let turn = self.turn()?;
        let (host, context) = (turn.host_in(self.workflow), turn.context());
        let scope = Scope::new().with_host(&host).with_context(&context);
        expression.eval(&scope).map_err(|error| error.message)
    }

    pub fn is_active(&self, name: &str) -> bool {
        self.turn().is_ok_and(|turn| is_active(self.workflow, &turn.state.snapshot.active, name))
    }

    fn advance(&mut self, ms: i64, seen: &mut Seen) {
        let end = self.now_ms + ms;
        // Each firing removes or settles its timer; a workflow that never rests is cut off.
        for _ in 0..1_000 {
            let Ok(turn) = self.turn() else { break };
            let Some((due, id)) = turn.due_timers().into_iter().filter(|(due, _)| *due <= end).min() else { break };
            self.now_ms = self.now_ms.max(due);
            self.internal(seen, |turn| turn.fire(&id).map(drop));
        }
        self.now_ms = end;
    }

    fn internal(&mut self, seen: &mut Seen, act: impl Fn(&mut Turn) -> Result<(), Refused>) {
        let mut turn = match self.turn() {
            Ok(turn) => turn,
            Err(reason) => return seen.refused = Some(reason),
        };
        match act(&mut turn) {
            Ok(()) => self.end(turn, seen),
            Err(Refused::Unselected) => seen.refused = Some("not_accepted".into()),
            Err(Refused::Broken { place, reason }) => seen.refused = Some(format!("broken at {place}: {reason}")),
        }
    }

    /// Answers what the turn asks, then keeps its commit as the store would.
    fn end(&mut self, mut turn: Turn<'a>, seen: &mut Seen) {
        while let Some(question) = turn.question() {
            let answered = match question {
                Question::Reuse { invoke, run, key, source, input_hash, since_ms } => {
                    match self.replies.get(&(source, input_hash)).filter(|(came_ms, _)| *came_ms >= since_ms) {
                        Some((came_ms, output)) => {
                            turn.answer(&invoke, run, &key, Outcome::Output(output.clone()), Some(*came_ms))
                        }
                        None => Ok(()),
                    }
                }
                Question::Resend { seq } => {
                    let sent = self.events.iter().find(|event| event.seq == seq);
                    turn.resend(sent.and_then(|event| Fact::read(event).ok()));
                    Ok(())
                }
                Question::Known => {
                    turn.answer_known(&self.actor);
                    Ok(())
                }
                Question::Send { .. } | Question::SendByCall { .. } | Question::Link { .. } => Ok(()),
                Question::System { invoke, run, name, input } => self
                    .system(&name, &input, &mut turn)
                    .and_then(|result| turn.answer(&invoke, run, "", result.outcome, None)),
            };
            if let Err(refused) = answered {
                return seen.refused = Some(format!("{refused:?}"));
            }
        }
        let notes = turn.state.messages.clone();
        match turn.commit() {
            Ok((commit, _)) => self.keep(*commit, seen),
            Err(error) => return seen.refused = Some(error.to_string()),
        }
        seen.effects.extend(
            notes
                .into_iter()
                .map(|n| json!({"message": n.code, "level": n.level, "pointer": n.pointer, "text": n.text})),
        );
    }

    fn system(&mut self, name: &str, input: &Value, turn: &mut Turn<'_>) -> Result<CallResult, Refused> {
        let purpose = input.get("purpose").and_then(Value::as_str).unwrap_or_default();
        Ok(match name {
            "otp.send" => {
                let to = input.get("mobile").and_then(Value::as_str).unwrap_or_default().to_string();
                let is_known = !to.is_empty() && self.signed_in["mobile"] == to.as_str();
                if is_known && self.workflow.signs_in.is_none() {
                    return Ok(PASSWORDS.not_needed(purpose, self.now_ms));
                }
                let message = input.get("message").and_then(Value::as_str).filter(|message| !message.is_empty());
                turn.notify(NotifyPayload {
                    message: message.unwrap_or("otp").into(),
                    to,
                    data: json!({}),
                    languages: Vec::new(),
                    waits: None,
                    otp: None,
                    links: BTreeMap::new(),
                    attach: None,
                })?;
                PASSWORDS.send_result("otp", purpose, self.now_ms)
            }
            "otp.verify" => {
                let code = input.get("code").and_then(Value::as_str);
                PASSWORDS.verify(turn, purpose, |_| code == Some(&format!("sealed:{CODE}")))
            }
            "totp.verify" => {
                let ok = input.get("code").and_then(Value::as_str) == Some(&format!("sealed:{CODE}"));
                let (reason, member) = if ok { ("verified", "member") } else { ("wrong", "") };
                CallResult::output(json!({"ok": ok, "reason": reason, "member": member}))
            }
            "person.contact" => {
                let ok = self.signed_in.is_object();
                let told = |name: &str| self.signed_in[name].as_str().unwrap_or_default();
                let (name, mobile, email) = (told("name"), told("mobile"), told("email"));
                CallResult::output(json!({"ok": ok, "name": name, "mobile": mobile, "email": email, "shown": false}))
            }
            "person.record" => {
                let told = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
                let found = &self.signed_in["records"][told("kind")][told("key")];
                let (record, context) = (&found["record"], &found["context"]);
                CallResult::output(json!({"ok": found.is_object(), "record": record, "context": context}))
            }
            "person.note" => {
                let told = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
                let found = &self.signed_in["records"][told("kind")][told("key")];
                CallResult::output(json!({"ok": found.is_object()}))
            }
            "person.restore" => CallResult::output(json!({"ok": true})),
            _ => CallResult::output(Value::Null),
        })
    }

    fn keep(&mut self, commit: Commit, seen: &mut Seen) {
        for effect in commit.effects {
            let written = json!({"kind": effect.kind, "payload": effect.payload});
            match serde_json::from_value(written) {
                Ok(Effect::Call(call)) => self.keep_call(effect.key, call, seen),
                Ok(Effect::Notify(NotifyPayload { message, to, data, links, attach, .. })) => {
                    let effect = json!({"notify": message, "to": to, "data": data, "links": links, "attach": attach});
                    seen.effects.push(effect);
                }
                Ok(Effect::Track(_)) => {
                    let mut fields = effect.payload.as_object().cloned().unwrap_or_default();
                    fields.insert("kind".into(), effect.kind.into());
                    seen.effects.push(Value::Object(fields));
                }
                Err(error) => seen.refused = Some(format!("effect `{}`: {error}", effect.kind)),
            }
        }
        for cancelled in &commit.cancel_effects {
            if let Some(call) = self.calls.remove(cancelled) {
                seen.effects.push(json!({"cancel": describe_call(&call)["call"], "key": call.key}));
            }
        }
        seen.effects
            .extend(commit.records.into_iter().map(|r| json!({"record": r.kind, "key": r.key, "data": r.data})));
        seen.effects.extend(commit.incidents.into_iter().map(|i| json!({"incident": i.reason, "place": i.place})));
        seen.effects
            .extend(commit.correlations.into_iter().map(|c| json!({"correlate": c.reference, "expect": c.expected})));
        let now_ms = self.now_ms;
        self.replies.extend(commit.replies.into_iter().map(|r| ((r.source, r.input_hash), (now_ms, r.output))));
        for into in &commit.clear_answers {
            self.record.answers.retain(|a| a.into != *into);
        }
        for answer in commit.answers {
            self.record.answers.retain(|a| (&a.into, &a.key) != (&answer.into, &answer.key));
            self.record.answers.push(answer);
        }
        for event in commit.events {
            self.record.seq += 1;
            self.events.push(EventRecord {
                seq: self.record.seq,
                kind: event.kind,
                data: event.data,
                by: event.by,
                at_ms: event.at_ms,
            });
        }
        self.record.state = commit.update.state;
        self.record.revision = commit.update.revision;
        self.record.status = commit.update.status;
        self.record.step = commit.update.step;
    }

    fn keep_call(&mut self, key: EffectKey, call: CallPayload, seen: &mut Seen) {
        let contract = call.invoke.as_deref().and_then(|id| self.workflow.invoke(id));
        let contract = contract.and_then(|invoke| self.workflow.contract(invoke));
        if let Some(Err(misfit)) = contract.map(|contract| contract.input(&call.input)) {
            seen.refused = Some(format!("the input of `{}`: {misfit}, by its contract", call.target));
        }
        seen.effects.push(describe_call(&call));
        self.calls.insert(key, call);
    }

    /// The events of the story give its state again, to the letter.
    pub fn replay_differences(&self) -> Vec<Difference> {
        match differences(self.workflow, self.catalog, &self.record, &self.events) {
            Ok(differences) => differences.into_iter().map(|d| Difference::new("replay", "the same", d)).collect(),
            Err(error) => vec![Difference::new("replay", "the same", error.to_string())],
        }
    }

    pub fn compare(&self, expect: &Expect, seen: &Seen) -> Vec<Difference> {
        let mut wrong = Vec::new();
        let errors: Vec<Value> =
            seen.errors.iter().map(|e| json!({"pointer": e.pointer, "code": e.code, "text": e.text})).collect();
        let only_errors = expect.refused.is_none() && !expect.errors.is_empty();
        if seen.refused != expect.refused && !only_errors {
            let said = |refused: &Option<String>| refused.clone().unwrap_or_else(|| "taken".into());
            wrong.push(Difference::new("the event is", said(&expect.refused), said(&seen.refused)));
            wrong.extend(errors.iter().map(|error| Difference::new("errors", Value::Null, error.clone())));
        }
        let turn = match self.turn() {
            Ok(turn) => turn,
            Err(reason) => return vec![Difference::new("journey", "readable", reason)],
        };
        let active = &turn.state.snapshot.active;
        for state in as_list(expect.state.as_ref()) {
            if !is_active(self.workflow, active, state.as_str().unwrap_or_default()) {
                let root = format!("{}.", self.workflow.machine.id());
                let leaves =
                    active.iter().filter(|id| !active.iter().any(|other| other.starts_with(&format!("{id}."))));
                let leaves: Vec<&str> = leaves.map(|id| id.strip_prefix(&root).unwrap_or(id)).collect();
                wrong.push(Difference::new("state", state, leaves.join(", ")));
            }
        }
        if let Some(path) = &expect.path {
            let shown = self.workflow.step(active).and_then(|s| s.path.clone()).unwrap_or_default();
            differ("path", &Value::from(path.as_str()), &Value::from(shown), &mut wrong);
        }
        let status = turn.record.status.as_str();
        if let Some(expected) = expect.status.as_ref().filter(|expected| *expected != status) {
            wrong.push(Difference::new("status", expected.as_str(), status));
        }
        if let Some(context) = &expect.context {
            differ("context", context, &Value::Object(turn.context().into_owned()), &mut wrong);
        }
        each_in("effects", &expect.effects, &seen.effects, &mut wrong);
        none_in("absent", &expect.absent, &seen.effects, &mut wrong);
        each_in("errors", &expect.errors, &errors, &mut wrong);
        let reader = Actor { roles: self.roles.clone(), ..self.actor.clone() };
        let returns = |partner: &str| format!("https://here/return/{partner}");
        let (view, faults) = draw(&turn, &reader, (Some("story"), None), &returns);
        wrong.extend(faults.into_iter().map(|fault| Difference::new("the page", "drawn whole", fault)));
        if expect.messages.is_empty() && expect.view.is_none() {
            return wrong;
        }
        let view = serde_json::to_value(view).unwrap_or(Value::Null);
        let messages = view["messages"].as_array().cloned().unwrap_or_default();
        each_in("messages", &expect.messages, &messages, &mut wrong);
        if let Some(expected) = &expect.view {
            differ("view", expected, &view["step"], &mut wrong);
        }
        wrong
    }
}

fn is_active(workflow: &Workflow, active: &[String], name: &str) -> bool {
    let machine = &workflow.machine;
    let full = format!("{}.{name}", machine.id());
    // a state may be called like the flow, which is always active
    let is_named = |id: &str| id == full || id == name && id != machine.id();
    active.iter().any(|leaf| machine.ancestors(leaf).any(is_named))
}

/// Whether a call is that of this invoke, which may be named by its end, or of this operation.
fn is_of(call: &CallPayload, invoke: &str) -> bool {
    let is_named = |id: &str| id == invoke || id.ends_with(&format!(".{invoke}"));
    call.invoke.as_deref().map_or_else(|| call.target.to_string() == invoke, is_named)
}

/// Maps are merged, null takes away, rows of a list are named by their key; everything else replaces.
fn merge(value: &mut Value, change: &Value) {
    match (value, change) {
        (_, Value::Null) => {}
        (Value::Array(rows), Value::Object(changes)) => {
            for (key, change) in changes {
                let at = rows.iter().position(|row| row.get("key").and_then(Value::as_str) == Some(key));
                match at {
                    Some(at) if change.is_null() => drop(rows.remove(at)),
                    Some(at) => merge(&mut rows[at], change),
                    None => {
                        let mut row = json!({ "key": key });
                        merge(&mut row, change);
                        rows.push(row);
                    }
                }
            }
        }
        (Value::Object(map), Value::Object(changes)) => {
            for (key, change) in changes {
                if change.is_null() {
                    map.shift_remove(key);
                } else {
                    merge(map.entry(key.clone()).or_insert(Value::Null), change);
                }
            }
        }
        (value, change) => *value = change.clone(),
    }
}

fn describe_call(call: &CallPayload) -> Value {
    use crate::effect::Target;
    match &call.target {
        Target::Operation { partner, operation } => {
            json!({"call": format!("{partner}/{operation}"), "partner": partner, "key": call.key, "input": call.input})
        }
        Target::Contract { contract, partner } => {
            json!({"call": contract, "partner": partner, "key": call.key, "input": call.input})
        }
    }
}

fn failure(error: &Value) -> Result<CallResult, String> {
    let mut written = json!({"code": "failed"});
    merge(&mut written, error);
    serde_json::from_value(written).map(CallFailure::into).map_err(|wrong| format!("error: {wrong}"))
}

fn as_list(value: Option<&Value>) -> Vec<Value> {
    match value {
        None => Vec::new(),
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
    }
}

//! Runs a story: given events → expected states and effects, on the real turn, without a store or a partner.

use crate::actor::{Action, Actor, can};
use crate::effect::{CallPayload, CallResult, FailureKind};
use crate::journeys::{Applied, apply_event};
use crate::otp::Passwords;
use crate::render::render;
use crate::turn::{Finished, Journey, Pending, Refused, Turn};
use engine_definitions::story::{Act, Answer, Expect, Story, StoryStep};
use engine_definitions::{Catalog, Example, FieldError, Operation, Workflow};
use engine_store::{Commit, EffectKey, EventRecord, JourneyRecord};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The code that `otp: correct` enters.
const CODE: &str = "123456";
/// Those of the settings' defaults.
const PASSWORDS: Passwords = Passwords { ttl_ms: 300_000, resend_ms: 30_000, tries: 5 };

/// An expectation that did not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub story: String,
    /// `file:line:column`.
    pub place: String,
    pub message: String,
}

/// Runs one story; empty when all expectations hold.
pub fn run(catalog: &Arc<Catalog>, story: &Story) -> Vec<Failure> {
    let Some(workflow) = catalog.workflow(&story.workflow) else {
        let place = format!("{}:1:1", story.path);
        return vec![Failure {
            story: story.name.clone(),
            place,
            message: format!("unknown workflow `{}`", story.workflow),
        }];
    };
    let mut stage = match Stage::open(catalog, workflow, story) {
        Ok(stage) => stage,
        Err(message) => {
            return vec![Failure { story: story.name.clone(), place: format!("{}:1:1", story.path), message }];
        }
    };
    let mut failures = Vec::new();
    for step in &story.steps {
        let seen = stage.play(step);
        let place = format!("{}:{}:{}", step.span.file, step.span.line, step.span.column);
        let messages = stage.compare(&step.expect, &seen);
        failures.extend(messages.into_iter().map(|message| Failure {
            story: story.name.clone(),
            place: place.clone(),
            message,
        }));
    }
    if let Err(message) = stage.replayed() {
        failures.push(Failure { story: story.name.clone(), place: format!("{}:1:1", story.path), message });
    }
    failures
}

/// What one step of the story showed.
#[derive(Default)]
struct Seen {
    effects: Vec<Value>,
    errors: Vec<FieldError>,
    refused: Option<String>,
}

struct Stage<'a> {
    catalog: &'a Catalog,
    workflow: &'a Workflow,
    actor: Actor,
    now_ms: i64,
    record: JourneyRecord,
    calls: BTreeMap<EffectKey, CallPayload>,
    /// Successes that a call with `reuse` takes instead of a new call.
    replies: BTreeMap<(String, String), Value>,
    events: Vec<EventRecord>,
}

impl<'a> Stage<'a> {
    fn open(catalog: &'a Catalog, workflow: &'a Workflow, story: &Story) -> Result<Self, String> {
        let mut actor = Actor::visitor("story");
        actor.language = story.language.clone().unwrap_or(actor.language);
        actor.channel = story.channel.clone().unwrap_or(actor.channel);
        let now_ms = story.at_ms.unwrap_or(1_795_200_000_000);
        let turn =
            Turn::begin(workflow, catalog, "story", &actor, &Value::Null, now_ms).map_err(|r| format!("{r:?}"))?;
        let record = JourneyRecord {
            id: "story".into(),
            workflow: workflow.id.clone(),
            version: workflow.version.clone(),
            revision: 0,
            seq: 0,
            status: "active".into(),
            step: String::new(),
            state: String::new(),
            owner: actor.id.clone(),
            language: actor.language.clone(),
            channel: actor.channel.clone(),
            attribution: Value::Null,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            expires_at_ms: None,
            answers: Vec::new(),
            drafts: Vec::new(),
        };
        let mut stage = Stage {
            catalog,
            workflow,
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

    fn play(&mut self, step: &StoryStep) -> Seen {
        let mut seen = Seen::default();
        match &step.act {
            Act::Look => {}
            Act::Send { kind, data, by } => self.send(kind, data, by, &mut seen),
            Act::Otp { correct, into } => {
                let field = into.clone().or_else(|| self.secret_field()).unwrap_or_else(|| "otp".into());
                let mut data = Map::new();
                data.insert(field, Value::from(if *correct { CODE } else { "000000" }));
                self.send("submit", &Value::Object(data), &Value::Null, &mut seen);
            }
            Act::Reply { invoke, key, answer } => {
                self.reply(invoke, key.as_deref().unwrap_or_default(), answer, &mut seen)
            }
            Act::Event { kind, data } => {
                let data = data.as_object().cloned().unwrap_or_default();
                self.internal(&mut seen, |turn| {
                    // Like the runtime: an event that nothing takes is an incident, not an error.
                    turn.outside(kind, data.clone()).map(drop)
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

    fn send(&mut self, kind: &str, data: &Value, by: &Value, seen: &mut Seen) {
        let mut actor = self.actor.clone();
        if let Some(purpose) = by.get("link").and_then(Value::as_str) {
            // As one who followed a link of this purpose in a browser of their own.
            actor.id = "somebody".into();
            let opened = self.workflow.link_events(purpose, &self.record.step).map(|events| (purpose, events));
            actor = actor.came_by(&self.record.id, opened.into_iter()).unwrap_or(actor);
            if !can(&actor, Action::See, &self.record) {
                return seen.refused = Some("not_found".into());
            }
            if !can(&actor, Action::Send(kind), &self.record) {
                return seen.refused = Some("not_accepted".into());
            }
        }
        if let Some(roles) = by.get("roles").and_then(|r| serde_json::from_value(r.clone()).ok()) {
            actor.roles = roles;
        }
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
        let named = |id: &str| id == invoke || id.ends_with(&format!(".{invoke}"));
        let call =
            self.calls.iter().rev().find(|(_, c)| {
                c.key == key && c.invoke.as_deref().map_or_else(|| c.target.to_string() == invoke, named)
            });
        let Some((effect, payload)) = call.map(|(k, c)| (k.clone(), c.clone())) else {
            seen.refused = Some(format!(
                "no open call of `{invoke}`{}",
                if key.is_empty() { String::new() } else { format!(" for `{key}`") }
            ));
            return;
        };
        let result = match answer {
            Answer::Output(output) => self.answered(&payload, output.clone()),
            Answer::Error(error) => Ok(failed(error)),
            Answer::Example(name) => match self.example(&payload, name) {
                Some(example) => match (&example.output, &example.error) {
                    (Some(output), _) => self.answered(&payload, output.clone()),
                    (None, Some(error)) => Ok(failed(error)),
                    (None, None) => Err(format!("the example `{name}` has neither an output nor an error")),
                },
                None => Err(format!("no example `{name}`")),
            },
        };
        let result = match result {
            Ok(result) => result,
            Err(why) => return seen.refused = Some(why),
        };
        self.calls.remove(&effect);
        self.internal(seen, |turn| turn.reply(&effect, &payload, result.clone()));
    }

    /// An output as the partner's mapping would give it: with the contract's defaults, and nothing else.
    fn answered(&self, payload: &CallPayload, mut output: Value) -> Result<CallResult, String> {
        let invoke = payload.invoke.as_deref().and_then(|id| self.workflow.invoke(id));
        let Some(contract) = invoke.and_then(|invoke| self.workflow.contract(invoke)) else { return Ok(done(output)) };
        // The id of a kept document is given by the runtime.
        let keeps = self.operation(payload).is_some_and(|operation| operation.document);
        if let (Some(map), true) = (output.as_object_mut(), keeps) {
            map.entry("document").or_insert_with(|| "document".into());
        }
        let output = contract.output(output).map_err(|misfit| format!("output: {misfit}, by `{}`", contract.id))?;
        Ok(done(output))
    }

    fn operation(&self, payload: &CallPayload) -> Option<&Operation> {
        use crate::effect::Target;
        Some(match &payload.target {
            Target::Operation { partner, operation } => self.catalog.operation(partner, operation)?,
            Target::Contract { contract, partner } => self.catalog.for_contract(contract, partner)?.1,
        })
    }

    fn example(&self, payload: &CallPayload, name: &str) -> Option<&Example> {
        self.operation(payload)?.examples.iter().find(|e| e.name == name)
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
        while let Some(pending) = turn.pending.pop_front() {
            let result = match pending {
                Pending::Reuse { invoke, run, key, source, input_hash, .. } => {
                    match self.replies.get(&(source, input_hash)) {
                        Some(output) => turn.settle_pending(&invoke, run, &key, done(output.clone())),
                        None => continue,
                    }
                }
                Pending::Sent { node, kind, seq } => {
                    let sent = self.events.iter().find(|event| event.seq == seq);
                    turn.sent_again(&node, &kind, sent.and_then(|event| event.data.get("data").cloned()))
                }
                Pending::Link { .. } => continue,
                Pending::System { invoke, run, name, input } => {
                    let result = self.system(&name, &input, &mut turn);
                    turn.settle_pending(&invoke, run, "", result)
                }
            };
            if let Err(refused) = result {
                return seen.refused = Some(format!("{refused:?}"));
            }
        }
        let notes = turn.state.messages.clone();
        match turn.commit(Finished::default(), None) {
            Ok((commit, _)) => self.keep(commit, seen),
            Err(error) => return seen.refused = Some(error.to_string()),
        }
        seen.effects.extend(
            notes
                .into_iter()
                .map(|n| json!({"message": n.code, "level": n.level, "pointer": n.pointer, "text": n.text})),
        );
    }

    fn system(&mut self, name: &str, input: &Value, turn: &mut Turn<'_>) -> CallResult {
        let purpose = input.get("purpose").and_then(Value::as_str).unwrap_or_default();
        match name {
            "otp.send" => {
                let to = input.get("mobile").and_then(Value::as_str).unwrap_or_default().to_string();
                turn.notify(crate::effect::NotifyPayload {
                    message: "otp".into(),
                    to,
                    data: json!({}),
                    languages: Vec::new(),
                    waits: None,
                    otp: None,
                    links: BTreeMap::new(),
                });
                PASSWORDS.sent("otp", purpose, self.now_ms)
            }
            "otp.verify" => {
                let code = input.get("code").and_then(Value::as_str);
                PASSWORDS.verify(turn, purpose, |_| code == Some(&format!("sealed:{CODE}")))
            }
            _ => done(Value::Null),
        }
    }

    fn keep(&mut self, commit: Commit, seen: &mut Seen) {
        for effect in commit.effects {
            match effect.kind.as_str() {
                "call" => {
                    if let Ok(call) = serde_json::from_value::<CallPayload>(effect.payload) {
                        let contract = call.invoke.as_deref().and_then(|id| self.workflow.invoke(id));
                        let contract = contract.and_then(|invoke| self.workflow.contract(invoke));
                        if let Some(Err(misfit)) = contract.map(|contract| contract.input(&call.input)) {
                            let target = call.target.to_string();
                            seen.refused = Some(format!("the input of `{target}`: {misfit}, by its contract"));
                        }
                        seen.effects.push(described(&call));
                        self.calls.insert(effect.key, call);
                    }
                }
                "notify" => {
                    let of = |name: &str| effect.payload.get(name).cloned();
                    seen.effects.push(
                        json!({"notify": of("message"), "to": of("to"), "data": of("data"), "links": of("links")}),
                    );
                }
                other => {
                    let mut fields = effect.payload.as_object().cloned().unwrap_or_default();
                    fields.insert("kind".into(), other.into());
                    seen.effects.push(Value::Object(fields));
                }
            }
        }
        for cancelled in &commit.cancel_effects {
            if let Some(call) = self.calls.remove(cancelled) {
                seen.effects.push(json!({"cancel": described(&call)["call"], "key": call.key}));
            }
        }
        seen.effects
            .extend(commit.records.into_iter().map(|r| json!({"record": r.kind, "key": r.key, "data": r.data})));
        seen.effects.extend(commit.incidents.into_iter().map(|i| json!({"incident": i.reason, "place": i.place})));
        seen.effects
            .extend(commit.correlations.into_iter().map(|c| json!({"correlate": c.reference, "expect": c.expected})));
        self.replies.extend(commit.replies.into_iter().map(|r| ((r.source, r.input_hash), r.output)));
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

    /// The events of the story give its state again, to the letter.
    fn replayed(&self) -> Result<(), String> {
        match crate::turn::differs_from_replay(self.workflow, self.catalog, &self.record, &self.events) {
            Ok(differences) if differences.is_empty() => Ok(()),
            Ok(differences) => Err(format!("replay: {}", differences.join("; "))),
            Err(refused) => Err(format!("replay: {refused:?}")),
        }
    }

    fn compare(&self, expect: &Expect, seen: &Seen) -> Vec<String> {
        let mut wrong = Vec::new();
        let only_errors = expect.refused.is_none() && !expect.errors.is_empty();
        if seen.refused != expect.refused && !only_errors {
            wrong.push(format!("refused: expected {:?}, was {:?} {:?}", expect.refused, seen.refused, seen.errors));
        }
        let turn = match self.turn() {
            Ok(turn) => turn,
            Err(reason) => return vec![reason],
        };
        let active = &turn.state.snapshot.active;
        for state in as_list(expect.state.as_ref()) {
            let name = state.as_str().unwrap_or_default();
            let machine = &self.workflow.machine;
            let full = format!("{}.{name}", machine.id());
            if !active.iter().any(|leaf| machine.ancestors(leaf).any(|id| id == name || id == full)) {
                wrong.push(format!("state: expected `{name}`, active is {active:?}"));
            }
        }
        if let Some(path) = &expect.path {
            let shown = self.workflow.step(active).and_then(|s| s.path.clone()).unwrap_or_default();
            if shown != *path {
                wrong.push(format!("path: expected `{path}`, was `{shown}`"));
            }
        }
        if let Some(status) = expect.status.as_ref().filter(|s| **s != turn.status) {
            wrong.push(format!("status: expected `{status}`, was `{}`", turn.status));
        }
        if let Some(context) = &expect.context {
            differ("context", context, &Value::Object(turn.context().into_owned()), &mut wrong);
        }
        let found = |list: &[Value], one: &Value| list.iter().any(|actual| contains(one, actual));
        for effect in expect.effects.iter().filter(|e| !found(&seen.effects, e)) {
            wrong.push(format!("effects: {effect} is not among {}", Value::from(seen.effects.clone())));
        }
        for effect in expect.absent.iter().filter(|e| found(&seen.effects, e)) {
            wrong.push(format!("absent: {effect} is among {}", Value::from(seen.effects.clone())));
        }
        let errors: Vec<Value> =
            seen.errors.iter().map(|e| json!({"pointer": e.pointer, "code": e.code, "text": e.text})).collect();
        for error in expect.errors.iter().filter(|e| !found(&errors, e)) {
            wrong.push(format!("errors: {error} is not among {}", Value::from(errors.clone())));
        }
        if expect.messages.is_empty() && expect.view.is_none() {
            return wrong;
        }
        let view = render(&turn, &self.actor, Some("story"), &|partner| format!("https://here/return/{partner}"));
        let view = serde_json::to_value(view).unwrap_or(Value::Null);
        let messages = view["messages"].as_array().cloned().unwrap_or_default();
        for message in expect.messages.iter().filter(|m| !found(&messages, m)) {
            wrong.push(format!("messages: {message} is not among {}", Value::from(messages.clone())));
        }
        if let Some(expected) = &expect.view {
            differ("view", expected, &view["step"], &mut wrong);
        }
        wrong
    }
}

fn described(call: &CallPayload) -> Value {
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

fn done(output: Value) -> CallResult {
    CallResult::Done { output, correlate: Vec::new(), document: None }
}

fn failed(error: &Value) -> CallResult {
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_string);
    let kind = error.get("kind").and_then(|k| serde_json::from_value(k.clone()).ok()).unwrap_or(FailureKind::Failed);
    CallResult::Failed {
        code: text("code").unwrap_or_else(|| "failed".into()),
        row: text("row").unwrap_or_default(),
        message: text("message"),
        pointer: text("pointer"),
        kind,
    }
}

fn as_list(value: Option<&Value>) -> Vec<Value> {
    match value {
        None => Vec::new(),
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
    }
}

/// Maps are compared by the members that are given.
fn contains(expected: &Value, actual: &Value) -> bool {
    let mut wrong = Vec::new();
    differ("", expected, actual, &mut wrong);
    wrong.is_empty()
}

pub(crate) fn differ(at: &str, expected: &Value, actual: &Value, wrong: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(e), Value::Object(a)) => {
            for (key, value) in e {
                differ(&format!("{at}.{key}"), value, a.get(key).unwrap_or(&Value::Null), wrong);
            }
        }
        (Value::Array(e), Value::Array(a)) if e.len() == a.len() => {
            for (index, (x, y)) in e.iter().zip(a).enumerate() {
                differ(&format!("{at}[{index}]"), x, y, wrong);
            }
        }
        _ if expected == actual => {}
        _ => wrong.push(format!("{at}: expected {expected}, was {actual}")),
    }
}

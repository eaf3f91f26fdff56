//! A journey of the caller's own session: begun, found, sent events, and read as it stands then.

use super::{Change, EndpointCall, field_problem, missing_field, refusal_problem};
use crate::api::known_id;
use crate::connection::middleware::Class;
use crate::problem::{Code, FieldProblem, Problem};
use crate::visitor::attribution;
use crate::visitor::session::{Opening, Visitor};
use crate::visitor::start::{self, Begin};
use axum::http::{HeaderMap, StatusCode};
use engine_definitions::{By, Data, Event, Form, JourneyDeed, OF_JOURNEY, Starts, Which, Workflow};
use engine_runtime::view::{Level, MessageView, StepKind};
use engine_runtime::{Actor, Reading, Refusal, Send, Sent, Standing, StepView, new_id, parse_rfc3339};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// What codes of journeys are sealed for.
const CODE: &str = "endpoint";
/// How often what is begun once may have expired.
const ONCE_MAX: usize = 20;
/// How many other hands may move the journey while an event is sent.
const TRIES_MAX: usize = 5;

/// The event of an endpoint as it goes out.
struct Outgoing {
    kind: String,
    data: Value,
}

impl EndpointCall<'_> {
    /// A body that names no journey lacks that field, whoever sends it.
    pub(super) fn refuse_unnamed(&self) -> Result<(), Problem> {
        let Some(Which::Found(finds)) = self.endpoint.deed.journey().map(|deed| &deed.of) else { return Ok(()) };
        let Some(field) = finds.field() else { return Ok(()) };
        if self.eval(|found, host| finds.name(found, host))?.is_empty() {
            return Err(Problem::new(Code::Invalid).errors(vec![missing_field(field)]));
        }
        Ok(())
    }

    /// The journey that the call names, as it stands; somebody else's is not there.
    pub(super) async fn find_journey(
        &mut self,
        deed: &JourneyDeed,
        visitor: &Visitor,
    ) -> Result<Option<String>, Problem> {
        let Which::Found(finds) = &deed.of else { return Ok(None) };
        let name = self.eval(|found, host| finds.name(found, host))?;
        let not_found = || visitor.refuse(self.app, Refusal::NotFound);
        let id = match finds.by {
            By::Id => known_id(&name).map(str::to_owned).map_err(|_| not_found())?,
            By::Code => self.journey_of(&name)?,
        };
        let reading = self.read_journey(deed, visitor, &id).await?;
        if let Some(flow) = &finds.flow {
            let workflow = &reading.view.journey.workflow;
            if !self.eval(|found, host| flow.is(workflow, found, host))? {
                return Err(not_found());
            }
        }
        self.describe_journey(&reading);
        Ok(Some(id))
    }

    async fn read_journey(&self, deed: &JourneyDeed, visitor: &Visitor, id: &str) -> Result<Reading, Problem> {
        let (values, data) = (&deed.values, self.endpoint.reads_data);
        let reading = self.app.runtime.journeys.read(&visitor.actor, id, values, data).await;
        reading.map_err(|refusal| visitor.refuse(self.app, refusal))
    }

    /// What the answer to an event says by itself.
    fn reading_of(&self, view: Box<StepView>) -> Reading {
        let workflow = self.catalog.workflow(&view.journey.workflow);
        let state = workflow.map_or(view.step.id.as_str(), |workflow| workflow.state_name(&view.step.id)).to_owned();
        let standing = Standing { state, status: view.journey.status, verified: true, values: Map::new() };
        Reading { view, standing, data: Value::Null }
    }

    /// The journey that a code of ours stands for.
    fn journey_of(&self, code: &str) -> Result<String, Problem> {
        let journey = self.app.runtime.people.open_for(CODE, code).and_then(|id| String::from_utf8(id).ok());
        journey.ok_or_else(|| Problem::new(Code::NotFound))
    }

    /// Describes the journey as `journey`. `code` stands for it where its caller comes back: it opens nothing without
    /// the caller's session.
    fn describe_journey(&mut self, reading: &Reading) {
        let Reading { view, standing, data } = reading;
        let id = view.journey.id.clone().unwrap_or_default();
        let code = self.app.runtime.people.seal_for(CODE, id.as_bytes());
        let answers = view.step.form.as_ref().map_or_else(|| json!({}), |form| form.data.clone());
        let described = json!({
            "id": id, "url": view.step.url, "step": view.step.path, "state": standing.state, "title": view.step.title,
            "status": standing.status, "verified": standing.verified, "waits": is_waiting(view), "code": code,
            "messages": view.messages, "after": later(view), "values": standing.values, "answers": answers,
            "data": data,
        });
        debug_assert!(described.as_object().is_some_and(|known| known.keys().eq(OF_JOURNEY)));
        self.found.insert("journey".into(), described);
    }

    /// Begins a journey for the caller; with the session that was opened for it.
    pub(super) async fn start_journey(
        &mut self,
        deed: &JourneyDeed,
        starts: &Starts,
        change: &mut Change,
        opening: &mut Option<Opening>,
    ) -> Result<String, Problem> {
        let flow = self.eval(|found, host| Ok(starts.flow.id(found, host)?.map(str::to_owned)))?;
        let workflow = flow.as_deref().and_then(|flow| self.catalog.workflow(flow)).cloned();
        let workflow = workflow.ok_or_else(|| change.visitor.refuse(self.app, Refusal::NotFound))?;
        if self.endpoint.lacks_proof(&workflow) && !change.visitor.actor.proven {
            return Err(change.visitor.refuse(self.app, Refusal::Proof));
        }
        self.app.limit(Class::Start, change.visitor.client)?;
        let first = match self.eval(|found, host| starts.first(found, host))? {
            Some(first) => first,
            None => self.first_of(deed, &workflow)?,
        };
        let key = change.key().ok();
        let once = self.eval(|found, host| starts.once(found, host))?;
        let came = self.eval(|found, host| starts.attribution(found, host))?;
        let came = attribution::select_params(&self.catalog.site("").channels, &came);
        let begin =
            |key: String| Begin { workflow: workflow.id.clone(), key, event: Some(first.clone()), said: came.clone() };
        let (visitor, headers) = (&mut change.visitor, &change.headers);
        let begun = match &once {
            Some(once) => self.begin_once(once, visitor, headers, &begin).await,
            // A call without a key is one journey.
            None => start::start(self.app, visitor, headers, begin(key.unwrap_or_else(new_id))).await,
        };
        let sent = match begun {
            Ok((sent, opened)) => {
                *opening = opened;
                sent
            }
            Err(problem) if starts.first.is_none() && !problem.field_problems().is_empty() => {
                return Err(self.with_later_problems(deed, problem, (&workflow, &change.visitor.actor)).await);
            }
            Err(problem) => return Err(problem),
        };
        let id = sent.view.journey.id.clone().unwrap_or_default();
        if starts.first.is_none()
            && let Some(event) = deed.send.first()
        {
            refuse_errors(deed, &sent.view, event)?;
        }
        Ok(id)
    }

    /// The first of the events, for a start that has none of its own.
    fn first_of(&self, deed: &JourneyDeed, workflow: &Workflow) -> Result<(String, Value), Problem> {
        let Some(event) = deed.send.first() else { return Err(Problem::new(Code::Internal)) };
        let form = form_of(workflow, event);
        let data = self.data_of(event, &form.map(Form::properties).unwrap_or_default().iter().collect::<Vec<_>>())?;
        Ok((event.kind.clone(), data.unwrap_or_else(|| json!({}))))
    }

    /// What was begun before for the same is found again; one that has expired by now is begun anew.
    async fn begin_once(
        &self,
        once: &str,
        visitor: &mut Visitor,
        headers: &HeaderMap,
        begin: &impl Fn(String) -> Begin,
    ) -> Result<(Sent, Option<Opening>), Problem> {
        let mut key = format!("{}:{once}", self.endpoint.id);
        for _ in 0..ONCE_MAX {
            match start::start(self.app, visitor, headers, begin(key.clone())).await {
                Err(problem) if problem.status() == StatusCode::GONE.as_u16() => key.push('+'),
                begun => return begun,
            }
        }
        start::start(self.app, visitor, headers, begin(key)).await
    }

    /// What is wrong with the first answers of a start, and beside it what the later forms say already.
    async fn with_later_problems(
        &self,
        deed: &JourneyDeed,
        problem: Problem,
        (workflow, actor): (&Arc<Workflow>, &Actor),
    ) -> Problem {
        let events = &deed.send;
        let first = |error: &FieldProblem| self.map_pointer(events.first(), error.clone());
        let mut errors: Vec<FieldProblem> = problem.field_problems().iter().map(first).collect();
        for event in events.iter().skip(1).filter(|event| event.kind == "submit") {
            let (Some(step), Some(form)) = (event.step.as_deref(), form_of(workflow, event)) else { continue };
            let is_meant = self.eval(|found, host| event.is_meant(found, host)).unwrap_or_default();
            let Ok(data) = self.data_of(event, &form.properties().iter().collect::<Vec<_>>()) else { continue };
            if !is_meant || data.is_none() && !matches!(event.data, Data::OfCall) {
                continue;
            }
            let data = data.unwrap_or_else(|| json!({}));
            let foreseen = self.app.runtime.journeys.foresee(actor, &workflow.id, step, data).await.unwrap_or_default();
            errors.extend(foreseen.into_iter().map(|error| self.map_pointer(Some(event), field_problem(error))));
        }
        problem.errors(once_each(errors))
    }

    /// What is wrong at one step of a journey, and beside it what is missing at those that are handed in after it.
    async fn beside_later_problems<'e>(
        &self,
        problem: Problem,
        later: impl Iterator<Item = &'e Event>,
        (visitor, id): (&Visitor, &str),
    ) -> Problem {
        let mut errors = problem.field_problems().to_vec();
        for event in later {
            let is_meant = self.eval(|found, host| event.is_meant(found, host)).unwrap_or_default();
            let Some(step) = event.step.as_deref().filter(|_| is_meant) else { continue };
            let foreseen = self.app.runtime.journeys.foresee_in(&visitor.actor, id, step).await.unwrap_or_default();
            errors.extend(foreseen.into_iter().map(field_problem));
        }
        problem.errors(once_each(errors))
    }

    fn map_pointer(&self, event: Option<&Event>, error: FieldProblem) -> FieldProblem {
        let pointer = event.map_or_else(|| error.pointer.clone(), |event| event.pointer(&error.pointer));
        FieldProblem { pointer, ..error }
    }

    /// Forms of the steps that events are for, in the caller's language.
    pub(super) fn forms_of_steps(&self) -> Vec<&Form> {
        let flows = self.endpoint.flows().filter_map(|flow| self.catalog.workflow(flow));
        let events = self.endpoint.deed.journey().map(|deed| deed.send.as_slice()).unwrap_or_default();
        let forms = flows.flat_map(|flow| events.iter().filter_map(move |event| form_of(flow, event)));
        forms.map(|form| self.catalog.form_in(&self.language, &form.id).map_or(form, Arc::as_ref)).collect()
    }

    /// Sends the events in their order, each where it belongs; then the journey is read, as `journey`.
    pub(super) async fn send_events(
        &mut self,
        deed: &JourneyDeed,
        visitor: &mut Visitor,
        headers: &HeaderMap,
        id: String,
    ) -> Result<(), Problem> {
        // A start without answers of its own has sent the first event.
        let sent = usize::from(matches!(&deed.of, Which::Begun(starts) if starts.first.is_none()));
        let end = Instant::now() + Duration::from_millis(deed.waits.at_most_ms);
        let mut last = deed.send.first().filter(|_| sent > 0).map(|event| (event, None));
        for (number, event) in deed.send.iter().enumerate().skip(sent) {
            if !self.eval(|found, host| event.is_meant(found, host))? {
                continue;
            }
            match self.send_event(deed, (visitor, headers), &id, (event, end)).await {
                Ok(None) => {}
                Ok(Some(view)) => last = Some((event, Some(view))),
                Err(problem) if !problem.field_problems().is_empty() => {
                    let later = deed.send.iter().skip(number + 1).filter(|event| event.hands_in());
                    return Err(self.beside_later_problems(problem, later, (visitor, &id)).await);
                }
                Err(problem) => return Err(problem),
            }
        }
        let (event, view) = last.unzip();
        let view = self.settle(deed, visitor, (&id, end), view.flatten()).await?;
        // What a call says that the flow waited for is an answer to the event, too.
        event.map_or(Ok(()), |event| refuse_errors(deed, &view, event))?;
        let failure = self.eval(|found, host| deed.failure(found, host))?;
        failure.map_or(Ok(()), |refusal| Err(refusal_problem(refusal)))
    }

    /// What came of it; `None`: it was passed over.
    async fn send_event(
        &self,
        deed: &JourneyDeed,
        (visitor, headers): (&mut Visitor, &HeaderMap),
        id: &str,
        (event, end): (&Event, Instant),
    ) -> Result<Option<Box<StepView>>, Problem> {
        for tries in 1..=TRIES_MAX {
            let view = self.at_step(visitor, id, event, end).await?;
            let Some(outgoing) = self.outgoing(deed, event, &view)? else { return Ok(None) };
            if endpoint_reads(self) {
                self.app.limit(Class::Start, visitor.client)?;
            }
            let changes = outgoing.kind == "change";
            let Outgoing { kind, data } = outgoing;
            let send = Send { key: new_id(), revision: view.journey.revision, kind, data, shown: None };
            let sent = match self.app.runtime.journeys.send(&visitor.actor, id, send).await {
                Ok(sent) => sent,
                // Another hand was first; what is over for good stays so.
                Err(Refusal::Stale { .. }) if tries < TRIES_MAX => continue,
                Err(Refusal::Invalid { errors }) => {
                    let errors = errors.into_iter().map(|error| self.map_pointer(Some(event), field_problem(error)));
                    return Err(Problem::new(Code::Invalid).errors(errors.collect()));
                }
                Err(refusal) => return Err(visitor.refuse(self.app, refusal)),
            };
            if let Some(signs_in) = sent.signs_in {
                visitor.sign_in(self.app, signs_in, headers).await?;
            }
            if changes {
                continue;
            }
            refuse_errors(deed, &sent.view, event)?;
            return Ok(Some(sent.view));
        }
        Err(Problem::new(Code::Busy).retry_after_ms(1_000))
    }

    /// The journey once it stands at the event's step, or waits for nobody else.
    async fn at_step(
        &self,
        visitor: &Visitor,
        id: &str,
        event: &Event,
        end: Instant,
    ) -> Result<Box<StepView>, Problem> {
        let mut changes = self.app.runtime.changes();
        loop {
            let view = self.app.runtime.journeys.view(&visitor.actor, id).await;
            let view = Box::new(view.map_err(|refusal| visitor.refuse(self.app, refusal))?);
            let is_there = self.stands_at(event, &view);
            if is_there || !is_waiting(&view) || !changed(&mut changes, id, end).await {
                return Ok(view);
            }
        }
    }

    fn stands_at(&self, event: &Event, view: &StepView) -> bool {
        let Some(step) = event.step.as_deref() else { return true };
        let workflow = self.catalog.workflow(&view.journey.workflow);
        workflow.is_some_and(|workflow| workflow.state_name(&view.step.id) == step)
    }

    /// What goes out now; `None`: this is not the place for it, or the call says nothing of it.
    fn outgoing(&self, deed: &JourneyDeed, event: &Event, view: &StepView) -> Result<Option<Outgoing>, Problem> {
        if !self.stands_at(event, view) {
            let workflow = self.catalog.workflow(&view.journey.workflow);
            let step = workflow.zip(event.step.as_deref()).and_then(|(flow, step)| flow.step_named(step));
            let step = step.filter(|step| view.step.changeable.iter().any(|one| one.step == step.node));
            let Some((step, workflow)) = step.zip(workflow).filter(|_| event.changes) else { return Ok(None) };
            let fields = form_of(workflow, event).map(Form::properties).unwrap_or_default();
            let is_meant = self.data_of(event, &fields.iter().collect::<Vec<_>>())?.is_some();
            let change = || Outgoing { kind: "change".into(), data: json!({"step": step.node}) };
            return Ok(is_meant.then(change));
        }
        let form = view.step.form.as_ref().filter(|_| event.kind == "submit");
        let fields = form.and_then(|form| form.schema.get("properties")).and_then(Value::as_object);
        let fields: Vec<&String> = fields.into_iter().flat_map(Map::keys).collect();
        // What begins a request is asked all that its steps ask: what is missing is said by their forms.
        let begins = matches!(deed.of, Which::Begun(_)) && matches!(event.data, Data::OfCall);
        let said = self.data_of(event, &fields)?.or_else(|| begins.then(|| json!({})));
        let Some(mut data) = said else { return Ok(None) };
        if let (Some(form), Some(said)) = (form, data.as_object()) {
            let mut whole = form.data.as_object().cloned().unwrap_or_default();
            whole.extend(said.clone());
            if endpoint_reads(self) && Some(&whole) == form.data.as_object() {
                return Ok(None);
            }
            data = Value::Object(whole);
        }
        Ok(Some(Outgoing { kind: event.kind.clone(), data }))
    }

    /// What the call says for an event; `None`: nothing.
    fn data_of(&self, event: &Event, fields: &[&String]) -> Result<Option<Value>, Problem> {
        match &event.data {
            Data::Whole(_) | Data::Fields(_) => self.eval(|found, host| event.data.eval(found, host)),
            Data::OfCall => {
                let source = if endpoint_reads(self) { "query" } else { "body" };
                let said = self.found.get(source).and_then(Value::as_object).into_iter().flatten();
                let said = said.filter(|(name, value)| fields.contains(name) && !value.is_null());
                let data: Map<String, Value> = said.map(|(name, value)| (name.clone(), value.clone())).collect();
                Ok(Some(Value::Object(data)).filter(|data| data.as_object().is_some_and(|data| !data.is_empty())))
            }
        }
    }

    /// Waits until the endpoint has what it waits for, or its time is over; the journey is then as it was read last.
    async fn settle(
        &mut self,
        deed: &JourneyDeed,
        visitor: &Visitor,
        (id, end): (&str, Instant),
        last: Option<Box<StepView>>,
    ) -> Result<Box<StepView>, Problem> {
        let mut changes = self.app.runtime.changes();
        loop {
            if !self.has_come(deed, visitor, id).await? && changed(&mut changes, id, end).await {
                continue;
            }
            let reading = match (self.read_journey(deed, visitor, id).await, &last) {
                (Ok(reading), _) => reading,
                // Who has signed in with it may no longer be whose it was.
                (Err(_), Some(view)) if visitor.is_new() => self.reading_of(view.clone()),
                (Err(problem), _) => return Err(problem),
            };
            self.describe_journey(&reading);
            let over = deed.waits.until.is_some() || !is_waiting(&reading.view);
            if over || !changed(&mut changes, id, end).await {
                return Ok(reading.view);
            }
        }
    }

    /// Whether what the endpoint itself waits for is there; what stands in the way is told where the journey is read.
    async fn has_come(&mut self, deed: &JourneyDeed, visitor: &Visitor, id: &str) -> Result<bool, Problem> {
        let Some(until) = &deed.waits.until else { return Ok(true) };
        let Ok(standing) = self.app.runtime.journeys.stand(&visitor.actor, id, &until.values).await else {
            return Ok(true);
        };
        let Standing { state, status, verified, values } = standing;
        let described = json!({"state": state, "status": status, "verified": verified, "values": values});
        self.found.insert("journey".into(), described);
        self.eval(|found, host| until.holds(found, host))
    }
}

/// What the screen says was wrong is a refusal.
fn refuse_errors(deed: &JourneyDeed, view: &StepView, event: &Event) -> Result<(), Problem> {
    let errors = &deed.errors;
    let problem = |message: &MessageView| FieldProblem {
        pointer: message.pointer.as_deref().map(|pointer| event.pointer(pointer)).unwrap_or_default(),
        code: errors.get(&message.code).map_or(&message.code, |renamed| &renamed.code).clone(),
        text: message.text.clone(),
    };
    let is_wrong = |message: &&MessageView| message.level == Level::Error || errors.contains_key(&message.code);
    let wrong: Vec<&MessageView> = view.messages.iter().filter(is_wrong).collect();
    let status = wrong.iter().find_map(|message| errors.get(&message.code)).map_or(422, |renamed| renamed.status);
    let problems: Vec<FieldProblem> = wrong.into_iter().map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(Problem::of_status(status).errors(problems)) }
}

/// Whether the call only reads, apart from prices that it asks for.
fn endpoint_reads(asked: &EndpointCall<'_>) -> bool {
    asked.endpoint.method == "GET"
}

/// Waits for the next change of a journey; false: the time is over.
async fn changed(changes: &mut Changes, journey: &str, end: Instant) -> bool {
    use tokio::sync::broadcast::error::RecvError;
    loop {
        match timeout_at(end, changes.recv()).await {
            Ok(Ok(change)) if change.journey == journey => break,
            Ok(Ok(_)) => {}
            Ok(Err(RecvError::Lagged(_))) => break,
            Ok(Err(RecvError::Closed)) | Err(_) => return false,
        }
    }
    // One look tells of all changes until now.
    while changes.try_recv().is_ok() {}
    true
}

type Changes = tokio::sync::broadcast::Receiver<engine_store::Change>;

/// One problem for each place, the first.
fn once_each(mut problems: Vec<FieldProblem>) -> Vec<FieldProblem> {
    let mut seen = BTreeSet::new();
    problems.retain(|problem| seen.insert(problem.pointer.clone()));
    problems
}

fn form_of<'w>(workflow: &'w Workflow, event: &Event) -> Option<&'w Form> {
    let step = workflow.step_named(event.step.as_deref()?)?;
    workflow.form(step.form.as_deref()?).map(Arc::as_ref)
}

/// A page that only waits for a call.
fn is_waiting(view: &StepView) -> bool {
    view.step.kind == StepKind::Wait && !view.step.waits.is_empty()
}

/// Events that are offered later, with the seconds until then.
fn later(view: &StepView) -> Value {
    let blocks = view.step.view.as_ref().and_then(|view| view["blocks"].as_array()).into_iter().flatten();
    let items = blocks.filter_map(|block| block["items"].as_array()).flatten();
    let now = parse_rfc3339(&view.server_time).unwrap_or_default();
    let after = items.filter_map(|item| {
        let at = parse_rfc3339(item["after"].as_str()?)?;
        Some((item["event"].as_str()?.to_owned(), json!((at.saturating_sub(now).max(0) + 999) / 1_000)))
    });
    Value::Object(after.collect())
}

//! A stored journey becomes the step that a person sees.

use crate::actor::{Actor, Contact};
use crate::clock::rfc3339;
use crate::journeys::PAPER;
use crate::turn::{Cover, Turn};
use crate::view::{
    About, Accepted, Changeable, ConsentPart, FormPart, JourneyView, Level, MessageView, Progress, ProgressSection,
    RedirectPart, SectionState, Step, StepKind, StepView, Wait, WaitPart,
};
use engine_definitions as definitions;
use engine_definitions::{Audience, ENGLISH, Frozen, OnDemand, ProductHost, Text, Workflow};
use engine_statechart::expression::Memory;
use engine_statechart::{EvalError, Scope};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt::Display;
use std::sync::OnceLock;

mod link;
mod review;

/// Makes the address to which a partner (its id) sends the person back.
pub(crate) type ReturnUrl<'a> = &'a dyn Fn(&str) -> String;

/// Who reads: what they may see, the workflow in their language, and what was worked out for them already.
struct ViewerContext<'r> {
    actor: &'r Actor,
    viewer: Viewer,
    workflow: &'r Workflow,
    /// How they are shown what is personal, unless it is theirs; `context` is covered already.
    cover: Option<Cover>,
    context: Cow<'r, Map<String, Value>>,
    memory: Memory,
    /// What could not be worked out, and is missing on the page.
    faults: RefCell<Vec<String>>,
}

impl ViewerContext<'_> {
    fn of<'r>(turn: &'r Turn<'_>, actor: &'r Actor) -> ViewerContext<'r> {
        let workflow = turn.workflow.in_language(&actor.language);
        let audience = turn.audience(actor);
        let assists = turn.role_for_customers(actor).is_some();
        let (cover, context, memory) = (turn.cover(actor), turn.context(), Memory::new());
        let context = match &cover {
            Some(cover) => Cow::Owned(cover.context(&context)),
            None => context,
        };
        let viewer = Viewer { audience, assists, contact: actor.contact.clone(), said: OnceLock::new() };
        ViewerContext { actor, viewer, workflow, cover, context, memory, faults: RefCell::default() }
    }

    /// Notes what of a step could not be worked out.
    fn fault(&self, step: &definitions::Step, what: &str, error: &dyn Display) {
        tracing::error!(step = step.node, %error, "{what} failed");
        self.faults.borrow_mut().push(format!("{what}: {error}"));
    }

    fn text(&self, code: &str, fields: &Map<String, Value>) -> String {
        self.workflow.text(code, fields)
    }

    fn with_scope<T>(&self, turn: &Turn<'_>, read: impl FnOnce(&Scope) -> T) -> T {
        let host = ProductHost { viewer: Some(&self.viewer), ..turn.host_in(self.workflow) };
        read(&Scope::new().with_host(&host).with_context(&self.context).with_memory(&self.memory))
    }
}

struct Viewer {
    audience: Audience,
    /// Whether they act for a customer.
    assists: bool,
    contact: Contact,
    /// All for expressions, once one has asked.
    said: OnceLock<Value>,
}

impl OnDemand for Viewer {
    fn variable(&self) -> &Value {
        self.said.get_or_init(|| {
            let (Audience { roles, channel, partner, .. }, assists) = (&self.audience, self.assists);
            let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let (name, mobile) = (known(&self.contact.name), known(&self.contact.mobile));
            json!({"role": roles.first(), "roles": roles, "channel": channel, "partner": partner, "assists": assists,
                "name": name, "mobile": mobile})
        })
    }
}

/// `path`: the page that is asked for. What the shown step prints is one beside its own.
pub(crate) fn render(
    turn: &Turn<'_>,
    actor: &Actor,
    asked: (Option<&str>, Option<&str>),
    returns: ReturnUrl,
) -> StepView {
    draw(turn, actor, asked, returns).0
}

/// The page, and what is missing on it because it could not be worked out.
pub(crate) fn draw(
    turn: &Turn<'_>,
    actor: &Actor,
    (journey, path): (Option<&str>, Option<&str>),
    returns: ReturnUrl,
) -> (StepView, Vec<String>) {
    let reader = ViewerContext::of(turn, actor);
    let workflow = reader.workflow;
    let step = workflow.step(&turn.state.snapshot.active);
    let mut step = match step {
        Some(step) => match turn.closed_to(step, actor) {
            None => {
                let paper = paper_of(workflow, step).filter(|paper| path.is_some() && paper.path.as_deref() == path);
                let paper = paper.filter(|paper| turn.closed_to(paper, actor).is_none());
                render_step(turn, paper.unwrap_or(step), (actor, &reader), journey, returns)
            }
            Some(why) => closed_step(turn, step, &reader, journey, why),
        },
        None => wait_step(turn, &reader, journey),
    };
    let mut messages = messages(turn, &reader, &step);
    turn.show_help(actor, &mut step, &mut messages, &|code, fields| reader.text(code, fields));
    let is_there = turn.is_active() && actor.came_by.is_none() && reader.cover.is_none();
    let mut view = StepView {
        journey: JourneyView {
            id: journey.map(str::to_string),
            workflow: workflow.id.clone(),
            line: workflow.line.clone(),
            title: workflow.title_for(&reader.viewer.audience).to_owned(),
            version: workflow.version.clone(),
            revision: if journey.is_some() { turn.record.revision } else { 0 },
            seq: if journey.is_some() { turn.record.seq } else { 0 },
            status: turn.record.status.into(),
            base: workflow.base.clone(),
            language: actor.language.clone(),
            channel: actor.channel.clone(),
        },
        messages,
        step,
        // What says who is there may carry more than a link shows.
        presence: journey.filter(|_| is_there).and_then(|_| turn.presence_input()),
        leave: turn.leave(),
        work: None,
        server_time: rfc3339(turn.now_ms),
    };
    if let Some(link) = actor.came_by.as_ref().filter(|link| journey == Some(&*link.journey)) {
        link::leave_out(&mut view, link);
    }
    (view, reader.faults.take())
}

fn render_step(
    turn: &Turn<'_>,
    step: &definitions::Step,
    (actor, reader): (&Actor, &ViewerContext<'_>),
    journey: Option<&str>,
    returns: ReturnUrl,
) -> Step {
    let (workflow, audience) = (reader.workflow, &reader.viewer.audience);
    let (data, rendered) = step_data(turn, step, reader);
    let asked = step.form.as_deref().and_then(|id| workflow.form(id));
    let form = asked.map(|form| form_part(turn, step, form, reader));
    let form = form.and_then(|part| part.inspect_err(|error| reader.fault(step, "form", error)).ok());
    let face = step.face(audience);
    let title = face.title.as_ref().map(|t| t.render_lax(&data));
    let title = title
        .or_else(|| rendered.as_ref().and_then(|v| v.get("title")).and_then(Value::as_str).map(str::to_string))
        .or_else(|| asked.map(|form| form.title()))
        .unwrap_or_else(|| workflow.title_for(audience).to_owned());
    let waits = waits(turn);
    let wait = face.wait.as_deref().map(|code| WaitPart {
        text: workflow.text(code, data.as_object().unwrap_or(&Map::new())),
        since: rfc3339(turn.state.since_ms),
        deadline: waits.iter().filter_map(|w| w.deadline.clone()).max(),
    });
    let redirect = step.redirect.as_ref().and_then(|redirect| {
        let back = Value::String(returns(redirect.partner.as_deref().unwrap_or_default()));
        let result = reader
            .with_scope(turn, |scope| render_redirect(reader, redirect, &scope.clone().with("return_url", &back)));
        result.inspect_err(|error| reader.fault(step, "redirect", error)).ok()
    });
    let over = !turn.is_active();
    let back = back(turn, (actor, workflow), journey);
    let mut events = Vec::new();
    if !over {
        if (form.is_some() || step.review || takes(turn, "submit")) && turn.takes_from("submit", actor) {
            events.push(Accepted { kind: "submit".into(), schema: None });
        }
        events.extend(
            step.accepts
                .iter()
                .filter(|(_, accept)| accept.is_for(audience.roles.iter().map(String::as_str)))
                .map(|(kind, a)| Accepted { kind: kind.clone(), schema: Some(a.schema.clone()) }),
        );
        if back.is_some() {
            events.push(Accepted { kind: "back".into(), schema: None });
        }
    }
    events.retain(|event| actor.is_offered(&event.kind));
    let changeable = if over || !actor.is_offered("change") { Vec::new() } else { changeable(turn, reader) };
    if !changeable.is_empty() {
        events.push(Accepted { kind: "change".into(), schema: None });
    }
    Step {
        id: step.node.clone(),
        kind: step.kind.into(),
        title,
        intro: asked.and_then(|form| form.intro()),
        path: step.path.clone(),
        url: address(workflow, step, journey),
        progress: progress(workflow, step),
        review: step.review.then(|| review::review(turn, step, reader)),
        form,
        view: rendered,
        redirect,
        wait,
        events,
        back,
        changeable,
        waits,
        stream: journey.filter(|_| !over).map(|id| format!("/api/v1/journeys/{id}/stream")),
        consents: consents(turn, step),
        hide: face.hide.clone(),
    }
}

/// The data of a step, and what its view makes of it.
fn step_data(turn: &Turn<'_>, step: &definitions::Step, reader: &ViewerContext<'_>) -> (Value, Option<Value>) {
    let workflow = reader.workflow;
    let mut data = reader.with_scope(turn, |scope| evaluated(step, (reader, scope), |_| true));
    let audience = &reader.viewer.audience;
    let face = step.face(audience);
    let view = face.view.as_deref().and_then(|id| workflow.view(id)).map(|view| view.of_audience(audience));
    if let Some(data) = data.as_object_mut().filter(|_| view.is_some_and(|view| view.reads(definitions::COMPANY))) {
        let company = || turn.catalog.site(&workflow.language).company.clone();
        data.entry(definitions::COMPANY).or_insert_with(company);
    }
    let mut rendered = view.and_then(|view| {
        let result = reader.with_scope(turn, |scope| {
            view.render(&data, &audience.roles, &scope.clone().with_names(face.view_names()))
        });
        let (view, misfits) = result.inspect_err(|error| reader.fault(step, "view", error)).ok()?;
        misfits.iter().for_each(|misfit| reader.fault(step, "view", misfit));
        Some(view)
    });
    if let (Some(_), Some(view)) = (&reader.cover, &mut rendered) {
        without_documents(view);
    }
    append_page(turn, step, reader, &mut rendered);
    (data, rendered)
}

/// Appends what the site's page at the flow's base says to the view of its first step, below its form.
fn append_page(turn: &Turn<'_>, step: &definitions::Step, reader: &ViewerContext<'_>, view: &mut Option<Value>) {
    let workflow = reader.workflow;
    if step.form.is_none() || step.path.as_deref() != Some("") {
        return;
    }
    let language = &reader.actor.language;
    let site = turn.catalog.site(language);
    let Some(address) = site.address(&workflow.base).filter(|address| address.page.has_blocks()) else { return };
    let host = turn.page_host(language);
    let page = match address.render(site.data(), &host, 1) {
        Ok(page) => page.unwrap_or_default(),
        Err(error) => return reader.fault(step, "the page at the base", &error),
    };
    page.misfits.iter().for_each(|misfit| reader.fault(step, "the page at the base", misfit));
    let view = view.get_or_insert_with(|| json!({"blocks": [{"block": "form"}]}));
    if let Some(blocks) = view.get_mut("blocks").and_then(Value::as_array_mut) {
        blocks.extend(page.blocks);
    }
}

/// Documents are the customer's alone; what a step prints is covered like its page.
fn without_documents(view: &mut Value) {
    let Some(blocks) = view.get_mut("blocks").and_then(Value::as_array_mut) else { return };
    blocks.retain_mut(|block| {
        let is_list = block["block"] == "documents";
        let items = block.get_mut("items").and_then(Value::as_array_mut).filter(|_| is_list);
        items.is_none_or(|items| {
            items.retain(|item| item["document"] == PAPER);
            !items.is_empty()
        })
    });
}

/// The step whose page this one prints.
fn paper_of<'w>(workflow: &'w Workflow, step: &definitions::Step) -> Option<&'w definitions::Step> {
    workflow.step_by_node(step.paper.as_deref()?)
}

/// What the shown step prints: its title and its blocks.
pub(crate) fn print(turn: &Turn<'_>, actor: &Actor) -> Option<(String, Vec<Value>)> {
    let reader = ViewerContext::of(turn, actor);
    let step = reader.workflow.step(&turn.state.snapshot.active)?;
    let paper = paper_of(reader.workflow, step)?;
    if turn.closed_to(step, actor).or_else(|| turn.closed_to(paper, actor)).is_some() {
        return None;
    }
    let (_, view) = step_data(turn, paper, &reader);
    let blocks = view?.get("blocks")?.as_array()?.clone();
    Some((title_of(turn, paper, &reader), blocks))
}

/// Values of the flow by name, over what this reader may see; null what cannot be said.
pub(crate) fn values_of(turn: &Turn<'_>, actor: &Actor, names: &[String]) -> Map<String, Value> {
    if names.is_empty() {
        return Map::new();
    }
    let reader = ViewerContext::of(turn, actor);
    reader.with_scope(turn, |scope| {
        let value = |name: &String| match reader.workflow.value(name)?.eval(scope) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::error!(workflow = turn.workflow.id, name, %error, "a value failed");
                None
            }
        };
        names.iter().map(|name| (name.clone(), value(name).unwrap_or_default())).collect()
    })
}

/// The data of the shown step, where it is for this reader.
pub(crate) fn data_of_step(turn: &Turn<'_>, actor: &Actor) -> Value {
    let reader = ViewerContext::of(turn, actor);
    let step = reader.workflow.step(&turn.state.snapshot.active);
    let step = step.filter(|step| turn.closed_to(step, actor).is_none());
    step.map_or(Value::Null, |step| reader.with_scope(turn, |scope| evaluated(step, (&reader, scope), |_| true)))
}

/// What a list says of a journey, and its step in words.
pub(crate) fn summarize(turn: &Turn<'_>, actor: &Actor) -> (About, String) {
    let reader = ViewerContext::of(turn, actor);
    let (workflow, listed) = (reader.workflow, &reader.workflow.listed);
    let about = reader.with_scope(turn, |scope| {
        let said = |part: &str| listed.part(part, scope);
        About { title: said("title"), mark: said("mark"), provider: said("provider"), text: said("text") }
    });
    let step = workflow.step(&turn.state.snapshot.active);
    (
        about,
        step.map_or_else(
            || workflow.title_for(&reader.viewer.audience).to_owned(),
            |step| title_of(turn, step, &reader),
        ),
    )
}

/// Address of the step that Back leads to.
fn back(turn: &Turn<'_>, (actor, workflow): (&Actor, &Workflow), journey: Option<&str>) -> Option<String> {
    if !turn.is_active() || forbidden(turn, "back") || !actor.is_offered("back") {
        return None;
    }
    let step = workflow.step_by_node(&turn.state.trail.last()?.node)?;
    Some(address(workflow, step, journey))
}

/// A step that is not for this reader: that it is another's, and what they may do about it. Who acts for a customer may
/// go back, and correct what they answered themselves.
fn closed_step(
    turn: &Turn<'_>,
    step: &definitions::Step,
    reader: &ViewerContext<'_>,
    journey: Option<&str>,
    why: &str,
) -> Step {
    let roles = &reader.viewer.audience.roles;
    let theirs = |accept: &definitions::Accept| accept.names(roles.iter().map(String::as_str));
    let events = step.accepts.iter().filter(|(_, accept)| theirs(accept));
    let mut events: Vec<Accepted> =
        events.map(|(kind, a)| Accepted { kind: kind.clone(), schema: Some(a.schema.clone()) }).collect();
    let words = reader.text(why, &Map::new());
    let mut blocks = vec![json!({"block": "text", "text": words, "size": "lead"})];
    let actions = events.iter().map(|event| {
        let label = reader.text(&format!("journey.{}", event.kind), &Map::new());
        json!({"event": event.kind, "label": label})
    });
    let mut actions: Vec<Value> = actions.collect();
    let (back, changeable) = match turn.role_for_customers(reader.actor) {
        Some(role) => (back(turn, (reader.actor, reader.workflow), journey), own_steps(turn, reader, role)),
        None => (None, Vec::new()),
    };
    actions.extend(changeable.iter().map(|step| {
        let label = reader.text("journey.correct", &Map::from_iter([("title".to_owned(), json!(step.title))]));
        json!({"event": "change", "data": {"step": step.step}, "label": label, "style": "link"})
    }));
    let built_in = [("back", back.is_some()), ("change", !changeable.is_empty())];
    let built_in = built_in.into_iter().filter(|(_, is_offered)| *is_offered);
    events.extend(built_in.map(|(kind, _)| Accepted { kind: kind.into(), schema: None }));
    if !actions.is_empty() {
        blocks.push(json!({"block": "actions", "items": actions}));
    }
    Step {
        id: step.node.clone(),
        kind: StepKind::Message,
        title: title_of(turn, step, reader),
        path: step.path.clone(),
        url: address(reader.workflow, step, journey),
        progress: progress(reader.workflow, step),
        view: Some(json!({"blocks": blocks})),
        events,
        back,
        changeable,
        waits: waits(turn),
        stream: journey.filter(|_| turn.is_active()).map(|id| format!("/api/v1/journeys/{id}/stream")),
        hide: step.face(&reader.viewer.audience).hide.clone(),
        ..Step::default()
    }
}

/// Steps that were answered in this role last.
fn own_steps(turn: &Turn<'_>, reader: &ViewerContext<'_>, role: &str) -> Vec<Changeable> {
    if !turn.is_active() || !reader.actor.is_offered("change") {
        return Vec::new();
    }
    let mut steps = changeable(turn, reader);
    steps.retain(|step| turn.state.answered_by.get(&step.step).is_some_and(|by| by == role));
    steps
}

/// No active state has a step: a generated wait page.
fn wait_step(turn: &Turn<'_>, reader: &ViewerContext<'_>, journey: Option<&str>) -> Step {
    let workflow = reader.workflow;
    let waits = waits(turn);
    let over = !turn.is_active();
    let code = if over { "journey.over" } else { "journey.working" };
    let text = reader.text(code, &Map::new());
    Step {
        id: turn.step_node().to_owned(),
        kind: if over { StepKind::Message } else { StepKind::Wait },
        title: workflow.title.clone(),
        url: journey.map_or_else(|| workflow.base.clone(), |id| format!("{}?request={id}", workflow.base)),
        wait: Some(WaitPart {
            text,
            since: rfc3339(turn.state.since_ms),
            deadline: waits.iter().filter_map(|w| w.deadline.clone()).max(),
        }),
        waits,
        stream: journey.filter(|_| !over).map(|id| format!("/api/v1/journeys/{id}/stream")),
        ..Step::default()
    }
}

/// Rows that a message names by their keys are named by their places in the form that is shown; a message about a row
/// that is gone belongs to the whole page.
fn messages(turn: &Turn<'_>, reader: &ViewerContext<'_>, step: &Step) -> Vec<MessageView> {
    // without a form a field is one of the answers that are checked, or of an event that the page takes
    let is_taken = |pointer: &str| {
        let schemas = step.events.iter().filter_map(|event| event.schema.as_ref());
        schemas.into_iter().any(|schema| schema.pointer(&format!("/properties{pointer}")).is_some())
    };
    let is_on = |form: &FormPart, place: &str| {
        form.data.as_object().is_none_or(|data| definitions::is_asked(&form.schema, data, place))
    };
    let place = |pointer: &String| match &step.form {
        Some(form) => definitions::place_of(pointer, &form.schema, &form.data)
            .filter(|place| is_on(form, place) || is_taken(place)),
        None => (step.review.is_some() || is_taken(pointer)).then(|| pointer.clone()),
    };
    let is_told = |code: &str| reader.cover.as_ref().is_none_or(|cover| !cover.is_told_by(code));
    turn.state
        .messages
        .iter()
        .filter(|note| is_told(&note.code))
        .map(|note| {
            let (empty, mut fields) = (Map::new(), note.fields.clone());
            reader.cover.iter().for_each(|cover| cover.tell(&mut fields));
            let fields = fields.as_object().unwrap_or(&empty);
            let told =
                |text: &String| reader.cover.as_ref().map_or_else(|| text.clone(), |cover| cover.cover_text(text));
            let known = reader.workflow.find_text(&note.code, fields);
            let text = known.or_else(|| note.text.as_ref().map(told).map(|words| answered(reader, words)));
            let text = text.unwrap_or_else(|| reader.text("error.global", fields));
            MessageView {
                code: note.code.clone(),
                level: Level::from_name(note.level.as_deref()),
                pointer: note.pointer.as_ref().and_then(place),
                text,
            }
        })
        .collect()
}

/// What a partner answered, who answers in English: whoever reads another language is told so in it.
fn answered(reader: &ViewerContext<'_>, words: String) -> String {
    if reader.workflow.spoken == ENGLISH || !words.is_ascii() {
        return words;
    }
    let fields = Map::from_iter([("words".to_owned(), json!(words))]);
    reader.workflow.find_text("partner.answered", &fields).unwrap_or(words)
}

/// `{url, method, fields, label}` of a redirect step.
fn render_redirect(
    reader: &ViewerContext<'_>,
    redirect: &definitions::Redirect,
    scope: &Scope,
) -> Result<RedirectPart, EvalError> {
    let fields = redirect.fields.eval(scope)?;
    let known = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let fields = known.map(|(name, value)| (name.clone(), form_value(value))).collect();
    let label = redirect.label.as_deref().unwrap_or("action.continue");
    let label = reader.text(label, &Map::new());
    let url = redirect.url.eval(scope)?.as_str().unwrap_or_default().to_string();
    Ok(RedirectPart { url, method: redirect.method.clone(), fields, label })
}

/// A value as a form posts it.
fn form_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Page address of a step.
pub(crate) fn address(workflow: &Workflow, step: &definitions::Step, journey: Option<&str>) -> String {
    let path = step.path.as_deref().filter(|path| !path.is_empty()).map_or(["", ""], |path| ["/", path]);
    let query = journey.map_or(["", ""], |id| ["?request=", id]);
    [[workflow.base.as_str(), ""], path, query].concat().concat()
}

/// `step.data`: what a view gets of the context. What fails is left out, with a log line.
fn evaluated(
    step: &definitions::Step,
    (reader, scope): (&ViewerContext<'_>, &Scope),
    is_wanted: impl Fn(&str) -> bool,
) -> Value {
    let mut data = Map::new();
    for (name, mapping) in step.data.iter().filter(|(name, _)| is_wanted(name)) {
        match mapping.eval(scope) {
            Ok(value) => drop(data.insert(name.clone(), value)),
            Err(error) => reader.fault(step, &format!("data {name}"), &error),
        }
    }
    Value::Object(data)
}

/// Data of a form: draft, else context, else `prefill`, else the schema's defaults.
fn form_part(
    turn: &Turn<'_>,
    step: &definitions::Step,
    form: &definitions::Form,
    reader: &ViewerContext<'_>,
) -> Result<FormPart, EvalError> {
    reader.with_scope(turn, |scope| {
        let scope = &scope.clone().with_names(step.names());
        let fields = form.fields(&reader.viewer.audience, scope)?;
        let prefill = match reader.cover {
            Some(_) => turn.prefill(step),
            None => step.prefill.as_ref().and_then(|prefill| prefill.eval(scope).ok()),
        };
        let mut data = turn.laid(step, form, &fields, prefill, reader.actor);
        let (plain, mut schema) = (data.clone(), fields.view().schema);
        turn.shown(step, form, &mut data, reader.actor);
        if reader.cover.is_some() && plain != data {
            schema = loosened(&schema, |field| plain.get(field) != data.get(field));
        }
        Ok(FormPart {
            id: step.form.clone().unwrap_or_default(),
            schema,
            data: Value::Object(data),
            rows: step.into.as_deref().map(|into| turn.state.row_numbers(into)).unwrap_or_default(),
            draft: turn.draft(reader.actor).is_some(),
            submit: submit_text(turn, step, reader),
        })
    })
}

/// A covered value breaks the rules of its field, which a browser would hold it to; the server checks what it stands
/// for.
fn loosened(schema: &Frozen, is_covered: impl Fn(&str) -> bool) -> Frozen {
    const RULES: [&str; 6] = ["pattern", "format", "minLength", "x-date", "x-normalise", "x-refuse"];
    let mut schema = Value::clone(schema);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, rule) in properties.filter(|(name, _)| is_covered(name)) {
        if let Some(rule) = rule.as_object_mut() {
            rule.retain(|key, _| !RULES.contains(&key.as_str()));
        }
        if let Some(ui) = rule.get_mut("x-ui").and_then(Value::as_object_mut) {
            ui.retain(|key, _| !["widget", "autocomplete"].contains(&key.as_str()));
        }
    }
    Frozen::from(schema)
}

/// What the step's form asks consent to.
fn consents(turn: &Turn<'_>, step: &definitions::Step) -> Vec<ConsentPart> {
    let fields =
        step.form.as_deref().and_then(|id| turn.workflow.form(id)).map(|form| form.consents()).unwrap_or_default();
    let given = |purpose: &String| turn.state.consents.get(purpose).copied().unwrap_or(false);
    let of = |(field, purposes): &(String, Vec<String>)| -> Vec<ConsentPart> {
        let part = |purpose: &String| ConsentPart {
            given: given(purpose),
            purpose: purpose.clone(),
            pointer: format!("/{field}"),
        };
        purposes.iter().map(part).collect()
    };
    fields.iter().flat_map(of).collect()
}

fn progress(workflow: &Workflow, step: &definitions::Step) -> Progress {
    let current = step.section.as_deref().and_then(|id| workflow.sections.iter().position(|s| s.id == id));
    let Some(current) = current else { return Progress::default() };
    let state = |index: usize| match index.cmp(&current) {
        Ordering::Less => SectionState::Done,
        Ordering::Equal => SectionState::Current,
        Ordering::Greater => SectionState::Todo,
    };
    let sections = workflow.sections.iter().enumerate().map(|(i, s)| ProgressSection {
        id: s.id.clone(),
        title: s.title.clone(),
        state: state(i),
    });
    Progress { sections: sections.collect(), scene: workflow.scene.clone() }
}

fn waits(turn: &Turn<'_>) -> Vec<Wait> {
    let open = turn.state.runs.iter().filter(|(_, run)| !run.open.is_empty());
    open.map(|(id, run)| Wait {
        purpose: turn.workflow.invoke(id).and_then(|i| i.into.clone()).unwrap_or_else(|| id.clone()),
        since: rfc3339(run.since_ms),
        deadline: run.deadline_ms.map(rfc3339),
        open: run.open.len(),
        of: run.of,
    })
    .collect()
}

fn changeable(turn: &Turn<'_>, reader: &ViewerContext<'_>) -> Vec<Changeable> {
    let steps = turn.state.trail.iter().filter_map(|e| reader.workflow.step_by_node(&e.node));
    steps
        .map(|step| Changeable {
            step: step.node.clone(),
            title: title_of(turn, step, reader),
            path: step.path.clone(),
        })
        .collect()
}

/// The text of the step's button.
fn submit_text(turn: &Turn<'_>, step: &definitions::Step, reader: &ViewerContext<'_>) -> String {
    let face = step.face(&reader.viewer.audience);
    let own = face.submit.as_ref().map(|label| step_text(turn, step, label, reader));
    own.unwrap_or_else(|| reader.text("action.continue", &Map::new()))
}

/// A text of a step, with the step's data in its places.
fn step_text(turn: &Turn<'_>, step: &definitions::Step, text: &Text, reader: &ViewerContext<'_>) -> String {
    let named: Vec<&str> = text.names().collect();
    text.render_lax(&reader.with_scope(turn, |scope| evaluated(step, (reader, scope), |name| named.contains(&name))))
}

/// A step's title away from the step itself.
fn title_of(turn: &Turn<'_>, step: &definitions::Step, reader: &ViewerContext<'_>) -> String {
    let face = step.face(&reader.viewer.audience);
    let own = face.title.as_ref().map(|title| step_text(turn, step, title, reader));
    own.or_else(|| step.form.as_deref().and_then(|id| reader.workflow.form(id)).map(|f| f.title()))
        .unwrap_or_else(|| reader.workflow.title_for(&reader.viewer.audience).to_owned())
}

fn takes(turn: &Turn<'_>, kind: &str) -> bool {
    let machine = &turn.workflow.machine;
    let step = turn.step_node();
    // Only the step's own state and what is inside it: a root handler is no offer to the person.
    turn.state.snapshot.active.iter().any(|leaf| {
        machine
            .ancestors(leaf)
            .any(|node| (node == step || inside(machine, node, step)) && machine.events_of(node).any(|d| d == kind))
    })
}

fn inside(machine: &engine_statechart::Machine, node: &str, step: &str) -> bool {
    machine.ancestors(node).any(|a| a == step)
}

/// `on: {back: {}}` on the step forbids the built-in.
fn forbidden(turn: &Turn<'_>, kind: &str) -> bool {
    let step = turn.step_node();
    turn.workflow.forbids(step, kind)
}

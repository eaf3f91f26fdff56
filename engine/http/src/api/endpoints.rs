//! `/api/…` addresses that are data (`workflows/endpoints/`): what comes is read by its shape or form, then rows are
//! read, a partner is called or a journey begins with the caller's own session, then the reply is made. Nothing here
//! knows what any is for.

use crate::agents;
use crate::app::App;
use crate::attribution::{self, Said};
use crate::middleware::{Class, Client};
use crate::problem::{self, Code, FieldProblem, Problem};
use crate::session::{ChangeRequest, Opening, Visitor, token};
use crate::start::{self, Begin};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Audience, Calls, Catalog, Endpoint, EvalError, FieldError, Now, Sends, Starts, Who};
use engine_partners::{CallOutcome, Order};
use engine_runtime::view::{Level, MessageView};
use engine_runtime::{Actor, Refusal, Send, StepView, new_id};
use engine_statechart::expression::Scope;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Names the program that calls.
const CLIENT: &str = "x-api-key";
/// What codes of journeys are sealed for.
const CODE: &str = "endpoint";

const CODE_UNKNOWN: &str = "This code is not right, or no longer valid";

const ZONE: chrono_tz::Tz = chrono_tz::Asia::Kolkata;

/// Every address below `/api/` that the program itself does not serve.
pub async fn answer(State(app): State<App>, request: Request) -> Response {
    let catalog = app.runtime.catalog();
    let Some(here) = catalog.endpoints_at(request.uri().path()) else { return StatusCode::NOT_FOUND.into_response() };
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    let Some(endpoint) = here.get(method).cloned() else {
        let allow = here.keys().copied().collect::<Vec<_>>().join(", ");
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, allow)]).into_response();
    };
    answered(&app, &catalog, endpoint, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answered(
    app: &App,
    catalog: &Arc<Catalog>,
    endpoint: Arc<Endpoint>,
    request: Request,
) -> Result<Response, Problem> {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let asked = endpoint.asked(pairs.iter().map(|(name, text)| (name.as_ref(), text.as_ref())));
    let query = asked.map_err(|misfit| refused(misfit.pointer, "query", misfit.message))?;
    let mut found = Map::from_iter([
        ("query".to_owned(), query),
        ("list".to_owned(), json!([])),
        ("more".to_owned(), json!(false)),
        ("site".to_owned(), catalog.site("").described().clone()),
    ]);
    let actor = who(app, request.headers()).await?;
    found.insert("visit".into(), visit(app, catalog, request.headers(), actor.as_ref()));
    let mut caller = None;
    let mut client = None;
    if endpoint.method == "POST" {
        let mut change = ChangeRequest::<Map<String, Value>>::from_request(request, app).await?;
        named(catalog, &endpoint, &change.headers)?;
        let body = std::mem::take(&mut change.body);
        found.insert("body".into(), fitting(app, catalog, &endpoint, &change.visitor, body)?);
        if endpoint.needs_proof && !change.visitor.actor.proven {
            return Err(change.visitor.refused(app, Refusal::Proof));
        }
        known(app, catalog, &endpoint, &change.visitor, &mut found).await?;
        client = Some(change.visitor.client);
        caller = Some(change);
    } else {
        named(catalog, &endpoint, request.headers())?;
        if endpoint.who != Who::Anyone || endpoint.call.is_some() {
            let (mut parts, _) = request.into_parts();
            let visitor = Visitor::from_request_parts(&mut parts, app).await?;
            known(app, catalog, &endpoint, &visitor, &mut found).await?;
            client = Some(visitor.client);
        }
    }
    if let Some(change) = &mut caller {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let held = endpoint.held(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
        if let Some(token) = held {
            change.visitor.hold(app, &token).await?;
        }
    }
    if let Some(change) = &mut caller {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let code = endpoint.taken_over(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
        if let Some(code) = code {
            app.limit(Class::Start, change.visitor.client)?;
            let page = change.visitor.take_over(app, &code).await?;
            let page = page.ok_or_else(|| refused("/code".into(), "code.unknown", CODE_UNKNOWN.into()))?;
            found.insert("journey".into(), json!({"url": page}));
        }
    }
    read(app, catalog, &endpoint, &mut found).await?;
    if let (Some(call), Some(client)) = (&endpoint.call, client) {
        let said = called(app, catalog, &endpoint, call, client, &found).await?;
        found.insert("call".into(), said);
    }
    if let Some(change) = &mut caller {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let page = endpoint.checked(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
        if let Some(page) = page {
            checked(app, catalog, change, &page).await?;
            found.insert("visit".into(), visit(app, catalog, &change.headers, Some(&change.visitor.actor)));
        }
    }
    let mut opening = None;
    if let (Some(starts), Some(change)) = (&endpoint.start, &mut caller) {
        let journey;
        (journey, opening) = begun(app, catalog, &endpoint, starts, change, &found).await?;
        found.insert("journey".into(), journey);
    }
    if let (Some(sends), Some(change)) = (&endpoint.send, &mut caller) {
        let journey = sent(app, catalog, &endpoint, sends, change, &found).await?;
        found.insert("journey".into(), journey);
    }
    if let Some(change) = &caller {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let said = endpoint.profile(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
        if let Some(said) = said {
            app.runtime.people.keep_profile(&change.visitor.actor, said).await?;
        }
    }
    if let Some(change) = &mut caller {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let ended = endpoint.ended(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
        let own = match ended {
            Some(ids) => app.runtime.people.end_own_sessions(&change.visitor.actor, &ids).await?,
            None => endpoint.signs_out,
        };
        if own {
            change.visitor.sign_out(app).await?;
        }
        let first_name = app.runtime.people.first_name(&change.visitor.actor).await?;
        found.insert(
            "session".into(),
            json!({"token": change.visitor.mark(), "first_name": first_name, "sources": change.visitor.actor.sources}),
        );
    }
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let reply = endpoint.reply(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
    let mut response = Json(reply).into_response();
    if let Some(value) = endpoint.cache_s.and_then(|age| HeaderValue::from_str(&format!("public, max-age={age}")).ok())
    {
        response.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    Ok(match caller {
        Some(change) => change.visitor.begun(opening, &change.headers, response),
        None => response,
    })
}

/// Whose session it is.
async fn who(app: &App, headers: &HeaderMap) -> Result<Option<Actor>, Problem> {
    match token(headers) {
        Some(token) => Ok(app.runtime.people.session(token).await?),
        None => Ok(None),
    }
}

/// How the caller came, and who that makes them.
fn visit(app: &App, catalog: &Catalog, headers: &HeaderMap, actor: Option<&Actor>) -> Value {
    let came = attribution::of(&app.runtime, headers, actor);
    let agent = actor.map(|actor| actor.agent.clone()).unwrap_or_default();
    let session = actor.map_or("", |actor| &actor.session);
    catalog.site("").channels.visit(&came, &agent, came.draw_or(session))
}

/// The check of agents that a page needs: the session that it is kept in is opened with it.
async fn checked(
    app: &App,
    catalog: &Catalog,
    change: &mut ChangeRequest<Map<String, Value>>,
    page: &str,
) -> Result<(), Problem> {
    app.limit(Class::Start, change.visitor.client)?;
    let came = attribution::of(&app.runtime, &change.headers, Some(&change.visitor.actor));
    let visitor = &mut change.visitor;
    let visit = (page, visitor.actor.session.as_str());
    if let Some(agent) = agents::check(app, catalog, &came, &visitor.actor.agent, visit).await {
        visitor.open(app).await?;
        visitor.keep_agent(app, agent).await?;
    }
    Ok(())
}

/// The program names itself where the endpoint asks for it.
fn named(catalog: &Catalog, endpoint: &Endpoint, headers: &HeaderMap) -> Result<(), Problem> {
    let key = headers.get(CLIENT).and_then(|key| key.to_str().ok());
    let is_known = || key.is_some_and(|key| catalog.site("").clients.iter().any(|known| known == key));
    if !endpoint.names_client || is_known() { Ok(()) } else { Err(Problem::new(Code::Client)) }
}

/// Without a session, a sign-in or a role where one is needed, it is as if nothing were there.
async fn known(
    app: &App,
    catalog: &Catalog,
    endpoint: &Endpoint,
    visitor: &Visitor,
    found: &mut Map<String, Value>,
) -> Result<(), Problem> {
    if !endpoint.roles.include(visitor.actor.acting_roles()) {
        return Err(visitor.refused(app, Refusal::NotFound));
    }
    match endpoint.who {
        Who::Anyone => return Ok(()),
        Who::Session if visitor.actor.id.is_empty() => return Err(visitor.refused(app, Refusal::NotFound)),
        Who::Session => {}
        Who::Person => {
            let account = app.runtime.people.account(&visitor.actor).await?;
            let account = account.ok_or_else(|| visitor.unknown())?;
            found.insert("account".into(), json!(account));
        }
    }
    let roles: Vec<String> = visitor.actor.acting_roles().map(str::to_owned).collect();
    found.insert("site".into(), catalog.site("").described_for(&roles));
    Ok(())
}

/// The body as its form reads it; every field at fault is named, with its text.
fn fitting(
    app: &App,
    catalog: &Catalog,
    endpoint: &Endpoint,
    visitor: &Visitor,
    body: Map<String, Value>,
) -> Result<Value, Problem> {
    let Some(form) = &endpoint.body else {
        return if body.is_empty() {
            Ok(Value::Object(body))
        } else {
            Err(refused(String::new(), "body", "nothing is taken here".into()))
        };
    };
    let form = catalog.form(form).ok_or_else(|| Problem::new(Code::Internal))?;
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let (host, context) = (catalog.host(&now, None), json!({}));
    let scope = Scope::new().with("context", &context).with_host(&host);
    let mut data = Value::Object(body);
    let roles = visitor.actor.acting_roles().map(str::to_owned).collect();
    let audience = Audience { roles, ..Audience::default() };
    let errors = form.check(&audience, &scope, &mut data).map_err(|error| broken(endpoint, &error))?;
    if errors.is_empty() {
        return Ok(data);
    }
    let named = |error: FieldError| FieldProblem { pointer: error.pointer, code: error.code, text: error.text };
    Err(Problem::new(Code::Invalid).errors(errors.into_iter().map(named).collect()))
}

/// Rows of reference data: a search reads the whole file, so not on a thread that answers others.
async fn read(
    app: &App,
    catalog: &Arc<Catalog>,
    endpoint: &Arc<Endpoint>,
    found: &mut Map<String, Value>,
) -> Result<(), Problem> {
    let Some(list) = &endpoint.list else { return Ok(()) };
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let asked = list.asked(found, &catalog.host(&now, None)).map_err(|error| broken(endpoint, &error))?;
    let master = catalog.master(&list.of).ok_or_else(|| Problem::new(Code::Internal))?.clone();
    let limit = list.limit;
    let (rows, more) = tokio::task::spawn_blocking(move || master.find(&asked.0, &asked.1, limit))
        .await
        .map_err(|_| Problem::new(Code::Internal))?;
    found.insert("list".into(), Value::Array(rows));
    found.insert("more".into(), json!(more));
    Ok(())
}

/// What the partner said: `{error, code, message, response}`; that it failed is an answer too.
async fn called(
    app: &App,
    catalog: &Catalog,
    endpoint: &Endpoint,
    call: &Calls,
    client: Client,
    found: &Map<String, Value>,
) -> Result<Value, Problem> {
    app.limit(Class::Start, client)?;
    let now_ms = app.runtime.now_ms();
    let input = call.asked(found, &catalog.host(&Now::at(now_ms, ZONE), None));
    let input = input.map_err(|error| broken(endpoint, &error))?;
    let partner = catalog.partner(&call.partner).ok_or_else(|| Problem::new(Code::Internal))?;
    let operation = partner.operation(&call.operation).ok_or_else(|| Problem::new(Code::Internal))?;
    let key = new_id();
    let failed = match app.partners.call(catalog, partner, operation, &input, Order::alone(&key, now_ms)).await {
        CallOutcome::Done { output, .. } => {
            return Ok(json!({"error": false, "code": "", "message": "", "response": output}));
        }
        CallOutcome::Failed(failed) => (failed.code, failed.message),
        CallOutcome::NotBegun => ("unavailable".into(), String::new()),
    };
    tracing::warn!(endpoint = endpoint.id, code = failed.0, "a partner's call failed");
    Ok(json!({"error": true, "code": failed.0, "message": failed.1, "response": null}))
}

/// Begins a journey for the caller: `{id, url, step}`, and the session that was opened for it.
async fn begun(
    app: &App,
    catalog: &Catalog,
    endpoint: &Endpoint,
    starts: &Starts,
    change: &mut ChangeRequest<Map<String, Value>>,
    found: &Map<String, Value>,
) -> Result<(Value, Option<Opening>), Problem> {
    app.limit(Class::Start, change.visitor.client)?;
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let data = starts.data(found, &catalog.host(&now, None)).map_err(|error| broken(endpoint, &error))?;
    // A call without a key is one journey.
    let key = change.key().unwrap_or_else(|_| new_id());
    let event = Some((starts.event.clone(), data));
    let begin = Begin { workflow: starts.workflow.clone(), key, event, said: Said::new() };
    let (sent, opening) = start::start(app, &mut change.visitor, &change.headers, begin).await?;
    Ok((described_journey(app, &sent.view), opening))
}

/// Sends an event to the caller's own journey; what its screen says was wrong is a refusal.
async fn sent(
    app: &App,
    catalog: &Catalog,
    endpoint: &Endpoint,
    sends: &Sends,
    change: &mut ChangeRequest<Map<String, Value>>,
    found: &Map<String, Value>,
) -> Result<Value, Problem> {
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let (code, data) = sends.of(found, &catalog.host(&now, None)).map_err(|error| broken(endpoint, &error))?;
    let journey = app.runtime.people.open_for(CODE, &code).and_then(|id| String::from_utf8(id).ok());
    let journey = journey.ok_or_else(|| Problem::new(Code::NotFound))?;
    let visitor = &mut change.visitor;
    let shown = app.runtime.journeys.view(&visitor.actor, &journey).await?;
    let event = Send { key: new_id(), revision: shown.journey.revision, kind: sends.event.clone(), data };
    let sent = app.runtime.journeys.send(&visitor.actor, &journey, event).await;
    let sent = sent.map_err(|refusal| visitor.refused(app, refusal))?;
    let wrong: Vec<FieldProblem> =
        sent.view.messages.iter().filter(|said| said.level == Level::Error).map(told).collect();
    if !wrong.is_empty() {
        return Err(Problem::new(Code::Invalid).errors(wrong));
    }
    if let Some(signs_in) = sent.signs_in {
        visitor.sign_in(app, signs_in).await?;
    }
    Ok(described_journey(app, &sent.view))
}

fn told(message: &MessageView) -> FieldProblem {
    let MessageView { code, pointer, text, .. } = message.clone();
    FieldProblem { pointer: pointer.unwrap_or_default(), code, text }
}

/// `code` stands for it where its caller comes back: it opens nothing without the caller's session.
fn described_journey(app: &App, view: &StepView) -> Value {
    let id = view.journey.id.clone().unwrap_or_default();
    let code = app.runtime.people.seal_for(CODE, id.as_bytes());
    json!({"id": id, "url": view.step.url, "step": view.step.path, "code": code, "messages": view.messages})
}

fn refused(pointer: String, code: &str, text: String) -> Problem {
    Problem::new(Code::Invalid).errors(vec![FieldProblem { pointer, code: code.into(), text }])
}

fn broken(endpoint: &Endpoint, error: &EvalError) -> Problem {
    tracing::error!(endpoint = endpoint.id, %error, "an endpoint failed");
    Problem::new(Code::Broken)
}

/// With what a call of this endpoint may be refused.
fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = problem::ANYWHERE.to_vec();
    codes.extend([Code::Invalid, Code::Broken]);
    if endpoint.names_client {
        codes.push(Code::Client);
    }
    if endpoint.who == Who::Person {
        codes.push(Code::SignIn);
    }
    if endpoint.method == "POST" {
        codes.extend([Code::Csrf, Code::BodyInvalid, Code::MediaType, Code::KeyReused, Code::NotAccepted, Code::Proof]);
    }
    codes
}

/// Adds the endpoints of the definitions to the description of the API.
pub fn describe(description: &mut Value, catalog: &Catalog, now_ms: i64) {
    let now = Now::at(now_ms, ZONE);
    for endpoint in catalog.endpoints() {
        let parameters: Vec<Value> = endpoint
            .query
            .properties()
            .map(|(name, shape)| {
                json!({"name": name, "in": "query", "required": shape.default().is_none(), "schema": shape.schema_json()})
            })
            .collect();
        let mut responses = json!(problem::responses(&refusals(endpoint)));
        responses["200"] = json!({"description": endpoint.title, "content": {"application/json": {}}});
        let mut operation = json!({
            "tags": ["endpoints"], "summary": endpoint.title, "operationId": endpoint.id, "parameters": parameters,
            "responses": responses,
        });
        if let Some(form) = endpoint.body.as_ref().and_then(|form| catalog.form(form)) {
            let (host, context) = (catalog.host(&now, None), json!({}));
            let scope = Scope::new().with("context", &context).with_host(&host);
            let schema = form.view(&Audience::default(), &scope).map(|view| view.schema).ok();
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        description["paths"][&endpoint.path][endpoint.method.to_lowercase()] = operation;
    }
}

//! `/api/…` addresses that are data (`workflows/endpoints/`): what comes is read by its shape or form, then rows are
//! read or a journey begins with the caller's own session, then the reply is made. Nothing here knows what any is for.

use crate::app::App;
use crate::attribution;
use crate::middleware::Class;
use crate::problem::{self, Code, FieldProblem, Problem};
use crate::session::{ChangeRequest, Opening, Visitor};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Audience, Catalog, Endpoint, EvalError, FieldError, Now, Starts, Who};
use engine_runtime::{Start, new_id};
use engine_statechart::expression::Scope;
use serde_json::{Map, Value, json};
use std::sync::Arc;

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
    let mut caller = None;
    if endpoint.method == "POST" {
        let mut change = ChangeRequest::<Map<String, Value>>::from_request(request, app).await?;
        let body = std::mem::take(&mut change.body);
        found.insert("body".into(), checked(app, catalog, &endpoint, body)?);
        caller = Some(change);
    } else if endpoint.who == Who::Session {
        let (mut parts, _) = request.into_parts();
        known(&Visitor::from_request_parts(&mut parts, app).await?)?;
    }
    if let Some(change) = &caller
        && endpoint.who == Who::Session
    {
        known(&change.visitor)?;
    }
    read(app, catalog, &endpoint, &mut found).await?;
    let mut answer = None;
    if let (Some(starts), Some(mut change)) = (&endpoint.start, caller) {
        let (journey, opening) = begun(app, catalog, &endpoint, starts, &mut change, &found).await?;
        found.insert("journey".into(), journey);
        answer = Some((change, opening));
    }
    let now = Now::at(app.runtime.now_ms(), ZONE);
    let reply = endpoint.reply(&found, &catalog.host(&now, None)).map_err(|error| broken(&endpoint, &error))?;
    let mut response = Json(reply).into_response();
    if let Some(value) = endpoint.cache_s.and_then(|age| HeaderValue::from_str(&format!("public, max-age={age}")).ok())
    {
        response.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    Ok(match answer {
        Some((change, opening)) => change.visitor.begun(opening, &change.headers, response),
        None => response,
    })
}

/// Without a session it is as if nothing were there.
fn known(visitor: &Visitor) -> Result<(), Problem> {
    if visitor.actor.id.is_empty() { Err(Problem::new(Code::NotFound)) } else { Ok(()) }
}

/// The body as its form reads it; every field at fault is named, with its text.
fn checked(app: &App, catalog: &Catalog, endpoint: &Endpoint, body: Map<String, Value>) -> Result<Value, Problem> {
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
    let errors = form.check(&Audience::default(), &scope, &mut data).map_err(|error| broken(endpoint, &error))?;
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
    let came_from = attribution::of(app, &change.visitor, &change.headers);
    let opening = change.visitor.begin(app, &key, &came_from);
    let start = Start {
        workflow: starts.workflow.clone(),
        key,
        event: Some((starts.event.clone(), data)),
        attribution: Value::Object(came_from),
        session: opening.as_ref().map(|opening| opening.session.clone()),
    };
    let sent = app.runtime.journeys.start(&change.visitor.actor, start).await;
    let view = sent.map_err(|refusal| app.refused(refusal, change.visitor.client))?.view;
    Ok((json!({"id": view.journey.id, "url": view.step.url, "step": view.step.path}), opening))
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
    if endpoint.body.is_some() {
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

//! `/api/v1/journeys`: start one, look at one, list mine. `/api/v1/workflows/…/start`: the first step without a
//! journey.

use super::known_id;
use crate::app::App;
use crate::connection::middleware::Class;
use crate::json::{ViewBody, Word};
use crate::pages;
use crate::pages::site::Facts;
use crate::problem::{Problem, refusals};
use crate::visitor::attribution;
use crate::visitor::session::{ChangeRequest, Visitor};
use crate::visitor::start::{self, Begin};
use axum::Json;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use engine_runtime::view::{JourneySummary, Status, StepView};
use engine_runtime::{List, Opened, Sent};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

refusals!(StartRefused: changing, KeyMissing, SignIn, NotFound, NotAccepted, Invalid, KeyReused, Broken, Proof, Cookies);
refusals!(ViewRefused: BodyInvalid, SignIn, NotFound, Expired);
refusals!(NotThere: NotFound);
refusals!(ListRefused: SignIn, NotFound);

/// Body of a start: the workflow, and usually the answers of its first step.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartBody {
    /// Id of the workflow: `line/name`.
    #[schema(value_type = String, max_length = 200)]
    workflow: Word,
    /// Event of the first answers; `submit` when `data` is given without it.
    #[serde(rename = "type")]
    #[schema(value_type = Option<String>, max_length = 200)]
    kind: Option<Word>,
    #[schema(value_type = Option<HashMap<String, Value>>)]
    data: Option<Map<String, Value>>,
    /// What the visitor came from.
    attribution: Option<BTreeMap<String, String>>,
}

/// What opening a page gives.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum OpenedPage {
    Here(Box<StepView>),
    Elsewhere(Elsewhere),
}

/// A page was opened that is not the journey's current one.
#[derive(Serialize, ToSchema)]
pub struct Elsewhere {
    /// Address to go on at.
    pub elsewhere: String,
}

#[derive(Deserialize, IntoParams)]
pub struct ViewQuery {
    /// Path of the page that was opened, relative to the workflow's base.
    path: Option<String>,
}

/// First step of a workflow, without a journey. What the query says of where the visitor comes from, by the names that
/// pages read too, is kept for what begins next (R7.2-04).
#[utoipa::path(get, path = "/api/v1/workflows/{line}/{name}/start", tag = "journeys",
    params(("line" = String, Path), ("name" = String, Path)),
    responses((status = 200, body = StepView), NotThere))]
pub async fn preview(
    State(app): State<App>,
    Path((line, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let came = attribution::of(&app.runtime, &headers, Some(&visitor.actor));
    let view = start::preview(&app, &visitor.actor, &format!("{line}/{name}"), &came).await?;
    let (catalog, base) = (app.runtime.catalog(), view.journey.base.clone());
    let shown = ViewBody(Box::new(view)).into_response();
    let said = attribution::split(&catalog.site("").channels, &query.unwrap_or_default()).said;
    if said.is_empty() {
        return Ok(shown);
    }
    let mut facts = Facts::of(&app, &base, &headers).await;
    let is_new = facts.arrive(&catalog, &said, app.runtime.now_ms());
    Ok(pages::set_attribution_cookie(&app, is_new.then_some(facts.came), shown))
}

/// Start a journey, usually with its first answers, in one commit.
#[utoipa::path(post, path = "/api/v1/journeys", tag = "journeys", request_body = StartBody,
    params(("Idempotency-Key" = String, Header, description = "the same key and body give the same journey; before there is a \
        cookie, for an hour and only where the key is random: a UUID of version 4, or 32 hexadecimal digits"),
        ("X-Proof" = Option<String>, Header, description = "the solution of the challenge of a problem `proof`")),
    responses((status = 201, body = StepView, headers(("idempotent-replayed" = bool))),
        (status = 200, description = "repeated", body = StepView, headers(("idempotent-replayed" = bool))), StartRefused))]
pub async fn start(State(app): State<App>, change: ChangeRequest<StartBody>) -> Result<Response, Problem> {
    app.limit(Class::Start, change.visitor.client)?;
    let key = change.key()?;
    let ChangeRequest { mut visitor, body, headers, .. } = change;
    let StartBody { workflow, kind, data, attribution: given } = body;
    let said = attribution::select_params(&app.runtime.catalog().site("").channels, &given.unwrap_or_default());
    let event = match (kind, data) {
        (None, None) => None,
        (kind, data) => {
            Some((kind.map_or_else(|| "submit".into(), String::from), Value::Object(data.unwrap_or_default())))
        }
    };
    let begin = Begin { workflow: workflow.into(), key, event, said };
    let (mut sent, opening) = start::start(&app, &mut visitor, &headers, begin).await?;
    let status = if sent.repeated { StatusCode::OK } else { StatusCode::CREATED };
    app.work_ahead(&visitor.actor, visitor.client, &mut sent.view).await;
    Ok(visitor.with_started_session(opening, &headers, (status, replayed(&sent), ViewBody(sent.view))))
}

/// The journey's current step; with `path`, where it is when it is not on that page.
#[utoipa::path(get, path = "/api/v1/journeys/{id}", tag = "journeys", params(("id" = String, Path), ViewQuery),
    responses((status = 200, body = OpenedPage), ViewRefused))]
pub async fn view(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ViewQuery>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    known_id(&id)?;
    let journeys = &app.runtime.journeys;
    let refused = |refusal| visitor.refuse(&app, refusal);
    let Some(path) = query.path else {
        let mut view = journeys.view(&visitor.actor, &id).await.map_err(refused)?;
        app.work_ahead(&visitor.actor, visitor.client, &mut view).await;
        return Ok(ViewBody(Box::new(view)).into_response());
    };
    let opened = journeys.open_path(&visitor.actor, &id, path.trim_matches('/')).await.map_err(refused)?;
    Ok(Json(match opened {
        Opened::Here(view) => OpenedPage::Here(view),
        Opened::Elsewhere(view) => OpenedPage::Elsewhere(Elsewhere { elsewhere: view.step.url }),
    })
    .into_response())
}

#[derive(Deserialize, IntoParams)]
pub struct ListQuery {
    /// Part of the title, or the mobile number of the customer.
    search: Option<String>,
    workflow: Option<String>,
    status: Option<Status>,
    /// Id of the last one of the page before.
    before: Option<String>,
    /// 1 to 200; 50 when it is not said.
    limit: Option<u32>,
}

/// My journeys, the newest begun first.
#[utoipa::path(get, path = "/api/v1/journeys", tag = "journeys", params(ListQuery),
    responses((status = 200, body = Vec<JourneySummary>), ListRefused))]
pub async fn list(
    State(app): State<App>,
    Query(query): Query<ListQuery>,
    visitor: Visitor,
) -> Result<Json<Vec<JourneySummary>>, Problem> {
    if visitor.actor.id.is_empty() {
        return Ok(Json(Vec::new()));
    }
    let ListQuery { search, workflow, status, before, limit } = query;
    if let Some(before) = &before {
        known_id(before)?;
    }
    let (status, limit) = (status.map(Into::into), limit.unwrap_or(50));
    let list = List { search, workflow, status, before, limit, ..List::default() };
    let mut listed = app.runtime.journeys.journeys_of(&visitor.actor, list).await?;
    app.runtime.journeys.describe(&visitor.actor, &mut listed).await?;
    Ok(Json(listed))
}

/// Marks an answer that repeats an earlier one.
pub(super) fn replayed(sent: &Sent) -> [(&'static str, &'static str); 1] {
    [("idempotent-replayed", if sent.repeated { "true" } else { "false" })]
}

//! `/api/v1/journeys`: start one, look at one, list mine. `/api/v1/workflows/…/start`: the first step without a
//! journey.

use super::known_id;
use crate::app::{App, committed};
use crate::attribution;
use crate::edge::Class;
use crate::edge::json::Shown;
use crate::problem::{Code, Problem};
use crate::session::{Changing, Visitor};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engine_runtime::view::{JourneySummary, StepView};
use engine_runtime::{Opened, Sent, Start};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// Body of a start: the workflow, and usually the answers of its first step.
#[derive(Serialize, ToSchema)]
#[allow(dead_code)]
pub struct StartBody {
    /// Id of the workflow: `line/name`.
    workflow: String,
    /// Event of the first answers; `submit` when `data` is given without it.
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<Value>,
    /// Where the visitor came from; texts only.
    attribution: Option<Value>,
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

/// First step of a workflow, without a journey.
#[utoipa::path(get, path = "/api/v1/workflows/{line}/{name}/start", tag = "journeys",
    params(("line" = String, Path), ("name" = String, Path)),
    responses((status = 200, body = StepView), (status = 404, body = Problem)))]
pub async fn preview(
    State(app): State<App>,
    Path((line, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let view = app.runtime.preview(&format!("{line}/{name}"), &visitor.actor).await?;
    Ok(Shown(Box::new(view)).into_response())
}

/// Start a journey, usually with its first answers, in one commit.
#[utoipa::path(post, path = "/api/v1/journeys", tag = "journeys", request_body = StartBody,
    params(("Idempotency-Key" = String, Header, description = "the same key and body give the same journey; before there is a cookie, for an hour and only where the key is random: a UUID of version 4, or 32 hexadecimal digits")),
    responses((status = 201, body = StepView), (status = 200, description = "repeated", body = StepView), (status = 400, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn start(State(app): State<App>, mut change: Changing) -> Response {
    let result = begin(&app, &mut change).await;
    change.visitor.answer(result.map(|sent| {
        let status = if sent.repeated { StatusCode::OK } else { StatusCode::CREATED };
        (status, replayed(&sent), Shown(sent.view))
    }))
}

async fn begin(app: &App, change: &mut Changing) -> Result<Sent, Problem> {
    app.limit(Class::Start, change.visitor.client)?;
    let fields = &mut change.fields;
    let workflow = fields.text("workflow")?;
    let kind = fields.text_or_none("type")?;
    let data = fields.object("data")?;
    let given = fields.object("attribution")?.map(attribution::bounded).unwrap_or_default();
    std::mem::take(fields).finish()?;
    if change.key.is_empty() {
        return Err(Problem::new(Code::KeyMissing));
    }
    let mut came_from = attribution::read(&change.headers);
    came_from.extend(given);
    let event = match (kind, data) {
        (None, None) => None,
        (kind, data) => Some((kind.unwrap_or_else(|| "submit".into()), Value::Object(data.unwrap_or_default()))),
    };
    let opening = change.visitor.begin(app, &change.key);
    let session = opening.as_ref().map(|opening| opening.session.clone());
    let start = Start { workflow, key: change.key.clone(), event, attribution: Value::Object(came_from), session };
    let sent = app.runtime.start(&change.visitor.actor, start).await?;
    if let Some(opening) = opening {
        change.visitor.begun(opening.token);
    }
    Ok(sent)
}

/// The journey's current step; with `path`, what opening that page gives.
#[utoipa::path(get, path = "/api/v1/journeys/{id}", tag = "journeys", params(("id" = String, Path), ViewQuery),
    responses((status = 200, body = StepView), (status = 404, body = Problem), (status = 410, body = Problem)))]
pub async fn view(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ViewQuery>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    known_id(&id)?;
    let Some(path) = query.path else {
        return Ok(Shown(Box::new(app.runtime.view(&visitor.actor, &id).await?)).into_response());
    };
    let (runtime, actor) = (app.runtime.clone(), visitor.actor);
    match committed(async move { runtime.open_path(&actor, &id, path.trim_matches('/')).await }).await? {
        Opened::Here(view) => Ok(Shown(view).into_response()),
        Opened::Elsewhere(url) => Ok(Json(Elsewhere { elsewhere: url }).into_response()),
    }
}

/// My journeys, newest first.
#[utoipa::path(get, path = "/api/v1/journeys", tag = "journeys", responses((status = 200, body = Vec<JourneySummary>)))]
pub async fn list(State(app): State<App>, visitor: Visitor) -> Result<Json<Vec<JourneySummary>>, Problem> {
    if visitor.actor.id.is_empty() {
        return Ok(Json(Vec::new()));
    }
    Ok(Json(app.runtime.journeys_of(&visitor.actor).await?))
}

/// Marks an answer that repeats an earlier one.
pub(super) fn replayed(sent: &Sent) -> [(&'static str, &'static str); 1] {
    [("idempotent-replayed", if sent.repeated { "true" } else { "false" })]
}

//! `/api/v1/journeys/{id}/events`: what a person does.

use super::journeys::replayed;
use super::known_id;
use crate::app::App;
use crate::edge::json::Shown;
use crate::problem::{Code, Problem};
use crate::session::Changing;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use engine_runtime::Send;
use engine_runtime::view::StepView;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// One event: its type, its data, and the revision that the person saw.
#[derive(Serialize, ToSchema)]
#[allow(dead_code)]
pub struct EventBody {
    /// `submit`, `back`, `change`, `save`, or a type that the step accepts.
    #[serde(rename = "type")]
    kind: String,
    data: Option<Value>,
    revision: i64,
}

/// Send an event; the answer is the new step.
#[utoipa::path(post, path = "/api/v1/journeys/{id}/events", tag = "journeys", request_body = EventBody,
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 200, body = StepView), (status = 400, body = Problem), (status = 404, body = Problem), (status = 409, description = "`stale` or `not_accepted`, with the current step", body = Problem),
        (status = 410, body = Problem), (status = 422, description = "`invalid` with a pointer per error, or `key_reused`", body = Problem)))]
pub async fn send(State(app): State<App>, Path(id): Path<String>, mut change: Changing) -> Result<Response, Problem> {
    known_id(&id)?;
    let kind = change.fields.text("type")?;
    let data = Value::Object(change.fields.object("data")?.unwrap_or_default());
    let revision = change.fields.integer("revision")?;
    change.fields.finish()?;
    if change.key.is_empty() {
        return Err(Problem::new(Code::KeyMissing));
    }
    let event = Send { key: change.key, revision, kind, data };
    let sent = app.runtime.send(&change.visitor.actor, &id, event).await?;
    Ok((replayed(&sent), Shown(sent.view)).into_response())
}

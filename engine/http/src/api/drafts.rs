//! `/api/v1/journeys/{id}/draft`: what is being typed.

use super::known_id;
use crate::app::{App, committed};
use crate::problem::Problem;
use crate::session::Changing;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The unsent answers of a step.
#[derive(Serialize, ToSchema)]
#[allow(dead_code)]
pub struct DraftBody {
    /// Id of the step that they belong to.
    step: String,
    data: Value,
}

/// Keep what is being typed; it never enters the journey by itself.
#[utoipa::path(put, path = "/api/v1/journeys/{id}/draft", tag = "journeys", request_body = DraftBody, params(("id" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Problem), (status = 410, body = Problem)))]
pub async fn save(State(app): State<App>, Path(id): Path<String>, mut change: Changing) -> Result<StatusCode, Problem> {
    known_id(&id)?;
    let step = change.fields.text("step")?;
    let data = Value::Object(change.fields.object("data")?.unwrap_or_default());
    change.fields.finish()?;
    let (runtime, actor) = (app.runtime.clone(), change.visitor.actor);
    committed(async move { runtime.save_draft(&actor, &id, &step, data).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `/api/v1/operator/incidents`: what somebody must look at.

use super::Operator;
use crate::api::known_id;
use crate::app::{App, run_to_end};
use crate::problem::{Problem, refusals};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use engine_runtime::operations::IncidentView;
use serde::Deserialize;
use utoipa::IntoParams;

refusals!(NotThere: BodyInvalid, NotFound);
refusals!(Refused: NotFound, NotPossible);

#[derive(Deserialize, IntoParams)]
pub struct IncidentsQuery {
    /// `true`: closed ones too.
    all: Option<bool>,
    /// Most incidents, at most 1,000; 100 without it.
    limit: Option<u32>,
}

/// Incidents, newest first.
#[utoipa::path(get, path = "/api/v1/operator/incidents", operation_id = "list_incidents", tag = "operator", params(IncidentsQuery),
    responses((status = 200, body = Vec<IncidentView>), NotThere))]
pub async fn list(
    operator: Operator,
    State(app): State<App>,
    Query(query): Query<IncidentsQuery>,
) -> Result<Json<Vec<IncidentView>>, Problem> {
    Ok(Json(
        app.runtime.operations.incidents(&operator.0, !query.all.unwrap_or(false), query.limit.unwrap_or(100)).await?,
    ))
}

/// Do the work that raised it again (a call, a timer, a webhook), and close it.
#[utoipa::path(post, path = "/api/v1/operator/incidents/{id}/retry", operation_id = "retry_incident", tag = "operator", params(("id" = String, Path)),
    responses((status = 204), Refused))]
pub async fn retry(operator: Operator, State(app): State<App>, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    known_id(&id)?;
    let runtime = app.runtime.clone();
    run_to_end(async move { runtime.operations.retry_incident(&operator.0, &id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Mark it as dealt with.
#[utoipa::path(post, path = "/api/v1/operator/incidents/{id}/close", operation_id = "close_incident", tag = "operator", params(("id" = String, Path)),
    responses((status = 204), Refused))]
pub async fn close(operator: Operator, State(app): State<App>, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    known_id(&id)?;
    let runtime = app.runtime.clone();
    run_to_end(async move { runtime.operations.close_incident(&operator.0, &id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `/api/v1/operator/journeys/{id}/history`: what happened in a journey, without what people wrote.

use super::Operator;
use crate::api::known_id;
use crate::app::App;
use crate::problem::{Problem, refusals};
use axum::Json;
use axum::extract::{Path, State};
use engine_runtime::operations::JourneyHistory;

refusals!(NotThere: NotFound);

/// Events in order, effects with their attempts, timers, incidents.
#[utoipa::path(get, path = "/api/v1/operator/journeys/{id}/history", operation_id = "show_history", tag = "operator", params(("id" = String, Path)),
    responses((status = 200, body = JourneyHistory), NotThere))]
pub async fn show(
    operator: Operator,
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<JourneyHistory>, Problem> {
    Ok(Json(app.runtime.operations.history(&operator.0, known_id(&id)?).await?))
}

//! `/api/v1/journeys/{id}/draft`: what is being typed.

use super::known_id;
use crate::app::{App, run_to_end};
use crate::json::Word;
use crate::problem::{Problem, refusals};
use crate::visitor::session::ChangeRequest;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

refusals!(Refused: changing, SignIn, NotFound, Expired);

/// The unsent answers of a step.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftBody {
    /// Id of the step that they belong to.
    #[schema(value_type = String, max_length = 200)]
    step: Word,
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
}

/// Keep what is being typed; it never enters the journey by itself.
#[utoipa::path(put, path = "/api/v1/journeys/{id}/draft", tag = "journeys", request_body = DraftBody, params(("id" = String, Path)),
    responses((status = 204), Refused))]
pub async fn save(
    State(app): State<App>,
    Path(id): Path<String>,
    change: ChangeRequest<DraftBody>,
) -> Result<StatusCode, Problem> {
    known_id(&id)?;
    let ChangeRequest { visitor, body: DraftBody { step, data }, .. } = change;
    let (runtime, actor, step) = (app.runtime.clone(), visitor.actor.clone(), String::from(step));
    let saved = async move { Ok(runtime.journeys.save_draft(&actor, &id, &step, Value::Object(data)).await) };
    run_to_end::<_, Problem>(saved).await?.map_err(|refusal| visitor.refuse(&app, refusal))?;
    Ok(StatusCode::NO_CONTENT)
}

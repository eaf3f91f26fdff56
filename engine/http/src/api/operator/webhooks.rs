//! `/api/v1/operator/webhooks`: what a partner would tell, told in its place.

use super::Operator;
use crate::app::{App, run_to_end};
use crate::json::{self, Bounds, Word};
use crate::problem::{Problem, refusals};
use crate::visitor::session::read;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

refusals!(Refused: BodyInvalid, NotFound, NotPossible);

/// What the partner would send, and to which of its webhooks.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookCall {
    #[schema(value_type = String, max_length = 200)]
    partner: Word,
    #[schema(value_type = String, max_length = 200)]
    webhook: Word,
    #[schema(value_type = HashMap<String, Value>)]
    body: Map<String, Value>,
}

/// Tell in the place of a partner what its webhook opens to operators, such as the answer to a complaint.
#[utoipa::path(post, path = "/api/v1/operator/webhooks", operation_id = "tell", tag = "operator", request_body = WebhookCall,
    responses((status = 204), Refused))]
pub async fn tell(operator: Operator, State(app): State<App>, body: Body) -> Result<StatusCode, Problem> {
    let WebhookCall { partner, webhook, body } = json::body(&read(body).await?, Bounds::of(&app.settings.limits))?;
    let (partner, webhook, body) = (String::from(partner), String::from(webhook), Value::Object(body));
    let runtime = app.runtime.clone();
    run_to_end(async move { runtime.operations.tell(&operator.0, &partner, &webhook, &body).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

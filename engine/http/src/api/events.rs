//! `/api/v1/journeys/{id}/events`: what a person does.

use super::journeys::replayed;
use super::known_id;
use crate::app::App;
use crate::json::{ViewBody, Word};
use crate::problem::{Problem, refusals};
use crate::visitor::session::ChangeRequest;
use axum::extract::{Path, State};
use axum::response::Response;
use engine_runtime::Send;
use engine_runtime::view::StepView;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

refusals!(Refused: changing, KeyMissing, SignIn, NotFound, Stale, Repriced, NotAccepted, Expired, Invalid, KeyReused, Broken, Proof);

/// One event: its type, its data, and the revision that the person saw.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventBody {
    /// `submit`, `back`, `change`, `save`, or a type that the step accepts.
    #[serde(rename = "type")]
    #[schema(value_type = String, max_length = 200)]
    kind: Word,
    #[schema(value_type = Option<HashMap<String, Value>>)]
    data: Option<Map<String, Value>>,
    revision: i64,
    /// The price in paise that stood beside the button that was pressed: where another stands by now, nothing is done.
    shown: Option<i64>,
}

/// Send an event; the answer is the new step.
#[utoipa::path(post, path = "/api/v1/journeys/{id}/events", tag = "journeys", request_body = EventBody,
    params(("id" = String, Path), ("Idempotency-Key" = String, Header),
        ("X-Proof" = Option<String>, Header, description = "the solution of the challenge of a problem `proof`")),
    responses((status = 200, body = StepView, headers(("idempotent-replayed" = bool))), Refused))]
pub async fn send(
    State(app): State<App>,
    Path(id): Path<String>,
    change: ChangeRequest<EventBody>,
) -> Result<Response, Problem> {
    known_id(&id)?;
    let key = change.key()?;
    let EventBody { kind, data, revision, shown } = change.body;
    let event = Send { key, revision, kind: kind.into(), data: Value::Object(data.unwrap_or_default()), shown };
    let mut visitor = change.visitor;
    // What is rare, and what is large, is boxed: the future of this is moved for each request.
    let sent = Box::pin(app.runtime.journeys.send(&visitor.actor, &id, event)).await;
    let mut sent = sent.map_err(|refusal| visitor.refuse(&app, refusal))?;
    if let Some(signs_in) = &sent.signs_in {
        Box::pin(visitor.sign_in(&app, signs_in.clone(), &change.headers)).await?;
    }
    app.work_ahead(&visitor.actor, visitor.client, &mut sent.view).await;
    Ok(visitor.answer((replayed(&sent), ViewBody(sent.view))))
}

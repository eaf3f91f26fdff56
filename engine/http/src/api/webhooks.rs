//! `/api/v1/webhooks/{partner}/{name}`: what partners tell us. The signature over the raw body is the only right
//!.

use crate::app::{App, run_to_end};
use crate::json::{self, Bounds};
use crate::problem::{Code, Problem, refusals};
use crate::visitor::session::read;
use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use engine_definitions::Now;
use engine_runtime::{Hook, RuntimeError};
use engine_statechart::EvalError;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

refusals!(Refused: BodyInvalid, Signature, NotFound);

/// The webhook is kept, or it is nothing that we want to know.
#[derive(Serialize, ToSchema)]
pub struct Received {
    received: bool,
}

/// A partner's notification. The same fact may arrive many times and in any order.
#[utoipa::path(post, path = "/api/v1/webhooks/{partner}/{name}", tag = "partners", params(("partner" = String, Path), ("name" = String, Path)), request_body(content = Object, description = "as the partner sends it"),
    responses((status = 200, description = "kept", body = Received), Refused))]
pub async fn receive(
    State(app): State<App>,
    Path((partner, name)): Path<(String, String)>,
    request: Request,
) -> Result<Json<Received>, Problem> {
    let catalog = app.runtime.catalog();
    let webhook = catalog.webhook(&partner, &name).ok_or_else(|| Problem::new(Code::NotFound))?.clone();
    let (parts, body) = request.into_parts();
    let raw = read(body).await?;
    app.partners.verify_webhook(&webhook, &parts.headers, &raw).map_err(|reason| {
        tracing::warn!(partner, webhook = name, %reason, "a webhook was refused");
        Problem::new(Code::Signature)
    })?;
    let body = json::read(&raw, Bounds::of_partners(&app.settings.limits))?;
    let now_ms = app.runtime.now_ms();
    let now = Now::at(now_ms, chrono_tz::UTC);
    let host = catalog.host(&now, None);
    let unread = |error: EvalError| {
        tracing::warn!(partner, webhook = name, %error, "a webhook was not understood");
        Problem::new(Code::BodyInvalid)
    };
    // Whoever recorded one cannot send it again when its key is no longer known.
    if !webhook.is_timely(&body, &host, now_ms).map_err(unread)? {
        tracing::warn!(partner, webhook = name, "a webhook was refused: its time is outside of the window");
        return Err(Problem::new(Code::Signature));
    }
    let event = webhook.read(&texts(&parts.headers), &body, &host).map_err(unread)?;
    // A kind of event that no rule names: it is ours to ignore, not theirs to repeat.
    let Some(event) = event else { return Ok(Json(Received { received: true })) };
    let hook = Hook { partner, once: event.once, reference: event.reference, tells: event.tells };
    let runtime = app.runtime.clone();
    run_to_end(async move {
        runtime
            .work
            .deliver(&hook)
            .await
            .map_err(|error: RuntimeError| Problem::from(engine_runtime::Refusal::from(error)))
    })
    .await?;
    Ok(Json(Received { received: true }))
}

/// Header names in lower case → their text.
fn texts(headers: &HeaderMap) -> Map<String, Value> {
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), Value::from(value.to_str().ok()?))))
        .collect()
}

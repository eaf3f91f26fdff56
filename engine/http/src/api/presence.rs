//! `/api/v1/journeys/{id}/presence`: somebody is active on a journey's page.

use super::known_id;
use crate::app::App;
use crate::connection::middleware::Client;
use crate::problem::{Code, Problem, refusals};
use crate::visitor::presence::right;
use crate::visitor::session::{Visitor, read, token};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};

refusals!(Refused: Csrf, BodyInvalid, NotFound, Expired);

/// A sign of life of the browser, every half minute while the person is active; neither key nor revision. What the
/// body says is the browser's word and is not used.
#[utoipa::path(post, path = "/api/v1/journeys/{id}/presence", tag = "journeys", request_body(content = Object), params(("id" = String, Path)),
    responses((status = 204), Refused))]
pub async fn ping(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    app.origins.check(&headers)?;
    let token = token(&headers).ok_or_else(|| Problem::new(Code::NotFound))?;
    let right = right(token, known_id(&id)?);
    read(body).await?;
    let now_ms = app.runtime.now_ms();
    if !app.presence.ping(&right, &id, now_ms) {
        let visitor = Visitor::of(&app, &headers, client).await?;
        let call = app.runtime.people.presence(&visitor.actor, &id).await?;
        app.presence.allow(right, call, now_ms);
        app.presence.ping(&right, &id, now_ms);
    }
    Ok(StatusCode::NO_CONTENT)
}

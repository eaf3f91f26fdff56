//! `/stackTraceApi` and `/api/v1/errors`: errors of browsers, where the site wants them; limited and scrubbed, one log
//! line each, nothing stored.

use crate::api::scrub;
use crate::app::App;
use crate::connection::middleware::{Class, Client};
use crate::problem::{Problem, refusals};
use crate::visitor::session::read;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::time::Instant;

refusals!(Refused: Csrf, BodyInvalid);

/// Errors that happened in a browser: one, or a list of them. The answer is 204, unless this browser sends too many.
#[utoipa::path(post, path = "/api/v1/errors", tag = "site", request_body(content = Object), responses((status = 204), Refused))]
pub async fn report(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    app.origins.check_origin(&headers)?;
    app.limit(Class::Report, client)?;
    let bytes = read(body).await?;
    let wanted = crate::pages::site::reports(&app.runtime.catalog()).is_some();
    if !wanted || app.limiter.take(Class::Reports, 0, Instant::now()).is_err() {
        metrics::counter!("browser_reports_dropped_total").increment(1);
        return Ok(StatusCode::NO_CONTENT);
    }
    let given: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let errors = given.as_array().map_or(std::slice::from_ref(&given), Vec::as_slice);
    for error in errors.iter().take(app.settings.limits.errors_per_report) {
        let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        tracing::warn!(
            message = scrub::message(field("message")),
            source = scrub::address(field("source")),
            stack = scrub::stack(field("stack")),
            "error in a browser"
        );
        metrics::counter!("browser_errors_total").increment(1);
    }
    Ok(StatusCode::NO_CONTENT)
}

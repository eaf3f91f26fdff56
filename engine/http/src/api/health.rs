//! `/healthz`, `/readyz`, `/metrics`.

use crate::app::App;
use crate::metrics::page as counted;
use crate::middleware::Client;
use crate::problem::{Code, Problem, refusals};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;
use utoipa::ToSchema;

refusals!(NotThere: NotFound);

/// The process runs.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn healthz() -> &'static str {
    "ok"
}

#[derive(Serialize, ToSchema)]
pub struct Readiness {
    ready: bool,
    /// What must be put right first.
    reasons: Vec<String>,
    /// Publication that this node serves.
    publication: i64,
    /// Open change streams.
    streams: usize,
}

/// Requests can be served: the database answers, definitions are there, nothing must be put right first.
#[utoipa::path(get, path = "/readyz", tag = "health", 
    responses((status = 200, body = Readiness), (status = 503, description = "with the reasons", body = Readiness)))]
pub async fn readyz(State(app): State<App>) -> Response {
    let mut reasons: Vec<String> = app.settings.refusals().iter().map(ToString::to_string).collect();
    match tokio::time::timeout(Duration::from_secs(2), app.runtime.store().ping()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, "the database does not answer");
            reasons.push("the database does not answer".into());
        }
        Err(_) => reasons.push("the database does not answer in time".into()),
    }
    if app.runtime.publication() == 0 {
        reasons.push("no definitions are published".into());
    }
    if app.shutdown.is_cancelled() {
        reasons.push("stopping".into());
    }
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let (publication, streams) = (app.runtime.publication(), app.subscriptions.open());
    (status, Json(Readiness { ready: reasons.is_empty(), reasons, publication, streams })).into_response()
}

/// Prometheus text; for the token of the settings, or for this machine.
#[utoipa::path(get, path = "/metrics", tag = "health", 
    responses((status = 200, body = String, content_type = "text/plain"), NotThere))]
pub async fn metrics(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let local = peer.is_some_and(|Extension(ConnectInfo(peer))| peer.ip().to_canonical().is_loopback())
        && client.0.is_loopback()
        && !headers.contains_key("x-forwarded-for");
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let allowed = match &app.settings.server.metrics_token {
        Some(token) => given.is_some_and(|given| same(given.as_bytes(), token.expose().as_bytes())),
        None => local,
    };
    let handle = app.metrics.as_ref().filter(|_| allowed).ok_or_else(|| Problem::new(Code::NotFound))?;
    let page = format!("{}\n{}", handle.render(), counted(&app.runtime, &app.partners).await);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], page).into_response())
}

/// Compares digests, so that the time tells nothing about where two texts differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    use sha2::{Digest, Sha256};
    Sha256::digest(one) == Sha256::digest(other)
}

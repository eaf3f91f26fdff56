//! `/healthz`, `/readyz`, `/metrics`.

use crate::app::App;
use crate::connection::metrics::page as counted;
use crate::connection::middleware::Client;
use crate::problem::{Code, Problem, refusals};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use engine_runtime::Runtime;
use engine_store::Outage;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
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
    /// What an operator should know meanwhile.
    notes: Vec<String>,
    /// Publication that this node serves.
    publication: i64,
    /// Open change streams.
    streams: usize,
}

/// Requests can be served: the database takes writes, definitions are there, nothing must be put right first.
#[utoipa::path(get, path = "/readyz", tag = "health", 
    responses((status = 200, body = Readiness), (status = 503, description = "with the reasons", body = Readiness)))]
pub async fn readyz(State(app): State<App>) -> Response {
    let mut reasons: Vec<String> = app.settings.refusals().iter().map(ToString::to_string).collect();
    let Looked { trouble, held } = app.health.look(&app.runtime).await;
    reasons.extend(trouble.map(str::to_owned));
    if app.runtime.publication() == 0 {
        reasons.push("no definitions are published".into());
    }
    if app.shutdown.is_cancelled() {
        reasons.push("stopping".into());
    }
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let (publication, streams) = (app.runtime.publication(), app.subscriptions.open());
    let notes = held.then(|| HELD.to_owned()).into_iter().collect();
    (status, Json(Readiness { ready: reasons.is_empty(), reasons, notes, publication, streams })).into_response()
}

const HELD: &str =
    "nothing is sent: the database was restored from a backup; look at what waits, then `journey effects release`";
/// Asking more often tells nothing new, and writes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_MAX: Duration = Duration::from_secs(2);

/// What the database last said. Whoever asks meanwhile waits for the same look.
#[derive(Default)]
pub struct Health(Mutex<Option<(Instant, Looked)>>);

#[derive(Clone, Copy)]
struct Looked {
    trouble: Option<&'static str>,
    /// After a restore nothing is sent until an operator says so.
    held: bool,
}

impl Health {
    async fn look(&self, runtime: &Runtime) -> Looked {
        let mut last = self.0.lock().await;
        if let Some((at, looked)) = *last
            && at.elapsed() < LOOK_EVERY
        {
            return looked;
        }
        let store = runtime.store();
        let asked = async {
            store.try_write().await?;
            store.sends_held().await
        };
        let looked = match tokio::time::timeout(LOOK_MAX, asked).await {
            Ok(Ok(held)) => Looked { trouble: None, held },
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database takes no writes");
                let trouble = match error.outage() {
                    Some(Outage::Full) => "the database's disk is full",
                    Some(Outage::ReadOnly) => "the database can only be read",
                    Some(Outage::Unreachable) => "the database cannot be reached",
                    None => "the database takes no writes",
                };
                Looked { trouble: Some(trouble), held: false }
            }
            Err(_) => Looked { trouble: Some("the database does not answer in time"), held: false },
        };
        *last = Some((Instant::now(), looked));
        looked
    }
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

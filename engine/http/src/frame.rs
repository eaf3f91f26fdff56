//! What every request passes: client address, limits, deadline, panics, compression, metrics, security headers.
//!
//! One layer instead of many: a step of a journey costs less than its commit, so the frame around it must be thin.

use crate::app::App;
use crate::middleware::Class;
use crate::problem::{Code, MEDIA_TYPE, Problem};
use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tower::ServiceExt;
use tower_http::compression::Compression;

/// The frame around every handler of ours.
pub async fn frame(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
    let client = app.proxies.client(peer, request.headers());
    request.extensions_mut().insert(client);
    let path = request.uri().path();
    let api = path.starts_with("/api/");
    let free = path.starts_with("/assets/") || matches!(path, "/healthz" | "/readyz" | "/metrics");
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let class = if method == Method::GET || method == Method::HEAD || path.starts_with("/api/v1/webhooks/") {
        Class::Read
    } else {
        Class::Write
    };

    if let Some(home) = public_name(&app, &request) {
        return home;
    }
    let admitted = if free { Ok(()) } else { app.limit(class, client) };
    let mut response = match admitted {
        Err(problem) => problem.into_response(),
        Ok(()) => match app.slots.try_acquire() {
            Err(_) => Problem::new(Code::Busy).retry_after_ms(1_000).into_response(),
            Ok(_slot) => guarded(&app, request, next).await,
        },
    };
    if api {
        as_problem(&mut response);
    }
    app.headers.apply(response.headers_mut());
    let (status, took) = (response.status(), started.elapsed());
    app.requests.count(route.as_ref(), &method, status, took);
    let route = route.as_ref().map(MatchedPath::as_str);
    if status.is_server_error() {
        tracing::warn!(%method, route, status = status.as_u16(), took_ms = took.as_millis() as u64, "request");
    } else {
        tracing::debug!(%method, route, status = status.as_u16(), took_ms = took.as_millis() as u64, "request");
    }
    response
}

/// Around what is not ours, the sandbox and the API's reference: headers that it has not set itself (security rule 32).
pub async fn headers(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    app.headers.apply(response.headers_mut());
    response
}

/// A page that a browser opened under the other name of this machine moves to the public one: the session's cookie is
/// kept by name, and partners send the person back there. Development only; in production the proxy's names decide.
fn public_name(app: &App, request: &Request) -> Option<Response> {
    let navigates = request.headers().get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    if app.settings.production()
        || request.method() != Method::GET
        || !navigates
        || request.uri().path().starts_with("/sandbox")
    {
        return None;
    }
    let asked = request.headers().get(header::HOST)?.to_str().ok()?;
    let public = app.settings.public_url();
    let name = public.strip_prefix("http://localhost:")?;
    if asked.strip_prefix("127.0.0.1:")? != name {
        return None;
    }
    let rest = request.uri().path_and_query().map_or("/", |rest| rest.as_str());
    Some(axum::response::Redirect::temporary(&format!("{public}{rest}")).into_response())
}

/// A panic is a 500, a handler without end a 503 (security rule 10).
async fn guarded(app: &App, request: Request, next: Next) -> Response {
    let limit = Duration::from_millis(app.settings.limits.request_timeout_ms);
    match tokio::time::timeout(limit, AssertUnwindSafe(compressed(request, next)).catch_unwind()).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            tracing::error!("a handler panicked");
            Problem::new(Code::Internal).into_response()
        }
        Err(_) => Problem::new(Code::Timeout).retry_after_ms(1_000).into_response(),
    }
}

/// Compressed as the client can read it. What was posted by one that reads plain text only goes straight on.
async fn compressed(request: Request, next: Next) -> Response {
    if request.method() == Method::POST && !request.headers().contains_key(header::ACCEPT_ENCODING) {
        return next.run(request).await;
    }
    match Compression::new(next).oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// Errors that the framework itself answers get the form of all others.
fn as_problem(response: &mut Response) {
    let code = match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Code::Method,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::MediaType,
        StatusCode::PAYLOAD_TOO_LARGE => Code::BodyTooLarge,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::BAD_REQUEST => Code::BodyInvalid,
        _ => return,
    };
    let ours = |value: &HeaderValue| value == MEDIA_TYPE;
    if response.headers().get(header::CONTENT_TYPE).is_some_and(ours) {
        return;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    *response = Problem::new(code).into_response();
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
}

//! What every request passes: client address, limits, deadline, panics, compression, metrics, security headers.
//!
//! One layer instead of many: a step of a journey costs less than its commit, so the frame around it must be thin.

use crate::app::{App, Lane};
use crate::connection::COMPRESSION;
use crate::connection::middleware::{Class, Client};
use crate::pages;
use crate::problem::{Code, MEDIA_TYPE, Problem};
use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use engine_settings::Limits;
use futures::{FutureExt, StreamExt, poll};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};
use tower::ServiceExt;
use tower_http::compression::Compression;

/// Who asks for it reads pages.
const HTML: &[u8] = b"text/html";

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
    let health = matches!(path, "/healthz" | "/readyz");
    let free = health || path.starts_with("/assets/") || path == "/metrics";
    let webhook = path.starts_with("/api/v1/webhooks/");
    let browses = !api
        && request
            .headers()
            .get(header::ACCEPT)
            .is_some_and(|kinds| kinds.as_bytes().windows(HTML.len()).any(|kind| kind.eq_ignore_ascii_case(HTML)));
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    // Parts of a file are many, and counted with their journey.
    let part = method == Method::PUT && path.starts_with("/api/v1/journeys/") && path.contains("/uploads/");
    let looks = method == Method::GET || method == Method::HEAD || webhook || part;
    let class = if looks { Class::Read } else { Class::Write };
    let brings = !request.body().is_end_stream() && request.version() < Version::HTTP_2;

    if let Some(home) = public_name(&app, &request) {
        return home;
    }
    let lane = if webhook { &app.webhooks } else { &app.customers };
    let work = async {
        if health {
            return guard(&app, request, next).await;
        }
        if !free {
            app.limit(class, client)?;
        }
        let request = read_body(&app, lane, client, request).await?;
        let _place = lane.work.try_acquire().map_err(|_| Problem::new(Code::Busy).retry_after_ms(1_000))?;
        guard(&app, request, next).await
    };
    let done = work.await;
    let unread = brings && done.is_err();
    let mut response = match done {
        Ok(response) => response,
        Err(problem) if browses => pages::refusal_page(&app, &problem).await,
        Err(problem) => problem.into_response(),
    };
    if unread {
        // What nobody reads ends the connection: told, so that no other request is sent on it.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
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

/// Around what is not ours, the sandbox: headers that it has not set itself.
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

/// The request with its whole body. One that is still arriving waits in a place of its own, as long as it keeps coming.
async fn read_body(app: &App, lane: &Lane, client: Client, request: Request) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok(Request::from_parts(parts, body));
    }
    let mut reading = pin!(read_limited(&app.settings.limits, body));
    let bytes = match poll!(&mut reading) {
        Poll::Ready(bytes) => bytes?,
        Poll::Pending => {
            let _place = lane.bodies.take(Some(client.bucket()))?;
            reading.await?
        }
    };
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

async fn read_limited(limits: &Limits, body: Body) -> Result<Vec<u8>, Problem> {
    let grace_ends = tokio::time::Instant::now() + Duration::from_millis(limits.body_timeout_ms);
    let large = |bytes: usize| bytes > limits.body_bytes_max;
    if large(usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)) {
        return Err(Problem::new(Code::BodyTooLarge));
    }
    let (mut parts, mut bytes) = (body.into_data_stream(), Vec::new());
    loop {
        let owed_ms = 1_000 * bytes.len() as u64 / limits.body_bytes_per_s.max(1);
        match tokio::time::timeout_at(grace_ends + Duration::from_millis(owed_ms), parts.next()).await {
            Err(_) => return Err(Problem::new(Code::BodyTooSlow)),
            Ok(None) => return Ok(bytes),
            Ok(Some(Err(_))) => return Err(Problem::new(Code::BodyInvalid)),
            Ok(Some(Ok(part))) if large(bytes.len() + part.len()) => return Err(Problem::new(Code::BodyTooLarge)),
            Ok(Some(Ok(part))) => bytes.extend_from_slice(&part),
        }
    }
}

/// A panic is a 500, a handler without end a 503.
async fn guard(app: &App, request: Request, next: Next) -> Result<Response, Problem> {
    let limit = Duration::from_millis(app.settings.limits.request_timeout_ms);
    match tokio::time::timeout(limit, AssertUnwindSafe(compress(request, next)).catch_unwind()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(_)) => {
            tracing::error!("a handler panicked");
            Err(Problem::new(Code::Internal))
        }
        Err(_) => Err(Problem::new(Code::Timeout).retry_after_ms(1_000)),
    }
}

/// Compressed as the client can read it. What was posted by one that reads plain text only goes straight on.
async fn compress(request: Request, next: Next) -> Response {
    if request.method() == Method::POST && !request.headers().contains_key(header::ACCEPT_ENCODING) {
        return next.run(request).await;
    }
    match Compression::new(next).quality(COMPRESSION).oneshot(request).await {
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
    // A call that is data may say it in an envelope of its line.
    let ours = |value: &HeaderValue| value == MEDIA_TYPE || value == "application/json";
    if response.headers().get(header::CONTENT_TYPE).is_some_and(ours) {
        return;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    *response = Problem::new(code).into_response();
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
}

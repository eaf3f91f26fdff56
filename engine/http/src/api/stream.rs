//! `/api/v1/journeys/{id}/stream`: Server-Sent Events that tell a browser to look again.

use super::known_id;
use crate::app::App;
use crate::notices::Listener;
use crate::problem::Problem;
use crate::session::Visitor;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use engine_store::Change;
use futures::stream::{self, Stream};
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

const PING: Duration = Duration::from_secs(20);

/// `event: change` with `{revision, seq, what}` for each change and once at the start (so that nothing between the
/// last look and this stream is missed); `event: ping` every 20 s.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/stream", tag = "journeys", params(("id" = String, Path)),
    responses((status = 200, description = "text/event-stream", content_type = "text/event-stream"), (status = 404, body = Problem), (status = 429, body = Problem)))]
pub async fn open(State(app): State<App>, Path(id): Path<String>, visitor: Visitor) -> Result<Response, Problem> {
    // Listen first, look second: a change in between is told, not lost.
    let listener = app.notices.listen(known_id(&id)?, visitor.client)?;
    let view = app.runtime.view(&visitor.actor, &id).await?;
    let first = Change { journey: id, seq: 0, revision: view.journey.revision, what: "step".into() };
    let keep_alive = KeepAlive::new().interval(PING).event(Event::default().event("ping").data("{}"));
    let mut response = Sse::new(events(listener, first, app.shutdown.clone())).keep_alive(keep_alive).into_response();
    // Proxies must pass each event on at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn events(
    listener: Listener,
    first: Change,
    shutdown: CancellationToken,
) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((listener, Some(first), shutdown), |(mut listener, first, shutdown)| async move {
        let change = match first {
            Some(first) => first,
            None => tokio::select! {
                next = listener.changes.recv() => match next {
                    Ok(change) => change,
                    // This listener was too slow: it reads again.
                    Err(RecvError::Lagged(_)) => Change { journey: String::new(), seq: 0, revision: 0, what: "step".into() },
                    Err(RecvError::Closed) => return None,
                },
                () = shutdown.cancelled() => return None,
            },
        };
        let data = json!({"revision": change.revision, "seq": change.seq, "what": change.what});
        Some((Ok(Event::default().event("change").data(data.to_string())), (listener, None, shutdown)))
    })
}

//! `/api/v1/journeys/{id}/stream`: Server-Sent Events that tell a browser to look again.

use super::known_id;
use crate::app::App;
use crate::problem::{Problem, refusals};
use crate::session::Visitor;
use crate::subscriptions::Listener;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use engine_store::{Change, Changed};
use futures::stream::{self, Stream};
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

refusals!(NotThere: SignIn, NotFound);

/// Something changed: a page whose view has a lower `seq` reads the journey again.
#[derive(Serialize, ToSchema)]
pub struct ChangeNote {
    revision: i64,
    /// 0 when it is not known which change it was: every page reads again.
    seq: i64,
    /// `step`, `answer`, or another word for what changed.
    #[schema(value_type = String)]
    what: Changed,
}

const PING: Duration = Duration::from_secs(20);

/// `event: change` with `{revision, seq, what}` for each change and once at the start, where the journey is then (so that
/// nothing between the last look and this stream is missed); `event: ping` every 20 s.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/stream", tag = "journeys", params(("id" = String, Path)),
    responses((status = 200, description = "events `change` and `ping`; the data of a change", body = ChangeNote,
        content_type = "text/event-stream"), NotThere))]
pub async fn open(State(app): State<App>, Path(id): Path<String>, visitor: Visitor) -> Result<Response, Problem> {
    // Listen first, look second: a change in between is told, not lost.
    let listener = app.subscriptions.listen(known_id(&id)?, &visitor)?;
    let view = app.runtime.journeys.view(&visitor.actor, &id).await;
    let view = view.map_err(|refusal| visitor.refused(&app, refusal))?;
    let first = Change { journey: id, seq: view.journey.seq, revision: view.journey.revision, what: Changed::Step };
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
                    Err(RecvError::Lagged(_)) => Change { journey: String::new(), seq: 0, revision: 0, what: Changed::Step },
                    Err(RecvError::Closed) => return None,
                },
                () = shutdown.cancelled() => return None,
            },
        };
        let Change { revision, seq, what, .. } = change;
        let data = json!(ChangeNote { revision, seq, what });
        Some((Ok(Event::default().event("change").data(data.to_string())), (listener, None, shutdown)))
    })
}

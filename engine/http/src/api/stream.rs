//! `/api/v1/journeys/{id}/stream`: Server-Sent Events that tell a browser to look again.

use super::known_id;
use crate::api::subscriptions::Listener;
use crate::app::App;
use crate::problem::{Problem, refusals};
use crate::visitor::session::Visitor;
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
    let view = view.map_err(|refusal| visitor.refuse(&app, refusal))?;
    let seq = view.journey.seq;
    let first = Change { journey: id.clone(), seq, revision: view.journey.revision, what: Changed::Step };
    let keep_alive = KeepAlive::new().interval(PING).event(Event::default().event("ping").data("{}"));
    let reader = StreamReader { app, visitor, journey: id };
    let mut response = Sse::new(events(listener, first, reader)).keep_alive(keep_alive).into_response();
    // Proxies must pass each event on at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Who listens to a journey.
struct StreamReader {
    app: App,
    visitor: Visitor,
    journey: String,
}

impl StreamReader {
    /// Nobody is told more once their session has ended, nor whoever is not the customer once their access has.
    async fn may_hear(&self) -> bool {
        let Some(actor) = self.visitor.by_now(&self.app).await else { return false };
        !actor.may_be_sent_away() || self.app.runtime.journeys.is_open_to(&actor, &self.journey).await
    }
}

fn events(listener: Listener, first: Change, reader: StreamReader) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((listener, Some(first), reader), |(mut listener, first, reader)| async move {
        let change = match first {
            Some(first) => first,
            None => {
                let next = tokio::select! {
                    next = listener.changes.recv() => next,
                    () = reader.app.shutdown.cancelled() => return None,
                };
                if !reader.may_hear().await {
                    return None;
                }
                match next {
                    Ok(change) => change,
                    // This listener was too slow: it reads again.
                    Err(RecvError::Lagged(_)) => {
                        Change { journey: String::new(), seq: 0, revision: 0, what: Changed::Step }
                    }
                    Err(RecvError::Closed) => return None,
                }
            }
        };
        let Change { revision, seq, what, .. } = change;
        let data = json!(ChangeNote { revision, seq, what });
        Some((Ok(Event::default().event("change").data(data.to_string())), (listener, None, reader)))
    })
}

//! The baseline: the reference journey without an engine. Rules by hand, the same rows through the same driver, one
//! durable commit per step in which whatever waits shares; what a skilled person would write for this one journey.

mod postgres;
mod sqlite;

use crate::work::STEPS;
use anyhow::{Context, Result};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use jsonschema::{PatternOptions, Validator};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;
use uuid::Uuid;

/// Most commits that share a transaction.
const BATCH_MAX: usize = 64;

const FORMS: [&str; 5] = [
    include_str!("../../definitions/forms/bench/reference/mobile.json"),
    include_str!("../../definitions/forms/bench/reference/otp.json"),
    include_str!("../../definitions/forms/bench/reference/vehicle.json"),
    include_str!("../../definitions/forms/bench/reference/quote.json"),
    include_str!("../../definitions/forms/bench/reference/proposal.json"),
];

/// A stored journey; `step` is its place among the steps.
struct Journey {
    n: i64,
    revision: i64,
    step: i64,
    state: String,
}

/// All rows of one step: the journey (started or moved on from `revision - 1`), its event, its effect, the used key.
struct Write {
    /// `None`: a new journey.
    n: Option<i64>,
    id: Uuid,
    revision: i64,
    step: i64,
    state: String,
    data: String,
    effect: &'static str,
    key: Vec<u8>,
    body_hash: [u8; 32],
    at: i64,
    /// False: the journey moved on, or the key was used.
    reply: oneshot::Sender<Result<bool>>,
}

/// A key that was used: by which journey, for which body.
struct Used {
    id: Uuid,
    body_hash: Vec<u8>,
}

enum Store {
    Sqlite(sqlite::Store),
    Postgres(postgres::Store),
}

impl Store {
    async fn journey(&self, id: Uuid) -> Result<Option<Journey>> {
        match self {
            Store::Sqlite(store) => store.journey(id).await,
            Store::Postgres(store) => store.journey(id).await,
        }
    }

    /// Use of a key by a journey, or (`None`) by a start.
    async fn used(&self, scope: Option<i64>, key: &[u8]) -> Result<Option<Used>> {
        match self {
            Store::Sqlite(store) => store.used(scope.unwrap_or(0), key).await,
            Store::Postgres(store) => store.used(scope.unwrap_or(0), key).await,
        }
    }

    async fn send(&self, write: Write) -> Result<()> {
        match self {
            Store::Sqlite(store) => store.writer.send(write).await,
            Store::Postgres(store) => store.writer.send(write).await,
        }
        .ok()
        .context("the writer has ended")
    }
}

struct App {
    store: Store,
    validators: Vec<Validator>,
}

#[derive(Deserialize)]
struct StartBody {
    workflow: String,
}

#[derive(Deserialize)]
struct EventBody {
    #[serde(rename = "type")]
    kind: String,
    data: Value,
    revision: i64,
}

/// Listens on 127.0.0.1 until it is killed. `database`: `sqlite:file` or `postgres://…`.
pub async fn serve(database: &str, port: u16) -> Result<()> {
    use axum::serve::ListenerExt;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let store = match database.strip_prefix("sqlite:") {
        Some(file) => Store::Sqlite(sqlite::Store::open(file).await?),
        None => Store::Postgres(postgres::Store::open(database).await?),
    };
    let validators = FORMS.iter().map(|text| validator(text)).collect::<Result<_>>()?;
    let router = Router::new()
        .route("/api/v1/journeys", post(start))
        .route("/api/v1/journeys/{id}/events", post(submit))
        .with_state(Arc::new(App { store, validators }));
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}

fn validator(form: &str) -> Result<Validator> {
    let form: Value = serde_json::from_str(form)?;
    let options =
        jsonschema::options().with_draft(jsonschema::Draft::Draft202012).with_pattern_options(PatternOptions::regex());
    options.build(&form).map_err(|error| anyhow::anyhow!("{error}"))
}

/// Why a request is refused.
struct Refusal(StatusCode, &'static str);

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        eprintln!("{error:#}");
        Refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"code": self.1}))).into_response()
    }
}

async fn start(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    let key = key(&headers)?;
    let StartBody { workflow } = serde_json::from_slice(&body).map_err(|_| Refusal(StatusCode::BAD_REQUEST, "body"))?;
    if workflow != "bench/reference" {
        return Err(Refusal(StatusCode::NOT_FOUND, "workflow"));
    }
    if let Some(used) = app.store.used(None, &key).await? {
        return repeated(&app, used, &body).await;
    }
    let (id, (reply, done)) = (Uuid::now_v7(), oneshot::channel());
    let (state, data) = (r#"{"sent":"123456"}"#.to_owned(), "{}".to_owned());
    let body_hash = Sha256::digest(&body).into();
    let write = Write {
        n: None,
        id,
        revision: 1,
        step: 0,
        state,
        data,
        effect: "start",
        key: key.clone(),
        body_hash,
        at: now_ms(),
        reply,
    };
    app.store.send(write).await?;
    if !done.await.context("the writer has ended")?? {
        return Err(Refusal(StatusCode::CONFLICT, "key"));
    }
    Ok((StatusCode::CREATED, answer(id, 1, 0)).into_response())
}

async fn submit(
    State(app): State<Arc<App>>,
    Path(id): Path<Uuid>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let key = key(&headers)?;
    let event: EventBody = serde_json::from_slice(&body).map_err(|_| Refusal(StatusCode::BAD_REQUEST, "body"))?;
    let journey = app.store.journey(id).await?.ok_or(Refusal(StatusCode::NOT_FOUND, "journey"))?;
    let at = journey.step as usize;
    let stale = event.revision != journey.revision || at >= STEPS.len();
    if stale {
        return match app.store.used(Some(journey.n), &key).await? {
            Some(used) => repeated(&app, used, &body).await,
            None => Err(Refusal(StatusCode::CONFLICT, "stale")),
        };
    }
    if event.kind != "submit" || !app.validators[at].is_valid(&event.data) {
        return Err(Refusal(StatusCode::UNPROCESSABLE_ENTITY, "schema"));
    }
    let mut context: Value = serde_json::from_str(&journey.state).context("stored state")?;
    if !guard(STEPS[at], &event.data, &context) {
        return Err(Refusal(StatusCode::UNPROCESSABLE_ENTITY, "guard"));
    }
    let data = event.data.to_string();
    context[STEPS[at]] = event.data;
    let (revision, step, (reply, done)) = (journey.revision + 1, journey.step + 1, oneshot::channel());
    let body_hash = Sha256::digest(&body).into();
    let write = Write {
        n: Some(journey.n),
        id,
        revision,
        step,
        state: context.to_string(),
        data,
        effect: STEPS[at],
        key,
        body_hash,
        at: now_ms(),
        reply,
    };
    app.store.send(write).await?;
    match done.await.context("the writer has ended")?? {
        true => Ok(answer(id, revision, step).into_response()),
        false => Err(Refusal(StatusCode::CONFLICT, "stale")),
    }
}

/// Answers a request that was taken before with where the journey is now; the same key with another body is refused.
async fn repeated(app: &App, used: Used, body: &[u8]) -> Result<Response, Refusal> {
    if used.body_hash != Sha256::digest(body).as_slice() {
        return Err(Refusal(StatusCode::UNPROCESSABLE_ENTITY, "key"));
    }
    let journey = app.store.journey(used.id).await?.ok_or(Refusal(StatusCode::NOT_FOUND, "journey"))?;
    Ok(answer(used.id, journey.revision, journey.step).into_response())
}

fn guard(step: &str, form: &Value, context: &Value) -> bool {
    let number = |value: &Value| value.as_i64().unwrap_or(0);
    match step {
        "mobile" => form["consent"] == true,
        "otp" => form["code"] == context["sent"] && number(&form["attempt"]) <= 3,
        "vehicle" => number(&form["year"]) >= 2005,
        "quote" => {
            form["accepted"] == true
                && number(&form["premium"]) * 10 <= number(&form["idv"])
                && number(&context["vehicle"]["year"]) >= 2005
        }
        _ => form["declared"] == true && number(&form["nominee_share"]) == 100,
    }
}

fn answer(id: Uuid, revision: i64, step: i64) -> Json<Value> {
    let step = STEPS.get(step as usize).map_or("reference".to_owned(), |name| format!("reference.{name}"));
    Json(json!({"journey": {"id": id.simple().to_string(), "revision": revision}, "step": {"id": step}}))
}

fn key(headers: &HeaderMap) -> Result<Vec<u8>, Refusal> {
    let key = headers
        .get("idempotency-key")
        .and_then(|value| value.to_str().ok())
        .ok_or(Refusal(StatusCode::BAD_REQUEST, "key"))?;
    Ok(Uuid::parse_str(key).map_or_else(|_| key.as_bytes().to_vec(), |key| key.as_bytes().to_vec()))
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

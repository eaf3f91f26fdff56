//! `/sandbox/partners/{partner}/…`: one operation of a fake partner, played by its script.
//!
//! A request with an idempotency key does its work once: its reply and what follows from it are stored before
//! anything else, and every repetition gets that reply again and is counted. A 5xx or 429 is not kept.

use super::calls::Call;
use super::script::Evaluation;
use super::switches::{self, Mode, Switch};
use super::tasks::{self, Task};
use super::{Sandbox, SandboxError, html, pages};
use crate::multipart;
use crate::pdf;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Operation, Partner, SandboxCase, SandboxScript, decode_segment};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Bucket of replies by idempotency key.
pub const REPLIES: &str = "replies";
/// How long a caller that is left hanging is held.
const HANG: Duration = Duration::from_secs(120);
const SLOW_MS: i64 = 3_000;

/// A reply with everything that follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    pub partner: String,
    pub operation: String,
    pub key: String,
    pub time_ms: i64,
    /// How often the request came.
    pub count: u64,
    /// Whether the request's consequences are under way.
    pub begun: bool,
    pub reply: Reply,
    pub tasks: Vec<Task>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reply {
    pub status: u16,
    pub headers: Map<String, Value>,
    pub content: Content,
    pub delay_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Nothing,
    Json(Value),
    Pdf(Value),
    /// Id of a hosted page.
    Page(String),
    Go(Value),
}

pub async fn serve(
    State(sandbox): State<Sandbox>,
    Path((partner, _)): Path<(String, String)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, SandboxError> {
    let catalog = sandbox.catalog();
    let Some(partner) = catalog.partner(&partner) else { return Ok(unknown("no such partner")) };
    let Some(path) = path_below(uri.path(), partner) else {
        return Ok(unknown("the path does not begin with the partner's `base_path`"));
    };
    let Some((operation, script)) = sandbox.find(partner, method.as_str(), &path) else {
        return Ok(unknown("no operation with a sandbox script has this method and path"));
    };
    let request = request(&method, &uri, &headers, &body, &path);
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default().to_owned();
    let call = Played { sandbox: &sandbox, partner, operation, script, key, request };
    call.play().await
}

struct Played<'a> {
    sandbox: &'a Sandbox,
    partner: &'a Partner,
    operation: &'a Operation,
    script: &'a SandboxScript,
    key: String,
    request: Value,
}

impl Played<'_> {
    async fn play(&self) -> Result<Response, SandboxError> {
        let switch =
            switches::of_call(self.sandbox.memory(), &self.partner.id, &self.operation.id, rand::random_range(0..100))
                .await?;
        let mode = switch.as_ref().map_or(Mode::Normal, |switch| switch.mode);
        if mode == Mode::Fail {
            self.note(0, "fail");
            return Ok((StatusCode::SERVICE_UNAVAILABLE, axum::Json(json!({"error": "switched off in the sandbox"})))
                .into_response());
        }
        let record = match self.record(mode).await {
            Ok(record) => record,
            Err(SandboxError::Script(why)) => {
                self.note(0, &why);
                return Ok((
                    StatusCode::INTERNAL_SERVER_ERROR,
                    axum::Json(json!({"error": format!("sandbox script: {why}")})),
                )
                    .into_response());
            }
            Err(error) => return Err(error),
        };
        let fail = match mode {
            Mode::Hang | Mode::Reset | Mode::Garbage => Some(mode),
            Mode::Normal | Mode::Slow | Mode::Late | Mode::Fail | Mode::Twice => match record.reply.fail.as_deref() {
                Some("hang") => Some(Mode::Hang),
                Some("reset") => Some(Mode::Reset),
                Some("garbage") => Some(Mode::Garbage),
                Some(_) | None => None,
            },
        };
        self.note(
            record.count,
            &fail.map_or_else(|| record.reply.status.to_string(), |mode| format!("{mode:?}").to_lowercase()),
        );
        self.wait(&switch, &record.reply).await;
        Ok(match fail {
            Some(Mode::Hang) => {
                tokio::time::sleep(HANG).await;
                StatusCode::GATEWAY_TIMEOUT.into_response()
            }
            Some(Mode::Reset) => {
                let broken =
                    futures::stream::iter([Ok(Bytes::from_static(b"{\"")), Err(std::io::Error::other("reset"))]);
                Response::new(Body::from_stream(broken))
            }
            Some(_) => ([(header::CONTENT_TYPE, "application/json")], "<<<not what you asked for>>>").into_response(),
            None => render(&record.reply),
        })
    }

    /// The stored reply to this key, or a new one; its consequences are under way afterwards.
    async fn record(&self, mode: Mode) -> Result<Record, SandboxError> {
        if self.key.is_empty() {
            let record = self.evaluate(mode).await?;
            tasks::undertake(self.sandbox, &format!("{:032x}", rand::random::<u128>()), &record.tasks).await?;
            return Ok(record);
        }
        let memory = self.sandbox.memory();
        let place = format!("{}/{}/{}", self.partner.id, self.operation.id, self.key);
        loop {
            let stored = memory.get(REPLIES, &place).await?;
            let earlier = stored
                .clone()
                .map(serde_json::from_value::<Record>)
                .transpose()
                .map_err(|e| SandboxError::Stored(e.to_string()))?;
            let record = match earlier {
                // Trouble is no reply to keep: the next try may end otherwise.
                Some(record) if record.reply.status >= 500 || record.reply.status == 429 => {
                    Record { count: record.count + 1, ..self.evaluate(mode).await? }
                }
                Some(record) => Record { count: record.count + 1, ..record },
                None => self.evaluate(mode).await?,
            };
            let value = serde_json::to_value(&record).map_err(|e| SandboxError::Stored(e.to_string()))?;
            if !memory.swap(REPLIES, &place, stored, value.clone()).await? {
                continue;
            }
            if record.begun {
                return Ok(record);
            }
            tasks::undertake(self.sandbox, &place, &record.tasks).await?;
            let begun = Record { begun: true, ..record };
            let next = serde_json::to_value(&begun).map_err(|e| SandboxError::Stored(e.to_string()))?;
            memory.swap(REPLIES, &place, Some(value), next).await?;
            return Ok(begun);
        }
    }

    async fn evaluate(&self, mode: Mode) -> Result<Record, SandboxError> {
        let seed = if self.key.is_empty() {
            format!("{:032x}", rand::random::<u128>())
        } else {
            format!("{}/{}/{}", self.partner.id, self.operation.id, self.key)
        };
        let mut variables = Map::new();
        variables.insert("request".into(), self.request.clone());
        variables.insert("key".into(), self.key.clone().into());
        variables.insert("partner".into(), self.sandbox.partner_value(self.partner));
        let errors = self.operation.contract.as_ref().map(|contract| contract.errors_json());
        variables.insert("contract".into(), json!({"errors": errors}));
        let mut evaluation = Evaluation::new(self.sandbox, variables, seed);
        evaluation.lets(&self.script.lets).await?;
        let mut chosen = None;
        for (index, case) in self.script.cases.iter().enumerate() {
            if evaluation.holds(case.when.as_ref()).await? {
                chosen = Some((index, case));
                break;
            }
        }
        let (reply, mut tasks) = match chosen {
            Some((index, case)) => (
                self.reply(&mut evaluation, index, case).await?,
                evaluation.tasks(&self.partner.id, &case.consequences).await?,
            ),
            None => (
                Reply {
                    status: 404,
                    headers: Map::new(),
                    content: Content::Json(json!({"error": "no sandbox case"})),
                    delay_ms: 0,
                    fail: None,
                },
                Vec::new(),
            ),
        };
        if mode == Mode::Twice || reply.fail.as_deref() == Some("twice") {
            let again: Vec<Task> = tasks.iter().filter(|task| task.webhook.is_some()).cloned().collect();
            tasks.extend(again);
        }
        let (partner, operation) = (self.partner.id.clone(), self.operation.id.clone());
        Ok(Record {
            partner,
            operation,
            key: self.key.clone(),
            time_ms: self.sandbox.now_ms(),
            count: 1,
            begun: false,
            reply,
            tasks,
        })
    }

    async fn reply(
        &self,
        evaluation: &mut Evaluation<'_>,
        index: usize,
        case: &SandboxCase,
    ) -> Result<Reply, SandboxError> {
        let status = evaluation
            .value_or(case.status.as_ref(), json!(200))
            .await?
            .as_u64()
            .and_then(|s| u16::try_from(s).ok())
            .unwrap_or(200);
        let headers =
            evaluation.value_or(case.headers.as_ref(), json!({})).await?.as_object().cloned().unwrap_or_default();
        let delay_ms = evaluation.ms(case.delay.as_ref().or(self.script.delay.as_ref())).await?;
        let content = if let Some(page) = &case.page {
            Content::Page(
                pages::open(evaluation, self.sandbox, &self.partner.id, &self.operation.id, index, page).await?,
            )
        } else if let Some(go) = &case.go {
            Content::Go(evaluation.go(go).await?)
        } else if let Some(pdf) = &case.pdf {
            Content::Pdf(evaluation.value(pdf).await?)
        } else if let Some(body) = &case.body {
            Content::Json(evaluation.value(body).await?)
        } else {
            Content::Nothing
        };
        Ok(Reply { status, headers, content, delay_ms, fail: case.fail.map(|fail| fail.name().to_owned()) })
    }

    async fn wait(&self, switch: &Option<Switch>, reply: &Reply) {
        let ms = match switch {
            Some(Switch { mode: Mode::Slow, delay_ms, .. }) => {
                delay_ms.map_or(SLOW_MS, |ms| i64::try_from(ms).unwrap_or(SLOW_MS))
            }
            Some(Switch { mode: Mode::Late, delay_ms, .. }) => {
                let timeout_ms = self.operation.timeout_ms;
                delay_ms.map_or((timeout_ms - 1_000).max(0), |ms| i64::try_from(ms).unwrap_or(timeout_ms))
            }
            Some(_) | None => reply.delay_ms,
        };
        if ms > 0 {
            tokio::time::sleep(Duration::from_millis(ms.unsigned_abs())).await;
        }
    }

    fn note(&self, count: u64, result: &str) {
        let (partner, operation) = (self.partner.id.clone(), self.operation.id.clone());
        self.sandbox.recent().add(Call {
            time_ms: self.sandbox.now_ms(),
            partner,
            operation,
            key: self.key.clone(),
            count,
            result: result.to_owned(),
        });
    }
}

fn render(reply: &Reply) -> Response {
    let mut response = match &reply.content {
        Content::Nothing => ().into_response(),
        Content::Json(body) => axum::Json(body).into_response(),
        Content::Pdf(document) => {
            let bytes = pdf::render(&pdf::Document::from_json(document));
            let name: String = html::text(&document["file"])
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
                .collect();
            let name = if name.is_empty() { "document.pdf".to_owned() } else { name };
            (
                [
                    (header::CONTENT_TYPE, "application/pdf".to_owned()),
                    (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
                ],
                bytes,
            )
                .into_response()
        }
        Content::Page(id) => return html::go("GET", &format!("/sandbox/pages/{id}"), &Map::new()),
        Content::Go(go) => return pages::follow(go),
    };
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(html::text(value))) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// `request` of the script.
fn request(method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8], path: &[String]) -> Value {
    let pairs = |text: &[u8]| {
        url::form_urlencoded::parse(text)
            .map(|(k, v)| (k.into_owned(), Value::from(v.into_owned())))
            .collect::<Map<_, _>>()
    };
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=");
    let form = match boundary {
        Some(boundary) => multipart::read(body, boundary),
        None if kind.starts_with("application/x-www-form-urlencoded") => pairs(body),
        None => Map::new(),
    };
    let json = serde_json::from_slice(body).unwrap_or(Value::Null);
    let names = headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.into())))
        .collect::<Map<_, _>>();
    json!({"method": method.as_str(), "path": path, "query": pairs(uri.query().unwrap_or_default().as_bytes()), "headers": names, "body": if form.is_empty() { json } else { Value::Null }, "form": form})
}

/// Decoded segments after `…/partners/{partner}` and the partner's base path.
fn path_below(path: &str, partner: &Partner) -> Option<Vec<String>> {
    let mut segments =
        path.split('/').skip_while(|segment| *segment != "partners").skip(2).filter(|segment| !segment.is_empty());
    for expected in partner.base_path.split('/').filter(|segment| !segment.is_empty()) {
        if segments.next() != Some(expected) {
            return None;
        }
    }
    Some(segments.map(decode_segment).collect())
}

fn unknown(why: &str) -> Response {
    (StatusCode::NOT_FOUND, axum::Json(json!({"error": format!("sandbox: {why}")}))).into_response()
}

//! What became of a call: done, declined, refused, failed, or worth another try. Codes are stable; texts never
//! contain anything that the partner sent, except where the operation's own error rule takes it.

use super::breaker::Verdict;
use super::exchange::{Answer, Lost};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use engine_definitions::{CallError, CallErrorKind, Correlate, Operation, Partner, Retry};
use engine_statechart::Host;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The partner did it. A document's bytes wait to be stored; `output` is without them.
    Done {
        output: Value,
        correlate: Vec<Correlate>,
        document: Option<Document>,
    },
    Failed(CallError),
    /// The call was not made, and not counted: somebody else has it, or it could not be counted.
    NotBegun,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub name: String,
    pub media_type: String,
    pub bytes: Bytes,
}

impl CallOutcome {
    /// Class for metrics and logs: `done`, `declined`, `refused`, `failed`, `retry` or `not_begun`.
    pub fn class(&self) -> &'static str {
        match self {
            CallOutcome::Done { .. } => "done",
            CallOutcome::Failed(CallError { retry: Retry::Later(_), .. }) => "retry",
            CallOutcome::Failed(error) => error.kind.as_str(),
            CallOutcome::NotBegun => "not_begun",
        }
    }

    pub(super) fn refusal(code: &str, message: &str) -> CallOutcome {
        failure(code, message, CallErrorKind::Refused, Retry::Never)
    }

    pub(super) fn later(code: &str, message: &str, after_ms: Option<u64>) -> CallOutcome {
        failure(code, message, CallErrorKind::Failed, Retry::Later(after_ms))
    }
}

/// Longest `Retry-After` that is obeyed.
const RETRY_AFTER_MS_MAX: u64 = 3_600_000;

/// The outcome, and what it says about the partner's state.
pub fn judge(
    partner: &Partner,
    operation: &Operation,
    input: &Value,
    answer: Result<Answer, Lost>,
    host: &dyn Host,
) -> (CallOutcome, Verdict) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(lost) => return (missing(lost, operation), verdict_of(lost)),
    };
    let good = (200..300).contains(&answer.status);
    // A redirect is never followed: it would leave the allow-list.
    if (300..400).contains(&answer.status) {
        return (CallOutcome::refusal("partner.redirect", "it answered with a redirect"), Verdict::Answered);
    }
    let json = if answer.body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice::<Value>(&answer.body) };
    let media_type = answer
        .headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("application/octet-stream")
        .to_owned();
    let is_document = good && operation.document && !media_type.starts_with("application/json");
    let body = match json {
        Ok(_) | Err(_) if is_document => Value::Null,
        Ok(body) => body,
        Err(_) if good => return (missing_sense(operation), Verdict::Failed),
        Err(_) => Value::Null,
    };
    let mut verdict = if answer.status >= 500 { Verdict::Failed } else { Verdict::Answered };
    let outcome = match operation.reply(partner, input, answer.status, &texts(&answer.headers), &body, host) {
        Ok(reply) => {
            let name = reply.document.filter(|_| operation.document);
            if operation.document && !is_document {
                return (missing_sense(operation), Verdict::Answered);
            }
            let document = name.map(|name| Document { name, media_type, bytes: answer.body });
            CallOutcome::Done { output: reply.output, correlate: reply.correlate, document }
        }
        Err(error) => {
            // A server's error that says something of this order is an answer.
            if error.kind != CallErrorKind::Failed {
                verdict = Verdict::Answered;
            }
            CallOutcome::Failed(bound_retry(error, answer.status, operation))
        }
    };
    (outcome, verdict)
}

/// Outcome where nothing came back. A call that is not idempotent is repeated only when it surely never arrived.
fn missing(lost: Lost, operation: &Operation) -> CallOutcome {
    let unsure = if operation.idempotent { Retry::Later(None) } else { Retry::Never };
    let (code, retry) = match lost {
        Lost::Connect => ("partner.connect", Retry::Later(None)),
        Lost::Refused => return CallOutcome::refusal("partner.address", &lost.to_string()),
        Lost::Timeout => ("partner.timeout", unsure),
        Lost::Broken => ("partner.broken", unsure),
        Lost::TooLarge => ("partner.too_large", Retry::Never),
    };
    failure(code, &lost.to_string(), CallErrorKind::Failed, retry)
}

fn missing_sense(operation: &Operation) -> CallOutcome {
    let retry = if operation.idempotent { Retry::Later(None) } else { Retry::Never };
    failure("partner.garbage", "the reply is not what its kind says", CallErrorKind::Failed, retry)
}

fn verdict_of(lost: Lost) -> Verdict {
    match lost {
        Lost::Connect | Lost::Timeout | Lost::Broken | Lost::TooLarge => Verdict::Failed,
        Lost::Refused => Verdict::Unknown,
    }
}

/// A server's error leaves open whether the work was done: then only what is idempotent is repeated.
fn bound_retry(mut error: CallError, status: u16, operation: &Operation) -> CallError {
    if let Retry::Later(after_ms) = error.retry {
        let unsure = status >= 500 && status != 503;
        error.retry = if unsure && !operation.idempotent {
            Retry::Never
        } else {
            Retry::Later(after_ms.map(|ms| ms.min(RETRY_AFTER_MS_MAX)))
        };
    }
    error
}

fn failure(code: &str, message: &str, kind: CallErrorKind, retry: Retry) -> CallOutcome {
    CallOutcome::Failed(CallError {
        code: code.to_owned(),
        row: String::new(),
        message: message.to_owned(),
        retry,
        kind,
    })
}

/// Texts of the headers, names in lower case; values that are not text are left out.
fn texts(headers: &HeaderMap) -> Map<String, Value> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.into()))).collect()
}

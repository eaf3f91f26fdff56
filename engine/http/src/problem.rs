//! Errors as the caller sees them: RFC 9457 problem details with stable codes (security rule 26).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_runtime::{Difference, Refusal, StepView};
use serde::Serialize;
use utoipa::ToSchema;

/// Every way a request can fail. The code of the JSON is the name in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    NotFound,
    Stale,
    Invalid,
    NotAccepted,
    KeyReused,
    KeyMissing,
    Expired,
    NotPossible,
    Limited,
    Busy,
    Broken,
    BodyInvalid,
    BodyTooLarge,
    MediaType,
    Method,
    Csrf,
    Signature,
    Timeout,
    Unavailable,
    Internal,
}

impl Code {
    fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Code::NotFound => (StatusCode::NOT_FOUND, "not_found", "Not found"),
            Code::Stale => (StatusCode::CONFLICT, "stale", "The journey has moved on"),
            Code::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Some answers need your attention"),
            Code::NotAccepted => (StatusCode::CONFLICT, "not_accepted", "This is not possible at this step"),
            Code::KeyReused => {
                (StatusCode::UNPROCESSABLE_ENTITY, "key_reused", "The idempotency key was used for another request")
            }
            Code::KeyMissing => (StatusCode::BAD_REQUEST, "key_missing", "The header Idempotency-Key is missing"),
            Code::Expired => (StatusCode::GONE, "expired", "The journey has expired"),
            Code::NotPossible => (StatusCode::CONFLICT, "not_possible", "This is not possible"),
            Code::Limited => (StatusCode::TOO_MANY_REQUESTS, "limited", "Too many requests"),
            Code::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy", "The server is busy"),
            Code::Broken => (StatusCode::INTERNAL_SERVER_ERROR, "broken", "Something Went Wrong"),
            Code::BodyInvalid => (StatusCode::BAD_REQUEST, "body_invalid", "The request cannot be read"),
            Code::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", "The request is too large"),
            Code::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", "The body must be application/json"),
            Code::Method => (StatusCode::METHOD_NOT_ALLOWED, "method", "The method is not possible here"),
            Code::Csrf => (StatusCode::FORBIDDEN, "csrf", "The request does not come from our pages"),
            Code::Signature => (StatusCode::UNAUTHORIZED, "signature", "The signature is not valid"),
            Code::Timeout => (StatusCode::SERVICE_UNAVAILABLE, "timeout", "The request took too long"),
            Code::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The service is not available"),
            Code::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Something Went Wrong"),
        }
    }
}

/// One field at fault.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FieldProblem {
    /// JSON Pointer into the answers.
    pub pointer: String,
    pub code: String,
    pub text: String,
}

/// The body of every error. Boxed: an error passes through many hands, and most calls have none.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(transparent)]
pub struct Problem(Box<ProblemDetails>);

/// RFC 9457.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProblemDetails {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    /// Stable name of the problem.
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldProblem>,
    /// The current step, where the caller should go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Box<StepView>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    difference: Vec<Difference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
    /// Number of an incident, to quote when asking for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// Where a new journey starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
}

impl Problem {
    pub fn new(code: Code) -> Problem {
        let (status, name, title) = code.parts();
        Problem(Box::new(ProblemDetails {
            kind: format!("urn:journey:problem:{name}"),
            title,
            status: status.as_u16(),
            code: name,
            detail: None,
            errors: Vec::new(),
            view: None,
            difference: Vec::new(),
            retry_after_s: None,
            reference: None,
            base: None,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut ProblemDetails)) -> Problem {
        change(&mut self.0);
        self
    }

    pub fn detail(self, text: impl Into<String>) -> Problem {
        self.with(|it| it.detail = Some(text.into()))
    }

    pub fn errors(self, errors: Vec<FieldProblem>) -> Problem {
        self.with(|it| it.errors = errors)
    }

    pub fn view(self, view: Box<StepView>) -> Problem {
        self.with(|it| it.view = Some(view))
    }

    /// Rounded up to whole seconds, at least one.
    pub fn retry_after_ms(self, ms: u64) -> Problem {
        self.with(|it| it.retry_after_s = Some(ms.div_ceil(1000).max(1)))
    }

    pub fn status(&self) -> u16 {
        self.0.status
    }

    #[cfg(test)]
    pub fn detail_text(&self) -> &str {
        self.0.detail.as_deref().unwrap_or_default()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::NotFound => Problem::new(Code::NotFound),
            Refusal::Stale { view, difference } => {
                Problem::new(Code::Stale).view(view).with(|it| it.difference = difference)
            }
            Refusal::Invalid { errors } => {
                let errors = errors.into_iter().map(|error| FieldProblem {
                    pointer: error.pointer,
                    code: error.code,
                    text: error.text,
                });
                Problem::new(Code::Invalid).errors(errors.collect())
            }
            Refusal::NotAccepted { view } => Problem::new(Code::NotAccepted).view(view),
            Refusal::NotPossible { reason } => Problem::new(Code::NotPossible).detail(reason),
            Refusal::KeyReused => Problem::new(Code::KeyReused),
            Refusal::KeyMissing => Problem::new(Code::KeyMissing),
            Refusal::Expired { base } => Problem::new(Code::Expired).with(|it| it.base = Some(base)),
            Refusal::Limited { retry_after_ms } => {
                Problem::new(Code::Limited).retry_after_ms(retry_after_ms.max(0) as u64)
            }
            Refusal::Busy => Problem::new(Code::Busy).retry_after_ms(1000),
            Refusal::Unavailable(error) => {
                tracing::error!(%error, "the database is not available");
                Problem::new(Code::Busy).retry_after_ms(5_000)
            }
            Refusal::Broken { reference } => Problem::new(Code::Broken)
                .detail("What you typed is saved. Please try again later.")
                .with(|it| it.reference = Some(reference)),
            Refusal::Internal(source) => {
                tracing::error!(error = %chain(source.as_ref()), "request failed");
                Problem::new(Code::Internal)
            }
        }
    }
}

/// An error with its sources on one line, for the log only.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        if let Some(seconds) = self.0.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

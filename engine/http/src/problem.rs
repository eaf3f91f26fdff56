//! Errors as the caller sees them: RFC 9457 problem details with stable codes.

use crate::connection::middleware::Full;
use crate::visitor::captcha::Challenge;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_runtime::{Difference, Refusal, StepView};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa::openapi::{self, ContentBuilder, RefOr};

pub const MEDIA_TYPE: &str = "application/problem+json";

/// Every way a request can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ProblemCode)]
pub enum Code {
    NotFound,
    Stale,
    Repriced,
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
    BodyTooSlow,
    MediaType,
    Method,
    Csrf,
    Client,
    Role,
    SignIn,
    Proof,
    Cookies,
    Signature,
    Timeout,
    Unavailable,
    Internal,
}

impl Code {
    fn parts(self) -> (StatusCode, &'static str) {
        match self {
            Code::NotFound => (StatusCode::NOT_FOUND, "Not found"),
            Code::Stale => (StatusCode::CONFLICT, "The journey has moved on"),
            Code::Repriced => (StatusCode::CONFLICT, "The price has changed"),
            Code::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "Some answers need your attention"),
            Code::NotAccepted => (StatusCode::CONFLICT, "This is not possible at this step"),
            Code::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "The idempotency key was used for another request"),
            Code::KeyMissing => (StatusCode::BAD_REQUEST, "The header Idempotency-Key is missing"),
            Code::Expired => (StatusCode::GONE, "The journey has expired"),
            Code::NotPossible => (StatusCode::CONFLICT, "This is not possible"),
            Code::Limited => (StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
            Code::Busy => (StatusCode::SERVICE_UNAVAILABLE, "The server is busy"),
            Code::Broken => (StatusCode::INTERNAL_SERVER_ERROR, "Something Went Wrong"),
            Code::BodyInvalid => (StatusCode::BAD_REQUEST, "The request cannot be read"),
            Code::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The request is too large"),
            Code::BodyTooSlow => (StatusCode::REQUEST_TIMEOUT, "The request came too slowly"),
            Code::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json"),
            Code::Method => (StatusCode::METHOD_NOT_ALLOWED, "The method is not possible here"),
            Code::Csrf => (StatusCode::FORBIDDEN, "The request does not come from our pages"),
            Code::Client => (StatusCode::FORBIDDEN, "The header X-Api-Key names no program that we know"),
            Code::Role => (StatusCode::FORBIDDEN, "This role is not yours"),
            Code::SignIn => (StatusCode::UNAUTHORIZED, "Please log in"),
            Code::Proof => (StatusCode::FORBIDDEN, "Please try again with scripts turned on"),
            Code::Cookies => {
                (StatusCode::FORBIDDEN, "Please allow cookies for this site: without them we cannot know you again")
            }
            Code::Signature => (StatusCode::UNAUTHORIZED, "The signature is not valid"),
            Code::Timeout => (StatusCode::SERVICE_UNAVAILABLE, "The request took too long"),
            Code::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "The service is not available"),
            Code::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Something Went Wrong"),
        }
    }

    /// The code's name as the JSON has it.
    fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
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
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Problem(Box<ProblemDetails>);

/// RFC 9457.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemDetails {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    /// Stable name of the problem.
    code: Code,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FieldProblem>,
    /// The current step, where the caller should go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Box<StepView>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    difference: Vec<Difference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
    /// Number of an incident, to quote when asking for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// Address at which a new journey starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// What the browser must do before it sends the same again.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<Challenge>,
    /// The answer brings a cookie, which must come back with the next request.
    #[serde(skip)]
    tries_cookies: bool,
}

/// Shows that cookies come back; says nothing else.
pub const WAY_BACK: &str = "__Host-way-back";

impl Problem {
    pub fn new(code: Code) -> Problem {
        let (status, title) = code.parts();
        Problem(Box::new(ProblemDetails {
            kind: format!("urn:journey:problem:{}", code.name()),
            title,
            status: status.as_u16(),
            code,
            detail: None,
            errors: Vec::new(),
            view: None,
            difference: Vec::new(),
            retry_after_s: None,
            reference: None,
            base: None,
            challenge: None,
            tries_cookies: false,
        }))
    }

    /// Problem of a refusal that the definitions word, by its status.
    pub fn of_status(status: u16) -> Problem {
        Problem::new(Problem::code_of_status(status)).with(|it| it.status = status)
    }

    /// The kind that a worded refusal of this status is.
    pub fn code_of_status(status: u16) -> Code {
        match status {
            404 => Code::NotFound,
            410 => Code::Expired,
            429 => Code::Limited,
            403 | 409 => Code::NotPossible,
            _ => Code::Invalid,
        }
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

    pub fn challenge(self, challenge: Challenge) -> Problem {
        self.with(|it| it.challenge = Some(challenge))
    }

    pub fn trying_cookies(self) -> Problem {
        self.with(|it| it.tries_cookies = true)
    }

    /// Rounded up to whole seconds, at least one.
    pub fn retry_after_ms(self, ms: u64) -> Problem {
        self.with(|it| it.retry_after_s = Some(ms.div_ceil(1000).max(1)))
    }

    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// Fields at fault.
    pub fn field_problems(&self) -> &[FieldProblem] {
        &self.0.errors
    }

    pub fn retry_after_s(&self) -> Option<u64> {
        self.0.retry_after_s
    }

    pub fn detail_text(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    pub fn title(&self) -> &'static str {
        self.0.title
    }

    pub fn code_name(&self) -> String {
        self.0.code.name()
    }

    /// What the caller must solve before the same is sent again.
    pub fn challenge_to_solve(&self) -> Option<&Challenge> {
        self.0.challenge.as_ref()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::NotFound => Problem::new(Code::NotFound),
            Refusal::Stale { view, difference } => {
                Problem::new(Code::Stale).view(view).with(|it| it.difference = difference)
            }
            Refusal::Repriced { view } => Problem::new(Code::Repriced).view(view),
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
            Refusal::Proof => Problem::new(Code::Proof),
            Refusal::Busy => Problem::new(Code::Busy).retry_after_ms(1000),
            Refusal::Unavailable(error) => {
                tracing::error!(%error, "the database is not available");
                Problem::new(Code::Unavailable).retry_after_ms(5_000)
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

/// No place for a stream or a body.
impl From<Full> for Problem {
    fn from(full: Full) -> Problem {
        let code = match full {
            Full::Address => Code::Limited,
            Full::All => Code::Busy,
        };
        Problem::new(code).retry_after_ms(5_000)
    }
}

/// The problems that an operation may answer, for the description of the API; `changing` stands for what every changing
/// request may meet. What every request may meet is [`ANYWHERE`].
macro_rules! refusals {
    ($name:ident: changing, $($code:ident),* $(,)?) => {
        $crate::problem::refusals!($name: Csrf, BodyInvalid, MediaType, $($code),*);
    };
    ($name:ident: $($code:ident),* $(,)?) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                $crate::problem::responses(&[$($crate::problem::Code::$code),*])
            }
        }
    };
}
pub(crate) use refusals;

/// What any request may meet, whatever it asks for.
pub const ANYWHERE: [Code; 7] = [
    Code::BodyTooLarge,
    Code::BodyTooSlow,
    Code::Limited,
    Code::Busy,
    Code::Timeout,
    Code::Unavailable,
    Code::Internal,
];

/// Status → response, each naming its codes and its way to say when to come back.
pub fn responses(codes: &[Code]) -> BTreeMap<String, RefOr<openapi::Response>> {
    let mut described: BTreeMap<String, String> = BTreeMap::new();
    for code in codes {
        let (status, title) = code.parts();
        let text = described.entry(status.as_str().to_owned()).or_default();
        let separator = if text.is_empty() { "" } else { "; " };
        text.push_str(&format!("{separator}`{}`: {title}", code.name()));
    }
    let problem = || ContentBuilder::new().schema(Some(openapi::Ref::from_schema_name("Problem"))).build();
    let response = |text: String| openapi::ResponseBuilder::new().description(text).content(MEDIA_TYPE, problem());
    described.into_iter().map(|(status, text)| (status, RefOr::T(response(text).build()))).collect()
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
        let mut response = (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response();
        if let Some(seconds) = self.0.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.tries_cookies
            && let Ok(value) = HeaderValue::from_str(&format!("{WAY_BACK}=1; Path=/; HttpOnly; Secure; SameSite=Lax"))
        {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
        response
    }
}

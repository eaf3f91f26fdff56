//! What replies and refusals come in.

use crate::problem::{FieldProblem, Problem};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Endpoint, Envelope};
use serde_json::{Value, json};

pub fn disposition(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}

/// The reply of an endpoint, with its status and the seconds after which to ask again.
pub fn good(endpoint: &Endpoint, reply: Value, (status, retry_after): (u16, Option<u64>)) -> Response {
    let body = match endpoint.answer.envelope {
        Envelope::None => reply,
        Envelope::Data => json!({"data": reply}),
        Envelope::Status => json!({"statusCode": status, "status": "T", "data": reply}),
        Envelope::Meta => {
            json!({"data": {"meta": {"statusCode": status, "displayMessage": endpoint.title}, "data": reply}})
        }
    };
    let mut response = (StatusCode::from_u16(status).unwrap_or_default(), Json(body)).into_response();
    let age = endpoint.answer.cache_s.map(|age| format!("public, max-age={age}"));
    let file = endpoint.deed.file().map(disposition);
    let seconds = retry_after.map(|seconds| seconds.to_string());
    let headers = [(header::CACHE_CONTROL, age), (header::CONTENT_DISPOSITION, file), (header::RETRY_AFTER, seconds)];
    for (name, value) in headers {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Words that others follow end as a sentence does.
fn sentence(words: &str) -> String {
    let ends = words.ends_with(['.', '!', '?', '।']);
    if ends { words.to_owned() } else { format!("{words}.") }
}

/// A refusal, whatever it comes from.
pub fn refusal_response(problem: Problem, envelope: Envelope) -> Response {
    if envelope == Envelope::None {
        return problem.into_response();
    }
    let (status, title) = (problem.status(), problem.title());
    let listed = |error: &FieldProblem| {
        let FieldProblem { pointer, code, text } = error;
        json!({"code": code, "displayMessage": text, "message": title, "pointer": pointer})
    };
    let mut errors: Vec<Value> = problem.field_problems().iter().map(listed).collect();
    if errors.is_empty() {
        let words = problem.detail_text().unwrap_or(title);
        errors.push(json!({"code": problem.code_name(), "displayMessage": words, "message": title, "pointer": ""}));
    }
    let words: Vec<&str> = errors.iter().filter_map(|error| error["displayMessage"].as_str()).collect();
    let words = match words.as_slice() {
        [alone] => (*alone).to_owned(),
        several => several.iter().map(|one| sentence(one)).collect::<Vec<_>>().join(" "),
    };
    let mut body = match envelope {
        Envelope::None | Envelope::Data => json!({}),
        Envelope::Status => json!({"statusCode": status, "status": "F"}),
        Envelope::Meta => {
            json!({"data": {"meta": {"statusCode": status, "displayMessage": words}, "data": {}}})
        }
    };
    body["errors"] = json!(errors);
    if let Some(challenge) = problem.challenge_to_solve() {
        body["challenge"] = json!(challenge);
    }
    // What the problem says beside its body goes along.
    let (mut parts, _) = problem.into_response().into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, serde_json::to_vec(&body).unwrap_or_default().into())
}

//! `/stackTraceApi` and `/api/v1/errors`: errors of browsers, where the site wants them; limited and scrubbed, one log
//! line each, nothing stored.

use crate::app::App;
use crate::middleware::{Class, Client};
use crate::problem::{Problem, refusals};
use crate::session::read;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::time::Instant;

refusals!(Refused: Csrf, BodyInvalid, BodyTooLarge, BodyTooSlow);

const REPORT_CHARS_MAX: usize = 500;

/// Errors that happened in a browser: one, or a list of them. The answer is 204, unless this browser sends too many.
#[utoipa::path(post, path = "/api/v1/errors", tag = "site", request_body(content = Object), responses((status = 204), Refused))]
pub async fn report(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    app.origins.check_origin(&headers)?;
    app.limit(Class::Report, client)?;
    let bytes = read(body).await?;
    let wanted = crate::site::reports(&app.runtime.catalog()).is_some();
    if !wanted || app.limiter.take(Class::Reports, 0, Instant::now()).is_err() {
        metrics::counter!("browser_reports_dropped_total").increment(1);
        return Ok(StatusCode::NO_CONTENT);
    }
    let given: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let errors = given.as_array().map_or(std::slice::from_ref(&given), Vec::as_slice);
    for error in errors.iter().take(app.settings.limits.errors_per_report) {
        let field = |name: &str| scrubbed(error.get(name).and_then(Value::as_str).unwrap_or_default());
        tracing::warn!(
            message = field("message"),
            source = field("source"),
            stack = field("stack"),
            "error in a browser"
        );
        metrics::counter!("browser_errors_total").increment(1);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// One short line without digits in a row, addresses of people or queries.
fn scrubbed(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let word = word.split(['?', '#']).next().unwrap_or_default();
        let personal = word.contains('@') && !word.starts_with("http");
        if !out.is_empty() {
            out.push(' ');
        }
        match personal {
            true => out.push('…'),
            false => out.push_str(&without_numbers(word)),
        }
        if out.len() >= REPORT_CHARS_MAX {
            break;
        }
    }
    out.chars().take(REPORT_CHARS_MAX).collect()
}

/// Runs of five digits and more may name a person.
fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for part in word.chars().filter(|part| !part.is_control()).chain(['\0']) {
        if part.is_ascii_digit() {
            digits.push(part);
            continue;
        }
        out.push_str(if digits.len() >= 5 { "…" } else { &digits });
        digits.clear();
        if part != '\0' {
            out.push(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_personal_reaches_the_log() {
        assert_eq!(
            scrubbed("Failed for 9876543210 and\n asha@example.org at https://shop/x?request=abc#f line 120"),
            "Failed for … and … at https://shop/x line 120"
        );
        assert_eq!(scrubbed(&"x".repeat(2_000)).len(), REPORT_CHARS_MAX);
    }
}

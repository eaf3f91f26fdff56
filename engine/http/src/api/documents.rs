//! `/api/v1/journeys/{id}/documents/{document}`: files of a journey, always as a download; `paper` is what its step prints.

use super::known_id;
use crate::app::App;
use crate::pages::paper;
use crate::problem::{Problem, refusals};
use crate::visitor::session::Visitor;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

refusals!(NotThere: SignIn, NotFound);

/// A document as an attachment; `paper` is the one that the shown step itself is.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/documents/{document}", tag = "journeys", params(("id" = String, Path), ("document" = String, Path)),
    responses((status = 200, description = "the file", content_type = "*/*"), NotThere))]
pub async fn download(
    State(app): State<App>,
    Path((id, document)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let id = known_id(&id)?;
    if document == engine_runtime::PAPER {
        let (name, bytes) = paper::pdf(&app, &visitor, id).await?;
        return Ok(file(HeaderValue::from_static("application/pdf"), &name, bytes));
    }
    let found = app.runtime.journeys.document(&visitor.actor, id, known_id(&document)?).await;
    let found = found.map_err(|refusal| visitor.refuse(&app, refusal))?;
    let kind = HeaderValue::from_str(&found.media_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    Ok(file(kind, &found.name, found.bytes))
}

pub(super) fn file(kind: HeaderValue, name: &str, bytes: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition(name))], bytes.into()).into_response()
}

/// `attachment` with a plain name for old clients and the full one as RFC 8187 has it.
fn disposition(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|part| if part.is_ascii_alphanumeric() || matches!(part, '.' | '-' | '_' | ' ') { part } else { '_' })
        .take(100)
        .collect();
    let full: String = name
        .bytes()
        .take(300)
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{full}"))
        .unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_header() {
        assert_eq!(
            disposition("a\"b\r\n₹.pdf"),
            "attachment; filename=\"a_b___.pdf\"; filename*=UTF-8''a%22b%0D%0A%E2%82%B9.pdf"
        );
    }
}

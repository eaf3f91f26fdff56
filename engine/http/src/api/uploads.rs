//! `/api/v1/journeys/{id}/uploads`: files that people send with a journey. They come in parts, so that a line that breaks
//! costs one part, and go out as attachments only.

use super::{documents, known_id};
use crate::app::{App, run_to_end};
use crate::json::Word;
use crate::problem::{Code, Problem, refusals};
use crate::visitor::session::{self, ChangeRequest, Visitor};
use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use engine_runtime::{NewUpload, Range, UploadView};
use futures::stream;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

refusals!(NotTaken: changing, SignIn, NotFound, Invalid, Expired, NotPossible);
refusals!(NotReceived: Csrf, BodyInvalid, MediaType, SignIn, NotFound, Expired, NotPossible);
refusals!(NotThere: SignIn, NotFound);

/// A file that is to come.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUploadBody {
    /// What it is a file of: a field of the shown step's form asks for it.
    #[schema(value_type = String, max_length = 200)]
    kind: Word,
    /// Name of the file as its sender calls it.
    name: String,
    /// Bytes.
    size: i64,
    /// Media type as the browser has it; the content decides.
    #[serde(rename = "type", default)]
    media_type: String,
    /// 64 hex digits: what comes must have it.
    #[schema(value_type = Option<String>, max_length = 200)]
    sha256: Option<Word>,
    /// The file in whose place it comes.
    #[schema(value_type = Option<String>, max_length = 200)]
    replaces: Option<Word>,
}

/// Files of a journey, the oldest first.
#[derive(Serialize, ToSchema)]
pub struct UploadList {
    pub uploads: Vec<UploadView>,
}

/// A file will come: where it goes, and in which parts.
#[utoipa::path(post, path = "/api/v1/journeys/{id}/uploads", operation_id = "begin_upload", tag = "journeys", request_body = NewUploadBody, params(("id" = String, Path)),
    responses((status = 201, body = UploadView), NotTaken))]
pub async fn begin(
    State(app): State<App>,
    Path(id): Path<String>,
    change: ChangeRequest<NewUploadBody>,
) -> Result<(StatusCode, Json<UploadView>), Problem> {
    known_id(&id)?;
    let ChangeRequest { visitor, body, .. } = change;
    let NewUploadBody { kind, name, size, media_type, sha256, replaces } = body;
    let replaces = replaces.map(String::from);
    replaces.as_deref().map(known_id).transpose()?;
    let new = NewUpload { kind: kind.into(), name, size, media_type, sha256: sha256.map(String::from), replaces };
    let begun = app.runtime.uploads.open(&visitor.actor, &id, new).await;
    let begun = begun.map_err(|refusal| visitor.refuse(&app, refusal))?;
    Ok((StatusCode::CREATED, Json(begun)))
}

/// The next part of a file, at most `chunk_bytes` of it, with `Content-Range: bytes <first>-<last>/<size>`. One that does
/// not begin at `received` changes nothing; `bytes */<size>` without a body asks how much there is. The answer to the last
/// part says what came of the file, or that it is still looked at.
#[utoipa::path(put, path = "/api/v1/journeys/{id}/uploads/{upload}", operation_id = "receive_upload", tag = "journeys",
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    params(("id" = String, Path), ("upload" = String, Path), ("Content-Range" = String, Header)),
    responses((status = 200, body = UploadView), NotReceived))]
pub async fn receive(
    State(app): State<App>,
    Path((id, upload)): Path<(String, String)>,
    request: Request,
) -> Result<Json<UploadView>, Problem> {
    let (mut parts, body) = request.into_parts();
    app.origins.check(&parts.headers)?;
    known_id(&id)?;
    known_id(&upload)?;
    let range = range(&parts.headers)?;
    let visitor = Visitor::from_request_parts(&mut parts, &app).await?;
    let bytes: Vec<u8> = session::read(body).await?.into();
    let (runtime, actor) = (app.runtime.clone(), visitor.actor.clone());
    let first = range.first.filter(|_| range.len == Some(bytes.len() as i64));
    if range.first.is_some() && first.is_none() {
        return Err(unread("the body is not as long as `Content-Range` says"));
    }
    let range = Range { first, size: range.size };
    let received = async move { Ok(runtime.uploads.receive(&actor, &id, &upload, range, bytes).await) };
    let received = run_to_end::<_, Problem>(received).await?.map_err(|refusal| visitor.refuse(&app, refusal))?;
    Ok(Json(received))
}

/// How far a file is.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/uploads/{upload}", operation_id = "show_upload", tag = "journeys", params(("id" = String, Path), ("upload" = String, Path)),
    responses((status = 200, body = UploadView), NotThere))]
pub async fn show(
    State(app): State<App>,
    Path((id, upload)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Json<UploadView>, Problem> {
    let found = app.runtime.uploads.upload(&visitor.actor, known_id(&id)?, known_id(&upload)?).await;
    Ok(Json(found.map_err(|refusal| visitor.refuse(&app, refusal))?))
}

/// Files of a journey.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/uploads", operation_id = "list_uploads", tag = "journeys", params(("id" = String, Path)),
    responses((status = 200, body = UploadList), NotThere))]
pub async fn list(
    State(app): State<App>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Json<UploadList>, Problem> {
    let found = app.runtime.uploads.uploads(&visitor.actor, known_id(&id)?).await;
    Ok(Json(UploadList { uploads: found.map_err(|refusal| visitor.refuse(&app, refusal))? }))
}

/// Takes a file back, or stops one that is coming; not once it was sent with an answer.
#[utoipa::path(delete, path = "/api/v1/journeys/{id}/uploads/{upload}", operation_id = "remove_upload", tag = "journeys", params(("id" = String, Path), ("upload" = String, Path)),
    responses((status = 204), NotReceived))]
pub async fn remove(
    State(app): State<App>,
    Path((id, upload)): Path<(String, String)>,
    headers: HeaderMap,
    visitor: Visitor,
) -> Result<StatusCode, Problem> {
    app.origins.check(&headers)?;
    known_id(&id)?;
    known_id(&upload)?;
    let (runtime, actor) = (app.runtime.clone(), visitor.actor.clone());
    let removed = async move { Ok(runtime.uploads.remove(&actor, &id, &upload).await) };
    run_to_end::<_, Problem>(removed).await?.map_err(|refusal| visitor.refuse(&app, refusal))?;
    Ok(StatusCode::NO_CONTENT)
}

/// A file as an attachment, as it is kept.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/uploads/{upload}/file", operation_id = "upload_file", tag = "journeys", params(("id" = String, Path), ("upload" = String, Path)),
    responses((status = 200, description = "the file", content_type = "*/*"), NotThere))]
pub async fn file(
    State(app): State<App>,
    Path((id, upload)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    fetch(app, &visitor, known_id(&id)?, known_id(&upload)?, false).await
}

/// A picture in small.
#[utoipa::path(get, path = "/api/v1/journeys/{id}/uploads/{upload}/preview", operation_id = "upload_preview", tag = "journeys", params(("id" = String, Path), ("upload" = String, Path)),
    responses((status = 200, description = "a JPEG", content_type = "image/jpeg"), NotThere))]
pub async fn preview(
    State(app): State<App>,
    Path((id, upload)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    fetch(app, &visitor, known_id(&id)?, known_id(&upload)?, true).await
}

/// What a file of somebody's may do in a browser: nothing.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

async fn fetch(app: App, visitor: &Visitor, id: &str, upload: &str, preview: bool) -> Result<Response, Problem> {
    let found = app.runtime.uploads.file(&visitor.actor, id, upload, preview).await;
    let found = Arc::new(found.map_err(|refusal| visitor.refuse(&app, refusal))?);
    let kind = HeaderValue::from_str(&found.media_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let (name, size) = (found.name.clone(), found.size);
    let uploads = app.runtime.uploads.clone();
    // Part by part: nobody's memory holds a film.
    let parts = stream::try_unfold((uploads, found, 0), |(uploads, found, at)| async move {
        let part = uploads.next(&found, at).await.map_err(std::io::Error::other)?;
        Ok::<_, std::io::Error>(part.map(|part| (part, (uploads, found, at + 1))))
    });
    let mut response = documents::file(kind, &name, Body::from_stream(parts));
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}

struct ByteRange {
    first: Option<i64>,
    len: Option<i64>,
    size: i64,
}

fn unread(detail: &str) -> Problem {
    Problem::new(Code::BodyInvalid).detail(detail)
}

/// `bytes 0-262143/2345678`, or `bytes */2345678`.
fn range(headers: &HeaderMap) -> Result<ByteRange, Problem> {
    let given = headers.get(header::CONTENT_RANGE).and_then(|range| range.to_str().ok());
    let asked =
        given.and_then(parse_range).ok_or_else(|| unread("`Content-Range: bytes <first>-<last>/<size>` is missing"))?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if asked.first.is_some() && !kind.eq_ignore_ascii_case("application/octet-stream") {
        return Err(Problem::new(Code::MediaType).detail("a part of a file is `application/octet-stream`"));
    }
    Ok(asked)
}

fn parse_range(range: &str) -> Option<ByteRange> {
    let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
    let (part, size) = range.strip_prefix("bytes ")?.split_once('/')?;
    let size = number(size)?;
    if part == "*" {
        return Some(ByteRange { first: None, len: None, size });
    }
    let (first, last) = part.split_once('-')?;
    let (first, last) = (number(first)?, number(last)?);
    (first <= last && last < size).then(|| ByteRange { first: Some(first), len: Some(last - first + 1), size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let of = |text: &str| parse_range(text).map(|asked| (asked.first, asked.len, asked.size));
        assert_eq!(of("bytes 0-9/10"), Some((Some(0), Some(10), 10)));
        assert_eq!(of("bytes 5-5/10"), Some((Some(5), Some(1), 10)));
        assert_eq!(of("bytes */10"), Some((None, None, 10)));
        for wrong in ["bytes 0-10/10", "bytes 5-4/10", "bytes -1-4/10", "0-9/10", "bytes 0-9/*", "bytes 0-9/", ""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}

//! `/api/v1/partners/{partner}/return/{state}`: a browser comes back from a partner's page.
//!
//! The state in the address was made by us, is used once and gives no right: what the browser brings is not read,
//! and the answer is a 303 to a page that asks for the session as any other.

use crate::app::{App, run_to_end};
use crate::problem::{Problem, refusals};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_runtime::Refusal;

// What the form holds is not read, but it must arrive.
refusals!(Refused: BodyInvalid);

/// Back from a partner's page.
#[utoipa::path(get, path = "/api/v1/partners/{partner}/return/{state}", tag = "partners", params(("partner" = String, Path), ("state" = String, Path)),
    responses((status = 303, description = "to the journey's page; to the home page when the state is not known")))]
pub async fn back(State(app): State<App>, Path((partner, state)): Path<(String, String)>) -> Result<Response, Problem> {
    let runtime = app.runtime.clone();
    let found = run_to_end(async move {
        match runtime.journeys.receive_return(&partner, &state).await {
            Ok(page) => Ok(Some(page)),
            Err(Refusal::NotFound) => Ok(None),
            Err(other) => Err(other),
        }
    })
    .await?;
    let page = found.as_deref().unwrap_or("/");
    let location = HeaderValue::from_str(page).unwrap_or_else(|_| HeaderValue::from_static("/"));
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response())
}

/// Sends the browser on that a partner sent back with a form.
#[utoipa::path(post, path = "/api/v1/partners/{partner}/return/{state}", operation_id = "back_by_form", tag = "partners", params(("partner" = String, Path), ("state" = String, Path)),
    responses((status = 303, description = "to the journey's page; to the home page when the state is not known"), Refused))]
pub async fn back_by_form(app: State<App>, state: Path<(String, String)>) -> Result<Response, Problem> {
    back(app, state).await
}

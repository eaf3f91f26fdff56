//! `/r/{code}`: a person follows a link from a message.
//!
//! Opening the address (GET) only asks; the button (POST) gives this browser's session the right that the link carries.
//! So programs that open every address of a message (scanners, previews, prefetching) get no session and no right, and
//! nobody lands in another person's journey without wanting to. A browser that may see the journey already goes there
//! at once. Unknown, expired and revoked links are the same page (security rules 11, 16 and 17).

use crate::app::App;
use crate::html::Content;
use crate::pages;
use crate::problem::Problem;
use crate::session::Visitor;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_runtime::{Actor, Grant, Refusal};

/// The page that asks; straight on for a browser that has the right.
pub async fn ask(State(app): State<App>, Path(code): Path<String>, visitor: Result<Visitor, Problem>) -> Response {
    let shown = async {
        let visitor = visitor?;
        let Some(grant) = app.runtime.people.link(&code).await? else { return Ok(over(&app).await) };
        if let Some(page) = page_of(&app, &visitor.actor, &grant).await? {
            return Ok(go(&page));
        }
        let title = app.runtime.people.link_title(&grant).await?;
        let text = format!(
            "This link opens your request “{title}” in this browser. Please go on only if the message was sent to you."
        );
        let content = Content::Confirm { text: &text, label: "Open my request" };
        Ok(pages::document(&app, StatusCode::OK, "Open your request", &content).await)
    };
    private(answer(&app, shown.await).await)
}

/// The button: the right goes to this browser's session, the browser to the journey.
pub async fn follow(
    State(app): State<App>,
    Path(code): Path<String>,
    headers: HeaderMap,
    visitor: Result<Visitor, Problem>,
) -> Response {
    let followed = async {
        let mut visitor = visitor?;
        app.origins.check_origin(&headers)?;
        let Some(grant) = app.runtime.people.link(&code).await? else { return Ok(over(&app).await) };
        visitor.follow(&app, grant.clone()).await?;
        // The step may have moved to where this link does not lead.
        Ok(match page_of(&app, &visitor.actor, &grant).await? {
            Some(page) => visitor.answer(go(&page)),
            None => visitor.answer(over(&app).await),
        })
    };
    private(answer(&app, followed.await).await)
}

async fn page_of(app: &App, actor: &Actor, grant: &Grant) -> Result<Option<String>, Problem> {
    match app.runtime.journeys.page_of(actor, &grant.journey).await {
        Ok(page) => Ok(Some(page)),
        Err(Refusal::NotFound) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

async fn answer(app: &App, result: Result<Response, Problem>) -> Response {
    match result {
        Ok(response) => response,
        Err(problem) => pages::error_page(app, &app.runtime.catalog(), &problem).await,
    }
}

/// Unknown, expired, revoked, or no longer leading anywhere.
async fn over(app: &App) -> Response {
    let text = "It may have expired, or your request has moved on. Please use the newest message that we sent you, or call us.";
    pages::message_page(
        app,
        &app.runtime.catalog(),
        StatusCode::NOT_FOUND,
        "This link does not work any more",
        text,
        pages::HOME,
    )
    .await
}

fn go(page: &str) -> Response {
    let location = HeaderValue::from_str(page).unwrap_or_else(|_| HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}

/// The address is a secret: no other site and no search engine learns of it. (`no-referrer` would hide our own Origin
/// from the button's request.)
pub fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    response
}

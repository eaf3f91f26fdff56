//! `/r/{code}`: a person follows a link from a message.
//!
//! Opening the address (GET) only asks; the button (POST) gives this browser's session the right that the link carries.
//! So programs that open every address of a message (scanners, previews, prefetching) get no session and no right, and
//! nobody lands in another person's journey without wanting to. A browser that may see the journey already goes there
//! at once. Unknown, expired and revoked links are the same page.

use crate::app::App;
use crate::pages::site::{About, Facts};
use crate::pages::{self, Ask};
use crate::problem::Problem;
use crate::visitor::language;
use crate::visitor::session::Visitor;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::Special;
use engine_runtime::{Actor, Grant, Refusal};

/// Path of these pages as far as the frame around them goes: a code is nobody's business.
const PATH: &str = "/r";

/// The page that asks; straight on for a browser that has the right.
pub async fn ask(
    State(app): State<App>,
    Path(code): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    visitor: Result<Visitor, Problem>,
) -> Response {
    if let Some(chosen) = pages::in_language(&app, &headers, uri.path(), uri.query().unwrap_or_default()) {
        return private(chosen);
    }
    let shown = async {
        let visitor = visitor?;
        let Some(grant) = app.runtime.people.link(&code).await? else { return Ok(over(&app, &headers).await) };
        if let Some(page) = page_of(&app, &visitor.actor, &grant).await? {
            return Ok(go(&page));
        }
        let mut facts = Facts::of(&app, PATH, &headers).await;
        let (title, language) =
            app.runtime.people.link_title(&grant, language::chosen_language(&app, &headers)).await?;
        facts.language = language;
        let ask = Ask { app: &app, catalog: &app.runtime.catalog(), facts: &facts };
        let about = About { title: &title, purpose: &grant.purpose, ..About::default() };
        Ok(pages::fallback_page(&ask, StatusCode::OK, Special::Link, about).await)
    };
    private(answer(&app, &headers, shown.await).await)
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
        let Some(grant) = app.runtime.people.link(&code).await? else { return Ok(over(&app, &headers).await) };
        visitor.follow(&app, grant.clone()).await?;
        // The step may have moved to where this link does not lead.
        Ok(match page_of(&app, &visitor.actor, &grant).await? {
            Some(page) => visitor.answer(go(&page)),
            None => visitor.answer(over(&app, &headers).await),
        })
    };
    private(answer(&app, &headers, followed.await).await)
}

async fn page_of(app: &App, actor: &Actor, grant: &Grant) -> Result<Option<String>, Problem> {
    match app.runtime.journeys.page_of(actor, &grant.journey).await {
        Ok(page) => Ok(Some(page)),
        Err(Refusal::NotFound) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

async fn answer(app: &App, headers: &HeaderMap, result: Result<Response, Problem>) -> Response {
    match result {
        Ok(response) => response,
        Err(problem) => pages::error_page(app, PATH, headers, &problem).await,
    }
}

/// Unknown, expired, revoked, or no longer leading anywhere.
async fn over(app: &App, headers: &HeaderMap) -> Response {
    let facts = Facts::of(app, PATH, headers).await;
    let ask = Ask { app, catalog: &app.runtime.catalog(), facts: &facts };
    pages::special(&ask, StatusCode::NOT_FOUND, Special::LinkOver, None).await
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

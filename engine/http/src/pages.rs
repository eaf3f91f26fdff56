//! Every address that is not the API: files of the web app, journeys' pages, content pages, redirects, not found.
//!
//! Order: file of the app, static name that is missing (plain 404), attribution out of the address, redirect of the
//! site, page of a workflow, page of the site, not found. No line is known here: bases and pages are definitions.

use crate::app::{App, run_to_end};
use crate::assets::Assets;
use crate::attribution;
use crate::gallery;
use crate::html::{self, Body, Content, Page};
use crate::middleware::Client;
use crate::posted;
use crate::problem::Problem;
use crate::session::Visitor;
use crate::site;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::Catalog;
use engine_runtime::{Opened, Refusal};
use serde_json::{Map, Value};

const NOT_FOUND: &str = "Oops! We can't seem to find the page you're looking for.";
/// Where a page without a way on leads: label and address.
pub const HOME: (&str, &str) = ("Go to the home page", "/");
const TOO_MANY: &str = "Too many requests came from your network. Please try again in a minute.";
const UNAVAILABLE: &str = "We are working on this page. Please try again in a few minutes.";

/// The fallback of the router.
pub async fn page(State(app): State<App>, Extension(client): Extension<Client>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if parts.method == Method::POST && posted::is_form(&parts.headers) {
        return posted::first(&app, client, &parts, body).await;
    }
    if parts.method != Method::GET && parts.method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    if let Some(file) = app.assets.serve(path, &parts.headers) {
        return file;
    }
    if Assets::is_static(path) {
        return (StatusCode::NOT_FOUND, "not found").into_response();
    }
    let query = parts.uri.query().unwrap_or_default();
    let split = attribution::split(query);
    let mut came_from = attribution::referrer(&app, &parts.headers);
    if !split.found.is_empty() {
        came_from.extend(split.found);
        let response = redirect(StatusCode::FOUND, &with_query(path, &split.rest));
        return remembering(&app, &parts.headers, came_from, response);
    }
    // Opening the page of an earlier step goes back to it: nothing that a browser should do ahead of the person.
    if parts.headers.get("sec-purpose").is_some_and(|purpose| purpose.as_bytes().starts_with(b"prefetch")) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let catalog = app.runtime.catalog();
    if let Some(rule) = catalog.site().redirects.iter().find(|rule| rule.from == path) {
        return redirect(StatusCode::from_u16(rule.status).unwrap_or(StatusCode::FOUND), &with_query(&rule.to, query));
    }
    // One address per page: without a slash at its end.
    let plain = path.trim_end_matches('/');
    let visitor = Visitor::of(&app, &parts.headers, client);
    let response = match journey_page(&app, &catalog, visitor, plain, query).await {
        Some(Ok(response)) => response,
        Some(Err(problem)) => error_page(&app, &catalog, &problem).await,
        None => match gallery::page(&app, &catalog, plain).await {
            Some(response) => response,
            None => content_page(&app, &catalog, if plain.is_empty() { "/" } else { plain }).await,
        },
    };
    remembering(&app, &parts.headers, came_from, response)
}

/// The answer, with the cookie of what brought a visitor here: it is for nobody else.
fn remembering(app: &App, headers: &HeaderMap, came_from: Map<String, Value>, mut response: Response) -> Response {
    if came_from.is_empty() {
        return response;
    }
    if let Some(cookie) = attribution::remember(&app.runtime, headers, came_from) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// A workflow's page; `None` when no workflow lives here.
async fn journey_page(
    app: &App,
    catalog: &Catalog,
    visitor: impl Future<Output = Result<Visitor, Problem>>,
    path: &str,
    query: &str,
) -> Option<Result<Response, Problem>> {
    let (base, rest) = bases(path).find(|(base, _)| catalog.by_base(base).is_some())?;
    let workflow = catalog.by_base(base)?.clone();
    let rest = rest.trim_start_matches('/');
    let known = rest.is_empty() || workflow.aliases.contains_key(rest) || workflow.step_by_path(rest).next().is_some();
    // Content may live below a workflow's base.
    if !known || (!rest.is_empty() && !workflow.aliases.contains_key(rest) && catalog.site().page(path).is_some()) {
        return None;
    }
    let journey = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "request" || name == "leadId")
        .map(|(_, id)| id.into_owned());
    // A step without its journey: back to where it starts.
    if journey.is_none() && !rest.is_empty() {
        return Some(Ok(redirect(StatusCode::FOUND, &with_query(base, query))));
    }
    let visitor = match visitor.await {
        Ok(visitor) => visitor,
        Err(problem) => return Some(Err(problem)),
    };
    Some(match journey {
        Some(id) => opened(app, catalog, &visitor, base, &id, rest).await,
        None => first(app, catalog, &visitor, &workflow.id).await,
    })
}

/// Looking at it stores nothing: a session is made when something is written.
async fn first(app: &App, catalog: &Catalog, visitor: &Visitor, workflow: &str) -> Result<Response, Problem> {
    let view = app.runtime.journeys.preview(workflow, &visitor.actor).await?;
    Ok(step_page(app, catalog, StatusCode::OK, Content::First(&view)).await)
}

/// The page of a journey: here, elsewhere, or the same words for what is not there and what is not this visitor's.
async fn opened(
    app: &App,
    catalog: &Catalog,
    visitor: &Visitor,
    base: &str,
    id: &str,
    path: &str,
) -> Result<Response, Problem> {
    let (runtime, actor) = (app.runtime.clone(), visitor.actor.clone());
    let (journey, page) = (id.to_owned(), path.to_owned());
    let result = run_to_end(async move {
        match runtime.journeys.open_path(&actor, &journey, &page).await {
            Ok(opened) => Ok(Ok(opened)),
            Err(refusal @ (Refusal::NotFound | Refusal::Expired { .. })) => Ok(Err(refusal)),
            Err(other) => Err(other),
        }
    })
    .await?;
    Ok(match result {
        // An id of another workflow belongs under that one's base.
        Ok(Opened::Here(view)) if view.journey.base != base => redirect(StatusCode::FOUND, &view.step.url),
        Ok(Opened::Here(view)) => step_page(app, catalog, StatusCode::OK, Content::Step(&view)).await,
        Ok(Opened::Elsewhere(url)) => redirect(StatusCode::FOUND, &url),
        // Not yours and not there look the same (security rule 11).
        Err(Refusal::Expired { .. }) => {
            let text = "Nobody went on with it for a while. Please start again: it takes a few minutes.";
            let title = "This request has expired";
            message_page(app, catalog, StatusCode::GONE, title, text, ("Start again", base)).await
        }
        Err(_) => {
            let text = "It may have been opened on another device or browser. You can start again here.";
            let title = "We cannot find this request";
            message_page(app, catalog, StatusCode::NOT_FOUND, title, text, ("Start again", base)).await
        }
    })
}

/// The page of a step, begun or not.
pub async fn step_page(app: &App, catalog: &Catalog, status: StatusCode, content: Content<'_>) -> Response {
    let Some(view) = content.step() else { return not_found(app, catalog).await };
    let title = if view.step.title.is_empty() { view.journey.title.clone() } else { view.step.title.clone() };
    let first = view.journey.id.is_none();
    let landing = if first { site::page(catalog, &view.journey.base, app.runtime.now_ms()) } else { None };
    let mut hide = view.step.hide.clone();
    let described = landing.unwrap_or_default();
    hide.extend(described.hide.into_iter().filter(|part| !view.step.hide.contains(part)));
    let canonical = first.then(|| html::canonical(&app.settings.public_url(), &view.journey.base)).flatten();
    let title = if described.title.is_empty() { title } else { described.title };
    let page = Page { title, description: described.description, hide, noindex: !first, canonical };
    html_response(status, whole(app, catalog, &page, &content, &view.journey.language).await.0)
}

async fn content_page(app: &App, catalog: &Catalog, path: &str) -> Response {
    let Some(found) = site::page(catalog, path, app.runtime.now_ms()) else { return not_found(app, catalog).await };
    let canonical = html::canonical(&app.settings.public_url(), path);
    let page = Page { title: found.title, description: found.description, hide: found.hide, noindex: false, canonical };
    let (text, drawn) = whole(app, catalog, &page, &Content::Blocks(&found.blocks), "en").await;
    let mut response = html_response(StatusCode::OK, text);
    if drawn {
        // The same for everybody.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=60"));
    }
    response
}

/// The document, and whether its body was drawn.
async fn whole(app: &App, catalog: &Catalog, page: &Page, content: &Content<'_>, language: &str) -> (String, bool) {
    let build = app.assets.build();
    let site = site::surroundings(catalog);
    let drawn = match &build.drawing {
        Some(bundle) => {
            app.draw.html(bundle, &html::drawing(site, page, content, &site::today(app.runtime.now_ms()))).await
        }
        None => None,
    };
    let about = site::app_site(catalog, &app.settings, &page.hide);
    let body = Body { drawn: drawn.as_deref(), site: about, language };
    (html::document(site, page, content, body, &build.entry), drawn.is_some())
}

/// R2.1-24.
async fn not_found(app: &App, catalog: &Catalog) -> Response {
    message_page(app, catalog, StatusCode::NOT_FOUND, "Page not found", NOT_FOUND, HOME).await
}

/// R2.1-25, R2.1-27: readable, no-index, with the status of the problem.
pub async fn error_page(app: &App, catalog: &Catalog, problem: &Problem) -> Response {
    match StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        StatusCode::NOT_FOUND => not_found(app, catalog).await,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => refused(problem),
        status => {
            let text = "Please try again. What you have entered so far is saved.";
            message_page(app, catalog, status, "Something Went Wrong", text, HOME).await
        }
    }
}

/// The page of an outage, of overload, of anything that was refused before it was looked at; needs nothing that could
/// be missing.
pub fn refused(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let (title, text) = match status {
        StatusCode::SERVICE_UNAVAILABLE => ("Back soon", UNAVAILABLE),
        StatusCode::TOO_MANY_REQUESTS => ("One moment, please", TOO_MANY),
        _ => ("Something Went Wrong", "Please try again."),
    };
    let mut response = html_response(status, html::bare(title, text));
    if let Some(seconds) = problem.retry_after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

pub async fn message_page(
    app: &App,
    catalog: &Catalog,
    status: StatusCode,
    title: &str,
    text: &str,
    next: (&str, &str),
) -> Response {
    let blocks = [
        serde_json::json!({"block": "text", "text": text, "size": "lead"}),
        serde_json::json!({"block": "links", "items": [{"label": next.0, "href": next.1}]}),
    ];
    page_with(app, catalog, status, title, &Content::Blocks(&blocks)).await
}

/// A page of its own, which no search engine keeps.
pub async fn document(app: &App, status: StatusCode, title: &str, content: &Content<'_>) -> Response {
    page_with(app, &app.runtime.catalog(), status, title, content).await
}

async fn page_with(app: &App, catalog: &Catalog, status: StatusCode, title: &str, content: &Content<'_>) -> Response {
    let page = Page { title: title.into(), noindex: true, ..Page::default() };
    html_response(status, whole(app, catalog, &page, content, "en").await.0)
}

fn html_response(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

pub fn redirect(status: StatusCode, to: &str) -> Response {
    let location = html::safe_url(to)
        .and_then(|to| HeaderValue::from_str(to).ok())
        .unwrap_or_else(|| HeaderValue::from_static("/"));
    (status, [(header::LOCATION, location)]).into_response()
}

fn with_query(path: &str, query: &str) -> String {
    match (query.is_empty(), path.contains('?')) {
        (true, _) => path.to_owned(),
        (false, false) => format!("{path}?{query}"),
        (false, true) => format!("{path}&{query}"),
    }
}

/// `/a/b/c` → (`/a/b/c`, ``), (`/a/b`, `/c`), (`/a`, `/b/c`): the longest base first.
pub fn bases(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends = path
        .char_indices()
        .filter(|(at, part)| *part == '/' && *at > 0)
        .map(|(at, _)| at)
        .chain([path.len()])
        .collect::<Vec<_>>();
    ends.into_iter().rev().filter(|end| *end > 0).map(|end| path.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_base_comes_first() {
        let found: Vec<_> = bases("/a/b/c").collect();
        assert_eq!(found, [("/a/b/c", ""), ("/a/b", "/c"), ("/a", "/b/c")]);
        assert_eq!(bases("").count(), 0);
        assert_eq!(with_query("/x?a=1", "b=2"), "/x?a=1&b=2");
    }
}

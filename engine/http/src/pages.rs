//! Every address that is not the API: files of the web app, journeys' pages, content pages, redirects, not found.
//!
//! Order: file of the app, static name that is missing (plain 404), attribution out of the address, redirect of the
//! site, page of a workflow, page of the site, not found. No line is known here: bases and pages are definitions.

use crate::app::{App, run_to_end};
use crate::assets::Assets;
use crate::attribution;
use crate::html::{self, Content, Page};
use crate::problem::Problem;
use crate::session::Visitor;
use crate::site;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::Catalog;
use engine_runtime::view::StepView;
use engine_runtime::{Opened, Refusal};

const NOT_FOUND: &str = "Oops! We can't seem to find the page you're looking for.";
/// Where a page without a way on leads: label and address.
pub const HOME: (&str, &str) = ("Go to the home page", "/");
const UNAVAILABLE: &str = "We are working on this page. Please try again in a few minutes.";

/// The fallback of the router.
pub async fn page(State(app): State<App>, mut visitor: Visitor, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let path = parts.uri.path();
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
    if !split.found.is_empty() {
        let mut response = redirect(StatusCode::FOUND, &with_query(path, &split.rest));
        if let Some(cookie) = attribution::remember(&parts.headers, split.found) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        return response;
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
    match journey_page(&app, &catalog, &mut visitor, plain, query).await {
        Some(Ok(response)) => visitor.answer(response),
        Some(Err(problem)) => error_page(&app, &catalog, &problem),
        None => content_page(&app, &catalog, if plain.is_empty() { "/" } else { plain }),
    }
}

/// A workflow's page; `None` when no workflow lives here.
async fn journey_page(
    app: &App,
    catalog: &Catalog,
    visitor: &mut Visitor,
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
    Some(match journey {
        Some(id) => opened(app, catalog, visitor, base, &id, rest).await,
        None if rest.is_empty() => first(app, catalog, visitor, &workflow.id).await,
        // A step without its journey: back to where it starts.
        None => Ok(redirect(StatusCode::FOUND, &with_query(base, query))),
    })
}

async fn first(app: &App, catalog: &Catalog, visitor: &mut Visitor, workflow: &str) -> Result<Response, Problem> {
    visitor.open(app).await?;
    let view = app.runtime.preview(workflow, &visitor.actor).await?;
    Ok(step_page(app, catalog, &view))
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
        match runtime.open_path(&actor, &journey, &page).await {
            Ok(opened) => Ok(Ok(opened)),
            Err(refusal @ (Refusal::NotFound | Refusal::Expired { .. })) => Ok(Err(refusal)),
            Err(other) => Err(other),
        }
    })
    .await?;
    Ok(match result {
        // An id of another workflow belongs under that one's base.
        Ok(Opened::Here(view)) if view.journey.base != base => redirect(StatusCode::FOUND, &view.step.url),
        Ok(Opened::Here(view)) => step_page(app, catalog, &view),
        Ok(Opened::Elsewhere(url)) => redirect(StatusCode::FOUND, &url),
        // Not yours and not there look the same (security rule 11).
        Err(Refusal::Expired { .. }) => {
            let text = "Nobody went on with it for a while. Please start again: it takes a few minutes.";
            message_page(app, catalog, StatusCode::GONE, "This request has expired", text, ("Start again", base))
        }
        Err(_) => {
            let text = "It may have been opened on another device or browser. You can start again here.";
            message_page(
                app,
                catalog,
                StatusCode::NOT_FOUND,
                "We cannot find this request",
                text,
                ("Start again", base),
            )
        }
    })
}

fn step_page(app: &App, catalog: &Catalog, view: &StepView) -> Response {
    let title = if view.step.title.is_empty() { view.journey.title.clone() } else { view.step.title.clone() };
    let first = view.journey.id.is_none();
    let landing = if first { site::page(catalog, &view.journey.base, app.runtime.now_ms()) } else { None };
    let mut hide = view.step.hide.clone();
    let described = landing.unwrap_or_default();
    hide.extend(described.hide.into_iter().filter(|part| !view.step.hide.contains(part)));
    let canonical = first.then(|| html::canonical(&app.settings.public_url(), &view.journey.base)).flatten();
    let title = if described.title.is_empty() { title } else { described.title };
    let page = Page { title, description: described.description, hide, noindex: !first, canonical };
    let text = html::document(
        &site::chrome(catalog, &app.settings),
        &page,
        &Content::Step(view),
        &app.assets.entry(),
        &view.journey.language,
    );
    html_response(StatusCode::OK, text)
}

fn content_page(app: &App, catalog: &Catalog, path: &str) -> Response {
    let Some(found) = site::page(catalog, path, app.runtime.now_ms()) else { return not_found(app, catalog) };
    let canonical = html::canonical(&app.settings.public_url(), path);
    let page = Page { title: found.title, description: found.description, hide: found.hide, noindex: false, canonical };
    let text = html::document(
        &site::chrome(catalog, &app.settings),
        &page,
        &Content::Blocks(&found.blocks),
        &app.assets.entry(),
        "en",
    );
    let mut response = html_response(StatusCode::OK, text);
    // The same for everybody.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=60"));
    response
}

/// R2.1-24.
fn not_found(app: &App, catalog: &Catalog) -> Response {
    message_page(app, catalog, StatusCode::NOT_FOUND, "Page not found", NOT_FOUND, HOME)
}

/// R2.1-25, R2.1-27: readable, no-index, with the status of the problem.
pub fn error_page(app: &App, catalog: &Catalog, problem: &Problem) -> Response {
    match StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        StatusCode::NOT_FOUND => not_found(app, catalog),
        status if status == StatusCode::SERVICE_UNAVAILABLE => unavailable(),
        status => message_page(
            app,
            catalog,
            status,
            "Something Went Wrong",
            "Please try again. What you have entered so far is saved.",
            HOME,
        ),
    }
}

/// The page of an outage; needs nothing that could be missing.
pub fn unavailable() -> Response {
    let mut response = html_response(StatusCode::SERVICE_UNAVAILABLE, html::bare("Back soon", UNAVAILABLE));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
    response
}

pub fn message_page(
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
    page_with(app, catalog, status, title, &Content::Blocks(&blocks))
}

/// A page of its own, which no search engine keeps.
pub fn document(app: &App, status: StatusCode, title: &str, content: &Content) -> Response {
    page_with(app, &app.runtime.catalog(), status, title, content)
}

fn page_with(app: &App, catalog: &Catalog, status: StatusCode, title: &str, content: &Content) -> Response {
    let page = Page { title: title.into(), noindex: true, ..Page::default() };
    html_response(
        status,
        html::document(&site::chrome(catalog, &app.settings), &page, content, &app.assets.entry(), "en"),
    )
}

fn html_response(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

fn redirect(status: StatusCode, to: &str) -> Response {
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
fn bases(path: &str) -> impl Iterator<Item = (&str, &str)> {
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

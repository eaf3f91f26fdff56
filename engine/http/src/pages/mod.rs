//! Every address that is not the API: files of the web app, journeys' pages, content pages, redirects, not found.
//!
//! Order: file of the app, static name that is missing (plain 404), what robots read, attribution out of the address,
//! redirect of the site, page of a workflow, page of the site, not found. No line is known here: bases and pages are
//! definitions.

pub mod assets;
pub mod cache;
pub mod card;
pub mod gallery;
pub mod html;
pub mod links;
pub mod openid;
pub mod paper;
pub mod passes;
pub mod posted;
pub mod reference;
pub mod remote;
pub mod site;
pub mod sitemap;

use crate::app::App;
use crate::connection::middleware::{Client, requested_host};
use crate::endpoints;
use crate::pages::assets::Assets;
use crate::pages::cache::{Cacheable, Key, unless_known};
use crate::pages::html::{Body, Content, Page, PersonalPage};
use crate::pages::site::{About, Facts, ResolvedPage};
use crate::problem::Problem;
use crate::visitor::attribution;
use crate::visitor::language;
use crate::visitor::session::Visitor;
use crate::visitor::start::preview;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use engine_definitions::{Around, Attribution, Catalog, Serves, SignIn, Special, Step, StepKind, Who, Workflow};
use engine_runtime::{Opened, RecordPage, Refusal, StepView};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// Label and address to which a page without a way on leads.
pub const HOME: (&str, &str) = ("Go to the home page", "/");
/// Below it each partner's style sheet.
const THEMES: &str = "/themes/";
/// How long browsers and caches keep a content page.
const CONTENT: &str = "max-age=60";
const TOO_MANY: &str = "Too many requests came from your network. Please try again in a minute.";

/// The fallback of the router.
pub async fn page(State(app): State<App>, Extension(client): Extension<Client>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if let Some(code) = parts.uri.query().and_then(passes::code) {
        return passes::answer(&app, client, &parts, code).await;
    }
    if parts.method == Method::POST && posted::is_form(&parts.headers) {
        return posted::first(&app, client, &parts, body).await;
    }
    if parts.method != Method::GET && parts.method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    if let Some(file) = app.assets.serve(path, &parts.headers) {
        return file;
    }
    if let Some(style) = path.strip_prefix(THEMES).and_then(|slug| theme(&app.runtime.catalog(), slug)) {
        return style;
    }
    if let Some(of) = card::page_of(path) {
        return card::answer(&app, of).await;
    }
    let catalog = app.runtime.catalog();
    let serves = catalog.site("").serves(&requested_host(&parts.headers));
    if Assets::is_static(path) || serves == Serves::Files {
        return (StatusCode::NOT_FOUND, "not found").into_response();
    }
    if let Some(text) = for_robots(&app, &catalog, path, serves) {
        return text;
    }
    let query = parts.uri.query().unwrap_or_default();
    if let Some(chosen) = in_language(&app, &parts.headers, path, query) {
        return chosen;
    }
    if let Some(led) = out_of_folder(&catalog, path, query).or_else(|| to_call(&catalog, path, query)) {
        return led;
    }
    let channels = &catalog.site("").channels;
    let split = attribution::split(channels, query);
    let is_said = !split.said.is_empty();
    let mut said = split.said;
    said.extend(attribution::referrer(&app, channels, &parts.headers));
    // One address per page: without a slash at its end.
    let mut facts = Facts::of(&app, path, &parts.headers).await;
    let is_new = facts.arrive(&catalog, &said, app.runtime.now_ms());
    let came = is_new.then(|| facts.came.clone());
    if is_said {
        return set_attribution_cookie(&app, came, redirect(StatusCode::FOUND, &with_query(path, &split.rest)));
    }
    if let Some((to, status, passes)) = resolve_redirect(&catalog, &facts, query) {
        let led = if passes { passes::along(&app, &parts.headers, &to).await } else { Ok(to) };
        return match led {
            Ok(to) => set_attribution_cookie(&app, came, redirect(status, &to)),
            Err(problem) => problem_page(&Ask { app: &app, catalog: &catalog, facts: &facts }, &problem).await,
        };
    }
    if accepts_json(&parts.headers)
        && let Some(answer) = site::calculator(&catalog, &facts, query, app.runtime.now_ms())
    {
        return ([(header::CACHE_CONTROL, "no-store"), (header::VARY, "accept")], Json(answer)).into_response();
    }
    let (key, build) = (Key::of(&facts, query, &parts.headers), app.assets.build());
    if let Some(kept) = key.as_ref().and_then(|key| app.kept.find(&catalog, &build, key)) {
        let kept = unless_known(&parts.headers, kept);
        return set_attribution_cookie(&app, came, keep_language(&app, &facts, &parts.headers, kept));
    }
    let ask = Ask { app: &app, catalog: &catalog, facts: &facts };
    let mut response = route_page(&ask, || Visitor::of(&app, &parts.headers, client), query).await;
    if let Some(key) = key {
        let accepts = parts.headers.get(header::ACCEPT_ENCODING);
        response = app.kept.keep(&catalog, &build, (key, accepts), response).await;
        response = unless_known(&parts.headers, response);
    }
    set_attribution_cookie(&app, came, keep_language(&app, &facts, &parts.headers, response))
}

/// Who reads a page at an address that speaks another language goes on in it.
fn keep_language(app: &App, facts: &Facts, headers: &HeaderMap, mut response: Response) -> Response {
    let other = facts.spoken.as_deref().filter(|spoken| *spoken != language::of(app, headers));
    if let Some(cookie) = other.filter(|_| response.status() == StatusCode::OK).and_then(language::keep) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The page's own script asks for what follows from other answers, and not for the page around it.
fn accepts_json(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accepts| accepts.as_bytes() == b"application/json")
}

/// The answer to an address that chooses a language.
pub fn in_language(app: &App, headers: &HeaderMap, path: &str, query: &str) -> Option<Response> {
    let (rest, chosen) = language::choice(app, headers, path, query)?;
    let catalog = app.runtime.catalog();
    // A page that is always in one language stands elsewhere in the others.
    let plain = path.trim_end_matches('/');
    let here = catalog.site("").address(plain).filter(|here| here.language(plain).is_some());
    let to = here.zip(chosen.as_deref()).map_or(path, |(here, chosen)| here.spoken(chosen));
    let mut response = redirect(StatusCode::FOUND, &with_query(to, &rest));
    let cookie = chosen.as_deref().and_then(language::keep);
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    Some(response)
}

/// The answer to another address of a call: all that a program says goes along, also what is said of a visitor elsewhere.
fn to_call(catalog: &Catalog, path: &str, query: &str) -> Option<Response> {
    let (to, rule) = catalog.site("").redirect(path.trim_end_matches('/'))?;
    let status = StatusCode::from_u16(rule.status).unwrap_or(StatusCode::FOUND);
    to.starts_with("/api/").then(|| redirect(status, &with_query(&to, query)))
}

/// The answer in the folder of a language to an address of a page that does not stand there: the page, which is read in
/// that language from now on.
fn out_of_folder(catalog: &Catalog, path: &str, query: &str) -> Option<Response> {
    let (site, plain) = (catalog.site(""), path.trim_end_matches('/'));
    let (language, rest) = site.folder_of(plain).filter(|_| site.address(plain).is_none())?;
    if site.address(rest).is_none() && workflow_at(catalog, rest).is_none() {
        return None;
    }
    let mut response = redirect(StatusCode::FOUND, &with_query(rest, query));
    response.headers_mut().extend(language::keep(language).map(|cookie| (header::SET_COOKIE, cookie)));
    Some(response)
}

/// The page of an address that leads nowhere else.
async fn route_page<V>(ask: &Ask<'_>, visitor: impl Fn() -> V, query: &str) -> Response
where
    V: Future<Output = Result<Visitor, Problem>>,
{
    let answer = match journey_page(ask, visitor(), query).await {
        Some(answer) => answer,
        None => match fixed_page(ask).await {
            Some(response) => Ok(response),
            None if is_own(ask) => own_page(ask, visitor(), query).await,
            None => Ok(content_page(ask, query).await),
        },
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(problem) => problem_page(ask, &problem).await,
    };
    if ask.catalog.site("").serves(&ask.facts.host) == Serves::Hidden {
        response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex"));
    }
    response
}

/// Pages that are not the site's.
async fn fixed_page(ask: &Ask<'_>) -> Option<Response> {
    match paper::page(ask).await {
        Some(response) => Some(response),
        None => gallery::page(ask).await,
    }
}

/// Target of an address that is no page, or none for this visitor; and whether the session goes along.
fn resolve_redirect(catalog: &Catalog, facts: &Facts, query: &str) -> Option<(String, StatusCode, bool)> {
    let site = catalog.site(&facts.language);
    let says = |name: &str| {
        let said = url::form_urlencoded::parse(query.as_bytes()).find(|(said, _)| said == name);
        said.map(|(_, value)| url::form_urlencoded::byte_serialize(value.as_bytes()).collect())
    };
    if let Some((to, rule)) = site.redirect(&facts.path).or_else(|| site.redirect_by(&facts.path, &says)) {
        let status = StatusCode::from_u16(rule.status).unwrap_or(StatusCode::FOUND);
        return Some((with_query(&to, query), status, rule.passes));
    }
    if let Some(to) = site.gate(&facts.path, &facts.roles) {
        return Some((to.to_owned(), StatusCode::FOUND, false));
    }
    let partner = facts.partner(catalog)?;
    if facts.path == HOME.1 {
        return site.home_of(partner).map(|home| (home, StatusCode::FOUND, false));
    }
    let product = site.product(&facts.path).map(|product| product.id.as_str());
    // What somebody has begun stays theirs, whoever sends them today.
    let is_elsewhere = !partner.offers(product) && journey_of(Some(query)).is_none();
    is_elsewhere.then(|| (site.start_of(partner), StatusCode::FOUND, false))
}

/// The answer, with the cookie of what brought a visitor here: it is for nobody else.
pub fn set_attribution_cookie(app: &App, came: Option<Attribution>, mut response: Response) -> Response {
    if let Some(cookie) = came.and_then(|came| attribution::remember(&app.runtime, came)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// A page that is asked for.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub app: &'a App,
    pub catalog: &'a Catalog,
    pub facts: &'a Facts,
}

/// A partner's looks: tokens of the design system with values of their own.
fn theme(catalog: &Catalog, slug: &str) -> Option<Response> {
    let partner = catalog.site("").channels.partners().find(|partner| partner.slug == slug)?;
    let headers = [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "public, max-age=60")];
    Some((headers, partner.theme.style()).into_response())
}

fn for_robots(app: &App, catalog: &Catalog, path: &str, serves: Serves) -> Option<Response> {
    let public = app.settings.public_url();
    let (kind, text) = match path {
        "/robots.txt" if serves == Serves::Hidden => {
            ("text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n".into())
        }
        "/robots.txt" => ("text/plain; charset=utf-8", site::robots(&public)),
        _ => ("application/xml", sitemap::file(catalog, &public, path)?),
    };
    Some(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=3600")], text).into_response())
}

/// The workflow whose page this address is, and the page below its base.
pub fn workflow_at<'a>(catalog: &Catalog, path: &'a str) -> Option<(Arc<Workflow>, &'a str)> {
    let (base, rest) = bases(path).find(|(base, _)| catalog.by_base(base).is_some())?;
    let (workflow, rest) = (catalog.by_base(base)?.clone(), rest.trim_start_matches('/'));
    let known = rest.is_empty() || workflow.step_by_path(rest).next().is_some();
    known.then_some((workflow, rest))
}

/// The journey that an address names (R2.1-16).
pub fn journey_of(query: Option<&str>) -> Option<String> {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .find(|(name, _)| name == "request" || name == "leadId")
        .map(|(_, id)| id.into_owned())
}

/// A workflow's page; `None` when no workflow lives here.
async fn journey_page(
    ask: &Ask<'_>,
    visitor: impl Future<Output = Result<Visitor, Problem>>,
    query: &str,
) -> Option<Result<Response, Problem>> {
    // A further address of a first page is described beside its title.
    let described = ask.catalog.site(&ask.facts.language).address(&ask.facts.path).map(|address| address.path.clone());
    let path = described.as_ref().unwrap_or(&ask.facts.path);
    let (workflow, rest) = workflow_at(ask.catalog, path)?;
    let mut visitor = match visitor.await {
        Ok(visitor) => visitor,
        Err(problem) => return Some(Err(problem)),
    };
    if let Some(id) = journey_of(Some(query)) {
        return Some(journey_page_of(ask, &visitor, &workflow, &id, rest).await);
    }
    visitor.actor.language.clone_from(&ask.facts.language);
    Some(first(ask, &visitor, &workflow, rest, query).await)
}

/// A page of a workflow without a journey: its first form, or, where a form would be no answer, a word of safety.
/// Looking at it stores nothing: a session is made when something is written.
async fn first(
    ask: &Ask<'_>,
    visitor: &Visitor,
    workflow: &Workflow,
    rest: &str,
    query: &str,
) -> Result<Response, Problem> {
    let asks =
        |step: &Step| matches!(step.kind, StepKind::Form | StepKind::Choice | StepKind::Comparison | StepKind::Upload);
    if !rest.is_empty() && !workflow.step_by_path(rest).any(asks) {
        return Ok(special(ask, StatusCode::OK, Special::Without, Some(workflow)).await);
    }
    let mut view = preview(ask.app, &visitor.actor, &workflow.id, &ask.facts.came).await?;
    if workflow.signs_in == Some(SignIn::Staff) {
        openid::offer(ask.app, &mut view);
    }
    choose(ask.catalog, &mut view, query);
    Ok(step_page(ask, StatusCode::OK, Content::First(&view)).await)
}

/// Makes the choices of a first form that its address names, as `?insured_for=parents`: those that the form offers, and
/// none that is personal or that everybody makes anew.
fn choose(catalog: &Catalog, view: &mut StepView, query: &str) {
    let Some(part) = view.step.form.as_mut().filter(|_| !query.is_empty()) else { return };
    let Some(form) = catalog.form(&part.id) else { return };
    let chosen = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
        let rule = part.schema.get("properties")?.get(&*name)?;
        let offered = rule.get("oneOf").or_else(|| rule.get("enum"))?.as_array()?;
        let mut offered = offered.iter().map(|choice| choice.get("const").unwrap_or(choice));
        let choice =
            offered.find(|choice| choice.as_str().map_or(choice.to_string() == value, |text| text == value))?;
        let is_personal = form.personal().any(|(personal, _)| personal == name);
        (!is_personal).then(|| (name.into_owned(), choice.clone()))
    };
    let chosen = url::form_urlencoded::parse(query.as_bytes()).filter_map(chosen).collect();
    if let (Value::Object(data), Value::Object(chosen)) = (&mut part.data, form.answers_for_anew(chosen)) {
        data.extend(chosen);
    }
}

/// The page of a journey: its current step, elsewhere, or the same words for what is not there and what is not this
/// visitor's. Opening a page changes nothing.
async fn journey_page_of(
    ask: &Ask<'_>,
    visitor: &Visitor,
    workflow: &Workflow,
    id: &str,
    path: &str,
) -> Result<Response, Problem> {
    Ok(match ask.app.runtime.journeys.open_path(&visitor.actor, id, path).await {
        // An id of another workflow belongs under that one's base.
        Ok(Opened::Here(view) | Opened::Elsewhere(view)) if view.journey.base != workflow.base => {
            redirect(StatusCode::FOUND, &view.step.url)
        }
        Ok(Opened::Here(mut view) | Opened::Elsewhere(mut view)) => {
            ask.app.work_ahead(&visitor.actor, visitor.client, &mut view).await;
            step_page(ask, StatusCode::OK, Content::Step(&view)).await
        }
        // R9-39: a fresh journey is offered, with the answers of the one that has expired.
        Err(Refusal::Expired { .. }) => special(ask, StatusCode::OK, Special::Expired, Some(workflow)).await,
        Err(Refusal::NotFound) => special(ask, StatusCode::NOT_FOUND, Special::Gone, Some(workflow)).await,
        Err(other) => return Err(other.into()),
    })
}

/// The page of a step, begun or not.
pub async fn step_page(ask: &Ask<'_>, status: StatusCode, content: Content<'_>) -> Response {
    let Some(view) = content.step() else { return special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await };
    let Ask { app, catalog, facts } = *ask;
    let title = if view.step.title.is_empty() { view.journey.title.clone() } else { view.step.title.clone() };
    let is_first = view.journey.id.is_none();
    let base = &view.journey.base;
    let landing = if is_first {
        let here = catalog.site("").address(&facts.path).filter(|address| address.path == *base);
        let here = here.map_or(base.as_str(), |_| &facts.path);
        site::page(catalog, &facts.language, here, (1, ""), app.runtime.now_ms(), facts).ok().flatten()
    } else {
        None
    };
    let mut around = facts.around(catalog, &facts.path, &view.step.id);
    let own = landing.iter().flat_map(|found| &found.hide).chain(&view.step.hide);
    add(&mut around.hide, own);
    let public = app.settings.public_url();
    let own = landing.as_ref().map_or(base, |found| &found.canonical);
    let canonical = is_first.then(|| html::canonical(&public, own)).flatten();
    // Where somebody signs in there is nothing to find.
    let is_door = catalog.workflow(&view.journey.workflow).is_some_and(|workflow| workflow.signs_in.is_some());
    let noindex = is_door || landing.as_ref().map_or(!is_first, |found| found.listing.noindex);
    let told = landing.as_ref().map(|found| describe(&public, found)).unwrap_or_default();
    let landing = landing.map(|found| found.page).unwrap_or_default();
    let title = if landing.title.is_empty() { title } else { landing.title };
    let hide = around.hide.clone();
    let description = landing.description;
    let trail = if noindex { html::Trail::default() } else { trail(ask, base) };
    let page = Page { title, description, hide, noindex, trail, canonical, described: told, ..Page::default() };
    let (text, drawn) = render_document(ask, &page, &around, &content).await;
    let mut response = html_response(status, text);
    if drawn && matches!(content, Content::First(_)) {
        response.extensions_mut().insert(Cacheable);
    }
    response
}

fn is_own(ask: &Ask<'_>) -> bool {
    ask.catalog
        .site(&ask.facts.language)
        .address(&ask.facts.path)
        .is_some_and(|address| address.page.who == Who::Person)
}

/// A page of the person who is signed in, with what is theirs; everybody else is asked to log in (R2.4-61).
async fn own_page(
    ask: &Ask<'_>,
    visitor: impl Future<Output = Result<Visitor, Problem>>,
    query: &str,
) -> Result<Response, Problem> {
    let Ask { app, catalog, facts } = *ask;
    let visitor = visitor.await?;
    let roles: Vec<String> = visitor.actor.acting_roles().map(str::to_owned).collect();
    let page = catalog.site(&facts.language).address(&facts.path).map(|address| &address.page);
    if page.is_some_and(|page| !page.roles.include(visitor.actor.acting_roles())) {
        return Ok(special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await);
    }
    let parts = page.map(|page| page.account.clone()).unwrap_or_default();
    let Some(account) = app.runtime.people.account(&visitor.actor, &parts).await? else {
        if visitor.actor.claims.is_some()
            && let Some(page) = claimed_page(ask).await
        {
            return Ok(page);
        }
        return Ok(special(ask, StatusCode::OK, Special::Login, None).await);
    };
    let now = app.runtime.now_ms();
    let Some(asked) = page.and_then(|page| site::resolve_own_page(catalog, page, query, now)) else {
        return Ok(special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await);
    };
    let records = match asked.records {
        Some(records) => endpoints::records(app, &visitor.actor, records).await?,
        None => RecordPage::default(),
    };
    let theirs = site::Theirs { account: &account, roles: &roles, query: &asked.query, records: &records };
    let Ok(Some(mut own)) = site::own_page(catalog, &facts.language, &facts.path, &theirs, now) else {
        return Ok(special(ask, StatusCode::INTERNAL_SERVER_ERROR, Special::Failed, None).await);
    };
    offered(ask, &mut own.page.blocks);
    let (title, description) = (own.page.title, own.page.description);
    let asks = page.and_then(|page| page.asks.as_ref());
    let asks = site::own_form(catalog, &facts.language, asks, &[&account.profile, &asked.query], now);
    let Ok(asks) = asks else {
        return Ok(special(ask, StatusCode::INTERNAL_SERVER_ERROR, Special::Failed, None).await);
    };
    let shown = PersonalPage { title: &title, blocks: &own.page.blocks, asks, on: &own.on };
    let mut around = facts.around(catalog, &facts.path, "");
    add(&mut around.hide, &own.hide);
    let hide = around.hide.clone();
    let page = Page { title: title.clone(), description, hide, noindex: true, ..Page::default() };
    Ok(html_response(StatusCode::OK, render_document(ask, &page, &around, &Content::Own(&shown)).await.0))
}

/// What stands for a person's page where their number was shown, but not that the visitor is who it belonged to.
async fn claimed_page(ask: &Ask<'_>) -> Option<Response> {
    let Ask { app, catalog, facts } = *ask;
    let (language, now) = (&facts.language, app.runtime.now_ms());
    let page = catalog.site(language).special(Special::Claimed)?;
    let shown = site::special(catalog, language, Special::Claimed, About::default(), now)?;
    let asks = site::own_form(catalog, language, page.asks.as_ref(), &[], now).ok()?;
    let own = PersonalPage { title: &shown.title, blocks: &shown.blocks, asks, on: &page.on };
    let around = facts.around(catalog, &facts.path, "");
    let page = Page { title: shown.title.clone(), hide: around.hide.clone(), noindex: true, ..Page::default() };
    Some(html_response(StatusCode::OK, render_document(ask, &page, &around, &Content::Own(&own)).await.0))
}

async fn content_page(ask: &Ask<'_>, query: &str) -> Response {
    let Ask { app, catalog, facts } = *ask;
    let number = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "page")
        .map_or(1, |(_, number)| number.parse().unwrap_or(0));
    let now_ms = app.runtime.now_ms();
    let mut found = match site::page(catalog, &facts.language, &facts.path, (number, query), now_ms, facts) {
        Ok(Some(found)) => found,
        Ok(None) => return special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await,
        Err(_) => return special(ask, StatusCode::INTERNAL_SERVER_ERROR, Special::Failed, None).await,
    };
    if found.is_paper {
        return match paper::of_page(app, &facts.language, &found.page).await {
            Ok(response) => response,
            Err(problem) => problem_page(ask, &problem).await,
        };
    }
    let mut around = facts.around(catalog, &facts.path, "");
    add(&mut around.hide, &found.hide);
    let public = app.settings.public_url();
    let canonical = html::canonical(&public, &found.canonical);
    let (described, noindex) = (describe(&public, &found), found.listing.noindex);
    offered(ask, &mut found.page.blocks);
    // How others reach the page is known here alone.
    for block in found.page.blocks.iter_mut().filter(|block| block["block"] == "share") {
        block["url"] = canonical.as_deref().into();
    }
    let page = Page {
        title: found.page.title,
        description: found.page.description,
        hide: around.hide.clone(),
        noindex,
        described,
        trail: if noindex { html::Trail::default() } else { trail(ask, &found.path) },
        canonical,
        ..Page::default()
    };
    let blocks = &found.page.blocks;
    let place = match site::place(app, facts, blocks).await {
        Ok(place) => place,
        Err(problem) => return problem_page(ask, &problem).await,
    };
    let content = place.as_ref().map_or(Content::Blocks(blocks), |place| Content::Around(blocks, place));
    let (text, drawn) = render_document(ask, &page, &around, &content).await;
    let mut response = html_response(StatusCode::OK, text);
    if drawn {
        response.extensions_mut().insert(Cacheable);
        // Everybody of whom nothing is known, and who has chosen no language, gets the same page.
        let is_chosen = catalog.languages().first().is_some_and(|first| *first != facts.language);
        let whose = if facts.are_personal() || is_chosen { "private" } else { "public" };
        if let Ok(value) = HeaderValue::from_str(&format!("{whose}, {CONTENT}")) {
            response.headers_mut().insert(header::CACHE_CONTROL, value);
        }
        if blocks.iter().any(|block| block["block"] == site::CALCULATOR) {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
        }
        if catalog.languages().len() > 1 || catalog.site("").asks_who() {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("cookie"));
        }
    }
    response
}

/// What programs are told of a page beside its words.
fn describe(public: &str, found: &ResolvedPage) -> html::Described {
    let full = |(language, path): &(String, String)| (language.clone(), format!("{public}{path}"));
    html::Described {
        kind: found.kind,
        alternates: found.alternates.iter().map(full).collect(),
        changed: found.listing.changed.clone(),
        published: found.listing.published.clone(),
        about: found.listing.about.clone(),
        card: card::address(public, &found.canonical),
    }
}

/// The pages above an address that search engines may keep, from the start page on.
fn trail(ask: &Ask<'_>, path: &str) -> html::Trail {
    let Ask { app, catalog, facts } = *ask;
    let (public, now_ms) = (app.settings.public_url(), app.runtime.now_ms());
    if path == "/" {
        return html::Trail::default();
    }
    let site = catalog.site(&facts.language);
    let home = site.address(HOME.1).map_or(HOME.1, |home| home.canonical(facts.spoken.as_deref()));
    let mut trail = vec![(site.name.clone(), format!("{public}{home}"))];
    let parents = path.match_indices('/').map(|(at, _)| &path[..at]).filter(|parent| !parent.is_empty());
    for parent in parents {
        if let Ok(Some(found)) = site::page(catalog, &facts.language, parent, (1, ""), now_ms, facts)
            && !found.listing.noindex
            && !found.page.title.is_empty()
        {
            trail.push((found.page.title, format!("{public}{}", found.at)));
        }
    }
    trail
}

/// Leaves out what the partner who sent the visitor does not offer.
fn offered(ask: &Ask<'_>, blocks: &mut Vec<serde_json::Value>) {
    if let Some(partner) = ask.facts.partner(ask.catalog) {
        site::offered(ask.catalog, partner, blocks);
    }
}

fn add<'a>(hide: &mut Vec<String>, more: impl IntoIterator<Item = &'a String>) {
    for part in more {
        if !hide.contains(part) {
            hide.push(part.clone());
        }
    }
}

/// The document, and whether its body was drawn.
async fn render_document(ask: &Ask<'_>, page: &Page, around: &Around<'_>, content: &Content<'_>) -> (String, bool) {
    let Ask { app, catalog, facts } = *ask;
    let build = app.assets.build();
    let path = content.step().map_or(facts.path.as_str(), |view| &view.journey.base);
    let language = content.step().map_or(facts.language.as_str(), |view| &view.journey.language);
    // Without a request, as for who has not chosen.
    let first = || catalog.languages().first().map_or("en", String::as_str);
    let language = if language.is_empty() { first() } else { language };
    let partner = facts.partner(catalog);
    let mut site = site::surroundings(catalog, language, around, path, partner);
    let others = remote::of(app, catalog, &facts.host).await;
    if let Some(others) = &others {
        site.menu = Cow::Borrowed(&others.menu);
        site.footer = others.footer.iter().map(Cow::Borrowed).collect();
    }
    let theme = partner.filter(|partner| !partner.theme.is_empty()).map(|partner| format!("{THEMES}{}", partner.slug));
    let page = &Page { theme, ..page.clone() };
    let drawn = match &build.drawing {
        Some(bundle) => app.draw.html(bundle, &html::drawing(&site, page, content, &app.today())).await,
        None => None,
    };
    let workflow = content.step().and_then(|view| catalog.workflow(&view.journey.workflow));
    let hide_at = workflow.map(|workflow| site::hidden_at(catalog, workflow, facts, &page.hide)).unwrap_or_default();
    let around = Around { hide: page.hide.clone(), ..around.clone() };
    let is_content = matches!(content, Content::Blocks(_) | Content::Confirm { .. }) && content.calculator().is_none();
    let about = site::app_site(catalog, &app.settings, language, &around, hide_at, is_content, facts);
    let body = Body { drawn: drawn.as_deref(), site: about, language };
    (html::document(&site, page, content, body, &build.links), drawn.is_some())
}

/// Title and text of a page that the site does not describe itself.
fn words(special: Special) -> (&'static str, &'static str) {
    match special {
        Special::NotFound => ("Page not found", "Oops! We can't seem to find the page you're looking for."),
        Special::Failed => ("Something Went Wrong", "Please try again. What you have entered so far is saved."),
        Special::Unavailable => ("Back soon", "We are working on this page. Please try again in a few minutes."),
        Special::Gone => (
            "We can't find this request",
            "It may have been opened on another device or browser. You can start again here.",
        ),
        Special::Expired => (
            "This request has expired",
            "Nobody went on with it for a while. Please start again: it takes a few minutes.",
        ),
        Special::Without => (
            "Nothing is open here",
            "This page belongs to a request. Open it from your messages or in the browser you began in, or start here.",
        ),
        Special::Login | Special::Claimed => {
            ("Please log in", "This page shows what is yours. Log in with your mobile number.")
        }
        Special::Link => ("Open your request", "Please go on only if the message with this link was sent to you."),
        Special::Pass => ("Go on with your account", "Please go on only if you have just come from our other page."),
        Special::Proof => ("Check this paper", "The code on the paper is ours."),
        Special::LinkOver | Special::PassOver => {
            ("This link no longer works", "Please use the newest message we sent you, or call us.")
        }
    }
}

/// The button of a page that asks, where the site does not say it.
fn go_on(special: Special) -> &'static str {
    if special == Special::Expired { "Start again with my answers" } else { "Continue" }
}

/// The page that stands in for another one: readable, no-index, with a way on.
pub async fn special(ask: &Ask<'_>, status: StatusCode, kind: Special, workflow: Option<&Workflow>) -> Response {
    if kind == Special::NotFound {
        let (path, language) = (&ask.facts.path, &ask.facts.language);
        let other = site::namesake(ask.catalog, language, path, ask.app.runtime.now_ms());
        let about = other.as_ref().map(|(base, title)| About { base, title, ..About::default() });
        return fallback_page(ask, status, kind, about.unwrap_or_default()).await;
    }
    let flow = workflow.map(|workflow| workflow.in_language(&ask.facts.language));
    let about = flow.map(|workflow| About { base: &workflow.base, title: &workflow.title, ..About::default() });
    fallback_page(ask, status, kind, about.unwrap_or_default()).await
}

/// The page that stands in for another one.
pub async fn fallback_page(ask: &Ask<'_>, status: StatusCode, kind: Special, about: About<'_>) -> Response {
    match site::special(ask.catalog, &ask.facts.language, kind, about, ask.app.runtime.now_ms()) {
        Some(mut page) => {
            offered(ask, &mut page.blocks);
            let around = ask.facts.around(ask.catalog, &ask.facts.path, "");
            let (title, hide, login) = (page.title, around.hide.clone(), kind == Special::Login);
            let standing = Page { title, hide, login, noindex: true, ..Page::default() };
            let blocks = &page.blocks[..];
            let submit = if page.submit.is_empty() { go_on(kind) } else { &page.submit };
            let content = if kind.asks() { Content::Confirm { blocks, submit } } else { Content::Blocks(blocks) };
            html_response(status, render_document(ask, &standing, &around, &content).await.0)
        }
        None => {
            let (title, text) = words(kind);
            if kind.asks() {
                let blocks = [serde_json::json!({"block": "text", "text": text, "size": "lead"})];
                let content = Content::Confirm { blocks: &blocks, submit: go_on(kind) };
                return page_with(ask, status, title, &content).await;
            }
            let next = if about.base == HOME.1 { HOME } else { ("Continue", about.base) };
            message(ask, status, title, text, next).await
        }
    }
}

/// R2.1-24, R2.1-25, R2.1-27: the page of a problem, with its status.
pub async fn problem_page(ask: &Ask<'_>, problem: &Problem) -> Response {
    match StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR) {
        StatusCode::NOT_FOUND => special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => refusal_page(ask.app, problem).await,
        status => special(ask, status, Special::Failed, None).await,
    }
}

/// The page of a problem at an address of whose visitor nothing was looked up. An outage asks nothing.
pub async fn error_page(app: &App, path: &str, headers: &HeaderMap, problem: &Problem) -> Response {
    let is_refused = matches!(problem.status(), 429 | 503);
    let facts = if is_refused { Facts::default() } else { Facts::of(app, path, headers).await };
    problem_page(&Ask { app, catalog: &app.runtime.catalog(), facts: &facts }, problem).await
}

/// The page of an outage, of overload, of anything that was refused before it was looked at. An outage is told by the
/// site's own page, drawn once and kept; the others need nothing that could be missing.
pub async fn refusal_page(app: &App, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let catalog = app.runtime.catalog();
    let mut response = match status {
        StatusCode::SERVICE_UNAVAILABLE if catalog.site("").special(Special::Unavailable).is_some() => {
            let ask = Ask { app, catalog: &catalog, facts: &Facts::default() };
            special(&ask, status, Special::Unavailable, None).await
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            let (title, text) = words(Special::Unavailable);
            html_response(status, html::bare(title, text))
        }
        StatusCode::TOO_MANY_REQUESTS => html_response(status, html::bare("One moment, please", TOO_MANY)),
        _ => html_response(status, html::bare("Something Went Wrong", "Please try again.")),
    };
    if let Some(seconds) = problem.retry_after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A title, a text and a way on.
pub async fn message_page(
    app: &App,
    catalog: &Catalog,
    status: StatusCode,
    title: &str,
    text: &str,
    next: (&str, &str),
) -> Response {
    message(&Ask { app, catalog, facts: &Facts::default() }, status, title, text, next).await
}

async fn message(ask: &Ask<'_>, status: StatusCode, title: &str, text: &str, next: (&str, &str)) -> Response {
    let blocks = [
        serde_json::json!({"block": "text", "text": text, "size": "lead"}),
        serde_json::json!({"block": "links", "items": [{"label": next.0, "href": next.1}]}),
    ];
    page_with(ask, status, title, &Content::Blocks(&blocks)).await
}

/// A page of its own, which no search engine keeps.
pub async fn document(app: &App, status: StatusCode, title: &str, content: &Content<'_>) -> Response {
    let catalog = app.runtime.catalog();
    page_with(&Ask { app, catalog: &catalog, facts: &Facts::default() }, status, title, content).await
}

pub async fn page_with(ask: &Ask<'_>, status: StatusCode, title: &str, content: &Content<'_>) -> Response {
    let around = ask.facts.around(ask.catalog, &ask.facts.path, "");
    let page = Page { title: title.into(), noindex: true, hide: around.hide.clone(), ..Page::default() };
    html_response(status, render_document(ask, &page, &around, content).await.0)
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

pub fn with_query(path: &str, query: &str) -> String {
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

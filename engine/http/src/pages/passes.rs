//! `?token=<code>`: whoever is signed in on one of our hosts goes on as the same person on another (R2.1-18).
//!
//! A redirect of the site that `passes` adds the code. Opening the address (GET) only asks, the button (POST) signs in,
//! as with a link in a message (**link-apart**). Agents come with a `token` too (R7.1-07): ours begin with
//! [`OURS`], and any other is theirs.

use crate::app::App;
use crate::connection::middleware::{Class, Client};
use crate::pages::links::private;
use crate::pages::site::{About, Facts};
use crate::pages::{self, Ask};
use crate::problem::Problem;
use crate::visitor::session::{self, Visitor};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use engine_definitions::Special;
use engine_runtime::SignsIn;
use url::Position;

const NAME: &str = "token";
/// How each of our codes begins.
const OURS: &str = "once.";

/// An address of the site, with a code of ours where it leads to another host of ours and somebody is signed in.
pub async fn along(app: &App, headers: &HeaderMap, to: &str) -> Result<String, Problem> {
    let url = url::Url::parse(to).ok().filter(|url| app.origins.is_ours(url, headers));
    let (Some(mut url), Some(token)) = (url, session::token(headers)) else { return Ok(to.to_owned()) };
    let host = url[Position::BeforeHost..Position::AfterPort].to_owned();
    if let Some(code) = app.runtime.people.pass(token, &host).await? {
        url.query_pairs_mut().append_pair(NAME, &format!("{OURS}{code}"));
    }
    Ok(url.into())
}

/// A code of ours, and the rest of the query.
pub fn code(query: &str) -> Option<(String, String)> {
    let ours = |(name, value): &(_, std::borrow::Cow<'_, str>)| *name == NAME && value.starts_with(OURS);
    let (_, found) = url::form_urlencoded::parse(query.as_bytes()).find(ours)?;
    let mut rest = url::form_urlencoded::Serializer::new(String::new());
    rest.extend_pairs(url::form_urlencoded::parse(query.as_bytes()).filter(|pair| !ours(pair)));
    Some((found.strip_prefix(OURS)?.to_owned(), rest.finish()))
}

/// The answer to an address with this code.
pub async fn answer(app: &App, client: Client, parts: &Parts, (code, rest): (String, String)) -> Response {
    if parts.method == Method::GET
        && let Some(chosen) =
            pages::in_language(app, &parts.headers, parts.uri.path(), parts.uri.query().unwrap_or_default())
    {
        return private(chosen);
    }
    let to = pages::with_query(parts.uri.path(), &rest);
    let answered = match parts.method {
        Method::POST => follow(app, client, &parts.headers, &code, &to).await,
        _ => ask(app, client, &parts.headers, &code, &to).await,
    };
    let mut response = match answered {
        Ok(response) => response,
        Err(problem) => pages::error_page(app, parts.uri.path(), &parts.headers, &problem).await,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    private(response)
}

/// The page that asks; straight on for who is signed in as the same person.
async fn ask(app: &App, client: Client, headers: &HeaderMap, code: &str, to: &str) -> Result<Response, Problem> {
    let visitor = Visitor::of(app, headers, client).await?;
    let Some(person) = app.runtime.people.redeem(code, host(headers)).await? else {
        return Ok(over(app, headers, to).await);
    };
    if visitor.actor.person() == Some(&person) {
        return Ok(pages::redirect(StatusCode::SEE_OTHER, to));
    }
    let facts = Facts::of(app, path(to), headers).await;
    let ask = Ask { app, catalog: &app.runtime.catalog(), facts: &facts };
    // Whose account it is: somebody else's code may have been put into a link.
    let number = app.runtime.people.masked_number(&person).await?;
    Ok(pages::fallback_page(&ask, StatusCode::OK, Special::Pass, About { title: &number, ..About::default() }).await)
}

/// The button: this browser's session here becomes the person's.
async fn follow(app: &App, client: Client, headers: &HeaderMap, code: &str, to: &str) -> Result<Response, Problem> {
    app.origins.check_form(headers)?;
    app.limit(Class::Start, client)?;
    let mut visitor = Visitor::of(app, headers, client).await?;
    let Some(person) = app.runtime.people.use_pass(code, host(headers)).await? else {
        return Ok(over(app, headers, to).await);
    };
    // What another person began here stays theirs.
    if visitor.actor.signed_in().is_some_and(|other| other != person) {
        visitor.sign_out(app).await?;
    }
    visitor.open(app).await?;
    visitor.sign_in(app, SignsIn::Person { person, stays: false }, headers).await?;
    Ok(visitor.answer(pages::redirect(StatusCode::SEE_OTHER, to)))
}

async fn over(app: &App, headers: &HeaderMap, to: &str) -> Response {
    let facts = Facts::of(app, path(to), headers).await;
    let ask = Ask { app, catalog: &app.runtime.catalog(), facts: &facts };
    pages::fallback_page(&ask, StatusCode::NOT_FOUND, Special::PassOver, About { base: to, ..About::default() }).await
}

/// An address without its query.
fn path(to: &str) -> &str {
    to.split('?').next().unwrap_or_default()
}

fn host(headers: &HeaderMap) -> &str {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

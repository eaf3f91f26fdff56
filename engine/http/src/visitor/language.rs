//! The language of a visitor: what they chose, kept in a cookie; without a choice the site's first one. A link with
//! `?lang=hi` is the choice, and is taken out of the address. What the browser prefers is only a reason to offer.

use crate::app::App;
use crate::visitor::session::cookie;
use axum::http::{HeaderMap, HeaderValue, header};
use engine_definitions::ENGLISH;

const COOKIE: &str = "__Host-language";
/// The parameter of an address that chooses.
pub const NAME: &str = "lang";
const YEAR_S: u32 = 365 * 24 * 3600;

/// The language that this visitor chose, if the site still speaks it.
pub fn chosen_language(app: &App, headers: &HeaderMap) -> Option<String> {
    cookie(headers, COOKIE).and_then(|wanted| supported(app, wanted))
}

/// The language of a visitor who has no session.
pub fn of(app: &App, headers: &HeaderMap) -> String {
    let first = || app.runtime.catalog().languages().first().cloned();
    chosen_language(app, headers).or_else(first).unwrap_or_else(|| ENGLISH.into())
}

/// The language that an address asks for by itself, without a choice that is kept: what programs call and caches keep.
pub fn in_query(app: &App, query: &str) -> Option<String> {
    let wanted = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == NAME)?.1;
    supported(app, &wanted)
}

/// A choice in the address: the rest of the query, and the language if the site speaks it; `None` when nothing is chosen
/// there. The header's link is the same for everybody: what else stood in the address of the page that it was on stays.
pub fn choice(app: &App, headers: &HeaderMap, path: &str, query: &str) -> Option<(String, Option<String>)> {
    let wanted = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == NAME)?.1.into_owned();
    let mut rest = without(query);
    let before = headers.get(header::REFERER).and_then(|link| url::Url::parse(link.to_str().ok()?).ok());
    if let Some(page) =
        before.filter(|page| rest.is_empty() && page.path() == path && app.origins.is_ours(page, headers))
    {
        rest = without(page.query().unwrap_or_default());
    }
    Some((rest, supported(app, &wanted)))
}

/// The cookie that keeps a choice.
pub fn keep(language: &str) -> Option<HeaderValue> {
    let cookie = format!("{COOKIE}={language}; Path=/; Max-Age={YEAR_S}; HttpOnly; Secure; SameSite=Lax");
    HeaderValue::from_str(&cookie).ok()
}

fn without(query: &str) -> String {
    let kept = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != NAME);
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
}

fn supported(app: &App, wanted: &str) -> Option<String> {
    app.runtime.catalog().languages().iter().find(|language| *language == wanted).cloned()
}

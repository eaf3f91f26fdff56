//! Where a visitor came from: read from the address and removed from the address bar (R2.1-17, R2.1-19), and the page
//! that linked here. Which names, and what follows from them, is the site's data. What was read waits in a sealed
//! cookie, so that looking at pages writes nothing, and becomes the session's with the first write. It is information
//! for the journey's record and never gives a right.

use crate::app::App;
use crate::visitor::session::{cookie, token};
use axum::http::{HeaderMap, HeaderValue, header};
use engine_definitions::{Attribution, Channels};
use engine_runtime::{Actor, Runtime};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

pub const COOKIE: &str = "__Host-attribution";
const VALUE_CHARS_MAX: usize = 300;
/// What browsers keep of one cookie, its name and attributes included.
const COOKIE_BYTES_MAX: usize = 4_096;
const TEXT_BYTES_MAX: u64 = 32 * 1024;

/// Names and what is said under them.
pub type UrlParams = BTreeMap<String, String>;

/// What an address says of where somebody came from, and what is left of its query.
pub struct Split {
    pub said: UrlParams,
    /// Without `?`; empty when nothing is left.
    pub rest: String,
}

/// Takes what is read out of a query.
pub fn split(channels: &Channels, query: &str) -> Split {
    let mut said = UrlParams::new();
    let mut rest = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match channels.name(&name) {
            Some(name) => drop(said.insert(name.to_owned(), truncate(&value))),
            None => drop(rest.append_pair(&name, &value)),
        }
    }
    Split { said, rest: rest.finish() }
}

/// What a program says, by the names that are read; others are passed over.
pub fn select_params(channels: &Channels, given: &UrlParams) -> UrlParams {
    given.iter().filter_map(|(name, value)| Some((channels.name(name)?.to_owned(), truncate(value)))).collect()
}

/// The page of another site whose link led here, each name of its query once (R3-07); only of a visitor of whom nothing
/// is known yet.
pub fn referrer(app: &App, channels: &Channels, headers: &HeaderMap) -> Option<(String, String)> {
    let name = channels.referrer()?;
    let link = headers.get(header::REFERER).and_then(|link| url::Url::parse(link.to_str().ok()?).ok());
    let foreign = link.filter(|link| link.has_host() && !app.origins.is_ours(link, headers));
    let mut link = foreign.filter(|_| cookie(headers, COOKIE).is_none() && token(headers).is_none())?;
    let pairs: Vec<(String, String)> = link.query_pairs().into_owned().collect();
    link.set_query(None);
    link.set_fragment(None);
    let mut seen = BTreeSet::new();
    for (name, value) in pairs.iter().filter(|(name, _)| seen.insert(name)) {
        link.query_pairs_mut().append_pair(name, value);
    }
    Some((name.to_owned(), truncate(link.as_str())))
}

/// What brought this visitor here: the cookie is newer than the session, and holds all.
pub fn of(runtime: &Runtime, headers: &HeaderMap, actor: Option<&Actor>) -> Attribution {
    let kept = || actor.map(|actor| actor.came.clone()).unwrap_or_default();
    read_cookie(runtime, headers).unwrap_or_else(kept)
}

/// What the cookie holds.
fn read_cookie(runtime: &Runtime, headers: &HeaderMap) -> Option<Attribution> {
    let sealed = cookie(headers, COOKIE).filter(|text| text.len() <= COOKIE_BYTES_MAX)?;
    let packed = runtime.people.open_for(COOKIE, sealed)?;
    let mut text = Vec::new();
    // Ours is no larger.
    DeflateDecoder::new(packed.as_slice()).take(TEXT_BYTES_MAX).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The cookie that remembers this until something is written. Sealed, so that it is nobody's to read or to change. What
/// does not fit is left out, the longest first.
pub fn remember(runtime: &Runtime, mut came: Attribution) -> Option<HeaderValue> {
    loop {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&serde_json::to_vec(&came).ok()?).ok()?;
        let sealed = runtime.people.seal_for(COOKIE, &packed.finish().ok()?)?;
        let text = format!("{COOKIE}={sealed}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax");
        if text.len() <= COOKIE_BYTES_MAX {
            return HeaderValue::from_str(&text).ok();
        }
        let longest = came.said.iter().max_by_key(|(_, value)| value.len()).map(|(name, _)| name.clone())?;
        came.said.remove(&longest);
    }
}

fn truncate(value: &str) -> String {
    value.chars().filter(|part| !part.is_control()).take(VALUE_CHARS_MAX).collect()
}

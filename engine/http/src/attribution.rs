//! Where a visitor came from: read from the address and removed from the address bar (R2.1-17, R2.1-19), and the page
//! that linked here. It waits in a sealed cookie, so that looking at pages writes nothing, and becomes the session's with
//! the first write. It is information for the journey's record and never gives a right (security rule 13).

use crate::app::App;
use crate::session::{Visitor, cookie, token};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use engine_runtime::Runtime;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{Read, Write};

const COOKIE: &str = "__Host-attribution";
const NAMES: [&str; 11] =
    ["source", "sub-source", "ui-source", "_aid", "_uid", "role_id", "iam_uuid", "gclid", "fbclid", "msclkid", "ref"];
const ENTRIES_MAX: usize = 20;
const VALUE_CHARS_MAX: usize = 200;
/// What browsers keep of one cookie, its name and attributes included.
const COOKIE_BYTES_MAX: usize = 4_096;
const TEXT_BYTES_MAX: u64 = 32 * 1024;

/// Parameters of attribution and what is left of the query.
pub struct Split {
    pub found: Map<String, Value>,
    /// Without `?`; empty when nothing is left.
    pub rest: String,
}

/// Takes the parameters of attribution out of a query.
pub fn split(query: &str) -> Split {
    let mut found = Map::new();
    let mut rest = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if NAMES.contains(&name.as_ref()) || name.starts_with("utm_") {
            keep(&mut found, &name, &value);
        } else {
            rest.append_pair(&name, &value);
        }
    }
    Split { found, rest: rest.finish() }
}

/// The page of another site whose link led here, without its query; only of a visitor of whom nothing is known yet.
pub fn referrer(app: &App, headers: &HeaderMap) -> Map<String, Value> {
    let mut found = Map::new();
    let link = headers.get(header::REFERER).and_then(|link| url::Url::parse(link.to_str().ok()?).ok());
    let foreign = link.filter(|link| link.has_host() && !app.origins.is_ours(link, headers));
    if let Some(mut link) = foreign.filter(|_| cookie(headers, COOKIE).is_none() && token(headers).is_none()) {
        link.set_query(None);
        link.set_fragment(None);
        keep(&mut found, "referrer", link.as_str());
    }
    found
}

/// What brought this visitor here: of the session, and newer, of the cookie.
pub fn of(app: &App, visitor: &Visitor, headers: &HeaderMap) -> Map<String, Value> {
    let mut all = visitor.actor.attribution.clone();
    all.extend(read(&app.runtime, headers));
    all
}

/// What the cookie holds.
pub fn read(runtime: &Runtime, headers: &HeaderMap) -> Map<String, Value> {
    let sealed = cookie(headers, COOKIE).filter(|text| text.len() <= COOKIE_BYTES_MAX);
    let packed = sealed.and_then(|sealed| runtime.people.open_for(COOKIE, sealed));
    let text = packed.and_then(|packed| {
        let mut text = Vec::new();
        // Ours is no larger.
        DeflateDecoder::new(packed.as_slice()).take(TEXT_BYTES_MAX).read_to_end(&mut text).ok().map(|_| text)
    });
    bounded(text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default())
}

/// Names and values of bounded length.
pub fn bounded(given: BTreeMap<String, String>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in &given {
        keep(&mut out, name, value);
    }
    out
}

/// The cookie that remembers these until something is written; newer values win over older ones. Sealed, so that it is
/// nobody's to read or to change. What does not fit is left out, the oldest first.
pub fn remember(runtime: &Runtime, headers: &HeaderMap, found: Map<String, Value>) -> Option<HeaderValue> {
    let mut all = found;
    for (name, value) in read(runtime, headers) {
        if all.len() < ENTRIES_MAX {
            all.entry(name).or_insert(value);
        }
    }
    loop {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&serde_json::to_vec(&all).ok()?).ok()?;
        let sealed = runtime.people.seal_for(COOKIE, &packed.finish().ok()?)?;
        let text = format!("{COOKIE}={sealed}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax");
        if text.len() <= COOKIE_BYTES_MAX {
            return HeaderValue::from_str(&text).ok();
        }
        let oldest = all.keys().next_back()?.clone();
        all.remove(&oldest);
    }
}

/// The answer to a first write, with which it became the session's: the cookie has done its work.
pub fn forget(headers: &HeaderMap, response: &mut Response) {
    if cookie(headers, COOKIE).is_some() {
        let over = const {
            HeaderValue::from_static("__Host-attribution=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax")
        };
        response.headers_mut().append(header::SET_COOKIE, over);
    }
}

fn keep(map: &mut Map<String, Value>, name: &str, value: &str) {
    let known =
        name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if known && map.len() < ENTRIES_MAX {
        let value: String = value.chars().filter(|part| !part.is_control()).take(VALUE_CHARS_MAX).collect();
        map.insert(name.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_keeps_only_what_is_its_own() {
        let Split { found, rest } = split("_aid=1&_uid=2&x=3&utm_source=mail&y=a%20b");
        assert_eq!(rest, "x=3&y=a+b");
        assert_eq!(Value::Object(found), serde_json::json!({"_aid": "1", "_uid": "2", "utm_source": "mail"}));
        assert_eq!(split("source=a").rest, "");
    }
}

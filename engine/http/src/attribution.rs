//! Where a visitor came from: read from the address, kept in a cookie, removed from the address bar (R2.1-17, R2.1-19).
//! It is information for the journey's record and never gives a right (security rule 13).

use crate::session::cookie;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const COOKIE: &str = "__Host-attribution";
const NAMES: [&str; 11] =
    ["source", "sub-source", "ui-source", "_aid", "_uid", "role_id", "iam_uuid", "gclid", "fbclid", "msclkid", "ref"];
const ENTRIES_MAX: usize = 20;
const VALUE_CHARS_MAX: usize = 200;

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

/// What the cookie holds.
pub fn read(headers: &HeaderMap) -> Map<String, Value> {
    let text =
        cookie(headers, COOKIE).filter(|text| text.len() <= 4_000).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    bounded(text.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

/// Names and values of bounded length.
pub fn bounded(given: BTreeMap<String, String>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in &given {
        keep(&mut out, name, value);
    }
    out
}

/// The cookie that remembers these; newer values win over older ones.
pub fn remember(headers: &HeaderMap, found: Map<String, Value>) -> Option<HeaderValue> {
    let mut all = found;
    for (name, value) in read(headers) {
        if all.len() < ENTRIES_MAX {
            all.entry(name).or_insert(value);
        }
    }
    let text = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&all).ok()?);
    if text.len() > 3_500 {
        return None;
    }
    HeaderValue::from_str(&format!("{COOKIE}={text}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax")).ok()
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

    #[test]
    fn the_cookie_comes_back_and_bad_ones_are_nothing() {
        let found = split("utm_source=a&source=b").found;
        let value = remember(&HeaderMap::new(), found.clone()).unwrap();
        let mut headers = HeaderMap::new();
        let pair = value.to_str().unwrap().split(';').next().unwrap().to_owned();
        headers.insert("cookie", format!("x=y; {pair}").parse().unwrap());
        assert_eq!(read(&headers), found);
        headers.insert("cookie", format!("{COOKIE}=%%%").parse().unwrap());
        assert!(read(&headers).is_empty());
    }
}

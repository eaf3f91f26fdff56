//! Pages that are the same for everybody, whole and compressed, as they went out a moment ago.
//!
//! A page is kept by what it is made of: the publication, the build of the app, the address, the host, the language and
//! the variants of experiments; the day and every live answer in it are at most [`FRESH`] old. Only visitors of whom
//! nothing is known get one, and only theirs become one: no cookie of theirs is read into it, none is written by it.

use crate::connection::COMPRESSION;
use crate::pages::assets::Build;
use crate::pages::site::Facts;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::Catalog;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tower::{ServiceExt, service_fn};
use tower_http::compression::Compression;

/// A page is made anew after this long, by one of those who want it.
const FRESH: Duration = Duration::from_secs(1);
/// How old a page may be that others get while it is made anew.
const STALE: Duration = Duration::from_secs(3);
/// Most bytes of all pages together.
const BYTES_MAX: usize = 16 << 20;
/// Most bytes of what decides about a page; beyond them nothing is kept.
const KEY_BYTES_MAX: usize = 512;
/// What a page costs beside its bytes.
const BESIDE: usize = 1_024;

/// The mark of an answer that is everybody's.
#[derive(Clone, Copy)]
pub struct Cacheable;

/// What decides about a page.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// None for a visitor of whom something is known, and for an address that says more than which page.
    pub fn of(facts: &Facts, query: &str, headers: &HeaderMap) -> Option<Key> {
        if !query.is_empty() || !facts.is_anonymous(headers) {
            return None;
        }
        let accepts = headers.get(header::ACCEPT_ENCODING).map_or(Ok(""), HeaderValue::to_str).ok()?;
        let Facts { path, host, language, spoken, .. } = facts;
        let (variants, whose) = (facts.variants().join(" "), facts.are_personal());
        let text = format!("{path}\n{host}\n{language}\n{spoken:?}\n{variants}\n{accepts}\n{whose}");
        (text.len() <= KEY_BYTES_MAX).then_some(Key(text))
    }
}

/// Pages that this process keeps.
#[derive(Default)]
pub struct Pages(Mutex<Made>);

#[derive(Default)]
struct Made {
    /// Catalog and build of the pages; both are held, so that no other ones can be taken for them.
    of: Option<(Arc<Catalog>, Arc<Build>)>,
    pages: HashMap<Key, Page>,
    bytes: usize,
}

struct Page {
    headers: HeaderMap,
    body: Bytes,
    made: Instant,
    /// Somebody makes it anew.
    is_renewed: bool,
}

impl Pages {
    /// The page as it was; `None`: whoever asks makes it.
    pub fn find(&self, catalog: &Arc<Catalog>, build: &Arc<Build>, key: &Key) -> Option<Response> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !made.is_of(catalog, build) {
            *made = Made { of: Some((catalog.clone(), build.clone())), ..Made::default() };
            return None;
        }
        let page = made.pages.get_mut(key)?;
        let age = page.made.elapsed();
        if age > STALE || age > FRESH && !std::mem::replace(&mut page.is_renewed, true) {
            return None;
        }
        let (headers, body) = (page.headers.clone(), page.body.clone());
        drop(made);
        let mut response = Response::new(Body::from(body));
        *response.headers_mut() = headers;
        Some(response)
    }

    /// Keeps an answer that is everybody's, as this visitor can read it.
    pub async fn keep(
        &self,
        catalog: &Arc<Catalog>,
        build: &Arc<Build>,
        (key, accepts): (Key, Option<&HeaderValue>),
        response: Response,
    ) -> Response {
        let is_everybodys = response.extensions().get::<Cacheable>().is_some();
        if !is_everybodys || response.status() != StatusCode::OK {
            return response;
        }
        let (mut parts, body) = compress(response, accepts).await.into_parts();
        let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        if let Some(tag) = tag_of(&body) {
            parts.headers.insert(header::ETAG, tag);
        }
        let page = Page { headers: parts.headers.clone(), body: body.clone(), made: Instant::now(), is_renewed: false };
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A page of a publication that is over meanwhile is not for the next one.
        if made.is_of(catalog, build) {
            made.put(key, page);
        }
        drop(made);
        Response::from_parts(parts, Body::from(body))
    }
}

impl Made {
    fn is_of(&self, catalog: &Arc<Catalog>, build: &Arc<Build>) -> bool {
        self.of.as_ref().is_some_and(|(of, by)| Arc::ptr_eq(of, catalog) && Arc::ptr_eq(by, build))
    }

    fn put(&mut self, key: Key, page: Page) {
        self.bytes += page.bytes();
        if let Some(before) = self.pages.insert(key, page) {
            self.bytes -= before.bytes();
        }
        if self.bytes > BYTES_MAX {
            self.pages.retain(|_, page| page.made.elapsed() <= FRESH);
            self.bytes = self.pages.values().map(Page::bytes).sum();
        }
        if self.bytes > BYTES_MAX {
            (self.pages, self.bytes) = (HashMap::new(), 0);
        }
    }
}

impl Page {
    fn bytes(&self) -> usize {
        self.body.len() + BESIDE
    }
}

/// The mark by which clients know a page again: a part of its hash.
fn tag_of(body: &[u8]) -> Option<HeaderValue> {
    let hash: [u8; 32] = Sha256::digest(body).into();
    let part = u128::from_be_bytes(*hash.first_chunk()?);
    HeaderValue::from_str(&format!("\"{part:032x}\"")).ok()
}

/// The answer to a client that says which page it has: without the page when it is still that one.
pub fn unless_known(asked: &HeaderMap, response: Response) -> Response {
    let Some(tag) = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()) else { return response };
    let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|known| known.to_str().ok());
    let mut known = known.flat_map(|all| all.split(',')).map(|one| one.trim().trim_start_matches("W/"));
    if !known.any(|one| one == tag || one == "*") {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::NOT_MODIFIED;
    for name in [header::CONTENT_LENGTH, header::CONTENT_ENCODING, header::CONTENT_TYPE] {
        parts.headers.remove(name);
    }
    Response::from_parts(parts, Body::empty())
}

/// Compresses a response for a client that accepts this; the frame leaves alone what is compressed already.
async fn compress(response: Response, accepts: Option<&HeaderValue>) -> Response {
    let mut request = Request::new(Body::empty());
    request.headers_mut().extend(accepts.map(|value| (header::ACCEPT_ENCODING, value.clone())));
    let mut once = Some(response);
    let answer = service_fn(move |_: Request| std::future::ready(Ok::<_, Infallible>(once.take().unwrap_or_default())));
    match Compression::new(answer).quality(COMPRESSION).oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everybodys(text: &str) -> Response {
        let mut response = text.to_owned().into_response();
        response.extensions_mut().insert(Cacheable);
        response
    }

    fn key(text: &str) -> (Key, Option<&'static HeaderValue>) {
        (Key(text.into()), None)
    }

    #[tokio::test]
    async fn only_what_is_everybodys_is_kept_and_only_for_its_publication() {
        let (pages, catalog, build) = (Pages::default(), Arc::new(Catalog::default()), Arc::new(Build::default()));
        assert!(pages.find(&catalog, &build, &Key("a".into())).is_none());
        pages.keep(&catalog, &build, key("a"), everybodys("all")).await;
        pages.keep(&catalog, &build, key("b"), "hers".into_response()).await;
        pages.keep(&catalog, &build, key("c"), (StatusCode::NOT_FOUND, everybodys("none")).into_response()).await;
        let found = ["a", "b", "c"].map(|name| pages.find(&catalog, &build, &Key(name.into())).is_some());
        assert_eq!(found, [true, false, false]);
        let next = Arc::new(Catalog::default());
        assert!(pages.find(&next, &build, &Key("a".into())).is_none());
        pages.keep(&catalog, &build, key("a"), everybodys("late")).await;
        assert!(pages.find(&next, &build, &Key("a".into())).is_none(), "made of what was before");
    }

    #[tokio::test]
    async fn one_makes_it_anew_while_the_others_have_the_old_one() {
        let (pages, catalog, build) = (Pages::default(), Arc::new(Catalog::default()), Arc::new(Build::default()));
        let find = || pages.find(&catalog, &build, &Key("a".into())).is_some();
        let older = |by| {
            let mut made = pages.0.lock().unwrap();
            made.pages.values_mut().for_each(|page| page.made -= by);
        };
        assert!(!find());
        pages.keep(&catalog, &build, key("a"), everybodys("all")).await;
        assert!(find());
        older(FRESH);
        assert_eq!([find(), find(), find()], [false, true, true]);
        older(STALE);
        assert_eq!([find(), find()], [false, false], "an old one is nobody's");
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded() {
        let (pages, catalog, build) = (Pages::default(), Arc::new(Catalog::default()), Arc::new(Build::default()));
        pages.find(&catalog, &build, &Key(String::new()));
        let text = "x".repeat(1 << 20);
        for name in 0..40 {
            pages.keep(&catalog, &build, (Key(name.to_string()), None), everybodys(&text)).await;
            let made = pages.0.lock().unwrap();
            assert!(made.bytes <= BYTES_MAX, "{name}");
            assert_eq!(made.bytes, made.pages.values().map(Page::bytes).sum::<usize>());
        }
    }
}

//! `/cards/<address>.png`: the picture that a link to a page gets where it is shared. It says what the page's title and
//! description say; there is one for each page that search engines may keep.

use crate::app::App;
use crate::pages::html::CARD;
use crate::pages::site::{self, Facts};
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_paper::card::{Card, png};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const FOLDER: &str = "/cards";
const ENDING: &str = ".png";
/// Name of the start page's picture.
const START: &str = "/index";
/// Most pictures that are kept, of some ten thousand bytes each.
const CARDS_MAX: usize = 256;

/// Pictures that this process keeps.
#[derive(Default)]
pub struct Cards(Mutex<HashMap<Card, Bytes>>);

/// The full address of a page's picture.
pub fn address(public_url: &str, path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    format!("{public_url}{FOLDER}{}{ENDING}", if path == "/" { START } else { path })
}

/// The page whose picture this address is.
pub fn page_of(path: &str) -> Option<&str> {
    let page = path.strip_prefix(FOLDER)?.strip_suffix(ENDING).filter(|page| page.starts_with('/'))?;
    Some(if page == START { "/" } else { page })
}

/// The picture of this page.
pub async fn answer(app: &App, path: &str) -> Response {
    let Some(card) = card_of(app, path) else { return (StatusCode::NOT_FOUND, "not found").into_response() };
    let kept = app.cards.0.lock().unwrap_or_else(PoisonError::into_inner).get(&card).cloned();
    let picture = match kept {
        Some(picture) => picture,
        None => match draw(card.clone()).await {
            Some(picture) => app.cards.keep(card, picture),
            None => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        },
    };
    let headers = [(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "public, max-age=86400")];
    (headers, picture).into_response()
}

fn card_of(app: &App, path: &str) -> Option<Card> {
    let catalog = app.runtime.catalog();
    let address = catalog.site("").address(path).filter(|address| !address.listing.noindex)?;
    let first = catalog.languages().first().map_or("en", String::as_str);
    let language = address.language(path).unwrap_or(first).to_owned();
    let found = site::page(&catalog, &language, path, (1, ""), app.runtime.now_ms(), &Facts::default()).ok()??;
    let brand = catalog.site(&language).name.clone();
    Some(Card { title: found.page.title, line: found.page.description, brand })
}

async fn draw(card: Card) -> Option<Bytes> {
    let drawn = tokio::task::spawn_blocking(move || png(&card, CARD)).await.ok()?;
    drawn.inspect_err(|error| tracing::error!(%error, "the picture of a page could not be drawn")).ok().map(Bytes::from)
}

impl Cards {
    fn keep(&self, card: Card, picture: Bytes) -> Bytes {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= CARDS_MAX {
            all.clear();
        }
        all.insert(card, picture.clone());
        picture
    }
}

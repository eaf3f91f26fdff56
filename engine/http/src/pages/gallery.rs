//! `/gallery`, in development only: every example of a block and of a widget as a page, drawn and taken over like a
//! first step. The examples stand beside their components; the web app's build writes them out.

use crate::pages::html::Content;
use crate::pages::{self, Ask};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

const PLACE: &str = "/gallery";

/// The gallery's page of this address; `None` when it is none, and in production.
pub async fn page(ask: &Ask<'_>) -> Option<Response> {
    let app = ask.app;
    let name = ask.facts.path.strip_prefix(PLACE).filter(|_| !app.settings.production())?;
    let build = app.assets.build();
    if let Some(name) = name.strip_prefix('/') {
        let view = build.gallery.get(name)?;
        return Some(pages::step_page(ask, StatusCode::OK, Content::First(view)).await);
    }
    let links: Vec<_> =
        build.gallery.keys().map(|name| json!({"label": name, "href": format!("{PLACE}/{name}")})).collect();
    let blocks = [json!({"block": "links", "items": links})];
    Some(pages::document(app, StatusCode::OK, "Gallery", &Content::Blocks(&blocks)).await).filter(|_| name.is_empty())
}

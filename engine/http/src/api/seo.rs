//! `/api/v1/seo/page`: what a page of the site tells search engines, for programs. Public, the same for everybody.

use crate::app::App;
use crate::connection::middleware::requested_host;
use crate::pages::site::{self, Facts};
use crate::pages::{self, html};
use crate::problem::{Code, Problem, refusals};
use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Serves, Who};
use engine_runtime::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

refusals!(NotThere: BodyInvalid, NotFound);

/// Which page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Its address on this site: `/news`.
    path: Option<String>,
}

/// A page as search engines are told of it.
#[derive(Serialize, ToSchema)]
pub struct SeoPage {
    pub title: String,
    pub description: String,
    /// The one address that an index shall keep.
    pub canonical: Option<String>,
    /// `index, follow` or `noindex`.
    pub robots: &'static str,
    /// What stands on it, block by block.
    #[schema(value_type = Vec<Object>)]
    pub blocks: Vec<Value>,
    /// Label and value of each fact that it names.
    pub facts: Vec<Fact>,
}

/// One row of a page's facts.
#[derive(Serialize, ToSchema)]
pub struct Fact {
    pub label: Value,
    pub value: Value,
}

/// What search engines are told of a page. Pages of a person are nobody's to index: they are not found.
#[utoipa::path(get, path = "/api/v1/seo/page", operation_id = "seo_page", tag = "site", params(PageQuery),
    responses((status = 200, body = SeoPage), NotThere))]
pub async fn page(
    State(app): State<App>,
    Query(query): Query<PageQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = query.path.filter(|path| path.starts_with('/'));
    let path = path.ok_or_else(|| Problem::new(Code::BodyInvalid).detail("path: an address of this site"))?;
    let catalog = app.runtime.catalog();
    // nobody is asked: what is told is the same for all
    let facts = Facts::of(&app, &path, &HeaderMap::new()).await;
    let address = catalog.site(&facts.language).address(&facts.path);
    if address.is_some_and(|address| address.page.who == Who::Person) {
        return Err(Problem::new(Code::NotFound));
    }
    let found = site::page(&catalog, &facts.language, &facts.path, (1, ""), app.runtime.now_ms(), &facts);
    let mut found = found.map_err(|_| Problem::new(Code::Internal))?.ok_or_else(|| Problem::new(Code::NotFound))?;
    if let Some((workflow, "")) = pages::workflow_at(&catalog, &facts.path) {
        let view = app.runtime.journeys.preview(&workflow.id, &Actor::visitor(""), Value::Null).await?.step.view;
        let own = view.and_then(|view| view["blocks"].as_array().cloned());
        found.page.blocks.splice(..0, own.unwrap_or_default());
    }
    let is_hidden = catalog.site("").serves(&requested_host(&headers)) == Serves::Hidden;
    let named = found.page.blocks.iter().filter(|block| block["block"] == "facts");
    let named = named.filter_map(|block| block["items"].as_array()).flatten();
    let facts = named.map(|fact| Fact { label: fact["label"].clone(), value: fact["value"].clone() }).collect();
    let answer = SeoPage {
        canonical: html::canonical(&app.settings.public_url(), &found.canonical),
        robots: if found.listing.noindex || is_hidden { "noindex" } else { "index, follow" },
        title: found.page.title,
        description: found.page.description,
        blocks: found.page.blocks,
        facts,
    };
    Ok(([(header::CACHE_CONTROL, "public, max-age=60")], Json(answer)).into_response())
}

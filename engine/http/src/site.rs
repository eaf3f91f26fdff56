//! The site's content as pages need it: what surrounds every page, content pages, redirects.

use crate::html::Chrome;
use engine_definitions::Catalog;
use engine_runtime::Runtime;
use serde_json::Value;

/// A content page, its blocks evaluated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SitePage {
    pub title: String,
    pub description: String,
    pub hide: Vec<String>,
    pub blocks: Vec<Value>,
}

pub fn chrome(catalog: &Catalog) -> Chrome {
    let data = &catalog.site().value;
    let list = |key: &str| data.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Chrome { name: text("name"), nav: list("nav"), footer: list("footer"), legal: text("legal"), call: data.get("call").cloned().unwrap_or(Value::Null) }
}

/// Languages of the site, the first one is the default.
pub fn languages(catalog: &Catalog) -> Vec<String> {
    catalog.site().value.get("languages").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The page of an address; `None` when there is none.
pub fn page(runtime: &Runtime, catalog: &Catalog, path: &str) -> Option<SitePage> {
    let page = catalog.site().page(path)?;
    let rendered = runtime.page(catalog, page);
    let blocks = rendered.get("blocks").and_then(Value::as_array).cloned().unwrap_or_default();
    Some(SitePage { title: page.title.clone(), description: page.description.clone(), hide: page.hide.clone(), blocks })
}

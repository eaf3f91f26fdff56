//! The site's content as pages need it: what surrounds every page, content pages, redirects.

use crate::html::{AppSite, Surroundings};
use engine_definitions::{Catalog, Now};
use engine_settings::Settings;
use engine_statechart::expression::Scope;
use serde_json::{Value, json};

/// `today` of content pages.
const ZONE: chrono_tz::Tz = chrono_tz::Asia::Kolkata;

/// Where browsers send their errors.
pub const REPORTS: &str = "/stackTraceApi";

/// A content page, its blocks evaluated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SitePage {
    pub title: String,
    pub description: String,
    pub hide: Vec<String>,
    pub blocks: Vec<Value>,
}

/// What surrounds every page.
pub fn surroundings(catalog: &Catalog) -> Surroundings<'_> {
    let data = &catalog.site().value;
    let list = |key: &str| data.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
    Surroundings {
        name: text("name"),
        nav: list("nav"),
        footer: list("footer"),
        legal: text("legal"),
        call: data.get("call"),
    }
}

/// What the app knows of the site, on a page that leaves these parts out.
pub fn app_site<'a>(catalog: &'a Catalog, settings: &Settings, hide: &'a [String]) -> AppSite<'a> {
    let presence = json!({"every_ms": settings.presence.every_ms, "idle_ms": settings.presence.idle_ms});
    let reports = reports(catalog).map(|set| {
        let of = |name: &str, default: Value| set.get(name).cloned().unwrap_or(default);
        json!({
            "url": REPORTS, "wait_ms": of("wait_ms", json!(5_000)), "max": of("max", json!(20)),
            "libraries": of("libraries", json!([]))
        })
    });
    AppSite { name: surroundings(catalog).name, hide, presence, reports }
}

/// The day in India: `2026-11-21`.
pub fn today(now_ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(now_ms)
        .map(|now| now.with_timezone(&ZONE).format("%Y-%m-%d").to_string())
        .unwrap_or_default()
}

/// How browsers report errors; `None` when they shall not.
pub fn reports(catalog: &Catalog) -> Option<&Value> {
    catalog.site().value.get("reports").filter(|reports| reports.get("enabled") == Some(&Value::Bool(true)))
}

/// Languages of the site, the first one is the default.
pub fn languages(catalog: &Catalog) -> Vec<String> {
    catalog
        .site()
        .value
        .get("languages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The page of an address, its blocks evaluated at `now_ms`; `None` when there is none.
pub fn page(catalog: &Catalog, path: &str, now_ms: i64) -> Option<SitePage> {
    let page = catalog.site().page(path)?;
    let now = Now::at(now_ms, ZONE);
    let host = catalog.host(&now, None);
    let data = json!({"company": catalog.site().value.get("company")});
    let rendered = page.view.render(&data, &Scope::new().with_host(&host));
    let rendered =
        rendered.inspect_err(|error| tracing::error!(path, %error, "a page of the site failed")).unwrap_or_default();
    let blocks = rendered.get("blocks").and_then(Value::as_array).cloned().unwrap_or_default();
    Some(SitePage { title: page.title.clone(), description: page.description.clone(), hide: page.hide.clone(), blocks })
}

//! The built web app: embedded in a release, read from disk in development.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_draw::Bundle;
use engine_runtime::StepView;
use rust_embed::RustEmbed;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../web/dist"]
#[allow_missing = true]
struct Embedded;

/// A release carries the web app, or does not build: without it pages would be empty. `make web` builds it.
#[cfg(not(debug_assertions))]
const _: &[u8] = include_bytes!("../../../../web/dist/server/links.json");

/// Static files that a browser asks for; a missing one is a plain 404, never the page (R2.1-29).
const STATIC: [&str; 11] = ["js", "css", "svg", "png", "jpg", "jpeg", "json", "ico", "gif", "webp", "woff2"];
/// What is read here and never sent.
const SERVER: &str = "server/";
const LINKS: &str = "server/links.json";
const DRAWING: &str = "server/draw.js";
const GALLERY: &str = "server/gallery.json";

/// What a page links to; the build writes it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Links {
    pub scripts: Vec<String>,
    pub styles: Vec<String>,
    /// The letters that every step is written in.
    pub fonts: Vec<String>,
    /// Scripts that only pages of journeys load.
    pub journey: Vec<String>,
    /// Scripts of a journey's page that decide when the others come.
    pub begin: Vec<String>,
    /// What a journey's page loads beyond that, by what asks for it: `form`, `further` (whoever has begun),
    /// `block:<name>`, `widget:<name>`.
    pub parts: BTreeMap<String, Vec<String>>,
}

impl Links {
    /// The scripts that a step is drawn with, each once.
    pub fn of(&self, view: &StepView) -> Vec<&String> {
        let mut names = Vec::new();
        if let Some(form) = &view.step.form {
            names.push("form".to_owned());
            find_parts(&form.schema, &mut names);
        }
        if view.journey.id.is_some() {
            names.push("further".to_owned());
        }
        find_parts(&serde_json::to_value(&view.step.view).unwrap_or_default(), &mut names);
        let mut files: Vec<&String> = self.journey.iter().collect();
        for file in names.iter().filter_map(|name| self.parts.get(name)).flatten() {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

/// Names of the blocks and widgets in it, wherever they stand.
fn find_parts(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| find_parts(one, names)),
        Value::Object(map) => {
            for (key, inner) in map {
                match inner.as_str() {
                    Some(name) if key == "block" || key == "widget" => names.push(format!("{key}:{name}")),
                    _ => find_parts(inner, names),
                }
            }
        }
        _ => {}
    }
}

/// What pages need of one build of the app.
#[derive(Clone, Default)]
pub struct Build {
    pub links: Links,
    /// The script that draws pages; `None` when the app was not built.
    pub drawing: Option<Bundle>,
    /// Examples of blocks and widgets by name, in order.
    pub gallery: BTreeMap<String, StepView>,
}

/// When the files of a build on disk were written.
type Stamp = [Option<SystemTime>; 2];

pub struct Assets {
    folder: Option<PathBuf>,
    build: RwLock<Option<(Stamp, Arc<Build>)>>,
}

impl Assets {
    /// `folder`: a built app on disk instead of the embedded one.
    pub fn new(folder: Option<PathBuf>) -> Assets {
        Assets { folder, build: RwLock::new(None) }
    }

    /// The build; read again when it has changed.
    pub fn build(&self) -> Arc<Build> {
        let stamp = [LINKS, DRAWING].map(|file| {
            let folder = self.folder.as_ref()?;
            std::fs::metadata(folder.join(file)).and_then(|meta| meta.modified()).ok()
        });
        let known = self.build.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, build)) = known.as_ref()
            && *at == stamp
        {
            return build.clone();
        }
        drop(known);
        let drawing = self.read(DRAWING).map(|source| Bundle::new(source.into_owned()));
        let gallery = self.json(GALLERY).unwrap_or_default();
        let build = Arc::new(Build { links: self.json(LINKS).unwrap_or_default(), drawing, gallery });
        *self.build.write().unwrap_or_else(PoisonError::into_inner) = Some((stamp, build.clone()));
        build
    }

    /// A file of the app; `None` when there is none of that name.
    pub fn serve(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let path = path.trim_start_matches('/');
        if path.is_empty() || path.starts_with(SERVER) || path.split('/').any(|part| part.starts_with('.')) {
            return None;
        }
        let accepts = |coding: &str| {
            headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).any(|value| {
                value.split(',').any(|item| item.split(';').next().is_some_and(|name| name.trim() == coding))
            })
        };
        let packed = [("br", "br"), ("gz", "gzip")]
            .into_iter()
            .filter(|(_, coding)| accepts(coding))
            .find_map(|(ending, coding)| Some((self.read(&format!("{path}.{ending}"))?, Some(coding))));
        let (bytes, coding) = packed.or_else(|| Some((self.read(path)?, None)))?;
        let hashed = path.starts_with("assets/");
        let mut response = (StatusCode::OK, bytes.into_owned()).into_response();
        let out = response.headers_mut();
        out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(path)));
        out.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static(if hashed {
                "public, max-age=31536000, immutable"
            } else {
                "public, max-age=3600"
            }),
        );
        out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(coding) = coding {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        Some(response)
    }

    /// Is this the address of a static file rather than a page?
    pub fn is_static(path: &str) -> bool {
        path.rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'))
            .is_some_and(|(_, ending)| STATIC.contains(&ending.to_ascii_lowercase().as_str()))
    }

    fn json<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        let read = serde_json::from_slice(&self.read(path)?);
        read.inspect_err(|error| tracing::error!(path, %error, "a file of the web app cannot be read")).ok()
    }

    fn read(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        match &self.folder {
            Some(folder) => {
                let relative = Path::new(path);
                let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
                inside.then(|| std::fs::read(folder.join(relative)).ok()).flatten().map(Cow::Owned)
            }
            None => Embedded::get(path).map(|file| file.data),
        }
    }
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "json" | "map" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_found_wherever_they_stand() {
        let mut names = Vec::new();
        let rows = json!({"items": {"properties": {"town": {"x-ui": {"widget": "lookup"}}}}});
        find_parts(&json!([{"block": "options", "frequent": {"block": "faq"}}, rows]), &mut names);
        assert_eq!(names, ["block:options", "block:faq", "widget:lookup"]);
    }

    #[test]
    fn static_names() {
        assert!(Assets::is_static("/a/b.JS") && Assets::is_static("/missing.webp"));
        assert!(!Assets::is_static("/news/2.htm") && !Assets::is_static("/a.b/c"));
        assert!(Assets::new(Some("/".into())).serve("/../etc/passwd", &HeaderMap::new()).is_none());
    }
}

//! The built web app: embedded in a release, read from disk in development.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_draw::Bundle;
use engine_runtime::StepView;
use rust_embed::RustEmbed;
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
const _: &[u8] = include_bytes!("../../../web/dist/.vite/manifest.json");

/// Static files that a browser asks for; a missing one is a plain 404, never the page (R2.1-29).
const STATIC: [&str; 11] = ["js", "css", "svg", "png", "jpg", "jpeg", "json", "ico", "gif", "webp", "woff2"];
const ENTRY: &str = "src/entries/page.ts";
const JOURNEY: &str = "src/journey/app.tsx";
const MANIFEST: &str = ".vite/manifest.json";
/// What is read here and never sent.
const SERVER: &str = "server/";
const DRAWING: &str = "server/draw.js";
const GALLERY: &str = "server/gallery.json";

/// What a page links to, from the build's manifest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    pub scripts: Vec<String>,
    pub styles: Vec<String>,
    /// Only on pages of journeys.
    pub journey_modules: Vec<String>,
    pub journey_styles: Vec<String>,
}

/// What pages need of one build of the app.
#[derive(Clone, Default)]
pub struct Build {
    pub entry: Entry,
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
        let stamp = [MANIFEST, DRAWING].map(|file| {
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
        let manifest: Value = self.json(MANIFEST).unwrap_or_default();
        let drawing = self.read(DRAWING).map(|source| Bundle::new(source.into_owned()));
        let gallery = self.json(GALLERY).unwrap_or_default();
        let build = Arc::new(Build { entry: links(&manifest), drawing, gallery });
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

/// Links of the entry and of what journey pages load at once, from Vite's manifest.
fn links(manifest: &Value) -> Entry {
    let address = |value: &Value| value.as_str().map(|file| format!("/{file}"));
    let list = |chunk: &str, key: &str| -> Vec<String> {
        manifest
            .get(chunk)
            .and_then(|chunk| chunk.get(key))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let mut entry = Entry {
        scripts: manifest.get(ENTRY).and_then(|chunk| chunk.get("file")).and_then(address).into_iter().collect(),
        ..Entry::default()
    };
    entry.styles = list(ENTRY, "css").iter().map(|file| format!("/{file}")).collect();
    let mut open = vec![JOURNEY.to_owned()];
    let mut seen = vec![ENTRY.to_owned()];
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        entry.journey_modules.extend(manifest.get(&name).and_then(|chunk| chunk.get("file")).and_then(address));
        entry.journey_styles.extend(
            list(&name, "css").iter().map(|file| format!("/{file}")).filter(|file| !entry.styles.contains(file)),
        );
        open.extend(list(&name, "imports"));
        seen.push(name);
    }
    entry
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
    fn links_follow_the_manifest() {
        let manifest = json!({
            ENTRY: {"file": "assets/page-1.js", "css": ["assets/page-1.css"], "dynamicImports": [JOURNEY]},
            JOURNEY: {"file": "assets/app-2.js", "imports": ["_react-3.js", ENTRY], "css": ["assets/app-2.css"]},
            "_react-3.js": {"file": "assets/react-3.js"},
        });
        let entry = links(&manifest);
        assert_eq!(entry.scripts, ["/assets/page-1.js"]);
        assert_eq!(entry.styles, ["/assets/page-1.css"]);
        assert_eq!(entry.journey_modules, ["/assets/app-2.js", "/assets/react-3.js"]);
        assert_eq!(entry.journey_styles, ["/assets/app-2.css"]);
        assert_eq!(links(&Value::Null), Entry::default());
    }

    #[test]
    fn static_names() {
        assert!(Assets::is_static("/a/b.JS") && Assets::is_static("/missing.webp"));
        assert!(!Assets::is_static("/news/2.htm") && !Assets::is_static("/a.b/c"));
        assert!(Assets::new(Some("/".into())).serve("/../etc/passwd", &HeaderMap::new()).is_none());
    }
}

//! The whole product in this process: a free port, a fresh SQLite file, a clock that stands still until it is moved.

use engine_definitions::{Catalog, Files};
use engine_runtime::{Clock, ManualClock};
use engine_server::{Product, Source, Start};
use engine_settings::{Secret, Settings};
use engine_store::{EffectFilter, EffectState};
use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// 21 November 2026, 10:00 in India.
pub const START_MS: i64 = 1_795_235_400_000;

/// Longest wait for something that must come; only a failing test waits so long.
pub const PATIENCE: Duration = Duration::from_secs(15);

pub struct TestServer {
    pub product: Product,
    pub clock: Arc<ManualClock>,
    database: String,
    folder: tempfile::TempDir,
}

/// Definitions that other tests of this process begin with too are not read anew for each.
fn keep(catalog: Arc<Catalog>) {
    const KEPT_MAX: usize = 2;
    static KEPT: Mutex<Vec<Arc<Catalog>>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().expect("the kept catalogs");
    kept.retain(|one| !Arc::ptr_eq(one, &catalog));
    if kept.len() == KEPT_MAX {
        kept.remove(0);
    }
    kept.push(catalog);
}

/// The definitions below `tests/it/fixtures/<name>`.
pub fn fixture(name: &str) -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/fixtures").join(name);
    Files::read_dir(folder).expect("the fixture is there")
}

/// All definitions of the product, as they were when the first test asked for them.
pub fn all_definitions() -> Files {
    static PRODUCT: OnceLock<Files> = OnceLock::new();
    let read = || Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("the definitions are there");
    PRODUCT.get_or_init(read).clone()
}

/// What they come to, read once.
pub fn catalog() -> Arc<Catalog> {
    static CATALOG: OnceLock<Arc<Catalog>> = OnceLock::new();
    let read = || engine_definitions::publishable(&all_definitions(), &[]).catalog.expect("they check");
    Arc::clone(CATALOG.get_or_init(read))
}

/// A line of business of `tests/it/fixtures/<name>` among what all lines share: parts, their contracts, partners,
/// forms.
pub fn line(name: &str) -> Files {
    const SHARED: [&str; 12] = [
        "workflows/shared/",
        "workflows/master/",
        "workflows/partners/crm/desk/",
        "workflows/partners/crm/dialer/",
        "workflows/partners/crm/tracking/",
        "workflows/partners/crm/visits/",
        "workflows/partners/registers/pincode/",
        "workflows/partners/identity/",
        "workflows/partners/messaging/",
        "workflows/partners/payments/",
        "workflows/partners/files/",
        "forms/shared/",
    ];
    const WHOLE: [&str; 2] = ["workflows/calendars.yaml", "workflows/roles.yaml"];
    const CONTRACTS: [&str; 9] =
        ["captcha", "kyc", "message", "payment", "pincode", "service", "shared", "tracking", "visit"];
    let product = all_definitions();
    let contract = |path: &str| {
        path.strip_prefix("workflows/contracts/")
            .is_some_and(|rest| CONTRACTS.iter().any(|line| rest.starts_with(line)))
    };
    let mut files = fixture(name);
    for (path, bytes) in product.iter() {
        let is_shared = SHARED.iter().any(|folder| path.starts_with(folder));
        if is_shared || contract(path) || WHOLE.contains(&path) {
            files.insert(path, bytes.clone());
        }
    }
    files
}

impl TestServer {
    pub async fn start(files: Files) -> TestServer {
        TestServer::start_with(files, |_| {}).await
    }

    pub async fn start_with(files: Files, change: impl FnOnce(&mut Settings)) -> TestServer {
        TestServer::start_from(Source::Files(files), change).await
    }

    /// The date in India when the clock has not been moved.
    pub fn first_day() -> chrono::NaiveDate {
        chrono::NaiveDate::from_ymd_opt(2026, 11, 21).expect("a day")
    }

    /// Publishes a folder, and again on every save.
    pub async fn start_watching(folder: &Path) -> TestServer {
        TestServer::start_from(Source::Folder { folder: folder.to_owned(), watch: true }, |_| {}).await
    }

    async fn start_from(source: Source, change: impl FnOnce(&mut Settings)) -> TestServer {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings = Settings::default();
        settings.server.address = "127.0.0.1:0".into();
        settings.database.url = format!("sqlite:{}", folder.path().join("journey.db").display());
        settings.keys.master = Some(Secret::new("5a".repeat(32)));
        settings.keys.forgotten = folder.path().join("forgotten.list");
        settings.uploads.dir = folder.path().join("files");
        settings.worker.poll_ms = 20;
        // all visitors of a test come from one address
        settings.otp.unproven_per_address_hour = 1_000;
        change(&mut settings);
        let database = settings.database.url.clone();
        let clock = Arc::new(ManualClock::at(START_MS));
        let start = Start { settings, source, clock: clock.clone(), worker: true };
        let product = Product::start(start).await.expect("the product starts");
        keep(product.runtime.catalog());
        TestServer { product, clock, database, folder }
    }

    /// What the product stores, as it sees it itself.
    pub async fn store(&self) -> Arc<dyn engine_store::Store> {
        self.product.runtime.store().clone()
    }

    /// The folder with everything that it stores.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> &str {
        &self.database
    }

    /// A browser of its own.
    pub fn visitor(&self) -> Visitor {
        Visitor::at(self.product.url())
    }

    pub async fn until<T>(&self, what: &str, wanted: impl AsyncFnMut() -> Option<T>) -> T {
        until(what, wanted).await
    }

    /// Waits until something is there; whenever no worker is at an effect (its lease would end under it), the clock
    /// goes on to the next one.
    pub async fn until_worked<T>(&self, what: &str, mut wanted: impl AsyncFnMut() -> Option<T>) -> T {
        let found = async || {
            let found = wanted().await;
            let effects = self.product.runtime.store().effects(EffectFilter::default()).await.expect("effects");
            if found.is_none() && effects.iter().all(|e| e.state != EffectState::Running) {
                let next = effects.iter().filter(|e| e.state == EffectState::Pending).map(|e| e.due_at_ms).min();
                next.into_iter().for_each(|due| self.clock.not_before(due));
            }
            found
        };
        until(what, found).await
    }

    pub async fn stop(self) {
        self.product.stop().await.expect("the product stops in time");
    }
}

/// Looks again until `wanted` holds; only a failing test waits long.
pub async fn until<T>(what: &str, mut wanted: impl AsyncFnMut() -> Option<T>) -> T {
    let end = tokio::time::Instant::now() + PATIENCE;
    loop {
        if let Some(found) = wanted().await {
            return found;
        }
        assert!(tokio::time::Instant::now() < end, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// One person: keeps cookies, sends what the web app sends.
pub struct Visitor {
    base: String,
    http: reqwest::Client,
    cookies: Mutex<BTreeMap<String, String>>,
    keys: AtomicU32,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// `code` of a problem.
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// JSON of an answer with this status.
    #[track_caller]
    pub fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }
}

/// Paths of the addresses in a list for search engines.
pub fn listed(list: &str) -> Vec<String> {
    let addresses = list.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
    addresses.map(|address| format!("/{}", address.splitn(4, '/').nth(3).unwrap_or_default())).collect()
}

impl Visitor {
    /// Paths of all pages that search engines are told of, in the first language.
    pub async fn sitemap(&self) -> Vec<String> {
        let mut all = Vec::new();
        let lists = listed(&self.get("/sitemap.xml").await.text());
        for list in lists.into_iter().filter(|list| list != "/sitemap/hi.xml") {
            all.extend(listed(&self.get(&list).await.text()));
        }
        all
    }

    /// A browser of its own, at the product of this address.
    pub fn at(base: String) -> Visitor {
        let http = reqwest::Client::builder().no_brotli().no_gzip().redirect(reqwest::redirect::Policy::none());
        // an idle connection is not used again shortly before the server lets it go
        let http = http.pool_idle_timeout(Duration::from_secs(1)).build().expect("a client");
        // no two visitors of a test send the same key
        static VISITORS: AtomicU32 = AtomicU32::new(0);
        let keys = AtomicU32::new(VISITORS.fetch_add(1, Ordering::Relaxed) * 10_000);
        Visitor { base, http, cookies: Mutex::default(), keys }
    }

    /// Somebody who has this cookie.
    pub fn holding(base: String, name: &str, value: &str) -> Visitor {
        let visitor = Visitor::at(base);
        visitor.cookies.lock().expect("cookies").insert(name.to_owned(), value.to_owned());
        // the keys that this visitor sent another day are used up
        visitor.keys.fetch_add(1_000_000_000, Ordering::Relaxed);
        visitor
    }

    /// The visitor, with next requests that reach another node.
    pub fn moved(&self, base: String) -> Visitor {
        let there = Visitor::at(base);
        there.cookies.lock().expect("cookies").clone_from(&self.cookies.lock().expect("cookies"));
        there
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], None).await
    }

    /// Starts a journey with its first answers.
    pub async fn start(&self, workflow: &str, data: Value) -> Reply {
        self.send(
            "POST",
            "/api/v1/journeys",
            &[("idempotency-key", &self.key())],
            Some(serde_json::json!({"workflow": workflow, "data": data}).to_string()),
        )
        .await
    }

    /// Sends an event to the journey of a view, at the view's revision.
    pub async fn event(&self, view: &Value, kind: &str, data: Value) -> Reply {
        let journey = view["journey"]["id"].as_str().expect("a journey");
        let body = serde_json::json!({"type": kind, "data": data, "revision": view["journey"]["revision"]});
        self.send(
            "POST",
            &format!("/api/v1/journeys/{journey}/events"),
            &[("idempotency-key", &self.key())],
            Some(body.to_string()),
        )
        .await
    }

    pub async fn view(&self, journey: &str) -> Value {
        self.get(&format!("/api/v1/journeys/{journey}")).await.ok(200)
    }

    /// The value of a cookie that this browser holds.
    pub fn cookie(&self, name: &str) -> String {
        self.cookies.lock().expect("cookies").get(name).cloned().unwrap_or_default()
    }

    /// Any request. With a body: JSON, our header and our origin, unless `headers` say otherwise (an empty value
    /// removes one).
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<String>) -> Reply {
        self.send_bytes(method, path, headers, body.map(String::into_bytes)).await
    }

    /// Sends any request, with any body.
    pub async fn send_bytes(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<Vec<u8>>) -> Reply {
        let response = self.request(method, path, headers, body).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.expect("a body").to_vec();
        let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        crate::contract::check(method, path, status, kind, &bytes);
        Reply { status, headers, bytes }
    }

    /// Listens to the changes of a journey.
    pub async fn stream(&self, journey: &str) -> Changes {
        let response = self.request("GET", &format!("/api/v1/journeys/{journey}/stream"), &[], None).await;
        assert_eq!(response.status().as_u16(), 200);
        Changes {
            bytes: Box::pin(response.bytes_stream().map(|part| part.map(|bytes| bytes.to_vec()))),
            read: String::new(),
        }
    }

    fn key(&self) -> String {
        format!("key-{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> reqwest::Response {
        let mut all = HeaderMap::new();
        if body.is_some() {
            all.insert("content-type", HeaderValue::from_static("application/json"));
            all.insert("x-journey", HeaderValue::from_static("1"));
            all.insert("origin", HeaderValue::from_str(&self.base).expect("an origin"));
        }
        let cookies: Vec<String> =
            self.cookies.lock().expect("cookies").iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            all.insert("cookie", HeaderValue::from_str(&cookies.join("; ")).expect("cookies"));
        }
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            match value.is_empty() {
                true => all.remove(&name),
                false => all.insert(name, HeaderValue::from_str(value).expect("a header value")),
            };
        }
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let request = self.http.request(method, format!("{}{path}", self.base)).headers(all);
        let response = match body {
            Some(body) => request.body(body),
            None => request,
        };
        let response = response.send().await.expect("an answer");
        for value in response.headers().get_all("set-cookie") {
            let pair = value.to_str().expect("a cookie").split(';').next().unwrap_or_default();
            if let Some((name, value)) = pair.split_once('=') {
                self.cookies.lock().expect("cookies").insert(name.to_owned(), value.to_owned());
            }
        }
        response
    }
}

/// A stream of changes, event by event.
pub struct Changes {
    bytes: std::pin::Pin<Box<dyn futures::Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    read: String,
}

impl Changes {
    /// Data of the next `change`; `None` when the server has ended the stream.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.read = rest;
                if event.contains("event: change") {
                    let data = event.lines().find_map(|line| line.strip_prefix("data: ")).expect("data");
                    return Some(serde_json::from_str(data).expect("JSON"));
                }
                continue;
            }
            let part = tokio::time::timeout(PATIENCE, self.bytes.next()).await.expect("a change in time")?;
            self.read.push_str(&String::from_utf8_lossy(&part.ok()?));
        }
    }
}

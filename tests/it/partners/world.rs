//! Small definitions, a settings file, and servers on free ports.

use axum::Router;
use engine_definitions::{Catalog, Files, load};
use engine_partners::memory::{InMemory, Memory};
use engine_partners::{CallOutcome, Order, Partners, sandbox};
use engine_settings::{Host, Settings};
use serde_json::Value;
use std::sync::Arc;
use tokio::net::TcpListener;

/// 2026-11-21T10:00:00Z
pub const NOW_MS: i64 = 1_795_255_200_000;

pub fn catalog(files: &[(&str, &str)]) -> Arc<Catalog> {
    let mut set = Files::new();
    for (path, text) in files {
        set.insert(*path, text.as_bytes());
    }
    let loaded = load(&set);
    loaded
        .catalog
        .unwrap_or_else(|| panic!("{:#?}", loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>()))
}

/// Serves until the test ends; gives its address without a slash at the end.
pub async fn listen(app: impl FnOnce(&str) -> Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let app = app(&address);
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    format!("http://{address}")
}

pub fn host(url: &str) -> Host {
    Host { url: url.to_owned(), ..Settings::default().host("any").unwrap() }
}

/// A client over some definitions.
#[derive(Clone)]
pub struct World {
    pub catalog: Arc<Catalog>,
    pub partners: Partners,
}

impl World {
    pub fn new(catalog: Arc<Catalog>, settings: Settings) -> World {
        World { catalog, partners: Partners::new(Arc::new(settings), None).unwrap() }
    }

    /// `partner/operation`
    pub async fn call(&self, name: &str, input: Value, key: &str) -> CallOutcome {
        let (partner, operation) = name.split_once('/').unwrap();
        let partner = self.catalog.partner(partner).unwrap();
        let operation = partner.operation(operation).unwrap();
        self.partners.call(&self.catalog, partner, operation, &input, Order::alone(key, NOW_MS)).await
    }
}

/// The product as far as a sandbox sees it: itself, and what takes webhooks.
pub struct Shop {
    pub url: String,
    pub world: World,
    pub memory: Arc<dyn Memory>,
    pub http: reqwest::Client,
}

impl Shop {
    /// `product` answers beside the sandbox, such as the address of webhooks.
    pub async fn open(files: &[(&str, &str)], product: Router) -> Shop {
        Shop::open_with(catalog(files), product, Settings::default()).await
    }

    pub async fn open_with(catalog: Arc<Catalog>, product: Router, mut settings: Settings) -> Shop {
        let memory: Arc<dyn Memory> = Arc::new(InMemory::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        settings.server.address = listener.local_addr().unwrap().to_string();
        let url = format!("http://{}", settings.server.address);
        let world = World::new(Arc::clone(&catalog), settings.clone());
        let app = product.nest("/sandbox", router(catalog, &memory, settings, None));
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Shop { url, world, memory, http }
    }

    pub async fn json(&self, path: &str) -> Value {
        self.http.get(format!("{}{path}", self.url)).send().await.unwrap().json().await.unwrap()
    }

    pub async fn switch(&self, switch: Value) {
        let answer = self.http.post(format!("{}/sandbox/switches", self.url)).json(&switch).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    }
}

pub fn router(
    catalog: Arc<Catalog>,
    memory: &Arc<dyn Memory>,
    settings: Settings,
    product_url: Option<String>,
) -> Router {
    let options = sandbox::Options { settings: Arc::new(settings), product_url, now_ms: None };
    sandbox::router(Arc::new(move || Arc::clone(&catalog)), Arc::clone(memory), options)
}

/// What was done, for comparing: `done <output>` or `<kind> <code> <never|later|later after N>`.
pub fn told(outcome: &CallOutcome) -> String {
    use engine_definitions::Retry;
    match outcome {
        CallOutcome::Done { output, .. } => format!("done {output}"),
        CallOutcome::NotBegun => "not begun".into(),
        CallOutcome::Failed(error) => {
            let retry = match error.retry {
                Retry::Never => "never".to_owned(),
                Retry::Later(None) => "later".to_owned(),
                Retry::Later(Some(ms)) => format!("later after {ms}"),
            };
            format!("{} {} {retry}", error.kind.as_str(), error.code)
        }
    }
}

/// Asks again until it is so; the test's own timeout ends a wait in vain.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut look: impl FnMut() -> F) -> T {
    let look = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), look).await.unwrap_or_else(|_| panic!("never: {what}"))
}

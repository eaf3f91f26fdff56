//! Fake partners for development: every operation with a `sandbox:` script answers here as its partner would.
//!
//! What they remember lies in [`Memory`], so that a restart changes nothing. [`router`] is mounted at `/sandbox`:
//! `/partners/{partner}/…` plays operations, `/pages/{id}` shows hosted pages, `/inbox` sent messages, `/` switches.

#![allow(clippy::disallowed_methods)] // it plays partners, who have a clock, chance and clients of their own

mod calls;
mod host;
mod html;
mod inbox;
mod operation;
mod pages;
mod script;
mod switches;
mod tasks;

pub use switches::{Mode, Switch};

use crate::client::target;
use crate::memory::{Memory, MemoryError};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use engine_definitions::{Catalog, Credential, Operation, Partner, SandboxScript};
use engine_settings::Settings;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The definitions as they are now: partners are always live.
pub type CatalogSource = Arc<dyn Fn() -> Arc<Catalog> + Send + Sync>;

/// Surroundings of the sandbox.
pub struct Options {
    pub settings: Arc<Settings>,
    /// Address to which webhooks go, without a slash at the end; default: this process's listening address.
    pub product_url: Option<String>,
    /// The clock, in UTC milliseconds; default: the system's.
    pub now_ms: Option<Arc<dyn Fn() -> i64 + Send + Sync>>,
}

/// Routes to be nested at `/sandbox`. Goes on with what an earlier process left, so it must be called inside tokio.
pub fn router(catalog: CatalogSource, memory: Arc<dyn Memory>, options: Options) -> Router {
    let product_url = options.product_url.unwrap_or_else(|| format!("http://{}", options.settings.server.address));
    let now_ms = options.now_ms.unwrap_or_else(|| Arc::new(|| chrono::Utc::now().timestamp_millis()));
    let sandbox = Sandbox(Arc::new(Inner {
        catalog,
        memory,
        settings: options.settings,
        product_url,
        now_ms,
        client: webhook_client(),
        recent: calls::Recent::default(),
        working: Mutex::default(),
    }));
    tokio::spawn(tasks::sweep(sandbox.clone()));
    Router::new()
        .route("/", get(switches::show))
        .route("/switches", get(switches::json).post(switches::set))
        .route("/switches.json", get(switches::json))
        .route("/calls.json", get(calls::json))
        .route("/inbox", get(inbox::show))
        .route("/inbox.json", get(inbox::json))
        .route("/inbox/{id}", get(inbox::html_part))
        .route("/pages/{id}", get(pages::show).post(pages::press))
        .route("/tell", get(pages::tell))
        .route("/partners/{partner}/{*path}", any(operation::serve))
        .route(
            "/assets/sandbox.css",
            get(async || asset("text/css; charset=utf-8", include_str!("assets/sandbox.css"))),
        )
        .route(
            "/assets/sandbox.js",
            get(async || asset("text/javascript; charset=utf-8", include_str!("assets/sandbox.js"))),
        )
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(sandbox)
}

/// A film of the largest kind, as text.
const BODY_MAX: usize = 150 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("stored value: {0}")]
    Stored(String),
    #[error("{0}")]
    Script(String),
}

impl IntoResponse for SandboxError {
    fn into_response(self) -> Response {
        tracing::warn!(error = %self, "sandbox");
        html::note(StatusCode::INTERNAL_SERVER_ERROR, "The sandbox failed", &self.to_string())
    }
}

/// The sandbox, shared by all handlers and tasks.
#[derive(Clone)]
struct Sandbox(Arc<Inner>);

struct Inner {
    catalog: CatalogSource,
    memory: Arc<dyn Memory>,
    settings: Arc<Settings>,
    product_url: String,
    now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
    client: reqwest::Client,
    recent: calls::Recent,
    /// Tasks that this process works on.
    working: Mutex<HashSet<String>>,
}

/// A partner with the operations that have a script.
struct Listed {
    id: String,
    name: String,
    operations: Vec<String>,
}

impl Sandbox {
    fn catalog(&self) -> Arc<Catalog> {
        (self.0.catalog)()
    }

    fn memory(&self) -> &dyn Memory {
        self.0.memory.as_ref()
    }

    fn settings(&self) -> &Settings {
        &self.0.settings
    }

    fn product_url(&self) -> &str {
        &self.0.product_url
    }

    fn now_ms(&self) -> i64 {
        (self.0.now_ms)()
    }

    fn client(&self) -> &reqwest::Client {
        &self.0.client
    }

    fn recent(&self) -> &calls::Recent {
        &self.0.recent
    }

    /// `partner` of a script, as the client gives it to the operation's mappings.
    fn partner_value(&self, partner: &Partner) -> Value {
        target::bound(self.settings(), partner)
            .map_or_else(|_| partner.variable().clone(), |(bound, _)| bound.variable().clone())
    }

    /// The operation that fits best, with its script.
    fn find<'a>(
        &self,
        partner: &'a Partner,
        method: &str,
        path: &[String],
    ) -> Option<(&'a Operation, &'a SandboxScript)> {
        let scripted = partner
            .operations
            .values()
            .filter_map(|operation| Some((operation.fits(method, path)?, operation, operation.sandbox.as_ref()?)));
        scripted.max_by_key(|(literal, ..)| *literal).map(|(_, operation, script)| (operation.as_ref(), script))
    }

    fn operations(&self) -> Vec<Listed> {
        let catalog = self.catalog();
        let scripted = |partner: &Partner| {
            partner.operations.values().filter(|o| o.sandbox.is_some()).map(|o| o.id.clone()).collect::<Vec<_>>()
        };
        let listed = catalog.partners().map(|partner| Listed {
            id: partner.id.clone(),
            name: partner.name.clone(),
            operations: scripted(partner),
        });
        listed.filter(|partner| !partner.operations.is_empty()).collect()
    }

    /// Header and secret that sign a webhook.
    fn signing(&self, partner: &str, webhook: &str) -> Option<(String, String)> {
        let catalog = self.catalog();
        let rule = catalog.webhook(partner, webhook)?.verify_rule();
        match &rule.secret {
            Credential::Secret(name) => Some((rule.header.clone(), name.clone())),
            Credential::Literal(_) => None,
        }
    }

    /// Takes up a task; true for the one who may work on it.
    fn take_up(&self, task: &str) -> bool {
        self.0.working.lock().unwrap_or_else(PoisonError::into_inner).insert(task.to_owned())
    }

    fn put_down(&self, task: &str) {
        self.0.working.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
    }

    fn downgrade(&self) -> WeakSandbox {
        WeakSandbox(Arc::downgrade(&self.0))
    }
}

struct WeakSandbox(Weak<Inner>);

impl WeakSandbox {
    fn upgrade(&self) -> Option<Sandbox> {
        self.0.upgrade().map(Sandbox)
    }
}

fn webhook_client() -> reqwest::Client {
    crate::client::install_crypto();
    let built = reqwest::Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::none())
        .build();
    built.unwrap_or_default()
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "public, max-age=3600"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        text,
    )
        .into_response()
}

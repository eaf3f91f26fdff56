//! What every handler may use, and the router over it.

use crate::api::health::Health;
use crate::api::subscriptions::Subscriptions;
use crate::connection::middleware::{Class, Client, Limiter, Origins, Places, Proxies, Requests, SecurityHeaders};
use crate::pages::assets::Assets;
use crate::pages::cache;
use crate::pages::card::Cards;
use crate::pages::remote::Remotes;
use crate::problem::{Code, Problem};
use crate::visitor::captcha::Captcha;
use crate::visitor::presence::Presence;
use engine_definitions::{Catalog, Operation, Partner, ZONE};
use engine_draw::Draw;
use engine_partners::{CallOutcome, Order, Partners};
use engine_runtime::{Runtime, new_id};
use engine_settings::{Limits, Settings};
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::Value;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The day in India at a moment: `2026-11-21`.
pub fn day_at(now_ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(now_ms)
        .map(|now| now.with_timezone(&ZONE).format("%Y-%m-%d").to_string())
        .unwrap_or_default()
}

/// Shared state of the handlers. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub struct Inner {
    pub runtime: Runtime,
    pub partners: Arc<Partners>,
    pub settings: Arc<Settings>,
    pub subscriptions: Subscriptions,
    pub presence: Presence,
    pub assets: Assets,
    pub draw: Draw,
    pub proxies: Proxies,
    pub limiter: Limiter,
    pub origins: Origins,
    pub headers: SecurityHeaders,
    pub requests: Requests,
    /// Places for requests of customers.
    pub customers: Lane,
    /// Places for webhooks, whatever customers do.
    pub webhooks: Lane,
    pub metrics: Option<PrometheusHandle>,
    pub health: Health,
    pub captcha: Captcha,
    pub remotes: Remotes,
    pub kept: cache::Pages,
    pub cards: Cards,
    /// Cancelled at a stop: streams end, `/readyz` says so.
    pub shutdown: CancellationToken,
}

/// What the server gives.
pub struct Options {
    pub runtime: Runtime,
    pub partners: Arc<Partners>,
    pub settings: Arc<Settings>,
    pub metrics: Option<PrometheusHandle>,
    pub shutdown: CancellationToken,
}

/// Places of one kind of requests.
pub struct Lane {
    /// Requests at work at once.
    pub work: Semaphore,
    /// Bodies that are still arriving: they wait outside of the places of working requests.
    pub bodies: Places,
}

impl Lane {
    fn new(work: usize, limits: &Limits) -> Lane {
        Lane { work: Semaphore::new(work), bodies: Places::new(limits.bodies_max, limits.bodies_per_address) }
    }
}

impl App {
    /// The day in India: `2026-11-21`.
    pub fn today(&self) -> String {
        day_at(self.runtime.now_ms())
    }

    /// The error names the setting at fault. Must be called within a tokio runtime.
    pub fn new(options: Options) -> Result<App, String> {
        let Options { runtime, partners, settings, metrics, shutdown } = options;
        let proxies = Proxies::of(&settings)?;
        let on_disk = || {
            let folder = std::path::PathBuf::from("web/dist");
            (!settings.production() && folder.is_dir()).then_some(folder)
        };
        let draw = Draw::start(engine_draw::Limits::default())
            .map_err(|error| format!("no thread to draw pages in: {error}"))?;
        let inner = Inner {
            draw,
            presence: Presence::new(runtime.clone(), partners.clone(), &settings, shutdown.clone()),
            subscriptions: Subscriptions::new(runtime.changes(), &settings.limits, shutdown.clone()),
            assets: Assets::new(settings.server.web_dir.clone().or_else(on_disk)),
            limiter: Limiter::new(&settings.limits),
            origins: Origins::new(&settings),
            headers: SecurityHeaders::new(&settings),
            requests: Requests::default(),
            health: Health::default(),
            captcha: Captcha::default(),
            remotes: Remotes::default(),
            kept: cache::Pages::default(),
            cards: Cards::default(),
            customers: Lane::new(settings.limits.concurrency_max, &settings.limits),
            webhooks: Lane::new(settings.limits.webhooks_max, &settings.limits),
            runtime,
            partners,
            settings,
            proxies,
            metrics,
            shutdown,
        };
        Ok(App(Arc::new(inner)))
    }

    /// What this operation says, with no journey behind the question; it is asked once.
    pub async fn ask(
        &self,
        catalog: &Catalog,
        (partner, operation): (&Arc<Partner>, &Arc<Operation>),
        input: &Value,
    ) -> CallOutcome {
        let key = new_id();
        self.partners.call(catalog, partner, operation, input, Order::alone(&key, self.runtime.now_ms())).await
    }

    /// Counts this request against its class, or answers 429.
    pub fn limit(&self, class: Class, client: Client) -> Result<(), Problem> {
        self.limiter
            .take(class, client.bucket(), Instant::now())
            .map_err(|wait| Problem::new(Code::Limited).retry_after_ms(wait.as_millis() as u64))
    }
}

impl Deref for App {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// Runs changes in a task of their own, so that a caller who goes away cannot stop between two of them. A single commit
/// needs none: it is one message to the store's writer.
pub async fn run_to_end<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Into<Problem> + Send + 'static,
{
    match tokio::spawn(work).await {
        Ok(result) => result.map_err(Into::into),
        Err(error) => {
            tracing::error!(panic = error.is_panic(), "a change of state ended early");
            Err(Problem::new(Code::Internal))
        }
    }
}

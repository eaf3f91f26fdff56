//! The one way out: [`Partners::call`] makes a request of an operation's mapping, within its partner's limits, and
//! says what became of it. It never shows a partner's reply in an error.

mod breaker;
mod exchange;
mod gate;
mod openid;
mod outcome;
mod request;
mod resolver;
pub mod target;
mod webhook;

pub use breaker::State as BreakerState;
pub use openid::{Attempt, Identity, OpenidError};
pub use outcome::{CallOutcome, Document};
pub use webhook::WebhookRefused;

use crate::email::{Email, EmailError, Post};
use crate::memory::Memory;
use breaker::{Caller, Rule};
use engine_definitions::{Catalog, Now, Operation, Partner};
use engine_settings::Settings;
use exchange::Clients;
use futures::future::BoxFuture;
use gate::{Closed, Gates};
use request::Secrets;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The order on whose behalf a call is made.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// Key of the order, stable for all attempts; goes out as `Idempotency-Key`.
    pub key: &'a str,
    /// Subject of the order: faults of one subject do not count twice against a partner.
    pub subject: &'a str,
    /// Time of the order: of those that wait, the oldest tries first whether a partner works again.
    pub since_ms: i64,
    pub now_ms: i64,
    /// Listener that is told when everything stands ready and the request goes out next.
    pub begins: &'a dyn Begins,
    /// Files that the order's input names.
    pub files: &'a [CallFile],
}

/// A file that a call hands on.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFile {
    pub id: String,
    pub name: String,
    pub media_type: String,
    pub sha256: String,
    pub bytes: Vec<u8>,
}

impl CallFile {
    /// The file as mappings know it.
    fn to_value(&self) -> Value {
        use base64::Engine as _;
        let base64 = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        serde_json::json!({
            "name": self.name, "type": self.media_type, "size": self.bytes.len(), "sha256": self.sha256, "base64": base64
        })
    }
}

/// What must be true before a request goes out: the attempt is counted where a crash cannot lose it.
pub trait Begins: Send + Sync {
    /// Begins the attempt; false: somebody else does it, nothing goes out.
    fn begin(&self) -> BoxFuture<'_, bool>;
}

/// A call that nobody counts.
pub struct Uncounted;

impl Begins for Uncounted {
    fn begin(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}

impl<'a> Order<'a> {
    /// A call of its own that nobody counts.
    pub fn alone(key: &'a str, now_ms: i64) -> Order<'a> {
        Order { key, subject: key, since_ms: now_ms, now_ms, begins: &Uncounted, files: &[] }
    }
}

/// Cheap to clone; everybody in a process shares one, because limits and breakers are per process.
#[derive(Clone)]
pub struct Partners(Arc<Inner>);

struct Inner {
    settings: Arc<Settings>,
    clients: Clients,
    gates: Gates,
    post: Post,
}

#[derive(Debug, thiserror::Error)]
pub enum PartnersError {
    #[error("the client cannot be made: {0}")]
    Client(#[from] reqwest::Error),
    #[error(transparent)]
    Email(#[from] EmailError),
}

impl Partners {
    /// Creates the client; without a mail server in the settings, e-mail goes to `inbox` (the sandbox's memory), or
    /// nowhere.
    pub fn new(settings: Arc<Settings>, inbox: Option<Arc<dyn Memory>>) -> Result<Partners, PartnersError> {
        install_crypto();
        let connect = Duration::from_millis(settings.partners.connect_timeout_ms);
        let clients = Clients::new(connect, settings.partners.reply_bytes_max)?;
        let post = Post::new(&settings, inbox.filter(|_| settings.sandbox.enabled))?;
        Ok(Partners(Arc::new(Inner { settings, clients, gates: Gates::new(), post })))
    }

    /// One attempt. Tables, dates and functions of the operation's mappings come from `catalog` at the order's `now_ms`.
    pub async fn call(
        &self,
        catalog: &Catalog,
        partner: &Partner,
        operation: &Operation,
        input: &Value,
        order: Order<'_>,
    ) -> CallOutcome {
        let started = Instant::now();
        let outcome = self.attempt(catalog, partner, operation, input, order).await;
        let labels = [("partner", partner.id.clone()), ("operation", operation.id.clone())];
        metrics::histogram!("partner_call_seconds", &labels).record(started.elapsed().as_secs_f64());
        metrics::counter!("partner_calls_total", "partner" => partner.id.clone(), "operation" => operation.id.clone(), "outcome" => outcome.class())
            .increment(1);
        if let CallOutcome::Failed(error) = &outcome {
            tracing::info!(partner = %partner.id, operation = %operation.id, code = %error.code, outcome = outcome.class(), elapsed_ms = started.elapsed().as_millis() as u64, "partner call");
        }
        outcome
    }

    async fn attempt(
        &self,
        catalog: &Catalog,
        partner: &Partner,
        operation: &Operation,
        input: &Value,
        order: Order<'_>,
    ) -> CallOutcome {
        let settings = &self.0.settings;
        let (partner, target) = match target::bound(settings, partner) {
            Ok(bound) => bound,
            Err(error) => return CallOutcome::refusal("partner.not_bound", &error.to_string()),
        };
        let total = Duration::from_millis(
            u64::try_from(operation.timeout_ms).unwrap_or(0).min(settings.partners.timeout_ms_max),
        );
        let now = Now::at(order.now_ms, engine_definitions::ZONE);
        let secrets = Secrets { settings, host: &target.host, files: order.files };
        let host = catalog.host(&now, Some(&secrets));
        let input = match operation.prepare(input) {
            Ok(input) => input,
            Err(error) => return CallOutcome::Failed(error),
        };
        let exchange = match operation.request(&partner, &input, order.key, &host) {
            Ok(request) => request::exchange(request, &target, &secrets, order.key, total),
            Err(error) => return CallOutcome::refusal("partner.request", &error.to_string()),
        };
        let mut exchange = match exchange {
            Ok(exchange) => exchange,
            Err(error) => return CallOutcome::refusal("partner.request", &error.to_string()),
        };

        // Whoever waits for a place keeps at least half of the time for the call itself.
        let begun = Instant::now();
        let rule =
            Rule { failures: partner.breaker.failures, open_ms: u64::try_from(partner.breaker.open_ms).unwrap_or(0) };
        let caller = Caller { subject: order.subject, since_ms: order.since_ms };
        let enter = self.0.gates.enter(&partner.id, &operation.id, caller, partner.concurrency, rule, total / 2);
        let pass = match enter.await {
            Ok(pass) => pass,
            Err(Closed::Busy) => return CallOutcome::later("partner.busy", "too many calls at once", None),
            Err(Closed::Open { retry_after_ms }) => {
                return CallOutcome::later("partner.unavailable", "its circuit breaker is open", Some(retry_after_ms));
            }
        };
        if !order.begins.begin().await {
            return CallOutcome::NotBegun;
        }
        exchange.timeout = total.saturating_sub(begun.elapsed());
        let in_flight = InFlight::new(&partner.id);
        let answer = self.0.clients.send(exchange, target.host.allow_private).await;
        drop(in_flight);
        let (outcome, verdict) = outcome::judge(&partner, operation, &input, answer, &host);
        pass.end(verdict);
        outcome
    }

    /// State of each breaker of this process, by `partner/operation`.
    pub fn breakers(&self) -> Vec<(String, BreakerState)> {
        self.0.gates.breakers()
    }

    pub async fn send_email(&self, email: Email, now_ms: i64) -> Result<(), EmailError> {
        let result = self.0.post.send(email, now_ms).await;
        metrics::counter!("emails_total", "outcome" => if result.is_ok() { "sent" } else { "failed" }).increment(1);
        result
    }

    /// Checks the sender of a webhook over the raw body.
    pub fn verify_webhook(
        &self,
        webhook: &engine_definitions::Webhook,
        headers: &axum::http::HeaderMap,
        raw: &[u8],
    ) -> Result<(), WebhookRefused> {
        webhook::verify(&self.0.settings, webhook.verify_rule(), headers, raw)
    }
}

struct InFlight(String);

impl InFlight {
    fn new(partner: &str) -> Self {
        metrics::gauge!("partner_calls_in_flight", "partner" => partner.to_owned()).increment(1.0);
        InFlight(partner.to_owned())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        metrics::gauge!("partner_calls_in_flight", "partner" => self.0.clone()).decrement(1.0);
    }
}

/// The crypto library of TLS, once per process; a second time does nothing.
pub(crate) fn install_crypto() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

//! Who is there: pings of browsers, held in memory, written in batches, told to partners as far as these keep up.
//!
//! A ping costs no statement: the right to a journey is remembered for a while, and what was heard of many journeys is
//! one statement every few seconds. Nothing here matters after a restart, and nothing waits: what does not fit is
//! dropped and counted.

use engine_partners::{CallOutcome, Order, Partners};
use engine_runtime::{Runtime, new_id};
use engine_settings::Settings;
use engine_store::PresenceNote;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct Presence(Arc<Inner>);

struct Inner {
    settings: engine_settings::Presence,
    /// Journeys that this node heard of lately.
    heard: Mutex<HashMap<String, Heard>>,
    /// Visitors who may ping a journey, by [`right`].
    rights: Mutex<HashMap<[u8; 32], Right>>,
    calls: mpsc::Sender<Arc<engine_runtime::Presence>>,
}

#[derive(Clone, Copy)]
struct Heard {
    at_ms: i64,
    written: bool,
}

struct Right {
    until_ms: i64,
    call: Option<Arc<engine_runtime::Presence>>,
    called_ms: i64,
}

/// Key of a session's right to a journey; tokens are not kept.
pub fn right(token: &str, journey: &str) -> [u8; 32] {
    Sha256::digest(format!("{token} {journey}").as_bytes()).into()
}

impl Presence {
    /// Must be called within a tokio runtime.
    pub fn new(
        runtime: Runtime,
        partners: Arc<Partners>,
        settings: &Settings,
        shutdown: CancellationToken,
    ) -> Presence {
        let settings = settings.presence.clone();
        let (calls, waiting) = mpsc::channel(settings.calls_max.max(1));
        let presence = Presence(Arc::new(Inner { settings, heard: Mutex::default(), rights: Mutex::default(), calls }));
        let waiting = Arc::new(tokio::sync::Mutex::new(waiting));
        for _ in 0..presence.0.settings.calls_at_once.max(1) {
            tokio::spawn(tell(runtime.clone(), partners.clone(), waiting.clone(), shutdown.clone()));
        }
        tokio::spawn(presence.clone().keep(runtime, shutdown));
        presence
    }

    /// A ping of somebody whose right is remembered; false when it must be looked up.
    pub fn ping(&self, right: &[u8; 32], journey: &str, now_ms: i64) -> bool {
        let call = {
            let mut rights = lock(&self.0.rights);
            let Some(known) = rights.get_mut(right).filter(|known| known.until_ms > now_ms) else { return false };
            // A browser that pings more often than it should is no reason to call more often.
            let soon = now_ms - known.called_ms < self.0.settings.every_ms as i64 / 2;
            let call = known.call.clone().filter(|_| !soon);
            if call.is_some() {
                known.called_ms = now_ms;
            }
            call
        };
        metrics::counter!("presence_pings_total").increment(1);
        self.note(journey, now_ms);
        if let Some(call) = call
            && self.0.calls.try_send(call).is_err()
        {
            metrics::counter!("presence_calls_total", "outcome" => "dropped").increment(1);
        }
        true
    }

    /// Lets this session ping this journey from now on.
    pub fn allow(&self, right: [u8; 32], call: Option<engine_runtime::Presence>, now_ms: i64) {
        let mut rights = lock(&self.0.rights);
        if rights.len() >= self.0.settings.journeys_max {
            rights.retain(|_, known| known.until_ms > now_ms);
        }
        if rights.len() >= self.0.settings.journeys_max {
            // Rights are looked up again one by one.
            rights.clear();
        }
        let every_ms = self.0.settings.every_ms as i64;
        rights.insert(
            right,
            Right {
                until_ms: now_ms + self.0.settings.allow_ms,
                call: call.map(Arc::new),
                called_ms: now_ms - every_ms,
            },
        );
    }

    fn note(&self, journey: &str, at_ms: i64) {
        let mut heard = lock(&self.0.heard);
        let full = heard.len() >= self.0.settings.journeys_max;
        match heard.get_mut(journey) {
            Some(known) => *known = Heard { at_ms: at_ms.max(known.at_ms), written: false },
            None if full => metrics::counter!("presence_dropped_total").increment(1),
            None => drop(heard.insert(journey.to_owned(), Heard { at_ms, written: false })),
        }
    }

    async fn keep(self, runtime: Runtime, shutdown: CancellationToken) {
        loop {
            let stopping = tokio::select! {
                () = shutdown.cancelled() => true,
                () = tokio::time::sleep(Duration::from_millis(self.0.settings.flush_ms.max(1))) => false,
            };
            self.flush(&runtime).await;
            if stopping {
                return;
            }
        }
    }

    /// One statement for every `batch_max` journeys that came or went; what could not be written is tried again.
    async fn flush(&self, runtime: &Runtime) {
        for batch in self.news(runtime.now_ms()).chunks(self.0.settings.batch_max.max(1)) {
            metrics::counter!("presence_statements_total").increment(1);
            if let Err(error) = runtime.store().note_presence(batch.to_vec()).await {
                tracing::warn!(%error, journeys = batch.len(), "presence could not be written; it will be tried again");
                for note in batch {
                    self.note(&note.journey, note.seen_at_ms);
                }
            }
        }
    }

    /// Who was heard of since the last time, and who was not for two pings: those are away and forgotten here.
    fn news(&self, now_ms: i64) -> Vec<PresenceNote> {
        let away_ms = self.0.settings.every_ms as i64 * 2;
        let mut news = Vec::new();
        let mut heard = lock(&self.0.heard);
        heard.retain(|journey, known| {
            let online = now_ms - known.at_ms < away_ms;
            if !known.written || !online {
                news.push(PresenceNote { journey: journey.clone(), seen_at_ms: known.at_ms, online });
            }
            known.written = true;
            online
        });
        metrics::gauge!("presence_journeys").set(heard.len() as f64);
        news
    }
}

/// Calls one after the other; a partner that fails is not asked again for this ping.
async fn tell(
    runtime: Runtime,
    partners: Arc<Partners>,
    waiting: Arc<tokio::sync::Mutex<mpsc::Receiver<Arc<engine_runtime::Presence>>>>,
    shutdown: CancellationToken,
) {
    loop {
        let next = async { waiting.lock().await.recv().await };
        let call = tokio::select! {
            () = shutdown.cancelled() => return,
            call = next => match call {
                Some(call) => call,
                None => return,
            },
        };
        let catalog = runtime.catalog();
        let found = catalog.partner(&call.partner).zip(catalog.operation(&call.partner, &call.operation));
        let told = match found {
            Some((partner, operation)) => {
                partners
                    .call(&catalog, partner, operation, &call.input, Order::alone(&new_id(), runtime.now_ms()))
                    .await
            }
            None => continue,
        };
        let outcome = if matches!(told, CallOutcome::Done { .. }) { "done" } else { "failed" };
        metrics::counter!("presence_calls_total", "outcome" => outcome).increment(1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! When a job was begun: it says so in the log, and this listens.

use anyhow::Result;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

/// Target of the log under which a job says that it begins.
const JOB: &str = "worker::jobs";

pub struct Begun(Mutex<Receiver<Instant>>);

struct Listener(Sender<Instant>);

impl<S: Subscriber> Layer<S> for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == JOB
    }

    fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
        let _ = self.0.send(Instant::now());
    }
}

impl Begun {
    /// Once per process.
    pub fn listen() -> Result<Begun> {
        let (sender, receiver) = channel();
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Listener(sender)))?;
        Ok(Begun(Mutex::new(receiver)))
    }

    /// Jobs that began since the last look.
    pub fn count(&self) -> usize {
        self.line().try_iter().count()
    }

    pub fn next(&self, patience: Duration) -> Result<Instant> {
        Ok(self.line().recv_timeout(patience)?)
    }

    fn line(&self) -> MutexGuard<'_, Receiver<Instant>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

//! `engine-draw`: pages drawn with the web app's own code, inside this process.
//!
//! What it is: [`Draw`], one thread with one JavaScript engine, a bounded queue before it and a cache behind it. A page
//! is JSON in and HTML out; equal JSON is drawn once.
//! What it does not know: what a page is, HTTP, definitions, journeys. What it is given must be the same for everybody:
//! nothing that a person typed reaches the engine, and the cache knows no person.
//!
//! Invariants:
//! - **a-page-comes-anyway**: a drawing that fails, or comes too late, is `None` and never an error of the request.
//! - **one-fault-one-engine**: an engine that failed in any way is thrown away.
//! - **deadline-first**: the time limit ends a drawing long before the memory limit could; a failed allocation may end
//!   the process (QuickJS frees what it has not set up yet).

mod cache;
mod engine;

use cache::{Cache, Drawing};
use sha2::{Digest, Sha256};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What one drawing may use. The defaults hold a multiple of what the largest page needs.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Processor time of one drawing.
    pub deadline: Duration,
    /// Largest page, in bytes.
    pub html_bytes: usize,
    /// Memory of the engine: out of reach on purpose (**deadline-first**).
    pub memory_bytes: usize,
    /// Drawings that may wait.
    pub queue: usize,
    /// All pages that are kept.
    pub cache_bytes: usize,
    /// How long a request waits for its page.
    pub patience: Duration,
    /// How long a page that failed is not tried again.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            deadline: Duration::from_millis(250),
            html_bytes: 1 << 20,
            memory_bytes: 256 << 20,
            queue: 32,
            cache_bytes: 32 << 20,
            patience: Duration::from_secs(3),
            pause: Duration::from_secs(30),
        }
    }
}

/// The script that defines `draw(json)`, with its hash.
#[derive(Debug, Clone)]
pub struct Bundle {
    source: Arc<[u8]>,
    hash: [u8; 32],
}

impl Bundle {
    pub fn new(source: impl Into<Arc<[u8]>>) -> Bundle {
        let source = source.into();
        Bundle { hash: Sha256::digest(&source).into(), source }
    }
}

type Key = [u8; 32];
/// What became of a drawing.
type Outcome = Option<Arc<str>>;
/// `None` inside while the drawing is under way.
type Waiting = watch::Receiver<Option<Outcome>>;

struct Job {
    key: Key,
    bundle: Bundle,
    page: String,
    told: watch::Sender<Option<Outcome>>,
}

/// Draws pages; a clone is cheap.
#[derive(Clone)]
pub struct Draw(Arc<Inner>);

struct Inner {
    limits: Limits,
    cache: Mutex<Cache>,
    queue: SyncSender<Job>,
}

impl Draw {
    /// Starts the thread; it ends with the last clone.
    pub fn start(limits: Limits) -> std::io::Result<Draw> {
        let (queue, jobs) = sync_channel(limits.queue);
        let cache = Mutex::new(Cache::new(limits.cache_bytes));
        let inner = Arc::new(Inner { limits, cache, queue });
        let (behind, limits) = (Arc::downgrade(&inner), inner.limits.clone());
        std::thread::Builder::new()
            .name("draw".into())
            .stack_size(engine::THREAD_STACK)
            .spawn(move || work(&jobs, &limits, &behind))?;
        Ok(Draw(inner))
    }

    /// The page's HTML, kept or drawn now; `None` when it cannot be had in time.
    pub async fn html(&self, bundle: &Bundle, page: &str) -> Option<Arc<str>> {
        let key = key_of(bundle, page);
        let mut waiting = match self.0.place(key, bundle, page) {
            Ok(kept) => return kept,
            Err(waiting) => waiting,
        };
        let drawn = tokio::time::timeout(self.0.limits.patience, waiting.wait_for(Option::is_some)).await;
        drawn.ok()?.ok()?.clone().flatten()
    }
}

impl Inner {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a page, or where its drawing will be told: everybody who wants it waits for the same one.
    fn place(&self, key: Key, bundle: &Bundle, page: &str) -> Result<Outcome, Waiting> {
        let mut cache = self.cache();
        match cache.find(&key) {
            Some(Drawing::Drawn(html)) => return Ok(Some(html)),
            Some(Drawing::Failed(until)) if Instant::now() < until => return Ok(None),
            Some(Drawing::Asked(waiting)) => return Err(waiting),
            Some(Drawing::Failed(_)) | None => {}
        }
        let (told, waiting) = watch::channel(None);
        let job = Job { key, bundle: bundle.clone(), page: page.to_owned(), told };
        if self.queue.try_send(job).is_err() {
            metrics::counter!("draws_total", "outcome" => "refused").increment(1);
            return Ok(None);
        }
        cache.put(key, Drawing::Asked(waiting.clone()));
        Err(waiting)
    }

    fn keep(&self, key: Key, outcome: &Outcome) {
        let place = match outcome {
            Some(html) => Drawing::Drawn(html.clone()),
            None => Drawing::Failed(Instant::now() + self.limits.pause),
        };
        self.cache().put(key, place);
    }
}

fn key_of(bundle: &Bundle, page: &str) -> Key {
    Sha256::new().chain_update(bundle.hash).chain_update(page).finalize().into()
}

/// The thread: one engine for as long as it does well.
fn work(jobs: &Receiver<Job>, limits: &Limits, behind: &Weak<Inner>) {
    let mut engine = None;
    while let Ok(job) = jobs.recv() {
        let started = Instant::now();
        let drawn = draw(&mut engine, &job, limits);
        metrics::histogram!("draw_seconds").record(started.elapsed());
        let outcome = match drawn {
            Ok(html) => Some(html.into()),
            Err(reason) => {
                tracing::error!(reason, bytes = job.page.len(), "a page could not be drawn");
                engine = None;
                None
            }
        };
        let name = if outcome.is_some() { "drawn" } else { "failed" };
        metrics::counter!("draws_total", "outcome" => name).increment(1);
        if let Some(inner) = behind.upgrade() {
            inner.keep(job.key, &outcome);
        }
        // Nobody may be waiting any more.
        let _ = job.told.send(Some(outcome));
    }
}

fn draw(engine: &mut Option<([u8; 32], engine::Engine)>, job: &Job, limits: &Limits) -> Result<String, String> {
    if engine.as_ref().is_none_or(|(hash, _)| *hash != job.bundle.hash) {
        *engine = Some((job.bundle.hash, engine::Engine::new(&job.bundle.source, limits)?));
    }
    let (_, engine) = engine.as_ref().ok_or("no engine")?;
    engine.draw(&job.page)
}

#[cfg(test)]
mod tests;

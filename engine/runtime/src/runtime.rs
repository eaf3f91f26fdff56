//! The runtime's own state on a node: nothing in it matters after a restart.

use crate::clock::Clock;
use crate::keys::Keys;
use crate::proof::UsedProofs;
use crate::publish::aside;
use crate::recent::Recent;
use crate::sessions::Known;
use engine_definitions::{Catalog, Workflow};
use engine_settings::Settings;
use engine_store::{Change, JourneyRecord, Store};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock, Weak};
use tokio::sync::broadcast;

/// Use cases of the product over one store. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub store: Arc<dyn Store>,
    pub settings: Arc<Settings>,
    pub clock: Arc<dyn Clock>,
    pub keys: Keys,
    /// The current publication.
    live: RwLock<Live>,
    /// Older versions that running journeys are pinned to.
    versions: Mutex<HashMap<(String, String), Arc<Workflow>>>,
    pub recent: Recent,
    /// Sessions that this node has just looked up.
    pub sessions: Known,
    pub proofs: UsedProofs,
    /// Keeps this node's writers of one journey in line; correctness is the store's (**seq-cas**).
    lines: Mutex<Lines>,
}

/// Who writes which journey just now.
#[derive(Default)]
struct Lines {
    by_journey: HashMap<String, Weak<tokio::sync::Mutex<()>>>,
    /// With so many, those that nobody holds any more are removed first.
    sweep_at: usize,
}

#[derive(Clone)]
struct Live {
    number: i64,
    catalog: Arc<Catalog>,
}

/// Bucket and key of the time that a process saw last.
const CLOCK: &str = "clock";
const LATEST: &str = "latest";

/// Ours or the database's fault.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error(transparent)]
    Store(#[from] engine_store::StoreError),
    #[error("`keys.master` is not set")]
    NoKey,
    #[error("journey `{journey}` is pinned to version `{version}` of `{workflow}`, which does not load: {reason}")]
    Version { journey: String, workflow: String, version: String, reason: String },
    #[error("state of journey `{journey}` is not readable: {reason}")]
    State { journey: String, reason: String },
    #[error("state cannot be stored: {0}")]
    Write(#[from] serde_json::Error),
    #[error("`{place}`: {reason}")]
    Definition { place: String, reason: String },
    #[error("a publication does not load: {0}")]
    Publication(String),
}

impl Runtime {
    pub fn new(store: Arc<dyn Store>, settings: Arc<Settings>, clock: Arc<dyn Clock>) -> Result<Runtime, RuntimeError> {
        let keys = Keys::derive(settings.master_key().ok_or(RuntimeError::NoKey)?.expose());
        let live = RwLock::new(Live { number: 0, catalog: Arc::new(Catalog::default()) });
        let inner = Inner {
            store,
            settings,
            clock,
            keys,
            live,
            versions: Mutex::default(),
            recent: Recent::default(),
            sessions: Known::default(),
            proofs: UsedProofs::default(),
            lines: Mutex::default(),
        };
        Ok(Runtime { inner: Arc::new(inner) })
    }

    /// The current definitions.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.inner.live.read().unwrap_or_else(|e| e.into_inner()).catalog.clone()
    }

    /// Number of the publication that this node serves; 0 before the first.
    pub fn publication(&self) -> i64 {
        self.inner.live.read().unwrap_or_else(|e| e.into_inner()).number
    }

    pub(crate) fn switch(&self, number: i64, catalog: Arc<Catalog>) {
        *self.inner.live.write().unwrap_or_else(|e| e.into_inner()) = Live { number, catalog };
        self.inner.versions.lock().unwrap_or_else(|e| e.into_inner()).clear();
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    pub fn settings(&self) -> &Arc<Settings> {
        &self.inner.settings
    }

    /// Time goes on where the last process left it, should the machine's clock say less.
    pub async fn go_on(&self) -> Result<(), RuntimeError> {
        if let Some(ms) = self.store().kv_get(CLOCK, LATEST).await?.and_then(|latest| latest.as_i64()) {
            self.inner.clock.not_before(ms);
        }
        Ok(())
    }

    /// So that the next process can go on from here.
    pub async fn keep_time(&self) -> Result<(), RuntimeError> {
        Ok(self.store().kv_put(CLOCK, LATEST, self.now_ms().into()).await?)
    }

    pub fn now_ms(&self) -> i64 {
        self.inner.clock.now_ms()
    }

    /// Changes of journeys, on this node or another.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.store.changes()
    }

    /// The version that a journey is pinned to.
    pub(crate) async fn workflow_of(&self, record: &JourneyRecord) -> Result<Arc<Workflow>, RuntimeError> {
        let catalog = self.catalog();
        if let Some(workflow) = catalog.workflow(&record.workflow).filter(|w| w.version == record.version) {
            return Ok(workflow.clone());
        }
        let key = (record.workflow.clone(), record.version.clone());
        if let Some(workflow) = self.inner.versions.lock().unwrap_or_else(|e| e.into_inner()).get(&key) {
            return Ok(workflow.clone());
        }
        let fail = |reason: String| RuntimeError::Version {
            journey: record.id.clone(),
            workflow: record.workflow.clone(),
            version: record.version.clone(),
            reason,
        };
        let stored = self
            .inner
            .store
            .version_files(&record.workflow, &record.version)
            .await?
            .ok_or_else(|| fail("it was never published here".into()))?;
        let mut files = engine_definitions::Files::new();
        for file in stored {
            files.insert(file.path, file.content);
        }
        let id = record.workflow.clone();
        let read = aside(files, move |files| engine_definitions::reload_closure(&id, &files, &catalog)).await;
        let workflow = read.map_err(|problems| fail(first(&problems)))?;
        self.inner.versions.lock().unwrap_or_else(|e| e.into_inner()).insert(key, workflow.clone());
        Ok(workflow)
    }

    pub(crate) async fn lock(&self, journey: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let mutex = {
            let mut lines = self.inner.lines.lock().unwrap_or_else(|e| e.into_inner());
            match lines.by_journey.get(journey).and_then(Weak::upgrade) {
                Some(mutex) => mutex,
                None => {
                    if lines.by_journey.len() >= lines.sweep_at {
                        lines.by_journey.retain(|_, weak| weak.strong_count() > 0);
                        lines.sweep_at = 128.max(2 * lines.by_journey.len());
                    }
                    let mutex = Arc::new(tokio::sync::Mutex::new(()));
                    lines.by_journey.insert(journey.to_string(), Arc::downgrade(&mutex));
                    mutex
                }
            }
        };
        mutex.lock_owned().await
    }
}

fn first(problems: &[engine_definitions::Problem]) -> String {
    problems.first().map_or_else(|| "no reason given".into(), ToString::to_string)
}

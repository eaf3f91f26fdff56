//! What is published, and older versions of workflows that running journeys are pinned to.

use super::{Core, RuntimeError, load_blocking};
use engine_definitions::{Catalog, Files, Workflow};
use engine_store::{JourneyRecord, JourneyStatus};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A workflow, and one of its versions.
type Key = (String, String);

#[derive(Default)]
pub(super) struct Versions {
    live: RwLock<Live>,
    /// Made beside the live definitions, whose partners, messages and calendars they use; so made anew with each
    /// publication.
    older: Mutex<HashMap<Key, Arc<Workflow>>>,
}

/// The current publication; number 0 before the first.
#[derive(Clone, Default)]
struct Live {
    number: i64,
    catalog: Arc<Catalog>,
}

impl Versions {
    fn live(&self) -> Live {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn older(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Workflow>>> {
        self.older.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves another publication. What was at hand before, and has to be made anew.
    fn switch(&self, number: i64, catalog: Arc<Catalog>) -> HashSet<Key> {
        let is_live =
            |workflow: &Arc<Workflow>| catalog.workflow(&workflow.id).is_some_and(|w| w.version == workflow.version);
        let mut at_hand: HashSet<Key> = self.older().drain().map(|(key, _)| key).collect();
        let before = self.live().catalog;
        at_hand.extend(before.workflows().filter(|w| !is_live(w)).map(|w| (w.id.clone(), w.version.clone())));
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Live { number, catalog };
        // what was made beside the former publication in between
        self.older().clear();
        at_hand
    }

    /// Kept, unless another publication has come while it was made.
    fn keep(&self, key: Key, workflow: &Arc<Workflow>, publication: i64) {
        let mut older = self.older();
        if self.live().number == publication {
            older.insert(key, workflow.clone());
        }
    }
}

impl Core {
    /// The current definitions.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.versions.live().catalog
    }

    /// Number of the publication that this node serves; 0 before the first.
    pub fn publication(&self) -> i64 {
        self.versions.live().number
    }

    /// Serves another publication. Older versions that were at hand, and which open journeys hold, are made anew beside
    /// it, so that no request has to wait for one.
    pub fn switch(self: &Arc<Self>, number: i64, catalog: Arc<Catalog>) {
        let at_hand = self.versions.switch(number, catalog);
        if at_hand.is_empty() {
            return;
        }
        let core = self.clone();
        tokio::spawn(async move {
            if let Err(error) = core.make_anew(at_hand).await {
                tracing::warn!(%error, "an older version is made when somebody asks for it");
            }
        });
    }

    async fn make_anew(&self, at_hand: HashSet<Key>) -> Result<(), RuntimeError> {
        let counts = self.store.journey_counts().await?;
        let held = counts.into_iter().filter(|count| count.status == JourneyStatus::Active);
        for (workflow, version) in held.map(|count| (count.workflow, count.version)).filter(|key| at_hand.contains(key))
        {
            self.version(&workflow, &version).await?;
        }
        Ok(())
    }

    /// The version that a journey is pinned to.
    pub async fn workflow_of(&self, record: &JourneyRecord) -> Result<Arc<Workflow>, RuntimeError> {
        self.version(&record.workflow, &record.version).await
    }

    async fn version(&self, id: &str, version: &str) -> Result<Arc<Workflow>, RuntimeError> {
        let Live { number, catalog } = self.versions.live();
        if let Some(workflow) = catalog.workflow(id).filter(|w| w.version == version) {
            return Ok(workflow.clone());
        }
        let key = (id.to_owned(), version.to_owned());
        if let Some(workflow) = self.versions.older().get(&key) {
            return Ok(workflow.clone());
        }
        let fail =
            |reason: String| RuntimeError::Version { workflow: id.to_owned(), version: version.to_owned(), reason };
        let stored = self.store.version_files(id, version).await?;
        let stored = stored.ok_or_else(|| fail("it was never published here".into()))?;
        if stored.format > engine_definitions::FORMAT {
            let known = engine_definitions::FORMAT;
            return Err(fail(format!("it has format {}; this program reads up to {known}", stored.format)));
        }
        let mut files = Files::new();
        for file in stored.files {
            files.insert(file.path, file.content);
        }
        let id = id.to_owned();
        let read = load_blocking(files, move |files| engine_definitions::reload_closure(&id, &files, &catalog)).await;
        let first = |problems: Vec<engine_definitions::Problem>| {
            problems.first().map_or_else(|| "no reason given".into(), ToString::to_string)
        };
        let workflow = read.map_err(|problems| fail(first(problems)))?;
        self.versions.keep(key, &workflow, number);
        Ok(workflow)
    }
}

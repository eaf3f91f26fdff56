//! The use cases of the product, in parts over one core.

use crate::clock::Clock;
use crate::core::{Core, RuntimeError};
use crate::journeys::Journeys;
use crate::operations::Operations;
use crate::people::People;
use crate::publishing::Publishing;
use crate::uploads::Uploads;
use crate::work::Background;
use engine_definitions::Catalog;
use engine_settings::Settings;
use engine_store::{Change, Store};
use std::sync::Arc;
use tokio::sync::broadcast;

/// Use cases over one store. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    core: Arc<Core>,
    pub journeys: Journeys,
    pub work: Background,
    pub people: People,
    pub operations: Operations,
    pub publishing: Publishing,
    pub uploads: Uploads,
}

/// Bucket and key of the time that a process saw last.
const CLOCK: &str = "clock";

const LATEST: &str = "latest";

impl Runtime {
    /// Over a migrated database; what may be personal is sealed from here on (**sealed**).
    pub async fn new(
        store: Arc<dyn Store>,
        settings: Arc<Settings>,
        clock: Arc<dyn Clock>,
    ) -> Result<Runtime, RuntimeError> {
        let core = Arc::new(Core::new(store, settings, clock).await?);
        core.begin_trail().await?;
        let work = Background { core: core.clone() };
        Ok(Runtime {
            journeys: Journeys { core: core.clone() },
            people: People { core: core.clone() },
            operations: Operations { core: core.clone(), work: work.clone() },
            publishing: Publishing { core: core.clone() },
            uploads: Uploads { core: core.clone() },
            work,
            core,
        })
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        self.core.store()
    }

    pub fn settings(&self) -> &Arc<Settings> {
        &self.core.settings
    }

    pub fn now_ms(&self) -> i64 {
        self.core.now_ms()
    }

    /// The current definitions.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.core.catalog()
    }

    /// Number of the publication that this node serves; 0 before the first.
    pub fn publication(&self) -> i64 {
        self.core.publication()
    }

    /// Changes of journeys, on this node or another.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.store().changes()
    }

    /// Time goes on where the last process left it, should the machine's clock say less.
    pub async fn go_on(&self) -> Result<(), RuntimeError> {
        if let Some(ms) = self.store().kv_get(CLOCK, LATEST).await?.and_then(|latest| latest.as_i64()) {
            self.core.clock.not_before(ms);
        }
        Ok(())
    }

    /// Who was forgotten stays so, also after a backup was restored: asked for at every start, and now and then. Fails
    /// when the list outside of the database cannot be read or written.
    pub async fn remember_forgotten(&self) -> Result<(), RuntimeError> {
        self.core.remember_forgotten().await.map(drop)
    }

    /// A node starts, under a name of its own: refused where a change of the master key went in another order than the
    /// documented one. `alone`: whoever ran before is gone.
    pub async fn join(&self, node: &str, alone: bool) -> Result<(), RuntimeError> {
        self.core.join(node, alone).await
    }

    /// Said again and again, so that others know which keys this node has.
    pub async fn show_keys(&self, node: &str) -> Result<(), RuntimeError> {
        self.core.show_keys(node).await
    }

    /// The node stops.
    pub async fn leave(&self, node: &str) -> Result<(), RuntimeError> {
        self.core.hide_keys(node).await
    }

    /// Keeps the time, so that the next process can go on from here.
    pub async fn keep_time(&self) -> Result<(), RuntimeError> {
        Ok(self.store().kv_put(CLOCK, LATEST, self.now_ms().into()).await?)
    }
}

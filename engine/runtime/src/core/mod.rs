//! What every use case stands on: the store, the definitions of a journey, who may do what, and turns.

mod access;
mod audit;
mod crypto;
mod forgetting;
mod journey_cache;
mod known_sessions;
mod links;
mod nodes;
mod otp;
mod questions;
mod second_factor;
mod send_gate;
mod turns;
mod versions;

pub(crate) use access::read;
pub(crate) use audit::Deed;
pub use audit::{Anchor, AuditReport, Bad, Fault, Sight};
pub(crate) use crypto::Crypto;
pub use forgetting::{Forgotten, Holds};
pub(crate) use links::{INVITATIONS, LINKS, link_order};
pub(crate) use otp::{Passwords, contact_of, normal_mobile};
pub(crate) use questions::Unanswered;
pub(crate) use second_factor::{base32, step_of};
pub use turns::Settled;

use crate::clock::Clock;
use crate::uploads::Desk;
use crate::vault::{Keyring, Vault};
use engine_definitions::Files;
use engine_settings::Settings;
use engine_store::Store;
use journey_cache::JourneyCache;
use known_sessions::KnownSessions;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use versions::Versions;

/// The runtime's own state on a node: nothing in it matters after a restart.
pub(crate) struct Core {
    /// The store, through what seals.
    vault: Arc<Vault>,
    store: Arc<dyn Store>,
    pub settings: Arc<Settings>,
    pub clock: Arc<dyn Clock>,
    pub keys: Crypto,
    /// What is published, and older versions that running journeys are pinned to.
    versions: Versions,
    pub recent: JourneyCache,
    /// Files that people send.
    pub files: Desk,
    /// Sessions that this node has just looked up.
    pub sessions: KnownSessions,
    /// Whoever sends counts, decides and commits before the next one counts: budgets of many numbers hold to the last
    /// send of a node.
    pub sends: Arc<tokio::sync::Mutex<()>>,
    /// Keeps this node's writers of one journey in line; correctness is the store's (**seq-cas**).
    lines: Mutex<JourneyLocks>,
}

/// Who writes which journey just now.
#[derive(Default)]
struct JourneyLocks {
    by_journey: HashMap<String, Weak<tokio::sync::Mutex<()>>>,
    /// Count of journeys at which those that nobody holds any more are removed first.
    sweep_at: usize,
}

/// Ours or the database's fault.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error(transparent)]
    Store(#[from] engine_store::StoreError),
    #[error("`keys.master` is not set")]
    NoKey,
    #[error("the database was made with another `keys.master`")]
    WrongKey,
    #[error("keys: {0}")]
    KeyOrder(&'static str),
    #[error("the list of who was forgotten (`keys.forgotten`: `{list}`): {reason}")]
    Forgotten { list: String, reason: String },
    #[error("journeys are pinned to version `{version}` of `{workflow}`, which does not load: {reason}")]
    Version { workflow: String, version: String, reason: String },
    #[error("state of journey `{journey}` is not readable: {reason}")]
    State { journey: String, reason: String },
    #[error("state cannot be stored: {0}")]
    Write(#[from] serde_json::Error),
    #[error("`{place}`: {reason}")]
    Definition { place: String, reason: String },
    #[error("a publication does not load: {0}")]
    Publication(String),
}

impl Core {
    /// Over a migrated database.
    pub async fn new(
        store: Arc<dyn Store>,
        settings: Arc<Settings>,
        clock: Arc<dyn Clock>,
    ) -> Result<Core, RuntimeError> {
        let keyring = Keyring::of(&settings).ok_or(RuntimeError::NoKey)?;
        let (vault, secret) = Vault::open(store, keyring, clock.clone()).await?;
        let keys = Crypto::derive(&secret);
        let vault = Arc::new(vault);
        let files = Desk::of(&settings);
        Ok(Core {
            store: vault.clone(),
            vault,
            settings,
            clock,
            keys,
            versions: Versions::default(),
            recent: JourneyCache::default(),
            files,
            sessions: KnownSessions::default(),
            sends: Arc::default(),
            lines: Mutex::default(),
        })
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    pub async fn lock(&self, journey: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let mutex = {
            let mut lines = self.lines.lock().unwrap_or_else(|e| e.into_inner());
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

/// Definitions take a while to read: nobody's request waits for that.
pub(crate) async fn load_blocking<T: Send + 'static>(
    files: Files,
    read: impl FnOnce(Files) -> T + Send + 'static,
) -> T {
    match tokio::task::spawn_blocking(move || read(files)).await {
        Ok(read) => read,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // the program ends
        Err(_) => std::future::pending().await,
    }
}

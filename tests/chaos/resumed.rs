//! When interrupted work goes on: effects that were at work at a kill are watched until somebody claims them again.

use anyhow::Result;
use engine_store::{EffectFilter, EffectKey, EffectState, Store};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const LOOK: Duration = Duration::from_millis(100);

/// Shared with the task that looks.
#[derive(Clone)]
pub struct Watch {
    /// None: nobody looks.
    store: Option<Arc<dyn Store>>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Interrupted>,
    resumed: Vec<Duration>,
}

struct Interrupted {
    key: EffectKey,
    fence: i64,
    at: Instant,
}

impl Watch {
    pub async fn start(url: &str, stop: CancellationToken) -> Result<Watch> {
        let watch = Watch { store: Some(engine_store::connect(url).await?), state: Arc::default() };
        let looking = watch.clone();
        tokio::spawn(async move {
            while !stop.is_cancelled() {
                tokio::time::sleep(LOOK).await;
                looking.look().await;
            }
        });
        Ok(watch)
    }

    pub fn blind() -> Watch {
        Watch { store: None, state: Arc::default() }
    }

    /// Notes a kill right after it: what is at work now may be orphaned.
    pub async fn killed(&self, at: Instant) {
        let Some(store) = &self.store else { return };
        let Ok(running) = running(&**store).await else { return };
        let mut state = self.state();
        for (key, fence) in running {
            // A second kill does not start the clock anew.
            if !state.waiting.iter().any(|w| w.key == key && w.fence == fence) {
                state.waiting.push(Interrupted { key, fence, at });
            }
        }
    }

    /// Nobody could have gone on (the database was away, the disk full, the only process frozen): what waits is not
    /// counted.
    pub fn outage(&self) {
        self.state().waiting.clear();
    }

    pub fn resumed(&self) -> Vec<Duration> {
        self.state().resumed.clone()
    }

    async fn look(&self) {
        let Some(store) = &self.store else { return };
        let waiting: Vec<(EffectKey, i64)> = self.state().waiting.iter().map(|w| (w.key.clone(), w.fence)).collect();
        for (key, fence) in waiting {
            let Ok(found) = store.effect(&key).await else { return };
            let now = Instant::now();
            if found.as_ref().is_some_and(|effect| effect.fence == fence && effect.state == EffectState::Running) {
                continue;
            }
            let mut state = self.state();
            if let Some(place) = state.waiting.iter().position(|w| w.key == key && w.fence == fence) {
                let was = state.waiting.swap_remove(place);
                // Else it was settled by the one that had it, or called off: it was not interrupted.
                if found.is_some_and(|effect| effect.fence > was.fence) {
                    state.resumed.push(now - was.at);
                }
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

async fn running(store: &dyn Store) -> Result<Vec<(EffectKey, i64)>> {
    let found = store
        .effects(EffectFilter { state: Some(EffectState::Running), limit: 10_000, ..EffectFilter::default() })
        .await?;
    Ok(found.into_iter().map(|effect| (effect.key, effect.fence)).collect())
}

/// Waits until nothing is due or at work any more, nor a webhook waits for its journey; `some_wait_for_nobody`: these
/// are counted. The error says what is left.
pub async fn quiet(url: &str, patience: Duration, some_wait_for_nobody: bool) -> Result<usize, String> {
    let store = engine_store::connect(url).await.map_err(|e| e.to_string())?;
    let until = Instant::now() + patience;
    loop {
        let mut left = Vec::new();
        for state in [EffectState::Pending, EffectState::Running] {
            let filter = EffectFilter { state: Some(state), limit: 10_000, ..EffectFilter::default() };
            left.extend(store.effects(filter).await.map_err(|e| e.to_string())?);
        }
        let parked = store.parked_webhooks(10_000).await.map_err(|e| e.to_string())?;
        if left.is_empty() && (parked.is_empty() || some_wait_for_nobody) {
            return Ok(parked.len());
        }
        if Instant::now() > until {
            let first = left.first().map(|e| format!("{} {} {:?}, attempt {}", e.key, e.lane, e.state, e.attempts));
            return Err(format!("{} effects ({}), {} webhooks", left.len(), first.unwrap_or_default(), parked.len()));
        }
        tokio::time::sleep(LOOK).await;
    }
}

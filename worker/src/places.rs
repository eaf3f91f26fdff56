//! Places: how much a worker holds at once. Timers and what a person waits for have places of their own, and of what
//! goes to one partner no more is held than that partner takes at once: who is slow holds up nobody else.

use engine_definitions::{Catalog, Channel};
use engine_runtime::Runtime;
use engine_store::{EffectRecord, LaneRoom};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// E-mails of one mail server at once.
const EMAIL_PLACES: usize = 16;
/// The gate of e-mails; no partner has such a name.
const EMAIL: &str = "@email";
/// One of so many places is for what a person waits for.
const AHEAD_SHARE: usize = 4;

pub struct Places {
    effects: Arc<Semaphore>,
    ahead: Arc<Semaphore>,
    timers: Arc<Semaphore>,
    gates: Arc<Gates>,
    /// Lanes as the publication of this number has them.
    lanes: (i64, Vec<Lane>),
}

/// A lane whose places are counted.
struct Lane {
    name: String,
    gate: String,
    places: usize,
    /// Places of the gate that are only for what a person waits for.
    kept: usize,
}

#[derive(Default)]
struct Gates {
    held: Mutex<HashMap<String, Occupied>>,
    freed: Notify,
}

#[derive(Default, Clone, Copy)]
struct Occupied {
    ahead: usize,
    others: usize,
}

/// Free places, taken for one claim.
#[derive(Default)]
pub struct Taken {
    pub effects: Vec<OwnedSemaphorePermit>,
    pub ahead: Vec<OwnedSemaphorePermit>,
    pub timers: Vec<OwnedSemaphorePermit>,
}

/// The place of one job, as long as it lasts.
pub struct JobSlot {
    _permit: OwnedSemaphorePermit,
    _at_gate: Option<AtGate>,
}

struct AtGate {
    gates: Arc<Gates>,
    gate: String,
    is_ahead: bool,
}

impl Places {
    pub fn new(concurrency: usize) -> Places {
        let semaphore = |places| Arc::new(Semaphore::new(places));
        Places {
            effects: semaphore(concurrency),
            ahead: semaphore(concurrency.div_ceil(AHEAD_SHARE)),
            timers: semaphore(concurrency),
            gates: Arc::default(),
            lanes: (-1, Vec::new()),
        }
    }

    /// Count of places of all kinds.
    pub fn count(concurrency: usize) -> usize {
        2 * concurrency + concurrency.div_ceil(AHEAD_SHARE)
    }

    /// Waits for a free place of any kind; then so many of each as there are, at most `batch`.
    pub async fn take(&self, batch: usize) -> Option<Taken> {
        let mut taken = Taken::default();
        tokio::select! {
            timer = self.timers.clone().acquire_owned() => taken.timers.push(timer.ok()?),
            ahead = self.ahead.clone().acquire_owned() => taken.ahead.push(ahead.ok()?),
            effect = self.effects.clone().acquire_owned() => taken.effects.push(effect.ok()?),
        }
        for (places, kind) in
            [(&mut taken.effects, &self.effects), (&mut taken.ahead, &self.ahead), (&mut taken.timers, &self.timers)]
        {
            while places.len() < batch {
                let Ok(place) = kind.clone().try_acquire_owned() else { break };
                places.push(place);
            }
        }
        Some(taken)
    }

    /// Waits until so many places are free for effects, or for timers, of which there were more.
    pub async fn free(&self, count: usize, effects: bool, timers: bool) {
        let free = async |kind: &Semaphore, wanted: bool| match wanted {
            true => kind.acquire_many(count as u32).await.map(drop).unwrap_or_default(),
            false => std::future::pending().await,
        };
        tokio::select! {
            () = free(&self.effects, effects) => {}
            () = free(&self.timers, timers) => {}
        }
    }

    /// Waits until a job ends whose gate counts its places.
    pub async fn wait_for_slot(&self) {
        self.gates.freed.notified().await;
    }

    /// What each lane may take now; those of a gate that rests only what a person waits for.
    pub fn room(&mut self, runtime: &Runtime, resting: &HashSet<String>) -> Vec<LaneRoom> {
        let publication = runtime.publication();
        if self.lanes.0 != publication {
            self.lanes = (publication, lanes(&runtime.catalog()));
        }
        let held = self.gates.held.lock().unwrap_or_else(PoisonError::into_inner);
        let room = |lane: &Lane| {
            let held = held.get(&lane.gate).copied().unwrap_or_default();
            let free_ahead = lane.places.saturating_sub(held.ahead + held.others);
            let free = (lane.places - lane.kept).saturating_sub(held.others).min(free_ahead);
            let free = if resting.contains(&lane.gate) { 0 } else { free };
            let (lane, gate) = (lane.name.clone(), lane.gate.clone());
            LaneRoom { lane, gate, free: free as u32, free_ahead: free_ahead as u32 }
        };
        self.lanes.1.iter().map(room).collect()
    }

    /// The place of a claimed effect.
    pub fn hold(&self, effect: &EffectRecord, permit: OwnedSemaphorePermit) -> JobSlot {
        let lane = self.lanes.1.iter().find(|lane| lane.name == effect.lane);
        let at_gate = lane.map(|lane| {
            self.gates.change(&lane.gate, effect.is_ahead, |held| held + 1);
            AtGate { gates: self.gates.clone(), gate: lane.gate.clone(), is_ahead: effect.is_ahead }
        });
        JobSlot { _permit: permit, _at_gate: at_gate }
    }
}

impl JobSlot {
    /// The slot of a timer.
    pub fn timer_slot(permit: OwnedSemaphorePermit) -> JobSlot {
        JobSlot { _permit: permit, _at_gate: None }
    }
}

impl Gates {
    fn change(&self, gate: &str, is_ahead: bool, change: impl FnOnce(usize) -> usize) {
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.entry(gate.to_owned()).or_default();
        let count = if is_ahead { &mut held.ahead } else { &mut held.others };
        *count = change(*count);
    }
}

impl Drop for AtGate {
    fn drop(&mut self) {
        self.gates.change(&self.gate, self.is_ahead, |held| held.saturating_sub(1));
        self.gates.freed.notify_one();
    }
}

/// Lanes of calls and tracked steps are partners; those of messages go to the partner of their channel.
fn lanes(catalog: &Catalog) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = catalog
        .partners()
        .map(|partner| Lane {
            name: partner.id.clone(),
            gate: partner.id.clone(),
            places: partner.concurrency.max(1),
            kept: 0,
        })
        .collect();
    for channel in [Channel::Sms, Channel::Whatsapp, Channel::Email] {
        let (gate, places) = match channel.contract() {
            None => (EMAIL.to_owned(), EMAIL_PLACES),
            Some(contract) => {
                let Some(partner) = catalog.partners().find(|p| p.for_contract(&contract).is_some()) else { continue };
                (partner.id.clone(), partner.concurrency.max(1))
            }
        };
        let kept = if places > 1 { places.div_ceil(AHEAD_SHARE) } else { 0 };
        lanes.iter_mut().filter(|lane| lane.gate == gate).for_each(|lane| lane.kept = kept);
        let of_channel = catalog.messages().filter(|message| message.channel == channel);
        lanes.extend(of_channel.map(|message| Lane {
            name: engine_runtime::effect::message_lane(&message.id),
            gate: gate.clone(),
            places,
            kept,
        }));
    }
    lanes
}

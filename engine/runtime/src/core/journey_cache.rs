//! Journeys that this node has just written, or read for work that it has claimed, ready for their next event.
//!
//! The cache saves reading and parsing what was in hand a moment ago: the next of twenty-five answers, the next step
//! of a quick person. Only a commit may trust it: **seq-cas** refuses what was decided on an old state. A refusal, a
//! question to the store or a view is always decided on what is stored.

use crate::turn::Journey;
use engine_store::JourneyStatus;
use std::collections::HashMap;
use std::sync::Mutex;

/// Two generations of this many: the older one is forgotten as a whole. A journey takes a few KB.
const GENERATION: usize = 128;

#[derive(Default)]
pub(crate) struct JourneyCache(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashMap<String, Journey>,
    old: HashMap<String, Journey>,
}

impl JourneyCache {
    /// Takes it out: whoever commits puts the next one back.
    pub fn take(&self, id: &str) -> Option<Journey> {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.young.remove(id).or_else(|| all.old.remove(id))
    }

    pub fn has(&self, id: &str) -> bool {
        let all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.young.contains_key(id) || all.old.contains_key(id)
    }

    pub fn put(&self, journey: Journey) {
        if journey.record.status != JourneyStatus::Active {
            return;
        }
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if all.young.len() >= GENERATION {
            all.old = std::mem::take(&mut all.young);
        }
        all.young.insert(journey.record.id.clone(), journey);
    }
}

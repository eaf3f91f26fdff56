//! Sessions of the last moments.

use crate::actor::VISITOR;
use engine_store::SessionRecord;
use std::collections::HashMap;
use std::sync::Mutex;

/// Sessions of the last moments: a page sends several requests at once. One that another node has ended is known here
/// for [`KNOWN_MS`] longer; sessions with rights are not kept.
#[derive(Default)]
pub(crate) struct KnownSessions(Mutex<HashMap<String, (SessionRecord, i64)>>);

const KNOWN_MS: i64 = 2_000;

const KNOWN_MAX: usize = 1_000;

impl KnownSessions {
    pub fn get(&self, hash: &str, now_ms: i64) -> Option<SessionRecord> {
        let known = self.0.lock().unwrap_or_else(|e| e.into_inner());
        known
            .get(hash)
            .filter(|(session, at)| (*at..*at + KNOWN_MS).contains(&now_ms) && session.expires_at_ms > now_ms)
            .map(|(session, _)| session.clone())
    }

    pub fn put(&self, session: SessionRecord, now_ms: i64) {
        if session.subject.get("kind").is_some_and(|kind| kind != VISITOR) {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(session.token_hash.clone(), (session, now_ms));
    }

    pub fn forget(&self, hash: &str) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).remove(hash);
    }
}

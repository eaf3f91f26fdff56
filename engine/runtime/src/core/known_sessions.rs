//! Sessions of the last moments.

use crate::actor::{Actor, VISITOR};
use engine_store::SessionRecord;
use std::collections::HashMap;
use std::sync::Mutex;

/// Sessions of the last moments: a page sends several requests at once. One that another node has ended is known here
/// for [`KNOWN_MS`] longer; sessions with rights are not kept.
#[derive(Default)]
pub(crate) struct KnownSessions(Mutex<HashMap<String, KnownSession>>);

struct KnownSession {
    actor: Actor,
    since_ms: i64,
    expires_at_ms: i64,
}

const KNOWN_MS: i64 = 2_000;

const KNOWN_MAX: usize = 1_000;

impl KnownSessions {
    pub fn get(&self, hash: &str, now_ms: i64) -> Option<Actor> {
        let known = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let KnownSession { actor, since_ms, expires_at_ms } = known.get(hash)?;
        ((*since_ms..since_ms + KNOWN_MS).contains(&now_ms) && *expires_at_ms > now_ms).then(|| actor.clone())
    }

    pub fn put(&self, session: &SessionRecord, actor: &Actor, now_ms: i64) {
        if actor.kind != VISITOR {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        let of = KnownSession { actor: actor.clone(), since_ms: now_ms, expires_at_ms: session.expires_at_ms };
        known.insert(session.token_hash.clone(), of);
    }

    pub fn forget(&self, hash: &str) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).remove(hash);
    }
}

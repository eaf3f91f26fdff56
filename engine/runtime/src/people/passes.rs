//! A session goes on on another host of ours, by a code in the address.
//!
//! The code is sealed: whose session it came from, for which host, until when. It is worth nothing once that session
//! is over, and counts once, whichever node sees it; until it is used nothing of it is kept, and then its keyed hash
//! alone.

use super::People;
use super::sessions::token_hash;
use crate::actor::CUSTOMER;
use crate::clock::new_id;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// What a code is sealed for.
const PASS: &str = "pass";

const VALID_MS: i64 = 60_000;

#[derive(Serialize, Deserialize)]
struct Pass {
    /// Hash of the session's token.
    session: String,
    /// Host at which the pass is to be used.
    host: String,
    until_ms: i64,
    /// Two of one moment are two.
    number: String,
}

impl People {
    /// A code by which the person of this session goes on at `host`; `None`: nobody is signed in who could. One of the
    /// staff signs in anew there.
    pub async fn pass(&self, token: &str, host: &str) -> Result<Option<String>, Refusal> {
        let session = token_hash(token);
        if self.passing(&session).await?.is_none() {
            return Ok(None);
        }
        let pass = Pass { session, host: host.into(), until_ms: self.core.now_ms() + VALID_MS, number: new_id() };
        Ok(serde_json::to_vec(&pass).ok().and_then(|plain| self.seal_for(PASS, &plain)))
    }

    /// Whose code this is, at this host; unknown and old ones, those of another host, and those of a session that is
    /// over are the same `None`. Looking uses nothing up.
    pub async fn redeem(&self, code: &str, host: &str) -> Result<Option<String>, Refusal> {
        let plain = self.open_for(PASS, code);
        let pass = plain.and_then(|plain| serde_json::from_slice::<Pass>(&plain).ok());
        match pass.filter(|pass| pass.host == host && pass.until_ms > self.core.now_ms()) {
            Some(pass) => self.passing(&pass.session).await,
            None => Ok(None),
        }
    }

    /// Uses a pass up: the person whose code this is, at this host, the first time alone.
    pub async fn use_pass(&self, code: &str, host: &str) -> Result<Option<String>, Refusal> {
        let Some(person) = self.redeem(code, host).await? else { return Ok(None) };
        let used = self.core.keys.hash("used-pass", code);
        Ok(self.core.store().first_use(&used, self.core.now_ms()).await?.then_some(person))
    }

    async fn passing(&self, session: &str) -> Result<Option<String>, Refusal> {
        let known = self.load_session(session).await?.filter(|session| session.subject["kind"] == CUSTOMER);
        Ok(known.and_then(|session| session.person))
    }
}

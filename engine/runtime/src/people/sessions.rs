//! Sessions: opaque 256-bit tokens, of which only a hash is stored (security rule 16).

use super::People;
use crate::actor::{Actor, CUSTOMER};
use crate::clock::{new_id, new_token};
use crate::refusal::Refusal;
use engine_store::{PersonRecord, SessionRecord};
use serde_json::{Value, json};
use sha2::Digest;

const OPERATOR: &str = "operator";

/// Bucket of the operators' tokens: `name/id` → hash and end.
const OPERATORS: &str = "operators";

impl People {
    /// The actor of a token; `None` when it is unknown or over.
    pub async fn session(&self, token: &str) -> Result<Option<Actor>, Refusal> {
        let (hash, now) = (token_hash(token), self.core.now_ms());
        if let Some(session) = self.core.sessions.get(&hash, now) {
            return Ok(Some(Actor::of_session(&session)));
        }
        // An operator's token is no session of a browser.
        let Some(session) = self.stored(&hash).await?.filter(|session| session.subject["kind"] != OPERATOR) else {
            return Ok(None);
        };
        let life = self.core.settings.session.ttl_ms;
        // Used sessions live on; written at most once a day.
        if session.expires_at_ms - now < life - 86_400_000 {
            self.core.store().save_session(SessionRecord { expires_at_ms: now + life, ..session.clone() }).await?;
        }
        let actor = Actor::of_session(&session);
        self.core.sessions.put(session, now);
        Ok(Some(actor))
    }

    /// A new visitor: the token for the cookie, and who it is.
    pub async fn new_session(&self, language: &str) -> Result<(String, Actor), Refusal> {
        let (token, session) = self.fresh_session(language);
        let (actor, now) = (Actor::of_session(&session), self.core.now_ms());
        self.core.store().save_session(session.clone()).await?;
        self.core.sessions.put(session, now);
        Ok((token, actor))
    }

    /// The same, not stored yet: it is to begin with a journey, whose start has this key. Who repeats the start because
    /// the answer was lost has no cookie: from a random key comes the same session again.
    pub fn first_session(&self, language: &str, key: &str) -> (String, SessionRecord) {
        if !is_random(key) {
            return self.fresh_session(language);
        }
        let keys = &self.core.keys;
        self.session_of(keys.hash("first-session", key), keys.short_hash("first-visitor", key), language)
    }

    fn fresh_session(&self, language: &str) -> (String, SessionRecord) {
        self.session_of(new_token(), new_id(), language)
    }

    fn session_of(&self, token: String, id: String, language: &str) -> (String, SessionRecord) {
        let now = self.core.now_ms();
        let session = SessionRecord {
            token_hash: token_hash(&token),
            id,
            // a visitor on the web: the rest of an actor is that by default
            subject: json!({"language": language}),
            created_at_ms: now,
            expires_at_ms: now + self.core.settings.session.ttl_ms,
        };
        (token, session)
    }

    /// The operator of a token; nobody else has one. It ends when it was said to, however much it is used.
    pub async fn operator(&self, token: &str) -> Result<Option<Actor>, Refusal> {
        let session = self.stored(&token_hash(token)).await?.filter(|session| session.subject["kind"] == OPERATOR);
        Ok(session.map(|session| Actor::operator(session.subject["name"].as_str().unwrap_or_default())))
    }

    /// A new token for `name`, for `hours`. Only its hash is kept; whoever asked must keep the token.
    pub async fn new_operator(&self, name: &str, hours: u32) -> Result<String, Refusal> {
        let token = new_token();
        let (now, hash) = (self.core.now_ms(), token_hash(&token));
        let session = SessionRecord {
            token_hash: hash.clone(),
            id: new_id(),
            subject: json!({"kind": OPERATOR, "roles": [OPERATOR], "channel": OPERATOR, "name": name}),
            created_at_ms: now,
            expires_at_ms: now + i64::from(hours) * 3_600_000,
        };
        // Listed first: a token that nobody could revoke must not exist.
        self.core
            .store()
            .kv_put(
                OPERATORS,
                &format!("{name}/{}", session.id),
                json!({"token_hash": hash, "expires_at_ms": session.expires_at_ms}),
            )
            .await?;
        self.core.store().save_session(session).await?;
        tracing::info!(operator = name, hours, "operator token made");
        Ok(token)
    }

    /// Ends every token of `name`; how many there were. What has ended by itself is forgotten on the way.
    pub async fn revoke_operator(&self, name: &str) -> Result<usize, Refusal> {
        let mut ended = 0;
        for (key, kept) in self.core.store().kv_list(OPERATORS, 10_000).await? {
            let theirs = key.rsplit_once('/').is_some_and(|(owner, _)| owner == name);
            let over = kept["expires_at_ms"].as_i64().unwrap_or_default() <= self.core.now_ms();
            if theirs || over {
                self.core.store().end_session(kept["token_hash"].as_str().unwrap_or_default()).await?;
                self.core.store().kv_delete(OPERATORS, &key).await?;
                ended += usize::from(theirs && !over);
            }
        }
        tracing::info!(operator = name, ended, "operator tokens revoked");
        Ok(ended)
    }

    /// One that has not ended.
    async fn stored(&self, hash: &str) -> Result<Option<SessionRecord>, Refusal> {
        let now = self.core.now_ms();
        Ok(self.core.store().session(hash).await?.filter(|session| session.expires_at_ms > now))
    }

    /// The same session with other rights, under a new token: nobody, and no node, knows the new one with the old
    /// rights.
    pub(crate) async fn renew_session(
        &self,
        token: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<Option<(String, Actor)>, Refusal> {
        let old = token_hash(token);
        let Some(mut session) = self.stored(&old).await?.filter(|session| session.subject["kind"] != OPERATOR) else {
            return Ok(None);
        };
        let token = new_token();
        session.token_hash = token_hash(&token);
        change(&mut session.subject);
        let actor = Actor::of_session(&session);
        self.core.store().save_session(session).await?;
        self.core.sessions.forget(&old);
        self.core.store().end_session(&old).await?;
        Ok(Some((token, actor)))
    }

    /// The session of this token goes on, under a new one, as this person's.
    pub async fn sign_in(&self, token: &str, person: &str) -> Result<Option<(String, Actor)>, Refusal> {
        let (store, now) = (self.core.store(), self.core.now_ms());
        if let Some(known) = store.person(person).await? {
            store.save_person(PersonRecord { seen_at_ms: now, ..known }).await?;
        }
        self.renew_session(token, |subject| {
            subject["kind"] = json!(CUSTOMER);
            subject["roles"] = json!([CUSTOMER]);
            subject["person"] = json!(person);
        })
        .await
    }

    pub async fn end_session(&self, token: &str) -> Result<(), Refusal> {
        let hash = token_hash(token);
        self.core.sessions.forget(&hash);
        Ok(self.core.store().end_session(&hash).await?)
    }
}

/// A UUID of version 4, or as many random hexadecimal digits: nobody guesses it, and no two programs choose the same.
fn is_random(key: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let uuid = || {
        let parts: Vec<&str> = key.split('-').collect();
        parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
            && parts.iter().all(|part| hex(part))
            && parts[2].starts_with('4')
    };
    let varied = |key: &str| key.bytes().collect::<std::collections::BTreeSet<u8>>().len() >= 6;
    (key.len() == 32 && hex(key) || uuid()) && varied(key)
}

/// 128 bits are enough: a token has 256 random ones, and nobody can look for two that agree.
pub(crate) fn token_hash(token: &str) -> String {
    hex::encode(&sha2::Sha256::digest(token.as_bytes())[..16])
}

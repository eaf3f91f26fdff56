//! Sessions: opaque 256-bit tokens, of which only the hash is stored (security rule 16).

use crate::actor::Actor;
use crate::clock::new_id;
use crate::refusal::Refusal;
use crate::runtime::Runtime;
use engine_store::SessionRecord;
use serde_json::json;
use sha2::Digest;

impl Runtime {
    /// The actor of a token; `None` when it is unknown or over.
    pub async fn session(&self, token: &str) -> Result<Option<Actor>, Refusal> {
        let Some(session) = self.store().session(&token_hash(token)).await? else { return Ok(None) };
        let now = self.now_ms();
        if session.expires_at_ms <= now {
            return Ok(None);
        }
        let life = self.inner.settings.session.ttl_ms;
        // Used sessions live on; written at most once a day.
        if session.expires_at_ms - now < life - 86_400_000 {
            self.store().save_session(SessionRecord { expires_at_ms: now + life, ..session.clone() }).await?;
        }
        Ok(Some(Actor::of_session(&session)))
    }

    /// A new visitor: the token for the cookie, and who it is.
    pub async fn new_session(&self, language: &str) -> Result<(String, Actor), Refusal> {
        let token = hex::encode(rand::random::<[u8; 32]>());
        let now = self.now_ms();
        let session = SessionRecord {
            token_hash: token_hash(&token),
            id: new_id(),
            subject: json!({"kind": "visitor", "roles": ["visitor"], "channel": "web", "language": language}),
            created_at_ms: now,
            expires_at_ms: now + self.inner.settings.session.ttl_ms,
        };
        let actor = Actor::of_session(&session);
        self.store().save_session(session).await?;
        Ok((token, actor))
    }

    pub async fn end_session(&self, token: &str) -> Result<(), Refusal> {
        Ok(self.store().end_session(&token_hash(token)).await?)
    }
}

fn token_hash(token: &str) -> String {
    hex::encode(sha2::Sha256::digest(token.as_bytes()))
}

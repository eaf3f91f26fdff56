//! Sessions: opaque 256-bit tokens, of which only a hash is stored.

use super::People;
use crate::actor::{Action, Actor, CAME, CLAIMS, CUSTOMER, Grant, OPERATOR, Resource, STAFF, STAYS, VISITOR};
use crate::clock::{new_id, new_token, rfc3339};
use crate::core::Deed;
use crate::refusal::Refusal;
use engine_definitions::{AgentChecks, Attribution};
use engine_store::{PersonRecord, SessionRecord};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::Digest;

/// What is newer than this is not written down: when a session of a person was used last, or that it lives on.
const USED_MS: i64 = 3_600_000;
const LIVES_MS: i64 = 86_400_000;
/// Most sessions of one person that are shown; those that were used longest ago are left out.
const SESSIONS_MAX: u32 = 100;

/// Where a session keeps when its person has signed in.
const SIGNED_IN: &str = "signed_in_ms";

/// Where a person's profile keeps what draws the variants of experiments for that person.
pub(super) const DRAW: &str = "draw";

/// Who makes operators' tokens.
const COMMAND_LINE: &str = "command line";

/// Bucket of the operators' tokens: `name/id` → hash and end.
const OPERATORS: &str = "operators";

/// A session as its person sees it.
#[derive(Debug, Clone, Serialize)]
pub struct OwnSession {
    pub id: String,
    /// `Firefox`; empty when it is not known.
    pub browser: String,
    /// `Android`; empty when it is not known.
    pub system: String,
    /// When the session was last used, to the hour.
    pub used_at: String,
    /// Whether this is the session that asks.
    pub this: bool,
}

impl People {
    /// The actor of a token; `None` when it is unknown or over.
    pub async fn session(&self, token: &str) -> Result<Option<Actor>, Refusal> {
        let (hash, now) = (token_hash(token), self.core.now_ms());
        if let Some(actor) = self.core.sessions.get(&hash, now) {
            return Ok(Some(actor));
        }
        // An operator's token is no session of a browser.
        let Some(session) = self.load_session(&hash).await?.filter(|session| session.subject["kind"] != OPERATOR)
        else {
            return Ok(None);
        };
        if session.subject["kind"] == STAFF {
            return self.holding(Actor::of_session(&session), session.subject["token"].as_str()).await;
        }
        // Used sessions live on, but that of a person not for ever.
        let (actor, kept) = (Actor::of_session(&session), session.person.is_some());
        let due_ms = session.used_at_ms + if kept { USED_MS } else { LIVES_MS };
        if now >= due_ms || kept != actor.person().is_some() {
            let person = actor.person().map(str::to_owned);
            let expires_at_ms = self.end_of(&session, now);
            let used = SessionRecord { expires_at_ms, used_at_ms: now, person, ..session.clone() };
            self.core.store().save_session(used).await?;
        }
        self.core.sessions.put(&session, &actor, now);
        Ok(Some(actor))
    }

    /// A new visitor: the token for the cookie, and who it is.
    pub async fn new_session(&self, language: &str) -> Result<(String, Actor), Refusal> {
        let (token, session) = self.fresh_session(language);
        let (actor, now) = (Actor::of_session(&session), self.core.now_ms());
        self.core.store().save_session(session.clone()).await?;
        self.core.sessions.put(&session, &actor, now);
        Ok((token, actor))
    }

    /// A new visitor's session that is not stored yet: it is to begin with a journey, whose start has this key. Who
    /// repeats the start because the answer was lost has no cookie: from a random key comes the same session again.
    pub fn first_session(&self, language: &str, key: &str, came: &Attribution) -> (String, SessionRecord) {
        let keys = &self.core.keys;
        let (token, mut session) = if is_random(key) {
            self.session_of(keys.hash("first-session", key), keys.short_hash("first-visitor", key), language)
        } else {
            self.fresh_session(language)
        };
        if !came.is_empty() {
            session.subject[CAME] = json!(came);
        }
        (token, session)
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
            person: None,
            created_at_ms: now,
            used_at_ms: now,
            expires_at_ms: now + self.core.settings.session.ttl_ms,
        };
        (token, session)
    }

    /// The operator of a token; nobody else has one. It ends when it was said to, however much it is used.
    pub async fn operator(&self, token: &str) -> Result<Option<Actor>, Refusal> {
        let session =
            self.load_session(&token_hash(token)).await?.filter(|session| session.subject["kind"] == OPERATOR);
        Ok(session.map(|session| Actor::operator(session.subject["name"].as_str().unwrap_or_default())))
    }

    /// A new token for `name`, for `hours`. Only its hash is kept; whoever asked must keep the token.
    pub async fn new_operator(&self, name: &str, hours: u32) -> Result<String, Refusal> {
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::TokenMade, name).await?;
        let token = new_token();
        let (now, hash) = (self.core.now_ms(), token_hash(&token));
        let session = SessionRecord {
            token_hash: hash.clone(),
            id: new_id(),
            subject: json!({"kind": OPERATOR, "roles": [OPERATOR], "channel": OPERATOR, "name": name}),
            person: None,
            created_at_ms: now,
            used_at_ms: now,
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
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::TokensRevoked, name).await?;
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
    pub(super) async fn load_session(&self, hash: &str) -> Result<Option<SessionRecord>, Refusal> {
        let now = self.core.now_ms();
        Ok(self.core.store().session(hash).await?.filter(|session| session.expires_at_ms > now))
    }

    /// Gives a session other rights, under a new token: nobody, and no node, knows the new one with the old rights.
    pub(crate) async fn renew_session(
        &self,
        token: &str,
        change: impl FnOnce(&mut SessionRecord),
    ) -> Result<Option<(String, Actor)>, Refusal> {
        let old = token_hash(token);
        let Some(mut session) = self.load_session(&old).await?.filter(|session| session.subject["kind"] != OPERATOR)
        else {
            return Ok(None);
        };
        let token = new_token();
        session.token_hash = token_hash(&token);
        change(&mut session);
        let actor = Actor::of_session(&session);
        self.core.store().save_session(session).await?;
        self.core.sessions.forget(&old);
        self.core.store().end_session(&old).await?;
        Ok(Some((token, actor)))
    }

    /// When a session that is used now ends.
    fn end_of(&self, session: &SessionRecord, now_ms: i64) -> i64 {
        let settings = &self.core.settings.session;
        let most = session.subject[SIGNED_IN].as_i64().map(|since_ms| since_ms + settings.most_ms);
        (now_ms + settings.ttl_ms).min(most.unwrap_or(i64::MAX))
    }

    /// Rights of links to what another person's number was proved in: they were followed by somebody else.
    async fn lose_grants(&self, session: &mut SessionRecord, person: &str) -> Result<(), Refusal> {
        let mut grants = Grant::of_subject(&session.subject);
        let ids: Vec<String> = grants.iter().map(|grant| grant.journey.clone()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let of_others = self.core.store().journeys(&ids).await?;
        let of_others = of_others.iter().filter(|journey| journey.person.as_deref().is_some_and(|of| of != person));
        let of_others: Vec<&str> = of_others.map(|journey| journey.id.as_str()).collect();
        grants.retain(|grant| !of_others.contains(&grant.journey.as_str()));
        session.subject["links"] = json!(grants);
        Ok(())
    }

    /// Signs this person in: the session of this token goes on under a new one. `device`: what they know it again by;
    /// `stays`: they call it their own. What draws the variants of experiments is from now on what it was where they
    /// signed in first.
    pub async fn sign_in(
        &self,
        token: &str,
        (person, stays): (&str, bool),
        device: Value,
        mut came: Attribution,
    ) -> Result<Option<(String, Actor)>, Refusal> {
        let (store, now) = (self.core.store(), self.core.now_ms());
        let Some(mut before) = self.load_session(&token_hash(token)).await? else { return Ok(None) };
        let Some(mut known) = store.person(person).await? else { return Ok(None) };
        if self.core.is_closed(&known).await? {
            return self.renew_session(token, |session| claims(session, (person, stays))).await;
        }
        self.lose_grants(&mut before, person).await?;
        self.core.leave_unproved(&before.id, &known.mobile).await?;
        came.draw = known.profile[DRAW].as_str().unwrap_or_else(|| came.draw_or(&before.id)).to_owned();
        known.profile[DRAW] = json!(came.draw);
        store.save_person(PersonRecord { seen_at_ms: now, ..known }).await?;
        self.renew_session(token, |session| {
            session.subject = before.subject;
            session.subject[SIGNED_IN] = json!(now);
            (session.person, session.used_at_ms) = (Some(person.to_owned()), now);
            session.expires_at_ms = self.end_of(session, now);
            let subject = &mut session.subject;
            subject["kind"] = json!(CUSTOMER);
            subject["roles"] = json!([CUSTOMER]);
            subject["person"] = json!(person);
            subject[STAYS] = json!(stays);
            subject["device"] = device;
            subject[CAME] = json!(came);
            subject[CLAIMS] = Value::Null;
        })
        .await
    }

    /// The session keeps what a check of an agent's ids has said; `None`: it is over.
    pub async fn agent_checked(&self, token: &str, agent: &AgentChecks) -> Result<Option<Actor>, Refusal> {
        let Some(mut session) =
            self.load_session(&token_hash(token)).await?.filter(|one| one.subject["kind"] != OPERATOR)
        else {
            return Ok(None);
        };
        Actor::note_agent(&mut session, agent);
        let actor = Actor::of_session(&session);
        self.core.store().save_session(session.clone()).await?;
        self.core.sessions.put(&session, &actor, self.core.now_ms());
        Ok(Some(actor))
    }

    /// Sessions of the person who is signed in, last used first.
    pub(crate) async fn own_sessions(&self, actor: &Actor) -> Result<Vec<OwnSession>, Refusal> {
        let shown = |session: SessionRecord| {
            let device = |name: &str| session.subject["device"][name].as_str().unwrap_or_default().to_owned();
            OwnSession {
                id: self.name_of(&session),
                browser: device("browser"),
                system: device("system"),
                used_at: rfc3339(session.used_at_ms),
                this: session.id == actor.session,
            }
        };
        Ok(self.living(actor).await?.into_iter().map(shown).collect())
    }

    /// Ends sessions of the person who is signed in, by what [`Account`](super::Account) calls them; whether the
    /// caller's own is among them. `NotFound`, and none has ended: one of them is not this person's.
    pub async fn end_own_sessions(&self, actor: &Actor, ids: &[String]) -> Result<bool, Refusal> {
        let all = self.living(actor).await?;
        let named = |id: &String| all.iter().find(|session| self.name_of(session) == *id).ok_or(Refusal::NotFound);
        let ended: Vec<&SessionRecord> = ids.iter().map(named).collect::<Result<_, _>>()?;
        for session in &ended {
            self.core.store().end_session(&session.token_hash).await?;
        }
        Ok(ended.iter().any(|session| session.id == actor.session))
    }

    async fn living(&self, actor: &Actor) -> Result<Vec<SessionRecord>, Refusal> {
        self.core.permit(actor, Action::Account, Resource::Own)?;
        let (Some(person), now) = (actor.signed_in(), self.core.now_ms()) else { return Err(Refusal::NotFound) };
        let all = self.core.store().sessions_of(person, SESSIONS_MAX).await?;
        Ok(all.into_iter().filter(|session| session.expires_at_ms > now).collect())
    }

    /// What its person calls a session: neither its id nor its token.
    fn name_of(&self, session: &SessionRecord) -> String {
        self.core.keys.short_hash("session", &session.id)
    }

    /// Ends the session of this token; customers whom it helped see nobody beside them any more.
    pub async fn end_session(&self, token: &str) -> Result<(), Refusal> {
        let hash = token_hash(token);
        self.core.sessions.forget(&hash);
        let session = self.load_session(&hash).await?;
        self.core.store().end_session(&hash).await?;
        if let Some(session) = session {
            self.leave_helped(&session).await;
        }
        Ok(())
    }
}

/// Makes the session nobody's, and asks for this person's account.
fn claims(session: &mut SessionRecord, (person, stays): (&str, bool)) {
    session.person = None;
    session.subject[STAYS] = json!(stays);
    session.subject["kind"] = json!(VISITOR);
    session.subject["roles"] = json!([VISITOR]);
    session.subject["person"] = Value::Null;
    session.subject[CLAIMS] = json!(person);
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

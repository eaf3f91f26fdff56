//! Links in messages: a capability for one journey and one purpose until a time.
//!
//! A browser that follows a link gets a grant in its own session; what a grant opens is the workflow's to say (`links`
//! of a step), and [`crate::can`] decides. Codes are made in `core/links.rs`.

use super::People;
use super::sessions::token_hash;
use crate::actor::{Actor, Grant, LINK, LinkAccess, STAFF};
use crate::core::{INVITATIONS, LINKS, Settled};
use crate::journeys::Journeys;
use crate::refusal::Refusal;
use crate::turn::{Ends, HELP, HELPS_MS, Turn};
use engine_store::SessionRecord;
use serde_json::json;
use std::borrow::Cow;

/// Characters of a code: 128 bits in base64url.
const CODE_CHARS: usize = 22;

/// Newest grants that a session keeps.
const GRANTS_MAX: usize = 20;

impl People {
    /// What a code opens; unknown, expired and revoked ones are the same `None`.
    pub async fn link(&self, code: &str) -> Result<Option<Grant>, Refusal> {
        if code.len() != CODE_CHARS || !code.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
            return Ok(None);
        }
        let Some(found) = self.core.store().correlation(LINKS, &self.core.link_hash(code)).await? else {
            return Ok(None);
        };
        let Ok(grant) = serde_json::from_value::<Grant>(found.expected) else { return Ok(None) };
        let record = self.core.store().journey(&grant.journey).await?;
        let Some(record) = record.filter(|record| grant.holds(record, self.core.now_ms())) else { return Ok(None) };
        // Whoever has the number now that it was sent to is somebody else.
        let was_left = self.core.was_left(&record, grant.made_ms).await?;
        Ok((!was_left).then_some(grant))
    }

    /// Gives the session of this token the right that a link carries; the session goes on under the new token that
    /// comes back. `None`: there is no such session.
    pub async fn follow(&self, token: &str, grant: Grant) -> Result<Option<(String, Actor)>, Refusal> {
        let now = self.core.now_ms();
        self.renew_session(token, |session| {
            let mut grants = Grant::of_subject(&session.subject);
            grants.retain(|g| g.until_ms > now && (&g.journey, &g.purpose) != (&grant.journey, &grant.purpose));
            grants.push(grant);
            let surplus = grants.len().saturating_sub(GRANTS_MAX);
            session.subject["links"] = json!(grants[surplus..]);
        })
        .await
    }

    /// One of the staff comes with the code of a customer who asked for help: their session goes on, under a new token,
    /// with what the customer's flow lets them do; and the page of the customer's journey. `None`: no such code, or no
    /// longer.
    pub async fn take_over(
        &self,
        token: &str,
        actor: &Actor,
        code: &str,
    ) -> Result<Option<(String, Actor, String)>, Refusal> {
        let catalog = self.core.catalog();
        let role = catalog.policy().assists(actor.acting_roles()).filter(|_| actor.kind == STAFF);
        let role = role.ok_or(Refusal::NotFound)?;
        let code: String = code.chars().filter(|part| !part.is_whitespace()).collect::<String>().to_ascii_uppercase();
        let found = self.core.store().correlation(INVITATIONS, &self.core.invitation_hash(&code)).await?;
        let Some(found) = found else { return Ok(None) };
        let Some(session) = self.load_session(&token_hash(token)).await? else { return Ok(None) };
        let (journey, made_ms) = (found.journey, self.core.now_ms());
        let until_ms = session.expires_at_ms.min(made_ms + HELPS_MS);
        let taken = |turn: &mut Turn<'_>| turn.take_over(&code, (role, until_ms), actor);
        if self.core.turn(&journey, &Ends::Nothing, taken).await? != Settled::Done {
            return Ok(None);
        }
        let grant = Grant { journey: journey.clone(), purpose: HELP.into(), made_ms, until_ms };
        let Some((token, actor)) = self.follow(token, grant).await? else { return Ok(None) };
        let page = Journeys { core: self.core.clone() }.page_of(&actor, &journey).await?;
        Ok(Some((token, actor, page)))
    }

    /// Tells the customers whom this session of the staff helped that nobody does any more. It is over already; where a
    /// customer cannot be told, the help ends by itself with its time.
    pub(super) async fn leave_helped(&self, session: &SessionRecord) {
        let (actor, now) = (Actor::of_session(session), self.core.now_ms());
        let helped = Grant::of_subject(&session.subject);
        for grant in helped.into_iter().filter(|grant| grant.purpose == HELP && now < grant.until_ms) {
            let left = |turn: &mut Turn<'_>| turn.leave_help(&actor);
            if let Err(error) = self.core.turn(&grant.journey, &Ends::Nothing, left).await {
                tracing::warn!(journey = grant.journey, %error, "a customer was not told that the helper left");
            }
        }
    }

    /// Title of the journey's workflow for the page that asks before a link is followed, and the language to ask in,
    /// which is the visitor's own choice, or else the one in which the message came.
    pub async fn link_title(&self, grant: &Grant, chosen: Option<String>) -> Result<(String, String), Refusal> {
        let record = self.core.store().journey(&grant.journey).await?.ok_or(Refusal::NotFound)?;
        let workflow = self.core.workflow_of(&record).await?;
        let language = chosen.unwrap_or(record.language);
        Ok((workflow.in_language(&language).title.clone(), language))
    }
}

impl Actor {
    /// This actor before any journey.
    pub(crate) fn plain(&self) -> Cow<'_, Actor> {
        if self.came_by.is_none() {
            return Cow::Borrowed(self);
        }
        let mut actor = self.clone();
        actor.came_by = None;
        if actor.kind != STAFF {
            actor.kind = "visitor".into();
        }
        actor.roles.retain(|role| !role.starts_with("link:"));
        Cow::Owned(actor)
    }

    /// This actor before a journey that links opened: purposes and the events that each lets it send.
    pub(crate) fn came_by<'p>(
        &self,
        journey: &str,
        opened: impl Iterator<Item = (&'p str, Vec<String>)>,
    ) -> Option<Actor> {
        let (purposes, events): (Vec<&str>, Vec<Vec<String>>) = opened.unzip();
        let mut actor = (!purposes.is_empty()).then(|| self.clone())?;
        // One of the staff stays that, however they came.
        if actor.kind != STAFF {
            actor.kind = LINK.into();
        }
        actor.roles.extend(purposes.iter().map(|purpose| format!("link:{purpose}")));
        actor.came_by = Some(LinkAccess { journey: journey.into(), events: events.into_iter().flatten().collect() });
        Some(actor)
    }
}

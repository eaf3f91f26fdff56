//! Links in messages: a capability for one journey and one purpose until a time (security rules 11 and 16).
//!
//! A link's code has 128 bits and is derived from the server's key and the effect that sends it, when it is sent: it
//! stands in no row, no event and no context. Stored, in the commit that orders the message, is its keyed hash. A
//! browser that follows the link gets a grant in its own session; what a grant opens is the workflow's to say
//! (`links` of a step), and [`crate::can`] decides.

use crate::actor::{Actor, CameBy, Grant};
use crate::effect::NotifyPayload;
use crate::refusal::Refusal;
use crate::render::address;
use crate::runtime::{Runtime, RuntimeError};
use crate::turn::Turn;
use engine_store::{CorrelationRecord, EffectKey, EffectRecord, JourneyRecord, named_in};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Whose references links are; no folder of a partner can have this name.
const PARTNER: &str = "system:link";
/// Characters of a code: 128 bits in base64url.
const CODE_CHARS: usize = 22;
/// Newest grants that a session keeps.
const GRANTS_MAX: usize = 20;

impl Runtime {
    /// Name → address of every link that a message asks for; only for the job that sends it.
    pub fn link_addresses(&self, effect: &EffectRecord, payload: &NotifyPayload) -> Map<String, Value> {
        let url = |name: &str| {
            format!(
                "{}/r/{}",
                self.inner.settings.public_url(),
                self.inner.keys.link_code(&order_of(effect.epoch, &effect.key, name))
            )
        };
        payload.links.keys().map(|name| (name.clone(), Value::String(url(name)))).collect()
    }

    /// What a code opens; unknown, expired and revoked ones are the same `None`.
    pub async fn link(&self, code: &str) -> Result<Option<Grant>, Refusal> {
        if code.len() != CODE_CHARS || !code.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
            return Ok(None);
        }
        let Some(found) = self.store().correlation(PARTNER, &self.link_hash(code)).await? else { return Ok(None) };
        let Ok(grant) = serde_json::from_value::<Grant>(found.expected) else { return Ok(None) };
        let record = self.store().journey(&grant.journey).await?;
        Ok(record.is_some_and(|record| grant.holds(&record, self.now_ms())).then_some(grant))
    }

    /// Gives the session of this token the right that a link carries; the session goes on under the new token that
    /// comes back. `None`: there is no such session.
    pub async fn follow(&self, token: &str, grant: Grant) -> Result<Option<(String, Actor)>, Refusal> {
        let now = self.now_ms();
        self.renew_session(token, |subject| {
            let mut grants = Grant::of_subject(subject);
            grants.retain(|g| g.until_ms > now && (&g.journey, &g.purpose) != (&grant.journey, &grant.purpose));
            grants.push(grant);
            let surplus = grants.len().saturating_sub(GRANTS_MAX);
            subject["links"] = json!(grants[surplus..]);
        })
        .await
    }

    /// Page of the journey's current step, for one who may see it.
    pub async fn page_of(&self, actor: &Actor, journey: &str) -> Result<String, Refusal> {
        let (record, _) = self.mine(actor, crate::Action::See, journey).await?;
        let workflow = self.workflow_of(&record).await?;
        let step = workflow.step_by_node(&record.step);
        Ok(step.map_or_else(
            || format!("{}?request={journey}", workflow.base),
            |step| address(&workflow, step, Some(journey)),
        ))
    }

    /// Title of the journey's workflow, for the page that asks before a link is followed.
    pub async fn link_title(&self, grant: &Grant) -> Result<String, Refusal> {
        let record = self.store().journey(&grant.journey).await?.ok_or(Refusal::NotFound)?;
        Ok(self.workflow_of(&record).await?.title.clone())
    }

    /// The actor as it stands towards a journey: one that is not its own may be opened by links that it came by.
    pub(crate) async fn towards<'a>(
        &self,
        actor: &'a Actor,
        record: &JourneyRecord,
    ) -> Result<Cow<'a, Actor>, RuntimeError> {
        if actor.grants.is_empty() || actor.id == record.owner {
            return Ok(Cow::Borrowed(actor));
        }
        let grants: Vec<&Grant> = actor.grants.iter().filter(|g| g.holds(record, self.now_ms())).collect();
        // What was open at an earlier step is not carried on.
        let plain = actor.plain();
        if grants.is_empty() {
            return Ok(plain);
        }
        let workflow = self.workflow_of(record).await?;
        let opened =
            grants.iter().filter_map(|g| Some((g.purpose.as_str(), workflow.link_events(&g.purpose, &record.step)?)));
        Ok(plain.came_by(&record.id, opened).map_or(plain, Cow::Owned))
    }

    pub(crate) fn remember_link(
        &self,
        turn: &mut Turn<'_>,
        effect: &EffectKey,
        name: &str,
        purpose: &str,
        valid_ms: i64,
    ) {
        let grant = Grant {
            journey: turn.id().into(),
            purpose: purpose.into(),
            made_ms: turn.now_ms,
            until_ms: turn.now_ms.saturating_add(valid_ms),
        };
        let order = order_of(self.store().epoch(), effect, name);
        let reference = self.link_hash(&self.inner.keys.link_code(&order));
        turn.expect_reference(CorrelationRecord {
            partner: PARTNER.into(),
            reference,
            journey: turn.id().into(),
            expected: json!(grant),
        });
    }

    fn link_hash(&self, code: &str) -> String {
        self.inner.keys.hash("link", code)
    }
}

/// What a code is derived from: one order of one message.
fn order_of(epoch: i32, effect: &EffectKey, name: &str) -> String {
    format!("{}/{name}", named_in(epoch, effect))
}

impl Actor {
    /// This actor before any journey.
    fn plain(&self) -> Cow<'_, Actor> {
        if self.came_by.is_none() {
            return Cow::Borrowed(self);
        }
        let mut actor = self.clone();
        actor.came_by = None;
        actor.kind = "visitor".into();
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
        actor.kind = "link".into();
        actor.roles.extend(purposes.iter().map(|purpose| format!("link:{purpose}")));
        actor.came_by = Some(CameBy { journey: journey.into(), events: events.into_iter().flatten().collect() });
        Some(actor)
    }
}

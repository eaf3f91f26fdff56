//! Reaching people: consents and recipients of messages, who is there, where a tracking partner sends them.

use crate::actor::{Action, Actor};
use crate::effect::TrackPayload;
use crate::jobs::Settled;
use crate::refusal::Refusal;
use crate::runtime::{Runtime, RuntimeError};
use crate::state::JourneyState;
use crate::turn::{Finished, Turn};
use engine_definitions::{Channel, mask};
use engine_store::{EffectEnd, EffectRecord};
use serde_json::{Value, json};

/// A recipient as it may be kept.
pub struct Recipient {
    pub masked: String,
    /// Keyed; the same for the same number or address.
    pub hash: String,
}

/// What a ping leads to, beside the note that somebody is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Presence {
    pub partner: String,
    pub operation: String,
    pub input: Value,
}

impl Runtime {
    /// Whether the person of a journey agrees to messages of this purpose now.
    pub async fn consents(&self, journey: &str, purpose: &str) -> Result<bool, RuntimeError> {
        let Some(record) = self.store().journey(journey).await? else { return Ok(false) };
        let state: JourneyState =
            serde_json::from_value(record.state).map_err(|e| RuntimeError::State { journey: journey.into(), reason: e.to_string() })?;
        Ok(state.consents.get(purpose).copied().unwrap_or(false))
    }

    pub fn recipient(&self, channel: Channel, to: &str) -> Recipient {
        let (kind, text) = match channel {
            Channel::Email => ("email", to.trim().to_lowercase()),
            Channel::Sms | Channel::Whatsapp => ("mobile", crate::otp::normal_mobile(to)),
        };
        Recipient { masked: mask(&text, kind).unwrap_or_default(), hash: self.inner.keys.hash(kind, &text) }
    }

    /// The hash under which messages to a number or address are found.
    pub fn recipient_hash(&self, to: &str) -> String {
        self.recipient(if to.contains('@') { Channel::Email } else { Channel::Sms }, to).hash
    }

    /// The call that a ping of this person on this journey makes, if its workflow has one. Refuses who may not act on it.
    pub async fn presence(&self, actor: &Actor, journey: &str) -> Result<Option<Presence>, Refusal> {
        let record = self.mine(actor, Action::Act, journey).await?;
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let turn = Turn::on(&workflow, &catalog, record, self.now_ms()).map_err(|reason| RuntimeError::State { journey: journey.into(), reason })?;
        let call = |input| workflow.presence.as_ref().map(|r| Presence { partner: r.partner.clone(), operation: r.operation.clone(), input });
        Ok(turn.presence_input().and_then(call))
    }

    /// Ends a tracking effect whose partner wants the person elsewhere. Only our own addresses and allowed hosts are
    /// followed, and only while the step that was tracked is shown; anything else is dropped and logged (security rule 29).
    pub async fn lead_away(&self, effect: &EffectRecord, payload: &TrackPayload, url: &str) -> Result<Settled, RuntimeError> {
        let allowed = self.allowed_address(url);
        if allowed.is_none() {
            tracing::warn!(effect = %effect.key, to = payload.to, "a tracking partner's address is not allowed; the person stays");
        }
        let outcome = json!({"tracked": true, "leads_away": allowed.is_some()});
        let ends = (effect.key.clone(), effect.fence, EffectEnd::Done { outcome });
        let finished = || Finished { settles: Some(ends.clone()), ..Finished::default() };
        let Some(url) = allowed else {
            let (key, fence, end) = ends;
            let done = self.store().finish_effect(&key, fence, end).await?;
            return Ok(if done { Settled::Done } else { Settled::Superseded });
        };
        self.internal_turn(&effect.key.journey, finished, |turn| Ok(turn.lead_away(&payload.at, &url))).await
    }

    /// A path of ours, our public origin, or an https address whose host the settings allow.
    fn allowed_address(&self, url: &str) -> Option<String> {
        let settings = &self.inner.settings;
        if url.len() > 2_000 || url.chars().any(|c| c.is_control() || c == '\\' || c.is_whitespace()) {
            return None;
        }
        if url.starts_with('/') && !url.starts_with("//") {
            return Some(url.to_string());
        }
        let ours = settings.public_url();
        let rest = url.strip_prefix(&ours);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#'])) {
            return Some(url.to_string());
        }
        let host = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?.to_ascii_lowercase();
        settings.tracking.redirect_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)).then(|| url.to_string())
    }
}

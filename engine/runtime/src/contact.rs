//! Reaching people: consents and recipients of messages, who is there, where a tracking partner sends them.

use crate::actor::{Action, Actor};
use crate::effect::TrackPayload;
use crate::jobs::Settled;
use crate::refusal::Refusal;
use crate::runtime::{Runtime, RuntimeError};
use crate::state::JourneyState;
use crate::turn::{Ends, Journey, Turn};
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
        let state: JourneyState = serde_json::from_str(&record.state)
            .map_err(|e| RuntimeError::State { journey: journey.into(), reason: e.to_string() })?;
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

    /// The call that a ping of this person on this journey makes, if its workflow has one. Refuses who may not see it.
    pub async fn presence(&self, actor: &Actor, journey: &str) -> Result<Option<Presence>, Refusal> {
        let (record, _) = self.mine(actor, Action::See, journey).await?;
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let stored = Journey::read(record).map_err(|reason| RuntimeError::State { journey: journey.into(), reason })?;
        let turn = Turn::on(&workflow, &catalog, stored, self.now_ms());
        let call = |input| {
            workflow.presence.as_ref().map(|r| Presence {
                partner: r.partner.clone(),
                operation: r.operation.clone(),
                input,
            })
        };
        Ok(turn.presence_input().and_then(call))
    }

    /// Ends a tracking effect whose partner wants the person elsewhere. Only our own addresses and allowed hosts are
    /// followed, and only while the step that was tracked is shown; anything else is dropped and logged (security rule
    /// 29).
    pub async fn lead_away(
        &self,
        effect: &EffectRecord,
        payload: &TrackPayload,
        url: &str,
    ) -> Result<Settled, RuntimeError> {
        let settings = &self.inner.settings;
        let allowed = followed(url, &settings.public_url(), &settings.tracking.redirect_hosts);
        if !allowed {
            tracing::warn!(effect = %effect.key, to = payload.to.as_ref().map(ToString::to_string), "a tracking partner's address is not allowed; the person stays");
        }
        let outcome = json!({"tracked": true, "leads_away": allowed});
        let end = EffectEnd::Done { outcome };
        if !allowed {
            let done = self.store().finish_effect(&effect.key, effect.fence, end).await?;
            return Ok(if done { Settled::Done } else { Settled::Superseded });
        }
        let ends = Ends::Effect(effect.key.clone(), effect.fence, end);
        self.internal_turn(&effect.key.journey, &ends, |turn| turn.lead_away(&payload.at, url)).await
    }
}

/// A path of ours, our public origin, or an https address whose host the settings allow.
fn followed(url: &str, ours: &str, hosts: &[String]) -> bool {
    if url.len() > 2_000 || url.chars().any(|c| c.is_control() || c == '\\' || c.is_whitespace()) {
        return false;
    }
    if url.starts_with('/') {
        return !url.starts_with("//");
    }
    let below = |origin: &str| {
        url.strip_prefix(origin).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    };
    let host = url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
    below(ours) || host.is_some_and(|host| hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host)))
}

#[cfg(test)]
mod tests {
    use super::followed;

    #[test]
    fn only_our_own_and_allowed_addresses_are_followed() {
        for (url, allowed) in [
            ("https://shop.example/help", true),
            ("https://shop.example", true),
            ("/a/b?c#d", true),
            ("https://partner.example:8443", true),
            ("https://PARTNER.example:8443/x?y", true),
            ("https://partner.example/x", false),
            ("https://partner.example:8443.evil.example/", false),
            ("https://partner.example:8443@evil.example/", false),
            ("https://shop.example.evil.example/", false),
            ("https://shop.example@evil.example/", false),
            ("http://partner.example:8443/", false),
            ("javascript:alert(1)", false),
            ("help", false),
            ("", false),
            ("/\\evil.example", false),
            ("//evil.example", false),
            ("/a\n/b", false),
        ] {
            assert_eq!(followed(url, "https://shop.example", &["partner.example:8443".into()]), allowed, "{url}");
        }
    }
}

//! Work in the background: replies, timers, expiry, and what jobs need to know. Called by `worker` and by the routes of
//! webhooks.

mod webhooks;

pub use webhooks::Hook;

use crate::core::{Core, Crypto, RuntimeError, Settled, link_order, read};
use crate::effect::{CallFailure, CallPayload, CallResult, LinkOrder, NotifyPayload, TrackPayload};
use crate::fact::Outcome;
use crate::turn::{Ends, Turn};
use engine_store::{EffectEnd, EffectRecord, Spent};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Work in the background.
#[derive(Clone)]
pub struct Background {
    pub(crate) core: Arc<Core>,
}

impl Background {
    /// The outcome of a call's effect, in one commit with what it changes.
    pub async fn settle(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        result: CallResult,
    ) -> Result<Settled, RuntimeError> {
        let outcome = match &result.outcome {
            Outcome::Output(_) => json!({"ok": true}),
            Outcome::Error(failure) => json!({"ok": false, "code": failure.code}),
        };
        self.settle_as(effect, payload, result, EffectEnd::Done { outcome }).await
    }

    pub(crate) async fn settle_as(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        result: CallResult,
        end: EffectEnd,
    ) -> Result<Settled, RuntimeError> {
        let ends = Ends::Effect(effect.key.clone(), effect.fence, end);
        let reply = |turn: &mut Turn<'_>| turn.reply(payload, result.clone()).map(|()| true);
        self.core.turn(&effect.key.journey, &ends, reply).await
    }

    /// A call without an end is given up: its attempts or claims are used up, the last was interrupted. The journey
    /// hears of it as of any failed call; what ended its process again and again is an incident as well.
    pub async fn give_up(
        &self,
        effect: &EffectRecord,
        payload: &CallPayload,
        spent: Spent,
    ) -> Result<Settled, RuntimeError> {
        let result = CallResult::from(CallFailure::of(spent.code()));
        let end = EffectEnd::Done { outcome: json!({"ok": false, "code": spent.code()}) };
        let ends = Ends::Effect(effect.key.clone(), effect.fence, end);
        let reply = |turn: &mut Turn<'_>| {
            if spent == Spent::Claims {
                let detail = json!({"claims": effect.claims});
                turn.incident(&payload.target.to_string(), "a call that its workers did not survive", detail);
            }
            turn.reply(payload, result.clone()).map(|()| true)
        };
        self.core.turn(&effect.key.journey, &ends, reply).await
    }

    /// A message is given up: an operator sees it, and the person, where the journey has something to say.
    pub async fn message_failed(
        &self,
        effect: &EffectRecord,
        order: &NotifyPayload,
        reason: Value,
    ) -> Result<Settled, RuntimeError> {
        let code = reason.get("code").and_then(Value::as_str).unwrap_or("failed").to_owned();
        let ends = Ends::Effect(effect.key.clone(), effect.fence, EffectEnd::Parked { reason });
        self.core.turn(&effect.key.journey, &ends, |turn| turn.message_failed(order, &code)).await
    }

    /// A message could not be sent at once, and is tried again: the person hears of it within seconds, where the
    /// journey has something to say.
    pub async fn message_late(
        &self,
        effect: &EffectRecord,
        order: &NotifyPayload,
        code: &str,
    ) -> Result<(), RuntimeError> {
        let told = |turn: &mut Turn<'_>| turn.message_late(order, code);
        self.core.turn(&effect.key.journey, &Ends::Nothing, told).await.map(drop)
    }

    /// A due timer. One that the journey no longer has does nothing.
    pub async fn fire(&self, journey: &str, timer: &str) -> Result<Settled, RuntimeError> {
        self.core.turn(journey, &Ends::Timer(timer.to_string()), |turn| turn.fire(timer)).await
    }

    /// Ends journeys that were idle for their time to live.
    pub async fn expire_due(&self, limit: u32) -> Result<usize, RuntimeError> {
        let due = self.core.store().expired_journeys(self.core.now_ms(), limit).await?;
        for journey in &due {
            self.core.turn(journey, &Ends::Nothing, |turn| turn.expire().map(|()| true)).await?;
        }
        Ok(due.len())
    }

    /// What the audit trail got is counted and hashed, once an hour.
    pub async fn anchor_audit(&self) -> Result<(), RuntimeError> {
        self.core.anchor_audit().await
    }

    /// Work on these journeys follows at once: what this node does not have in hand is read together. A journey that is
    /// not read here is read when its turn comes.
    pub async fn prefetch(&self, journeys: impl Iterator<Item = &str>) {
        let unknown: Vec<String> = journeys.filter(|id| !self.core.recent.has(id)).map(str::to_owned).collect();
        if unknown.len() < 2 {
            return;
        }
        match self.core.store().journeys(&unknown).await {
            Ok(records) => records
                .into_iter()
                .filter_map(|record| read(record).ok())
                .for_each(|journey| self.core.recent.put(journey)),
            Err(error) => tracing::debug!(%error, "journeys cannot be read together"),
        }
    }

    /// Ends a tracking effect whose partner wants the person elsewhere. Only our own addresses and allowed hosts are
    /// followed, and only while the step that was tracked is shown; anything else is dropped and logged.
    pub async fn lead_away(
        &self,
        effect: &EffectRecord,
        payload: &TrackPayload,
        url: &str,
    ) -> Result<Settled, RuntimeError> {
        let settings = &self.core.settings;
        let allowed = followed(url, &settings.public_url(), &settings.tracking.redirect_hosts);
        if !allowed {
            tracing::warn!(effect = %effect.key, to = payload.to.as_ref().map(ToString::to_string), "a tracking \
                 partner's address is not allowed; the person stays");
        }
        let outcome = json!({"tracked": true, "leads_away": allowed});
        let end = EffectEnd::Done { outcome };
        if !allowed {
            let done = self.core.store().finish_effect(&effect.key, effect.fence, end).await?;
            return Ok(if done { Settled::Done } else { Settled::Superseded });
        }
        let ends = Ends::Effect(effect.key.clone(), effect.fence, end);
        self.core.turn(&effect.key.journey, &ends, |turn| turn.lead_away(&payload.at, url)).await
    }

    /// The input of a call with its sealed secrets opened; only for the job that makes the call.
    pub fn unseal(&self, journey: &str, input: &serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match input {
            Value::String(text) if Crypto::is_handle(text) => {
                self.core.keys.open(text, journey).map_or(Value::Null, Value::String)
            }
            Value::Array(items) => items.iter().map(|item| self.unseal(journey, item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| (key.clone(), self.unseal(journey, value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }

    /// Name → address of every link that a message asks for; only for the job that sends it.
    pub fn link_addresses(&self, effect: &EffectRecord, payload: &NotifyPayload) -> Map<String, Value> {
        let ours = self.address();
        let code = |name: &str| self.core.keys.link_code(&link_order(effect.epoch, &effect.key, name));
        let address = |(name, order): (&String, &LinkOrder)| {
            let path =
                if order.is_plain { self.core.catalog().site("").account_page() } else { format!("/r/{}", code(name)) };
            (name.clone(), Value::String(format!("{ours}{path}")))
        };
        payload.links.iter().map(address).collect()
    }

    /// The code of an opened password, for the job that sends it.
    pub fn otp_code(&self, journey: &str, notify: &NotifyPayload) -> Option<String> {
        self.core.otp_code(journey, notify)
    }

    /// Our public address.
    pub fn address(&self) -> String {
        self.core.settings.public_url()
    }

    /// The host of our public address: a phone fills a code in on the site that its message names (origin-bound
    /// one-time codes, WICG).
    pub fn host(&self) -> String {
        let url = url::Url::parse(&self.address()).ok();
        url.as_ref().and_then(url::Url::host_str).unwrap_or_default().to_owned()
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

//! Events from outside that are nobody's answer: webhooks, and the end of an idle journey.

use super::{Move, Refused, Turn};
use crate::actor::Actor;
use crate::effect::{NotifyPayload, OtpRef};
use engine_statechart::Event;
use engine_store::{EffectKey, WebhookRecord};
use serde_json::{Map, Value, json};

/// Event of a message that cannot be sent.
const MESSAGE_FAILED: &str = "notify.failed";

impl Turn<'_> {
    /// A webhook that found its journey. On a journey that is over it becomes an incident, never nothing (rule 22).
    pub fn webhook(&mut self, hook: &WebhookRecord, kind: &str, data: Map<String, Value>) -> Result<(), Refused> {
        let system = Actor::system();
        if self.status != "active" {
            self.append(kind, Value::Object(data), &system);
            self.incident(
                &hook.partner,
                "an event for a journey that is over",
                json!({"event": kind, "reference": hook.reference}),
            );
            return Ok(());
        }
        let before = self.step_node();
        let mut event = Event::new(kind);
        event.data = data.clone();
        self.append(kind, Value::Object(data), &system);
        if !self.feed(Move::Event(&event))? {
            self.incident(
                &hook.partner,
                "an event that nothing takes",
                json!({"event": kind, "reference": hook.reference}),
            );
        }
        self.after_internal(&before);
        self.resume()
    }

    /// A message cannot be sent: the machine hears of it where an active state names the event, so that the page can say
    /// so. False when nobody listens, or when another code was sent since.
    pub fn message_failed(&mut self, effect: &EffectKey, order: &NotifyPayload, code: &str) -> Result<bool, Refused> {
        self.work = json!({"effect": effect.to_string()});
        let open = |otp: &OtpRef| self.state.otps.get(&otp.purpose).is_some_and(|open| open.id == otp.id);
        let current = order.otp.as_ref().is_none_or(open);
        if self.status != "active" || !current || !self.names(MESSAGE_FAILED) {
            return Ok(false);
        }
        let data = [("message", order.message.as_str()), ("code", code)];
        self.outside(MESSAGE_FAILED, data.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }

    /// A named outside event without a business key; false when nothing takes it.
    pub fn outside(&mut self, kind: &str, data: Map<String, Value>) -> Result<bool, Refused> {
        let system = Actor::system();
        let before = self.step_node();
        let mut event = Event::new(kind);
        event.data = data.clone();
        self.append(kind, Value::Object(data), &system);
        let taken = self.feed(Move::Event(&event))?;
        self.after_internal(&before);
        self.resume()?;
        Ok(taken)
    }

    /// The journey was idle for its time to live.
    pub fn expire(&mut self) -> Result<(), Refused> {
        let system = Actor::system();
        if !self.asked("expire", Value::Null, &system)? {
            self.append("expire", Value::Null, &system);
            self.status = "expired".into();
            self.revision += 1;
        }
        Ok(())
    }
}

//! Events from outside that are nobody's answer: webhooks, and the end of an idle journey.

use super::{Refused, Turn};
use crate::actor::Actor;
use crate::effect::{NotifyPayload, OtpRef};
use crate::fact::Fact;
use engine_store::WebhookRecord;
use serde_json::{Map, Value, json};

/// Event of a message that cannot be sent.
pub(super) const MESSAGE_FAILED: &str = "notify.failed";
/// Event of a journey whose person is about to be forgotten.
const PERSON_FORGOTTEN: &str = "person.forgotten";
/// Event of a message whose first try failed: it is tried again.
const MESSAGE_LATE: &str = "notify.late";

impl Turn<'_> {
    /// A webhook that found its journey. On a journey that is over it becomes an incident, never nothing.
    pub fn webhook(&mut self, hook: &WebhookRecord, kind: &str, data: Map<String, Value>) -> Result<(), Refused> {
        let reason =
            if self.is_active() { "an event that nothing takes" } else { "an event for a journey that is over" };
        if !self.receive(kind, data)? {
            self.incident(&hook.partner, reason, json!({"event": kind, "reference": hook.reference}));
        }
        Ok(())
    }

    /// What somebody outside tells of it stands among its records, also when it is over.
    pub fn record_note(&mut self, kind: &str, key: &str, data: &Map<String, Value>) -> Result<(), Refused> {
        let fact = Fact::Noted { record: kind.into(), key: key.into(), data: data.clone() };
        self.happen(fact, &Actor::system()).map(drop)
    }

    /// A message cannot be sent: the machine hears of it where an active state names the event, so that the page can
    /// say so. False when nobody listens, or when another code was sent since.
    pub fn message_failed(&mut self, order: &NotifyPayload, code: &str) -> Result<bool, Refused> {
        self.message_event(MESSAGE_FAILED, order, code)
    }

    /// A message could not be sent at once: a state that names the event says so, while it is tried again.
    pub fn message_late(&mut self, order: &NotifyPayload, code: &str) -> Result<bool, Refused> {
        self.message_event(MESSAGE_LATE, order, code)
    }

    fn message_event(&mut self, event: &str, order: &NotifyPayload, code: &str) -> Result<bool, Refused> {
        let open = |otp: &OtpRef| self.state.otps.get(&otp.purpose).is_some_and(|open| open.id == otp.id);
        let current = order.otp.as_ref().is_none_or(open);
        if !self.is_active() || !current || !self.names(event) {
            return Ok(false);
        }
        let data = [("message", order.message.as_str()), ("code", code)];
        self.receive(event, data.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }

    /// The journey's person is about to be forgotten: what is still to happen for them is called off where an active
    /// state names the event. False when nobody listens.
    pub fn person_forgotten(&mut self) -> Result<bool, Refused> {
        if !self.is_active() || !self.names(PERSON_FORGOTTEN) {
            return Ok(false);
        }
        self.receive(PERSON_FORGOTTEN, Map::new())
    }

    /// A named event from outside; false when nothing takes it.
    pub fn receive(&mut self, kind: &str, data: Map<String, Value>) -> Result<bool, Refused> {
        self.happen(Fact::Received { event: kind.into(), data }, &Actor::system())
    }

    /// The journey was idle for its time to live.
    pub fn expire(&mut self) -> Result<(), Refused> {
        self.happen(Fact::Expired, &Actor::system()).map(drop)
    }
}

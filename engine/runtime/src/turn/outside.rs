//! Events from outside that are nobody's answer: webhooks, and the end of an idle journey.

use super::{Move, Refused, Turn};
use crate::actor::Actor;
use engine_statechart::Event;
use engine_store::WebhookRecord;
use serde_json::{Map, Value, json};

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

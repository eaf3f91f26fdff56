//! A copy of what is kept of a person, for herself.

use super::{Account, People};
use crate::actor::Actor;
use crate::clock::rfc3339;
use crate::core::Deed;
use crate::fact::Fact;
use crate::refusal::Refusal;
use crate::view::JourneySummary;
use engine_store::{EventRecord, MessageFilter, SentMessage};
use serde_json::{Value, json};

const EVENTS_MAX: u32 = 10_000;
const MESSAGES_MAX: u32 = 1_000;

impl People {
    /// Of who is signed in: `{profile, journeys, records, sessions, seen}`. A journey says what she wrote in it and
    /// which messages she got. `NotFound` for everybody else. It stands in the audit trail before it is given.
    pub async fn export(&self, actor: &Actor) -> Result<Value, Refusal> {
        let person = self.hers(actor).ok_or(Refusal::NotFound)?.to_owned();
        self.core.note_deed(actor, Deed::DataExported, &person).await?;
        let Account { profile, journeys, records, sessions, seen, .. } =
            self.account(actor).await?.ok_or(Refusal::NotFound)?;
        let mut told = Vec::new();
        for journey in journeys {
            told.push(self.told(journey).await?);
        }
        Ok(json!({"profile": profile, "journeys": told, "records": records, "sessions": sessions, "seen": seen}))
    }

    async fn told(&self, journey: JourneySummary) -> Result<Value, Refusal> {
        let store = self.core.store();
        let events = store.events(&journey.id, 0, EVENTS_MAX).await?;
        let filter = MessageFilter { journey: Some(journey.id.clone()), recipient_hash: None, limit: MESSAGES_MAX };
        let messages = store.messages(filter).await?;
        let mut told = json!(journey);
        told["written"] = events.iter().filter_map(written).collect();
        told["messages"] = messages.iter().map(message).collect();
        Ok(told)
    }
}

/// What somebody wrote: never a secret, which no history has.
fn written(event: &EventRecord) -> Option<Value> {
    let fact = Fact::read(event).ok()?;
    match &fact {
        Fact::Submitted { data, .. } | Fact::Sent { data, .. } => {
            Some(json!({"at": rfc3339(event.at_ms), "what": fact.name(), "data": data}))
        }
        _ => None,
    }
}

fn message(sent: &SentMessage) -> Value {
    let at = rfc3339(sent.at_ms);
    json!({"at": at, "message": sent.message, "channel": sent.channel, "to": sent.recipient, "purpose": sent.purpose})
}

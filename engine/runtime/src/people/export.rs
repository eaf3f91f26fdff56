//! A copy of what is kept of a person, for that person.

use super::People;
use super::account::{document, shown};
use super::sessions::DRAW;
use crate::actor::Actor;
use crate::clock::rfc3339;
use crate::core::Deed;
use crate::fact::Fact;
use crate::journeys::{Journeys, LIST_MAX, List};
use crate::refusal::Refusal;
use crate::uploads;
use crate::view::JourneySummary;
use engine_definitions::{AccountParts, RecordKinds};
use engine_store::{EventRecord, MessageFilter, SentMessage};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const EVENTS_MAX: u32 = 10_000;
const MESSAGES_MAX: u32 = 1_000;

impl People {
    /// Copy of what is kept of who is signed in: `{profile, journeys, records, sessions, seen}`. A journey says what
    /// the person wrote in it, which messages they got, and which documents and files there are to fetch. `NotFound`
    /// for everybody else. The export stands in the audit trail before it is given.
    pub async fn export(&self, actor: &Actor) -> Result<Value, Refusal> {
        // What staff began for customers is theirs.
        let person = self.hers(actor).filter(|_| actor.person().is_some()).ok_or(Refusal::NotFound)?.to_owned();
        self.core.note_deed(actor, Deed::DataExported, &person).await?;
        let (journeys, documents, records) = (false, false, RecordKinds::default());
        let beside = AccountParts { journeys, documents, records, ..AccountParts::everything() };
        let account = self.account(actor, &beside).await?.ok_or(Refusal::NotFound)?;
        let catalog = self.core.catalog();
        let (mut told, mut records): (Vec<Value>, BTreeMap<String, Vec<Value>>) = Default::default();
        let mut list = List { limit: LIST_MAX, ..List::default() };
        loop {
            let page = Journeys { core: self.core.clone() }.journeys_of(actor, list.clone()).await?;
            let Some(last) = page.last() else { break };
            list.before = Some(last.id.clone());
            for journey in page {
                for record in self.core.store().records_in(std::slice::from_ref(&journey.id), &[]).await? {
                    let of_kind: &mut Vec<Value> = records.entry(record.kind.clone()).or_default();
                    of_kind.push(Value::Object(shown(record, Some(&journey))));
                }
                if catalog.workflow(&journey.workflow).is_none_or(|workflow| workflow.signs_in.is_none()) {
                    told.push(self.export_journey(journey).await?);
                }
            }
        }
        let kept = List { limit: LIST_MAX, forgotten: true, ..List::default() };
        for journey in (Journeys { core: self.core.clone() }).journeys_of(actor, kept).await? {
            for record in self.core.store().records_in(std::slice::from_ref(&journey.id), &[]).await? {
                let of_kind: &mut Vec<Value> = records.entry(record.kind.clone()).or_default();
                of_kind.push(Value::Object(shown(record, Some(&journey))));
            }
        }
        let (mut profile, sessions, seen) = (account.profile, account.sessions, account.seen);
        // Ours, and nothing that the person said.
        profile.as_object_mut().map(|said| said.remove(DRAW));
        Ok(json!({"profile": profile, "journeys": told, "records": records, "sessions": sessions, "seen": seen}))
    }

    async fn export_journey(&self, journey: JourneySummary) -> Result<Value, Refusal> {
        let store = self.core.store();
        let events = store.events(&journey.id, 0, EVENTS_MAX).await?;
        let filter = MessageFilter { journey: Some(journey.id.clone()), recipient_hash: None, limit: MESSAGES_MAX };
        let messages = store.messages(filter).await?;
        let documents = store.documents_in(std::slice::from_ref(&journey.id)).await?;
        let documents: Value = documents.iter().map(|head| document(head, &journey)).collect();
        let mut told = json!(journey);
        told["written"] = events.iter().filter_map(export_event).collect();
        told["messages"] = messages.iter().map(message).collect();
        told["documents"] = documents;
        let uploads = store.uploads_in(std::slice::from_ref(&journey.id)).await?;
        told["files"] = uploads.iter().filter_map(uploads::export_value).collect();
        Ok(told)
    }
}

/// What somebody wrote: never a secret, which no history has.
fn export_event(event: &EventRecord) -> Option<Value> {
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

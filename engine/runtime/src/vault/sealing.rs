//! What is sealed of each thing that is stored, and with which key.

use super::Vault;
use super::cipher::Place;
use super::keyring::OwnKeys;
use engine_store::{
    Commit, CorrelationRecord, DocumentRecord, Draft, EffectEnd, EffectRecord, EventRecord, IncidentRecord,
    JourneyRecord, PersonRecord, Record, Result, ReusableReply, SentMessage, SessionRecord, StoreError, WebhookRecord,
};
use serde_json::Value;

fn corrupt(column: &'static str) -> StoreError {
    StoreError::Corrupt { column, reason: "no key of ours opens it".into() }
}

pub(super) fn no_key() -> StoreError {
    StoreError::Settings("no key can be wrapped".into())
}

impl OwnKeys {
    /// Of a journey whose person was erased nothing more is written.
    fn seal(&self, value: &mut Value, column: &'static str, owner: &str) -> Result<()> {
        let key = self.service.as_ref().ok_or_else(|| corrupt(column))?;
        key.seal_json(value, Place(column, owner));
        Ok(())
    }

    /// Of such a journey nothing is read.
    pub fn open(&self, value: &mut Value, column: &'static str, owner: &str) -> Result<()> {
        match &self.service {
            Some(key) => key.open_json(value, Place(column, owner)).ok_or_else(|| corrupt(column)),
            None => {
                *value = Value::Null;
                Ok(())
            }
        }
    }

    pub fn seal_commit(&self, vault: &Vault, commit: &mut Commit) -> Result<()> {
        let id = commit.journey.as_str();
        let service = self.service.as_ref().ok_or_else(|| corrupt("journeys.state"))?;
        service.seal_text(&mut commit.update.state, Place("journeys.state", id));
        if let Some(new) = &mut commit.new {
            self.seal(&mut new.attribution, "journeys.attribution", id)?;
            new.session.iter_mut().for_each(|session| vault.seal_session(session));
        }
        for event in &mut commit.events {
            self.seal(&mut event.data, "events.data", id)?;
        }
        for effect in &mut commit.effects {
            self.seal(&mut effect.payload, "effects.payload", id)?;
        }
        for answer in &mut commit.answers {
            self.seal(&mut answer.value, "answers.value", id)?;
        }
        for draft in &mut commit.drafts {
            self.seal(&mut draft.data, "drafts.data", id)?;
        }
        for record in &mut commit.records {
            self.statutory.seal_json(&mut record.data, Place("records.data", id));
        }
        for document in &mut commit.documents {
            let place = Place("documents.bytes", &document.id).to_string();
            document.bytes = self.statutory.seal(&document.bytes, &place);
        }
        for correlation in &mut commit.correlations {
            self.seal(&mut correlation.expected, "correlations.expected", id)?;
        }
        for incident in &mut commit.incidents {
            self.seal(&mut incident.detail, "incidents.detail", id)?;
        }
        for reply in &mut commit.replies {
            vault.house.seal_json(&mut reply.output, Place("replies.output", &reply.input_hash));
        }
        if let Some((_, _, end)) = &mut commit.settles {
            self.seal_end(end, id)?;
        }
        commit.consumes.iter_mut().for_each(|hook| vault.seal_webhook(hook));
        Ok(())
    }

    pub fn seal_end(&self, end: &mut EffectEnd, journey: &str) -> Result<()> {
        let said = match end {
            EffectEnd::Done { outcome } => outcome,
            EffectEnd::Retry { reason, .. }
            | EffectEnd::Later { reason, .. }
            | EffectEnd::Parked { reason }
            | EffectEnd::Cancelled { reason } => reason,
        };
        if self.service.is_some() {
            return self.seal(said, "effects.outcome", journey);
        }
        // Of a journey that is no more nothing is said.
        *said = Value::Null;
        Ok(())
    }

    pub fn seal_draft(&self, mut draft: Draft) -> Result<Draft> {
        self.seal(&mut draft.data, "drafts.data", &draft.journey)?;
        Ok(draft)
    }

    pub fn seal_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        if let Some(reason) = &mut message.reason {
            self.seal(reason, "messages.reason", &message.effect.journey)?;
        }
        Ok(message)
    }

    pub fn open_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        if let Some(reason) = &mut message.reason {
            self.open(reason, "messages.reason", &message.effect.journey)?;
        }
        Ok(message)
    }

    /// `None`: its person was erased.
    pub fn open_journey(&self, mut journey: JourneyRecord) -> Result<Option<JourneyRecord>> {
        let Some(service) = &self.service else { return Ok(None) };
        let id = journey.id.as_str();
        let opened = service.open_text(&mut journey.state, Place("journeys.state", id));
        opened.ok_or_else(|| corrupt("journeys.state"))?;
        self.open(&mut journey.attribution, "journeys.attribution", id)?;
        for answer in &mut journey.answers {
            self.open(&mut answer.value, "answers.value", id)?;
        }
        for draft in &mut journey.drafts {
            self.open(&mut draft.data, "drafts.data", id)?;
        }
        Ok(Some(journey))
    }

    pub fn open_event(&self, mut event: EventRecord, journey: &str) -> Result<EventRecord> {
        self.open(&mut event.data, "events.data", journey)?;
        Ok(event)
    }

    pub fn open_effect(&self, mut effect: EffectRecord) -> Result<EffectRecord> {
        let journey = effect.key.journey.as_str();
        self.open(&mut effect.payload, "effects.payload", journey)?;
        if let Some(outcome) = &mut effect.outcome {
            match outcome {
                // the store's own word about attempts that are used up, with the last reason in it
                Value::Object(said) => {
                    if let Some(last) = said.get_mut("last") {
                        self.open(last, "effects.outcome", journey)?;
                    }
                }
                sealed => self.open(sealed, "effects.outcome", journey)?,
            }
        }
        Ok(effect)
    }

    pub fn open_record(&self, mut record: Record) -> Result<Record> {
        let opened = self.statutory.open_json(&mut record.data, Place("records.data", &record.journey));
        opened.ok_or_else(|| corrupt("records.data"))?;
        Ok(record)
    }

    pub fn open_document(&self, mut document: DocumentRecord) -> Result<DocumentRecord> {
        let place = Place("documents.bytes", &document.id).to_string();
        document.bytes = self.statutory.open(&document.bytes, &place).ok_or_else(|| corrupt("documents.bytes"))?;
        Ok(document)
    }

    pub fn open_correlation(&self, mut found: CorrelationRecord) -> Result<CorrelationRecord> {
        self.open(&mut found.expected, "correlations.expected", &found.journey)?;
        Ok(found)
    }

    pub fn open_incident(&self, mut incident: IncidentRecord) -> Result<IncidentRecord> {
        self.open(&mut incident.detail, "incidents.detail", &incident.journey)?;
        Ok(incident)
    }
}

impl Vault {
    pub(super) fn seal_session(&self, session: &mut SessionRecord) {
        self.house.seal_json(&mut session.subject, Place("sessions.subject", &session.id));
    }

    pub(super) fn open_session(&self, mut session: SessionRecord) -> Result<SessionRecord> {
        self.open_house(&mut session.subject, "sessions.subject", &session.id)?;
        Ok(session)
    }

    pub(super) fn seal_webhook(&self, hook: &mut WebhookRecord) {
        self.house.seal_json(&mut hook.event, Place("webhooks.event", &hook.once));
    }

    pub(super) fn open_webhook(&self, mut hook: WebhookRecord) -> Result<WebhookRecord> {
        self.open_house(&mut hook.event, "webhooks.event", &hook.once)?;
        Ok(hook)
    }

    pub(super) fn open_reply(&self, mut reply: ReusableReply) -> Result<ReusableReply> {
        self.open_house(&mut reply.output, "replies.output", &reply.input_hash)?;
        Ok(reply)
    }

    /// With the key of the house.
    fn open_house(&self, value: &mut Value, column: &'static str, owner: &str) -> Result<()> {
        self.house.open_json(value, Place(column, owner)).ok_or_else(|| corrupt(column))
    }

    /// A small value; `null` is one too.
    pub(super) fn seal_value(&self, bucket: &str, key: &str, mut value: Value) -> Value {
        let place = Place(bucket, key);
        if value.is_null() {
            let mut null = "null".to_owned();
            self.house.seal_text(&mut null, place);
            return null.into();
        }
        self.house.seal_json(&mut value, place);
        value
    }

    pub(super) fn open_value(&self, bucket: &str, key: &str, mut sealed: Value) -> Result<Value> {
        self.house.open_json(&mut sealed, Place(bucket, key)).ok_or_else(|| corrupt("kv.value"))?;
        Ok(sealed)
    }

    /// With a key of her own; who has none yet gets hers with it.
    pub(super) fn seal_person(&self, mut person: PersonRecord) -> Result<PersonRecord> {
        let keys = if person.keys.is_empty() {
            let (keys, stored) = OwnKeys::fresh(&self.keyring, &person.id).ok_or_else(no_key)?;
            person.keys = stored;
            keys
        } else {
            self.keys_of_person(&person)?
        };
        keys.seal(&mut person.profile, "persons.profile", &person.id)?;
        Ok(person)
    }

    fn keys_of_person(&self, person: &PersonRecord) -> Result<OwnKeys> {
        OwnKeys::unwrap(&self.keyring, &person.id, &person.keys).ok_or_else(|| corrupt("persons.keys"))
    }

    pub(super) fn open_person(&self, mut person: PersonRecord) -> Result<PersonRecord> {
        let column = "persons.profile";
        if person.keys.is_empty() {
            self.open_house(&mut person.profile, column, &person.id)?;
        } else {
            self.keys_of_person(&person)?.open(&mut person.profile, column, &person.id)?;
        }
        Ok(person)
    }
}

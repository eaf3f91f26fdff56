//! What is sealed of each thing that is stored, and with which key.

use super::Vault;
use super::keyring::OwnKeys;
use engine_store::{
    Commit, CorrelationRecord, DocumentRecord, Draft, EffectEnd, EffectRecord, EventRecord, IncidentRecord,
    JourneyRecord, PersonRecord, Record, Result, ReusableReply, SentMessage, SessionRecord, StoreError, WebhookRecord,
};
use serde_json::{Value, json};

/// `owner` and column: what a sealed text is bound to.
fn at(column: &str, owner: &str) -> String {
    format!("{column} {owner}")
}

fn corrupt(column: &'static str) -> StoreError {
    StoreError::Corrupt { column, reason: "no key of ours opens it".into() }
}

pub(super) fn no_key() -> StoreError {
    StoreError::Settings("no key can be wrapped".into())
}

impl OwnKeys {
    /// Of a journey whose person was erased nothing more is written.
    fn seal(&self, plain: &Value, column: &'static str, owner: &str) -> Result<Value> {
        let key = self.service.as_ref().ok_or_else(|| corrupt(column))?;
        Ok(key.seal_json(plain, &at(column, owner)))
    }

    /// Of such a journey nothing is read.
    pub fn open(&self, sealed: &Value, column: &'static str, owner: &str) -> Result<Value> {
        match &self.service {
            Some(key) => key.open_json(sealed, &at(column, owner)).ok_or_else(|| corrupt(column)),
            None => Ok(Value::Null),
        }
    }

    fn open_in_place(&self, sealed: &mut Value, column: &'static str, owner: &str) -> Result<()> {
        *sealed = self.open(sealed, column, owner)?;
        Ok(())
    }

    pub fn seal_commit(&self, vault: &Vault, mut commit: Commit) -> Result<Commit> {
        let id = commit.journey.clone();
        let service = self.service.as_ref().ok_or_else(|| corrupt("journeys.state"))?;
        commit.update.state = service.seal_text(&commit.update.state, &at("journeys.state", &id));
        if let Some(new) = &mut commit.new {
            new.attribution = self.seal(&new.attribution, "journeys.attribution", &id)?;
            new.session = new.session.take().map(|session| vault.seal_session(session));
        }
        for event in &mut commit.events {
            event.data = self.seal(&event.data, "events.data", &id)?;
        }
        for effect in &mut commit.effects {
            effect.payload = self.seal(&effect.payload, "effects.payload", &id)?;
        }
        for answer in &mut commit.answers {
            answer.value = self.seal(&answer.value, "answers.value", &id)?;
        }
        for draft in &mut commit.drafts {
            draft.data = self.seal(&draft.data, "drafts.data", &id)?;
        }
        for record in &mut commit.records {
            record.data = self.statutory.seal_json(&record.data, &at("records.data", &id));
        }
        for document in &mut commit.documents {
            document.bytes = self.statutory.seal(&document.bytes, &at("documents.bytes", &document.id));
        }
        for correlation in &mut commit.correlations {
            correlation.expected = self.seal(&correlation.expected, "correlations.expected", &id)?;
        }
        for incident in &mut commit.incidents {
            incident.detail = self.seal(&incident.detail, "incidents.detail", &id)?;
        }
        for reply in &mut commit.replies {
            reply.output = vault.house.seal_json(&reply.output, &at("replies.output", &reply.input_hash));
        }
        if let Some((_, _, end)) = &mut commit.settles {
            self.seal_end(end, &id)?;
        }
        commit.consumes = commit.consumes.map(|hook| vault.seal_webhook(hook));
        Ok(commit)
    }

    pub fn seal_end(&self, end: &mut EffectEnd, journey: &str) -> Result<()> {
        let said = match end {
            EffectEnd::Done { outcome } => outcome,
            EffectEnd::Retry { reason, .. }
            | EffectEnd::Later { reason, .. }
            | EffectEnd::Parked { reason }
            | EffectEnd::Cancelled { reason } => reason,
        };
        // Of a journey that is no more nothing is said.
        *said = if self.service.is_some() { self.seal(said, "effects.outcome", journey)? } else { Value::Null };
        Ok(())
    }

    pub fn seal_draft(&self, mut draft: Draft) -> Result<Draft> {
        draft.data = self.seal(&draft.data, "drafts.data", &draft.journey)?;
        Ok(draft)
    }

    pub fn seal_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        let journey = &message.effect.journey;
        message.reason = message.reason.map(|reason| self.seal(&reason, "messages.reason", journey)).transpose()?;
        Ok(message)
    }

    pub fn open_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        let journey = &message.effect.journey;
        message.reason = message.reason.map(|reason| self.open(&reason, "messages.reason", journey)).transpose()?;
        Ok(message)
    }

    /// `None`: its person was erased.
    pub fn open_journey(&self, mut journey: JourneyRecord) -> Result<Option<JourneyRecord>> {
        let Some(service) = &self.service else { return Ok(None) };
        let id = journey.id.clone();
        journey.state =
            service.open_text(&journey.state, &at("journeys.state", &id)).ok_or_else(|| corrupt("journeys.state"))?;
        self.open_in_place(&mut journey.attribution, "journeys.attribution", &id)?;
        for answer in &mut journey.answers {
            self.open_in_place(&mut answer.value, "answers.value", &id)?;
        }
        for draft in &mut journey.drafts {
            self.open_in_place(&mut draft.data, "drafts.data", &id)?;
        }
        Ok(Some(journey))
    }

    pub fn open_event(&self, mut event: EventRecord, journey: &str) -> Result<EventRecord> {
        self.open_in_place(&mut event.data, "events.data", journey)?;
        Ok(event)
    }

    pub fn open_effect(&self, mut effect: EffectRecord) -> Result<EffectRecord> {
        let journey = effect.key.journey.clone();
        self.open_in_place(&mut effect.payload, "effects.payload", &journey)?;
        if let Some(outcome) = &mut effect.outcome {
            match outcome {
                // the store's own word about attempts that are used up, with the last reason in it
                Value::Object(said) => {
                    if let Some(last) = said.get_mut("last") {
                        self.open_in_place(last, "effects.outcome", &journey)?;
                    }
                }
                sealed => self.open_in_place(sealed, "effects.outcome", &journey)?,
            }
        }
        Ok(effect)
    }

    pub fn open_record(&self, mut record: Record) -> Result<Record> {
        let place = at("records.data", &record.journey);
        record.data = self.statutory.open_json(&record.data, &place).ok_or_else(|| corrupt("records.data"))?;
        Ok(record)
    }

    pub fn open_document(&self, mut document: DocumentRecord) -> Result<DocumentRecord> {
        let place = at("documents.bytes", &document.id);
        document.bytes = self.statutory.open(&document.bytes, &place).ok_or_else(|| corrupt("documents.bytes"))?;
        Ok(document)
    }

    pub fn open_correlation(&self, mut found: CorrelationRecord) -> Result<CorrelationRecord> {
        let journey = found.journey.clone();
        self.open_in_place(&mut found.expected, "correlations.expected", &journey)?;
        Ok(found)
    }

    pub fn open_incident(&self, mut incident: IncidentRecord) -> Result<IncidentRecord> {
        let journey = incident.journey.clone();
        self.open_in_place(&mut incident.detail, "incidents.detail", &journey)?;
        Ok(incident)
    }
}

impl Vault {
    pub(super) fn seal_session(&self, mut session: SessionRecord) -> SessionRecord {
        session.subject = self.house.seal_json(&session.subject, &at("sessions.subject", &session.id));
        session
    }

    pub(super) fn open_session(&self, mut session: SessionRecord) -> Result<SessionRecord> {
        let place = at("sessions.subject", &session.id);
        session.subject = self.house.open_json(&session.subject, &place).ok_or_else(|| corrupt("sessions.subject"))?;
        Ok(session)
    }

    pub(super) fn seal_webhook(&self, mut hook: WebhookRecord) -> WebhookRecord {
        hook.event = self.house.seal_json(&hook.event, &at("webhooks.event", &hook.once));
        hook
    }

    pub(super) fn open_webhook(&self, mut hook: WebhookRecord) -> Result<WebhookRecord> {
        let place = at("webhooks.event", &hook.once);
        hook.event = self.house.open_json(&hook.event, &place).ok_or_else(|| corrupt("webhooks.event"))?;
        Ok(hook)
    }

    pub(super) fn open_reply(&self, sealed: ReusableReply) -> Result<ReusableReply> {
        let place = at("replies.output", &sealed.input_hash);
        let output = self.house.open_json(&sealed.output, &place).ok_or_else(|| corrupt("replies.output"))?;
        Ok(ReusableReply { output, ..sealed })
    }

    /// A small value; `null` is one too.
    pub(super) fn seal_value(&self, bucket: &str, key: &str, value: &Value) -> Value {
        let place = at(bucket, key);
        match value {
            Value::Null => json!(self.house.seal_text("null", &place)),
            value => self.house.seal_json(value, &place),
        }
    }

    pub(super) fn open_value(&self, bucket: &str, key: &str, sealed: &Value) -> Result<Value> {
        self.house.open_json(sealed, &at(bucket, key)).ok_or_else(|| corrupt("kv.value"))
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
        person.profile = keys.seal(&person.profile, "persons.profile", &person.id)?;
        Ok(person)
    }

    fn keys_of_person(&self, person: &PersonRecord) -> Result<OwnKeys> {
        OwnKeys::unwrap(&self.keyring, &person.id, &person.keys).ok_or_else(|| corrupt("persons.keys"))
    }

    pub(super) fn open_person(&self, mut person: PersonRecord) -> Result<PersonRecord> {
        let column = "persons.profile";
        person.profile = if person.keys.is_empty() {
            self.house.open_json(&person.profile, &at(column, &person.id)).ok_or_else(|| corrupt(column))?
        } else {
            self.keys_of_person(&person)?.open(&person.profile, column, &person.id)?
        };
        Ok(person)
    }
}

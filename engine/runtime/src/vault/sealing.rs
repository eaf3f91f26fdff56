//! What is sealed of each thing that is stored, and with which key.

use super::Vault;
use super::cipher::{Binding, Cipher, ONLY};
use super::keyring::OwnKeys;
use engine_store::{
    Commit, CorrelationRecord, DocumentRecord, Draft, EffectEnd, EffectKey, EffectRecord, EventRecord, IncidentRecord,
    JourneyRecord, Kept, PersonRecord, Record, Result, ReusableReply, SentMessage, SessionRecord, StoreError,
    UploadRecord, WebhookRecord,
};
use serde_json::Value;
use std::fmt;

fn corrupt(column: &'static str) -> StoreError {
    StoreError::Corrupt { column, reason: "no key of ours opens it".into() }
}

/// Who began it and whose it is: changed beside the sealed text, it does not open.
fn whose(owner: &str, person: Option<&str>) -> String {
    format!("{owner} {}", person.unwrap_or("-"))
}

/// Place of a row with two names; the first has its length before it, so that no two pairs look alike.
fn row(name: &str, key: &str) -> String {
    format!("{} {name} {key}", name.len())
}

pub(super) fn no_key() -> StoreError {
    StoreError::Settings("no key can be wrapped".into())
}

impl OwnKeys {
    /// Seals a value of the journey; fails once its person was erased: nothing more is written.
    fn seal(&self, value: &mut Value, column: &'static str, owner: &str, row: &dyn fmt::Display) -> Result<()> {
        let key = self.service.as_ref().ok_or_else(|| corrupt(column))?;
        key.seal_json(value, Binding(column, owner, row));
        Ok(())
    }

    /// Opens a value of the journey; once its person was erased, nothing is read.
    pub fn open(&self, value: &mut Value, column: &'static str, owner: &str, row: &dyn fmt::Display) -> Result<()> {
        match &self.service {
            Some(key) => key.open_json(value, Binding(column, owner, row)).ok_or_else(|| corrupt(column)),
            None => {
                *value = Value::Null;
                Ok(())
            }
        }
    }

    pub fn seal_commit(&self, vault: &Vault, commit: &mut Commit) -> Result<()> {
        let id = commit.journey.as_str();
        let service = self.service.as_ref().ok_or_else(|| corrupt("journeys.state"))?;
        let whose = whose(&commit.update.owner, commit.update.person.as_deref());
        service.seal_text(&mut commit.update.state, Binding("journeys.state", id, &whose));
        if let Some(new) = &mut commit.new {
            self.seal(&mut new.attribution, "journeys.attribution", id, &ONLY)?;
            new.session.iter_mut().for_each(|session| vault.seal_session(session));
        }
        for (seq, event) in (commit.expected_seq + 1..).zip(&mut commit.events) {
            self.seal(&mut event.data, "events.data", id, &seq)?;
        }
        for effect in &mut commit.effects {
            self.seal(&mut effect.payload, "effects.payload", id, &effect.key)?;
        }
        self.seal_beside(commit)?;
        for reply in &mut commit.replies {
            let place = Binding("replies.output", &reply.source, &reply.input_hash);
            vault.house.seal_json(&mut reply.output, place);
        }
        if let Some((key, _, end)) = &mut commit.settles {
            self.seal_end(end, key)?;
        }
        commit.consumes.iter_mut().for_each(|hook| vault.seal_webhook(hook));
        Ok(())
    }

    /// Rows beside the journey's own.
    fn seal_beside(&self, commit: &mut Commit) -> Result<()> {
        let id = commit.journey.as_str();
        for answer in &mut commit.answers {
            let row = row(&answer.into, &answer.key);
            self.seal(&mut answer.value, "answers.value", id, &row)?;
        }
        for draft in &mut commit.drafts {
            self.seal(&mut draft.data, "drafts.data", id, &draft.step)?;
        }
        for record in &mut commit.records {
            let row = row(&record.kind, &record.key);
            match record.kept {
                Kept::No => self.seal(&mut record.data, "records.data", id, &row)?,
                Kept::ByLaw | Kept::OnAccount => {
                    self.statutory.seal_json(&mut record.data, Binding("records.data", id, &row));
                }
            }
        }
        for document in &mut commit.documents {
            let place = Binding("documents.bytes", id, &document.id).to_string();
            document.bytes = self.statutory.seal(&document.bytes, &place);
        }
        for correlation in &mut commit.correlations {
            let row = row(&correlation.partner, &correlation.reference);
            self.seal(&mut correlation.expected, "correlations.expected", id, &row)?;
        }
        for incident in &mut commit.incidents {
            self.seal(&mut incident.detail, "incidents.detail", id, &incident.id)?;
        }
        Ok(())
    }

    pub fn seal_end(&self, end: &mut EffectEnd, effect: &EffectKey) -> Result<()> {
        let said = match end {
            EffectEnd::Done { outcome } => outcome,
            EffectEnd::Retry { reason, .. }
            | EffectEnd::Later { reason, .. }
            | EffectEnd::Parked { reason }
            | EffectEnd::Cancelled { reason } => reason,
        };
        if self.service.is_some() {
            return self.seal(said, "effects.outcome", &effect.journey, effect);
        }
        // A journey that is no more says nothing.
        *said = Value::Null;
        Ok(())
    }

    pub fn seal_draft(&self, mut draft: Draft) -> Result<Draft> {
        self.seal(&mut draft.data, "drafts.data", &draft.journey, &draft.step)?;
        Ok(draft)
    }

    pub fn seal_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        if let Some(reason) = &mut message.reason {
            self.seal(reason, "messages.reason", &message.effect.journey, &message.effect)?;
        }
        Ok(message)
    }

    pub fn open_message(&self, mut message: SentMessage) -> Result<SentMessage> {
        if let Some(reason) = &mut message.reason {
            self.open(reason, "messages.reason", &message.effect.journey, &message.effect)?;
        }
        Ok(message)
    }

    /// `None`: its person was erased.
    pub fn open_journey(&self, mut journey: JourneyRecord) -> Result<Option<JourneyRecord>> {
        let Some(service) = &self.service else { return Ok(None) };
        let id = journey.id.as_str();
        let whose = whose(&journey.owner, journey.person.as_deref());
        let opened = service.open_text(&mut journey.state, Binding("journeys.state", id, &whose));
        opened.ok_or_else(|| corrupt("journeys.state"))?;
        self.open(&mut journey.attribution, "journeys.attribution", id, &ONLY)?;
        for answer in &mut journey.answers {
            let row = row(&answer.into, &answer.key);
            self.open(&mut answer.value, "answers.value", id, &row)?;
        }
        for draft in &mut journey.drafts {
            self.open(&mut draft.data, "drafts.data", id, &draft.step)?;
        }
        Ok(Some(journey))
    }

    pub fn open_event(&self, mut event: EventRecord, journey: &str) -> Result<EventRecord> {
        self.open(&mut event.data, "events.data", journey, &event.seq)?;
        Ok(event)
    }

    pub fn open_effect(&self, mut effect: EffectRecord) -> Result<EffectRecord> {
        let (journey, key) = (effect.key.journey.as_str(), &effect.key);
        self.open(&mut effect.payload, "effects.payload", journey, key)?;
        if let Some(outcome) = &mut effect.outcome {
            match outcome {
                // the store's own word about attempts that are used up, with the last reason in it
                Value::Object(said) => {
                    if let Some(last) = said.get_mut("last") {
                        self.open(last, "effects.outcome", journey, key)?;
                    }
                }
                sealed => self.open(sealed, "effects.outcome", journey, key)?,
            }
        }
        Ok(effect)
    }

    pub fn open_record(&self, mut record: Record) -> Result<Record> {
        let row = row(&record.kind, &record.key);
        match record.kept {
            Kept::No => self.open(&mut record.data, "records.data", &record.journey, &row)?,
            Kept::ByLaw | Kept::OnAccount => {
                let opened = self.statutory.open_json(&mut record.data, Binding("records.data", &record.journey, &row));
                opened.ok_or_else(|| corrupt("records.data"))?;
            }
        }
        Ok(record)
    }

    pub fn open_document(&self, mut document: DocumentRecord) -> Result<DocumentRecord> {
        let place = Binding("documents.bytes", &document.journey, &document.id).to_string();
        document.bytes = self.statutory.open(&document.bytes, &place).ok_or_else(|| corrupt("documents.bytes"))?;
        Ok(document)
    }

    /// The key of an upload: a file that is kept does not go with the service key.
    fn of_upload(&self, kept: bool) -> Option<&Cipher> {
        if kept { Some(&self.statutory) } else { self.service.as_ref() }
    }

    pub fn seal_upload(&self, mut upload: UploadRecord) -> Result<UploadRecord> {
        let key = self.of_upload(upload.kept).ok_or_else(|| corrupt("uploads.data"))?;
        key.seal_json(&mut upload.data, Binding("uploads.data", &upload.journey, &row(&upload.id, &upload.kind)));
        Ok(upload)
    }

    /// `None`: it went with its person.
    pub fn open_upload(&self, mut upload: UploadRecord) -> Result<Option<UploadRecord>> {
        let Some(key) = self.of_upload(upload.kept) else { return Ok(None) };
        let place = row(&upload.id, &upload.kind);
        let opened = key.open_json(&mut upload.data, Binding("uploads.data", &upload.journey, &place));
        opened.ok_or_else(|| corrupt("uploads.data"))?;
        Ok(Some(upload))
    }

    pub fn seal_bytes(&self, upload: &UploadRecord, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let key = self.of_upload(upload.kept).ok_or_else(|| corrupt("uploads.bytes"))?;
        let place = row(&upload.id, name);
        Ok(key.seal(bytes, &Binding("uploads.bytes", &upload.journey, &place).to_string()))
    }

    pub fn open_bytes(&self, upload: &UploadRecord, name: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let key = self.of_upload(upload.kept).ok_or_else(|| corrupt("uploads.bytes"))?;
        let place = Binding("uploads.bytes", &upload.journey, &row(&upload.id, name)).to_string();
        key.open(sealed, &place).ok_or_else(|| corrupt("uploads.bytes"))
    }

    pub fn open_correlation(&self, mut found: CorrelationRecord) -> Result<CorrelationRecord> {
        let row = row(&found.partner, &found.reference);
        self.open(&mut found.expected, "correlations.expected", &found.journey, &row)?;
        Ok(found)
    }

    pub fn open_incident(&self, mut incident: IncidentRecord) -> Result<IncidentRecord> {
        self.open(&mut incident.detail, "incidents.detail", &incident.journey, &incident.id)?;
        Ok(incident)
    }
}

impl Vault {
    pub(super) fn seal_session(&self, session: &mut SessionRecord) {
        let whose = whose(&session.token_hash, session.person.as_deref());
        self.house.seal_json(&mut session.subject, Binding("sessions.subject", &session.id, &whose));
    }

    pub(super) fn open_session(&self, mut session: SessionRecord) -> Result<SessionRecord> {
        let whose = whose(&session.token_hash, session.person.as_deref());
        self.open_house(&mut session.subject, Binding("sessions.subject", &session.id, &whose), "sessions.subject")?;
        Ok(session)
    }

    pub(super) fn seal_webhook(&self, hook: &mut WebhookRecord) {
        self.house.seal_json(&mut hook.event, Binding("webhooks.event", &hook.partner, &hook.once));
    }

    pub(super) fn open_webhook(&self, mut hook: WebhookRecord) -> Result<WebhookRecord> {
        self.open_house(&mut hook.event, Binding("webhooks.event", &hook.partner, &hook.once), "webhooks.event")?;
        Ok(hook)
    }

    pub(super) fn open_reply(&self, mut reply: ReusableReply) -> Result<ReusableReply> {
        let place = Binding("replies.output", &reply.source, &reply.input_hash);
        self.open_house(&mut reply.output, place, "replies.output")?;
        Ok(reply)
    }

    /// Opens a value with the key of the house.
    fn open_house(&self, value: &mut Value, place: Binding<'_>, column: &'static str) -> Result<()> {
        self.house.open_json(value, place).ok_or_else(|| corrupt(column))
    }

    /// A small value; `null` is one too.
    pub(super) fn seal_value(&self, bucket: &str, key: &str, mut value: Value) -> Value {
        let place = Binding(bucket, key, &ONLY);
        if value.is_null() {
            let mut null = "null".to_owned();
            self.house.seal_text(&mut null, place);
            return null.into();
        }
        self.house.seal_json(&mut value, place);
        value
    }

    pub(super) fn open_value(&self, bucket: &str, key: &str, mut sealed: Value) -> Result<Value> {
        self.house.open_json(&mut sealed, Binding(bucket, key, &ONLY)).ok_or_else(|| corrupt("kv.value"))?;
        Ok(sealed)
    }

    /// Seals a person with a key of their own; who has none yet gets one with it.
    pub(super) fn seal_person(&self, mut person: PersonRecord) -> Result<PersonRecord> {
        let keys = if person.keys.is_empty() {
            let (keys, stored) = OwnKeys::fresh(&self.keyring, &person.id).ok_or_else(no_key)?;
            person.keys = stored;
            keys
        } else {
            self.keys_of_person(&person)?
        };
        keys.seal(&mut person.profile, "persons.profile", &person.id, &ONLY)?;
        Ok(person)
    }

    fn keys_of_person(&self, person: &PersonRecord) -> Result<OwnKeys> {
        OwnKeys::unwrap(&self.keyring, &person.id, &person.keys).ok_or_else(|| corrupt("persons.keys"))
    }

    pub(super) fn open_person(&self, mut person: PersonRecord) -> Result<PersonRecord> {
        self.keys_of_person(&person)?.open(&mut person.profile, "persons.profile", &person.id, &ONLY)?;
        Ok(person)
    }
}

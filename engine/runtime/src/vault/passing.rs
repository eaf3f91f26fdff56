//! The store's verbs: each seals what goes in, opens what comes out, and passes on the rest.

use super::Vault;
use super::keyring::OwnKeys;
use super::sealing::no_key;
use async_trait::async_trait;
use engine_store::*;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{broadcast, watch};

type Opened = HashMap<String, Arc<OwnKeys>>;

/// The keys of a journey that is stored.
pub(super) fn of<'k>(keys: &'k Opened, journey: &str) -> Result<&'k OwnKeys> {
    keys.get(journey)
        .map(Arc::as_ref)
        .ok_or_else(|| StoreError::Corrupt { column: "journeys.keys", reason: "there are none".into() })
}

impl Vault {
    async fn open_effects(&self, effects: Vec<EffectRecord>) -> Result<Vec<EffectRecord>> {
        let keys = self.keys_of(effects.iter().map(|effect| effect.key.journey.as_str())).await?;
        effects.into_iter().map(|effect| of(&keys, &effect.key.journey)?.open_effect(effect)).collect()
    }

    /// One that cannot be opened is set aside alone: it is left to its lease, and parked once it was claimed too often,
    /// where an operator sees it. The others of the batch are worked on.
    async fn open_claimed(&self, effects: Vec<EffectRecord>) -> Result<Vec<EffectRecord>> {
        let keys = self.keys_that_open(effects.iter().map(|effect| effect.key.journey.as_str())).await?;
        let open = |effect: EffectRecord| {
            let key = effect.key.clone();
            let opened = of(&keys, &key.journey).and_then(|keys| keys.open_effect(effect));
            opened.inspect_err(|error| tracing::error!(effect = %key, %error, "an effect is set aside")).ok()
        };
        Ok(effects.into_iter().filter_map(open).collect())
    }

    /// Effects for a list; of one that cannot be opened there is what is not sealed.
    async fn open_listed(&self, effects: Vec<EffectRecord>) -> Result<Vec<EffectRecord>> {
        let keys = self.keys_that_open(effects.iter().map(|effect| effect.key.journey.as_str())).await?;
        let open = |effect: EffectRecord| {
            let closed = EffectRecord { payload: Value::Null, outcome: None, ..effect.clone() };
            of(&keys, &effect.key.journey.clone()).and_then(|keys| keys.open_effect(effect)).unwrap_or(closed)
        };
        Ok(effects.into_iter().map(open).collect())
    }

    async fn open_incidents(&self, incidents: Vec<IncidentRecord>) -> Result<Vec<IncidentRecord>> {
        let keys = self.keys_of(incidents.iter().map(|incident| incident.journey.as_str())).await?;
        let open = |incident: IncidentRecord| match incident.journey.is_empty() {
            // An incident of nobody: nothing of it is sealed.
            true => Ok(incident),
            false => of(&keys, &incident.journey)?.open_incident(incident),
        };
        incidents.into_iter().map(open).collect()
    }

    pub(super) async fn open_records(&self, records: Vec<Record>) -> Result<Vec<Record>> {
        let keys = self.keys_of(records.iter().map(|record| record.journey.as_str())).await?;
        records.into_iter().map(|record| of(&keys, &record.journey)?.open_record(record)).collect()
    }

    async fn seal_upload(&self, upload: UploadRecord) -> Result<UploadRecord> {
        let keys = self.keys_of([upload.journey.as_str()]).await?;
        of(&keys, &upload.journey.clone())?.seal_upload(upload)
    }

    /// Uploads, opened; those of a journey that is no more, which nobody keeps, are left out.
    async fn open_uploads(&self, uploads: Vec<UploadRecord>) -> Result<Vec<UploadRecord>> {
        let keys = self.keys_of(uploads.iter().map(|upload| upload.journey.as_str())).await?;
        let open = |upload: UploadRecord| of(&keys, &upload.journey.clone())?.open_upload(upload);
        uploads.into_iter().map(open).filter_map(Result::transpose).collect()
    }

    /// Bytes that lie outside of the database; of which file, and from which byte on, is bound to them.
    pub async fn seal_bytes(&self, upload: &UploadRecord, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let keys = self.keys_of([upload.journey.as_str()]).await?;
        of(&keys, &upload.journey)?.seal_bytes(upload, name, bytes)
    }

    pub async fn open_bytes(&self, upload: &UploadRecord, name: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let keys = self.keys_of([upload.journey.as_str()]).await?;
        of(&keys, &upload.journey)?.open_bytes(upload, name, sealed)
    }

    pub(super) fn open_journeys(&self, journeys: Vec<JourneyRecord>) -> Result<Vec<JourneyRecord>> {
        let open = |journey: JourneyRecord| self.unwrap_keys(&journey.id, &journey.keys)?.open_journey(journey);
        journeys.into_iter().filter_map(|journey| open(journey).transpose()).collect()
    }
}

#[async_trait]
impl Journeys for Vault {
    async fn journey(&self, id: &str) -> Result<Option<JourneyRecord>> {
        let found = self.store.journey(id).await?;
        Ok(self.open_journeys(found.into_iter().collect())?.pop())
    }
    async fn journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>> {
        self.open_some_journeys(self.store.journeys(ids).await?).await
    }
    async fn commit(&self, mut commit: Box<Commit>) -> Result<Committed> {
        let plain = commit.records.clone();
        let begun = match &mut commit.new {
            Some(new) => {
                let (keys, stored) = OwnKeys::fresh(&self.keyring, &commit.journey).ok_or_else(no_key)?;
                new.keys = stored;
                Some((commit.journey.clone(), Arc::new(keys)))
            }
            None => None,
        };
        let keys = match &begun {
            Some((_, keys)) => Some(keys.clone()),
            None => self.keys(&commit.journey).await?,
        };
        // There is no such journey.
        let Some(keys) = keys else { return Ok(Committed::Moved) };
        keys.seal_commit(self, &mut commit)?;
        let mut committed = self.store.commit(commit).await?;
        if let Committed::Done { records } = &mut committed {
            if let Some((journey, keys)) = begun {
                self.remember(&journey, keys);
            }
            for record in records {
                let said = plain.iter().rfind(|one| one.kind == record.kind && one.key == record.key);
                record.data = said.map(|one| one.data.clone()).unwrap_or_default();
            }
        }
        Ok(committed)
    }
    async fn used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>> {
        self.store.used_key(journey, key).await
    }
    async fn events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>> {
        let events = self.store.events(journey, after_seq, limit).await?;
        if events.is_empty() {
            return Ok(events);
        }
        let keys = self.keys_of([journey]).await?;
        events.into_iter().map(|event| of(&keys, journey)?.open_event(event, journey)).collect()
    }
    async fn journeys_of(&self, filter: JourneyFilter) -> Result<Vec<JourneyHead>> {
        self.store.journeys_of(filter).await
    }
    async fn expired_journeys(&self, now_ms: i64, limit: u32) -> Result<Vec<String>> {
        self.store.expired_journeys(now_ms, limit).await
    }
    async fn journey_counts(&self) -> Result<Vec<JourneyCount>> {
        self.store.journey_counts().await
    }
    async fn save_draft(&self, draft: Draft) -> Result<()> {
        match self.keys(&draft.journey).await? {
            Some(keys) => self.store.save_draft(keys.seal_draft(draft)?).await,
            None => Ok(()),
        }
    }
    fn changes(&self) -> broadcast::Receiver<Change> {
        self.store.changes()
    }
}

#[async_trait]
impl Queue for Vault {
    async fn claim_effects(&self, claim: ClaimRequest) -> Result<Vec<EffectRecord>> {
        self.open_claimed(self.store.claim_effects(claim).await?).await
    }
    async fn begin_effects(&self, effects: Vec<(EffectKey, i64)>) -> Result<Vec<bool>> {
        self.store.begin_effects(effects).await
    }
    async fn sign_of_life(&self, worker: &str, now_ms: i64, dead_after_ms: Option<i64>) -> Result<u64> {
        self.store.sign_of_life(worker, now_ms, dead_after_ms).await
    }
    async fn extend_lease(&self, effect: &EffectKey, fence: i64, until_ms: i64) -> Result<bool> {
        self.store.extend_lease(effect, fence, until_ms).await
    }
    async fn finish_effects(&self, mut ends: Vec<(EffectKey, i64, EffectEnd)>) -> Result<Vec<bool>> {
        let keys = self.keys_of(ends.iter().map(|(effect, ..)| effect.journey.as_str())).await?;
        for (effect, _, end) in &mut ends {
            // One of an unknown journey ends nothing.
            if let Some(keys) = keys.get(&effect.journey) {
                keys.seal_end(end, effect)?;
            }
        }
        self.store.finish_effects(ends).await
    }
    async fn first_in_line(&self, effect: &EffectKey, kind: &str) -> Result<bool> {
        self.store.first_in_line(effect, kind).await
    }
    async fn call_next(&self, effect: &EffectKey, kind: &str, now_ms: i64) -> Result<bool> {
        self.store.call_next(effect, kind, now_ms).await
    }
    async fn call_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        self.store.call_effect(effect, now_ms).await
    }
    async fn effect(&self, effect: &EffectKey) -> Result<Option<EffectRecord>> {
        let found = self.store.effect(effect).await?;
        Ok(self.open_effects(found.into_iter().collect()).await?.pop())
    }
    async fn effects(&self, filter: EffectFilter) -> Result<Vec<EffectRecord>> {
        self.open_listed(self.store.effects(filter).await?).await
    }
    async fn requeue_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        self.store.requeue_effect(effect, now_ms).await
    }
    async fn claim_timers(&self, claim: ClaimRequest) -> Result<Vec<TimerRecord>> {
        self.store.claim_timers(claim).await
    }
    async fn end_leases(&self, now_ms: i64) -> Result<()> {
        self.store.end_leases(now_ms).await
    }
    async fn next_due_beside(&self, lanes: &[&str]) -> Result<Option<i64>> {
        self.store.next_due_beside(lanes).await
    }
    fn wake(&self) -> watch::Receiver<u64> {
        self.store.wake()
    }
    async fn backlog(&self) -> Result<Vec<Backlog>> {
        self.store.backlog().await
    }
}

#[async_trait]
impl Inbox for Vault {
    async fn correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>> {
        let Some(found) = self.store.correlation(partner, reference).await? else { return Ok(None) };
        let keys = self.keys_of([found.journey.as_str()]).await?;
        of(&keys, &found.journey.clone())?.open_correlation(found).map(Some)
    }
    async fn park_webhook(&self, mut hook: WebhookRecord) -> Result<bool> {
        self.seal_webhook(&mut hook);
        self.store.park_webhook(hook).await
    }
    async fn parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>> {
        self.store.parked_webhooks(limit).await?.into_iter().map(|hook| self.open_webhook(hook)).collect()
    }
    async fn drop_webhook(&self, partner: &str, once: &str) -> Result<()> {
        self.store.drop_webhook(partner, once).await
    }
    async fn requeue_webhook(&self, partner: &str, once: &str) -> Result<bool> {
        self.store.requeue_webhook(partner, once).await
    }
    async fn reusable_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<ReusableReply>> {
        let found = self.store.reusable_reply(source, input_hash, since_ms).await?;
        found.map(|sealed| self.open_reply(sealed)).transpose()
    }
}

#[async_trait]
impl Results for Vault {
    async fn records(&self, journey: &str) -> Result<Vec<Record>> {
        self.open_records(self.store.records(journey).await?).await
    }
    async fn records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>> {
        self.open_some_records(self.store.records_of(person, kinds, limit).await?).await
    }
    async fn records_in(&self, journeys: &[String], kinds: &[String]) -> Result<Vec<Record>> {
        self.open_some_records(self.store.records_in(journeys, kinds).await?).await
    }
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>> {
        let found = self.store.record_by_public_id(public_id).await?;
        Ok(self.open_records(found.into_iter().collect()).await?.pop())
    }
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>> {
        let Some(found) = self.store.document(id).await? else { return Ok(None) };
        let keys = self.keys_of([found.journey.as_str()]).await?;
        of(&keys, &found.journey.clone())?.open_document(found).map(Some)
    }
    async fn documents_in(&self, journeys: &[String]) -> Result<Vec<DocumentHead>> {
        self.store.documents_in(journeys).await
    }
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>> {
        self.open_incidents(self.store.incidents(open_only, limit).await?).await
    }
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>> {
        let found = self.store.incident(id).await?;
        Ok(self.open_incidents(found.into_iter().collect()).await?.pop())
    }
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>> {
        self.open_incidents(self.store.incidents_of(journey, limit).await?).await
    }
    async fn add_incident(&self, incident: IncidentRecord) -> Result<bool> {
        self.store.add_incident(incident).await
    }
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool> {
        self.store.close_incident(id, by, now_ms).await
    }
}

#[async_trait]
impl Uploads for Vault {
    async fn add_upload(&self, upload: UploadRecord) -> Result<()> {
        let sealed = self.seal_upload(upload).await?;
        self.store.add_upload(sealed).await
    }
    async fn upload(&self, id: &str) -> Result<Option<UploadRecord>> {
        Ok(self.open_uploads(self.store.upload(id).await?.into_iter().collect()).await?.pop())
    }
    async fn uploads_in(&self, journeys: &[String]) -> Result<Vec<UploadRecord>> {
        self.open_uploads(self.store.uploads_in(journeys).await?).await
    }
    async fn uploads_due(&self, now_ms: i64, limit: u32) -> Result<Vec<UploadRecord>> {
        // One that cannot be opened is set aside alone.
        let due = self.store.uploads_due(now_ms, limit).await?;
        let keys = self.keys_that_open(due.iter().map(|upload| upload.journey.as_str())).await?;
        let open = |upload: UploadRecord| {
            let id = upload.id.clone();
            let opened = of(&keys, &upload.journey.clone()).and_then(|keys| keys.open_upload(upload));
            opened.inspect_err(|error| tracing::error!(upload = id, %error, "a file is set aside")).ok().flatten()
        };
        Ok(due.into_iter().filter_map(open).collect())
    }
    async fn change_upload(&self, upload: UploadRecord) -> Result<bool> {
        let sealed = self.seal_upload(upload).await?;
        self.store.change_upload(sealed).await
    }
    async fn remove_upload(&self, id: &str) -> Result<()> {
        self.store.remove_upload(id).await
    }
}

#[async_trait]
impl People for Vault {
    async fn session(&self, token_hash: &str) -> Result<Option<SessionRecord>> {
        self.store.session(token_hash).await?.map(|session| self.open_session(session)).transpose()
    }
    async fn save_session(&self, mut session: SessionRecord) -> Result<()> {
        self.seal_session(&mut session);
        self.store.save_session(session).await
    }
    async fn end_session(&self, token_hash: &str) -> Result<()> {
        self.store.end_session(token_hash).await
    }
    async fn sessions_of(&self, person: &str, limit: u32) -> Result<Vec<SessionRecord>> {
        let all = self.store.sessions_of(person, limit).await?;
        all.into_iter().map(|session| self.open_session(session)).collect()
    }
    async fn person(&self, id: &str) -> Result<Option<PersonRecord>> {
        self.store.person(id).await?.map(|person| self.open_person(person)).transpose()
    }
    async fn known_person(&self, mobile: &str) -> Result<Option<PersonRecord>> {
        self.store.known_person(mobile).await?.map(|person| self.open_person(person)).transpose()
    }
    async fn person_of(&self, fresh: PersonRecord) -> Result<PersonRecord> {
        self.open_person(self.store.person_of(self.seal_person(fresh)?).await?)
    }
    async fn save_person(&self, person: PersonRecord) -> Result<()> {
        self.store.save_person(self.seal_person(person)?).await
    }
    async fn renumber(&self, id: &str, mobile: &str) -> Result<bool> {
        self.store.renumber(id, mobile).await
    }
    async fn remove_person(&self, id: &str) -> Result<()> {
        self.store.remove_person(id).await
    }
    async fn first_use(&self, hash: &str, now_ms: i64) -> Result<bool> {
        self.store.first_use(hash, now_ms).await
    }
    async fn send_history(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory> {
        self.store.send_history(recipient, limit, buckets).await
    }
}

#[async_trait]
impl Contact for Vault {
    async fn save_message(&self, message: SentMessage) -> Result<()> {
        let keys = self.keys_of([message.effect.journey.as_str()]).await?;
        let sealed = of(&keys, &message.effect.journey.clone())?.seal_message(message)?;
        self.store.save_message(sealed).await
    }
    async fn message(&self, effect: &EffectKey) -> Result<Option<SentMessage>> {
        let Some(found) = self.store.message(effect).await? else { return Ok(None) };
        let keys = self.keys_of([found.effect.journey.as_str()]).await?;
        of(&keys, &found.effect.journey.clone())?.open_message(found).map(Some)
    }
    async fn messages(&self, filter: MessageFilter) -> Result<Vec<SentMessage>> {
        let found = self.store.messages(filter).await?;
        let keys = self.keys_of(found.iter().map(|message| message.effect.journey.as_str())).await?;
        found.into_iter().map(|message| of(&keys, &message.effect.journey.clone())?.open_message(message)).collect()
    }
    async fn note_presence(&self, notes: Vec<PresenceNote>) -> Result<()> {
        self.store.note_presence(notes).await
    }
    async fn presence(&self, journey: &str) -> Result<Option<PresenceNote>> {
        self.store.presence(journey).await
    }
    async fn clean_messages(&self, before_ms: i64, limit: u32) -> Result<u64> {
        self.store.clean_messages(before_ms, limit).await
    }
}

#[async_trait]
impl Definitions for Vault {
    async fn publish(&self, publication: Publication) -> Result<i64> {
        self.store.publish(publication).await
    }
    async fn current_publication(&self) -> Result<Option<Publication>> {
        self.store.current_publication().await
    }
    async fn publication_number(&self) -> Result<i64> {
        self.store.publication_number().await
    }
    async fn version_files(&self, workflow: &str, version: &str) -> Result<Option<VersionFiles>> {
        self.store.version_files(workflow, version).await
    }
}

#[async_trait]
impl Audit for Vault {
    async fn append_audit(&self, row: AuditRow, count: Option<AuditCount>) -> Result<bool> {
        self.store.append_audit(row, count).await
    }
    async fn audit_count(&self) -> Result<Option<String>> {
        self.store.audit_count().await
    }
    async fn audit_head(&self, chain: &str) -> Result<Option<AuditRow>> {
        self.store.audit_head(chain).await
    }
    async fn audit_of(&self, chains: &[String], since_ms: i64, limit: u32) -> Result<Vec<AuditRow>> {
        self.store.audit_of(chains, since_ms, limit).await
    }
    async fn audit_after(
        &self,
        after: Option<(String, i64)>,
        time_ms: Option<(i64, i64)>,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        self.store.audit_after(after, time_ms, limit).await
    }
}

#[async_trait]
impl Values for Vault {
    async fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Value>> {
        let found = self.store.kv_get(bucket, key).await?;
        found.map(|sealed| self.open_value(bucket, key, sealed)).transpose()
    }
    async fn kv_put(&self, bucket: &str, key: &str, value: Value) -> Result<()> {
        self.store.kv_put(bucket, key, self.seal_value(bucket, key, value)).await
    }
    async fn kv_swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool> {
        // No two sealings of a value are alike: what stands there now is swapped, if it is what was expected.
        let stored = self.store.kv_get(bucket, key).await?;
        let is = stored.clone().map(|sealed| self.open_value(bucket, key, sealed)).transpose()?;
        if is != expected {
            return Ok(false);
        }
        self.store.kv_swap(bucket, key, stored, self.seal_value(bucket, key, value)).await
    }
    async fn kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>> {
        let all = self.store.kv_list(bucket, limit).await?;
        let open = |(key, sealed): (String, Value)| {
            let value = self.open_value(bucket, &key, sealed)?;
            Ok((key, value))
        };
        all.into_iter().map(open).collect()
    }
    async fn kv_delete(&self, bucket: &str, key: &str) -> Result<()> {
        self.store.kv_delete(bucket, key).await
    }
}

#[async_trait]
impl Keys for Vault {
    async fn journey_keys(&self, journeys: &[String]) -> Result<Vec<(String, String)>> {
        self.store.journey_keys(journeys).await
    }
    async fn keys_after(&self, number: i64, limit: u32) -> Result<Vec<StoredKeys>> {
        self.store.keys_after(number, limit).await
    }
    async fn replace_keys(&self, journey: &str, before: &str, keys: &str) -> Result<bool> {
        self.store.replace_keys(journey, before, keys).await
    }
    async fn person_keys_after(&self, person: &str, limit: u32) -> Result<Vec<(String, String)>> {
        self.store.person_keys_after(person, limit).await
    }
    async fn replace_person_keys(&self, person: &str, before: &str, keys: &str) -> Result<bool> {
        self.store.replace_person_keys(person, before, keys).await
    }
    async fn person_of_buried(&self, journey: &str) -> Result<Option<String>> {
        self.store.person_of_buried(journey).await
    }
    async fn bury_journey(&self, journey: &str, keys: &str, now_ms: i64) -> Result<()> {
        self.store.bury_journey(journey, keys, now_ms).await
    }
}

#[async_trait]
impl Upkeep for Vault {
    async fn migrate(&self) -> Result<()> {
        self.store.migrate().await
    }
    fn kind(&self) -> &'static str {
        self.store.kind()
    }
    async fn ping(&self) -> Result<()> {
        self.store.ping().await
    }
    async fn try_write(&self) -> Result<()> {
        self.store.try_write().await
    }
    fn epoch(&self) -> i32 {
        self.store.epoch()
    }
    async fn outstanding(&self) -> Result<Outstanding> {
        self.store.outstanding().await
    }
    async fn begin_epoch(&self, now_ms: i64) -> Result<i32> {
        self.store.begin_epoch(now_ms).await
    }
    async fn sends_held(&self) -> Result<bool> {
        self.store.sends_held().await
    }
    async fn release_sends(&self) -> Result<bool> {
        self.store.release_sends().await
    }
    async fn clean(&self, before_ms: i64, limit: u32) -> Result<u64> {
        self.store.clean(before_ms, limit).await
    }
}

//! The trait, verb by verb: reads go to the pool, writes to `Database::write`.

use super::super::Database;
use super::{contact, definitions, effects, journeys, outside, people};
use crate::*;
use async_trait::async_trait;
use serde_json::Value;
use std::sync::atomic::Ordering;
use tokio::sync::{broadcast, watch};

/// A write of one statement, with owned arguments: `write!(self, conn => people::save_session(conn, &session))`.
macro_rules! write {
    ($self:ident, $conn:ident => $call:expr) => {
        $self.write(move |$conn| Box::pin(async move { $call.await })).await
    };
}

/// A write of several statements: all of them or none.
macro_rules! transact {
    ($self:ident, $conn:ident => $call:expr) => {
        $self.transact(move |$conn| Box::pin(async move { $call.await })).await
    };
}

/// Pooled connections that a restarted server cut are noticed when they are used; reading again does no harm.
const READS_MAX: usize = 12;

macro_rules! read {
    ($call:expr) => {{
        let mut reads = 1;
        loop {
            match $call.await {
                Err(error) if reads < READS_MAX && super::super::lost(&error) => reads += 1,
                result => break result,
            }
        }
    }};
}

#[async_trait]
impl Store for Database {
    async fn migrate(&self) -> Result<()> {
        self.run_migrations().await?;
        let epoch = read!(self.read_kv(outside::STORE, "epoch"))?.and_then(|epoch| epoch.as_i64()).unwrap_or(0);
        self.epoch.store(epoch as i32, Ordering::Relaxed);
        Ok(())
    }
    fn epoch(&self) -> i32 {
        self.epoch.load(Ordering::Relaxed)
    }
    async fn begin_epoch(&self, now_ms: i64) -> Result<i32> {
        let epoch = self.epoch() + 1;
        transact!(self, conn => outside::begin_epoch(conn, epoch, now_ms))?;
        self.epoch.store(epoch, Ordering::Relaxed);
        Ok(epoch)
    }
    async fn sends_held(&self) -> Result<bool> {
        Ok(read!(self.read_kv(outside::STORE, outside::HELD))?.is_some())
    }
    async fn release_sends(&self) -> Result<bool> {
        let released = write!(self, conn => outside::kv_delete(conn, outside::STORE, outside::HELD))?;
        if released {
            self.wake_all();
        }
        Ok(released)
    }
    async fn ping(&self) -> Result<()> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }
    async fn try_write(&self) -> Result<()> {
        write!(self, conn => outside::kv_put(conn, outside::STORE, "written", &Value::Null))
    }
    fn kind(&self) -> &'static str {
        super::super::dialect::KIND
    }

    async fn journey(&self, id: &str) -> Result<Option<JourneyRecord>> {
        read!(self.read_journey(id))
    }
    async fn journeys(&self, ids: &[String]) -> Result<Vec<JourneyRecord>> {
        read!(self.read_journeys(ids))
    }
    async fn commit(&self, commit: Commit) -> Result<Committed> {
        self.write_commit(commit).await
    }
    async fn used_key(&self, journey: &str, key: Option<i64>) -> Result<Option<UsedKey>> {
        read!(self.read_used_key(journey, key))
    }
    async fn events(&self, journey: &str, after_seq: i64, limit: u32) -> Result<Vec<EventRecord>> {
        read!(self.read_events(journey, after_seq, limit))
    }
    async fn journeys_of(&self, owner: &str, limit: u32) -> Result<Vec<JourneyHead>> {
        read!(self.read_journeys_of(owner, limit))
    }
    async fn expired_journeys(&self, now_ms: i64, limit: u32) -> Result<Vec<String>> {
        read!(self.read_expired(now_ms, limit))
    }
    async fn journey_counts(&self) -> Result<Vec<JourneyCount>> {
        read!(self.read_counts())
    }

    async fn save_draft(&self, draft: Draft) -> Result<()> {
        write!(self, conn => journeys::save_draft(conn, &draft))
    }

    async fn claim_effects(&self, claim: ClaimRequest) -> Result<Vec<EffectRecord>> {
        write!(self, conn => effects::claim_effects(conn, &claim))
    }
    async fn begin_effects(&self, effects: Vec<(EffectKey, i64)>) -> Result<Vec<bool>> {
        write!(self, conn => effects::begin_effects(conn, &effects))
    }
    async fn sign_of_life(&self, worker: &str, now_ms: i64, dead_after_ms: Option<i64>) -> Result<u64> {
        let freed = self.write_sign_of_life(worker, now_ms, dead_after_ms).await?;
        if freed > 0 {
            self.wake_all();
        }
        Ok(freed)
    }
    async fn extend_lease(&self, effect: &EffectKey, fence: i64, until_ms: i64) -> Result<bool> {
        let key = effect.clone();
        write!(self, conn => effects::extend_lease(conn, &key, fence, until_ms))
    }
    async fn finish_effects(&self, ends: Vec<(EffectKey, i64, EffectEnd)>) -> Result<Vec<bool>> {
        let again = ends.iter().any(|(_, _, end)| end.due_again_ms().is_some());
        let done = write!(self, conn => effects::finish_effects(conn, &ends))?;
        if again && done.contains(&true) {
            self.wake_all();
        }
        Ok(done)
    }
    async fn first_in_line(&self, effect: &EffectKey, kind: &str) -> Result<bool> {
        read!(self.read_first_in_line(effect, kind))
    }
    async fn call_next(&self, effect: &EffectKey, kind: &str, now_ms: i64) -> Result<bool> {
        let (key, kind) = (effect.clone(), kind.to_owned());
        let called = write!(self, conn => effects::call_next(conn, &key, &kind, now_ms))?;
        if called {
            self.wake_all();
        }
        Ok(called)
    }
    async fn call_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        let key = effect.clone();
        let called = write!(self, conn => effects::call_effect(conn, &key, now_ms))?;
        if called {
            self.wake_all();
        }
        Ok(called)
    }
    async fn effect(&self, effect: &EffectKey) -> Result<Option<EffectRecord>> {
        read!(self.read_effect(effect))
    }
    async fn effects(&self, filter: EffectFilter) -> Result<Vec<EffectRecord>> {
        read!(self.read_effects(&filter))
    }
    async fn requeue_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        let key = effect.clone();
        let done = write!(self, conn => effects::requeue_effect(conn, &key, now_ms))?;
        if done {
            self.wake_all();
        }
        Ok(done)
    }
    async fn backlog(&self) -> Result<Vec<Backlog>> {
        read!(self.read_backlog())
    }
    async fn claim_timers(&self, claim: ClaimRequest) -> Result<Vec<TimerRecord>> {
        write!(self, conn => effects::claim_timers(conn, &claim))
    }
    async fn end_leases(&self, now_ms: i64) -> Result<()> {
        transact!(self, conn => effects::end_leases(conn, now_ms))
    }
    async fn next_due(&self) -> Result<Option<i64>> {
        read!(self.read_next_due())
    }
    fn wake(&self) -> watch::Receiver<u64> {
        self.hub.wakes()
    }
    fn changes(&self) -> broadcast::Receiver<Change> {
        self.hub.changes()
    }

    async fn correlation(&self, partner: &str, reference: &str) -> Result<Option<CorrelationRecord>> {
        read!(self.read_correlation(partner, reference))
    }
    async fn park_webhook(&self, hook: WebhookRecord) -> Result<bool> {
        let new = write!(self, conn => outside::park_webhook(conn, &hook))?;
        if new {
            self.wake_all();
        }
        Ok(new)
    }
    async fn parked_webhooks(&self, limit: u32) -> Result<Vec<WebhookRecord>> {
        read!(self.read_parked_webhooks(limit))
    }
    async fn drop_webhook(&self, partner: &str, once: &str) -> Result<()> {
        let (partner, once) = (partner.to_owned(), once.to_owned());
        write!(self, conn => outside::drop_webhook(conn, &partner, &once))
    }
    async fn requeue_webhook(&self, partner: &str, once: &str) -> Result<bool> {
        let (partner, once) = (partner.to_owned(), once.to_owned());
        write!(self, conn => outside::requeue_webhook(conn, &partner, &once))
    }
    async fn reusable_reply(&self, source: &str, input_hash: &str, since_ms: i64) -> Result<Option<Value>> {
        read!(self.read_reply(source, input_hash, since_ms))
    }

    async fn records(&self, journey: &str) -> Result<Vec<Record>> {
        read!(self.read_records(journey))
    }
    async fn record_by_public_id(&self, public_id: &str) -> Result<Option<Record>> {
        read!(self.read_record(public_id))
    }
    async fn document(&self, id: &str) -> Result<Option<DocumentRecord>> {
        read!(self.read_document(id))
    }
    async fn incidents(&self, open_only: bool, limit: u32) -> Result<Vec<IncidentRecord>> {
        read!(self.read_incidents(open_only, limit))
    }
    async fn incident(&self, id: &str) -> Result<Option<IncidentRecord>> {
        read!(self.read_incident(id))
    }
    async fn incidents_of(&self, journey: &str, limit: u32) -> Result<Vec<IncidentRecord>> {
        read!(self.read_incidents_of(journey, limit))
    }
    async fn close_incident(&self, id: &str, by: &str, now_ms: i64) -> Result<bool> {
        let (id, by) = (id.to_owned(), by.to_owned());
        write!(self, conn => outside::close_incident(conn, &id, &by, now_ms))
    }

    async fn session(&self, token_hash: &str) -> Result<Option<SessionRecord>> {
        read!(self.read_session(token_hash))
    }
    async fn save_session(&self, session: SessionRecord) -> Result<()> {
        write!(self, conn => people::save_session(conn, &session))
    }
    async fn end_session(&self, token_hash: &str) -> Result<()> {
        let token_hash = token_hash.to_owned();
        write!(self, conn => people::end_session(conn, &token_hash))
    }
    async fn send_history(&self, recipient: &str, limit: u32, buckets: &[(String, i64)]) -> Result<SendHistory> {
        read!(self.read_sends(recipient, limit, buckets))
    }

    async fn save_message(&self, message: SentMessage) -> Result<()> {
        write!(self, conn => contact::save_message(conn, &message))
    }
    async fn message(&self, effect: &EffectKey) -> Result<Option<SentMessage>> {
        read!(self.read_message(effect))
    }
    async fn messages(&self, filter: MessageFilter) -> Result<Vec<SentMessage>> {
        read!(self.read_messages(&filter))
    }
    async fn note_presence(&self, notes: Vec<PresenceNote>) -> Result<()> {
        write!(self, conn => contact::note_presence(conn, &notes))
    }
    async fn presence(&self, journey: &str) -> Result<Option<PresenceNote>> {
        read!(self.read_presence(journey))
    }

    async fn publish(&self, publication: Publication) -> Result<i64> {
        let number = transact!(self, conn => definitions::publish(conn, &publication))?;
        self.tell_all(Change { journey: String::new(), seq: number, revision: 0, what: Changed::Publication });
        Ok(number)
    }
    async fn current_publication(&self) -> Result<Option<Publication>> {
        read!(self.read_publication())
    }
    async fn publication_number(&self) -> Result<i64> {
        read!(self.read_publication_number())
    }
    async fn version_files(&self, workflow: &str, version: &str) -> Result<Option<Vec<DefinitionFile>>> {
        read!(self.read_version_files(workflow, version))
    }

    async fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Value>> {
        read!(self.read_kv(bucket, key))
    }
    async fn kv_put(&self, bucket: &str, key: &str, value: Value) -> Result<()> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => outside::kv_put(conn, &bucket, &key, &value))
    }
    async fn kv_swap(&self, bucket: &str, key: &str, expected: Option<Value>, value: Value) -> Result<bool> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => outside::kv_swap(conn, &bucket, &key, expected.as_ref(), &value))
    }
    async fn kv_list(&self, bucket: &str, limit: u32) -> Result<Vec<(String, Value)>> {
        read!(self.read_kv_list(bucket, limit))
    }
    async fn kv_delete(&self, bucket: &str, key: &str) -> Result<()> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        write!(self, conn => outside::kv_delete(conn, &bucket, &key)).map(drop)
    }
    async fn clean(&self, before_ms: i64, limit: u32) -> Result<u64> {
        // found by a reader: on SQLite they have no index by time, and the writer must not scan
        let replies = read!(self.read_old_replies(before_ms, limit))?;
        transact!(self, conn => outside::clean(conn, &replies, before_ms, limit))
    }
    async fn clean_messages(&self, before_ms: i64, limit: u32) -> Result<u64> {
        write!(self, conn => contact::clean_messages(conn, before_ms, limit))
    }
}

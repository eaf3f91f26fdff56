//! A journey begins, usually with its first answers.

use super::event::{Applied, internal};
use super::{Journeys, Sent, Start, new_journey, waits};
use crate::actor::{Action, Actor, Resource, STAFF};
use crate::core::Unanswered;
use crate::refusal::Refusal;
use crate::turn::{Refused, Turn};
use engine_store::{Committed, IdempotencyKey, SessionRecord, UsedKey};
use serde_json::Value;

impl Journeys {
    pub async fn start(&self, actor: &Actor, start: Start) -> Result<Sent, Refusal> {
        if start.key.is_empty() {
            return Err(Refusal::KeyMissing);
        }
        self.core.permit(actor, Action::Begin, Resource::Own)?;
        let catalog = self.core.catalog();
        let workflow = catalog.workflow(&start.workflow).ok_or(Refusal::NotFound)?.clone();
        let (kind, data) = start.event.as_ref().map_or(("", &Value::Null), |(kind, data)| (kind.as_str(), data));
        let body_hash = self.request_hash(&[&start.workflow, kind], data);
        // Who starts twice with one key finds the same journey; nobody can guess its id.
        let id = self.core.keys.short_hash("start", &format!("{} {}", actor.id, start.key));
        let new = new_journey(&workflow, actor, start.session, start.attribution);
        let mut tries = self.core.tries_without_line(true);
        loop {
            tries.begin()?;
            let now = self.core.now_ms();
            let mut turn =
                Turn::begin(&workflow, &catalog, &id, new.clone(), actor, now).map_err(|r| internal(&workflow, r))?;
            turn.record.person = actor.person().map(str::to_owned);
            // The commit refuses a repeat; what asks the store on the way, or is refused now, must not come so far.
            let mut asked = turn.has_questions();
            if asked && let Some(used) = self.core.store().used_key(&id, None).await? {
                return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
            }
            match Box::pin(self.core.answer_questions(&mut turn, actor)).await {
                Ok(()) => {}
                Err(Unanswered::Broken { place, reason }) => {
                    return Err(internal(&workflow, Refused::Broken { place, reason }));
                }
                Err(Unanswered::Refused(refusal)) => return Err(refusal),
            }
            if start.event.is_some() {
                let applied = self.event_on(&mut turn, actor, kind, data);
                asked = !asked && (turn.has_questions() || !matches!(applied, Ok(Applied::Done)));
                if asked && let Some(used) = self.core.store().used_key(&id, None).await? {
                    return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
                }
                self.settle_event(&mut turn, applied, actor, (kind, data), None).await?;
            }
            turn.mark_activity(IdempotencyKey { key: None, body_hash });
            let view = Box::new(self.core.render(&turn, actor, Some(&id)));
            let changes = waits(&view).then(|| self.core.store().changes());
            match tries.commit(turn).await? {
                Some(Committed::Done { .. }) => {
                    if actor.kind == STAFF {
                        Box::pin(self.core.note_seen(actor, &id)).await?;
                    }
                    if let Some(session) = new.session {
                        self.core.sessions.put(&session, &Actor::of_session(&session), now);
                    }
                    return self.reply_to_event(actor, view, changes).await;
                }
                Some(Committed::KeyUsed(used)) => {
                    return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
                }
                // Somebody sent to the same number at this moment.
                Some(Committed::Moved | Committed::Superseded) | None => {}
            }
        }
    }

    /// Whoever repeats a first start has no cookie yet: the session that began with it must still be there.
    async fn repeated_start(
        &self,
        actor: &Actor,
        first: Option<SessionRecord>,
        used: UsedKey,
        body_hash: i64,
    ) -> Result<Sent, Refusal> {
        if let Some(first) = first
            && !self.began_lately(&first.token_hash).await?
        {
            return Err(Refusal::KeyReused);
        }
        self.repeat_reply(actor, used, body_hash).await
    }

    /// Whether the session that began with a start is there, and young: a key is no lasting right to a journey.
    async fn began_lately(&self, token_hash: &str) -> Result<bool, Refusal> {
        let session = self.core.store().session(token_hash).await?;
        Ok(session.is_some_and(|session| {
            self.core.now_ms() < session.expires_at_ms && self.core.now_ms() < session.created_at_ms + REPEAT_MS
        }))
    }
}

/// How long a first start may be repeated without its cookie.
const REPEAT_MS: i64 = 3_600_000;

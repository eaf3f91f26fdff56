//! A person's event on a stored journey.

use super::event::Applied;
use super::{Journeys, Send, Sent, waits};
use crate::actor::{Action, Actor, can};
use crate::core::read;
use crate::refusal::Refusal;
use crate::turn::{SignsIn, Turn};
use engine_store::{Committed, IdempotencyKey, JourneyRecord, JourneyStatus};
use std::borrow::Cow;

impl Journeys {
    /// Sends an event at most once per key, only at the revision that the person saw. What most requests do not need is
    /// boxed: the future of this is made for each of them.
    pub async fn send(&self, actor: &Actor, journey: &str, send: Send) -> Result<Sent, Refusal> {
        if send.key.is_empty() {
            return Err(Refusal::KeyMissing);
        }
        let body_hash = self.request_hash(&[&send.kind, &send.revision.to_string()], &send.data);
        let key = self.core.keys.number("key", &send.key);
        let fits = |record: &JourneyRecord| record.revision == send.revision && record.status == JourneyStatus::Active;
        // Only from answer to answer: whoever goes another way may come to a step with a draft that this node has not
        // seen.
        let forward = send.kind == "submit";
        let live = self.core.catalog();
        let mut tries = self.core.tries(journey).await;
        if !forward {
            tries.forgets();
        }
        loop {
            tries.begin()?;
            let known = tries.recent(|j| {
                forward && fits(&j.record) && can(live.policy(), actor, Action::Send(&send.kind), &*j.record)
            });
            let is_recent = known.is_some();
            let (stored, sender) = match known {
                Some(stored) => (stored, Cow::Borrowed(actor)),
                None => {
                    let (record, sender) = Box::pin(self.core.mine(actor, Action::See, journey)).await?;
                    if !can(live.policy(), &sender, Action::Send(&send.kind), &record) {
                        return Err(Box::pin(self.not_offered(&sender, record)).await?);
                    }
                    (read(record)?, sender)
                }
            };
            let sender = sender.as_ref();
            if !fits(&stored.record) {
                if let Some(used) = self.core.store().used_key(journey, Some(key)).await? {
                    return Box::pin(self.repeat_reply(actor, used, body_hash)).await;
                }
                self.core.refuse_ended(&stored.record).await?;
                return Err(Box::pin(self.stale(actor, journey, &send)).await?);
            }
            let (workflow, catalog) = (self.core.workflow_of(&stored.record).await?, self.core.catalog());
            self.core.refuse_ended(&stored.record).await?;
            let mut turn = Turn::on(&workflow, &catalog, stored, self.core.now_ms());
            self.refuse_other_price(&turn, sender, journey, &send)?;
            if forward && turn.asks_for_files(sender) {
                turn.files = Some(Box::pin(self.core.files_of(journey)).await?);
            }
            let applied = self.event_on(&mut turn, sender, &send.kind, &send.data);
            if is_recent && (!matches!(applied, Ok(Applied::Done)) || turn.has_questions()) {
                continue;
            }
            self.settle_event(&mut turn, applied, sender, (&send.kind, &send.data), Some(journey)).await?;
            turn.mark_activity(IdempotencyKey { key: Some(key), body_hash });
            let signs_in = turn.signs_in(sender);
            let proves_link = turn.proof.is_person && sender.came_by.is_some();
            let view = Box::new(self.core.render(&turn, sender, Some(journey)));
            let changes = waits(&view).then(|| self.core.store().changes());
            match tries.commit(turn).await? {
                Some(Committed::Done { .. }) => {
                    if proves_link {
                        Box::pin(self.core.note_link_proved(sender, journey)).await?;
                    }
                    // A link may not open the step that follows; to whom the journey is from now on, it is open.
                    let actor = match &signs_in {
                        Some(SignsIn::Person { person, .. }) => Cow::Owned(actor.signed_in_as(person)),
                        _ => Cow::Borrowed(actor),
                    };
                    let view = match sender.came_by {
                        Some(_) => Box::new(Box::pin(self.view(&actor, journey)).await?),
                        None => view,
                    };
                    let sent = self.reply_to_event(&actor, view, changes).await?;
                    return Ok(Sent { signs_in, ..sent });
                }
                Some(Committed::KeyUsed(used)) => return Box::pin(self.repeat_reply(actor, used, body_hash)).await,
                Some(Committed::Moved | Committed::Superseded) | None => {}
            }
        }
    }
}

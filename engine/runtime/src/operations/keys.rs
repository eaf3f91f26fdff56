//! Keys: wrapped anew after a change of the master key, destroyed when a person wants to be forgotten.

use super::Operations;
use crate::actor::{Action, Actor, Resource};
use crate::clock::new_id;
use crate::core::{Deed, Forgotten, Holds, RuntimeError, normal_mobile};
use crate::journeys::new_journey;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::SignIn;
use engine_store::{Committed, IdempotencyKey, JourneyFilter};
use serde_json::{Map, Value};

/// Event by which a flow that forgets (`signs_in: forget`) only tells that it is done: `{mobile}`.
const TOLD: &str = "told";

impl Operations {
    /// Every key is wrapped by `keys.master` from now on: how many journeys and persons had others. Until then
    /// `keys.previous` is needed. Refused while a running node wraps with another key.
    pub async fn rotate_keys(&self, actor: &Actor) -> Result<u64, Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        self.core.may_rotate().await?;
        self.core.operate(actor, Deed::KeysRotated, "").await?;
        let changed = self.core.vault().wrap_anew().await?;
        tracing::info!(operator = actor.id, changed, "keys are wrapped anew");
        Ok(changed)
    }

    /// Forgets the person of a mobile number, and tells it to that number; `None`: nobody has shown the number to be
    /// theirs.
    pub async fn forget_person(
        &self,
        actor: &Actor,
        mobile: &str,
    ) -> Result<Option<Result<Forgotten, Holds>>, Refusal> {
        self.core.operate(actor, Deed::PersonForgotten, &self.core.mobile_hash(mobile)).await?;
        let Some(person) = self.core.known_person(&normal_mobile(mobile)).await? else { return Ok(None) };
        if let Some(held) = self.core.held_back(&person.id).await? {
            return Ok(Some(Err(held)));
        }
        let language = self.language_of(&person.id).await?;
        let forgotten = self.core.forget_person(&person, None).await?;
        tracing::info!(operator = actor.id, journeys = forgotten.journeys.len(), "a person is forgotten");
        self.tell_forgotten(mobile, language).await?;
        Ok(Some(Ok(forgotten)))
    }

    /// Language in which the person began their newest journey; empty where there is none.
    async fn language_of(&self, person: &str) -> Result<String, Refusal> {
        let newest = self.core.store().journeys_of(JourneyFilter::of(person, 1)).await?;
        let Some(head) = newest.into_iter().next() else { return Ok(String::new()) };
        Ok(self.core.store().journey(&head.id).await?.map(|journey| journey.language).unwrap_or_default())
    }

    /// Tells a person that they are forgotten, by a journey of its own, which goes when it has told it.
    async fn tell_forgotten(&self, mobile: &str, language: String) -> Result<(), Refusal> {
        let catalog = self.core.catalog();
        let forgets =
            |workflow: &&std::sync::Arc<engine_definitions::Workflow>| workflow.signs_in == Some(SignIn::Forget);
        let Some(workflow) = catalog.workflows().find(forgets).cloned() else { return Ok(()) };
        let broken = |refused| RuntimeError::Definition { place: workflow.id.clone(), reason: format!("{refused:?}") };
        let (id, system) = (new_id(), Actor::system());
        let mut new = new_journey(&workflow, &system, None, Value::Null);
        new.owner = new_id();
        if !language.is_empty() {
            new.language = language;
        }
        let data = Map::from_iter([("mobile".to_owned(), Value::from(normal_mobile(mobile)))]);
        let now = self.core.now_ms();
        let mut turn = Turn::begin(&workflow, &catalog, &id, new, &system, now).map_err(broken)?;
        turn.receive(TOLD, data).map_err(broken)?;
        turn.mark_activity(IdempotencyKey { key: None, body_hash: 0 });
        let told = self.core.tries_without_line(false).commit(turn).await?;
        if !matches!(told, Some(Committed::Done { .. })) {
            return Err(Refusal::Busy);
        }
        Ok(self.core.forget_later(&id).await?)
    }
}

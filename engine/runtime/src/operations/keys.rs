//! Keys: wrapped anew after a change of the master key, destroyed when a person wants to be forgotten.

use super::Operations;
use crate::actor::Actor;
use crate::core::{Deed, normal_mobile};
use crate::refusal::Refusal;
use engine_store::JourneyFilter;

/// Journeys of one person that are forgotten at once.
const JOURNEYS_MAX: u32 = 100_000;

impl Operations {
    /// Every key is wrapped by `keys.master` from now on: how many journeys and persons had others. Until then
    /// `keys.previous` is needed.
    pub async fn rotate_keys(&self, actor: &Actor) -> Result<u64, Refusal> {
        self.core.operate(actor, Deed::KeysRotated, "").await?;
        let changed = self.core.vault().wrap_anew().await?;
        tracing::info!(operator = actor.id, changed, "keys are wrapped anew");
        Ok(changed)
    }

    /// Forgets the person of a mobile number: of her journeys only what must be kept can be read any more, of herself
    /// nothing; `None`: nobody has shown that the number is hers.
    pub async fn forget_person(&self, actor: &Actor, mobile: &str) -> Result<Option<Forgotten>, Refusal> {
        self.core.operate(actor, Deed::PersonForgotten, &self.core.mobile_hash(mobile)).await?;
        let Some(person) = self.core.known_person(&normal_mobile(mobile)).await? else { return Ok(None) };
        let all = self.core.store().journeys_of(JourneyFilter::of(&person.id, JOURNEYS_MAX)).await?;
        let journeys: Vec<String> = all.into_iter().map(|head| head.id).collect();
        let forgotten = Forgotten { persons: vec![person.id], journeys };
        self.forget(actor, &forgotten).await?;
        Ok(Some(forgotten))
    }

    /// The same of who was forgotten before a backup was restored.
    pub async fn forget(&self, actor: &Actor, forgotten: &Forgotten) -> Result<(), Refusal> {
        let Forgotten { persons, journeys } = forgotten;
        self.core.operate(actor, Deed::JourneysForgotten, &journeys.len().to_string()).await?;
        for some in journeys.chunks(500) {
            self.core.vault().forget(some, self.core.now_ms()).await?;
        }
        // Last: until then it can be asked for again. Her keys go with her.
        for person in persons {
            self.core.store().remove_person(person).await?;
        }
        tracing::info!(operator = actor.id, journeys = journeys.len(), "journeys are forgotten");
        Ok(())
    }
}

/// Ids of what was forgotten: kept outside of the database, so that no backup brings it back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forgotten {
    pub persons: Vec<String>,
    pub journeys: Vec<String>,
}

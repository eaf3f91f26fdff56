//! Whoever is signed in, and has shown once more that the number of the account is theirs, is forgotten.

use super::People;
use crate::actor::Actor;
use crate::core::{Deed, Holds};
use crate::refusal::Refusal;

impl People {
    /// All of the person but what a law keeps; every session ends. `journey`: in which it was asked for, and which
    /// tells it. Whether it could be done.
    pub async fn forget(&self, actor: &Actor, journey: &str) -> Result<Result<(), Holds>, Refusal> {
        let person = actor.person().ok_or(Refusal::NotFound)?;
        let known = self.core.store().person(person).await?.ok_or(Refusal::NotFound)?;
        if let Some(held) = self.core.held_back(person).await? {
            return Ok(Err(held));
        }
        self.core.note_deed(actor, Deed::PersonForgotten, person).await?;
        let forgotten = self.core.forget_person(&known, Some(journey)).await?;
        tracing::info!(journeys = forgotten.journeys.len(), "a person who asked for it is forgotten");
        Ok(Ok(()))
    }
}

//! What lists say of requests: what each is about and how far it is, as its reader may see it.

use super::Journeys;
use crate::actor::Actor;
use crate::core::read;
use crate::refusal::Refusal;
use crate::render::summarize;
use crate::turn::Turn;
use crate::view::{JourneySummary, Status};

/// Most journeys of a list that are looked into: the first ones.
const DESCRIBED_MAX: usize = 50;

impl Journeys {
    /// Says of journeys what they are about. One that is over for its age has nothing to say, nor one whose version
    /// does not load: the list is there without.
    pub async fn describe(&self, actor: &Actor, journeys: &mut [JourneySummary]) -> Result<(), Refusal> {
        let catalog = self.core.catalog();
        let says = |one: &&JourneySummary| {
            let workflow = catalog.workflow(&one.workflow);
            one.status != Status::Expired && workflow.is_some_and(|workflow| !workflow.listed.is_empty())
        };
        let ids: Vec<String> = journeys.iter().filter(says).take(DESCRIBED_MAX).map(|one| one.id.clone()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        for record in self.core.store().journeys(&ids).await? {
            let Some(one) = journeys.iter_mut().find(|one| one.id == record.id) else { continue };
            let workflow = match self.core.workflow_of(&record).await {
                Ok(workflow) => workflow,
                Err(error) => {
                    tracing::warn!(journey = record.id, %error, "a list cannot say what it is about");
                    continue;
                }
            };
            let actor = self.core.actor_with_grants(actor, &record).await?;
            let turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
            (one.about, one.step_title) = summarize(&turn, &actor);
        }
        Ok(())
    }
}

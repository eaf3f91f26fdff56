//! The audit trail for who answers for it: is it whole, and who saw a person's journeys.

use super::Operations;
use crate::actor::{Action, Actor, Resource};
use crate::core::{Anchor, AuditReport, Bad, Sight, normal_mobile};
use crate::refusal::Refusal;
use engine_store::JourneyFilter;

/// Journeys of one person that are looked at.
const JOURNEYS_MAX: u32 = 10_000;

impl Operations {
    /// The whole trail, or the first row that is not as it was written. `outside`: an anchor as the log has it; without
    /// one a trail whose end was cut off together with what counts it looks whole.
    pub async fn verify_audit(
        &self,
        actor: &Actor,
        outside: Option<&Anchor>,
    ) -> Result<Result<AuditReport, Bad>, Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        Ok(self.core.verify_audit(outside).await?)
    }

    /// Who saw the journeys of the person of this number, the newest first; `None`: nobody has shown the number to be
    /// theirs.
    pub async fn seen_of(&self, actor: &Actor, mobile: &str) -> Result<Option<Vec<Sight>>, Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        let Some(person) = self.core.known_person(&normal_mobile(mobile)).await? else { return Ok(None) };
        let all = self.core.store().journeys_of(JourneyFilter::of(&person.id, JOURNEYS_MAX)).await?;
        let journeys: Vec<String> = all.into_iter().map(|head| head.id).collect();
        Ok(Some(self.core.sights(&journeys).await?))
    }
}

//! Coming back from a partner's page: a one-use state that gives no rights (security rule 17).

use crate::refusal::Refusal;
use crate::render::address;
use crate::runtime::Runtime;
use crate::turn::Ends;
use engine_store::JourneyStatus;
use serde_json::{Map, Value, json};

impl Runtime {
    /// Where a partner sends the person back to; bound to the journey, its step and its revision.
    pub(crate) fn return_url(&self, partner: &str, journey: &str, revision: i64) -> String {
        let state = self.inner.keys.seal(&json!([journey, revision]).to_string(), &format!("return:{partner}"));
        let state = state.rsplit(':').next().unwrap_or_default();
        format!("{}/api/v1/partners/{partner}/return/{state}", self.inner.settings.public_url())
    }

    /// Sends the journey the outside event `returned`, once, and gives the path of its page. What the browser brought
    /// does not count.
    pub async fn returned(&self, partner: &str, state: &str) -> Result<String, Refusal> {
        let opened = self
            .inner
            .keys
            .open(&format!("sealed:v1:{state}"), &format!("return:{partner}"))
            .ok_or(Refusal::NotFound)?;
        let (journey, revision): (String, i64) = serde_json::from_str(&opened).map_err(|_| Refusal::NotFound)?;
        let record = self.store().journey(&journey).await?.ok_or(Refusal::NotFound)?;
        if record.revision == revision && record.status == JourneyStatus::Active {
            let data: Map<String, Value> = [("partner".to_string(), Value::from(partner))].into_iter().collect();
            self.internal_turn(&journey, &Ends::Nothing, |turn| {
                // Somebody may have moved it since it was read: then the state is used up.
                if turn.record.revision != revision { Ok(false) } else { turn.receive("returned", data.clone()) }
            })
            .await?;
        }
        let record = self.store().journey(&journey).await?.ok_or(Refusal::NotFound)?;
        let workflow = self.workflow_of(&record).await?;
        Ok(workflow.step_by_node(&record.step).map_or_else(
            || format!("{}?request={journey}", workflow.base),
            |step| address(&workflow, step, Some(&journey)),
        ))
    }
}

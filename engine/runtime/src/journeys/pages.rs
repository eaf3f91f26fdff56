//! Pages of a journey: opened by their address, and come back to from a partner's page.

use super::{Journeys, Opened};
use crate::actor::{Action, Actor};
use crate::core::read;
use crate::refusal::Refusal;
use crate::render::address;
use crate::turn::{Ends, Turn};
use engine_store::JourneyStatus;
use serde_json::{Map, Value};

impl Journeys {
    /// A page of a journey is opened by its address. Opening changes nothing: what is shown is the current step, or
    /// what it prints (R2.4-24).
    pub async fn open_path(&self, actor: &Actor, journey: &str, path: &str) -> Result<Opened, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        let actor = actor.as_ref();
        self.core.refuse_ended(&record).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let path = workflow.aliases.get(path).map_or(path, String::as_str);
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
        let view = Box::new(self.core.render_at(&turn, actor, Some(journey), Some(path)));
        let is_here = view.step.path.as_deref().unwrap_or_default() == path;
        Ok(if is_here { Opened::Here(view) } else { Opened::Elsewhere(view) })
    }

    /// Sends the journey the outside event `returned`, once, and gives the path of its page. What the browser brought
    /// does not count.
    pub async fn receive_return(&self, partner: &str, state: &str) -> Result<String, Refusal> {
        let opened = self
            .core
            .keys
            .open(&format!("sealed:v1:{state}"), &format!("return:{partner}"))
            .ok_or(Refusal::NotFound)?;
        let (journey, revision): (String, i64) = serde_json::from_str(&opened).map_err(|_| Refusal::NotFound)?;
        let record = self.core.store().journey(&journey).await?.ok_or(Refusal::NotFound)?;
        if record.revision == revision && record.status == JourneyStatus::Active {
            let data: Map<String, Value> = [("partner".to_string(), Value::from(partner))].into_iter().collect();
            self.core
                .turn(&journey, &Ends::Nothing, |turn| {
                    // Somebody may have moved it since it was read: then the state is used up.
                    if turn.record.revision != revision { Ok(false) } else { turn.receive("returned", data.clone()) }
                })
                .await?;
        }
        let record = self.core.store().journey(&journey).await?.ok_or(Refusal::NotFound)?;
        let workflow = self.core.workflow_of(&record).await?;
        Ok(workflow.step_by_node(&record.step).map_or_else(
            || format!("{}?request={journey}", workflow.base),
            |step| address(&workflow, step, Some(&journey)),
        ))
    }

    /// Page of the journey's current step, for one who may see it.
    pub async fn page_of(&self, actor: &Actor, journey: &str) -> Result<String, Refusal> {
        let (record, _) = self.core.mine(actor, crate::Action::See, journey).await?;
        let workflow = self.core.workflow_of(&record).await?;
        let step = workflow.step_by_node(&record.step);
        Ok(step.map_or_else(
            || format!("{}?request={journey}", workflow.base),
            |step| address(&workflow, step, Some(journey)),
        ))
    }
}

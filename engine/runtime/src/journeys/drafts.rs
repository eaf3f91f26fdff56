//! What is being typed: kept beside the history, without secret fields.

use super::Journeys;
use crate::actor::{Action, Actor};
use crate::core::read;
use crate::refusal::Refusal;
use crate::turn::{Turn, draft_of};
use engine_definitions::Workflow;
use engine_store::Draft;
use serde_json::Value;

impl Journeys {
    /// What is being typed; never part of the history. Secret fields are not kept.
    pub async fn save_draft(&self, actor: &Actor, journey: &str, step: &str, data: Value) -> Result<(), Refusal> {
        let (record, sender) = self.core.mine(actor, Action::Send("submit"), journey).await?;
        self.core.refuse_ended(&record).await?;
        if record.step != step {
            // A late draft of a step that was left: the answer that left it wins.
            return Ok(());
        }
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let mut turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
        if !turn.takes_from("submit", &sender) {
            return Err(Refusal::NotFound);
        }
        let mut data = data;
        turn.uncover_draft(&mut data, &sender);
        let key = turn.draft_key(step, &sender);
        Ok(self.keep_draft(&workflow, journey, (step, key), data).await?)
    }

    /// Keeps what is typed on a step under a key.
    pub(super) async fn keep_draft(
        &self,
        workflow: &Workflow,
        journey: &str,
        (step, key): (&str, String),
        data: Value,
    ) -> engine_store::Result<()> {
        let Some(data) = draft_of(workflow, step, data) else { return Ok(()) };
        let draft = Draft { journey: journey.into(), step: key, data, at_ms: self.core.now_ms() };
        self.core.store().save_draft(draft).await
    }
}

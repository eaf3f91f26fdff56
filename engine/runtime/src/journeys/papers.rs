//! The paper of a journey: what its step prints, and what anybody sees who holds the code on it.
//!
//! The code is made of the journey's id and the server's key, whenever it is needed; nothing of it is stored. What it
//! opens is the record that stays on its customer's account, such as a policy: what of it is shown says the site's page
//! `instead: proof`. As long as the law keeps the record the code holds, also when its customer was forgotten.

use super::Journeys;
use crate::actor::{Action, Actor};
use crate::core::read;
use crate::refusal::Refusal;
use crate::render::print;
use crate::turn::{Cover, Turn};
use engine_store::{JourneyRecord, Kept};
use serde_json::Value;

/// Name by which a journey's documents have what its step prints.
pub const PAPER: &str = "paper";

/// What is printed, and what is shown of it: blocks as a view has them.
#[derive(Debug, Clone)]
pub struct Paper {
    pub title: String,
    pub blocks: Vec<Value>,
}

impl Journeys {
    /// The paper of the step that the journey shows.
    pub async fn paper(&self, actor: &Actor, journey: &str) -> Result<Paper, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        self.core.refuse_ended(&record).await?;
        self.print(&actor, record).await?.ok_or(Refusal::NotFound)
    }

    /// The record behind a code, with nothing of it that is personal; a code that is not ours and one without a record
    /// are the same `None`.
    pub async fn proof(&self, code: &str) -> Result<Option<Value>, Refusal> {
        let Some(journey) = self.core.keys.proven(code) else { return Ok(None) };
        let records = self.core.store().records(&journey).await?;
        let newest = records.into_iter().filter(|record| record.kept == Kept::OnAccount).max_by_key(|one| one.at_ms);
        let Some(mut record) = newest else { return Ok(None) };
        let catalog = self.core.catalog();
        let living = self.core.store().journey(&journey).await?;
        let workflow = living.and_then(|journey| catalog.workflow(&journey.workflow).cloned());
        Cover::record(workflow.as_deref(), catalog.policy(), &mut record.data);
        Ok(Some(record.data))
    }

    async fn print(&self, actor: &Actor, record: JourneyRecord) -> Result<Option<Paper>, Refusal> {
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let id = record.id.clone();
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
        Ok(print(&turn, actor).map(|(title, mut blocks)| {
            self.core.seal(&mut blocks, &id);
            Paper { title, blocks }
        }))
    }
}

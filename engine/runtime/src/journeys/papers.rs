//! The paper of a journey: what its step prints, and what anybody sees who holds the code on it.
//!
//! The code is made of the journey's id and the server's key, whenever it is needed; nothing of it is stored. What it
//! opens is the items of the view's `seal`, as they are now: nothing once the journey shows no such paper any more.

use super::Journeys;
use crate::actor::{Action, Actor};
use crate::core::read;
use crate::refusal::Refusal;
use crate::render::printed;
use crate::turn::Turn;
use engine_store::JourneyRecord;
use serde_json::{Value, json};

/// By which name a journey's documents have what its step prints.
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
        self.printed(&actor, record).await?.ok_or(Refusal::NotFound)
    }

    /// The page behind a code; unknown, expired and outdated ones are the same `None`.
    pub async fn proof(&self, actor: &Actor, code: &str) -> Result<Option<Paper>, Refusal> {
        let Some(journey) = self.core.keys.proven(code) else { return Ok(None) };
        let Some(record) = self.core.store().journey(&journey).await? else { return Ok(None) };
        if self.core.refuse_ended(&record).await.is_err() {
            return Ok(None);
        }
        let paper = self.printed(actor, record).await?;
        let seal = paper.and_then(|paper| paper.blocks.into_iter().find(|block| block["block"] == "seal"));
        Ok(seal.map(|seal| Paper {
            title: seal["title"].as_str().unwrap_or_default().into(),
            blocks: vec![
                json!({"block": "facts", "items": seal["items"]}),
                json!({"block": "text", "text": seal["note"], "size": "small"}),
            ],
        }))
    }

    async fn printed(&self, actor: &Actor, record: JourneyRecord) -> Result<Option<Paper>, Refusal> {
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let id = record.id.clone();
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms());
        Ok(printed(&turn, actor).map(|(title, mut blocks)| {
            self.core.seal(&mut blocks, &id);
            Paper { title, blocks }
        }))
    }
}

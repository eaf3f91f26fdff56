//! `journey replay`: is what is stored what the events say?

use super::Operations;
use crate::actor::{Action, Actor};
use crate::core::RuntimeError;
use crate::refusal::Refusal;
use crate::turn::{Explained, differences, explain};
use engine_store::{EventRecord, JourneyRecord};

const PAGE: u32 = 500;

impl Operations {
    /// Differences between the stored state and the one that the events give; `None` when there is no such journey.
    pub async fn replay(&self, journey: &str) -> Result<Option<Vec<String>>, RuntimeError> {
        let Some(record) = self.core.store().journey(journey).await? else { return Ok(None) };
        let events = self.events_of(&record).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let found = differences(&workflow, &catalog, &record, &events);
        Ok(Some(found.unwrap_or_else(|error| vec![error.to_string()])))
    }

    /// The values that each event worked out, without what is personal.
    pub async fn explain(&self, actor: &Actor, journey: &str) -> Result<Vec<Explained>, Refusal> {
        let (record, _) = self.core.mine(actor, Action::Operate, journey).await?;
        let events = self.events_of(&record).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let explained = explain(&workflow, &catalog, &record, &events);
        explained.map_err(|error| Refusal::NotPossible { reason: error.to_string() })
    }

    /// What brought it to where it is in this record: a journey goes on while one reads.
    async fn events_of(&self, record: &JourneyRecord) -> Result<Vec<EventRecord>, RuntimeError> {
        let mut events = self.events(&record.id).await?;
        events.retain(|event| event.seq <= record.seq);
        Ok(events)
    }

    pub(super) async fn events(&self, journey: &str) -> Result<Vec<EventRecord>, RuntimeError> {
        let mut events = Vec::new();
        loop {
            let page = self.core.store().events(journey, events.len() as i64, PAGE).await?;
            let last = page.len() < PAGE as usize;
            events.extend(page);
            if last {
                return Ok(events);
            }
        }
    }
}

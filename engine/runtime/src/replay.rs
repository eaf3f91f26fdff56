//! `journey replay`: is what is stored what the events say?

use crate::runtime::{Runtime, RuntimeError};
use crate::turn::differences;

const PAGE: u32 = 500;

impl Runtime {
    /// Differences between the stored state and the one that the events give; `None` when there is no such journey.
    pub async fn replay(&self, journey: &str) -> Result<Option<Vec<String>>, RuntimeError> {
        let Some(record) = self.store().journey(journey).await? else { return Ok(None) };
        let mut events = Vec::new();
        loop {
            let page = self.store().events(journey, events.len() as i64, PAGE).await?;
            let last = page.len() < PAGE as usize;
            events.extend(page);
            if last {
                break;
            }
        }
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let found = differences(&workflow, &catalog, &record, &events);
        Ok(Some(found.unwrap_or_else(|error| vec![error.to_string()])))
    }
}

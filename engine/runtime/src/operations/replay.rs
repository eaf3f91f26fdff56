//! `journey replay`: is what is stored what the events say?

use super::Operations;
use crate::core::RuntimeError;
use crate::turn::differences;

const PAGE: u32 = 500;

impl Operations {
    /// Differences between the stored state and the one that the events give; `None` when there is no such journey.
    pub async fn replay(&self, journey: &str) -> Result<Option<Vec<String>>, RuntimeError> {
        let Some(record) = self.core.store().journey(journey).await? else { return Ok(None) };
        let mut events = Vec::new();
        loop {
            let page = self.core.store().events(journey, events.len() as i64, PAGE).await?;
            let last = page.len() < PAGE as usize;
            events.extend(page);
            if last {
                break;
            }
        }
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let found = differences(&workflow, &catalog, &record, &events);
        Ok(Some(found.unwrap_or_else(|error| vec![error.to_string()])))
    }
}

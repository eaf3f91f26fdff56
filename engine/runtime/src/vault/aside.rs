//! Rows of lists that cannot be opened: each is set aside alone, and told as an incident of nobody, since a person's
//! other rows are sound.

use super::Vault;
use super::passing::of;
use engine_store::{IncidentRecord, JourneyRecord, Record, Result, StoreError};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

impl Vault {
    /// Every record of a person, of these kinds; an error where one cannot be opened: what was agreed to and what a law
    /// keeps is not guessed.
    pub async fn all_records_of(&self, person: &str, kinds: &[String], limit: u32) -> Result<Vec<Record>> {
        self.open_records(self.store.records_of(person, kinds, limit).await?).await
    }

    pub(super) async fn open_some_records(&self, records: Vec<Record>) -> Result<Vec<Record>> {
        let keys = self.keys_that_open(records.iter().map(|record| record.journey.as_str())).await?;
        let mut opened = Vec::with_capacity(records.len());
        for record in records {
            let (journey, row) = (record.journey.clone(), format!("{} `{}`", record.kind, record.key));
            match of(&keys, &journey).and_then(|keys| keys.open_record(record)) {
                Ok(record) => opened.push(record),
                Err(error) => self.set_aside(&journey, &format!("the record {row}"), &error).await?,
            }
        }
        Ok(opened)
    }

    pub(super) async fn open_some_journeys(&self, journeys: Vec<JourneyRecord>) -> Result<Vec<JourneyRecord>> {
        let mut opened = Vec::with_capacity(journeys.len());
        for journey in journeys {
            let id = journey.id.clone();
            match self.open_journeys(vec![journey]) {
                Ok(journeys) => opened.extend(journeys),
                Err(error) => self.set_aside(&id, "the journey", &error).await?,
            }
        }
        Ok(opened)
    }

    /// Tells an operator, once.
    async fn set_aside(&self, journey: &str, what: &str, error: &StoreError) -> Result<()> {
        tracing::error!(journey, what, %error, "set aside");
        let id = hex::encode(&Sha256::digest(format!("unopened {journey} {what}"))[..16]);
        if !self.reported.lock().unwrap_or_else(|e| e.into_inner()).insert(id.clone()) {
            return Ok(());
        }
        let incident = IncidentRecord {
            id,
            journey: String::new(),
            version: String::new(),
            place: "database".into(),
            reason: format!("{what} of {journey} cannot be opened ({error}): bring the row back from a backup"),
            detail: Value::Null,
            at_ms: self.clock.now_ms(),
            closed_at_ms: None,
            closed_by: None,
        };
        self.store.add_incident(incident).await.map(drop)
    }
}

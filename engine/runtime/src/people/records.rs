//! What was recorded of the journeys that somebody began or that are hers, page by page: leads, policies, visits. Who
//! acts for customers sees what is theirs covered.

use super::People;
use super::account::shown;
use crate::actor::{Actor, STAFF};
use crate::journeys::{Journeys, List};
use crate::refusal::Refusal;
use crate::view::JourneySummary;
use engine_definitions::{RecordsAsked, mask, personal_kind};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A page of records, those of the newest begun journeys first.
#[derive(Debug, Default, Serialize)]
pub struct RecordPage {
    /// What was recorded, with `kind`, `id`, `key`, `at`, `status` of its journey, and `url` and `title` of its page.
    pub rows: Vec<Value>,
    /// The journey before which the next page begins; empty: this is the last one.
    pub before: String,
}

impl People {
    /// Of who is signed in; `NotFound` for everybody else.
    pub async fn records(&self, actor: &Actor, asked: RecordsAsked) -> Result<RecordPage, Refusal> {
        self.hers(actor).ok_or(Refusal::NotFound)?;
        let RecordsAsked { kinds, search, before, limit } = asked;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let (search, before) = (some(search), some(before));
        let list = List { search, records: kinds.clone(), before, limit: limit + 1, ..List::default() };
        let mut journeys = Journeys { core: self.core.clone() }.journeys_of(actor, list).await?;
        let is_last = journeys.len() <= limit as usize;
        journeys.truncate(limit as usize);
        let before = journeys.last().filter(|_| !is_last).map(|last| last.id.clone()).unwrap_or_default();
        let ids: Vec<String> = journeys.iter().map(|journey| journey.id.clone()).collect();
        let mut by_journey: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let pages: BTreeMap<&str, &JourneySummary> = journeys.iter().map(|one| (one.id.as_str(), one)).collect();
        for record in self.core.store().records_in(&ids, &kinds).await? {
            let Some(page) = pages.get(record.journey.as_str()) else { continue };
            let (journey, kind) = (record.journey.clone(), record.kind.clone());
            let mut row = shown(record, Some(page));
            row.insert("kind".into(), kind.into());
            row.insert("status".into(), serde_json::json!(page.status));
            let mut row = Value::Object(row);
            if actor.kind == STAFF {
                cover(&mut row);
            }
            by_journey.entry(journey).or_default().push(row);
        }
        let rows = ids.iter().filter_map(|id| by_journey.remove(id)).flatten().collect();
        Ok(RecordPage { rows, before })
    }
}

/// What names say to be personal is shown in part.
fn cover(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                match (personal_kind(name), &*inner) {
                    (Some(kind), Value::String(text)) => {
                        let kind = if ["mobile", "email"].contains(&kind) { kind } else { "number" };
                        *inner = mask(text, kind).unwrap_or_default().into();
                    }
                    _ => cover(inner),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(cover),
        _ => {}
    }
}

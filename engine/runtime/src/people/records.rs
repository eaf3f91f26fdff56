//! What was recorded of the journeys that somebody began or that belong to them, page by page: leads, policies, visits.
//! Who acts for customers sees what is theirs covered.

use super::People;
use crate::actor::Actor;
use crate::journeys::{Journeys, LIST_MAX, List, is_mobile};
use crate::refusal::Refusal;
use crate::view::JourneySummary;
use engine_definitions::RecordsAsked;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A page of records, those of the newest begun journeys first.
#[derive(Debug, Default, Serialize)]
pub struct RecordPage {
    /// What was recorded, with `kind`, `id`, `key`, `at`; of its journey `status`, `step_title`, `waits_for` and
    /// `since`; and `url` and `title` of its page.
    pub rows: Vec<Value>,
    /// The journey before which the next page begins; empty: this is the last one.
    pub before: String,
}

/// A journey with records that are asked for.
struct JourneyRecords {
    journey: String,
    rows: Vec<Value>,
}

/// Most journeys that are looked through for words.
const SEARCHED_MAX: usize = 2_000;
/// Fields that are searched, beside the title; of numbers their ends are enough.
const SEARCHED: [&str; 4] = ["name", "registration", "policy_number", "mobile"];

impl People {
    /// Records of who is signed in; `NotFound` for everybody else.
    pub async fn records(&self, actor: &Actor, asked: RecordsAsked) -> Result<RecordPage, Refusal> {
        self.hers(actor).ok_or(Refusal::NotFound)?;
        let RecordsAsked { kinds, search, before, limit } = asked;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let (words, before) = (some(search.trim().to_lowercase()), some(before));
        let mut found = match words {
            None => {
                let list = List { records: kinds, before, limit: limit + 1, ..List::default() };
                self.load_records(actor, list).await?
            }
            Some(words) => self.search(actor, &words, &kinds, before, limit as usize + 1).await?,
        };
        let is_last = found.len() <= limit as usize;
        found.truncate(limit as usize);
        let before = found.last().filter(|_| !is_last).map(|last| last.journey.clone()).unwrap_or_default();
        Ok(RecordPage { rows: found.into_iter().flat_map(|one| one.rows).collect(), before })
    }

    /// Journeys with one of these words in a record, as far as this reader may see it, or the whole number of who has
    /// shown it.
    async fn search(
        &self,
        actor: &Actor,
        words: &str,
        kinds: &[String],
        mut before: Option<String>,
        wanted: usize,
    ) -> Result<Vec<JourneyRecords>, Refusal> {
        let of = |search: Option<&str>, before: Option<String>| List {
            search: search.map(str::to_owned),
            records: kinds.to_vec(),
            before,
            limit: LIST_MAX,
            ..List::default()
        };
        if is_mobile(words) {
            let hers = self.load_records(actor, of(Some(words), before.clone())).await?;
            if !hers.is_empty() {
                return Ok(hers);
            }
        }
        let (mut matches, mut looked) = (Vec::new(), 0);
        while matches.len() < wanted && looked < SEARCHED_MAX {
            let page = self.load_records(actor, of(None, before)).await?;
            looked += page.len();
            let is_last = page.len() < LIST_MAX as usize;
            before = page.last().map(|last| last.journey.clone());
            matches.extend(page.into_iter().filter(|one| one.rows.iter().any(|row| has(row, words))));
            if is_last {
                break;
            }
        }
        matches.truncate(wanted);
        Ok(matches)
    }

    /// The journeys of a list, each with its records as this reader may see them.
    async fn load_records(&self, actor: &Actor, list: List) -> Result<Vec<JourneyRecords>, Refusal> {
        let kinds = list.records.clone();
        let journeys = Journeys { core: self.core.clone() }.journeys_of(actor, list).await?;
        let ids: Vec<String> = journeys.iter().map(|journey| journey.id.clone()).collect();
        let pages: BTreeMap<&str, &JourneySummary> = journeys.iter().map(|one| (one.id.as_str(), one)).collect();
        let mut by_journey: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for record in self.core.store().records_in(&ids, &kinds).await? {
            let Some(page) = pages.get(record.journey.as_str()) else { continue };
            let (journey, kind) = (record.journey.clone(), record.kind.clone());
            let mut row = self.shown_to(actor, record, Some(page));
            row["kind"] = kind.into();
            // a record has a word of its own for how far it is
            if row.get("status").is_none() {
                row["status"] = serde_json::json!(page.status);
            }
            by_journey.entry(journey).or_default().push(row);
        }
        let found = |journey: String| JourneyRecords { rows: by_journey.remove(&journey).unwrap_or_default(), journey };
        Ok(ids.into_iter().map(found).collect())
    }
}

/// Whether a row has these words: in its title or a name, or in a number written in any way.
fn has(row: &Value, words: &str) -> bool {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let sought = plain(words);
    let in_field =
        |name: &str| text(name).contains(words) || !sought.is_empty() && plain(&text(name)).contains(&sought);
    // The end of a number is matched as far as this reader sees it.
    let end = plain(&text("mobile"));
    text("title").contains(words)
        || SEARCHED.into_iter().any(in_field)
        || is_mobile(words) && !end.is_empty() && sought.ends_with(&end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_is_found_by_what_its_reader_sees() {
        let row = json!({
            "title": "Parcel cover", "name": "Asha Rao", "mobile": "*****45670", "registration": "DL-3-CAB-1234",
            "policy_number": "ACKO-2026-991", "agent": {"name": "ravi"},
        });
        for words in
            ["45670", "5670", "dl3cab1234", "dl 3 cab", "1234", "acko-2026", "2026991", "asha", "parcel", "9812345670"]
        {
            assert!(has(&row, words), "{words}");
        }
        for words in ["98123", "ravi", "letter", "9812345671"] {
            assert!(!has(&row, words), "{words}");
        }
    }
}

//! What belongs to a person who is signed in.

use super::People;
use super::sessions::OwnSession;
use crate::actor::{Action, Actor, Resource};
use crate::clock::rfc3339;
use crate::core::{Sight, normal_mobile};
use crate::journeys::{Journeys, LIST_MAX, List};
use crate::refusal::Refusal;
use crate::view::JourneySummary;
use engine_definitions::{AccountParts, RecordKinds};
use engine_store::{DocumentHead, PersonRecord, Record};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a page of hers may show; parts that it does not read are empty.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Account {
    pub first_name: String,
    /// What she said of herself.
    pub profile: Value,
    /// The newest begun ones, at most [`LIST_MAX`], last changed first; `GET /api/v1/journeys` gives all of them.
    pub journeys: Vec<JourneySummary>,
    /// By kind, the newest first, [`RECORDS_MAX`] of them: what was recorded, with `id`, `key`, `at`, and `url` and
    /// `title` of its journey's page. More of them: `people/records.rs`.
    pub records: BTreeMap<String, Vec<Value>>,
    /// What there is for her to fetch from her journeys, the newest first: `at`, `name`, `type`, `url`, and the `title`
    /// of its journey.
    pub documents: Vec<Value>,
    /// Where she is signed in, last used first.
    pub sessions: Vec<OwnSession>,
    /// Who else saw her journeys, the newest first.
    pub seen: Vec<Sight>,
}

const RECORDS_MAX: u32 = 200;

impl People {
    /// Of who is signed in, these parts of it; `None` for everybody else.
    pub async fn account(&self, actor: &Actor, parts: &AccountParts) -> Result<Option<Account>, Refusal> {
        let Some(id) = self.hers(actor) else { return Ok(None) };
        let store = self.core.store();
        let profile = store.person(id).await?.map(|person| person.profile).unwrap_or_default();
        let first_name = profile["first_name"].as_str().unwrap_or_default().to_owned();
        let mut account = Account { first_name, profile, ..Account::default() };
        if parts.sessions {
            account.sessions = self.own_sessions(actor).await?;
        }
        if !parts.journeys && !parts.documents && !parts.seen && parts.records.are_none() {
            return Ok(Some(account));
        }
        let list = List { limit: LIST_MAX, ..List::default() };
        let mut all = Journeys { core: self.core.clone() }.journeys_of(actor, list).await?;
        all.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        if !parts.records.are_none() {
            account.records = self.newest_records(id, &parts.records, &all).await?;
        }
        if parts.documents {
            account.documents = self.documents_of(&all).await?;
        }
        if parts.seen {
            account.seen = self.core.seen(&all.iter().map(|journey| journey.id.clone()).collect::<Vec<_>>()).await?;
        }
        if parts.journeys {
            let catalog = self.core.catalog();
            let signs_in = |id: &str| catalog.workflow(id).is_some_and(|workflow| workflow.signs_in.is_some());
            account.journeys = all.into_iter().filter(|journey| !signs_in(&journey.workflow)).collect();
        }
        Ok(Some(account))
    }

    /// Of these journeys.
    async fn documents_of(&self, journeys: &[JourneySummary]) -> Result<Vec<Value>, Refusal> {
        let pages: BTreeMap<&str, &JourneySummary> = journeys.iter().map(|one| (one.id.as_str(), one)).collect();
        let ids: Vec<String> = journeys.iter().map(|one| one.id.clone()).collect();
        let heads = self.core.store().documents_in(&ids).await?;
        Ok(heads.iter().rev().filter_map(|head| Some(document(head, pages.get(head.journey.as_str())?))).collect())
    }

    /// Of a person, of these kinds.
    async fn newest_records(
        &self,
        person: &str,
        kinds: &RecordKinds,
        journeys: &[JourneySummary],
    ) -> Result<BTreeMap<String, Vec<Value>>, Refusal> {
        let kinds: Vec<String> = match kinds {
            RecordKinds::All => Vec::new(),
            RecordKinds::These(kinds) => kinds.iter().cloned().collect(),
        };
        let pages: BTreeMap<&str, &JourneySummary> = journeys.iter().map(|one| (one.id.as_str(), one)).collect();
        let mut records: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for record in self.core.store().records_of(person, &kinds, RECORDS_MAX).await? {
            let page = pages.get(record.journey.as_str()).copied();
            records.entry(record.kind.clone()).or_default().push(Value::Object(shown(record, page)));
        }
        Ok(records)
    }

    /// Of the person who is signed in; empty for everybody else, and while it is not known.
    pub async fn first_name(&self, actor: &Actor) -> Result<String, Refusal> {
        let Some(id) = actor.person() else { return Ok(String::new()) };
        let person = self.core.store().person(id).await?;
        Ok(person.and_then(|person| Some(person.profile["first_name"].as_str()?.to_owned())).unwrap_or_default())
    }

    /// Who is signed in, where their roles have an account.
    pub(super) fn hers<'a>(&self, actor: &'a Actor) -> Option<&'a str> {
        actor.signed_in().filter(|_| self.core.permit(actor, Action::Account, Resource::Own).is_ok())
    }

    /// Keeps what the person who is signed in says of herself, beside what is known; `NotFound` for everybody else.
    pub async fn keep_profile(&self, actor: &Actor, said: Value) -> Result<(), Refusal> {
        let store = self.core.store();
        let id = self.hers(actor).ok_or(Refusal::NotFound)?;
        let mut person = store.person(id).await?.ok_or(Refusal::NotFound)?;
        if let (Some(known), Value::Object(said)) = (person.profile.as_object_mut(), said) {
            known.extend(said);
        }
        Ok(store.save_person(person).await?)
    }
}

/// With the address at which she fetches it.
pub(super) fn document(head: &DocumentHead, page: &JourneySummary) -> Value {
    let DocumentHead { id, journey, name, media_type, at_ms } = head;
    let url = format!("/api/v1/journeys/{journey}/documents/{id}");
    json!({"at": rfc3339(*at_ms), "name": name, "type": media_type, "url": url, "title": page.title})
}

/// A record as its page knows it.
pub(super) fn shown(record: Record, page: Option<&JourneySummary>) -> Map<String, Value> {
    let mut shown = match record.data {
        Value::Object(data) => data,
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    shown.insert("id".into(), record.public_id.into());
    shown.insert("key".into(), record.key.into());
    shown.insert("at".into(), rfc3339(record.at_ms).into());
    shown.insert("url".into(), json!(page.map_or("", |journey| &journey.url)));
    shown.insert("title".into(), json!(page.map_or("", |journey| &journey.title)));
    shown
}

impl crate::core::Core {
    /// Who has shown that this number is hers.
    pub async fn person_of(&self, mobile: &str) -> Result<PersonRecord, Refusal> {
        self.person_with(self.mobile_hash(mobile)).await
    }

    /// The same, by the number's hash.
    pub async fn person_with(&self, mobile: String) -> Result<PersonRecord, Refusal> {
        let now = self.now_ms();
        let fresh = PersonRecord {
            id: crate::clock::new_id(),
            mobile,
            profile: json!({}),
            keys: String::new(),
            created_at_ms: now,
            seen_at_ms: now,
        };
        Ok(self.store().person_of(fresh).await?)
    }

    /// The same, if there is one.
    pub async fn known_person(&self, mobile: &str) -> Result<Option<PersonRecord>, Refusal> {
        Ok(self.store().known_person(&self.mobile_hash(mobile)).await?)
    }

    pub fn mobile_hash(&self, mobile: &str) -> String {
        self.keys.short_hash("mobile", &normal_mobile(mobile))
    }
}

//! What belongs to a person who is signed in.

use super::People;
use super::sessions::OwnSession;
use crate::actor::{Action, Actor, Resource, STAFF, SYSTEM};
use crate::clock::rfc3339;
use crate::core::{Sight, contact_of, normal_mobile, read};
use crate::effect::CallResult;
use crate::fact::Fact;
use crate::journeys::{Journeys, LIST_MAX, List};
use crate::refusal::Refusal;
use crate::turn::{Cover, Turn};
use crate::view::JourneySummary;
use engine_definitions::{AccountParts, RecordKinds, mask};
use engine_store::{Committed, DocumentHead, JourneyStatus, PersonRecord, Record};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a page of a person may show; parts that it does not read are empty.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Account {
    pub first_name: String,
    /// What the person said about themselves.
    pub profile: Value,
    /// The newest begun ones, at most [`LIST_MAX`], last changed first; `GET /api/v1/journeys` gives all of them. None
    /// of staff, as of records, documents and sights: what they began is their customers'.
    pub journeys: Vec<JourneySummary>,
    /// Records by kind, the newest first, [`RECORDS_MAX`] of them: what was recorded, with `id`, `key`, `at`, and `url`
    /// and `title` of its journey's page; of a journey that was forgotten the `url` is empty. More of them:
    /// `people/records.rs`.
    pub records: BTreeMap<String, Vec<Value>>,
    /// Documents for the person to fetch from their journeys, the newest first: `at`, `name`, `type`, `url`, and the
    /// `title` of its journey.
    pub documents: Vec<Value>,
    /// Sessions in which the person is signed in, last used first.
    pub sessions: Vec<OwnSession>,
    /// Who else saw the person's journeys, the newest first.
    pub seen: Vec<Sight>,
    /// Who sees one of the journeys now, beside the person.
    pub helpers: Vec<Companion>,
}

/// Somebody who acts for a customer, and whose access the customer may end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Companion {
    pub journey: String,
    /// Title of the journey.
    pub title: String,
    pub role: String,
    /// Empty where it is not known.
    pub name: String,
}

const RECORDS_MAX: u32 = 200;

/// Where a profile keeps the number that its person has shown.
pub(super) const MOBILE: &str = "mobile";

/// What a person is called: as their profile says, or else the first word of their whole name.
fn first_name_of(profile: &Value) -> String {
    let said = |name: &str| profile[name].as_str().map(str::trim).filter(|name| !name.is_empty());
    let first = || said("name").and_then(|name| name.split_whitespace().next());
    said("first_name").or_else(first).unwrap_or_default().to_owned()
}

impl People {
    /// These parts of the account of who is signed in; `None` for everybody else.
    pub async fn account(&self, actor: &Actor, parts: &AccountParts) -> Result<Option<Account>, Refusal> {
        let Some(id) = self.hers(actor) else { return Ok(None) };
        let store = self.core.store();
        let profile = store.person(id).await?.map(|person| person.profile).unwrap_or_default();
        let first_name = first_name_of(&profile);
        let mut account = Account { first_name, profile, ..Account::default() };
        if parts.sessions {
            account.sessions = self.own_sessions(actor).await?;
        }
        // What somebody began for customers is not their own: it stands among their records.
        let is_staff = actor.kind == STAFF;
        if is_staff || !parts.journeys && !parts.documents && !parts.seen && parts.records.are_none() {
            return Ok(Some(account));
        }
        let list = List { limit: LIST_MAX, ..List::default() };
        let mut all = Journeys { core: self.core.clone() }.journeys_of(actor, list).await?;
        all.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        if parts.documents || !parts.records.are_none() {
            let kept = List { limit: LIST_MAX, forgotten: true, ..List::default() };
            let kept = Journeys { core: self.core.clone() }.journeys_of(actor, kept).await?;
            let with_kept: Vec<JourneySummary> = all.iter().cloned().chain(kept).collect();
            if !parts.records.are_none() {
                account.records = self.newest_records(actor, id, &parts.records, &with_kept).await?;
            }
            if parts.documents {
                account.documents = self.documents_of(&with_kept).await?;
            }
        }
        if parts.seen && actor.person().is_some() {
            account.seen = self.core.sights(&all.iter().map(|journey| journey.id.clone()).collect::<Vec<_>>()).await?;
            account.helpers = self.companions(&all, &account.seen).await?;
        }
        if parts.journeys {
            let catalog = self.core.catalog();
            let signs_in = |id: &str| catalog.workflow(id).is_some_and(|workflow| workflow.signs_in.is_some());
            account.journeys = all.into_iter().filter(|journey| !signs_in(&journey.workflow)).collect();
            Journeys { core: self.core.clone() }.describe(actor, &mut account.journeys).await?;
        }
        Ok(Some(account))
    }

    /// Who else sees any of these journeys that somebody saw.
    async fn companions(&self, journeys: &[JourneySummary], seen: &[Sight]) -> Result<Vec<Companion>, Refusal> {
        let mut found = Vec::new();
        for journey in journeys.iter().filter(|journey| seen.iter().any(|sight| sight.journey == journey.id)) {
            let Some(record) = self.core.store().journey(&journey.id).await? else { continue };
            let of = |(role, name): (&str, &str)| {
                let (journey, title) = (journey.id.clone(), journey.title.clone());
                Companion { journey, title, role: role.to_owned(), name: name.to_owned() }
            };
            found.extend(read(record)?.state.companions(self.core.now_ms()).map(of));
        }
        Ok(found)
    }

    /// Ends everybody else's access to this journey of the person who is signed in; `NotFound`: nobody had any.
    pub async fn dismiss(&self, actor: &Actor, journey: &str) -> Result<(), Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        let is_accompanied = read(record)?.state.companions(self.core.now_ms()).next().is_some();
        if actor.person().is_none() || actor.came_by.is_some() || !is_accompanied {
            return Err(Refusal::NotFound);
        }
        match self.core.note(journey, |turn| turn.apply(Fact::HelpEnded, &actor).map(drop)).await? {
            Some(Committed::Done { .. }) => Ok(()),
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) | None => Err(Refusal::Busy),
        }
    }

    /// Documents of these journeys, the newest first.
    async fn documents_of(&self, journeys: &[JourneySummary]) -> Result<Vec<Value>, Refusal> {
        let pages: BTreeMap<&str, &JourneySummary> = journeys.iter().map(|one| (one.id.as_str(), one)).collect();
        let ids: Vec<String> = journeys.iter().map(|one| one.id.clone()).collect();
        let heads = self.core.store().documents_in(&ids).await?;
        Ok(heads.iter().rev().filter_map(|head| Some(document(head, pages.get(head.journey.as_str())?))).collect())
    }

    /// A person's newest records of these kinds.
    async fn newest_records(
        &self,
        actor: &Actor,
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
            records.entry(record.kind.clone()).or_default().push(self.shown_to(actor, record, page));
        }
        Ok(records)
    }

    /// A record as its page knows it; to staff, who act for customers, covered.
    pub(super) fn shown_to(&self, actor: &Actor, record: Record, page: Option<&JourneySummary>) -> Value {
        let mut row = Value::Object(shown(record, page));
        if actor.kind == STAFF {
            let catalog = self.core.catalog();
            let workflow = page.and_then(|page| catalog.workflow(&page.workflow)).map(AsRef::as_ref);
            Cover::record(workflow, catalog.policy(), &mut row);
        }
        row
    }

    /// The end of a person's number, as others may see it.
    pub async fn masked_number(&self, person: &str) -> Result<String, Refusal> {
        let known = self.core.store().person(person).await?;
        let contact = known.map(|known| contact_of(&known.profile)).unwrap_or_default();
        Ok(mask(&contact.mobile, "mobile").unwrap_or_default())
    }

    /// First name of the person who is signed in; empty for everybody else, and while it is not known.
    pub async fn first_name(&self, actor: &Actor) -> Result<String, Refusal> {
        let Some(id) = actor.person() else { return Ok(String::new()) };
        let person = self.core.store().person(id).await?;
        Ok(person.map(|person| first_name_of(&person.profile)).unwrap_or_default())
    }

    /// Who is signed in, where their roles have an account.
    pub(super) fn hers<'a>(&self, actor: &'a Actor) -> Option<&'a str> {
        actor.signed_in().filter(|_| self.core.permit(actor, Action::Account, Resource::Own).is_ok())
    }

    /// Keeps what the person who is signed in says about themselves, beside what is known; `NotFound` for everybody
    /// else.
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

/// A document with the address at which its person fetches it.
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
    if let Some(page) = page {
        shown.insert("step_title".into(), json!(page.step_title));
        shown.insert("waits_for".into(), json!(page.waits_for));
        shown.insert("since".into(), json!(page.updated_at));
    }
    shown
}

impl crate::core::Core {
    /// The person who has shown that this number is theirs; the number is known of them from now on.
    pub async fn person_of(&self, mobile: &str) -> Result<PersonRecord, Refusal> {
        let person = self.person_with(self.mobile_hash(mobile)).await?;
        self.keep_in_profile(person, MOBILE, &normal_mobile(mobile)).await
    }

    /// The actor with what forms of a first step begin with.
    pub async fn with_prefill(&self, actor: &Actor) -> Result<Actor, Refusal> {
        let known = match actor.person() {
            Some(person) => self.store().person(person).await?,
            None => None,
        };
        let contact = known.map(|known| contact_of(&known.profile)).unwrap_or_default();
        Ok(Actor { contact, ..actor.clone() })
    }

    /// `{kind, key, context: [name]}` → `{ok, record, context}`: what was recorded of a journey of who is signed in,
    /// and of what that journey knew what is named.
    pub async fn own_record(&self, turn: &Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let told = |ok: bool, record: Value, context: Map<String, Value>| {
            CallResult::output(json!({"ok": ok, "record": record, "context": context}))
        };
        let person = turn.person_of(actor);
        let Some(record) = self.find_records(input, person).await?.into_iter().next() else {
            return Ok(told(false, json!({}), Map::new()));
        };
        let journey = self.store().journey(&record.journey).await?;
        let journey = journey.filter(|journey| journey.person.as_deref() == person);
        let mut context = match journey {
            Some(journey) => read(journey)?.state.snapshot.context,
            None => Map::new(),
        };
        let wanted: Vec<&str> = input["context"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        context.retain(|name, _| wanted.contains(&name.as_str()));
        Ok(told(true, record.data, context))
    }

    /// `{kind, key, data}` → `{ok}`: what was recorded of a request of who is signed in, or whose the journey is that
    /// goes on by itself, says this too from now on. That request hears of it as `<kind>.noted`, where a state names
    /// it.
    pub async fn note_own_record(&self, turn: &Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let by_itself = turn.record.person.as_deref().filter(|_| actor.kind == SYSTEM);
        let found = self.find_records(input, turn.person_of(actor).or(by_itself)).await?;
        let Some(record) = self.of_the_open_one(found).await?.filter(|record| record.journey != turn.id()) else {
            return Ok(CallResult::output(json!({"ok": false})));
        };
        let new = input["data"].as_object().cloned().unwrap_or_default();
        let mut data = record.data.as_object().cloned().unwrap_or_default();
        data.extend(new.clone());
        let heard = format!("{}.noted", record.kind);
        let noted = self.note(&record.journey, |turn| {
            turn.record_note(&record.kind, &record.key, &data)?;
            if turn.is_active() && turn.names(&heard) {
                turn.receive(&heard, new.clone())?;
            }
            Ok(())
        });
        match noted.await? {
            Some(Committed::Done { .. }) => Ok(CallResult::output(json!({"ok": true}))),
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) => Err(Refusal::Busy),
            None => Ok(CallResult::output(json!({"ok": false}))),
        }
    }

    /// What was recorded of this person under this kind and key, the newest first.
    async fn find_records(&self, input: &Value, person: Option<&str>) -> Result<Vec<Record>, Refusal> {
        let text = |name: &str| input[name].as_str().unwrap_or_default();
        let Some(person) = person else { return Ok(Vec::new()) };
        let mut found = self.store().records_of(person, &[text("kind").to_owned()], RECORDS_MAX).await?;
        // A number is typed in capitals where its paper has small letters.
        found.retain(|record| record.key.eq_ignore_ascii_case(text("key")));
        Ok(found)
    }

    /// The newest whose request still goes on, of several: a note makes the record of one that is over the newest.
    async fn of_the_open_one(&self, mut found: Vec<Record>) -> Result<Option<Record>, Refusal> {
        let mut first = 0;
        for (place, record) in found.iter().enumerate().filter(|_| found.len() > 1) {
            let journey = self.store().journey(&record.journey).await?;
            if journey.is_some_and(|journey| journey.status == JourneyStatus::Active) {
                first = place;
                break;
            }
        }
        Ok((!found.is_empty()).then(|| found.swap_remove(first)))
    }

    /// Keeps what a person was first called by themselves.
    pub async fn keep_name(&self, person: PersonRecord, name: &str) -> Result<(), Refusal> {
        if !name.is_empty() && contact_of(&person.profile).name.is_empty() {
            self.keep_in_profile(person, "name", name).await?;
        }
        Ok(())
    }

    pub(super) async fn keep_in_profile(
        &self,
        mut person: PersonRecord,
        name: &str,
        text: &str,
    ) -> Result<PersonRecord, Refusal> {
        if person.profile[name] != text {
            person.profile[name] = json!(text);
            self.store().save_person(person.clone()).await?;
        }
        Ok(person)
    }

    /// The person whose number has this hash; a new one if there is none.
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

    /// The person of this number, if there is one.
    pub async fn known_person(&self, mobile: &str) -> Result<Option<PersonRecord>, Refusal> {
        Ok(self.store().known_person(&self.mobile_hash(mobile)).await?)
    }

    pub fn mobile_hash(&self, mobile: &str) -> String {
        self.keys.short_hash("mobile", &normal_mobile(mobile))
    }
}

//! A person is forgotten: what served their requests goes, what a law keeps stays under its own key, and where that
//! holds something for them (a policy, its document), an empty account with their number stays with it. Until the
//! payment of a journey has become what it was for, and while a payment page is open, nobody is forgotten.
//!
//! Who was forgotten stands in a list, in the database and in a file outside of it (`keys.forgotten`): each start, and
//! each node while it runs, holds one against the other, so that no backup brings anybody back.

use super::{Core, RuntimeError, Settled};
use crate::actor::Actor;
use crate::refusal::Refusal;
use crate::turn::Ends;
use engine_store::{
    EffectFilter, EffectState, JourneyFilter, JourneyStatus, Kept, PersonRecord, Record, SessionRecord,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Journeys and records of one person.
const ALL: u32 = 100_000;
const SESSIONS: u32 = 100;
/// Journeys that are forgotten at once.
const SOME: usize = 500;
/// Bucket of the list: a day each.
const LIST: &str = "forgotten";
/// Bucket of journeys that have something to say before they go.
const LATER: &str = "forgotten-later";
const DAY_MS: i64 = 86_400_000;

/// Ids of what was forgotten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forgotten {
    /// Persons, each with the time: an account that stays begins anew at it.
    pub persons: Vec<(String, i64)>,
    pub journeys: Vec<String>,
}

/// Before a person's id in the list; a journey's stands alone.
const PERSON: &str = "person ";

impl Forgotten {
    fn lines(&self) -> Vec<String> {
        let persons = self.persons.iter().map(|(person, at_ms)| format!("{PERSON}{person} {at_ms}"));
        self.journeys.iter().cloned().chain(persons).collect()
    }

    fn of(lines: impl IntoIterator<Item = String>) -> Forgotten {
        let mut all = Forgotten::default();
        for line in lines {
            match line.strip_prefix(PERSON).map(|rest| rest.split_once(' ').unwrap_or((rest, ""))) {
                Some((person, at)) => all.persons.push((person.to_owned(), at.parse().unwrap_or(i64::MAX))),
                None => all.journeys.push(line),
            }
        }
        all
    }
}

/// Why a person cannot be forgotten now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Something is paid, and not there yet.
    UnderWay,
    /// A partner's page takes money for one of their requests, or may have.
    Paying,
    /// The list outside of the database cannot be written.
    NoList,
}

impl Core {
    /// `None`: the person can be forgotten.
    pub async fn held_back(&self, person: &str) -> Result<Option<Holds>, RuntimeError> {
        let catalog = self.catalog();
        let mut journeys: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for record in self.vault().all_records_of(person, &[], ALL).await? {
            journeys.entry(record.journey.clone()).or_default().push(record);
        }
        let is_open = |records: &Vec<Record>| {
            let kinds = || records.iter().map(|record| record.kind.as_str());
            let laws = records.iter().filter_map(|record| Some((record, catalog.law_of(&record.kind)?)));
            laws.into_iter().any(|(record, law)| law.is_under_way(&record.data, kinds()))
        };
        if journeys.values().any(is_open) {
            return Ok(Some(Holds::UnderWay));
        }
        if self.is_paying(person).await? {
            return Ok(Some(Holds::Paying));
        }
        let list = append(&self.settings.keys.forgotten, &[]);
        Ok(list.inspect_err(|error| tracing::error!(%error, "the list of the forgotten")).err().map(|_| Holds::NoList))
    }

    /// Whether a journey of theirs waits for what a partner's own page brings, or shows the way there: who pays must be
    /// known when the money comes.
    async fn is_paying(&self, person: &str) -> Result<bool, RuntimeError> {
        let status = Some(JourneyStatus::Active);
        let open = self.store().journeys_of(JourneyFilter { status, ..JourneyFilter::of(person, ALL) }).await?;
        for some in open.chunks(SOME) {
            let ids: Vec<String> = some.iter().map(|head| head.id.clone()).collect();
            for record in self.store().journeys(&ids).await? {
                // A version that cannot be read any more keeps nobody here.
                let Ok(workflow) = self.workflow_of(&record).await else { continue };
                if workflow.is_at_partner_page(&record.step) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Forgets a person; `last`: the person's journey that has something to say first, and goes when it is said.
    /// Journeys with something still to happen call it off, and go when that is done.
    pub async fn forget_person(&self, person: &PersonRecord, last: Option<&str>) -> Result<Forgotten, Refusal> {
        let all = self.store().journeys_of(JourneyFilter::of(&person.id, ALL)).await?;
        let mut journeys: BTreeSet<String> = all.into_iter().map(|head| head.id).collect();
        journeys.extend(self.begun_unknown(&person.id).await?);
        let mut later: Vec<String> = last.map(str::to_owned).into_iter().collect();
        for journey in journeys.iter().filter(|journey| last != Some(journey.as_str())) {
            if self.calls_off(journey).await {
                later.push(journey.clone());
            }
        }
        for journey in later {
            journeys.remove(&journey);
            self.forget_later(&journey).await?;
        }
        let at_ms = self.now_ms().max(person.created_at_ms + 1);
        let persons = vec![(person.id.clone(), at_ms)];
        let forgotten = Forgotten { persons, journeys: journeys.into_iter().collect() };
        // First: what is half done is done again with the next start.
        self.list(&forgotten).await?;
        self.forget(&forgotten).await?;
        Ok(forgotten)
    }

    /// Whether a journey has something to call off, and is about to. One that cannot be read keeps nobody here.
    async fn calls_off(&self, journey: &str) -> bool {
        match self.turn(journey, &Ends::Nothing, |turn| turn.person_forgotten()).await {
            Ok(told) => told == Settled::Done,
            Err(error) => {
                tracing::warn!(journey, %error, "a journey is forgotten that could call nothing off");
                false
            }
        }
    }

    /// The journey goes as soon as it has no work left.
    pub async fn forget_later(&self, journey: &str) -> Result<(), RuntimeError> {
        Ok(self.store().kv_put(LATER, journey, self.now_ms().into()).await?)
    }

    /// What a person's browsers began without a number: with their sessions nobody reaches it any more.
    async fn begun_unknown(&self, person: &str) -> Result<Vec<String>, RuntimeError> {
        let owners: Vec<String> =
            self.store().sessions_of(person, SESSIONS).await?.into_iter().map(|session| session.id).collect();
        if owners.is_empty() {
            return Ok(Vec::new());
        }
        let heads = self.store().journeys_of(JourneyFilter { owners, limit: ALL, ..JourneyFilter::default() }).await?;
        let mut unknown = Vec::new();
        for some in heads.chunks(SOME) {
            let ids: Vec<String> = some.iter().map(|head| head.id.clone()).collect();
            let journeys = self.store().journeys(&ids).await?;
            unknown.extend(journeys.into_iter().filter(|one| one.person.is_none()).map(|one| one.id));
        }
        Ok(unknown)
    }

    /// What is forgotten already is passed over; how many were not.
    async fn forget(&self, forgotten: &Forgotten) -> Result<usize, RuntimeError> {
        let mut count = 0;
        for (id, at_ms) in &forgotten.persons {
            if self.store().person(id).await?.is_some_and(|person| person.created_at_ms < *at_ms) {
                // What was agreed to ends with it; that it was given stays on record as long as the law says.
                let consents = self.consents_of(id).await?;
                if let Err(refusal) = self.end_consents(&consents, &Actor::system()).await {
                    tracing::warn!(?refusal, "a consent of who was forgotten has not ended");
                }
            }
        }
        for some in forgotten.journeys.chunks(SOME) {
            let gone = self.vault().forget(some, self.now_ms()).await?;
            if let Err(error) = self.drop_files(&gone).await {
                // Their key is gone: nobody opens them.
                tracing::warn!(%error, "files of who was forgotten stay behind");
            }
            count += gone.len();
            some.iter().for_each(|journey| drop(self.recent.take(journey)));
        }
        for (id, at_ms) in &forgotten.persons {
            // Who has begun anew since then is known again.
            let Some(person) = self.store().person(id).await?.filter(|person| person.created_at_ms < *at_ms) else {
                continue;
            };
            self.end_sessions_of(id).await?;
            self.forget_left(id).await?;
            let kept = self.vault().all_records_of(id, &[], ALL).await?;
            if kept.iter().any(|record| record.kept == Kept::OnAccount) {
                let (profile, keys) = (json!({}), String::new());
                let created_at_ms = *at_ms;
                self.store().save_person(PersonRecord { profile, keys, created_at_ms, ..person }).await?;
            } else {
                self.store().remove_person(id).await?;
            }
            count += 1;
        }
        Ok(count)
    }

    async fn end_sessions_of(&self, person: &str) -> Result<(), RuntimeError> {
        loop {
            let sessions = self.store().sessions_of(person, SESSIONS).await?;
            if sessions.is_empty() {
                return Ok(());
            }
            for SessionRecord { token_hash, .. } in sessions {
                self.sessions.forget(&token_hash);
                self.store().end_session(&token_hash).await?;
            }
        }
    }

    /// The list in the database and the one in the file become one, and what a backup has brought back is forgotten
    /// again: how many persons and journeys. Refused when the file cannot be read or written.
    pub async fn remember_forgotten(&self) -> Result<usize, RuntimeError> {
        let file = &self.settings.keys.forgotten;
        let cannot = |error: std::io::Error| RuntimeError::Forgotten {
            list: file.display().to_string(),
            reason: error.to_string(),
        };
        let outside = lines(file).map_err(cannot)?;
        let mut inside = BTreeSet::new();
        for (_, day) in self.store().kv_list(LIST, u32::MAX).await? {
            inside.extend(day.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        }
        let new: Vec<String> = inside.difference(&outside).cloned().collect();
        if !new.is_empty() {
            append(file, &new).map_err(cannot)?;
        }
        let lost: Vec<String> = outside.difference(&inside).cloned().collect();
        if !lost.is_empty() {
            self.keep_day(&lost).await?;
        }
        let again = self.forget(&Forgotten::of(outside.into_iter().chain(new))).await?;
        if again > 0 {
            tracing::warn!(again, "who was forgotten was there again, as after a restore, and is forgotten again");
        }
        self.forget_what_has_spoken().await?;
        Ok(again)
    }

    /// Journeys that had something to say, and have said it.
    async fn forget_what_has_spoken(&self) -> Result<(), RuntimeError> {
        for (journey, _) in self.store().kv_list(LATER, SOME as u32).await? {
            let open = async |state: EffectState| {
                let (journey, limit) = (Some(journey.clone()), 1);
                let filter = EffectFilter { journey, state: Some(state), limit, ..EffectFilter::default() };
                Ok::<bool, RuntimeError>(!self.store().effects(filter).await?.is_empty())
            };
            if open(EffectState::Pending).await? || open(EffectState::Running).await? {
                continue;
            }
            let forgotten = Forgotten { persons: Vec::new(), journeys: vec![journey.clone()] };
            self.list(&forgotten).await?;
            self.forget(&forgotten).await?;
            self.store().kv_delete(LATER, &journey).await?;
        }
        Ok(())
    }

    async fn list(&self, forgotten: &Forgotten) -> Result<(), RuntimeError> {
        let (file, lines) = (&self.settings.keys.forgotten, forgotten.lines());
        append(file, &lines)
            .map_err(|error| RuntimeError::Forgotten { list: file.display().to_string(), reason: error.to_string() })?;
        self.keep_day(&lines).await
    }

    async fn keep_day(&self, lines: &[String]) -> Result<(), RuntimeError> {
        let day = format!("{:08}", self.now_ms().div_euclid(DAY_MS));
        loop {
            let before = self.store().kv_get(LIST, &day).await?;
            let mut all: Vec<Value> = before.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
            all.extend(lines.iter().map(|line| Value::from(line.as_str())));
            if self.store().kv_swap(LIST, &day, before, Value::Array(all)).await? {
                return Ok(());
            }
        }
    }
}

/// What the list outside of the database has; none while there is no file.
fn lines(list: &Path) -> std::io::Result<BTreeSet<String>> {
    match std::fs::read_to_string(list) {
        Ok(text) => Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}

fn append(list: &Path, lines: &[String]) -> std::io::Result<()> {
    if let Some(folder) = list.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list)?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.sync_all()
}

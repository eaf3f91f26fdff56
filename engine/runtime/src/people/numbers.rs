//! Whose a number is (`engine/decisions/014-one-person-per-mobile-number.md`): who has it opens what belongs to it,
//! unless nobody has signed in with it for so long that it may be another's by now; a person may take another number.
//! An e-mail address is confirmed likewise: `profile.email_verified` is the one that was.

use super::account::MOBILE;
use super::sessions::{DRAW, token_hash};
use super::{Account, People};
use crate::actor::{Actor, SHOWN};
use crate::core::{Core, Deed, RuntimeError, read};
use crate::journeys::LIST_MAX;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::AccountParts;
use engine_store::{JourneyFilter, JourneyRecord, PersonRecord};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Wrong answers of a day.
const TRIES: i64 = 5;
const DAY_MS: i64 = 86_400_000;
/// How long somebody who named what no phone tells need not show their number.
const SHOWN_MS: i64 = 10 * 60_000;
/// Most journeys of a person that are read to see whether there is anything to keep from others.
const JOURNEYS_MAX: u32 = 100;
const SESSIONS_MAX: u32 = 100;
/// Journeys that wait for the owner of one number.
const WAITING_MAX: u32 = 1_000;
/// Before the hash of a number: the journeys in which it was proved while its account was closed.
const WAITING: &str = "waits-for-owner";
/// Bucket of numbers that persons have left for another one: `{at_ms, numbers: [hash]}` by person.
const LEFT: &str = "numbers-left";

/// Person of a journey that is nobody's until its number is proved.
const NOBODY: &str = "00000000000000000000000000000000";

impl People {
    /// What an answer is compared with, of the account that this visitor asks for; `None`: the visitor asks for none.
    pub async fn claimed_account(&self, actor: &Actor, parts: &AccountParts) -> Result<Option<Account>, Refusal> {
        match &actor.claims {
            Some(person) => self.account(&actor.signed_in_as(person), parts).await,
            None => Ok(None),
        }
    }

    /// Before an answer is compared; refused after so many of one day.
    pub async fn try_claim(&self, actor: &Actor) -> Result<(), Refusal> {
        let person = actor.claims.as_deref().or(actor.person()).ok_or(Refusal::NotFound)?;
        let now = self.core.now_ms();
        let day = now.div_euclid(DAY_MS);
        for try_of_day in 0..TRIES {
            let hash = self.core.keys.short_hash("claim", &format!("{person} {day} {try_of_day}"));
            if self.core.store().first_use(&hash, now).await? {
                return Ok(());
            }
        }
        Err(Refusal::Limited { retry_after_ms: (day + 1) * DAY_MS - now })
    }

    /// Notes a right answer: this session, under a new token, has shown more of its person than their phone tells.
    /// `None`: the session is over.
    pub async fn show(&self, token: &str) -> Result<Option<(String, Actor)>, Refusal> {
        let until_ms = self.core.now_ms() + SHOWN_MS;
        self.renew_session(token, |session| session.subject[SHOWN] = json!(until_ms)).await
    }

    /// The answer was right: the account is open again. As whom the session is to be signed in.
    pub async fn claim(&self, actor: &Actor) -> Result<String, Refusal> {
        let (person, known) = self.asked_for(actor).await?;
        self.core.note_deed(actor, Deed::AccountOpened, &person).await?;
        let mobile = known.mobile.clone();
        self.core.store().save_person(PersonRecord { seen_at_ms: self.core.now_ms(), ..known }).await?;
        self.core.adopt_waiting(&mobile, &person).await?;
        Ok(person)
    }

    /// The number is another's now: what belonged to it stays closed, without a number, and the visitor is a new
    /// person.
    pub async fn begin_anew(&self, actor: &Actor) -> Result<String, Refusal> {
        let (person, known) = self.asked_for(actor).await?;
        self.core.note_deed(actor, Deed::NumberLeft, &person).await?;
        self.core.store().renumber(&person, &person).await?;
        let anew = self.core.person_with(known.mobile.clone()).await?.id;
        self.core.adopt_waiting(&known.mobile, &anew).await?;
        Ok(anew)
    }

    /// Takes an e-mail address as this person's, who has shown that they read what goes there. `None`: the session is
    /// over.
    pub async fn take_email(&self, token: &str, person: &str, email: &str) -> Result<Option<(String, Actor)>, Refusal> {
        let Some(actor) = self.session(token).await?.filter(|actor| actor.person() == Some(person)) else {
            return Ok(None);
        };
        self.core.note_deed(&actor, Deed::EmailConfirmed, person).await?;
        self.keep_profile(&actor, json!({"email": email, "email_verified": email})).await?;
        self.renew_session(token, |_| {}).await
    }

    /// The number that a message of a journey goes to in place of one that its person has left; `None`: as it stands.
    pub async fn present_number(&self, journey: &str, to: &str) -> Result<Option<String>, RuntimeError> {
        let Some(record) = self.core.store().journey(journey).await? else { return Ok(None) };
        let Some(left) = self.core.left_in(&record).await? else { return Ok(None) };
        let hash = self.core.mobile_hash(to);
        let is_left = left["numbers"].as_array().into_iter().flatten().any(|number| *number == hash);
        let Some(person) = record.person.filter(|_| is_left) else { return Ok(None) };
        let known = self.core.store().person(&person).await?;
        Ok(known.and_then(|known| known.profile[MOBILE].as_str().map(str::to_owned)))
    }

    async fn asked_for(&self, actor: &Actor) -> Result<(String, PersonRecord), Refusal> {
        let person = actor.claims.clone().ok_or(Refusal::NotFound)?;
        let known = self.core.store().person(&person).await?.ok_or(Refusal::NotFound)?;
        Ok((person, known))
    }

    /// Takes another number as this person's, who has shown that it is theirs, and ends their other sessions. `None`:
    /// the session is over, or the number another's by now.
    pub async fn take_number(
        &self,
        token: &str,
        person: &str,
        mobile: &str,
    ) -> Result<Option<(String, Actor)>, Refusal> {
        let Some(actor) = self.session(token).await?.filter(|actor| actor.person() == Some(person)) else {
            return Ok(None);
        };
        self.core.note_deed(&actor, Deed::NumberChanged, person).await?;
        let store = self.core.store();
        if let Some(other) = self.core.known_person(mobile).await?.filter(|other| other.id != person) {
            if !self.core.gives_way(&other).await? {
                return Ok(None);
            }
            store.renumber(&other.id, &other.id).await?;
        }
        let before = store.person(person).await?.map(|known| known.mobile);
        if !self.core.renumber(person, mobile).await? {
            return Ok(None);
        }
        self.core.note_left(person, before.as_deref(), &self.core.mobile_hash(mobile)).await?;
        self.core.end_sessions(person, &token_hash(token)).await?;
        self.renew_session(token, |_| {}).await
    }
}

impl Core {
    /// Notes a journey in which a number was proved whose account is closed: it is theirs who opens the account, or
    /// begins anew with the number.
    pub async fn wait_for_owner(&self, mobile: &str, journey: &str) -> Result<(), RuntimeError> {
        Ok(self.store().kv_put(&format!("{WAITING} {mobile}"), journey, self.now_ms().into()).await?)
    }

    /// The journeys that wait for whose number this is are this person's, unless they are somebody's by now.
    async fn adopt_waiting(&self, mobile: &str, person: &str) -> Result<(), RuntimeError> {
        let bucket = format!("{WAITING} {mobile}");
        for (journey, _) in self.store().kv_list(&bucket, WAITING_MAX).await? {
            self.note(&journey, |turn| {
                if turn.record.person.is_none() && turn.state.proved.contains(mobile) {
                    turn.record.person = Some(person.to_owned());
                }
                Ok(())
            })
            .await?;
            self.store().kv_delete(&bucket, &journey).await?;
        }
        Ok(())
    }

    /// Requests that a session began for another number than that of who signs in, and in which nobody proved one, are
    /// not theirs: a browser may be shared. They are whose the number is, once it is proved in them or signs in here.
    pub async fn leave_unproved(&self, session: &str, mobile: &str) -> Result<(), RuntimeError> {
        for head in self.store().journeys_of(JourneyFilter::of(session, LIST_MAX)).await? {
            let is_unproved = |record: &JourneyRecord| record.person.as_deref().is_none_or(|person| person == NOBODY);
            let Some(record) = self.store().journey(&head.id).await?.filter(is_unproved) else { continue };
            let (workflow, catalog, before) = (self.workflow_of(&record).await?, self.catalog(), record.person.clone());
            let typed = Turn::on(&workflow, &catalog, read(record)?, self.now_ms()).typed_numbers();
            let is_theirs = typed.is_empty() || typed.iter().any(|number| self.mobile_hash(number) == mobile);
            let person = (!is_theirs).then(|| NOBODY.to_owned());
            if person == before {
                continue;
            }
            self.note(&head.id, |turn| {
                if is_unproved(&turn.record) {
                    turn.record.person = person.clone();
                }
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// A person has another number: what is sent to the former one from now on goes to theirs, and links that were sent
    /// before open nothing.
    async fn note_left(&self, person: &str, before: Option<&str>, now: &str) -> Result<(), RuntimeError> {
        let known = self.store().kv_get(LEFT, person).await?.unwrap_or_default();
        let mut numbers: BTreeSet<&str> =
            known["numbers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        numbers.extend(before);
        numbers.remove(now);
        let left = json!({"at_ms": self.now_ms(), "numbers": numbers});
        Ok(self.store().kv_put(LEFT, person, left).await?)
    }

    /// What was noted of numbers that a journey's person has left; `None`: nothing, or the journey itself is about the
    /// change of a number.
    async fn left_in(&self, journey: &JourneyRecord) -> Result<Option<Value>, RuntimeError> {
        let Some(person) = &journey.person else { return Ok(None) };
        let Some(left) = self.store().kv_get(LEFT, person).await? else { return Ok(None) };
        let catalog = self.catalog();
        let changes = catalog.workflow(&journey.workflow).is_some_and(|workflow| workflow.signs_in.is_some());
        Ok(Some(left).filter(|_| !changes))
    }

    /// Whether a link of this time was sent before the journey's person took another number.
    pub async fn was_left(&self, journey: &JourneyRecord, made_ms: i64) -> Result<bool, RuntimeError> {
        let left = self.left_in(journey).await?;
        Ok(left.and_then(|left| left["at_ms"].as_i64()).is_some_and(|at_ms| made_ms <= at_ms))
    }

    pub async fn forget_left(&self, person: &str) -> Result<(), RuntimeError> {
        Ok(self.store().kv_delete(LEFT, person).await?)
    }

    /// Whether nobody has signed in with the person's number for so long that it may be another's by now, and there is
    /// something that others must not see.
    pub async fn is_closed(&self, person: &PersonRecord) -> Result<bool, Refusal> {
        Ok(self.is_old(person) && self.has_anything(person).await?)
    }

    /// Whether a person's number may become another's who has shown it.
    pub async fn gives_way(&self, person: &PersonRecord) -> Result<bool, Refusal> {
        Ok(self.is_old(person) || !self.has_anything(person).await?)
    }

    async fn renumber(&self, person: &str, mobile: &str) -> Result<bool, Refusal> {
        let is_free = self.store().renumber(person, &self.mobile_hash(mobile)).await?;
        if let Some(known) = self.store().person(person).await?.filter(|_| is_free) {
            self.keep_in_profile(known, MOBILE, mobile).await?;
        }
        Ok(is_free)
    }

    /// Gives a person the number back that they had before they took another; they sign in anew everywhere. False: they
    /// have a third one by now, or the number is another's.
    pub async fn give_back(&self, actor: &Actor, taken: (&str, &str), mobile: &str) -> Result<bool, Refusal> {
        let (person, taken) = taken;
        let known = self.store().person(person).await?;
        if known.is_none_or(|known| known.mobile != taken) {
            return Ok(false);
        }
        self.note_deed(actor, Deed::NumberRestored, person).await?;
        let is_back = self.renumber(person, mobile).await?;
        if is_back {
            self.note_left(person, Some(taken), &self.mobile_hash(mobile)).await?;
            self.end_sessions(person, "").await?;
        }
        Ok(is_back)
    }

    /// Every session of a person but this one, by the hash of its token.
    async fn end_sessions(&self, person: &str, but: &str) -> Result<(), Refusal> {
        loop {
            let all = self.store().sessions_of(person, SESSIONS_MAX).await?;
            let others: Vec<_> = all.into_iter().filter(|session| session.token_hash != but).collect();
            if others.is_empty() {
                return Ok(());
            }
            for session in others {
                self.store().end_session(&session.token_hash).await?;
            }
        }
    }

    fn is_old(&self, person: &PersonRecord) -> bool {
        self.now_ms() - person.seen_at_ms >= self.settings.session.trust_ms
    }

    async fn has_anything(&self, person: &PersonRecord) -> Result<bool, Refusal> {
        if person
            .profile
            .as_object()
            .is_some_and(|known| known.keys().any(|name| ![DRAW, MOBILE].contains(&name.as_str())))
        {
            return Ok(true);
        }
        let catalog = self.catalog();
        let signs_in = |id: &str| catalog.workflow(id).is_some_and(|workflow| workflow.signs_in.is_some());
        let heads = self.store().journeys_of(JourneyFilter::of(&person.id, JOURNEYS_MAX)).await?;
        Ok(heads.len() == JOURNEYS_MAX as usize || heads.iter().any(|head| !signs_in(&head.workflow)))
    }
}

//! What a person agreed to: messages rest on it, and the person ends it where and when they like.

use super::People;
use crate::actor::Actor;
use crate::clock::rfc3339;
use crate::core::{Core, Deed, RuntimeError};
use crate::fact::Fact;
use crate::refusal::Refusal;
use crate::state::JourneyState;
use engine_definitions::CONSENT;
use engine_store::{Committed, Record};
use serde_json::Value;

/// Records of one person that are looked through.
const RECORDS_MAX: u32 = 100_000;

impl People {
    /// Whether messages of this purpose may go from a journey to this number or address now: agreed to in the journey,
    /// and not ended since then by the person whose journey or number it is.
    pub async fn consents(&self, journey: &str, purpose: &str, to: &str) -> Result<bool, RuntimeError> {
        let store = self.core.store();
        let Some(record) = store.journey(journey).await? else { return Ok(false) };
        let state: JourneyState = serde_json::from_str(&record.state)
            .map_err(|e| RuntimeError::State { journey: journey.into(), reason: e.to_string() })?;
        if !state.consents.get(purpose).copied().unwrap_or(false) {
            return Ok(false);
        }
        let hers = match record.person {
            Some(person) => Some(person),
            None => store.known_person(&self.core.mobile_hash(to)).await?.map(|person| person.id),
        };
        let Some(person) = hers else { return Ok(true) };
        let here = store.records(journey).await?;
        let given_ms = here.iter().filter(|one| is_about(one, purpose)).map(|one| one.at_ms).max().unwrap_or(0);
        let all = self.core.consents_of(&person).await?;
        Ok(!all.iter().any(|one| is_about(one, purpose) && !is_given(one) && one.at_ms > given_ms))
    }

    /// Ends what the person who is signed in agreed to, in all of their journeys; `NotFound`: they never agreed.
    pub async fn withdraw(&self, actor: &Actor, purpose: &str) -> Result<(), Refusal> {
        let person = self.hers(actor).ok_or(Refusal::NotFound)?;
        let mut all = self.core.consents_of(person).await?;
        all.retain(|one| is_about(one, purpose));
        if all.is_empty() {
            return Err(Refusal::NotFound);
        }
        self.core.note_deed(actor, Deed::ConsentWithdrawn, purpose).await?;
        self.core.end_consents(&all, actor).await
    }

    /// Gives again what the person who is signed in took back, in all of their journeys, in the words that were taken
    /// back last; `NotFound`: nothing was.
    pub async fn agree_again(&self, actor: &Actor, purpose: &str) -> Result<(), Refusal> {
        let person = self.hers(actor).ok_or(Refusal::NotFound)?;
        let mut ended = self.core.consents_of(person).await?;
        ended.retain(|one| is_about(one, purpose) && !is_given(one));
        let last = ended.iter().max_by_key(|one| one.at_ms).ok_or(Refusal::NotFound)?;
        let fact = Fact::AgreedAgain { purpose: purpose.to_owned(), text: text_of(last) };
        self.core.note_deed(actor, Deed::ConsentGivenAgain, purpose).await?;
        for one in &ended {
            self.core.note_consent(one, &fact, actor).await?;
        }
        Ok(())
    }
}

impl Core {
    pub(crate) async fn consents_of(&self, person: &str) -> Result<Vec<Record>, RuntimeError> {
        Ok(self.vault().all_records_of(person, &[CONSENT.to_owned()], RECORDS_MAX).await?)
    }

    /// Ends those that are given.
    pub(crate) async fn end_consents(&self, consents: &[Record], actor: &Actor) -> Result<(), Refusal> {
        for given in consents.iter().filter(|one| is_given(one)) {
            let fact =
                Fact::Withdrew { purpose: given.key.clone(), text: text_of(given), given_at: rfc3339(given.at_ms) };
            self.note_consent(given, &fact, actor).await?;
        }
        Ok(())
    }

    /// Notes in the journey of a consent what becomes of it.
    async fn note_consent(&self, consent: &Record, fact: &Fact, actor: &Actor) -> Result<(), Refusal> {
        let noted = self.note(&consent.journey, |turn| turn.apply(fact.clone(), actor).map(drop));
        match noted.await? {
            // One that is no more sends nothing.
            Some(Committed::Done { .. }) | None => Ok(()),
            Some(Committed::Superseded | Committed::KeyUsed(_) | Committed::Moved) => Err(Refusal::Busy),
        }
    }
}

/// The words of a consent.
fn text_of(record: &Record) -> String {
    record.data["text"].as_str().unwrap_or_default().to_owned()
}

fn is_about(record: &Record, purpose: &str) -> bool {
    record.kind == CONSENT && record.key == purpose
}

fn is_given(record: &Record) -> bool {
    record.data["given"] == Value::Bool(true)
}

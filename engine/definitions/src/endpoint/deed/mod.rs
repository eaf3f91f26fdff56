//! What an endpoint does when it is called: one thing, whatever it takes and answers.

mod event;
mod flow;
mod journey;
mod partner;
mod person;
mod rows;

pub use event::{Data, Event, Field};
pub use journey::{By, JourneyDeed, Starts, Which};
pub use partner::PartnerCall;
pub use person::{PersonDeed, Proves, TakesOver};
pub use rows::List;

use super::{NAMES, Who, words};
use crate::fields::MapReader;
use crate::records::Records;
use engine_statechart::Problem;
use engine_statechart::expression::Expression;

#[derive(Debug)]
pub enum Deed {
    /// Nothing: the answer is made of what came and of the definitions.
    Tells,
    /// Rows of reference data are looked up: `list` and `more`.
    Lists(List),
    /// Records of the person who is signed in are read: `records`.
    Records(Records),
    /// A partner is asked while the caller waits: `call`.
    AsksPartner(PartnerCall),
    /// A journey of the caller's is begun or found, and moved: `journey`.
    Journey(Box<JourneyDeed>),
    /// Something is done for the person or the session behind the call.
    Person(PersonDeed),
}

impl Deed {
    /// Keys that say what is done: one of them, or none.
    pub(super) fn keys() -> impl Iterator<Item = &'static str> + Clone {
        ["list", "records", "call", "journey", "start"].into_iter().chain(PersonDeed::KEYS)
    }

    pub(super) const BESIDE_JOURNEY: [&str; 5] = journey::BESIDE;

    pub(super) fn read(fields: &mut MapReader<'_, '_>, who: Who) -> Deed {
        let mut keys = Deed::keys().filter(|key| fields.get(key).is_some());
        let (key, other) = (keys.next(), keys.next());
        if let (Some(key), Some(other)) = (key, other) {
            let at = fields.node.key(other).map_or(&fields.node.span, |key| &key.span);
            let message = format!("an endpoint does one thing: `{key}` or `{other}`, not both");
            fields.problems.push(Problem::error("value", at, message));
        }
        let is_of_journey = matches!(key, Some("journey" | "start"));
        let beside = Deed::BESIDE_JOURNEY.into_iter().find(|key| fields.get(key).is_some());
        if let Some(beside) = beside.filter(|_| !is_of_journey) {
            let at = fields.node.key(beside).map_or(&fields.node.span, |key| &key.span);
            let problem = Problem::error("missing", at, format!("`{beside}` is about a journey"));
            fields.problems.push(problem.hint("journey: {id: body.lead_id, workflow: …}, or start: {workflow: …}"));
        }
        let proves = matches!(key, Some("proves" | "renounces"));
        if who == Who::Claimant && !proves {
            fields.problems.push(Problem::error("value", &fields.node.span, person::OF_CLAIMANT));
        }
        let of_person = || PersonDeed::OF_PERSON.into_iter().chain(["records"]);
        if who != Who::Person && key.is_some_and(|key| of_person().any(|one| one == key)) {
            let named = of_person().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            fields.problems.push(Problem::error("value", &fields.node.span, format!("of `who: person` are {named}")));
        }
        let deed = match key {
            None => None,
            Some("list") => fields.get("list").and_then(|list| List::read(list, fields.problems)).map(Deed::Lists),
            Some("records") => {
                let records = fields.get("records");
                let read = records.and_then(|node| Records::read(node, words(), &NAMES, fields.problems));
                read.map(Deed::Records)
            }
            Some("call") => {
                let call = fields.get("call").and_then(|call| PartnerCall::read(call, fields.problems));
                call.map(Deed::AsksPartner)
            }
            Some("journey" | "start") => JourneyDeed::read(fields).map(|deed| Deed::Journey(Box::new(deed))),
            Some(key) => PersonDeed::read(key, fields, who).map(Deed::Person),
        };
        deed.unwrap_or(Deed::Tells)
    }

    /// What is done with a journey, if that is what is done.
    pub fn journey(&self) -> Option<&JourneyDeed> {
        match self {
            Deed::Journey(deed) => Some(deed),
            _ => None,
        }
    }

    /// Name of the file that the answer is.
    pub fn file(&self) -> Option<&str> {
        match self {
            Deed::Person(PersonDeed::Exports(name)) => Some(name),
            _ => None,
        }
    }

    pub fn checks_agents(&self) -> bool {
        matches!(self, Deed::Person(PersonDeed::ChecksAgent(_)))
    }

    pub(super) fn may_be_missing(&self) -> bool {
        match self {
            Deed::Journey(deed) => deed.may_be_missing(),
            Deed::Person(deed) => deed.may_be_missing(),
            Deed::Tells | Deed::Lists(_) | Deed::Records(_) | Deed::AsksPartner(_) => false,
        }
    }

    pub(super) fn expressions(&self) -> Vec<&Expression> {
        match self {
            Deed::Tells | Deed::Records(_) => Vec::new(),
            Deed::Lists(list) => list.expressions().collect(),
            Deed::AsksPartner(call) => vec![call.expression()],
            Deed::Journey(deed) => deed.expressions().collect(),
            Deed::Person(deed) => deed.expressions().collect(),
        }
    }
}

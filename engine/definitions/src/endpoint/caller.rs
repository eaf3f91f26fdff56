//! Who may call.

use crate::fields::MapReader;
use crate::policy::{FLOOR, Roles};
use engine_statechart::Problem;

#[derive(Debug)]
pub struct Caller {
    pub who: Who,
    /// Who alone of those may call: for everybody else nothing is there.
    pub roles: Roles,
    /// Whether a call names its program in `X-Api-Key`, one of `clients` of the site.
    pub names_client: bool,
    /// Whether a call comes with a proof of work.
    pub needs_proof: bool,
}

impl Caller {
    pub(super) const KEYS: [&str; 4] = ["who", "roles", "client", "proof"];
    /// What an endpoint may do only where it says for whom.
    const ASKS_WHO: [&str; 4] = ["call", "journey", "start", "send"];

    pub(super) fn read(fields: &mut MapReader<'_, '_>) -> Caller {
        let mut who = Who::read(fields, &[Who::Anyone, Who::Session, Who::Person, Who::Claimant]);
        let asks_who = Caller::ASKS_WHO.into_iter().find(|key| fields.get(key).is_some());
        if let (Some(key), None) = (asks_who, fields.get("who")) {
            let at = fields.node.key(key).map_or(&fields.node.span, |key| &key.span);
            let problem = Problem::error(FLOOR, at, format!("who may call is said where an endpoint has `{key}`"));
            fields.problems.push(problem.hint("who: session, who: person, or who: anyone where everybody may"));
            // A word that is left out opens nothing, whatever became of the check.
            who = Who::Person;
        }
        let roles = Roles::read(fields.node, fields.problems);
        if let Some(at) = roles.at().next().filter(|_| who == Who::Anyone || fields.get("cache").is_some()) {
            let message = "`roles` are of `who: session` or `who: person`, and of what no cache keeps";
            fields.problems.push(Problem::error("value", &at.span, message));
        }
        Caller { who, roles, names_client: fields.bool("client"), needs_proof: fields.bool("proof") }
    }

    /// Whether there are people who may not call.
    pub(super) fn is_guarded(&self) -> bool {
        self.who != Who::Anyone || !self.roles.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Who {
    #[default]
    Anyone,
    /// Whoever has a session; others get 404, as for what is not theirs.
    Session,
    /// Who is signed in; `account` is what is theirs.
    Person,
    /// Who has shown a number whose account is closed; only `proves` knows `account`, which is what it is to open.
    Claimant,
}

impl Who {
    const fn word(self) -> &'static str {
        match self {
            Who::Anyone => "anyone",
            Who::Session => "session",
            Who::Person => "person",
            Who::Claimant => "claimant",
        }
    }

    pub(crate) fn read(fields: &mut MapReader<'_, '_>, known: &[Who]) -> Who {
        let words: Vec<&'static str> = known.iter().map(|who| who.word()).collect();
        let word = fields.word("who", &words);
        known.iter().copied().find(|who| Some(who.word()) == word).unwrap_or_default()
    }
}

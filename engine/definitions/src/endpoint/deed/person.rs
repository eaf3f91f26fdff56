//! Something is done for the person or the session behind a call.

use crate::endpoint::{NAMES, Who, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

#[derive(Debug)]
pub enum PersonDeed {
    /// Is kept of the person who is signed in, beside what is known already: a map.
    KeepsProfile(Expression),
    /// The purpose that the person no longer agrees to: a text.
    Withdraws(Expression),
    /// The purpose that the person agrees to once more, having withdrawn it: a text.
    AgreesAgain(Expression),
    /// The journey of the person that nobody else sees from now on: its id.
    Dismisses(Expression),
    /// The answer is a file of this name, with all that is kept of the person: `export`.
    Exports(String),
    /// The caller shows that the account is the caller's own.
    Proves(Proves),
    /// The caller leaves the account closed, and is a new person.
    Renounces,
    /// Sessions of the person end: a list of what `account.sessions` calls them.
    EndsSessions(Expression),
    /// The service token that the caller's session holds from now on.
    HoldsToken(Expression),
    /// The caller helps a customer from now on.
    TakesOver(TakesOver),
    /// The caller's session ends.
    SignsOut,
    /// The check of agents that a page needs is made: the page's address.
    ChecksAgent(Expression),
}

/// What shows that an account is the caller's, and what is said to who has not shown it.
#[derive(Debug)]
pub struct Proves {
    any: Vec<Expression>,
    or: String,
}

impl Proves {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Proves> {
        let mut fields = MapReader::open(node, "a proof", &["any", "or"], problems)?;
        fields.need("any");
        let any = fields.list("any");
        let any = any.iter().filter_map(|one| expression(one, words(), &NAMES, fields.problems)).collect();
        Some(Proves { any, or: fields.need_text("or") })
    }

    /// The words of its refusal; `None`: the caller has named what no phone tells.
    pub fn refusal(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&str>, EvalError> {
        let scope = scope(found).with_host(host);
        for one in &self.any {
            if one.eval(&scope)? == Value::Bool(true) {
                return Ok(None);
            }
        }
        Ok(Some(&self.or))
    }
}

/// The code of a customer whom the caller is to help, and what is said where it is nobody's.
#[derive(Debug)]
pub struct TakesOver {
    pub code: Expression,
    pub or: String,
}

impl TakesOver {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<TakesOver> {
        let mut fields = MapReader::open(node, "taking over", &["code", "or"], problems)?;
        let or = fields.need_text("or");
        let code = fields.need("code").and_then(|code| expression(code, words(), &NAMES, fields.problems))?;
        Some(TakesOver { code, or })
    }
}

impl PersonDeed {
    pub(super) const KEYS: [&str; 12] = [
        "profile",
        "withdraws",
        "agrees_again",
        "dismisses",
        "exports",
        "proves",
        "renounces",
        "ends",
        "holds",
        "takes_over",
        "signs_out",
        "checks",
    ];
    /// Keys that hold for somebody who is signed in alone.
    pub(super) const OF_PERSON: [&str; 6] = ["profile", "withdraws", "agrees_again", "dismisses", "exports", "ends"];

    /// Reads the one that `key` names; `None`: it cannot be read, or says no.
    pub(super) fn read(key: &str, fields: &mut MapReader<'_, '_>, who: Who) -> Option<PersonDeed> {
        let node = fields.get(key)?;
        let mut value = || expression(node, words(), &NAMES, fields.problems);
        Some(match key {
            "profile" => PersonDeed::KeepsProfile(mapping(node, words(), &NAMES, fields.problems)),
            "withdraws" => PersonDeed::Withdraws(value()?),
            "agrees_again" => PersonDeed::AgreesAgain(value()?),
            "dismisses" => PersonDeed::Dismisses(value()?),
            "exports" => PersonDeed::Exports(fields.text(key)?),
            "proves" => PersonDeed::Proves(Proves::read(node, fields.problems)?),
            "renounces" => fields.bool(key).then_some(PersonDeed::Renounces)?,
            "ends" => PersonDeed::EndsSessions(value()?),
            "holds" => PersonDeed::HoldsToken(value()?),
            "takes_over" => PersonDeed::TakesOver(TakesOver::read(node, fields.problems)?),
            "signs_out" => fields.bool(key).then_some(PersonDeed::SignsOut)?,
            _ => PersonDeed::ChecksAgent(value()?),
        })
        .inspect(|deed| deed.refuse_other_callers(who, fields))
    }

    fn refuse_other_callers(&self, who: Who, fields: &mut MapReader<'_, '_>) {
        let is_of_claimant = match self {
            PersonDeed::Renounces => true,
            PersonDeed::Proves(_) => who != Who::Person,
            _ => false,
        };
        if is_of_claimant && who != Who::Claimant {
            fields.problems.push(Problem::error("value", &fields.node.span, OF_CLAIMANT));
        }
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (one, any): (Option<&Expression>, &[Expression]) = match self {
            PersonDeed::KeepsProfile(of)
            | PersonDeed::Withdraws(of)
            | PersonDeed::AgreesAgain(of)
            | PersonDeed::Dismisses(of)
            | PersonDeed::EndsSessions(of)
            | PersonDeed::HoldsToken(of)
            | PersonDeed::ChecksAgent(of) => (Some(of), &[]),
            PersonDeed::TakesOver(TakesOver { code, .. }) => (Some(code), &[]),
            PersonDeed::Proves(proves) => (None, &proves.any),
            PersonDeed::Exports(_) | PersonDeed::Renounces | PersonDeed::SignsOut => (None, &[]),
        };
        one.into_iter().chain(any)
    }

    /// Whether the call names a session or a page that may not be there.
    pub(super) fn may_be_missing(&self) -> bool {
        matches!(self, PersonDeed::HoldsToken(_) | PersonDeed::ChecksAgent(_))
    }
}

/// What is said where the one who has a closed account does nothing about it.
pub(super) const OF_CLAIMANT: &str = "`who: claimant` has `proves` or `renounces`; `proves` is of `who: person` too";

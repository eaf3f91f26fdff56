//! What a call does for the person or the session behind it.

use super::{NAMES, Who, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

pub(super) const KEYS: [&str; 11] = [
    "profile",
    "withdraws",
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
const OF_PERSON: [&str; 5] = ["profile", "withdraws", "dismisses", "exports", "ends"];

#[derive(Debug, Default)]
pub struct Personal {
    /// What is kept of the person who is signed in, beside what is known already.
    profile: Option<Expression>,
    /// What the person no longer agrees to.
    withdraws: Option<Expression>,
    /// The journey of the person that nobody else sees from now on.
    dismisses: Option<Expression>,
    /// The answer is a file of this name, with all that is kept of the person: `export`.
    pub exports: Option<String>,
    /// Whether the caller has shown that the account is the caller's own.
    proves: Option<Proves>,
    /// The caller leaves the account closed, and is a new person.
    pub renounces: bool,
    /// Sessions of the person that end, by what `account.sessions` calls them.
    ends: Option<Expression>,
    /// The service token that the caller's session holds from now on.
    holds: Option<Expression>,
    /// The customer whom the caller helps from now on.
    takes_over: Option<TakesOver>,
    /// The caller's session ends.
    pub signs_out: bool,
    /// The page whose check of agents is made.
    checks: Option<Expression>,
}

/// What shows that an account is the caller's, and what is said to who has not shown it.
#[derive(Debug)]
struct Proves {
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
}

/// The code of a customer whom the caller is to help, and what is said where it is nobody's.
#[derive(Debug)]
struct TakesOver {
    code: Expression,
    or: String,
}

impl TakesOver {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<TakesOver> {
        let mut fields = MapReader::open(node, "taking over", &["code", "or"], problems)?;
        let or = fields.need_text("or");
        let code = fields.need("code").and_then(|code| expression(code, words(), &NAMES, fields.problems))?;
        Some(TakesOver { code, or })
    }
}

impl Personal {
    pub(super) fn read(fields: &mut MapReader<'_, '_>, who: Who) -> Personal {
        let profile = fields.get("profile").map(|profile| mapping(profile, words(), &NAMES, fields.problems));
        let mut read = |key: &str| fields.get(key).and_then(|of| expression(of, words(), &NAMES, fields.problems));
        let (withdraws, dismisses) = (read("withdraws"), read("dismisses"));
        let (ends, holds, checks) = (read("ends"), read("holds"), read("checks"));
        let exports = fields.text("exports");
        let proves = fields.get("proves").and_then(|proves| Proves::read(proves, fields.problems));
        let takes_over = fields.get("takes_over").and_then(|of| TakesOver::read(of, fields.problems));
        let (renounces, signs_out) = (fields.bool("renounces"), fields.bool("signs_out"));
        let of_claimant = renounces || proves.is_some() && who != Who::Person;
        if of_claimant != (who == Who::Claimant) {
            let message = "`who: claimant` has `proves` or `renounces`; `proves` is of `who: person` too";
            fields.problems.push(Problem::error("value", &fields.node.span, message));
        }
        let of_person = OF_PERSON.into_iter().chain(["records"]);
        if who != Who::Person && of_person.clone().any(|key| fields.get(key).is_some()) {
            let named = of_person.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            let message = format!("of `who: person` are {named}");
            fields.problems.push(Problem::error("value", &fields.node.span, message));
        }
        Personal {
            profile,
            withdraws,
            dismisses,
            exports,
            proves,
            renounces,
            ends,
            holds,
            takes_over,
            signs_out,
            checks,
        }
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let own = [&self.profile, &self.withdraws, &self.dismisses, &self.ends, &self.holds, &self.checks];
        own.into_iter().flatten().chain(self.proves.iter().flat_map(|proves| &proves.any))
    }

    pub(super) fn takes_over(&self) -> bool {
        self.takes_over.is_some()
    }

    /// Whether the call names a session or a page that may not be there.
    pub(super) fn names_session(&self) -> bool {
        self.holds.is_some() || self.checks.is_some()
    }

    /// What is to be kept of the person.
    pub fn profile(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<Value>, EvalError> {
        self.profile.as_ref().map(|profile| profile.eval(&scope(found).with_host(host))).transpose()
    }

    /// The purpose that the person no longer agrees to, if this is about one.
    pub fn withdrawn(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        text(self.withdraws.as_ref(), found, host)
    }

    /// The journey that nobody but its person sees from now on, if this is about one.
    pub fn journey_to_dismiss(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        text(self.dismisses.as_ref(), found, host)
    }

    /// Whether the caller names what no phone tells.
    pub fn proves(&self) -> bool {
        self.proves.is_some()
    }

    /// What is wrong with the caller's proof: its words, or nothing. `None`: none is asked for.
    pub fn proof(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<Option<&str>>, EvalError> {
        let Some(proves) = &self.proves else { return Ok(None) };
        let scope = scope(found).with_host(host);
        for one in &proves.any {
            if one.eval(&scope)? == Value::Bool(true) {
                return Ok(Some(None));
            }
        }
        Ok(Some(Some(&proves.or)))
    }

    /// The service token that the caller's session is to hold, if this is about one.
    pub fn session_token(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        text(self.holds.as_ref(), found, host)
    }

    /// The code of the customer whom the caller is to help, and what is said where it is nobody's; `None`: this is not
    /// about one.
    pub fn taken_over(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<(String, &str)>, EvalError> {
        let Some(TakesOver { code, or }) = &self.takes_over else { return Ok(None) };
        Ok(text(Some(code), found, host)?.map(|code| (code, or.as_str())))
    }

    /// The sessions that end, if this is about any.
    pub fn sessions_to_end(
        &self,
        found: &Map<String, Value>,
        host: &dyn Host,
    ) -> Result<Option<Vec<String>>, EvalError> {
        let Some(ends) = &self.ends else { return Ok(None) };
        let ids = ends.eval(&scope(found).with_host(host))?;
        let texts = ids.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Some(texts.map(str::to_owned).collect()))
    }

    pub fn checks_agents(&self) -> bool {
        self.checks.is_some()
    }

    /// The address of the page whose check of agents is made.
    pub fn page_to_check(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(checks) = &self.checks else { return Ok(None) };
        Ok(checks.eval(&scope(found).with_host(host))?.as_str().map(str::to_owned))
    }
}

fn text(of: Option<&Expression>, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
    let Some(of) = of else { return Ok(None) };
    Ok(Some(of.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned()))
}

//! What an endpoint answers: the reply with its status and envelope, and refusals.

use super::{NAMES, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Envelope in which replies and refusals of a line come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Envelope {
    /// The reply as it stands; refusals are problem details.
    #[default]
    None,
    /// Envelope `{data}` and `{errors}`.
    Data,
    /// `{statusCode, status: T, data}` and `{statusCode, status: F, errors}`
    Status,
    /// `{data: {meta: {statusCode, displayMessage}, data}}`
    Meta,
}

impl Envelope {
    const ALL: [(&'static str, Envelope); 3] =
        [("data", Envelope::Data), ("status", Envelope::Status), ("meta", Envelope::Meta)];

    pub(super) fn read(fields: &mut MapReader<'_, '_>) -> Envelope {
        let word = fields.word("envelope", &Envelope::ALL.map(|(word, _)| word));
        Envelope::ALL.into_iter().find(|(known, _)| Some(*known) == word).map(|(_, kind)| kind).unwrap_or_default()
    }
}

const GOOD: [i64; 3] = [200, 201, 202];
const BAD: [i64; 6] = [403, 404, 409, 410, 422, 429];
/// What asks too soon is told to wait no longer than this.
const RETRY_MAX_S: i64 = 3_600;

/// What is answered to a call that was not refused.
#[derive(Debug)]
pub struct Answer {
    pub envelope: Envelope,
    status: Option<Expression>,
    retry_after: Option<Expression>,
    reply: Expression,
    /// How long caches keep the answer, in seconds.
    pub cache_s: Option<i64>,
}

impl Answer {
    pub(super) const KEYS: [&str; 5] = ["envelope", "status", "retry_after", "reply", "cache"];

    pub(super) fn read(fields: &mut MapReader<'_, '_>) -> Option<Answer> {
        let cache_s = fields.duration("cache").map(|ms| ms / 1_000);
        let envelope = Envelope::read(fields);
        let mut read = |key: &str| fields.get(key).and_then(|node| expression(node, words(), &NAMES, fields.problems));
        let (status, retry_after) = (read("status"), read("retry_after"));
        let literal = status.as_ref().and_then(Expression::as_literal).and_then(Value::as_i64);
        if let (Some(node), Some(_)) = (fields.get("status"), literal.filter(|status| !GOOD.contains(status))) {
            let problem = Problem::error("value", &node.span, "`status` of a good answer is 200, 201 or 202");
            fields.problems.push(problem.hint("a refusal stands in `refuses` or `fails`"));
        }
        let reply = fields.need("reply").map(|reply| mapping(reply, words(), &NAMES, fields.problems))?;
        Some(Answer { envelope, status, retry_after, reply, cache_s })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.reply].into_iter().chain(&self.status).chain(&self.retry_after)
    }

    pub(super) fn reply_expression(&self) -> &Expression {
        &self.reply
    }

    /// What is answered. `found` has what was read and begun: `path`, `query`, `body`, `list`, `more`, `records`,
    /// `call`, `journey`, `session`, `account`, `export`, `visit`, `site`.
    pub fn reply(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.reply.eval(&scope(found).with_host(host))
    }

    /// The status of the reply, and the seconds after which to ask again.
    pub fn status(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<(u16, Option<u64>), EvalError> {
        let scope = scope(found).with_host(host);
        let number = |of: &Option<Expression>| -> Result<Option<i64>, EvalError> {
            Ok(of.as_ref().map(|of| of.eval(&scope)).transpose()?.and_then(|value| value.as_i64()))
        };
        let status = number(&self.status)?.filter(|status| GOOD.contains(status)).unwrap_or(200);
        let seconds = number(&self.retry_after)?.map(|seconds| seconds.clamp(1, RETRY_MAX_S).unsigned_abs());
        Ok((u16::try_from(status).unwrap_or(200), seconds))
    }
}

/// Words with which a call is refused unless something holds.
#[derive(Debug)]
pub struct Refuses {
    unless: Expression,
    pub status: u16,
    pub code: String,
    /// The answer that it is about; empty: the whole.
    pub pointer: String,
    pub or: String,
}

impl Refuses {
    pub(super) fn list(fields: &mut MapReader<'_, '_>, key: &str) -> Vec<Refuses> {
        let all = fields.list(key);
        all.iter().filter_map(|refusal| Refuses::read(refusal, fields.problems)).collect()
    }

    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Refuses> {
        let keys = ["field", "unless", "or", "status", "code"];
        let mut fields = MapReader::open(node, "a refusal", &keys, problems)?;
        let or = fields.need_text("or");
        let field = fields.text("field").unwrap_or_default();
        let pointer = if field.is_empty() { field } else { format!("/{}", field.trim_start_matches('/')) };
        let code = fields.text("code").unwrap_or_else(|| "refused".into());
        let status = bad_status(&mut fields);
        let unless = fields.need("unless").and_then(|holds| expression(holds, words(), &NAMES, fields.problems))?;
        Some(Refuses { unless, status, code, pointer, or })
    }

    pub(super) fn expression(&self) -> &Expression {
        &self.unless
    }

    /// The first of them that does not hold.
    pub(super) fn first<'r>(
        all: &'r [Refuses],
        found: &Map<String, Value>,
        host: &dyn Host,
    ) -> Result<Option<&'r Refuses>, EvalError> {
        let scope = scope(found).with_host(host);
        for refusal in all {
            if refusal.unless.eval(&scope)? != Value::Bool(true) {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }
}

/// A message of the flow as a refusal of the line: under another code, with another status.
#[derive(Debug)]
pub struct Renamed {
    pub status: u16,
    pub code: String,
}

impl Renamed {
    /// `{otp.expired: {status: 410, code: OTP_EXPIRED}}`
    pub(super) fn map(fields: &mut MapReader<'_, '_>, key: &str) -> BTreeMap<String, Renamed> {
        let mut all = BTreeMap::new();
        for (name, node) in fields.entries(key) {
            let Some(mut inner) = MapReader::open(node, "an error", &["status", "code"], fields.problems) else {
                continue;
            };
            let code = inner.text("code").unwrap_or_else(|| name.name.clone());
            all.insert(name.name.clone(), Renamed { status: bad_status(&mut inner), code });
        }
        all
    }
}

/// `status` of a refusal.
fn bad_status(fields: &mut MapReader<'_, '_>) -> u16 {
    let status = fields.int("status").unwrap_or(422);
    if let Some(at) = fields.get("status").filter(|_| !BAD.contains(&status)) {
        let known = BAD.map(|status| status.to_string()).join(", ");
        fields.problems.push(Problem::error("value", &at.span, format!("`status` of a refusal is one of {known}")));
    }
    u16::try_from(status).unwrap_or(422)
}

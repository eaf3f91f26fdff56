//! An operation: our input → their request, their reply → our output. Values are mapped as JSON,
//! path segments and query are encoded by the caller's URL builder here; nothing is a text template.

use super::compile::{DOCUMENT, TIMEOUT_MS_MAX};
use super::{Auth, Partner, SandboxScript};
use crate::contract::{Contract, Takes};
use engine_statechart::source::Span;
use engine_statechart::template::Mapping;
use engine_statechart::{EvalError, Host, Scope, expression::Expression};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Debug)]
pub struct Operation {
    /// File name without extension.
    pub id: String,
    /// What it fulfils; workflows call by it.
    pub contract: Option<Arc<Contract>>,
    pub method: String,
    pub idempotent: bool,
    /// Time for one attempt, at most 30 s.
    pub timeout_ms: i64,
    pub retry: RetryPolicy,
    /// The reply's bytes become a document; its name.
    pub document: bool,
    pub sandbox: Option<SandboxScript>,
    pub examples: Vec<Example>,
    /// The file it came from, for messages.
    pub path: String,
    pub(crate) span: Span,
    pub(crate) segments: Vec<Segment>,
    pub(crate) query: Vec<(String, Mapping)>,
    pub(crate) headers: Vec<(String, Mapping)>,
    pub(crate) body: BodyMapping,
    pub(crate) when: Option<Expression>,
    pub(crate) output: Mapping,
    pub(crate) correlate: Vec<(Mapping, Mapping)>,
    pub(crate) document_name: Option<Expression>,
    pub(crate) errors: Vec<ErrorRule>,
}

/// Whether what a webhook must say has an amount.
pub(crate) fn awaits_amount(expect: &Mapping) -> bool {
    expect.keys().is_some_and(|keys| keys.contains(&"amount"))
}

#[derive(Debug)]
pub(crate) enum Segment {
    Literal(String),
    Value(Expression),
}

#[derive(Debug)]
pub(crate) enum BodyMapping {
    None,
    Json(Mapping),
    Form(Vec<(String, Mapping)>),
    /// A value that is the id of a file of the input is sent as the file.
    Multipart(Vec<(String, Mapping)>),
}

#[derive(Debug)]
pub(crate) struct ErrorRule {
    pub when: Option<Expression>,
    pub kind: ErrorKind,
    pub code: Option<CodeRule>,
    /// Key of the row of a list that the error is about.
    pub row: Option<Expression>,
    pub message: Option<Expression>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ErrorKind {
    Declined,
    Refused,
    Failed,
    Retry,
}

#[derive(Debug)]
pub(crate) enum CodeRule {
    Name(String),
    Value(Expression),
}

/// Attempts in all and the bounds of the pause between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    pub attempts: u32,
    pub base_ms: i64,
    pub cap_ms: i64,
}

/// `input` gives `output` (or `error`) through both mappings with `status`, `headers` and `body`.
#[derive(Clone, Debug)]
pub struct Example {
    pub name: String,
    pub span: Span,
    /// Partner whose fake gives this answer, too.
    pub partner: Option<String>,
    pub input: Value,
    pub status: u16,
    pub headers: Map<String, Value>,
    pub body: Value,
    pub output: Option<Value>,
    /// What the call's error has, at least.
    pub error: Option<Value>,
    /// Part of the request that the input must give: `{method, path, query, headers, body, form}`.
    pub request: Option<Value>,
}

/// A request ready to be sent to the host that `host_alias` is bound to.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingRequest {
    pub method: String,
    pub host_alias: String,
    /// Percent-encoded, starts with `/`.
    pub path: String,
    /// Names and values of the query, not encoded.
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub body: Body,
    pub auth: Auth,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    None,
    Json(Value),
    Form(Vec<(String, String)>),
    Multipart(Vec<(String, String)>),
}

/// A successful reply in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub output: Value,
    pub correlate: Vec<Correlate>,
    /// Name of the document that the bytes become.
    pub document: Option<String>,
}

/// `reference` will find this journey; `expect` is compared when it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlate {
    pub reference: String,
    pub expect: Value,
}

/// A call without a result. `code` is stable and has a text in the line's texts or none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct CallError {
    pub code: String,
    /// Key of the row of a list that it is about; empty: none.
    pub row: String,
    pub message: String,
    pub retry: Retry,
    pub kind: CallErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// Worth another try, after at least so many ms when the partner said so.
    Later(Option<u64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallErrorKind {
    /// The partner understood and says no.
    Declined,
    /// Our request was wrong for the partner.
    Refused,
    /// The partner gave no usable answer.
    Failed,
}

impl CallErrorKind {
    pub fn as_str(self) -> &'static str {
        match self {
            CallErrorKind::Declined => "declined",
            CallErrorKind::Refused => "refused",
            CallErrorKind::Failed => "failed",
        }
    }
}

impl Operation {
    /// An operation with nothing but a name.
    pub(super) fn empty(id: &str, path: &str, span: &Span) -> Operation {
        Operation {
            id: id.to_owned(),
            contract: None,
            method: "GET".into(),
            idempotent: false,
            timeout_ms: TIMEOUT_MS_MAX,
            retry: RetryPolicy { attempts: 1, base_ms: 0, cap_ms: 0 },
            document: false,
            sandbox: None,
            examples: Vec::new(),
            path: path.to_owned(),
            span: span.clone(),
            segments: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            body: BodyMapping::None,
            when: None,
            output: Mapping::literal(Value::Null),
            correlate: Vec::new(),
            document_name: None,
            errors: Vec::new(),
        }
    }

    /// Ids of files of the journey that an input names.
    pub fn files<'v>(&self, input: &'v Value) -> Vec<&'v str> {
        self.contract.as_ref().map_or_else(Vec::new, |contract| contract.input.documents(input))
    }

    /// What a call takes of a customer, as its contract says; where a payment of an amount is awaited, it is money.
    pub fn takes(&self) -> impl Iterator<Item = Takes> {
        let told = self.contract.iter().flat_map(|contract| contract.takes.iter().copied());
        let is_paid = self.correlate.iter().any(|(_, expect)| awaits_amount(expect));
        told.chain(is_paid.then_some(Takes::Money))
    }

    /// The input that names who is sent a message by a call.
    pub fn sends(&self) -> Option<&str> {
        self.contract.as_ref()?.sends.as_deref()
    }

    pub fn contract_id(&self) -> Option<&str> {
        self.contract.as_ref().map(|contract| contract.id.as_str())
    }

    /// The input as the mappings read it: with the contract's defaults. An input that does not fit is not sent.
    pub fn prepare(&self, input: &Value) -> Result<Value, CallError> {
        let Some(contract) = &self.contract else { return Ok(input.clone()) };
        contract.input(input).map_err(|misfit| CallError {
            code: "contract.input".into(),
            row: String::new(),
            message: format!("the input {misfit}"),
            retry: Retry::Never,
            kind: CallErrorKind::Refused,
        })
    }

    /// Every expression of its request and its reply.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let segments = self.segments.iter().filter_map(|s| match s {
            Segment::Value(expression) => Some(expression),
            Segment::Literal(_) => None,
        });
        let body: Vec<&Mapping> = match &self.body {
            BodyMapping::None => Vec::new(),
            BodyMapping::Json(mapping) => vec![mapping],
            BodyMapping::Form(fields) | BodyMapping::Multipart(fields) => fields.iter().map(|(_, m)| m).collect(),
        };
        let mappings = self.query.iter().chain(&self.headers).map(|(_, m)| m).chain(body).chain([&self.output]);
        let correlate = self.correlate.iter().flat_map(|(a, b)| [a, b]);
        let rules = self.errors.iter().flat_map(|rule| {
            let code = match &rule.code {
                Some(CodeRule::Value(code)) => Some(code),
                _ => None,
            };
            [rule.when.as_ref(), code, rule.row.as_ref(), rule.message.as_ref()].into_iter().flatten()
        });
        let conditions = self.when.iter().chain(&self.document_name);
        segments.chain(mappings).chain(correlate).chain(conditions).chain(rules)
    }

    /// Rank by which a request with these decoded segments (after the partner's base path) means this operation: the
    /// more segments are literal, the better it fits. `None`: it does not.
    pub fn fits(&self, method: &str, segments: &[String]) -> Option<usize> {
        let same = |(own, given): (&Segment, &String)| match own {
            Segment::Literal(text) => text == given,
            Segment::Value(_) => !given.is_empty(),
        };
        let fits = self.method == method
            && self.segments.len() == segments.len()
            && self.segments.iter().zip(segments).all(same);
        fits.then(|| self.segments.iter().filter(|s| matches!(s, Segment::Literal(_))).count())
    }

    /// The request for an input that is [`prepared`](Operation::prepared). `key` is the effect's stable key; `host` gives `now`, `today` and
    /// the functions (`Catalog::host`).
    pub fn request(
        &self,
        partner: &Partner,
        input: &Value,
        key: &str,
        host: &dyn Host,
    ) -> Result<OutgoingRequest, EvalError> {
        let key = Value::String(key.to_owned());
        let scope =
            Scope::new().with_host(host).with("input", input).with("key", &key).with("partner", &partner.variable);
        let mut path = partner.base_path.clone();
        for segment in &self.segments {
            path.push('/');
            match segment {
                Segment::Literal(text) => path.push_str(&encode(text)),
                Segment::Value(expression) => path.push_str(&encode(&crate::text::plain(&expression.eval(&scope)?))),
            }
        }
        let pairs = |list: &[(String, Mapping)]| -> Result<Vec<(String, String)>, EvalError> {
            let mut pairs = Vec::new();
            for (name, value) in list {
                match value.eval(&scope)? {
                    Value::Null => {}
                    Value::Array(items) => pairs.extend(items.iter().map(|v| (name.clone(), crate::text::plain(v)))),
                    value => pairs.push((name.clone(), crate::text::plain(&value))),
                }
            }
            Ok(pairs)
        };
        Ok(OutgoingRequest {
            method: self.method.clone(),
            host_alias: partner.host.clone(),
            path,
            query: pairs(&self.query)?,
            headers: pairs(&self.headers)?,
            body: match &self.body {
                BodyMapping::None => Body::None,
                BodyMapping::Json(mapping) => Body::Json(mapping.eval(&scope)?),
                BodyMapping::Form(fields) => Body::Form(pairs(fields)?),
                BodyMapping::Multipart(fields) => Body::Multipart(pairs(fields)?),
            },
            auth: partner.auth.clone(),
        })
    }

    /// What a reply means. For a document `body` is null and the bytes stay with the caller.
    pub fn reply(
        &self,
        partner: &Partner,
        input: &Value,
        status: u16,
        headers: &Map<String, Value>,
        body: &Value,
        host: &dyn Host,
    ) -> Result<Reply, CallError> {
        let status_value = Value::from(status);
        let scope = Scope::new()
            .with_host(host)
            .with("input", input)
            .with("partner", &partner.variable)
            .with("status", &status_value)
            .with("body", body)
            .with_map("headers", headers);
        let good = match &self.when {
            Some(when) => when.eval_bool(&scope).map_err(|e| unreadable(&e))?,
            None => (200..300).contains(&status),
        };
        if !good {
            return Err(self.error(status, headers, &scope));
        }
        let document = self.document_name.as_ref().map(|n| n.eval(&scope)).transpose().map_err(|e| unreadable(&e))?;
        let mut correlate = Vec::new();
        for (reference, expect) in &self.correlate {
            let reference = crate::text::plain(&reference.eval(&scope).map_err(|e| unreadable(&e))?);
            correlate.push(Correlate { reference, expect: expect.eval(&scope).map_err(|e| unreadable(&e))? });
        }
        let output = self.apply_defaults(self.output.eval(&scope).map_err(|e| unreadable(&e))?)?;
        Ok(Reply { output, correlate, document: document.map(|d| crate::text::plain(&d)) })
    }

    /// The output with the contract's defaults; one that does not fit is no answer.
    fn apply_defaults(&self, mut output: Value) -> Result<Value, CallError> {
        let Some(contract) = &self.contract else { return Ok(output) };
        let keeps = self.document.then(|| output.as_object_mut()).flatten();
        keeps.map(|map| map.insert(DOCUMENT.into(), Value::String(String::new())));
        let filled = contract.output(output).map_err(|misfit| CallError {
            code: "contract.output".into(),
            row: String::new(),
            message: format!("the output {misfit}"),
            retry: Retry::Never,
            kind: CallErrorKind::Failed,
        });
        filled.map(|mut output| {
            if let (Some(map), true) = (output.as_object_mut(), self.document) {
                map.remove(DOCUMENT);
            }
            output
        })
    }

    /// Whether an example goes through both mappings as it says; else what differs.
    pub fn try_example(&self, partner: &Partner, example: &Example, host: &dyn Host) -> Result<(), String> {
        let input = self.prepare(&example.input).map_err(|e| e.message)?;
        let request = self.request(partner, &input, "example", host).map_err(|e| format!("the request: {e}"))?;
        if let Some(expected) = &example.request {
            let pairs = |list: &[(String, String)]| {
                list.iter().map(|(k, v)| (k.clone(), Value::String(v.clone()))).collect::<Map<_, _>>()
            };
            let (body, form) = match &request.body {
                Body::None => (Value::Null, Value::Null),
                Body::Json(body) => (body.clone(), Value::Null),
                Body::Form(fields) | Body::Multipart(fields) => (Value::Null, Value::Object(pairs(fields))),
            };
            let given = serde_json::json!({"method": request.method, "path": request.path, "query": pairs(&request.query), "headers": pairs(&request.headers), "body": body, "form": form});
            if let Some(place) = differs(expected, &given, "") {
                return Err(format!("the request differs at `{place}`"));
            }
        }
        let reply = self.reply(partner, &input, example.status, &example.headers, &example.body, host);
        match (reply, &example.output, &example.error) {
            (Ok(reply), Some(expected), _) => match differs(expected, &reply.output, "") {
                Some(place) => Err(format!("the output differs at `{place}`: {}", brief(&reply.output))),
                None => Ok(()),
            },
            (Ok(_), None, Some(error)) => Err(format!("it gives an output instead of the error {error}")),
            (Err(e), Some(_), _) => Err(format!("it gives the error {e} instead of an output")),
            (Err(e), None, Some(expected)) => {
                let given = self.error_value(&e);
                match differs(expected, &given, "") {
                    Some(place) => Err(format!("the error differs at `{place}`: {}", brief(&given))),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// An error as workflows see it.
    fn error_value(&self, error: &CallError) -> Value {
        let kind = if matches!(error.retry, Retry::Later(_)) { "retry" } else { error.kind.as_str() };
        let mut told = self.contract.as_ref().map(|c| c.errors.of(&error.code, &error.row)).unwrap_or_default();
        for (name, text) in [("kind", kind), ("code", &error.code), ("row", &error.row), ("message", &error.message)] {
            told.insert(name.into(), text.into());
        }
        Value::Object(told)
    }

    fn error(&self, status: u16, headers: &Map<String, Value>, scope: &Scope<'_>) -> CallError {
        let rule =
            self.errors.iter().find(|rule| rule.when.as_ref().is_none_or(|w| w.eval_bool(scope).unwrap_or(false)));
        let wait = headers
            .get("retry-after")
            .and_then(Value::as_str)
            .and_then(|s| s.parse::<u64>().ok())
            .map(|s| s.saturating_mul(1000));
        let transient = status >= 500 || status == 429 || status == 408;
        let Some(rule) = rule else {
            let (kind, retry) = if transient {
                (CallErrorKind::Failed, Retry::Later(wait))
            } else {
                (CallErrorKind::Refused, Retry::Never)
            };
            return CallError {
                code: format!("partner.{}", kind.as_str()),
                row: String::new(),
                message: format!("status {status}"),
                retry,
                kind,
            };
        };
        let (kind, retry) = match rule.kind {
            ErrorKind::Declined => (CallErrorKind::Declined, Retry::Never),
            ErrorKind::Refused => (CallErrorKind::Refused, Retry::Never),
            ErrorKind::Failed => (CallErrorKind::Failed, Retry::Never),
            ErrorKind::Retry => (CallErrorKind::Failed, Retry::Later(wait)),
        };
        let text = |e: &Expression| e.eval(scope).ok().map(|v| crate::text::plain(&v)).filter(|t| !t.is_empty());
        let code = match &rule.code {
            Some(CodeRule::Name(name)) => Some(name.clone()),
            Some(CodeRule::Value(expression)) => text(expression),
            None => None,
        };
        CallError {
            code: code.unwrap_or_else(|| format!("partner.{}", kind.as_str())),
            row: rule.row.as_ref().and_then(text).unwrap_or_default(),
            // A partner that gives no words of its own leaves them to us.
            message: rule.message.as_ref().map_or_else(|| format!("status {status}"), |m| text(m).unwrap_or_default()),
            retry,
            kind,
        }
    }
}

/// The first place at which a value lacks what is expected; objects are compared by the members that are given.
fn differs(expected: &Value, given: &Value, at: &str) -> Option<String> {
    match (expected, given) {
        (Value::Object(expected), Value::Object(given)) => {
            expected.iter().find_map(|(k, v)| differs(v, given.get(k).unwrap_or(&Value::Null), &format!("{at}/{k}")))
        }
        (Value::Array(expected), Value::Array(given)) if expected.len() == given.len() => {
            expected.iter().zip(given).enumerate().find_map(|(i, (e, g))| differs(e, g, &format!("{at}/{i}")))
        }
        (Value::Number(e), Value::Number(g)) if e.as_f64() == g.as_f64() => None,
        _ => (expected != given).then(|| if at.is_empty() { "/".to_owned() } else { at.to_owned() }),
    }
}

pub(super) fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 200 { text.chars().take(200).chain(['…']).collect() } else { text }
}

/// A reply that the mapping cannot read. The message carries the place, never the partner's data.
fn unreadable(error: &EvalError) -> CallError {
    CallError {
        code: "partner.unreadable".into(),
        row: String::new(),
        message: error.to_string(),
        retry: Retry::Never,
        kind: CallErrorKind::Failed,
    }
}

/// One path segment; `.` and `..` are encoded too, so that a value cannot climb.
pub(crate) fn encode(segment: &str) -> String {
    let dots = !segment.is_empty() && segment.bytes().all(|b| b == b'.');
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if !dots && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A segment of a request's path as text: `a%20b` is `a b`; a `%` without two digits behind it stays.
pub fn decode_segment(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let pair = (*first == b'%').then(|| tail.get(..2)).flatten().and_then(|pair| hex::decode(pair).ok());
        match pair {
            Some(byte) => {
                bytes.extend(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

//! An operation: our input → their request, their reply → our output. Values are mapped as JSON,
//! path segments and query are encoded by the caller's URL builder here; nothing is a text template.

use super::{Auth, Partner, SandboxScript};
use engine_statechart::source::Span;
use engine_statechart::template::Mapping;
use engine_statechart::{EvalError, Host, Scope, expression::Expression};
use serde_json::{Map, Value};

#[derive(Debug)]
pub struct Operation {
    /// File name without extension.
    pub id: String,
    /// What it fulfils for workflows that choose the partner at run time.
    pub contract: Option<String>,
    pub method: String,
    pub idempotent: bool,
    /// Of one attempt, at most 30 s.
    pub timeout_ms: i64,
    pub retry: RetryPolicy,
    /// The reply's bytes become a document; its name.
    pub document: bool,
    pub sandbox: Option<SandboxScript>,
    pub examples: Vec<Example>,
    /// The file it came from, for messages.
    pub path: String,
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
}

#[derive(Debug)]
pub(crate) struct ErrorRule {
    pub when: Option<Expression>,
    pub kind: ErrorKind,
    pub code: Option<CodeRule>,
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
    pub input: Value,
    pub status: u16,
    pub headers: Map<String, Value>,
    pub body: Value,
    pub output: Option<Value>,
    pub error_code: Option<String>,
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
    /// Not encoded.
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
    pub message: String,
    pub retry: Retry,
    pub kind: CallErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// After at least so many ms when the partner said so.
    Later(Option<u64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallErrorKind {
    /// The partner understood and says no.
    Declined,
    /// Our request was wrong for the partner.
    Refused,
    /// No usable answer.
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
    /// Does a request with these decoded segments (after the partner's base path) mean this
    /// operation? The more segments are literal, the better it fits.
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

    /// The request for an input. `key` is the effect's stable key; `host` gives `now`, `today` and
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
        let output = self.output.eval(&scope).map_err(|e| unreadable(&e))?;
        Ok(Reply { output, correlate, document: document.map(|d| crate::text::plain(&d)) })
    }

    /// Whether an example goes through both mappings as it says; else what differs.
    pub fn try_example(&self, partner: &Partner, example: &Example, host: &dyn Host) -> Result<(), String> {
        let request =
            self.request(partner, &example.input, "example", host).map_err(|e| format!("the request: {e}"))?;
        if let Some(expected) = &example.request {
            let pairs = |list: &[(String, String)]| {
                list.iter().map(|(k, v)| (k.clone(), Value::String(v.clone()))).collect::<Map<_, _>>()
            };
            let (body, form) = match &request.body {
                Body::None => (Value::Null, Value::Null),
                Body::Json(body) => (body.clone(), Value::Null),
                Body::Form(fields) => (Value::Null, Value::Object(pairs(fields))),
            };
            let given = serde_json::json!({"method": request.method, "path": request.path, "query": pairs(&request.query), "headers": pairs(&request.headers), "body": body, "form": form});
            if let Some(place) = differs(expected, &given, "") {
                return Err(format!("the request differs at `{place}`"));
            }
        }
        match (
            self.reply(partner, &example.input, example.status, &example.headers, &example.body, host),
            &example.output,
            &example.error_code,
        ) {
            (Ok(reply), Some(expected), _) => match differs(expected, &reply.output, "") {
                Some(place) => Err(format!("the output differs at `{place}`: {}", brief(&reply.output))),
                None => Ok(()),
            },
            (Ok(_), None, Some(code)) => Err(format!("it gives an output instead of the error `{code}`")),
            (Err(e), Some(_), _) => Err(format!("it gives the error {e} instead of an output")),
            (Err(e), None, Some(code)) if e.code != *code => {
                Err(format!("it gives the error `{}` instead of `{code}`", e.code))
            }
            _ => Ok(()),
        }
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
            message: rule.message.as_ref().and_then(text).unwrap_or_else(|| format!("status {status}")),
            retry,
            kind,
        }
    }
}

/// Where a value lacks what is expected; objects are compared by the members that are given.
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

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 200 { text.chars().take(200).chain(['…']).collect() } else { text }
}

/// A reply that the mapping cannot read. The message carries the place, never the partner's data.
fn unreadable(error: &EvalError) -> CallError {
    CallError {
        code: "partner.unreadable".into(),
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

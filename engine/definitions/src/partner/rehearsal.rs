//! Examples that a fake partner plays: what its script answers must be what the example says the real one answers. So
//! whoever changes a tariff of the sandbox hears of every example that no longer holds.

use super::operation::{Body, Example, Operation, OutgoingRequest, brief, decode_segment};
use super::{ExampleHost, Partner, SandboxCase, SandboxScript};
use engine_statechart::template::Mapping;
use engine_statechart::{EvalError, Host, Scope};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ids that examples invent; those of a script are its own.
const INVENTED: &str = "TEST";
const KEY: &str = "example";

/// Functions of a script while it plays an example. What it would remember of earlier calls is not there.
#[derive(Default)]
pub(crate) struct RehearsalHost {
    remembers: AtomicBool,
}

impl Host for RehearsalHost {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        ExampleHost.variable(name)
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        if ["recall", "recall_all", "hmac_sha256_hex"].contains(&name) {
            self.remembers.store(true, Ordering::Relaxed);
        }
        ExampleHost.call(name, args)
    }
}

/// What a script answers.
struct Played {
    status: u16,
    headers: Map<String, Value>,
    body: Value,
}

impl Operation {
    /// How the script's answer differs from the example, in words; `None` where it does not. `script` is the host of
    /// scripts, with `memory` as its further functions, `mapping` that of operations.
    pub(crate) fn rehearse(
        &self,
        partner: &Partner,
        example: &Example,
        (script, memory): (&dyn Host, &RehearsalHost),
        mapping: &dyn Host,
    ) -> Option<String> {
        memory.remembers.store(false, Ordering::Relaxed);
        let Some(sandbox) = &self.sandbox else { return Some("no script answers".to_owned()) };
        // what is wrong with the input, or with the request, is said of the example itself
        let input = self.prepare(&example.input).ok()?;
        let request = self.request(partner, &input, KEY, mapping).ok()?;
        let errors = self.contract.as_ref().map(|contract| contract.errors_json());
        let variables = Map::from_iter([
            ("request".to_owned(), described(&request, partner)),
            ("key".to_owned(), KEY.into()),
            ("partner".to_owned(), partner.variable.clone()),
            ("contract".to_owned(), json!({"errors": errors})),
        ]);
        let played = play(sandbox, variables, script);
        if memory.remembers.load(Ordering::Relaxed) {
            return Some("the script recalls an earlier call".to_owned());
        }
        let played = match played {
            Ok(Some(played)) => played,
            Ok(None) => return Some("the script answers with a page or a file, or breaks off".to_owned()),
            Err(error) => return Some(format!("the script fails: {error}")),
        };
        let reply = self.reply(partner, &input, played.status, &played.headers, &played.body, mapping);
        match (reply, &example.output, &example.error) {
            (Ok(reply), Some(expected), _) => difference(expected, &reply.output, ""),
            (Ok(_), None, Some(error)) => Some(format!("an output instead of the error `{}`", code(error))),
            (Err(error), Some(_), _) => Some(format!("the error `{}` instead of an output", error.code)),
            (Err(error), None, Some(expected)) => {
                let is_other = code(expected) != error.code;
                is_other.then(|| format!("the error `{}` instead of `{}`", error.code, code(expected)))
            }
            _ => None,
        }
    }
}

fn code(error: &Value) -> &str {
    error["code"].as_str().unwrap_or_default()
}

/// `None`: it answers with a page or a file, or breaks off.
fn play(script: &SandboxScript, mut known: Map<String, Value>, host: &dyn Host) -> Result<Option<Played>, EvalError> {
    for (name, mapping) in &script.lets {
        // one that cannot be worked out is an error only where it is needed
        if let Ok(value) = eval(mapping, &known, host) {
            known.insert(name.clone(), value);
        }
    }
    for case in &script.cases {
        let holds = case.when.as_ref().map(|when| when.eval_bool(&scope(&known, host))).transpose()?;
        if holds != Some(false) {
            return answer(case, &known, host);
        }
    }
    Ok(Some(Played { status: 404, headers: Map::new(), body: Value::Null }))
}

fn answer(case: &SandboxCase, known: &Map<String, Value>, host: &dyn Host) -> Result<Option<Played>, EvalError> {
    let is_other = case.pdf.is_some() || case.page.is_some() || case.go.is_some() || case.fail.is_some();
    let Some(body) = case.body.as_ref().filter(|_| !is_other) else { return Ok(None) };
    let status = case.status.as_ref().map(|status| eval(status, known, host)).transpose()?;
    let headers = case.headers.as_ref().map(|headers| eval(headers, known, host)).transpose()?;
    Ok(Some(Played {
        status: status.and_then(|status| u16::try_from(status.as_u64()?).ok()).unwrap_or(200),
        headers: headers.and_then(|headers| headers.as_object().cloned()).unwrap_or_default(),
        body: eval(body, known, host)?,
    }))
}

fn scope<'a>(known: &'a Map<String, Value>, host: &'a dyn Host) -> Scope<'a> {
    known.iter().fold(Scope::new().with_host(host), |scope, (name, value)| scope.with(name, value))
}

fn eval(mapping: &Mapping, known: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
    mapping.eval(&scope(known, host))
}

/// `request` of a script.
fn described(request: &OutgoingRequest, partner: &Partner) -> Value {
    let pairs = |list: &[(String, String)]| -> Map<String, Value> {
        list.iter().map(|(name, text)| (name.clone(), text.as_str().into())).collect()
    };
    let (body, form) = match &request.body {
        Body::None => (Value::Null, Map::new()),
        Body::Json(body) => (body.clone(), Map::new()),
        Body::Form(fields) | Body::Multipart(fields) => (Value::Null, pairs(fields)),
    };
    let below = request.path.strip_prefix(&partner.base_path).unwrap_or(&request.path);
    let path: Vec<String> = below.split('/').filter(|segment| !segment.is_empty()).map(decode_segment).collect();
    let mut headers = pairs(&request.headers);
    headers.insert("idempotency-key".into(), KEY.into());
    json!({"method": request.method, "path": path, "query": pairs(&request.query), "headers": headers, "body": body,
        "form": form})
}

/// The first place at which an answer is another; ids that the example invents are the script's to make.
fn difference(expected: &Value, found: &Value, at: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected.iter().find_map(|(name, value)| {
            difference(value, found.get(name).unwrap_or(&Value::Null), &format!("{at}/{name}"))
        }),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let both = expected.iter().zip(found).enumerate();
            both.into_iter().find_map(|(n, (expected, found))| difference(expected, found, &format!("{at}/{n}")))
        }
        (Value::Number(expected), Value::Number(found)) if expected.as_f64() == found.as_f64() => None,
        (Value::String(text), _) if text.contains(INVENTED) => None,
        _ if expected == found => None,
        _ => Some(format!("{} at `{at}` instead of {}", brief(found), brief(expected))),
    }
}

//! Reading partner, operation and webhook files.

use super::operation::{BodyMapping, CodeRule, ErrorKind, ErrorRule, Segment, awaits_amount};
use super::webhook::{EventRule, Rule, Window};
use super::{Auth, Breaker, Credential, Example, Operation, Partner, RetryPolicy, Webhook, WebhookVerify};
use crate::contract::{Contract, Contracts, Takes};
use crate::expressions::{expression, mapping};
use crate::extends::ExtendableFiles;
use crate::fields::{MapReader, unknown};
use crate::host::call_vocabulary;
use crate::policy::FLOOR;
use crate::records::CONSENT;
use crate::shape::Given;
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::{Expression, Names};
use engine_statechart::template::Mapping;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const REQUEST_NAMES: [&str; 3] = ["input", "key", "partner"];
/// Headers that a mapping cannot set: they belong to the connection or to the product.
pub const HEADERS_OURS: [&str; 8] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "authorization",
    "cookie",
    "idempotency-key",
    "content-type",
];
const REPLY_NAMES: [&str; 5] = ["status", "headers", "body", "input", "partner"];
/// Key under which the id of a kept document joins an output.
pub const DOCUMENT: &str = "document";
/// Time for an operation that does not say less; nobody waits for longer.
pub(super) const TIMEOUT_MS_MAX: i64 = 30_000;

pub(crate) const PARTNER_KEYS: [&str; 11] =
    ["name", "title", "description", "host", "base_path", "kit", "data", "auth", "limits", "breaker", "operations"];

pub fn compile_partner(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Partner> {
    let mut fields = MapReader::open(node, "a partner", &PARTNER_KEYS, problems)?;
    let name = fields.need_text("name");
    let base_path = fields.text("base_path").unwrap_or_default();
    if !base_path.is_empty() && (!base_path.starts_with('/') || base_path.ends_with('/') || base_path.contains("//")) {
        let at = fields.get("base_path").map_or(&node.span, |n| &n.span).clone();
        fields.problems.push(Problem::error("value", &at, "`base_path` starts with `/` and does not end with it"));
    }
    let host = fields.text("host").unwrap_or_else(|| id.to_owned());
    let kits = fields.get("kit").map_or(&[][..], Node::items);
    let kits = kits.iter().filter_map(Node::as_str).map(str::to_owned).collect();
    let data = fields.get("data").map_or(json!({}), Node::to_json);
    let auth = fields.get("auth").map_or(Auth::None, |n| auth(n, fields.problems));
    let concurrency = fields.get("limits").and_then(|n| {
        let mut limits = MapReader::open(n, "the limits of a partner", &["concurrency"], fields.problems)?;
        limits.int("concurrency")
    });
    let breaker = fields.get("breaker").and_then(|n| {
        let mut breaker = MapReader::open(n, "a breaker", &["failures", "open"], fields.problems)?;
        Some(Breaker {
            failures: breaker.int("failures").and_then(|i| u32::try_from(i).ok()).unwrap_or(5).max(1),
            open_ms: breaker.duration("open").unwrap_or(30_000),
        })
    });
    let variable = json!({"id": id, "name": name, "host": host, "data": data});
    Some(Partner {
        id: id.to_owned(),
        name,
        host,
        base_path,
        kits,
        data,
        auth,
        concurrency: concurrency.and_then(|n| usize::try_from(n).ok()).unwrap_or(8).clamp(1, 1_000),
        breaker: breaker.unwrap_or(Breaker { failures: 5, open_ms: 30_000 }),
        operations: BTreeMap::new(),
        webhooks: BTreeMap::new(),
        variable,
    })
}

fn auth(node: &Node, problems: &mut Vec<Problem>) -> Auth {
    let Some(mut fields) =
        MapReader::open(node, "`auth`", &["kind", "user", "password", "token", "name", "value"], problems)
    else {
        return Auth::None;
    };
    fields.need("kind");
    let kind = fields.word("kind", &["none", "basic", "bearer", "header"]).unwrap_or("none");
    let mut credential = |key: &str| {
        let text = fields.need_text(key);
        let parsed = Credential::parse(&text);
        if key != "user" && matches!(parsed, Credential::Literal(_)) && !text.is_empty() {
            let at = fields.get(key).map_or(&node.span, |n| &n.span);
            fields.problems.push(
                Problem::error("secret", at, format!("`{key}` is a secret"))
                    .hint("write `secret://name`; the settings hold its value"),
            );
        }
        parsed
    };
    match kind {
        "basic" => Auth::Basic { user: credential("user"), password: credential("password") },
        "bearer" => Auth::Bearer { token: credential("token") },
        "header" => {
            let value = credential("value");
            Auth::Header { name: fields.need_text("name").to_lowercase(), value }
        }
        _ => Auth::None,
    }
}

pub(crate) const OPERATION_KEYS: [&str; 16] = [
    "contract",
    "title",
    "description",
    "method",
    "path",
    "query",
    "headers",
    "body",
    "form",
    "multipart",
    "idempotent",
    "timeout",
    "retry",
    "values",
    "reply",
    "errors",
];

/// The files of one operation: what is sent and what it means, how the fake partner plays it, calls with their
/// meaning. Each has its own readers.
#[derive(Default)]
pub(super) struct OperationFiles<'a> {
    pub path: String,
    pub operation: Option<Cow<'a, Node>>,
    pub sandbox: Option<Cow<'a, Node>>,
    pub examples: Option<Cow<'a, Node>>,
}

impl<'a> OperationFiles<'a> {
    /// Resolves what the operation extends.
    pub fn resolve(&self, bases: &ExtendableFiles<'_>, problems: &mut Vec<Problem>) -> Option<OperationFiles<'a>> {
        let operation = match &self.operation {
            Some(node) => Some(Cow::Owned(bases.extend(node, &mut BTreeSet::new(), problems)?)),
            None => None,
        };
        Some(OperationFiles {
            path: self.path.clone(),
            operation,
            sandbox: self.sandbox.clone(),
            examples: self.examples.clone(),
        })
    }
}

/// `id` is the file's name without extension. A sandbox script without an operation is a page that only browsers
/// open: it says itself where it answers.
pub(super) fn compile_operation(
    id: &str,
    files: &OperationFiles<'_>,
    contracts: &Contracts,
    problems: &mut Vec<Problem>,
) -> Option<Operation> {
    let Some(node) = files.operation.as_deref() else {
        let Some(script) = files.sandbox.as_deref() else {
            if let Some(examples) = files.examples.as_deref() {
                let message = format!("there is no operation `{id}` beside its examples");
                problems.push(Problem::error("missing", &examples.span, message));
            }
            return None;
        };
        let mut fields = MapReader { node: script, problems, what: "a script without an operation" };
        let method = method(&mut fields);
        let segments = segments(&mut fields);
        let sandbox = super::sandbox::compile(script, true, problems);
        return Some(Operation { method, segments, sandbox, ..Operation::empty(id, &files.path, &script.span) });
    };
    let values = MapReader { node, problems, what: "an operation" }.entries("values");
    let names = Names::compile(values, &[], call_vocabulary(), &REPLY_NAMES, problems);
    let node = &node.clone().with_names(&Arc::new(names));
    let mut fields = MapReader::open(node, "an operation", &OPERATION_KEYS, problems)?;
    let contract = contract(&mut fields, contracts);
    let method = method(&mut fields);
    let segments = segments(&mut fields);
    let timeout_ms = fields.duration("timeout").unwrap_or(TIMEOUT_MS_MAX);
    if timeout_ms == 0 || timeout_ms > TIMEOUT_MS_MAX {
        let at = fields.get("timeout").map_or(&node.span, |n| &n.span);
        fields.problems.push(Problem::error("value", at, "`timeout` is at most 30s"));
    }
    let retry = retry(&mut fields);
    let idempotent = fields.get("idempotent").map_or(method == "GET", |_| fields.bool("idempotent"));
    let query = pairs(&mut fields, "query", &REQUEST_NAMES);
    for (k, _) in
        fields.entries("headers").iter().filter(|(k, _)| HEADERS_OURS.contains(&k.name.to_ascii_lowercase().as_str()))
    {
        fields.problems.push(
            Problem::error("misplaced-key", &k.span, format!("header `{}` is the product's own", k.name))
                .hint("`idempotency-key` is sent with every call"),
        );
    }
    let headers = pairs(&mut fields, "headers", &REQUEST_NAMES);
    let body = match (fields.get("body"), fields.get("form"), fields.get("multipart")) {
        (Some(body), None, None) => {
            BodyMapping::Json(mapping(body, call_vocabulary(), &REQUEST_NAMES, fields.problems))
        }
        (None, Some(_), None) => BodyMapping::Form(pairs(&mut fields, "form", &REQUEST_NAMES)),
        (None, None, Some(_)) => BodyMapping::Multipart(pairs(&mut fields, "multipart", &REQUEST_NAMES)),
        (None, None, None) => BodyMapping::None,
        (_, form, multipart) => {
            let at = multipart.or(form).map_or(&node.span, |at| &at.span);
            let message = "an operation has one of `body`, `form` and `multipart`";
            fields.problems.push(Problem::error("shape", at, message));
            BodyMapping::None
        }
    };
    let mut operation = Operation {
        contract,
        method,
        idempotent,
        timeout_ms,
        retry,
        segments,
        query,
        headers,
        body,
        ..Operation::empty(id, &files.path, &node.span)
    };
    if let Some(reply) = fields.need("reply") {
        self::reply(reply, &mut operation, fields.problems);
    }
    for rule in fields.list("errors") {
        operation.errors.extend(error_rule(rule, operation.contract.as_deref(), fields.problems));
    }
    check_inputs(&operation, fields.problems);
    if let Some(examples) = files.examples.as_deref() {
        if !examples.is_list() {
            let message = format!("examples are a list, not {}", examples.kind());
            fields.problems.push(Problem::error("shape", &examples.span, message));
        }
        operation.examples = examples.list().iter().filter_map(|n| example(n, fields.problems)).collect();
    }
    operation.sandbox = files.sandbox.as_deref().and_then(|n| super::sandbox::compile(n, false, fields.problems));
    Some(operation)
}

fn method(fields: &mut MapReader<'_, '_>) -> String {
    fields.word("method", &["GET", "POST", "PUT", "PATCH", "DELETE"]).unwrap_or("POST").to_owned()
}

fn contract(fields: &mut MapReader<'_, '_>, contracts: &Contracts) -> Option<Arc<Contract>> {
    let name = fields.text("contract")?;
    let found = contracts.get(&name).cloned();
    if let (None, Some(at)) = (&found, fields.get("contract")) {
        fields.problems.push(unknown("contract", at, &name, contracts.keys().map(String::as_str)));
    }
    found
}

/// What the mappings read of the input is in the contract.
fn check_inputs(operation: &Operation, problems: &mut Vec<Problem>) {
    let Some(contract) = &operation.contract else { return };
    for expression in operation.expressions() {
        for read in expression.reads_of("input", None).reads {
            if let Some((shown, hint)) = contract.unknown_input(&read.path) {
                let span = read.asked.span.unwrap_or_else(|| expression.span());
                let message = format!("the contract `{}` has no `{shown}`", contract.id);
                problems.push(Problem::error("contract", span, message).maybe_hint(hint));
            }
        }
    }
}

fn segments(fields: &mut MapReader<'_, '_>) -> Vec<Segment> {
    let Some(node) = fields.need("path") else { return Vec::new() };
    let mut list = Vec::new();
    if !node.is_list() {
        fields.problems.push(
            Problem::error("shape", &node.span, "`path` is a list of segments")
                .hint("[\"v1\", \"orders\", \"=input.id\"]"),
        );
    }
    for item in node.list() {
        match item.as_str() {
            Some(text) => match text.strip_prefix('=') {
                Some(cel) => list.extend({
                    let value = Node { value: Source::String(cel.to_owned()), ..item.clone() };
                    expression(&value, call_vocabulary(), &REQUEST_NAMES, fields.problems).map(Segment::Value)
                }),
                None if text.is_empty() || text.contains('/') => {
                    fields.problems.push(Problem::error(
                        "value",
                        &item.span,
                        "a segment is one part of a path, without `/`",
                    ));
                }
                None => list.push(Segment::Literal(text.to_owned())),
            },
            None => fields.wrong(item, "path", "a list of texts"),
        }
    }
    list
}

fn retry(fields: &mut MapReader<'_, '_>) -> RetryPolicy {
    let default = RetryPolicy { attempts: 3, base_ms: 500, cap_ms: 20_000 };
    let Some(node) = fields.get("retry") else { return default };
    let Some(mut retry) = MapReader::open(node, "`retry`", &["attempts", "base", "cap"], fields.problems) else {
        return default;
    };
    RetryPolicy {
        attempts: retry.int("attempts").and_then(|i| u32::try_from(i).ok()).unwrap_or(default.attempts).clamp(1, 100),
        base_ms: retry.duration("base").unwrap_or(default.base_ms),
        cap_ms: retry.duration("cap").unwrap_or(default.cap_ms),
    }
}

fn reply(node: &Node, operation: &mut Operation, problems: &mut Vec<Problem>) {
    let Some(mut fields) = MapReader::open(node, "`reply`", &["when", "output", "correlate", "document"], problems)
    else {
        return;
    };
    operation.when = condition(&mut fields, "when", &REPLY_NAMES);
    let empty = Node::new(node.span.clone(), Source::Map(Vec::new()));
    let output = fields.get("output").unwrap_or(&empty);
    operation.output = mapping(output, call_vocabulary(), &REPLY_NAMES, fields.problems);
    if let Some(contract) = &operation.contract {
        let mut given = output.clone();
        if let (Some(map), true) = (given.map_mut(), fields.get("document").is_some()) {
            // The bytes are kept by us, their id joins the output.
            let key = crate::source::Key { span: node.span.clone(), name: DOCUMENT.to_owned() };
            map.push((key, Node::new(node.span.clone(), Source::String("''".into()))));
        }
        let compile = |at: &Node| Expression::read(at, call_vocabulary(), &REPLY_NAMES, &mut Vec::new());
        let against = Given { of: "contract", is_cut: false, compile: &compile };
        contract.output.check_mapping(&given, "", &against, fields.problems);
    }
    for item in fields.get("correlate").map_or(&[][..], Node::items) {
        let Some(mut entry) = MapReader::open(item, "a correlation", &["reference", "expect"], fields.problems) else {
            continue;
        };
        let Some(reference) = entry.need("reference") else { continue };
        let reference = mapping(reference, call_vocabulary(), &REPLY_NAMES, entry.problems);
        let expect = match entry.get("expect") {
            Some(expect) => mapping(expect, call_vocabulary(), &REPLY_NAMES, entry.problems),
            None => Mapping::literal(json!({})),
        };
        let is_told = operation.contract.as_ref().is_none_or(|contract| contract.takes.contains(&Takes::Money));
        if let Some(at) = entry.get("expect").filter(|_| !is_told && awaits_amount(&expect)) {
            let name = operation.contract_id().unwrap_or_default();
            let message = format!("a payment is awaited, and the contract `{name}` does not say that it takes money");
            entry.problems.push(Problem::error(FLOOR, &at.span, message).hint("takes: money"));
        }
        operation.correlate.push((reference, expect));
    }
    if let Some(document) = fields.get("document") {
        operation.document = true;
        if let Some(mut entry) = MapReader::open(document, "`document`", &["name"], fields.problems)
            && entry.need("name").is_some()
        {
            operation.document_name = condition(&mut entry, "name", &REPLY_NAMES);
        }
    }
}

fn error_rule(node: &Node, contract: Option<&Contract>, problems: &mut Vec<Problem>) -> Option<ErrorRule> {
    let mut fields = MapReader::open(node, "an error rule", &["when", "kind", "code", "row", "message"], problems)?;
    fields.need("kind");
    let kind = match fields.word("kind", &["declined", "refused", "failed", "retry"])? {
        "declined" => ErrorKind::Declined,
        "refused" => ErrorKind::Refused,
        "retry" => ErrorKind::Retry,
        _ => ErrorKind::Failed,
    };
    let when = condition(&mut fields, "when", &REPLY_NAMES);
    let message = condition(&mut fields, "message", &REPLY_NAMES);
    let row = condition(&mut fields, "row", &REPLY_NAMES);
    let code = fields.text("code").and_then(|text| {
        let node = fields.get("code")?;
        if is_name(&text) {
            let codes = contract.map(|c| &c.errors).filter(|errors| !errors.is_empty());
            if let Some(errors) = codes.filter(|errors| !errors.has(&text)) {
                fields.problems.push(unknown("error code", node, &text, errors.codes()));
            }
            return Some(CodeRule::Name(text));
        }
        expression(node, call_vocabulary(), &REPLY_NAMES, fields.problems).map(CodeRule::Value)
    });
    Some(ErrorRule { when, kind, code, row, message })
}

/// `quote.declined` is a name; `body.code` and `'x'` are expressions.
fn is_name(text: &str) -> bool {
    let first = text.split(['.', '[']).next().unwrap_or_default();
    !REPLY_NAMES.contains(&first) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

fn example(node: &Node, problems: &mut Vec<Problem>) -> Option<Example> {
    let mut fields = MapReader::open(
        node,
        "an example",
        &["name", "partner", "input", "request", "reply", "output", "error"],
        problems,
    )?;
    let name = fields.need_text("name");
    let reply_node = fields.need("reply")?;
    let mut reply =
        MapReader::open(reply_node, "the reply of an example", &["status", "headers", "body"], fields.problems)?;
    let status = reply.int("status").and_then(|s| u16::try_from(s).ok()).unwrap_or(200);
    let body = reply.get("body").map_or(Value::Null, Node::to_json);
    let headers = match reply.get("headers").map(Node::to_json) {
        Some(Value::Object(map)) => map.into_iter().map(|(k, v)| (k.to_lowercase(), v)).collect(),
        _ => Map::new(),
    };
    let error = fields.get("error").map(|n| match n.as_str() {
        Some(code) => json!({"code": code}),
        None => n.to_json(),
    });
    Some(Example {
        name,
        span: node.span.clone(),
        partner: fields.text("partner"),
        request: fields.get("request").map(Node::to_json),
        input: fields.get("input").map_or(json!({}), Node::to_json),
        status,
        headers,
        body,
        output: fields.get("output").map(Node::to_json),
        error,
    })
}

/// `partner` is the partner's id, `name` the file's name without `.webhook.yaml`.
pub fn compile_webhook(partner: &str, name: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Webhook> {
    let keys = ["title", "description", "verify", "sent", "window", "once", "correlate", "events"];
    let mut fields = MapReader::open(node, "a webhook", &keys, problems)?;
    let names = ["headers", "body"];
    let verify = fields.need("verify").and_then(|n| {
        let mut verify = MapReader::open(n, "`verify`", &["kind", "header", "secret"], fields.problems)?;
        verify.need("kind");
        let kind = verify.word("kind", &["hmac_sha256_hex"])?.to_owned();
        let secret = verify.need_text("secret");
        if !secret.starts_with("secret://") {
            verify.problems.push(
                Problem::error("secret", &n.span, "`secret` names a secret of the settings")
                    .hint("write `secret://name`"),
            );
        }
        Some(WebhookVerify {
            kind,
            header: verify.need_text("header").to_lowercase(),
            secret: Credential::parse(&secret.replace("{partner}", partner)),
        })
    });
    let window = fields.get("sent").and_then(|sent| {
        fields.need("window")?;
        let age_ms = fields.duration("window")?;
        Some(Window { sent: expression(sent, call_vocabulary(), &["body"], fields.problems)?, age_ms })
    });
    if let (Some(node), None) = (fields.get("window"), fields.get("sent")) {
        let problem = Problem::error("missing-key", &node.span, "`window` needs `sent`");
        fields.problems.push(problem.hint("the time in the signed body, such as `sent: body.created_at`"));
    }
    let mut need = |key: &str| {
        let node = fields.need(key)?;
        expression(node, call_vocabulary(), &names, fields.problems)
    };
    let (once, correlate) = (need("once"), need("correlate"));
    fields.need("events");
    let mut events = Vec::new();
    for item in fields.list("events") {
        let Some(mut entry) = MapReader::open(
            item,
            "an event of a webhook",
            &["when", "event", "data", "actual", "mismatch", "record", "unknown", "by_hand"],
            fields.problems,
        ) else {
            continue;
        };
        let when = condition(&mut entry, "when", &names);
        let (unknown, by_hand) = (entry.text("unknown"), entry.bool("by_hand"));
        let part = |node: &Node, key: &str, problems: &mut Vec<Problem>| {
            node.get(key).map_or(Mapping::literal(json!({})), |n| mapping(n, call_vocabulary(), &names, problems))
        };
        if let Some(node) = entry.get("record") {
            for other in ["event", "data", "actual", "mismatch"].iter().filter_map(|key| item.get(key)) {
                let message = "`record` stands alone: the journey does not hear of it";
                entry.problems.push(Problem::error("misplaced-key", &other.span, message));
            }
            let Some(mut record) = MapReader::open(node, "`record`", &["kind", "key", "data"], entry.problems) else {
                continue;
            };
            let kind = record.need_text("kind");
            if kind == CONSENT {
                let message = "what a person agreed to is put on record by their own answer alone";
                record.problems.push(Problem::error("value", &node.span, message));
            }
            let key = record.need("key").and_then(|n| expression(n, call_vocabulary(), &names, record.problems));
            let data = part(node, "data", record.problems);
            let tells = key.map(|key| Rule::Record { kind, key, data });
            events.extend(tells.map(|tells| EventRule { when, tells, unknown, by_hand }));
            continue;
        }
        let (event, mismatch) = (entry.need_text("event"), entry.text("mismatch"));
        let (data, actual) = (part(item, "data", entry.problems), part(item, "actual", entry.problems));
        events.push(EventRule { when, tells: Rule::Event { event, data, actual, mismatch }, unknown, by_hand });
    }
    Some(Webhook {
        name: name.to_owned(),
        partner: partner.to_owned(),
        verify: verify?,
        once: once?,
        correlate: correlate?,
        events,
        window,
    })
}

fn pairs(fields: &mut MapReader<'_, '_>, key: &str, names: &[&str]) -> Vec<(String, Mapping)> {
    let entries = fields.entries(key);
    entries.iter().map(|(k, v)| (k.name.clone(), mapping(v, call_vocabulary(), names, fields.problems))).collect()
}

fn condition(fields: &mut MapReader<'_, '_>, key: &str, names: &[&str]) -> Option<Expression> {
    let node = fields.get(key)?;
    if node.as_str().is_none() && node.as_bool().is_none() {
        fields.wrong(node, key, "an expression");
        return None;
    }
    expression(node, call_vocabulary(), names, fields.problems)
}

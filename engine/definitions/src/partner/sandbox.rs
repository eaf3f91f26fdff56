//! The fake partner of an operation: a script as data. `let` in order, then the first case whose
//! condition holds. engine-partners evaluates and acts it out; its host gives `recall`, `new_id`,
//! `hmac_sha256_hex` and their like a meaning.

use crate::expressions::{expression, mapping};
use crate::fields::{MapReader, duration_ms};
use crate::host::call_vocabulary;
use crate::source::{Key, Node, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use engine_statechart::template::Mapping;

#[derive(Debug, Clone)]
pub struct SandboxScript {
    /// Milliseconds before the reply; a case may say otherwise.
    pub delay: Option<Mapping>,
    pub lets: Vec<(String, Mapping)>,
    pub cases: Vec<SandboxCase>,
}

/// One way to answer. At most one of `page`, `go`, `pdf`, `body` is the reply, in this order.
#[derive(Debug, Clone)]
pub struct SandboxCase {
    pub when: Option<Expression>,
    pub delay: Option<Mapping>,
    pub status: Option<Mapping>,
    pub headers: Option<Mapping>,
    pub body: Option<Mapping>,
    pub pdf: Option<Mapping>,
    pub page: Option<SandboxPage>,
    pub go: Option<Go>,
    pub fail: Option<Fail>,
    pub consequences: Consequences,
}

/// What a fake partner does by itself: at once, or `after` milliseconds.
#[derive(Debug, Clone, Default)]
pub struct Consequences {
    pub remember: Vec<Remember>,
    pub webhook: Vec<SandboxWebhook>,
    pub later: Vec<Later>,
}

#[derive(Debug, Clone)]
pub struct Later {
    pub after: Mapping,
    /// Consequences that come later; never with a `later` of their own.
    pub then: Consequences,
}

/// A null value forgets.
#[derive(Debug, Clone)]
pub struct Remember {
    pub bucket: Mapping,
    pub key: Mapping,
    pub value: Mapping,
}

#[derive(Debug, Clone)]
pub struct SandboxWebhook {
    pub after: Option<Mapping>,
    /// A webhook file of the same partner.
    pub name: String,
    pub headers: Option<Mapping>,
    pub body: Mapping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    Hang,
    Reset,
    Garbage,
    Twice,
}

impl Fail {
    const NAMES: [&str; 4] = ["hang", "reset", "garbage", "twice"];

    pub fn name(self) -> &'static str {
        Fail::NAMES[self as usize]
    }
}

/// A page for a person: texts, and buttons with what follows from each.
#[derive(Debug, Clone)]
pub struct SandboxPage {
    pub title: Mapping,
    pub intro: Option<Mapping>,
    /// List of `{label, value}`.
    pub facts: Option<Mapping>,
    pub fields: Vec<PageField>,
    pub buttons: Vec<Button>,
}

#[derive(Debug, Clone)]
pub struct PageField {
    pub name: String,
    pub label: String,
    pub value: Option<Mapping>,
    pub secret: bool,
}

#[derive(Debug, Clone)]
pub struct Button {
    pub id: String,
    pub when: Option<Expression>,
    pub label: Mapping,
    pub note: Option<Mapping>,
    pub style: String,
    pub group: Option<String>,
    pub lets: Vec<(String, Mapping)>,
    pub consequences: Consequences,
    pub go: Option<Go>,
    pub done: Option<Mapping>,
}

/// The place to which a browser goes next.
#[derive(Debug, Clone)]
pub struct Go {
    pub method: String,
    pub url: Mapping,
    pub fields: Option<Mapping>,
}

const CONSEQUENCES: [&str; 3] = ["remember", "webhook", "later"];

/// Compiles a script. `stands_alone`: it has no operation and says itself where it answers.
pub(super) fn compile(node: &Node, stands_alone: bool, problems: &mut Vec<Problem>) -> Option<SandboxScript> {
    let own = ["line", "delay", "let", "cases", "description"];
    let keys = if stands_alone { [&own[..], &["method", "path"]].concat() } else { own.to_vec() };
    let mut fields = MapReader::open(node, "a sandbox script", &keys, problems)?;
    let mut names: Vec<String> = ["request", "partner", "key", "contract"].map(str::to_owned).into();
    let lets = lets(&mut fields, &mut names);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let delay = ms(&mut fields, "delay", &known);
    fields.need("cases");
    let cases = fields.list("cases").iter().filter_map(|n| case(n, &known, fields.problems)).collect();
    Some(SandboxScript { delay, lets, cases })
}

fn case(node: &Node, known: &[&str], problems: &mut Vec<Problem>) -> Option<SandboxCase> {
    let keys = [
        &["when", "delay", "status", "headers", "body", "fail", "pdf", "page", "go", "description"],
        &CONSEQUENCES[..],
    ]
    .concat();
    let mut fields = MapReader::open(node, "a case of a sandbox script", &keys, problems)?;
    let fail = fields.word("fail", &Fail::NAMES).map(|word| match word {
        "hang" => Fail::Hang,
        "reset" => Fail::Reset,
        "garbage" => Fail::Garbage,
        _ => Fail::Twice,
    });
    if let Some(pdf) = fields.get("pdf") {
        MapReader::open(pdf, "`pdf`", &["title", "subtitle", "file", "sections"], fields.problems);
    }
    let delay = ms(&mut fields, "delay", known);
    Some(SandboxCase {
        when: fields.get("when").and_then(|n| expression(n, call_vocabulary(), known, fields.problems)),
        delay,
        status: part(&mut fields, "status", known),
        headers: part(&mut fields, "headers", known),
        body: part(&mut fields, "body", known),
        pdf: part(&mut fields, "pdf", known),
        page: fields.get("page").and_then(|n| page(n, known, fields.problems)),
        go: fields.get("go").and_then(|n| go(n, known, fields.problems)),
        fail,
        consequences: consequences(&mut fields, known, true),
    })
}

fn page(node: &Node, known: &[&str], problems: &mut Vec<Problem>) -> Option<SandboxPage> {
    let mut fields = MapReader::open(node, "a page", &["title", "intro", "facts", "fields", "buttons"], problems)?;
    let (title, intro, facts) =
        (need(&mut fields, "title", known), part(&mut fields, "intro", known), part(&mut fields, "facts", known));
    let mut inputs = Vec::new();
    for item in fields.list("fields") {
        let Some(mut input) =
            MapReader::open(item, "a field of a page", &["name", "label", "value", "secret"], fields.problems)
        else {
            continue;
        };
        let (name, label, secret) = (input.need_text("name"), input.need_text("label"), input.bool("secret"));
        inputs.push(PageField { name, label, value: part(&mut input, "value", known), secret });
    }
    fields.need("buttons");
    let buttons: Vec<Button> =
        fields.list("buttons").iter().filter_map(|n| button(n, known, fields.problems)).collect();
    for (i, button) in buttons.iter().enumerate() {
        if buttons[..i].iter().any(|earlier| earlier.id == button.id) {
            fields.problems.push(Problem::error(
                "duplicate",
                &node.span,
                format!("two buttons of the page have the id `{}`", button.id),
            ));
        }
    }
    Some(SandboxPage { title, intro, facts, fields: inputs, buttons })
}

fn button(node: &Node, known: &[&str], problems: &mut Vec<Problem>) -> Option<Button> {
    let keys = [&["id", "when", "label", "note", "style", "group", "let", "go", "done"], &CONSEQUENCES[..]].concat();
    let mut fields = MapReader::open(node, "a button", &keys, problems)?;
    let shown = (
        fields.get("when").and_then(|n| expression(n, call_vocabulary(), known, fields.problems)),
        need(&mut fields, "label", known),
        part(&mut fields, "note", known),
    );
    let mut names: Vec<String> = known.iter().chain(&["answers"]).map(|name| (*name).to_owned()).collect();
    let lets = lets(&mut fields, &mut names);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(Button {
        id: fields.need_text("id"),
        when: shown.0,
        label: shown.1,
        note: shown.2,
        style: fields.word("style", &["primary", "secondary", "danger", "link"]).unwrap_or("secondary").to_owned(),
        group: fields.text("group"),
        lets,
        go: fields.get("go").and_then(|n| go(n, &known, fields.problems)),
        done: part(&mut fields, "done", &known),
        consequences: consequences(&mut fields, &known, true),
    })
}

fn go(node: &Node, known: &[&str], problems: &mut Vec<Problem>) -> Option<Go> {
    let mut fields = MapReader::open(node, "`go`", &["method", "url", "fields"], problems)?;
    let method = fields.word("method", &["GET", "POST"]).unwrap_or("GET").to_owned();
    Some(Go { method, url: need(&mut fields, "url", known), fields: part(&mut fields, "fields", known) })
}

fn consequences(fields: &mut MapReader<'_, '_>, known: &[&str], may_wait: bool) -> Consequences {
    let mut found = Consequences::default();
    for item in fields.get("remember").map_or(&[][..], Node::items) {
        let Some(mut entry) = MapReader::open(item, "`remember`", &["bucket", "key", "value"], fields.problems) else {
            continue;
        };
        let value = part(&mut entry, "value", known).unwrap_or_else(|| Mapping::literal(serde_json::Value::Null));
        found.remember.push(Remember {
            bucket: need(&mut entry, "bucket", known),
            key: need(&mut entry, "key", known),
            value,
        });
    }
    for item in fields.get("webhook").map_or(&[][..], Node::items) {
        let Some(mut entry) =
            MapReader::open(item, "`webhook`", &["after", "name", "headers", "body"], fields.problems)
        else {
            continue;
        };
        let after = ms(&mut entry, "after", known);
        let (name, headers) = (entry.need_text("name"), part(&mut entry, "headers", known));
        found.webhook.push(SandboxWebhook { after, name, headers, body: need(&mut entry, "body", known) });
    }
    for item in fields.get("later").filter(|_| may_wait).map_or(&[][..], Node::items) {
        let Some(mut entry) = MapReader::open(item, "`later`", &["after", "remember", "webhook"], fields.problems)
        else {
            continue;
        };
        entry.need("after");
        let after = ms(&mut entry, "after", known);
        let then = consequences(&mut entry, known, false);
        found.later.extend(after.map(|after| Later { after, then }));
    }
    found
}

/// `let`: a list of `name: CEL`, or a map. Each name is known to those after it.
fn lets(fields: &mut MapReader<'_, '_>, names: &mut Vec<String>) -> Vec<(String, Mapping)> {
    let Some(node) = fields.get("let") else { return Vec::new() };
    let entries: Vec<&(Key, Node)> = match &node.value {
        Source::List(items) => items.iter().flat_map(|item| item.map()).collect(),
        Source::Map(entries) => entries.iter().collect(),
        Source::Null | Source::Bool(_) | Source::Int(_) | Source::Float(_) | Source::String(_) => {
            fields.wrong(node, "let", "a list of `name: CEL`");
            Vec::new()
        }
    };
    let mut lets = Vec::new();
    for (key, value) in entries {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        lets.push((key.name.clone(), mapping(value, call_vocabulary(), &known, fields.problems)));
        names.push(key.name.clone());
    }
    lets
}

/// Milliseconds: a duration text, an integer, or CEL.
fn ms(fields: &mut MapReader<'_, '_>, key: &str, known: &[&str]) -> Option<Mapping> {
    let node = fields.get(key)?;
    match duration_ms(node) {
        Ok(ms) => Some(Mapping::literal(ms.into())),
        Err(_) => Mapping::read(node, call_vocabulary(), known, fields.problems),
    }
}

fn part(fields: &mut MapReader<'_, '_>, key: &str, known: &[&str]) -> Option<Mapping> {
    let node = fields.get(key)?;
    Some(mapping(node, call_vocabulary(), known, fields.problems))
}

fn need(fields: &mut MapReader<'_, '_>, key: &str, known: &[&str]) -> Mapping {
    match fields.need(key) {
        Some(node) => mapping(node, call_vocabulary(), known, fields.problems),
        None => Mapping::literal(serde_json::Value::Null),
    }
}

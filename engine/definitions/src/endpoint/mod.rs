//! The front door for calls: addresses below `/api/` that are data. What each takes, does and answers.

mod address;
mod answer;
mod check;
mod journey;
mod personal;
mod rows;

pub use address::Address;
pub use answer::{Envelope, Refuses, Renamed};
pub(crate) use check::EndpointReferences;
pub use journey::{By, Data, Event, Field, Finds, Flow, Starts, Waits};
pub use personal::Personal;
pub use rows::{Calls, List};

use crate::account::AccountParts;
use crate::expressions::mapping;
use crate::fields::MapReader;
use crate::host::vocabulary;
use crate::policy::{FLOOR, ROUTES, Roles};
use crate::records::{Records, RecordsAsked};
use crate::shape::{Misfit, Shape};
use crate::source::Node;
use crate::workflow::Workflow;
use answer::Good;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem, Vocabulary};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const KEYS: [&str; 29] = [
    "title",
    "method",
    "path",
    "query",
    "calculates",
    "describes",
    "as_role",
    "body",
    "who",
    "roles",
    "client",
    "proof",
    "cache",
    "list",
    "records",
    "refuses",
    "call",
    "journey",
    "start",
    "send",
    "values",
    "line",
    "waits",
    "fails",
    "errors",
    "envelope",
    "status",
    "retry_after",
    "reply",
];
/// Names that expressions read: what came, what was found, what of the caller's was recorded, what a partner said, the
/// journey, who was signed in, what is kept of the person, how they came, the site's data.
const NAMES: [&str; 14] = [
    "path", "query", "body", "form", "list", "more", "records", "call", "journey", "session", "account", "export",
    "visit", "site",
];
/// Names whose values differ from caller to caller.
const PERSONAL: [&str; 6] = ["records", "journey", "session", "account", "export", "visit"];
/// Keys of a call that changes something, beside those of [`Personal`].
const CHANGES: [&str; 3] = ["body", "proof", "start"];

#[derive(Debug)]
pub struct Endpoint {
    pub id: String,
    pub title: String,
    /// `GET` or `POST`
    pub method: &'static str,
    /// Path as it is written.
    pub path: String,
    pub address: Address,
    /// Parameters of the address; others are passed over.
    pub query: Shape,
    /// Form that reads the parameters: they are fields with the same rules as on a page.
    pub query_form: Option<String>,
    /// What the query does not say is what the form begins with.
    pub calculates: bool,
    /// Word of its address → the form whose definition is read as `form`.
    pub describes: BTreeMap<String, String>,
    /// Parameter that names the role whom the described form is drawn for: one of the caller's own.
    pub as_role: Option<String>,
    /// Form that reads the body: the same rules and texts as on a page.
    pub body: Option<String>,
    /// The body may also have fields of the steps' forms.
    pub body_steps: bool,
    pub who: Who,
    /// Who alone of those may call: for everybody else nothing is there.
    pub roles: Roles,
    /// Whether a call names its program in `X-Api-Key`, one of `clients` of the site.
    pub names_client: bool,
    /// Whether a call comes with a proof.
    pub needs_proof: bool,
    /// How long caches keep the answer, in seconds.
    pub cache_s: Option<i64>,
    pub list: Option<List>,
    /// Records of the person who is signed in.
    pub records: Option<Records>,
    /// Refusals of a call that fits its form.
    refuses: Vec<Refuses>,
    pub call: Option<Calls>,
    pub finds: Option<Finds>,
    pub start: Option<Starts>,
    pub send: Vec<Event>,
    /// Values of the flow that it reads.
    pub values: Vec<String>,
    pub waits: Waits,
    /// What must hold after the events.
    fails: Vec<Refuses>,
    /// Messages of the flow that are refusals of another name here.
    pub errors: BTreeMap<String, Renamed>,
    pub personal: Personal,
    pub envelope: Envelope,
    good: Good,
    reply: Expression,
    /// Whether it reads the data of the journey's step.
    pub reads_data: bool,
    /// What it reads of `account`.
    pub account: AccountParts,
    pub(crate) span: Span,
}

/// Who may call.
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

fn words() -> &'static Vocabulary {
    static WORDS: OnceLock<Vocabulary> = OnceLock::new();
    WORDS.get_or_init(|| vocabulary(&["now", "today"], false))
}

impl Endpoint {
    pub(crate) fn compile(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Endpoint> {
        let keys = [&KEYS[..], &personal::KEYS].concat();
        let mut fields = MapReader::open(node, "an endpoint", &keys, problems)?;
        let method = fields.word("method", &["GET", "POST"]).unwrap_or("GET");
        let path = fields.need_text("path");
        let address = fields.get("path").map(|at| Address::read(&path, at, fields.problems)).unwrap_or_default();
        if !path.starts_with("/api/") || path.ends_with('/') {
            fields.problems.push(Problem::error("value", &node.span, "`path` is below `/api/`"));
        }
        if let Some(at) = is_ours(&path).then(|| fields.get("path")).flatten() {
            let problem =
                Problem::error(FLOOR, &at.span, format!("`{path}` is the program's own: nothing else answers there"));
            fields.problems.push(problem.hint("another first part below `/api/v1/`"));
        }
        let who = Who::read(&mut fields, &[Who::Anyone, Who::Session, Who::Person, Who::Claimant]);
        let asks_more = ["call", "journey", "start", "send"].into_iter().find(|key| fields.get(key).is_some());
        if let (Some(key), None) = (asks_more, fields.get("who")) {
            let at = node.key(key).map_or(&node.span, |key| &key.span);
            let problem = Problem::error(FLOOR, at, format!("who may call is said where an endpoint has `{key}`"));
            fields.problems.push(problem.hint("who: session, who: person, or who: anyone where everybody may"));
        }
        let roles = Roles::read(node, fields.problems);
        if let Some(at) = roles.at().next().filter(|_| who == Who::Anyone || fields.get("cache").is_some()) {
            let message = "`roles` are of `who: session` or `who: person`, and of what no cache keeps";
            fields.problems.push(Problem::error("value", &at.span, message));
        }
        let (names_client, needs_proof) = (fields.bool("client"), fields.bool("proof"));
        let calculates = fields.text("calculates");
        let described = fields.entries("describes").iter();
        let describes =
            described.filter_map(|(word, form)| Some((word.name.clone(), form.as_str()?.to_owned()))).collect();
        let as_role = fields.text("as_role");
        if let Some(at) = fields.get("as_role").filter(|_| fields.get("cache").is_some()) {
            let message = "what is drawn for a role is kept by no cache: `as_role` stands without `cache`";
            fields.problems.push(Problem::error(FLOOR, &at.span, message));
        }
        if let (Some(at), Some(_)) = (fields.get("query"), &calculates) {
            let message = "`calculates` names the form of the query: beside it is no `query`";
            fields.problems.push(Problem::error("shape", &at.span, message));
        }
        let (query_form, query) = match fields.get("query") {
            None if calculates.is_some() => (calculates.clone(), Shape::empty()),
            Some(form) if form.as_str().is_some() => (form.as_str().map(str::to_owned), Shape::empty()),
            Some(shape) => (None, Shape::read(shape, fields.problems)),
            None => (None, Shape::empty()),
        };
        let cache_s = fields.duration("cache").map(|ms| ms / 1_000);
        let changes = CHANGES.into_iter().chain(personal::KEYS).filter(|key| *key != "exports");
        if method == "GET" && changes.clone().any(|key| fields.get(key).is_some()) {
            let of_post = changes.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            let message = format!("GET reads: of POST are {of_post}");
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let list = fields.get("list").and_then(|list| List::read(list, fields.problems));
        let records = fields.get("records");
        let records = records.and_then(|records| Records::read(records, words(), &NAMES, fields.problems));
        let (refuses, fails) = (Refuses::list(&mut fields, "refuses"), Refuses::list(&mut fields, "fails"));
        let call = fields.get("call").and_then(|call| Calls::read(call, fields.problems));
        let finds = fields.get("journey").and_then(|journey| Finds::read(journey, fields.problems));
        let start = fields.get("start").and_then(|start| Starts::read(start, fields.problems));
        let send = Event::list(&mut fields, "send");
        let values = fields.texts("values");
        let waits = fields.get("waits").and_then(|waits| Waits::read(waits, fields.problems));
        let waits = waits.unwrap_or_else(|| if send.is_empty() { Waits::default() } else { Waits::usual() });
        let of_journey =
            ["send", "values", "waits", "fails", "errors"].into_iter().find(|key| fields.get(key).is_some());
        if let Some(key) = of_journey.filter(|_| finds.is_none() && start.is_none()) {
            let at = node.key(key).map_or(&node.span, |key| &key.span);
            let problem = Problem::error("missing", at, format!("`{key}` is about a journey"));
            fields.problems.push(problem.hint("journey: {id: body.lead_id, workflow: …}, or start: {workflow: …}"));
        }
        if finds.is_some() && start.is_some() {
            let message = "a call begins a journey (`start`) or finds one (`journey`), not both";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let begins_with = start.as_ref().is_some_and(|start| start.first.is_none());
        if begins_with && send.first().is_none_or(|first| first.step.is_none()) {
            let at = node.key("start").map_or(&node.span, |key| &key.span);
            let problem = Problem::error("missing", at, "a start needs the first answers");
            fields.problems.push(problem.hint("data: body, or `send` whose first event names the first step"));
        }
        let errors = Renamed::map(&mut fields, "errors");
        let personal = Personal::read(&mut fields, who);
        if method != "GET" && personal.exports.is_some() {
            fields.problems.push(Problem::error("value", &node.span, "`exports` is of GET"));
        }
        let title = fields.need_text("title");
        let (body, body_steps) = body(&mut fields);
        let envelope = Envelope::read(&mut fields);
        let good = Good::read(&mut fields);
        let reply = fields.need("reply").map(|reply| mapping(reply, words(), &NAMES, fields.problems))?;
        let read = personal.expressions().chain([&reply]).chain(good.expressions());
        let read = read.chain(refuses.iter().chain(&fails).map(Refuses::expression));
        let read = read.chain(start.iter().flat_map(Starts::expressions)).chain(call.iter().map(Calls::expression));
        let read =
            read.chain(finds.iter().flat_map(Finds::expressions)).chain(send.iter().flat_map(Event::expressions));
        let read = read.chain(list.iter().flat_map(List::expressions)).chain(waits.expressions());
        let read: Vec<&Expression> = read.collect();
        let personal_name = read.iter().flat_map(|expression| expression.names()).find(|name| PERSONAL.contains(name));
        let may_cache = method == "GET" && who == Who::Anyone && personal_name.is_none();
        if let Some(key) = node.key("cache").filter(|_| !may_cache) {
            let why = match personal_name {
                _ if method != "GET" => "it changes something".to_owned(),
                Some(name) => format!("it reads `{name}`, which differs from caller to caller"),
                None => "not everybody may ask".to_owned(),
            };
            let problem = Problem::error(FLOOR, &key.span, format!("no cache keeps this answer: {why}"));
            fields.problems.push(problem.hint("leave `cache` out"));
        }
        let cache_s = cache_s.filter(|_| may_cache);
        let of_journey = read.iter().flat_map(|expression| expression.reads_of("journey", None).reads);
        let reads_data = of_journey.map(|read| read.path).any(|path| path.first().is_none_or(|key| *key == "data"));
        let account = AccountParts::of(read.into_iter(), "account", &[]);
        let (id, span) = (id.to_owned(), node.span.clone());
        Some(Endpoint {
            id,
            title,
            method,
            path,
            address,
            query,
            query_form,
            calculates: calculates.is_some(),
            describes,
            as_role,
            body,
            body_steps,
            who,
            roles,
            names_client,
            needs_proof,
            cache_s,
            list,
            records,
            refuses,
            call,
            finds,
            start,
            send,
            values,
            waits,
            fails,
            errors,
            personal,
            envelope,
            good,
            reply,
            reads_data,
            account,
            span,
        })
    }

    /// The form that the filled parts of its address name.
    pub fn described_form(&self, path: &Map<String, Value>) -> Option<&String> {
        path.values().filter_map(Value::as_str).find_map(|word| self.describes.get(word))
    }

    /// The records that are listed, if any are.
    pub fn records(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<RecordsAsked>, EvalError> {
        self.records.as_ref().map(|records| records.evaluate(&scope(found).with_host(host))).transpose()
    }

    /// Why the call is refused before anything is done.
    pub fn refusal(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&Refuses>, EvalError> {
        Refuses::first(&self.refuses, found, host)
    }

    /// Why it is refused after its events.
    pub fn failure(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&Refuses>, EvalError> {
        Refuses::first(&self.fails, found, host)
    }

    /// All with which it may be refused.
    pub fn refusals(&self) -> impl Iterator<Item = &Refuses> {
        self.refuses.iter().chain(&self.fails)
    }

    /// The status of the reply, and the seconds after which to ask again.
    pub fn good(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<(u16, Option<u64>), EvalError> {
        self.good.eval(found, host)
    }

    /// What is answered. `found` has what was read and begun: `path`, `query`, `body`, `list`, `more`, `records`,
    /// `call`, `journey`, `session`, `account`, `export`, `visit`, `site`.
    pub fn reply(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.reply.eval(&scope(found).with_host(host))
    }

    /// The query as its shape has it; what does not fit is said by name.
    pub fn parse_query<'q>(&self, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
        parse_query(&self.query, query)
    }

    /// The workflows of its journey.
    pub fn flows(&self) -> impl Iterator<Item = &str> {
        let started = self.start.iter().map(|start| &start.flow);
        started.chain(self.finds.iter().filter_map(|finds| finds.flow.as_ref())).flat_map(Flow::ids)
    }

    /// Whether some calls are answered with 404: the caller may not call it, or something that the call names (a word of
    /// the address, a journey, a workflow, a session) is not there or not the caller's.
    pub fn may_be_missing(&self) -> bool {
        let is_guarded = self.who != Who::Anyone || !self.roles.is_empty();
        let chooses = self.start.as_ref().is_some_and(|start| matches!(start.flow, Flow::Chosen { .. }));
        let lists_words = self.address.open().any(|(_, words)| !words.is_empty());
        is_guarded || self.finds.is_some() || chooses || lists_words || self.personal.names_session()
    }

    /// The workflow that it starts signs somebody in, and the caller has neither a sign-in nor a proof of work.
    pub fn lacks_proof(&self, workflow: &Workflow) -> bool {
        workflow.signs_in.is_some() && self.who != Who::Person && !self.needs_proof
    }
}

/// The form that reads the body, and whether fields of the steps' forms may stand beside its own.
fn body(fields: &mut MapReader<'_, '_>) -> (Option<String>, bool) {
    match fields.get("body") {
        Some(node) if node.is_map() => {
            let mut inner = MapReader { node, problems: &mut *fields.problems, what: "a body" };
            crate::fields::unknown_keys(node, "a body", &["form", "steps"], inner.problems);
            (inner.text("form"), inner.bool("steps"))
        }
        _ => (fields.text("body"), false),
    }
}

/// Whether the program itself answers at an address, or below its first part.
fn is_ours(path: &str) -> bool {
    let group = |path: &str| path.split('/').take(4).collect::<Vec<_>>().join("/");
    let own = ROUTES.iter().filter_map(|route| route.split_once(' ')).map(|(_, path)| path);
    own.filter(|own| own.starts_with("/api/v1/")).any(|own| group(own) == group(path))
}

fn scope(found: &Map<String, Value>) -> Scope<'_> {
    found.iter().fold(Scope::new(), |scope, (name, value)| scope.with(name, value))
}

/// The parameters of an address as their shape has them; what does not fit is said by name.
pub(crate) fn parse_query<'q>(shape: &Shape, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
    let mut given = Map::new();
    for (name, text) in query {
        if let Some((_, shape)) = shape.properties().find(|(known, _)| *known == name) {
            given.insert(name.to_owned(), parse_param(text, shape));
        }
    }
    let filled = shape.fill(Value::Object(given));
    match shape.misfit(&filled) {
        Some(misfit) => Err(misfit),
        None => Ok(filled),
    }
}

/// A parameter of an address as its shape wants it.
fn parse_param(text: &str, shape: &Shape) -> Value {
    let schema = shape.schema_json();
    let kinds = schema.get("type").into_iter().flat_map(|kinds| match kinds {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<_>>(),
    });
    let is_plain = |kind: &str| matches!(kind, "integer" | "number" | "boolean");
    let kinds: Vec<&str> = kinds.filter(|kind| *kind != "null").collect();
    if !kinds.is_empty() && kinds.into_iter().all(is_plain) {
        return serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    }
    Value::String(text.to_owned())
}

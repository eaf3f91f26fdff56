//! The front door for calls: addresses below `/api/` that are data. Who may call, what a call takes, what it does, what
//! it answers.

mod address;
mod answer;
mod asks;
mod caller;
mod check;
mod deed;
mod reads;

pub use address::Address;
pub use answer::{Answer, Envelope, Refuses};
pub use asks::Asks;
pub(crate) use asks::parse_query;
pub use caller::{Caller, Who};
pub(crate) use check::EndpointReferences;
pub use deed::{
    By, Data, Deed, Event, Field, JourneyDeed, List, PartnerCall, PersonDeed, Proves, Starts, TakesOver, Which,
};
pub use reads::OF_JOURNEY;

use crate::account::AccountParts;
use crate::fields::MapReader;
use crate::host::vocabulary;
use crate::policy::{FLOOR, ROUTES};
use crate::source::Node;
use crate::workflow::Workflow;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem, Vocabulary};
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// Keys of the endpoint itself; each of its parts names its own.
const KEYS: [&str; 5] = ["title", "method", "path", "refuses", "line"];
/// Names that expressions read: what came, what was found, what of the caller's was recorded, what a partner said, the
/// journey, who was signed in, what is kept of the person, how they came, the site's data.
const NAMES: [&str; 14] = [
    "path", "query", "body", "form", "list", "more", "records", "call", "journey", "session", "account", "export",
    "visit", "site",
];
/// Names whose values differ from caller to caller.
const PERSONAL: [&str; 6] = ["records", "journey", "session", "account", "export", "visit"];
/// Keys of a call that only reads: all others that say what is done, a body and a proof are of POST.
const OF_GET: [&str; 5] = ["list", "records", "call", "journey", "exports"];

#[derive(Debug)]
pub struct Endpoint {
    pub id: String,
    pub title: String,
    /// `GET` or `POST`
    pub method: &'static str,
    /// Path as it is written.
    pub path: String,
    pub address: Address,
    pub caller: Caller,
    pub asks: Asks,
    /// Refusals of a call that fits its form.
    refuses: Vec<Refuses>,
    pub deed: Deed,
    pub answer: Answer,
    /// Whether it reads the data of the journey's step.
    pub reads_data: bool,
    /// What it reads of `account`.
    pub account: AccountParts,
    pub(crate) span: Span,
}

fn words() -> &'static Vocabulary {
    static WORDS: OnceLock<Vocabulary> = OnceLock::new();
    WORDS.get_or_init(|| vocabulary(&["now", "today"], false))
}

impl Endpoint {
    pub(crate) fn compile(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Endpoint> {
        let own = [&KEYS[..], &Caller::KEYS, &Asks::KEYS, &Deed::BESIDE_JOURNEY, &Answer::KEYS].concat();
        let keys: Vec<&str> = own.into_iter().chain(Deed::keys()).collect();
        let mut fields = MapReader::open(node, "an endpoint", &keys, problems)?;
        let method = fields.word("method", &["GET", "POST", "PUT"]).unwrap_or("GET");
        let path = fields.need_text("path");
        let address = address_of(&path, &mut fields);
        let caller = Caller::read(&mut fields);
        let asks = Asks::read(&mut fields);
        refuse_other_method(method, &mut fields);
        let refuses = Refuses::list(&mut fields, "refuses");
        let deed = Deed::read(&mut fields, caller.who);
        let title = fields.need_text("title");
        let mut answer = Answer::read(&mut fields)?;
        let mut read = answer.expressions().chain(refuses.iter().map(Refuses::expression)).collect::<Vec<_>>();
        read.extend(deed.expressions());
        deed.journey().into_iter().for_each(|journey| journey.check_values(&read, fields.problems));
        let personal_name = read.iter().flat_map(|expression| expression.names()).find(|name| PERSONAL.contains(name));
        let may_cache = method == "GET" && caller.who == Who::Anyone && personal_name.is_none();
        if let Some(key) = node.key("cache").filter(|_| !may_cache) {
            let why = match personal_name {
                _ if method != "GET" => "it changes something".to_owned(),
                Some(name) => format!("it reads `{name}`, which differs from caller to caller"),
                None => "not everybody may ask".to_owned(),
            };
            let problem = Problem::error(FLOOR, &key.span, format!("no cache keeps this answer: {why}"));
            fields.problems.push(problem.hint("leave `cache` out"));
        }
        let of_journey = read.iter().flat_map(|expression| expression.reads_of("journey", None).reads);
        let reads_data = of_journey.map(|read| read.path).any(|path| path.first().is_none_or(|key| *key == "data"));
        let account = AccountParts::of(read.into_iter(), "account", &[]);
        answer.cache_s = answer.cache_s.filter(|_| may_cache);
        let (id, span) = (id.to_owned(), node.span.clone());
        Some(Endpoint {
            id,
            title,
            method,
            path,
            address,
            caller,
            asks,
            refuses,
            deed,
            answer,
            reads_data,
            account,
            span,
        })
    }

    /// Why the call is refused before anything is done.
    pub fn refusal(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&Refuses>, EvalError> {
        Refuses::first(&self.refuses, found, host)
    }

    /// All with which it may be refused.
    pub fn refusals(&self) -> impl Iterator<Item = &Refuses> {
        self.refuses.iter().chain(self.deed.journey().into_iter().flat_map(|deed| &deed.fails))
    }

    /// The workflows of its journey.
    pub fn flows(&self) -> impl Iterator<Item = &str> {
        self.deed.journey().into_iter().flat_map(JourneyDeed::flows)
    }

    /// Whether some calls are answered with 404: the caller may not call it, or something that the call names (a word of
    /// the address, a journey, a workflow, a session) is not there or not the caller's.
    pub fn may_be_missing(&self) -> bool {
        let lists_words = self.address.open().any(|(_, words)| !words.is_empty());
        self.caller.is_guarded() || lists_words || self.deed.may_be_missing()
    }

    /// The workflow that it starts signs somebody in, and the caller has neither a sign-in nor a proof of work.
    pub fn lacks_proof(&self, workflow: &Workflow) -> bool {
        workflow.signs_in.is_some() && self.caller.who != Who::Person && !self.caller.needs_proof
    }
}

fn address_of(path: &str, fields: &mut MapReader<'_, '_>) -> Address {
    let address = fields.get("path").map(|at| Address::read(path, at, fields.problems)).unwrap_or_default();
    if !path.starts_with("/api/") || path.ends_with('/') {
        fields.problems.push(Problem::error("value", &fields.node.span, "`path` is below `/api/`"));
    }
    if let Some(at) = is_ours(path).then(|| fields.get("path")).flatten() {
        let problem =
            Problem::error(FLOOR, &at.span, format!("`{path}` is the program's own: nothing else answers there"));
        fields.problems.push(problem.hint("another first part below `/api/v1/`"));
    }
    address
}

/// What changes something is of POST or PUT, what is a file of GET.
fn refuse_other_method(method: &str, fields: &mut MapReader<'_, '_>) {
    let changes = ["body", "proof"].into_iter().chain(Deed::keys()).filter(|key| !OF_GET.contains(key));
    if method == "GET" && changes.clone().any(|key| fields.get(key).is_some()) {
        let of_post = changes.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let message = format!("GET reads: of POST are {of_post}");
        fields.problems.push(Problem::error("value", &fields.node.span, message));
    }
    if method != "GET" && fields.get("exports").is_some() {
        fields.problems.push(Problem::error("value", &fields.node.span, "`exports` is of GET"));
    }
}

/// Whether the program itself answers at an address, or below its first part.
fn is_ours(path: &str) -> bool {
    let group = |path: &str| path.split('/').take(4).collect::<Vec<_>>().join("/");
    let own = ROUTES.iter().filter_map(|route| route.split_once(' ')).map(|(_, path)| path);
    own.filter(|own| own.starts_with("/api/v1/")).any(|own| group(own) == group(path))
}

/// What is known of a call, by the names that expressions read.
pub fn scope(found: &Map<String, Value>) -> Scope<'_> {
    found.iter().fold(Scope::new(), |scope, (name, value)| scope.with(name, value))
}

/// An expression's text; everything else is an empty one.
pub fn text_of(of: &Expression, found: &Map<String, Value>, host: &dyn Host) -> Result<String, EvalError> {
    Ok(value_of(of, found, host)?.as_str().unwrap_or_default().to_owned())
}

/// An expression over what is known of a call.
pub fn value_of(of: &Expression, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
    of.eval(&scope(found).with_host(host))
}

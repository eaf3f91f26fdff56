//! The front door for calls: addresses below `/api/` that are data. What each takes, does and answers.

use crate::account::AccountParts;
use crate::channels::Channels;
use crate::expressions::{expression, mapping};
use crate::fields::{Fields, unknown};
use crate::form::Form;
use crate::host::vocabulary;
use crate::partner::Partner;
use crate::policy::{FLOOR, ROUTES, Roles};
use crate::records::{Records, RecordsAsked};
use crate::references::References;
use crate::shape::{Misfit, Shape};
use crate::source::Node;
use crate::workflow::Workflow;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem, Vocabulary};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

const KEYS: [&str; 29] = [
    "title",
    "method",
    "path",
    "query",
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
    "start",
    "send",
    "looks_at",
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
    "reply",
];
/// What expressions read: what came, what was found, what of the caller's was recorded, what a partner said, what was begun, who was signed in, what is kept
/// of her, how they came, the site's data.
const NAMES: [&str; 12] =
    ["query", "body", "list", "more", "records", "call", "journey", "session", "account", "export", "visit", "site"];
/// Names whose values differ from caller to caller.
const PERSONAL: [&str; 6] = ["records", "journey", "session", "account", "export", "visit"];
const ROWS_MAX: i64 = 2_000;

#[derive(Debug)]
pub struct Endpoint {
    pub id: String,
    pub title: String,
    /// `GET` or `POST`
    pub method: &'static str,
    pub path: String,
    /// Parameters of the address; others are passed over.
    pub query: Shape,
    /// Its form reads the parameters: they are fields with the same rules as on a page.
    pub query_form: Option<String>,
    /// Its form reads the body: the same rules and texts as on a page.
    pub body: Option<String>,
    pub who: Who,
    /// Who alone of those may call: for everybody else nothing is there.
    pub roles: Roles,
    /// Names its program in `X-Api-Key`, one of `clients` of the site.
    pub names_client: bool,
    /// Comes with a proof.
    pub needs_proof: bool,
    /// How long caches keep the answer, in seconds.
    pub cache_s: Option<i64>,
    pub list: Option<List>,
    /// Records of the person who is signed in.
    pub records: Option<Records>,
    /// On what else a call must rest that fits its form.
    refuses: Vec<Refuses>,
    pub call: Option<Calls>,
    pub start: Option<Starts>,
    pub send: Option<Sends>,
    /// The code of a journey of the caller that is described.
    looks_at: Option<Expression>,
    /// What is kept of the person who is signed in, beside what is known of her.
    profile: Option<Expression>,
    /// What the person no longer agrees to.
    withdraws: Option<Expression>,
    /// The journey of the person that nobody else sees from now on.
    dismisses: Option<Expression>,
    /// The answer is a file of this name, with all that is kept of the person: `export`.
    pub exports: Option<String>,
    /// Whether the caller has shown that the account is hers.
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
    reply: Expression,
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

    pub(crate) fn read(fields: &mut Fields<'_, '_>, known: &[Who]) -> Who {
        let words: Vec<&'static str> = known.iter().map(|who| who.word()).collect();
        let word = fields.word("who", &words);
        known.iter().copied().find(|who| Some(who.word()) == word).unwrap_or_default()
    }
}

/// Rows of reference data.
#[derive(Debug)]
pub struct List {
    pub of: String,
    pub search: Option<Expression>,
    /// Column → what it must equal; empty texts are passed over.
    pub columns: Vec<(String, Expression)>,
    pub limit: usize,
}

/// An event to a journey of the caller, named by the code that its start gave.
#[derive(Debug)]
pub struct Sends {
    code: Expression,
    pub event: String,
    data: Expression,
}

/// What shows that an account is the caller's, and what is said to who has not shown it.
#[derive(Debug)]
struct Proves {
    any: Vec<Expression>,
    or: String,
}

impl Proves {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Proves> {
        let mut fields = Fields::open(node, "a proof", &["any", "or"], problems)?;
        fields.need("any");
        let any = fields.list("any");
        let any = any.iter().filter_map(|one| expression(one, words(), &NAMES, fields.problems)).collect();
        Some(Proves { any, or: fields.need_text("or") })
    }
}

/// Unless this holds nothing is done; the words, and the field that they are about.
#[derive(Debug)]
struct Refuses {
    field: String,
    unless: Expression,
    or: String,
}

impl Refuses {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Refuses> {
        let mut fields = Fields::open(node, "a refusal", &["field", "unless", "or"], problems)?;
        let (field, or) = (fields.need_text("field"), fields.need_text("or"));
        let unless = fields.need("unless").and_then(|holds| expression(holds, words(), &NAMES, fields.problems))?;
        Some(Refuses { field, unless, or })
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
        let mut fields = Fields::open(node, "taking over", &["code", "or"], problems)?;
        let or = fields.need_text("or");
        let code = fields.need("code").and_then(|code| expression(code, words(), &NAMES, fields.problems))?;
        Some(TakesOver { code, or })
    }
}

/// A call of a partner that is made while the caller waits.
#[derive(Debug)]
pub struct Calls {
    /// `partner/operation`.
    pub of: String,
    input: Expression,
}

/// A journey that the call begins, with the caller's own session.
#[derive(Debug)]
pub struct Starts {
    pub workflow: String,
    /// The event that it begins with; its data is what `body` and `query` give.
    pub event: String,
    pub data: Expression,
    /// Whoever asks for the same again finds what was begun; without it the request's own key says so.
    once: Option<Expression>,
}

fn words() -> &'static Vocabulary {
    static WORDS: OnceLock<Vocabulary> = OnceLock::new();
    WORDS.get_or_init(|| vocabulary(&["now", "today"], false))
}

impl Endpoint {
    pub(crate) fn compile(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Endpoint> {
        let mut fields = Fields::open(node, "an endpoint", &KEYS, problems)?;
        let method = fields.word("method", &["GET", "POST"]).unwrap_or("GET");
        let path = fields.need_text("path");
        if !path.starts_with("/api/") || path.ends_with('/') {
            fields.problems.push(Problem::error("value", &node.span, "`path` is below `/api/`"));
        }
        if let Some(at) = is_ours(&path).then(|| fields.get("path")).flatten() {
            let problem =
                Problem::error(FLOOR, &at.span, format!("`{path}` is the program's own: nothing else answers there"));
            fields.problems.push(problem.hint("another first part below `/api/v1/`"));
        }
        let who = Who::read(&mut fields, &[Who::Anyone, Who::Session, Who::Person, Who::Claimant]);
        let asks_more = ["call", "start", "send"].into_iter().find(|key| fields.get(key).is_some());
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
        let (query_form, query) = match fields.get("query") {
            Some(form) if form.as_str().is_some() => (form.as_str().map(str::to_owned), Shape::empty()),
            Some(shape) => (None, Shape::read(shape, fields.problems)),
            None => (None, Shape::empty()),
        };
        let cache_s = fields.duration("cache").map(|ms| ms / 1_000);
        let changes = [
            "body",
            "proof",
            "start",
            "send",
            "looks_at",
            "profile",
            "withdraws",
            "dismisses",
            "proves",
            "renounces",
            "ends",
            "holds",
            "takes_over",
            "signs_out",
            "checks",
        ];
        if method == "GET" && changes.iter().any(|key| fields.get(key).is_some()) {
            let of_post = changes.map(|key| format!("`{key}`")).join(", ");
            let message = format!("GET reads: of POST are {of_post}");
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let list = fields.get("list").and_then(|list| List::read(list, fields.problems));
        let records = fields.get("records");
        let records = records.and_then(|records| Records::read(records, words(), &NAMES, fields.problems));
        let refuses = fields.list("refuses");
        let refuses: Vec<Refuses> =
            refuses.iter().filter_map(|refusal| Refuses::read(refusal, fields.problems)).collect();
        let call = fields.get("call").and_then(|call| Calls::read(call, fields.problems));
        let start = fields.get("start").and_then(|start| Starts::read(start, fields.problems));
        let send = fields.get("send").and_then(|send| Sends::read(send, fields.problems));
        let looks_at = fields.get("looks_at").and_then(|code| expression(code, words(), &NAMES, fields.problems));
        let profile = fields.get("profile").map(|profile| mapping(profile, words(), &NAMES, fields.problems));
        let withdraws = fields.get("withdraws").and_then(|of| expression(of, words(), &NAMES, fields.problems));
        let dismisses = fields.get("dismisses").and_then(|of| expression(of, words(), &NAMES, fields.problems));
        let exports = fields.text("exports");
        let proves = fields.get("proves").and_then(|proves| Proves::read(proves, fields.problems));
        let renounces = fields.bool("renounces");
        let of_claimant = renounces || proves.is_some() && who != Who::Person;
        if of_claimant != (who == Who::Claimant) {
            let message = "`who: claimant` has `proves` or `renounces`; `proves` is of `who: person` too";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let ends = fields.get("ends").and_then(|ends| expression(ends, words(), &NAMES, fields.problems));
        let holds = fields.get("holds").and_then(|holds| expression(holds, words(), &NAMES, fields.problems));
        let takes_over = fields.get("takes_over").and_then(|of| TakesOver::read(of, fields.problems));
        if method != "GET" && exports.is_some() {
            fields.problems.push(Problem::error("value", &node.span, "`exports` is of GET"));
        }
        let of_person = ["profile", "withdraws", "dismisses", "exports", "ends", "records"];
        if who != Who::Person && of_person.iter().any(|key| fields.get(key).is_some()) {
            let message = format!("of `who: person` are {}", of_person.map(|key| format!("`{key}`")).join(", "));
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let signs_out = fields.bool("signs_out");
        let checks = fields.get("checks").and_then(|page| expression(page, words(), &NAMES, fields.problems));
        let (title, body) = (fields.need_text("title"), fields.text("body"));
        let reply = fields.need("reply").map(|reply| mapping(reply, words(), &NAMES, fields.problems))?;
        let of_proofs = proves.iter().flat_map(|proves: &Proves| &proves.any);
        let own = [&profile, &withdraws, &dismisses, &ends, &holds, &checks, &looks_at];
        let read = own.into_iter().flatten().chain(of_proofs).chain([&reply]);
        let read = read.chain(refuses.iter().map(|refusal| &refusal.unless));
        let read = read.chain(start.iter().flat_map(Starts::expressions)).chain(call.iter().map(|call| &call.input));
        let read = read.chain(send.iter().map(|send| &send.data)).chain(list.iter().flat_map(List::expressions));
        let read: Vec<&Expression> = read.collect();
        let personal = read.iter().flat_map(|expression| expression.names()).find(|name| PERSONAL.contains(name));
        let may_cache = method == "GET" && who == Who::Anyone && personal.is_none();
        if let Some(key) = node.key("cache").filter(|_| !may_cache) {
            let why = match personal {
                _ if method != "GET" => "it changes something".to_owned(),
                Some(name) => format!("it reads `{name}`, which differs from caller to caller"),
                None => "not everybody may ask".to_owned(),
            };
            let problem = Problem::error(FLOOR, &key.span, format!("no cache keeps this answer: {why}"));
            fields.problems.push(problem.hint("leave `cache` out"));
        }
        let cache_s = cache_s.filter(|_| may_cache);
        let account = AccountParts::of(read.into_iter(), "account", &[]);
        let (id, span) = (id.to_owned(), node.span.clone());
        Some(Endpoint {
            id,
            title,
            method,
            path,
            query,
            query_form,
            body,
            who,
            roles,
            names_client,
            needs_proof,
            cache_s,
            list,
            records,
            refuses,
            call,
            start,
            send,
            looks_at,
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
            reply,
            account,
            span,
        })
    }

    /// The code of the journey that is described, if one is.
    pub fn looks_at(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(code) = &self.looks_at else { return Ok(None) };
        Ok(Some(code.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned()))
    }

    /// The records that are listed, if any are.
    pub fn records(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<RecordsAsked>, EvalError> {
        self.records.as_ref().map(|records| records.asked(&scope(found).with_host(host))).transpose()
    }

    /// What is to be kept of the person.
    pub fn profile(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<Value>, EvalError> {
        self.profile.as_ref().map(|profile| profile.eval(&scope(found).with_host(host))).transpose()
    }

    /// The purpose that the person no longer agrees to, if this is about one.
    pub fn withdrawn(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(withdraws) = &self.withdraws else { return Ok(None) };
        Ok(Some(withdraws.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned()))
    }

    /// The journey that nobody but its person sees from now on, if this is about one.
    pub fn dismissed(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(dismisses) = &self.dismisses else { return Ok(None) };
        Ok(Some(dismisses.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned()))
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

    /// What is wrong with the call: the field that it is about, and the words. `None`: nothing.
    pub fn refusal(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<(&str, &str)>, EvalError> {
        let scope = scope(found).with_host(host);
        for Refuses { field, unless, or } in &self.refuses {
            if unless.eval(&scope)? != Value::Bool(true) {
                return Ok(Some((field.as_str(), or.as_str())));
            }
        }
        Ok(None)
    }

    /// The service token that the caller's session is to hold, if this is about one.
    pub fn held(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(holds) = &self.holds else { return Ok(None) };
        Ok(Some(holds.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned()))
    }

    /// The code of the customer whom the caller is to help, and what is said where it is nobody's; `None`: this is not
    /// about one.
    pub fn taken_over(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<(String, &str)>, EvalError> {
        let Some(TakesOver { code, or }) = &self.takes_over else { return Ok(None) };
        Ok(Some((code.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned(), or)))
    }

    /// The sessions that end, if this is about any.
    pub fn ended(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<Vec<String>>, EvalError> {
        let Some(ends) = &self.ends else { return Ok(None) };
        let ids = ends.eval(&scope(found).with_host(host))?;
        let texts = ids.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Some(texts.map(str::to_owned).collect()))
    }

    pub fn checks_agents(&self) -> bool {
        self.checks.is_some()
    }

    /// The address of the page whose check of agents is made.
    pub fn checked(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(checks) = &self.checks else { return Ok(None) };
        Ok(checks.eval(&scope(found).with_host(host))?.as_str().map(str::to_owned))
    }

    /// What is answered. `found` has what was read and begun: `query`, `body`, `list`, `more`, `records`, `call`, `journey`,
    /// `session`, `account`, `export`, `visit`, `site`.
    pub fn reply(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.reply.eval(&scope(found).with_host(host))
    }

    /// The query as its shape has it; what does not fit is said by name.
    pub fn asked<'q>(&self, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
        asked(&self.query, query)
    }

    /// Names that do not exist, and a reply that cannot be made.
    pub(crate) fn verify(&self, known: &Known<'_>, problems: &mut Vec<Problem>) {
        let at = Node::new(self.span.clone(), crate::source::Value::Null);
        for form in [&self.body, &self.query_form].into_iter().flatten().filter(|form| !known.forms.contains_key(*form))
        {
            problems.push(unknown("form", &at, form, known.forms.keys().map(String::as_str)));
        }
        if let Some(start) = self.start.as_ref().filter(|start| !known.workflows.contains_key(&start.workflow)) {
            problems.push(unknown("workflow", &at, &start.workflow, known.workflows.keys().map(String::as_str)));
        }
        if let Some(list) = self.list.as_ref().filter(|list| known.references.masters.get(&list.of).is_none()) {
            problems.push(unknown("reference data", &at, &list.of, known.references.masters.names()));
        }
        if let Some(call) = &self.call {
            let partners = known.partners.iter();
            let names =
                partners.flat_map(|(id, partner)| partner.operations.keys().map(move |name| format!("{id}/{name}")));
            let names: Vec<String> = names.collect();
            if !names.contains(&call.of) {
                problems.push(unknown("operation", &at, &call.of, names.iter().map(String::as_str)));
            }
        }
        self.keep_to_floors(known, problems);
        let before = problems.len();
        known.references.check(&self.reply, problems);
        let asked = match self.query_form.as_ref().map(|form| known.forms.get(form)) {
            Some(form) => form.map(|form| form.property_names().map(|name| (name.to_owned(), json!(""))).collect()),
            None => self.asked(std::iter::empty()).ok(),
        };
        let reads = self.method == "GET" && self.who != Who::Person && self.call.is_none() && before == problems.len();
        if let (Some(query), true) = (asked, reads) {
            let found = Map::from_iter([
                ("query".into(), query),
                ("list".into(), json!([])),
                ("more".into(), json!(false)),
                ("visit".into(), Channels::nobody()),
                ("site".into(), known.site.clone()),
            ]);
            if let Err(error) = self.reply(&found, known.host) {
                problems.push(Problem::error("evaluation", &error.span, error.message));
            }
        }
    }
}

impl Endpoint {
    /// The workflow that it starts signs somebody in, and the caller has neither a sign-in nor a proof of work.
    pub fn lacks_proof(&self, workflow: &Workflow) -> bool {
        workflow.signs_in.is_some() && self.who != Who::Person && !self.needs_proof
    }

    fn keep_to_floors(&self, known: &Known<'_>, problems: &mut Vec<Problem>) {
        let mut refuse =
            |message: String, hint: &str| problems.push(Problem::error(FLOOR, &self.span, message).hint(hint));
        let started = self.start.as_ref().and_then(|start| Some((start, known.workflows.get(&start.workflow)?)));
        if let Some((start, _)) = started.filter(|(_, workflow)| self.lacks_proof(workflow)) {
            let message = format!("`{}` signs somebody in: who begins it proves some work first", start.workflow);
            refuse(message, "proof: true");
        }
        if self.takes_over.is_some() && self.roles.is_empty() {
            let message = "`takes_over` opens the request of a customer: it is for some roles alone";
            refuse(message.into(), "roles: those of `assists`");
        }
        let asked = self.call.as_ref().and_then(|call| call.of.split_once('/'));
        let operation = asked.and_then(|(partner, name)| known.partners.get(partner)?.operation(name));
        if let Some(taken) = operation.and_then(|operation| operation.takes().next()) {
            let message = format!("`call` takes {}, which only a journey with a verified number does", taken.word());
            refuse(message, "a step of a workflow calls it");
        }
    }
}

/// What endpoints may name.
pub(crate) struct Known<'a> {
    pub workflows: &'a BTreeMap<String, Arc<Workflow>>,
    pub forms: &'a BTreeMap<String, Arc<Form>>,
    pub partners: &'a BTreeMap<String, Arc<Partner>>,
    pub references: References<'a>,
    pub site: &'a Value,
    pub host: &'a dyn Host,
}

impl Calls {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Calls> {
        let mut fields = Fields::open(node, "a call", &["src", "input"], problems)?;
        let src = fields.need_text("src");
        let input = fields.need("input").map(|input| mapping(input, words(), &NAMES, fields.problems))?;
        Some(Calls { of: src, input })
    }

    /// What the partner is told.
    pub fn asked(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.input.eval(&scope(found).with_host(host))
    }
}

impl List {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<List> {
        let mut fields = Fields::open(node, "a list", &["of", "search", "where", "limit"], problems)?;
        let of = fields.need_text("of");
        let search = fields.get("search").and_then(|search| expression(search, words(), &NAMES, fields.problems));
        let limit = fields.int("limit").unwrap_or(ROWS_MAX).clamp(1, ROWS_MAX) as usize;
        let columns = fields.entries("where");
        let columns = columns
            .iter()
            .filter_map(|(key, value)| Some((key.name.clone(), expression(value, words(), &NAMES, fields.problems)?)));
        Some(List { of, search, columns: columns.collect(), limit })
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.search.iter().chain(self.columns.iter().map(|(_, value)| value))
    }

    /// The words to look for, and what columns must equal.
    pub fn asked(
        &self,
        found: &Map<String, Value>,
        host: &dyn Host,
    ) -> Result<(String, Vec<(String, String)>), EvalError> {
        let scope = scope(found).with_host(host);
        let text = |expression: &Expression| {
            Ok(match expression.eval(&scope)? {
                Value::String(text) => text,
                Value::Null => String::new(),
                other => other.to_string(),
            })
        };
        let search = self.search.as_ref().map_or(Ok(String::new()), text)?;
        let columns: Result<Vec<_>, _> =
            self.columns.iter().map(|(name, value)| Ok((name.clone(), text(value)?))).collect();
        Ok((search, columns?.into_iter().filter(|(_, value)| !value.is_empty()).collect()))
    }
}

impl Sends {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Sends> {
        let mut fields = Fields::open(node, "an event", &["code", "event", "data"], problems)?;
        let code = fields.need("code").and_then(|code| expression(code, words(), &NAMES, fields.problems))?;
        let event = fields.text("event").unwrap_or_else(|| "submit".into());
        let data = fields.need("data").map(|data| mapping(data, words(), &NAMES, fields.problems))?;
        Some(Sends { code, event, data })
    }

    /// The journey's code, and what is sent to it.
    pub fn of(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<(String, Value), EvalError> {
        let scope = scope(found).with_host(host);
        let code = self.code.eval(&scope)?.as_str().unwrap_or_default().to_owned();
        Ok((code, self.data.eval(&scope)?))
    }
}

impl Starts {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Starts> {
        let mut fields =
            Fields::open(node, "the start of a journey", &["workflow", "event", "data", "once"], problems)?;
        let workflow = fields.need_text("workflow");
        let event = fields.text("event").unwrap_or_else(|| "submit".into());
        let data = fields.need("data").map(|data| mapping(data, words(), &NAMES, fields.problems))?;
        let once = fields.get("once").and_then(|once| expression(once, words(), &NAMES, fields.problems));
        Some(Starts { workflow, event, data, once })
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.data].into_iter().chain(&self.once)
    }

    /// By what a second start of the same is known, where one may be.
    pub fn once(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(once) = &self.once else { return Ok(None) };
        Ok(once.eval(&scope(found).with_host(host))?.as_str().map(str::to_owned))
    }

    pub fn data(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.data.eval(&scope(found).with_host(host))
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
pub(crate) fn asked<'q>(shape: &Shape, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
    let mut given = Map::new();
    for (name, text) in query {
        if let Some((_, shape)) = shape.properties().find(|(known, _)| *known == name) {
            given.insert(name.to_owned(), typed(text, shape));
        }
    }
    let filled = shape.fill(Value::Object(given));
    match shape.misfit(&filled) {
        Some(misfit) => Err(misfit),
        None => Ok(filled),
    }
}

/// A parameter of an address as its shape wants it.
fn typed(text: &str, shape: &Shape) -> Value {
    let schema = shape.schema_json();
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number" | "boolean") => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
        }
        _ => Value::String(text.to_owned()),
    }
}

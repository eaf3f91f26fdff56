//! The front door for calls: addresses below `/api/` that are data. What each takes, does and answers.

use crate::expressions::{expression, mapping};
use crate::fields::{Fields, unknown};
use crate::form::Form;
use crate::host::vocabulary;
use crate::master::Masters;
use crate::shape::{Misfit, Shape};
use crate::source::Node;
use crate::table::Tables;
use crate::workflow::Workflow;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem, Vocabulary};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

const KEYS: [&str; 10] = ["title", "method", "path", "query", "body", "who", "cache", "list", "start", "reply"];
/// What expressions read: what came, what was found, what was begun, the site's own data.
const NAMES: [&str; 6] = ["query", "body", "list", "more", "journey", "site"];
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
    /// Its form reads the body: the same rules and texts as on a page.
    pub body: Option<String>,
    pub who: Who,
    /// How long caches keep the answer, in seconds.
    pub cache_s: Option<i64>,
    pub list: Option<List>,
    pub start: Option<Starts>,
    reply: Expression,
    pub(crate) span: Span,
}

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Anyone,
    /// Whoever has a session; others get 404, as for what is not theirs.
    Session,
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

/// A journey that the call begins, with the caller's own session.
#[derive(Debug)]
pub struct Starts {
    pub workflow: String,
    /// The event that it begins with; its data is what `body` and `query` give.
    pub event: String,
    pub data: Expression,
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
        let who =
            if fields.word("who", &["anyone", "session"]) == Some("session") { Who::Session } else { Who::Anyone };
        let query = fields.get("query").map_or_else(Shape::empty, |query| Shape::read(query, fields.problems));
        let cache_s = fields.duration("cache").map(|ms| ms / 1_000);
        if method == "GET" && (fields.get("body").is_some() || fields.get("start").is_some()) {
            fields.problems.push(Problem::error("value", &node.span, "GET reads: `body` and `start` are of POST"));
        }
        let list = fields.get("list").and_then(|list| List::read(list, fields.problems));
        let start = fields.get("start").and_then(|start| Starts::read(start, fields.problems));
        let (title, body) = (fields.need_text("title"), fields.text("body"));
        let reply = fields.need("reply").map(|reply| mapping(reply, words(), &NAMES, fields.problems))?;
        let (id, span) = (id.to_owned(), node.span.clone());
        Some(Endpoint { id, title, method, path, query, body, who, cache_s, list, start, reply, span })
    }

    /// What is answered. `found` has what was read and begun: `query`, `body`, `list`, `more`, `journey`, `site`.
    pub fn reply(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.reply.eval(&scope(found).with_host(host))
    }

    /// The query as its shape has it; what does not fit is said by name.
    pub fn asked<'q>(&self, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
        let mut given = Map::new();
        for (name, text) in query {
            if let Some((_, shape)) = self.query.properties().find(|(known, _)| *known == name) {
                given.insert(name.to_owned(), typed(text, shape));
            }
        }
        let filled = self.query.fill(Value::Object(given));
        match self.query.misfit(&filled) {
            Some(misfit) => Err(misfit),
            None => Ok(filled),
        }
    }

    /// Names that do not exist, and a reply that cannot be made.
    pub(crate) fn verify(&self, known: &Known<'_>, problems: &mut Vec<Problem>) {
        let at = Node::new(self.span.clone(), crate::source::Value::Null);
        if let Some(form) = self.body.as_ref().filter(|form| !known.forms.contains_key(*form)) {
            problems.push(unknown("form", &at, form, known.forms.keys().map(String::as_str)));
        }
        if let Some(start) = self.start.as_ref().filter(|start| !known.workflows.contains_key(&start.workflow)) {
            problems.push(unknown("workflow", &at, &start.workflow, known.workflows.keys().map(String::as_str)));
        }
        if let Some(list) = self.list.as_ref().filter(|list| known.masters.get(&list.of).is_none()) {
            problems.push(unknown("reference data", &at, &list.of, known.masters.names()));
        }
        let before = problems.len();
        crate::uses::check(&self.reply, known.tables, known.masters, problems);
        let asked = self.asked(std::iter::empty()).ok();
        if let (Some(query), None, None, true) = (asked, &self.start, &self.body, before == problems.len()) {
            let found = Map::from_iter([
                ("query".into(), query),
                ("list".into(), json!([])),
                ("more".into(), json!(false)),
                ("site".into(), known.site.clone()),
            ]);
            if let Err(error) = self.reply(&found, known.host) {
                problems.push(Problem::error("evaluation", &error.span, error.message));
            }
        }
    }
}

/// What endpoints may name.
pub(crate) struct Known<'a> {
    pub workflows: &'a BTreeMap<String, Arc<Workflow>>,
    pub forms: &'a BTreeMap<String, Arc<Form>>,
    pub masters: &'a Masters,
    pub tables: &'a Tables,
    pub site: &'a Value,
    pub host: &'a dyn Host,
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

impl Starts {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Starts> {
        let mut fields = Fields::open(node, "the start of a journey", &["workflow", "event", "data"], problems)?;
        let workflow = fields.need_text("workflow");
        let event = fields.text("event").unwrap_or_else(|| "submit".into());
        let data = fields.need("data").map(|data| mapping(data, words(), &NAMES, fields.problems))?;
        Some(Starts { workflow, event, data })
    }

    pub fn data(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Value, EvalError> {
        self.data.eval(&scope(found).with_host(host))
    }
}

fn scope(found: &Map<String, Value>) -> Scope<'_> {
    found.iter().fold(Scope::new(), |scope, (name, value)| scope.with(name, value))
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

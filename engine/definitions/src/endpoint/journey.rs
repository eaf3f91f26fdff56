//! What a call does with a journey of its caller: begins one, finds one, sends events to it.

use super::{NAMES, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The workflow of a journey, or of several that a word of the call chooses from.
#[derive(Debug)]
pub enum Flow {
    One(String),
    /// Any of these workflows, for a journey that is there.
    Any(Vec<String>),
    Chosen {
        of: Expression,
        among: Vec<(String, String)>,
    },
}

impl Flow {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Flow> {
        if let Some(id) = node.as_str() {
            return Some(Flow::One(id.to_owned()));
        }
        if node.is_list() {
            return Some(Flow::Any(node.list().iter().filter_map(|id| Some(id.as_str()?.to_owned())).collect()));
        }
        if !node.is_map() {
            let problem = Problem::error("shape", &node.span, "`workflow` is the name of one, or a choice");
            problems.push(problem.hint("{of: path.kind, letter: post/letter, parcel: post/parcel}"));
            return None;
        }
        let Some(of) = node.get("of") else {
            problems.push(Problem::error("missing", &node.span, "a choice of workflows needs `of`"));
            return None;
        };
        let of = expression(of, words(), &NAMES, problems)?;
        let named = node.map().iter().filter(|(key, _)| key.name != "of");
        let among = named.filter_map(|(key, flow)| Some((key.name.clone(), flow.as_str()?.to_owned()))).collect();
        Some(Flow::Chosen { of, among })
    }

    /// All that it may be.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let (one, any, among): (Option<&String>, &[String], &[(String, String)]) = match self {
            Flow::One(id) => (Some(id), &[], &[]),
            Flow::Any(ids) => (None, ids, &[]),
            Flow::Chosen { among, .. } => (None, &[], among),
        };
        one.into_iter().chain(any).map(String::as_str).chain(among.iter().map(|(_, id)| id.as_str()))
    }

    /// The one that is meant; `None`: the word is not among them.
    pub fn id(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&str>, EvalError> {
        match self {
            Flow::One(id) => Ok(Some(id)),
            Flow::Any(ids) => Ok(ids.first().map(String::as_str)),
            Flow::Chosen { of, among } => {
                let word = of.eval(&scope(found).with_host(host))?;
                Ok(among.iter().find(|(known, _)| word == known.as_str()).map(|(_, id)| id.as_str()))
            }
        }
    }

    /// Whether a journey of this workflow is meant.
    pub fn is(&self, workflow: &str, found: &Map<String, Value>, host: &dyn Host) -> Result<bool, EvalError> {
        match self {
            Flow::Any(ids) => Ok(ids.iter().any(|id| id == workflow)),
            Flow::One(_) | Flow::Chosen { .. } => Ok(self.id(found, host)? == Some(workflow)),
        }
    }

    fn expression(&self) -> Option<&Expression> {
        match self {
            Flow::One(_) | Flow::Any(_) => None,
            Flow::Chosen { of, .. } => Some(of),
        }
    }
}

/// A journey that the call begins, with the caller's own session.
#[derive(Debug)]
pub struct Starts {
    pub flow: Flow,
    /// The event that it begins with; none: the first of `send`.
    pub first: Option<(String, Expression)>,
    /// Whoever asks for the same again finds what was begun; without it the request's own key says so.
    once: Option<Expression>,
    /// What the program says of where its visitor came from.
    attribution: Option<Expression>,
}

impl Starts {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Starts> {
        let keys = ["workflow", "event", "data", "once", "attribution"];
        let mut fields = MapReader::open(node, "the start of a journey", &keys, problems)?;
        let flow = fields.need("workflow").and_then(|flow| Flow::read(flow, fields.problems))?;
        if let (Some(at), Flow::Any(_)) = (fields.get("workflow"), &flow) {
            let problem = Problem::error("shape", &at.span, "a start has one workflow, or a choice");
            fields.problems.push(problem.hint("{of: path.kind, letter: post/letter, parcel: post/parcel}"));
        }
        let event = fields.text("event").unwrap_or_else(|| "submit".into());
        let data = fields.get("data").map(|data| mapping(data, words(), &NAMES, fields.problems));
        let once = fields.get("once").and_then(|once| expression(once, words(), &NAMES, fields.problems));
        let attribution = fields.get("attribution").map(|said| mapping(said, words(), &NAMES, fields.problems));
        Some(Starts { flow, first: data.map(|data| (event, data)), once, attribution })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let own = self.once.iter().chain(&self.attribution).chain(self.flow.expression());
        self.first.iter().map(|(_, data)| data).chain(own)
    }

    /// Text by which a second start of the same is known, where one may be.
    pub fn once(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<String>, EvalError> {
        let Some(once) = &self.once else { return Ok(None) };
        Ok(once.eval(&scope(found).with_host(host))?.as_str().map(str::to_owned))
    }

    /// Texts that say where the visitor came from, by the names that addresses use.
    pub fn attribution(
        &self,
        found: &Map<String, Value>,
        host: &dyn Host,
    ) -> Result<BTreeMap<String, String>, EvalError> {
        let Some(attribution) = &self.attribution else { return Ok(BTreeMap::new()) };
        let said = attribution.eval(&scope(found).with_host(host))?;
        let texts = said.as_object().into_iter().flatten().filter_map(|(name, text)| Some((name, text.as_str()?)));
        Ok(texts.filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name.clone(), text.to_owned())).collect())
    }

    /// The event that it begins with, where the start itself has it.
    pub fn first(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<(String, Value)>, EvalError> {
        let Some((event, data)) = &self.first else { return Ok(None) };
        Ok(Some((event.clone(), data.eval(&scope(found).with_host(host))?)))
    }
}

/// How a call names a journey of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The journey's own id.
    Id,
    /// The code that its start gave.
    Code,
}

/// A journey of the caller's that is there already.
#[derive(Debug)]
pub struct Finds {
    pub by: By,
    name: Expression,
    pub flow: Option<Flow>,
}

impl Finds {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Finds> {
        let mut fields = MapReader::open(node, "a journey of the caller", &["id", "code", "workflow"], problems)?;
        let (by, key) = if fields.get("code").is_some() { (By::Code, "code") } else { (By::Id, "id") };
        if by == By::Code && fields.get("id").is_some() {
            fields.problems.push(Problem::error("value", &node.span, "a journey has `id` or `code`, not both"));
        }
        if by == By::Id {
            fields.need("workflow");
        }
        let flow = fields.get("workflow").and_then(|flow| Flow::read(flow, fields.problems));
        let name = fields.need(key).and_then(|name| expression(name, words(), &NAMES, fields.problems))?;
        Some(Finds { by, name, flow })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.name].into_iter().chain(self.flow.iter().filter_map(Flow::expression))
    }

    /// The id or code.
    pub fn name(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<String, EvalError> {
        Ok(self.name.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned())
    }
}

/// An event that is sent while the journey stands at a step.
#[derive(Debug)]
pub struct Event {
    /// Step at which the event is sent, named from the root of the flow; none: wherever the journey stands.
    pub step: Option<String>,
    pub kind: String,
    pub data: Data,
    when: Option<Expression>,
    /// Whether a journey that has gone past the step goes back there.
    pub changes: bool,
    pub(super) at: Node,
}

/// What an event carries.
#[derive(Debug)]
pub enum Data {
    /// What the call has of the fields of the step's form.
    OfCall,
    Whole(Expression),
    Fields(Vec<Field>),
}

/// One field of an event.
#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub value: Expression,
    /// Place in the call that it comes from: what is wrong with it is said there.
    pub pointer: Option<String>,
}

impl Event {
    pub(super) fn list(fields: &mut MapReader<'_, '_>, key: &str) -> Vec<Event> {
        let all = fields.list(key);
        all.iter().filter_map(|event| Event::read(event, fields.problems)).collect()
    }

    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Event> {
        let keys = ["step", "event", "data", "when", "change"];
        let mut fields = MapReader::open(node, "an event", &keys, problems)?;
        let (step, kind) = (fields.text("step"), fields.text("event").unwrap_or_else(|| "submit".into()));
        let when = fields.get("when").and_then(|when| expression(when, words(), &NAMES, fields.problems));
        let changes = fields.bool("change");
        if changes && step.is_none() {
            fields.problems.push(Problem::error("value", &node.span, "`change` goes back to a `step`"));
        }
        let data = fields.get("data").map_or(Data::OfCall, |data| Data::read(data, fields.problems));
        let at = Node::new(node.span.clone(), crate::source::Value::Null);
        Some(Event { step, kind, data, when, changes, at })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (whole, fields): (Option<&Expression>, &[Field]) = match &self.data {
            Data::OfCall => (None, &[]),
            Data::Whole(whole) => (Some(whole), &[]),
            Data::Fields(fields) => (None, fields),
        };
        whole.into_iter().chain(fields.iter().map(|field| &field.value)).chain(&self.when)
    }

    /// Whether it is sent at all.
    pub fn is_meant(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<bool, EvalError> {
        let Some(when) = &self.when else { return Ok(true) };
        Ok(when.eval(&scope(found).with_host(host))? == Value::Bool(true))
    }

    /// A pointer into the event's data, as one into the call.
    pub fn pointer(&self, of: &str) -> String {
        let Data::Fields(fields) = &self.data else { return of.to_owned() };
        let (name, rest) = of.strip_prefix('/').map_or(("", ""), |of| of.split_once('/').unwrap_or((of, "")));
        let place = fields.iter().find(|field| field.name == name).and_then(|field| field.pointer.as_deref());
        match place {
            Some(place) if rest.is_empty() => place.to_owned(),
            Some(place) => format!("{place}/{rest}"),
            None => of.to_owned(),
        }
    }
}

impl Data {
    /// What goes out; `None`: the call says nothing of it, or what it says has other names.
    pub fn eval(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<Value>, EvalError> {
        match self {
            Data::OfCall => Ok(None),
            Data::Whole(whole) => whole.eval(&scope(found).with_host(host)).map(Some),
            Data::Fields(fields) => {
                let mut data = Map::new();
                for Field { name, value, .. } in fields {
                    let value = value.eval(&scope(found).with_host(host))?;
                    if !value.is_null() {
                        data.insert(name.clone(), value);
                    }
                }
                let says = fields.is_empty() || !data.is_empty();
                Ok(says.then_some(Value::Object(data)))
            }
        }
    }

    fn read(node: &Node, problems: &mut Vec<Problem>) -> Data {
        if !node.is_map() {
            return Data::Whole(mapping(node, words(), &NAMES, problems));
        }
        let field = |(key, value): &(crate::source::Key, Node)| {
            let value = mapping(value, words(), &NAMES, problems);
            Field { name: key.name.clone(), pointer: origin(&value), value }
        };
        Data::Fields(node.map().iter().map(field).collect())
    }
}

/// The one place of the call that a value is made of.
fn origin(value: &Expression) -> Option<String> {
    let mut places: Vec<String> = Vec::new();
    for variable in ["body", "query", "path"] {
        let reads = value.reads_of(variable, None).reads;
        places.extend(reads.iter().map(|read| read.path.iter().map(|part| format!("/{part}")).collect::<String>()));
    }
    places.dedup();
    Some(places).filter(|places| places.len() == 1).and_then(|mut places| places.pop())
}

/// How long a call waits for what the flow waits for.
#[derive(Debug, Default)]
pub struct Waits {
    pub at_most_ms: u64,
    until: Option<Expression>,
}

/// A caller is not kept waiting longer, for any flow.
const WAIT_MAX_MS: i64 = 10_000;
const WAIT_MS: u64 = 5_000;

impl Waits {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Waits> {
        let mut fields = MapReader::open(node, "a wait", &["at_most", "until"], problems)?;
        let at_most = fields.duration("at_most");
        if let Some(at) = fields.get("at_most").filter(|_| at_most.is_some_and(|ms| ms > WAIT_MAX_MS)) {
            fields.problems.push(Problem::error("value", &at.span, "a call waits 10s at most"));
        }
        let at_most_ms = at_most.map_or(WAIT_MS, |ms| ms.clamp(0, WAIT_MAX_MS).unsigned_abs());
        let until = fields.get("until").and_then(|until| expression(until, words(), &NAMES, fields.problems));
        Some(Waits { at_most_ms, until })
    }

    /// Usual waiting of a call that sends events.
    pub(super) fn usual() -> Waits {
        Waits { at_most_ms: WAIT_MS, until: None }
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.until.iter()
    }

    /// Whether nothing more is waited for; `None`: the flow says so.
    pub fn is_over(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<bool>, EvalError> {
        let Some(until) = &self.until else { return Ok(None) };
        Ok(Some(until.eval(&scope(found).with_host(host))? == Value::Bool(true)))
    }
}

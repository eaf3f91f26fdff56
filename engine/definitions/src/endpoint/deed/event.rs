//! An event that a call sends to a journey.

use crate::endpoint::{NAMES, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};

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
    pub(in crate::endpoint) at: Node,
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
    pub(in crate::endpoint) fn list(fields: &mut MapReader<'_, '_>, key: &str) -> Vec<Event> {
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

    pub(in crate::endpoint) fn expressions(&self) -> impl Iterator<Item = &Expression> {
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

    /// Whether it only hands in what the step's form holds: `data: {}`.
    pub fn hands_in(&self) -> bool {
        self.kind == "submit" && matches!(&self.data, Data::Fields(fields) if fields.is_empty())
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

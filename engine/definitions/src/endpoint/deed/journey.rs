//! A journey of the caller's is begun or found, hears events, and is read as it stands then.

use super::event::Event;
use super::flow::Flow;
use crate::endpoint::answer::{Refuses, Renamed};
use crate::endpoint::{NAMES, scope, words};
use crate::expressions::{expression, mapping};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::ANY_KEY;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Keys beside `journey` or `start`.
pub(in crate::endpoint) const BESIDE: [&str; 5] = ["send", "values", "waits", "fails", "errors"];

/// What a call does with a journey of its caller.
#[derive(Debug)]
pub struct JourneyDeed {
    pub of: Which,
    /// Sent in this order, each where it belongs.
    pub send: Vec<Event>,
    /// Values of the flow that it reads.
    pub values: Vec<String>,
    pub waits: Waits,
    /// What must hold after the events.
    pub(in crate::endpoint) fails: Vec<Refuses>,
    /// Messages of the flow that are refusals of another name here.
    pub errors: BTreeMap<String, Renamed>,
}

/// Which journey it is.
#[derive(Debug)]
pub enum Which {
    Begun(Starts),
    Found(Finds),
}

impl JourneyDeed {
    pub(in crate::endpoint) fn read(fields: &mut MapReader<'_, '_>) -> Option<JourneyDeed> {
        let begins = fields.get("start").map(|start| Starts::read(start, fields.problems));
        let finds = fields.get("journey").map(|journey| Finds::read(journey, fields.problems));
        let send = Event::list(fields, "send");
        let values = fields.texts("values");
        let waits = fields.get("waits").and_then(|waits| Waits::read(waits, fields.problems));
        let waits = waits.unwrap_or_else(|| if send.is_empty() { Waits::default() } else { Waits::usual() });
        let (fails, errors) = (Refuses::list(fields, "fails"), Renamed::map(fields, "errors"));
        let of = match (begins, finds) {
            (Some(starts), _) => Which::Begun(starts?),
            (None, finds) => Which::Found(finds??),
        };
        let needs_first = matches!(&of, Which::Begun(starts) if starts.first.is_none());
        if needs_first && send.first().is_none_or(|first| first.step.is_none()) {
            let at = fields.node.key("start").map_or(&fields.node.span, |key| &key.span);
            let problem = Problem::error("missing", at, "a start needs the first answers");
            fields.problems.push(problem.hint("data: body, or `send` whose first event names the first step"));
        }
        Some(JourneyDeed { of, send, values, waits, fails, errors })
    }

    /// The workflows that it may be of.
    pub fn flows(&self) -> impl Iterator<Item = &str> {
        let flow = match &self.of {
            Which::Begun(starts) => Some(&starts.flow),
            Which::Found(finds) => finds.flow.as_ref(),
        };
        flow.into_iter().flat_map(Flow::ids)
    }

    /// Whether a call may name what is not there.
    pub(in crate::endpoint) fn may_be_missing(&self) -> bool {
        match &self.of {
            Which::Begun(starts) => matches!(starts.flow, Flow::Chosen { .. }),
            Which::Found(_) => true,
        }
    }

    pub(in crate::endpoint) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (starts, finds) = match &self.of {
            Which::Begun(starts) => (Some(starts), None),
            Which::Found(finds) => (None, Some(finds)),
        };
        let of = starts.into_iter().flat_map(Starts::expressions).chain(finds.into_iter().flat_map(Finds::expressions));
        let sent = self.send.iter().flat_map(Event::expressions);
        of.chain(sent)
            .chain(self.waits.until.iter().map(|until| &until.holds))
            .chain(self.fails.iter().map(Refuses::expression))
    }

    /// Reports values that expressions read of the journey, and that the call does not ask for.
    pub(in crate::endpoint) fn check_values(&self, expressions: &[&Expression], problems: &mut Vec<Problem>) {
        for expression in expressions {
            for read in expression.reads_of("journey", None).reads {
                let ["values", name, ..] = read.path.as_slice() else { continue };
                if *name != ANY_KEY && !self.values.iter().any(|value| value == name) {
                    let span = read.asked.span.unwrap_or_else(|| expression.span());
                    let problem =
                        Problem::error("missing", span, format!("the call does not ask for the value `{name}`"));
                    problems.push(problem.hint(format!("values: [{name}]")));
                }
            }
        }
    }

    /// Why the call is refused after its events.
    pub fn failure(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<Option<&Refuses>, EvalError> {
        Refuses::first(&self.fails, found, host)
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
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Starts> {
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

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
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
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Finds> {
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

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.name].into_iter().chain(self.flow.iter().filter_map(Flow::expression))
    }

    /// The field of the body that says it, the first where several may.
    pub fn field(&self) -> Option<&str> {
        let (_, read) = self.name.text().split_once("body.")?;
        read.trim_start_matches('?').split(|c: char| !c.is_alphanumeric() && c != '_').next()
    }

    /// The id or code; empty where the call names none.
    pub fn name(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<String, EvalError> {
        Ok(self.name.eval(&scope(found).with_host(host))?.as_str().unwrap_or_default().to_owned())
    }
}

/// How long a call waits for what the flow waits for.
#[derive(Debug, Default)]
pub struct Waits {
    pub at_most_ms: u64,
    /// None: until the flow waits for no call any more.
    pub until: Option<Until>,
}

/// What a call waits for, over where the journey stands.
#[derive(Debug)]
pub struct Until {
    holds: Expression,
    /// Values of the flow that it reads.
    pub values: Vec<String>,
}

/// A caller is not kept waiting longer, for any flow.
const WAIT_MAX_MS: i64 = 10_000;
const WAIT_MS: u64 = 5_000;
/// What is known of a journey while it is waited for: its page is not drawn for every change.
const STANDING: [&str; 4] = ["state", "status", "verified", "values"];

impl Waits {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Waits> {
        let mut fields = MapReader::open(node, "a wait", &["at_most", "until"], problems)?;
        let at_most = fields.duration("at_most");
        if let Some(at) = fields.get("at_most").filter(|_| at_most.is_some_and(|ms| ms > WAIT_MAX_MS)) {
            fields.problems.push(Problem::error("value", &at.span, "a call waits 10s at most"));
        }
        let at_most_ms = at_most.map_or(WAIT_MS, |ms| ms.clamp(0, WAIT_MAX_MS).unsigned_abs());
        let until = fields.get("until").and_then(|until| Until::read(until, fields.problems));
        Some(Waits { at_most_ms, until })
    }

    /// Usual waiting of a call that sends events.
    fn usual() -> Waits {
        Waits { at_most_ms: WAIT_MS, until: None }
    }
}

impl Until {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Until> {
        let holds = expression(node, words(), &NAMES, problems)?;
        let mut values = Vec::new();
        for read in holds.reads_of("journey", None).reads {
            match read.path.as_slice() {
                ["values", name, ..] if *name != ANY_KEY => values.push((*name).to_owned()),
                [part, ..] if *part != "values" && STANDING.contains(part) => {}
                _ => {
                    let at = read.asked.span.unwrap_or_else(|| holds.span());
                    let problem = Problem::error("value", at, "a wait does not see this part of the journey");
                    problems.push(problem.hint(format!("`journey.` {}", STANDING.join(", "))));
                }
            }
        }
        values.dedup();
        Some(Until { holds, values })
    }

    pub fn holds(&self, found: &Map<String, Value>, host: &dyn Host) -> Result<bool, EvalError> {
        Ok(self.holds.eval(&scope(found).with_host(host))? == Value::Bool(true))
    }
}

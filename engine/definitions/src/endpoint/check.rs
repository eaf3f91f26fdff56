//! Names of an endpoint that do not exist, what no file may lower, and a reply that cannot be made.

use super::{Data, Deed, Endpoint, Event, Field, PersonDeed, Which, Who};
use crate::channels::Channels;
use crate::fields::unknown;
use crate::form::Form;
use crate::partner::Partner;
use crate::policy::FLOOR;
use crate::references::References;
use crate::source::{Node, Value as Source};
use crate::variants::Audience;
use crate::workflow::{Step, StepKind, Workflow};
use engine_statechart::expression::Scope;
use engine_statechart::{Host, Problem};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What endpoints may name.
pub(crate) struct EndpointReferences<'a> {
    pub workflows: &'a BTreeMap<String, Arc<Workflow>>,
    pub forms: &'a BTreeMap<String, Arc<Form>>,
    pub partners: &'a BTreeMap<String, Arc<Partner>>,
    pub references: References<'a>,
    pub site: &'a Value,
    pub host: &'a dyn Host,
}

/// Events that every step may be sent.
const BUILT_IN: [&str; 4] = ["submit", "back", "change", "save"];

/// What a form begins with; texts where it says nothing.
fn asked_first(form: &Form, host: &dyn Host) -> Value {
    let mut asked: Map<String, Value> = form.property_names().map(|name| (name.to_owned(), json!(""))).collect();
    let context = json!({});
    let scope = Scope::new().with("context", &context).with_host(host);
    if let Ok(fields) = form.fields(&Audience::default(), &scope) {
        asked.extend(fields.data(&[]));
    }
    Value::Object(asked)
}

impl Endpoint {
    pub(crate) fn verify(&self, known: &EndpointReferences<'_>, problems: &mut Vec<Problem>) {
        let at = Node::new(self.span.clone(), Source::Null);
        for form in self.asks.forms().filter(|form| !known.forms.contains_key(*form)) {
            problems.push(unknown("form", &at, form, known.forms.keys().map(String::as_str)));
        }
        let flows: Vec<&str> = self.flows().collect();
        for flow in flows.iter().filter(|flow| !known.workflows.contains_key(**flow)) {
            problems.push(unknown("workflow", &at, flow, known.workflows.keys().map(String::as_str)));
        }
        match &self.deed {
            Deed::Lists(list) if known.references.masters.get(&list.of).is_none() => {
                problems.push(unknown("reference data", &at, &list.of, known.references.masters.names()));
            }
            Deed::AsksPartner(call) => {
                let partners = known.partners.iter();
                let names = partners
                    .flat_map(|(id, partner)| partner.operations.keys().map(move |name| format!("{id}/{name}")));
                let names: Vec<String> = names.collect();
                if !names.contains(&call.of) {
                    problems.push(unknown("operation", &at, &call.of, names.iter().map(String::as_str)));
                }
            }
            Deed::Journey(deed) => {
                let flows: Vec<&Workflow> =
                    flows.iter().filter_map(|flow| known.workflows.get(*flow)).map(Arc::as_ref).collect();
                deed.send.iter().for_each(|event| fits(event, &flows, problems));
                let is_unknown =
                    |value: &&String| !flows.is_empty() && flows.iter().all(|flow| flow.value(value).is_none());
                for value in deed.values.iter().filter(is_unknown) {
                    problems.push(unknown("value", &at, value, flows[0].value_names()));
                }
            }
            _ => {}
        }
        self.reads_what_is_there(known, problems);
        self.keep_to_floors(known, problems);
        let before = problems.len();
        known.references.check(self.answer.reply_expression(), problems);
        let asked = match self.asks.query_form.as_ref().map(|form| known.forms.get(form)) {
            Some(form) => form.map(|form| asked_first(form, known.host)),
            None => self.asks.parse_query(std::iter::empty()).ok(),
        };
        let reads = self.method == "GET"
            && self.caller.who != Who::Person
            && !matches!(self.deed, Deed::AsksPartner(_) | Deed::Journey(_))
            && self.address.is_fixed()
            && before == problems.len();
        if let (Some(query), true) = (asked, reads) {
            let found = Map::from_iter([
                ("path".into(), json!({})),
                ("query".into(), query),
                ("list".into(), json!([])),
                ("more".into(), json!(false)),
                ("visit".into(), Channels::nobody()),
                ("site".into(), known.site.clone()),
            ]);
            if let Err(error) = self.answer.reply(&found, known.host) {
                problems.push(Problem::error("evaluation", &error.span, error.message));
            }
        }
    }

    fn keep_to_floors(&self, known: &EndpointReferences<'_>, problems: &mut Vec<Problem>) {
        let started = match self.deed.journey().map(|deed| &deed.of) {
            Some(Which::Begun(_)) => self.flows().filter_map(|id| known.workflows.get(id)).collect(),
            _ => Vec::new(),
        };
        for flow in started.into_iter().filter(|workflow| self.lacks_proof(workflow)) {
            let message = format!("`{}` signs somebody in: who begins it proves some work first", flow.id);
            problems.push(Problem::error(FLOOR, &self.span, message).hint("proof: true"));
        }
        if matches!(self.deed, Deed::Person(PersonDeed::TakesOver(_))) && self.caller.roles.is_empty() {
            let message = "`takes_over` opens the request of a customer: it is for some roles alone";
            problems.push(Problem::error(FLOOR, &self.span, message).hint("roles: those of `assists`"));
        }
        let asked = match &self.deed {
            Deed::AsksPartner(call) => call.of.split_once('/'),
            _ => None,
        };
        let operation = asked.and_then(|(partner, name)| known.partners.get(partner)?.operation(name));
        if let Some(taken) = operation.and_then(|operation| operation.takes().next()) {
            let message = format!("`call` takes {}, which only a journey with a verified number does", taken.word());
            problems.push(Problem::error(FLOOR, &self.span, message).hint("a step of a workflow calls it"));
        }
        if operation.is_some_and(|operation| operation.sends().is_some()) {
            let message = "`call` sends a message, which only a journey does: there it is counted who gets how many";
            problems.push(Problem::error(FLOOR, &self.span, message).hint("a step of a workflow calls it"));
        }
        if self.method == "GET" {
            let flows: Vec<&Arc<Workflow>> = self.flows().filter_map(|flow| known.workflows.get(flow)).collect();
            let is_answered = |event: &&Event| {
                let Some(name) = event.step.as_deref() else { return false };
                let mut steps = flows.iter().filter_map(|flow| flow.step_named(name)).peekable();
                event.kind == "submit" && steps.peek().is_some() && steps.all(asks)
            };
            let sent = self.deed.journey().map(|deed| deed.send.as_slice()).unwrap_or_default();
            for event in sent.iter().filter(|event| !is_answered(event)) {
                let message = "GET sends nothing but the answer of a step of `kind: comparison` that takes nothing";
                problems.push(Problem::error(FLOOR, &event.at.span, message).hint("method: POST"));
            }
        }
    }
}

/// Whether the step is in one of the flows, and takes such an event wherever it is.
fn fits(event: &Event, flows: &[&Workflow], problems: &mut Vec<Problem>) {
    let Some(name) = &event.step else { return };
    let steps: Vec<(&Workflow, &Step)> =
        flows.iter().filter_map(|flow| Some((*flow, flow.step_named(name)?))).collect();
    if steps.is_empty() && !flows.is_empty() {
        let known: Vec<&str> =
            flows.iter().flat_map(|flow| flow.steps().map(|step| flow.state_name(&step.node))).collect();
        problems.push(unknown("step", &event.at, name, known));
    }
    for (flow, step) in steps {
        if !BUILT_IN.contains(&event.kind.as_str()) && !step.accepts.contains_key(&event.kind) {
            problems.push(unknown("event", &event.at, &event.kind, step.accepts.keys().map(String::as_str)));
            continue;
        }
        if let (Some(accept), Data::Fields(fields)) = (step.accepts.get(&event.kind), &event.data) {
            let known = accept.schema.get("properties").and_then(Value::as_object);
            for field in fields.iter().filter(|field| known.is_some_and(|known| !known.contains_key(&field.name))) {
                let names = known.into_iter().flat_map(Map::keys).map(String::as_str);
                problems.push(unknown("field", &event.at, &field.name, names));
            }
        }
        let form = step.form.as_deref().filter(|_| event.kind == "submit").and_then(|form| flow.form(form));
        let (Some(form), Data::Fields(fields)) = (form, &event.data) else { continue };
        for field in fields.iter().filter(|field| !form.properties().contains(&field.name)) {
            problems.push(unknown("field", &event.at, &field.name, form.property_names()));
        }
        for field in fields.iter().filter(|field| form.agrees_by(&field.name) && !is_of_call(field)) {
            let message = format!("by `{}` a customer agrees to something: nobody says so in their place", field.name);
            let hint = format!("{}: body.{}", field.name, field.name);
            problems.push(Problem::error(FLOOR, &event.at.span, message).hint(hint));
        }
    }
}

/// Whether its answer only asks for offers.
fn asks(step: &Step) -> bool {
    step.kind == StepKind::Comparison && !step.takes.contains("submit")
}

fn is_of_call(field: &Field) -> bool {
    field.value.names().any(|name| name == "body")
}

//! What forms and calls put into the context.

use super::super::desugar::Builder;
use super::super::locations::{ALL_KINDS, Change, Ix, Kinds, Locations, OPTIONAL, Presence, Put, THERE, bit};
use super::super::{Invoke, Step};
use super::{Check, Op};
use crate::form::Form;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::{ANY_KEY, ValueKind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields of a row of `each`.
const ROW: [(&str, &[ValueKind]); 8] = [
    ("state", &[ValueKind::Text]),
    ("output", &[]),
    ("error", &[]),
    ("late", &[ValueKind::Bool]),
    ("asked_at", &[ValueKind::Text]),
    ("answered_at", &[ValueKind::Text]),
    ("previous", &[]),
    ("run", &[]),
];

/// Conditions of a required field: places of the other fields with the texts that show it.
pub type Shown = Vec<(Ix, Vec<String>)>;

pub fn of_step<'s>(step: &'s Step, form: Option<&'s Form>) -> Vec<&'s Expression> {
    let mut found: Vec<&Expression> = step.data.values().collect();
    found.extend(&step.prefill);
    found.extend(&step.covered);
    found.extend(&step.depends);
    found.extend(&step.satisfied);
    found.extend(&step.known);
    if let Some(redirect) = &step.redirect {
        found.push(&redirect.url);
        found.push(&redirect.fields);
    }
    found.extend(form.into_iter().flat_map(|f| f.cels.values()));
    found
}

/// Answers replace what the form asks: required fields are there, others perhaps.
pub fn answers(places: &mut Locations, form: &Form, into: &str) -> Change {
    let at = places.at(into.split('.'));
    let mut found = BTreeMap::new();
    fields(places, at, &form.tree, THERE, &mut found);
    for variant in &form.variants {
        fields(places, at, &variant.merge, OPTIONAL, &mut found);
    }
    Change::Answers(at, found.into_iter().map(|(at, (level, kinds))| (at, level, kinds)).collect())
}

/// The fields of an object or a row: `best` is the level of those that are always asked and required.
fn fields(places: &mut Locations, at: Ix, schema: &Value, best: Presence, found: &mut BTreeMap<Ix, (Presence, Kinds)>) {
    for (name, rule) in crate::form::properties(schema).filter(|(_, rule)| !rule.is_null()) {
        if rule.get("x-secret").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let place = places.below(at, name);
        let rows = rule.get("items").filter(|items| items.get("properties").is_some());
        let is_shown = crate::form::conditions(schema, rule).next().is_none();
        // Lists of rows are there even when they are empty.
        let is_there = is_shown && (rows.is_some() || crate::form::requires(schema, name));
        let entry = found.entry(place).or_insert((OPTIONAL, 0));
        entry.0 = entry.0.max(if is_there { best } else { OPTIONAL });
        entry.1 |= kinds(rule);
        if let Some(rows) = rows {
            let row = places.below(place, ANY_KEY);
            found.insert(row, (THERE, bit(ValueKind::Map)));
            let key = places.below(row, crate::form::key_name(rule));
            found.insert(key, (THERE, bit(ValueKind::Text)));
            fields(places, row, rows, best, found);
        } else if rule.get("properties").is_some() {
            fields(places, place, rule, best, found);
        }
    }
}

/// Required fields that conditions ask for when other fields of the form have a text.
pub fn required_fields(places: &mut Locations, form: &Form, into: &str) -> Vec<(Ix, Shown)> {
    let at = places.at(into.split('.'));
    let mut found = Vec::new();
    for (name, rule) in crate::form::properties(&form.tree).filter(|(name, _)| crate::form::requires(&form.tree, name))
    {
        let texts = |wanted: &Value| match wanted {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(list) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        let conditions: Vec<_> =
            crate::form::conditions(&form.tree, rule).filter_map(Value::as_object).flatten().collect();
        if conditions.is_empty() {
            continue;
        }
        let each: Option<Shown> = conditions
            .into_iter()
            .map(|(other, wanted)| Some((places.below(at, other.trim_start_matches('/')), texts(wanted)?)))
            .collect();
        let field = places.below(at, name);
        found.extend(each.map(|shown| (field, shown)));
    }
    found
}

/// Kinds that a schema lets through.
fn kinds(rule: &Value) -> Kinds {
    let named = |name: &str| match name {
        "string" => bit(ValueKind::Text),
        "integer" | "number" => bit(ValueKind::Number),
        "boolean" => bit(ValueKind::Bool),
        "array" => bit(ValueKind::List),
        "object" => bit(ValueKind::Map),
        "null" => bit(ValueKind::Null),
        _ => ALL_KINDS,
    };
    match rule.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(named).fold(0, |a, b| a | b),
        _ if rule.get("properties").is_some() => bit(ValueKind::Map),
        _ => match rule.get("enum") {
            Some(Value::Array(values)) => values.iter().map(|v| bit(ValueKind::of(v))).fold(0, |a, b| a | b),
            _ => ALL_KINDS,
        },
    }
}

impl Check<'_> {
    /// What a call's answer puts into the context: rows while it runs, or its output when it is done.
    pub fn output(&mut self, invoke: &Invoke, order: &BTreeMap<&str, usize>, builder: &Builder<'_>) {
        let Some(into) = invoke.into.as_deref() else { return };
        let at = self.places.at(into.split('.'));
        let contract = invoke.contract.as_deref().and_then(|id| builder.contracts.get(id));
        if invoke.each {
            let row = self.places.below(at, ANY_KEY);
            let field = |(name, kinds): &(&str, &[ValueKind])| {
                let place = self.places.below(row, name);
                let value = match (contract, kinds, *name) {
                    (Some(contract), _, "output") => self.places.put_shape(place, &contract.output),
                    (_, [kind], _) => Put::Plain(*kind),
                    _ => Put::Unknown,
                };
                (place, value)
            };
            let fields = ROW.iter().map(field).collect();
            let above: Vec<&str> = into.split('.').collect();
            let above = self.prefixes(&above);
            if let Some(node) = order.get(invoke.node.as_str()).and_then(|ix| self.nodes.get_mut(*ix)) {
                node.entry.push(Op::Do(Change::Within(above)));
                node.entry.push(Op::Do(Change::Set(row, Put::Map(fields))));
            }
            return;
        }
        let value = contract.map_or(Put::Unknown, |contract| self.places.put_shape(at, &contract.output));
        let event = format!("xstate.done.actor.{}", invoke.id);
        self.outputs.insert(event, Change::Set(at, Put::Over(Box::new(Put::Same), Box::new(value))));
    }
}

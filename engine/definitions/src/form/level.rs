//! A drawn form as it is worked with at every answer: its schema read once into fields, in their order.

use super::condition::of_field;
use super::date::Bounds;
use super::normalise::Normaliser;
use super::refuse::Refusal;
use super::rows::{self, Rows};
use serde_json::Value;
use std::collections::HashMap;

/// Fields of an object: of the form, of a group of answers, of a row.
#[derive(Default)]
pub struct Level {
    pub fields: Vec<Field>,
    /// What a computed condition took away: answers to it are dropped.
    pub gone: Vec<String>,
}

pub struct Field {
    pub name: String,
    /// The field's part of a pointer: `/name`.
    pub part: String,
    /// Whether `required` names the field.
    pub is_required: bool,
    /// `x-required`: required when this holds.
    pub required_when: Option<Value>,
    /// Conditions that all hold when the field is shown: its own, and those of its groups.
    pub shown_when: Vec<Value>,
    pub holds: Holds,
    pub rule: Rule,
    pub default: Option<Value>,
    /// `x-messages`: its texts by code.
    pub texts: Value,
}

/// What the answer to a field is made of.
pub enum Holds {
    /// One value, or a list of them.
    Value,
    Object(Level),
    Rows(Rows),
}

/// What is done with one value, and what it must be beside what its JSON Schema says.
#[derive(Default)]
pub struct Rule {
    pub normaliser: Option<Normaliser>,
    pub refusals: Vec<Refusal>,
    pub reads: Option<Reads>,
    pub format: Option<Format>,
    pub bounds: Bounds,
    /// Rule for each value of a list.
    pub items: Option<Box<Rule>>,
}

/// What a text is read as.
#[derive(Clone, Copy, PartialEq)]
pub enum Reads {
    Integer,
    Number,
    Boolean,
    /// A text alone is a list of one.
    List,
}

impl Reads {
    /// What a text is read as where a value of this `type` is asked for.
    pub fn of_kind(kind: &str) -> Option<Reads> {
        match kind {
            "integer" => Some(Reads::Integer),
            "number" => Some(Reads::Number),
            "boolean" => Some(Reads::Boolean),
            "array" => Some(Reads::List),
            _ => None,
        }
    }
}

/// Formats that both languages check by our own rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Format {
    Date,
    Email,
}

pub type Normalisers = HashMap<String, Normaliser>;

impl Level {
    /// Reads an object's schema in which nothing is computed any more. Normalisers are known by their steps as text.
    pub fn read(schema: &Value, normalisers: &Normalisers) -> Level {
        let fields = super::properties(schema).map(|(name, rule)| Field::read(schema, (name, rule), normalisers));
        let gone = schema.get("x-gone").and_then(Value::as_array).into_iter().flatten();
        Level { fields: fields.collect(), gone: gone.filter_map(Value::as_str).map(str::to_owned).collect() }
    }

    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }
}

impl Field {
    fn read(level: &Value, (name, rule): (&String, &Value), normalisers: &Normalisers) -> Field {
        let holds = if rows::is_list(rule) {
            Holds::Rows(Rows::read(rule, normalisers))
        } else if rule.get("properties").is_some() {
            Holds::Object(Level::read(rule, normalisers))
        } else {
            Holds::Value
        };
        Field {
            name: name.clone(),
            part: super::below("", name),
            is_required: super::requires(level, name),
            required_when: rule.get("x-required").cloned(),
            shown_when: of_field(level, rule).cloned().collect(),
            holds,
            rule: Rule::read(rule, normalisers),
            default: rule.get("default").cloned(),
            texts: rule.get("x-messages").cloned().unwrap_or_default(),
        }
    }

    /// The field's rows with the fields of each.
    pub fn rows<'f, 'v>(&'f self, value: &'v Value) -> impl Iterator<Item = (&'f Level, &'v Value)> {
        let known = match &self.holds {
            Holds::Rows(rows) => Some((rows, value.as_array().map_or(&[][..], Vec::as_slice))),
            Holds::Value | Holds::Object(_) => None,
        };
        known
            .into_iter()
            .flat_map(|(rows, items)| items.iter().enumerate().filter_map(|(i, item)| Some((rows.level(i)?, item))))
    }
}

impl Rule {
    fn read(rule: &Value, normalisers: &Normalisers) -> Rule {
        let text = |key: &str| rule.get(key).and_then(Value::as_str);
        let reads = text("type").filter(|_| !rows::is_list(rule)).and_then(Reads::of_kind);
        let format = match text("format") {
            Some("date") => Some(Format::Date),
            Some("email") => Some(Format::Email),
            _ => None,
        };
        Rule {
            normaliser: rule.get("x-normalise").and_then(|steps| normalisers.get(&steps.to_string())).cloned(),
            refusals: super::refuse::of(rule).iter().filter_map(Refusal::read).collect(),
            reads,
            format,
            bounds: rule.get("x-date").map(Bounds::read).unwrap_or_default(),
            items: rule.get("items").map(|items| Box::new(Rule::read(items, normalisers))),
        }
    }
}

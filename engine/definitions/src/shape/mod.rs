//! Shapes: what data looks like, written short. A word is a type; a map with `type` or `enum` is a JSON Schema
//! of the few keys below; another map is an object with these properties; a list of one is a list of it.
//! Objects with properties are closed. What has no `default` must be there; a default is filled in by us.

mod mapping;
mod versions;

pub use mapping::Given;

use crate::fields::{MapReader, unknown_keys};
use crate::source::{Node, Value as Source};
use engine_statechart::expression::reads::ValueKind;
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    types: Vec<Type>,
    choices: Option<Vec<Value>>,
    format: Option<Format>,
    minimum: Option<i64>,
    maximum: Option<i64>,
    /// Shape of a list's items.
    items: Option<Box<Shape>>,
    /// Fields of an object; `None`: it may have any.
    properties: Option<IndexMap<String, Shape>>,
    default: Option<Value>,
    description: Option<String>,
    /// Kinds of personal data that it takes.
    personal: Vec<String>,
    /// Whether it takes what nobody reads again.
    is_secret: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Date,
    DateTime,
    /// The id of a document of the journey.
    Document,
}

/// Words that stand for a type; `any` stands for all of them.
pub(crate) const TYPES: [&str; 8] = ["string", "integer", "number", "boolean", "object", "array", "null", "any"];
const FORMATS: [&str; 3] = ["date", "date-time", "document"];
const KEYS: [&str; 11] = [
    "type",
    "enum",
    "format",
    "minimum",
    "maximum",
    "items",
    "properties",
    "default",
    "description",
    "x-pii",
    "x-secret",
];
const ALL: [Type; 6] = [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];

/// Place to which a path leads in a shape.
pub enum PathTarget<'s> {
    Shape(&'s Shape),
    /// Anything may be there.
    Open,
    /// Segment `at` is not there; `known` are.
    Unknown {
        at: usize,
        known: Vec<&'s str>,
    },
}

/// A place at which a value does not fit, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// JSON pointer of the place.
    pub pointer: String,
    pub message: String,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}` {}", self.pointer, self.message)
        }
    }
}

impl Type {
    fn of_word(word: &str) -> Option<Vec<Type>> {
        Some(match word {
            "string" => vec![Type::String],
            "integer" => vec![Type::Integer],
            "number" => vec![Type::Number],
            "boolean" => vec![Type::Boolean],
            "object" => vec![Type::Object],
            "array" => vec![Type::Array],
            "null" => vec![Type::Null],
            "any" => ALL.to_vec(),
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    /// Words by which messages name it.
    fn phrase(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "true or false",
            Type::Integer => "an integer",
            Type::Number => "a number",
            Type::String => "a text",
            Type::Array => "a list",
            Type::Object => "a map",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Type::Null => value.is_null(),
            Type::Boolean => value.is_boolean(),
            Type::Integer => value.as_i64().is_some() || value.as_f64().is_some_and(|f| f.fract() == 0.0),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::Array => value.is_array(),
            Type::Object => value.is_object(),
        }
    }

    fn may_be(self, kind: ValueKind) -> bool {
        match kind {
            ValueKind::Null => self == Type::Null,
            ValueKind::Bool => self == Type::Boolean,
            ValueKind::Number => matches!(self, Type::Integer | Type::Number),
            ValueKind::Text => self == Type::String,
            ValueKind::List => self == Type::Array,
            ValueKind::Map => self == Type::Object,
        }
    }
}

impl Shape {
    /// A shape that takes anything.
    pub fn any() -> Shape {
        Shape::of(ALL.to_vec())
    }

    /// A text that nobody reads again.
    pub fn secret() -> Shape {
        Shape { is_secret: true, ..Shape::of(vec![Type::String]) }
    }

    /// A map without properties.
    pub fn empty() -> Shape {
        Shape { properties: Some(IndexMap::new()), ..Shape::of(vec![Type::Object]) }
    }

    /// A closed map of these properties, whatever they are called.
    pub fn map(node: &Node, problems: &mut Vec<Problem>) -> Shape {
        Shape { properties: Some(properties(node, problems)), ..Shape::of(vec![Type::Object]) }
    }

    fn of(types: Vec<Type>) -> Shape {
        Shape {
            types,
            choices: None,
            format: None,
            minimum: None,
            maximum: None,
            items: None,
            properties: None,
            default: None,
            description: None,
            personal: Vec::new(),
            is_secret: false,
        }
    }

    /// Reads a shape; what is wrong is reported and read as anything.
    pub fn read(node: &Node, problems: &mut Vec<Problem>) -> Shape {
        match &node.value {
            Source::String(word) => types(word, node, problems).map_or_else(Shape::any, Shape::of),
            Source::List(items) => {
                let item = match items.as_slice() {
                    [one] => Shape::read(one, problems),
                    _ => {
                        let message = "a list of one shape is expected: what each of its items looks like";
                        problems.push(Problem::error("shape", &node.span, message).hint("[string]"));
                        Shape::any()
                    }
                };
                Shape { items: Some(Box::new(item)), ..Shape::of(vec![Type::Array]) }
            }
            Source::Map(_) if node.get("type").is_some() || node.get("enum").is_some() => Shape::schema(node, problems),
            Source::Map(_) => Shape::map(node, problems),
            Source::Null | Source::Bool(_) | Source::Int(_) | Source::Float(_) => {
                let message = format!("a shape is a type, a map or a list of one, not {}", node.kind());
                problems.push(Problem::error("shape", &node.span, message).hint(TYPES.join(", ")));
                Shape::any()
            }
        }
    }

    fn schema(node: &Node, problems: &mut Vec<Problem>) -> Shape {
        unknown_keys(node, "a shape with `type` or `enum`", &KEYS, problems);
        let mut shape = Shape::any();
        if let Some(named) = node.get("type") {
            let each = named.items().iter().filter_map(|n| match n.as_str() {
                Some(word) => types(word, n, problems),
                None => {
                    let message = format!("`type` is a word or a list of words, not {}", n.kind());
                    problems.push(Problem::error("shape", &n.span, message));
                    None
                }
            });
            shape.types = each.collect::<Vec<_>>().concat();
            if shape.types.is_empty() {
                shape.types = ALL.to_vec();
            }
        }
        shape.choices = node.get("enum").map(|list| list.items().iter().map(Node::to_json).collect());
        if let Some(format) = node.get("format") {
            let word = format.as_str().unwrap_or_default();
            shape.format = match word {
                "date" => Some(Format::Date),
                "date-time" => Some(Format::DateTime),
                "document" => Some(Format::Document),
                _ => {
                    let hint = did_you_mean(word, FORMATS).unwrap_or_else(|| FORMATS.join(", "));
                    let message = format!("unknown format `{word}`");
                    problems.push(Problem::error("value", &format.span, message).hint(hint));
                    None
                }
            };
        }
        for (key, bound) in [("minimum", &mut shape.minimum), ("maximum", &mut shape.maximum)] {
            let Some(given) = node.get(key) else { continue };
            *bound = given.as_int();
            if bound.is_none() {
                problems.push(Problem::error(
                    "shape",
                    &given.span,
                    format!("`{key}` is an integer, not {}", given.kind()),
                ));
            }
        }
        shape.items = node.get("items").map(|item| Box::new(Shape::read(item, problems)));
        shape.properties = node.get("properties").map(|inner| properties(inner, problems));
        shape.description = node.get("description").and_then(Node::as_str).map(str::to_owned);
        let mut marks = MapReader { node, problems, what: "a shape" };
        (shape.personal, shape.is_secret) = (marks.texts("x-pii"), marks.bool("x-secret"));
        if let Some(default) = node.get("default") {
            let value = default.to_json();
            match shape.misfit(&value) {
                Some(misfit) => problems.push(Problem::error("value", &default.span, format!("the default: {misfit}"))),
                None => shape.default = Some(value),
            }
        }
        shape
    }

    /// Kinds of personal data that it takes, and what is in it.
    pub fn personal(&self) -> Vec<&str> {
        let below = self.properties().map(|(_, shape)| shape).chain(self.item()).flat_map(Shape::personal);
        self.personal.iter().map(String::as_str).chain(below).collect()
    }

    /// Whether it takes what nobody reads again.
    pub fn is_secret(&self) -> bool {
        self.is_secret
    }

    /// Names of properties at any depth that hold personal data, each with its kind.
    pub fn personal_fields(&self) -> Vec<(&str, &str)> {
        let (mut found, mut open) = (Vec::new(), vec![self]);
        while let Some(shape) = open.pop() {
            open.extend(shape.item());
            for (name, inner) in shape.properties() {
                found.extend(inner.personal.first().map(|kind| (name, kind.as_str())));
                open.push(inner);
            }
        }
        found
    }

    /// Ids of documents of the journey that a value names.
    pub fn documents<'v>(&self, value: &'v Value) -> Vec<&'v str> {
        match value {
            Value::String(id) if self.format == Some(Format::Document) => vec![id],
            Value::Array(items) => {
                items.iter().flat_map(|item| self.item().map_or_else(Vec::new, |shape| shape.documents(item))).collect()
            }
            Value::Object(map) => {
                let named = self.properties().filter_map(|(name, shape)| Some((shape, map.get(name)?)));
                named.flat_map(|(shape, value)| shape.documents(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Names of an object's properties; empty when it may have any.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.properties().map(|(name, _)| name)
    }

    pub fn properties(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.properties.iter().flatten().map(|(name, shape)| (name.as_str(), shape))
    }

    /// Whether only named properties may be there.
    pub fn is_closed(&self) -> bool {
        self.properties.is_some()
    }

    pub fn item(&self) -> Option<&Shape> {
        self.items.as_deref()
    }

    /// What is known of the kind of its values: `None` when it may be several.
    pub fn kind(&self) -> Option<ValueKind> {
        match self.types.as_slice() {
            [Type::Null] => Some(ValueKind::Null),
            [Type::Boolean] => Some(ValueKind::Bool),
            [Type::Integer | Type::Number] => Some(ValueKind::Number),
            [Type::String] => Some(ValueKind::Text),
            [Type::Array] => Some(ValueKind::List),
            [Type::Object] => Some(ValueKind::Map),
            _ => None,
        }
    }

    /// The value with every default that is missing; null, where it may not be, is missing too.
    pub fn fill(&self, value: Value) -> Value {
        match value {
            Value::Object(mut map) => {
                for (name, shape) in self.properties.iter().flatten() {
                    let given = map.remove(name).filter(|v| !v.is_null() || shape.types.contains(&Type::Null));
                    match (given, &shape.default) {
                        (Some(given), _) => drop(map.insert(name.clone(), shape.fill(given))),
                        (None, Some(default)) => drop(map.insert(name.clone(), shape.fill(default.clone()))),
                        (None, None) => {}
                    }
                }
                Value::Object(map)
            }
            Value::Array(items) => match &self.items {
                Some(item) => items.into_iter().map(|value| item.fill(value)).collect(),
                None => Value::Array(items),
            },
            plain => plain,
        }
    }

    /// The first place at which a value does not fit, and why.
    pub fn misfit(&self, value: &Value) -> Option<Misfit> {
        let here = |message: String| Some(Misfit { pointer: String::new(), message });
        if !self.types.iter().any(|t| t.fits(value)) {
            return here(format!("is {}, not {}", self.phrase(), kind_phrase(value)));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            let given = value.to_string();
            return here(format!(
                "is one of {}, not {given}",
                choices.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
            ));
        }
        match value {
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                if self.minimum.is_some_and(|min| number < min as f64)
                    || self.maximum.is_some_and(|max| number > max as f64)
                {
                    return here(format!("is {number}, outside of what is allowed"));
                }
                None
            }
            Value::String(text) => match self.format {
                Some(Format::Date) if crate::values::parse_date(text).is_none() => {
                    here(format!("is a date like 2026-11-21, not `{text}`"))
                }
                Some(Format::DateTime) if crate::values::parse_time(text).is_none() => {
                    here(format!("is a moment like 2026-11-21T10:00:00Z, not `{text}`"))
                }
                _ => None,
            },
            Value::Array(items) => {
                let item = self.items.as_ref()?;
                items.iter().enumerate().find_map(|(i, value)| Some(item.misfit(value)?.below(&i.to_string())))
            }
            Value::Object(map) => {
                let properties = self.properties.as_ref()?;
                if let Some((name, _)) =
                    properties.iter().find(|(name, s)| s.default.is_none() && !map.contains_key(*name))
                {
                    return here("is missing".into()).map(|m| m.below(name));
                }
                map.iter().find_map(|(name, value)| match properties.get(name) {
                    Some(shape) => Some(shape.misfit(value)?.below(name)),
                    None => here("is not known".into()).map(|m| m.below(name)),
                })
            }
            Value::Null | Value::Bool(_) => None,
        }
    }

    /// What stands at a dotted path; names of lists' items are skipped by whoever has an index.
    pub fn find<'s>(&'s self, path: &[&str]) -> PathTarget<'s> {
        let mut shape = self;
        for (at, name) in path.iter().enumerate() {
            let Some(properties) = &shape.properties else {
                return match (&shape.items, shape.types.contains(&Type::Object)) {
                    (_, true) => PathTarget::Open,
                    (_, false) => PathTarget::Unknown { at, known: Vec::new() },
                };
            };
            match properties.get(*name) {
                Some(inner) => shape = inner,
                None => return PathTarget::Unknown { at, known: properties.keys().map(String::as_str).collect() },
            }
        }
        PathTarget::Shape(shape)
    }

    /// The shape as a JSON Schema.
    pub fn schema_json(&self) -> Value {
        let mut map = Map::new();
        match self.types.as_slice() {
            types if types == ALL => {}
            [one] => drop(map.insert("type".into(), json!(one.word()))),
            types => drop(map.insert("type".into(), types.iter().map(|t| t.word()).collect::<Vec<_>>().into())),
        }
        if let Some(choices) = &self.choices {
            map.insert("enum".into(), json!(choices));
        }
        if let Some(format) = self.format {
            map.insert("format".into(), json!(FORMATS[format as usize]));
        }
        for (key, bound) in [("minimum", self.minimum), ("maximum", self.maximum)] {
            bound.map(|b| map.insert(key.into(), json!(b)));
        }
        if let Some(items) = &self.items {
            map.insert("items".into(), items.schema_json());
        }
        if let Some(properties) = &self.properties {
            let required: Vec<&str> =
                properties.iter().filter(|(_, s)| s.default.is_none()).map(|(name, _)| name.as_str()).collect();
            let each: Map<String, Value> =
                properties.iter().map(|(name, shape)| (name.clone(), shape.schema_json())).collect();
            map.insert("properties".into(), Value::Object(each));
            map.insert("required".into(), json!(required));
            map.insert("additionalProperties".into(), json!(false));
        }
        if let Some(default) = &self.default {
            map.insert("default".into(), default.clone());
        }
        if let Some(description) = &self.description {
            map.insert("description".into(), json!(description));
        }
        Value::Object(map)
    }

    fn phrase(&self) -> String {
        let each: Vec<&str> = self.types.iter().map(|t| t.phrase()).collect();
        each.join(" or ")
    }
}

impl Misfit {
    pub(crate) fn below(mut self, name: &str) -> Misfit {
        self.pointer = format!("/{}{}", name.replace('~', "~0").replace('/', "~1"), self.pointer);
        self
    }
}

fn types(word: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Vec<Type>> {
    let found = Type::of_word(word);
    if found.is_none() {
        let hint = did_you_mean(word, TYPES).unwrap_or_else(|| TYPES.join(", "));
        problems.push(Problem::error("value", &node.span, format!("unknown type `{word}`")).hint(hint));
    }
    found
}

fn properties(node: &Node, problems: &mut Vec<Problem>) -> IndexMap<String, Shape> {
    if !node.is_map() {
        problems.push(Problem::error("shape", &node.span, format!("properties are a map, not {}", node.kind())));
    }
    node.map().iter().map(|(key, value)| (key.name.clone(), Shape::read(value, problems))).collect()
}

/// Words for the kind of a value.
pub(crate) fn kind_phrase(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Shape {
        let node = crate::source::read("shape.yaml", text.as_bytes()).expect("readable");
        let mut problems = Vec::new();
        let shape = Shape::read(&node, &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        shape
    }

    fn misfit_text(shape: &Shape, value: Value) -> String {
        shape.misfit(&value).map(|m| m.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_word_a_map_and_a_list_of_one() {
        let quote = shape(
            "id: string\nplan_type: {type: string, enum: [full, half]}\nterm: {type: integer, default: 1}\n\
             lines: [{label: string, value: {paise: integer}, kind: {type: string, default: line}}]\nfree: object",
        );
        let given =
            json!({"id": "a", "plan_type": "full", "free": {"x": 1}, "lines": [{"label": "l", "value": {"paise": 3}}]});
        assert_eq!(misfit_text(&quote, given.clone()), "");
        let filled = quote.fill(given);
        assert_eq!(filled["term"], 1);
        assert_eq!(filled["lines"][0]["kind"], "line");
        assert_eq!(quote.fill(json!({"term": null}))["term"], 1);
        let third = misfit_text(&quote, json!({"id": "a", "plan_type": "third", "free": {}, "lines": []}));
        assert!(third.contains("is one of"), "{third}");
        assert_eq!(misfit_text(&quote, json!({"plan_type": "full", "free": {}, "lines": []})), "`/id` is missing");
        assert_eq!(
            misfit_text(
                &quote,
                json!({"id": "a", "plan_type": "full", "free": {}, "lines": [{"label": "l", "value": {"paise": "3"}}]})
            ),
            "`/lines/0/value/paise` is an integer, not a text"
        );
        assert_eq!(
            misfit_text(&quote, json!({"id": "a", "plan_type": "full", "free": {}, "lines": [], "colour": 1})),
            "`/colour` is not known"
        );
    }

    #[test]
    fn a_path_is_found_open_or_unknown() {
        let quote = shape("plans: [{total: integer}]\nfree: object\nname: string");
        assert!(matches!(quote.find(&["free", "x", "y"]), PathTarget::Open));
        assert!(matches!(quote.find(&["plan"]), PathTarget::Unknown { at: 0, .. }));
        assert!(matches!(quote.find(&["name", "x"]), PathTarget::Unknown { at: 1, .. }));
        assert!(matches!(quote.find(&["plans"]), PathTarget::Shape(_)));
    }

    #[test]
    fn old_senders_and_old_readers_are_kept() {
        let old = shape("a: string\nb: {type: integer, default: 0}");
        for (new, wrong) in [
            ("a: string\nb: {type: integer, default: 0}\nc: {type: string, default: ''}", ""),
            ("a: {type: [string, 'null']}\nb: {type: number, default: 0}", ""),
            ("a: string\nb: {type: integer, default: 0}\nc: string", "`/c` is new and has no default"),
            ("a: string", "`/b` is gone"),
            ("a: integer\nb: {type: integer, default: 0}", "`/a` was a text and is an integer"),
        ] {
            let found = shape(new).refuses(&old).map(|m| m.to_string()).unwrap_or_default();
            assert_eq!(found, wrong, "{new}");
        }
        for (new, wrong) in [
            ("a: string\nb: {type: integer, default: 0}\nc: string", ""),
            ("a: {type: [string, 'null']}\nb: {type: integer, default: 0}", "`/a` was a text and is a text or null"),
            ("b: {type: integer, default: 0}", "`/a` is gone"),
        ] {
            let found = shape(new).gives_less(&old).map(|m| m.to_string()).unwrap_or_default();
            assert_eq!(found, wrong, "{new}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_shape_is_said() {
        let node = crate::source::read(
            "shape.yaml",
            b"a: strng\nb: {type: string, maxLenght: 3}\nc: {type: integer, default: x}\nd: [a, b]",
        );
        let mut problems = Vec::new();
        Shape::read(&node.expect("readable"), &mut problems);
        let said: Vec<String> = problems.iter().map(|p| format!("{}: {}", p.span.line, p.message)).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(said[0].starts_with("1: unknown type `strng`"), "{said:?}");
    }
}

//! What a call takes: parameters of its address and a body.

use crate::fields::MapReader;
use crate::policy::{FLOOR, VISITOR};
use crate::shape::{Misfit, Shape};
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Asks {
    /// Parameters of the address; others are passed over.
    pub query: Shape,
    /// Form that reads the parameters: they are fields with the same rules as on a page.
    pub query_form: Option<String>,
    /// What the query does not say is what the form begins with.
    pub calculates: bool,
    /// Word of its address → the form whose definition is read as `form`.
    pub describes: BTreeMap<String, String>,
    pub as_role: Option<AsRole>,
    /// Form that reads the body: the same rules and texts as on a page.
    pub body: Option<String>,
    /// The body may also have fields of the steps' forms.
    pub body_steps: bool,
    /// Names under which the body may hold fields as well as beside them.
    pub body_within: Vec<String>,
}

/// For which of the caller's own roles, or of those that are less than one of them, the described form is drawn.
#[derive(Debug)]
pub struct AsRole {
    /// Parameter of the query that names it.
    pub parameter: String,
    /// Word of the caller's → role; other words are roles themselves.
    words: BTreeMap<String, String>,
    /// Role → roles that are less: whoever has it may read their form too.
    lesser: BTreeMap<String, Vec<String>>,
    /// Roles as they are written.
    written: Vec<Node>,
}

impl AsRole {
    fn read(fields: &mut MapReader<'_, '_>) -> Option<AsRole> {
        let node = fields.get("as_role")?;
        if let Some(parameter) = node.as_str() {
            let parameter = parameter.to_owned();
            return Some(AsRole { parameter, words: BTreeMap::new(), lesser: BTreeMap::new(), written: Vec::new() });
        }
        let mut fields = MapReader::open(node, "`as_role`", &["of", "words", "lesser"], fields.problems)?;
        let parameter = fields.need_text("of");
        let mut written: Vec<Node> = fields.entries("words").iter().map(|(_, role)| role.clone()).collect();
        let words = fields.entries("words").iter();
        let words = words.filter_map(|(word, role)| Some((word.name.clone(), role.as_str()?.to_owned()))).collect();
        let mut lesser = BTreeMap::new();
        for (role, less) in fields.entries("lesser") {
            written.push(Node::new(role.span.clone(), Source::String(role.name.clone())));
            written.extend(less.items().iter().cloned());
            let names = less.items().iter().filter_map(Node::as_str).map(str::to_owned);
            lesser.insert(role.name.clone(), names.collect());
        }
        Some(AsRole { parameter, words, lesser, written })
    }

    /// The role that a word means.
    pub fn role<'a>(&'a self, word: &'a str) -> &'a str {
        self.words.get(word).map_or(word, String::as_str)
    }

    /// Whether whoever has these roles may read the form of this one. That of a visitor is everybody's.
    pub fn allows(&self, role: &str, own: &[String]) -> bool {
        let is_less = |mine: &String| self.lesser.get(mine).is_some_and(|less| less.iter().any(|name| name == role));
        role == VISITOR || own.iter().any(|mine| mine == role || is_less(mine))
    }
}

impl Asks {
    pub(super) const KEYS: [&str; 5] = ["query", "calculates", "describes", "as_role", "body"];

    pub(super) fn read(fields: &mut MapReader<'_, '_>) -> Asks {
        let calculated = fields.text("calculates");
        let described = fields.entries("describes").iter();
        let describes =
            described.filter_map(|(word, form)| Some((word.name.clone(), form.as_str()?.to_owned()))).collect();
        let as_role = AsRole::read(fields);
        if let Some(at) = fields.get("as_role").filter(|_| fields.get("cache").is_some()) {
            let message = "what is drawn for a role is kept by no cache: `as_role` stands without `cache`";
            fields.problems.push(Problem::error(FLOOR, &at.span, message));
        }
        if let (Some(at), Some(_)) = (fields.get("query"), &calculated) {
            let message = "`calculates` names the form of the query: beside it is no `query`";
            fields.problems.push(Problem::error("shape", &at.span, message));
        }
        let calculates = calculated.is_some();
        let (query_form, query) = match fields.get("query") {
            None => (calculated, Shape::empty()),
            Some(form) if form.as_str().is_some() => (form.as_str().map(str::to_owned), Shape::empty()),
            Some(shape) => (None, Shape::read(shape, fields.problems)),
        };
        let (body, body_steps, body_within) = body(fields);
        Asks { query, query_form, calculates, describes, as_role, body, body_steps, body_within }
    }

    /// The form that the filled parts of its address name.
    pub fn described_form(&self, path: &Map<String, Value>) -> Option<&String> {
        path.values().filter_map(Value::as_str).find_map(|word| self.describes.get(word))
    }

    /// The query as its shape has it; what does not fit is said by name.
    pub fn parse_query<'q>(&self, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
        parse_query(&self.query, query)
    }

    /// The roles that it names, with their places.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Node> {
        self.as_role.iter().flat_map(|as_role| &as_role.written)
    }

    /// The forms that it names.
    pub(super) fn forms(&self) -> impl Iterator<Item = &String> {
        self.body.iter().chain(&self.query_form).chain(self.describes.values())
    }
}

/// The form that reads the body, whether fields of the steps' forms may stand beside its own, and under which names
/// fields may stand as well.
fn body(fields: &mut MapReader<'_, '_>) -> (Option<String>, bool, Vec<String>) {
    match fields.get("body") {
        Some(node) if node.is_map() => {
            let mut inner = MapReader { node, problems: &mut *fields.problems, what: "a body" };
            crate::fields::unknown_keys(node, "a body", &["form", "steps", "within"], inner.problems);
            (inner.text("form"), inner.bool("steps"), inner.texts("within"))
        }
        _ => (fields.text("body"), false, Vec::new()),
    }
}

/// The parameters of an address as their shape has them; what does not fit is said by name.
pub(crate) fn parse_query<'q>(shape: &Shape, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
    let mut given = Map::new();
    for (name, text) in query {
        if let Some((_, shape)) = shape.properties().find(|(known, _)| *known == name) {
            given.insert(name.to_owned(), parse_param(text, shape));
        }
    }
    let filled = shape.fill(Value::Object(given));
    match shape.misfit(&filled) {
        Some(misfit) => Err(misfit),
        None => Ok(filled),
    }
}

/// A parameter of an address as its shape wants it.
fn parse_param(text: &str, shape: &Shape) -> Value {
    let schema = shape.schema_json();
    let kinds = schema.get("type").into_iter().flat_map(|kinds| match kinds {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<_>>(),
    });
    let is_plain = |kind: &str| matches!(kind, "integer" | "number" | "boolean");
    let kinds: Vec<&str> = kinds.filter(|kind| *kind != "null").collect();
    if !kinds.is_empty() && kinds.into_iter().all(is_plain) {
        return serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    }
    Value::String(text.to_owned())
}

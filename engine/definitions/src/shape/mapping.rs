//! A tree whose strings are expressions, held against a shape: keys that are missing or unknown, kinds that cannot be.

use super::Shape;
use crate::source::{Node, Value as Source};
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::{self, ValueKind};
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;

/// A tree whose strings are expressions, held against a shape.
pub struct Given<'c> {
    /// Who has the shape: `contract`, `part`.
    pub of: &'static str,
    /// Keys that an expression gives beyond the shape are left out later.
    pub is_cut: bool,
    /// An expression's tree, or `None` when its mistake was already said.
    pub compile: &'c dyn Fn(&Node) -> Option<Expression>,
}

impl Shape {
    /// Checks a tree whose strings are expressions: keys that are missing or unknown, and kinds that cannot be.
    pub fn check_mapping(&self, node: &Node, at: &str, given: &Given<'_>, problems: &mut Vec<Problem>) {
        match &node.value {
            Source::String(_) => {
                if let Some(expression) = (given.compile)(node) {
                    self.check_shape(&expression.shape(), node, at, given, problems);
                }
            }
            Source::Map(entries) if entries.len() == 1 && entries[0].0.name == "text" => {
                self.check_kind(ValueKind::Text, node, at, given.of, problems);
            }
            Source::Map(entries) if entries.len() == 1 && entries[0].0.name == "cel" => {
                self.check_mapping(&entries[0].1, at, given, problems);
            }
            Source::Map(entries) => {
                if !self.check_kind(ValueKind::Map, node, at, given.of, problems) {
                    return;
                }
                let Some(properties) = &self.properties else { return };
                for (key, value) in entries {
                    match properties.get(&key.name) {
                        Some(shape) => shape.check_mapping(value, &below(at, &key.name), given, problems),
                        None => problems.push(not_known(at, &key.name, properties, &key.span, given.of)),
                    }
                }
                self.check_missing(|name| node.get(name).is_some(), node, at, given.of, problems);
            }
            Source::List(items) => {
                if let (true, Some(item)) =
                    (self.check_kind(ValueKind::List, node, at, given.of, problems), &self.items)
                {
                    for (i, value) in items.iter().enumerate() {
                        item.check_item(value, &below(at, &i.to_string()), given, problems);
                    }
                }
            }
            Source::Null | Source::Bool(_) | Source::Int(_) | Source::Float(_) => {
                if let Some(misfit) = self.misfit(&node.to_json()) {
                    let message =
                        format!("{} {}", show(&below(at, misfit.pointer.trim_start_matches('/'))), misfit.message);
                    problems.push(Problem::error(given.of, &node.span, message));
                }
            }
        }
    }

    /// An item of a list, which may be made by `each` and kept by `when`.
    fn check_item(&self, node: &Node, at: &str, given: &Given<'_>, problems: &mut Vec<Problem>) {
        let is_made = node.get("each").is_some() || node.get("when").is_some();
        if !is_made {
            return self.check_mapping(node, at, given, problems);
        }
        let own = node.map().iter().filter(|(key, _)| !matches!(key.name.as_str(), "each" | "as" | "when"));
        let item = Node::new(node.span.clone(), Source::Map(own.cloned().collect()));
        self.check_mapping(&item, at, given, problems);
    }

    fn check_shape(
        &self,
        found: &reads::Shape<'_>,
        node: &Node,
        at: &str,
        given: &Given<'_>,
        problems: &mut Vec<Problem>,
    ) {
        match found {
            reads::Shape::Plain(kind) => {
                self.check_kind(*kind, node, at, given.of, problems);
            }
            reads::Shape::Map(entries) => {
                if !self.check_kind(ValueKind::Map, node, at, given.of, problems) {
                    return;
                }
                let Some(properties) = &self.properties else { return };
                for (name, inner) in entries {
                    match properties.get(*name) {
                        Some(shape) => shape.check_shape(inner, node, &below(at, name), given, problems),
                        None if given.is_cut => {}
                        None => problems.push(not_known(at, name, properties, &node.span, given.of)),
                    }
                }
                self.check_missing(|name| entries.iter().any(|(n, _)| *n == name), node, at, given.of, problems);
            }
            reads::Shape::Copy(_) | reads::Shape::Merge(..) | reads::Shape::Unknown => {}
        }
    }

    fn check_missing(
        &self,
        has: impl Fn(&str) -> bool,
        node: &Node,
        at: &str,
        of: &'static str,
        problems: &mut Vec<Problem>,
    ) {
        let missing: Vec<&str> =
            self.properties().filter(|(name, s)| s.default.is_none() && !has(name)).map(|(name, _)| name).collect();
        for name in missing {
            let message = format!("{} is missing", show(&below(at, name)));
            problems.push(Problem::error(of, &node.span, message));
        }
    }

    fn check_kind(
        &self,
        kind: ValueKind,
        node: &Node,
        at: &str,
        of: &'static str,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let fits = self.types.iter().any(|t| t.may_be(kind));
        if !fits {
            let given = match kind {
                ValueKind::Null => "null",
                ValueKind::Bool => "true or false",
                ValueKind::Number => "a number",
                ValueKind::Text => "a text",
                ValueKind::List => "a list",
                ValueKind::Map => "a map",
            };
            let message = format!("{} is {}, not {given}", show(at), self.phrase());
            problems.push(Problem::error(of, &node.span, message));
        }
        fits
    }
}

fn below(at: &str, name: &str) -> String {
    match (at.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => at.to_owned(),
        _ => format!("{at}.{name}"),
    }
}

fn show(at: &str) -> String {
    if at.is_empty() { "it".to_owned() } else { format!("`{at}`") }
}

fn not_known(
    at: &str,
    name: &str,
    properties: &IndexMap<String, Shape>,
    span: &engine_statechart::source::Span,
    of: &'static str,
) -> Problem {
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| format!("it has `{}`", known.join("`, `")));
    let message = format!("the {of} has no {}", show(&below(at, name)));
    Problem::error(of, span, message).hint(hint)
}

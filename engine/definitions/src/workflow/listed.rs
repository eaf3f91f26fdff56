//! `listed` of a workflow: what its requests are called where several stand together.

use super::desugar::Builder;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::expression::Scope;
use engine_statechart::template::Mapping;
use indexmap::IndexMap;
use serde_json::Value;

/// What a list may say of a request, each an expression over what is known of it.
pub const LISTED: [(&str, &str); 4] = [
    ("title", "what it is about: the name of the thing"),
    ("mark", "by which its owner knows it: a number plate"),
    ("provider", "who offers what was chosen"),
    ("text", "how far it is, with its figure: a number of offers and the least price"),
];

#[derive(Debug, Default)]
pub struct Listed {
    parts: IndexMap<String, Mapping>,
}

impl Listed {
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// One of [`LISTED`] at this moment; empty while it cannot be said.
    pub fn part(&self, name: &str, scope: &Scope<'_>) -> String {
        match self.parts.get(name).map(|part| part.eval(scope)) {
            Some(Ok(Value::String(text))) => text,
            _ => String::new(),
        }
    }
}

impl Builder<'_> {
    pub fn read_listed(&mut self, tree: &Node) -> Listed {
        let Some(node) = tree.get("listed").filter(|node| !node.is_null()) else { return Listed::default() };
        let mut problems = std::mem::take(&mut self.problems);
        let mut parts = IndexMap::new();
        if MapReader::open(node, "`listed`", &LISTED.map(|(name, _)| name), &mut problems).is_some() {
            for (key, value) in node.map() {
                parts.insert(key.name.clone(), self.mapping(value, &[], &mut problems));
            }
        }
        problems.append(&mut self.problems);
        self.problems = problems;
        Listed { parts }
    }
}

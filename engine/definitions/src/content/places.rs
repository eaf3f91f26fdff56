//! Where a text stands in the definitions.

use crate::files::Files;
use crate::source::{self, Node, Value};
use engine_statechart::source::Span;
use std::collections::HashMap;

/// Every text of pages and tables, with its places.
pub struct Places(HashMap<String, Vec<Span>>);

impl Places {
    pub fn of(files: &Files) -> Places {
        let mut all = Places(HashMap::new());
        for (path, bytes) in files.iter() {
            let is_read = path.starts_with("workflows/site/") || path.contains("/tables/");
            if is_read
                && path.ends_with(".yaml")
                && !path.starts_with("languages/")
                && let Ok(node) = source::read(path, bytes)
            {
                all.take(&node);
            }
        }
        all
    }

    fn take(&mut self, node: &Node) {
        match &node.value {
            Value::String(text) => self.0.entry(text.trim().to_owned()).or_default().push(node.span.clone()),
            Value::Map(entries) => entries.iter().for_each(|(_, inner)| self.take(inner)),
            Value::List(items) => items.iter().for_each(|item| self.take(item)),
            _ => {}
        }
    }

    /// Where a text stands that a page shows: in the page's own file, else elsewhere; `None`: it is put together.
    pub fn find(&self, text: &str, page: &Span) -> Option<&Span> {
        let all = self.0.get(text.trim())?;
        all.iter().find(|span| span.file == page.file).or_else(|| all.first())
    }
}

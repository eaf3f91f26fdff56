//! The site's content: one open document (workflows/site/site.yaml) and pages of blocks. Always live.

use crate::fields::Fields;
use crate::host::shared_vocabulary;
use crate::source::Node;
use crate::view::View;
use engine_statechart::Problem;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Site {
    /// `name`, `nav`, `footer`, `legal`, `call` and whatever else the file holds, as written.
    pub value: Value,
    pub redirects: Vec<Redirect>,
    pages: BTreeMap<String, Arc<Page>>,
}

/// The query is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    pub from: String,
    pub to: String,
    pub status: u16,
}

#[derive(Debug)]
pub struct Page {
    /// Its address, starting with `/`.
    pub path: String,
    pub title: String,
    pub description: String,
    /// Parts of the page's frame that are left out: `header`, `footer`.
    pub hide: Vec<String>,
    pub view: View,
    /// Further keys under `meta`, as written.
    pub meta: Value,
}

impl Site {
    pub fn page(&self, path: &str) -> Option<&Arc<Page>> {
        self.pages.get(path)
    }

    pub fn pages(&self) -> impl Iterator<Item = &Arc<Page>> {
        self.pages.values()
    }

    pub(crate) fn read(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        if !node.is_map() {
            problems.push(Problem::error("shape", &node.span, "the site is a map"));
            return;
        }
        self.value = node.to_json();
        for item in node.get("redirects").map_or(&[][..], Node::items) {
            let Some(mut fields) = Fields::open(item, "a redirect", &["from", "to", "status"], problems) else {
                continue;
            };
            let status = fields.int("status").unwrap_or(302);
            if ![301, 302, 303, 307, 308].contains(&status) {
                fields.problems.push(Problem::error("value", &item.span, "`status` is 301, 302, 303, 307 or 308"));
            }
            let redirect = Redirect {
                from: fields.need_text("from"),
                to: fields.need_text("to"),
                status: u16::try_from(status).unwrap_or(302),
            };
            self.redirects.push(redirect);
        }
    }

    pub(crate) fn add_page(&mut self, file: &str, node: &Node, problems: &mut Vec<Problem>) {
        let keys = ["path", "title", "description", "hide", "blocks", "intro", "meta"];
        let Some(mut fields) = Fields::open(node, "a page", &keys, problems) else { return };
        let path = fields.need_text("path");
        if !path.starts_with('/') {
            fields.problems.push(Problem::error("value", &node.span, "`path` starts with `/`"));
        }
        let title = fields.need_text("title");
        let (description, hide) = (fields.text("description").unwrap_or_default(), fields.texts("hide"));
        let meta = fields.get("meta").map_or(json!({}), Node::to_json);
        let Some(view) = View::of(&path, file, node, shared_vocabulary(), problems) else { return };
        if let Some(other) = self.pages.get(&path) {
            let message = format!("`{path}` is already the page of {}", other.view.path);
            problems.push(Problem::error("duplicate-key", &node.span, message));
        }
        self.pages.insert(path.clone(), Arc::new(Page { path, title, description, hide, view, meta }));
    }
}

//! Texts by code: `{code: "text {{x}}"}`, one file per flow, part and line, workflows/shared's as the fallback.

use crate::source::Node;
use crate::text::Text;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The texts of one folder.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    codes: BTreeMap<String, Text>,
}

impl Texts {
    pub fn compile(node: &Node, problems: &mut Vec<Problem>) -> Texts {
        let mut texts = Texts::default();
        if !node.is_map() && !node.is_null() {
            problems.push(Problem::error("shape", &node.span, "texts are a map from codes to texts"));
        }
        for (code, text) in node.map() {
            match text.as_str().map(|words| Text::at(text, words)) {
                Some(Ok(compiled)) => {
                    compiled.check_braces(&text.span, problems);
                    texts.codes.insert(code.name.clone(), compiled);
                }
                Some(Err(e)) => problems.push(Problem::error("template", &text.span, e)),
                None => problems.push(Problem::error(
                    "shape",
                    &text.span,
                    format!("a text is expected here, not {}", text.kind()),
                )),
            }
        }
        texts
    }

    pub fn has(&self, code: &str) -> bool {
        self.codes.contains_key(code)
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.keys().map(String::as_str)
    }

    fn find(&self, code: &str) -> Option<&Text> {
        self.codes.get(code)
    }
}

/// What a flow reads: its own texts, those that it extends, its line's, its parts', the shared ones. The
/// first that has a code gives it.
#[derive(Clone, Debug, Default)]
pub struct FlowTexts {
    list: Vec<(String, Arc<Texts>)>,
}

/// The folder of the texts that every flow falls back to.
const SHARED: &str = "shared";

impl FlowTexts {
    pub fn new(folders: Vec<String>, all: &BTreeMap<String, Arc<Texts>>) -> FlowTexts {
        let mut texts = FlowTexts::default();
        texts.push(SHARED, all);
        folders.iter().for_each(|folder| texts.add(folder, all));
        texts
    }

    /// A further folder, asked after those that are there already but before the shared one.
    pub fn add(&mut self, folder: &str, all: &BTreeMap<String, Arc<Texts>>) {
        if self.folders().any(|known| known == folder) {
            return;
        }
        let shared = self.list.pop();
        self.push(folder, all);
        self.list.extend(shared);
    }

    fn push(&mut self, folder: &str, all: &BTreeMap<String, Arc<Texts>>) {
        self.list.push((folder.to_owned(), all.get(folder).cloned().unwrap_or_default()));
    }

    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(folder, _)| folder.as_str())
    }

    pub fn has(&self, code: &str) -> bool {
        self.list.iter().any(|(_, texts)| texts.has(code))
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.list.iter().flat_map(|(_, texts)| texts.codes())
    }

    /// Names of the places of a text.
    pub fn places(&self, code: &str) -> impl Iterator<Item = &str> {
        self.list.iter().find_map(|(_, texts)| texts.find(code)).into_iter().flat_map(Text::names)
    }

    /// The text; the code itself when there is none.
    pub fn text(&self, code: &str, fields: &Map<String, Value>) -> String {
        self.find_text(code, fields).unwrap_or_else(|| code.to_owned())
    }

    /// `None` when there is no such code.
    pub fn find_text(&self, code: &str, fields: &Map<String, Value>) -> Option<String> {
        let found = self.list.iter().find_map(|(_, texts)| texts.find(code));
        found.map(|text| text.render_lax(&Value::Object(fields.clone())))
    }
}

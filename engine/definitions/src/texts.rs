//! Texts by code: `{en: {code: "text {{x}}"}, hi: {…}}`, one file per flow, part and line,
//! workflows/shared's as the fallback.

use crate::source::Node;
use crate::text::Text;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The texts of one folder.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    languages: BTreeMap<String, BTreeMap<String, Text>>,
}

impl Texts {
    pub fn compile(node: &Node, problems: &mut Vec<Problem>) -> Texts {
        let mut languages: BTreeMap<String, BTreeMap<String, Text>> = BTreeMap::new();
        if !node.is_map() {
            problems.push(Problem::error("shape", &node.span, "texts are a map from languages to codes"));
        }
        for (language, codes) in node.map() {
            if !codes.is_map() && !codes.is_null() {
                problems.push(Problem::error(
                    "shape",
                    &codes.span,
                    format!("`{}` is a map from codes to texts", language.name),
                ));
            }
            let texts = languages.entry(language.name.clone()).or_default();
            for (code, text) in codes.map() {
                match text.as_str().map(Text::template) {
                    Some(Ok(compiled)) => {
                        texts.insert(code.name.clone(), compiled);
                    }
                    Some(Err(e)) => problems.push(Problem::error("template", &text.span, e)),
                    None => problems.push(Problem::error(
                        "shape",
                        &text.span,
                        format!("a text is expected here, not {}", text.kind()),
                    )),
                }
            }
        }
        if let (Some(first), Some(map)) = (node.key("en"), languages.get("en")) {
            for (language, texts) in languages.iter().filter(|(l, _)| *l != "en") {
                for code in texts.keys().filter(|c| !map.contains_key(*c)) {
                    problems.push(Problem::error(
                        "unknown-name",
                        &first.span,
                        format!("`{code}` has a text in `{language}` but none in `en`"),
                    ));
                }
            }
        }
        Texts { languages }
    }

    pub fn has(&self, code: &str) -> bool {
        self.languages.get("en").is_some_and(|t| t.contains_key(code))
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.languages.get("en").into_iter().flat_map(|t| t.keys().map(String::as_str))
    }

    fn find(&self, code: &str, language: &str) -> Option<&Text> {
        self.languages.get(language)?.get(code)
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
        self.list.iter().find_map(|(_, texts)| texts.find(code, "en")).into_iter().flat_map(Text::names)
    }

    /// The text in the language, else in English; the code itself when there is none.
    pub fn text(&self, code: &str, language: &str, fields: &Map<String, Value>) -> String {
        self.find_text(code, language, fields).unwrap_or_else(|| code.to_owned())
    }

    /// `None` when there is no such code.
    pub fn find_text(&self, code: &str, language: &str, fields: &Map<String, Value>) -> Option<String> {
        let find = |language: &str| self.list.iter().find_map(|(_, texts)| texts.find(code, language));
        let found = find(language).or_else(|| find("en"));
        found.map(|text| text.render_lax(&Value::Object(fields.clone())))
    }
}

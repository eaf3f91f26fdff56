//! Texts by code: `{en: {code: "text {{x}}"}, hi: {…}}`, one file per line, workflows/shared's as
//! the fallback.

use crate::source::Node;
use crate::text::Text;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The texts of one line or of workflows/shared.
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

/// A line's texts over the shared ones.
#[derive(Clone, Debug, Default)]
pub struct LineTexts {
    pub own: std::sync::Arc<Texts>,
    pub shared: std::sync::Arc<Texts>,
}

impl LineTexts {
    pub fn has(&self, code: &str) -> bool {
        self.own.has(code) || self.shared.has(code)
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.own.codes().chain(self.shared.codes())
    }

    /// The text in the language, else in English; the code itself when there is none.
    pub fn text(&self, code: &str, language: &str, fields: &Map<String, Value>) -> String {
        self.find_text(code, language, fields).unwrap_or_else(|| code.to_owned())
    }

    /// `None` when there is no such code.
    pub fn find_text(&self, code: &str, language: &str, fields: &Map<String, Value>) -> Option<String> {
        let found = self.own.find(code, language).or_else(|| self.shared.find(code, language));
        let found = found.or_else(|| self.own.find(code, "en")).or_else(|| self.shared.find(code, "en"));
        found.map(|text| text.render_lax(&Value::Object(fields.clone())))
    }
}

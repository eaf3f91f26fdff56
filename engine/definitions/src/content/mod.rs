//! `journey check --content`: what pages say, read as readers and search engines would. Only pages that search engines
//! may keep are read; a text's place is where it stands in a page or a table.
//!
//! A page is rendered for nobody, in English, and taken apart into [`Text`]s. A new rule is a function over a
//! [`Reading`] in `rules.rs`, or over all of them in `across.rs`; how easy a text reads is counted in `age.rs`.

mod across;
mod age;
mod places;
mod rules;

use crate::catalog::Catalog;
use crate::files::Files;
use crate::prose::plain_text;
use crate::values::{Now, ZONE};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use places::Places;
use serde_json::Value;

/// Code of what is wrong with a text.
const CONTENT: &str = "content";

/// What a text is on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Heading,
    Body,
    /// Small words and values: where figures come from, what the law asks for.
    Small,
    /// What leads to the page that says it.
    Link,
}

#[derive(Debug)]
struct Text {
    role: Role,
    words: String,
}

/// One page as it is read.
struct Reading {
    path: String,
    /// Place of the page itself.
    span: Span,
    is_sample: bool,
    title: String,
    description: String,
    texts: Vec<Text>,
    links: Vec<(String, String)>,
    /// Names to which an address with `#` can lead.
    anchors: Vec<String>,
    /// Pictures beside which nothing is said.
    mute: Vec<String>,
    heroes: usize,
}

/// What is wrong with what pages say, on this day.
pub fn content(catalog: &Catalog, files: &Files, now_ms: i64) -> Vec<Problem> {
    let places = Places::of(files);
    let now = Now::at(now_ms, ZONE);
    let (site, host) = (catalog.site(""), catalog.host_in("en", &now));
    let own = site.addresses().filter(|(path, address)| *path == address.path && address.is_kept());
    let readings: Vec<Reading> = own
        .filter_map(|(path, address)| {
            let rendered = site.read_page(address, &catalog.forms, &host)?;
            let mut reading = Reading {
                path: path.to_owned(),
                span: address.page.place().clone(),
                is_sample: address.is_sample(),
                title: rendered.title,
                description: rendered.description,
                texts: Vec::new(),
                links: Vec::new(),
                anchors: Vec::new(),
                mute: Vec::new(),
                heroes: 0,
            };
            rendered.blocks.iter().for_each(|block| reading.take(block, true));
            Some(reading)
        })
        .collect();
    let mut problems: Vec<Problem> = readings.iter().flat_map(|reading| rules::of_page(reading, &places)).collect();
    problems.extend(across::of_all(&readings, &places));
    problems.extend(rules::of_facts(files, now.today()));
    // one text on many pages is wrong once
    problems.sort_by(|a, b| (&a.span, &a.message).cmp(&(&b.span, &b.message)));
    problems.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    problems
}

impl Reading {
    /// Takes in a block, or an entry of one.
    fn take(&mut self, value: &Value, is_block: bool) {
        match value {
            Value::Array(list) => list.iter().for_each(|one| match one {
                Value::String(cell) => self.texts.push(Text { role: Role::Small, words: cell.clone() }),
                _ => self.take(one, false),
            }),
            Value::Object(map) => {
                let text = |key: &str| map.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
                let is_hero = text("block") == Some("hero");
                self.heroes += usize::from(is_hero);
                let leads = text("href").is_some();
                let is_small = text("size") == Some("small");
                for (key, inner) in map {
                    let role = match (key.as_str(), is_small) {
                        ("title" | "text" | "label", _) if !is_block && leads => Role::Link,
                        ("value" | "date", _) | ("note", false) => Role::Small,
                        ("title", _) if is_block => Role::Heading,
                        ("title" | "text" | "question" | "answer" | "hint" | "label" | "intro", false) => Role::Body,
                        ("text" | "note", true) => Role::Small,
                        _ => {
                            self.take(inner, false);
                            continue;
                        }
                    };
                    let words = plain_text(inner);
                    if !words.trim().is_empty() {
                        self.texts.push(Text { role, words });
                    }
                    self.follow(inner);
                }
                if let Some(href) = text("href") {
                    self.links.push((href.to_owned(), text("label").or(text("text")).unwrap_or_default().to_owned()));
                }
                self.anchors.extend(["id", "hash"].into_iter().filter_map(text).map(str::to_owned));
                if let Some(image) = text("image")
                    && ["title", "text", "label", "question"].into_iter().all(|key| text(key).is_none())
                {
                    self.mute.push(image.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Takes in the links of words in Markdown.
    fn follow(&mut self, words: &Value) {
        for part in words.as_array().into_iter().flatten() {
            if let Some(href) = part["href"].as_str() {
                self.links.push((href.to_owned(), plain_text(&part["of"])));
            }
            self.follow(&part["of"]);
        }
    }

    /// Words that the page says as its own: neither headings nor small words.
    fn body(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(|text| text.role == Role::Body).map(|text| text.words.as_str())
    }
}

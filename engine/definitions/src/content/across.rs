//! Rules over all pages: nothing is said twice, links lead to what is there.

use super::age::words;
use super::places::Places;
use super::{CONTENT, Reading};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// As many words after one another that stand in two places are a copy.
const COPY: usize = 26;

pub fn of_all(pages: &[Reading], places: &Places) -> Vec<Problem> {
    let mut found = twice(pages, places, "title", |page| &page.title);
    found.extend(twice(pages, places, "description", |page| &page.description));
    found.extend(copies(pages, places));
    found.extend(anchors(pages, places));
    found
}

/// Titles, or descriptions, that two pages share.
fn twice(pages: &[Reading], places: &Places, what: &str, of: fn(&Reading) -> &String) -> Vec<Problem> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for page in pages.iter().filter(|page| !of(page).is_empty()) {
        if let Some(other) = first.insert(of(page), &page.path) {
            let at = places.find(of(page), &page.span).unwrap_or(&page.span);
            let message = format!("{} and {other} have the same {what}: {}", page.path, of(page));
            found.push(Problem::error(CONTENT, at, message).hint("each page says what it alone is about"));
        }
    }
    found
}

/// Texts that stand in two places of the definitions.
fn copies(pages: &[Reading], places: &Places) -> Vec<Problem> {
    let mut seen: HashMap<u64, &Span> = HashMap::new();
    let mut found = BTreeMap::new();
    for page in pages {
        for text in page.body() {
            let Some(at) = places.find(text, &page.span) else { continue };
            let all: Vec<String> = words(text).map(str::to_lowercase).collect();
            for run in all.windows(COPY) {
                let mut hash = DefaultHasher::new();
                run.hash(&mut hash);
                let other = *seen.entry(hash.finish()).or_insert(at);
                if other != at {
                    found.entry((at, other)).or_insert_with(|| run[..12].join(" "));
                }
            }
        }
    }
    let told = found.into_iter().map(|((at, other), words)| {
        let message = format!("{COPY} words stand in {}:{} too: {words} …", other.file, other.line);
        Problem::error(CONTENT, at, message).hint("say it once, or in other words")
    });
    told.collect()
}

/// Links to a part of a page that is not there.
fn anchors(pages: &[Reading], places: &Places) -> Vec<Problem> {
    let by_path: BTreeMap<&str, &Reading> = pages.iter().map(|page| (page.path.as_str(), page)).collect();
    let mut found = Vec::new();
    for page in pages {
        for (href, _) in &page.links {
            let Some((path, anchor)) = href.split_once('#') else { continue };
            let target = if path.is_empty() { Some(page) } else { by_path.get(path).copied() };
            let leads = |target: &Reading| target.anchors.iter().any(|known| known == anchor);
            if target.is_some_and(|target| !leads(target)) {
                let at = places.find(href, &page.span).unwrap_or(&page.span);
                let message = format!("`{href}` leads to no part of the page");
                found.push(
                    Problem::error(CONTENT, at, message).hint("a block with this `id`, or a journey with this `hash`"),
                );
            }
        }
    }
    found
}

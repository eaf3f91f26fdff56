//! Rules for one page, and for rows that say where figures come from.

use super::age::{Count, sentences, words};
use super::places::Places;
use super::{CONTENT, Reading, Role};
use crate::files::Files;
use crate::source::{self, Node};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::collections::BTreeMap;

/// Longest title, without the site's name.
const TITLE_MAX: usize = 60;
const DESCRIPTION: std::ops::RangeInclusive<usize> = 70..=155;
/// Most words of a sentence.
const SENTENCE_MAX: usize = 35;
/// Years of school that a page may ask for, and the words from which on that can be said.
const GRADE_MAX: f64 = 9.0;
const GRADE_WORDS: usize = 120;
/// Words of a link that say nothing of where it leads.
const EMPTY_LINKS: [&str; 5] = ["here", "click here", "read more", "more", "learn more"];
/// The column by which a table is one of facts.
const REVIEW_BY: &str = "review_by";

pub fn of_page(page: &Reading, places: &Places) -> Vec<Problem> {
    let mut found = Vec::new();
    let at = |text: &str| places.find(text, &page.span).unwrap_or(&page.span).clone();
    found.extend(head(page, &at));
    found.extend(headings(page, &at));
    found.extend(figures(page, &at));
    for image in &page.mute {
        let message = format!("{}: a picture stands without words: `{image}`", page.path);
        found.push(Problem::error(CONTENT, &at(image), message).hint("give it a `title` or a `text`"));
    }
    for (_, label) in page.links.iter().filter(|(_, label)| EMPTY_LINKS.contains(&label.to_lowercase().as_str())) {
        let message = format!("a link says `{label}`, and not where it leads");
        found.push(Problem::warning(CONTENT, &at(label), message).hint("name the page behind it"));
    }
    let mut count = Count::default();
    for text in page.body() {
        count.add(text);
        for sentence in sentences(text).filter(|sentence| words(sentence).count() > SENTENCE_MAX) {
            let message = format!("a sentence of {} words: {} …", words(sentence).count(), start(sentence));
            found.push(Problem::warning(CONTENT, &at(text), message).hint(format!("at most {SENTENCE_MAX}")));
        }
    }
    if count.words >= GRADE_WORDS && count.grade() > GRADE_MAX {
        let message = format!("{} asks for {:.1} years of school", page.path, count.grade());
        let hint = format!("at most {GRADE_MAX}: shorter sentences, shorter words");
        found.push(Problem::warning(CONTENT, &page.span, message).hint(hint));
    }
    found
}

fn start(text: &str) -> String {
    text.split_whitespace().take(12).collect::<Vec<_>>().join(" ")
}

/// Title and description, and whether a page of samples is kept.
fn head(page: &Reading, at: &dyn Fn(&str) -> Span) -> Vec<Problem> {
    let mut found = Vec::new();
    let (title, description) = (page.title.chars().count(), page.description.chars().count());
    if description == 0 {
        let message = format!("{} has no `description`", page.path);
        found.push(Problem::error(CONTENT, &page.span, message).hint("search engines show it: 70 to 155 characters"));
    } else if !DESCRIPTION.contains(&description) {
        let message = format!("{}: a description of {description} characters", page.path);
        found.push(Problem::warning(CONTENT, &at(&page.description), message).hint("70 to 155"));
    }
    if title > TITLE_MAX {
        let message = format!("{}: a title of {title} characters", page.path);
        found.push(Problem::warning(CONTENT, &at(&page.title), message).hint(format!("at most {TITLE_MAX}")));
    }
    if page.is_sample {
        let message = format!("{} is made of a row with `sample: true`, and search engines may keep it", page.path);
        found.push(Problem::error(CONTENT, &page.span, message).hint("noindex"));
    }
    found
}

/// One first heading, and none twice.
fn headings(page: &Reading, at: &dyn Fn(&str) -> Span) -> Vec<Problem> {
    let mut found = Vec::new();
    if page.heroes > 1 {
        let message = format!("{} has {} first headings", page.path, page.heroes);
        found.push(Problem::error(CONTENT, &page.span, message).hint("one block `hero`"));
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for text in page.texts.iter().filter(|text| text.role == Role::Heading) {
        *seen.entry(text.words.as_str()).or_default() += 1;
    }
    for (heading, times) in seen.into_iter().filter(|(_, times)| *times > 1) {
        let message = format!("{}: the heading `{heading}` stands there {times} times", page.path);
        found.push(Problem::error(CONTENT, &at(heading), message).hint("each part of a page has its own"));
    }
    found
}

/// What is typed as a figure has a source on the page: in small words with a year, or in the text itself.
fn figures(page: &Reading, at: &dyn Fn(&str) -> Span) -> Vec<Problem> {
    let small = page.texts.iter().filter(|text| text.role == Role::Small);
    if small.into_iter().any(|text| has_year(&text.words) || is_marked(&text.words)) {
        return Vec::new();
    }
    let typed = page.body().filter(|text| has_figure(text) && !has_year(text) && !text.contains('('));
    typed
        .filter_map(|text| {
            let span = at(text);
            // what is put together is counted, not typed
            (span != page.span).then(|| {
                let message = format!("{}: a figure without a source: {} …", page.path, start(text));
                Problem::error(CONTENT, &span, message).hint("a text with `size: small` names source and year")
            })
        })
        .collect()
}

fn has_year(text: &str) -> bool {
    words(text).any(|word| word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && is_number(word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether small words say that figures are samples.
fn is_marked(text: &str) -> bool {
    words(text).any(|word| matches!(word.to_lowercase().as_str(), "sample" | "samples"))
}

/// An amount, or a share of a hundred.
fn has_figure(text: &str) -> bool {
    let digit = |part: &str| part.trim_start().starts_with(|c: char| c.is_ascii_digit());
    text.split('₹').skip(1).any(digit)
        || text.split('%').rev().skip(1).any(|before| before.trim_end().ends_with(|c: char| c.is_ascii_digit()))
}

/// Rows of tables with `review_by`: each has a source, and is looked at again before its day.
pub fn of_facts(files: &Files, today: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.contains("/tables/") && path.starts_with("workflows/")) {
        let Ok(table) = source::read(path, bytes) else { continue };
        let columns: Vec<&str> =
            table.get("columns").map_or(&[][..], Node::map).iter().map(|(key, _)| key.name.as_str()).collect();
        let Some(day) = columns.iter().position(|column| *column == REVIEW_BY) else { continue };
        let sources = columns.iter().position(|column| *column == "source");
        for row in table.get("rows").map_or(&[][..], Node::list) {
            let cell = |at: usize| row.list().get(at).or_else(|| row.get(columns[at]));
            let text = |at: usize| cell(at).and_then(Node::as_str).unwrap_or_default();
            if let Some(at) = sources.filter(|at| text(*at).trim().is_empty()) {
                let span = &cell(at).unwrap_or(row).span;
                found.push(Problem::error(CONTENT, span, "a fact without a source").hint("who said it, and where"));
            }
            if text(day) < today && !text(day).is_empty() {
                let span = &cell(day).unwrap_or(row).span;
                let message = format!("to be looked at again since {}", text(day));
                found.push(Problem::warning(CONTENT, span, message).hint("write the new days, or what has changed"));
            }
        }
    }
    found
}

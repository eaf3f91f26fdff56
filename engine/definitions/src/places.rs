//! How long a value may be at a place of a message: operators hold a registered text against what is sent, and refuse
//! one whose places are filled with more than they allow.

use crate::fields::MapReader;
use crate::message::Channel;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What operators allow at a place of a registered SMS.
const REGISTERED_CHARS_MAX: i64 = 30;
/// `https://<host>/r/<22 characters>` with a host of ordinary length.
pub const LINK_CHARS: usize = 50;

#[derive(Debug, Default)]
pub struct Places {
    own: BTreeMap<String, usize>,
    /// Most characters at every other place; `None`: any number.
    other: Option<usize>,
}

impl Places {
    /// `places: {link: 60}` of a message.
    pub fn read(fields: &mut MapReader<'_, '_>, channel: Channel, is_registered: bool) -> Places {
        let mut own = BTreeMap::new();
        for (key, node) in fields.entries("places") {
            match node.as_int().and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0) {
                Some(most) => drop(own.insert(key.name.clone(), most)),
                None => fields.wrong(node, "places", "numbers of characters"),
            }
        }
        let other = (channel == Channel::Sms && is_registered).then_some(REGISTERED_CHARS_MAX as usize);
        Places { own, other }
    }

    pub fn most(&self, place: &str) -> Option<usize> {
        self.own.get(place).copied().or(self.other)
    }

    /// Names that are too long end at a word; what is no name stays whole.
    pub fn fit(&self, data: &mut Map<String, Value>) {
        for (place, value) in data.iter_mut() {
            if let (Some(most), Value::String(text)) = (self.most(place), value) {
                *text = shorten(text, most);
            }
        }
    }

    /// Places that no text has, and values of the sample that do not fit.
    pub fn check(&self, sample: &Value, at: &crate::source::Node, problems: &mut Vec<Problem>) {
        for place in self.own.keys().filter(|place| sample.get(place).is_none()) {
            problems.push(Problem::error("unknown-name", &at.span, format!("no text has the place `{place}`")));
        }
        for (place, value) in sample.as_object().into_iter().flatten() {
            let (Some(most), Some(text)) = (self.most(place), value.as_str()) else { continue };
            let count = shorten(text, most).chars().count();
            if count > most {
                let message = format!("`{place}` has {count} characters in the sample, {most} are let through");
                problems
                    .push(Problem::error("too-long", &at.span, message).hint(format!("places: {{{place}: {count}}}")));
            }
        }
    }
}

/// Cuts a text at a word, or inside of the first one; an address, a number or a code is never cut.
fn shorten(text: &str, most: usize) -> String {
    let is_name =
        text.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || matches!(c, '.' | '\'' | '-' | '&' | ','));
    if text.chars().count() <= most || !is_name {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most + 1).collect();
    match cut.rfind(' ').map(|end| cut[..end].trim_end()) {
        Some(words) if !words.is_empty() => words.to_owned(),
        _ => text.chars().take(most).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn shortens_names_at_a_word_and_nothing_else() {
        for (text, sent) in [
            ("Venkata Satya Narayana Subrahmanyam Rao", "Venkata Satya Narayana"),
            ("Asha Rao", "Asha Rao"),
            ("Venkatanarasimharajuvaripetarajulu Rao", "Venkatanarasimharajuvaripetara"),
            (
                "https://insurance.example/r/Ab3xZk9QmN2pR5tV7wY1cE",
                "https://insurance.example/r/Ab3xZk9QmN2pR5tV7wY1cE",
            ),
            ("OG/2026/1234/0000/1234/0000/1234", "OG/2026/1234/0000/1234/0000/1234"),
        ] {
            assert_eq!(shorten(text, 30), sent);
        }
    }
}

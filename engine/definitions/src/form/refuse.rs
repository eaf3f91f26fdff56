//! `x-refuse`: shapes of a text that are refused with words of their own, such as a number of which only a person can
//! take care.

use super::normalise::compile;
use super::pattern;
use crate::fields::unknown_keys;
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use regex::Regex;
use serde_json::Value;

/// Codes of refusals, in the order in which they are tried.
pub const CODES: [&str; 6] = ["refused.0", "refused.1", "refused.2", "refused.3", "refused.4", "refused.5"];
const KEYS: [&str; 3] = ["pattern", "length", "text"];

pub struct Refusal {
    pattern: Regex,
    /// Length of the texts that are refused; `None`: any.
    length: Option<usize>,
}

impl Refusal {
    pub fn read(written: &Value) -> Option<Refusal> {
        let length = written.get("length").and_then(Value::as_u64).and_then(|length| usize::try_from(length).ok());
        Some(Refusal { pattern: compile(written.get("pattern")?.as_str()?)?, length })
    }

    fn fits(&self, text: &str) -> bool {
        self.length.is_none_or(|length| text.chars().count() == length) && self.pattern.is_match(text)
    }
}

/// What a field's schema refuses.
pub fn of(rule: &Value) -> &[Value] {
    rule.get("x-refuse").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The code of the first one that fits.
pub fn refusal_code(refusals: &[Refusal], text: &str) -> Option<&'static str> {
    CODES.iter().zip(refusals).find(|(_, refusal)| refusal.fits(text)).map(|(code, _)| *code)
}

pub fn check(node: &Node, problems: &mut Vec<Problem>) {
    if !node.is_list() || node.list().len() > CODES.len() {
        let message = format!("`x-refuse` is a list of at most {} shapes", CODES.len());
        problems.push(Problem::error("shape", &node.span, message));
    }
    for item in node.list() {
        unknown_keys(item, "a shape of `x-refuse`", &KEYS, problems);
        for key in ["pattern", "text"] {
            if item.get(key).is_none() {
                problems.push(Problem::error("missing", &item.span, format!("a shape of `x-refuse` needs `{key}`")));
            }
        }
        item.get("pattern").iter().for_each(|found| pattern::check(found, problems));
        if let Some(at) = item.get("length").filter(|n| !matches!(n.value, Source::Int(1..))) {
            problems.push(Problem::error("value", &at.span, "`length` is a whole number above 0"));
        }
    }
}

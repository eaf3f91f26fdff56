//! `x-normalise`: steps that both sides apply to what was typed (web/src/renderer/form/normalise.ts is the other one).

use super::level::{Field, Format, Holds, Level, Reads, Rule};
use super::rows::Rows;
use super::{letters, pattern};
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// The steps of one field.
#[derive(Clone, Debug)]
pub struct Normaliser {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Trim,
    Upper,
    Lower,
    Collapse,
    Sanitise,
    /// Writes accents and ligatures plainly.
    Latin,
    /// Writes digits of every script as those that we know.
    Digits,
    /// Keeps characters that match.
    Keep(Regex),
    Strip(Regex),
    /// What matches becomes a space, so that nothing is glued together.
    Space(Regex),
    /// The first of the texts that it begins with goes.
    Unprefix(Vec<String>),
    /// The groups of the first pattern that matches, joined.
    Group(Vec<Regex>, String),
}

const STEPS_MAX: usize = 20;

impl Normaliser {
    pub fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Normaliser> {
        if !node.is_list() || node.list().len() > STEPS_MAX {
            problems.push(Problem::error(
                "shape",
                &node.span,
                format!("`x-normalise` is a list of at most {STEPS_MAX} steps"),
            ));
            return None;
        }
        let steps: Vec<Step> = node.list().iter().filter_map(|n| step(n, problems)).collect();
        (steps.len() == node.list().len()).then_some(Normaliser { steps })
    }

    /// Normalises a text, and never empties what can be seen: such a text stays, to be refused.
    pub fn apply(&self, text: &str) -> String {
        let done = self.run(text);
        if done.is_empty() && !letters::is_blank(text) { text.trim_matches(is_space).to_owned() } else { done }
    }

    /// Whether a text that was brought into its shape has what cannot be written here: letters of another script, or
    /// nothing that can.
    pub fn refuses(&self, text: &str) -> bool {
        let is_removed = |c: char| letters::is_foreign(c) && self.steps.iter().any(|step| step.removes(c));
        text.chars().any(is_removed) || !text.is_empty() && self.run(text).is_empty()
    }

    fn run(&self, text: &str) -> String {
        self.steps.iter().fold(text.to_owned(), |text, step| step.apply(text))
    }
}

fn step(node: &Node, problems: &mut Vec<Problem>) -> Option<Step> {
    let wrong = |message: String, problems: &mut Vec<Problem>| {
        let problem = Problem::error("normalise", &node.span, message);
        problems.push(
            problem.hint(
                "trim, upper, lower, collapse, sanitise, latin, digits, {keep}, {strip}, {space}, {unprefix}, {group, join}",
            ),
        );
        None
    };
    if let Some(word) = node.as_str() {
        return match word {
            "trim" => Some(Step::Trim),
            "upper" => Some(Step::Upper),
            "lower" => Some(Step::Lower),
            "collapse" => Some(Step::Collapse),
            "sanitise" => Some(Step::Sanitise),
            "latin" => Some(Step::Latin),
            "digits" => Some(Step::Digits),
            _ => wrong(format!("unknown step `{word}`"), problems),
        };
    }
    let texts = |n: &Node| -> Option<Vec<String>> { n.items().iter().map(|i| i.as_str().map(str::to_owned)).collect() };
    let Some((key, value)) = node.map().first() else {
        return wrong(format!("a step is a word or a map, not {}", node.kind()), problems);
    };
    let patterns: Vec<&Node> = match key.name.as_str() {
        "keep" | "strip" | "space" => vec![value],
        "group" | "join" => node.get("group").map_or_else(Vec::new, |n| n.items().iter().collect()),
        _ => Vec::new(),
    };
    let before = problems.len();
    patterns.iter().for_each(|n| pattern::check(n, problems));
    if problems[before..].iter().any(Problem::is_error) {
        return None;
    }
    let parsed = match (key.name.as_str(), node.map().len()) {
        ("keep", 1) => value.as_str().and_then(compile).map(Step::Keep),
        ("strip", 1) => value.as_str().and_then(compile).map(Step::Strip),
        ("space", 1) => value.as_str().and_then(compile).map(Step::Space),
        ("unprefix", 1) => texts(value).map(Step::Unprefix),
        ("group" | "join", 1 | 2) => {
            let patterns = node
                .get("group")
                .and_then(&texts)
                .and_then(|list| list.iter().map(|p| compile(p)).collect::<Option<Vec<_>>>());
            let join = match node.get("join").map(|n| &n.value) {
                None => Some(String::new()),
                Some(Source::String(join)) => Some(join.clone()),
                Some(_) => None,
            };
            patterns.zip(join).map(|(p, j)| Step::Group(p, j))
        }
        _ => return wrong(format!("unknown step `{}`", key.name), problems),
    };
    match parsed {
        Some(step) => Some(step),
        None => {
            let expected = "a pattern or a list of texts";
            wrong(format!("`{}` cannot be read: {expected} is expected", key.name), problems)
        }
    }
}

/// Compiles a pattern once for all forms: shared fields repeat the same patterns.
pub fn compile(text: &str) -> Option<Regex> {
    static KNOWN: OnceLock<Mutex<HashMap<String, Regex>>> = OnceLock::new();
    const KNOWN_MAX: usize = 1_000;
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some(found) = known.lock().ok().and_then(|k| k.get(text).cloned()) {
        return Some(found);
    }
    let regex = regex::RegexBuilder::new(text).size_limit(1 << 20).build().ok()?;
    if let Ok(mut known) = known.lock() {
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(text.to_owned(), regex.clone());
    }
    Some(regex)
}

impl Step {
    fn apply(&self, text: String) -> String {
        match self {
            Step::Trim => text.trim_matches(is_space).to_owned(),
            Step::Upper => text.to_uppercase(),
            Step::Lower => text.to_lowercase(),
            Step::Collapse => collapse(&text),
            Step::Sanitise => sanitise(&text),
            Step::Latin => letters::latin(&text),
            Step::Digits => letters::digits(&text),
            Step::Keep(regex) => text.chars().filter(|c| letters::is_foreign(*c) || is_match(regex, *c)).collect(),
            Step::Strip(regex) => replace(regex, &text, ""),
            Step::Space(regex) => replace(regex, &text, " "),
            Step::Unprefix(prefixes) => {
                prefixes.iter().find_map(|p| text.strip_prefix(p.as_str()).map(str::to_owned)).unwrap_or(text)
            }
            Step::Group(patterns, join) => {
                let found = patterns.iter().find_map(|p| p.captures(&text));
                found
                    .map(|c| c.iter().skip(1).flatten().map(|m| m.as_str()).collect::<Vec<_>>().join(join))
                    .unwrap_or(text)
            }
        }
    }
}

impl Step {
    /// A character that would go, were it not for the letters of other scripts, which stay.
    fn removes(&self, c: char) -> bool {
        match self {
            Step::Keep(regex) => !is_match(regex, c),
            Step::Strip(regex) | Step::Space(regex) => is_match(regex, c),
            _ => false,
        }
    }
}

fn is_match(regex: &Regex, c: char) -> bool {
    regex.is_match(c.encode_utf8(&mut [0; 4]))
}

/// What matches is replaced, without the letters of other scripts in it.
fn replace(regex: &Regex, text: &str, with: &str) -> String {
    let instead = |found: &Captures<'_>| {
        let kept: String = found[0].chars().filter(|c| letters::is_foreign(*c)).collect();
        if kept.is_empty() { with.to_owned() } else { kept }
    };
    regex.replace_all(text, instead).into_owned()
}

fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if is_space(c) {
            if !space {
                out.push(' ');
            }
            space = true;
        } else {
            out.push(c);
            space = false;
        }
    }
    out
}

/// White space of Unicode and of JavaScript.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// R5-39: tags and markers of scripts, and angle brackets, become a space: nothing is glued together by it. Plain words
/// stay.
pub fn sanitise(text: &str) -> String {
    static MARKERS: OnceLock<Option<Regex>> = OnceLock::new();
    let markers = MARKERS.get_or_init(|| {
        let marks = r"</?[A-Za-z][^<>]*>|</?[ ]?(?i-u:script|img|svg)";
        let attributes = r"(?i-u:\bon[a-z]+)[ ]?=|(?i-u:\bhref)[ ]?=|(?i-u:javascript):|[<>]";
        Regex::new(&format!("{marks}|{attributes}")).ok()
    });
    markers.as_ref().map_or_else(|| text.to_owned(), |markers| markers.replace_all(text, " ").into_owned())
}

/// Normalises the fields of an object, reads numbers and booleans from texts, drops what is empty, and puts there what
/// always is: required objects and lists of rows.
pub fn object(level: &Level, data: &mut Value) {
    let Some(map) = data.as_object_mut() else { return };
    map.retain(|name, value| !is_empty(value) && !level.gone.contains(name));
    for field in &level.fields {
        match (map.get_mut(&field.name), &field.holds) {
            (Some(value), _) => {
                answer(field, value);
                if value.as_str() == Some("") {
                    map.shift_remove(&field.name);
                }
            }
            (None, Holds::Rows(rows)) => {
                let mut none = Vec::new();
                rows.arrange(&mut none);
                put(rows, &mut none);
                map.insert(field.name.clone(), Value::Array(none));
            }
            (None, Holds::Object(inner)) if field.is_required => {
                let mut none = Value::Object(Map::new());
                object(inner, &mut none);
                map.insert(field.name.clone(), none);
            }
            (None, Holds::Object(_) | Holds::Value) => {}
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn answer(field: &Field, value: &mut Value) {
    match (&field.holds, value) {
        (Holds::Object(inner), value @ Value::Object(_)) => object(inner, value),
        (Holds::Rows(rows), Value::Array(items)) => {
            rows.arrange(items);
            put(rows, items);
        }
        (_, value) => one(&field.rule, value),
    }
}

fn put(rows: &Rows, items: &mut [Value]) {
    for (i, item) in items.iter_mut().enumerate() {
        if let Some(row) = rows.level(i) {
            object(row, item);
        }
    }
}

fn one(rule: &Rule, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(normaliser) = &rule.normaliser {
                *text = normaliser.apply(text);
            }
            if rule.format == Some(Format::Date) {
                *text = letters::digits(text);
            }
            if let Some(read) = rule.reads.and_then(|reads| read_typed(reads, text)) {
                *value = read;
            }
        }
        Value::Object(map) => map.retain(|_, inner| !is_empty(inner)),
        Value::Array(items) => {
            if let Some(rule) = &rule.items {
                items.iter_mut().for_each(|item| one(rule, item));
            }
        }
        Value::Number(n) if n.is_f64() => {
            if let Some(whole) = n.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9e15) {
                *value = Value::from(whole as i64);
            }
        }
        _ => {}
    }
}

/// Reads a text as the `type` that is asked for; whole numbers stay whole.
pub(super) fn as_typed(kind: &str, value: &mut Value) {
    one(&Rule { reads: Reads::of_kind(kind), ..Rule::default() }, value);
}

/// What was typed as text: digits with or without commas, yes and no; one value of a list.
fn read_typed(reads: Reads, text: &str) -> Option<Value> {
    let plain = text.trim_matches(is_space);
    match reads {
        Reads::Integer => number(plain, false),
        Reads::Number => number(plain, true),
        Reads::Boolean => match plain {
            "true" | "on" | "yes" => Some(Value::Bool(true)),
            "false" | "off" | "no" => Some(Value::Bool(false)),
            _ => None,
        },
        Reads::List if plain.is_empty() => None,
        Reads::List => Some(Value::Array(vec![Value::String(text.to_owned())])),
    }
}

fn number(text: &str, with_fraction: bool) -> Option<Value> {
    let text = letters::digits(text).replace(',', "");
    let digits = |t: &str, max: usize| (1..=max).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if with_fraction => (whole, Some(fraction)),
        _ => (text.as_str(), None),
    };
    let is_number = digits(whole.strip_prefix('-').unwrap_or(whole), 15) && fraction.is_none_or(|f| digits(f, 9));
    let value: f64 = text.parse().ok().filter(|_| is_number)?;
    Some(if value.fract() == 0.0 { Value::from(value as i64) } else { Value::from(value) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(steps: Value, typed: &str, expected: &str) {
        let mut problems = Vec::new();
        let normaliser = Normaliser::read(&Node::from_json(&steps), &mut problems);
        assert_eq!(problems, vec![]);
        assert_eq!(normaliser.map(|n| n.apply(typed)).as_deref(), Some(expected), "{typed}");
    }

    #[test]
    fn applies_the_steps_in_order() {
        let names = json!(["latin", {"space": "[-'.]"}, {"keep": "[A-Za-z ]"}, "collapse", "trim"]);
        check(names.clone(), "Asha1 R@o", "Asha Ro"); // R5-03
        check(names.clone(), "José आशा", "Jose आशा");
        check(names.clone(), " 123 ", "123"); // stays, to be refused
        check(names, "Mary-Jane D'Souza", "Mary Jane D Souza");
        let mobile = json!([{"keep": "[0-9+]"}, {"group": ["^(?:[+]91|91|0)([0-9]{10})$"], "join": ""}]);
        check(mobile.clone(), "+91 98765-43210", "9876543210"); // R5-11
        check(mobile.clone(), "09876543210", "9876543210");
        check(mobile.clone(), "9198765432", "9198765432");
        check(mobile, "90000000012345", "90000000012345"); // R5-12: refused, never cut
        let code = json!(["upper", {"strip": "[^A-Z0-9]"}, {"group": ["^([A-Z]{1,2})([0-9]{1,2})([A-Z]{1,3})([0-9]{1,4})$"], "join": "-"}]);
        check(code.clone(), "dl3cab1234", "DL-3-CAB-1234"); // R5-19
        check(code, "1234", "1234");
    }

    /// R5-39
    #[test]
    fn sanitises_markers_and_brackets() {
        let clean = sanitise("<script>a</script><img src=x><svg onLoad=x><a href=y>");
        for marker in ["script", "onLoad=", "img", "svg", "href", "<", ">"] {
            assert!(!clean.contains(marker), "{marker} in {clean}");
        }
        assert_eq!(sanitise("<scr<script>ipt>"), " scr ipt ");
        assert_eq!(sanitise("<b>P</b>-12/34"), " P -12/34");
        assert_eq!(sanitise("plain script words, 3 < 4"), "plain script words, 3   4");
    }
}

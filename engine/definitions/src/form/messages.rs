//! What is said about a wrong field. Texts come from data: the property's `x-messages`, the form's
//! `messages`, forms/shared/messages.json; the last resort is here.
//!
//! A pair of minLength and maxLength is one rule with the keys `length.equal` and `length.between`
//! (R5-01, R5-02).

use super::{refuse, widget};
use crate::source::Node;
use engine_statechart::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Default texts by keyword.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    texts: BTreeMap<String, String>,
    /// Language of dates in the texts.
    language: String,
}

pub const KEYWORDS: [&str; 21] = [
    "required",
    "type",
    "letters",
    "minLength",
    "maxLength",
    "length.equal",
    "length.between",
    "pattern",
    "enum",
    "const",
    "minimum",
    "maximum",
    "format",
    "x-date.min",
    "x-date.max",
    "minItems",
    "maxItems",
    "uniqueItems",
    "multipleOf",
    "unknown",
    "any",
];

const LAST_RESORT: [(&str, &str); 4] = [
    ("required", "Please enter {label}"),
    ("letters", "Please write {label} in English letters"),
    ("unknown", "This field is not expected"),
    ("any", "Please check {label}"),
];

impl Messages {
    /// Reads `{keyword: text}`.
    pub fn compile(node: &Node, problems: &mut Vec<Problem>) -> Messages {
        if !node.is_map() {
            problems.push(Problem::error("shape", &node.span, "messages are a map from keywords to texts"));
        }
        Messages { texts: read_texts(node, problems).into_iter().collect(), language: String::new() }
    }

    pub fn in_language(self, language: &str) -> Messages {
        Messages { language: language.to_owned(), ..self }
    }

    fn text(&self, keyword: &str) -> Option<&str> {
        self.texts.get(keyword).map(String::as_str)
    }
}

fn read_texts(node: &Node, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for (key, value) in node.map() {
        let (keyword, kind) = key.name.split_once('.').unwrap_or((key.name.as_str(), ""));
        let is_of_kind = KEYWORDS.contains(&keyword) && widget::kinds().any(|known| known == kind);
        if !is_of_kind && !KEYWORDS.contains(&key.name.as_str()) {
            let hint = engine_statechart::did_you_mean(&key.name, KEYWORDS);
            problems.push(
                Problem::error("unknown-key", &key.span, format!("unknown rule `{}` in messages", key.name))
                    .maybe_hint(hint),
            );
        }
        match value.as_str() {
            Some(text) => list.push((key.name.clone(), text.to_owned())),
            None => problems.push(Problem::error(
                "shape",
                &value.span,
                format!("a text is expected here, not {}", value.kind()),
            )),
        }
    }
    list
}

pub fn check(node: &Node, problems: &mut Vec<Problem>) {
    read_texts(node, problems);
}

/// Gives every field its complete `x-messages`, keyword → finished text, and the form those of what it does not know.
/// `written` is the form's `messages`, by pointer without rows.
pub fn complete(schema: &mut Value, title: &str, written: Option<&Value>, defaults: &Messages) {
    level(schema, written, "", defaults);
    if let Some(map) = schema.as_object_mut() {
        let text = |keyword: &str| standard(keyword, None, defaults).replace("{label}", title).into();
        let texts = ["unknown", "type"].map(|keyword| (keyword.to_owned(), text(keyword)));
        map.insert("x-messages".into(), Value::Object(texts.into_iter().collect()));
    }
}

fn level(schema: &mut Value, form: Option<&Value>, pointer: &str, defaults: &Messages) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, rule) in properties.iter_mut() {
        let pointer = super::below(pointer, name);
        let own = form.and_then(|f| f.get(&pointer)).and_then(Value::as_object);
        level(rule, form, &pointer, defaults);
        for inner in ["items", "prefixItems"] {
            match rule.get_mut(inner) {
                Some(Value::Array(rows)) => rows.iter_mut().for_each(|row| level(row, form, &pointer, defaults)),
                Some(items) => level(items, form, &pointer, defaults),
                None => {}
            }
        }
        field(name, rule, own, defaults);
    }
}

/// The text that no form writes: of this kind of widget, of the rule, of any rule.
fn standard(keyword: &str, kind: Option<&str>, defaults: &Messages) -> String {
    let last = |k: &str| LAST_RESORT.iter().find(|(n, _)| *n == k).map(|(_, t)| *t);
    let special = kind.and_then(|kind| defaults.text(&format!("{keyword}.{kind}")));
    special
        .or_else(|| defaults.text(keyword))
        .or_else(|| last(keyword))
        .or_else(|| defaults.text("any"))
        .or_else(|| last("any"))
        .unwrap_or_default()
        .to_owned()
}

fn field(name: &str, rule: &mut Value, form: Option<&Map<String, Value>>, defaults: &Messages) {
    let widget = widget::of(rule);
    let kind = if super::rows::is_list(rule) {
        Some(widget::ROWS_KIND)
    } else {
        crate::keys::widgets::find(widget).and_then(|w| w.kind)
    };
    let is_money = widget == "money" && rule.pointer("/x-ui/unit").is_none();
    let Some(map) = rule.as_object_mut() else { return };
    let written = map.get("x-messages").and_then(Value::as_object).cloned().unwrap_or_default();
    let label = map.get("title").and_then(Value::as_str).unwrap_or(name).to_owned();
    let mut texts = Map::new();
    let mut add = |keyword: &str, also: &str, min: Option<&Value>, max: Option<&Value>| {
        let of = |k: &str| written.get(k).or_else(|| form.and_then(|f| f.get(k))).and_then(Value::as_str);
        let own = of(keyword).or_else(|| of(also)).map(str::to_owned);
        let general = || if also.is_empty() { None } else { defaults.text(also).map(str::to_owned) };
        let text = own.or_else(general).unwrap_or_else(|| standard(keyword, kind, defaults));
        let show = |v: Option<&Value>| match v.and_then(Value::as_i64) {
            Some(_) if is_money => {
                let amount = crate::values::money::show(v.unwrap_or(&Value::Null)).unwrap_or_default();
                amount.strip_suffix(".00").unwrap_or(&amount).to_owned()
            }
            _ => v.map(crate::text::plain).unwrap_or_default(),
        };
        let limit = if max.is_some() { show(max) } else { show(min) };
        let text = text
            .replace("{label}", &label)
            .replace("{min}", &show(min))
            .replace("{max}", &show(max))
            .replace("{limit}", &limit);
        texts.insert(keyword.to_owned(), Value::String(text));
    };
    let items = map.get("items").filter(|_| map.get("x-key").is_none());
    add("required", "", None, None);
    add("type", "", None, None);
    if map.contains_key("x-normalise") || items.is_some_and(|items| items.get("x-normalise").is_some()) {
        add("letters", "", None, None);
    }
    // What is wrong with one of several boxes is said of all of them.
    for rule in [Some(&*map), items.and_then(Value::as_object)].into_iter().flatten() {
        let get = |k: &str| rule.get(k);
        match (get("minLength"), get("maxLength")) {
            (Some(min), Some(max)) => {
                let also = if min == max { "length.equal" } else { "length.between" };
                add("minLength", also, Some(min), Some(max));
                add("maxLength", also, Some(min), Some(max));
            }
            (Some(min), None) => add("minLength", "", Some(min), None),
            (None, Some(max)) => add("maxLength", "", None, Some(max)),
            (None, None) => {}
        }
        if ["enum", "oneOf"].iter().any(|k| rule.contains_key(*k)) {
            add("enum", "", None, None);
        }
        for keyword in ["pattern", "const", "format", "uniqueItems", "multipleOf"] {
            if let Some(limit) = get(keyword) {
                add(keyword, "", None, Some(limit));
            }
        }
        for (low, high) in [("minimum", "maximum"), ("minItems", "maxItems")] {
            for keyword in [low, high].into_iter().filter(|k| rule.contains_key(*k)) {
                add(keyword, "", get(low), get(high));
            }
        }
    }
    if let Some(dates) = map.get("x-date").and_then(Value::as_object) {
        let show = |k: &str| {
            dates.get(k).and_then(Value::as_str).map(|d| Value::String(super::date::words(d, &defaults.language)))
        };
        let (min, max) = (show("min"), show("max"));
        if min.is_some() {
            add("x-date.min", "", min.as_ref(), max.as_ref());
        }
        if max.is_some() {
            add("x-date.max", "", min.as_ref(), max.as_ref());
        }
    }
    let refusals = map.get("x-refuse").and_then(Value::as_array).into_iter().flatten();
    for (code, refusal) in refuse::CODES.iter().zip(refusals) {
        let text = refusal.get("text").map(crate::text::plain).unwrap_or_default();
        texts.insert((*code).to_owned(), Value::String(text.replace("{label}", &label)));
    }
    map.insert("x-messages".into(), Value::Object(texts));
}

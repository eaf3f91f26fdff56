//! Widgets: which values each asks for, and which keys of `x-ui` it reads beside those that every field may have.

use serde_json::Value;

pub struct Widget {
    pub name: &'static str,
    /// Types of the values that it gives.
    pub types: &'static [&'static str],
    pub options: &'static [&'static str],
    /// How its standard messages are called: `required.<kind>`.
    pub kind: Option<&'static str>,
}

/// Keys of `x-ui` that every field may have.
pub const COMMON: [&str; 11] = [
    "widget",
    "group",
    "show",
    "hint",
    "review",
    "placeholder",
    "autocomplete",
    "inputMode",
    "autocapitalize",
    "prefix",
    "suffix",
];

/// Keys of `x-ui` of a list of rows that people add and remove.
pub const ROWS: [&str; 6] = ["group", "show", "hint", "review", "add", "remove"];
/// Keys of `x-ui` of an object.
pub const OBJECT: [&str; 4] = ["group", "show", "hint", "review"];
/// Keys of `x-ui` of the form itself.
pub const FORM: [&str; 1] = ["submit"];

const TEXT: &[&str] = &["string"];
const NUMBER: &[&str] = &["integer", "number"];
const ANY_ONE: &[&str] = &["string", "integer", "number", "boolean"];

const fn widget(name: &'static str, types: &'static [&'static str], options: &'static [&'static str]) -> Widget {
    Widget { name, types, options, kind: None }
}

const fn choice(name: &'static str, types: &'static [&'static str], options: &'static [&'static str]) -> Widget {
    Widget { name, types, options, kind: Some("choice") }
}

pub const WIDGETS: [Widget; 18] = [
    widget("text", &["string", "integer", "number"], &["look", "scene"]),
    widget("textarea", TEXT, &["rows"]),
    widget("mobile", TEXT, &[]),
    widget("otp", TEXT, &[]),
    widget("number", NUMBER, &[]),
    widget("money", NUMBER, &["unit", "words"]),
    widget("height", &["integer"], &[]),
    widget("date", TEXT, &[]),
    choice("choice", ANY_ONE, &["columns"]),
    Widget { name: "toggle", types: &["boolean"], options: &[], kind: Some("toggle") },
    choice("select", ANY_ONE, &[]),
    choice("checkboxes", &["array"], &["columns"]),
    Widget { name: "consent", types: &["boolean"], options: &["links"], kind: Some("consent") },
    widget("range", NUMBER, &["unit", "step"]),
    choice("lookup", &["string", "integer"], &["source", "value", "label", "filter", "search"]),
    widget("hidden", &["string", "integer", "number", "boolean", "array"], &[]),
    widget("upload", TEXT, &["accept"]),
    choice("slots", TEXT, &["slots", "empty"]),
];

/// How the standard messages of lists of rows are called.
pub const ROWS_KIND: &str = "rows";

/// What standard messages may be for.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    WIDGETS.iter().filter_map(|w| w.kind).chain([ROWS_KIND])
}

pub fn find(name: &str) -> Option<&'static Widget> {
    WIDGETS.iter().find(|w| w.name == name)
}

/// The widget that a field names, else the one that fits its values.
pub fn of(rule: &Value) -> &str {
    const CHOICE_MAX: usize = 4;
    const LINE_MAX: u64 = 150;
    if let Some(named) = rule.pointer("/x-ui/widget").and_then(Value::as_str) {
        return named;
    }
    let choices = rule.get("oneOf").or_else(|| rule.get("enum")).and_then(Value::as_array);
    match (rule.get("type").and_then(Value::as_str), choices) {
        (Some("array"), _) => "checkboxes",
        (Some("boolean"), _) if rule.get("const") == Some(&Value::Bool(true)) => "consent",
        (Some("boolean"), _) => "toggle",
        (_, Some(list)) => {
            if list.len() <= CHOICE_MAX {
                "choice"
            } else {
                "select"
            }
        }
        (Some("integer" | "number"), _) => "number",
        _ if rule.get("x-date").is_some() || rule.get("format").and_then(Value::as_str) == Some("date") => "date",
        _ if rule.get("maxLength").and_then(Value::as_u64).is_some_and(|max| max > LINE_MAX) => "textarea",
        _ => "text",
    }
}

//! The controls of a form, by widget.

use super::form::{error, wrap, wrap_group};
use super::format::grouped;
use super::writer::{Attributes, Html};
use serde_json::Value;

/// One property of a form, ready to be drawn.
pub struct Field<'a> {
    pub id: String,
    pub name: String,
    pub pointer: String,
    pub schema: &'a Value,
    pub ui: &'a Value,
    pub data: &'a Value,
    pub required: bool,
    pub error: Option<&'a str>,
}

impl<'a> Field<'a> {
    pub fn title(&self) -> &'a str {
        self.ui.get("ui:title").or_else(|| self.schema.get("title")).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn hint(&self) -> Option<&'a str> {
        self.option("hint").or_else(|| self.schema.get("description")).and_then(Value::as_str)
    }

    pub fn described_by(&self) -> Option<String> {
        let hint = self.hint().map(|_| format!("{}-hint", self.id));
        let error = self.error.map(|_| format!("{}-error", self.id));
        let both: Vec<String> = hint.into_iter().chain(error).collect();
        (!both.is_empty()).then(|| both.join(" "))
    }

    fn option(&self, name: &str) -> Option<&'a Value> {
        self.ui.get("ui:options").and_then(|options| options.get(name))
    }

    fn text_option(&self, name: &str) -> Option<&'a str> {
        self.option(name).and_then(Value::as_str)
    }

    fn kind(&self) -> &'a str {
        self.schema.get("type").and_then(Value::as_str).unwrap_or("string")
    }

    fn widget(&self) -> &'a str {
        match self.ui.get("ui:widget").and_then(Value::as_str) {
            Some("lookup") if self.option("search") == Some(&Value::Bool(false)) => "select",
            Some(widget) => widget,
            None if self.schema.get("oneOf").is_some() || self.schema.get("enum").is_some() => "select",
            None if self.kind() == "boolean" => "consent",
            None if matches!(self.kind(), "integer" | "number") => "number",
            None => "text",
        }
    }

    /// `(value, title, description)` of each choice.
    fn choices(&self) -> Vec<(String, String, Option<String>)> {
        let source = if self.kind() == "array" { self.schema.get("items").unwrap_or(self.schema) } else { self.schema };
        if let Some(list) = source.get("oneOf").and_then(Value::as_array) {
            let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
            return list.iter().filter_map(|item| item.get("const").map(|value| (plain(value), text(item, "title").unwrap_or_else(|| plain(value)), text(item, "description")))).collect();
        }
        source.get("enum").and_then(Value::as_array).into_iter().flatten().map(|value| (plain(value), plain(value), None)).collect()
    }
}

pub fn draw(html: &mut Html, field: &Field) {
    match field.widget() {
        "hidden" => {}
        "textarea" => textarea(html, field),
        "select" => select(html, field),
        "choice" => choices(html, field, "choice", "choices", "radio"),
        "toggle" => choices(html, field, "toggle", "choices toggle", "radio"),
        "checkboxes" => choices(html, field, "checkboxes", "choices", "checkbox"),
        "date" => date(html, field),
        "range" => range(html, field),
        "consent" => consent(html, field),
        "upload" => upload(html, field),
        widget => input(html, field, widget),
    }
}

fn input(html: &mut Html, field: &Field, widget: &str) {
    let email = field.schema.get("format").and_then(Value::as_str) == Some("email");
    let (kind, mode, complete) = match widget {
        "mobile" => ("tel", Some("numeric"), Some("tel-national")),
        "otp" => ("text", Some("numeric"), Some("one-time-code")),
        "money" => ("text", Some("numeric"), None),
        "number" => ("text", Some(if field.kind() == "number" { "decimal" } else { "numeric" }), None),
        "lookup" => ("text", None, Some("off")),
        _ if email => ("email", Some("email"), Some("email")),
        _ => ("text", None, None),
    };
    let prefix = field.text_option("prefix").or(match widget {
        "mobile" => Some("+91"),
        "money" => Some("₹"),
        _ => None,
    });
    let value = match widget {
        "money" => field.data.as_i64().map(|amount| grouped(if field.text_option("unit") == Some("rupees") { amount.unsigned_abs() } else { amount.unsigned_abs() / 100 })).unwrap_or_default(),
        "lookup" => field.text_option("shown").map_or_else(|| plain(field.data), str::to_owned),
        _ => plain(field.data),
    };
    let longest = field.schema.get("x-normalise").is_none().then(|| field.schema.get("maxLength").map(plain)).flatten();
    wrap(html, field, widget, |html| {
        html.open("div", &[("class", "control")]);
        if let Some(prefix) = prefix {
            html.element("span", &[("class", "affix")], prefix);
        }
        let mut attributes = Attributes::new()
            .with("class", if widget == "otp" { "input input-otp" } else { "input" })
            .with("id", field.id.as_str())
            .with("name", field.name.as_str())
            .with("type", kind)
            .with("value", value);
        if widget == "lookup" {
            attributes = attributes.with("role", "combobox").with("aria-expanded", "false").with("aria-autocomplete", "list").with("aria-controls", format!("{}-list", field.id));
        }
        attributes
            .maybe("inputmode", field.text_option("inputMode").or(mode))
            .maybe("autocomplete", field.text_option("autocomplete").or(complete))
            .maybe("placeholder", field.text_option("placeholder"))
            .maybe("maxlength", longest)
            .maybe("aria-describedby", field.described_by())
            .maybe("aria-required", field.required.then_some("true"))
            .maybe("aria-invalid", field.error.map(|_| "true"))
            .open(html, "input");
        if let Some(suffix) = field.text_option("suffix") {
            html.element("span", &[("class", "affix")], suffix);
        }
        html.close("div");
    });
}

fn textarea(html: &mut Html, field: &Field) {
    wrap(html, field, "textarea", |html| {
        html.open("div", &[("class", "control")]);
        common(field).with("rows", "3").maybe("placeholder", field.text_option("placeholder")).open(html, "textarea");
        html.text(&plain(field.data)).close("textarea").close("div");
    });
}

fn select(html: &mut Html, field: &Field) {
    let chosen = plain(field.data);
    let widget = field.ui.get("ui:widget").and_then(Value::as_str).unwrap_or("select");
    wrap(html, field, widget, |html| {
        html.open("div", &[("class", "control select")]);
        common(field).maybe("autocomplete", field.text_option("autocomplete")).open(html, "select");
        html.raw("<option value=\"\">Choose</option>");
        for (value, title, _) in field.choices() {
            Attributes::new().with("value", value.as_str()).flag("selected", !field.data.is_null() && value == chosen).open(html, "option");
            html.text(&title).close("option");
        }
        html.close("select").close("div");
    });
}

/// Class, id, name and ARIA of a single control.
fn common<'a>(field: &'a Field) -> Attributes<'a> {
    Attributes::new()
        .with("class", "input")
        .with("id", field.id.as_str())
        .with("name", field.name.as_str())
        .maybe("aria-describedby", field.described_by())
        .maybe("aria-required", field.required.then_some("true"))
        .maybe("aria-invalid", field.error.map(|_| "true"))
}

fn choices(html: &mut Html, field: &Field, widget: &str, class: &str, kind: &str) {
    let mut list = field.choices();
    if list.is_empty() && widget == "toggle" {
        list = vec![("true".into(), "Yes".into(), None), ("false".into(), "No".into(), None)];
    }
    let chosen: Vec<String> = match field.data {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Null => Vec::new(),
        one => vec![plain(one)],
    };
    wrap_group(html, field, widget, |html| {
        html.open("div", &[("class", class)]);
        for (index, (value, title, description)) in list.iter().enumerate() {
            let id = format!("{}-{index}", field.id);
            html.open("label", &[("class", "choice"), ("for", &id)]);
            Attributes::new().with("type", kind).with("id", id.as_str()).with("name", field.name.as_str()).with("value", value.as_str()).flag("checked", chosen.contains(value)).open(html, "input");
            html.open("span", &[("class", "choice-body")]).element("span", &[("class", "choice-title")], title);
            if let Some(text) = description {
                html.element("span", &[("class", "choice-text")], text);
            }
            html.close("span").close("label");
        }
        html.close("div");
    });
}

fn date(html: &mut Html, field: &Field) {
    let text = field.data.as_str().unwrap_or_default();
    let mut parts = text.splitn(3, '-').map(|part| part.trim_start_matches('0').to_owned());
    let (year, month, day) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let birthday = field.text_option("autocomplete") == Some("bday");
    wrap_group(html, field, "date", |html| {
        html.open("div", &[("class", "date")]);
        for (part, label, longest, value) in [("day", "Day", "2", day), ("month", "Month", "2", month), ("year", "Year", "4", year)] {
            let id = format!("{}-{part}", field.id);
            html.open("div", &[("class", "date-part")]).element("label", &[("for", &id)], label);
            Attributes::new()
                .with("class", "input")
                .with("id", id.as_str())
                .with("name", format!("{}.{part}", field.name))
                .with("inputmode", "numeric")
                .with("maxlength", longest)
                .with("value", value)
                .maybe("autocomplete", birthday.then(|| format!("bday-{part}")))
                .maybe("aria-invalid", field.error.map(|_| "true"))
                .open(html, "input");
            html.close("div");
        }
        html.close("div");
    });
}

fn range(html: &mut Html, field: &Field) {
    let bound = |name: &str| field.schema.get(name).map(plain).unwrap_or_default();
    let (min, max, step) = (bound("minimum"), bound("maximum"), field.schema.get("multipleOf").map_or_else(|| "1".to_owned(), plain));
    let value = if field.data.is_null() { min.clone() } else { plain(field.data) };
    let (prefix, suffix) = (field.text_option("prefix").unwrap_or_default(), field.text_option("suffix").unwrap_or_default());
    wrap(html, field, "range", |html| {
        html.open("div", &[("class", "range")]).element("output", &[("class", "range-value"), ("id", &format!("{}-value", field.id))], &format!("{prefix}{value}{suffix}"));
        Attributes::new()
            .with("class", "range-input")
            .with("type", "range")
            .with("id", field.id.as_str())
            .with("name", field.name.as_str())
            .with("min", min.as_str())
            .with("max", max.as_str())
            .with("step", step)
            .with("value", value)
            .maybe("aria-describedby", field.described_by())
            .open(html, "input");
        html.open("div", &[("class", "range-ends")]).element("span", &[], &format!("{prefix}{min}{suffix}")).element("span", &[], &format!("{prefix}{max}{suffix}")).close("div").close("div");
    });
}

fn consent(html: &mut Html, field: &Field) {
    html.open("div", &[("class", "field"), ("data-widget", "consent"), ("data-pointer", &field.pointer)]);
    html.open("label", &[("class", "consent"), ("for", &field.id)]);
    Attributes::new().with("type", "checkbox").with("id", field.id.as_str()).with("name", field.name.as_str()).with("value", "true").flag("checked", field.data == &Value::Bool(true)).maybe("aria-describedby", field.described_by()).open(html, "input");
    html.element("span", &[], field.title()).close("label");
    if let Some(text) = field.hint() {
        html.element("p", &[("class", "field-hint"), ("id", &format!("{}-hint", field.id))], text);
    }
    error(html, field);
    html.close("div");
}

fn upload(html: &mut Html, field: &Field) {
    wrap(html, field, "upload", |html| {
        Attributes::new().with("class", "input").with("type", "file").with("id", field.id.as_str()).with("name", field.name.as_str()).maybe("accept", field.text_option("accept")).open(html, "input");
    });
}

/// A scalar as text.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

//! The controls of a form, by widget.

mod slots;

use super::form::{error, wrap, wrap_group};
use super::format::{grouped, money};
use super::link::safe_url;
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

    fn placeholder(&self) -> Option<&'a str> {
        self.ui.get("ui:placeholder").and_then(Value::as_str).or(self.text_option("placeholder"))
    }

    fn kind(&self) -> &'a str {
        self.schema.get("type").and_then(Value::as_str).unwrap_or("string")
    }

    /// The widget that is named, else the one that fits the schema.
    pub fn widget(&self) -> &'a str {
        if let Some(named) = self.ui.get("ui:widget").and_then(Value::as_str) {
            return named;
        }
        if self.schema.get("const") == Some(&Value::Bool(true)) {
            return "consent";
        }
        match self.kind() {
            "boolean" => "toggle",
            "array" => "checkboxes",
            _ if self.schema.get("oneOf").is_some() || self.schema.get("enum").is_some() => {
                if self.choices().len() <= FEW { "choice" } else { "select" }
            }
            "integer" | "number" => "number",
            _ if self.schema.get("x-date").is_some()
                || self.schema.get("format").and_then(Value::as_str) == Some("date") =>
            {
                "date"
            }
            _ if self.schema.get("maxLength").and_then(Value::as_u64).is_some_and(|length| length > LONG) => "textarea",
            _ => "text",
        }
    }

    /// `(value, title, description)` of each choice.
    fn choices(&self) -> Vec<(String, String, Option<String>)> {
        let source = if self.kind() == "array" { self.schema.get("items").unwrap_or(self.schema) } else { self.schema };
        if let Some(list) = source.get("oneOf").and_then(Value::as_array) {
            let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
            return list
                .iter()
                .filter_map(|item| {
                    item.get("const").map(|value| {
                        (plain(value), text(item, "title").unwrap_or_else(|| plain(value)), text(item, "description"))
                    })
                })
                .collect();
        }
        source
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|value| (plain(value), plain(value), None))
            .collect()
    }
}

/// A list of up to so many is drawn as cards.
const FEW: usize = 4;
/// A text longer than this gets several lines.
const LONG: u64 = 150;

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
        "slots" => slots::draw(html, field),
        "lookup" if field.option("search") == Some(&Value::Bool(false)) => select(html, field),
        "lookup" => lookup(html, field),
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
        _ if email => ("email", Some("email"), Some("email")),
        _ => ("text", None, None),
    };
    let prefix = field.text_option("prefix").or(match widget {
        "mobile" => Some("+91"),
        "money" => Some("₹"),
        _ => None,
    });
    let value = match widget {
        "money" => field
            .data
            .as_i64()
            .map(|amount| grouped(if field.text_option("unit") == Some("rupees") { amount } else { amount / 100 }))
            .unwrap_or_default(),
        _ => plain(field.data),
    };
    let upper = field
        .schema
        .get("x-normalise")
        .and_then(Value::as_array)
        .is_some_and(|steps| steps.iter().any(|step| step == "upper"));
    let capitals = field.text_option("autocapitalize").or(upper.then_some("characters")).filter(|_| widget == "text");
    let longest = field.schema.get("x-normalise").is_none().then(|| field.schema.get("maxLength").map(plain)).flatten();
    wrap(html, field, widget, |html| {
        html.open("div", &[("class", "control")]);
        if let Some(prefix) = prefix {
            html.element("span", &[("class", "affix")], prefix);
        }
        let attributes = Attributes::new()
            .with("class", if widget == "otp" { "input input-otp" } else { "input" })
            .with("id", field.id.as_str())
            .with("name", field.name.as_str())
            .with("type", kind)
            .with("value", value);
        attributes
            .maybe("inputmode", field.text_option("inputMode").or(mode))
            .maybe("autocomplete", field.text_option("autocomplete").or(complete))
            .maybe("placeholder", field.placeholder())
            .maybe("maxlength", longest)
            .maybe("autocapitalize", capitals)
            .maybe("spellcheck", (widget == "text").then_some("false"))
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
        common(field)
            .with("rows", field.option("rows").map_or_else(|| "3".to_owned(), plain))
            .maybe("placeholder", field.placeholder())
            .open(html, "textarea");
        html.text(&plain(field.data)).close("textarea").close("div");
    });
}

fn select(html: &mut Html, field: &Field) {
    let chosen = plain(field.data);
    let widget = field.ui.get("ui:widget").and_then(Value::as_str).unwrap_or("select");
    wrap(html, field, widget, |html| {
        html.open("div", &[("class", "control select")]);
        common(field).maybe("autocomplete", field.text_option("autocomplete")).open(html, "select");
        html.element("option", &[("value", "")], field.placeholder().unwrap_or("Choose"));
        for (value, title, _) in field.choices() {
            Attributes::new()
                .with("value", value.as_str())
                .flag("selected", !field.data.is_null() && value == chosen)
                .open(html, "option");
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
        Attributes::new()
            .with("class", class)
            .maybe("data-columns", field.option("columns").map(plain))
            .open(html, "div");
        for (index, (value, title, description)) in list.iter().enumerate() {
            let id = format!("{}-{index}", field.id);
            html.open("label", &[("class", "choice"), ("for", &id)]);
            Attributes::new()
                .with("type", kind)
                .with("id", id.as_str())
                .with("name", field.name.as_str())
                .with("value", value.as_str())
                .flag("checked", chosen.contains(value))
                .maybe("aria-invalid", field.error.filter(|_| kind == "radio").map(|_| "true"))
                .flag("required", kind == "radio" && field.required)
                .open(html, "input");
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
    let mut parts = text.splitn(3, '-').map(|part| part.to_owned());
    let (year, month, day) =
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let birthday = field.text_option("autocomplete") == Some("bday");
    wrap_group(html, field, "date", |html| {
        html.open("div", &[("class", "date")]);
        for (part, label, longest, value) in
            [("day", "Day", "2", day), ("month", "Month", "2", month), ("year", "Year", "4", year)]
        {
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
                .maybe("aria-required", field.required.then_some("true"))
                .open(html, "input");
            html.close("div");
        }
        html.close("div");
    });
}

fn range(html: &mut Html, field: &Field) {
    let number = |name: &str, default: i64| field.schema.get(name).and_then(Value::as_i64).unwrap_or(default);
    let (min, max) = (number("minimum", 0), number("maximum", 100));
    let step = field.schema.get("multipleOf").or(field.option("step")).map_or_else(|| "1".to_owned(), plain);
    let now = field.data.as_i64().unwrap_or_else(|| number("default", min));
    let words = |amount: i64| match field.text_option("unit") {
        Some("money") => money(amount, false),
        Some("percent") => format!("{amount}%"),
        _ => format!(
            "{}{}{}",
            field.text_option("prefix").unwrap_or_default(),
            grouped(amount),
            field.text_option("suffix").unwrap_or_default()
        ),
    };
    let button = |html: &mut Html, name: &str, sign: &str, off: bool| {
        Attributes::new()
            .with("type", "button")
            .with("class", "icon-button")
            .with("aria-label", format!("{name}: {}", field.title()))
            .flag("disabled", off)
            .open(html, "button");
        html.element("span", &[("aria-hidden", "true")], sign).close("button");
    };
    wrap(html, field, "range", |html| {
        html.raw("<div class=\"range\"><div class=\"range-line\">");
        button(html, "Less", "−", now <= min);
        html.element(
            "output",
            &[("class", "range-value"), ("id", &format!("{}-value", field.id)), ("for", &field.id)],
            &words(now),
        );
        button(html, "More", "+", now >= max);
        html.raw("</div>");
        Attributes::new()
            .with("class", "range-input")
            .with("type", "range")
            .with("id", field.id.as_str())
            .with("name", field.name.as_str())
            .with("min", min.to_string())
            .with("max", max.to_string())
            .with("step", step)
            .with("value", now.to_string())
            .with("aria-valuetext", words(now))
            .maybe("aria-describedby", field.described_by())
            .open(html, "input");
        html.raw("<div class=\"range-ends\">")
            .element("span", &[], &words(min))
            .element("span", &[], &words(max))
            .raw("</div></div>");
    });
}

/// A box to search in; its list is empty until something is typed.
fn lookup(html: &mut Html, field: &Field) {
    wrap(html, field, "lookup", |html| {
        let list = format!("{}-list", field.id);
        let own = field.text_option("label").is_some() && field.text_option("label") == field.text_option("value");
        html.raw("<div class=\"lookup\"><div class=\"control\">");
        common(field)
            .with("type", "text")
            .with("role", "combobox")
            .with("aria-expanded", "false")
            .with("aria-autocomplete", "list")
            .with("aria-controls", list.as_str())
            .with("autocomplete", "off")
            .with("placeholder", field.placeholder().unwrap_or("Type to search"))
            .with("value", if own { plain(field.data) } else { String::new() })
            .open(html, "input");
        html.raw("</div>")
            .open(
                "div",
                &[
                    ("class", "lookup-list"),
                    ("id", &list),
                    ("role", "listbox"),
                    ("aria-label", "Suggestions"),
                    ("hidden", ""),
                ],
            )
            .raw("</div></div>");
    });
}

fn consent(html: &mut Html, field: &Field) {
    Attributes::new()
        .with("class", "field")
        .with("data-widget", "consent")
        .with("data-pointer", field.pointer.as_str())
        .maybe("data-invalid", field.error.map(|_| "true"))
        .open(html, "div");
    html.open("label", &[("class", "consent"), ("for", &field.id)]);
    Attributes::new()
        .with("type", "checkbox")
        .with("id", field.id.as_str())
        .with("name", field.name.as_str())
        .with("value", "true")
        .flag("checked", field.data == &Value::Bool(true))
        .maybe("aria-describedby", field.described_by())
        .maybe("aria-required", field.required.then_some("true"))
        .maybe("aria-invalid", field.error.map(|_| "true"))
        .open(html, "input");
    html.element("span", &[], field.title()).close("label");
    let links = field.option("links").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !links.is_empty() {
        html.raw("<p class=\"consent-links\">");
        for link in links {
            let words = |key: &str| link.get(key).and_then(Value::as_str).unwrap_or_default();
            if let Some(href) = safe_url(words("href")) {
                html.element("a", &[("href", href), ("target", "_blank"), ("rel", "noopener")], words("label"));
            }
        }
        html.raw("</p>");
    }
    if let Some(text) = field.hint() {
        html.element("p", &[("class", "field-hint"), ("id", &format!("{}-hint", field.id))], text);
    }
    error(html, field);
    html.close("div");
}

fn upload(html: &mut Html, field: &Field) {
    wrap(html, field, "upload", |html| {
        html.raw("<div class=\"upload\">");
        common(field)
            .with("type", "file")
            .with("accept", field.text_option("accept").unwrap_or(".pdf,.jpg,.jpeg,.png"))
            .open(html, "input");
        html.raw("</div>");
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

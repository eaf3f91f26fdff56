//! A form as semantic HTML, with the ids and classes of the web theme, so that the swap moves nothing.

use super::condition;
use super::control::{self, Field};
use super::writer::{Attributes, Html};
use engine_runtime::view::{FormPart, MessageView};
use serde_json::{Map, Value};

/// The `<form>` of a step.
pub fn form(html: &mut Html, form: &FormPart, messages: &[MessageView]) {
    draw(html, form, &drawn(&form.schema), messages);
}

/// How each field is drawn, out of its `x-ui`.
fn drawn(schema: &Value) -> Value {
    let mut ui = Map::new();
    ui.extend(schema.pointer("/x-ui/submit").map(|submit| ("ui:submit".to_owned(), submit.clone())));
    for (name, rule) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let mut own = match drawn(rule) {
            Value::Object(inner) => inner,
            _ => Map::new(),
        };
        let options = rule.get("x-ui").cloned().unwrap_or_default();
        let key = |key: &str| options.get(key).cloned();
        own.extend([("ui:widget", key("widget")), ("ui:show", key("show"))].into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        own.insert("ui:options".into(), options.clone());
        ui.insert(name.clone(), Value::Object(own));
    }
    Value::Object(ui)
}

pub(super) fn draw(html: &mut Html, form: &FormPart, ui: &Value, messages: &[MessageView]) {
    html.raw("<div class=\"form-frame\">").open(
        "form",
        &[("class", "form"), ("id", "form"), ("method", "post"), ("novalidate", ""), ("autocomplete", "on")],
    );
    let root = Level {
        schema: &form.schema,
        ui,
        data: &form.data,
        root_data: &form.data,
        root_ui: ui,
        path: Vec::new(),
        messages,
    };
    root.draw(html);
    if ui.get("ui:submit").and_then(Value::as_str) == Some("change") {
        html.raw("<p class=\"form-status\" role=\"status\"></p>");
    } else {
        html.raw("<div class=\"form-actions\">")
            .element("button", &[("class", "button"), ("data-style", "primary"), ("type", "submit")], &form.submit)
            .raw("</div>");
    }
    html.raw("</form></div>");
    html.raw(
        "<noscript><p class=\"notice\" data-tone=\"warning\">Please switch on JavaScript to continue.</p></noscript>",
    );
}

/// One object of the schema: the root, or a nested group.
struct Level<'a> {
    schema: &'a Value,
    ui: &'a Value,
    data: &'a Value,
    root_data: &'a Value,
    root_ui: &'a Value,
    path: Vec<&'a str>,
    messages: &'a [MessageView],
}

impl<'a> Level<'a> {
    fn draw(&self, html: &mut Html) {
        let names = self.ordered();
        let groups = self.ui.get("ui:groups").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut grouped: Vec<&str> = Vec::new();
        for group in groups {
            let fields: Vec<&str> = group
                .get("fields")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .filter(|name| names.contains(name))
                .collect();
            grouped.extend(&fields);
            let visible: Vec<&str> = fields.into_iter().filter(|name| self.shows(name)).collect();
            if visible.is_empty() {
                continue;
            }
            let title = group.get("title").and_then(Value::as_str).unwrap_or_default();
            let (outer, inner) = if group.get("collapsed") == Some(&Value::Bool(true)) {
                ("details", "summary")
            } else {
                ("fieldset", "legend")
            };
            html.open(outer, &[("class", "group")]).element(inner, &[("class", "group-title")], title);
            visible.iter().for_each(|name| self.field(html, name));
            html.close(outer);
        }
        for name in names.into_iter().filter(|name| !grouped.contains(name) && self.shows(name)) {
            self.field(html, name);
        }
    }

    /// `ui:order` with `*` for the rest, else the order of the schema.
    fn ordered(&self) -> Vec<&'a str> {
        let all: Vec<&str> = self
            .schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
        let Some(order) = self.ui.get("ui:order").and_then(Value::as_array) else { return all };
        let named: Vec<&str> = order.iter().filter_map(Value::as_str).collect();
        let rest: Vec<&str> = all.iter().copied().filter(|name| !named.contains(name)).collect();
        if !named.contains(&"*") {
            return named.into_iter().filter(|name| all.contains(name)).chain(rest).collect();
        }
        named
            .into_iter()
            .flat_map(|name| if name == "*" { rest.clone() } else { vec![name] })
            .filter(|name| all.contains(name))
            .collect()
    }

    /// `ui:show` on the property, or at the root under its name: every condition holds.
    fn shows(&self, name: &str) -> bool {
        let own = self.ui.get(name).and_then(|ui| ui.get("ui:show"));
        let root = self.path.is_empty().then(|| self.root_ui.get("ui:show").and_then(|all| all.get(name))).flatten();
        own.or(root).and_then(Value::as_object).is_none_or(|conditions| {
            conditions
                .iter()
                .all(|(other, wanted)| holds(self.data.get(other).or_else(|| self.root_data.get(other)), wanted))
        })
    }

    fn field(&self, html: &mut Html, name: &'a str) {
        let nothing = &Value::Null;
        let schema = self.schema.get("properties").and_then(|all| all.get(name)).unwrap_or(nothing);
        let ui = self.ui.get(name).unwrap_or(nothing);
        let data = self.data.get(name).unwrap_or(nothing);
        let mut path = self.path.clone();
        path.push(name);
        if schema.get("type").and_then(Value::as_str) == Some("object") && ui.get("ui:widget").is_none() {
            let level = Level {
                schema,
                ui,
                data,
                root_data: self.root_data,
                root_ui: self.root_ui,
                path,
                messages: self.messages,
            };
            html.open("fieldset", &[("class", "group")]);
            if let Some(title) = schema.get("title").and_then(Value::as_str) {
                html.element("legend", &[("class", "group-title")], title);
            }
            if let Some(hint) = schema.get("description").and_then(Value::as_str) {
                html.element("p", &[("class", "field-hint")], hint);
            }
            level.draw(html);
            html.close("fieldset");
            return;
        }
        let required = condition::is_required(self.schema, name, self.data);
        let pointer: String =
            path.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect();
        let error = self
            .messages
            .iter()
            .find(|message| message.level == "error" && message.pointer.as_deref() == Some(pointer.as_str()))
            .map(|message| message.text.as_str());
        control::draw(
            html,
            &Field {
                id: format!("f-{}", path.join("-")),
                name: path.join("."),
                pointer,
                schema,
                ui,
                data,
                required,
                error,
            },
        );
    }
}

/// A value, a list of values, or `{"not": …}`.
fn holds(found: Option<&Value>, wanted: &Value) -> bool {
    let found = found.unwrap_or(&Value::Null);
    match wanted {
        Value::Object(map) => map.get("not").is_none_or(|unwanted| !holds(Some(found), unwanted)),
        Value::Array(list) => list.contains(found),
        one => one == found,
    }
}

/// Label, hint, control and error of a field with one control.
pub(super) fn wrap(html: &mut Html, field: &Field, widget: &str, inner: impl FnOnce(&mut Html)) {
    Attributes::new()
        .with("class", "field")
        .with("data-widget", widget)
        .with("data-pointer", field.pointer.as_str())
        .maybe("data-invalid", field.error.map(|_| "true"))
        .open(html, "div");
    html.open("label", &[("class", "field-label"), ("for", &field.id)]);
    label_text(html, field);
    html.close("label");
    hint(html, field);
    inner(html);
    error(html, field);
    html.close("div");
}

/// Legend, hint, controls and error of a field with several controls.
pub(super) fn wrap_group(html: &mut Html, field: &Field, widget: &str, inner: impl FnOnce(&mut Html)) {
    let described = field.described_by();
    Attributes::new()
        .with("class", "field")
        .with("id", field.id.as_str())
        .with("data-widget", widget)
        .with("data-pointer", field.pointer.as_str())
        .maybe("data-invalid", field.error.map(|_| "true"))
        .maybe("aria-describedby", described.as_deref())
        .open(html, "fieldset");
    html.open("legend", &[("class", "field-label")]);
    label_text(html, field);
    html.close("legend");
    hint(html, field);
    inner(html);
    error(html, field);
    html.close("fieldset");
}

fn label_text(html: &mut Html, field: &Field) {
    html.text(field.title());
    if !field.required {
        html.raw("<span class=\"field-optional\"> (optional)</span>");
    }
}

fn hint(html: &mut Html, field: &Field) {
    if let Some(text) = field.hint() {
        html.element("p", &[("class", "field-hint"), ("id", &format!("{}-hint", field.id))], text);
    }
}

pub(super) fn error(html: &mut Html, field: &Field) {
    if let Some(text) = field.error {
        html.open("p", &[("class", "field-error"), ("id", &format!("{}-error", field.id))])
            .raw("<span class=\"sr\">Error: </span>")
            .text(text)
            .close("p");
    }
}

//! Hosted pages: a fake partner shows texts and buttons to a person, and each button has its consequences.
//!
//! A page takes one press. What it shows was evaluated when it was opened; a button's parts are when it is pressed.

use super::script::Evaluation;
use super::tasks::{self, Task};
use super::{Sandbox, SandboxError, html};
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use engine_definitions::SandboxPage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const BUCKET: &str = "pages";

/// An opened page: where its script is, the script's values, what it shows, and how it ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Opened {
    partner: String,
    operation: String,
    case: usize,
    variables: Map<String, Value>,
    title: String,
    intro: String,
    facts: Vec<(String, String)>,
    fields: Vec<Field>,
    buttons: Vec<ShownButton>,
    pressed: Option<Pressed>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Field {
    name: String,
    label: String,
    value: String,
    secret: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ShownButton {
    id: String,
    label: String,
    note: String,
    style: String,
    group: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pressed {
    button: String,
    go: Option<Value>,
    done: String,
    tasks: Vec<Task>,
    /// Whether the consequences of the button are under way.
    begun: bool,
}

/// Opens a page and gives its id, which nobody can guess.
pub async fn open(
    evaluation: &mut Evaluation<'_>,
    sandbox: &Sandbox,
    partner: &str,
    operation: &str,
    case: usize,
    page: &SandboxPage,
) -> Result<String, SandboxError> {
    let title = html::text(&evaluation.value(&page.title).await?);
    let intro = html::text(&evaluation.value_or(page.intro.as_ref(), Value::Null).await?);
    let facts = evaluation.value_or(page.facts.as_ref(), json!([])).await?;
    let facts = facts
        .as_array()
        .into_iter()
        .flatten()
        .map(|fact| (html::text(&fact["label"]), html::text(&fact["value"])))
        .collect();
    let mut fields = Vec::new();
    for field in &page.fields {
        let value = html::text(&evaluation.value_or(field.value.as_ref(), Value::Null).await?);
        fields.push(Field { name: field.name.clone(), label: field.label.clone(), value, secret: field.secret });
    }
    let mut buttons = Vec::new();
    for button in &page.buttons {
        if !evaluation.holds(button.when.as_ref()).await? {
            continue;
        }
        let label = html::text(&evaluation.value(&button.label).await?);
        let note = html::text(&evaluation.value_or(button.note.as_ref(), Value::Null).await?);
        buttons.push(ShownButton {
            id: button.id.clone(),
            label,
            note,
            style: button.style.clone(),
            group: button.group.clone().unwrap_or_default(),
        });
    }
    let id = format!("{:032x}", rand::random::<u128>());
    let variables = evaluation.variables.clone();
    let opened = Opened {
        partner: partner.to_owned(),
        operation: operation.to_owned(),
        case,
        variables,
        title,
        intro,
        facts,
        fields,
        buttons,
        pressed: None,
    };
    sandbox.memory().put(BUCKET, &id, to_stored(&opened)?).await?;
    Ok(id)
}

pub async fn show(State(sandbox): State<Sandbox>, Path(id): Path<String>) -> Result<Response, SandboxError> {
    let Some((opened, _)) = find(&sandbox, &id).await? else { return Ok(gone_response()) };
    Ok(match &opened.pressed {
        Some(pressed) => answer(&opened, pressed),
        None => render(&id, &opened),
    })
}

/// `button=<id>` and the typed fields as `answers.<name>`.
pub async fn press(
    State(sandbox): State<Sandbox>,
    Path(id): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, SandboxError> {
    loop {
        let Some((opened, before)) = find(&sandbox, &id).await? else { return Ok(gone_response()) };
        let pressed = match opened.pressed.clone() {
            Some(pressed) => pressed,
            None => {
                let Some(pressed) = evaluate(&sandbox, &id, &opened, &form).await? else {
                    return Ok(html::note(
                        StatusCode::UNPROCESSABLE_ENTITY,
                        "No such button",
                        "This page has no such button any more; open it again.",
                    ));
                };
                let after = to_stored(&Opened { pressed: Some(pressed.clone()), ..opened.clone() })?;
                if !sandbox.memory().swap(BUCKET, &id, Some(before), after).await? {
                    continue;
                }
                pressed
            }
        };
        if !pressed.begun {
            tasks::undertake(&sandbox, &format!("page/{id}"), &pressed.tasks).await?;
            let begun = Pressed { begun: true, ..pressed.clone() };
            sandbox.memory().put(BUCKET, &id, to_stored(&Opened { pressed: Some(begun), ..opened.clone() })?).await?;
        }
        return Ok(answer(&opened, &pressed));
    }
}

/// Page to which a page within another one leads when it is over: `?token=…`.
pub async fn tell(Query(told): Query<BTreeMap<String, String>>) -> Response {
    html::tell(told.get("token").map_or("", String::as_str))
}

/// Sends a browser to `{method, url, fields}`.
pub fn follow(go: &Value) -> Response {
    let none = Map::new();
    html::go(
        go["method"].as_str().unwrap_or("GET"),
        go["url"].as_str().unwrap_or_default(),
        go["fields"].as_object().unwrap_or(&none),
    )
}

async fn evaluate(
    sandbox: &Sandbox,
    id: &str,
    opened: &Opened,
    form: &BTreeMap<String, String>,
) -> Result<Option<Pressed>, SandboxError> {
    let name = form.get("button").map(String::as_str).unwrap_or_default();
    if !opened.buttons.iter().any(|button| button.id == name) {
        return Ok(None);
    }
    let catalog = sandbox.catalog();
    let operation = catalog.operation(&opened.partner, &opened.operation);
    let case = operation.and_then(|operation| operation.sandbox.as_ref()?.cases.get(opened.case));
    let Some(button) = case.and_then(|case| case.page.as_ref()?.buttons.iter().find(|button| button.id == name)) else {
        return Ok(None);
    };

    let typed = |field: &Field| {
        (field.name.clone(), Value::from(form.get(&format!("answers.{}", field.name)).cloned().unwrap_or_default()))
    };
    let mut variables = opened.variables.clone();
    variables.insert("answers".into(), Value::Object(opened.fields.iter().map(typed).collect()));
    let mut evaluation = Evaluation::new(sandbox, variables, format!("page/{id}"));
    evaluation.lets(&button.lets).await?;
    let tasks = evaluation.tasks(&opened.partner, &button.consequences).await?;
    let go = match &button.go {
        Some(go) => Some(evaluation.go(go).await?),
        None => None,
    };
    let done = html::text(&evaluation.value_or(button.done.as_ref(), "Done. You can close this page.".into()).await?);
    Ok(Some(Pressed { button: name.to_owned(), go, done, tasks, begun: false }))
}

fn answer(opened: &Opened, pressed: &Pressed) -> Response {
    match &pressed.go {
        Some(go) => follow(go),
        None => html::note(StatusCode::OK, &opened.title, &pressed.done),
    }
}

fn render(id: &str, opened: &Opened) -> Response {
    let mut main = format!(
        "<form class=\"card narrow\" method=\"post\" action=\"/sandbox/pages/{}\"><h1>{}</h1>",
        html::escape(id),
        html::escape(&opened.title)
    );
    if !opened.intro.is_empty() {
        main.push_str(&format!("<p>{}</p>", html::escape(&opened.intro)));
    }
    if !opened.facts.is_empty() {
        let rows: String = opened
            .facts
            .iter()
            .map(|(label, value)| format!("<dt>{}</dt><dd>{}</dd>", html::escape(label), html::escape(value)))
            .collect();
        main.push_str(&format!("<dl>{rows}</dl>"));
    }
    for field in &opened.fields {
        let (name, label, value) = (html::escape(&field.name), html::escape(&field.label), html::escape(&field.value));
        let kind = if field.secret { "password" } else { "text" };
        main.push_str(&format!(
            "<label for=\"f-{name}\">{label}</label><input id=\"f-{name}\" type=\"{kind}\" name=\"answers.{name}\" value=\"{value}\" autocomplete=\"off\">"
        ));
    }
    let mut group = "";
    for button in &opened.buttons {
        if button.group != group && !button.group.is_empty() {
            main.push_str(&format!("<h2>{}</h2>", html::escape(&button.group)));
            group = &button.group;
        }
        let (id, style, label) = (html::escape(&button.id), html::escape(&button.style), html::escape(&button.label));
        let described = if button.note.is_empty() { String::new() } else { format!(" aria-describedby=\"n-{id}\"") };
        main.push_str(&format!(
            "<button class=\"wide {style}\" name=\"button\" value=\"{id}\"{described}>{label}</button>"
        ));
        if !button.note.is_empty() {
            main.push_str(&format!("<div class=\"soft\" id=\"n-{id}\">{}</div>", html::escape(&button.note)));
        }
    }
    main.push_str("</form>");
    html::page(&opened.title, None, &main)
}

async fn find(sandbox: &Sandbox, id: &str) -> Result<Option<(Opened, Value)>, SandboxError> {
    let Some(value) = sandbox.memory().get(BUCKET, id).await? else { return Ok(None) };
    let opened = serde_json::from_value(value.clone()).map_err(|e| SandboxError::Stored(e.to_string()))?;
    Ok(Some((opened, value)))
}

fn to_stored(opened: &Opened) -> Result<Value, SandboxError> {
    serde_json::to_value(opened).map_err(|e| SandboxError::Stored(e.to_string()))
}

fn gone_response() -> Response {
    html::note(StatusCode::NOT_FOUND, "No such page", "It was never opened, or it is gone.")
}

//! The form of a first step as a browser posts it before the scripts are there: it can only start a
//! journey. The answer is the way to the journey's page, or the step again with what is wrong and what was typed.

use crate::app::App;
use crate::connection::middleware::{Class, Client};
use crate::pages::html::Content;
use crate::pages::site::Facts;
use crate::pages::{self, Ask};
use crate::problem::{Code, Problem};
use crate::visitor::attribution::UrlParams;
use crate::visitor::session::{self, Visitor};
use crate::visitor::start::{Begin, preview, start};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use engine_definitions::{Catalog, digits};
use engine_runtime::{StepView, new_id};
use serde_json::{Map, Value, json};

/// Names and texts of the controls, in their order.
type PostedFields = Vec<(String, String)>;

const FIELDS_MAX: usize = 2_000;
const ROWS_MAX: usize = 50;

/// Was this sent by a plain form?
pub fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// Starts the journey whose first page this was posted to.
pub async fn first(app: &App, client: Client, parts: &Parts, body: Body) -> Response {
    let catalog = app.runtime.catalog();
    match start_from_form(app, &catalog, client, parts, body).await {
        Ok(response) => response,
        Err(problem) => pages::error_page(app, parts.uri.path(), &parts.headers, &problem).await,
    }
}

async fn start_from_form(
    app: &App,
    catalog: &Catalog,
    client: Client,
    parts: &Parts,
    body: Body,
) -> Result<Response, Problem> {
    app.origins.check_form(&parts.headers)?;
    app.limit(Class::Start, client)?;
    let mut visitor = Visitor::of(app, &parts.headers, client).await?;
    let facts = Facts::of(app, parts.uri.path(), &parts.headers).await;
    let (workflow, _) = pages::workflow_at(catalog, &facts.path).ok_or_else(|| Problem::new(Code::NotFound))?;
    // Steps that are begun are sent by scripts; of a journey that has expired the button begins it afresh.
    if let Some(expired) = pages::journey_of(parts.uri.query()) {
        let sent = app.runtime.journeys.afresh(&visitor.actor, &expired).await?;
        return Ok(pages::redirect(StatusCode::SEE_OTHER, &sent.view.step.url));
    }
    let workflow = workflow.id.clone();
    let fields: PostedFields = url::form_urlencoded::parse(&session::read(body).await?)
        .take(FIELDS_MAX)
        .map(|(name, text)| (name.into_owned(), text.into_owned()))
        .collect();
    let mut view = preview(app, &visitor.actor, &workflow, &facts.came).await?;
    let answers = view.step.form.as_ref().map(|form| answers(&form.schema, &fields, "")).unwrap_or_default();
    // Sent without a key: a press is one journey.
    let event = Some(("submit".into(), Value::Object(answers.clone())));
    let begin = Begin { workflow, key: new_id(), event, said: UrlParams::new() };
    match start(app, &mut visitor, &parts.headers, begin).await {
        Ok((sent, opening)) => {
            let answer = pages::redirect(StatusCode::SEE_OTHER, &sent.view.step.url);
            Ok(visitor.with_started_session(opening, &parts.headers, answer))
        }
        Err(problem) => {
            let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            if status.is_server_error() {
                return Err(problem);
            }
            keep(&mut view, answers);
            let ask = Ask { app, catalog, facts: &facts };
            Ok(pages::step_page(&ask, status, Content::Refused(&view, &problem)).await)
        }
    }
}

/// What was typed stands in the form again, but for secrets.
fn keep(view: &mut StepView, answers: Map<String, Value>) {
    let Some(form) = view.step.form.as_mut() else { return };
    let secret = |name: &str| form.schema.pointer(&format!("/properties/{name}/x-secret")) == Some(&Value::Bool(true));
    let kept: Map<String, Value> = answers.into_iter().filter(|(name, _)| !secret(name)).collect();
    if let Value::Object(data) = &mut form.data {
        data.extend(kept);
    } else {
        form.data = Value::Object(kept);
    }
}

/// Answers out of the texts of a form's controls, as the browser's own code reads them (`tests/forms/posted.json`).
pub fn answers(schema: &Value, fields: &PostedFields, within: &str) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .filter_map(|(name, property)| {
            let at = format!("{within}{name}");
            let answer = if property.get("type").is_some_and(|kind| kind == "object") {
                let inner = answers(property, fields, &format!("{at}."));
                Some(Value::Object(inner)).filter(|inner| *inner != json!({}))
            } else if let Some(key) = property.get("x-key").and_then(Value::as_str) {
                Some(rows(property, key, fields, &at)).filter(|rows| *rows != json!([]))
            } else {
                answer(property, fields, &at)
            };
            Some((name.clone(), answer?))
        })
        .collect()
}

/// The rows of a list as they were drawn: `people.0.age`.
fn rows(property: &Value, key: &str, fields: &PostedFields, at: &str) -> Value {
    let row = |i: usize| {
        let fixed = property.get("prefixItems").map(|fixed| fixed.get(i));
        let schema = fixed.unwrap_or_else(|| property.get("items"))?;
        let within = format!("{at}.{i}.");
        fields.iter().any(|(name, _)| name.starts_with(&within)).then(|| {
            let own = schema.get("x-row").cloned().unwrap_or_else(|| json!(format!("r{}", i + 1)));
            Value::Object([(key.to_owned(), own)].into_iter().chain(answers(schema, fields, &within)).collect())
        })
    };
    (0..ROWS_MAX).filter_map(row).collect()
}

fn answer(property: &Value, fields: &PostedFields, name: &str) -> Option<Value> {
    let option = |name: &str| property.get("x-ui").and_then(|ui| ui.get(name));
    let widget = option("widget").and_then(Value::as_str).unwrap_or_default();
    // What stands in a search box are words, not the row that was chosen.
    if widget == "lookup" && option("search") != Some(&Value::Bool(false)) {
        return None;
    }
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut all = fields.iter().filter(|(field, _)| field == name).map(|(_, text)| text);
    if kind == "array" {
        let items = property.get("items").unwrap_or(&Value::Null);
        let chosen: Vec<Value> = all.map(|text| constant(text, items)).collect();
        return Some(Value::Array(chosen)).filter(|chosen| *chosen != json!([]));
    }
    let text = all.next().cloned().or_else(|| day(fields, name)).filter(|text| !text.is_empty())?;
    let chosen = constant(&text, property);
    if !chosen.is_string() || !matches!(kind, "integer" | "number") {
        return Some(chosen);
    }
    let figure: String =
        digits(&text).chars().filter(|part| !part.is_whitespace() && !matches!(part, ',' | '₹')).collect();
    let rupees = widget == "money" && option("unit").is_none_or(|unit| unit != "rupees");
    Some(number(&figure, if rupees { 100 } else { 1 }).unwrap_or(chosen))
}

/// Digits, with a fraction or without.
fn number(figure: &str, times: i64) -> Option<Value> {
    let (whole, fraction) = figure.split_once('.').unwrap_or((figure, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    match (fraction.trim_end_matches('0'), whole.parse::<i64>()) {
        ("", Ok(whole)) => whole.checked_mul(times).map(Value::from),
        _ => figure.parse::<f64>().ok().map(|figure| json!(figure * times as f64)),
    }
}

/// The day of three boxes; an incomplete one stays as text for the check.
fn day(fields: &PostedFields, name: &str) -> Option<String> {
    let part = |end: &str| {
        let found = fields.iter().find(|(field, _)| field.strip_prefix(name).is_some_and(|rest| rest == end));
        found.map_or_else(String::new, |(_, text)| digits(text.trim()))
    };
    let (day, month, year) = (part(".day"), part(".month"), part(".year"));
    if [&day, &month, &year].iter().all(|part| part.is_empty()) {
        return None;
    }
    let full = !day.is_empty() && !month.is_empty() && year.chars().count() == 4;
    Some(if full { format!("{year}-{month:0>2}-{day:0>2}") } else { format!("{year}-{month}-{day}") })
}

/// The constant whose text this is: `true` → true, `2` → 2.
fn constant(text: &str, property: &Value) -> Value {
    let list = |key: &str| property.get(key).and_then(Value::as_array);
    let all: Vec<Value> = match (list("oneOf"), list("enum")) {
        (Some(choices), _) => choices.iter().filter_map(|choice| choice.get("const")).cloned().collect(),
        (None, Some(values)) => values.clone(),
        (None, None) if property.get("type").is_some_and(|kind| kind == "boolean") => vec![json!(true), json!(false)],
        (None, None) => Vec::new(),
    };
    let said = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.into_iter().find(|value| said(value) == text).unwrap_or_else(|| Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_posted_form_reads_as_in_the_browser() {
        let cases: Vec<Value> =
            serde_json::from_str(include_str!("../../../../tests/forms/posted.json")).expect("cases");
        for case in cases {
            let fields: PostedFields = serde_json::from_value(case["fields"].clone()).expect("fields");
            let read = answers(&case["schema"], &fields, "");
            assert_eq!(Value::Object(read), case["answers"], "{}", case["case"]);
        }
    }
}

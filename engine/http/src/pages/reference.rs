//! `/docs`: what `/openapi.json` says, as a page of ours for people.

use crate::app::App;
use crate::pages::html::Content;
use crate::{pages, routes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

/// A table of calls for each tag, then the fields of what they carry.
pub async fn page(State(app): State<App>) -> Response {
    let description = routes::description(&app);
    let mut blocks = vec![
        json!({"block": "text", "size": "lead", "text": plain(&description["info"]["description"])}),
        json!({"block": "links", "items": [{"label": "The same for programs: OpenAPI", "href": "/openapi.json"}]}),
    ];
    blocks.extend(
        calls(&description)
            .into_iter()
            .map(|(tag, rows)| table(&capital(&tag), &["Call", "What it does", "Answers"], rows)),
    );
    let schemas = members(&description["components"]["schemas"]);
    blocks.extend(schemas.filter_map(|(name, schema)| fields(name, schema)));
    pages::document(&app, StatusCode::OK, "API reference", &Content::Blocks(&blocks)).await
}

/// Markdown's marks around code say nothing on a page of words.
fn plain(text: &Value) -> String {
    text.as_str().unwrap_or_default().replace('`', "")
}

fn calls(description: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut by_tag: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (path, item) in members(&description["paths"]) {
        for (method, call) in METHODS.iter().filter_map(|method| Some((method, item.get(method)?))) {
            let tag = call["tags"][0].as_str().unwrap_or_default();
            let answers: Vec<_> = members(&call["responses"]).map(|(status, _)| status.as_str()).collect();
            let row = json!([format!("{} {path}", method.to_uppercase()), describe_call(call), answers.join(", ")]);
            by_tag.entry(tag.to_owned()).or_default().push(row);
        }
    }
    by_tag
}

/// What a call does, what it takes beside its address, what its body is.
fn describe_call(call: &Value) -> String {
    let texts = ["summary", "description"].iter().filter_map(|key| call[*key].as_str().map(sentence));
    let takes = call["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] != "path");
    let names: Vec<_> = takes.filter_map(|one| one["name"].as_str()).collect();
    let body = &call["requestBody"]["content"]["application/json"]["schema"];
    texts
        .chain((!names.is_empty()).then(|| format!("Takes {}.", names.join(", "))))
        .chain((!body.is_null()).then(|| format!("Body: {}.", kind(body))))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A heading begins with a capital.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Words as a sentence among others.
fn sentence(words: &str) -> String {
    let words = words.trim_end();
    if words.is_empty() || words.ends_with(['.', ':', '!', '?']) { words.to_owned() } else { format!("{words}.") }
}

fn fields(name: &str, schema: &Value) -> Option<Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let row = |(field, rule): (&String, &Value)| {
        let needed = if required.iter().any(|one| one == field) { "yes" } else { "no" };
        json!([field, kind(rule), needed, rule["description"].as_str().unwrap_or_default()])
    };
    let rows: Vec<_> = members(&schema["properties"]).map(row).collect();
    (!rows.is_empty()).then(|| table(name, &["Field", "Type", "Always there", "What it is"], rows))
}

/// A schema in a word or two: its name, its type, its alternatives.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or(name).to_owned();
    }
    let all = |key: &str| schema[key].as_array().map(|all| all.iter().map(kind).collect::<Vec<_>>().join(" or "));
    if let Some(said) = all("oneOf").or_else(|| all("anyOf")).or_else(|| all("allOf")) {
        return said;
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}

fn table(title: &str, columns: &[&str], rows: Vec<Value>) -> Value {
    let columns: Vec<_> = columns.iter().map(|title| json!({"title": title})).collect();
    json!({"block": "table", "title": title, "columns": columns, "rows": rows})
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

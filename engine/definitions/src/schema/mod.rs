//! JSON Schemas of every kind of file, for editors and the Studio: they complete and explain keys. The
//! checker is stricter; its key lists and these are held together by a test. Written to
//! workflows/schema/ by `cargo run --example schemas`.

mod content;
mod machine;
mod partners;

use crate::keys::{Gives, Key, Takes, reference, typescript};
use serde_json::{Map, Value, json};

/// File name and schema of every kind.
pub fn all() -> Vec<(&'static str, Value)> {
    let mut list = machine::all();
    list.extend(partners::all());
    list.extend(content::all());
    list.push(("shapes.json", "What the other schemas share", shapes()));
    let file = |(name, title, schema): (&'static str, &str, Value)| (name, head(title, schema));
    list.into_iter().map(file).collect()
}

/// Path from the root and text of every file that is made from the tables of the format.
pub fn generated_files() -> Vec<(String, String)> {
    let schema = |(name, schema): (&str, Value)| (format!("workflows/schema/{name}"), format!("{schema:#}\n"));
    let mut files: Vec<(String, String)> = all().into_iter().map(schema).collect();
    files.push(("workflows/REFERENCE.md".into(), reference::text()));
    files.push(("web/src/contract/blocks.ts".into(), typescript::types()));
    files.push(("web/src/contract/letters.ts".into(), typescript::letters()));
    files
}

/// Types of the web app's sentences and, for its own tests, the sentences in every language: path and text.
pub fn sentences(files: &crate::Files) -> Vec<(String, String)> {
    let Some(catalog) = crate::load(files).catalog else { return Vec::new() };
    let all: Map<String, Value> =
        catalog.languages().iter().map(|one| (one.clone(), json!(catalog.site(one).said))).collect();
    vec![
        ("web/src/contract/words.ts".into(), typescript::words(&catalog.site("").said)),
        ("web/dev/words.json".into(), format!("{:#}\n", Value::Object(all))),
    ]
}

type Kinds = Vec<(&'static str, &'static str, Value)>;

fn head(title: &str, schema: Value) -> Value {
    let mut map = Map::new();
    map.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    map.insert("title".into(), json!(title));
    if let Value::Object(rest) = schema {
        map.extend(rest);
    }
    Value::Object(map)
}

/// A closed map: key, description, schema.
fn closed_map(keys: &[(&str, &str, Value)]) -> Value {
    let described = |(key, description, schema): &(&str, &str, Value)| {
        let mut schema = schema.clone();
        if let (Some(map), false) = (schema.as_object_mut(), description.is_empty()) {
            map.insert("description".into(), json!(description));
        }
        ((*key).to_owned(), schema)
    };
    let properties: Map<String, Value> = keys.iter().map(described).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn needs(mut schema: Value, keys: &[&str]) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.insert("required".into(), json!(keys));
    }
    schema
}

fn text() -> Value {
    json!({"type": "string"})
}

fn cel() -> Value {
    shared_shape("cel")
}

/// Schema of any tree; its strings are expressions.
fn mapping() -> Value {
    json!({})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn int() -> Value {
    json!({"type": "integer"})
}

fn any() -> Value {
    json!({})
}

fn duration() -> Value {
    json!({"type": ["string", "integer"], "pattern": "^[0-9]+(ms|s|m|h|d)?$"})
}

fn words(list: &[&str]) -> Value {
    json!({"enum": list})
}

fn texts() -> Value {
    json!({"type": ["string", "array"], "items": {"type": "string"}})
}

/// A shape of `shapes.json`, by its name there.
fn shared_shape(shape: &str) -> Value {
    json!({"$ref": format!("shapes.json#/$defs/{shape}")})
}

/// `shapes.json`: what stands in most files, and many times in some, is written once.
fn shapes() -> Value {
    let template = needs(closed_map(&[("text", "With `{{name}}` for values", text())]), &["text"]);
    let computed = needs(closed_map(&[("cel", "", text())]), &["cel"]);
    json!({"$defs": {
        "computed": computed,
        "template": {"oneOf": [text(), template]},
        "words": {"anyOf": [shared_shape("template"), shared_shape("computed")]},
        "name": {"anyOf": [text(), shared_shape("computed")]},
        "cel": {"type": ["string", "boolean", "integer"]},
        "audience": one_or_list(text()),
        "block": content::block(),
    }})
}

/// A literal or `{text: "…{{name}}…"}`.
fn words_or_template() -> Value {
    shared_shape("template")
}

fn map_of(schema: Value) -> Value {
    json!({"type": "object", "additionalProperties": schema})
}

fn list_of(schema: Value) -> Value {
    json!({"type": "array", "items": schema})
}

fn one_or_list(schema: Value) -> Value {
    json!({"oneOf": [schema.clone(), {"type": "array", "items": schema}]})
}

/// A map with these keys; one that stands in a list may be there several times or not at all.
fn of_keys(keys: &[Key], listed: bool) -> Value {
    let authored = || keys.iter().filter(|key| key.is_authors());
    let mut all: Vec<(&str, &str, Value)> = authored().map(|key| (key.name, key.note, of_takes(key.takes))).collect();
    if listed {
        all.extend([("when", "CEL", cel()), ("each", "CEL: a list or a map", cel()), ("as", "Name of a row", text())]);
        all.push(("roles", "For whom alone it is there", shared_shape("audience")));
    }
    let needed: Vec<&str> = authored().filter(|key| key.is_needed).map(|key| key.name).collect();
    needs(closed_map(&all), &needed)
}

fn of_takes(takes: Takes) -> Value {
    let or_cel = |schema: Value| json!({"anyOf": [schema, text(), shared_shape("computed")]});
    match takes {
        Takes::Words | Takes::Prose => shared_shape("words"),
        Takes::Name([]) => shared_shape("name"),
        Takes::Name(of) => json!({"anyOf": [words(of), shared_shape("computed")]}),
        Takes::Value(_) => mapping(),
        Takes::Map(entry) => or_cel(of_keys(entry.keys, false)),
        Takes::Unanswered(entry) => of_keys(entry.keys, false),
        Takes::List(entry) => or_cel(list_of(or_cel(of_keys(entry.keys, true)))),
        Takes::Values(_) | Takes::Rows => or_cel(list_of(mapping())),
        Takes::Figures => or_cel(map_of(cel())),
        Takes::Block => shared_shape("block"),
        Takes::Blocks => list_of(shared_shape("block")),
    }
}

/// A key of `x-ui`: a literal of JSON, or computed.
fn of_ui(key: &Key) -> Value {
    let literal = match key.takes {
        Takes::Name(of @ [_, ..]) => words(of),
        Takes::Words | Takes::Name([]) | Takes::Value(Gives::Text) => text(),
        Takes::Value(Gives::Number) => int(),
        Takes::Value(Gives::Flag) => flag(),
        Takes::Value(Gives::Data) => map_of(any()),
        Takes::List(entry) => list_of(of_keys(entry.keys, false)),
        _ => any(),
    };
    let computed = json!({"type": "object", "properties": {"$cel": text()}, "required": ["$cel"]});
    json!({"anyOf": [literal, computed], "description": key.note})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The checker's lists of keys and the schemas say the same.
    #[test]
    fn keys_are_those_of_the_checker() {
        let schemas = super::all();
        let check = |name: &str, pointer: &str, keys: &[&[&str]]| {
            let schema = schemas.iter().find(|(n, _)| *n == name).map(|(_, s)| s);
            let found =
                schema.and_then(|s| s.pointer(pointer)).and_then(|p| p.as_object()).cloned().unwrap_or_default();
            let found: BTreeSet<&str> = found.keys().map(String::as_str).collect();
            let wanted: BTreeSet<&str> = keys.concat().into_iter().collect();
            assert_eq!(found, wanted, "{name}{pointer}");
        };
        use crate::workflow::keys::*;
        check("workflow.json", "/$defs/step/properties", &[&STEP_KEYS]);
        check("workflow.json", "/$defs/invoke/properties", &[&INVOKE_KEYS]);
        check("part.json", "/properties", &[&PART_KEYS]);
        let state = "/$defs/state/properties";
        let other =
            ["type", "initial", "states", "always", "invoke", "history", "target", "output", "tags", "meta", "step"];
        check("workflow.json", state, &[&HOST_KEYS, &other]);
        check("workflow.json", "/properties", &[&ROOT_KEYS, &STATE_KEYS]);
        check("form.json", "/properties", &[&crate::form::FORM_KEYS]);
        check("story.json", "/properties/steps/items/properties", &[&crate::story::STEP_KEYS]);
        let extends = ["extends", "merge"];
        check("operation.json", "/properties", &[&crate::partner::OPERATION_KEYS, &extends]);
        check("partner.json", "/properties", &[&crate::partner::PARTNER_KEYS, &extends, &["each", "as", "id"]]);
        check("contract.json", "/properties", &[&crate::contract::KEYS, &extends]);
    }
}

//! The reference beside the manual: every key of every kind of file, in the order of the schemas.

use super::{Entry, Key, Takes, actions, blocks, widgets};
use serde_json::Value;
use std::fmt::Write;

/// The text of `workflows/REFERENCE.md`.
pub fn text() -> String {
    let mut out = String::from(
        "# Reference\n\nEvery key of every file, written from the tables by which `journey check` reads them \
         (`cargo run --example schemas`). What they are for, and in which order to write them, says [the guide](README.md).\n",
    );
    section_of_blocks(&mut out);
    section_of_widgets(&mut out);
    out.push_str("\n## Actions\n\nBeside `assign`, `raise` and `cancel`; `type` is the name.\n");
    for action in actions::authored() {
        heading(&mut out, action.name, action.note);
        table(&mut out, action.keys);
    }
    out.push_str("\n## Files\n");
    for (name, schema) in crate::schema::all() {
        let _ = write!(out, "\n### {name}\n\n{}\n", schema["title"].as_str().unwrap_or_default());
        of_schema(&mut out, &schema);
        for (part, inner) in schema["$defs"].as_object().into_iter().flatten() {
            if inner["properties"].is_object() {
                let _ = write!(out, "\n`{part}`\n");
                of_schema(&mut out, inner);
            }
        }
    }
    out
}

fn section_of_blocks(out: &mut String) {
    out.push_str(
        "\n## Blocks\n\n*words*: as they are, or `{text: \"… {{name}}\"}`, or `{cel: …}`. *literal*: as it is, or \
         `{cel: …}`. *CEL*: an expression, or a map of expressions. A list takes `when`, `each` and `as` in each of its \
         maps, or is one expression. **Bold** keys must be there. Every block also has:\n",
    );
    table(out, blocks::HEAD);
    for block in blocks::BLOCKS {
        heading(out, block.name, block.note);
        table(out, block.keys);
    }
}

fn section_of_widgets(out: &mut String) {
    out.push_str("\n## Widgets\n\nKeys of `x-ui`. A value is JSON, or `{\"$cel\": …}`. Every field may have:\n");
    table(out, widgets::COMMON);
    out.push_str("\nA list of rows:\n");
    table(out, widgets::ROWS);
    out.push_str("\nThe form itself:\n");
    table(out, widgets::FORM);
    for widget in widgets::WIDGETS {
        heading(out, widget.name, &format!("{}; for {}", widget.note, widget.types.join(", ")));
        table(out, widget.keys);
    }
}

fn heading(out: &mut String, name: &str, note: &str) {
    let _ = write!(out, "\n### {name}\n\n{note}.\n");
}

fn table(out: &mut String, keys: &[Key]) {
    if keys.is_empty() {
        return;
    }
    out.push_str("\n| key | takes | |\n| --- | --- | --- |\n");
    rows(out, "", keys);
}

fn rows(out: &mut String, below: &str, keys: &[Key]) {
    for key in keys.iter().filter(|key| key.is_authors()) {
        let name = format!("`{below}{}`", key.name);
        let name = if key.is_needed { format!("**{name}**") } else { name };
        let inner = |entry: &'static Entry| Some(entry.keys);
        let (takes, inner) = match key.takes {
            Takes::Map(entry) | Takes::Unanswered(entry) => ("a map".to_owned(), inner(entry)),
            Takes::List(entry) => ("a list of maps".to_owned(), inner(entry)),
            takes => (takes.phrase(), None),
        };
        let _ = writeln!(out, "| {name} | {takes} | {} |", key.note);
        if let Some(inner) = inner {
            let mark = if matches!(key.takes, Takes::List(_)) { "[]." } else { "." };
            rows(out, &format!("{below}{}{mark}", key.name), inner);
        }
    }
}

fn of_schema(out: &mut String, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let needed = schema["required"].as_array().cloned().unwrap_or_default();
    out.push_str("\n| key | |\n| --- | --- |\n");
    for (name, inner) in properties {
        let mark = if needed.iter().any(|n| n == name) { format!("**`{name}`**") } else { format!("`{name}`") };
        let words = inner["enum"].as_array().map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let words = words.map(|list| list.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" "));
        let note = inner["description"].as_str().unwrap_or_default();
        let parts: Vec<String> = [Some(note.replace('|', "\\|")), words].into_iter().flatten().collect();
        let _ = writeln!(out, "| {mark} | {} |", parts.join(" ").trim());
    }
}

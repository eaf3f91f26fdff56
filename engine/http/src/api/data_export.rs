//! What is kept of a person, as a paper that they can read: each part with its facts, names of fields as words.

use crate::app::App;
use crate::pages::paper::render;
use crate::problem::Problem;
use engine_definitions::format_date;
use engine_paper::{Fact, Look, Paper, PaperPart};
use engine_runtime::rfc3339;
use serde_json::Value;

/// Says nothing to people: names of rows, addresses, marks of a program.
const INNER: [&str; 8] = ["id", "url", "step", "workflow", "journey", "this", "key", "updated_at"];
const WHEN: &str = "d MMM yyyy, h:mm a";

/// The data export as a PDF. `said`: its `title`, and a `text` before it, in the reader's language.
pub async fn pdf(app: &App, language: &str, said: &Value, export: &Value) -> Result<Vec<u8>, Problem> {
    let catalog = app.runtime.catalog();
    let site = catalog.site(language);
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
    let made = Value::from(rfc3339(app.runtime.now_ms()));
    let note = PaperPart::Text { title: String::new(), text: text("text") };
    let parts = std::iter::once(note).chain(parts(export, language)).collect();
    let paper = Paper {
        title: text("title"),
        brand: site.name.clone(),
        made: format_date(&made, "d MMM yyyy", language).unwrap_or_default(),
        legal: site.legal.clone(),
        parts,
        language: language.to_owned(),
    };
    render(paper).await
}

fn parts(export: &Value, language: &str) -> Vec<PaperPart> {
    let mut parts = Vec::new();
    for (name, of_it) in export.as_object().into_iter().flatten() {
        match of_it {
            // by kind
            Value::Object(kinds) if kinds.values().all(Value::is_array) => {
                for (kind, rows) in kinds {
                    rows.as_array().into_iter().flatten().for_each(|row| part(words(kind), row, language, &mut parts));
                }
            }
            Value::Array(rows) => rows.iter().for_each(|row| part(words(name), row, language, &mut parts)),
            one => part(words(name), one, language, &mut parts),
        }
    }
    parts
}

fn part(title: String, of_it: &Value, language: &str, parts: &mut Vec<PaperPart>) {
    let mut facts = Vec::new();
    flat("", of_it, language, &mut facts);
    if !facts.is_empty() {
        parts.push(PaperPart::Facts { title, facts, card: false });
    }
}

/// Whatever is inside, each as a fact of its own.
fn flat(label: &str, value: &Value, language: &str, facts: &mut Vec<Fact>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields.iter().filter(|(name, _)| !INNER.contains(&name.as_str())) {
                let name = words(name);
                let label = if label.is_empty() { name } else { format!("{label}, {}", name.to_lowercase()) };
                flat(&label, inner, language, facts);
            }
        }
        Value::Array(list) => list.iter().for_each(|one| flat(label, one, language, facts)),
        one => {
            let value = format_value(one, language);
            if !value.is_empty() {
                facts.push(Fact { label: label.to_owned(), value, hint: String::new(), look: Look::Plain });
            }
        }
    }
}

fn format_value(value: &Value, language: &str) -> String {
    match value {
        Value::String(text) if text.len() > 18 && text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T') => {
            format_date(value, WHEN, language).unwrap_or_else(|_| text.clone())
        }
        Value::String(text) => text.clone(),
        Value::Bool(is_so) => (if *is_so { "Yes" } else { "No" }).to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// `first_name` as people write it.
fn words(name: &str) -> String {
    let spaced = name.replace(['_', '-', '.'], " ");
    let mut letters = spaced.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_kept_is_said_in_words() {
        let submitted = json!({"what": "submit", "data": {"pin_code": "110001", "agreed": true}});
        let export = json!({
            "profile": {"first_name": "Asha", "id": "x"},
            "records": {"policy": [{"policy_number": "HE-1", "url": "/x", "at": "2026-11-21T04:30:00Z"}]},
            "journeys": [{"title": "A visit", "written": [submitted]}],
        });
        let said = parts(&export, "en").into_iter().map(|part| match part {
            PaperPart::Facts { title, facts, .. } => {
                let mut facts: Vec<_> = facts.iter().map(|fact| format!("{}: {}", fact.label, fact.value)).collect();
                facts.sort();
                format!("{title}; {}", facts.join("; "))
            }
            _ => String::new(),
        });
        let mut said: Vec<String> = said.collect();
        said.sort();
        let written = "Written, data, agreed: Yes; Written, data, pin code: 110001; Written, what: submit";
        let journey = format!("Journeys; Title: A visit; {written}");
        let policy = "Policy; At: 21 Nov 2026, 10:00 am; Policy number: HE-1";
        assert_eq!(said, [journey.as_str(), policy, "Profile; First name: Asha"]);
    }
}

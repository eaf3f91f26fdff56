//! The corpus of form rules: the engine says what it says. web/test/forms.test.ts holds the browser's code to the same
//! cases, with the schemas that are written here.

use journey_tests::forms::{Case, Done, Written, folder, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Files with their forms, in order.
fn corpus() -> BTreeMap<String, Vec<Written>> {
    let entries = std::fs::read_dir(folder().join("cases")).expect("the corpus").map(|e| e.expect("a file").path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        (name.clone(), serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    entries.map(read).collect()
}

/// Numbers compare as JSON does in the browser.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(n) => json!(n.as_f64()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), plain(v))).collect()),
        other => other.clone(),
    }
}

fn comparable(case: &Case) -> Value {
    plain(&serde_json::to_value(case).expect("JSON"))
}

/// Issue of two readings: at least 400 cases, each with its normalised answers, what is shown and required, the errors.
#[test]
fn form_rules_are_those_of_the_corpus() {
    let mut count = 0;
    let mut schemas = BTreeMap::new();
    for (file, written) in corpus() {
        let done = run(&written).unwrap_or_else(|problems| panic!("{file}: {problems}"));
        for (form, Done { schema, cases }) in written.iter().zip(&done) {
            for (expected, found) in form.cases.iter().zip(cases) {
                let at = format!("{file}: {}\n{}", form.what, expected.data);
                assert_eq!(comparable(found), comparable(expected), "{at}");
                count += 1;
            }
            schemas.entry(file.clone()).or_insert_with(Vec::new).push(schema.clone());
        }
    }
    assert!(count >= 400, "only {count} cases");
    let path = folder().join("schemas.json");
    let lines = schemas.iter().map(|(file, list)| {
        let list: Vec<String> = list.iter().map(|schema| format!("    {schema}")).collect();
        format!("  {}: [\n{}\n  ]", json!(file), list.join(",\n"))
    });
    let text = format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"));
    if std::env::var_os("UPDATE_FORMS").is_some() {
        std::fs::write(&path, text).expect("written");
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "what the browser gets has changed: UPDATE_FORMS=1 writes {}", path.display());
}

/// R9-39: whoever begins an expired request again agrees to nothing, and says nothing of their health, by going on.
#[test]
fn consents_and_medical_answers_are_asked_anew() {
    let catalog = journey_tests::server::catalog();
    let (mut consents, mut medical) = (0, 0);
    for form in catalog.forms() {
        let agreed = form.consents().iter().map(|(name, _)| name.as_str());
        let healthy = form.personal().filter(|(_, kind)| *kind == "health").map(|(name, _)| name);
        let asked_anew: Vec<&str> = agreed.chain(healthy).collect();
        let answers = asked_anew.iter().chain(&["name_of_a_ship"]).map(|name| ((*name).to_owned(), json!(true)));
        let left = form.answers_for_anew(Value::Object(answers.collect()));
        assert_eq!(left, json!({"name_of_a_ship": true}), "{}", form.id);
        consents += form.consents().len();
        medical += asked_anew.len() - form.consents().len();
    }
    assert!(consents >= 10 && medical >= 20, "{consents} consents and {medical} medical answers are looked at");
}

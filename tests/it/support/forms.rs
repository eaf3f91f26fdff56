//! Forms run by the engine, for the corpus and for random cases that the browser's code must agree with.

use engine_definitions::{Audience, Catalog, Files, load};
use engine_statechart::Scope;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;

/// A form as written, with answers to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    #[serde(default)]
    pub what: String,
    pub form: Value,
    #[serde(default = "today")]
    pub today: String,
    #[serde(default)]
    pub context: Map<String, Value>,
    pub cases: Vec<Case>,
}

fn today() -> String {
    "2026-11-21".into()
}

/// Answers as they were typed, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub data: Value,
    #[serde(default)]
    pub normalised: Value,
    #[serde(default)]
    pub shown: Vec<String>,
    #[serde(default)]
    pub required: Vec<String>,
    /// Pointer, code and text of each.
    #[serde(default)]
    pub errors: Vec<(String, String, String)>,
}

/// What the engine made of a form: the schema that the browser gets, and every case as it should be.
#[derive(Debug, Serialize)]
pub struct Done {
    pub schema: Value,
    pub cases: Vec<Case>,
}

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("forms")
}

/// Runs all cases of all forms; `Err` names the first form that is refused.
pub fn run(written: &[Written]) -> Result<Vec<Done>, String> {
    let mut files = Files::default();
    let product = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in ["forms/shared/fields.json", "forms/shared/messages.json", "workflows/shared/tables/agreements.yaml"] {
        let text = std::fs::read(product.join(path)).map_err(|e| e.to_string())?;
        files.insert(path, text);
    }
    files.insert("workflows/case/all/flow.yaml", FLOW.as_bytes());
    for (i, one) in written.iter().enumerate() {
        files.insert(format!("forms/case/all/f{i}.json"), one.form.to_string().into_bytes());
    }
    let loaded = load(&files);
    let catalog: Option<Arc<Catalog>> = loaded.catalog;
    let Some(catalog) = catalog else {
        return Err(loaded.problems.iter().map(|p| format!("{p}\n")).collect());
    };
    written.iter().enumerate().map(|(i, one)| run_one(&catalog, &format!("case/all/f{i}"), one)).collect()
}

/// Gives the forms their functions, their day and the table that shared fields read.
const FLOW: &str = "title: Case\nbase: /case\ntimezone: UTC\ncontext: {terms: ''}\ninitial: over\n\
     states: {over: {type: final, entry: {assign: {terms: \"lookup('shared/agreements', 'terms').text\"}}}}\n";

fn run_one(catalog: &Arc<Catalog>, id: &str, written: &Written) -> Result<Done, String> {
    let form = catalog.form(id).ok_or("the form is not there")?;
    let workflow = catalog.workflow("case/all").ok_or("the workflow is not there")?;
    let noon = chrono::DateTime::parse_from_rfc3339(&format!("{}T12:00:00Z", written.today));
    let now = workflow.now(noon.map_err(|e| e.to_string())?.timestamp_millis());
    let journey = Value::Null;
    let host = workflow.host(&now, &journey, catalog);
    let scope = Scope::new().with_host(&host).with_context(&written.context);
    let audience = Audience::default();
    let view = form.view(&audience, &scope).map_err(|e| e.to_string())?;
    let case = |case: &Case| {
        let mut data = case.data.clone();
        let errors = form.check(&audience, &scope, &mut data).map_err(|e| e.to_string())?;
        let asked = form.shown_and_required(&audience, &scope, &data).map_err(|e| e.to_string())?;
        Ok(Case {
            data: case.data.clone(),
            normalised: data,
            shown: asked.iter().map(|(pointer, _)| pointer.clone()).collect(),
            required: asked.into_iter().filter(|(_, is_required)| *is_required).map(|(pointer, _)| pointer).collect(),
            errors: errors.into_iter().map(|e| (e.pointer, e.code, e.text)).collect(),
        })
    };
    let cases = written.cases.iter().map(case).collect::<Result<_, String>>()?;
    Ok(Done { schema: (*view.schema).clone(), cases })
}

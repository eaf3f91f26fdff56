//! Forms: a JSON Schema with words and rules, cut to each audience on the server. The same schema
//! checks in the browser; this one decides.

mod date;
mod messages;
mod normalise;
mod read;
mod resolve;
mod rules;
mod show;
mod validate;
mod variant;

pub(crate) use messages::Messages;
#[cfg(test)]
pub(crate) use read::FORM_KEYS;
pub(crate) use read::{SHARED_MESSAGES, read};
pub(crate) use rules::bounded;
pub(crate) use validate::{plain_errors, validator};

use crate::frozen::Frozen;
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Scope};
use normalise::Normaliser;
use resolve::{Prepared, Resolved};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

/// Who looks at a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Audience {
    pub role: String,
    pub channel: String,
    pub partner: Option<String>,
    pub language: String,
}

/// A wrong field: where (JSON pointer), what (a stable code), how to say it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldError {
    pub pointer: String,
    pub code: String,
    pub text: String,
}

/// A form as one audience sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct FormView {
    pub title: String,
    pub intro: Option<String>,
    pub schema: Frozen,
    pub ui: Frozen,
}

/// A form as written, with everything that it refers to put in.
pub struct Form {
    /// `<line>/<name>`
    pub id: String,
    /// The file it came from.
    pub path: String,
    /// `{title, intro, schema, ui, messages}`
    pub(crate) tree: Value,
    pub(crate) variants: Vec<variant::Variant>,
    pub(crate) languages: BTreeMap<String, Vec<(String, Value)>>,
    pub(crate) messages: Arc<Messages>,
    /// Expressions of `$cel`, by their text.
    pub(crate) cels: HashMap<String, Expression>,
    pub(crate) normalisers: HashMap<String, Normaliser>,
    pub(crate) has_dates: bool,
    pub(crate) files: BTreeSet<String>,
    pub(crate) uses: Vec<(String, Span)>,
    /// Reference data that look-up widgets read, with their places.
    pub(crate) lookups: Vec<(String, Span)>,
    pub(crate) prepared: Mutex<HashMap<(u64, String), Arc<Prepared>>>,
    pub(crate) resolved: Mutex<HashMap<String, Arc<Resolved>>>,
    pub(crate) facts: OnceLock<Facts>,
}

/// What is asked of a form at every answer, whoever sees it.
pub(crate) struct Facts {
    secrets: Vec<String>,
    consents: Vec<(String, Vec<String>)>,
    properties: Vec<String>,
}

/// The fields of a form as one audience sees it.
pub struct Fields(Arc<Resolved>);

impl Fields {
    pub fn contains(&self, name: &str) -> bool {
        properties(&self.0.schema).any(|(known, _)| known == name)
    }

    pub fn defaults(&self) -> Map<String, Value> {
        properties(&self.0.schema)
            .filter_map(|(name, rule)| Some((name.clone(), rule.get("default")?.clone())))
            .collect()
    }

    pub fn view(&self) -> FormView {
        self.0.view.clone()
    }
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Form").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Form {
    /// The form for the browser: variant applied, `$cel` computed, dates and texts resolved. `scope`
    /// needs `context` and a host with today, now, journey and params.
    pub fn view(&self, audience: &Audience, scope: &Scope<'_>) -> Result<FormView, EvalError> {
        Ok(self.resolve(audience, scope)?.view.clone())
    }

    /// Applies `x-normalise`, reads numbers and booleans written as text, drops empty values and the values of fields
    /// that `ui:show` hides. Gives the wrong fields in the order of the form, one each; none: the data is good.
    pub fn check(
        &self,
        audience: &Audience,
        scope: &Scope<'_>,
        data: &mut Value,
    ) -> Result<Vec<FieldError>, EvalError> {
        let resolved = self.resolve(audience, scope)?;
        normalise::object(&resolved.schema, &self.normalisers, data);
        show::drop_hidden(&resolved.view.ui, data);
        Ok(validate::errors(&resolved, data))
    }

    /// Top-level properties that this actor could see, those that `ui:show` hides included: a form's answer replaces
    /// all of them. With the schema's defaults, which are for display and never enter a context by themselves.
    pub fn fields(&self, audience: &Audience, scope: &Scope<'_>) -> Result<Fields, EvalError> {
        Ok(Fields(self.resolve(audience, scope)?))
    }

    /// Names of the secret fields; their values never enter a context, an event or a draft.
    pub fn secrets(&self) -> &[String] {
        &self.facts().secrets
    }

    /// Fields by which a person agrees to something, and to what: `x-consent: purpose` or a list.
    pub fn consents(&self) -> &[(String, Vec<String>)] {
        &self.facts().consents
    }

    /// All fields of the form as written, variants included.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        self.written().map(|(name, _)| name.as_str())
    }

    fn written(&self) -> impl Iterator<Item = (&String, &Value)> {
        let merged = self.variants.iter().filter_map(|v| v.merge.get("schema"));
        merged.chain(self.tree.get("schema")).flat_map(properties)
    }

    /// The same in order, each once.
    pub fn properties(&self) -> &[String] {
        &self.facts().properties
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let purposes = |rule: &Value| match rule.get("x-consent")? {
                Value::String(one) => Some(vec![one.clone()]),
                Value::Array(many) => Some(many.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
                _ => None,
            };
            let secret = |rule: &Value| rule.get("x-secret").and_then(Value::as_bool) == Some(true);
            let once = |names: BTreeSet<&String>| names.into_iter().cloned().collect();
            Facts {
                secrets: once(self.written().filter(|(_, rule)| secret(rule)).map(|(name, _)| name).collect()),
                consents: self.written().filter_map(|(name, rule)| Some((name.clone(), purposes(rule)?))).collect(),
                properties: once(self.written().map(|(name, _)| name).collect()),
            }
        })
    }

    /// The title in a language, without variants; a computed title is empty.
    pub fn title(&self, language: &str) -> String {
        self.word("title", language).unwrap_or_default()
    }

    pub fn intro(&self, language: &str) -> Option<String> {
        self.word("intro", language)
    }

    fn word(&self, key: &str, language: &str) -> Option<String> {
        let mut texts = self.languages.get(language).into_iter().flatten();
        let translated = texts.find(|(pointer, _)| pointer.strip_prefix('/') == Some(key)).map(|(_, text)| text);
        translated.or_else(|| self.tree.get(key)).and_then(Value::as_str).map(str::to_owned)
    }

    /// Kind of personal data of each field: `x-pii`.
    pub fn personal(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.tree.get("schema").into_iter().flat_map(properties);
        fields.filter_map(|(name, rule)| Some((name.as_str(), rule.get("x-pii")?.as_str()?)))
    }

    /// Files that it is made of.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Tables that its expressions read.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &str> {
        self.cels.values().flat_map(crate::uses::names)
    }

    /// Its expressions with every place that they stand at.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = (&Expression, &Span)> {
        self.uses.iter().filter_map(|(text, span)| Some((self.cels.get(text)?, span)))
    }
}

/// `properties` of an object schema.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

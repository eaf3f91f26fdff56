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
pub(crate) use read::read;
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
use std::sync::{Arc, Mutex};

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

    /// Applies `x-normalise`, reads numbers and booleans written as text, drops empty values and the
    /// values of fields that `ui:show` hides.
    pub fn normalise(&self, audience: &Audience, scope: &Scope<'_>, data: &mut Value) -> Result<(), EvalError> {
        let resolved = self.resolve(audience, scope)?;
        normalise::object(&resolved.schema, &self.normalisers, data);
        show::drop_hidden(&resolved.view.ui, data);
        Ok(())
    }

    /// Wrong fields in the order of the form, one each. Empty: the data is good.
    pub fn validate(&self, audience: &Audience, scope: &Scope<'_>, data: &Value) -> Result<Vec<FieldError>, EvalError> {
        let resolved = self.resolve(audience, scope)?;
        Ok(validate::errors(&resolved, data))
    }

    /// Top-level properties that this actor could see, those that `ui:show` hides included: a form's
    /// answer replaces all of them.
    pub fn visible(&self, audience: &Audience, scope: &Scope<'_>, _data: &Value) -> Result<Vec<String>, EvalError> {
        Ok(properties(&self.resolve(audience, scope)?.schema).map(|(name, _)| name.clone()).collect())
    }

    /// Names of the secret fields; their values never enter a context, an event or a draft.
    pub fn secrets(&self) -> Vec<String> {
        let is_secret = |(_, rule): &(&String, &Value)| rule.get("x-secret").and_then(Value::as_bool) == Some(true);
        let merged = self.variants.iter().filter_map(|v| v.merge.get("schema"));
        let mut names: Vec<String> = merged.chain(self.tree.get("schema")).flat_map(properties).filter(is_secret).map(|(name, _)| name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Fields by which a person agrees to something, and to what: `x-consent: purpose` or a list.
    pub fn consents(&self) -> Vec<(String, Vec<String>)> {
        let merged = self.variants.iter().filter_map(|v| v.merge.get("schema"));
        let purposes = |rule: &Value| match rule.get("x-consent")? {
            Value::String(one) => Some(vec![one.clone()]),
            Value::Array(many) => Some(many.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            _ => None,
        };
        merged.chain(self.tree.get("schema")).flat_map(properties).filter_map(|(name, rule)| Some((name.clone(), purposes(rule)?))).collect()
    }

    /// Defaults of the schema: for display, they never enter a context by themselves.
    pub fn defaults(&self, audience: &Audience, scope: &Scope<'_>) -> Result<Value, EvalError> {
        let resolved = self.resolve(audience, scope)?;
        let defaults: Map<String, Value> = properties(&resolved.schema).filter_map(|(name, rule)| Some((name.clone(), rule.get("default")?.clone()))).collect();
        Ok(Value::Object(defaults))
    }

    /// All fields of the form as written, variants included.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        let merged = self.variants.iter().filter_map(|v| v.merge.get("schema"));
        merged.chain(self.tree.get("schema")).flat_map(properties).map(|(name, _)| name.as_str())
    }

    /// The same as owned names, each once.
    pub fn properties(&self) -> Vec<String> {
        let names: BTreeSet<&str> = self.property_names().collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// The title in a language, without variants; a computed title is empty.
    pub fn title(&self, language: &str) -> String {
        self.word("title", language).unwrap_or_default()
    }

    pub fn intro(&self, language: &str) -> Option<String> {
        self.word("intro", language)
    }

    fn word(&self, key: &str, language: &str) -> Option<String> {
        let pointer = format!("/{key}");
        let translated = self.languages.get(language).into_iter().flatten().find(|(p, _)| *p == pointer).map(|(_, text)| text);
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
        self.uses.iter().flat_map(|(text, _)| crate::uses::tables(text))
    }

    pub(crate) fn expressions(&self) -> impl Iterator<Item = (&str, &Span)> {
        self.uses.iter().map(|(text, span)| (text.as_str(), span))
    }
}

/// `properties` of an object schema.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

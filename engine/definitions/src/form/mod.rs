//! Forms: a JSON Schema with words and rules, cut to each audience on the server. The same schema
//! checks in the browser; this one decides.

mod ahead;
mod anew;
mod answers;
mod condition;
mod date;
mod fields;
mod letters;
mod level;
mod messages;
mod normalise;
mod pattern;
mod read;
mod refuse;
mod resolve;
mod rows;
mod rules;
mod validate;
mod widget;

pub use answers::is_asked;
pub(crate) use condition::of_field as conditions;
pub use fields::{FormFields, place_of};
pub(crate) use letters::PLAIN as PLAIN_LETTERS;
pub use letters::digits;
pub(crate) use messages::Messages;
#[cfg(test)]
pub(crate) use read::FORM_KEYS;
pub(crate) use read::{SHARED_MESSAGES, read};
pub(crate) use rows::key_name;
pub(crate) use rules::{check_event_value, personal as marked};
pub use rules::{is_personal_name, personal_kind};
pub(crate) use validate::{plain_errors, validator};

use crate::frozen::Frozen;
use crate::uploads::{self, UploadAnswer};
use crate::variants::{Audience, Variant};
use engine_statechart::expression::Expression;
use engine_statechart::expression::rows::ColumnRead;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Scope};
use normalise::Normaliser;
use resolve::{Prepared, Resolved};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

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
    /// JSON Schema of an object; how fields are drawn stands in their `x-ui`.
    pub schema: Frozen,
}

/// A form as written, with everything that it refers to put in.
pub struct Form {
    /// `<line>/<name>`
    pub id: String,
    /// The file it came from.
    pub path: String,
    /// `{title, intro, groups, required, properties, x-ui, messages}`
    pub(crate) tree: Value,
    pub(crate) variants: Vec<Variant>,
    pub(crate) messages: Arc<Messages>,
    /// Expressions of `$cel`, by their text.
    pub(crate) cels: HashMap<String, Expression>,
    pub(crate) normalisers: HashMap<String, Normaliser>,
    pub(crate) has_dates: bool,
    /// Columns of tables that its expressions name.
    columns: Vec<ColumnRead>,
    pub(crate) files: BTreeSet<String>,
    pub(crate) uses: Vec<(String, Span)>,
    /// Reference data that look-up widgets read, with their places.
    pub(crate) lookups: Vec<(String, Span)>,
    pub(crate) prepared: Mutex<HashMap<u64, Arc<Prepared>>>,
    pub(crate) resolved: Mutex<HashMap<(u64, String), Arc<Resolved>>>,
    pub(crate) facts: OnceLock<Facts>,
}

/// The number in the key of a row that a person added: `r3` is 3.
pub fn row_number(row: &Value) -> Option<u32> {
    rows::number_of(row.get("key")?)
}

/// What is asked of a form at every answer, whoever sees it.
pub(crate) struct Facts {
    secrets: Vec<String>,
    consents: Vec<(String, Vec<String>)>,
    properties: Vec<String>,
    uploads: BTreeSet<String>,
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
        Ok(self.fields(audience, scope)?.view())
    }

    /// Brings answers into their shape (`x-normalise`, numbers and booleans read from texts, nothing empty, rows by their
    /// keys) and drops those of fields that are not shown. Gives the wrong fields in the order of the form, one each;
    /// none: the data is good.
    pub fn check(
        &self,
        audience: &Audience,
        scope: &Scope<'_>,
        data: &mut Value,
    ) -> Result<Vec<FieldError>, EvalError> {
        self.check_known(&self.fields(audience, scope)?, data)
    }

    /// Checks data as [`Form::check`] does, where the fields are known already.
    pub fn check_known(&self, fields: &FormFields, data: &mut Value) -> Result<Vec<FieldError>, EvalError> {
        let resolved = fields.resolve();
        normalise::object(&resolved.level, data);
        answers::prune(&resolved.level, data);
        validate::errors(resolved, data).map_err(|message| self.broken(message))
    }

    /// What the browser's code must agree with, for tests of both: `shown` and `required`, by pointer, of checked data.
    pub fn shown_and_required(
        &self,
        audience: &Audience,
        scope: &Scope<'_>,
        data: &Value,
    ) -> Result<Vec<(String, bool)>, EvalError> {
        let fields = self.fields(audience, scope)?;
        let asked = data.as_object().map(|data| answers::shown_fields(&fields.resolve().level, data));
        Ok(asked.into_iter().flatten().map(|asked| (asked.pointer.into_owned(), asked.required)).collect())
    }

    /// The fields that this actor could see, shown now or not.
    pub fn fields(&self, audience: &Audience, scope: &Scope<'_>) -> Result<FormFields, EvalError> {
        let prepared = self.prepare(self.mask(audience));
        let resolved = self.resolve(&prepared, scope)?;
        Ok(FormFields::new(prepared, resolved))
    }

    fn broken(&self, message: String) -> EvalError {
        let span = Span::new(&Arc::from(self.path.as_str()), 1, 1);
        EvalError { message, span, expression: self.id.clone() }
    }

    /// The keys of the rows that the context fixes now; `None` without such lists.
    pub fn row_keys(&self, scope: &Scope<'_>) -> Option<Value> {
        self.prepare(0).row_keys(&self.cels, scope)
    }

    /// Names of the secret fields; their values never enter a context, an event or a draft.
    pub fn secrets(&self) -> &[String] {
        &self.facts().secrets
    }

    /// Fields by which a person agrees to something, and to what: `x-consent: purpose` or a list.
    pub fn consents(&self) -> &[(String, Vec<String>)] {
        &self.facts().consents
    }

    /// Whether a person agrees to something by this field.
    pub(crate) fn agrees_by(&self, name: &str) -> bool {
        self.written().any(|(field, rule)| field == name && agrees(rule))
    }

    /// The first field by which a person must agree to something.
    pub(crate) fn needed_consent(&self) -> Option<&str> {
        let mut agreed = properties(&self.tree).filter(|(_, rule)| agrees(rule)).map(|(name, _)| name.as_str());
        agreed.find(|name| requires(&self.tree, name))
    }

    /// What an audience gets changed, in the order in which it applies: for whom, the line in its file, and each place with
    /// its value; `null` is left out.
    pub fn variants_for(&self, audience: &Audience) -> impl Iterator<Item = (String, u32, Vec<(String, &Value)>)> {
        let fitting: Vec<_> = self.variants.iter().filter(|variant| variant.fits(audience)).collect();
        fitting.into_iter().map(|variant| (variant.whom(), variant.span.line, variant.changes()))
    }

    /// Roles that its variants are for, where they say so.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &crate::source::Node> {
        self.variants.iter().flat_map(|variant| &variant.roles_at)
    }

    /// All fields of the form as written, variants included.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        self.written().map(|(name, _)| name.as_str())
    }

    fn written(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.variants.iter().map(|v| &v.merge).chain([&self.tree]).flat_map(properties)
    }

    /// Names of all fields, variants included, sorted, each once.
    pub fn properties(&self) -> &[String] {
        &self.facts().properties
    }

    /// Kinds of files that it asks for, whoever sees it.
    pub fn upload_kinds(&self) -> &BTreeSet<String> {
        &self.facts().uploads
    }

    /// The files that an answer names, each once.
    pub fn uploads(&self, data: &Value) -> Vec<UploadAnswer> {
        let mut found = Vec::new();
        if !self.upload_kinds().is_empty() {
            let merges = self.variants.iter().map(|variant| &variant.merge);
            merges.chain([&self.tree]).for_each(|schema| uploads::collect_answers(schema, data, "", &mut found));
        }
        let mut seen = BTreeSet::new();
        found.retain(|answer| seen.insert((answer.pointer.clone(), answer.id.clone())));
        found
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let purposes = |rule: &Value| match rule.get("x-consent")? {
                Value::String(one) => Some(vec![one.clone()]),
                Value::Array(many) => Some(many.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
                _ => None,
            };
            let secret = |rule: &Value| rule.get("x-secret").and_then(Value::as_bool) == Some(true);
            let mut uploads = BTreeSet::new();
            let merges = self.variants.iter().map(|variant| &variant.merge);
            merges.chain([&self.tree]).for_each(|schema| uploads::kinds(schema, &mut uploads));
            let once = |names: BTreeSet<&String>| names.into_iter().cloned().collect();
            Facts {
                secrets: once(self.written().filter(|(_, rule)| secret(rule)).map(|(name, _)| name).collect()),
                consents: self.written().filter_map(|(name, rule)| Some((name.clone(), purposes(rule)?))).collect(),
                properties: once(self.written().map(|(name, _)| name).collect()),
                uploads,
            }
        })
    }

    /// The title without variants; a computed one is empty.
    pub fn title(&self) -> String {
        self.word("title").unwrap_or_default()
    }

    pub fn intro(&self) -> Option<String> {
        self.word("intro")
    }

    fn word(&self, key: &str) -> Option<String> {
        self.tree.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    /// Kind of personal data of each field: `x-pii`.
    pub fn personal(&self) -> impl Iterator<Item = (&str, &str)> {
        properties(&self.tree).filter_map(|(name, rule)| Some((name.as_str(), rule.get("x-pii")?.as_str()?)))
    }

    /// Fields with personal data and its kind (`x-pii`), whatever variant has them, also in rows and objects; what is in a
    /// marked one is marked.
    pub fn personal_names(&self) -> Vec<(&str, &str)> {
        self.all_fields().into_iter().filter_map(|(name, _, mark)| Some((name, mark?))).collect()
    }

    /// Fields that are asked for under a condition of their own, also in rows and objects: that they are answered tells
    /// what was said elsewhere.
    pub fn conditional_names(&self) -> Vec<&str> {
        let fields = self.all_fields().into_iter().filter(|(_, rule, _)| rule.pointer("/x-ui/show").is_some());
        fields.map(|(name, ..)| name).collect()
    }

    /// Name, rule and mark (`x-pii`, its own or that of what it is in) of every field, whatever variant has it, also in
    /// rows and objects.
    fn all_fields(&self) -> Vec<(&str, &Value, Option<&str>)> {
        let (mut found, mut open) = (Vec::new(), Vec::new());
        open.extend(self.variants.iter().map(|variant| &variant.merge).chain([&self.tree]).map(|tree| (tree, None)));
        while let Some((schema, within)) = open.pop() {
            open.extend(schema.get("items").map(|row| (row, within)));
            let rows = schema.get("prefixItems").and_then(Value::as_array);
            open.extend(rows.into_iter().flatten().map(|row| (row, within)));
            for (name, rule) in properties(schema) {
                let mark = rule.get("x-pii").and_then(Value::as_str).or(within);
                found.push((name.as_str(), rule, mark));
                open.push((rule, mark));
            }
        }
        found
    }

    /// Kind of personal data (`x-pii`) of the field at a pointer, also in a row or an object; the mark of what it is in counts.
    pub fn personal_at(&self, pointer: &str) -> Option<&str> {
        let merges = self.variants.iter().map(|variant| &variant.merge);
        merges.chain([&self.tree]).find_map(|tree| personal(tree, pointer))
    }

    /// Fields that take whatever a person types, and not a value of a list, a table or a calendar.
    pub fn typed(&self) -> impl Iterator<Item = &str> {
        const CLOSED: [&str; 4] = ["enum", "oneOf", "const", "format"];
        let is_typed = |rule: &Value| {
            rule.get("type").is_some_and(|kind| kind == "string")
                && CLOSED.iter().all(|key| rule.get(key).is_none())
                && rule.pointer("/x-ui/source").is_none()
        };
        properties(&self.tree).filter(move |(_, rule)| is_typed(rule)).map(|(name, _)| name.as_str())
    }

    /// Files that it is made of.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Tables that its expressions read.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &str> {
        self.cels.values().flat_map(crate::references::tables)
    }

    /// Columns of tables that they read, also by `item`.
    pub(crate) fn columns(&self) -> &[ColumnRead] {
        &self.columns
    }

    /// Expressions of the form with every place at which they stand.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = (&Expression, &Span)> {
        self.uses.iter().filter_map(|(text, span)| Some((self.cels.get(text)?, span)))
    }
}

/// Whether a person agrees to something by this field: a box with a purpose, or one that must be ticked.
pub(crate) fn agrees(rule: &Value) -> bool {
    rule.get("x-consent").is_some() || rule.get("const") == Some(&Value::Bool(true))
}

/// `properties` of an object schema.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn personal<'s>(schema: &'s Value, pointer: &str) -> Option<&'s str> {
    let inside = |rule: &'s Value, part: &str| match rule.get("properties") {
        Some(properties) => properties.get(part),
        // a row, whichever it is
        None => rule.get("items"),
    };
    let mut mark = None;
    let mut at = schema;
    for part in pointer.split('/').skip(1) {
        let Some(rule) = inside(at, part) else { break };
        mark = rule.get("x-pii").and_then(Value::as_str).or(mark);
        at = rule;
    }
    mark
}

/// Whether an object schema names a property in `required`.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|list| list.iter().any(|r| r == name))
}

/// The pointer of a property.
fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

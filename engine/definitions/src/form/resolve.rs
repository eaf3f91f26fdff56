//! From the form as written to the form of one audience at one moment. Two caches: what depends on
//! the audience alone, and what depends on computed values and the day.

use super::validate::validator;
use super::{Audience, Form, FormView, date, messages, show};
use crate::host::shared_vocabulary;
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Scope};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Variants and language applied; `$cel` and dates still open.
pub struct Prepared {
    tree: Value,
    /// Texts of the expressions in it, in order.
    cels: Vec<String>,
}

/// Ready to be shown and to check.
pub struct Resolved {
    pub view: FormView,
    /// With the generated conditions, closed, texts completed.
    pub schema: Value,
    /// Some field has a rule of dates.
    pub dated: bool,
    pub validator: Validator,
}

const RESOLVED_MAX: usize = 64;

impl Form {
    pub(super) fn resolve(&self, audience: &Audience, scope: &Scope<'_>) -> Result<Arc<Resolved>, EvalError> {
        let mask = self.mask(audience);
        let prepared = self.prepared(mask, &audience.language);
        let mut values = BTreeMap::new();
        for text in &prepared.cels {
            if let Some(expression) = self.cels.get(text) {
                values.insert(text.as_str(), expression.eval(scope)?);
            }
        }
        let today = if self.has_dates { today(scope)? } else { String::new() };
        let known = serde_json::to_string(&values).unwrap_or_default();
        let key = format!("{mask}|{}|{today}|{known}", audience.language);
        if let Some(found) = self.resolved.lock().ok().and_then(|r| r.get(&key).cloned()) {
            return Ok(found);
        }
        let resolved = Arc::new(self.build(&prepared.tree, &values, &today, &audience.language)?);
        if let Ok(mut cache) = self.resolved.lock() {
            if cache.len() >= RESOLVED_MAX {
                cache.clear();
            }
            cache.insert(key, Arc::clone(&resolved));
        }
        Ok(resolved)
    }

    fn mask(&self, audience: &Audience) -> u64 {
        self.variants.iter().enumerate().filter(|(_, v)| v.fits(audience)).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    pub(super) fn prepared(&self, mask: u64, language: &str) -> Arc<Prepared> {
        let key = (mask, language.to_owned());
        if let Some(found) = self.prepared.lock().ok().and_then(|p| p.get(&key).cloned()) {
            return found;
        }
        let mut tree = self.tree.clone();
        for (i, variant) in self.variants.iter().enumerate() {
            if mask & (1 << i) != 0 {
                variant.apply(&mut tree);
            }
        }
        for (pointer, text) in self.languages.get(language).into_iter().flatten() {
            set(&mut tree, pointer, text.clone());
        }
        tidy(&mut tree);
        let mut cels = Vec::new();
        collect(&tree, &mut cels);
        let prepared = Arc::new(Prepared { tree, cels });
        if let Ok(mut cache) = self.prepared.lock() {
            if cache.len() >= RESOLVED_MAX {
                cache.clear();
            }
            cache.insert(key, Arc::clone(&prepared));
        }
        prepared
    }

    /// Also used at load with every expression unknown, to see whether the rest is a schema.
    pub(super) fn build(
        &self,
        tree: &Value,
        values: &BTreeMap<&str, Value>,
        today: &str,
        language: &str,
    ) -> Result<Resolved, EvalError> {
        let mut tree = tree.clone();
        compute(&mut tree, values);
        let mut schema = tree.get("schema").cloned().unwrap_or(json!({}));
        let ui = tree.get("ui").cloned().unwrap_or(json!({}));
        show::generate(&mut schema, &ui);
        dates(&mut schema, today);
        messages::complete(&mut schema, tree.get("messages"), "", &self.messages, language);
        let mut closed = schema.clone();
        close(&mut closed);
        let wrong = |message| EvalError {
            message,
            span: Span::new(&Arc::from(self.path.as_str()), 1, 1),
            expression: self.id.clone(),
        };
        let validator = validator(&closed).map_err(wrong)?;
        let mut shown = schema.clone();
        hide_server_keys(&mut shown);
        let text = |k: &str| tree.get(k).map(crate::text::plain);
        let view = FormView {
            title: text("title").unwrap_or_default(),
            intro: text("intro"),
            schema: shown.into(),
            ui: ui.into(),
        };
        Ok(Resolved { view, dated: self.has_dates, schema, validator })
    }
}

fn today(scope: &Scope<'_>) -> Result<String, EvalError> {
    static TODAY: OnceLock<Option<Expression>> = OnceLock::new();
    let expression =
        TODAY.get_or_init(|| Expression::compile("today", &Span::unknown(), shared_vocabulary(), &[]).ok());
    match expression {
        Some(expression) => expression.eval(scope).map(|v| crate::text::plain(&v)),
        None => Ok(String::new()),
    }
}

/// What a map says when it is an expression.
pub fn cel_of(value: &Value) -> Option<&str> {
    let map = value.as_object().filter(|m| m.len() == 1)?;
    map.get("$cel").and_then(Value::as_str)
}

fn collect(value: &Value, found: &mut Vec<String>) {
    if let Some(text) = cel_of(value) {
        if !found.iter().any(|f| f == text) {
            found.push(text.to_owned());
        }
        return;
    }
    match value {
        Value::Object(map) => map.values().for_each(|v| collect(v, found)),
        Value::Array(items) => items.iter().for_each(|v| collect(v, found)),
        _ => {}
    }
}

/// Puts values in; what gives null (or is unknown) takes its key away.
fn compute(value: &mut Value, values: &BTreeMap<&str, Value>) {
    match value {
        Value::Object(map) => {
            let mut gone = Vec::new();
            for (key, inner) in map.iter_mut() {
                if let Some(text) = cel_of(inner) {
                    *inner = values.get(text).cloned().unwrap_or(Value::Null);
                    if inner.is_null() {
                        gone.push(key.clone());
                    }
                } else {
                    compute(inner, values);
                }
            }
            gone.iter().for_each(|key| {
                map.shift_remove(key);
            });
        }
        Value::Array(items) => {
            for inner in items.iter_mut() {
                if let Some(text) = cel_of(inner) {
                    *inner = values.get(text).cloned().unwrap_or(Value::Null);
                } else {
                    compute(inner, values);
                }
            }
        }
        _ => {}
    }
}

/// `required` names only fields that are there: a variant may have cut one.
fn tidy(tree: &mut Value) {
    let Some(schema) = tree.get_mut("schema") else { return };
    let names: Vec<String> = super::properties(schema).map(|(n, _)| n.clone()).collect();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|r| r.as_str().is_some_and(|r| names.iter().any(|n| n == r)));
    }
    if let Some(ui) = tree.get_mut("ui").and_then(Value::as_object_mut) {
        ui.retain(|k, _| k.starts_with("ui:") || names.iter().any(|n| n == k));
        if let Some(order) = ui.get_mut("ui:order").and_then(Value::as_array_mut) {
            order.retain(|o| o.as_str().is_some_and(|o| o == "*" || names.iter().any(|n| n == o)));
        }
        for group in ui.get_mut("ui:groups").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(fields) = group.get_mut("fields").and_then(Value::as_array_mut) {
                fields.retain(|f| f.as_str().is_some_and(|f| names.iter().any(|n| n == f)));
            }
        }
    }
}

fn dates(schema: &mut Value, today: &str) {
    match schema {
        Value::Object(map) => {
            if let Some(rule) = map.get_mut("x-date").and_then(Value::as_object_mut) {
                for bound in rule.values_mut() {
                    if let Some(date) = bound.as_str().and_then(|b| date::bound(b, today)) {
                        *bound = Value::String(date);
                    }
                }
            }
            map.values_mut().for_each(|v| dates(v, today));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| dates(v, today)),
        _ => {}
    }
}

/// Closes every object and makes an empty choice refuse everything.
fn close(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    for keyword in ["oneOf", "anyOf", "enum"] {
        if map.get(keyword).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            map.shift_remove(keyword);
            map.insert("not".into(), json!({}));
        }
    }
    if map.contains_key("properties") {
        map.insert("unevaluatedProperties".into(), Value::Bool(false));
        if let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) {
            properties.values_mut().for_each(close);
        }
    }
    if let Some(items) = map.get_mut("items") {
        close(items);
    }
}

fn hide_server_keys(value: &mut Value) {
    if let Value::Object(map) = value {
        map.shift_remove("x-pii");
        map.values_mut().for_each(hide_server_keys);
    }
}

/// Puts a text at a JSON pointer whose parents exist.
fn set(tree: &mut Value, pointer: &str, text: Value) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let last = last.replace("~1", "/").replace("~0", "~");
    match tree.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.insert(last, text);
        }
        Some(Value::Array(items)) => {
            if let Some(item) = last.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                *item = text;
            }
        }
        _ => {}
    }
}

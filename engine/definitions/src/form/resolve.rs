//! From the form as written to the form of one audience at one moment. Two caches: what depends on
//! the audience alone, and what depends on computed values and the day.

use super::level::Level;
use super::validate::{of_values, validator};
use super::{Form, FormView, date, fields, messages, properties, widget};
use crate::host::shared_vocabulary;
use crate::variants::{Audience, Variant};
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Scope};
use jsonschema::Validator;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// A form with variants applied; `$cel` and dates are still open.
pub struct Prepared {
    /// Variants that are applied: a bit for each.
    mask: u64,
    pub tree: Value,
    /// Texts of the expressions in it, in order, without those of rows.
    cels: Vec<String>,
    each: Vec<Each>,
}

/// A list whose rows the context fixes, and the expressions that are computed for every row.
struct Each {
    list: String,
    key: String,
    inner: Vec<String>,
}

impl Prepared {
    /// The keys of each list whose rows are fixed; what cannot be computed counts as null.
    pub fn row_keys(&self, cels: &HashMap<String, Expression>, scope: &Scope<'_>) -> Option<Value> {
        let keys = |each: &Each| match cels.get(&each.list).map(|list| list.eval(scope)) {
            Some(Ok(Value::Array(items))) => {
                items.iter().map(|i| i.get(&each.key).cloned().unwrap_or_default()).collect()
            }
            _ => Value::Null,
        };
        (!self.each.is_empty()).then(|| self.each.iter().map(keys).collect())
    }
}

type Values = BTreeMap<String, Value>;

/// What the expressions of a form gave.
#[derive(Default, Serialize)]
pub struct Computed {
    values: Values,
    /// Rows by the expression of their list: key and values of each.
    rows: BTreeMap<String, Vec<(String, Values)>>,
}

impl Computed {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.rows.is_empty()
    }
}

/// A form that is ready to be shown and to check.
pub struct Resolved {
    pub view: FormView,
    /// The view's fields and rules: nothing in them is computed any more.
    pub level: Level,
    /// What it begins with.
    pub defaults: Map<String, Value>,
    /// Texts by code for what belongs to no field.
    pub texts: Value,
    values: Value,
    validator: OnceLock<Result<Validator, String>>,
}

impl Resolved {
    /// The validator, built when the first answer is checked.
    pub fn validator(&self) -> Result<&Validator, String> {
        self.validator.get_or_init(|| validator(&self.values)).as_ref().map_err(Clone::clone)
    }
}

const RESOLVED_MAX: usize = 64;
/// Rows that the context may fix in one list.
const ROWS_MAX: usize = 50;
const ROW_KEY_CHARS_MAX: usize = 64;

impl Form {
    pub(super) fn resolve(&self, prepared: &Prepared, scope: &Scope<'_>) -> Result<Arc<Resolved>, EvalError> {
        let computed = self.compute(prepared, scope)?;
        let today = if self.has_dates { today(scope)? } else { String::new() };
        let mut known = today.clone();
        if !computed.is_empty() {
            known.push_str(&serde_json::to_string(&computed).unwrap_or_default());
        }
        let key = (prepared.mask, known);
        if let Some(found) = self.resolved.lock().ok().and_then(|r| r.get(&key).cloned()) {
            return Ok(found);
        }
        let resolved = Arc::new(self.build(&prepared.tree, &computed, &today));
        if let Ok(mut cache) = self.resolved.lock() {
            if cache.len() >= RESOLVED_MAX {
                cache.clear();
            }
            cache.insert(key, Arc::clone(&resolved));
        }
        Ok(resolved)
    }

    pub(super) fn mask(&self, audience: &Audience) -> u64 {
        Variant::set_for(&self.variants, audience)
    }

    pub(super) fn prepare(&self, mask: u64) -> Arc<Prepared> {
        if let Some(found) = self.prepared.lock().ok().and_then(|p| p.get(&mask).cloned()) {
            return found;
        }
        let mut tree = self.tree.clone();
        for (i, variant) in self.variants.iter().enumerate() {
            if mask & (1 << i) != 0 {
                variant.apply(&mut tree);
            }
        }
        let (mut cels, mut each) = (Vec::new(), Vec::new());
        collect(&tree, &mut cels, &mut each);
        let prepared = Arc::new(Prepared { mask, tree, cels, each });
        if let Ok(mut cache) = self.prepared.lock() {
            if cache.len() >= RESOLVED_MAX {
                cache.clear();
            }
            cache.insert(mask, Arc::clone(&prepared));
        }
        prepared
    }

    fn compute(&self, prepared: &Prepared, scope: &Scope<'_>) -> Result<Computed, EvalError> {
        let values = |texts: &[String], scope: &Scope<'_>| -> Result<Values, EvalError> {
            let found = texts.iter().filter_map(|text| Some((text, self.cels.get(text)?)));
            found.map(|(text, expression)| Ok((text.clone(), expression.eval(scope)?))).collect()
        };
        let mut computed = Computed { values: values(&prepared.cels, scope)?, rows: BTreeMap::new() };
        for each in &prepared.each {
            let Some(expression) = self.cels.get(&each.list) else { continue };
            let wrong =
                |message: String| EvalError { message, span: expression.span().clone(), expression: each.list.clone() };
            let Value::Array(items) = expression.eval(scope)? else {
                return Err(wrong("`x-each` is a list".into()));
            };
            if items.len() > ROWS_MAX {
                return Err(wrong(format!("`x-each` has more than {ROWS_MAX} rows")));
            }
            let mut seen = HashSet::new();
            let rows = computed.rows.entry(each.list.clone()).or_default();
            let known: Vec<Values> = rows.drain(..).map(|(_, values)| values).collect();
            for (i, item) in items.iter().enumerate() {
                let key = item.get(&each.key).and_then(Value::as_str).unwrap_or_default();
                let is_good = key.chars().any(|c| !c.is_ascii_digit())
                    && !key.contains('/')
                    && key.chars().count() <= ROW_KEY_CHARS_MAX;
                if !is_good || !seen.insert(key) {
                    let rule = format!("`{}` of a row is a text of its own that is no number, not `{key}`", each.key);
                    return Err(wrong(rule));
                }
                let mut row = values(&each.inner, &scope.clone().with("item", item))?;
                row.extend(known.get(i).cloned().unwrap_or_default());
                rows.push((key.to_owned(), row));
            }
        }
        Ok(computed)
    }

    /// Builds the form from what was computed; at load with every expression unknown, to see whether the rest is a
    /// schema.
    pub(super) fn build(&self, tree: &Value, computed: &Computed, today: &str) -> Resolved {
        let mut tree = tree.clone();
        put(&mut tree, &computed.values, computed);
        let text = |k: &str| tree.get(k).map(crate::text::plain);
        let (title, intro) = (text("title").unwrap_or_default(), text("intro"));
        let written = tree.get("messages").cloned();
        let of_schema = ["groups", "required", "properties", "x-ui"];
        let own = of_schema.iter().filter_map(|key| Some(((*key).to_owned(), tree.get_mut(*key)?.take())));
        let mut schema =
            Value::Object(Map::from_iter([("type".to_owned(), json!("object"))]).into_iter().chain(own).collect());
        settle(&mut schema);
        dates(&mut schema, today);
        messages::complete(&mut schema, &title, written.as_ref(), &self.messages);
        let level = Level::read(&schema, &self.normalisers);
        let texts = schema.get("x-messages").cloned().unwrap_or_default();
        let (defaults, values) = (fields::defaults(&level), of_values(&schema));
        let view = FormView { title, intro, schema: schema.into() };
        Resolved { view, level, defaults, texts, values, validator: OnceLock::new() }
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

fn collect(value: &Value, found: &mut Vec<String>, each: &mut Vec<Each>) {
    let mut add = |text: &str| {
        if !found.iter().any(|f| f == text) {
            found.push(text.to_owned());
        }
    };
    match value {
        Value::Object(map) => {
            if let Some(text) = map.get("$cel").and_then(Value::as_str) {
                add(text);
            }
            let Some(list) = map.get("x-each").and_then(cel_of) else {
                return map.values().for_each(|v| collect(v, found, each));
            };
            let mut inner = Vec::new();
            for (key, value) in map {
                match key.as_str() {
                    "x-each" => {}
                    "items" | "x-title" => collect(value, &mut inner, &mut Vec::new()),
                    _ => collect(value, found, &mut Vec::new()),
                }
            }
            let key = map.get("x-key").and_then(Value::as_str).unwrap_or("key").to_owned();
            each.push(Each { list: list.to_owned(), key, inner });
        }
        Value::Array(items) => items.iter().for_each(|v| collect(v, found, each)),
        _ => {}
    }
}

/// Puts values in; what gives null (or is unknown) takes its key away, and a condition that is not true is false.
fn put(value: &mut Value, values: &Values, computed: &Computed) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(text)) = map.get("$cel") {
                let known = values.get(text).cloned().unwrap_or(Value::Null);
                if known == Value::Bool(true) && map.len() > 1 {
                    map.shift_remove("$cel");
                } else {
                    *value = if map.len() > 1 { Value::Bool(false) } else { known };
                    return;
                }
            }
            let Value::Object(map) = value else { return };
            if let Some(list) = map.get("x-each").and_then(cel_of).map(str::to_owned) {
                fixed_rows(map, &list, computed);
            }
            let mut gone = Vec::new();
            for (key, inner) in map.iter_mut().filter(|(key, _)| *key != "prefixItems") {
                let is_computed = inner.get("$cel").is_some();
                put(inner, values, computed);
                if is_computed && inner.is_null() {
                    match key.as_str() {
                        "show" | "x-required" => *inner = Value::Bool(false),
                        _ => gone.push(key.clone()),
                    }
                }
            }
            gone.iter().for_each(|key| {
                map.shift_remove(key);
            });
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| put(inner, values, computed)),
        _ => {}
    }
}

/// One schema for each row, in the place of the list's `items`.
fn fixed_rows(map: &mut Map<String, Value>, list: &str, computed: &Computed) {
    map.shift_remove("x-each");
    let items = map.shift_remove("items").unwrap_or(json!({}));
    let title = map.shift_remove("x-title");
    let unknown = vec![("row".to_owned(), Values::new())];
    let rows = computed.rows.get(list).unwrap_or(&unknown);
    let row = |(i, (key, values)): (usize, &(String, Values))| {
        let mut row = items.clone();
        if let (Some(map), Some(title)) = (row.as_object_mut(), &title) {
            map.insert("title".into(), title.clone());
        }
        put(&mut row, values, computed);
        if let Some(map) = row.as_object_mut() {
            map.insert("x-row".into(), Value::String(key.clone()));
            let title = map.get("title").map(|t| title_text(t).replace("{{number}}", &(i + 1).to_string()));
            map.extend(title.map(|title| ("title".to_owned(), Value::String(title))));
        }
        row
    };
    let rows = rows.iter().enumerate().map(row).collect();
    map.insert("prefixItems".into(), Value::Array(rows));
}

/// `{text: "Child {{number}}"}`, or the text itself.
fn title_text(title: &Value) -> String {
    crate::text::plain(title.get("text").unwrap_or(title))
}

/// Decides what computed conditions say, and makes explicit what is understood: types, widgets, keys of rows. A field that
/// a computed condition takes away is named in `x-gone`: an answer to it, from a page that is older, is dropped.
fn settle(level: &mut Value) {
    let Some(map) = level.as_object_mut() else { return };
    map.insert("type".into(), json!("object"));
    let gone = settle_groups(map);
    let mut required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut not_asked: Vec<Value> = Vec::new();
    if let Some(fields) = map.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, rule| {
            let group = rule.pointer("/x-ui/group").and_then(Value::as_str);
            let is_gone = group.is_some_and(|g| gone.contains(g)) || rule.pointer("/x-ui/show") == Some(&json!(false));
            if !is_gone {
                match rule.get("x-required") {
                    Some(Value::Bool(true)) if !required.iter().any(|r| r == name) => required.push(json!(name)),
                    _ => {}
                }
                settle_field(rule);
            } else {
                not_asked.push(json!(name));
            }
            !is_gone
        });
        required.retain(|r| r.as_str().is_some_and(|r| fields.contains_key(r)));
    }
    map.insert("required".into(), Value::Array(required));
    if !not_asked.is_empty() {
        map.insert("x-gone".into(), Value::Array(not_asked));
    }
}

/// Names of the groups that are not shown whatever is answered.
fn settle_groups(map: &mut Map<String, Value>) -> HashSet<String> {
    let mut gone = HashSet::new();
    let Some(groups) = map.get_mut("groups").and_then(Value::as_object_mut) else { return gone };
    loop {
        let before = gone.len();
        for (id, group) in groups.iter() {
            let inside = group.get("in").and_then(Value::as_str).is_some_and(|outer| gone.contains(outer));
            if inside || group.get("show") == Some(&json!(false)) {
                gone.insert(id.clone());
            }
        }
        if gone.len() == before {
            break;
        }
    }
    groups.retain(|id, group| {
        shown_always(group);
        !gone.contains(id)
    });
    gone
}

fn shown_always(ui: &mut Value) {
    if let Some(map) = ui.as_object_mut().filter(|map| map.get("show") == Some(&json!(true))) {
        map.shift_remove("show");
    }
}

fn settle_field(rule: &mut Value) {
    if let Some(ui) = rule.get_mut("x-ui") {
        shown_always(ui);
    }
    let is_object = rule.get("properties").is_some();
    let has_rows =
        rule.get("prefixItems").is_some() || rule.get("items").is_some_and(|i| i.get("properties").is_some());
    if is_object {
        settle(rule);
    }
    let name = (!is_object && !has_rows).then(|| widget::of(rule).to_owned());
    let Some(map) = rule.as_object_mut() else { return };
    if matches!(map.get("x-required"), Some(Value::Bool(_))) {
        map.shift_remove("x-required");
    }
    ["$comment", "x-sample", "x-roles", "x-again"].iter().for_each(|key| drop(map.shift_remove(*key)));
    if map.shift_remove("x-pii").is_some() {
        // Which kind it is is nobody's business there; that it is kept nowhere is.
        map.insert("x-personal".into(), Value::Bool(true));
    }
    if has_rows {
        map.insert("type".into(), json!("array"));
        map.entry("x-key").or_insert(json!("key"));
        if let Some(title) = map.get("x-title").map(title_text) {
            map.insert("x-title".into(), Value::String(title));
        }
        if let Some(rows) = map.get_mut("prefixItems").and_then(Value::as_array_mut) {
            rows.iter_mut().for_each(settle);
        } else if let Some(items) = map.get_mut("items") {
            settle(items);
        }
    }
    if let (Some(name), Some(ui)) = (name, map.entry("x-ui").or_insert(json!({})).as_object_mut()) {
        ui.insert("widget".into(), Value::String(name));
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

/// Names of the fields of an audience, those that are not asked now included.
pub fn names(prepared: &Prepared) -> impl Iterator<Item = &str> {
    properties(&prepared.tree).map(|(name, _)| name.as_str())
}

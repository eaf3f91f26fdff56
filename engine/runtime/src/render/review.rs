//! Check your answers: generated from the steps of the trail, with a Change link for each. Objects and lists of an
//! answer are sections of their own.

use super::{ViewerContext, submit_text, title_of};
use crate::actor::CUSTOMER;
use crate::turn::{Cover, Turn, get_path};
use crate::view::{Review, ReviewPart, ReviewRow, ReviewSection};
use engine_definitions::{Form, Step, mask, money};
use serde_json::{Map, Value, json};

/// Kinds of personal data that reach a person.
const CONTACT: [&str; 2] = ["mobile", "email"];

pub(super) fn review(turn: &Turn<'_>, step: &Step, reader: &ViewerContext<'_>) -> Review {
    let is_plain = is_plain(turn, step, reader);
    let sections = turn.state.trail.iter().filter_map(|entry| {
        let step = reader.workflow.step_by_node(&entry.node)?;
        let form = reader.workflow.form(step.form.as_deref()?)?;
        let answers = get_path(&turn.state.snapshot.context, step.into.as_deref()?)?.as_object()?;
        let view = reader
            .with_scope(turn, |scope| form.view(&reader.viewer.audience, &scope.clone().with_names(step.names())))
            .ok()?;
        let (cover, kept) = (reader.cover.as_ref(), turn.covered_texts(step));
        let mut sections = Sections { turn, step, form, cover, kept, is_plain, reader, sections: Vec::new() };
        let title = Some(view.title.clone()).filter(|title| !title.is_empty());
        sections.object(title.unwrap_or_else(|| title_of(turn, step, reader)), &view.schema, answers, "");
        let mut sections = sections.sections;
        if let (Some(first), Some(row)) = (sections.first_mut(), answered_by(turn, step, reader)) {
            first.rows.retain(|other| other.label != row.label);
            first.rows.push(row);
        }
        Some(sections)
    });
    Review { sections: sections.flatten().collect(), submit: submit_text(turn, step, reader) }
}

/// Who answered this, in a journey that was begun for a customer.
fn answered_by(turn: &Turn, step: &Step, reader: &ViewerContext<'_>) -> Option<ReviewRow> {
    let role = turn.state.answered_by.get(&step.node)?;
    Some(answered(reader, if role == CUSTOMER { BY_CUSTOMER } else { "journey.by_agent" }))
}

const BY_CUSTOMER: &str = "journey.by_customer";

fn answered(reader: &ViewerContext<'_>, by: &str) -> ReviewRow {
    let label = reader.text("journey.answered_by", &Map::new());
    ReviewRow { label, value: Value::String(reader.text(by, &Map::new())), ..ReviewRow::default() }
}

/// Whether this reader sees mobile numbers and e-mails whole; where nothing says so, nobody does.
fn is_plain(turn: &Turn, step: &Step, reader: &ViewerContext<'_>) -> bool {
    let told = step
        .plain
        .as_ref()
        .map(|plain| reader.with_scope(turn, |scope| plain.eval_bool(&scope.clone().with_names(step.names()))));
    told.is_some_and(|told| told.inspect_err(|error| reader.fault(step, "`plain`", error)).unwrap_or_default())
}

/// The sections of one step.
struct Sections<'t> {
    turn: &'t Turn<'t>,
    step: &'t Step,
    form: &'t Form,
    cover: Option<&'t Cover>,
    /// What the customer may keep, but not read.
    kept: Map<String, Value>,
    is_plain: bool,
    reader: &'t ViewerContext<'t>,
    sections: Vec<ReviewSection>,
}

impl Sections<'_> {
    /// A section of the plain answers of an object, then one for each object and list in it.
    fn object(&mut self, title: String, schema: &Value, answers: &Map<String, Value>, at: &str) {
        let mut inner = Vec::new();
        let (mut rows, is_kept_back) = self.rows(schema, answers, at, &mut inner);
        // an object within may be there because of what is kept back
        if is_kept_back && (at.is_empty() || !rows.is_empty()) {
            rows.push(answered(self.reader, BY_CUSTOMER));
        }
        self.push(title, rows, Vec::new());
        for (rule, value, at) in inner {
            let title = rule.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
            match value {
                Value::Object(answers) => self.object(title, rule, answers, &at),
                list => {
                    let parts = self.parts(rule, list, &at);
                    self.push(title, Vec::new(), parts);
                }
            }
        }
    }

    fn push(&mut self, title: String, rows: Vec<ReviewRow>, parts: Vec<ReviewPart>) {
        if !rows.is_empty() || !parts.is_empty() {
            let (step, path) = (self.step.node.clone(), self.step.path.clone());
            self.sections.push(ReviewSection { title, step, path, changeable: true, rows, parts });
        }
    }

    /// One part for each row of a list; what a row holds in objects stands with the rest of it.
    fn parts(&self, rule: &Value, list: &Value, at: &str) -> Vec<ReviewPart> {
        let fixed = rule.get("prefixItems").and_then(Value::as_array);
        let part = |(i, row): (usize, &Value)| {
            let schema = fixed.map_or_else(|| rule.get("items"), |fixed| fixed.get(i))?;
            let title = schema.get("title").or_else(|| rule.get("x-title")).and_then(Value::as_str);
            let pointer = format!("{at}/{i}");
            let (mut rows, mut is_kept_back) = (Vec::new(), false);
            let mut open = vec![(schema, row, pointer.clone())];
            while let Some((schema, value, at)) = open.pop() {
                let (found, kept_back) = self.rows(schema, value.as_object()?, &at, &mut open);
                rows.extend(found);
                is_kept_back |= kept_back;
            }
            match (is_kept_back, rows.is_empty()) {
                (true, true) => return None,
                (true, false) => rows.push(answered(self.reader, BY_CUSTOMER)),
                (false, _) => {}
            }
            let title = title.unwrap_or_default().replace("{{number}}", &(i + 1).to_string());
            Some(ReviewPart { title, pointer, rows })
        };
        list.as_array().into_iter().flatten().enumerate().filter_map(part).collect()
    }

    /// The plain answers of an object; objects and lists of rows are put aside. True: some are kept back whole, also
    /// that they are there, since many are asked for after a yes only.
    fn rows<'a>(
        &self,
        schema: &'a Value,
        answers: &'a Map<String, Value>,
        at: &str,
        inner: &mut Vec<(&'a Value, &'a Value, String)>,
    ) -> (Vec<ReviewRow>, bool) {
        let (mut rows, mut is_kept_back) = (Vec::new(), false);
        for (name, rule) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let ui = |key: &str| rule.get("x-ui").and_then(|ui| ui.get(key));
            let widget = ui("widget").and_then(Value::as_str).unwrap_or_default();
            let is_hidden = matches!(widget, "hidden" | "consent") || ui("review") == Some(&Value::Bool(false));
            let Some(value) = answers.get(name).filter(|v| !v.is_null() && !is_hidden) else { continue };
            let pointer = format!("{at}/{name}");
            if value.is_object() || rule.get("x-key").is_some() {
                inner.push((rule, value, pointer));
                continue;
            }
            if self.cover.is_some_and(|cover| cover.keeps_back(self.form, &pointer)) {
                is_kept_back = true;
                continue;
            }
            let label = rule.get("title").and_then(Value::as_str).unwrap_or(name).to_owned();
            let masked = self.mask(name, value, &pointer);
            let value = masked.unwrap_or_else(|| self.display(rule, widget, value));
            let autocomplete = ui("autocomplete").and_then(Value::as_str).map(str::to_owned);
            rows.push(ReviewRow { label, value, pointer, autocomplete });
        }
        (rows, is_kept_back)
    }

    /// What this reader may not see whole.
    fn mask(&self, name: &str, value: &Value, pointer: &str) -> Option<Value> {
        let contact = || {
            let kind = self.form.personal_at(pointer).filter(|kind| !self.is_plain && CONTACT.contains(kind))?;
            mask(value.as_str()?, kind).ok().map(Value::String)
        };
        let covered = || self.cover.and_then(|cover| cover.shown(self.form, pointer, value));
        let kept =
            || self.kept.get(name).filter(|text| *text == value).and_then(|text| mask(text.as_str()?, "number").ok());
        covered().or_else(|| kept().map(Value::String)).or_else(contact)
    }

    /// A value as the reader expects it: the option's title, a marked amount or date.
    fn display(&self, rule: &Value, widget: &str, value: &Value) -> Value {
        let option = |value: &Value| {
            let options = rule.get("oneOf").or_else(|| rule.pointer("/items/oneOf"))?.as_array()?;
            options.iter().find(|o| o.get("const") == Some(value))?.get("title").cloned()
        };
        if let Value::Array(items) = value {
            if widget == "upload" {
                return self.files(items.len());
            }
            let titles: Vec<String> = items
                .iter()
                .map(|v| option(v).as_ref().unwrap_or(v).as_str().map_or_else(|| v.to_string(), str::to_string))
                .collect();
            return Value::String(titles.join(", "));
        }
        if let Some(title) = option(value) {
            return title;
        }
        match (widget, value) {
            ("upload", _) => self.files(1),
            ("money", amount) => match rule.pointer("/x-ui/unit").and_then(Value::as_str) {
                Some("rupees") => json!({"paise": amount.as_i64().unwrap_or_default().saturating_mul(100)}),
                _ => json!({"paise": amount}),
            },
            ("height", Value::Number(n)) => json!({"height": n}),
            ("date", date) => json!({"date": date}),
            ("lookup", key) => self.looked_up(rule, key).unwrap_or_else(|| key.clone()),
            // a year or an age as it was typed: only amounts, and what has a unit, are grouped
            (_, Value::Number(number)) => {
                let unit = rule.pointer("/x-ui/suffix").and_then(Value::as_str).unwrap_or_default();
                let gap = if unit.starts_with(char::is_alphabetic) { " " } else { "" };
                let grouped = number.as_u64().filter(|_| !unit.is_empty()).map(money::group_digits);
                Value::String(format!("{}{gap}{unit}", grouped.unwrap_or_else(|| number.to_string())))
            }
            (_, other) => other.clone(),
        }
    }

    /// How many files there are, in words: their ids say nothing to anybody.
    fn files(&self, count: usize) -> Value {
        let fields = Map::from_iter([("count".to_owned(), Value::from(count))]);
        Value::String(self.reader.text("upload.sent", &fields))
    }

    fn looked_up(&self, rule: &Value, key: &Value) -> Option<Value> {
        let options = rule.get("x-ui")?;
        let master = self.turn.catalog.master(options.get("source")?.as_str()?)?;
        let label = options.get("label").and_then(Value::as_str)?;
        let key = key.as_str().map_or_else(|| key.to_string(), str::to_string);
        master.get(&key)?.get(label).cloned()
    }
}

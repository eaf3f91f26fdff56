//! Check your answers: generated from the steps of the trail, with a Change link for each.

use super::{submit_text, title_of};
use crate::turn::{Turn, get_path};
use crate::view::{Review, ReviewRow, ReviewSection};
use engine_definitions::{Audience, Fields, Step};
use serde_json::{Map, Value, json};

pub(super) fn review(turn: &Turn<'_>, step: &Step, audience: &Audience) -> Review {
    let sections = turn.state.trail.iter().filter_map(|entry| {
        let step = turn.workflow.step_by_node(&entry.node)?;
        let form = turn.workflow.form(step.form.as_deref()?)?;
        let answers = get_path(&turn.state.snapshot.context, step.into.as_deref()?)?.as_object()?;
        let shown = turn.with_step(step, |scope| form.fields(audience, scope)).ok()?;
        let view = shown.view();
        let rows = rows(turn, &view.schema, &view.ui, answers, &shown);
        (!rows.is_empty()).then(|| ReviewSection {
            title: Some(form.title(&audience.language))
                .filter(|t| !t.is_empty())
                .unwrap_or_else(|| title_of(turn, step, audience)),
            step: step.node.clone(),
            path: step.path.clone(),
            changeable: true,
            rows,
        })
    });
    Review { sections: sections.collect(), submit: submit_text(turn, step, audience) }
}

fn rows(turn: &Turn<'_>, schema: &Value, ui: &Value, answers: &Map<String, Value>, shown: &Fields) -> Vec<ReviewRow> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let order: Vec<&str> = ui
        .get("ui:order")
        .and_then(Value::as_array)
        .map(|o| o.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let listed = order.iter().copied().filter(|n| *n != "*");
    let names = listed.chain(properties.keys().map(String::as_str).filter(|n| !order.contains(n)));
    names
        .filter(|name| shown.contains(name))
        .filter_map(|name| {
            let property = properties.get(name)?;
            let field_ui = ui.get(name).unwrap_or(&Value::Null);
            let widget = field_ui.get("ui:widget").and_then(Value::as_str).unwrap_or_default();
            let hidden = widget == "hidden"
                || widget == "consent"
                || field_ui.pointer("/ui:options/review") == Some(&Value::Bool(false));
            let value = answers.get(name).filter(|v| !v.is_null() && !hidden)?;
            let label = property.get("title").and_then(Value::as_str).unwrap_or(name).to_string();
            Some(ReviewRow {
                label,
                value: display(turn, property, field_ui, widget, value),
                pointer: format!("/{name}"),
            })
        })
        .collect()
}

/// A value as the reader expects it: the option's title, Yes or No, a marked amount or date.
fn display(turn: &Turn<'_>, property: &Value, ui: &Value, widget: &str, value: &Value) -> Value {
    let option = |value: &Value| {
        let options = property.get("oneOf").or_else(|| property.pointer("/items/oneOf"))?.as_array()?;
        options.iter().find(|o| o.get("const") == Some(value))?.get("title").cloned()
    };
    if let Value::Array(items) = value {
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
        (_, Value::Bool(yes)) => Value::String(if *yes { "Yes" } else { "No" }.into()),
        ("money", amount) => json!({"paise": amount}),
        ("date", date) => json!({"date": date}),
        ("lookup", key) => looked_up(turn, ui, key).unwrap_or_else(|| key.clone()),
        // a year or an age as it was typed: only amounts are grouped
        (_, Value::Number(number)) => {
            let unit = ui.pointer("/ui:options/suffix").and_then(Value::as_str).unwrap_or_default();
            Value::String(format!("{number}{unit}"))
        }
        (_, other) => other.clone(),
    }
}

fn looked_up(turn: &Turn<'_>, ui: &Value, key: &Value) -> Option<Value> {
    let options = ui.get("ui:options")?;
    let master = turn.catalog.master(options.get("source")?.as_str()?)?;
    let label = options.get("label").and_then(Value::as_str)?;
    let key = key.as_str().map_or_else(|| key.to_string(), str::to_string);
    master.get(&key)?.get(label).cloned()
}

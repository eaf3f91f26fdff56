//! Days as chips and the times of the first free day, as the web app draws them.

use super::Field;
use crate::html::form::wrap_group;
use crate::html::writer::{Attributes, Html};
use chrono::NaiveDate;
use serde_json::Value;

/// `{key, text, day, full}` of `ui:options.slots`.
struct Slot<'a> {
    key: &'a str,
    text: &'a str,
    day: &'a str,
    full: bool,
}

pub fn draw(html: &mut Html, field: &Field) {
    let slots: Vec<Slot> = field.option("slots").and_then(Value::as_array).into_iter().flatten().map(slot).collect();
    let mut days: Vec<&str> = slots.iter().map(|slot| slot.day).collect();
    days.dedup();
    let is_full = |day: &str| slots.iter().filter(|slot| slot.day == day).all(|slot| slot.full);
    let chosen = slots.iter().find(|slot| field.data.as_str() == Some(slot.key));
    let free = days.iter().copied().find(|day| !is_full(day));
    wrap_group(html, field, "slots", |html| {
        let Some(day) = free.map(|free| chosen.map_or(free, |slot| slot.day)) else {
            html.element("p", &[("class", "slots-empty")], field.text_option("empty").unwrap_or("No time is free."));
            return;
        };
        html.raw("<div class=\"slots\"><div class=\"slots-days\" role=\"radiogroup\" aria-label=\"Day\">");
        for one in &days {
            chip(html, field, one, *one == day, is_full(one));
        }
        html.raw("</div>").open(
            "div",
            &[
                ("class", "slots-times"),
                ("role", "radiogroup"),
                ("aria-label", &format!("{}: {}", field.title(), name(day))),
            ],
        );
        for part in ["Morning", "Afternoon", "Evening"] {
            let list: Vec<&Slot> = slots.iter().filter(|slot| slot.day == day && part_of(slot.text) == part).collect();
            if list.is_empty() {
                continue;
            }
            html.raw("<div class=\"slots-part\">")
                .element("p", &[("class", "slots-part-name")], part)
                .raw("<div class=\"slots-grid\">");
            list.into_iter()
                .for_each(|slot| time(html, field, slot, chosen.is_some_and(|chosen| chosen.key == slot.key)));
            html.raw("</div></div>");
        }
        html.raw("</div>");
        Attributes::new()
            .with("class", "slots-chosen")
            .with("role", "status")
            .maybe("data-chosen", chosen.map(|_| "true"))
            .open(html, "p");
        match chosen {
            Some(slot) => html.text(&name(slot.day)).raw(" at ").element("strong", &[], slot.text),
            None => html.text(&format!("Choose a time on {}", name(day))),
        };
        html.raw("</p></div>");
    });
}

fn chip(html: &mut Html, field: &Field, day: &str, checked: bool, full: bool) {
    let id = format!("{}-{day}", field.id);
    let said = if full { format!("{}, all taken", name(day)) } else { name(day) };
    html.open("label", &[("class", "slots-day"), ("for", &id)]);
    Attributes::new()
        .with("type", "radio")
        .with("id", id.as_str())
        .with("name", format!("{}-day", field.id))
        .with("value", day)
        .flag("checked", checked)
        .flag("disabled", full)
        .with("aria-label", said)
        .open(html, "input");
    html.raw("<span aria-hidden=\"true\">").element("small", &[], &format(day, "%a")).element(
        "strong",
        &[],
        &format(day, "%-d"),
    );
    html.element("small", &[], &format(day, "%b")).raw("</span></label>");
}

fn time(html: &mut Html, field: &Field, slot: &Slot, checked: bool) {
    let id = format!("{}-{}", field.id, slot.key);
    html.open("label", &[("class", "slots-time"), ("for", &id)]);
    Attributes::new()
        .with("type", "radio")
        .with("id", id.as_str())
        .with("name", field.name.as_str())
        .with("value", slot.key)
        .flag("checked", checked)
        .flag("disabled", slot.full)
        .maybe("aria-invalid", field.error.map(|_| "true"))
        .flag("required", field.required)
        .open(html, "input");
    html.raw("<span>").text(slot.text);
    if slot.full {
        html.raw("<span class=\"sr\"> (taken)</span>");
    }
    html.raw("</span></label>");
}

fn slot(value: &Value) -> Slot<'_> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    Slot { key: text("key"), text: text("text"), day: text("day"), full: value.get("full") == Some(&Value::Bool(true)) }
}

/// `10:30 AM` → Morning; from noon Afternoon, from 5 Evening.
fn part_of(text: &str) -> &'static str {
    let hour: u32 = text.split(':').next().and_then(|hour| hour.parse().ok()).unwrap_or_default();
    match (text.ends_with("AM"), hour % 12) {
        (true, _) => "Morning",
        (false, 0..5) => "Afternoon",
        (false, _) => "Evening",
    }
}

/// Monday, 23 November
fn name(day: &str) -> String {
    format(day, "%A, %-d %B")
}

fn format(day: &str, pattern: &str) -> String {
    NaiveDate::parse_from_str(day, "%Y-%m-%d").map_or_else(|_| day.to_owned(), |date| date.format(pattern).to_string())
}

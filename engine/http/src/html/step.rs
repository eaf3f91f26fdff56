//! The first screen of a step, inside `#app`, as the web app draws it: the same elements, classes and ids, so that the
//! swap moves nothing.

use super::blocks::{Place, blocks, card, fact};
use super::form::form;
use super::writer::{Attributes, Html};
use engine_runtime::view::{Level, MessageView, Review, SectionState, Step, StepView, WaitPart};
use serde_json::{Value, json};

pub fn step(html: &mut Html, view: &StepView) {
    let step = &view.step;
    html.open("div", &[("class", "step"), ("data-kind", word(&json!(step.kind))), ("data-step", &step.id)]);
    progress(html, step);
    bar(html, view);
    html.raw("<header class=\"step-head\"><h1 id=\"step-title\" tabindex=\"-1\">").text(&step.title).raw("</h1>");
    if let Some(intro) = &step.intro {
        html.element("p", &[("class", "lead")], intro);
    }
    html.raw("</header>");
    messages(html, view);
    body(html, view);
    html.raw("</div>");
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn progress(html: &mut Html, step: &Step) {
    let sections = &step.progress.sections;
    if sections.is_empty() {
        return;
    }
    html.raw("<nav class=\"progress\" aria-label=\"Progress\"><ol>");
    for section in sections {
        let said = match section.state {
            SectionState::Done => "done",
            SectionState::Current => "now",
            SectionState::Todo => "to do",
        };
        Attributes::new()
            .with("data-state", word(&json!(section.state)))
            .maybe("aria-current", (section.state == SectionState::Current).then_some("step"))
            .open(html, "li");
        html.element("span", &[], &section.title).raw("<span class=\"sr\"> (").text(said).raw(")</span></li>");
    }
    html.raw("</ol>");
    if let Some((at, section)) = sections.iter().enumerate().find(|(_, section)| section.state == SectionState::Current)
    {
        html.raw("<p class=\"progress-phone\" aria-hidden=\"true\">")
            .text(&format!("Step {} of {} · ", at + 1, sections.len()))
            .element("strong", &[], &section.title)
            .raw("</p>");
    }
    html.raw("</nav>");
}

/// The way back, and the place of "Saved".
fn bar(html: &mut Html, view: &StepView) {
    let back = view.step.back.as_deref().and_then(super::link::safe_url);
    if back.is_none() && (view.step.form.is_none() || view.journey.id.is_none()) {
        return;
    }
    html.raw("<div class=\"step-bar\">");
    if let Some(back) = back {
        html.element("a", &[("class", "back"), ("href", back)], "Back");
    }
    html.raw("<p class=\"saved\"></p></div>");
}

fn messages(html: &mut Html, view: &StepView) {
    // What is about one answer stands beside that answer.
    let about_field = |message: &&MessageView| {
        message.level == Level::Error
            && message.pointer.as_deref().is_some_and(|pointer| !pointer.is_empty())
            && view.step.form.is_some()
    };
    let general: Vec<&MessageView> = view.messages.iter().filter(|message| !about_field(message)).collect();
    if general.is_empty() {
        return;
    }
    html.raw("<div class=\"messages\">");
    for message in general {
        let role = if message.level == Level::Error { "alert" } else { "status" };
        html.open("div", &[("class", "notice"), ("data-tone", word(&json!(message.level))), ("role", role)]);
        html.raw("<div class=\"notice-body\">").element("p", &[], &message.text).raw("</div></div>");
    }
    html.raw("</div>");
}

fn body(html: &mut Html, view: &StepView) {
    let step = &view.step;
    let list =
        step.view.as_ref().and_then(|view| view.get("blocks")).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let place = Place { journey: view.journey.id.as_deref() };
    let is = |kind: &'static str| list.iter().any(|block| block.get("block").and_then(Value::as_str) == Some(kind));
    let card_of_form = |html: &mut Html| {
        if let Some(part) = &step.form {
            html.raw("<div class=\"card step-card\">");
            form(html, part, &view.messages);
            html.raw("</div>");
        }
    };
    if step.redirect.is_some() || is("options") {
        html.raw("<div class=\"step-body\">");
        loading(html);
    } else if let Some(wait) = &step.wait {
        html.raw("<div class=\"step-body\">");
        waiting(html, wait, step);
        blocks(html, list, &place, card_of_form);
    } else if let Some(review) = &step.review {
        html.raw("<div class=\"step-body\">");
        blocks(html, list, &place, card_of_form);
        checking(html, review, step);
        if step.form.is_some() && !is("form") {
            card_of_form(html);
        }
    } else {
        html.open("div", &[("class", if is("hero") { "step-body landing" } else { "step-body" })]);
        if !is("form") {
            card_of_form(html);
        }
        blocks(html, list, &place, card_of_form);
        if step.form.is_none() && list.is_empty() {
            loading(html);
        }
    }
    html.raw("</div>");
}

fn loading(html: &mut Html) {
    html.raw("<p class=\"loading\"><span class=\"spinner\" aria-hidden=\"true\"></span>Loading…</p>");
}

fn waiting(html: &mut Html, wait: &WaitPart, step: &Step) {
    html.raw("<div class=\"card wait\" role=\"status\"><div class=\"wait-mark\" aria-hidden=\"true\"></div>").element(
        "p",
        &[("class", "wait-text")],
        &wait.text,
    );
    for open in step.waits.iter().filter(|open| open.of > 0) {
        html.element(
            "p",
            &[("class", "wait-left")],
            &format!("{} of {} have answered", open.of.saturating_sub(open.open), open.of),
        );
    }
    html.raw("<p class=\"wait-keep\">You may leave this page open or come back later; nothing is lost.</p></div>");
}

/// Check your answers.
fn checking(html: &mut Html, review: &Review, step: &Step) {
    for section in &review.sections {
        card(html, "facts-card", &json!({"title": section.title}), |html| {
            html.raw("<dl class=\"facts\">");
            for row in &section.rows {
                fact(html, &row.label, &row.value, None, section.changeable);
            }
            html.raw("</dl>");
        });
    }
    if step.form.is_none() && step.events.iter().any(|event| event.kind == "submit") {
        html.raw("<div class=\"form-actions\">");
        html.element("button", &[("class", "button"), ("data-style", "primary"), ("type", "button")], &review.submit);
        html.raw("</div>");
    }
}

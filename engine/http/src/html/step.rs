//! The first screen of a step, inside `#app`, as the web app draws it.

use super::blocks::{Place, blocks};
use super::form::form;
use super::format::shown;
use super::writer::{Attributes, Html};
use engine_runtime::view::{Step, StepView};
use serde_json::Value;

pub fn step(html: &mut Html, view: &StepView) {
    let step = &view.step;
    html.open("div", &[("class", "step"), ("data-kind", &step.kind), ("data-step", &step.id)]);
    progress(html, step);
    html.raw("<div class=\"step-bar\">");
    if let Some(back) = step.back.as_deref().and_then(super::link::safe_url) {
        html.element("a", &[("class", "back"), ("href", back)], "Back");
    }
    html.raw("</div><header class=\"step-head\"><h1 id=\"step-title\" tabindex=\"-1\">").text(&step.title).raw("</h1>");
    if let Some(intro) = &step.intro {
        html.element("p", &[("class", "lead")], intro);
    }
    html.raw("</header>");
    messages(html, view);
    html.raw("<div class=\"step-body\">");
    body(html, view);
    html.raw("</div></div>");
}

fn progress(html: &mut Html, step: &Step) {
    if step.progress.sections.is_empty() {
        return;
    }
    html.raw("<nav class=\"progress\" aria-label=\"Progress\"><ol>");
    for section in &step.progress.sections {
        Attributes::new().with("data-state", section.state.as_str()).maybe("aria-current", (section.state == "current").then_some("step")).open(html, "li");
        html.element("span", &[], &section.title).close("li");
    }
    html.raw("</ol></nav>");
}

fn messages(html: &mut Html, view: &StepView) {
    if view.messages.is_empty() {
        return;
    }
    html.raw("<div class=\"messages\">");
    for message in &view.messages {
        let role = if message.level == "error" { "alert" } else { "status" };
        html.open("div", &[("class", "notice"), ("data-tone", &message.level), ("role", role)]);
        html.raw("<div class=\"notice-body\">").element("p", &[], &message.text).raw("</div></div>");
    }
    html.raw("</div>");
}

fn body(html: &mut Html, view: &StepView) {
    let step = &view.step;
    let form_card = |html: &mut Html| {
        if let Some(part) = &step.form {
            html.raw("<div class=\"card step-card\">");
            form(html, part, &view.messages);
            html.raw("</div>");
        }
    };
    let list = step.view.as_ref().and_then(|view| view.get("blocks")).and_then(Value::as_array);
    match list {
        Some(list) => {
            if !list.iter().any(|block| block.get("block").and_then(Value::as_str) == Some("form")) {
                form_card(html);
            }
            blocks(html, list, &Place { journey: view.journey.id.as_deref() }, form_card);
        }
        None if step.form.is_some() => form_card(html),
        None => rest(html, step),
    }
}

/// Review and wait in plain words; everything else waits for the script.
fn rest(html: &mut Html, step: &Step) {
    if let Some(review) = &step.review {
        for section in &review.sections {
            html.open("section", &[("class", "block"), ("data-block", "facts")]).element("h2", &[("class", "block-title")], &section.title).raw("<dl class=\"facts\">");
            for row in &section.rows {
                html.raw("<div>").element("dt", &[], &row.label).element("dd", &[], &shown(&row.value)).raw("</div>");
            }
            html.raw("</dl></section>");
        }
        return;
    }
    let text = step.wait.as_ref().map_or("Loading…", |wait| wait.text.as_str());
    html.raw("<p class=\"loading\"><span class=\"spinner\" aria-hidden=\"true\"></span>").text(text).raw("</p>");
}

//! The blocks of a view as plain semantic HTML: the first screen of journeys, and the whole of content pages.

use super::format::shown;
use super::link::safe_url;
use super::writer::{Attributes, Html};
use serde_json::Value;

/// Where documents of a journey are fetched; `None` on content pages.
pub struct Place<'a> {
    pub journey: Option<&'a str>,
}

/// Draws blocks in order; `form` is called where the form stands.
pub fn blocks(html: &mut Html, list: &[Value], place: &Place, mut form: impl FnMut(&mut Html)) {
    for block in list {
        let kind = text(block, "block");
        if kind == "form" {
            form(html);
            continue;
        }
        Attributes::new().with("class", "block").with("data-block", kind).maybe("id", block.get("id").and_then(Value::as_str)).maybe("data-tone", block.get("tone").and_then(Value::as_str)).open(html, "section");
        if !matches!(kind, "hero" | "notice") && !text(block, "title").is_empty() {
            html.element("h2", &[("class", "block-title")], text(block, "title"));
        }
        draw(html, kind, block, place);
        html.close("section");
    }
}

fn draw(html: &mut Html, kind: &str, block: &Value, place: &Place) {
    match kind {
        "text" => paragraphs(html, text(block, "text"), &[("class", "text"), ("data-size", some(block, "size").unwrap_or("body"))]),
        "notice" => notice(html, block),
        "hero" => {
            html.element("h1", &[], text(block, "title")).element("p", &[("class", "lead")], text(block, "text"));
            list(html, "ul", "points", block, "points", |html, item| {
                html.text(&shown(item));
            });
        }
        "facts" => facts(html, items(block, "items")),
        "breakup" => breakup(html, items(block, "lines")),
        "options" => options(html, block),
        "tracker" => list(html, "ol", "tracker", block, "steps", |html, step| {
            html.element("strong", &[("data-state", text(step, "state"))], text(step, "title")).text(" ").element("span", &[], text(step, "text"));
        }),
        "documents" => list(html, "ul", "documents", block, "items", |html, item| {
            match place.journey {
                Some(journey) => html.element("a", &[("href", &format!("/api/v1/journeys/{journey}/documents/{}", text(item, "document")))], text(item, "title")),
                None => html.text(text(item, "title")),
            };
            html.element("span", &[], text(item, "note"));
        }),
        // Buttons need the journey's client; the server leaves their place.
        "actions" => {
            html.raw("<p class=\"loading\"><span class=\"spinner\" aria-hidden=\"true\"></span>Loading…</p>");
        }
        "table" => table(html, block),
        "links" => list(html, "ul", "links", block, "items", |html, item| link(html, item, text(item, "label"))),
        "steps" => list(html, "ol", "steps", block, "items", |html, item| {
            html.element("h3", &[], text(item, "title"));
            paragraphs(html, text(item, "text"), &[]);
        }),
        "cards" => list(html, "ul", "cards", block, "items", |html, item| {
            html.element("h3", &[], text(item, "title"));
            paragraphs(html, text(item, "text"), &[]);
        }),
        "faq" => {
            for item in items(block, "items") {
                html.open("details", &[("class", "faq")]).element("summary", &[], text(item, "question"));
                paragraphs(html, text(item, "answer"), &[]);
                html.close("details");
            }
        }
        // A block of a newer kind: its text, where it has one.
        _ => paragraphs(html, text(block, "text"), &[]),
    }
}

/// A notice as the web theme draws it.
pub fn notice(html: &mut Html, block: &Value) {
    html.open("div", &[("class", "notice"), ("data-tone", some(block, "tone").unwrap_or("info"))]).open("div", &[("class", "notice-body")]);
    if let Some(title) = some(block, "title") {
        html.element("strong", &[], title);
    }
    paragraphs(html, text(block, "text"), &[]);
    html.close("div").close("div");
}

fn facts(html: &mut Html, list: &[Value]) {
    html.open("dl", &[("class", "facts")]);
    for item in list {
        html.open("div", &[]).element("dt", &[], text(item, "label")).open("dd", &[]).text(&shown(item.get("value").unwrap_or(&Value::Null)));
        if let Some(hint) = some(item, "hint") {
            html.element("small", &[], hint);
        }
        html.close("dd").close("div");
    }
    html.close("dl");
}

fn breakup(html: &mut Html, lines: &[Value]) {
    html.raw("<table class=\"breakup\"><tbody>");
    for line in lines {
        html.open("tr", &[("data-kind", some(line, "kind").unwrap_or("line"))]).element("th", &[("scope", "row")], text(line, "label"));
        html.element("td", &[], &shown(line.get("value").unwrap_or(&Value::Null))).close("tr");
    }
    html.raw("</tbody></table>");
}

fn options(html: &mut Html, block: &Value) {
    let list = items(block, "items");
    if list.is_empty() {
        html.element("p", &[("class", "empty")], text(block, "empty"));
        return;
    }
    html.open("ul", &[("class", "options")]);
    for item in list {
        let provider = item.get("provider").map(|provider| text(provider, "name")).unwrap_or_default();
        html.open("li", &[("class", "option"), ("data-state", text(item, "state"))]).element("h3", &[], provider);
        if !text(item, "title").is_empty() {
            html.element("p", &[], text(item, "title"));
        }
        if let Some(price) = item.get("price").filter(|price| !price.is_null()) {
            html.open("p", &[("class", "price")]).element("strong", &[], &shown(price)).text(" ").element("small", &[], text(item, "price_note")).close("p");
        }
        if let Some(reason) = some(item, "reason") {
            html.element("p", &[("class", "reason")], reason);
        }
        html.close("li");
    }
    html.close("ul");
}

fn table(html: &mut Html, block: &Value) {
    html.raw("<div class=\"table-scroll\"><table><thead><tr>");
    for column in items(block, "columns") {
        html.element("th", &[("scope", "col")], if column.is_string() { column.as_str().unwrap_or_default() } else { text(column, "title") });
    }
    html.raw("</tr></thead><tbody>");
    for row in items(block, "rows") {
        html.raw("<tr>");
        for cell in row.as_array().map_or(&[][..], Vec::as_slice) {
            html.element("td", &[], &shown(cell));
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
}

/// A link to `href` or `link`, opened elsewhere when it leaves the site; without an address only its text.
pub fn link(html: &mut Html, item: &Value, label: &str) {
    let target = some(item, "href").or(some(item, "link")).and_then(safe_url).filter(|url| *url != "#");
    let Some(url) = target else {
        html.element("span", &[], label);
        return;
    };
    let away = url.starts_with("http") && item.get("self") != Some(&Value::Bool(true));
    let mut attributes = Attributes::new().with("href", url);
    if away {
        attributes = attributes.with("target", "_blank").with("rel", "noopener");
    }
    attributes.open(html, "a");
    html.text(label).close("a");
}

fn list(html: &mut Html, tag: &'static str, class: &'static str, block: &Value, key: &str, mut each: impl FnMut(&mut Html, &Value)) {
    html.open(tag, &[("class", class)]);
    for item in items(block, key) {
        html.raw("<li>");
        each(html, item);
        html.raw("</li>");
    }
    html.close(tag);
}

fn paragraphs(html: &mut Html, text: &str, attributes: &[(&'static str, &str)]) {
    for part in text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) {
        html.element("p", attributes, part);
    }
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    some(value, key).unwrap_or_default()
}

fn some<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

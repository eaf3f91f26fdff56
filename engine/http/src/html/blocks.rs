//! The blocks of a view, with the elements and classes of the web theme: the first screen of journeys, and the whole
//! of content pages.

use super::format::{date, is_figure, money, shown};
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
        match text(block, "block") {
            "form" => form(html),
            kind => draw(html, kind, block, place),
        }
    }
}

fn draw(html: &mut Html, kind: &str, block: &Value, place: &Place) {
    match kind {
        "text" => section(html, "block-text", block, Some(some(block, "size").unwrap_or("body")), |html| {
            paragraphs(html, text(block, "text"))
        }),
        "notice" => notice(html, block),
        "hero" => section(html, "hero", block, None, |html| {
            if let Some(lead) = some(block, "text") {
                html.element("p", &[("class", "lead")], lead);
            }
            if !items(block, "points").is_empty() {
                list(html, "ul", Some("hero-points"), items(block, "points"), |html, point| {
                    html.text(&shown(point));
                });
            }
        }),
        "facts" => card(html, "facts-card", block, |html| facts(html, items(block, "items"))),
        "breakup" => card(html, "breakup-card", block, |html| breakup(html, items(block, "lines"))),
        // Offers come and go while they are looked at: they are the client's.
        "options" => {
            html.raw("<p class=\"loading\"><span class=\"spinner\" aria-hidden=\"true\"></span>Loading…</p>");
        }
        "tracker" => card(html, "tracker-card", block, |html| tracker(html, block)),
        "documents" => card(html, "documents-card", block, |html| documents(html, items(block, "items"), place)),
        "actions" => actions(html, block),
        "table" => table(html, block),
        "links" => section(html, "links", block, None, |html| {
            list(html, "ul", None, items(block, "items"), |html, item| link(html, item, text(item, "label")))
        }),
        "steps" => section(html, "how", block, None, |html| {
            list(html, "ol", None, items(block, "items"), |html, item| {
                html.element("h3", &[], text(item, "title"));
                if let Some(words) = some(item, "text") {
                    html.element("p", &[], words);
                }
            });
        }),
        "cards" => section(html, "cards", block, None, |html| cards(html, items(block, "items"))),
        "faq" => section(html, "faq", block, None, |html| {
            for item in items(block, "items") {
                html.raw("<details>").element("summary", &[], text(item, "question")).raw("<div>");
                paragraphs(html, text(item, "answer"));
                html.raw("</div></details>");
            }
        }),
        // A block of a newer kind is left out.
        _ => {}
    }
}

/// A notice in its tone.
pub fn notice(html: &mut Html, block: &Value) {
    html.open("div", &[("class", "notice"), ("data-tone", some(block, "tone").unwrap_or("info"))])
        .raw("<div class=\"notice-body\">");
    if let Some(title) = some(block, "title") {
        html.element("p", &[("class", "notice-title")], title);
    }
    paragraphs(html, text(block, "text"));
    html.raw("</div></div>");
}

/// Label and value in rows, each with a way to change it where there is one.
pub fn facts(html: &mut Html, list: &[Value]) {
    html.raw("<dl class=\"facts\">");
    for item in list {
        fact(
            html,
            text(item, "label"),
            item.get("value").unwrap_or(&Value::Null),
            some(item, "hint"),
            item.get("change").is_some_and(|change| !change.is_null()),
        );
    }
    html.raw("</dl>");
}

/// One row of facts.
pub fn fact(html: &mut Html, label: &str, value: &Value, hint: Option<&str>, change: bool) {
    html.raw("<div class=\"fact\">").element("dt", &[], label).raw("<dd>");
    cell(html, value);
    if let Some(hint) = hint {
        html.element("small", &[], hint);
    }
    html.raw("</dd>");
    if change {
        html.raw("<dd class=\"fact-change\"><button type=\"button\" class=\"link-button\">Change<span class=\"sr\"> ")
            .text(label)
            .raw("</span></button></dd>");
    }
    html.raw("</div>");
}

/// A card with its title.
pub fn card(html: &mut Html, class: &str, block: &Value, inner: impl FnOnce(&mut Html)) {
    html.open("section", &[("class", &format!("card {class}"))]);
    if let Some(title) = some(block, "title") {
        html.element("h2", &[("class", "card-title")], title);
    }
    inner(html);
    html.close("section");
}

fn section(html: &mut Html, class: &str, block: &Value, size: Option<&str>, inner: impl FnOnce(&mut Html)) {
    Attributes::new().with("class", class).maybe("data-size", size).open(html, "section");
    if let Some(title) = some(block, "title") {
        html.element("h2", &[], title);
    }
    inner(html);
    html.close("section");
}

fn cell(html: &mut Html, value: &Value) {
    Attributes::new().maybe("class", is_figure(value).then_some("figures")).open(html, "span");
    html.text(&shown(value)).close("span");
}

fn breakup(html: &mut Html, lines: &[Value]) {
    html.raw("<dl class=\"breakup\">");
    for line in lines {
        html.open("div", &[("class", "breakup-line"), ("data-kind", some(line, "kind").unwrap_or("line"))])
            .raw("<dt>")
            .text(text(line, "label"));
        if let Some(detail) = some(line, "detail") {
            html.element("small", &[], detail);
        }
        let value = line.get("value").unwrap_or(&Value::Null);
        // To the paisa, so that it can be added up by hand.
        let words = value.get("paise").and_then(Value::as_i64).map_or_else(|| shown(value), |paise| money(paise, true));
        html.raw("</dt><dd><span class=\"figures\">").text(&words).raw("</span></dd></div>");
    }
    html.raw("</dl>");
}

fn tracker(html: &mut Html, block: &Value) {
    if let Some(reference) = block.get("reference").filter(|reference| !reference.is_null()) {
        html.raw("<p class=\"tracker-reference\">")
            .text(text(reference, "label"))
            .text(" ")
            .element("strong", &[], &shown(reference.get("value").unwrap_or(&Value::Null)))
            .raw("</p>");
    }
    html.raw("<ol class=\"tracker\">");
    for step in items(block, "steps") {
        let state = text(step, "state");
        let said = match state {
            "done" => "Done",
            "current" => "In progress",
            "failed" => "Needs attention",
            _ => "To do",
        };
        Attributes::new()
            .with("data-state", state)
            .maybe("aria-current", (state == "current").then_some("step"))
            .open(html, "li");
        html.raw("<span class=\"tracker-mark\" aria-hidden=\"true\"></span><div><p class=\"tracker-title\">")
            .text(text(step, "title"))
            .raw(" <span class=\"sr\">(")
            .text(said)
            .raw(")</span></p>");
        if let Some(words) = some(step, "text") {
            html.element("p", &[("class", "tracker-text")], words);
        }
        if let Some(at) = some(step, "at") {
            html.element("p", &[("class", "tracker-at")], &date(at));
        }
        html.raw("</div></li>");
    }
    html.raw("</ol>");
    if let Some(next) = block.get("next").and_then(|next| some(next, "text")) {
        html.raw("<p class=\"tracker-next\"><strong>Next:</strong> ").text(next).raw("</p>");
    }
}

fn documents(html: &mut Html, list_of: &[Value], place: &Place) {
    list(html, "ul", Some("documents"), list_of, |html, item| {
        let Some(journey) = place.journey else {
            html.text(text(item, "title"));
            return;
        };
        let address = format!("/api/v1/journeys/{journey}/documents/{}", text(item, "document"));
        html.open("a", &[("class", "document"), ("href", &address), ("download", "")])
            .raw("<span class=\"document-mark\" aria-hidden=\"true\"></span><span>");
        html.element("span", &[("class", "document-title")], text(item, "title"));
        if let Some(note) = some(item, "note") {
            html.element("small", &[], note);
        }
        html.raw("</span><span class=\"document-get\">Download</span></a>");
    });
}

/// Buttons in their places; the journey's client makes them work.
fn actions(html: &mut Html, block: &Value) {
    if items(block, "items").is_empty() {
        return;
    }
    html.raw("<div class=\"actions\">");
    if let Some(title) = some(block, "title") {
        html.element("h2", &[], title);
    }
    for item in items(block, "items") {
        let style = some(item, "style").unwrap_or("secondary");
        html.element(
            "button",
            &[
                ("type", "button"),
                ("class", if style == "link" { "link-button" } else { "button" }),
                ("data-style", style),
            ],
            text(item, "label"),
        );
    }
    html.raw("</div>");
}

fn table(html: &mut Html, block: &Value) {
    let columns = items(block, "columns");
    let align = |at: usize| columns.get(at).and_then(|column| some(column, "align"));
    html.open(
        "div",
        &[
            ("class", "table-frame"),
            ("tabindex", "0"),
            ("role", "region"),
            ("aria-label", some(block, "title").unwrap_or("Table")),
        ],
    )
    .raw("<table class=\"table\">");
    if let Some(title) = some(block, "title") {
        html.element("caption", &[], title);
    }
    html.raw("<thead><tr>");
    for (at, column) in columns.iter().enumerate() {
        Attributes::new().with("scope", "col").maybe("data-align", align(at)).open(html, "th");
        html.text(text(column, "title")).close("th");
    }
    html.raw("</tr></thead><tbody>");
    for row in items(block, "rows") {
        html.raw("<tr>");
        for (at, value) in row.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate() {
            let (tag, scope) = if at == 0 { ("th", Some("row")) } else { ("td", None) };
            let money = value.get("paise").is_some() && at > 0;
            Attributes::new()
                .maybe("scope", scope)
                .maybe("data-align", align(at).or(money.then_some("right")))
                .open(html, tag);
            cell(html, value);
            html.close(tag);
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
}

fn cards(html: &mut Html, list: &[Value]) {
    html.raw("<ul>");
    for item in list {
        html.raw("<li class=\"card\">");
        if let Some(icon) = some(item, "icon") {
            html.element("span", &[("class", "cards-icon"), ("aria-hidden", "true")], icon);
        }
        html.element("h3", &[], text(item, "title")).element("p", &[], text(item, "text")).raw("</li>");
    }
    html.raw("</ul>");
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

fn list(
    html: &mut Html,
    tag: &'static str,
    class: Option<&str>,
    list: &[Value],
    mut each: impl FnMut(&mut Html, &Value),
) {
    Attributes::new().maybe("class", class).open(html, tag);
    for item in list {
        html.raw("<li>");
        each(html, item);
        html.raw("</li>");
    }
    html.close(tag);
}

fn paragraphs(html: &mut Html, text: &str) {
    for part in text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) {
        html.element("p", &[], part);
    }
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    some(value, key).unwrap_or_default()
}

fn some<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

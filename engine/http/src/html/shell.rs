//! The page around a step or a content page: head, header, main, footer, boot data.

use super::blocks::{self, Place};
use super::link::safe_url;
use super::writer::Html;
use crate::assets::Entry;
use engine_runtime::StepView;
use serde::Serialize;
use serde_json::{Value, json};

/// What surrounds every page, from the site's files.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Chrome {
    pub name: String,
    /// `[{text, link, self?, sub?: […]}]`
    pub nav: Vec<Value>,
    /// `[{title, links: [{text, link}]}]`
    pub footer: Vec<Value>,
    pub legal: String,
    /// `{number, display, text}`
    pub call: Value,
    /// How often a browser says that somebody is there: `{every_ms, idle_ms}`.
    pub presence: Value,
    /// How errors are reported: `{url, wait_ms, max, libraries}`; absent when they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<Value>,
}

/// One page: what differs from page to page.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Page {
    pub title: String,
    pub description: String,
    /// `header`, `footer`.
    pub hide: Vec<String>,
    #[serde(skip)]
    pub noindex: bool,
    #[serde(skip)]
    pub canonical: Option<String>,
}

/// What stands in `<main>`.
pub enum Content<'a> {
    Step(&'a StepView),
    /// A content page: its title and blocks.
    Blocks(&'a [Value]),
    /// A question with one button, which posts to `action`.
    Confirm {
        text: &'a str,
        action: &'a str,
        label: &'a str,
    },
}

/// The whole document.
pub fn document(chrome: &Chrome, page: &Page, content: &Content, entry: &Entry, language: &str) -> String {
    let mut html = Html::default();
    html.raw("<!doctype html>\n").open("html", &[("lang", language)]);
    head(&mut html, chrome, page, content, entry);
    html.open("body", &[("data-hide", &page.hide.join(" "))])
        .raw("<a class=\"skip-link\" href=\"#main\">Skip to main content</a>");
    header(&mut html, chrome);
    html.raw("<main id=\"main\" class=\"main\" tabindex=\"-1\">");
    match content {
        Content::Step(view) => {
            html.raw("<div id=\"app\" data-server=\"true\">");
            super::step::step(&mut html, view);
            html.raw("</div>");
        }
        Content::Blocks(list) => {
            html.raw("<div class=\"page\">");
            if !list.iter().any(|block| block.get("block").and_then(Value::as_str) == Some("hero")) {
                html.element("h1", &[], &page.title);
            }
            blocks::blocks(&mut html, list, &Place { journey: None }, |_| {});
            html.raw("</div>");
        }
        Content::Confirm { text, action, label } => {
            html.raw("<div class=\"page narrow\">").element("h1", &[], &page.title);
            html.open("form", &[("class", "card confirm"), ("method", "post"), ("action", action)]).element(
                "p",
                &[],
                text,
            );
            html.element("button", &[("class", "button"), ("data-style", "primary"), ("type", "submit")], label)
                .raw("</form></div>");
        }
    }
    html.raw("</main>");
    footer(&mut html, chrome);
    let mut site = json!(chrome);
    site["page"] = json!(page);
    let boot = match content {
        Content::Step(view) => json!({"view": view, "site": site, "workflow": view.journey.workflow}),
        Content::Blocks(_) | Content::Confirm { .. } => json!({"site": site}),
    };
    html.raw("<script type=\"application/json\" id=\"boot\">").json(&boot).raw("</script></body></html>");
    html.into_string()
}

fn head(html: &mut Html, chrome: &Chrome, page: &Page, content: &Content, entry: &Entry) {
    html.raw("<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    let title = if chrome.name.is_empty() { page.title.clone() } else { format!("{} – {}", page.title, chrome.name) };
    html.element("title", &[], &title);
    if !page.description.is_empty() {
        html.open("meta", &[("name", "description"), ("content", &page.description)]);
    }
    if page.noindex {
        html.raw("<meta name=\"robots\" content=\"noindex\">");
    }
    if let Some(address) = &page.canonical {
        html.open("link", &[("rel", "canonical"), ("href", address)]);
    }
    html.raw("<meta name=\"theme-color\" content=\"#0b4f55\"><link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">");
    let journey = matches!(content, Content::Step(_));
    for style in entry.styles.iter().chain(entry.journey_styles.iter().filter(|_| journey)) {
        html.open("link", &[("rel", "stylesheet"), ("href", style)]);
    }
    for module in entry.journey_modules.iter().filter(|_| journey) {
        html.open("link", &[("rel", "modulepreload"), ("href", module)]);
    }
    for script in &entry.scripts {
        html.open("script", &[("type", "module"), ("src", script)]).close("script");
    }
    html.raw("</head>");
}

fn header(html: &mut Html, chrome: &Chrome) {
    html.raw("<header class=\"site-header\"><div class=\"site-header-in\"><a class=\"wordmark\" href=\"/\"><svg class=\"wordmark-mark\" aria-hidden=\"true\" viewBox=\"0 0 24 24\"><path d=\"M4 18V7.5L12 4l8 3.5V18\"/><path d=\"M8 18v-6h8v6\"/></svg>");
    html.element("span", &[], &chrome.name).raw("</a><nav class=\"site-nav\" aria-label=\"Main\"><details class=\"site-menu\"><summary class=\"site-menu-button\"><span class=\"site-menu-icon\" aria-hidden=\"true\"></span>Menu</summary>");
    navigation(html, chrome, "site-menu-list");
    html.raw("</details>");
    navigation(html, chrome, "site-nav-list");
    html.raw("</nav>");
    let call = |key: &str| chrome.call.get(key).and_then(Value::as_str).unwrap_or_default();
    if !call("number").is_empty() {
        html.open("a", &[("class", "site-call"), ("href", &format!("tel:{}", call("number")))])
            .raw("<span class=\"site-call-icon\" aria-hidden=\"true\"></span><span class=\"site-call-text\">");
        html.element("small", &[], call("text")).text(call("display")).raw("</span></a>");
    }
    html.raw("</div></header>");
}

fn navigation(html: &mut Html, chrome: &Chrome, class: &str) {
    html.open("ul", &[("class", class)]);
    for item in &chrome.nav {
        let label = item.get("text").and_then(Value::as_str).unwrap_or_default();
        html.raw("<li>");
        match item.get("sub").and_then(Value::as_array).filter(|sub| !sub.is_empty()) {
            Some(sub) => {
                html.raw("<details class=\"site-sub\">").element("summary", &[], label).raw("<ul>");
                for entry in sub {
                    html.raw("<li>");
                    blocks::link(html, entry, entry.get("text").and_then(Value::as_str).unwrap_or_default());
                    html.raw("</li>");
                }
                html.raw("</ul></details>");
            }
            None => blocks::link(html, item, label),
        }
        html.raw("</li>");
    }
    html.close("ul");
}

fn footer(html: &mut Html, chrome: &Chrome) {
    html.raw("<footer class=\"site-footer\"><div class=\"site-footer-in\"><div class=\"site-footer-groups\">");
    for group in &chrome.footer {
        html.raw("<section>")
            .element("h2", &[], group.get("title").and_then(Value::as_str).unwrap_or_default())
            .raw("<ul>");
        for item in group.get("links").and_then(Value::as_array).into_iter().flatten() {
            html.raw("<li>");
            blocks::link(html, item, item.get("text").and_then(Value::as_str).unwrap_or_default());
            html.raw("</li>");
        }
        html.raw("</ul></section>");
    }
    html.raw("</div>").element("p", &[("class", "site-legal")], &chrome.legal).raw("</div></footer>");
}

/// A page that needs nothing else to work: for 503, where definitions may be missing.
pub fn bare(title: &str, text: &str) -> String {
    let mut html = Html::default();
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\">");
    html.element("title", &[], title)
        .raw("</head><body><main>")
        .element("h1", &[], title)
        .element("p", &[], text)
        .raw("</main></body></html>");
    html.into_string()
}

/// `href` of a canonical link; only for addresses that pass.
pub fn canonical(public_url: &str, path: &str) -> Option<String> {
    safe_url(path).map(|path| format!("{public_url}{path}"))
}

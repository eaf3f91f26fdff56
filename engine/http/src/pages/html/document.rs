//! One page: what is drawn of it, and the document around that.

use super::link::safe_url;
use super::structured::{self, Described, Trail};
use super::writer::Html;
use crate::pages::assets::Links;
use crate::pages::site::CALCULATOR;
use crate::problem::Problem;
use engine_definitions::{Group, MenuItem, plain_text};
use engine_runtime::StepView;
use engine_runtime::view::{FormPart, StepKind};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What surrounds a page, from the site's files.
#[derive(Debug, Clone, Serialize)]
pub struct Surroundings<'a> {
    pub name: &'a str,
    /// Language of the page.
    pub language: &'a str,
    /// Languages that the site speaks.
    pub languages: &'a [String],
    /// Path of the page itself: its item of the menu is marked.
    pub path: &'a str,
    /// Address to which the logo leads, when it leads anywhere.
    pub home: &'a str,
    pub logo: bool,
    /// Parts that the partner who sent the visitor wants on none of the pages.
    pub without: &'a [String],
    pub menu: Cow<'a, [MenuItem]>,
    pub footer: Vec<Cow<'a, Group>>,
    /// Who sent the visitor, beside our own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Brand<'a>>,
    pub legal: &'a str,
    /// `{number, display, text}`, or `{text, hint, lines: [{label, number, display}]}`
    pub call: &'a Value,
    /// `{text, link}`
    pub login: &'a Value,
    /// What the app says by itself.
    pub words: &'a BTreeMap<String, String>,
}

/// A partner as a page names it.
#[derive(Debug, Clone, Serialize)]
pub struct Brand<'a> {
    pub name: &'a str,
    /// Address of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<&'a str>,
}

/// One page: what differs from page to page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub title: String,
    pub description: String,
    /// Parts of the surroundings that are left out.
    pub hide: Vec<String>,
    pub noindex: bool,
    /// Whether the page stands for one of somebody who is signed in.
    pub login: bool,
    pub canonical: Option<String>,
    /// Pages above it.
    pub trail: Trail,
    pub described: Described,
    /// A style sheet over ours.
    pub theme: Option<String>,
}

/// What stands in `<main>`.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// A step that nobody has begun: drawn, and taken over by the browser.
    First(&'a StepView),
    /// A step of somebody: its frame by its kind; the browser draws it.
    Step(&'a StepView),
    /// A first step as it was sent before the scripts were there, and what is wrong with it.
    Refused(&'a StepView, &'a Problem),
    /// A content page: its title and blocks.
    Blocks(&'a [Value]),
    /// A content page with a journey in it.
    Around(&'a [Value], &'a EmbeddedJourney),
    /// A page of the person who asks: its frame is drawn, the browser draws its title and blocks.
    Own(&'a PersonalPage<'a>),
    /// A question with one button, which posts to the page's own address.
    Confirm { blocks: &'a [Value], submit: &'a str },
}

impl<'a> Content<'a> {
    /// The step that the browser goes on with.
    pub fn step(&self) -> Option<&'a StepView> {
        match self {
            Content::First(view) | Content::Step(view) | Content::Refused(view, _) => Some(view),
            Content::Blocks(_) | Content::Around(..) | Content::Own(_) | Content::Confirm { .. } => None,
        }
    }

    pub fn calculator(&self) -> Option<&'a Value> {
        let (Content::Blocks(blocks) | Content::Around(blocks, _)) = self else { return None };
        blocks.iter().find(|block| block["block"] == CALCULATOR)
    }

    /// Blocks that everybody sees.
    fn blocks(&self) -> &'a [Value] {
        match self {
            Content::Blocks(blocks) | Content::Around(blocks, _) => blocks,
            _ => &[],
        }
    }

    fn place(&self) -> Option<&'a EmbeddedJourney> {
        if let Content::Around(_, place) = self { Some(place) } else { None }
    }
}

/// A journey that stands in a page.
#[derive(Debug, Serialize)]
pub struct EmbeddedJourney {
    /// First step of the journey, with the answers that the page gives it.
    pub view: StepView,
    /// Hash with which the journey opens as a dialog; further steps have their path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The dialog opens by itself once the page was looked at for so many milliseconds, once a visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// The dialog opens by itself once nothing was done on the page for so many milliseconds, once a visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Whether the journey's first step stands here, the others on their own pages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Address to which the journey leads when it is over; none: its last step stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

#[derive(Serialize)]
struct Drawing<'a> {
    site: &'a Surroundings<'a>,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<&'a StepView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton: Option<StepKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<&'a [Value]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a EmbeddedJourney>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submit: Option<&'a str>,
}

/// What the drawing engine is given: the same for everybody, the whole day long. Of a step that somebody has begun it
/// learns the kind alone.
pub fn drawing(site: &Surroundings, page: &Page, content: &Content, today: &str) -> String {
    let place = content.place();
    let mut drawing = Drawing { site, title: "", view: None, skeleton: None, blocks: None, place, submit: None };
    let of_today;
    match *content {
        Content::First(view) => {
            of_today = on_day(view.clone(), today);
            drawing.view = Some(&of_today);
        }
        Content::Step(view) | Content::Refused(view, _) => drawing.skeleton = Some(view.step.kind),
        Content::Blocks(blocks) | Content::Around(blocks, _) => {
            (drawing.title, drawing.blocks) = (&page.title, Some(blocks));
        }
        Content::Own(_) => drawing.skeleton = Some(StepKind::Message),
        Content::Confirm { blocks, submit } => {
            (drawing.title, drawing.blocks, drawing.submit) = (&page.title, Some(blocks), Some(submit));
        }
    }
    serde_json::to_string(&drawing).unwrap_or_default()
}

/// A step as it is the whole day long, so that a cache may keep its drawing.
pub fn on_day(view: StepView, today: &str) -> StepView {
    StepView { server_time: format!("{today}T12:00:00Z"), ..view }
}

/// A language that a page is not in.
#[derive(Serialize)]
pub struct LanguageOffer<'a> {
    pub language: &'a str,
    pub text: &'a str,
    pub yes: &'a str,
    pub close: &'a str,
}

/// What the app knows of the site.
#[derive(Serialize)]
pub struct AppSite<'a> {
    pub name: &'a str,
    /// What the app says by itself on this page.
    pub words: &'a BTreeMap<String, String>,
    /// The product that the page belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<&'a str>,
    /// Number by which programs know the product: said beside the product, and by nothing of the app.
    #[serde(skip)]
    pub category: Option<i64>,
    /// Keys of the browser's storage for what is begun in it, and which of them this page's journeys take.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<&'a str, bool>,
    /// What the browser keeps of answers of our calls: `{name, call, take, tab, encoded}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<Value>,
    /// The mark of who is signed in: opaque, and worth nothing without the session (R4-17, R6-02).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<&'a str>,
    /// Languages beside the site's first one, on pages in that one: each is offered in its own words to whose browser
    /// prefers it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<LanguageOffer<'a>>,
    /// Parts of the surroundings to leave out.
    pub hide: &'a [String],
    /// Parts of the surroundings to leave out on other pages of the journey, by their path, where they differ.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hide_at: BTreeMap<String, Vec<String>>,
    /// Times of the browser by name, in milliseconds.
    pub timers: &'a BTreeMap<String, i64>,
    /// Ways to a person: `{call: {number, display}, whatsapp, call_back}`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub help: &'a Value,
    /// Addresses of scripts that come at their time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analytics: Option<String>,
    /// The call by which the page has the ids checked that an agent came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// How often a browser says that somebody is there: `{every_ms, idle_ms}`.
    pub presence: Value,
    /// How errors are reported: `{url, wait_ms, max, libraries}`; absent when they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<Value>,
}

#[derive(Serialize)]
struct Boot<'a> {
    site: AppSite<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<&'a StepView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a EmbeddedJourney>,
    /// A form in the page, and what follows from its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    calculator: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<&'a PersonalPage<'a>>,
    /// Nobody is signed in, and the page is somebody's: the browser asks who it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    login: bool,
}

/// A page of the person who asks.
#[derive(Serialize)]
pub struct PersonalPage<'a> {
    pub title: &'a str,
    pub blocks: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<OwnForm<'a>>,
    /// Events of its buttons, and the endpoint that each calls.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub on: &'a BTreeMap<String, String>,
}

/// A page's form, and the address to which it is sent.
#[derive(Serialize)]
pub struct OwnForm<'a> {
    pub form: FormPart,
    pub to: &'a str,
}

/// A page's body and what the browser starts with.
pub struct Body<'a> {
    /// The page as drawn; `None` when it could not be: then the page works from its data.
    pub drawn: Option<&'a str>,
    pub site: AppSite<'a>,
    pub language: &'a str,
}

/// The whole document.
pub fn document(site: &Surroundings, page: &Page, content: &Content, body: Body, links: &Links) -> String {
    let mut html = Html::default();
    html.raw("<!doctype html>\n").open("html", &[("lang", body.language)]);
    head(&mut html, site, page, content, links, body.drawn.is_some());
    let product = body.site.product.unwrap_or_default();
    let hide = page.hide.join(" ");
    let category = body.site.category.map(|number| number.to_string());
    let mut about = vec![("data-hide", hide.as_str()), ("data-product", product)];
    about.extend(category.as_deref().map(|category| ("data-category", category)));
    if content.step().is_some_and(|view| view.journey.id.is_some()) {
        about.push(("data-begun", ""));
    }
    html.open("body", &about);
    match body.drawn {
        Some(drawn) => match (*content, drawn.split_once(APP)) {
            (Content::Refused(view, problem), Some((before, after))) => {
                html.drawn(before);
                plain_form(&mut html, view, problem);
                html.raw(APP).drawn(after);
            }
            _ => drop(html.drawn(drawn)),
        },
        None => undrawn(&mut html, site, page, content),
    }
    let problem = match *content {
        Content::Refused(_, problem) => Some(problem),
        _ => None,
    };
    let own = match *content {
        Content::Own(own) => Some(own),
        _ => None,
    };
    let calculator = content.calculator();
    let boot = Boot {
        site: body.site,
        view: content.step(),
        place: content.place(),
        calculator,
        problem,
        own,
        login: page.login,
    };
    html.raw("<script type=\"application/json\" id=\"boot\">").json(&boot).raw("</script></body></html>");
    html.into_string()
}

/// Element in which the browser draws a step.
const APP: &str = "<div id=\"app\">";

/// Writes a refused form for a browser without scripts: what is wrong with what it sent, and the form with what was
/// typed.
fn plain_form(html: &mut Html, view: &StepView, problem: &Problem) {
    let Some(form) = &view.step.form else { return };
    html.raw("<noscript><form class=\"page narrow\" method=\"post\"><div class=\"notice\" data-tone=\"error\">");
    html.raw("<div class=\"notice-body\">");
    for wrong in problem.field_problems() {
        html.element("p", &[], &wrong.text);
    }
    html.raw("</div></div>");
    for (name, property) in form.schema["properties"].as_object().into_iter().flatten() {
        let is_text = property["type"] == "string" && property.get("oneOf").or(property.get("enum")).is_none();
        let typed = match &form.data[name] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let control = [("class", "input"), ("name", name.as_str()), ("value", typed.as_str())];
        if is_text && property["x-secret"] != true {
            html.raw("<label class=\"field\"><span class=\"field-label\">");
            html.text(property["title"].as_str().unwrap_or(name))
                .raw("</span>")
                .open("input", &control)
                .raw("</label>");
        } else if !typed.is_empty() {
            html.open("input", &[("type", "hidden"), control[1], control[2]]);
        }
    }
    html.element("button", &[("class", "button"), ("data-style", "primary")], &form.submit).raw("</form></noscript>");
}

fn head(html: &mut Html, site: &Surroundings, page: &Page, content: &Content, links: &Links, is_drawn: bool) {
    html.raw("<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    let title = if site.name.is_empty() { page.title.clone() } else { format!("{} – {}", page.title, site.name) };
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
    for (language, address) in page.described.alternates.iter().filter(|_| !page.noindex) {
        html.open("link", &[("rel", "alternate"), ("hreflang", language), ("href", address)]);
    }
    let of_step = content.step().filter(|_| matches!(content, Content::First(_)));
    let of_step = of_step.and_then(|view| view.step.view.as_ref()?["blocks"].as_array());
    structured::write(html, site, page, of_step.map_or(content.blocks(), Vec::as_slice));
    html.raw(
        "<meta name=\"theme-color\" content=\"#0b4f55\"><link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">",
    );
    for style in links.styles.iter().chain(&page.theme) {
        html.open("link", &[("rel", "stylesheet"), ("href", style)]);
    }
    // whoever has begun has them: a step is not laid out in other letters first. A first visit sees its words before
    if content.step().is_some_and(|view| view.journey.id.is_some()) {
        for font in &links.fonts {
            let how = [("rel", "preload"), ("as", "font"), ("type", "font/woff2"), ("crossorigin", ""), ("href", font)];
            html.open("link", &how);
        }
    }
    let modules = match (content.step(), content) {
        (Some(view), _) => links.of(view),
        (None, Content::Own(_)) => links.journey.iter().collect(),
        _ => Vec::new(),
    };
    // a drawn first step works as it stands: its scripts come when somebody touches the page
    let waits = is_drawn && matches!(content, Content::First(_));
    for module in modules {
        let how = match waits && !links.begin.contains(module) {
            _ if module.ends_with(".css") => ("rel", "stylesheet"),
            true => ("data-module", ""),
            false => ("rel", "modulepreload"),
        };
        html.open("link", &[how, ("href", module)]);
    }
    for script in &links.scripts {
        html.open("script", &[("type", "module"), ("src", script)]).close("script");
    }
    html.raw("</head>");
}

/// A page that could not be drawn: a step is drawn by the browser, content is its words.
fn undrawn(html: &mut Html, site: &Surroundings, page: &Page, content: &Content) {
    html.raw("<main id=\"main\" class=\"main\" tabindex=\"-1\">");
    match content {
        Content::First(_) | Content::Step(_) | Content::Refused(..) | Content::Own(_) => {
            html.raw("<div id=\"app\"><p class=\"loading\"><span class=\"spinner\" aria-hidden=\"true\"></span>Loading…</p></div>");
        }
        Content::Blocks(blocks) | Content::Around(blocks, _) => {
            html.raw("<div class=\"page\">").element("h1", &[], &page.title);
            words(html, &Value::Array(blocks.to_vec()));
            html.raw("</div>");
        }
        Content::Confirm { blocks, submit } => {
            html.raw("<div class=\"page\">").element("h1", &[], &page.title);
            words(html, &Value::Array(blocks.to_vec()));
            html.raw("<form method=\"post\">").element("button", &[("class", "button")], submit).raw("</form></div>");
        }
    }
    html.raw("<p>").element("a", &[("href", "/")], site.name).raw("</p></main>");
}

/// Every text of some blocks, with the addresses of links.
fn words(html: &mut Html, value: &Value) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| words(html, one)),
        Value::Object(block) => {
            let text = |key: &str| block.get(key).and_then(Value::as_str);
            for key in ["title", "question", "text", "answer"] {
                let text = block.get(key).map(plain_text).unwrap_or_default();
                for part in text.split("\n\n").filter(|part| !part.is_empty()) {
                    html.element("p", &[], part);
                }
            }
            if let (Some(label), Some(url)) = (text("label"), text("href").and_then(safe_url)) {
                html.raw("<p>").element("a", &[("href", url)], label).raw("</p>");
            }
            for inner in block.values().filter(|value| value.is_array()) {
                words(html, inner);
            }
        }
        _ => {}
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_cannot_be_broken_by_texts() {
        let evil = "</script><script>alert(1)</script>";
        let blocks = [
            json!({"block": "links", "items": [{"label": evil, "href": "javascript:alert(1)"}]}),
            json!({"block": "text", "title": evil, "text": evil}),
        ];
        let words = BTreeMap::new();
        let site = Surroundings {
            name: evil,
            language: "en",
            languages: &[],
            path: evil,
            home: "/",
            logo: true,
            without: &[],
            menu: Cow::Borrowed(&[]),
            footer: Vec::new(),
            partner: None,
            legal: evil,
            call: &Value::Null,
            login: &Value::Null,
            words: &words,
        };
        let (hide, hide_at) = (&[][..], BTreeMap::new());
        let (timers, presence) = (&BTreeMap::new(), Value::Null);
        let (chat, analytics, reports) = (None, None, None);
        let about = AppSite {
            name: evil,
            words: &words,
            offers: Vec::new(),
            storage: BTreeMap::new(),
            keeps: Vec::new(),
            token: None,
            product: None,
            category: None,
            hide,
            hide_at,
            timers,
            help: &Value::Null,
            chat,
            analytics,
            check: None,
            presence,
            reports,
        };
        let page = Page { title: evil.into(), description: evil.into(), ..Page::default() };
        let links = Links { scripts: vec!["/assets/page.js".into()], ..Links::default() };
        let body = Body { drawn: None, site: about, language: "en" };
        let html = document(&site, &page, &Content::Blocks(&blocks), body, &links);
        assert_eq!(html.matches("<script").count(), 2, "the entry and the boot data: {html}");
        assert!(!html.contains("alert(1)</script>") && !html.contains("href=\"javascript:"), "{html}");
        let boot = html.split_once("id=\"boot\">").unwrap().1.split_once("</script>").unwrap().0;
        assert_eq!(serde_json::from_str::<Value>(boot).unwrap()["site"]["name"], evil);
    }
}

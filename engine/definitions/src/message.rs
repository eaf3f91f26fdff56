//! Messages: words of SMS and e-mail per language. Handlebars, strict, bounded: 16 KB of text, blocks 20 deep, no
//! partials, 256 KB of output. Rendered with their sample at load. What they bear is the house's (`letterhead.rs`).

use crate::calendar::{Calendars, DELAYED};
use crate::fields::{MapReader, unknown, unknown_keys};
use crate::letterhead::{Letter, Letterhead, Way};
use crate::outside::Outside;
use crate::places::Places;
use crate::policy::{FLOOR, is_fatal};
use crate::prose;
use crate::source::Node;
use crate::text::ENGLISH;
use crate::values::money;
use engine_statechart::Problem;
use handlebars::template::{Parameter, TemplateElement};
use handlebars::{
    Context, Handlebars, Helper, Output, RenderContext, RenderError, RenderErrorReason, Renderable, Template,
};
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::OnceLock;

const SOURCE_BYTES_MAX: usize = 16 * 1024;
const OUTPUT_BYTES_MAX: usize = 256 * 1024;
const BLOCK_DEPTH_MAX: usize = 20;
/// `each` inside `each` multiplies: deeper than this is refused.
const EACH_DEPTH_MAX: usize = 2;

/// What a text may use. Everything else is refused: `log` would print a one-time password.
const HELPERS: [&str; 15] =
    ["if", "unless", "each", "eq", "ne", "gt", "gte", "lt", "lte", "and", "or", "not", "len", "money", "date"];
/// The library's own that are not among them.
const UNWANTED: [&str; 4] = ["with", "lookup", "raw", "log"];

/// What a message may be for.
pub const PURPOSES: [&str; 3] = ["service", "transactional", MARKETING];
/// Purpose of offers: only to who agreed to them.
const MARKETING: &str = "marketing";

/// Name under which helpers find the language of the texts; no name of a message looks like it.
const LANGUAGE: &str = "@language";
/// Every message may say whom to call.
const COMPANY: &str = "company";
const KEYS: [&str; 15] = [
    "title",
    "description",
    "channel",
    "purpose",
    "within",
    "consent",
    "template_id",
    "places",
    "subject",
    "text",
    "facts",
    "action",
    "after",
    HTML,
    "sample",
];
/// What an e-mail has beside its text.
const OF_LETTERS: [&str; 4] = ["subject", "facts", "action", "after"];
/// Key of messages from before the house's paper: not read.
const HTML: &str = "html";

#[derive(Debug)]
pub struct Message {
    pub id: String,
    pub channel: Channel,
    pub purpose: String,
    /// Calendar of the message's own; without one the purpose's hours hold.
    pub within: Option<String>,
    /// Consent (`x-consent` of a form's field) without which it is not sent.
    pub consent: Option<String>,
    /// The number that the regulator gave this text.
    pub template_id: Option<String>,
    pub(crate) places: Places,
    pub sample: Value,
    languages: IndexMap<String, Texts>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Sms,
    Email,
    Whatsapp,
}

impl Channel {
    pub fn as_str(self) -> &'static str {
        match self {
            Channel::Sms => "sms",
            Channel::Email => "email",
            Channel::Whatsapp => "whatsapp",
        }
    }

    /// The contract of the operation that sends it; e-mail goes by SMTP.
    pub fn contract(self) -> Option<String> {
        (self != Channel::Email).then(|| format!("message/{}", self.as_str()))
    }
}

#[derive(Debug)]
struct Texts {
    subject: Option<Template>,
    text: Template,
    /// Facts of an e-mail: label and value.
    facts: Vec<(Template, Template)>,
    /// Button of an e-mail: label and link.
    action: Option<(Template, Template)>,
    after: Option<Template>,
}

/// What every message is held against.
pub(crate) struct Live<'l> {
    pub calendars: &'l Calendars,
    pub outside: &'l Outside,
    pub letterhead: &'l Letterhead,
}

/// The house as a message bears it: the letterhead in the message's language, and the address of its pages.
#[derive(Debug, Clone, Copy)]
pub struct House<'h> {
    pub letterhead: &'h Letterhead,
    pub address: &'h str,
}

/// A message ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    pub channel: Channel,
    /// Language of these texts.
    pub language: String,
    pub subject: Option<String>,
    pub text: String,
    pub html: Option<String>,
    pub template_id: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("message `{message}`: {reason}")]
pub struct MessageError {
    pub message: String,
    pub reason: String,
}

impl Message {
    /// `others`: the same file as it reads in other languages.
    pub(crate) fn compile(
        id: &str,
        node: &Node,
        others: &[(&str, &Node)],
        live: &Live<'_>,
        problems: &mut Vec<Problem>,
    ) -> Option<Message> {
        let before = problems.len();
        let mut fields = MapReader::open(node, "a message", &KEYS, problems)?;
        fields.need("channel");
        let named = fields.word("channel", &["sms", "email", "whatsapp"]);
        let channel = match named {
            Some("email") => Channel::Email,
            Some("whatsapp") => Channel::Whatsapp,
            _ => Channel::Sms,
        };
        let purpose = fields.word("purpose", &PURPOSES).unwrap_or("service").to_owned();
        let within = fields.text("within");
        if let (Some(name), Some(at)) = (&within, fields.get("within"))
            && live.calendars.get(name).is_none()
        {
            fields.problems.push(unknown("calendar", at, name, live.calendars.names()));
        }
        if let Some(at) = fields.get("within").filter(|_| !DELAYED.contains(&purpose.as_str())) {
            fields.problems.push(Problem::error(
                "misplaced-key",
                &at.span,
                format!("a {purpose} message is never delayed"),
            ));
        }
        let consent = fields.text("consent").or_else(|| (purpose == MARKETING).then(|| MARKETING.to_owned()));
        let template_id = fields.get("template_id").map(|n| crate::text::plain(&n.to_json()));
        let places = Places::read(&mut fields, channel, template_id.is_some());
        let sample = fields.get("sample").map_or(Value::Object(Default::default()), Node::to_json);
        places.check(&sample, fields.get("places").unwrap_or(node), fields.problems);
        fields.need("text");
        if named.is_some() {
            fits_channel(&mut fields, channel, &purpose, live.letterhead);
        }
        let mut languages = IndexMap::new();
        for (language, node) in std::iter::once((ENGLISH, node)).chain(others.iter().copied()) {
            if channel == Channel::Email {
                let marked = ["text", "after"].into_iter().filter_map(|key| node.get(key));
                let mistakes = marked.filter_map(|text| Some(prose::parse(text.as_str()?).err()?.at(text)));
                problems.extend(mistakes);
            }
            let texts = Texts::compile(node, live.outside, problems);
            languages.extend(texts.map(|texts| (language.to_owned(), texts)));
        }
        tell_the_same(node, others, problems);
        let message =
            Message { id: id.to_owned(), channel, purpose, within, consent, template_id, places, sample, languages };
        let (letterhead, address) = (live.letterhead, "");
        for (language, node) in std::iter::once((ENGLISH, node)).chain(others.iter().copied()) {
            if message.languages.contains_key(language)
                && let Err(e) = message.render(&[language], &message.sample, House { letterhead, address })
            {
                let at = node.get("text").map_or(&node.span, |n| &n.span);
                problems
                    .push(Problem::error("sample", at, e.reason).hint("`sample` has every name that the texts use"));
            }
        }
        (!problems[before..].iter().any(is_fatal)).then_some(message)
    }

    /// Whether messages of its purpose may wait for hours.
    pub fn is_delayed(&self) -> bool {
        DELAYED.contains(&self.purpose.as_str())
    }

    /// Calendar by which a message may not be sent now, and its next opening; `None`: it may be sent.
    pub fn waits(&self, calendars: &Calendars, now_ms: i64) -> Option<(String, i64)> {
        let (name, calendar) = match &self.within {
            Some(name) => (name.as_str(), calendars.get(name)?),
            None => calendars.of_purpose(&self.purpose)?,
        };
        let opening = calendar.next_open(now_ms).ok()?;
        (opening > now_ms).then(|| (name.to_owned(), opening))
    }

    /// The first of `languages` that it has, else English.
    pub fn language<'l>(&self, languages: &'l [impl AsRef<str>]) -> &'l str {
        languages.iter().map(AsRef::as_ref).find(|language| self.languages.contains_key(*language)).unwrap_or(ENGLISH)
    }

    pub fn render(
        &self,
        languages: &[impl AsRef<str>],
        data: &Value,
        house: House<'_>,
    ) -> Result<Rendered, MessageError> {
        let language = self.language(languages);
        let texts = self.languages.get(language);
        let wrong = |reason: String| MessageError { message: self.id.clone(), reason };
        let texts = texts.ok_or_else(|| wrong("no text in this language".into()))?;
        let mut data = data.clone();
        if let Some(map) = data.as_object_mut() {
            self.places.fit(map);
            map.insert(LANGUAGE.into(), language.into());
            map.entry(COMPANY).or_insert_with(|| house.letterhead.company.clone());
        }
        let letter = texts.fill(&data, self.channel == Channel::Email).map_err(wrong)?;
        let letter = Letter { is_offer: self.purpose == MARKETING, ..letter };
        let (channel, language, template_id) = (self.channel, language.to_owned(), self.template_id.clone());
        let House { letterhead, address } = house;
        Ok(match channel {
            Channel::Email => {
                let (text, html) = (letterhead.plain(&letter, address), letterhead.html(&letter, (&language, address)));
                let (subject, html) = (Some(letter.subject), Some(html));
                Rendered { channel, language, subject, text, html, template_id }
            }
            Channel::Sms | Channel::Whatsapp => {
                let text = letterhead.short(&letter.text);
                Rendered { channel, language, subject: None, text, html: None, template_id }
            }
        })
    }
}

/// Checks that only an e-mail has more than a text, and that an e-mail that offers something says how to get no more.
fn fits_channel(fields: &mut MapReader<'_, '_>, channel: Channel, purpose: &str, letterhead: &Letterhead) {
    if let Some(at) = fields.get(HTML) {
        let message = "an e-mail has words, facts and one way on: how it looks is the house's";
        fields.problems.push(Problem::error(FLOOR, &at.span, message).hint("text, facts, action, after"));
    }
    if channel == Channel::Email {
        fields.need("subject");
        fields.list("facts");
        if purpose == MARKETING && !letterhead.ends_offers() {
            let message = "an offer by e-mail says how to get no more of them";
            let problem = Problem::error(FLOOR, &fields.node.span, message);
            fields.problems.push(problem.hint("letterhead: {unsubscribe: {label: …, href: …}} of the site"));
        }
        return;
    }
    for key in OF_LETTERS {
        if let Some(at) = fields.get(key) {
            let message = format!("only an e-mail has `{key}`");
            fields.problems.push(Problem::error("misplaced-key", &at.span, message));
        }
    }
}

impl Texts {
    fn compile(node: &Node, outside: &Outside, problems: &mut Vec<Problem>) -> Option<Texts> {
        let [subject, text, after] = ["subject", "text", "after"].map(|key| words(node.get(key)?, outside, problems));
        let mut facts = Vec::new();
        for fact in node.get("facts").map_or(&[][..], Node::list) {
            let [label, value] = pair(fact, "a fact", ["label", "value"], problems);
            facts.extend(words(label?, outside, problems).zip(words(value?, outside, problems)));
        }
        let mut action = None;
        if let Some(way) = node.get("action") {
            let [label, link] = pair(way, "an action", ["label", "link"], problems);
            let (label, link) = (label?, link?);
            if let Some((message, hint)) = link.as_str().and_then(|link| outside.refused_link(link)) {
                problems.push(Problem::error(FLOOR, &link.span, message).hint(hint));
            }
            action = words(label, outside, problems).zip(template(link, problems));
        }
        Some(Texts { subject, text: text?, facts, action, after })
    }

    /// A fact without a value is left out. The paragraphs of a letter are Markdown, in which no value is a mark.
    fn fill(&self, data: &Value, is_letter: bool) -> Result<Letter, String> {
        let one = |template: &Template| Ok::<_, String>(render(template, data, registry())?.trim().to_owned());
        let some = |template: &Option<Template>| template.as_ref().map_or(Ok(String::new()), one);
        let paragraphs = |template: &Template| match is_letter {
            true => Ok(render(template, data, marked_registry())?.trim().to_owned()),
            false => one(template),
        };
        let mut facts = Vec::with_capacity(self.facts.len());
        for (label, value) in &self.facts {
            facts.push((one(label)?, one(value)?));
        }
        facts.retain(|(_, value)| !value.is_empty());
        let action = match &self.action {
            Some((label, link)) => Some(Way { label: one(label)?, link: one(link)? }),
            None => None,
        };
        let subject = some(&self.subject)?.replace(['\r', '\n'], " ");
        let after = self.after.as_ref().map_or(Ok(String::new()), paragraphs)?;
        Ok(Letter { subject, text: paragraphs(&self.text)?, facts, action, after, is_offer: false })
    }
}

/// Checks that every language tells what the English text tells: an amount or a name that one leaves out is not known
/// to whoever reads it.
fn tell_the_same(english: &Node, others: &[(&str, &Node)], problems: &mut Vec<Problem>) {
    let told = names_told(english);
    for (language, node) in others {
        let own = names_told(node);
        for name in told.iter().filter(|name| !own.contains(*name)) {
            let at = node.get("text").map_or(&node.span, |text| &text.span);
            let message = format!("the English text tells `{name}`, and these words ({language}) do not");
            problems.push(Problem::error("translation", at, message));
        }
    }
}

/// Names in the places of a message's texts: `total` of `{{money total}}`.
fn names_told(node: &Node) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for text in ["subject", "text", "after", "facts", "action"].into_iter().filter_map(|key| node.get(key)) {
        let mut open = vec![text];
        while let Some(node) = open.pop() {
            open.extend(node.list());
            open.extend(node.map().iter().map(|(_, value)| value));
            let places =
                node.as_str().unwrap_or_default().split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
            names.extend(places.flat_map(names_of_place));
        }
    }
    names
}

/// Names in one place, without the helper that writes them: `#if late` → `late`, `money total` → `total`.
fn names_of_place(place: &str) -> impl Iterator<Item = &str> {
    let is_block = place.trim_start_matches('~').starts_with(['#', '^', '/', '!']);
    // words in quotes are no names
    let unquoted = place.split(['"', '\'']).step_by(2);
    let words: Vec<&str> = unquoted
        .flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))))
        .filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    let helper = usize::from(words.len() > 1 || is_block);
    words.into_iter().skip(helper).filter(|word| !["else", "this", "if", "as"].contains(word))
}

/// What stands under these keys of a map that has no others.
fn pair<'n>(node: &'n Node, what: &str, keys: [&str; 2], problems: &mut Vec<Problem>) -> [Option<&'n Node>; 2] {
    unknown_keys(node, what, &keys, problems);
    keys.map(|key| {
        let found = node.get(key);
        if found.is_none() {
            problems.push(Problem::error("missing", &node.span, format!("{what} needs `{key}`")));
        }
        found
    })
}

/// Words, in which no address of others stands.
fn words(node: &Node, outside: &Outside, problems: &mut Vec<Problem>) -> Option<Template> {
    if let Some((message, hint)) = node.as_str().and_then(|text| outside.refused_in(text)) {
        problems.push(Problem::error(FLOOR, &node.span, message).hint(hint));
    }
    template(node, problems)
}

fn template(node: &Node, problems: &mut Vec<Problem>) -> Option<Template> {
    let Some(text) = node.as_str() else {
        problems.push(Problem::error("shape", &node.span, format!("a text is expected here, not {}", node.kind())));
        return None;
    };
    if text.len() > SOURCE_BYTES_MAX {
        problems.push(Problem::error(
            "size",
            &node.span,
            format!("the text has {} bytes, at most {SOURCE_BYTES_MAX} are allowed", text.len()),
        ));
        return None;
    }
    // The template parser recurses: refuse deep text before it sees it.
    if text.matches("{{#").count() + text.matches("{{^").count() + text.matches("{{~#").count() > 200 {
        problems.push(Problem::error("size", &node.span, "more than 200 blocks in one text"));
        return None;
    }
    let compiled = match Template::compile(text) {
        Ok(template) => template,
        Err(e) => {
            problems.push(Problem::error("template", &node.span, format!("{}", e.reason()).replace('\n', " ")));
            return None;
        }
    };
    match forbidden(&compiled, 0, 0) {
        Some(what) => {
            problems.push(Problem::error("template", &node.span, what));
            None
        }
        None => Some(compiled),
    }
}

fn forbidden(template: &Template, depth: usize, eaches: usize) -> Option<String> {
    if depth > BLOCK_DEPTH_MAX {
        return Some(format!("blocks are nested deeper than {BLOCK_DEPTH_MAX}"));
    }
    template.elements.iter().find_map(|element| {
        unknown_helper(element).or_else(|| match element {
            TemplateElement::PartialExpression(_) | TemplateElement::PartialBlock(_) => {
                Some("partials are not supported".into())
            }
            TemplateElement::DecoratorExpression(_) | TemplateElement::DecoratorBlock(_) => {
                Some("decorators are not supported".into())
            }
            TemplateElement::HelperBlock(block) => {
                let eaches = eaches + usize::from(block.name.as_name() == Some("each"));
                if eaches > EACH_DEPTH_MAX {
                    return Some(format!("`each` is nested deeper than {EACH_DEPTH_MAX}"));
                }
                [&block.template, &block.inverse].into_iter().flatten().find_map(|t| forbidden(t, depth + 1, eaches))
            }
            _ => None,
        })
    })
}

/// A name alone is a value of the data; with parameters, or as a block, it is a helper.
fn unknown_helper(element: &TemplateElement) -> Option<String> {
    let (TemplateElement::Expression(call)
    | TemplateElement::HtmlExpression(call)
    | TemplateElement::HelperBlock(call)) = element
    else {
        return None;
    };
    let name = call.name.as_name().unwrap_or_default();
    let called = call.block || !call.params.is_empty() || !call.hash.is_empty();
    if called && !HELPERS.contains(&name) {
        return Some(format!("unknown helper `{name}`; a text may use {}", HELPERS.join(", ")));
    }
    call.params.iter().chain(call.hash.values()).find_map(|parameter| match parameter {
        Parameter::Subexpression(inner) => unknown_helper(inner.as_element()),
        _ => None,
    })
}

fn render(template: &Template, data: &Value, registry: &Handlebars<'static>) -> Result<String, String> {
    let context = Context::wraps(data).map_err(|e| e.to_string())?;
    let mut out = Capped { text: String::new() };
    template.render(registry, &context, &mut RenderContext::new(None), &mut out).map_err(|e| match e.reason() {
        RenderErrorReason::MissingVariable(Some(name)) => format!("the text needs `{name}`"),
        other => other.to_string(),
    })?;
    Ok(out.text)
}

struct Capped {
    text: String,
}

impl Output for Capped {
    fn write(&mut self, segment: &str) -> Result<(), std::io::Error> {
        if self.text.len() + segment.len() > OUTPUT_BYTES_MAX {
            return Err(std::io::Error::other(format!("the text becomes longer than {OUTPUT_BYTES_MAX} bytes")));
        }
        self.text.push_str(segment);
        Ok(())
    }
}

/// Handlebars for plain text: what becomes HTML is escaped there.
fn registry() -> &'static Handlebars<'static> {
    static REGISTRY: OnceLock<Handlebars<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| registry_with(handlebars::no_escape))
}

/// Handlebars for Markdown: a value is no mark.
fn marked_registry() -> &'static Handlebars<'static> {
    static REGISTRY: OnceLock<Handlebars<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| registry_with(prose::quote))
}

fn registry_with(escape: fn(&str) -> String) -> Handlebars<'static> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    UNWANTED.iter().for_each(|name| registry.unregister_helper(name));
    registry.register_escape_fn(escape);
    registry.register_helper("money", Box::new(money_helper));
    registry.register_helper("date", Box::new(date_helper));
    registry
}

/// `{{money amount}}`: paise → ₹1,23,456.00
fn money_helper(
    h: &Helper<'_>,
    _: &Handlebars<'_>,
    _: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> Result<(), RenderError> {
    let value = h.param(0).map_or(&Value::Null, |p| p.value());
    let text = money::show(value).map_err(|_| RenderErrorReason::Other("`money` takes an integer of paise".into()))?;
    Ok(out.write(&text)?)
}

/// `{{date day "d MMM yyyy"}}`; a text that is no date stands as it is, for a flow may have written it out.
fn date_helper(
    h: &Helper<'_>,
    _: &Handlebars<'_>,
    context: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> Result<(), RenderError> {
    let value = h.param(0).map_or(&Value::Null, |p| p.value());
    let language = context.data().get(LANGUAGE).and_then(Value::as_str).unwrap_or(ENGLISH);
    let pattern = h.param(1).and_then(|p| p.value().as_str()).unwrap_or("d MMM yyyy");
    match (crate::values::format_date(value, pattern, language), value.as_str()) {
        (Ok(text), _) => Ok(out.write(&text)?),
        (Err(_), Some(text)) => Ok(out.write(text)?),
        (Err(reason), None) => Err(RenderErrorReason::Other(reason).into()),
    }
}

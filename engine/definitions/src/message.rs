//! Messages: SMS and e-mail texts per language. Handlebars, strict, bounded: 16 KB of text, blocks
//! 20 deep, no partials, 256 KB of output. Rendered with their sample at load.

use crate::calendar::{Calendars, DELAYED};
use crate::fields::{Fields, unknown};
use crate::outside::Outside;
use crate::places::Places;
use crate::policy::{FLOOR, is_fatal};
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
pub const PURPOSES: [&str; 3] = ["service", "transactional", "marketing"];

/// Where helpers find the language of the texts; no name of a message looks like it.
const LANGUAGE: &str = "@language";
const KEYS: [&str; 12] = [
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
    "html",
    "sample",
];

#[derive(Debug)]
pub struct Message {
    pub id: String,
    pub channel: Channel,
    pub purpose: String,
    /// Calendar of its own; without one the purpose's hours hold.
    pub within: Option<String>,
    /// Sent only to who has agreed to this (`x-consent` of a form's field).
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
    html: Option<Template>,
}

/// A message ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    pub channel: Channel,
    /// Of these texts.
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
        (calendars, outside): (&Calendars, &Outside),
        problems: &mut Vec<Problem>,
    ) -> Option<Message> {
        let before = problems.len();
        let mut fields = Fields::open(node, "a message", &KEYS, problems)?;
        fields.need("channel");
        let channel = match fields.word("channel", &["sms", "email", "whatsapp"]) {
            Some("email") => Channel::Email,
            Some("whatsapp") => Channel::Whatsapp,
            _ => Channel::Sms,
        };
        let purpose = fields.word("purpose", &PURPOSES).unwrap_or("service").to_owned();
        let within = fields.text("within");
        if let (Some(name), Some(at)) = (&within, fields.get("within"))
            && calendars.get(name).is_none()
        {
            fields.problems.push(unknown("calendar", at, name, calendars.names()));
        }
        if let Some(at) = fields.get("within").filter(|_| !DELAYED.contains(&purpose.as_str())) {
            fields.problems.push(Problem::error(
                "misplaced-key",
                &at.span,
                format!("a {purpose} message is never delayed"),
            ));
        }
        let consent = fields.text("consent").or_else(|| (purpose == "marketing").then(|| "marketing".to_owned()));
        let template_id = fields.get("template_id").map(|n| crate::text::plain(&n.to_json()));
        let places = Places::read(&mut fields, channel, template_id.is_some());
        let sample = fields.get("sample").map_or(Value::Object(Default::default()), Node::to_json);
        places.check(&sample, fields.get("places").unwrap_or(node), fields.problems);
        fields.need("text");
        if channel == Channel::Email {
            fields.need("subject");
        }
        let mut languages = IndexMap::new();
        for (language, node) in std::iter::once((ENGLISH, node)).chain(others.iter().copied()) {
            let mut part = |key: &str, is_html: bool| {
                let at = node.get(key)?;
                if let Some((message, hint)) = at.as_str().and_then(|text| outside.refused_in(text, is_html)) {
                    problems.push(Problem::error(FLOOR, &at.span, message).hint(hint));
                }
                template(at, is_html, problems)
            };
            let (subject, text, html) = (part("subject", false), part("text", false), part("html", true));
            languages.extend(text.map(|text| (language.to_owned(), Texts { subject, text, html })));
        }
        let message =
            Message { id: id.to_owned(), channel, purpose, within, consent, template_id, places, sample, languages };
        for (language, node) in std::iter::once((ENGLISH, node)).chain(others.iter().copied()) {
            if message.languages.contains_key(language)
                && let Err(e) = message.render(&[language], &message.sample)
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

    /// When it may not be sent now: the calendar that says so, and its next opening.
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

    pub fn render(&self, languages: &[impl AsRef<str>], data: &Value) -> Result<Rendered, MessageError> {
        let language = self.language(languages);
        let texts = self.languages.get(language);
        let wrong = |reason: String| MessageError { message: self.id.clone(), reason };
        let texts = texts.ok_or_else(|| wrong("no text in this language".into()))?;
        let mut data = data.clone();
        if let Some(map) = data.as_object_mut() {
            self.places.fit(map);
            map.insert(LANGUAGE.into(), language.into());
        }
        let one = |template: &Template, registry: &'static Handlebars<'static>| {
            render(template, registry, &data).map_err(&wrong)
        };
        Ok(Rendered {
            channel: self.channel,
            language: language.to_owned(),
            subject: texts
                .subject
                .as_ref()
                .map(|t| one(t, plain()))
                .transpose()?
                .map(|s| s.replace(['\r', '\n'], " ").trim().to_owned()),
            text: one(&texts.text, plain())?.trim().to_owned(),
            html: texts.html.as_ref().map(|t| one(t, html())).transpose()?,
            template_id: self.template_id.clone(),
        })
    }
}

fn template(node: &Node, is_html: bool, problems: &mut Vec<Problem>) -> Option<Template> {
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
    match forbidden(&compiled, is_html, 0, 0) {
        Some(what) => {
            problems.push(Problem::error("template", &node.span, what));
            None
        }
        None => Some(compiled),
    }
}

fn forbidden(template: &Template, is_html: bool, depth: usize, eaches: usize) -> Option<String> {
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
            TemplateElement::HtmlExpression(_) if is_html => {
                Some("`{{{…}}}` would put raw HTML into the message".into())
            }
            TemplateElement::HelperBlock(block) => {
                let eaches = eaches + usize::from(block.name.as_name() == Some("each"));
                if eaches > EACH_DEPTH_MAX {
                    return Some(format!("`each` is nested deeper than {EACH_DEPTH_MAX}"));
                }
                [&block.template, &block.inverse]
                    .into_iter()
                    .flatten()
                    .find_map(|t| forbidden(t, is_html, depth + 1, eaches))
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

fn render(template: &Template, registry: &'static Handlebars<'static>, data: &Value) -> Result<String, String> {
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

fn plain() -> &'static Handlebars<'static> {
    static REGISTRY: OnceLock<Handlebars<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| registry(false))
}

fn html() -> &'static Handlebars<'static> {
    static REGISTRY: OnceLock<Handlebars<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| registry(true))
}

fn registry(escapes: bool) -> Handlebars<'static> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    UNWANTED.iter().for_each(|name| registry.unregister_helper(name));
    if !escapes {
        registry.register_escape_fn(handlebars::no_escape);
    }
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

/// `{{date day "d MMM yyyy"}}`
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
    let text = crate::values::format_date(value, pattern, language).map_err(RenderErrorReason::Other)?;
    Ok(out.write(&text)?)
}

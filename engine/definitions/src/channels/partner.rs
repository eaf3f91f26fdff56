//! Partners: known by a pair of names; what their visitors see and may start.

use crate::fields::{MapReader, unknown};
use crate::site::PARTS;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Colours of a theme; white words stand on each.
pub const THEME: [&str; 4] = ["brand", "brand-deep", "act", "act-press"];
/// Least contrast of words on their ground.
const CONTRAST_MIN: f64 = 4.5;

#[derive(Debug)]
pub struct Partner {
    pub slug: String,
    pub title: String,
    pub source: String,
    pub sub_source: String,
    pub medium: String,
    /// Products that are offered; none said: all.
    pub lob: Vec<String>,
    /// Address at which the partner's own line begins, in place of the home page.
    pub home: Option<String>,
    /// Parts of the frame that are left out.
    pub hide: Vec<String>,
    /// The part that links get where there is such a page: `tp`.
    pub links: Option<String>,
    pub theme: Theme,
    pub(crate) span: Span,
}

/// A partner's own looks, by day.
#[derive(Debug, Default)]
pub struct Theme {
    /// Name of a token → `#rrggbb`.
    pub colours: Vec<(&'static str, String)>,
    /// Address of a picture.
    pub logo: Option<String>,
}

impl Partner {
    pub(super) fn is_of(&self, said: &BTreeMap<String, String>) -> bool {
        let is = |name: &str, wanted: &String| said.get(name) == Some(wanted);
        is("source", &self.source) && is("sub_source", &self.sub_source)
    }

    /// Whether its visitors are offered a product; what belongs to none always is.
    pub fn offers(&self, product: Option<&str>) -> bool {
        self.lob.is_empty() || product.is_none_or(|product| self.lob.iter().any(|one| one == product))
    }

    /// `{source, subSource, medium, slug, config: {lob, home, hide, links, theme, logo}}`
    pub fn describe(&self) -> Value {
        let theme: BTreeMap<&str, &String> = self.theme.colours.iter().map(|(name, colour)| (*name, colour)).collect();
        json!({
            "source": self.source, "subSource": self.sub_source, "medium": self.medium, "slug": self.slug,
            "config": {
                "lob": self.lob, "home": self.home, "hide": self.hide, "links": self.links, "theme": theme,
                "logo": self.theme.logo,
            },
        })
    }

    pub(super) fn read(slug: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Partner> {
        let keys = ["title", "source", "sub_source", "medium", "config"];
        let mut fields = MapReader::open(node, "a partner of the site", &keys, problems)?;
        let mut partner = Partner {
            slug: slug.to_owned(),
            title: fields.need_text("title"),
            source: fields.need_text("source"),
            sub_source: fields.need_text("sub_source"),
            medium: fields.need_text("medium"),
            lob: Vec::new(),
            home: None,
            hide: Vec::new(),
            links: None,
            theme: Theme::default(),
            span: node.span.clone(),
        };
        if !slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
            let message = format!("`{slug}` is part of an address: small letters, digits, hyphens");
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        if let Some(config) = fields.get("config") {
            partner.configure(config, fields.problems);
        }
        Some(partner)
    }

    fn configure(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let keys = ["lob", "home", "hide", "links", "theme"];
        let Some(mut fields) = MapReader::open(node, "a partner's config", &keys, problems) else { return };
        (self.lob, self.hide, self.links) = (fields.texts("lob"), fields.texts("hide"), fields.text("links"));
        self.home = fields.text("home");
        for name in self.hide.iter().filter(|name| !PARTS.contains(&name.as_str())) {
            let at = fields.get("hide").unwrap_or(node);
            fields.problems.push(unknown("part of a page", at, name, PARTS));
        }
        if let Some(theme) = fields.get("theme") {
            self.theme = Theme::read(theme, fields.problems).unwrap_or_default();
        }
    }
}

impl Theme {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Theme> {
        let keys = [&THEME[..], &["logo"]].concat();
        let mut fields = MapReader::open(node, "a theme", &keys, problems)?;
        let logo = fields.text("logo");
        let mut colours = Vec::new();
        for name in THEME {
            let Some(colour) = fields.text(name) else { continue };
            let at = fields.get(name).unwrap_or(node);
            match brightness(&colour) {
                None => {
                    let message = format!("`{colour}` is no colour: `#` and six small hexadecimal digits");
                    fields.problems.push(Problem::error("value", &at.span, message));
                }
                Some(brightness) if 1.05 / (brightness + 0.05) < CONTRAST_MIN => {
                    let contrast = 1.05 / (brightness + 0.05);
                    let message =
                        format!("white words on `{colour}` have a contrast of {contrast:.1}, not {CONTRAST_MIN}");
                    fields.problems.push(Problem::error("value", &at.span, message));
                }
                Some(_) => colours.push((name, colour)),
            }
        }
        Some(Theme { colours, logo })
    }

    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// The tokens of the design system that it sets.
    pub fn style(&self) -> String {
        let set: String = self.colours.iter().map(|(name, colour)| format!("--{name}:{colour};")).collect();
        format!("@media not (prefers-color-scheme: dark){{:root{{{set}}}}}\n")
    }
}

/// Relative luminance of `#rrggbb`, as WCAG has it.
fn brightness(colour: &str) -> Option<f64> {
    let digits = colour.strip_prefix('#').filter(|digits| {
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })?;
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).ok()?) / 255.0;
        Some(if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
    };
    Some(0.2126 * part(0)? + 0.7152 * part(2)? + 0.0722 * part(4)?)
}

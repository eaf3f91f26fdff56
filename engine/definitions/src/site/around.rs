//! Layout rules: which frame stands around a page, and which parts of it are left out.

use crate::channels::{Channels, Experiment, Partner};
use crate::fields::{MapReader, unknown};
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of a frame. `nav`: the items of the menu; `header`: the whole bar but for a slim one that says whose page it
/// is; `logo`: its link; `analytics`: the script that counts visits.
pub(crate) const PARTS: [&str; 8] = ["header", "nav", "footer", "chat", "call", "login", "logo", "analytics"];
const DEVICES: [&str; 2] = ["phone", "desktop"];
const RULE_KEYS: [&str; 15] = [
    "parts",
    "under",
    "product",
    "step",
    "host",
    "source",
    "partner",
    "channel",
    "role",
    "variant",
    "device",
    "frame",
    "hide",
    "show",
    "description",
];

/// What stands around pages of one audience.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub name: String,
    /// Address to which the frame's logo leads.
    pub home: String,
    pub menu: String,
    pub footer: String,
    /// `{number, display, text}`, or `{text, hint, lines: [{label, number, display}]}`.
    pub call: Value,
    /// `{text, link}`
    pub login: Value,
    span: Span,
}

/// A product and the addresses that are its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    pub id: String,
    /// First parts of the product's addresses.
    pub under: Vec<String>,
    /// Number by which programs know it.
    pub category: Option<i64>,
    pub(super) span: Span,
}

/// What a page is asked with.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageRequest<'a> {
    pub path: &'a str,
    /// Id of the state that is shown; empty on content pages.
    pub step: &'a str,
    pub host: &'a str,
    pub source: &'a str,
    /// Who sent the visitor.
    pub partner: Option<&'a Partner>,
    pub channels: &'a [String],
    pub roles: &'a [String],
    /// Variants as rules name them: `experiment/variant`.
    pub variants: &'a [String],
}

/// What stands around one page.
#[derive(Clone, Debug, PartialEq)]
pub struct Around<'a> {
    pub frame: Option<&'a Frame>,
    pub product: Option<&'a str>,
    /// Number by which programs know the product.
    pub category: Option<i64>,
    /// `footer` everywhere, `phone:footer` or `desktop:footer` by the width of the window.
    pub hide: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Layout {
    frames: BTreeMap<String, Frame>,
    /// The frame of pages that no rule gives another.
    first: Option<String>,
    pub(super) products: Vec<Product>,
    pub(super) rules: Vec<Rule>,
}

/// All conditions must hold; of a list one. Rules that match add up in their order, so that a later `show` takes an
/// earlier `hide` back.
#[derive(Debug)]
pub(super) struct Rule {
    parts: Vec<String>,
    under: Vec<String>,
    product: Vec<String>,
    step: Vec<String>,
    host: Vec<String>,
    source: Vec<String>,
    partner: Vec<String>,
    channel: Vec<String>,
    role: Vec<String>,
    variant: Vec<String>,
    device: Option<&'static str>,
    frame: Option<String>,
    hide: Vec<String>,
    show: Vec<String>,
    pub(super) span: Span,
}

impl Layout {
    /// Address to which the usual frame's login leads.
    pub(super) fn account_page(&self) -> Option<&str> {
        self.frames.get(self.first.as_ref()?)?.login.get("link")?.as_str()
    }

    pub fn read(&mut self, fields: &mut MapReader<'_, '_>) {
        for (key, node) in fields.entries("frames") {
            let keys = ["home", "menu", "footer", "call", "login"];
            let Some(mut frame) = MapReader::open(node, "a frame", &keys, fields.problems) else { continue };
            let read = Frame {
                name: key.name.clone(),
                home: frame.text("home").unwrap_or_else(|| "/".into()),
                menu: frame.text("menu").unwrap_or_else(|| key.name.clone()),
                footer: frame.text("footer").unwrap_or_else(|| key.name.clone()),
                call: Value::Null,
                login: frame.get("login").map_or(Value::Null, Node::to_json),
                span: key.span.clone(),
            };
            self.first.get_or_insert_with(|| key.name.clone());
            self.frames.insert(key.name.clone(), read);
        }
        for (key, node) in fields.entries("products") {
            let Some(mut product) = MapReader::open(node, "a product", &["under", "category"], fields.problems) else {
                continue;
            };
            let (under, category) = (product.texts("under"), product.int("category"));
            self.products.push(Product { id: key.name.clone(), under, category, span: key.span.clone() });
        }
        for node in fields.list("layout") {
            let Some(mut rule) = MapReader::open(node, "a layout rule", &RULE_KEYS, fields.problems) else { continue };
            let read = Rule {
                parts: rule.texts("parts"),
                under: rule.texts("under"),
                product: rule.texts("product"),
                step: rule.texts("step"),
                host: rule.texts("host"),
                source: rule.texts("source"),
                partner: rule.texts("partner"),
                channel: rule.texts("channel"),
                role: rule.texts("role"),
                variant: rule.texts("variant"),
                device: rule.word("device", &DEVICES),
                frame: rule.text("frame"),
                hide: rule.texts("hide"),
                show: rule.texts("show"),
                span: node.span.clone(),
            };
            let named = read.hide.iter().chain(&read.show).filter(|name| !PARTS.contains(&name.as_str()));
            rule.problems.extend(named.map(|name| unknown("part of a page", node, name, PARTS)));
            if read.frame.is_none() && read.hide.is_empty() && read.show.is_empty() {
                let message = "a rule needs `frame`, `hide` or `show`";
                rule.problems.push(Problem::error("missing", &node.span, message));
            }
            self.rules.push(read);
        }
    }

    pub fn call(&mut self, frame: &str, call: Value) {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.call = call;
        }
    }

    pub fn frame(&self, name: &str) -> Option<&Frame> {
        self.frames.get(name)
    }

    /// The longest start of the address decides.
    pub fn product(&self, path: &str) -> Option<&Product> {
        let of = |product: &Product| product.under.iter().filter(|under| is_under(path, under)).map(String::len).max();
        self.products
            .iter()
            .filter_map(|product| Some((of(product)?, product)))
            .max_by_key(|(long, _)| *long)
            .map(|(_, product)| product)
    }

    pub fn around(&self, asked: &PageRequest<'_>) -> Around<'_> {
        let found = self.product(asked.path);
        let (product, category) = (found.map(|found| found.id.as_str()), found.and_then(|found| found.category));
        let frame = self.first.as_ref().and_then(|name| self.frames.get(name));
        let mut around = Around { frame, product, category, hide: Vec::new() };
        let is_so = |rule: &&Rule| rule.is_of(asked.path, asked.step, product) && rule.is_for(asked);
        for rule in self.rules.iter().filter(is_so) {
            if let Some(frame) = rule.frame.as_ref().and_then(|name| self.frames.get(name)) {
                around.frame = Some(frame);
            }
            let marked = |part: &String| rule.device.map_or_else(|| part.clone(), |device| format!("{device}:{part}"));
            for part in rule.hide.iter().map(marked).filter(|part| !around.hide.contains(part)).collect::<Vec<_>>() {
                around.hide.push(part);
            }
            let shown: Vec<String> = rule.show.iter().map(marked).collect();
            around.hide.retain(|part| !shown.contains(part));
        }
        for part in asked.partner.iter().flat_map(|partner| &partner.hide) {
            if !around.hide.contains(part) {
                around.hide.push(part.clone());
            }
        }
        around
    }

    pub fn asks_who(&self) -> bool {
        self.rules.iter().any(Rule::asks_who)
    }

    /// Roles that rules ask for, and where.
    pub fn roles(&self) -> impl Iterator<Item = (&String, &Span)> {
        self.rules.iter().flat_map(|rule| rule.role.iter().map(|role| (role, &rule.span)))
    }

    /// Names that do not exist, and rules that match no page of the site. `places`: addresses with the step there.
    pub fn verify<'p>(
        &self,
        places: &[(&'p str, &'p str)],
        menus: &[&str],
        footers: &[&str],
        channels: &Channels,
        problems: &mut Vec<Problem>,
    ) {
        let at = |span: &Span| Node::new(span.clone(), crate::source::Value::Null);
        for frame in self.frames.values() {
            let wrong = [("menu", &frame.menu, menus), ("footer", &frame.footer, footers)];
            for (what, name, known) in wrong.into_iter().filter(|(_, name, known)| !known.contains(&name.as_str())) {
                problems.push(unknown(what, &at(&frame.span), name, known.iter().copied()));
            }
        }
        let products: Vec<&str> = self.products.iter().map(|product| product.id.as_str()).collect();
        for rule in &self.rules {
            for name in rule.frame.iter().filter(|name| !self.frames.contains_key(*name)) {
                problems.push(unknown("frame", &at(&rule.span), name, self.frames.keys().map(String::as_str)));
            }
            for name in rule.product.iter().filter(|name| !products.contains(&name.as_str())) {
                problems.push(unknown("product", &at(&rule.span), name, products.iter().copied()));
            }
            let named = |list: &[String], what, known: Vec<&str>, problems: &mut Vec<Problem>| {
                let strange = list.iter().filter(|name| !known.contains(&name.as_str()));
                problems.extend(strange.map(|name| unknown(what, &at(&rule.span), name, known.iter().copied())));
            };
            named(&rule.channel, "channel", channels.ids().collect(), problems);
            named(
                &rule.partner,
                "partner",
                channels.partners().map(|partner| partner.slug.as_str()).collect(),
                problems,
            );
            let variants: Vec<String> = channels.experiments.iter().flat_map(Experiment::paths).collect();
            named(&rule.variant, "variant", variants.iter().map(String::as_str).collect(), problems);
            let matches = |(path, step): &(&str, &str)| {
                rule.is_of(path, step, self.product(path).map(|product| product.id.as_str()))
            };
            if !places.iter().any(matches) {
                let message = "this rule can never match: no page of the site fulfils it";
                problems.push(Problem::error("never-matches", &rule.span, message));
            }
        }
    }
}

impl Rule {
    fn asks_who(&self) -> bool {
        [&self.source, &self.partner, &self.channel, &self.role, &self.variant].iter().any(|list| !list.is_empty())
    }

    /// What the place itself decides.
    fn is_of(&self, path: &str, step: &str, product: Option<&str>) -> bool {
        let any = |list: &[String], of: &dyn Fn(&String) -> bool| list.is_empty() || list.iter().any(of);
        any(&self.parts, &|part| has_part(path, part))
            && any(&self.under, &|under| is_under(path, under))
            && any(&self.product, &|wanted| product == Some(wanted))
            && any(&self.step, &|wanted| step == wanted)
    }

    /// What who asks decides.
    fn is_for(&self, asked: &PageRequest<'_>) -> bool {
        let any = |list: &[String], given: &str| list.is_empty() || list.iter().any(|one| one == given);
        let of = |list: &[String], given: &[String]| list.is_empty() || list.iter().any(|one| given.contains(one));
        any(&self.host, asked.host)
            && any(&self.source, asked.source)
            && any(&self.partner, asked.partner.map_or("", |partner| &partner.slug))
            && of(&self.channel, asked.channels)
            && of(&self.role, asked.roles)
            && of(&self.variant, asked.variants)
    }
}

/// A whole part of the path, or one joined by a hyphen: `lp` is in `/x/lp-fusion`, `plan` is not in `/x/plans`.
pub(crate) fn has_part(path: &str, wanted: &str) -> bool {
    let wanted = format!("-{wanted}-");
    path.split('/').any(|part| format!("-{part}-").contains(&wanted))
}

pub(crate) fn is_under(path: &str, under: &str) -> bool {
    path.strip_prefix(under).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_whole_or_joined_by_a_hyphen() {
        for (path, part, is_there) in [
            ("/a/quotes", "quotes", true),
            ("/a/van-quotes", "quotes", true),
            ("/a/lp-fusion", "lp", true),
            ("/a/plans", "plan", false),
            ("/help", "lp", false),
            ("/a/document-upload/b", "document-upload", true),
        ] {
            assert_eq!(has_part(path, part), is_there, "{path} {part}");
        }
        assert!(is_under("/a", "/a") && is_under("/a/news", "/a") && !is_under("/ab", "/a"));
    }
}

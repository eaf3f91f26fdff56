//! What only the whole set of definitions shows: addresses out of rows, pages that cannot be drawn, links and rules
//! that lead nowhere.

use super::page::Rendering;
use super::{Address, MenuItem, Page, Rendered, Rows, Site, drawn};
use crate::channels::ChannelReferences;
use crate::endpoint::Who;
use crate::fields::unknown;
use crate::form::Form;
use crate::host::ProductHost;
use crate::source::Node;
use crate::workflow::Workflow;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Site {
    /// Fills the addresses of pages and steps. `host` knows tables.
    pub(crate) fn settle(
        &mut self,
        workflows: &BTreeMap<String, Arc<Workflow>>,
        host: &dyn Host,
        rows: &Rows,
        problems: &mut Vec<Problem>,
    ) {
        let products = self.layout.products.iter().map(|one| (one.id.clone(), json!(one.under)));
        let products: Map<String, Value> = products.collect();
        (self.open_menus, self.open_footers) = (self.menus_for(&[]), self.footers_for(&[]));
        self.described = json!({
            "name": self.name, "legal": self.legal, "company": self.company, "menus": self.open_menus,
            "footers": self.open_footers, "products": products,
        });
        let steps = steps(workflows);
        self.steps = steps.keys().cloned().collect();
        let bases: BTreeSet<&str> = workflows.values().map(|workflow| workflow.base.as_str()).collect();
        let data = self.data();
        let further: Vec<&str> = self.languages.iter().skip(1).map(String::as_str).collect();
        for (language, (_, at)) in self.folders.iter().filter(|(language, _)| !further.contains(&language.as_str())) {
            problems.push(unknown("further language", at, language, further.iter().copied()));
        }
        let folders: BTreeMap<String, String> =
            self.folders.iter().map(|(language, (folder, _))| (language.clone(), folder.clone())).collect();
        for page in self.pages.clone() {
            for (path, address) in page.addresses((&data, host), &folders, rows, problems) {
                let at = &page.span;
                if steps.contains_key(&path) && !bases.contains(path.as_str()) {
                    let message = format!("`{path}` is the page of a step of {}", steps[&path]);
                    problems.push(Problem::error("duplicate-key", at, message));
                }
                if let Some(other) = self.addresses.insert(path.clone(), address) {
                    let message = format!("`{path}` is already an address of {}", other.page.view.path);
                    problems.push(Problem::error("duplicate-key", at, message));
                }
            }
        }
    }

    /// Draws each page once and checks what the site names, its addresses being known. `known`: what was found before;
    /// `written`: links in rows that are texts.
    pub(crate) fn verify(
        &self,
        workflows: &BTreeMap<String, Arc<Workflow>>,
        forms: &BTreeMap<String, Arc<Form>>,
        host: &ProductHost<'_>,
        (known, written): (&[Problem], &BTreeMap<String, Span>),
        problems: &mut Vec<Problem>,
    ) {
        // What a page with a mistake would have said is not known.
        let is_whole = !known.iter().any(|p| p.is_error() && p.span.file.starts_with(super::PAGES));
        let steps = steps(workflows);
        let leads = |link: &str| {
            let path = link.split(['?', '#']).next().unwrap_or_default();
            let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
            path.is_empty()
                || self.addresses.contains_key(path)
                || steps.contains_key(path)
                || self.redirect(path).is_some()
                || OURS.contains(&path)
                // endpoints are known later
                || path.starts_with(FRONT_DOOR)
        };
        let dead = |link: &str| is_whole && link.starts_with('/') && !leads(link);
        let told = |span: &Span, link: &str| {
            Problem::error("dead-link", span, format!("`{link}` leads nowhere"))
                .hint("no page, step or redirect is there")
        };
        let twins = self.addresses.values().map(Arc::as_ref).filter(|one| !one.listing.canonical.is_empty());
        let unkept = twins.filter(|one| {
            let of = self.addresses.get(&one.listing.canonical);
            is_whole
                && !of.is_some_and(|other| other.path == one.listing.canonical && other.listing.canonical.is_empty())
        });
        let unkept: BTreeMap<&str, &Address> = unkept.map(|one| (one.path.as_str(), one)).collect();
        problems.extend(unkept.into_values().map(|one| {
            let message =
                format!("`{}` stands for `{}`, and is no page's own address", one.listing.canonical, one.path);
            Problem::error("dead-link", one.page.canonical_at(), message)
        }));
        for asks in self.pages.iter().filter_map(|page| page.asks.as_ref()) {
            if !forms.contains_key(&asks.form) {
                let at = Node::new(asks.span.clone(), crate::source::Value::Null);
                problems.push(unknown("form", &at, &asks.form, forms.keys().map(String::as_str)));
            }
        }
        for (form, span) in self.pages.iter().filter_map(|page| page.calculates.as_ref()) {
            if !forms.contains_key(form) {
                let at = Node::new(span.clone(), crate::source::Value::Null);
                problems.push(unknown("form", &at, form, forms.keys().map(String::as_str)));
            }
        }
        let told_of = |page: &Page, link: &str| told(page.place_of(link, written), link);
        self.pages_are_drawn((host, forms), &dead, &told_of, problems);
        let of_views =
            workflows.values().flat_map(|workflow| workflow.views.values()).flat_map(|view| view.named("href"));
        problems.extend(of_views.filter(|(link, _)| dead(link)).map(|(link, at)| told(&at.span, link)));
        self.journeys_are_there(workflows, problems);
        let mut items: Vec<&MenuItem> = Vec::new();
        self.menus.values().flatten().for_each(|item| item.all(&mut items));
        self.footers.values().flatten().flat_map(|group| &group.links).for_each(|item| item.all(&mut items));
        problems.extend(items.iter().filter(|item| dead(&item.address())).map(|item| told(&item.span, &item.link)));
        for group in self.footers.values().flatten() {
            for product in group.products.iter().filter(|id| !self.layout.products.iter().any(|one| one.id == **id)) {
                let message = format!("unknown product `{product}`");
                problems.push(Problem::error("unknown-name", &group.span, message));
            }
        }
        for (_, products, span) in &self.storage {
            let known = || self.layout.products.iter().map(|one| one.id.as_str()).chain([super::ALL]);
            for product in products.iter().filter(|id| !known().any(|one| one == **id)) {
                let at = Node::new(span.clone(), crate::source::Value::Null);
                problems.push(unknown("product", &at, product, known()));
            }
        }
        for (at, rule) in self.redirects.iter().enumerate() {
            let is_there = self.addresses.contains_key(&rule.from) || steps.contains_key(&rule.from);
            let hidden = rule.query.is_empty() && is_there;
            if hidden || self.redirects[..at].iter().any(|before| before.leads(&rule.from).is_some()) {
                let message = format!("`{}` is already a page, a step or a redirect", rule.from);
                problems.push(Problem::error("duplicate-key", &rule.span, message));
            }
            if !rule.to.contains('{') && dead(&rule.to) {
                problems.push(told(&rule.span, &rule.to));
            }
        }
        let homes = self.channels.partners().filter_map(|one| Some((one.home.as_ref()?, &one.span)));
        problems.extend(homes.filter(|(home, _)| dead(home)).map(|(home, span)| told(span, home)));
        problems.extend(self.gates.iter().filter(|gate| dead(&gate.to)).map(|gate| told(&gate.span, &gate.to)));
        let of_pages = self.addresses.keys().map(|path| (path.as_str(), ""));
        let places: Vec<(&str, &str)> =
            of_pages.chain(steps.iter().map(|(path, step)| (path.as_str(), step.as_str()))).collect();
        let menus: Vec<&str> = self.menus.keys().map(String::as_str).collect();
        let footers: Vec<&str> = self.footers.keys().map(String::as_str).collect();
        if !is_whole {
            return;
        }
        self.layout.verify(&places, &menus, &footers, &self.channels, problems);
        for product in self.layout.products.iter().filter(|one| {
            !places.iter().any(|(path, _)| self.layout.product(path).is_some_and(|found| found.id == one.id))
        }) {
            let message = format!("no page of the site belongs to the product `{}`", product.id);
            problems.push(Problem::error("never-matches", &product.span, message));
        }
    }

    /// What channels, gates, hosts and layout rules name. `calls`: those that check agents and those that give frames,
    /// while all partners are without mistakes.
    pub(crate) fn channels_are_known(
        &self,
        roles: &[&str],
        calls: Option<(&[String], &[String])>,
        problems: &mut Vec<Problem>,
    ) {
        let [operations, frames] = match calls {
            Some((checks, frames)) => {
                [checks, frames].map(|all| Some(all.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            None => [None, None],
        };
        for (_, call, span) in &self.hosts {
            if let Some(frames) = frames.as_ref().filter(|frames| !frames.contains(&call.as_str())) {
                let at = Node::new(span.clone(), crate::source::Value::Null);
                problems.push(unknown("call for a frame", &at, call, frames.iter().copied()));
            }
        }
        let products: Vec<&str> = self.layout.products.iter().map(|product| product.id.as_str()).collect();
        self.channels
            .verify(&ChannelReferences { products: &products, roles, operations: operations.as_deref() }, problems);
        let of_gates = self.gates.iter().flat_map(|gate| gate.roles.iter().map(|role| (role, &gate.span)));
        for (role, span) in of_gates.chain(self.layout.roles()).filter(|(role, _)| !roles.contains(&role.as_str())) {
            let at = Node::new(span.clone(), crate::source::Value::Null);
            problems.push(unknown("role", &at, role, roles.iter().copied()));
        }
    }

    /// Checks that the site's pages call endpoints that are there and take something; links lead to those that give
    /// something.
    pub(crate) fn calls_are_there(&self, taken: &BTreeSet<&str>, given: &BTreeSet<&str>, problems: &mut Vec<Problem>) {
        let mut told = |to: &str, span: &Span, known: &BTreeSet<&str>| {
            if !known.contains(to) {
                let at = Node::new(span.clone(), crate::source::Value::Null);
                problems.push(unknown("endpoint", &at, to, known.iter().copied()));
            }
        };
        self.keeps.iter().for_each(|kept| told(&kept.call, &kept.span, given));
        for page in self.pages.iter().chain(self.specials.values()) {
            page.calls.iter().for_each(|(to, span)| told(to, span, taken));
            let links = page.links.iter().filter(|(link, _)| link.starts_with(FRONT_DOOR));
            links.for_each(|(link, span)| told(link.split('?').next().unwrap_or_default(), span, given));
        }
    }

    fn pages_are_drawn(
        &self,
        (host, forms): (&ProductHost<'_>, &BTreeMap<String, Arc<Form>>),
        dead: &dyn Fn(&str) -> bool,
        told: &dyn Fn(&Page, &str) -> Problem,
        problems: &mut Vec<Problem>,
    ) {
        let of_flow = || {
            let of = [("base", json!("/")), ("title", json!("Sample")), ("purpose", json!("")), ("record", json!({}))];
            of.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>()
        };
        let links = |page: &Page, rendered: Rendering| -> Result<Vec<String>, EvalError> {
            let (mut links, drawn) = (Vec::new(), rendered?.unwrap_or_default());
            if let Some(misfit) = drawn.misfits.first() {
                let (message, span) = (misfit.to_string(), page.span.clone());
                return Err(EvalError { message, span, expression: String::new() });
            }
            links_of(&drawn.blocks.into(), &mut links);
            Ok(links)
        };
        let data = self.data();
        let unkept = |page: &Page, rendered: Rendering| {
            links(page, rendered).map(|links| links.into_iter().map(Arc::from).collect())
        };
        let specials =
            self.specials.values().map(|page| (page, unkept(page, page.render(data.clone(), of_flow(), host))));
        let samples: Vec<Address> = self.pages.iter().filter_map(Page::sample).collect();
        let once =
            self.addresses.iter().filter(|(path, address)| **path == address.path).map(|(_, address)| address.as_ref());
        let pages = once.chain(&samples).map(|address| {
            let page = &address.page;
            let found: Result<Arc<[Arc<str>]>, EvalError> = match page.who {
                // Whoever has nothing yet, and may see all of it.
                Who::Person => {
                    let account = json!({"first_name": "", "profile": {}, "journeys": [], "records": {},
                        "documents": [], "sessions": [], "seen": [], "helpers": []});
                    let nothing = Map::from_iter([
                        ("account".to_owned(), account),
                        ("query".to_owned(), page.parse_query(std::iter::empty()).unwrap_or_default()),
                        ("records".to_owned(), json!({"rows": [], "older": ""})),
                    ]);
                    unkept(page, address.render_for(data.clone(), nothing, &page.named_roles(), host))
                }
                Who::Anyone | Who::Session | Who::Claimant => {
                    let draw = |host: &dyn Host| {
                        let query = calculate(page, forms, host)?;
                        links(page, address.render_for(data.clone(), query, &[], host))
                    };
                    match page.calculates {
                        Some(_) => draw(host).map(|links| links.into_iter().map(Arc::from).collect()),
                        None => drawn::links_of((page.digest, &address.path, &address.row, &data), host, draw),
                    }
                }
            };
            (page, found)
        });
        for (page, found) in specials.chain(pages) {
            match found {
                Ok(links) => problems.extend(links.iter().filter(|link| dead(link)).map(|link| told(page, link))),
                Err(error) => problems.push(Problem::error("evaluation", &error.span, error.message)),
            }
        }
    }

    /// The page of an address as everybody reads it.
    pub(crate) fn read_page(
        &self,
        address: &Address,
        forms: &BTreeMap<String, Arc<Form>>,
        host: &dyn Host,
    ) -> Option<Rendered> {
        let query = calculate(&address.page, forms, host).ok()?;
        address.render_for(self.data(), query, &[], host).ok()?
    }

    /// Journeys that stand in pages.
    fn journeys_are_there(&self, workflows: &BTreeMap<String, Arc<Workflow>>, problems: &mut Vec<Problem>) {
        let mut all: BTreeMap<String, &Node> = BTreeMap::new();
        self.specials.values().for_each(|page| all.extend(page.journey_of(&Map::new())));
        self.addresses.values().for_each(|address| all.extend(address.journey()));
        for (workflow, at) in all.iter().filter(|(workflow, _)| !workflows.contains_key(*workflow)) {
            problems.push(unknown("workflow", at, workflow, workflows.keys().map(String::as_str)));
        }
    }
}

/// Addresses that the program itself answers.
const FRONT_DOOR: &str = "/api/";
const OURS: [&str; 2] = ["/sitemap.xml", "/robots.txt"];

/// Addresses of steps, with the state there.
fn steps(workflows: &BTreeMap<String, Arc<Workflow>>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for workflow in workflows.values() {
        let place = |path: &str| format!("{}/{path}", workflow.base).trim_end_matches('/').to_owned();
        all.insert(workflow.base.clone(), String::new());
        for step in workflow.steps() {
            if let Some(path) = &step.path {
                all.insert(place(path), step.node.clone());
            }
        }
        for (alias, path) in &workflow.aliases {
            let node = workflow.step_by_path(path).next().map(|step| step.node.clone()).unwrap_or_default();
            all.insert(place(alias), node);
        }
    }
    all
}

/// What an address without a query says: the page's form by itself, or the defaults of its parameters.
fn calculate(
    page: &Page,
    forms: &BTreeMap<String, Arc<Form>>,
    host: &dyn Host,
) -> Result<Map<String, Value>, EvalError> {
    let nothing = || Map::from_iter([("query".to_owned(), page.parse_query(std::iter::empty()).unwrap_or_default())]);
    let Some((name, span)) = &page.calculates else { return Ok(nothing()) };
    let Some(form) = forms.get(name) else { return Ok(nothing()) };
    let of_form = page.calculate(form, |_| Map::new(), host)?;
    match of_form.errors.first() {
        None => Ok(Map::from_iter([("query".to_owned(), of_form.data)])),
        Some(error) => Err(EvalError {
            message: format!("the form `{name}` has no default that fits for `{}`: {}", error.pointer, error.text),
            span: span.clone(),
            expression: String::new(),
        }),
    }
}

/// Every address under `href`.
fn links_of(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| links_of(one, out)),
        Value::Object(map) => {
            for (key, inner) in map {
                match (key.as_str(), inner.as_str()) {
                    ("href", Some(link)) => out.push(link.to_owned()),
                    _ => links_of(inner, out),
                }
            }
        }
        _ => {}
    }
}

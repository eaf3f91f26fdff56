//! The site: what stands around every page (`workflows/site/*.yaml`), its pages of blocks, redirects. Always live.
//!
//! Everything is read once and closed; `Site::settle` then fills the addresses of pages that are made of rows, and
//! says what leads nowhere.

mod around;
mod drawn;
mod kept_answer;
mod listing;
mod menu;
mod offer;
mod page;
mod redirect;
mod script;
mod verify;

pub use around::{Around, Frame, PageRequest, Product};
pub(crate) use around::{PARTS, has_part, is_under};
pub use listing::{Listing, PAGE_KINDS};
pub(crate) use menu::ROLES;
pub use menu::{Group, MENU_KEYS, MenuItem};
pub use page::{Address, Asks, Calculated, PAPER_ENDING, Page, Rendered, Special};
pub(crate) use page::{Rows, SPECIALS};
pub use redirect::{Gate, Redirect};
pub use script::Script;

use crate::channels::Channels;
use crate::fields::{MapReader, unknown};
use crate::letterhead::Letterhead;
use crate::outside::{LEADS_TO, are_hosts};
use crate::policy::FLOOR;
use crate::source::{Node, Value as Source};
use crate::text::Text;
use around::Layout;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use kept_answer::KeptAnswer;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The contract of calls that give a host's header and footer.
pub(crate) const FRAME: &str = "site/frame";
/// Folder of the site's pages.
const PAGES: &str = "workflows/site/pages/";
/// Keys of the files in workflows/site/, each in one of them.
const KEYS: [&str; 25] = [
    "browser",
    "name",
    "clients",
    "legal",
    "letterhead",
    "company",
    "languages",
    "language_folders",
    "reports",
    "timers",
    "help",
    "chat",
    "analytics",
    "menus",
    "footers",
    "frames",
    "products",
    "layout",
    "redirects",
    "gates",
    "hosts",
    "subdomains",
    "storage",
    "keeps",
    LEADS_TO,
];

/// Word in the place of products: whatever it is.
const ALL: &str = "all";

/// What a host serves, by the first part of its name (R9-65).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serves {
    #[default]
    Site,
    /// The site, which no search engine keeps.
    Hidden,
    /// Files of the web app, and no page.
    Files,
}

impl Serves {
    pub(crate) const ALL: [(&'static str, Serves); 3] =
        [("site", Serves::Site), ("hidden", Serves::Hidden), ("files", Serves::Files)];
}

#[derive(Debug, Default)]
pub struct Site {
    pub name: String,
    /// Who we are, whose licence; below every page.
    pub legal: String,
    /// What messages bear: name, company and lines.
    pub letterhead: Letterhead,
    /// What pages read as `data.company`.
    pub company: Value,
    /// Languages of the site, the first one is the default.
    pub languages: Vec<String>,
    /// Language → the folder in which pages that search engines may keep stand in it alone: `/hi`.
    folders: BTreeMap<String, (String, Node)>,
    /// Keys by which programs name themselves where an endpoint asks for it; no secrets.
    pub clients: Vec<String>,
    /// How browsers report errors: `{enabled, wait_ms, max, libraries}`.
    pub reports: Option<Value>,
    /// Times of the browser by name, in milliseconds.
    pub timers: BTreeMap<String, i64>,
    /// Ways to a person: `{call: {number, display}, whatsapp, call_back}`.
    pub help: Value,
    /// Chat of a partner who answers in writing; without one there is the help.
    pub chat: Option<Script>,
    /// Counts visits, where the visitor agrees.
    pub analytics: Option<Script>,
    /// What the web app says by itself, by name: on every page.
    pub said_everywhere: BTreeMap<String, String>,
    /// What the web app says by itself, by name: on every page, and on pages of journeys.
    pub said: BTreeMap<String, String>,
    menus: BTreeMap<String, Vec<MenuItem>>,
    footers: BTreeMap<String, Vec<Group>>,
    /// Menus without what is for some roles alone: what stands on pages that are everybody's.
    open_menus: BTreeMap<String, Vec<MenuItem>>,
    open_footers: BTreeMap<String, Vec<Group>>,
    layout: Layout,
    /// How visitors come here.
    pub channels: Channels,
    redirects: Vec<Redirect>,
    gates: Vec<Gate>,
    /// Host → the call that gives its header and footer.
    hosts: Vec<(String, String, Span)>,
    subdomains: BTreeMap<String, Serves>,
    /// Key of a browser's storage → the products that are kept there.
    storage: Vec<(String, Vec<String>, Span)>,
    keeps: Vec<KeptAnswer>,
    pages: Vec<Arc<Page>>,
    specials: BTreeMap<Special, Arc<Page>>,
    addresses: BTreeMap<String, Arc<Address>>,
    /// Addresses of steps.
    steps: BTreeSet<String>,
    described: Value,
    seen: BTreeMap<String, Span>,
}

impl Site {
    /// Address of the page for whoever signs in, where the usual frame's login leads.
    pub fn account_page(&self) -> String {
        self.layout.account_page().unwrap_or("/").to_owned()
    }

    /// The language in whose folder a path stands, and the path without it: `/hi/news` → `hi`, `/news`.
    pub fn folder_of<'p>(&self, path: &'p str) -> Option<(&str, &'p str)> {
        self.folders.iter().find_map(|(language, (folder, _))| {
            let rest = path.strip_prefix(folder.as_str())?;
            let rest = if rest.is_empty() { "/" } else { rest };
            rest.starts_with('/').then_some((language.as_str(), rest))
        })
    }

    /// The page of an address.
    pub fn address(&self, path: &str) -> Option<&Address> {
        self.addresses.get(path).map(Arc::as_ref)
    }

    /// The page of an address whose end is anybody's word.
    pub fn open_address(&self, path: &str) -> Option<Address> {
        self.pages.iter().find_map(|page| page.open_address(path))
    }

    /// Every address of a page, further ones included.
    pub fn addresses(&self) -> impl Iterator<Item = (&str, &Address)> {
        self.addresses.iter().map(|(path, address)| (path.as_str(), address.as_ref()))
    }

    /// The page whose address ends as this one, below another first part: `/north/hours` for `/south/hours`.
    pub fn namesake(&self, path: &str) -> Option<&Address> {
        let (_, end) = path.trim_start_matches('/').split_once('/')?;
        let ends_alike =
            |one: &&Arc<Address>| one.path.trim_start_matches('/').split_once('/').is_some_and(|(_, own)| own == end);
        self.addresses.values().filter(ends_alike).find(|one| one.is_kept()).map(Arc::as_ref)
    }

    /// The page that stands in for another one.
    pub fn special(&self, special: Special) -> Option<&Arc<Page>> {
        self.specials.get(&special)
    }

    /// Address to which an address is redirected, and the rule that says so.
    pub fn redirect(&self, path: &str) -> Option<(String, &Redirect)> {
        self.redirects.iter().find_map(|rule| Some((rule.leads(path)?, rule)))
    }

    /// Address to which an address is redirected by what its query says (a name → its value, as it stands in
    /// addresses), and the rule that says so.
    pub fn redirect_by(&self, path: &str, says: &dyn Fn(&str) -> Option<String>) -> Option<(String, &Redirect)> {
        self.redirects.iter().find_map(|rule| Some((rule.leads_by(path, says)?, rule)))
    }

    /// Keys under which browsers keep what was begun in them, and whether they do for this product.
    pub fn storage(&self, product: Option<&str>) -> BTreeMap<&str, bool> {
        let is_of = |of: &[String]| of.iter().any(|one| one == ALL || Some(one.as_str()) == product);
        self.storage.iter().map(|(key, of, _)| (key.as_str(), is_of(of))).collect()
    }

    /// What a browser keeps of answers on this page, as `{name, call, take, tab, encoded}` each. `is_personal`: it is
    /// known how the visitor came.
    pub fn keeps(&self, path: &str, is_personal: bool) -> Vec<Value> {
        self.keeps.iter().filter_map(|kept| kept.on(path, is_personal)).collect()
    }

    /// The call that gives header and footer of pages on this host: `partner/operation`.
    pub fn remote(&self, host: &str) -> Option<&str> {
        self.hosts.iter().find(|(known, ..)| known == host).map(|(_, call, _)| call.as_str())
    }

    /// What is served on this host; where nothing is said of it, the site.
    pub fn serves(&self, host: &str) -> Serves {
        let (first, _) = host.split_once('.').unwrap_or((host, ""));
        self.subdomains.get(first).copied().unwrap_or_default()
    }

    /// Address to which somebody with these roles is led who opens a page that is not for them.
    pub fn gate(&self, path: &str, roles: &[String]) -> Option<&str> {
        self.gates.iter().find_map(|gate| gate.leads(path, roles))
    }

    /// What stands around a page.
    pub fn around(&self, asked: &PageRequest<'_>) -> Around<'_> {
        self.layout.around(asked)
    }

    /// Whether any page differs by who asks, or by what brought them here.
    pub fn asks_who(&self) -> bool {
        let by_channel = self.channels.ids().next().is_some() || !self.channels.experiments.is_empty();
        by_channel || !self.gates.is_empty() || self.layout.asks_who()
    }

    /// The product that an address belongs to.
    pub fn product(&self, path: &str) -> Option<&Product> {
        self.layout.product(path)
    }

    pub fn frame(&self, name: &str) -> Option<&Frame> {
        self.layout.frame(name)
    }

    /// What pages read as `data`, beside their row; `variants` are the first ones, until a visitor's are known.
    pub fn data(&self) -> Value {
        json!({"company": self.company, "name": self.name, "variants": self.channels.first_variants()})
    }

    /// What endpoints read as `site`: `{name, legal, company, menus, footers, products}`, menus and footers by name, as
    /// everybody sees them.
    pub fn describe(&self) -> &Value {
        &self.described
    }

    /// Description of the site as somebody with these roles sees it.
    pub fn described_for(&self, roles: &[String]) -> Value {
        let mut described = self.described.clone();
        described["menus"] = json!(self.menus_for(roles));
        described["footers"] = json!(self.footers_for(roles));
        described
    }

    fn menus_for(&self, roles: &[String]) -> BTreeMap<String, Vec<MenuItem>> {
        self.menus.iter().map(|(name, items)| (name.clone(), menu::seen_by(items, roles))).collect()
    }

    fn footers_for(&self, roles: &[String]) -> BTreeMap<String, Vec<Group>> {
        let seen = |groups: &Vec<Group>| groups.iter().map(|group| group.seen_by(roles)).collect();
        self.footers.iter().map(|(name, groups)| (name.clone(), seen(groups))).collect()
    }

    /// Every role that its menus, footers and pages name.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Node> {
        let mut items: Vec<&MenuItem> = Vec::new();
        self.menus.values().flatten().for_each(|item| item.all(&mut items));
        self.footers.values().flatten().flat_map(|group| &group.links).for_each(|item| item.all(&mut items));
        let pages = self.pages.iter().chain(self.specials.values());
        let of_pages = pages.flat_map(|page| page.roles.at().chain(page.view.roles()));
        items.into_iter().flat_map(|item| item.roles.at()).chain(of_pages)
    }

    /// Reads one of the files in workflows/site/.
    pub(crate) fn read(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let keys = [&KEYS[..], &crate::channels::KEYS].concat();
        let Some(mut fields) = MapReader::open(node, "the site", &keys, problems) else { return };
        for (key, _) in node.map() {
            if let Some(other) = self.seen.insert(key.name.clone(), key.span.clone()) {
                let message = format!("`{}` already stands in {}", key.name, other.file);
                fields.problems.push(Problem::error("duplicate-key", &key.span, message));
            }
        }
        if let Some(name) = fields.text("name") {
            self.name = name;
        }
        if let Some(company) = fields.get("company") {
            self.company = words(company, &Value::Null, fields.problems);
        }
        if fields.get("languages").is_some() {
            self.languages = fields.texts("languages");
        }
        for (language, folder) in fields.entries("language_folders") {
            match folder.as_str().filter(|folder| is_folder(folder)) {
                Some(at) => drop(self.folders.insert(language.name.clone(), (at.to_owned(), folder.clone()))),
                None => fields.wrong(folder, "language_folders", "languages with a folder each, such as `/hi`"),
            }
        }
        fields.get(LEADS_TO).into_iter().for_each(|hosts| are_hosts(hosts, fields.problems));
        if fields.get("clients").is_some() {
            self.clients = fields.texts("clients");
        }
        self.reports = fields.get("reports").map(Node::to_json).or(self.reports.take());
        for (name, script) in [("chat", &mut self.chat), ("analytics", &mut self.analytics)] {
            if let Some(node) = fields.get(name) {
                *script = Script::read(node, fields.problems);
            }
        }
        for (key, value) in fields.entries("timers") {
            match crate::fields::duration_ms(value) {
                Ok(ms) => drop(self.timers.insert(key.name.clone(), ms)),
                Err(problem) => fields.problems.push(problem),
            }
        }
        for (key, sentences) in fields.entries("browser") {
            self.say(&key.name, sentences, fields.problems);
        }
        for (key, value) in fields.entries("menus") {
            let items = menu::items(value, fields.problems);
            self.menus.insert(key.name.clone(), items);
        }
        for (key, value) in fields.entries("footers") {
            let groups = value.items().iter().filter_map(|group| Group::read(group, fields.problems)).collect();
            self.footers.insert(key.name.clone(), groups);
        }
        for item in fields.list("redirects") {
            self.redirects.extend(Redirect::read(item, fields.problems));
        }
        for item in fields.list("gates") {
            self.gates.extend(Gate::read(item, fields.problems));
        }
        for (host, call) in fields.entries("hosts") {
            let of = |call: &Node| Some((host.name.clone(), call.as_str()?.to_owned(), call.span.clone()));
            match of(call) {
                Some(one) => self.hosts.push(one),
                None => fields.wrong(call, "hosts", "names of hosts with a call each"),
            }
        }
        for (name, word) in fields.entries("subdomains") {
            match Serves::ALL.iter().find(|(known, _)| word.as_str() == Some(known)) {
                Some((_, serves)) => drop(self.subdomains.insert(name.name.clone(), *serves)),
                None => fields.problems.push(unknown(
                    "way to serve",
                    word,
                    word.as_str().unwrap_or_default(),
                    Serves::ALL.map(|(known, _)| known),
                )),
            }
        }
        for (key, of) in fields.entries("storage") {
            let products = of.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
            self.storage.push((key.name.clone(), products, of.span.clone()));
        }
        for (name, kept) in fields.entries("keeps") {
            self.keeps.extend(KeptAnswer::read(name, kept, fields.problems));
        }
        self.channels.read(&mut fields);
        self.layout.read(&mut fields);
    }

    /// Sentences of the web app: of `everywhere`, or of `journey`.
    fn say(&mut self, group: &str, sentences: &Node, problems: &mut Vec<Problem>) {
        if !["everywhere", "journey"].contains(&group) {
            let message = format!("`browser` has `everywhere` and `journey`, not `{group}`");
            problems.push(Problem::error("unknown-key", &sentences.span, message));
        }
        for (name, text) in sentences.map() {
            let Some(words) = text.as_str() else {
                problems.push(Problem::error("shape", &text.span, format!("a text is expected, not {}", text.kind())));
                continue;
            };
            if let Err(message) = Text::template(words) {
                problems.push(Problem::error("template", &text.span, message));
            }
            if group == "everywhere" {
                self.said_everywhere.insert(name.name.clone(), words.to_owned());
            }
            self.said.insert(name.name.clone(), words.to_owned());
        }
    }

    /// What is said with places of `company`: once all files are read.
    pub(crate) fn resolve_company_texts(&mut self, nodes: &[&Node], problems: &mut Vec<Problem>) {
        let data = self.data();
        for node in nodes {
            if let Some(legal) = node.get("legal") {
                self.legal = words(legal, &data, problems).as_str().unwrap_or_default().to_owned();
            }
            if let Some(help) = node.get("help") {
                self.help = words(help, &data, problems);
            }
            for (key, frame) in node.get("frames").map_or(&[][..], Node::map) {
                if let Some(call) = frame.get("call") {
                    let call = words(call, &data, problems);
                    self.layout.call(&key.name, call);
                }
            }
        }
        self.head_letters(nodes, &data, problems);
    }

    /// Who is somebody by law says so in every letter.
    fn head_letters(&mut self, nodes: &[&Node], data: &Value, problems: &mut Vec<Problem>) {
        let key = |key: &str| nodes.iter().find_map(|node| node.get(key));
        match (key("letterhead"), key("company")) {
            (Some(node), _) => {
                self.letterhead = Letterhead::read(node, (&self.name, &self.legal), data, problems);
            }
            (None, Some(company)) => {
                let message = "messages of a company bear its name, licence, address and where to complain";
                problems.push(Problem::error(FLOOR, &company.span, message).hint("letterhead: {lines: […]}"));
            }
            (None, None) => {}
        }
    }

    pub(crate) fn add_page(&mut self, file: &str, node: &Node, problems: &mut Vec<Problem>) {
        let Some(page) = Page::read(file, node, problems) else { return };
        let page = Arc::new(page);
        match page.special {
            Some(special) => {
                if let Some(other) = self.specials.insert(special, Arc::clone(&page)) {
                    let message = format!("{} already stands there", other.view.path);
                    problems.push(Problem::error("duplicate-key", &node.span, message));
                }
            }
            None => self.pages.push(page),
        }
    }
}

fn is_folder(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// JSON of a node in which `{text: …}`, also with places of `company`, is already said.
pub(crate) fn words(node: &Node, data: &Value, problems: &mut Vec<Problem>) -> Value {
    match &node.value {
        Source::Map(entries)
            if entries.len() == 1 && entries[0].0.name == "text" && entries[0].1.as_str().is_some() =>
        {
            let Some(text) = Text::from_node(node, problems) else { return Value::Null };
            match text.render_with(|name| data.get(name)) {
                Ok(text) => text.into(),
                Err(message) => {
                    problems.push(Problem::error("template", &node.span, message));
                    Value::Null
                }
            }
        }
        Source::Map(entries) => {
            let said = entries.iter().map(|(key, inner)| (key.name.clone(), words(inner, data, problems)));
            Value::Object(said.collect::<Map<_, _>>())
        }
        Source::List(items) => items.iter().map(|item| words(item, data, problems)).collect(),
        _ => node.to_json(),
    }
}

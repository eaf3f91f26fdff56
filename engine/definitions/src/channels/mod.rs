//! Channels: what is read from addresses, which channel that makes of a visitor, and what journeys get of it. All of it
//! is data of the site, always live. It says where somebody came from and never gives a right; a
//! confirmed agent's id decides what stands around pages, and who is named in requests.

mod agents;
mod attribution;
mod experiment;
mod partner;

pub use agents::{AgentChecks, Agents, CONTRACT as AGENT_CHECK, Check, Seller};
pub use attribution::{Arrival, Attribution, Touch};
pub use experiment::Experiment;
pub use partner::Partner;
pub(crate) use partner::THEME;

use crate::fields::MapReader;
use crate::site::{has_part, is_under};
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Channel of a session that came by none.
const DIRECT: &str = "web";
/// Keys of the site's files that are read here.
pub(crate) const KEYS: [&str; 5] = ["attribution", "channels", "sources", "agents", "experiments"];
/// Names by which a partner is known: both must match.
const PAIR: [&str; 2] = ["source", "sub_source"];

#[derive(Debug, Default)]
pub struct Channels {
    names: Vec<Name>,
    /// The name under which the page that linked here is kept.
    referrer: Option<String>,
    channels: Vec<Channel>,
    sources: Vec<Sources>,
    pub agents: Agents,
    pub experiments: Vec<Experiment>,
}

/// What is read from addresses and taken out of them.
#[derive(Debug)]
struct Name {
    name: String,
    /// Other spellings of the name.
    also: Vec<String>,
    kept: Kept,
}

#[derive(Debug, PartialEq)]
enum Kept {
    Alone,
    /// Kept in a record of this name.
    In(String),
    /// Kept for the checks of agents only.
    Secret,
}

/// Who and what brings a customer.
#[derive(Clone, Copy, Debug)]
pub struct Brought<'a> {
    pub came: &'a Attribution,
    pub agent: &'a AgentChecks,
    /// Who begins a request for the customer.
    pub seller: Option<&'a Seller>,
}

/// A way to come here.
#[derive(Debug)]
struct Channel {
    id: String,
    /// One of them must hold.
    when: Vec<When>,
    partners: Vec<Partner>,
    /// Name → what journeys of this channel say.
    gives: Vec<(String, String)>,
}

/// All must hold; of a list one.
#[derive(Debug, Default)]
struct When {
    /// What the address says.
    says: Vec<(String, Vec<String>)>,
    parts: Vec<String>,
    under: Vec<String>,
    host: Vec<String>,
    span: Option<Span>,
}

/// Order of channels for some products, and what is said where none says it.
#[derive(Debug)]
struct Sources {
    product: Vec<String>,
    order: Vec<String>,
    gives: Vec<(String, String)>,
    span: Span,
}

impl Channels {
    /// The name that an address means by this one; `None` when it is not read.
    pub fn name(&self, said: &str) -> Option<&str> {
        let of = |name: &&Name| name.name == said || name.also.iter().any(|other| other == said);
        self.names.iter().find(of).map(|name| name.name.as_str())
    }

    /// The name under which the page that linked here is kept.
    pub fn referrer(&self) -> Option<&str> {
        self.referrer.as_deref()
    }

    /// What is known of a visitor who arrives at an address. What channels are known by takes the place of what was
    /// known before as a whole (R4-03); a place adds its channel.
    pub fn arrive(&self, before: &Attribution, arrival: &Arrival<'_>) -> Attribution {
        let mut now = before.clone();
        let known_by = self.known_by();
        let is_mark = |name: &String| known_by.contains(name.as_str());
        let is_new = arrival.said.iter().any(|(name, value)| is_mark(name) && before.said.get(name) != Some(value));
        if arrival.said.keys().any(is_mark) {
            let given: BTreeSet<&str> =
                self.channels.iter().flat_map(|one| &one.gives).map(|(name, _)| name.as_str()).collect();
            now.said.retain(|name, _| !is_mark(name) && !given.contains(name.as_str()));
            now.channels.clear();
        }
        now.said.extend(arrival.said.iter().map(|(name, value)| (name.clone(), value.clone())));
        for channel in self.channels.iter().filter(|channel| channel.is_of(arrival)) {
            if !now.channels.contains(&channel.id) {
                now.channels.push(channel.id.clone());
            }
        }
        if is_new || now.channels != before.channels || before.touches.is_empty() && now != *before {
            now.touch(arrival.day);
        }
        now
    }

    /// What a journey of this product is told. `draw` decides the variants.
    pub fn attribution(&self, by: &Brought<'_>, product: Option<&str>, draw: &str) -> Map<String, Value> {
        let came = by.came;
        let mut told = self.said_of(by, product);
        let sources = self.sources.iter().find(|one| one.is_of(product));
        let staffed = by.seller.and_then(|seller| self.agents.staffed(seller, &came.said));
        let channel = self.first_of(came, sources).filter(|_| staffed.is_none());
        if let Some(staffed) = staffed {
            // What an address said of where they came from themselves is not their customers'.
            ["source", "sub_source", "medium"].iter().for_each(|name| drop(told.shift_remove(*name)));
            told.insert("channel".into(), json!(staffed.channel.as_ref().unwrap_or(&staffed.role)));
            told.extend(staffed.gives.iter().map(|(name, value)| (name.clone(), json!(value))));
        }
        if let Some(channel) = channel {
            // The word by which another channel is known is not this one's.
            let marks = |one: &Channel, word: &Value| one.when.iter().any(|when| when.names("source", word));
            if told.get("source").is_some_and(|word| {
                !marks(channel, word) && self.channels.iter().any(|one| one.id != channel.id && marks(one, word))
            }) {
                told.shift_remove("source");
            }
            told.insert("channel".into(), json!(channel.id));
            told.extend(channel.gives.iter().map(|(name, value)| (name.clone(), json!(value))));
            if let Some(partner) = channel.partners.iter().find(|partner| partner.is_of(&came.said)) {
                told.insert("partner".into(), json!(partner.slug));
                told.insert("medium".into(), json!(partner.medium));
            }
        }
        for (name, value) in sources.into_iter().flat_map(|one| &one.gives) {
            told.entry(name.clone()).or_insert_with(|| json!(value));
        }
        if let Some(seller) = by.seller {
            told.insert("agent".into(), json!(seller));
        }
        if !came.touches.is_empty() {
            told.insert("touches".into(), json!(came.touches));
        }
        let variants = self.variants(draw);
        if !variants.is_empty() {
            let all: Vec<String> = variants.iter().map(|(name, variant)| format!("{name}:{variant}")).collect();
            told.insert("ab".into(), json!(all.join(",")));
            told.insert("variants".into(), json!(variants));
        }
        told
    }

    /// What addresses said, by the names that are read; without ids of agents whom nobody confirmed.
    fn said_of(&self, by: &Brought<'_>, product: Option<&str>) -> Map<String, Value> {
        let mut told = Map::new();
        let mut records: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for (name, value) in &by.came.said {
            let Some(known) = self.names.iter().find(|known| known.name == *name) else { continue };
            match &known.kept {
                Kept::Alone if self.agents.is_refused(name, &by.came.said, (product, by.agent)) => {}
                Kept::Alone => drop(told.insert(name.clone(), json!(value))),
                Kept::In(record) => drop(records.entry(record).or_default().insert(name.clone(), json!(value))),
                Kept::Secret => {}
            }
        }
        told.extend(records.into_iter().map(|(name, record)| (name.to_owned(), Value::Object(record))));
        told
    }

    /// The partner who sent the visitor.
    pub fn partner(&self, came: &Attribution) -> Option<&Partner> {
        let of = self.channels.iter().filter(|channel| came.channels.contains(&channel.id));
        of.flat_map(|channel| &channel.partners).find(|partner| partner.is_of(&came.said))
    }

    pub fn partners(&self) -> impl Iterator<Item = &Partner> {
        self.channels.iter().flat_map(|channel| &channel.partners)
    }

    /// What endpoints read as `visit`: `{channels, partner, agent, variants}`.
    pub fn visit(&self, came: &Attribution, agent: &AgentChecks, draw: &str) -> Value {
        let confirmed = Some(&agent.ids).filter(|_| agent.is_agent());
        json!({
            "channels": came.channels, "partner": self.partner(came).map(Partner::describe), "agent": confirmed,
            "variants": self.variants(draw), "said": came.said,
        })
    }

    /// What endpoints read as `visit` where nothing is known of somebody.
    pub(crate) fn nobody() -> Value {
        Channels::default().visit(&Attribution::default(), &AgentChecks::default(), "")
    }

    /// Experiment → variant, as this draw has it; none without one.
    pub fn variants(&self, draw: &str) -> BTreeMap<&str, &str> {
        let all = self.experiments.iter().filter(|_| !draw.is_empty());
        all.filter_map(|one| Some((one.name(), one.draw_variant(draw)?))).collect()
    }

    /// Experiment → its first variant.
    pub(crate) fn first_variants(&self) -> BTreeMap<&str, &str> {
        self.experiments.iter().filter_map(|one| Some((one.name(), one.first()?))).collect()
    }

    /// Channels by their names.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|channel| channel.id.as_str())
    }

    /// What a variant for a `channel`, a `partner` or an `experiment` may name.
    pub(crate) fn audiences(&self, kind: &str) -> Vec<String> {
        match kind {
            "channel" => self.ids().chain([DIRECT]).map(str::to_owned).collect(),
            "partner" => self.partners().map(|partner| partner.slug.clone()).collect(),
            _ => self.experiments.iter().flat_map(Experiment::paths).collect(),
        }
    }

    /// Names by which some channel is known.
    fn known_by(&self) -> BTreeSet<&str> {
        let said = self.channels.iter().flat_map(|channel| &channel.when).flat_map(|when| &when.says);
        let pair = PAIR.iter().filter(|_| self.partners().next().is_some());
        said.map(|(name, _)| name.as_str()).chain(pair.copied()).collect()
    }

    /// The visitor's channel that counts.
    fn first_of(&self, came: &Attribution, sources: Option<&Sources>) -> Option<&Channel> {
        let order: &[String] = sources.map_or(&[], |one| &one.order);
        let of = |id: &String| self.channels.iter().find(|channel| channel.id == *id);
        let ordered = order.iter().filter_map(of);
        let others = self.channels.iter().filter(|channel| !order.contains(&channel.id));
        ordered.chain(others).find(|channel| came.channels.contains(&channel.id))
    }

    pub(crate) fn read(&mut self, fields: &mut MapReader<'_, '_>) {
        if let Some(node) = fields.get("attribution") {
            self.read_names(node, fields.problems);
        }
        for (key, node) in fields.entries("channels") {
            self.channels.extend(Channel::read(&key.name, node, fields.problems));
        }
        for node in fields.list("sources") {
            self.sources.extend(Sources::read(node, fields.problems));
        }
        if let Some(node) = fields.get("agents") {
            self.agents = Agents::read(node, fields.problems);
        }
        for (key, node) in fields.entries("experiments") {
            self.experiments.extend(Experiment::read(&key.name, node, fields.problems));
        }
    }

    fn read_names(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let keys = ["names", "records", "secret", "referrer"];
        let Some(mut fields) = MapReader::open(node, "attribution", &keys, problems) else { return };
        for (key, also) in fields.entries("names") {
            let also = also.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
            self.names.push(Name { name: key.name.clone(), also, kept: Kept::Alone });
        }
        for (key, names) in fields.entries("records") {
            let of = |name: &str| Name { name: name.into(), also: Vec::new(), kept: Kept::In(key.name.clone()) };
            self.names.extend(names.items().iter().filter_map(Node::as_str).map(of));
        }
        let secret = fields.texts("secret");
        self.names.extend(secret.into_iter().map(|name| Name { name, also: Vec::new(), kept: Kept::Secret }));
        self.referrer = fields.text("referrer");
        let mut seen = BTreeSet::new();
        for name in self.names.iter().flat_map(|name| std::iter::once(&name.name).chain(&name.also)) {
            if !seen.insert(name) {
                fields.problems.push(Problem::error("duplicate-key", &node.span, format!("`{name}` is read twice")));
            }
        }
        if let Some(name) = self.referrer.as_ref().filter(|name| !seen.contains(name)) {
            let message = format!("`referrer` is one of the names, and `{name}` is none");
            fields.problems.push(Problem::error("unknown-name", &node.span, message));
        }
    }

    /// Names that do not exist: `products` of the site, its roles, operations.
    pub(crate) fn verify(&self, known: &ChannelReferences<'_>, problems: &mut Vec<Problem>) {
        let names = || self.names.iter().map(|name| name.name.as_str());
        let at = |span: &Span| Node::new(span.clone(), crate::source::Value::Null);
        let mut told = |what, span: &Span, name: &str, all: Vec<&str>| {
            if !all.contains(&name) {
                problems.push(crate::fields::unknown(what, &at(span), name, all));
            }
        };
        for (name, span) in self.partners().flat_map(|partner| partner.lob.iter().map(|lob| (lob, &partner.span))) {
            told("product", span, name, known.products.to_vec());
        }
        for one in &self.sources {
            one.product.iter().for_each(|name| told("product", &one.span, name, known.products.to_vec()));
            one.order.iter().for_each(|name| told("channel", &one.span, name, self.ids().collect()));
        }
        for when in self.channels.iter().flat_map(|channel| &channel.when) {
            for (name, span) in when.says.iter().filter_map(|(name, _)| Some((name, when.span.as_ref()?))) {
                told("name of an address", span, name, names().collect());
            }
        }
        for (name, span) in self.agents.ids.iter().filter_map(|(_, name)| Some((name, self.agents.span.as_ref()?))) {
            told("name of an address", span, name, names().collect());
        }
        for one in &self.agents.staff {
            told("role", &one.span, &one.role, known.roles.to_vec());
            one.channel.iter().for_each(|name| told("channel", &one.span, name, self.ids().collect()));
        }
        for check in &self.agents.checks {
            check.product.iter().for_each(|name| told("product", &check.span, name, known.products.to_vec()));
            told("role", &check.span, &check.role, known.roles.to_vec());
            if let Some(operations) = known.operations {
                told("check of agents", &check.span, &check.call, operations.to_vec());
            }
        }
    }
}

/// What is there beside the channels.
pub(crate) struct ChannelReferences<'a> {
    pub products: &'a [&'a str],
    pub roles: &'a [&'a str],
    /// `partner/operation`, of the contract by which agents are checked; not known while a partner has mistakes.
    pub operations: Option<&'a [&'a str]>,
}

impl Channel {
    fn read(id: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Channel> {
        let mut fields = MapReader::open(node, "a channel", &["title", "when", "partners", "gives"], problems)?;
        fields.text("title");
        let when = fields.get("when").map_or(&[][..], Node::items);
        let when: Vec<When> = when.iter().filter_map(|one| When::read(one, fields.problems)).collect();
        let partners = fields.entries("partners");
        let partners = partners.iter().filter_map(|(key, node)| Partner::read(&key.name, node, fields.problems));
        let partners: Vec<Partner> = partners.collect();
        if when.is_empty() && partners.is_empty() {
            let message = "a channel is known by `when`, or by its `partners`";
            fields.problems.push(Problem::error("missing", &node.span, message));
        }
        Some(Channel { id: id.to_owned(), when, partners, gives: given(&mut fields) })
    }

    fn is_of(&self, arrival: &Arrival<'_>) -> bool {
        self.when.iter().any(|when| when.holds(arrival)) || self.partners.iter().any(|one| one.is_of(arrival.said))
    }
}

impl When {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<When> {
        let mut fields =
            MapReader::open(node, "a condition of a channel", &["says", "parts", "under", "host"], problems)?;
        let texts = |node: &Node| node.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
        let says: Vec<_> = fields.entries("says").iter().map(|(key, of)| (key.name.clone(), texts(of))).collect();
        let (parts, under, host) = (fields.texts("parts"), fields.texts("under"), fields.texts("host"));
        let when = When { says, parts, under, host, span: Some(node.span.clone()) };
        if when.says.is_empty() && when.parts.is_empty() && when.under.is_empty() && when.host.is_empty() {
            fields.problems.push(Problem::error("missing", &node.span, "it holds for everybody"));
        }
        Some(when)
    }

    /// Whether this is one of its words under a name.
    fn names(&self, name: &str, word: &Value) -> bool {
        self.says.iter().any(|(of, words)| of == name && words.iter().any(|one| *word == one.as_str()))
    }

    fn holds(&self, arrival: &Arrival<'_>) -> bool {
        let any = |list: &[String], of: &dyn Fn(&String) -> bool| list.is_empty() || list.iter().any(of);
        self.says.iter().all(|(name, values)| arrival.said.get(name).is_some_and(|said| values.contains(said)))
            && any(&self.parts, &|part| has_part(arrival.path, part))
            && any(&self.under, &|under| is_under(arrival.path, under))
            && any(&self.host, &|host| host == arrival.host)
    }
}

impl Sources {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Sources> {
        let mut fields = MapReader::open(node, "a rule of sources", &["product", "order", "gives"], problems)?;
        let (product, order, gives) = (fields.texts("product"), fields.texts("order"), given(&mut fields));
        Some(Sources { product, order, gives, span: node.span.clone() })
    }

    fn is_of(&self, product: Option<&str>) -> bool {
        self.product.is_empty() || product.is_some_and(|product| self.product.iter().any(|one| one == product))
    }
}

/// Names and what is said under them.
fn given(fields: &mut MapReader<'_, '_>) -> Vec<(String, String)> {
    let keys = ["source", "sub_source", "medium"];
    let Some(node) = fields.get("gives") else { return Vec::new() };
    let Some(mut gives) = MapReader::open(node, "what a channel gives", &keys, fields.problems) else {
        return Vec::new();
    };
    keys.iter().filter_map(|key| Some(((*key).to_owned(), gives.text(key)?))).collect()
}

//! Agents: by which names an address says who it is, who confirms it, and what requests say that one of the staff begins.

use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The contract by which whoever knows agents is asked.
pub const CONTRACT: &str = "agent/check";

#[derive(Debug, Default)]
pub struct Agents {
    /// What an id is called once it is confirmed, and the name that an address says it by.
    pub ids: Vec<(String, String)>,
    pub checks: Vec<Check>,
    pub(super) staff: Vec<Staffed>,
    pub(super) span: Option<Span>,
}

/// What requests say that somebody signed in with this role begins for customers.
#[derive(Debug)]
pub(super) struct Staffed {
    pub role: String,
    /// The role's name where none is said.
    pub channel: Option<String>,
    pub gives: Vec<(String, String)>,
    pub span: Span,
}

/// One of the staff who begins a request for a customer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seller {
    pub id: String,
    pub name: String,
    pub role: String,
    /// What brought the customers whom their service token is for.
    #[serde(skip)]
    pub sources: Vec<String>,
}

/// Who is asked about agents of some products, and the role that a confirmed one has.
#[derive(Debug)]
pub struct Check {
    pub(super) product: Vec<String>,
    /// `partner/operation`
    pub call: String,
    pub role: String,
    pub(super) span: Span,
}

/// What is known of one visit's ids: of the session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentChecks {
    /// Ids as they were asked about.
    pub ids: BTreeMap<String, String>,
    /// The call that was made → the role that it gave, if any.
    pub checked: BTreeMap<String, Option<String>>,
}

impl Agents {
    /// The ids that somebody came with.
    pub fn ids_of(&self, said: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let of = |(id, name): &(String, String)| Some((id.clone(), said.get(name)?.clone()));
        self.ids.iter().filter_map(of).filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The check that is still to be made for pages of this product; at most one for each of them in a visit.
    pub fn due(&self, ids: &BTreeMap<String, String>, product: Option<&str>, known: &AgentChecks) -> Option<&Check> {
        let check = self.check_of(product).filter(|_| !ids.is_empty())?;
        (known.ids != *ids || !known.checked.contains_key(&check.call)).then_some(check)
    }

    fn check_of(&self, product: Option<&str>) -> Option<&Check> {
        let is_of = |one: &&Check| {
            one.product.is_empty() || product.is_some_and(|product| one.product.iter().any(|own| own == product))
        };
        self.checks.iter().find(is_of)
    }

    /// Whether this name says an id that nobody has confirmed for the product: requests do not carry it (R4-10).
    pub(super) fn is_refused(
        &self,
        name: &str,
        said: &BTreeMap<String, String>,
        (product, known): (Option<&str>, &AgentChecks),
    ) -> bool {
        let is_confirmed = || {
            let check = self.check_of(product).filter(|_| known.ids == self.ids_of(said));
            check.is_some_and(|check| known.checked.get(&check.call).is_some_and(Option::is_some))
        };
        self.ids.iter().any(|(_, of)| of == name) && !is_confirmed()
    }

    /// What requests of this seller say; `None`: the address says it, as for what their service token is for.
    pub(super) fn staffed(&self, seller: &Seller, said: &BTreeMap<String, String>) -> Option<&Staffed> {
        let is_brought = said.get("source").is_some_and(|source| seller.sources.contains(source));
        self.staff.iter().find(|one| one.role == seller.role).filter(|_| !is_brought)
    }

    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Agents {
        let Some(mut fields) = MapReader::open(node, "agents", &["ids", "checks", "staff"], problems) else {
            return Agents::default();
        };
        let ids =
            fields.entries("ids").iter().filter_map(|(key, name)| Some((key.name.clone(), name.as_str()?.into())));
        let ids = ids.collect();
        let mut checks = Vec::new();
        for node in fields.list("checks") {
            let Some(mut check) =
                MapReader::open(node, "a check of agents", &["product", "call", "role"], fields.problems)
            else {
                continue;
            };
            let (product, call, role) = (check.texts("product"), check.need_text("call"), check.need_text("role"));
            checks.push(Check { product, call, role, span: node.span.clone() });
        }
        let staff = fields.entries("staff").iter();
        let staff = staff.filter_map(|(key, node)| Staffed::read(&key.name, node, fields.problems)).collect();
        Agents { ids, checks, staff, span: Some(node.span.clone()) }
    }
}

impl Staffed {
    fn read(role: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Staffed> {
        let mut fields = MapReader::open(node, "what requests of staff say", &["channel", "gives"], problems)?;
        let (channel, gives) = (fields.text("channel"), super::given(&mut fields));
        Some(Staffed { role: role.to_owned(), channel, gives, span: node.span.clone() })
    }
}

impl AgentChecks {
    /// Whether anybody has confirmed them.
    pub fn is_agent(&self) -> bool {
        self.roles().next().is_some()
    }

    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.checked.values().flatten().map(String::as_str)
    }

    /// Adds a check's outcome; with other ids all that was known before is over (R4-10).
    #[must_use]
    pub fn with(&self, ids: BTreeMap<String, String>, check: &Check, is_confirmed: bool) -> AgentChecks {
        let mut checked = if self.ids == ids { self.checked.clone() } else { BTreeMap::new() };
        checked.insert(check.call.clone(), is_confirmed.then(|| check.role.clone()));
        AgentChecks { ids, checked }
    }
}

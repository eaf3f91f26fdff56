//! Agents: by which names an address says who it is, and who confirms it.

use crate::fields::Fields;
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
    pub(super) span: Option<Span>,
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
    /// As they were asked about.
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
        let is_of = |one: &&Check| {
            one.product.is_empty() || product.is_some_and(|product| one.product.iter().any(|own| own == product))
        };
        let check = self.checks.iter().find(is_of).filter(|_| !ids.is_empty())?;
        (known.ids != *ids || !known.checked.contains_key(&check.call)).then_some(check)
    }

    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Agents {
        let Some(mut fields) = Fields::open(node, "agents", &["ids", "checks"], problems) else {
            return Agents::default();
        };
        let ids =
            fields.entries("ids").iter().filter_map(|(key, name)| Some((key.name.clone(), name.as_str()?.into())));
        let ids = ids.collect();
        let mut checks = Vec::new();
        for node in fields.list("checks") {
            let Some(mut check) =
                Fields::open(node, "a check of agents", &["product", "call", "role"], fields.problems)
            else {
                continue;
            };
            let (product, call, role) = (check.texts("product"), check.need_text("call"), check.need_text("role"));
            checks.push(Check { product, call, role, span: node.span.clone() });
        }
        Agents { ids, checks, span: Some(node.span.clone()) }
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

    /// As it is after this check; with other ids all that was known before is over (R4-10).
    #[must_use]
    pub fn with(&self, ids: BTreeMap<String, String>, check: &Check, is_confirmed: bool) -> AgentChecks {
        let mut checked = if self.ids == ids { self.checked.clone() } else { BTreeMap::new() };
        checked.insert(check.call.clone(), is_confirmed.then(|| check.role.clone()));
        AgentChecks { ids, checked }
    }
}

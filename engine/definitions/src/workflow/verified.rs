//! Money, agreements and links that open a request: no way of a flow leads to one of them before a number was verified,
//! and nobody takes them for a customer. Whether one was verified says the runtime (`system/otp.verify`), no guard that an
//! author writes. What passes this check unseen, the runtime refuses.
//!
//! The ways are followed from the start with what is known on each: whether a number was verified, and whether somebody
//! began the journey for a customer. Guards decide as far as these decide them; every other guard may go either way.

use super::desugar::Builder;
use super::part::OUTCOME;
use super::{Only, Source};
use crate::contract::Takes;
use crate::expressions::expression;
use crate::host::shared_vocabulary;
use crate::message::Channel;
use crate::policy::FLOOR;
use crate::records::AGREEMENT;
use crate::source::{Node, Span};
use engine_statechart::expression::reads::KnownValue;
use engine_statechart::flow::{Candidate, Successor, Work};
use engine_statechart::{Machine, NodeKind, Problem};
use std::collections::{BTreeMap, BTreeSet};

const VERIFY: &str = "otp.verify";

/// What waits for a verified number, in words, and where it is written.
#[derive(Clone, Debug)]
pub struct Need {
    what: String,
    at: Span,
}

impl Builder<'_> {
    /// Notes an action that needs a verified number, by an expression that is evaluated with it.
    pub fn needs_verified(&mut self, kind: &str, node: &Node) {
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
        let (key, what) = match kind {
            "record" if text("kind") == AGREEMENT => ("key", "an agreement is recorded".to_owned()),
            "call" => match self.taken_by(text("operation")) {
                Some(takes) => ("input", format!("`{}` takes {}", text("operation"), takes.word())),
                None => return,
            },
            "notify" if self.opens(node, false) => {
                self.goes_to_a_number(node);
                if self.library.messages.get(text("message")).is_some_and(|m| m.channel == Channel::Email) {
                    return; // whether an address is confirmed says the runtime
                }
                ("to", "a link that opens the request goes out".to_owned())
            }
            "notify" if self.opens(node, true) => return self.goes_to_a_number(node),
            _ => return,
        };
        if let Some(at) = node.get(key) {
            self.needs.insert(at.span.clone(), Need { what, at: node.span.clone() });
        }
    }

    /// Whether a message has a link; `open`: one that may go to a number that nobody has verified.
    fn opens(&self, node: &Node, open: bool) -> bool {
        let links = node.get("data").map_or(&[][..], Node::map).iter().filter_map(|(_, value)| value.get("link"));
        let is_open =
            |link: &Node| link.get("open").is_some_and(|open| open.to_json() == serde_json::Value::Bool(true));
        links.filter(|link| link.is_map()).any(|link| is_open(link) == open)
    }

    /// A link goes to somebody whom the journey knows.
    fn goes_to_a_number(&mut self, node: &Node) {
        let Some(to) = node.get("to") else { return };
        let Some(read) = expression(to, shared_vocabulary(), &[], &mut Vec::new()) else { return };
        if ["context", "event"].into_iter().all(|root| read.reads_of(root, None).reads.is_empty()) {
            let message = "a link goes to the number that was verified in this journey, not to a fixed one";
            self.problems.push(Problem::error(FLOOR, &to.span, message).hint("to: context.lead.mobile"));
        }
    }

    fn taken_by(&self, operation: &str) -> Option<Takes> {
        let (partner, name) = operation.split_once('/')?;
        self.library.partners.get(partner)?.operation(name)?.takes().next()
    }

    fn taken_by_call(&self, id: &str) -> Option<Takes> {
        match &self.invokes.get(id)?.source {
            Source::Operation { partner, operation } => self.taken_by(&format!("{partner}/{operation}")),
            Source::Contract(contract) => self.library.contracts.get(contract)?.takes.first().copied(),
            Source::System(_) => None,
        }
    }

    /// A step that leads to a partner's page where money is taken.
    fn leads_to_payment(&self, partner: Option<&str>) -> bool {
        let operations =
            partner.and_then(|id| self.library.partners.get(id)).map(|partner| partner.operations.values());
        operations.into_iter().flatten().any(|operation| operation.takes().any(|takes| takes == Takes::Money))
    }
}

/// Steps with which money or an agreement is taken, or a number is shown to be the customer's, are closed to who acts for
/// customers, whatever their `only` says.
pub fn close_steps(machine: &Machine, builder: &mut Builder<'_>) {
    let mut closed: Vec<(String, Option<Only>, BTreeSet<String>)> = Vec::new();
    let calls: BTreeMap<&str, Vec<&str>> = builder.invokes.values().fold(BTreeMap::new(), |mut calls, invoke| {
        calls.entry(invoke.node.as_str()).or_insert_with(Vec::new).push(invoke.id.as_str());
        calls
    });
    let ids: Vec<&str> = machine.nodes().map(|node| node.id).collect();
    for step in builder.steps.values() {
        let partner = step.redirect.as_ref().and_then(|redirect| redirect.partner.as_deref());
        let mut only = builder.leads_to_payment(partner).then_some(Only::Verified);
        let mut events = BTreeSet::new();
        let Some(place) = machine.place(&step.node) else { continue };
        for candidate in machine.subtree(place).flat_map(|at| machine.candidates(at)).flatten() {
            let is_persons = candidate.event == "submit" || step.accepts.contains_key(candidate.event);
            if !is_persons {
                continue;
            }
            let agrees = candidate.work.iter().any(|work| match work {
                Work::Read(expression) => builder.needs.get(expression.span()).is_some_and(Need::is_agreement),
                Work::Assign { .. } => false,
            });
            let entered: &[(usize, bool)] = match &candidate.successor {
                Successor::Enters { entered, .. } => entered,
                Successor::SameState | Successor::Dynamic => &[],
            };
            let called = || entered.iter().filter_map(|(at, _)| calls.get(ids.get(*at)?)).flatten();
            let takes = called().any(|id| builder.taken_by_call(id).is_some());
            let proves = called().any(|id| is_verification(builder, id));
            if agrees || takes && candidate.event == "submit" {
                only = Some(Only::Verified);
            } else if takes {
                events.insert(candidate.event.to_owned());
            } else if proves {
                only = only.or(Some(Only::Customer));
            }
        }
        closed.push((step.node.clone(), only, events));
    }
    for (node, only, events) in closed {
        let Some(step) = builder.steps.get_mut(&node) else { continue };
        step.takes = events;
        step.only = match (step.only, only) {
            (Some(Only::Verified), _) | (_, Some(Only::Verified)) => Some(Only::Verified),
            (said, found) => said.or(found),
        };
    }
}

fn is_verification(builder: &Builder<'_>, id: &str) -> bool {
    builder.invokes.get(id).is_some_and(|invoke| matches!(&invoke.source, Source::System(name) if name == VERIFY))
}

impl Need {
    fn is_agreement(&self) -> bool {
        self.what.starts_with("an agreement")
    }
}

/// Everything that needs a verified number, where a way leads to it without one.
pub fn check(machine: &Machine, builder: &mut Builder<'_>, root: &BTreeMap<String, Vec<String>>) {
    let mut found = Walk::follow(machine, builder);
    for invoke in builder.invokes.values() {
        let (Some(takes), Some(at)) = (builder.taken_by_call(&invoke.id), machine.place(&invoke.node)) else {
            continue;
        };
        if found.known[at] & UNVERIFIED != 0 {
            let at = builder.called.get(&invoke.id).cloned().unwrap_or_else(Span::unknown);
            found.early.push(Need { what: format!("this call takes {}", takes.word()), at });
        }
    }
    for step in builder.steps.values() {
        let Some(redirect) = step.redirect.as_ref() else { continue };
        let is_early = machine.place(&step.node).is_some_and(|at| found.known[at] & UNVERIFIED != 0);
        if is_early && builder.leads_to_payment(redirect.partner.as_deref()) {
            let at = builder.step_span(&step.node, "redirect").unwrap_or_else(|| step.span.clone());
            found.early.push(Need { what: "this page takes money".into(), at });
        }
    }
    let early = found.early;
    builder.problems.extend(early.into_iter().map(|need| {
        let message = format!("{}, and a way leads here on which no number was verified", need.what);
        Problem::error(FLOOR, &need.at, message)
            .hint("`use: shared/otp` on every way to it, or a guard `journey.verified`")
    }));
    open_purposes(builder, root);
}

/// What a link opens that goes to a number nobody has verified: pages to look at, and nothing of the whole request.
fn open_purposes(builder: &mut Builder<'_>, root: &BTreeMap<String, Vec<String>>) {
    let mut problems = Vec::new();
    for purpose in std::mem::take(&mut builder.opened) {
        let mut refuse = |at: Span, why: &str| {
            let message = format!("links `{purpose}` are `open`, so they open no {why}");
            problems.push(Problem::error(FLOOR, &at, message).hint("another purpose, to the number that was verified"));
        };
        if root.contains_key(&purpose) {
            let at = builder.linked.iter().find(|(linked, _)| *linked == purpose);
            refuse(at.map_or_else(Span::unknown, |(_, at)| at.clone()), "step of the whole flow");
        }
        for step in builder.steps.values() {
            let Some(events) = step.links.get(&purpose) else { continue };
            let form = step.form.as_ref().and_then(|form| builder.library.forms.get(form));
            let is_personal = form.is_some_and(|form| form.personal().next().is_some());
            let why = match () {
                () if events.iter().any(|event| event == "*") => "step as its owner has it",
                () if step.redirect.is_some() || step.only == Some(Only::Verified) => {
                    "step that takes money or an agreement"
                }
                () if step.review || step.paper.is_some() || is_personal => "step with personal answers",
                () => continue,
            };
            let at = builder.step_nodes.get(&step.node).and_then(|node| node.get("links")?.key(&purpose));
            refuse(at.map_or_else(|| step.span.clone(), |key| key.span.clone()), why);
        }
    }
    builder.problems.append(&mut problems);
}

/// A journey as far as it matters here: bit 0 whether somebody began it for a customer, bit 1 whether a number was verified.
type World = u8;
/// Several worlds, a bit for each.
type Worlds = u8;
const ASSISTED: World = 0b01;
const VERIFIED: World = 0b10;
const EVERY: Worlds = 0b1111;
/// Worlds without a verified number.
const UNVERIFIED: Worlds = 0b0011;

const fn bit(world: World) -> Worlds {
    1 << world
}

fn each_world(worlds: Worlds) -> impl Iterator<Item = World> {
    (0..4).filter(move |world| worlds & bit(*world) != 0)
}

/// Adds what these worlds become once a number is verified.
fn from_then_on(worlds: Worlds) -> Worlds {
    worlds | (worlds & UNVERIFIED) << VERIFIED
}

struct Walk<'m> {
    machine: &'m Machine,
    ids: Vec<&'m str>,
    kinds: Vec<NodeKind>,
    candidates: Vec<Vec<Vec<Candidate<'m>>>>,
    /// Worlds in which each state is entered, or is when something happens.
    known: Vec<Worlds>,
    /// Events of the end of a call that verifies.
    verifies: BTreeSet<String>,
    /// Place in the context where each part keeps its own, and the state that uses it.
    hosts: Vec<(Vec<String>, usize)>,
    /// Events that a state's own step takes from a person, by state.
    accepts: Vec<Option<BTreeSet<&'m str>>>,
    /// Events that a step takes from a person somewhere: sent where the shown step takes them, and nowhere else.
    sent: BTreeSet<&'m str>,
    needs: &'m BTreeMap<Span, Need>,
    early: BTreeMap<Span, Need>,
}

struct Followed {
    known: Vec<Worlds>,
    early: Vec<Need>,
}

impl<'m> Walk<'m> {
    fn follow(machine: &'m Machine, builder: &'m Builder<'_>) -> Followed {
        let verifies = builder.invokes.keys().filter(|id| is_verification(builder, id));
        let host =
            |(place, id): (&String, &String)| Some((place.split('.').map(str::to_owned).collect(), machine.place(id)?));
        let ids: Vec<&str> = machine.nodes().map(|node| node.id).collect();
        let accepts: Vec<Option<BTreeSet<&str>>> =
            ids.iter().map(|id| Some(builder.steps.get(*id)?.accepts.keys().map(String::as_str).collect())).collect();
        let sent = accepts.iter().flatten().flatten().copied().collect();
        let mut walk = Walk {
            machine,
            kinds: machine.nodes().map(|node| node.kind).collect(),
            candidates: (0..ids.len()).map(|at| machine.candidates(at)).collect(),
            known: vec![0; ids.len()],
            ids,
            verifies: verifies.map(|id| format!("xstate.done.actor.{id}")).collect(),
            hosts: builder.hosts.iter().filter_map(host).collect(),
            accepts,
            sent,
            needs: &builder.needs,
            early: BTreeMap::new(),
        };
        walk.begin(0);
        loop {
            let before = walk.known.clone();
            let leaves = (0..walk.ids.len()).filter(|at| matches!(walk.kinds[*at], NodeKind::Atomic | NodeKind::Final));
            for leaf in leaves.collect::<Vec<_>>() {
                if walk.known[leaf] != 0 {
                    walk.leave(leaf);
                }
            }
            if walk.known == before {
                break;
            }
        }
        Followed { known: walk.known, early: walk.early.into_values().collect() }
    }

    fn begin(&mut self, at: usize) {
        self.enter(at, true, EVERY);
        match self.kinds[at] {
            NodeKind::Compound => self.machine.initial_child(at).into_iter().for_each(|child| self.begin(child)),
            NodeKind::Parallel => {
                let children = self.machine.subtree(at).filter(|child| self.machine.parent(*child) == Some(at));
                children.collect::<Vec<_>>().into_iter().for_each(|child| self.begin(child));
            }
            NodeKind::Atomic | NodeKind::Final | NodeKind::History => {}
        }
    }

    fn enter(&mut self, at: usize, by_default: bool, worlds: Worlds) {
        self.known[at] |= worlds;
        let (machine, worlds) = (self.machine, self.known[at]);
        self.note(&machine.entry_work(at, by_default), worlds);
    }

    fn note(&mut self, work: &[Work<'m>], worlds: Worlds) {
        for work in work {
            let Work::Read(expression) = work else { continue };
            if let Some(need) = self.needs.get(expression.span()).filter(|_| worlds & UNVERIFIED != 0) {
                self.early.insert(need.at.clone(), need.clone());
            }
        }
    }

    /// Whatever can happen in a leaf.
    fn leave(&mut self, leaf: usize) {
        let mut answered: BTreeSet<&str> = BTreeSet::new();
        let mut node = Some(leaf);
        while let Some(at) = node {
            let lists = std::mem::take(&mut self.candidates[at]);
            for list in &lists {
                let Some(event) = list.first().map(|candidate| candidate.event) else { continue };
                if !self.can_be_sent(event, leaf) {
                    continue;
                }
                if !answered.contains(event) && (!event.starts_with("xstate.done.state.") || self.ends(leaf, at)) {
                    self.happens(event, list, leaf);
                }
            }
            let ends = lists.iter().filter(|list| list.iter().any(|c| c.guard.is_empty() && !c.event.is_empty()));
            answered.extend(ends.filter_map(|list| list.first()).map(|candidate| candidate.event));
            self.candidates[at] = lists;
            node = self.machine.parent(at);
        }
    }

    /// Whether this event can happen in a leaf: one that persons send only where the shown step takes it.
    fn can_be_sent(&self, event: &str, leaf: usize) -> bool {
        let mut around = std::iter::successors(Some(leaf), |at| self.machine.parent(*at));
        let shown = around.find_map(|at| self.accepts[at].as_ref());
        !self.sent.contains(event) || shown.is_some_and(|accepts| accepts.contains(event))
    }

    /// Whether a final state is the end of that state.
    fn ends(&self, leaf: usize, at: usize) -> bool {
        let parent = self.machine.parent(leaf);
        let is_region = || parent.and_then(|parent| self.machine.parent(parent)) == Some(at);
        let is_end = parent == Some(at) || is_region() && self.kinds[at] == NodeKind::Parallel;
        self.kinds[leaf] == NodeKind::Final && is_end
    }

    fn happens(&mut self, event: &str, list: &[Candidate<'m>], leaf: usize) {
        let here = each_world(self.known[leaf]);
        let mut open: Vec<(World, Option<bool>)> = match self.verifies.contains(event) {
            true => here.flat_map(|world| [(world | VERIFIED, Some(true)), (world, Some(false))]).collect(),
            false => here.map(|world| (world, None)).collect(),
        };
        for candidate in list {
            let (mut taken, mut rest) = (0, Vec::new());
            for (world, ok) in open {
                let is_taken = candidate.is_taken(&|path| self.knows(path, world, ok, leaf));
                if is_taken != Some(false) {
                    taken |= bit(world);
                }
                if is_taken != Some(true) {
                    rest.push((world, ok));
                }
            }
            open = rest;
            if taken != 0 {
                self.take(leaf, candidate, taken);
            }
        }
        // What nothing takes leaves a verified number behind all the same.
        self.known[leaf] |= open.iter().fold(0, |worlds, (world, _)| worlds | bit(*world));
    }

    fn take(&mut self, leaf: usize, candidate: &Candidate<'m>, worlds: Worlds) {
        self.note(&candidate.work, worlds);
        match &candidate.successor {
            Successor::SameState => self.known[leaf] |= worlds,
            Successor::Dynamic => (0..self.ids.len()).for_each(|at| self.enter(at, true, worlds)),
            Successor::Enters { domain, entered } => {
                let mut node = Some(leaf);
                while let Some(at) = node.filter(|at| Some(*at) != *domain) {
                    let machine = self.machine;
                    self.note(&machine.exit_work(at), worlds);
                    node = self.machine.parent(at);
                }
                entered.iter().for_each(|(at, by_default)| self.enter(*at, *by_default, worlds));
            }
        }
    }

    fn knows(&self, path: &[&str], world: World, ok: Option<bool>, leaf: usize) -> Option<KnownValue> {
        let is_assisted = world & ASSISTED != 0;
        match path {
            ["journey", "verified"] => Some(KnownValue::Bool(world & VERIFIED != 0)),
            ["journey", "assisted_by"] if is_assisted => Some(KnownValue::SomeText),
            ["journey", "assisted_by"] => Some(KnownValue::Text(String::new())),
            ["journey", "skips_otp"] if !is_assisted => Some(KnownValue::Bool(false)),
            ["event", "output", "ok"] => ok.map(KnownValue::Bool),
            ["event", "output", OUTCOME] if self.kinds[leaf] == NodeKind::Final => {
                let name = self.ids[leaf].rsplit('.').next().unwrap_or_default();
                Some(KnownValue::Text(name.to_owned()))
            }
            // What a part was given is there from its first entry on.
            ["context", part @ .., "input"] => {
                let (_, host) =
                    self.hosts.iter().find(|(place, _)| place.iter().map(String::as_str).eq(part.iter().copied()))?;
                (from_then_on(self.known[*host]) & bit(world) == 0).then_some(KnownValue::Absent)
            }
            _ => None,
        }
    }
}

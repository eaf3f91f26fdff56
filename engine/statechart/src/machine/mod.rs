//! A machine, compiled once: indices in document order, transitions by event, expressions ready.

mod actions;
mod body;
mod check;
pub mod flow;
mod hash;
mod keys;
pub(crate) mod model;
mod plan;
mod targets;
mod tree;

pub use model::{NodeKind, NodeView};
pub(crate) use targets::check_regions;

use crate::expression::Expression;
use crate::interpret;
use crate::problem::{Problem, Problems};
use crate::snapshot::Snapshot;
use crate::source::Node;
use crate::vocabulary::{Limits, Vocabulary};
use body::{Compiler, Faults};
use hash::Table;
use model::{EVENT_UNKNOWN, EventIx, NodeIx, StateNode, Transition, TransitionIx};
use serde_json::{Map, Value};

#[derive(Debug)]
pub struct Machine {
    pub(crate) nodes: Vec<StateNode>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) context: Map<String, Value>,
    pub(crate) limits: Limits,
    pub(crate) has_always: bool,
    pub(crate) has_history: bool,
    by_id: Table,
    events: Table,
    event_names: Vec<Box<str>>,
    /// Fields of the named actions, by their number.
    pub(crate) named: Vec<Vec<(String, Expression)>>,
}

impl Machine {
    /// Compiles a definition: the machine and its warnings, or every problem.
    pub fn compile(node: &Node, vocabulary: &Vocabulary) -> Result<(Machine, Vec<Problem>), Vec<Problem>> {
        let mut problems = Problems::default();
        let machine = compile(node, vocabulary, &mut problems);
        match machine {
            Some(machine) if !problems.has_errors() => Ok((machine, problems.into_sorted())),
            _ => Err(problems.into_sorted()),
        }
    }

    pub fn id(&self) -> &str {
        &self.nodes[0].id
    }

    /// Every node in document order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'_>> {
        (0..self.nodes.len() as NodeIx).map(|ix| self.view(ix))
    }

    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<NodeView<'_>> {
        self.find(id).map(|ix| self.view(ix))
    }

    /// The place of the node with this id in [`Machine::nodes`].
    pub fn place(&self, id: &str) -> Option<usize> {
        self.find(id).map(|ix| ix as usize)
    }

    /// Ids from the node itself outwards to the root; none for an unknown id.
    pub fn ancestors<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(self.find(id), |ix| self.nodes[*ix as usize].parent)
            .map(|ix| &*self.nodes[ix as usize].id)
    }

    /// Event descriptors that the node handles itself, wildcards and internal events included.
    pub fn events_of(&self, id: &str) -> impl Iterator<Item = &str> {
        let node = self.find(id).map(|ix| &self.nodes[ix as usize]);
        let exact = node.into_iter().flat_map(|n| &n.on).map(|(event, _)| &*self.event_names[*event as usize]);
        let wild = node.into_iter().flat_map(|n| &n.wildcards).map(|(wildcard, _)| &*wildcard.descriptor);
        exact.chain(wild)
    }

    /// Whether the snapshot belongs to this machine: known ids, a legal configuration.
    pub fn snapshot_fits(&self, snapshot: &Snapshot) -> Result<(), String> {
        interpret::fits(self, snapshot)
    }

    pub(crate) fn find(&self, id: &str) -> Option<NodeIx> {
        self.by_id.get(id).copied()
    }

    /// The number of an event that stands in some descriptor.
    pub(crate) fn event(&self, kind: &str) -> EventIx {
        self.events.get(kind).copied().unwrap_or(EVENT_UNKNOWN)
    }

    pub(crate) fn transition(&self, ix: TransitionIx) -> &Transition {
        &self.transitions[ix as usize]
    }

    /// `inner` is `outer` or lies below it.
    pub(crate) fn is_within(&self, inner: NodeIx, outer: NodeIx) -> bool {
        outer <= inner && inner < self.nodes[outer as usize].end
    }

    fn view(&self, ix: NodeIx) -> NodeView<'_> {
        let node = &self.nodes[ix as usize];
        NodeView {
            id: &node.id,
            key: &node.key,
            path: &node.path,
            kind: node.kind,
            parent: node.parent.map(|p| &*self.nodes[p as usize].id),
            span: &node.span,
            order: ix as usize,
            is_transient: node.always.iter().any(|ix| self.transitions[*ix as usize].guard.is_none()),
        }
    }
}

fn compile(node: &Node, vocabulary: &Vocabulary, problems: &mut Problems) -> Option<Machine> {
    let tree = tree::read(node, &vocabulary.limits, problems)?;
    let context = context(node, problems);
    let mut compiler = Compiler {
        tree,
        vocabulary,
        problems,
        transitions: Vec::new(),
        faults: Faults::default(),
        events: Table::default(),
        event_names: Vec::new(),
        named: Vec::new(),
    };
    compiler.bodies();
    let Compiler { tree, transitions, faults, events, event_names, named, .. } = compiler;
    let mut machine = Machine {
        has_always: tree.nodes.iter().any(|n| !n.always.is_empty()),
        has_history: tree.nodes.iter().any(|n| n.kind == NodeKind::History),
        nodes: tree.nodes,
        by_id: tree.by_id,
        transitions,
        context,
        limits: vocabulary.limits.clone(),
        events,
        event_names,
        named,
    };
    check::check(&machine, &faults, problems);
    if problems.has_errors() {
        return None;
    }
    plan::make(&mut machine);
    Some(machine)
}

fn context(root: &Node, problems: &mut Problems) -> Map<String, Value> {
    let Some(context) = root.get("context") else { return Map::new() };
    match context.to_json() {
        Value::Object(map) => map,
        _ => {
            problems.push(Problem::error(
                "shape",
                &context.span,
                format!("`context` is a map, not {}", context.kind()),
            ));
            Map::new()
        }
    }
}

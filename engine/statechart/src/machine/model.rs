//! The compiled form: nodes in document order, transitions by index, expressions compiled.
//!
//! *Order*: a node's index is its place in document order, so the descendants of `n` are exactly
//! the indices in `n + 1 .. end(n)`; the interpreter relies on it everywhere.

use crate::expression::Expression;
use crate::source::Span;

pub(crate) type NodeIx = u32;
pub(crate) type TransitionIx = u32;
pub(crate) type EventIx = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Atomic,
    Compound,
    Parallel,
    Final,
    History,
}

/// What a host may ask about a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    pub id: &'a str,
    /// Key of the node in its parent; the root's is its id.
    pub key: &'a str,
    /// Keys from the root, the root's own left out: `a.b`.
    pub path: &'a str,
    pub kind: NodeKind,
    pub parent: Option<&'a str>,
    pub span: &'a Span,
    /// Position in document order; the root is 0.
    pub order: usize,
    /// Whether it is left as soon as it is entered: one of its `always` transitions has no guard.
    pub is_transient: bool,
}

#[derive(Debug)]
pub(crate) struct StateNode {
    pub id: Box<str>,
    pub key: Box<str>,
    pub path: Box<str>,
    pub span: Span,
    pub kind: NodeKind,
    pub parent: Option<NodeIx>,
    /// First index after the node's subtree.
    pub end: NodeIx,
    /// Children in document order, history nodes included.
    pub children: Vec<NodeIx>,
    /// The child that `initial` names, of a compound state.
    pub initial: Option<NodeIx>,
    pub initial_actions: Vec<Action>,
    /// Whether a history state is deep instead of shallow, and its default targets (empty: none given).
    pub deep: bool,
    pub defaults: Vec<NodeIx>,
    /// History children of the node.
    pub histories: Vec<NodeIx>,
    pub entry: Vec<Action>,
    pub exit: Vec<Action>,
    /// Candidates by exact event, sorted by event.
    pub on: Vec<(EventIx, Vec<TransitionIx>)>,
    /// Candidates by wildcard, in the order in which they are tried.
    pub wildcards: Vec<(Wildcard, Vec<TransitionIx>)>,
    pub always: Vec<TransitionIx>,
    /// Delayed transitions, ascending by duration.
    pub after: Vec<After>,
    pub invokes: Vec<Invoke>,
    pub output: Option<Output>,
    /// Name of the done event: `xstate.done.state.<id>`.
    pub done: Box<str>,
}

#[derive(Debug)]
pub(crate) struct Wildcard {
    pub descriptor: Box<str>,
    /// `a.b` of `a.b.*`; empty for `*`.
    pub prefix: Box<str>,
}

impl Wildcard {
    /// Whether an event matches by whole dot-separated tokens: `a.*` matches `a` and `a.b`, not `ab`.
    pub fn matches(&self, kind: &str) -> bool {
        self.prefix.is_empty()
            || kind.strip_prefix(&*self.prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

#[derive(Debug)]
pub(crate) struct Transition {
    pub source: NodeIx,
    pub targets: Vec<NodeIx>,
    pub guard: Option<Guard>,
    pub actions: Vec<Action>,
    pub reenter: bool,
    /// Domain and entry set, when no history node takes part.
    pub plan: Option<Plan>,
    pub span: Span,
}

/// What a transition without history does, computed once.
#[derive(Debug)]
pub(crate) struct Plan {
    pub domain: Domain,
    /// Nodes that are entered, in document order; `true` for nodes entered by default.
    pub entry: Vec<(NodeIx, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// The root itself is left and entered again.
    AboveRoot,
    Node(NodeIx),
}

#[derive(Debug)]
pub(crate) enum Guard {
    Expression(Expression),
    Constant(bool),
    And(Vec<Guard>),
    Or(Vec<Guard>),
    Not(Box<Guard>),
}

#[derive(Debug)]
pub(crate) enum Action {
    Assign(Vec<Assignment>),
    Raise(Raise),
    Cancel(Box<str>),
    /// `number`: where its fields stand among those of all named actions of the machine.
    Named {
        kind: Box<str>,
        number: usize,
    },
}

#[derive(Debug)]
pub(crate) struct Assignment {
    /// One key, or a path when the vocabulary has dotted keys.
    pub path: Vec<String>,
    pub value: Expression,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Raise {
    pub kind: Box<str>,
    pub params: Vec<(String, Expression)>,
    pub delay: Option<Delay>,
    pub id: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) enum Delay {
    Fixed(i64),
    /// A delay of the vocabulary; the expression gives milliseconds.
    Named(Box<str>, Expression),
}

#[derive(Debug)]
pub(crate) struct After {
    pub delay: Delay,
    /// `xstate.after.<ms or name>.<node id>`
    pub event: Box<str>,
}

#[derive(Debug)]
pub(crate) struct Invoke {
    pub id: Box<str>,
    pub src: Box<str>,
    pub input: Expression,
}

#[derive(Debug)]
pub(crate) enum Output {
    Value(Expression),
    Map(Vec<(String, Expression)>),
}

impl StateNode {
    /// Children that can be active.
    pub fn regions<'a>(&'a self, nodes: &'a [StateNode]) -> impl DoubleEndedIterator<Item = NodeIx> + 'a {
        self.children.iter().copied().filter(|c| nodes[*c as usize].kind != NodeKind::History)
    }

    pub fn is_leaf(&self) -> bool {
        matches!(self.kind, NodeKind::Atomic | NodeKind::Final)
    }
}

/// Events are numbered when the machine is compiled; this one is in no exact descriptor.
pub(crate) const EVENT_UNKNOWN: EventIx = EventIx::MAX;

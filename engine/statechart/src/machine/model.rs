//! views
use crate::source::Span;

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
    /// Key in its parent; the root's is its id.
    pub key: &'a str,
    /// Keys from the root, the root's own left out: `a.b`.
    pub path: &'a str,
    pub kind: NodeKind,
    pub parent: Option<&'a str>,
    pub span: &'a Span,
    /// Position in document order; the root is 0.
    pub order: usize,
}

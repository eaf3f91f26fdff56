//! Transition domain and exit set.

use crate::machine::Machine;
use crate::machine::model::{Domain, NodeIx};
use std::ops::Range;

/// SCXML `getTransitionDomain`, with the dialect's word for `reenter` and for the root.
pub fn transition_domain(m: &Machine, source: NodeIx, reenter: bool, effective: &[NodeIx]) -> Domain {
    if !reenter && effective.iter().all(|t| m.is_within(*t, source)) {
        return Domain::Node(source);
    }
    let is_proper_ancestor = |a: NodeIx, of: NodeIx| a != of && m.is_within(of, a);
    let first = effective.first().copied().unwrap_or(source);
    let mut ancestors = std::iter::successors(m.nodes[first as usize].parent, |a| m.nodes[*a as usize].parent);
    let common =
        ancestors.find(|a| is_proper_ancestor(*a, source) && effective.iter().all(|t| is_proper_ancestor(*a, *t)));
    match common {
        Some(node) => Domain::Node(node),
        None if reenter => Domain::AboveRoot,
        None => Domain::Node(0),
    }
}

/// The indices of the nodes that leaving a domain's inside can touch; the active ones are the exit set.
pub fn exit_range(m: &Machine, domain: Domain) -> Range<NodeIx> {
    match domain {
        Domain::AboveRoot => 0..m.nodes[0].end,
        Domain::Node(node) => node + 1..m.nodes[node as usize].end,
    }
}

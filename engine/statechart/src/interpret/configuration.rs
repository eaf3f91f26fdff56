//! The set of active nodes: a sorted list of indices; ids at rest.

use crate::machine::check_regions;
use crate::machine::model::NodeIx;
use crate::machine::{Machine, NodeKind};
use crate::snapshot::Snapshot;
use crate::source::Span;
use serde_json::{Map, Value};

/// The active nodes of a snapshot, ancestors included; an unknown id as the error.
pub fn restore(m: &Machine, snapshot: &Snapshot) -> Result<Vec<NodeIx>, String> {
    let mut active: Vec<NodeIx> = Vec::with_capacity(snapshot.active.len() * 2 + 2);
    for id in &snapshot.active {
        let leaf = m.find(id).ok_or_else(|| format!("unknown state `{id}`"))?;
        let from = active.len();
        let mut next = Some(leaf);
        while let Some(node) = next {
            // An ancestor of the leaf before is there already, and so are its ancestors.
            if from > 0 && node <= active[from - 1] && m.is_within(active[from - 1], node) {
                break;
            }
            active.push(node);
            next = m.nodes[node as usize].parent;
        }
        active[from..].reverse();
    }
    if !active.is_sorted() {
        active.sort_unstable();
        active.dedup();
    }
    Ok(active)
}

/// Writes the innermost active nodes as ids, reusing the strings that are there.
pub fn store(m: &Machine, active: &[NodeIx], ids: &mut Vec<String>) {
    let mut count = 0;
    for (i, node) in active.iter().enumerate() {
        let end = m.nodes[*node as usize].end;
        if active.get(i + 1).is_some_and(|next| *next < end) {
            continue;
        }
        let id = &*m.nodes[*node as usize].id;
        match ids.get_mut(count) {
            Some(known) if known == id => {}
            Some(known) => {
                known.clear();
                known.push_str(id);
            }
            None => ids.push(id.to_owned()),
        }
        count += 1;
    }
    ids.truncate(count);
}

/// *Legal configuration*: the root is active; an active node's parent is active; of a compound
/// exactly one child is active, of a parallel all regions; no history node is.
pub fn is_legal(m: &Machine, active: &[NodeIx]) -> bool {
    let is_active = |n: NodeIx| active.binary_search(&n).is_ok();
    is_active(0)
        && active.iter().all(|n| {
            let node = &m.nodes[*n as usize];
            let mut regions = node.regions(&m.nodes);
            node.parent.is_none_or(is_active)
                && match node.kind {
                    NodeKind::Atomic | NodeKind::Final => true,
                    NodeKind::Compound => regions.filter(|r| is_active(*r)).count() == 1,
                    NodeKind::Parallel => regions.all(is_active),
                    NodeKind::History => false,
                }
        })
}

pub fn fits(m: &Machine, snapshot: &Snapshot) -> Result<(), String> {
    let active = restore(m, snapshot)?;
    if !is_legal(m, &active) {
        return Err(format!("active states {:?} do not fit together", snapshot.active));
    }
    for (history, nodes) in &snapshot.history {
        let known = m.find(history).filter(|h| m.nodes[*h as usize].kind == NodeKind::History);
        let parent = known
            .and_then(|h| m.nodes[h as usize].parent)
            .ok_or_else(|| format!("unknown history state `{history}`"))?;
        let mut recorded = Vec::with_capacity(nodes.len());
        for id in nodes {
            let node = m
                .find(id)
                .filter(|n| *n != parent && m.is_within(*n, parent) && m.nodes[*n as usize].kind != NodeKind::History);
            recorded.push(node.ok_or_else(|| format!("unknown state `{id}` in history `{history}`"))?);
        }
        check_regions(&m.nodes, &recorded, &Span::unknown())
            .map_err(|problem| format!("history `{history}`: {}", problem.message))?;
    }
    Ok(())
}

/// Writes XState's state value of a configuration.
pub fn state_value(m: &Machine, active: &[NodeIx]) -> Value {
    if active.is_empty() { Value::Object(Map::new()) } else { node_value(m, active, 0) }
}

/// The value of the node at a position of the list.
fn node_value(m: &Machine, active: &[NodeIx], at: usize) -> Value {
    let node = &m.nodes[active[at] as usize];
    let mut children = Vec::new();
    let mut next = at + 1;
    while let Some(child) = active.get(next).filter(|c| **c < node.end) {
        children.push(next);
        let end = m.nodes[*child as usize].end;
        next += active[next..].partition_point(|n| *n < end);
    }
    let key = |position: usize| m.nodes[active[position] as usize].key.to_string();
    match (node.kind, children.as_slice()) {
        (NodeKind::Compound, [child]) if m.nodes[active[*child] as usize].is_leaf() => Value::String(key(*child)),
        (_, children) => Value::Object(children.iter().map(|c| (key(*c), node_value(m, active, *c))).collect()),
    }
}

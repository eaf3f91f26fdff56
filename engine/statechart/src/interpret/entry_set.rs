//! The entry set: SCXML `computeEntrySet`, `addDescendantStatesToEnter`, `addAncestorStatesToEnter`.

use crate::machine::model::{Domain, NodeIx};
use crate::machine::{Machine, NodeKind};

/// A definition whose history leads back into itself; never legal, found at run time at the latest.
#[derive(Debug, PartialEq, Eq)]
pub struct HistoryLoop;

/// What a history node recorded, in document order.
pub type Recorded<'a> = &'a dyn Fn(NodeIx) -> Option<Vec<NodeIx>>;

/// Bounds the recursion through history nodes; the tree itself is bounded by its depth.
const HISTORY_DEPTH_MAX: u32 = 32;
const HISTORY_STEPS_MAX: u32 = 2_000;

pub struct EntrySet<'a> {
    m: &'a Machine,
    recorded: Recorded<'a>,
    /// Nodes, sorted.
    nodes: Vec<NodeIx>,
    default_entered: Vec<NodeIx>,
    history_depth: u32,
    history_steps: u32,
    history_steps_max: u32,
}

impl<'a> EntrySet<'a> {
    pub fn new(m: &'a Machine, recorded: Recorded<'a>) -> Self {
        EntrySet {
            m,
            recorded,
            nodes: Vec::new(),
            default_entered: Vec::new(),
            history_depth: 0,
            history_steps: 0,
            history_steps_max: HISTORY_STEPS_MAX,
        }
    }

    /// Makes a set that passes no history node.
    pub fn without_history(mut self) -> Self {
        self.history_steps_max = 0;
        self
    }

    /// Adds what one transition enters.
    pub fn enter(&mut self, targets: &[NodeIx], effective: &[NodeIx], domain: Domain) -> Result<(), HistoryLoop> {
        for target in targets {
            if self.kind(*target) != NodeKind::History && domain != Domain::Node(*target) {
                self.add(*target);
            }
            self.descend(*target)?;
        }
        for target in effective {
            if domain != Domain::Node(*target) {
                self.add_ancestors(*target, domain)?;
            }
            if let Domain::Node(node) = domain
                && self.kind(node) == NodeKind::Parallel
            {
                self.complete(node)?;
            }
        }
        Ok(())
    }

    /// Adds what entering the machine enters.
    pub fn enter_root(&mut self) -> Result<(), HistoryLoop> {
        self.add(0);
        self.descend(0)
    }

    /// Nodes in document order; `true` for those whose `initial` chose the child.
    pub fn into_sorted(self) -> Vec<(NodeIx, bool)> {
        let EntrySet { nodes, default_entered, .. } = self;
        nodes.into_iter().map(|n| (n, default_entered.contains(&n))).collect()
    }

    /// Adds a planned entry.
    pub fn add_planned(&mut self, entry: &[(NodeIx, bool)]) {
        for (node, default) in entry {
            self.add(*node);
            if *default {
                self.default_entered.push(*node);
            }
        }
    }

    fn descend(&mut self, node: NodeIx) -> Result<(), HistoryLoop> {
        match self.kind(node) {
            NodeKind::Atomic | NodeKind::Final => Ok(()),
            NodeKind::Parallel => self.complete(node),
            NodeKind::Compound => {
                self.default_entered.push(node);
                let Some(initial) = self.m.nodes[node as usize].initial else { return Ok(()) };
                if self.kind(initial) != NodeKind::History {
                    self.add(initial);
                }
                self.descend(initial)
            }
            NodeKind::History => self.restore(node),
        }
    }

    fn restore(&mut self, history: NodeIx) -> Result<(), HistoryLoop> {
        if self.history_steps >= self.history_steps_max || self.history_depth >= HISTORY_DEPTH_MAX {
            return Err(HistoryLoop);
        }
        self.history_steps += 1;
        self.history_depth += 1;
        let Some(parent) = self.m.nodes[history as usize].parent else { return Ok(()) };
        let restored = (self.recorded)(history).unwrap_or_else(|| {
            let (defaults, by_initial) = default_targets(self.m, history);
            if by_initial {
                self.default_entered.push(parent);
            }
            defaults
        });
        for node in &restored {
            if self.kind(*node) != NodeKind::History {
                self.add(*node);
            }
            self.descend(*node)?;
        }
        for node in &restored {
            self.add_ancestors(*node, Domain::Node(parent))?;
        }
        self.history_depth -= 1;
        Ok(())
    }

    /// Proper ancestors from the inside out, those below the domain.
    fn add_ancestors(&mut self, node: NodeIx, domain: Domain) -> Result<(), HistoryLoop> {
        let mut next = self.m.nodes[node as usize].parent;
        while let Some(ancestor) = next {
            if let Domain::Node(domain) = domain
                && (ancestor == domain || !self.m.is_within(ancestor, domain))
            {
                break;
            }
            self.add(ancestor);
            if self.kind(ancestor) == NodeKind::Parallel {
                self.complete(ancestor)?;
            }
            next = self.m.nodes[ancestor as usize].parent;
        }
        Ok(())
    }

    /// Regions of a parallel node that nothing below enters yet.
    fn complete(&mut self, parallel: NodeIx) -> Result<(), HistoryLoop> {
        let m = self.m;
        for region in m.nodes[parallel as usize].regions(&m.nodes) {
            if !self.has_below(region) {
                self.add(region);
                self.descend(region)?;
            }
        }
        Ok(())
    }

    fn has_below(&self, node: NodeIx) -> bool {
        let after = self.nodes.partition_point(|n| *n <= node);
        self.nodes.get(after).is_some_and(|n| *n < self.m.nodes[node as usize].end)
    }

    fn add(&mut self, node: NodeIx) {
        match self.nodes.last() {
            None => self.nodes.push(node),
            Some(last) if *last < node => self.nodes.push(node),
            Some(_) => {
                if let Err(place) = self.nodes.binary_search(&node) {
                    self.nodes.insert(place, node);
                }
            }
        }
    }

    fn kind(&self, node: NodeIx) -> NodeKind {
        self.m.nodes[node as usize].kind
    }
}

/// States to which a history node without a recording leads, and whether its parent's `initial` chose that.
fn default_targets(m: &Machine, history: NodeIx) -> (Vec<NodeIx>, bool) {
    let node = &m.nodes[history as usize];
    if !node.defaults.is_empty() {
        return (node.defaults.clone(), false);
    }
    let parent = node.parent.unwrap_or(0);
    match m.nodes[parent as usize].kind {
        NodeKind::Parallel => (vec![parent], false),
        _ => (m.nodes[parent as usize].initial.into_iter().collect(), true),
    }
}

/// SCXML `getEffectiveTargetStates`: every history node replaced by what it restores.
pub fn effective_targets(m: &Machine, targets: &[NodeIx], recorded: Recorded<'_>) -> Result<Vec<NodeIx>, HistoryLoop> {
    if targets.iter().all(|t| m.nodes[*t as usize].kind != NodeKind::History) {
        return Ok(targets.to_vec());
    }
    let mut found = Vec::with_capacity(targets.len());
    collect(m, targets, recorded, &mut found, 0, &mut 0)?;
    Ok(found)
}

fn collect(
    m: &Machine,
    targets: &[NodeIx],
    recorded: Recorded<'_>,
    found: &mut Vec<NodeIx>,
    depth: u32,
    steps: &mut u32,
) -> Result<(), HistoryLoop> {
    for target in targets {
        if m.nodes[*target as usize].kind != NodeKind::History {
            if !found.contains(target) {
                found.push(*target);
            }
            continue;
        }
        *steps += 1;
        if depth > HISTORY_DEPTH_MAX || *steps > HISTORY_STEPS_MAX {
            return Err(HistoryLoop);
        }
        let restored = recorded(*target).unwrap_or_else(|| default_targets(m, *target).0);
        collect(m, &restored, recorded, found, depth + 1, steps)?;
    }
    Ok(())
}

//! The tree of states: kinds, ids, order, `initial`, history. What stands in a node (transitions,
//! actions) is compiled afterwards, when every id is known.

use super::hash::Table;
use super::keys;
use super::model::{NodeIx, NodeKind, StateNode};
use crate::problem::{Problem, Problems};
use crate::source::{Node, Span};
use crate::suggest::did_you_mean;
use crate::vocabulary::Limits;
use std::cell::Cell;

pub struct Tree<'a> {
    pub nodes: Vec<StateNode>,
    /// The definition of each node.
    pub sources: Vec<&'a Node>,
    pub by_id: Table,
    /// How often a name may still be compared with those of all states: a file full of mistakes
    /// must not take long.
    hints: Cell<u32>,
}

const HINTS_MAX: u32 = 200;

impl Tree<'_> {
    /// Whether one more hint may be looked for.
    pub fn takes_hint(&self) -> bool {
        let left = self.hints.get();
        self.hints.set(left.saturating_sub(1));
        left > 0
    }
}

/// `None` when there is nothing to go on with.
pub fn read<'a>(root: &'a Node, limits: &Limits, problems: &mut Problems) -> Option<Tree<'a>> {
    let id = keys::string(root, "id", problems).unwrap_or("(machine)").to_owned();
    let mut reader = TreeReader { limits, problems, nodes: Vec::new(), sources: Vec::new(), full: false };
    reader.node(root, &root.span, &id, None, 0)?;
    if reader.full {
        return None;
    }
    let (nodes, sources) = (reader.nodes, reader.sources);
    let by_id = index(&nodes, problems);
    let mut tree = Tree { nodes, sources, by_id, hints: Cell::new(HINTS_MAX) };
    initials(&mut tree, problems);
    Some(tree)
}

struct TreeReader<'a, 'p> {
    limits: &'p Limits,
    problems: &'p mut Problems,
    nodes: Vec<StateNode>,
    sources: Vec<&'a Node>,
    full: bool,
}

impl<'a> TreeReader<'a, '_> {
    fn node(
        &mut self,
        source: &'a Node,
        span: &Span,
        key: &str,
        parent: Option<NodeIx>,
        depth: usize,
    ) -> Option<NodeIx> {
        if !keys::check(source, keys::STATE, "a state", self.problems) {
            return None;
        }
        if self.nodes.len() >= self.limits.states_max {
            let message = format!("more than {} states", self.limits.states_max);
            self.refuse("too-many-states", span, message);
            return None;
        }
        if depth > self.limits.state_depth_max {
            let message = format!("states are nested more than {} deep", self.limits.state_depth_max);
            self.refuse("too-deep", span, message);
            return None;
        }
        let ix = self.nodes.len() as NodeIx;
        let (kind, deep) = self.kind(source, span);
        let (id, path) = self.names(source, key, parent);
        self.nodes.push(StateNode {
            done: format!("xstate.done.state.{id}").into(),
            id,
            key: key.into(),
            path,
            span: span.clone(),
            kind,
            parent,
            end: ix + 1,
            children: Vec::new(),
            initial: None,
            initial_actions: Vec::new(),
            deep,
            defaults: Vec::new(),
            histories: Vec::new(),
            entry: Vec::new(),
            exit: Vec::new(),
            on: Vec::new(),
            wildcards: Vec::new(),
            always: Vec::new(),
            after: Vec::new(),
            invokes: Vec::new(),
            output: None,
        });
        self.sources.push(source);
        self.check_misplaced(source, kind, parent.is_none());
        for (key, child) in source.get("states").map_or(&[][..], Node::map) {
            if self.full {
                break;
            }
            if key.name.is_empty() || key.name.contains('.') || key.name.starts_with('#') {
                let message = format!("state key `{}` is empty, has a `.` or starts with `#`", key.name);
                self.problems.push(Problem::error("bad-key", &key.span, message));
            }
            let Some(child) = self.node(child, &key.span, &key.name, Some(ix), depth + 1) else { continue };
            let history = self.nodes[child as usize].kind == NodeKind::History;
            let node = &mut self.nodes[ix as usize];
            node.children.push(child);
            if history {
                node.histories.push(child);
            }
        }
        let end = self.nodes.len() as NodeIx;
        self.nodes[ix as usize].end = end;
        Some(ix)
    }

    fn refuse(&mut self, code: &'static str, span: &Span, message: String) {
        if !self.full {
            self.problems.push(Problem::error(code, span, message));
        }
        self.full = true;
    }

    fn names(&mut self, source: &Node, key: &str, parent: Option<NodeIx>) -> (Box<str>, Box<str>) {
        let parent = parent.map(|p| &self.nodes[p as usize]);
        let path: Box<str> = match parent {
            None => "".into(),
            Some(parent) if parent.path.is_empty() => key.into(),
            Some(parent) => format!("{}.{key}", parent.path).into(),
        };
        let own = if parent.is_some() { keys::string(source, "id", self.problems) } else { Some(key) };
        let id = match (own, self.nodes.first()) {
            (Some(id), _) => id.into(),
            (None, Some(root)) => format!("{}.{path}", root.id).into(),
            (None, None) => key.into(),
        };
        (id, path)
    }

    fn kind(&mut self, source: &Node, span: &Span) -> (NodeKind, bool) {
        let states = source.get("states").filter(|s| !s.map().is_empty());
        if let Some(states) = source.get("states").filter(|s| !s.is_map()) {
            let message = format!("`states` is a map, not {}", states.kind());
            self.problems.push(Problem::error("shape", &states.span, message));
        }
        let deep = match source.get("history") {
            None => false,
            Some(history) => match (history.as_str(), history.as_bool()) {
                (Some("deep"), _) => true,
                (Some("shallow"), _) | (_, Some(true)) => false,
                _ => {
                    self.problems.push(Problem::error("shape", &history.span, "`history` is `shallow` or `deep`"));
                    false
                }
            },
        };
        let implied = match (states, source.get("history")) {
            (Some(_), _) => NodeKind::Compound,
            (None, Some(_)) => NodeKind::History,
            (None, None) => NodeKind::Atomic,
        };
        const TYPES: [(&str, NodeKind); 5] = [
            ("parallel", NodeKind::Parallel),
            ("final", NodeKind::Final),
            ("history", NodeKind::History),
            ("atomic", NodeKind::Atomic),
            ("compound", NodeKind::Compound),
        ];
        let Some(written) = source.get("type") else { return (implied, deep) };
        let known = TYPES.iter().find(|(name, _)| written.as_str() == Some(name));
        let Some((name, kind)) = known else {
            let shown = written.as_str().unwrap_or(written.kind());
            let hint = did_you_mean(shown, TYPES.iter().map(|(name, _)| *name));
            let problem = Problem::error("unknown-type", &written.span, format!("unknown state type `{shown}`"));
            self.problems.push(problem.maybe_hint(hint));
            return (implied, deep);
        };
        let wants_states = matches!(kind, NodeKind::Parallel | NodeKind::Compound);
        if wants_states != states.is_some() {
            let message = if wants_states {
                format!("a {name} state needs `states`")
            } else {
                format!("a {name} state has no `states`")
            };
            self.problems.push(Problem::error("shape", span, message));
            return (implied, deep);
        }
        (*kind, deep)
    }

    /// Keys that mean something on other kinds of nodes only.
    fn check_misplaced(&mut self, source: &Node, kind: NodeKind, is_root: bool) {
        let rules = [
            ("context", is_root, "the root"),
            ("target", kind == NodeKind::History, "history states"),
            ("history", kind == NodeKind::History, "history states"),
            ("output", is_root || kind == NodeKind::Final, "final states and the root"),
        ];
        for (key, allowed, place) in rules {
            if let (false, Some(found)) = (allowed, source.key(key)) {
                let message = format!("`{key}` belongs to {place} only");
                self.problems.push(Problem::error("misplaced-key", &found.span, message));
            }
        }
        if kind == NodeKind::History && is_root {
            self.problems.push(Problem::error("shape", &source.span, "the root cannot be a history state"));
        }
    }
}

fn index(nodes: &[StateNode], problems: &mut Problems) -> Table {
    let mut by_id = Table::default();
    for (ix, node) in nodes.iter().enumerate() {
        if let Some(first) = by_id.insert(node.id.clone(), ix as NodeIx) {
            let message = format!("duplicate id `{}`, also used at {}", node.id, nodes[first as usize].span);
            problems.push(Problem::error("duplicate-id", &node.span, message));
        }
    }
    by_id
}

fn initials(tree: &mut Tree<'_>, problems: &mut Problems) {
    for ix in 0..tree.nodes.len() {
        let node = &tree.nodes[ix];
        let written = tree.sources[ix].get("initial");
        if node.kind != NodeKind::Compound {
            if let Some(written) = written {
                problems.push(Problem::warning(
                    "no-effect",
                    &written.span,
                    "`initial` has no effect on this kind of state",
                ));
            }
            continue;
        }
        let Some(written) = written else {
            let first = node.regions(&tree.nodes).next().map(|c| &*tree.nodes[c as usize].key);
            let problem =
                Problem::error("no-initial", &node.span, format!("state `{}` has `states` but no `initial`", node.key));
            problems.push(problem.maybe_hint(first.map(|f| format!("for example `initial: {f}`"))));
            continue;
        };
        let target = if written.is_map() {
            keys::check(written, keys::INITIAL, "`initial`", problems);
            written.get("target").unwrap_or(written)
        } else {
            written
        };
        let Some(key) = target.as_str() else {
            problems.push(Problem::error(
                "shape",
                &target.span,
                format!("`initial` is the key of a child, not {}", target.kind()),
            ));
            continue;
        };
        let child = node.children.iter().copied().find(|c| &*tree.nodes[*c as usize].key == key);
        if child.is_none() {
            let children = node.children.iter().map(|c| &*tree.nodes[*c as usize].key);
            let message = format!("initial state `{key}` is not a child of `{}`", node.key);
            problems
                .push(Problem::error("unknown-initial", &target.span, message).maybe_hint(did_you_mean(key, children)));
        }
        tree.nodes[ix].initial = child;
    }
}

//! `extends` and `merge`: a file as a patch (RFC 7396) on another file's tree.

use crate::fields::unknown;
use crate::layout::{FileKind, kind_of};
use crate::source::{Key, Node, Nodes, Value};
use engine_statechart::Problem;
use std::collections::{BTreeMap, BTreeSet};

const EXTENDS_MAX: usize = 5;

/// The files of one kind that `extends` may name.
pub(crate) struct ExtendableFiles<'a> {
    pub nodes: &'a Nodes,
    /// What messages call such a file: `contract`.
    pub what: &'static str,
    /// Name of a file → its path.
    pub paths: BTreeMap<String, &'a str>,
}

impl<'a> ExtendableFiles<'a> {
    /// Every file that has a name by what it holds.
    pub fn of(nodes: &'a Nodes, what: &'static str, name: impl Fn(FileKind) -> Option<String>) -> ExtendableFiles<'a> {
        let named = |path: &'a String| Some((name(kind_of(path)?)?, path.as_str()));
        ExtendableFiles { nodes, what, paths: nodes.keys().filter_map(named).collect() }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.paths.keys().map(String::as_str)
    }

    /// The whole tree of a file; the files that it is made of are added to `used`.
    pub fn resolve(&self, path: &str, used: &mut BTreeSet<String>, problems: &mut Vec<Problem>) -> Option<Node> {
        Some(self.chain(path, used, problems)?.tree())
    }

    /// A file's base, and what stands over it.
    pub fn chain(&self, path: &str, used: &mut BTreeSet<String>, problems: &mut Vec<Problem>) -> Option<Chain<'a>> {
        let (path, node) = self.nodes.get_key_value(path)?;
        used.insert(path.clone());
        self.chain_of(path, node, used, problems)
    }

    /// The whole tree of a part of a file.
    pub fn extend(&self, node: &Node, used: &mut BTreeSet<String>, problems: &mut Vec<Problem>) -> Option<Node> {
        match node.get("extends") {
            None => Some(node.clone()),
            Some(_) => Some(self.chain_of("", node, used, problems)?.tree()),
        }
    }

    fn chain_of<'n>(
        &self,
        path: &'n str,
        node: &'n Node,
        used: &mut BTreeSet<String>,
        problems: &mut Vec<Problem>,
    ) -> Option<Chain<'n>>
    where
        'a: 'n,
    {
        let mut chain = Chain { path, base: node, patches: Vec::new() };
        let mut names: Vec<&str> = Vec::new();
        while let Some(base) = chain.base.get("extends") {
            let name = base.as_str().unwrap_or_default();
            if names.len() >= EXTENDS_MAX || names.contains(&name) {
                let message = format!("`extends` goes round in a circle or is deeper than {EXTENDS_MAX}");
                problems.push(Problem::error("extends-cycle", &base.span, message));
                return None;
            }
            names.push(name);
            let Some((path, next)) = self.paths.get(name).and_then(|path| Some((*path, self.nodes.get(*path)?))) else {
                problems.push(unknown(self.what, base, name, self.names()));
                return None;
            };
            used.insert(path.to_owned());
            let rest: Vec<(Key, Node)> =
                chain.base.map().iter().filter(|(k, _)| k.name != "extends" && k.name != "merge").cloned().collect();
            if let Some(merge) = chain.base.get("merge") {
                if !merge.is_map() {
                    let message = format!("`merge` is a map, not {}", merge.kind());
                    problems.push(Problem::error("shape", &merge.span, message));
                }
                chain.patches.push(merge.clone());
            }
            chain.patches.push(Node::new(chain.base.span.clone(), Value::Map(rest)));
            (chain.path, chain.base) = (path, next);
        }
        Some(chain)
    }
}

/// A file without `extends`, and the patches over it, the last one first.
pub(crate) struct Chain<'n> {
    pub path: &'n str,
    pub base: &'n Node,
    pub patches: Vec<Node>,
}

impl Chain<'_> {
    fn tree(&self) -> Node {
        let mut tree = self.base.clone();
        self.patches.iter().rev().for_each(|patch| apply(&mut tree, patch));
        tree
    }
}

/// Maps are merged, null deletes, everything else replaces. Keys keep their place; new ones come last.
pub(crate) fn apply(target: &mut Node, patch: &Node) {
    let Value::Map(entries) = &patch.value else {
        *target = patch.clone();
        return;
    };
    if !target.is_map() {
        *target = Node::new(patch.span.clone(), Value::Map(Vec::new()));
    }
    let Some(map) = target.map_mut() else { return };
    for (key, value) in entries {
        match map.iter().position(|(k, _)| k.name == key.name) {
            Some(at) if value.is_null() => {
                map.remove(at);
            }
            Some(at) => apply(&mut map[at].1, value),
            None if value.is_null() => {}
            None => {
                let mut fresh = Node::new(value.span.clone(), Value::Map(Vec::new()));
                apply(&mut fresh, value);
                map.push((key.clone(), fresh));
            }
        }
    }
}

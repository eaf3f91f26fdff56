//! Target strings to nodes.

use super::model::{NodeIx, NodeKind, StateNode};
use super::tree::Tree;
use crate::problem::Problem;
use crate::source::Span;
use crate::suggest::did_you_mean;

/// The node that `text`, written in a transition of `owner`, addresses.
pub fn resolve(tree: &Tree<'_>, owner: NodeIx, text: &str, span: &Span) -> Result<NodeIx, Problem> {
    let nodes = &tree.nodes;
    if let Some(id) = text.strip_prefix('#') {
        return by_id(tree, id).ok_or_else(|| unknown(text, span, did_you_mean_id(tree, id)));
    }
    if let Some(path) = text.strip_prefix('.') {
        return below(nodes, owner, path).map_err(|(base, key)| unknown(text, span, child_hint(tree, base, key)));
    }
    let Some(parent) = nodes[owner as usize].parent else {
        let hint = if below(nodes, owner, text).is_ok() {
            format!("did you mean `.{text}`?")
        } else {
            "the root has no siblings: write `.child` or `#id`".into()
        };
        return Err(unknown(text, span, Some(hint)));
    };
    below(nodes, parent, text).map_err(|(base, key)| {
        let elsewhere =
            || nodes.iter().find(|n| &*n.key == text).map(|n| format!("`#{}` is another state of that name", n.id));
        unknown(text, span, child_hint(tree, base, key).or_else(elsewhere))
    })
}

/// `id`, or `id.x.y` as a path below a node.
pub fn by_id(tree: &Tree<'_>, id: &str) -> Option<NodeIx> {
    if let Some(ix) = tree.by_id.get(id) {
        return Some(*ix);
    }
    let split = |(dot, _): (usize, &str)| {
        let base = tree.by_id.get(&id[..dot])?;
        below(&tree.nodes, *base, &id[dot + 1..]).ok()
    };
    id.match_indices('.').find_map(split)
}

/// The state that `inState` names: `#id`, or a path from the root.
pub fn state(tree: &Tree<'_>, name: &str) -> Result<NodeIx, Option<String>> {
    match name.strip_prefix('#') {
        Some(id) => by_id(tree, id).ok_or_else(|| did_you_mean_id(tree, id)),
        None => below(&tree.nodes, 0, name).map_err(|(base, key)| child_hint(tree, base, key)),
    }
}

fn below<'p>(nodes: &[StateNode], base: NodeIx, path: &'p str) -> Result<NodeIx, (NodeIx, &'p str)> {
    path.split('.').try_fold(base, |at, key| {
        let found = nodes[at as usize].children.iter().find(|c| &*nodes[**c as usize].key == key);
        found.copied().ok_or((at, key))
    })
}

fn unknown(text: &str, span: &Span, hint: Option<String>) -> Problem {
    Problem::error("unknown-target", span, format!("unknown target `{text}`")).maybe_hint(hint)
}

fn child_hint(tree: &Tree<'_>, base: NodeIx, key: &str) -> Option<String> {
    let children = &tree.nodes[base as usize].children;
    tree.takes_hint().then(|| did_you_mean(key, children.iter().map(|c| &*tree.nodes[*c as usize].key)))?
}

fn did_you_mean_id(tree: &Tree<'_>, id: &str) -> Option<String> {
    let hint = tree.takes_hint().then(|| did_you_mean(id, tree.nodes.iter().map(|n| &*n.id)))??;
    Some(hint.replacen('`', "`#", 1))
}

/// Checks that two targets lie in different regions of a parallel state.
pub fn check_regions(nodes: &[StateNode], targets: &[NodeIx], span: &Span) -> Result<(), Problem> {
    for (i, a) in targets.iter().enumerate() {
        for b in &targets[i + 1..] {
            let inside = |outer: NodeIx, inner: NodeIx| outer <= inner && inner < nodes[outer as usize].end;
            let mut common = *a;
            while !inside(common, *b) {
                common = nodes[common as usize].parent.unwrap_or(0);
            }
            if common != *a && common != *b && nodes[common as usize].kind != NodeKind::Parallel || a == b {
                let (a, b) = (&nodes[*a as usize].id, &nodes[*b as usize].id);
                let message = format!("targets `#{a}` and `#{b}` cannot be active together");
                return Err(Problem::error("conflicting-targets", span, message));
            }
        }
    }
    Ok(())
}

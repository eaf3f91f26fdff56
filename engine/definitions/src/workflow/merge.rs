//! `extends` and `merge`: a sister workflow as a patch (RFC 7396) on another file's tree.

use crate::fields::unknown;
use crate::layout::{self, FileKind};
use crate::source::{Key, Node, Value};
use engine_statechart::Problem;
use std::collections::{BTreeMap, BTreeSet};

const EXTENDS_MAX: usize = 5;

/// The whole tree of a workflow file; the files that it is made of are added to `used`.
pub fn resolve(
    path: &str,
    nodes: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let mut patches: Vec<Node> = Vec::new();
    let mut path = path.to_owned();
    loop {
        let node = nodes.get(&path)?;
        used.insert(path.clone());
        let Some(base) = node.get("extends") else {
            let mut tree = with_values(&path, node, nodes, used, problems);
            for patch in patches.iter().rev() {
                apply(&mut tree, patch);
            }
            return Some(tree);
        };
        let name = base.as_str().unwrap_or_default();
        let next = layout::flow_file(name);
        if patches.len() >= EXTENDS_MAX || used.contains(&next) {
            problems.push(Problem::error(
                "extends-cycle",
                &base.span,
                format!("`extends` goes round in a circle or is deeper than {EXTENDS_MAX}"),
            ));
            return None;
        }
        if !nodes.contains_key(&next) {
            let flows = nodes.keys().filter_map(|path| match layout::kind_of(path) {
                Some(FileKind::Flow(id)) => Some(id),
                _ => None,
            });
            let known: Vec<String> = flows.collect();
            problems.push(unknown("workflow", base, name, known.iter().map(String::as_str)));
            return None;
        }
        let rest: Vec<(Key, Node)> =
            node.map().iter().filter(|(k, _)| k.name != "extends" && k.name != "merge").cloned().collect();
        if let Some(merge) = node.get("merge") {
            if !merge.is_map() {
                problems.push(Problem::error("shape", &merge.span, format!("`merge` is a map, not {}", merge.kind())));
            }
            patches.push(merge.clone());
        }
        patches.push(Node::new(node.span.clone(), Value::Map(rest)));
        path = next;
    }
}

/// A flow's file with the values beside it under `values`, where a sister may patch them.
fn with_values(
    path: &str,
    node: &Node,
    nodes: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Node {
    let mut tree = node.clone();
    if let Some(own) = node.key("values") {
        let problem = Problem::error("misplaced-key", &own.span, "values stand in a file beside the flow");
        problems.push(problem.hint("values.yaml"));
    }
    let file = layout::values_file(layout::folder_of(path));
    if let (Some(values), Some(map)) = (super::values::map_of(nodes.get(&file), problems), tree.map_mut()) {
        used.insert(file);
        map.push((Key { span: values.span.clone(), name: "values".to_owned() }, values.clone()));
    }
    tree
}

/// Maps are merged, null deletes, everything else replaces. Keys keep their place; new ones come last.
pub fn apply(target: &mut Node, patch: &Node) {
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

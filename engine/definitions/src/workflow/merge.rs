//! `extends` and `merge` of workflows.

use crate::extends::{ExtendableFiles, apply};
use crate::layout::{self, FileKind};
use crate::source::{Key, Node, Nodes};
use engine_statechart::Problem;
use std::collections::BTreeSet;

/// The whole tree of a workflow file; the files that it is made of are added to `used`.
pub fn resolve(path: &str, nodes: &Nodes, used: &mut BTreeSet<String>, problems: &mut Vec<Problem>) -> Option<Node> {
    let flow = |kind| if let FileKind::Flow(id) = kind { Some(id) } else { None };
    let chain = ExtendableFiles::of(nodes, "workflow", flow).chain(path, used, problems)?;
    let mut tree = with_values(chain.path, chain.base, nodes, used, problems);
    chain.patches.iter().rev().for_each(|patch| apply(&mut tree, patch));
    Some(tree)
}

/// A flow's file with the values beside it under `values`, where a sister may patch them.
fn with_values(
    path: &str,
    node: &Node,
    nodes: &Nodes,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Node {
    let mut tree = node.clone();
    if let Some(own) = node.key("values") {
        let problem = Problem::error("misplaced-key", &own.span, "values stand in a file beside the flow");
        problems.push(problem.hint("values.yaml"));
    }
    let file = layout::values_file(layout::folder_of(path));
    if let (Some(values), Some(map)) = (super::values::map_of(&file, nodes, problems), tree.map_mut()) {
        used.insert(file);
        map.push((Key { span: values.span.clone(), name: "values".to_owned() }, values.clone()));
    }
    tree
}

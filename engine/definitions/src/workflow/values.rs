//! The values of a flow: those beside it (`values.yaml`; of a sister its base's, patched), then those that
//! its line shares.

use crate::host::shared_vocabulary;
use crate::layout;
use crate::source::{Key, Node, Nodes};
use engine_statechart::Problem;
use engine_statechart::expression::Names;
use std::collections::BTreeSet;
use std::sync::Arc;

/// `tree` is whole: its `values` are those of its base, patched. The files are added to `used`.
pub fn of_flow(
    tree: &Node,
    line: &str,
    nodes: &Nodes,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Arc<Names> {
    let mut entries: Vec<(Key, Node)> = tree.get("values").map_or(&[][..], Node::map).to_vec();
    let shared = layout::values_file(&format!("{line}/shared"));
    if let Some(values) = map_of(&shared, nodes, problems) {
        used.insert(shared);
        entries.extend_from_slice(values.map());
    }
    Arc::new(Names::compile(&entries, &[], shared_vocabulary(), &[], problems))
}

/// The flow itself, its expressions read with these values.
pub fn bound(mut tree: Node, values: &Arc<Names>) -> Node {
    if let Some(map) = tree.map_mut() {
        map.retain(|(key, _)| key.name != "values");
    }
    tree.with_names(values)
}

/// The values of a part, whose `my` and `input` are at a place of the context.
pub fn of_part(
    part: &str,
    context: &str,
    nodes: &Nodes,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Arc<Names> {
    let file = layout::values_file(part);
    let values = map_of(&file, nodes, problems);
    if values.is_some() {
        used.insert(file);
    }
    let my: Vec<&str> = context.split('.').collect();
    let input: Vec<&str> = my.iter().copied().chain(["input"]).collect();
    let places: [(&str, &[&str]); 2] = [("my", &my), ("input", &input)];
    Arc::new(Names::compile(values.map_or(&[][..], Node::map), &places, shared_vocabulary(), &[], problems))
}

pub fn map_of<'n>(file: &str, nodes: &'n Nodes, problems: &mut Vec<Problem>) -> Option<&'n Node> {
    let values = nodes.get(file)?;
    if !values.is_map() {
        let message = format!("values are a map from names to expressions, not {}", values.kind());
        problems.push(Problem::error("shape", &values.span, message));
    }
    values.is_map().then_some(&**values)
}

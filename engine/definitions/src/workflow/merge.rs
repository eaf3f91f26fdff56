//! `extends` and `merge` of workflows.

use crate::extends::Kind;
use crate::layout::FileKind;
use crate::source::Node;
use engine_statechart::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// The whole tree of a workflow file; the files that it is made of are added to `used`.
pub fn resolve(
    path: &str,
    nodes: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let flow = |kind| if let FileKind::Flow(id) = kind { Some(id) } else { None };
    Kind::of(nodes, "workflow", flow).resolve(path, used, problems)
}

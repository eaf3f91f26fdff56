//! A workflow file without its surroundings: names of forms, texts, partners and tables are taken as
//! they are; only the machine counts.

use super::desugar::{Builder, StatePlace};
use super::library::{Library, machine_vocabulary};
use super::merge;
use crate::files::Files;
use crate::layout::{FileKind, kind_of};
use crate::source::{self, Node, Nodes};
use crate::texts::FlowTexts;
use engine_statechart::{Problem, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Problems that only say that something outside the file was not found.
const OUTSIDE: [&str; 3] = ["unknown-name", "table-name", "missing"];

/// The plain tree of a product workflow; `extends` and `use` read files below the `workflows` folder
/// that `file` lies in.
pub fn desugar(file: &str, node: &Node) -> Result<(Node, Vec<Problem>), Vec<Problem>> {
    with_builder(file, node, |builder, tree| builder.root(tree, &StatePlace::root()))
}

/// The names that its machine may use.
pub fn vocabulary(node: &Node, file: &str) -> Vocabulary {
    let delays = with_builder(file, node, |builder, tree| {
        builder.delays(tree, "");
        builder.root(tree, &StatePlace::root());
        std::mem::take(&mut builder.delays)
    });
    machine_vocabulary(&delays.map(|(delays, _)| delays).unwrap_or_default())
}

fn with_builder<T>(
    file: &str,
    node: &Node,
    work: impl FnOnce(&mut Builder<'_>, &Node) -> T,
) -> Result<(T, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let (path, mut nodes) = neighbours(file);
    nodes.insert(path.clone(), Arc::new(node.clone()));
    let mut used = BTreeSet::new();
    let Some(tree) = merge::resolve(&path, &nodes, &mut used, &mut problems) else { return Err(problems) };
    let (files, stories) = (Files::new(), BTreeMap::new());
    let (forms, views, texts, partners, messages) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let (tables, masters, calendars, contracts) = Default::default();
    let library = Library {
        files: &files,
        nodes: &nodes,
        forms: &forms,
        views: &views,
        tables: &tables,
        texts: &texts,
        contracts: &contracts,
        partners: &partners,
        messages: &messages,
        masters: &masters,
        calendars: &calendars,
        languages: &[],
        stories: &stories,
        is_whole: true,
        was_checked: false,
        has_all_partners: true,
    };
    let root_id = tree.get("id").and_then(Node::as_str).unwrap_or("(machine)").to_owned();
    let line = path.split('/').nth(1).unwrap_or_default().to_owned();
    let names = super::values::of_flow(&tree, &line, &nodes, &mut used, &mut problems);
    let tree = super::values::bound(tree, &names);
    let mut builder = Builder::new(&library, FlowTexts::default(), root_id, used);
    let value = work(&mut builder, &tree);
    problems.append(&mut builder.problems);
    problems.retain(|p| !OUTSIDE.contains(&p.code));
    let (errors, warnings): (Vec<Problem>, Vec<Problem>) = problems.into_iter().partition(Problem::is_error);
    if errors.is_empty() { Ok((value, warnings)) } else { Err(errors) }
}

/// The path of a file below its `workflows` folder, and the flows and parts of that folder.
fn neighbours(file: &str) -> (String, Nodes) {
    let path = Path::new(file);
    let folder = path.ancestors().skip(1).find(|a| a.file_name().is_some_and(|n| n == "workflows"));
    let Some(folder) = folder.filter(|f| f.is_dir()) else {
        return ("workflows/file.yaml".to_owned(), BTreeMap::new());
    };
    let files = folder.parent().and_then(|root| Files::read_dir(root).ok()).unwrap_or_default();
    let states = files
        .iter()
        .filter(|(path, _)| matches!(kind_of(path), Some(FileKind::Flow(_) | FileKind::Part(_) | FileKind::Values(_))));
    let nodes = states.filter_map(|(path, bytes)| Some((path.to_owned(), Arc::new(source::read(path, bytes).ok()?))));
    let inside = path.strip_prefix(folder).map(|p| p.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    (format!("workflows/{inside}"), nodes.collect())
}

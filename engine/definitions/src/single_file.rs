//! One file on its own, as `journey simulate`, `check` and `export` take it: a plain machine, or a
//! workflow with product keys whose partners, forms and texts are not looked at.

use crate::source::{self, Node, Value};
use crate::workflow::standalone;
use engine_statechart::{Machine, Problem, Vocabulary};

/// Root keys that only a product workflow has.
const PRODUCT_ROOT: [&str; 6] = ["base", "delays", "sections", "extends", "merge", "params"];
const PRODUCT_STATE: [&str; 2] = ["step", "use"];

/// Compiles a machine from YAML or JSON bytes. Product keys are desugared; product actions come out
/// as named effects.
pub fn plain_machine(file: &str, bytes: &[u8]) -> Result<Machine, Vec<Problem>> {
    machine(file, bytes).map(|(machine, _)| machine)
}

/// The machine as JSON that XState 5 loads.
pub fn xstate_machine(file: &str, bytes: &[u8]) -> Result<serde_json::Value, Vec<Problem>> {
    let node = source::read(file, bytes)?;
    let (tree, _) = desugar(file, &node)?;
    machine_of(&node, &tree, file)?;
    engine_statechart::xstate::export(&tree, &vocabulary(&node, file)).map_err(|problem| vec![problem])
}

pub(crate) fn machine(file: &str, bytes: &[u8]) -> Result<(Machine, Vec<Problem>), Vec<Problem>> {
    let (node, mut problems) = source::read_all(file, bytes);
    let compiled = node.ok_or_else(Vec::new).and_then(|node| {
        let (tree, mut warnings) = desugar(file, &node)?;
        let (machine, found) = machine_of(&node, &tree, file)?;
        warnings.extend(found);
        Ok((machine, warnings))
    });
    match compiled {
        Ok(compiled) if problems.is_empty() => Ok(compiled),
        Ok((_, found)) | Err(found) => {
            problems.extend(found);
            problems.sort_by(|a, b| a.span.cmp(&b.span));
            Err(problems)
        }
    }
}

fn desugar(file: &str, node: &Node) -> Result<(Node, Vec<Problem>), Vec<Problem>> {
    if is_product(node) { standalone::desugar(file, node) } else { Ok((node.clone(), Vec::new())) }
}

fn machine_of(node: &Node, tree: &Node, file: &str) -> Result<(Machine, Vec<Problem>), Vec<Problem>> {
    Machine::compile(tree, &vocabulary(node, file))
}

fn vocabulary(node: &Node, file: &str) -> Vocabulary {
    if is_product(node) { standalone::vocabulary(node, file) } else { Vocabulary::default() }
}

/// Whether a file uses keys beyond the plain dialect.
pub(crate) fn is_product(node: &Node) -> bool {
    node.map().iter().any(|(k, _)| PRODUCT_ROOT.contains(&k.name.as_str())) || states_are_product(node)
}

fn states_are_product(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    entries.iter().any(|(k, v)| match k.name.as_str() {
        name if PRODUCT_STATE.contains(&name) => true,
        "invoke" => {
            v.items().iter().any(|i| ["contract", "each", "onReply", "into"].iter().any(|k| i.get(k).is_some()))
        }
        "states" => v.map().iter().any(|(_, child)| states_are_product(child)),
        _ => false,
    })
}

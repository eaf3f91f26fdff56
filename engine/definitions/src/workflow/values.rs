//! The values of a flow: those beside it (`values.yaml`; of a sister its base's, patched), then those that
//! its line shares.

use crate::host::shared_vocabulary;
use crate::layout;
use crate::source::{Key, Node, Nodes, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::Names;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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

/// Values of lines for what is no flow: a page with `line: life` asks for those that the flows of `life` share, as far as
/// they read their arguments and tables.
pub struct LineValues<'a> {
    nodes: &'a Nodes,
    read: BTreeMap<String, Arc<Names>>,
}

impl<'a> LineValues<'a> {
    pub fn new(nodes: &'a Nodes) -> LineValues<'a> {
        LineValues { nodes, read: BTreeMap::new() }
    }

    /// The tree, its expressions read with the values that it names.
    pub fn bound<'n>(&mut self, tree: &'n Node, problems: &mut Vec<Problem>) -> Cow<'n, Node> {
        let Some((at, line)) = tree.get("line").and_then(|at| Some((at, at.as_str()?))) else {
            return Cow::Borrowed(tree);
        };
        let names = match self.read.get(line) {
            Some(names) => Arc::clone(names),
            None => {
                let file = layout::values_file(&format!("{line}/shared"));
                let Some(values) = map_of(&file, self.nodes, problems) else {
                    let message = format!("no values are shared by the line `{line}`");
                    problems
                        .push(Problem::error("unknown-name", &at.span, message).hint(format!("{file} is not there")));
                    return Cow::Borrowed(tree);
                };
                let names = without_flows(values.map().to_vec());
                Arc::clone(self.read.entry(line.to_owned()).or_insert(Arc::new(names)))
            }
        };
        Cow::Owned(tree.clone().with_names(&names))
    }
}

/// Shared values of a line that ask nothing of the flow that they stand in. What is wrong with them is told where a
/// flow, a page or an endpoint asks for them.
fn without_flows(mut values: Vec<(Key, Node)>) -> Names {
    loop {
        let mut problems = Vec::new();
        let names = Names::compile(&values, &[], shared_vocabulary(), &[], &mut problems);
        let broken: BTreeSet<usize> = problems
            .iter()
            .filter(|problem| problem.is_error())
            .filter_map(|problem| values.iter().rposition(|(key, _)| key.span.line <= problem.span.line))
            .collect();
        if broken.is_empty() {
            return names;
        }
        let mut at = 0;
        values.retain(|_| {
            at += 1;
            !broken.contains(&(at - 1))
        });
    }
}

/// What a part asks of its host, `asks: {provider: [key]}`: values that mean there what they mean to the host. Where the
/// host has none, the part's own value of that name counts.
pub fn provided_by_host(
    part: &Node,
    host: &Node,
    name: &str,
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Vec<(Key, Node)> {
    let own = nodes.get(&layout::values_file(name));
    let own: BTreeSet<&str> = own
        .map_or(&[][..], |own| own.map())
        .iter()
        .map(|(k, _)| k.name.split('(').next().unwrap_or_default())
        .collect();
    let mut asked = Vec::new();
    for (k, arguments) in part.get("asks").map_or(&[][..], Node::map) {
        let arguments: Vec<&str> = arguments.items().iter().filter_map(Node::as_str).collect();
        let head = if arguments.is_empty() { k.name.clone() } else { format!("{}({})", k.name, arguments.join(", ")) };
        match host.names.as_ref().and_then(|names| Some((names, names.arity(&k.name)?))) {
            Some((names, arity)) if arity == arguments.len() => {
                let body = Node::new(k.span.clone(), Source::String(head.clone()));
                let body = Node { names: Some(Arc::clone(names)), ..body };
                asked.push((Key { span: k.span.clone(), name: head }, body));
            }
            None if own.contains(k.name.as_str()) => {}
            found => {
                let message = match found {
                    Some((_, arity)) => format!("part `{name}` asks for `{head}`; here `{}` takes {arity}", k.name),
                    None => format!("part `{name}` asks for the value `{head}`, which is not here"),
                };
                let at = host.get("use").unwrap_or(host);
                problems.push(Problem::error("asks", &at.span, message).hint("in values.yaml"));
                asked.push((Key { span: k.span.clone(), name: head }, Node::new(k.span.clone(), Source::Null)));
            }
        }
    }
    asked
}

/// The values of a part, whose `my` and `input` are at a place of the context.
pub fn of_part(
    part: &str,
    context: &str,
    (asked, tables): (Vec<(Key, Node)>, &BTreeMap<String, String>),
    nodes: &Nodes,
    used: &mut BTreeSet<String>,
    problems: &mut Vec<Problem>,
) -> Arc<Names> {
    let file = layout::values_file(part);
    let values = map_of(&file, nodes, problems).map(|values| with_tables(values, tables));
    if values.is_some() {
        used.insert(file);
    }
    let my: Vec<&str> = context.split('.').collect();
    let input: Vec<&str> = my.iter().copied().chain(["input"]).collect();
    let places: [(&str, &[&str]); 2] = [("my", &my), ("input", &input)];
    let head = |k: &Key| k.name.split('(').next().unwrap_or_default().to_owned();
    let given: BTreeSet<String> = asked.iter().map(|(k, _)| head(k)).collect();
    let own = values.as_ref().map_or(&[][..], Node::map).iter().filter(|(k, _)| !given.contains(&head(k))).cloned();
    let all: Vec<(Key, Node)> = own.chain(asked).collect();
    Arc::new(Names::compile(&all, &places, shared_vocabulary(), &[], problems))
}

/// What reads a table by the part's name for it reads the host's.
pub fn with_tables(node: &Node, tables: &BTreeMap<String, String>) -> Node {
    let mut node = node.clone();
    if !tables.is_empty() {
        rename(&mut node, tables);
    }
    node
}

fn rename(node: &mut Node, tables: &BTreeMap<String, String>) {
    match &mut node.value {
        Source::List(items) => items.iter_mut().for_each(|item| rename(item, tables)),
        Source::Map(entries) => entries.iter_mut().for_each(|(_, value)| rename(value, tables)),
        Source::String(text) => {
            for (slot, table) in tables {
                for function in ["lookup", "rows", "table"] {
                    let asked = format!("{function}('{slot}'");
                    if text.contains(&asked) {
                        *text = text.replace(&asked, &format!("{function}('{table}'"));
                    }
                }
            }
        }
        _ => {}
    }
}

pub fn map_of<'n>(file: &str, nodes: &'n Nodes, problems: &mut Vec<Problem>) -> Option<&'n Node> {
    let values = nodes.get(file)?;
    if !values.is_map() {
        let message = format!("values are a map from names to expressions, not {}", values.kind());
        problems.push(Problem::error("shape", &values.span, message));
    }
    values.is_map().then_some(&**values)
}

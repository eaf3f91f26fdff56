//! Partners made from rows: `each: rows(…)` over a table in one file, and files beside it that replace one. Rows of
//! several files with one id are one partner: a company that sells two lines has the operations of both kits.

use super::load::PartnerReferences;
use crate::extends::{ExtendableFiles, apply};
use crate::fields::unknown;
use crate::host::shared_vocabulary;
use crate::layout::FileKind;
use crate::policy::is_fatal;
use crate::source::{Key, Node, Value as Source};
use crate::text::{Text, plain};
use engine_statechart::expression::Expression;
use engine_statechart::{Host, Problem, Scope};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A partner's tree, ready to be read.
pub(super) struct PartnerTree<'a> {
    pub id: String,
    pub path: &'a str,
    pub node: Node,
}

/// Keys whose texts are expressions over the row; elsewhere `{text: …}` puts a cell in.
const EXPRESSIONS: [&str; 4] = ["id", "name", "host", "data"];

/// Every partner: the files, and the rows of those with `each`. A file with the id of a row replaces it.
pub(super) fn expand<'a>(known: &PartnerReferences<'a>, problems: &mut Vec<Problem>) -> Vec<PartnerTree<'a>> {
    let name = |kind| if let FileKind::Partner(name) = kind { Some(name) } else { None };
    let kind = ExtendableFiles::of(known.nodes, "partner", name);
    let files = || kind.paths.iter().filter_map(|(name, path)| Some((name.as_str(), *path, known.nodes.get(*path)?)));
    let made: BTreeMap<&str, Vec<(String, Node)>> = files()
        .filter(|(_, _, node)| node.get("each").is_some())
        .map(|(name, _, node)| (name, each(node, known.hosts, problems)))
        .collect();
    let mut found: Vec<PartnerTree<'a>> = Vec::new();
    for (name, path, node) in files().filter(|(name, ..)| !made.contains_key(name)) {
        let id = name.rsplit('/').next().unwrap_or(name).to_owned();
        let base = node.get("extends").and_then(|base| Some((base, made.get(base.as_str()?)?)));
        let tree = match base {
            Some((base, rows)) => match rows.iter().find(|(row, _)| *row == id) {
                Some((_, row)) => Some(patch(row, node)),
                None => {
                    let ids = rows.iter().map(|(row, _)| row.as_str());
                    problems
                        .push(unknown("row", base, &id, ids).hint("the file is named like the row that it changes"));
                    None
                }
            },
            None => kind.extend(node, &mut BTreeSet::new(), problems),
        };
        found.extend(tree.map(|node| PartnerTree { id, path, node }));
    }
    let own: BTreeMap<String, usize> = found.iter().enumerate().map(|(at, f)| (f.id.clone(), at)).collect();
    let mut rows_at: BTreeMap<String, usize> = BTreeMap::new();
    for (name, rows) in made {
        let path = kind.paths[name];
        for (id, row) in rows {
            match own.get(&id).copied() {
                // what stands for this row, or in place of all
                Some(at) if !extends_another(&known.nodes[found[at].path], name) => {}
                Some(at) => join(&mut found[at].node, &row),
                None => match rows_at.get(&id).copied() {
                    Some(at) => join(&mut found[at].node, &row),
                    None => {
                        rows_at.insert(id.clone(), found.len());
                        found.push(PartnerTree { id, path, node: row });
                    }
                },
            }
        }
    }
    found
}

/// Whether a partner's file changes a row of another file than `name`.
fn extends_another(file: &Node, name: &str) -> bool {
    file.get("extends").and_then(Node::as_str).is_some_and(|base| base != name)
}

/// The kits, data and operations of another row with the same id; what else it says stands in the first.
fn join(partner: &mut Node, row: &Node) {
    let all = |key: &str, partner: &Node| -> Vec<Node> {
        let of = |node: &Node| node.get(key).map_or(&[][..], Node::items).to_vec();
        [of(partner), of(row)].concat()
    };
    let kits = all("kit", partner);
    let both = |key: &str, partner: &Node| -> Vec<(Key, Node)> {
        let mut entries = partner.get(key).map_or(&[][..], Node::map).to_vec();
        let names: BTreeSet<String> = entries.iter().map(|(k, _)| k.name.clone()).collect();
        let new = row.get(key).map_or(&[][..], Node::map).iter().filter(|(k, _)| !names.contains(&k.name));
        entries.extend(new.cloned());
        entries
    };
    let (data, operations) = (both("data", partner), both("operations", partner));
    let span = partner.span.clone();
    let mut joined: Vec<(Key, Node)> = partner.map().to_vec();
    joined.retain(|(key, _)| !matches!(key.name.as_str(), "kit" | "data" | "operations"));
    for (name, value) in
        [("kit", Source::List(kits)), ("data", Source::Map(data)), ("operations", Source::Map(operations))]
    {
        joined.push((Key { span: span.clone(), name: name.to_owned() }, Node::new(span.clone(), value)));
    }
    *partner = Node::new(span, Source::Map(joined));
}

/// What a file with `extends` says over the row's partner.
fn patch(row: &Node, file: &Node) -> Node {
    let mut tree = row.clone();
    let own = file.map().iter().filter(|(k, _)| k.name != "extends" && k.name != "merge").cloned().collect();
    apply(&mut tree, &Node::new(file.span.clone(), Source::Map(own)));
    if let Some(merge) = file.get("merge") {
        apply(&mut tree, merge);
    }
    tree
}

/// The rows of every host, by id; the first that has an id gives it.
fn each(node: &Node, hosts: &[&dyn Host], problems: &mut Vec<Problem>) -> Vec<(String, Node)> {
    let as_name = node.get("as").and_then(Node::as_str).unwrap_or("item").to_owned();
    let mut found: Vec<(String, Node)> = Vec::new();
    for (at, host) in hosts.iter().enumerate() {
        // Rows of a version that is in use may lack what newer ones have: only the newest must be right.
        let mut quiet = Vec::new();
        let problems: &mut Vec<Problem> = if at == 0 { problems } else { &mut quiet };
        for (id, partner) in rows(node, &as_name, *host, problems) {
            match found.iter().any(|(other, _)| *other == id) {
                true if at == 0 => {
                    let message = format!("two rows give the partner `{id}`");
                    problems.push(Problem::error("duplicate-id", &node.span, message));
                }
                true => {}
                false => found.push((id, partner)),
            }
        }
    }
    found
}

fn rows(node: &Node, as_name: &str, host: &dyn Host, problems: &mut Vec<Problem>) -> Vec<(String, Node)> {
    let Some(each) = node.get("each") else { return Vec::new() };
    let Some(expression) = compile(each, &[], problems) else { return Vec::new() };
    let rows = match expression.eval(&Scope::new().with_host(host)) {
        Ok(Value::Array(rows)) => rows,
        Ok(_) => {
            problems
                .push(Problem::error("value", &each.span, "`each` gives a list of rows").hint("rows('line/table')"));
            return Vec::new();
        }
        Err(error) => {
            problems.push(Problem::error("value", &each.span, error.message));
            return Vec::new();
        }
    };
    let Some(id) = node.get("id") else {
        problems.push(Problem::error("missing", &node.span, "a partner with `each` needs `id`"));
        return Vec::new();
    };
    let own: Vec<(Key, Node)> = node
        .map()
        .iter()
        .filter(|(k, _)| !matches!(k.name.as_str(), "each" | "as" | "id" | "description"))
        .cloned()
        .collect();
    let template = Node::new(node.span.clone(), Source::Map(own));
    let before = problems.len();
    let mut found = Vec::new();
    for row in &rows {
        let mut filler = Filler { as_name, row, host, problems: &mut *problems };
        let id = filler.value(id).map(|value| plain(&value)).unwrap_or_default();
        let partner = filler.partner(&template);
        // One mistake of the template is one problem, not one for each row.
        if problems[before..].iter().any(is_fatal) {
            break;
        }
        found.push((id, partner));
    }
    found
}

struct Filler<'a, 'p> {
    as_name: &'a str,
    row: &'a Value,
    host: &'a dyn Host,
    problems: &'p mut Vec<Problem>,
}

impl Filler<'_, '_> {
    fn partner(&mut self, template: &Node) -> Node {
        let each = template.map().iter().map(|(key, inner)| {
            let is_value = EXPRESSIONS.contains(&key.name.as_str());
            (key.clone(), self.tree(inner, is_value))
        });
        Node::new(template.span.clone(), Source::Map(each.collect()))
    }

    /// The tree for a row: `{text: …}` is filled in, strings are expressions where values stand.
    fn tree(&mut self, node: &Node, is_value: bool) -> Node {
        match &node.value {
            Source::String(_) if is_value => {
                self.value(node).map_or_else(|| node.clone(), |value| spanned(&value, node))
            }
            Source::Map(entries) if entries.len() == 1 && entries[0].0.name == "text" => {
                let text = self.text(node).unwrap_or_default();
                Node::new(node.span.clone(), Source::String(text))
            }
            Source::Map(entries) => {
                let each = entries.iter().map(|(key, inner)| (key.clone(), self.tree(inner, is_value)));
                Node::new(node.span.clone(), Source::Map(each.collect()))
            }
            Source::List(items) => {
                let each = items.iter().map(|item| self.tree(item, is_value)).collect();
                Node::new(node.span.clone(), Source::List(each))
            }
            _ => node.clone(),
        }
    }

    fn value(&mut self, node: &Node) -> Option<Value> {
        let expression = compile(node, &[self.as_name], self.problems)?;
        let scope = Scope::new().with_host(self.host).with(self.as_name, self.row);
        expression
            .eval(&scope)
            .map_err(|error| self.problems.push(Problem::error("value", &node.span, error.message)))
            .ok()
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        let text = Text::from_node(node, self.problems)?;
        let find = |name: &str| (name == self.as_name).then_some(self.row);
        text.render_with(find).map_err(|e| self.problems.push(Problem::error("template", &node.span, e))).ok()
    }
}

fn compile(node: &Node, names: &[&str], problems: &mut Vec<Problem>) -> Option<Expression> {
    crate::expressions::expression(node, shared_vocabulary(), names, problems)
}

/// A value as a tree that says where it was written.
fn spanned(value: &Value, at: &Node) -> Node {
    let mut node = Node::from_json(value);
    place(&mut node, at);
    node
}

fn place(node: &mut Node, at: &Node) {
    node.span = at.span.clone();
    match &mut node.value {
        Source::List(items) => items.iter_mut().for_each(|item| place(item, at)),
        Source::Map(entries) => entries.iter_mut().for_each(|(key, inner)| {
            key.span = at.span.clone();
            place(inner, at);
        }),
        _ => {}
    }
}

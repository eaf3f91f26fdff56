//! The files below workflows/partners: partners by kind, their operations beside them, kits, and what the sandbox
//! plays. `<kind>/<partner>.yaml` is a partner or, with `each`, one for each row of a table; operations stand in the
//! folder of the same name or in a kit: `<name>.yaml`, `<name>.sandbox.yaml`, `<name>.examples.yaml`.

use super::compile::{OperationFiles, compile_operation, compile_partner, compile_webhook};
use super::{Operation, Partner, Webhook, rows};
use crate::contract::Contracts;
use crate::extends::Kind;
use crate::fields::unknown;
use crate::source::Node;
use crate::table::{Table, Tables};
use engine_statechart::{Host, Problem};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Partners with their operations, and the tables that only sandbox scripts read.
#[derive(Default)]
pub(crate) struct Partners {
    pub partners: BTreeMap<String, Arc<Partner>>,
    pub sandbox_tables: Tables,
}

/// What partners may name.
pub(crate) struct Known<'a> {
    pub nodes: &'a BTreeMap<String, Node>,
    pub contracts: &'a Contracts,
    /// Evaluates `each`; the newest definitions first, then those of versions that are still in use.
    pub hosts: &'a [&'a dyn Host],
}

const ROOT: &str = "workflows/partners/";
const KITS: &str = "kits";

/// The files of one folder of operations, by what stands before the first dot of their names.
#[derive(Default)]
struct Folder<'a> {
    operations: BTreeMap<&'a str, OperationFiles<'a>>,
    webhooks: BTreeMap<&'a str, &'a Node>,
    /// `<name>.sandbox.yaml` with `rows`.
    tables: BTreeMap<&'a str, &'a Node>,
}

/// By the folder's path below [`ROOT`]: `kits/<kit>`, `<kind>/<partner>`.
type Folders<'a> = BTreeMap<&'a str, Folder<'a>>;

pub(crate) fn partners(known: &Known<'_>, problems: &mut Vec<Problem>) -> Partners {
    let (files, folders) = files(known.nodes, problems);
    let mut sandbox_tables = Tables::default();
    for (folder, own) in &folders {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        for (table, node) in &own.tables {
            if let Some(table) = Table::compile(&format!("{name}/{table}"), node, problems) {
                sandbox_tables.insert(Arc::new(table));
            }
        }
    }
    let bases = operation_bases(known.nodes, &folders);
    let operations = |folder: &str, problems: &mut Vec<Problem>| -> BTreeMap<String, Arc<Operation>> {
        let own = folders.get(folder).into_iter().flat_map(|f| &f.operations);
        own.filter_map(|(name, files)| {
            let files = files.resolved(&bases, problems)?;
            let operation = compile_operation(name, &files, known.contracts, problems)?;
            Some(((*name).to_owned(), Arc::new(operation)))
        })
        .collect()
    };
    let kit_names: BTreeSet<&str> = folders.keys().filter_map(|f| f.strip_prefix(KITS)?.strip_prefix('/')).collect();
    let kits: BTreeMap<&str, BTreeMap<String, Arc<Operation>>> =
        kit_names.iter().map(|kit| (*kit, operations(&format!("{KITS}/{kit}"), problems))).collect();

    let mut partners: BTreeMap<String, Arc<Partner>> = BTreeMap::new();
    for found in rows::expand(&files, known, problems) {
        let Some(mut partner) = compile_partner(&found.id, &found.node, problems) else { continue };
        partner.operations = operations(&found.folder, problems);
        for (name, node) in found.node.get("operations").map_or(&[][..], Node::map).iter().map(|(k, n)| (&k.name, n)) {
            let Some(tree) = bases.extended(node, &mut BTreeSet::new(), problems) else { continue };
            let files = OperationFiles {
                path: found.path.to_owned(),
                operation: Some(Cow::Owned(tree)),
                ..OperationFiles::default()
            };
            if let Some(operation) = compile_operation(name, &files, known.contracts, problems) {
                partner.operations.insert(name.clone(), Arc::new(operation));
            }
        }
        for (name, node) in folders.get(found.folder.as_str()).into_iter().flat_map(|f| &f.webhooks) {
            if let Some(webhook) = compile_webhook(&found.id, name, node, problems) {
                partner.webhooks.insert((*name).to_owned(), Arc::<Webhook>::new(webhook));
            }
        }
        if let Some(kit) = partner.kit.as_deref() {
            match kits.get(kit) {
                Some(operations) => {
                    for (name, operation) in operations {
                        partner.operations.entry(name.clone()).or_insert_with(|| Arc::clone(operation));
                    }
                }
                None => {
                    let at = found.node.get("kit").unwrap_or(&found.node);
                    problems.push(unknown("kit", at, kit, kit_names.iter().copied()));
                }
            }
        }
        one_operation_a_contract(&partner, problems);
        if partners.insert(found.id.clone(), Arc::new(partner)).is_some() {
            let message = format!("there is another partner `{}`", found.id);
            problems.push(Problem::error("duplicate-id", &found.node.span, message));
        }
    }
    for folder in folders.keys().filter(|f| !f.starts_with(KITS) && !files.contains_key(*f)) {
        if let Some((_, node)) = known.nodes.iter().find(|(p, _)| p.starts_with(&format!("{ROOT}{folder}/"))) {
            let message = format!("no partner has the files of this folder: {ROOT}{folder}.yaml is missing");
            problems.push(Problem::error("missing", &node.span, message));
        }
    }
    Partners { partners, sandbox_tables }
}

/// Partner files by `<kind>/<name>`, and every folder of operations.
fn files<'a>(
    nodes: &'a BTreeMap<String, Node>,
    problems: &mut Vec<Problem>,
) -> (BTreeMap<&'a str, (&'a str, &'a Node)>, Folders<'a>) {
    let (mut files, mut folders) = (BTreeMap::new(), Folders::new());
    let below = nodes
        .iter()
        .filter_map(|(path, node)| Some((path.as_str(), path.strip_prefix(ROOT)?.strip_suffix(".yaml")?, node)));
    for (path, rest, node) in below {
        let depth = rest.matches('/').count();
        match (depth, rest.rsplit_once('/')) {
            (1, Some((kind, _))) if kind != KITS => drop(files.insert(rest, (path, node))),
            (2, Some((folder, name))) => folders.entry(folder).or_default().add(path, name, node),
            _ => {
                let message = "a partner is <kind>/<partner>.yaml, an operation <kind>/<partner>/<name>.yaml or \
                               kits/<kit>/<name>.yaml";
                problems.push(Problem::error("misplaced-file", &node.span, message));
            }
        }
    }
    (files, folders)
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, name: &'a str, node: &'a Node) {
        if let Some(name) = name.strip_suffix(".webhook") {
            self.webhooks.insert(name, node);
        } else if let Some(name) = name.strip_suffix(".sandbox") {
            if node.get("rows").is_some() {
                self.tables.insert(name, node);
            } else {
                let files = self.operations.entry(name).or_default();
                files.sandbox = Some(node);
                if files.path.is_empty() {
                    files.path = path.to_owned();
                }
            }
        } else if let Some(name) = name.strip_suffix(".examples") {
            self.operations.entry(name).or_default().examples = Some(node);
        } else {
            let files = self.operations.entry(name).or_default();
            files.operation = Some(Cow::Borrowed(node));
            files.path = path.to_owned();
        }
    }
}

/// Operations that `extends` may name: `<kit>/<operation>`, `<partner>/<operation>`.
fn operation_bases<'a>(nodes: &'a BTreeMap<String, Node>, folders: &Folders<'a>) -> Kind<'a> {
    let mut paths = BTreeMap::new();
    for path in nodes.keys() {
        let Some(rest) = path.strip_prefix(ROOT).and_then(|p| p.strip_suffix(".yaml")) else { continue };
        let Some((folder, operation)) = rest.rsplit_once('/').filter(|(f, _)| folders.contains_key(f)) else {
            continue;
        };
        if operation.contains('.') {
            continue;
        }
        let name_at = folder.rfind('/').map_or(0, |at| at + 1);
        paths.insert(&rest[name_at..], path.as_str());
    }
    Kind { nodes, what: "operation", paths }
}

fn one_operation_a_contract(partner: &Partner, problems: &mut Vec<Problem>) {
    let mut contracts: BTreeMap<&str, &str> = BTreeMap::new();
    for operation in partner.operations.values() {
        let Some(contract) = operation.contract_id() else { continue };
        if let Some(other) = contracts.insert(contract, &operation.id) {
            let message = format!(
                "operations `{other}` and `{}` of partner `{}` both declare the contract `{contract}`",
                operation.id, partner.id
            );
            problems.push(Problem::error("duplicate-id", &operation.span, message));
        }
    }
}

//! The files below workflows/partners: partners by kind, their operations beside them, kits, and what the sandbox
//! plays. `<kind>/<partner>.yaml` is a partner or, with `each`, one for each row of a table; operations stand in the
//! folder of the same name or in a kit: `<name>.yaml`, `<name>.sandbox.yaml`, `<name>.examples.yaml`.

use super::compile::{OperationFiles, compile_operation, compile_partner, compile_webhook};
use super::{Operation, Partner, rows};
use crate::contract::Contracts;
use crate::extends::ExtendableFiles;
use crate::fields::unknown;
use crate::files::Files;
use crate::layout::{FileKind, OperationPart, Owner, kind_of};
use crate::source::{Node, Nodes};
use crate::table::{Table, Tables};
use crate::workflow::LineValues;
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
pub(crate) struct PartnerReferences<'a> {
    pub files: &'a Files,
    pub nodes: &'a Nodes,
    pub contracts: &'a Contracts,
    /// Evaluates `each`; the newest definitions first, then those of versions that are still in use.
    pub hosts: &'a [&'a dyn Host],
}

/// The files of one folder of operations.
#[derive(Default)]
struct Folder<'a> {
    operations: BTreeMap<String, OperationFiles<'a>>,
    webhooks: BTreeMap<String, &'a Node>,
    /// Tables with `rows` of `<name>.sandbox.yaml`, by name.
    tables: BTreeMap<String, Cow<'a, Node>>,
}

type Folders<'a> = BTreeMap<Owner, Folder<'a>>;

pub(crate) fn partners(known: &PartnerReferences<'_>, problems: &mut Vec<Problem>) -> Partners {
    let folders = folders(known.nodes, problems);
    let mut sandbox_tables = Tables::default();
    for (owner, own) in &folders {
        for (table, node) in &own.tables {
            if let Some(table) = Table::compile(&format!("{}/{table}", owner.name()), node, problems) {
                sandbox_tables.insert(Arc::new(table));
            }
        }
    }
    let bases = ExtendableFiles::of(known.nodes, "operation", |kind| match kind {
        FileKind::Operation { owner, name, part: OperationPart::Mapping } => Some(format!("{}/{name}", owner.name())),
        _ => None,
    });
    let operations = |owner: &Owner, problems: &mut Vec<Problem>| -> BTreeMap<String, Arc<Operation>> {
        let own = folders.get(owner).into_iter().flat_map(|f| &f.operations);
        own.filter_map(|(name, files)| {
            let files = files.resolve(&bases, problems)?;
            let operation = compile_operation(name, &files, known.contracts, problems)?;
            Some((name.clone(), Arc::new(operation)))
        })
        .collect()
    };
    let kit_names = folders.keys().filter(|owner| matches!(owner, Owner::Kit(_)));
    let kits: BTreeMap<&str, BTreeMap<String, Arc<Operation>>> =
        kit_names.map(|kit| (kit.name(), operations(kit, problems))).collect();

    let mut partners: BTreeMap<String, Arc<Partner>> = BTreeMap::new();
    for found in rows::expand(known, problems) {
        let owner = Owner::Partner(found.id.clone());
        let Some(mut partner) = compile_partner(&found.id, &found.node, problems) else { continue };
        partner.operations = operations(&owner, problems);
        for (name, node) in found.node.get("operations").map_or(&[][..], Node::map).iter().map(|(k, n)| (&k.name, n)) {
            let Some(tree) = bases.extend(node, &mut BTreeSet::new(), problems) else { continue };
            let files = OperationFiles {
                path: found.path.to_owned(),
                operation: Some(Cow::Owned(tree)),
                ..OperationFiles::default()
            };
            if let Some(operation) = compile_operation(name, &files, known.contracts, problems) {
                partner.operations.insert(name.clone(), Arc::new(operation));
            }
        }
        let owners = std::iter::once(owner).chain(partner.kits.iter().cloned().map(Owner::Kit));
        let told: Vec<_> = owners.filter_map(|owner| folders.get(&owner)).collect();
        for (name, node) in told.into_iter().flat_map(|folder| &folder.webhooks) {
            if partner.webhooks.contains_key(name) {
                continue;
            }
            if let Some(webhook) = compile_webhook(&found.id, name, node, problems) {
                partner.webhooks.insert(name.clone(), Arc::new(webhook));
            }
        }
        let mut of_kits: BTreeMap<&str, &str> = BTreeMap::new();
        for kit in partner.kits.clone() {
            let Some((kit, operations)) = kits.get_key_value(kit.as_str()) else {
                let at = found.node.get("kit").unwrap_or(&found.node);
                problems.push(unknown("kit", at, &kit, kits.keys().copied()));
                continue;
            };
            for (name, operation) in operations {
                if let Some(other) = of_kits.insert(name, kit) {
                    let message =
                        format!("the kits `{other}` and `{kit}` of partner `{}` both have `{name}`", found.id);
                    problems.push(Problem::error("duplicate-id", &found.node.span, message));
                }
                partner.operations.entry(name.clone()).or_insert_with(|| Arc::clone(operation));
            }
        }
        one_operation_a_contract(&partner, problems);
        if partners.insert(found.id.clone(), Arc::new(partner)).is_some() {
            let message = format!("there is another partner `{}`", found.id);
            problems.push(Problem::error("duplicate-id", &found.node.span, message));
        }
    }
    for (owner, folder) in &folders {
        let Owner::Partner(id) = owner else { continue };
        let is_lost = !partners.contains_key(id) && !known.has_file(id);
        if let Some(node) = folder.first().filter(|_| is_lost) {
            let message = format!("no partner has the operations of this folder: `{id}.yaml` is missing beside it");
            problems.push(Problem::error("missing", &node.span, message));
        }
    }
    Partners { partners, sandbox_tables }
}

/// A script with `line: life` asks the values that the flows of `life` share.
fn folders<'a>(nodes: &'a Nodes, problems: &mut Vec<Problem>) -> Folders<'a> {
    let mut folders = Folders::new();
    let mut values = LineValues::new(nodes);
    for (path, node) in nodes {
        match kind_of(path) {
            Some(FileKind::Operation { owner, name, part }) => {
                folders.entry(owner).or_default().add(path, name, part, values.bound(node, problems));
            }
            Some(FileKind::Webhook { owner, name }) => {
                folders.entry(owner).or_default().webhooks.insert(name, node);
            }
            _ => {}
        }
    }
    folders
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &str, name: String, part: OperationPart, node: Cow<'a, Node>) {
        if part == OperationPart::Sandbox && node.get("rows").is_some() {
            self.tables.insert(name, node);
            return;
        }
        let files = self.operations.entry(name).or_default();
        match part {
            OperationPart::Mapping => files.operation = Some(node),
            OperationPart::Sandbox => files.sandbox = Some(node),
            OperationPart::Examples => files.examples = Some(node),
        }
        if part == OperationPart::Mapping || files.path.is_empty() {
            files.path = path.to_owned();
        }
    }

    fn first(&self) -> Option<&Node> {
        let files = self
            .operations
            .values()
            .flat_map(|f| [f.operation.as_deref(), f.sandbox.as_deref(), f.examples.as_deref()]);
        files.flatten().chain(self.webhooks.values().copied()).chain(self.tables.values().map(|table| &**table)).next()
    }
}

impl PartnerReferences<'_> {
    /// Whether a partner's file is there, perhaps with mistakes.
    fn has_file(&self, id: &str) -> bool {
        let is =
            |path: &str| matches!(kind_of(path), Some(FileKind::Partner(name)) if name.ends_with(&format!("/{id}")));
        self.files.iter().any(|(path, _)| is(path))
    }
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

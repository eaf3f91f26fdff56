//! Versions of workflows that open journeys hold, beside what is live: read again, and asked whether they can go on.

use crate::catalog::Catalog;
use crate::contract::{self, Contracts};
use crate::files::Files;
use crate::layout::{self, FileKind, kind_of};
use crate::load::parse;
use crate::localized::{self, Parts};
use crate::policy::is_fatal;
use crate::source::{self, Nodes};
use crate::table::{Table, Tables, with_rows};
use crate::workflow::{Library, Workflow};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A version of a workflow that open journeys hold.
pub struct PinnedVersion {
    pub workflow: String,
    /// Files of the version's closure.
    pub files: Files,
}

/// Why open journeys of these versions could not go on beside what is live.
pub fn left_behind(held: &[PinnedVersion], live: &Catalog) -> Vec<Problem> {
    let of = |held: &PinnedVersion| {
        let found = reload_closure(&held.workflow, &held.files, live).err().unwrap_or_default();
        let why = |p: Problem| {
            let message =
                format!("open journeys of `{}` go on with what they began with: {}", held.workflow, p.message);
            Problem::error("version-in-use", &p.span, message).maybe_hint(p.hint)
        };
        found.into_iter().filter(is_fatal).map(why).collect::<Vec<_>>()
    };
    held.iter().flat_map(of).collect()
}

/// What an older version, still in use, says of partners.
pub struct PinnedParts<'a> {
    held: &'a PinnedVersion,
    pub tables: Tables,
    contracts: Contracts,
}

impl<'a> PinnedParts<'a> {
    pub fn read(held: &'a PinnedVersion) -> PinnedParts<'a> {
        // A pinned version was checked when it was published.
        let mut told = Vec::new();
        let matters =
            |path: &str| matches!(kind_of(path), Some(FileKind::Table(_) | FileKind::Row(_) | FileKind::Contract(_)));
        let nodes = held
            .files
            .iter()
            .filter(|(path, _)| matters(path))
            .filter_map(|(path, bytes)| Some((path.to_owned(), Arc::new(source::read(path, bytes).ok()?))));
        let nodes: Nodes = nodes.collect();
        let contracts = contract::compile(&nodes, &mut told);
        let mut tables = Tables::default();
        for (path, node) in &nodes {
            if let Some(FileKind::Table(id)) = kind_of(path) {
                Table::compile(&id, &with_rows(&id, node, &nodes), &mut told)
                    .into_iter()
                    .for_each(|table| tables.insert(Arc::new(table)));
            }
        }
        PinnedParts { held, tables, contracts }
    }

    pub fn check(&self, parts: &Parts, problems: &mut Vec<Problem>) {
        for (id, old) in &self.contracts {
            let workflow = &self.held.workflow;
            let mut refused = |span: &Span, why: &str| {
                let message = format!("open journeys of `{workflow}` hold the contract `{id}`: {why}");
                let hint = "give the changed contract a new name, or wait until these journeys have ended";
                problems.push(Problem::error("contract-in-use", span, message).hint(hint));
            };
            let path = layout::contract_file(id);
            match (parts.contracts.get(id), parts.nodes.get(&path)) {
                (Some(new), Some(node)) => new.breaks(old).iter().for_each(|why| refused(&node.span, why)),
                (None, Some(_)) => {}
                (_, None) => refused(&Span::new(&Arc::from(path.as_str()), 1, 1), "it is gone"),
            }
        }
    }
}

/// A pinned version again, from the files of its closure. Partners, messages, reference data and
/// calendars are the live ones. Problems are what no longer fits, such as a partner that is gone.
pub fn reload_closure(id: &str, files: &Files, live: &Catalog) -> Result<Arc<Workflow>, Vec<Problem>> {
    let mut problems = Vec::new();
    let read = parse(files, &mut problems);
    let english = Parts::read(&read.nodes, &BTreeSet::new(), &mut problems);
    let said = localized::translate_files(&read, &mut problems);
    let spoken = localized::read_languages(&english, &said, &mut problems);
    let stories = BTreeMap::new();
    let library = Library {
        files,
        nodes: english.nodes,
        forms: &english.forms,
        views: &english.views,
        tables: &english.tables,
        texts: &english.texts,
        contracts: &english.contracts,
        partners: &live.partners,
        messages: &live.messages,
        masters: &live.masters,
        calendars: &live.calendars,
        stories: &stories,
        languages: &spoken.keys().cloned().collect::<Vec<_>>(),
        is_whole: true,
        was_checked: false,
        has_all_partners: true,
    };
    let workflow = if problems.iter().any(is_fatal) {
        None
    } else {
        localized::in_languages(id, &library, &spoken, &mut problems)
    };
    match workflow {
        Some(workflow) => Ok(Arc::new(workflow)),
        None => {
            if problems.is_empty() {
                let span = Span::unknown();
                problems.push(Problem::error("unknown-name", &span, format!("the closure holds no workflow `{id}`")));
            }
            Err(problems)
        }
    }
}

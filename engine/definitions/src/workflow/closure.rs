//! What a version of a workflow is made of, and how an old one is made again.

use super::Workflow;
use super::compile::{Library, compile};
use super::desugar::Builder;
use crate::catalog::Catalog;
use crate::files::Files;
use crate::form::Form;
use crate::layout;
use crate::table::Tables;
use crate::view::View;
use engine_statechart::Problem;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Forms, views and tables that a version keeps for itself.
pub(super) struct Pinned {
    pub forms: BTreeMap<String, Arc<Form>>,
    pub views: BTreeMap<String, Arc<View>>,
    pub tables: Tables,
}

/// Paths with hashes, the version, and what is pinned: workflow and its bases, parts, forms with
/// what they refer to, views, tables, texts.
pub(super) fn of(builder: &Builder<'_>, library: &Library<'_>) -> (Vec<(String, String)>, String, Pinned) {
    let mut paths = builder.used.clone();
    let mut tables = builder.tables.clone();
    let mut pinned = Pinned { forms: BTreeMap::new(), views: BTreeMap::new(), tables: Tables::default() };
    for id in &builder.forms {
        if let Some(form) = library.forms.get(id) {
            paths.extend(form.files().map(str::to_owned));
            tables.extend(form.tables().map(str::to_owned));
            pinned.forms.insert(id.clone(), Arc::clone(form));
        }
    }
    for id in &builder.views {
        if let Some(view) = library.views.get(id) {
            paths.insert(view.path.clone());
            tables.extend(view.tables().map(str::to_owned));
            pinned.views.insert(id.clone(), Arc::clone(view));
        }
    }
    for id in tables {
        if let Some(table) = library.tables.get(&id) {
            paths.insert(layout::table_file(&id));
            pinned.tables.insert(Arc::clone(table));
        }
    }
    paths.extend(builder.contracts.values().flat_map(|contract| contract.files.iter().cloned()));
    paths.extend(builder.texts.folders().map(layout::texts_file));
    let closure: Vec<(String, String)> =
        paths.into_iter().filter(|p| library.files.contains(p)).map(|p| (p.clone(), library.files.hash(&p))).collect();
    let mut hasher = Sha256::new();
    for (path, hash) in &closure {
        hasher.update(path.as_bytes());
        hasher.update([0]);
        hasher.update(hash.as_bytes());
        hasher.update([b'\n']);
    }
    let version = hex::encode(&hasher.finalize()[..16]);
    (closure, version, pinned)
}

/// A pinned version again, from the files of its closure. Partners, messages, reference data and
/// calendars are the live ones. Problems are what no longer fits, such as a partner that is gone.
pub fn reload_closure(id: &str, files: &Files, live: &Catalog) -> Result<Arc<Workflow>, Vec<Problem>> {
    let mut problems = Vec::new();
    let parts = crate::load::parts(files, &mut problems, BTreeSet::new());
    let stories = BTreeMap::new();
    let library = Library {
        files,
        nodes: &parts.nodes,
        forms: &parts.forms,
        views: &parts.views,
        tables: &parts.tables,
        texts: &parts.texts,
        contracts: &parts.contracts,
        partners: &live.partners,
        messages: &live.messages,
        masters: &live.masters,
        calendars: &live.calendars,
        stories: &stories,
        is_whole: true,
        has_all_partners: true,
    };
    let workflow = if problems.iter().any(Problem::is_error) { None } else { compile(id, &library, &mut problems) };
    match workflow {
        Some(workflow) => Ok(Arc::new(workflow)),
        None => {
            if problems.is_empty() {
                let span = engine_statechart::source::Span::unknown();
                problems.push(Problem::error("unknown-name", &span, format!("the closure holds no workflow `{id}`")));
            }
            Err(problems)
        }
    }
}

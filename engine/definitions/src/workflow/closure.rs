//! What a version of a workflow is made of, and how an old one is made again.

use super::Workflow;
use super::compile::Library;
use super::desugar::Builder;
use crate::catalog::Catalog;
use crate::files::Files;
use crate::form::Form;
use crate::layout;
use crate::parts::{self, Parts};
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

impl Pinned {
    /// `tables`: their ids.
    pub fn of(builder: &Builder<'_>, tables: &BTreeSet<String>, library: &Library<'_>) -> Pinned {
        let form = |id: &String| Some((id.clone(), Arc::clone(library.forms.get(id)?)));
        let view = |id: &String| Some((id.clone(), Arc::clone(library.views.get(id)?)));
        let mut pinned = Pinned {
            forms: builder.forms.iter().filter_map(form).collect(),
            views: builder.views.iter().filter_map(view).collect(),
            tables: Tables::default(),
        };
        let found = tables.iter().filter_map(|id| library.tables.get(id));
        found.for_each(|table| pinned.tables.insert(Arc::clone(table)));
        pinned
    }
}

/// Ids of the tables that its expressions, its forms and its views name.
pub(super) fn tables(builder: &Builder<'_>, library: &Library<'_>) -> BTreeSet<String> {
    let forms = builder.forms.iter().filter_map(|id| library.forms.get(id));
    let views = builder.views.iter().filter_map(|id| library.views.get(id));
    let of_forms = forms.flat_map(|form| form.tables().map(str::to_owned));
    let of_views = views.flat_map(|view| view.tables().map(str::to_owned));
    let all = builder.tables.iter().cloned().chain(of_forms).chain(of_views);
    all.filter(|id| library.tables.get(id).is_some()).collect()
}

/// Paths with hashes, and the version: workflow and its bases, parts, forms with what they refer to, views, tables,
/// texts, contracts, and the translations of all of them.
pub(super) fn of(
    builder: &Builder<'_>,
    tables: &BTreeSet<String>,
    library: &Library<'_>,
) -> (Vec<(String, String)>, String) {
    let mut paths = builder.used.clone();
    let forms = builder.forms.iter().filter_map(|id| library.forms.get(id));
    paths.extend(forms.flat_map(|form| form.files().map(str::to_owned)));
    let views = builder.views.iter().filter_map(|id| library.views.get(id));
    paths.extend(views.map(|view| view.path.clone()));
    paths.extend(tables.iter().map(|id| layout::table_file(id)));
    paths.extend(builder.contracts.values().flat_map(|contract| contract.files.iter().cloned()));
    paths.extend(builder.texts.folders().map(layout::texts_file));
    for path in paths.clone() {
        paths.extend(library.languages.iter().map(|language| layout::translated(&path, language)));
    }
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
    (closure, version)
}

/// A pinned version again, from the files of its closure. Partners, messages, reference data and
/// calendars are the live ones. Problems are what no longer fits, such as a partner that is gone.
pub fn reload_closure(id: &str, files: &Files, live: &Catalog) -> Result<Arc<Workflow>, Vec<Problem>> {
    let mut problems = Vec::new();
    let read = crate::load::parse(files, &mut problems);
    let english = Parts::read(&read.nodes, &BTreeSet::new(), &mut problems);
    let said = parts::said(&read, &mut problems);
    let spoken = parts::spoken(&english, &said, &mut problems);
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
        has_all_partners: true,
    };
    let workflow = if problems.iter().any(Problem::is_error) {
        None
    } else {
        parts::in_languages(id, &library, &spoken, &mut problems)
    };
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

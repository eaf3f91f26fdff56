//! What a version of a workflow is made of.

use super::desugar::Builder;
use super::library::Library;
use crate::form::Form;
use crate::layout;
use crate::table::{Tables, rows_in_files};
use crate::view::View;
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
    /// Collects what a version pins; `tables`: their ids.
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
    paths.extend(views.flat_map(|view| view.others.iter().chain([&view.path])).cloned());
    for id in tables {
        let rows = rows_in_files(id, library.nodes).map(|(path, _)| path.clone());
        paths.extend(rows.chain([layout::table_file(id)]));
    }
    paths.extend(builder.contracts.values().flat_map(|contract| contract.files.iter().cloned()));
    paths.extend(builder.texts.folders().map(layout::texts_file));
    for path in paths.clone() {
        paths.extend(library.languages.iter().map(|language| layout::translation_path(&path, language)));
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

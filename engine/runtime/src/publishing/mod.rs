//! Publishing: definitions become versions, in one transaction, for every node.

mod stories;

pub use stories::Stories;

use crate::actor::{Action, Actor, Resource};
use crate::core::{Core, RuntimeError, load_blocking};
use engine_definitions::{Files, PinnedVersion, Problem, Severity};
use engine_statechart::source::Span;
use engine_store::{DefinitionFile, JourneyStatus, Publication, StoreError, VersionFiles, VersionRecord};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who may do what, and what a change must have stood, is for operators to change.
const RESERVED: [&str; 2] = ["workflows/roles.yaml", engine_definitions::RELEASES];

/// What is current, here and on every node.
#[derive(Clone)]
pub struct Publishing {
    pub(crate) core: Arc<Core>,
}

/// What a publication changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    pub number: i64,
    /// Workflows whose version is new.
    pub changed: Vec<String>,
    /// How many stories were played.
    pub stories: usize,
    pub warnings: Vec<Problem>,
}

#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// Nothing was published; all problems at once.
    #[error("the definitions have errors")]
    Problems(Vec<Problem>),
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
}

impl From<StoreError> for PublishError {
    fn from(error: StoreError) -> Self {
        PublishError::Runtime(error.into())
    }
}

impl Publishing {
    /// Checks everything, plays the stories of what changed, stores it and switches new journeys to it. The same files
    /// again change nothing. What operators keep to themselves ([`RESERVED`]) stays as it is for everybody else
    /// (**floors**). In the sandbox a story that fails is only told.
    pub async fn publish(&self, files: &Files, by: &Actor, stories: Stories) -> Result<Published, PublishError> {
        let held = self.pinned_versions(|path| files.contains(path).then(|| files.hash(path))).await?;
        let loaded = load_blocking(files.clone(), move |files| engine_definitions::publishable(&files, &held)).await;
        let Some(catalog) = loaded.catalog else { return Err(PublishError::Problems(loaded.problems)) };
        let mut warnings: Vec<Problem> =
            loaded.problems.into_iter().filter(|p| p.severity == Severity::Warning).collect();
        let contents: Vec<DefinitionFile> = files
            .iter()
            .map(|(path, bytes)| DefinitionFile { path: path.into(), hash: files.hash(path), content: bytes.to_vec() })
            .collect();
        let current = self.core.store().current_publication().await?;
        if self.core.permit(by, Action::Operate, Resource::All).is_err() {
            let before = current.as_ref().map_or(&[][..], |current| &current.files[..]);
            RESERVED.into_iter().try_for_each(|file| is_left(file, before, &contents))?;
        }
        if let Some(current) = current.as_ref().filter(|current| same_files(&current.files, &contents)) {
            if self.core.publication() != current.number {
                self.core.switch(current.number, catalog);
            }
            return Ok(Published { number: current.number, changed: Vec::new(), stories: 0, warnings });
        }
        let before = self.core.catalog();
        let changed: Vec<String> = catalog
            .workflows()
            .filter(|w| before.workflow(&w.id).is_none_or(|b| b.version != w.version))
            .map(|w| w.id.clone())
            .collect();
        let mut count = 0;
        if current.is_some() || stories == Stories::Play {
            let before = current.as_ref().map_or(&[][..], |current| &current.files[..]);
            let played = stories::play(&catalog, &changed, files, before).await;
            let only_tells =
                stories == Stories::Tell || catalog.releases().only_warns || self.core.settings.sandbox.enabled;
            if !played.failures.is_empty() && !only_tells {
                return Err(PublishError::Problems(played.failures));
            }
            count = played.count;
            warnings.extend(stories::as_warnings(played.failures));
        }
        let versions = catalog
            .workflows()
            .map(|w| VersionRecord {
                workflow: w.id.clone(),
                version: w.version.clone(),
                format: engine_definitions::FORMAT,
                closure: w.closure.clone(),
            })
            .collect();
        let publication =
            Publication { number: 0, at_ms: self.core.now_ms(), by: by.id.clone(), files: contents, versions };
        let number = self.core.store().publish(publication).await?;
        self.core.switch(number, catalog);
        Ok(Published { number, changed, stories: count, warnings })
    }

    /// Serves what the database says is current; false when nothing was published yet.
    pub async fn load_current(&self) -> Result<bool, RuntimeError> {
        let Some(current) = self.core.store().current_publication().await? else { return Ok(false) };
        if current.number == self.core.publication() {
            return Ok(true);
        }
        if let Some(newer) = current.versions.iter().find(|version| version.format > engine_definitions::FORMAT) {
            let (workflow, format, known) = (&newer.workflow, newer.format, engine_definitions::FORMAT);
            let why = format!("`{workflow}` has format {format}; this program reads up to {known}");
            return Err(RuntimeError::Publication(why));
        }
        let mut files = Files::new();
        for file in current.files {
            files.insert(file.path, Arc::<[u8]>::from(file.content));
        }
        let held = self.pinned_versions(|path| files.contains(path).then(|| files.hash(path))).await?;
        let loaded = load_blocking(files, move |files| engine_definitions::load_beside(&files, &held)).await;
        let Some(catalog) = loaded.catalog else {
            return Err(RuntimeError::Publication(
                loaded.problems.first().map(ToString::to_string).unwrap_or_default(),
            ));
        };
        self.core.switch(current.number, catalog);
        Ok(true)
    }

    /// Versions of open journeys that are not what these files make; `hash` of a file among them.
    async fn pinned_versions(&self, hash: impl Fn(&str) -> Option<String>) -> Result<Vec<PinnedVersion>, StoreError> {
        let counts =
            self.core.store().journey_counts().await?.into_iter().filter(|c| c.status == JourneyStatus::Active);
        let versions: BTreeSet<(String, String)> = counts.map(|c| (c.workflow, c.version)).collect();
        let mut held = Vec::new();
        for (workflow, version) in versions {
            let Some(VersionFiles { files: stored, .. }) = self.core.store().version_files(&workflow, &version).await?
            else {
                continue;
            };
            if stored.iter().all(|file| hash(&file.path).as_ref() == Some(&file.hash)) {
                continue;
            }
            let mut files = Files::new();
            stored.into_iter().for_each(|file| files.insert(file.path, file.content));
            held.push(PinnedVersion { workflow, files });
        }
        Ok(held)
    }

    /// Follows publications of other nodes; cheap when nothing changed.
    pub async fn follow_publications(&self) -> Result<bool, RuntimeError> {
        let number = self.core.store().publication_number().await?;
        if number == self.core.publication() || number == 0 {
            return Ok(false);
        }
        self.load_current().await
    }
}

/// A file is what it was before.
fn is_left(file: &str, before: &[DefinitionFile], after: &[DefinitionFile]) -> Result<(), PublishError> {
    let hash = |files: &[DefinitionFile]| files.iter().find(|one| one.path == file).map(|one| one.hash.clone());
    if hash(before) == hash(after) {
        return Ok(());
    }
    let why = "only an operator changes who may do what";
    Err(PublishError::Problems(vec![Problem::error("floor", &Span::new(&file.into(), 0, 0), why)]))
}

fn same_files(stored: &[DefinitionFile], new: &[DefinitionFile]) -> bool {
    let mut a: Vec<_> = stored.iter().map(|f| (&f.path, &f.hash)).collect();
    let mut b: Vec<_> = new.iter().map(|f| (&f.path, &f.hash)).collect();
    a.sort();
    b.sort();
    a == b
}

//! Publishing: definitions become versions, in one transaction, for every node.

use crate::core::{Core, RuntimeError, load_blocking};
use engine_definitions::{Files, Held, Problem, Severity};
use engine_store::{DefinitionFile, JourneyStatus, Publication, StoreError, VersionFiles, VersionRecord};
use std::collections::BTreeSet;
use std::sync::Arc;

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
    /// Checks everything, stores it and switches new journeys to it. The same files again change nothing.
    pub async fn publish(&self, files: &Files, by: &str) -> Result<Published, PublishError> {
        let held = self.held(|path| files.contains(path).then(|| files.hash(path))).await?;
        let loaded = load_blocking(files.clone(), move |files| engine_definitions::publishable(&files, &held)).await;
        let Some(catalog) = loaded.catalog else { return Err(PublishError::Problems(loaded.problems)) };
        let warnings: Vec<Problem> = loaded.problems.into_iter().filter(|p| p.severity == Severity::Warning).collect();
        let contents: Vec<DefinitionFile> = files
            .iter()
            .map(|(path, bytes)| DefinitionFile { path: path.into(), hash: files.hash(path), content: bytes.to_vec() })
            .collect();
        let current = self.core.store().current_publication().await?;
        if let Some(current) = current.filter(|c| same_files(&c.files, &contents)) {
            if self.core.publication() != current.number {
                self.core.switch(current.number, catalog);
            }
            return Ok(Published { number: current.number, changed: Vec::new(), warnings });
        }
        let before = self.core.catalog();
        let changed = catalog
            .workflows()
            .filter(|w| before.workflow(&w.id).is_none_or(|b| b.version != w.version))
            .map(|w| w.id.clone())
            .collect();
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
            Publication { number: 0, at_ms: self.core.now_ms(), by: by.into(), files: contents, versions };
        let number = self.core.store().publish(publication).await?;
        self.core.switch(number, catalog);
        Ok(Published { number, changed, warnings })
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
        let held = self.held(|path| files.contains(path).then(|| files.hash(path))).await?;
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
    async fn held(&self, hash: impl Fn(&str) -> Option<String>) -> Result<Vec<Held>, StoreError> {
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
            held.push(Held { workflow, files });
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

fn same_files(stored: &[DefinitionFile], new: &[DefinitionFile]) -> bool {
    let mut a: Vec<_> = stored.iter().map(|f| (&f.path, &f.hash)).collect();
    let mut b: Vec<_> = new.iter().map(|f| (&f.path, &f.hash)).collect();
    a.sort();
    b.sort();
    a == b
}

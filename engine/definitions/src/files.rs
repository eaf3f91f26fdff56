//! A set of definition files by their path from the repository's root.

use crate::layout::kind_of;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Folders that hold definitions, below the root of a set.
pub const FOLDERS: [&str; 3] = ["workflows", "forms", "languages"];

/// Paths (`workflows/…`, `forms/…`, `languages/…`, always with `/`) → bytes, in path order. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct Files {
    map: BTreeMap<String, Arc<[u8]>>,
    found_good: bool,
}

impl Files {
    pub fn new() -> Self {
        Files::default()
    }

    /// All definition files under the [`FOLDERS`] of `root`; README and generated schemas apart.
    pub fn read_dir(root: impl AsRef<Path>) -> std::io::Result<Files> {
        let mut files = Files::new();
        for top in FOLDERS {
            let dir = root.as_ref().join(top);
            if dir.is_dir() {
                files.read_into(&dir, top)?;
            }
        }
        Ok(files)
    }

    fn read_into(&mut self, dir: &Path, prefix: &str) -> std::io::Result<()> {
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|n| !n.starts_with('.')) else { continue };
            let path = format!("{prefix}/{name}");
            if entry.file_type()?.is_dir() {
                if path != "workflows/schema" {
                    self.read_into(&entry.path(), &path)?;
                }
            } else if Files::is_definition(&path) {
                self.insert(path, std::fs::read(entry.path())?);
            }
        }
        Ok(())
    }

    /// Whether a path is one of a definition: YAML, JSON or CSV under one of the [`FOLDERS`], or a row of a table in
    /// Markdown.
    pub fn is_definition(path: &str) -> bool {
        let place = path.split_once('/').is_some_and(|(top, _)| FOLDERS.contains(&top));
        place
            && !path.starts_with("workflows/schema/")
            && ([".yaml", ".yml", ".json", ".csv"].iter().any(|e| path.ends_with(e))
                || path.ends_with(".md") && kind_of(path).is_some())
    }

    /// Says that this very program has checked these very files before, and found nothing.
    pub fn mark_found_good(&mut self) {
        self.found_good = true;
    }

    pub fn were_found_good(&self) -> bool {
        self.found_good
    }

    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Arc<[u8]>>) {
        self.found_good = false;
        self.map.insert(path.into(), bytes.into());
    }

    pub fn remove(&mut self, path: &str) -> bool {
        self.found_good = false;
        self.map.remove(path).is_some()
    }

    pub fn get(&self, path: &str) -> Option<&Arc<[u8]>> {
        self.map.get(path)
    }

    pub fn contains(&self, path: &str) -> bool {
        self.map.contains_key(path)
    }

    /// SHA-256 of all paths and contents as lower-case hex.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for (path, bytes) in &self.map {
            for part in [path.as_bytes(), bytes] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
        }
        hex::encode(digest.finalize())
    }

    /// SHA-256 of a file's bytes as lower-case hex; empty for a path that is not there.
    pub fn hash(&self, path: &str) -> String {
        self.map.get(path).map(|bytes| hex::encode(Sha256::digest(bytes))).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.map.iter().map(|(path, bytes)| (path.as_str(), bytes))
    }

    pub fn len(&self) -> usize {
        self.map.len()
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}

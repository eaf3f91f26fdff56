//! Definitions: files by content, versions by closure, publications by number.

use crate::Result;
use async_trait::async_trait;

/// Files by content, versions by closure, publications by number.
#[async_trait]
pub trait Definitions: Send + Sync {
    /// Stores files by content and makes the manifest current, in one transaction.
    async fn publish(&self, publication: Publication) -> Result<i64>;
    async fn current_publication(&self) -> Result<Option<Publication>>;
    /// The number of the current publication: cheap, for nodes that poll.
    async fn publication_number(&self) -> Result<i64>;
    /// The closure of a workflow's version.
    async fn version_files(&self, workflow: &str, version: &str) -> Result<Option<VersionFiles>>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct DefinitionFile {
    pub path: String,
    pub hash: String,
    pub content: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    pub number: i64,
    pub at_ms: i64,
    pub by: String,
    /// Every file of the publication; stored once by hash.
    pub files: Vec<DefinitionFile>,
    /// Versions that it makes known: (workflow, version, paths and hashes of the closure).
    pub versions: Vec<VersionRecord>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VersionRecord {
    pub workflow: String,
    pub version: String,
    /// Format of the language in which the version is written.
    pub format: i32,
    pub closure: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VersionFiles {
    pub format: i32,
    pub files: Vec<DefinitionFile>,
}

//! Files by content, versions by closure, publications by number.

use super::super::{Conn, Database, dialect};
use super::json::parse;
use crate::ids::{pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{QueryBuilder, Row as _};
use std::collections::HashMap;

#[async_trait]
impl Definitions for Database {
    async fn publish(&self, publication: Publication) -> Result<i64> {
        let number = transact!(self, conn => publish(conn, &publication))?;
        self.tell_all(Change { journey: String::new(), seq: number, revision: 0, what: Changed::Publication });
        Ok(number)
    }
    async fn current_publication(&self) -> Result<Option<Publication>> {
        read!(self.read_publication())
    }
    async fn publication_number(&self) -> Result<i64> {
        read!(self.read_publication_number())
    }
    async fn version_files(&self, workflow: &str, version: &str) -> Result<Option<VersionFiles>> {
        read!(self.read_version_files(workflow, version))
    }
}

/// Path and hash of each file.
type Manifest = Vec<(String, String)>;

impl Database {
    pub async fn read_publication(&self) -> Result<Option<Publication>> {
        let row =
            sqlx::query("select number, at, actor, manifest, versions from publications order by number desc limit 1")
                .fetch_optional(&self.pool)
                .await?;
        let Some(r) = row else { return Ok(None) };
        let manifest: Manifest = parse(r.try_get(3)?, "publications.manifest")?;
        let mut versions = Vec::new();
        for (workflow, version) in parse::<Vec<(String, String)>>(r.try_get(4)?, "publications.versions")? {
            if let Some((closure, format)) = self.read_closure(&workflow, &version).await? {
                versions.push(VersionRecord { workflow, version, format, closure });
            }
        }
        Ok(Some(Publication {
            number: r.try_get(0)?,
            at_ms: r.try_get(1)?,
            by: r.try_get(2)?,
            files: self.read_files(manifest).await?,
            versions,
        }))
    }

    pub async fn read_publication_number(&self) -> Result<i64> {
        let number: Option<i64> =
            sqlx::query_scalar("select max(number) from publications").fetch_one(&self.pool).await?;
        Ok(number.unwrap_or(0))
    }

    pub async fn read_version_files(&self, workflow: &str, version: &str) -> Result<Option<VersionFiles>> {
        match self.read_closure(workflow, version).await? {
            Some((closure, format)) => Ok(Some(VersionFiles { format, files: self.read_files(closure).await? })),
            None => Ok(None),
        }
    }

    /// Files of a closure, and the format in which they are written.
    async fn read_closure(&self, workflow: &str, version: &str) -> Result<Option<(Manifest, i32)>> {
        let row: Option<(String, i32)> =
            sqlx::query_as("select closure, format from versions where workflow = $1 and version = $2")
                .bind(workflow)
                .bind(pack(version))
                .fetch_optional(&self.pool)
                .await?;
        row.map(|(closure, format)| Ok((parse(&closure, "versions.closure")?, format))).transpose()
    }

    async fn read_files(&self, manifest: Manifest) -> Result<Vec<DefinitionFile>> {
        let mut contents: HashMap<String, Vec<u8>> = HashMap::new();
        for part in manifest.chunks(200) {
            let mut query = QueryBuilder::new("select hash, content from files where hash in (");
            let mut list = query.separated(", ");
            for (_, hash) in part {
                list.push_bind(pack(hash));
            }
            query.push(")");
            for r in query.build().fetch_all(&self.pool).await? {
                contents.insert(unpack(r.try_get(0)?, "files.hash")?, r.try_get(1)?);
            }
        }
        manifest
            .into_iter()
            .map(|(path, hash)| match contents.get(&hash) {
                Some(content) => Ok(DefinitionFile { content: content.clone(), path, hash }),
                None => Err(StoreError::Corrupt { column: "files.hash", reason: format!("no content for `{path}`") }),
            })
            .collect()
    }
}

/// The number given is not used: publications are numbered here, one after the other. A closure may name files that
/// an earlier publication brought.
pub async fn publish(conn: &mut Conn, publication: &Publication) -> Result<i64> {
    dialect::lock(conn, "publish").await?;
    for file in &publication.files {
        sqlx::query("insert into files (hash, content) values ($1, $2) on conflict (hash) do nothing")
            .bind(pack(&file.hash))
            .bind(file.content.as_slice())
            .execute(&mut *conn)
            .await?;
    }
    for version in &publication.versions {
        sqlx::query(
            "insert into versions (workflow, version, closure, format) values ($1, $2, $3, $4) on conflict (workflow, \
             version) do nothing",
        )
        .bind(version.workflow.as_str())
        .bind(pack(&version.version))
        .bind(list(version.closure.iter().map(|(path, hash)| (path, hash))))
        .bind(version.format)
        .execute(&mut *conn)
        .await?;
    }
    let number = sqlx::query_scalar(
        "insert into publications (number, at, actor, manifest, versions) \
         select coalesce(max(number), 0) + 1, $1, $2, $3, $4 from publications returning number",
    )
    .bind(publication.at_ms)
    .bind(publication.by.as_str())
    .bind(list(publication.files.iter().map(|f| (&f.path, &f.hash))))
    .bind(list(publication.versions.iter().map(|v| (&v.workflow, &v.version))))
    .fetch_one(conn)
    .await?;
    Ok(number)
}

fn list<'a>(pairs: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    serde_json::Value::from_iter(pairs.map(|(a, b)| serde_json::json!([a, b]))).to_string()
}

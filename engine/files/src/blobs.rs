//! Bytes by name: in a folder of this machine, or in a bucket that speaks S3. What lies there is sealed before it comes.

use bytes::Bytes;
use futures::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Name;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

#[derive(Debug, thiserror::Error)]
pub enum BlobsError {
    #[error("the folder `{0}`: {1}")]
    Folder(String, std::io::Error),
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

/// A bucket, and by which name it knows us.
#[derive(Debug, Clone, Default)]
pub struct Bucket {
    pub name: String,
    pub region: String,
    /// Address of the bucket's service; empty: Amazon's own.
    pub endpoint: String,
    pub key: String,
    pub secret: String,
    /// Text before every name.
    pub prefix: String,
}

/// Longest call, and all its tries.
const CALL: Duration = Duration::from_secs(20);
const TRIES: usize = 3;

enum Storage {
    Folder(PathBuf),
    Bucket(Bucket),
}

pub struct Blobs {
    place: Storage,
    prefix: String,
    /// Store that is made when it is used first: who sends no files needs no folder.
    store: OnceCell<Arc<dyn ObjectStore>>,
}

impl Blobs {
    pub fn on_disk(folder: &Path) -> Blobs {
        Blobs { place: Storage::Folder(folder.to_owned()), prefix: String::new(), store: OnceCell::new() }
    }

    pub fn in_bucket(bucket: Bucket) -> Blobs {
        Blobs { prefix: bucket.prefix.clone(), place: Storage::Bucket(bucket), store: OnceCell::new() }
    }

    async fn store(&self) -> Result<&Arc<dyn ObjectStore>, BlobsError> {
        self.store.get_or_try_init(|| async { self.open_store() }).await
    }

    fn open_store(&self) -> Result<Arc<dyn ObjectStore>, BlobsError> {
        match &self.place {
            Storage::Folder(folder) => {
                let failed = |error| BlobsError::Folder(folder.display().to_string(), error);
                private(folder).map_err(failed)?;
                let files = LocalFileSystem::new_with_prefix(folder)?.with_automatic_cleanup(true).with_fsync(true);
                Ok(Arc::new(files))
            }
            Storage::Bucket(bucket) => {
                let retry = RetryConfig { max_retries: TRIES, retry_timeout: CALL, ..RetryConfig::default() };
                let mut builder = AmazonS3Builder::new()
                    .with_bucket_name(&bucket.name)
                    .with_region(&bucket.region)
                    .with_access_key_id(&bucket.key)
                    .with_secret_access_key(&bucket.secret)
                    .with_client_options(ClientOptions::new().with_timeout(CALL).with_allow_http(true))
                    .with_retry(retry);
                if !bucket.endpoint.is_empty() {
                    builder = builder.with_endpoint(&bucket.endpoint).with_virtual_hosted_style_request(false);
                }
                Ok(Arc::new(builder.build()?))
            }
        }
    }

    fn blob_name(&self, name: &str) -> Name {
        Name::from(format!("{}/{name}", self.prefix))
    }

    /// All of it or nothing, durably.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), BlobsError> {
        self.store().await?.put(&self.blob_name(name), bytes.into()).await?;
        Ok(())
    }

    /// `None`: it is not there.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>, BlobsError> {
        match self.store().await?.get(&self.blob_name(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file, which need not be there.
    pub async fn remove(&self, name: &str) -> Result<(), BlobsError> {
        match self.store().await?.delete(&self.blob_name(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Names below this one, without it.
    pub async fn below(&self, name: &str) -> Result<Vec<String>, BlobsError> {
        if let Storage::Folder(folder) = &self.place
            && !folder.join(name).exists()
        {
            return Ok(Vec::new());
        }
        let above = self.blob_name(name);
        let all: Vec<_> = self.store().await?.list(Some(&above)).try_collect().await?;
        let short = |found: &Name| {
            let parts: Vec<_> = found.prefix_match(&above)?.map(|part| part.as_ref().to_owned()).collect();
            Some(parts.join("/"))
        };
        Ok(all.iter().filter_map(|found| short(&found.location)).collect())
    }
}

/// Creates a folder readable by its owner only.
fn private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_holds_what_was_put() {
        let folder = std::env::temp_dir().join(format!("files-{}", std::process::id()));
        let blobs = Blobs::on_disk(&folder);
        assert_eq!(blobs.below("a").await.expect("a list"), Vec::<String>::new());
        blobs.put("a/b/1", b"one".to_vec()).await.expect("put");
        blobs.put("a/c", b"two".to_vec()).await.expect("put");
        assert_eq!(blobs.get("a/b/1").await.expect("get").as_deref(), Some(b"one".as_slice()));
        assert_eq!(blobs.get("a/b/2").await.expect("get"), None);
        let mut names = blobs.below("a").await.expect("a list");
        names.sort();
        assert_eq!(names, ["b/1", "c"]);
        blobs.remove("a/b/1").await.expect("removed");
        blobs.remove("a/b/1").await.expect("twice");
        assert_eq!(blobs.below("a").await.expect("a list"), ["c"]);
        std::fs::remove_dir_all(folder).expect("it is ours");
    }
}

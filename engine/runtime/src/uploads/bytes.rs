//! The bytes of files, sealed: put, read in parts, dropped.

use super::{OpenedFile, StoredPart, UploadState, Uploads, storage_refusal};
use crate::clock::new_id;
use crate::core::Core;
use crate::refusal::Refusal;
use engine_files::BlobsError;
use engine_store::UploadRecord;

/// A file as a partner gets it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileBytes {
    pub id: String,
    pub name: String,
    pub media_type: String,
    pub sha256: String,
    pub bytes: Vec<u8>,
}

impl Uploads {
    pub(super) async fn put(&self, upload: &UploadRecord, name: &str, bytes: Vec<u8>) -> Result<(), Refusal> {
        let sealed = self.core.vault().seal_bytes(upload, name, &bytes).await?;
        drop(bytes);
        self.core.files.blobs.put(&place(&upload.journey, &upload.id, name), sealed).await.map_err(storage_refusal)
    }

    pub(super) async fn part(&self, upload: &UploadRecord, part: &StoredPart) -> Result<Vec<u8>, Refusal> {
        let place = place(&upload.journey, &upload.id, &part.name);
        let sealed = self.core.files.blobs.get(&place).await.map_err(storage_refusal)?.ok_or(Refusal::NotFound)?;
        Ok(self.core.vault().open_bytes(upload, &part.name, &sealed).await?)
    }

    pub(super) async fn read_parts(&self, upload: &UploadRecord, parts: &[StoredPart]) -> Result<Vec<u8>, Refusal> {
        let size = parts.iter().map(|part| part.size as usize).sum();
        let mut bytes = Vec::with_capacity(size);
        for part in parts {
            bytes.extend(self.part(upload, part).await?);
        }
        Ok(bytes)
    }

    pub(super) async fn drop_parts(&self, journey: &str, id: &str, parts: Vec<StoredPart>) {
        for part in parts {
            if let Err(error) = self.core.files.blobs.remove(&place(journey, id, &part.name)).await {
                // Nobody knows its name any more, and nobody opens it.
                tracing::warn!(%error, "bytes of a file stay behind");
            }
        }
    }

    /// Whether bytes can be kept where the settings say.
    pub async fn try_place(&self) -> Result<(), BlobsError> {
        let (blobs, name) = (&self.core.files.blobs, format!("probe/{}", new_id()));
        blobs.put(&name, b"probe".to_vec()).await?;
        blobs.remove(&name).await
    }

    /// A part of a file that is given out, from the first on; `None`: there are no more.
    pub async fn next(&self, file: &OpenedFile, at: usize) -> Result<Option<Vec<u8>>, Refusal> {
        match file.parts.get(at) {
            Some(part) => self.part(&file.record, part).await.map(Some),
            None => Ok(None),
        }
    }

    /// Bytes of those of these files that are ready and belong to this journey, whole, for a partner.
    pub async fn for_partner(&self, journey: &str, ids: &[&str]) -> Result<Vec<FileBytes>, Refusal> {
        let mut files = Vec::new();
        for id in ids {
            let found = self.core.store().upload(id).await?.filter(|upload| upload.journey == journey);
            let Some(file) = found.and_then(|upload| self.open_file(upload, false)) else { continue };
            files.push(self.load(&file.record, &file.parts).await?);
        }
        Ok(files)
    }

    pub(super) async fn load(&self, upload: &UploadRecord, parts: &[StoredPart]) -> Result<FileBytes, Refusal> {
        let known = super::FileFacts::of(upload);
        let bytes = self.read_parts(upload, parts).await?;
        Ok(FileBytes {
            id: upload.id.clone(),
            name: known.name,
            media_type: known.media_type,
            sha256: known.hash,
            bytes,
        })
    }
}

fn place(journey: &str, id: &str, name: &str) -> String {
    format!("{journey}/{id}/{name}")
}

impl Core {
    /// Removes the files of forgotten journeys that are not kept: nobody could open them any more.
    pub async fn drop_files(&self, journeys: &[String]) -> Result<(), Refusal> {
        let kept = self.store().uploads_in(journeys).await?;
        for journey in journeys {
            for name in self.files.blobs.below(journey).await.map_err(storage_refusal)? {
                let id = name.split('/').next().unwrap_or_default();
                let is_kept =
                    |one: &UploadRecord| one.id == id && UploadState::of(one) != UploadState::Removed && one.kept;
                if !kept.iter().any(is_kept) {
                    self.files.blobs.remove(&format!("{journey}/{name}")).await.map_err(storage_refusal)?;
                }
            }
        }
        Ok(())
    }
}

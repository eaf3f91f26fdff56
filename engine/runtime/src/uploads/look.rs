//! The look at a whole file: what it is, whether it may stay, and how it is kept.

use super::rules::{count_beside, is_same};
use super::{FileFacts, MEMORY_MIB, MIB, StoredPart, UploadState, Uploads, code_of};
use crate::clock::new_id;
use crate::refusal::Refusal;
use engine_definitions::UploadKind;
use engine_files::{ContentKind, Media, Picture, PictureRules, Unfit, Video, pdf, picture, sniff};
use engine_store::UploadRecord;
use sha2::{Digest, Sha256};

/// Longer side of a preview.
const PREVIEW: u32 = 320;

/// What is kept of a file.
enum Kept {
    /// Made anew.
    Picture(Box<Picture>),
    /// The file as it came.
    Same { pages: Option<u32>, seconds: Option<u32> },
}

/// What came of a look: a code of a reason, or what is kept with the hash of what came.
type Look = Result<(ContentKind, Kept, String), &'static str>;

impl Uploads {
    /// Looks at a file whose bytes are all there. Done twice at once, one of them is for nothing.
    pub(super) async fn look(&self, upload: UploadRecord) -> Result<UploadRecord, Refusal> {
        let Some(kind) = self.core.catalog().upload_kind(&upload.kind) else {
            return self.refuse(upload, "type").await;
        };
        let mut known = FileFacts::of(&upload);
        let (found, kept, mut hash) = match self.inspect(&upload, &known, &kind).await? {
            Ok(seen) => seen,
            Err(code) => return self.refuse(upload, code).await,
        };
        let (came, mut size) = (known.parts.clone(), upload.size);
        known.media = found.media().word().to_owned();
        known.media_type = found.media_type().to_owned();
        known.name = ending(&known.name, found.ending());
        let mut made = Vec::new();
        match kept {
            Kept::Picture(picture) => {
                let Picture { jpeg, preview, width, height } = *picture;
                (known.width, known.height) = (Some(width), Some(height));
                hash = hex::encode(Sha256::digest(&jpeg));
                size = jpeg.len() as i64;
                for bytes in [jpeg, preview] {
                    let part = StoredPart { name: new_id(), size: bytes.len() as u64 };
                    self.put(&upload, &part.name, bytes).await?;
                    made.push(part);
                }
                known.preview = made.get(1).cloned();
                known.parts = made.iter().take(1).cloned().collect();
            }
            Kept::Same { pages, seconds } => (known.pages, known.seconds) = (pages, seconds),
        }
        known.hash = hash;
        let others = self.core.store().uploads_in(std::slice::from_ref(&upload.journey)).await?;
        let journey = self.core.store().journey(&upload.journey).await?;
        let beside = match &journey {
            Some(journey) => self.core.asked_beside(journey, &others).await?,
            None => others.iter().collect(),
        };
        let refused = if is_same(&upload, &known, &others) {
            Some("same")
        } else if count_beside(&upload, &known, &beside) >= kind.files {
            Some("count")
        } else {
            None
        };
        let (journey, id) = (upload.journey.clone(), upload.id.clone());
        if let Some(code) = refused {
            self.drop_parts(&journey, &id, made).await;
            return self.refuse(upload, code).await;
        }
        let upload = UploadRecord { size, received: size, ..upload };
        let next = if kind.scan.is_empty() && kind.read.is_empty() {
            self.ready(upload, &known).await?
        } else {
            known.scanned = kind.scan.is_empty();
            let due_ms = Some(self.core.now_ms());
            let next = self.change(UploadRecord { due_ms, ..upload }, UploadState::Scanning, &known).await?;
            self.core.files.due.notify_one();
            match next {
                Some(next) => next,
                None => self.of(&journey, &id).await?,
            }
        };
        // What is not in its row is nobody's.
        let now = FileFacts::of(&next);
        let mut gone: Vec<StoredPart> = came.into_iter().chain(made).collect();
        gone.retain(|part| !now.parts.contains(part) && now.preview.as_ref() != Some(part));
        self.drop_parts(&journey, &id, gone).await;
        Ok(next)
    }

    async fn inspect(&self, upload: &UploadRecord, known: &FileFacts, kind: &UploadKind) -> Result<Look, Refusal> {
        let Some(first) = known.parts.first() else { return Ok(Err("unreadable")) };
        let head = self.part(upload, first).await?;
        if let Some(code) = self.reject_early(upload, &head) {
            return Ok(Err(code));
        }
        let Some(found) = sniff(&head) else { return Ok(Err("type")) };
        drop(head);
        match found.media() {
            Media::Video => self.inspect_video(upload, known, found).await,
            Media::Picture | Media::Pdf => self.read_whole(upload, known, kind, found).await,
        }
    }

    /// A few at a time, within the memory that is there for it.
    async fn read_whole(
        &self,
        upload: &UploadRecord,
        known: &FileFacts,
        kind: &UploadKind,
        found: ContentKind,
    ) -> Result<Look, Refusal> {
        let (desk, given) = (&self.core.files, &self.core.settings.uploads);
        let bytes = u64::try_from(upload.size).unwrap_or_default();
        // Pixels of a picture that is pressed as hard as cameras do.
        let pixels = if found.media() == Media::Picture { (bytes * 10).min(given.pixels_max * 4) } else { 0 };
        let mib = u32::try_from((bytes + pixels) / MIB + 1).unwrap_or(u32::MAX).min(MEMORY_MIB as u32);
        let _core = desk.looks.acquire().await.map_err(|_| Refusal::Busy)?;
        let _memory = desk.memory.acquire_many(mib).await.map_err(|_| Refusal::Busy)?;
        let whole = self.read_parts(upload, &known.parts).await?;
        let rules = PictureRules {
            width_min: kind.width_min,
            height_min: kind.height_min,
            pixels_max: given.pixels_max,
            side_max: given.side_max,
            preview_max: PREVIEW,
        };
        let (pages_max, announced) = (given.pdf_pages_max, known.sha256.clone());
        let look = move || {
            let hash = hex::encode(Sha256::digest(&whole));
            if announced.is_some_and(|announced| !announced.eq_ignore_ascii_case(&hash)) {
                return Err(Unfit::Unreadable);
            }
            let kept = match found {
                ContentKind::Pdf => Kept::Same { pages: Some(pdf(&whole, pages_max)?), seconds: None },
                _ => Kept::Picture(Box::new(picture(found, &whole, &rules)?)),
            };
            Ok((found, kept, hash))
        };
        // A decoder that gives up the hard way has read nothing.
        let looked = tokio::task::spawn_blocking(look).await.unwrap_or(Err(Unfit::Unreadable));
        Ok(looked.map_err(code_of))
    }

    /// Part by part: its headers say how long it is.
    async fn inspect_video(
        &self,
        upload: &UploadRecord,
        known: &FileFacts,
        found: ContentKind,
    ) -> Result<Look, Refusal> {
        let given = &self.core.settings.uploads;
        let (mut video, mut hash) = (Video::of(found), Sha256::new());
        for part in &known.parts {
            let bytes = self.part(upload, part).await?;
            hash.update(&bytes);
            video.push(&bytes);
        }
        let hash = hex::encode(hash.finalize());
        if known.sha256.as_ref().is_some_and(|announced| !announced.eq_ignore_ascii_case(&hash)) {
            return Ok(Err("unreadable"));
        }
        let seconds = match video.millis() {
            Ok(ms) => ms.div_ceil(1_000),
            Err(unfit) => return Ok(Err(code_of(unfit))),
        };
        if seconds < u64::from(given.video_s_min) {
            return Ok(Err("short"));
        }
        if seconds > u64::from(given.video_s_max) {
            return Ok(Err("long"));
        }
        Ok(Ok((found, Kept::Same { pages: None, seconds: u32::try_from(seconds).ok() }, hash)))
    }
}

/// The name with the ending of what it is.
fn ending(name: &str, ending: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("{}.{ending}", if stem.is_empty() { "file" } else { stem })
}

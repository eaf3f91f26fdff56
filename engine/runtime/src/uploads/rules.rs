//! What may be sent: which kinds the shown step asks for, how many and how much; and which files an answer may name.

use super::{FileFacts, UploadState, Uploads, may_name};
use crate::actor::Actor;
use crate::core::{Core, read};
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::{FieldError, Form, UploadKind, Workflow};
use engine_files::{ContentKind, Media, sniff};
use engine_store::{JourneyRecord, UploadRecord};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What its sender says of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct NewUpload {
    pub kind: String,
    pub name: String,
    pub size: i64,
    pub media_type: String,
    /// 64 hex digits.
    pub sha256: Option<String>,
    /// The file in whose place it comes.
    pub replaces: Option<String>,
}

const MINUTE_MS: i64 = 60_000;
const SHA_CHARS: usize = 64;

impl Uploads {
    /// The kind, where everything that can be known before is in order.
    pub(super) async fn admit(
        &self,
        actor: &Actor,
        journey: &JourneyRecord,
        new: &NewUpload,
        others: &[UploadRecord],
    ) -> Result<UploadKind, Refusal> {
        let (given, now_ms) = (&self.core.settings.uploads, self.core.now_ms());
        let latest: Vec<i64> = others.iter().map(|one| one.at_ms).filter(|at| now_ms - at < MINUTE_MS).collect();
        if latest.len() >= given.per_minute {
            let first = latest.iter().min().copied().unwrap_or(now_ms);
            return Err(Refusal::Limited { retry_after_ms: first + MINUTE_MS - now_ms });
        }
        let asked = self.core.asks_for(actor, journey, &new.kind).await?;
        let Some(kind) = self.core.catalog().upload_kind(&new.kind).filter(|_| asked) else {
            return Err(self.wrong(actor, journey, "/kind", "kind_unknown", None).await?);
        };
        let replaced = new.replaces.as_deref();
        if let Some(before) = replaced
            && !others.iter().any(|one| one.id == before && one.kind == kind.kind && may_name(actor, one))
        {
            return Err(Refusal::NotFound);
        }
        let counted = || others.iter().filter(|one| UploadState::of(one).counts() && Some(one.id.as_str()) != replaced);
        let bytes: i64 = counted().map(|one| one.size).sum();
        let most = kind.media.iter().map(|media| bytes_of(given, media)).max().unwrap_or_default();
        let named = Named::of(&new.media_type, &new.name);
        let is_there = |one: &&UploadRecord| {
            let state = UploadState::of(one);
            one.kind == kind.kind
                && state.counts()
                && state != UploadState::Receiving
                && Some(one.id.as_str()) != replaced
        };
        let wrong = if new.size <= 0 {
            Some(("/size", "empty"))
        } else if named == Named::Heic && kind.media.iter().any(|media| media == "picture") {
            Some(("/type", "heic"))
        } else if named == Named::Other
            || matches!(named, Named::Media(media) if !kind.media.iter().any(|one| one == media.word()))
        {
            Some(("/type", "type"))
        } else if u64::try_from(new.size).unwrap_or(u64::MAX)
            > named.bytes_max(most, |media| bytes_of(given, media.word()))
        {
            Some(("/size", "size"))
        } else if self.core.asked_beside(journey, others).await?.into_iter().filter(is_there).count() >= kind.files {
            Some(("/kind", "count"))
        } else if counted().count() >= given.journey_files_max {
            Some(("/kind", "journey_files"))
        } else if u64::try_from(bytes + new.size).unwrap_or(u64::MAX) > given.journey_bytes_max {
            Some(("/size", "journey_bytes"))
        } else if new.sha256.as_ref().is_some_and(|hash| !is_hash(hash)) {
            Some(("/sha256", "unreadable"))
        } else {
            None
        };
        match wrong {
            Some((pointer, code)) => Err(self.wrong(actor, journey, pointer, code, Some(kind)).await?),
            None => Ok(kind),
        }
    }

    /// Why a file that begins so need not come any further.
    pub(super) fn reject_early(&self, upload: &UploadRecord, head: &[u8]) -> Option<&'static str> {
        let kind = self.core.catalog().upload_kind(&upload.kind)?;
        let takes = |media: Media| kind.media.iter().any(|one| one == media.word());
        match sniff(head) {
            Some(ContentKind::Heic) if takes(Media::Picture) => Some("heic"),
            Some(found) if !takes(found.media()) => Some("type"),
            Some(found) => {
                let most = bytes_of(&self.core.settings.uploads, found.media().word());
                (u64::try_from(upload.size).unwrap_or(u64::MAX) > most).then_some("size")
            }
            None => Some("type"),
        }
    }
}

/// Largest file of a kind of media: `picture`, `pdf` or `video`.
pub(super) fn bytes_of(given: &engine_settings::Uploads, media: &str) -> u64 {
    match media {
        "video" => given.video_bytes_max,
        "pdf" => given.pdf_bytes_max,
        _ => given.picture_bytes_max,
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == SHA_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What a name or a type says; the first bytes decide later.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Named {
    Media(Media),
    Heic,
    /// Surely nothing that is taken.
    Other,
    Nothing,
}

impl Named {
    fn of(media_type: &str, name: &str) -> Named {
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match media_type.to_ascii_lowercase().as_str() {
            "image/heic" | "image/heif" | "image/heic-sequence" | "image/avif" => Named::Heic,
            "" | "application/octet-stream" if matches!(ending.as_str(), "heic" | "heif") => Named::Heic,
            "" | "application/octet-stream" => Named::Nothing,
            "application/pdf" => Named::Media(Media::Pdf),
            "image/jpeg" | "image/jpg" | "image/pjpeg" | "image/png" | "image/webp" => Named::Media(Media::Picture),
            "video/mp4" | "video/quicktime" | "video/webm" => Named::Media(Media::Video),
            _ => Named::Other,
        }
    }

    fn bytes_max(self, most: u64, of: impl Fn(Media) -> u64) -> u64 {
        if let Named::Media(media) = self { of(media) } else { most }
    }
}

/// Files of a journey: kind, and whether each may be used.
pub(crate) type Files = BTreeMap<String, (String, UploadState)>;

/// Fields of a checked answer that name files which are not there, not ready, or of another kind.
pub(crate) fn misfits(form: &Form, data: &Value, files: &Files, words: &Workflow) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = Vec::new();
    for answer in form.uploads(data) {
        let code = match files.get(&answer.id) {
            Some((kind, _)) if *kind != answer.kind => "upload.kind",
            Some((_, UploadState::Ready | UploadState::Replaced)) => continue,
            Some((_, UploadState::Receiving | UploadState::Checking | UploadState::Scanning)) => "upload.waiting",
            Some((_, UploadState::Refused | UploadState::Removed)) | None => "upload.unknown",
        };
        if !errors.iter().any(|known| known.pointer == answer.pointer) {
            let text = words.find_text(code, &Map::new()).unwrap_or_else(|| code.to_owned());
            errors.push(FieldError { pointer: answer.pointer, code: code.into(), text });
        }
    }
    errors
}

impl Core {
    pub(crate) async fn files_of(&self, journey: &str) -> Result<Files, Refusal> {
        let all = self.store().uploads_in(&[journey.to_owned()]).await?;
        Ok(all.into_iter().map(|one| (one.id.clone(), (one.kind.clone(), UploadState::of(&one)))).collect())
    }

    /// Files that count where the shown step asks for some: not those that went with something before.
    pub(super) async fn asked_beside<'o>(
        &self,
        record: &JourneyRecord,
        others: &'o [UploadRecord],
    ) -> Result<Vec<&'o UploadRecord>, Refusal> {
        let (workflow, catalog) = (self.workflow_of(record).await?, self.catalog());
        let turn = Turn::on(&workflow, &catalog, read(record.clone())?, self.now_ms());
        Ok(others.iter().filter(|one| !turn.was_sent_before(&one.id)).collect())
    }

    /// Whether the shown step asks for files of this kind.
    async fn asks_for(&self, actor: &Actor, record: &JourneyRecord, kind: &str) -> Result<bool, Refusal> {
        let (workflow, catalog) = (self.workflow_of(record).await?, self.catalog());
        let turn = Turn::on(&workflow, &catalog, read(record.clone())?, self.now_ms());
        let is_asked = turn.shown_form(actor).is_some_and(|(_, form)| form.upload_kinds().contains(kind));
        Ok(is_asked && turn.takes_from("submit", actor))
    }
}

/// Whether another file of the journey has the same bytes.
pub(super) fn is_same(upload: &UploadRecord, known: &FileFacts, others: &[UploadRecord]) -> bool {
    others.iter().any(|one| {
        one.id != upload.id
            && matches!(UploadState::of(one), UploadState::Ready | UploadState::Scanning)
            && FileFacts::of(one).hash == known.hash
            && known.replaces.as_ref() != Some(&one.id)
    })
}

/// How many other files of the kind are there.
pub(super) fn count_beside(upload: &UploadRecord, known: &FileFacts, others: &[&UploadRecord]) -> usize {
    let is_there = |one: &&UploadRecord| {
        one.id != upload.id
            && one.kind == upload.kind
            && matches!(UploadState::of(one), UploadState::Ready | UploadState::Scanning)
            && known.replaces.as_ref() != Some(&one.id)
    };
    others.iter().copied().filter(is_there).count()
}

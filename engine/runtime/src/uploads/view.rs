//! A file as its sender sees it, and why one is not taken, in words.

use super::rules::bytes_of;
use super::{FileFacts, MIB, UploadState, Uploads};
use crate::actor::{Actor, STAFF};
use crate::clock::rfc3339;
use crate::refusal::Refusal;
use engine_definitions::{FieldError, UploadKind};
use engine_store::{JourneyRecord, UploadRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// A file as its sender sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Upload)]
pub struct UploadView {
    pub id: String,
    pub kind: String,
    pub name: String,
    pub status: UploadState,
    /// Bytes: as announced, then what is kept.
    pub size: i64,
    pub received: i64,
    /// `picture`, `pdf` or `video`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Address from which the file is fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// `{kind, confidence, fields: {name: {value, confidence}}, problems}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HashMap<String, Value>>)]
    pub read: Option<Value>,
    /// RFC 3339, UTC.
    pub at: String,
    /// When all of the file must be there, RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Most bytes of one part.
    pub chunk_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = UploadReason)]
pub struct Reason {
    pub code: String,
    pub text: String,
}

impl Uploads {
    pub(super) async fn view(
        &self,
        actor: &Actor,
        journey: &JourneyRecord,
        upload: &UploadRecord,
    ) -> Result<UploadView, Refusal> {
        let (known, status) = (FileFacts::of(upload), UploadState::of(upload));
        let reason = match &known.refused {
            Some(code) => {
                let text = self.text(actor, journey, code, self.core.catalog().upload_kind(&upload.kind)).await?;
                Some(Reason { code: format!("upload.{code}"), text })
            }
            None => None,
        };
        // Documents are the customer's alone, also those that somebody sent for them.
        let is_open = matches!(status, UploadState::Ready | UploadState::Replaced) && actor.kind != STAFF;
        let address = |what: &str| format!("/api/v1/journeys/{}/uploads/{}/{what}", upload.journey, upload.id);
        Ok(UploadView {
            id: upload.id.clone(),
            kind: upload.kind.clone(),
            name: known.name,
            status,
            size: upload.size,
            received: upload.received,
            media: Some(known.media).filter(|media| !media.is_empty()),
            pages: known.pages,
            width: known.width,
            height: known.height,
            seconds: known.seconds,
            reason,
            file: is_open.then(|| address("file")),
            preview: known.preview.filter(|_| is_open).map(|_| address("preview")),
            replaces: known.replaces,
            replaced_by: known.replaced_by,
            read: Some(known.read).filter(|read| is_open && !read.is_null()),
            at: rfc3339(upload.at_ms),
            expires_at: upload.due_ms.filter(|_| status == UploadState::Receiving).map(rfc3339),
            chunk_bytes: self.core.settings.limits.body_bytes_max,
        })
    }

    /// Why something is not taken, in the words of the actor's language.
    async fn text(
        &self,
        actor: &Actor,
        journey: &JourneyRecord,
        code: &str,
        kind: Option<UploadKind>,
    ) -> Result<String, Refusal> {
        let workflow = self.core.workflow_of(journey).await?;
        let kind = kind.unwrap_or_default();
        let media = match (code, kind.media.as_slice()) {
            ("type", [one]) => format!("upload.type_{one}"),
            ("type", _) if kind.media.iter().any(|one| one == "video") => "upload.type_any".to_owned(),
            _ => format!("upload.{code}"),
        };
        let fields = self.fields_of(&kind);
        let words = workflow.in_language(&actor.language);
        Ok(words.find_text(&media, &fields).or_else(|| words.find_text("upload.unreadable", &fields)).unwrap_or(media))
    }

    fn fields_of(&self, kind: &UploadKind) -> Map<String, Value> {
        let given = &self.core.settings.uploads;
        let bytes = kind.media.iter().map(|media| bytes_of(given, media)).max().unwrap_or_default();
        let fields = json!({
            "mb": bytes / MIB, "files": kind.files, "width": kind.width_min, "height": kind.height_min,
            "pages": given.pdf_pages_max, "from": given.video_s_min, "to": given.video_s_max,
            "journey_files": given.journey_files_max, "journey_mb": given.journey_bytes_max / MIB,
        });
        fields.as_object().cloned().unwrap_or_default()
    }

    pub(super) async fn wrong(
        &self,
        actor: &Actor,
        journey: &JourneyRecord,
        pointer: &str,
        code: &str,
        kind: Option<UploadKind>,
    ) -> Result<Refusal, Refusal> {
        let text = self.text(actor, journey, code, kind).await?;
        Ok(Refusal::Invalid {
            errors: vec![FieldError { pointer: pointer.into(), code: format!("upload.{code}"), text }],
        })
    }
}

/// What a copy of all that is kept says of a file.
pub(crate) fn export_value(upload: &UploadRecord) -> Option<Value> {
    let (known, state) = (FileFacts::of(upload), UploadState::of(upload));
    matches!(state, UploadState::Ready | UploadState::Replaced).then(|| {
        let url = format!("/api/v1/journeys/{}/uploads/{}/file", upload.journey, upload.id);
        json!({
            "at": rfc3339(upload.at_ms), "kind": upload.kind, "name": known.name, "type": known.media_type,
            "size": upload.size, "url": url, "read": known.read
        })
    })
}

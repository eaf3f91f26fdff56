//! Files that people send with a journey: they come in parts, are looked at as a whole, and belong to nobody else. What
//! is known of each stands in the database, its bytes lie sealed where [`Blobs`] has them.
//!
//! A file is served, and counts as an answer, only once it is `ready`: a process that dies in the middle leaves one
//! that is still received, or is looked at again.

mod bytes;
mod look;
mod rules;
mod scan;
mod view;

pub use bytes::FileBytes;
pub use rules::NewUpload;
pub(crate) use rules::{Files, misfits};
pub use scan::AskFile;
pub(crate) use view::export_value;
pub use view::{Reason, UploadView};

use crate::actor::{Action, Actor, STAFF, can};
use crate::clock::new_id;
use crate::core::Core;
use crate::refusal::Refusal;
use engine_files::{Blobs, BlobsError, Unfit};
use engine_settings::Settings;
use engine_store::{JourneyRecord, JourneyStatus, UploadRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Notify, Semaphore};
use utoipa::ToSchema;

/// Use cases of files.
#[derive(Clone)]
pub struct Uploads {
    pub(crate) core: Arc<Core>,
}

/// What a node needs for them.
pub(crate) struct Desk {
    pub blobs: Blobs,
    /// One picture at a time on each core.
    looks: Semaphore,
    /// Mebibytes that may be used for looking.
    memory: Semaphore,
    /// Something waits for a partner.
    pub due: Notify,
}

const MEMORY_MIB: usize = 96;
const MIB: u64 = 1024 * 1024;

impl Desk {
    pub fn of(settings: &Settings) -> Desk {
        let given = &settings.uploads;
        let blobs = match &given.bucket {
            None => Blobs::on_disk(&PathBuf::from(&given.dir)),
            Some(name) => Blobs::in_bucket(engine_files::Bucket {
                name: name.clone(),
                region: given.region.clone(),
                endpoint: given.endpoint.clone().unwrap_or_default(),
                key: given.key.clone(),
                secret: given.secret.as_ref().map(|secret| secret.expose().clone()).unwrap_or_default(),
                prefix: given.prefix.clone(),
            }),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (looks, memory) = (Semaphore::new(cores), Semaphore::new(MEMORY_MIB));
        Desk { blobs, looks, memory, due: Notify::new() }
    }
}

/// States as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UploadStatus)]
pub enum UploadState {
    /// Bytes are coming.
    Receiving,
    /// All are there, and are looked at.
    Checking,
    /// Partners look at it.
    Scanning,
    Ready,
    Refused,
    /// Another file stands in this one's place.
    Replaced,
    Removed,
}

impl UploadState {
    const ALL: [UploadState; 7] = [
        UploadState::Receiving,
        UploadState::Checking,
        UploadState::Scanning,
        UploadState::Ready,
        UploadState::Refused,
        UploadState::Replaced,
        UploadState::Removed,
    ];

    fn of(record: &UploadRecord) -> UploadState {
        usize::try_from(record.state).ok().and_then(|at| UploadState::ALL.get(at)).copied().unwrap_or(Self::Removed)
    }

    /// Whether a file takes a place among the files of its journey.
    fn counts(self) -> bool {
        !matches!(self, UploadState::Refused | UploadState::Replaced | UploadState::Removed)
    }
}

/// What is known of a file beside its row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct FileFacts {
    name: String,
    /// Who of the staff sent it for the customer.
    #[serde(skip_serializing_if = "String::is_empty")]
    by: String,
    /// Hash of the file, as its sender says.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    media: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    media_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<u32>,
    /// Hash of what is kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    hash: String,
    /// Parts in which the bytes lie, in order.
    parts: Vec<StoredPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<StoredPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<String>,
    /// Code of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Whether the file was found clean.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    scanned: bool,
    #[serde(skip_serializing_if = "is_zero")]
    tries: u32,
    /// What was read in it.
    #[serde(skip_serializing_if = "Value::is_null")]
    read: Value,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct StoredPart {
    name: String,
    size: u64,
}

impl FileFacts {
    fn of(record: &UploadRecord) -> FileFacts {
        FileFacts::deserialize(&record.data).unwrap_or_default()
    }
}

/// A part of a file that is being sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// `None`: only how much there is is asked.
    pub first: Option<i64>,
    /// Bytes of the whole file.
    pub size: i64,
}

/// A file that is given out.
pub struct OpenedFile {
    pub name: String,
    pub media_type: String,
    pub size: u64,
    record: UploadRecord,
    parts: Vec<StoredPart>,
}

/// How long a file may be coming.
const RECEIVING_MS: i64 = 24 * 3_600_000;
/// How long somebody looks at a file before it is looked at again: the process may have died.
const CHECKING_MS: i64 = 20_000;
/// How long it is said why a file was refused.
const REFUSED_MS: i64 = 3_600_000;
/// What was never sent with an answer goes after so long.
const UNUSED_MS: i64 = 30 * 86_400_000;
const TRIES: usize = 5;

fn storage_refusal(error: BlobsError) -> Refusal {
    tracing::error!(%error, "the bytes of a file cannot be stored or read");
    Refusal::Busy
}

/// The id of one of the staff; empty for everybody else.
fn staff_id(actor: &Actor) -> &str {
    if actor.kind == STAFF { &actor.id } else { "" }
}

/// What sending files asks for: staff sends them for a customer where it may answer, and opens none.
fn sending(actor: &Actor) -> Action<'static> {
    if actor.kind == STAFF { Action::Send("submit") } else { Action::Document }
}

/// Whether this actor may know that a file is there: who acts for a customer knows what they sent themselves.
fn may_name(actor: &Actor, upload: &UploadRecord) -> bool {
    actor.kind != STAFF || FileFacts::of(upload).by == actor.id
}

impl Uploads {
    /// A file of this kind will come.
    pub async fn open(&self, actor: &Actor, journey: &str, new: NewUpload) -> Result<UploadView, Refusal> {
        let (record, actor) = self.writable(actor, journey).await?;
        let others = self.core.store().uploads_in(&[journey.to_owned()]).await?;
        let kind = self.admit(&actor, &record, &new, &others).await?;
        let now_ms = self.core.now_ms();
        let known = FileFacts {
            name: file_name(&new.name),
            by: staff_id(&actor).to_owned(),
            sha256: new.sha256,
            replaces: new.replaces,
            ..FileFacts::default()
        };
        let upload = UploadRecord {
            id: new_id(),
            journey: journey.to_owned(),
            kind: kind.kind.clone(),
            state: UploadState::Receiving as i64,
            version: 1,
            size: new.size,
            received: 0,
            kept: kind.kept,
            at_ms: now_ms,
            due_ms: Some(now_ms + RECEIVING_MS),
            data: json!(known),
        };
        self.core.store().add_upload(upload.clone()).await?;
        self.view(&actor, &record, &upload).await
    }

    /// The next part of a file; one that does not begin where the last one ended changes nothing. With the last one the
    /// file is looked at.
    pub async fn receive(
        &self,
        actor: &Actor,
        journey: &str,
        id: &str,
        range: Range,
        bytes: Vec<u8>,
    ) -> Result<UploadView, Refusal> {
        let (record, actor) = self.writable(actor, journey).await?;
        let upload = self.of_actor(&actor, journey, id).await?;
        let end = range.first.unwrap_or_default() + bytes.len() as i64;
        let fits = UploadState::of(&upload) == UploadState::Receiving
            && range.size == upload.size
            && range.first == Some(upload.received)
            && end <= upload.size
            && !bytes.is_empty();
        if !fits {
            return self.view(&actor, &record, &upload).await;
        }
        let received = self.keep_part(upload, bytes).await?;
        let done = match received {
            Some(upload) if upload.received == upload.size => self.look(upload).await?,
            Some(upload) => upload,
            // another request was first
            None => self.of(journey, id).await?,
        };
        self.view(&actor, &record, &done).await
    }

    /// `None`: another part was first.
    async fn keep_part(&self, upload: UploadRecord, bytes: Vec<u8>) -> Result<Option<UploadRecord>, Refusal> {
        let mut known = FileFacts::of(&upload);
        if upload.received == 0
            && let Some(code) = self.reject_early(&upload, &bytes)
        {
            return self.refuse(upload, code).await.map(Some);
        }
        let part = StoredPart { name: new_id(), size: bytes.len() as u64 };
        let size = bytes.len() as i64;
        self.put(&upload, &part.name, bytes).await?;
        known.parts.push(part.clone());
        let received = upload.received + size;
        let is_whole = received == upload.size;
        let (state, due_ms) = match is_whole {
            true => (UploadState::Checking, Some(self.core.now_ms() + CHECKING_MS)),
            false => (UploadState::Receiving, upload.due_ms),
        };
        let (journey, id) = (upload.journey.clone(), upload.id.clone());
        let next = self.change(UploadRecord { received, due_ms, ..upload }, state, &known).await?;
        if next.is_none() {
            self.drop_parts(&journey, &id, vec![part]).await;
        }
        Ok(next)
    }

    pub async fn upload(&self, actor: &Actor, journey: &str, id: &str) -> Result<UploadView, Refusal> {
        let (record, actor) = self.core.mine(actor, sending(actor), journey).await?;
        let upload = self.of_actor(&actor, journey, id).await?;
        self.view(&actor, &record, &upload).await
    }

    /// The oldest first.
    pub async fn uploads(&self, actor: &Actor, journey: &str) -> Result<Vec<UploadView>, Refusal> {
        let (record, actor) = self.core.mine(actor, sending(actor), journey).await?;
        let mut views = Vec::new();
        for upload in self.core.store().uploads_in(&[journey.to_owned()]).await? {
            if UploadState::of(&upload) != UploadState::Removed && may_name(&actor, &upload) {
                views.push(self.view(&actor, &record, &upload).await?);
            }
        }
        Ok(views)
    }

    /// Not once it was sent with an answer.
    pub async fn remove(&self, actor: &Actor, journey: &str, id: &str) -> Result<(), Refusal> {
        // No answer is taken meanwhile that names it.
        let _line = self.core.lock(journey).await;
        let (record, actor) = self.writable(actor, journey).await?;
        for _ in 0..TRIES {
            let upload = self.of_actor(&actor, journey, id).await?;
            if is_used(&record, id) {
                let reason = "This file was sent with your answers".to_owned();
                return Err(Refusal::NotPossible { reason });
            }
            if self.discard(upload, UploadState::Removed).await? {
                return Ok(());
            }
        }
        Err(Refusal::Busy)
    }

    /// A file that is ready, or stood there before another; `preview`: how a picture looks in small.
    pub async fn file(&self, actor: &Actor, journey: &str, id: &str, preview: bool) -> Result<OpenedFile, Refusal> {
        if !self.core.is_kept_for(actor, journey).await? {
            self.core.mine(actor, Action::Document, journey).await?;
        }
        self.open_file(self.of(journey, id).await?, preview).ok_or(Refusal::NotFound)
    }

    fn open_file(&self, record: UploadRecord, preview: bool) -> Option<OpenedFile> {
        let known = FileFacts::of(&record);
        if !matches!(UploadState::of(&record), UploadState::Ready | UploadState::Replaced) || known.parts.is_empty() {
            return None;
        }
        let parts = if preview { vec![known.preview?] } else { known.parts };
        let media_type = if preview { "image/jpeg".into() } else { known.media_type };
        let size = parts.iter().map(|part| part.size).sum();
        Some(OpenedFile { name: known.name, media_type, size, record, parts })
    }

    /// The journey, where this actor may read and write it, as long as it goes on.
    async fn writable(&self, actor: &Actor, journey: &str) -> Result<(JourneyRecord, Actor), Refusal> {
        let (record, actor) = self.core.mine(actor, sending(actor), journey).await?;
        if !can(self.core.catalog().policy(), &actor, Action::Send("submit"), &record) {
            return Err(Refusal::NotFound);
        }
        self.core.refuse_ended(&record).await?;
        if record.status != JourneyStatus::Active {
            return Err(Refusal::NotPossible { reason: "Nothing more is asked for here".into() });
        }
        Ok((record, actor.into_owned()))
    }

    /// A file that this actor may name.
    async fn of_actor(&self, actor: &Actor, journey: &str, id: &str) -> Result<UploadRecord, Refusal> {
        Some(self.of(journey, id).await?).filter(|upload| may_name(actor, upload)).ok_or(Refusal::NotFound)
    }

    async fn of(&self, journey: &str, id: &str) -> Result<UploadRecord, Refusal> {
        let found = self.core.store().upload(id).await?.filter(|upload| upload.journey == journey);
        found.filter(|upload| UploadState::of(upload) != UploadState::Removed).ok_or(Refusal::NotFound)
    }

    /// `None`: it is another by now.
    async fn change(
        &self,
        record: UploadRecord,
        state: UploadState,
        known: &FileFacts,
    ) -> Result<Option<UploadRecord>, Refusal> {
        let next = UploadRecord { state: state as i64, version: record.version + 1, data: json!(known), ..record };
        Ok(self.core.store().change_upload(next.clone()).await?.then_some(next))
    }

    async fn refuse(&self, upload: UploadRecord, code: &str) -> Result<UploadRecord, Refusal> {
        let mut known = FileFacts::of(&upload);
        let parts = std::mem::take(&mut known.parts);
        let preview = known.preview.take();
        known.refused = Some(code.to_owned());
        let (journey, id) = (upload.journey.clone(), upload.id.clone());
        let next = UploadRecord { due_ms: Some(self.core.now_ms() + REFUSED_MS), ..upload };
        match self.change(next, UploadState::Refused, &known).await? {
            Some(refused) => {
                self.drop_parts(&journey, &id, parts.into_iter().chain(preview).collect()).await;
                Ok(refused)
            }
            None => self.of(&journey, &id).await,
        }
    }

    /// Removes the bytes of a file; that it was there stays. False: it is another by now.
    async fn discard(&self, upload: UploadRecord, state: UploadState) -> Result<bool, Refusal> {
        let mut known = FileFacts::of(&upload);
        let parts = std::mem::take(&mut known.parts);
        let preview = known.preview.take();
        known.read = Value::Null;
        known.name.clear();
        let (journey, id) = (upload.journey.clone(), upload.id.clone());
        let next = UploadRecord { due_ms: Some(self.core.now_ms() + REFUSED_MS), ..upload };
        let changed = self.change(next, state, &known).await?;
        if changed.is_some() {
            self.drop_parts(&journey, &id, parts.into_iter().chain(preview).collect()).await;
        }
        Ok(changed.is_some())
    }

    /// Makes a file ready to be seen, fetched and sent from now on; what it stands for steps back.
    async fn ready(&self, upload: UploadRecord, known: &FileFacts) -> Result<UploadRecord, Refusal> {
        let (journey, id) = (upload.journey.clone(), upload.id.clone());
        let due_ms = Some(self.core.now_ms() + UNUSED_MS);
        let Some(ready) = self.change(UploadRecord { due_ms, ..upload }, UploadState::Ready, known).await? else {
            return self.of(&journey, &id).await;
        };
        if let Some(before) = &known.replaces {
            self.step_back(&journey, before, &id).await?;
        }
        Ok(ready)
    }

    /// One that was sent with an answer stays as it was, in the history.
    async fn step_back(&self, journey: &str, before: &str, by: &str) -> Result<(), Refusal> {
        let Some(record) = self.core.store().journey(journey).await? else { return Ok(()) };
        for _ in 0..TRIES {
            let Some(upload) = self.core.store().upload(before).await?.filter(|one| one.journey == journey) else {
                return Ok(());
            };
            let mut known = FileFacts::of(&upload);
            known.replaced_by = Some(by.to_owned());
            let done = match is_used(&record, before) {
                true => {
                    let kept = UploadRecord { due_ms: None, ..upload };
                    self.change(kept, UploadState::Replaced, &known).await?.is_some()
                }
                false => self.discard(upload, UploadState::Removed).await?,
            };
            if done {
                break;
            }
        }
        Ok(())
    }
}

/// Whether a file was sent with an answer: the journey knows its id.
fn is_used(journey: &JourneyRecord, id: &str) -> bool {
    journey.state.contains(id)
}

/// The last part of a path, without what no name has.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|letter| !letter.is_control()).take(120).collect();
    let plain = plain.trim().to_owned();
    if plain.is_empty() { "file".into() } else { plain }
}

const fn code_of(unfit: Unfit) -> &'static str {
    match unfit {
        Unfit::Type => "type",
        Unfit::Heic => "heic",
        Unfit::Password => "password",
        Unfit::Script => "script",
        Unfit::Pages => "pages",
        Unfit::Small => "small",
        Unfit::Pixels => "large_picture",
        Unfit::Short => "short",
        Unfit::Long => "long",
        Unfit::Unreadable => "unreadable",
    }
}

//! What partners say of a file before anybody gets it: whether it is clean, and what can be read in it. Who calls them
//! asks here what is due, and tells what came of it. Here too go files that never came whole, or that nobody needed.

use super::{FileBytes, FileFacts, UploadState, Uploads, is_used};
use crate::refusal::Refusal;
use engine_store::UploadRecord;
use serde_json::{Value, json};

/// A question about a file, to an operation of a partner (`partner/operation`).
pub struct AskFile {
    pub operation: String,
    pub input: Value,
    /// Bytes of the file.
    pub size: u64,
    /// Key that stays the same for every try.
    pub key: String,
    record: UploadRecord,
}

/// Who asks has so long for it.
const ASK_MS: i64 = 60_000;
const AGAIN_MS: i64 = 5_000;
const AGAIN_MAX_MS: i64 = 60_000;
/// Without a reader a file is as good: it is asked so often.
const READS_MAX: u32 = 2;
/// What a reader says of a picture that nobody can use, and the code of our refusal.
const USELESS: [(&str, &str); 3] = [("blurred", "blurred"), ("dark", "blurred"), ("unmasked", "masked")];
const SOME: u32 = 20;

impl Uploads {
    /// Waits until a file is due.
    pub async fn wait(&self) {
        self.core.files.due.notified().await;
    }

    /// What partners are to be asked now; everything else that is due is done.
    pub async fn due(&self) -> Result<Vec<AskFile>, Refusal> {
        let mut asks = Vec::new();
        for upload in self.core.store().uploads_due(self.core.now_ms(), SOME).await? {
            let id = upload.id.clone();
            match self.see_to(upload).await {
                Ok(ask) => asks.extend(ask),
                Err(error) => tracing::warn!(upload = id, %error, "a file is looked at again later"),
            }
        }
        Ok(asks)
    }

    async fn see_to(&self, upload: UploadRecord) -> Result<Option<AskFile>, Refusal> {
        match UploadState::of(&upload) {
            UploadState::Receiving => drop(self.discard(upload, UploadState::Removed).await?),
            // Who looked at it is gone.
            UploadState::Checking => {
                let known = FileFacts::of(&upload);
                let due_ms = Some(self.core.now_ms() + ASK_MS);
                let claimed = self.change(UploadRecord { due_ms, ..upload }, UploadState::Checking, &known).await?;
                if let Some(upload) = claimed {
                    self.look(upload).await?;
                }
            }
            UploadState::Scanning => return self.ask(upload).await,
            UploadState::Ready => self.remove_unused(upload).await?,
            UploadState::Refused | UploadState::Removed => self.core.store().remove_upload(&upload.id).await?,
            UploadState::Replaced => {}
        }
        Ok(None)
    }

    async fn ask(&self, upload: UploadRecord) -> Result<Option<AskFile>, Refusal> {
        let mut known = FileFacts::of(&upload);
        let Some(kind) = self.core.catalog().upload_kind(&upload.kind) else {
            return self.refuse(upload, "type").await.map(|_| None);
        };
        let operation = if known.scanned { kind.read } else { kind.scan };
        if operation.is_empty() {
            known.scanned = true;
            return self.ready(upload, &known).await.map(|_| None);
        }
        known.tries += 1;
        let due_ms = Some(self.core.now_ms() + ASK_MS);
        let Some(record) = self.change(UploadRecord { due_ms, ..upload }, UploadState::Scanning, &known).await? else {
            return Ok(None);
        };
        let size = known.parts.iter().map(|part| part.size).sum();
        let input = json!({"kind": record.kind, "file": record.id});
        let key = format!("{}-{}", record.id, if known.scanned { "read" } else { "scan" });
        Ok(Some(AskFile { operation, input, size, key, record }))
    }

    /// The file that a question is about.
    pub async fn asked_about(&self, ask: &AskFile) -> Result<FileBytes, Refusal> {
        self.load(&ask.record, &FileFacts::of(&ask.record).parts).await
    }

    /// What came of a question; `None`: nothing, it is asked again.
    pub async fn settle_question(&self, ask: AskFile, told: Option<Value>) -> Result<(), Refusal> {
        let AskFile { record, .. } = ask;
        let mut known = FileFacts::of(&record);
        let Some(kind) = self.core.catalog().upload_kind(&record.kind) else { return Ok(()) };
        match (known.scanned, told) {
            (false, Some(said)) if said["clean"] == Value::Bool(true) => {
                known.scanned = true;
                known.tries = 0;
                if kind.read.is_empty() {
                    self.ready(record, &known).await?;
                } else {
                    let due_ms = Some(self.core.now_ms());
                    self.change(UploadRecord { due_ms, ..record }, UploadState::Scanning, &known).await?;
                    self.core.files.due.notify_one();
                }
            }
            (false, Some(_)) => drop(self.refuse(record, "virus").await?),
            (true, Some(said)) => {
                let problems = said["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let useless = problems.filter_map(|problem| USELESS.iter().find(|(word, _)| *word == problem)).next();
                if let Some((_, code)) = useless {
                    self.refuse(record, code).await?;
                } else {
                    known.read = said;
                    self.ready(record, &known).await?;
                }
            }
            (true, None) if known.tries >= READS_MAX => drop(self.ready(record, &known).await?),
            (_, None) => {
                let wait = (AGAIN_MS << known.tries.min(4)).min(AGAIN_MAX_MS);
                let due_ms = Some(self.core.now_ms() + wait);
                self.change(UploadRecord { due_ms, ..record }, UploadState::Scanning, &known).await?;
            }
        }
        Ok(())
    }

    /// One that was sent with an answer stays as long as its journey.
    async fn remove_unused(&self, upload: UploadRecord) -> Result<(), Refusal> {
        let journey = self.core.store().journey(&upload.journey).await?;
        let is_needed = journey.is_none_or(|journey| is_used(&journey, &upload.id));
        if is_needed {
            let known = FileFacts::of(&upload);
            self.change(UploadRecord { due_ms: None, ..upload }, UploadState::Ready, &known).await?;
        } else {
            self.discard(upload, UploadState::Removed).await?;
        }
        Ok(())
    }
}

//! Files that people send: partners say whether they are clean and what is in them, before anybody gets them; and what
//! never came whole goes.

use crate::Context;
use engine_partners::{CallFile, CallOutcome, Order};
use engine_runtime::{AskFile, FileBytes, Refusal};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How often files are looked at without a sign that something is due.
const LOOK: Duration = Duration::from_secs(1);
/// Mebibytes of files that are on their way to partners, each as it is and as it is sent.
const MEMORY_MIB: u32 = 128;
const MIB: u64 = 1024 * 1024;

/// Works on files until stopped; safe on every node at once.
pub async fn run(context: Context, stop: CancellationToken) {
    let memory = Arc::new(Semaphore::new(MEMORY_MIB as usize));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = context.runtime.uploads.wait() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        match context.runtime.uploads.due().await {
            Ok(asks) => asks.into_iter().for_each(|ask| drop(tokio::spawn(scan(context.clone(), memory.clone(), ask)))),
            Err(error) => tracing::warn!(%error, "files that are due are looked for again"),
        }
    }
}

async fn scan(context: Context, memory: Arc<Semaphore>, ask: AskFile) {
    let mib = u32::try_from(2 * ask.size / MIB + 1).unwrap_or(MEMORY_MIB).min(MEMORY_MIB);
    let Ok(_memory) = memory.acquire_many(mib).await else { return };
    let catalog = context.runtime.catalog();
    let Some((partner, operation)) = catalog.operation_named(&ask.operation) else {
        tracing::error!(operation = ask.operation, "there is no such operation: the file waits");
        return;
    };
    let said = match context.runtime.uploads.asked_about(&ask).await {
        Ok(file) => {
            let files = [call_file(file)];
            let order = Order { files: &files, ..Order::alone(&ask.key, context.runtime.now_ms()) };
            match context.partners.call(&catalog, partner, operation, &ask.input, order).await {
                CallOutcome::Done { output, .. } => Some(output),
                CallOutcome::Failed(error) => {
                    tracing::info!(operation = ask.operation, code = error.code, "a file waits for its partner");
                    None
                }
                CallOutcome::NotBegun => None,
            }
        }
        Err(error) => {
            tracing::warn!(%error, "a file for a partner cannot be read");
            None
        }
    };
    if let Err(error) = context.runtime.uploads.settle_question(ask, said).await {
        tracing::warn!(%error, "what a partner said of a file is asked again");
    }
}

/// Files of a journey that a call hands on.
pub async fn of(context: &Context, journey: &str, ids: &[&str]) -> Result<Vec<CallFile>, Refusal> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let files = context.runtime.uploads.for_partner(journey, ids).await;
    let files = files.inspect_err(|error| tracing::warn!(%error, "files for a partner cannot be read"))?;
    Ok(files.into_iter().map(call_file).collect())
}

fn call_file(file: FileBytes) -> CallFile {
    let FileBytes { id, name, media_type, sha256, bytes } = file;
    CallFile { id, name, media_type, sha256, bytes }
}

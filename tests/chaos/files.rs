//! Files that people send while the product dies again and again: each comes whole in the end, goes on from where it
//! stopped, is served as it was sent, and nothing half is served.

use super::caller::{Caller, PATIENCE};
use super::processes;
use super::report::Report;
use super::{Options, Stage};
use crate::server::{all_definitions, fixture};
use anyhow::{Context as _, Result, bail, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const SENDERS: u64 = 8;
/// Bytes of a part: a file has some dozens.
const PART: usize = 16 * 1024;
/// How long the product lives between two kills, beyond its start.
const LIVES_MS: std::ops::Range<u64> = 200..900;

#[derive(Default)]
struct Seen {
    files: AtomicU64,
    parts: AtomicU64,
    /// Parts without an answer.
    broken: AtomicU64,
    /// Looks at a file that was not there yet.
    early: AtomicU64,
}

pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let mut report = Report::new("files while the product dies", &options);
    let place = stage.place("files").await?;
    let definitions = stage.folder.path().join("papers");
    write_definitions(&definitions)?;
    let settings = [
        ("JOURNEY_LIMITS__BODY_BYTES_MAX", PART.to_string()),
        ("JOURNEY_LIMITS__RATE_PER_S", "0".to_owned()),
        ("JOURNEY_LIMITS__WRITE_RATE_PER_S", "0".to_owned()),
        ("JOURNEY_UPLOADS__PER_MINUTE", "100000".to_owned()),
        ("JOURNEY_SANDBOX__DELAY_PERCENT", "0".to_owned()),
    ];
    let port = stage.ports[1];
    let product = processes::serve(&stage.binary, &place.folder, &place.url, &definitions, port, &settings).await?;
    let (seen, stop) = (Arc::new(Seen::default()), CancellationToken::new());
    let mut senders = JoinSet::new();
    for number in 0..SENDERS {
        senders.spawn(send_files(
            format!("http://127.0.0.1:{port}"),
            options.seed ^ number,
            seen.clone(),
            stop.clone(),
        ));
    }
    let mut rng = StdRng::seed_from_u64(options.seed);
    for _ in 0..options.kills {
        tokio::time::sleep(Duration::from_millis(rng.random_range(LIVES_MS))).await;
        product.kill();
        report.kills += 1;
        product.starts_again().await?;
    }
    stop.cancel();
    while let Some(sent) = senders.join_next().await {
        if let Err(why) = sent? {
            report.violation(format!("{why:#}"));
        }
    }
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    report.figure("files that came whole", count(&seen.files));
    report.figure("parts", count(&seen.parts));
    report.figure("parts without an answer", count(&seen.broken));
    report.figure("looks at a file that was not there yet", count(&seen.early));
    if count(&seen.broken) == 0 {
        report.violation("no kill met a part: it proves nothing".into());
    }
    product.stop().await?;
    Ok(stage.leave(report, begun))
}

/// The fixture of uploads with the partners that look at files, as they are shipped.
fn write_definitions(folder: &Path) -> Result<()> {
    let shipped = |path: &str| {
        [
            "workflows/partners/files/",
            "workflows/contracts/shared/scan-file",
            "workflows/contracts/shared/read-document",
        ]
        .iter()
        .any(|start| path.starts_with(start))
            || ["workflows/shared/texts.yaml", "workflows/roles.yaml", "forms/shared/messages.json"].contains(&path)
    };
    let (product, own) = (all_definitions(), fixture("files"));
    super::write_files(folder, product.iter().filter(|(path, _)| shipped(path)).chain(own.iter()))
}

/// One request after another of somebody with files, until `stop`.
async fn send_files(base: String, seed: u64, seen: Arc<Seen>, stop: CancellationToken) -> Result<()> {
    let mut sender = Sender { caller: Caller::new(&base, StdRng::seed_from_u64(seed))?, seen };
    while !stop.is_cancelled() {
        sender.sends_one().await?;
    }
    Ok(())
}

struct Sender {
    caller: Caller,
    seen: Arc<Seen>,
}

impl Sender {
    async fn sends_one(&mut self) -> Result<()> {
        let start = json!({"workflow": "files/send", "data": {"name": "Asha"}});
        let begun = self.caller.posts("/api/v1/journeys", &start).await?;
        let journey = begun["journey"]["id"].as_str().context("a journey")?.to_owned();
        let bytes = self.paper();
        let (uploads, size) = (format!("/api/v1/journeys/{journey}/uploads"), bytes.len());
        let said = json!({"kind": "pages", "name": "paper.pdf", "size": size, "type": "application/pdf"});
        let begun = self.caller.posts(&uploads, &said).await?;
        let path = format!("{uploads}/{}", begun["id"].as_str().context("an upload")?);
        let until = Instant::now() + PATIENCE;
        let mut received = 0;
        while received < size {
            ensure!(Instant::now() < until, "{path} stands at {received} of {size}");
            let part = &bytes[received..size.min(received + PART)];
            let there = self.puts(&path, received, part, size).await?;
            ensure!(there >= received, "{path}: {received} bytes were acknowledged, and {there} are there");
            received = there;
            if received < size && self.caller.rng.random_bool(0.2) {
                let early = self.caller.gets(&format!("{path}/file")).await?;
                ensure!(early.0 == StatusCode::NOT_FOUND, "{path} is half there and was served: {}", early.0);
                self.seen.early.fetch_add(1, Ordering::Relaxed);
            }
        }
        loop {
            let (status, bytes) = self.caller.gets(&path).await?;
            let upload: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            ensure!(status == StatusCode::OK, "{path} was answered {status}");
            match upload["status"].as_str() {
                Some("ready") => break,
                Some("refused") => bail!("{path} was refused: {upload}"),
                _ => ensure!(Instant::now() < until, "{path} is never looked at: {upload}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (status, served) = self.caller.gets(&format!("{path}/file")).await?;
        ensure!(status == StatusCode::OK && served == bytes, "{path}: {status}, {} of {size} bytes", served.len());
        self.seen.files.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// A paper of one page, with as much after it as makes some dozens of parts.
    fn paper(&mut self) -> Vec<u8> {
        let objects = "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1>> endobj\n\
            3 0 obj <</Type/Page/Parent 2 0 R>> endobj\n";
        let length = self.caller.rng.random_range(20 * PART..40 * PART);
        let filling: String = (0..length / 65)
            .map(|_| format!("%{:064x}", self.caller.rng.random::<u128>()))
            .collect::<Vec<_>>()
            .join("\n");
        format!("%PDF-1.4\n{objects}{filling}\ntrailer <</Root 1 0 R>>\n%%EOF\n").into_bytes()
    }

    /// Sends a part; how many bytes are there. Without an answer it is asked first.
    async fn puts(&mut self, path: &str, first: usize, part: &[u8], size: usize) -> Result<usize> {
        self.seen.parts.fetch_add(1, Ordering::Relaxed);
        let range = format!("bytes {first}-{}/{size}", first + part.len() - 1);
        let (url, kind) = (format!("{}{path}", self.caller.base), "application/octet-stream");
        let sent =
            self.caller.client.put(url).header("content-type", kind).header("content-range", range).body(part.to_vec());
        let told = match self.caller.answer(sent).await {
            Some((status, bytes)) if status == StatusCode::OK => bytes,
            Some((status, bytes)) if status.is_client_error() => {
                bail!("{path} was answered {status}: {}", String::from_utf8_lossy(&bytes))
            }
            _ => {
                self.seen.broken.fetch_add(1, Ordering::Relaxed);
                self.caller.gets(path).await?.1
            }
        };
        let upload: Value = serde_json::from_slice(&told)?;
        // what is looked at already is whole
        let is_whole = upload["status"] != "receiving";
        let received = upload["received"].as_u64().and_then(|received| usize::try_from(received).ok());
        Ok(if is_whole { size } else { received.context("a count")? })
    }
}

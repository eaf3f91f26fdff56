//! `journey-bench uploads`: what files cost the program: memory while many come at once, CPU of a photo, the list of a
//! journey that has as many as it may.

use crate::Uploads;
use crate::database::Database;
use crate::pages;
use crate::side::{Program, Side};
use crate::table::{Goal, Row, Table};
use anyhow::{Context as _, Result, ensure};
use engine_definitions::Files;
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use journey_tests::people::hands_in;
use journey_tests::server::{Visitor, fixture};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of a file that many send at once.
const FILE_BYTES: usize = 10 * 1024 * 1024 - 4_096;
const SAMPLED_EVERY: Duration = Duration::from_millis(20);
/// Three kinds of papers, of which as many are taken together as a journey may have.
const KINDS: &str = "\
title: Kinds of papers
source: Written for this bench
match: {kind: equals}
columns: {kind: text, title: text, media: list, files: int, min_width: int, min_height: int, scan: text, read: text, kept: bool}
rows:
  - [front, Front, [picture, pdf], 20, 64, 48, '', '', true]
  - [pages, Pages, [picture, pdf], 20, 64, 48, '', '', false]
  - [film, Film, [video], 1, 0, 0, '', '', false]
  - [seen, Looked at by partners, [picture, pdf], 20, 64, 48, '', '', false]
  - [rc_front, Not asked for, [picture], 1, 64, 48, '', '', false]
";
const MIB: f64 = 1_048_576.0;

pub async fn run(options: &Uploads) -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let binary = options.binary.clone().map_or_else(pages::beside, Ok)?;
    let definitions = tempfile::tempdir()?;
    write_definitions(definitions.path())?;
    let mut table = Table::default();
    for kind in &options.database {
        let database = Database::start(kind).await?;
        let program = Program::Shop { binary: binary.clone(), definitions: definitions.path().to_owned() };
        let mut shop = Side::new(program, database.fresh().await?)?;
        shop.begin_with("/papers").await?;
        let mut add = |what: String, value: f64, goal: Goal| {
            let row = Row { database: database.name(), what, floor: f64::NAN, product: value, goal, others: None };
            eprintln!("{row}");
            table.add(row);
        };
        let first = Sender::at(&shop).await?;
        first.send("pages", "application/pdf", &pdf(FILE_BYTES, 0)).await;
        let grown = many_at_once(&shop, options.at_once).await?;
        let what = format!("{} files of 10 MB at once: memory grows by, MiB", options.at_once);
        add(what, grown.mib, Goal::Within(64.0));
        add("the same: MB a second".into(), grown.mb_per_s, Goal::None);
        let cpu_s = photos(&shop, options.photos).await?;
        add("a photo of 12 megapixels: CPU s".into(), cpu_s, Goal::Within(1.5));
        let (p50, p99) = list(&shop, options.looks).await?;
        add("list of 60 files: p50 ms".into(), p50, Goal::Within(10.0));
        add("list of 60 files: p99 ms".into(), p99, Goal::None);
        shop.stop()?;
    }
    table.print();
    table.write(options.json.as_deref())
}

struct Grown {
    mib: f64,
    mb_per_s: f64,
}

async fn many_at_once(shop: &Side, at_once: usize) -> Result<Grown> {
    let bytes: Arc<[u8]> = pdf(FILE_BYTES, 0).into();
    let mut senders = Vec::with_capacity(at_once);
    for _ in 0..at_once {
        senders.push(Sender::at(shop).await?);
    }
    let (before, over) = (shop.usage().pss_bytes, AtomicBool::new(false));
    let clock = Instant::now();
    let peak = async {
        let mut peak = before;
        while !over.load(Ordering::Relaxed) {
            peak = peak.max(shop.usage().pss_bytes);
            tokio::time::sleep(SAMPLED_EVERY).await;
        }
        peak
    };
    let sent = async {
        let all = senders.iter().map(|sender| sender.send("pages", "application/pdf", &bytes));
        futures::future::join_all(all).await;
        over.store(true, Ordering::Relaxed);
    };
    let (peak, ()) = tokio::join!(peak, sent);
    let mb = (at_once * FILE_BYTES) as f64 / 1e6;
    Ok(Grown { mib: peak.saturating_sub(before) as f64 / MIB, mb_per_s: mb / clock.elapsed().as_secs_f64() })
}

/// CPU seconds of a photo, the median.
async fn photos(shop: &Side, count: usize) -> Result<f64> {
    let photo = photo()?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let sender = Sender::at(shop).await?;
        let before = shop.usage().cpu_s;
        sender.send("front", "image/jpeg", &photo).await;
        all.push(shop.usage().cpu_s - before);
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().context("a photo")
}

/// How long the list of a journey with 60 files takes, p50 and p99, in milliseconds.
async fn list(shop: &Side, looks: usize) -> Result<(f64, f64)> {
    let sender = Sender::at(shop).await?;
    for n in 0..60 {
        let kind = ["front", "pages", "seen"][n % 3];
        sender.send(kind, "application/pdf", &pdf(2_000, n)).await;
    }
    let mut took = Vec::with_capacity(looks);
    for _ in 0..looks {
        let clock = Instant::now();
        let reply = sender.visitor.get(&sender.path()).await;
        took.push(clock.elapsed().as_secs_f64() * 1_000.0);
        let listed = reply.json()["uploads"].as_array().map_or(0, Vec::len);
        ensure!(listed == 60, "{listed} files are listed");
    }
    took.sort_by(f64::total_cmp);
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
    Ok((at(0.5), at(0.99)))
}

/// Somebody at the step that asks for papers.
struct Sender {
    visitor: Visitor,
    journey: String,
}

impl Sender {
    async fn at(shop: &Side) -> Result<Sender> {
        let visitor = Visitor::at(format!("http://{}", shop.target.address));
        let begun = visitor.start("files/send", json!({"name": "Asha"})).await;
        ensure!(begun.status == 201, "{}", begun.text());
        let journey = begun.json()["journey"]["id"].as_str().context("a journey")?.to_owned();
        Ok(Sender { visitor, journey })
    }

    fn path(&self) -> String {
        format!("/api/v1/journeys/{}/uploads", self.journey)
    }

    async fn send(&self, kind: &str, media_type: &str, bytes: &[u8]) {
        hands_in(&self.visitor, &self.path(), kind, (media_type, bytes)).await;
    }
}

/// A flow that asks for files, with the partners that look at them as they are shipped.
fn write_definitions(folder: &Path) -> Result<()> {
    let shipped = Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    let is_needed = |path: &str| {
        path.starts_with("workflows/partners/files/")
            || path.starts_with("workflows/contracts/shared/scan-file")
            || path.starts_with("workflows/contracts/shared/read-document")
            || ["workflows/shared/texts.yaml", "workflows/roles.yaml", "forms/shared/messages.json"].contains(&path)
    };
    let files = fixture("files");
    for (path, bytes) in files.iter().chain(shipped.iter().filter(|(path, _)| is_needed(path))) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, bytes)?;
    }
    Ok(std::fs::write(folder.join("workflows/shared/tables/document_kinds.yaml"), KINDS)?)
}

/// A paper of one page whose picture takes so many bytes; one for each seed.
fn pdf(bytes: usize, seed: usize) -> Vec<u8> {
    let mut pdf = b"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1>> endobj\n\
        3 0 obj <</Type/Page/Parent 2 0 R>> endobj\n"
        .to_vec();
    let length = bytes.saturating_sub(pdf.len() + 100);
    pdf.extend(format!("4 0 obj <</Length {length}>> stream\n").into_bytes());
    pdf.extend((seed..seed + length).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8 | 0x80));
    pdf.extend(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n");
    pdf
}

/// A photo of 12 megapixels, as large as one of a phone.
fn photo() -> Result<Vec<u8>> {
    let picture = RgbImage::from_fn(4_000, 3_000, |x, y| {
        let noise = ((x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 28) as u8;
        Rgb([(x / 16) as u8 ^ noise, (y / 12) as u8 ^ noise, ((x + y) / 28) as u8])
    });
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 85).encode_image(&picture)?;
    Ok(bytes)
}

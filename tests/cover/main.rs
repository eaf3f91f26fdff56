//! `make cover`: nobody sees a customer's data through a helper's screen. Customers buy with the definitions that are
//! shipped; beside each are somebody who helps in each way there is, somebody in every role, whoever follows a link
//! that the helper sent, and other customers. All of them open every step, page, paper, list, export and stream, and
//! every answer is searched for what the customer wrote.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod scene;
mod watcher;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use engine_definitions::Files;
use futures::StreamExt;
use scene::{Help, Scene, Seen, are_rare, shop};
use std::path::Path;
use std::process::ExitCode;

/// Allocator of the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Exit code 1 when something of a customer was found, or a leak that was planted was not.
#[derive(Parser)]
#[command(name = "cover")]
struct Arguments {
    /// The form of `make test`: each way to help once, and all leaks in one purchase
    #[arg(long)]
    short: bool,
}

/// Who acts for customers, how and with what, at least once each.
const SHORT: [Scene; 3] = [
    Scene { line: "motor/car", role: "partner-agent", help: Help::Begins, language: "en" },
    Scene { line: "motor/bike", role: "health-agent", help: Help::Code, language: "hi" },
    Scene { line: "motor/car", role: "call-centre", help: Help::Token, language: "en" },
];
const ROLES: [&str; 5] = ["health-agent", "life-agent", "partner-agent", "app-agent", "call-centre"];
/// Scenes that share a shop, and play at once.
const OF_A_SHOP: usize = 6;
const AT_ONCE: usize = 2;

const POLICY: &str = "workflows/roles.yaml";
/// Kinds of personal data that the table of rights may show whole, and what is found of a customer once helpers see
/// them.
/// Others, such as numbers and dates of birth, are covered by their names whatever it says.
const LEAKS: [(&str, &str); 5] = [
    ("name", "wilhelmina"),
    ("address", "quillfeather"),
    ("engine", "k12mzq77431"),
    ("chassis", "ma3zpejkd77431905"),
    ("policy", "og-77-4431-9055"),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let files = Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).context("the definitions")?;
    ensure!(are_rare(&files), "something that a customer writes here stands in the definitions");
    let scenes = if arguments.short { SHORT.to_vec() } else { every_scene() };
    let mut seen = Seen::default();
    for scenes in scenes.chunks(OF_A_SHOP) {
        seen.adds(play(&files, scenes).await?);
    }
    println!(
        "{} purchases, {} people beside their customers, {} steps, {} answers searched: {} times something of a customer",
        scenes.len(),
        seen.watchers,
        seen.steps.len(),
        seen.opened,
        seen.found.len()
    );
    seen.found.iter().for_each(|found| eprintln!("  {found}"));
    let leaks = if arguments.short { vec![LEAKS.to_vec()] } else { LEAKS.map(|leak| vec![leak]).to_vec() };
    let mut missed = Vec::new();
    for leak in &leaks {
        missed.extend(passed_over(&files, leak).await?);
    }
    println!("{} kinds of data shown whole to helpers on purpose, {} not found", LEAKS.len(), missed.len());
    missed.iter().for_each(|kind| eprintln!("  {kind} was shown and not found"));
    Ok(if seen.found.is_empty() && missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every role in each way, with both vehicles and in both languages.
fn every_scene() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for (line, language) in [("motor/car", "en"), ("motor/bike", "hi"), ("motor/car", "hi"), ("motor/bike", "en")] {
        let scene = |role, help| Scene { line, role, help, language };
        scenes.extend(ROLES.iter().flat_map(|role| [scene(role, Help::Begins), scene(role, Help::Code)]));
        scenes.push(scene("call-centre", Help::Token));
    }
    scenes
}

async fn play(files: &Files, scenes: &[Scene]) -> Result<Seen> {
    let server = shop(files.clone()).await;
    let plays = (1..).zip(scenes).map(|(n, scene)| scene.plays(&server, n, "summary"));
    let all: Vec<Result<Seen>> = futures::stream::iter(plays).buffer_unordered(AT_ONCE).collect().await;
    let mut seen = Seen::default();
    for one in all {
        seen.adds(one?);
    }
    server.stop().await;
    Ok(seen)
}

/// Kinds that helpers see whole in these definitions, and that nobody has found.
async fn passed_over(files: &Files, leak: &[(&'static str, &'static str)]) -> Result<Vec<&'static str>> {
    let table = files.get(POLICY).context("who may do what")?;
    let (table, kept) = (String::from_utf8(table.to_vec())?, "plain: [registration]");
    ensure!(table.contains(kept), "{POLICY} has no longer `{kept}`");
    let kinds: Vec<&str> = leak.iter().map(|(kind, _)| *kind).collect();
    let mut files = files.clone();
    files.insert(POLICY, table.replace(kept, &format!("plain: [registration, {}]", kinds.join(", "))).into_bytes());
    let server = shop(files).await;
    let found = SHORT[0].plays(&server, 1, "check").await?.found;
    server.stop().await;
    let is_missed = |word: &str| !found.iter().any(|found| found.contains(&format!("`{word}`")));
    Ok(leak.iter().filter(|(_, word)| is_missed(word)).map(|(kind, _)| *kind).collect())
}

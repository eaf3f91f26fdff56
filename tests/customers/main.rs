//! `make customers`: random customers buy cars and bikes over HTTP, on the shipped definitions with their fake partners,
//! whose delays are short and whose clock is fast. What must hold whatever they do stands in `rules.rs`.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod answers;
mod customer;
mod rules;

use anyhow::{Context as _, Result};
use clap::Parser;
use customer::{Crowd, Customer, End};
use engine_definitions::Files;
use futures::StreamExt;
use journey_tests::server::TestServer;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// As the product itself has it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How much faster than real time the product's clock goes when everybody waits, and how often it is moved.
const CLOCK_SPEED: i64 = 30;
const CLOCK_TICK: Duration = Duration::from_millis(200);

/// Random customers, seeded. Exit code 1 when a rule was broken.
#[derive(Parser)]
#[command(name = "customers")]
struct Arguments {
    #[arg(long, default_value_t = 200)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// This customer of the seed alone, told step by step
    #[arg(long, value_name = "NUMBER")]
    only: Option<u64>,
    #[arg(long, default_value_t = 16)]
    at_once: usize,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let server = Arc::new(shop().await?);
    let (clock, crowd) = (server.clock.clone(), Arc::new(Crowd::default()));
    let watched = crowd.clone();
    let ticking = tokio::spawn(async move {
        loop {
            tokio::time::sleep(CLOCK_TICK).await;
            let tick = i64::try_from(CLOCK_TICK.as_millis()).expect("a short tick");
            clock.advance(tick + tick * (CLOCK_SPEED - 1) * watched.waits_percent() / 100);
        }
    });
    let numbers = arguments.only.map_or(0..arguments.count, |number| number..number + 1);
    let visits = numbers.map(|number| {
        let customer = Customer::new(server.clone(), crowd.clone(), arguments.seed, number);
        async {
            let end =
                tokio::spawn(customer.buys()).await.map_err(|panic| anyhow::anyhow!("{panic}")).and_then(|end| end);
            end.inspect_err(|broken| eprintln!("{broken:#}\n"))
        }
    });
    let ends: Vec<Result<(End, Vec<String>)>> =
        futures::stream::iter(visits).buffer_unordered(arguments.at_once).collect().await;
    ticking.abort();
    let mut tally: BTreeMap<End, usize> = BTreeMap::new();
    let mut broken = 0;
    for end in &ends {
        match end {
            Ok((end, trail)) => {
                *tally.entry(*end).or_default() += 1;
                if arguments.only.is_some() {
                    println!("{}", trail.join("\n"));
                }
            }
            Err(_) => broken += 1,
        }
    }
    println!("{} customers of seed {}: {tally:?}, {broken} with a broken rule", ends.len(), arguments.seed);
    // Rules about buyers say nothing when nobody buys.
    let issued = tally.get(&End::Issued).copied().unwrap_or_default();
    let good = broken == 0 && (arguments.only.is_some() || issued * 3 > ends.len());
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The shipped definitions; all customers come from one address.
async fn shop() -> Result<TestServer> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Files::read_dir(root).context("the definitions are there")?;
    let server = TestServer::start_with(files, |settings| {
        settings.otp.unproven_per_address_hour = 1_000_000;
        settings.otp.block_hour = 1_000_000;
        (settings.limits.rate_per_s, settings.limits.rate_burst) = (0, 1_000_000);
        (settings.limits.write_rate_per_s, settings.limits.write_rate_burst) = (0, 1_000_000);
        settings.limits.starts_per_hour = 0;
        settings.sandbox.delay_percent = 5;
        settings.worker.poll_ms = 200;
    });
    Ok(server.await)
}

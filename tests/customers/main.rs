//! `make customers`: random customers of every line buy over HTTP, on the shipped definitions with
//! their fake partners, whose delays are short and whose clock is fast. What must hold whatever they do stands in
//! `rules.rs`.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod answers;
mod customer;
mod mistakes;
mod rules;
mod ways;
mod words;

use anyhow::{Context as _, Result};
use clap::Parser;
use customer::{Crowd, Customer, End, Line};
use engine_definitions::Files;
use engine_runtime::Clock as _;
use engine_store::{Backlog, EffectState, Store};
use futures::{Stream, StreamExt};
use journey_tests::server::TestServer;
use mistakes::{MISTAKES, Mistake};
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use ways::Way;

/// Allocator of the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How much faster than real time the product's clock goes when everybody waits, and how often it is moved.
const CLOCK_SPEED: i64 = 30;
const CLOCK_TICK: Duration = Duration::from_millis(200);
/// Work that has been due for so long is late.
const BEHIND_MS: i64 = 5_000;
/// Twenty seconds of a machine that keeps up.
const LEASE_MS: i64 = 600_000;

/// Random customers, seeded. Exit code 1 when a rule was broken.
#[derive(Parser)]
#[command(name = "customers")]
struct Arguments {
    #[arg(long, default_value_t = 200)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this customer of the seed, told step by step
    #[arg(long, value_name = "NUMBER")]
    only: Option<u64>,
    /// Somebody of the staff helps each of them, and must see nothing that is the customer's alone
    #[arg(long)]
    helped: bool,
    #[arg(long, default_value_t = 16)]
    at_once: usize,
    /// Makes one mistake after the other in the definitions: each must break its rule, for one of that many customers
    #[arg(long)]
    mistakes: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let files =
        Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).context("the definitions are there")?;
    let good = match arguments.mistakes {
        true => breaks_every_rule(&files, &arguments)?,
        false => Runtime::new()?.block_on(holds_every_rule(files, &arguments)),
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn holds_every_rule(files: Files, arguments: &Arguments) -> bool {
    let mut tally: BTreeMap<Line, BTreeMap<End, usize>> = BTreeMap::new();
    let (mut all, mut broken) = (0, 0);
    let mut ends = pin!(visits(shop(files).await, arguments));
    while let Some(end) = ends.next().await {
        all += 1;
        match end {
            Ok((line, end, trail)) => {
                *tally.entry(line).or_default().entry(end).or_default() += 1;
                if arguments.only.is_some() {
                    println!("{}", trail.join("\n"));
                }
            }
            Err(rule) => {
                eprintln!("{rule:#}\n");
                broken += 1;
            }
        }
    }
    tally.iter().for_each(|(line, ends)| println!("{line:?}: {ends:?}"));
    println!("{all} customers of seed {}, {broken} with a broken rule", arguments.seed);
    // Rules about buyers say nothing when nobody buys.
    let has_paid = |end: &End| matches!(end, End::Issued | End::Promised | End::Refunded);
    let paid: usize = tally.values().flatten().filter_map(|(end, count)| has_paid(end).then_some(*count)).sum();
    broken == 0 && (arguments.only.is_some() || arguments.helped || paid * 18 > all)
}

fn breaks_every_rule(files: &Files, arguments: &Arguments) -> Result<bool> {
    let mut good = true;
    for mistake in MISTAKES {
        // Each mistake has a runtime of its own: shop and customers end with it.
        let runtime = Runtime::new()?;
        let met = runtime.block_on(met_until_broken(mistake, files, arguments));
        runtime.shutdown_background();
        match met {
            Some(met) => println!("{}: broken for customer {met}", mistake.breaks),
            None => println!("{}: NOT broken", mistake.breaks),
        }
        good &= met.is_some();
    }
    Ok(good)
}

/// How many have ended when the rule is broken for the first time.
async fn met_until_broken(mistake: &Mistake, files: &Files, arguments: &Arguments) -> Option<usize> {
    let ends = visits(shop(mistake.made_in(files)).await, arguments);
    let broken = ends.map(|end| end.is_err_and(|rule| format!("{rule:#}").contains(mistake.breaks)));
    let mut numbered = pin!(broken.enumerate().filter(|(_, is_broken)| std::future::ready(*is_broken)));
    numbered.next().await.map(|(at, _)| at + 1)
}

/// What becomes of each customer, as they end.
fn visits(server: TestServer, arguments: &Arguments) -> impl Stream<Item = Result<(Line, End, Vec<String>)>> {
    let (server, crowd) = (Arc::new(server), Arc::new(Crowd::default()));
    let (shop, clock, watched, seed) = (server.clone(), server.clock.clone(), crowd.clone(), arguments.seed);
    tokio::spawn(async move {
        let store = shop.store().await;
        loop {
            tokio::time::sleep(CLOCK_TICK).await;
            let tick = i64::try_from(CLOCK_TICK.as_millis()).expect("a short tick");
            let waits = if is_behind(&*store, clock.now_ms()).await { 0 } else { watched.waits_percent() };
            clock.advance(tick + tick * (CLOCK_SPEED - 1) * waits / 100);
        }
    });
    let helped = arguments.helped;
    let numbers = arguments.only.map_or(0..arguments.count, |number| number..number + 1);
    let visits = numbers.map(move |number| {
        let mut customer = Customer::new(server.clone(), crowd.clone(), seed, number);
        if helped {
            customer.comes(Way::Helped);
        }
        async { tokio::spawn(customer.buys()).await.map_err(|panic| anyhow::anyhow!("{panic}")).and_then(|end| end) }
    });
    futures::stream::iter(visits).buffer_unordered(arguments.at_once)
}

/// Whether the product does not keep up with its clock, as on a busy machine.
async fn is_behind(store: &dyn Store, now_ms: i64) -> bool {
    let since = |work: Backlog| match work.state {
        EffectState::Pending => Some(work.oldest_ms),
        EffectState::Running => Some(work.oldest_ms - LEASE_MS),
        _ => None,
    };
    let work = store.backlog().await.unwrap_or_default();
    work.into_iter().filter_map(since).any(|since_ms| now_ms - since_ms > BEHIND_MS)
}

/// All customers come from one address.
async fn shop(files: Files) -> TestServer {
    TestServer::start_with(files, |settings| {
        settings.otp.unproven_per_address_hour = 1_000_000;
        settings.otp.block_hour = 1_000_000;
        // Some log in twice and more on one day.
        (settings.otp.per_hour, settings.otp.per_day) = (30, 100);
        (settings.limits.rate_per_s, settings.limits.rate_burst) = (0, 1_000_000);
        (settings.limits.write_rate_per_s, settings.limits.write_rate_burst) = (0, 1_000_000);
        settings.limits.starts_per_hour = 0;
        settings.sandbox.delay_percent = 5;
        settings.worker.poll_ms = 200;
        settings.worker.lease_ms = LEASE_MS;
    })
    .await
}

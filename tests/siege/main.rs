//! `make siege`: customers at work, first undisturbed, then while thousands of connections from one address send half
//! a header, a body byte by byte, or nothing; see `--help`.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod attack;
mod customers;

use anyhow::{Context as _, Result};
use attack::Attack;
use clap::Parser;
use customers::Sample;
use journey_tests::chaos::definitions;
use journey_tests::chaos::processes::{Binary, free_ports, serve};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Compare what customers meet in quiet and under siege. Exit code 1 on any error, or when the slowest hundredth takes
/// more than twice as long.
#[derive(Parser)]
#[command(name = "siege")]
struct Arguments {
    /// The product's binary, an optimised build; default: that of this build
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Hostile connections, all from one address
    #[arg(long, default_value_t = 18_000)]
    connections: usize,
    /// Processes that hold them
    #[arg(long, default_value_t = 3)]
    processes: usize,
    /// Customers at once, each from an address of its own
    #[arg(long, default_value_t = 64)]
    customers: usize,
    /// Length of either part
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The form of `make test`: 1,500 connections, 16 customers, 6 s; only errors count
    #[arg(long, conflicts_with_all = ["connections", "customers", "seconds"])]
    short: bool,
    /// Be one of the hostile processes
    #[arg(long, hide = true, value_name = "ADDRESS")]
    attack: Option<SocketAddr>,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = Arguments::parse();
    if arguments.short {
        (arguments.connections, arguments.customers, arguments.seconds) = (1_500, 16, 6);
    }
    let length = Duration::from_secs(arguments.seconds);
    if let Some(to) = arguments.attack {
        attack::run(to, arguments.connections, length).await;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = tempfile::Builder::new().prefix("journey-siege-").tempdir()?;
    let binary = match &arguments.binary {
        Some(file) => Binary::copied(file, folder.path())?,
        None => Binary::build(folder.path())?,
    };
    let ports = free_ports(2)?;
    let url = format!("sqlite:{}", folder.path().join("journey.db").display());
    let health = [("JOURNEY_SERVER__HEALTH_ADDRESS", format!("127.0.0.1:{}", ports[1]))];
    let product = serve(&binary, folder.path(), &url, &definitions(), ports[0], &health).await?;
    let shop = SocketAddr::from(([127, 0, 0, 1], ports[0]));

    // Once without counting: connections, caches and the drawn page are there in both parts.
    customers::work(shop, arguments.customers, Duration::from_secs(2)).await;
    let quiet = customers::work(shop, arguments.customers, length).await;
    let siege = Attack::begin(shop, arguments.connections, arguments.processes, length)?;
    // The part begins when all of them have tried to get in.
    tokio::time::sleep(attack::OPENING).await;
    let probing = tokio::spawn(probes(ports[1], length));
    let sieged = customers::work(shop, arguments.customers, length).await;
    let (probed, unanswered) = probing.await?;
    let told = siege.end()?;
    let stopped = product.stop().await?;

    println!(
        "{:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "", "requests", "p50 ms", "p99 ms", "max ms", "per s", "errors"
    );
    print(&quiet, "quiet", length);
    print(&sieged, "siege", length);
    println!("hostile: {told}");
    println!("health: {probed} asked, {unanswered} not answered; the product stopped in {} ms", stopped.as_millis());
    let errors = quiet.errors.len() + sieged.errors.len() + unanswered;
    for error in quiet.errors.iter().chain(&sieged.errors).take(5) {
        println!("error: {error}");
    }
    let slower = sieged.percentile(99) / quiet.percentile(99).max(0.001);
    println!("the slowest hundredth took {slower:.2} times as long");
    let good = errors == 0 && (arguments.short || slower <= 2.0);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(sample: &Sample, name: &str, length: Duration) {
    println!(
        "{name:>8} {:>9} {:>8.1} {:>8.1} {:>8.1} {:>8.0} {:>7}",
        sample.taken_ms.len(),
        sample.percentile(50),
        sample.percentile(99),
        sample.percentile(100),
        sample.taken_ms.len() as f64 / length.as_secs_f64(),
        sample.errors.len()
    );
}

/// Health, ten times a second: how often it was asked, and how often it did not say that all is well.
async fn probes(port: u16, length: Duration) -> (usize, usize) {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(2)).build().unwrap_or_default();
    let (until, mut asked, mut unanswered) = (Instant::now() + length, 0, 0);
    while Instant::now() < until {
        for path in ["healthz", "readyz"] {
            let answer = client.get(format!("http://127.0.0.1:{port}/{path}")).send().await;
            asked += 1;
            unanswered += usize::from(!answer.context("health").is_ok_and(|answer| answer.status().is_success()));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (asked, unanswered)
}

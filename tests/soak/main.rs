//! `make soak`: customers buy cars for an hour while partners misbehave; see `--help`.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod measure;
mod report;
mod shoppers;

use anyhow::{Context as _, Result};
use clap::Parser;
use journey_tests::chaos::partners::Partners;
use journey_tests::chaos::processes::{Binary, free_ports, serve};
use journey_tests::postgres::Cluster;
use measure::Meter;
use report::Report;
use serde_json::{Value, json};
use shoppers::Shoppers;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Let customers buy cars with the shipped definitions for a long time, on the real clock, while fake partners (a
/// process of their own) are slow, fail, break off or never answer. Each minute memory, size of the database, latency,
/// errors and open work are written down. Exit code 1 on any error, or when memory, size per journey or latency grow.
#[derive(Parser)]
#[command(name = "soak")]
struct Arguments {
    /// The product's binary, an optimised build; default: that of this build
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    #[arg(long, default_value = "sqlite", value_parser = ["sqlite", "postgres"])]
    database: String,
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Customers at once
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// How long a customer thinks on each page, in milliseconds
    #[arg(long, default_value_t = 500)]
    pause_ms: u64,
    /// Length of one row of the table, in seconds
    #[arg(long, default_value_t = 60)]
    row_s: u64,
    /// The form of `make test`: 20 s, 8 customers; only errors count
    #[arg(long, conflicts_with_all = ["minutes", "connections", "pause_ms", "row_s"])]
    short: bool,
}

/// What partners do all the time, of so many of a hundred calls.
fn trouble() -> [Value; 10] {
    [
        json!({"partner": "*", "mode": "slow", "delay_ms": 2_000, "percent": 3}),
        json!({"partner": "hdfc-ergo", "operation": "quote", "mode": "fail", "percent": 20}),
        json!({"partner": "tata-aig", "operation": "quote", "mode": "garbage", "percent": 20}),
        json!({"partner": "digit", "operation": "quote", "mode": "reset", "percent": 20}),
        json!({"partner": "bajaj-allianz", "operation": "quote", "mode": "hang", "percent": 20}),
        json!({"partner": "vahan", "mode": "slow", "delay_ms": 4_000, "percent": 10}),
        json!({"partner": "kyc", "operation": "verify", "mode": "fail", "percent": 5}),
        json!({"partner": "pincode", "mode": "fail", "percent": 10}),
        json!({"partner": "sms", "mode": "fail", "percent": 5}),
        json!({"partner": "gateway", "mode": "twice", "percent": 50}),
    ]
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = Arguments::parse();
    let mut length = Duration::from_secs(arguments.minutes * 60);
    if arguments.short {
        (arguments.connections, arguments.row_s, length) = (8, 5, Duration::from_secs(20));
    }
    let folder = tempfile::Builder::new().prefix("journey-soak-").tempdir()?;
    let binary = match &arguments.binary {
        Some(file) => Binary::copied(file, folder.path())?,
        None => Binary::build(folder.path())?,
    };
    let cluster = match arguments.database.as_str() {
        "sqlite" => None,
        _ => Some(tokio::task::spawn_blocking(|| Cluster::start_with("-c max_connections=100")).await??),
    };
    let url = match &cluster {
        None => format!("sqlite:{}", folder.path().join("journey.db").display()),
        Some(cluster) => cluster.database().await?,
    };
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ports = free_ports(2)?;
    let partners = Partners::start(&binary, folder.path(), &shipped, ports[0], ports[1]).await?;
    let mut settings = vec![("JOURNEY_SANDBOX__URL", partners.url())];
    settings.extend(GATES.map(|gate| (gate, "1000000000".to_owned())));
    let product = serve(&binary, folder.path(), &url, &shipped, ports[1], &settings).await?;
    for switch in trouble() {
        partners.switch(switch).await?;
    }

    let shop = format!("http://127.0.0.1:{}", ports[1]);
    let meter = Meter::new(product.id().context("the product's process")?, &url, &shop);
    let pause = Duration::from_millis(arguments.pause_ms);
    let shoppers = Shoppers::begin(arguments.connections, pause, &shop, &partners.origin());
    let mut report = Report::begin(meter.measured().await?);
    let (begun, row) = (Instant::now(), Duration::from_secs(arguments.row_s));
    while begun.elapsed() < length {
        tokio::time::sleep(row.min(length.saturating_sub(begun.elapsed()))).await;
        report.row(begun.elapsed(), shoppers.told(), meter.measured().await?);
    }
    let (last, errors) = shoppers.end().await;
    report.row(begun.elapsed(), last, meter.measured().await?);
    let stopped = product.stop().await?;
    println!("the product stopped in {} ms", stopped.as_millis());
    Ok(if report.verdict(&errors) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All customers come from one address, and one shop sees more of them in an hour than the gates let through.
const GATES: [&str; 4] = [
    "JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR",
    "JOURNEY_OTP__PER_ADDRESS_HOUR",
    "JOURNEY_OTP__BLOCK_HOUR",
    "JOURNEY_OTP__GLOBAL_HOUR",
];

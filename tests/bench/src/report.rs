//! `journey-bench journeys`: both sides in turn, so that whatever else the machine does hits both.

use crate::Journeys;
use crate::database::Database;
use crate::drive;
use crate::process;
use crate::side::{Program, Side};
use crate::table::{Goal, Row, Table};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const MIB: f64 = 1024.0 * 1024.0;
/// Customers while the cost with few and with many open journeys is compared.
const GROWN_CUSTOMERS: usize = 16;
const FEW: usize = 1_000;
/// Starts of which the quickest counts.
const STARTS: usize = 3;

/// The best of a side's windows, figure by figure: noise only makes a figure worse.
#[derive(Clone, Copy)]
struct Best {
    steps_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_s_per_1000: f64,
    /// Share of the machine that neither the side, its database nor the driver used, in its quietest window.
    others: f64,
}

impl Best {
    fn of(windows: &[Best]) -> Best {
        let least = |figure: fn(&Best) -> f64| windows.iter().map(figure).fold(f64::INFINITY, f64::min);
        Best {
            steps_per_s: windows.iter().map(|w| w.steps_per_s).fold(0.0, f64::max),
            p50_ms: least(|w| w.p50_ms),
            p99_ms: least(|w| w.p99_ms),
            cpu_s_per_1000: least(|w| w.cpu_s_per_1000),
            others: least(|w| w.others),
        }
    }
}

pub async fn journeys(options: &Journeys) -> Result<()> {
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => std::env::current_exe()?.with_file_name("journey"),
    };
    let there = |binary: &Path| {
        binary.canonicalize().with_context(|| format!("`{}`: build the product first", binary.display()))
    };
    let binary = there(&binary)?;
    let former = options.former.as_deref().map(there).transpose()?;
    let mut table = Table::default();
    for kind in &options.database {
        let database = Database::start(kind).await?;
        compare(options, (&binary, former.as_deref()), &database, &mut table).await?;
        if options.grown > 0 {
            grown(options, &binary, &database, &mut table).await?;
        }
    }
    table.print();
    table.write(options.json.as_deref())
}

async fn compare(
    options: &Journeys,
    (binary, former): (&Path, Option<&Path>),
    database: &Database,
    table: &mut Table,
) -> Result<()> {
    let beside = former.map_or(Program::Floor, |former| Program::Former(former.to_owned()));
    let mut sides = [
        Side::new(beside, database.fresh().await?)?,
        Side::new(Program::Product(binary.to_owned()), database.fresh().await?)?,
    ];
    let mut first = [f64::INFINITY; 2];
    for (side, first) in sides.iter_mut().zip(&mut first) {
        // makes its tables
        side.start().await?;
        for _ in 0..STARTS {
            side.stop()?;
            *first = first.min(side.start().await?);
        }
        drive::check(&side.target).await.with_context(|| format!("the {} does other work", side.name()))?;
        side.stop()?;
        side.start().await?;
    }
    let row = |what: String, floor: f64, product: f64, goal: Goal| Row {
        database: database.name(),
        what,
        floor,
        product,
        goal,
        others: None,
    };
    table.add(row("first journey after a start, s".into(), first[0], first[1], Goal::Within(0.1)));

    tokio::time::sleep(Duration::from_millis(1500)).await;
    let memory = |sides: &[Side; 2]| [0, 1].map(|n| sides[n].usage().pss_bytes as f64 / MIB);
    let idle = memory(&sides);
    table.add(row("memory idle, MiB".into(), idle[0], idle[1], Goal::Above(15.0)));
    if options.open > 0 {
        let mut bytes = [0.0; 2];
        for (side, bytes) in sides.iter().zip(&mut bytes) {
            let before = database.bytes(&side.url).await?;
            drive::leave_open(&side.target, options.open).await?;
            *bytes = database.bytes(&side.url).await?.saturating_sub(before) as f64 / options.open as f64;
        }
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let open = memory(&sides);
        table.add(row(format!("memory, {} open, MiB", options.open), open[0], open[1], Goal::Above(15.0)));
        table.add(row("disk per open journey, bytes".into(), bytes[0], bytes[1], Goal::AtMost(1.5)));
    }
    for customers in &options.connections {
        let mut windows = [Vec::new(), Vec::new()];
        for round in 0..options.rounds {
            for turn in [0, 1] {
                let at = (round + turn) % 2;
                windows[at].push(window(&sides[at], database, *customers, options.seconds, table).await?);
            }
        }
        let [floor, product] = windows.map(|windows| Best::of(&windows));
        let others = Some(floor.others.max(product.others));
        let mut add = |what: &str, figure: fn(&Best) -> f64, goal: Goal| {
            let what = format!("{what}, {customers} customers");
            table.add(Row { others, ..row(what, figure(&floor), figure(&product), goal) });
        };
        // Between two builds no goal is known here: whoever compares them has it.
        let goal = |goal: Goal| if former.is_some() { Goal::None } else { goal };
        add("steps/s", |b| b.steps_per_s, goal(Goal::AtLeast(0.8)));
        add("p50 ms", |b| b.p50_ms, goal(Goal::AtMost(1.3)));
        add("p99 ms", |b| b.p99_ms, goal(Goal::AtMost(1.3)));
        add("CPU s per 1,000 steps", |b| b.cpu_s_per_1000, goal(Goal::AtMost(1.25)));
    }
    Ok(())
}

/// The product beside itself: few and many open journeys.
async fn grown(options: &Journeys, binary: &Path, database: &Database, table: &mut Table) -> Result<()> {
    let mut side = Side::new(Program::Product(binary.to_owned()), database.fresh().await?)?;
    side.start().await?;
    let few = FEW.min(options.grown);
    drive::leave_open(&side.target, few).await?;
    let mut measured = Vec::new();
    for more in [0, options.grown - few] {
        drive::leave_open(&side.target, more).await?;
        let mut windows = Vec::new();
        for _ in 0..options.rounds {
            windows.push(window(&side, database, GROWN_CUSTOMERS, options.seconds, table).await?);
        }
        measured.push(Best::of(&windows));
    }
    let what = |figure: &str| format!("{figure}: {few} open, then {}", options.grown);
    let row = |what, floor, product| Row {
        database: database.name(),
        what,
        floor,
        product,
        goal: Goal::AtMost(1.25),
        others: Some(measured[1].others),
    };
    table.add(row(what("CPU s per 1,000 steps"), measured[0].cpu_s_per_1000, measured[1].cpu_s_per_1000));
    table.add(row(what("p50 ms"), measured[0].p50_ms, measured[1].p50_ms));
    Ok(())
}

async fn window(side: &Side, database: &Database, customers: usize, seconds: f64, table: &mut Table) -> Result<Best> {
    let cpu_s = || side.usage().cpu_s + database.cpu_s();
    let (cpu, busy, begun) = (cpu_s(), process::machine_busy_s(), Instant::now());
    let window = drive::window(&side.target, customers, seconds).await?;
    let (cpu, busy, took) = (cpu_s() - cpu, process::machine_busy_s() - busy, begun.elapsed().as_secs_f64());
    let cores = std::thread::available_parallelism()?.get() as f64;
    let best = Best {
        steps_per_s: window.steps_per_s,
        p50_ms: window.p50_ms,
        p99_ms: window.p99_ms,
        cpu_s_per_1000: cpu / window.steps.max(1) as f64 * 1000.0,
        others: ((busy - cpu - window.driver_cpu_s) / (took * cores)).max(0.0),
    };
    eprintln!(
        "{:8} {:8} {customers:3} customers: {:6.0} steps/s, p50 {:6.2} ms, p99 {:6.2} ms, {:.3} s of CPU per 1,000; others took {:.0} %",
        database.name(),
        side.name(),
        best.steps_per_s,
        best.p50_ms,
        best.p99_ms,
        best.cpu_s_per_1000,
        best.others * 100.0,
    );
    table.windows.push(told(side, database, customers, window.steps, &best));
    Ok(best)
}

fn told(side: &Side, database: &Database, customers: usize, steps: usize, window: &Best) -> Value {
    json!({
        "database": database.name(), "side": side.name(), "customers": customers, "steps": steps, "steps_per_s": window.steps_per_s, "p50_ms": window.p50_ms,
        "p99_ms": window.p99_ms, "cpu_s_per_1000": window.cpu_s_per_1000, "others": window.others,
    })
}

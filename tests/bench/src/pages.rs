//! Page views: people without a cookie ask for one page after the other, each on a connection of their own; beside a
//! server that holds the same answer in memory and does nothing else, and, where it is given, a former build.

use crate::Pages;
use crate::drive::{Target, apart, thread_cpu_s};
use crate::process::machine_busy_s;
use crate::side::{Program, Side};
use crate::table::{Goal, Row, Table};
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::client::conn::http1::SendRequest;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long who is about to be measured has to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn run(options: &Pages) -> Result<()> {
    let binary = options.binary.clone().map_or_else(beside, Ok)?;
    let mut product = Side::new(Program::Site(binary), database()?)?;
    product.begin()?;
    let mut former = match &options.former {
        Some(binary) => Some(Side::new(Program::Site(binary.clone()), database()?)?),
        None => None,
    };
    if let Some(former) = &mut former {
        former.begin()?;
    }
    let mut table = Table::default();
    for path in &options.path {
        let answer = first(&product.target, path).await?;
        let home = tempfile::tempdir()?;
        let file = home.path().join("page");
        std::fs::write(&file, &answer)?;
        let mut same = Side::new(Program::Answer(file), String::new())?;
        same.begin()?;
        first(&same.target, path).await?;
        if let Some(former) = &former {
            first(&former.target, path).await?;
        }
        println!("{path}: {} bytes on the wire", answer.len());
        for people in &options.connections {
            let best = |rounds: Vec<Window>| rounds.into_iter().max_by(|a, b| a.per_s.total_cmp(&b.per_s));
            let (mut ours, mut theirs, mut before) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..options.rounds {
                theirs.push(window(&same.target, path, *people, options.seconds, || same.usage().cpu_s).await?);
                ours.push(window(&product.target, path, *people, options.seconds, || product.usage().cpu_s).await?);
                if let Some(former) = &former {
                    before.push(window(&former.target, path, *people, options.seconds, || former.usage().cpu_s).await?);
                }
            }
            let (Some(ours), Some(theirs), before) = (best(ours), best(theirs), best(before)) else { continue };
            let mut add = |what: &str, of: fn(&Window) -> f64, goal: Goal| {
                let row = |side: &'static str, floor: f64| Row {
                    database: side,
                    what: format!("{path}, {people} at once: {what}"),
                    floor,
                    product: of(&ours),
                    goal,
                    others: Some(ours.others),
                };
                table.add(row("memory", of(&theirs)));
                before.as_ref().into_iter().for_each(|before| table.add(row("former", of(before))));
            };
            add("pages/s", |window| window.per_s, Goal::None);
            add("p50 ms", |window| window.p50_ms, Goal::None);
            add("p99 ms", |window| window.p99_ms, Goal::None);
            add("CPU s per 1,000", |window| window.cpu_s_per_1000, Goal::None);
        }
    }
    table.print();
    table.write(options.json.as_deref())
}

pub fn beside() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("journey"))
}

fn database() -> Result<String> {
    let folder = tempfile::tempdir()?.keep();
    Ok(format!("sqlite://{}", folder.join("pages.db").display()))
}

/// The page as it comes, compressed; asked for until it is there.
pub async fn first(target: &Target, path: &str) -> Result<Vec<u8>> {
    let (target, path) = (target.clone(), path.to_owned());
    apart(move || async move {
        let until = Instant::now() + PATIENCE;
        loop {
            match Visitor::new(&target).look(&path).await {
                Ok(page) => return Ok(page.to_vec()),
                Err(error) if Instant::now() > until => return Err(error.context(format!("{path} did not come"))),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    })
    .await?
}

struct Visitor {
    target: Target,
    sender: Option<SendRequest<Empty<Bytes>>>,
}

impl Visitor {
    fn new(target: &Target) -> Visitor {
        Visitor { target: target.clone(), sender: None }
    }

    async fn look(&mut self, path: &str) -> Result<Bytes> {
        let sender = match &mut self.sender {
            Some(sender) if !sender.is_closed() => sender,
            slot => {
                let stream = tokio::net::TcpStream::connect(&self.target.address).await?;
                stream.set_nodelay(true)?;
                let (sender, connection) =
                    hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await?;
                tokio::task::spawn_local(connection);
                slot.insert(sender)
            }
        };
        let request = Request::get(path)
            .header("host", &self.target.address)
            .header("accept", "text/html")
            .header("accept-encoding", "gzip, br");
        sender.ready().await?;
        let response = sender.send_request(request.body(Empty::new())?).await?;
        let status = response.status();
        ensure!(status.is_success(), "{path} answered {status}");
        Ok(response.into_body().collect().await?.to_bytes())
    }
}

struct Window {
    per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_s_per_1000: f64,
    others: f64,
}

/// `people` look at a page in a closed loop for `seconds`, after a short warm-up.
async fn window(target: &Target, path: &str, people: usize, seconds: f64, cpu_s: impl Fn() -> f64) -> Result<Window> {
    let (target, path) = (target.clone(), path.to_owned());
    let (cpu_before, busy_before, begun) = (cpu_s(), machine_busy_s(), Instant::now());
    let looked = apart(move || async move {
        let driver_before = thread_cpu_s();
        let warm = Duration::from_secs_f64((seconds / 4.0).min(0.5));
        let (from, until) = (begun + warm, begun + warm + Duration::from_secs_f64(seconds));
        let visitors = (0..people).map(|_| {
            let (mut visitor, path) = (Visitor::new(&target), path.clone());
            tokio::task::spawn_local(async move {
                let (mut waits, mut all) = (Vec::<u32>::new(), 0_usize);
                loop {
                    let asked = Instant::now();
                    if asked >= until {
                        break anyhow::Ok((waits, all));
                    }
                    visitor.look(&path).await?;
                    all += 1;
                    if asked >= from {
                        waits.push(asked.elapsed().as_micros() as u32);
                    }
                }
            })
        });
        let visitors: Vec<_> = visitors.collect();
        let (mut waits, mut all) = (Vec::new(), 0);
        for visitor in visitors {
            let (mine, looked) = visitor.await??;
            waits.extend(mine);
            all += looked;
        }
        waits.sort_unstable();
        anyhow::Ok((waits, all, from.elapsed().as_secs_f64(), thread_cpu_s() - driver_before))
    });
    let (waits, all, took, driver_s) = looked.await??;
    let (cpu, busy) = (cpu_s() - cpu_before, machine_busy_s() - busy_before);
    let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let at = |share: f64| {
        let place = (waits.len().max(1) - 1) as f64 * share;
        waits.get(place.round() as usize).map_or(f64::INFINITY, |us| f64::from(*us) / 1000.0)
    };
    Ok(Window {
        per_s: waits.len() as f64 / took,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        cpu_s_per_1000: cpu * 1000.0 / all.max(1) as f64,
        others: ((busy - cpu - driver_s) / (begun.elapsed().as_secs_f64() * cores)).max(0.0),
    })
}

/// Answers every request with the bytes of a file, as a page that is compressed already.
pub async fn answer(file: &Path, port: u16) -> Result<()> {
    let page = Bytes::from(std::fs::read(file)?);
    let answer = move || {
        let page = page.clone();
        async move { ([("content-type", "text/html; charset=utf-8"), ("content-encoding", "br")], page) }
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.context("the port is taken")?;
    axum::serve(listener, axum::Router::new().fallback(answer)).await?;
    Ok(())
}

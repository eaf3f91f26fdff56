//! `journey-bench offers`: how long insurers' answers take, from the question to the last recorded one, in the product
//! with the definitions that are shipped, whose sandbox insurers answer at once.
//!
//! A file of `tests/bench/offers` is a request by calls: `{title, within_ms, mobile, calls: [{post, body, id}], asks:
//! {post, body}, quotes, done: [pointer, value], offers, at_least}`. `{id}`, `{mobile}` and `{otp}` stand for what the
//! calls before it gave. The clock runs from `asks` until `quotes` says `done`.

use crate::Offers;
use crate::database::Database;
use crate::pages;
use crate::side::{Program, Side, shipped};
use crate::table::{Goal, Row, Table};
use anyhow::{Context as _, Result, bail, ensure};
use journey_tests::people::password_in;
use journey_tests::server::{Visitor, until};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    title: String,
    within_ms: f64,
    /// First digits of the numbers that ask.
    mobile: String,
    calls: Vec<Call>,
    asks: Call,
    quotes: String,
    done: (String, Value),
    /// The offers of the last answer, and how many there are at least: who measures an empty list measures nothing.
    offers: String,
    at_least: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    post: String,
    body: Value,
    /// Where its answer has the id of the request.
    id: Option<String>,
}

/// What took how long in one round.
struct Round {
    took_ms: f64,
    cpu_ms: f64,
}

pub async fn run(options: &Offers) -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut requests = Vec::new();
    for entry in std::fs::read_dir(root.join("offers"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if options.only.as_ref().is_none_or(|only| name.contains(only)) {
            let text = std::fs::read(&path)?;
            let request: Request = serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
            requests.push((name, request));
        }
    }
    requests.sort_by(|a, b| a.0.cmp(&b.0));
    let mut table = Table::default();
    let binary = options.binary.clone().map_or_else(pages::beside, Ok)?;
    for kind in &options.database {
        let database = Database::start(kind).await?;
        let mut shop =
            Side::new(Program::Shop { binary: binary.clone(), definitions: shipped() }, database.fresh().await?)?;
        shop.begin_with("/").await?;
        for (_, request) in &requests {
            measure(&shop, database.name(), request, options.rounds, &mut table).await?;
        }
        shop.stop()?;
    }
    table.print();
    table.write(options.json.as_deref())
}

async fn measure(
    shop: &Side,
    database: &'static str,
    request: &Request,
    rounds: usize,
    table: &mut Table,
) -> Result<()> {
    // The first request finds nothing read and compiled yet.
    request.ask(shop, 0).await.with_context(|| request.title.clone())?;
    let mut all = Vec::with_capacity(rounds);
    for round in 1..=rounds {
        all.push(request.ask(shop, round).await?);
    }
    all.sort_by(|a, b| a.took_ms.total_cmp(&b.took_ms));
    let middle = &all[all.len() / 2];
    let last = all.last().context("a round")?;
    for (what, value, goal) in [
        ("median ms", middle.took_ms, Goal::Within(request.within_ms)),
        ("slowest ms", last.took_ms, Goal::None),
        ("CPU ms", middle.cpu_ms, Goal::None),
    ] {
        let row = Row {
            database,
            what: format!("{}, {what}", request.title),
            floor: f64::NAN,
            product: value,
            goal,
            others: None,
        };
        eprintln!("{row}");
        table.add(row);
    }
    Ok(())
}

impl Request {
    /// One request of a new customer.
    async fn ask(&self, shop: &Side, round: usize) -> Result<Round> {
        let visitor = Visitor::at(format!("http://{}", shop.target.address));
        let mobile = format!("{}{:0width$}", self.mobile, round, width = 10 - self.mobile.len());
        let mut known = BTreeMap::from([("mobile", mobile.clone())]);
        for call in &self.calls {
            self.send(&visitor, call, &mut known).await?;
            if call.id.is_some() {
                let inbox = format!("/sandbox/inbox.json?to={mobile}");
                let otp = until("the one-time password", async || {
                    let inbox = visitor.get(&inbox).await.ok(200);
                    password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
                });
                known.insert("otp", otp.await);
            }
        }
        let (cpu_s, clock) = (shop.usage().cpu_s, Instant::now());
        self.send(&visitor, &self.asks, &mut known).await?;
        let quotes = filled(&self.quotes, &known);
        let end = clock + Duration::from_secs(60);
        let answer = loop {
            let reply = visitor.get(&quotes).await;
            ensure!(reply.status == 200, "{quotes}: {} {}", reply.status, reply.text());
            let answer = reply.json();
            if answer.pointer(&self.done.0) == Some(&self.done.1) {
                break answer;
            }
            ensure!(Instant::now() < end, "{quotes} is never done: {answer}");
        };
        let took_ms = clock.elapsed().as_secs_f64() * 1_000.0;
        let cpu_ms = (shop.usage().cpu_s - cpu_s) * 1_000.0;
        let offers = answer.pointer(&self.offers).and_then(Value::as_array).map_or(0, Vec::len);
        ensure!(offers >= self.at_least, "{} offers, not {}: {answer}", offers, self.at_least);
        Ok(Round { took_ms, cpu_ms })
    }

    async fn send(&self, visitor: &Visitor, call: &Call, known: &mut BTreeMap<&'static str, String>) -> Result<()> {
        let (path, body) = (filled(&call.post, known), filled(&call.body.to_string(), known));
        let reply = visitor.send("POST", &path, &[], Some(body)).await;
        ensure!(matches!(reply.status, 200 | 201), "{path}: {} {}", reply.status, reply.text());
        if let Some(pointer) = &call.id {
            let answer = reply.json();
            let Some(id) = answer.pointer(pointer).and_then(Value::as_str) else {
                bail!("{path} has no {pointer}: {answer}");
            };
            known.insert("id", id.to_owned());
        }
        Ok(())
    }
}

/// A text with what is known in its places.
fn filled(text: &str, known: &BTreeMap<&'static str, String>) -> String {
    known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

//! `make histories`: writes the kept databases anew. Only while the format is open: what was released once is kept.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

use anyhow::Result;
use engine_definitions::Files;
use futures::StreamExt as _;
use journey_tests::buyer::{Buyer, Errand, Next};
use journey_tests::kept::{KeptJourney, Kind, Store, town};
use journey_tests::postgres;
use journey_tests::server::TestServer;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Customers, so many, who stop at a step, or, where partners fail then, go one step further and wait for them.
struct Stop {
    errand: Errand,
    count: u64,
    step: &'static str,
    waits: bool,
}

const fn stop(errand: Errand, count: u64, step: &'static str) -> Stop {
    Stop { errand, count, step, waits: false }
}

const fn waits(errand: Errand, count: u64, step: &'static str) -> Stop {
    Stop { errand, count, step, waits: true }
}

/// Two hundred; few of them have prices of all insurers, which are most of what is stored.
const STOPS: [Stop; 14] = [
    stop(Errand::Login, 120, "login.otp.asking"),
    stop(Errand::Visit, 8, "visit.otp.asking"),
    stop(Errand::Visit, 8, "visit.address"),
    stop(Errand::Visit, 8, "visit.appointment.time"),
    stop(Errand::Visit, 16, "visit.appointment.waiting"),
    waits(Errand::Visit, 8, "visit.address"),
    waits(Errand::Visit, 4, "visit.appointment.time"),
    waits(Errand::Car, 8, ""),
    stop(Errand::Car, 8, "car.contact.asking"),
    stop(Errand::Car, 6, "car.vehicle"),
    stop(Errand::Car, 3, "car.previous"),
    waits(Errand::Car, 1, "car.previous"),
    waits(Errand::Car, 1, "car.purchase.check"),
    stop(Errand::Car, 1, "car.purchase.payment.paying"),
];

/// Customers of a stop; on PostgreSQL a quarter of them: what is stored differs in its columns, not in what it means.
fn count(kind: Kind, stop: &Stop) -> u64 {
    if kind == Kind::Sqlite { stop.count } else { stop.count.div_ceil(4) }
}

const LOOKS_MAX: usize = 2_000;

#[tokio::main]
async fn main() -> Result<()> {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let folder = tempfile::tempdir()?;
        let url = match kind {
            Kind::Sqlite => format!("sqlite:{}", folder.path().join("journey.db").display()),
            Kind::Postgres => postgres::database().await?,
        };
        let journeys = made(kind, &url).await?;
        let cluster = if kind == Kind::Postgres { Some(postgres::cluster().await?) } else { None };
        let dump = kind.dumped(&url, folder.path(), cluster).await?;
        kind.keep(Store::Steps, &dump, &journeys)?;
        println!("{kind:?}: {} journeys, {} bytes before they are packed", journeys.len(), dump.len());
    }
    Ok(())
}

/// The journeys of all stops, in a database that no process works on any more.
async fn made(kind: Kind, url: &str) -> Result<Vec<KeptJourney>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let server = TestServer::start_with(Files::read_dir(root)?, |settings| {
        town(settings);
        settings.database.url = url.to_owned();
    })
    .await;
    let stops = STOPS.iter().flat_map(|stop| (0..count(kind, stop)).map(move |_| stop)).enumerate();
    let customers = stops.map(|(number, stop)| {
        let buyer = Buyer::new(stop.errand, number as u64, TestServer::first_day(), server.visitor(), server.visitor());
        async move { arrives(buyer, stop.step).await.map(|buyer| (number as u64, stop, buyer)) }
    });
    let arrived: Vec<Result<(u64, &Stop, Buyer)>> =
        futures::stream::iter(customers).buffer_unordered(8).collect().await;
    // From now on nobody answers: who goes on waits.
    let down = json!({"partner": "*", "mode": "fail"}).to_string();
    server.visitor().send("POST", "/sandbox/switches", &[], Some(down)).await.ok(200);
    let mut journeys = Vec::new();
    for arrived in arrived {
        let (number, stop, mut buyer) = arrived?;
        if stop.waits {
            buyer.goes_on().await;
        }
        journeys.push(KeptJourney {
            id: buyer.id().to_owned(),
            errand: stop.errand,
            number,
            session: buyer.cookie(),
            step: buyer.step().to_owned(),
        });
    }
    server.product.runtime.keep_time().await?;
    server.stop().await;
    // What fake partners remember of calls that are over is not the product's, and most of the file.
    let store = engine_store::connect(url).await?;
    for bucket in ["sandbox:replies", "sandbox:tracking", "sandbox:quotes"] {
        for (key, _) in store.kv_list(bucket, 10_000).await? {
            store.kv_delete(bucket, &key).await?;
        }
    }
    Ok(journeys)
}

async fn arrives(mut buyer: Buyer, step: &str) -> Result<Buyer> {
    for _ in 0..LOOKS_MAX {
        if buyer.step() == step {
            return Ok(buyer);
        }
        match buyer.goes_on().await {
            Next::Waits => tokio::time::sleep(Duration::from_millis(20)).await,
            Next::Acted | Next::Ended => {}
        }
    }
    anyhow::bail!("`{step}` was not reached from `{}`", buyer.step())
}

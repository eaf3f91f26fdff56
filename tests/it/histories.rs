//! The kept databases: this build takes them over, every history gives the state that is stored, and the journeys go on.

use engine_definitions::Files;
use futures::StreamExt as _;
use journey_tests::buyer::{Buyer, Errand, Next, SESSION};
use journey_tests::kept::{KeptJourney, Kind, town};
use journey_tests::server::{TestServer, Visitor};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A customer in front of prices costs every insurer an answer: those who have not got there yet go so far.
const BEFORE_PRICES: [&str; 5] = ["car.lookup", "car.contact", "car.otp.asking", "car.vehicle", "car.previous"];

/// All logins stand at the same step: one of so many goes on.
const LOGINS: u64 = 10;

const LOOKS_MAX: usize = 3_000;

async fn every_history_agrees(server: &TestServer, journeys: &[KeptJourney]) {
    for journey in journeys {
        let differences = server.product.runtime.operations.replay(&journey.id).await.expect("a replay");
        assert_eq!(differences, Some(vec![]), "{journey:?}");
    }
}

/// From where it stood to its end, or to the page before the prices.
async fn goes_on(server: &Arc<TestServer>, journey: &KeptJourney) {
    let shop = Visitor::holding(server.product.url(), SESSION, &journey.session);
    let mut buyer = Buyer::new(journey.errand, journey.number, TestServer::first_day(), shop, server.visitor());
    buyer.returns(&journey.id).await;
    let early = journey.errand == Errand::Car && BEFORE_PRICES.contains(&journey.step.as_str());
    for _ in 0..LOOKS_MAX {
        if early && buyer.step() == "car.previous" {
            return;
        }
        match buyer.goes_on().await {
            Next::Ended => return,
            Next::Acted => {}
            Next::Waits => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    panic!("{journey:?} stays at `{}`", buyer.step());
}

async fn check(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, journeys) = kind.opened(folder.path()).await.expect("the kept database");
    assert_eq!(journeys.len(), if kind == Kind::Sqlite { 200 } else { 53 });
    let shipped = Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("the definitions");
    let server = TestServer::start_with(shipped, |settings| {
        town(settings);
        settings.database.url = url;
    });
    let server = Arc::new(server.await);
    every_history_agrees(&server, &journeys).await;

    // Partners answer again, and time goes on: what was pending is tried again.
    let up = serde_json::json!({"partner": "*", "mode": "normal"}).to_string();
    server.visitor().send("POST", "/sandbox/switches", &[], Some(up)).await.ok(200);
    let clock = server.clock.clone();
    let ticking = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            clock.advance(1_000);
        }
    });
    let going = journeys.iter().filter(|journey| journey.errand != Errand::Login || journey.number % LOGINS == 0);
    futures::stream::iter(going).for_each_concurrent(8, |journey| goes_on(&server, journey)).await;
    ticking.abort();
    every_history_agrees(&server, &journeys).await;
    Arc::into_inner(server).expect("nobody else has it").stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_sqlite_file_are_taken_over() {
    check(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_postgres_dump_are_taken_over() {
    check(Kind::Postgres).await;
}

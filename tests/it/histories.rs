//! The kept databases: this build takes them over, every history gives the state that is stored, and one journey of
//! each kind goes on (with `make chaos` all of them do); what was recorded under kills is finished by its customers.

use engine_definitions::Files;
use futures::StreamExt as _;
use journey_tests::chaos::{self, Kept};
use journey_tests::kept::{KeptJourney, Kind, Store, town};
use journey_tests::server::TestServer;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Over a kept database, with these definitions.
async fn taken(url: String, definitions: PathBuf) -> TestServer {
    let definitions = Files::read_dir(definitions).expect("the definitions");
    let server = TestServer::start_with(definitions, |settings| {
        town(settings);
        settings.database.url = url;
    });
    server.await
}

/// Partners answer again, and time goes on: what was pending is tried again.
async fn time_goes_on(server: &TestServer) -> tokio::task::JoinHandle<()> {
    let up = serde_json::json!({"partner": "*", "mode": "normal"}).to_string();
    server.visitor().send("POST", "/sandbox/switches", &[], Some(up)).await.ok(200);
    let clock = server.clock.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            clock.advance(1_000);
        }
    })
}

/// Asked again where work in the background moved it meanwhile.
async fn every_history_agrees(server: &TestServer, journeys: impl Iterator<Item = &String>) {
    for journey in journeys {
        let agrees = async || {
            let differences = server.product.runtime.operations.replay(journey).await.expect("a replay");
            (differences == Some(vec![])).then_some(())
        };
        server.until(&format!("the history of {journey} gives its state"), agrees).await;
    }
}

async fn steps(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, journeys) = kind.opened::<KeptJourney>(Store::Steps, folder.path()).await.expect("the kept database");
    assert_eq!(journeys.len(), if kind == Kind::Sqlite { 200 } else { 53 });
    let server = taken(url, Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).await;
    every_history_agrees(&server, journeys.iter().map(|journey| &journey.id)).await;
    let ticking = time_goes_on(&server).await;
    let url = server.product.url();
    let going = KeptJourney::of_each_kind(&journeys).into_iter();
    futures::stream::iter(going)
        .for_each_concurrent(8, |journey| async { journey.goes_on(&url).await.expect("it goes on") })
        .await;
    ticking.abort();
    every_history_agrees(&server, journeys.iter().map(|journey| &journey.id)).await;
    server.stop().await;
}

async fn crashes(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, kept) = kind.opened::<Kept>(Store::Crashes, folder.path()).await.expect("the kept database");
    let journeys: Vec<String> = kept.iter().flat_map(|kept| kept.journeys.clone()).collect();
    assert!(journeys.len() >= 200, "{} journeys", journeys.len());
    let server = taken(url, chaos::definitions()).await;
    every_history_agrees(&server, journeys.iter()).await;
    let ticking = time_goes_on(&server).await;
    let port = server.product.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    assert_eq!(chaos::finished(kept, port).await.expect("the customers"), Vec::<String>::new());
    ticking.abort();
    every_history_agrees(&server, journeys.iter()).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_sqlite_file_are_taken_over() {
    steps(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_postgres_dump_are_taken_over() {
    steps(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_that_were_killed_on_sqlite_are_finished() {
    crashes(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_that_were_killed_on_postgres_are_finished() {
    crashes(Kind::Postgres).await;
}

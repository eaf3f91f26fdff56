//! The kept databases: this build takes them over, every history gives the state that is stored, and one journey of each
//! kind goes on; with `make chaos` all of them do.

use engine_definitions::Files;
use futures::StreamExt as _;
use journey_tests::kept::{KeptJourney, Kind, town};
use journey_tests::server::TestServer;
use std::path::Path;
use std::time::Duration;

async fn every_history_agrees(server: &TestServer, journeys: &[KeptJourney]) {
    for journey in journeys {
        let differences = server.product.runtime.operations.replay(&journey.id).await.expect("a replay");
        assert_eq!(differences, Some(vec![]), "{journey:?}");
    }
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
    let server = server.await;
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
    let url = server.product.url();
    let going = KeptJourney::of_each_kind(&journeys).into_iter();
    futures::stream::iter(going)
        .for_each_concurrent(8, |journey| async { journey.goes_on(&url).await.expect("it goes on") })
        .await;
    ticking.abort();
    every_history_agrees(&server, &journeys).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_sqlite_file_are_taken_over() {
    check(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journeys_of_the_kept_postgres_dump_are_taken_over() {
    check(Kind::Postgres).await;
}

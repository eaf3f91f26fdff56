//! The short form of `make chaos`: ten kills on each database, everything that was promised is there exactly once.

use journey_tests::chaos::{Database, Options, run};

async fn check(database: Database, seed: u64) {
    let report = run(Options::short(database, seed)).await.expect("the crash test itself works");
    println!("{report}");
    assert!(report.violations.is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_kills_on_sqlite_lose_and_double_nothing() {
    check(Database::Sqlite, 4_101).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_kills_on_postgres_with_two_nodes_and_two_workers_lose_and_double_nothing() {
    check(Database::Postgres, 4_102).await;
}

//! What the shipped motor data promises beyond stories: its lists are found as people type them, its pictures are there.

use engine_definitions::Files;
use journey_tests::server::TestServer;
use serde_json::json;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

async fn shop() -> TestServer {
    TestServer::start(Files::read_dir(root()).expect("the definitions are there")).await
}

/// The first row that a search finds: R7.2-17, R7.3-06.
#[tokio::test(flavor = "multi_thread")]
async fn offices_and_insurers_are_found_as_people_type_them() {
    let server = shop().await;
    let visitor = server.visitor();
    for (list, typed, column, found) in [
        ("rto", "MH12", "rto", "MH-12"),
        ("rto", "mh-12", "rto", "MH-12"),
        ("rto", "DL3C", "rto", "DL-03"),
        ("rto", "DL-3", "rto", "DL-03"),
        ("rto", "DL-3-C", "rto", "DL-03"),
        ("rto", "Pune", "city", "Pune"),
        ("insurers", "Zuno", "slug", "edelweiss"),
        ("insurers", "Edelweiss", "slug", "edelweiss"),
        ("insurers", "Navi", "slug", "dhfl"),
    ] {
        let rows = visitor.get(&format!("/api/v1/master/{list}?q={typed}&limit=20")).await.ok(200);
        assert_eq!(rows["rows"][0][column], found, "{list} {typed}");
    }
    server.stop().await;
}

/// An event that the API names is taken at any step: R2.4-25.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_is_kept_by_the_event_save() {
    let server = shop().await;
    let visitor = server.visitor();
    let view = visitor.start("motor/car", json!({"kind": "unknown"})).await.ok(201);
    let saved = visitor.event(&view, "save", json!({"name": "Asha"})).await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    server.stop().await;
}

/// R3-38: addresses of pictures lead to pictures.
#[test]
fn pictures_of_the_master_data_are_there() {
    let public = root().join("web/public");
    for list in ["car_makes", "bike_makes", "models"] {
        let text = std::fs::read_to_string(root().join(format!("workflows/master/{list}.csv"))).expect("the list");
        let urls: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
        assert!(urls.len() >= 10 && urls.iter().all(|url| url.starts_with('/')), "{list}: {urls:?}");
        let missing: Vec<_> = urls.iter().filter(|url| !public.join(url.trim_start_matches('/')).exists()).collect();
        assert_eq!(missing, Vec::<&&str>::new(), "{list}");
    }
}

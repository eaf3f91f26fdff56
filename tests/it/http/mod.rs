//! The front door as a browser meets it, on a small neutral journey (`fixtures/parcel`).

mod journeys;
mod pages;
mod publishing;
mod refused;

use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::{Value, json};

const PARCEL: &str = "parcel/cover";

async fn parcels() -> TestServer {
    TestServer::start(fixture("parcel")).await
}

/// A journey at its second step.
async fn started(visitor: &Visitor) -> Value {
    visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await.ok(201)
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

/// The data that a page's app starts with.
pub(crate) fn boot(page: &Reply) -> Value {
    let html = page.text();
    let data = html.split_once("id=\"boot\">").and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(data.expect("boot data").0).expect("JSON")
}

/// A journey whose offers have all arrived, heard over its stream.
async fn with_offers(visitor: &Visitor) -> Value {
    let view = started(visitor).await;
    let view = visitor.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    let mut changes = visitor.stream(id(&view)).await;
    loop {
        changes.next().await.expect("the stream stays open");
        let view = visitor.view(id(&view)).await;
        let items = view["step"]["view"]["blocks"][0]["items"].as_array().expect("offers").clone();
        if items.len() == 2 && items.iter().all(|item| item["state"] == "answered") {
            return view;
        }
    }
}

/// A first page posted by a browser without scripts.
async fn post(visitor: &Visitor, path: &str, headers: &[(&str, &str)], form: &str) -> Reply {
    let mut all = vec![("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
    all.extend(headers);
    visitor.send("POST", path, &all, Some(form.to_owned())).await
}

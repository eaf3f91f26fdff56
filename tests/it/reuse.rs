//! Replies that are used again: a customer's own within the journey, everybody's where the definition says so. How long
//! a reply is waited for.

use engine_definitions::{Files, load};
use engine_settings::Settings;
use journey_tests::server::{TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};

const ASK: &str = "
id: ask
title: What does it cost?
base: /ask
timezone: Asia/Kolkata
initial: parcel
context: {parcel: {}, price: {}}
states:
  parcel: {step: {form: parcel/cover/parcel, into: parcel, path: ''}, on: {submit: pricing}}
  pricing:
    step: {wait: label.printing, path: price}
    invoke: {id: price, src: swift/price, input: {weight: context.parcel.weight}, reuse: REUSE, into: price, onDone: again, onError: parcel}
  again: {step: {form: parcel/cover/parcel, into: parcel, path: again}, on: {submit: pricing}}
";

fn asking(reuse: &str) -> Files {
    let mut files = fixture("parcel");
    files.insert("workflows/parcel/ask/flow.yaml", ASK.replace("REUSE", reuse).into_bytes());
    files
}

fn parcel() -> Value {
    json!({"weight": 2, "kind": "gift"})
}

/// The view, once the customer has a price.
async fn priced(server: &TestServer, visitor: &Visitor, view: &Value) -> Value {
    let journey = view["journey"]["id"].as_str().expect("a journey");
    let there = async || Some(visitor.view(journey).await).filter(|view| view["step"]["id"] == "ask.again");
    server.until("a price", there).await
}

/// How often the carrier is asked when each of two customers asks twice for the same parcel.
async fn asked(reuse: &str) -> usize {
    let server = TestServer::start(asking(reuse)).await;
    for _ in 0..2 {
        let visitor = server.visitor();
        let view = visitor.start("parcel/ask", parcel()).await.ok(201);
        let view = priced(&server, &visitor, &view).await;
        let view = visitor.event(&view, "submit", parcel()).await.ok(200);
        priced(&server, &visitor, &view).await;
    }
    let seen = server.visitor().get("/sandbox/calls.json?partner=swift&operation=price").await.ok(200);
    server.stop().await;
    seen["recent"].as_array().expect("calls").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_answers_of_two_customers_get_two_replies_unless_it_is_everybodys() {
    assert_eq!(asked("1h").await, 2, "each has a reply of her own, and takes it again");
    assert_eq!(asked("{for: 1h, across: journey}").await, 2);
    assert_eq!(asked("{for: 1h, across: all}").await, 1);
}

/// A price, a proposal or a payment of one customer is never another's.
#[test]
fn what_the_shipped_definitions_share_are_registers() {
    let files = all_definitions();
    let catalog = load(&files).catalog.expect("they check");
    let mut shared: Vec<&str> = catalog
        .workflows()
        .flat_map(|workflow| workflow.invokes())
        .filter(|invoke| invoke.reuse.is_some_and(|reuse| reuse.across_all))
        .filter_map(|invoke| invoke.contract.as_deref())
        .collect();
    shared.sort_unstable();
    shared.dedup();
    assert_eq!(shared, ["kyc/config", "pincode/lookup", "vehicle/lookup"]);
}

/// R7-01, R9-45; what is longer is a mistake.
#[test]
fn a_call_without_a_time_of_its_own_has_thirty_seconds() {
    let mut files = fixture("parcel");
    let path = "workflows/partners/carriers/swift/price.yaml";
    let price =
        files.iter().find(|(name, _)| *name == path).map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
    let price = price.expect("the carrier").replace("timeout: 5s\n", "");
    files.insert(path, price.into_bytes());
    let catalog = load(&files).catalog.expect("they check");
    assert_eq!(catalog.operation("swift", "price").map(|operation| operation.timeout_ms), Some(30_000));
    assert_eq!(Settings::default().partners.timeout_ms_max, 30_000);
}

//! What a product does that begins anew: from a backup, or with a clock that was set back.

use engine_definitions::Files;
use engine_runtime::{Actor, Clock};
use engine_settings::Settings;
use engine_store::{ClaimRequest, EffectFilter};
use journey_tests::server::{TestServer, Visitor, fixture, until};
use serde_json::{Value, json};
use sqlx::Connection;
use std::path::Path;

const TRIP: &str = "
id: trip
title: A trip
base: /trip
timezone: Asia/Kolkata
ttl: 10d
initial: begin
context: {sender: {}, parcel: {}, price: {}}
states:
  begin: {step: {form: parcel/cover/sender, into: sender, path: ''}, on: {submit: weigh}}
  weigh: {step: {form: parcel/cover/parcel, into: parcel, path: weigh}, on: {submit: pricing}}
  pricing:
    step: {wait: label.printing, path: pricing}
    invoke: {id: price, src: swift/price, input: {weight: context.parcel.weight}, into: price, onDone: priced, onError: failed}
  priced: {step: {wait: label.printing, path: priced}, after: {1h: over}}
  failed: {type: final}
  over: {type: final, step: {wait: label.printing, path: over}}
";

fn trip() -> Files {
    let mut files = fixture("parcel");
    files.insert("workflows/parcel/trip/flow.yaml", TRIP.as_bytes());
    files
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

/// A product on a file that outlives it.
async fn shop(folder: &Path, change: impl FnOnce(&mut Settings)) -> TestServer {
    let url = format!("sqlite:{}", folder.join("shop.db").display());
    TestServer::start_with(trip(), |settings| {
        settings.database.url = url;
        change(settings);
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_no_key_means_something_else_and_nothing_is_sent_unasked() {
    // the carriers have a ledger of their own, which no backup of ours turns back
    let carriers = TestServer::start(trip()).await;
    let sandbox = format!("{}/sandbox", carriers.product.url());
    let (live, backup) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let open = async |folder: &Path| shop(folder, |settings| settings.sandbox.url = Some(sandbox.clone())).await;
    let priced = async |server: &TestServer, visitor: &Visitor, journey: &str| {
        let there = async || visitor.view(journey).await["step"]["id"].as_str()?.ends_with("priced").then_some(());
        until("a price", there).await;
        let record = server.store().await.journey(journey).await.expect("a read").expect("a journey");
        serde_json::from_str::<Value>(&record.state).expect("JSON")["snapshot"]["context"]["price"]["price"].clone()
    };
    let weighs = async |visitor: &Visitor, journey: &str, weight: i64| {
        let view = visitor.view(journey).await;
        visitor.event(&view, "submit", json!({"weight": weight, "kind": "gift"})).await.ok(200);
    };

    let server = open(live.path()).await;
    let visitor = server.visitor();
    let view = visitor.start("parcel/trip", json!({"name": "Asha Rao"})).await.ok(201);
    let journey = id(&view).to_owned();
    let kept = backup.path().join("shop.db");
    let mut beside =
        sqlx::SqliteConnection::connect(live.path().join("shop.db").to_str().expect("a path")).await.expect("it opens");
    sqlx::query("vacuum into $1").bind(kept.to_str()).execute(&mut beside).await.expect("a backup");
    weighs(&visitor, &journey, 2).await;
    assert_eq!(priced(&server, &visitor, &journey).await, json!(10_000));
    server.stop().await;

    // the disk is gone, the backup is back: two kilograms are forgotten here, and not there
    let store = engine_store::connect(&format!("sqlite:{}", kept.display())).await.expect("it opens");
    store.migrate().await.expect("it is up to date");
    assert_eq!(store.begin_epoch(0).await.expect("a new epoch"), 1);
    drop(store);
    let server = open(backup.path()).await;
    let visitor = visitor.moved(server.product.url());
    weighs(&visitor, &journey, 5).await;
    let body = json!({"id": "w1", "kind": "delivered", "label": "L-1"}).to_string();
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let signed = [("x-swift-signature", signature.as_str())];
    let hook = visitor.send("POST", "/api/v1/webhooks/swift/delivered", &signed, Some(body)).await;
    assert_eq!(hook.status, 200, "what comes in is taken");
    let calls = async || {
        let seen = carriers.visitor().get("/sandbox/calls.json?partner=swift&operation=price").await.ok(200);
        let calls = seen["recent"].as_array().expect("calls").iter();
        let mut keys: Vec<String> = calls.map(|call| call["key"].as_str().expect("a key").to_owned()).collect();
        keys.sort();
        keys
    };
    let store = server.store().await;
    assert!(store.sends_held().await.expect("a read"));
    let now_ms = server.clock.now_ms();
    let look = ClaimRequest { worker: "eager".into(), now_ms, lease_ms: 1_000, limit: 10 };
    assert_eq!(store.claim_effects(look).await.expect("a look"), [], "a worker that looks for work finds none");
    let waits = store.effects(EffectFilter { journey: Some(journey.clone()), ..EffectFilter::default() }).await;
    let waits = waits.expect("effects");
    assert_eq!(waits.iter().map(|e| (e.fence, e.epoch)).collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(calls().await, [format!("{journey}.3.0")], "nothing was sent");
    let asha = Actor::operator("asha");
    assert!(server.product.runtime.operations.release_sends(&asha).await.expect("released"));
    assert!(!server.product.runtime.operations.release_sends(&asha).await.expect("asked again"));
    assert_eq!(priced(&server, &visitor, &journey).await, json!(25_000), "the price of five kilograms");
    assert_eq!(calls().await, [format!("{journey}.3.0"), format!("{journey}.3.0.1")]);
    assert_eq!(server.product.runtime.operations.replay(&journey).await.expect("a replay"), Some(vec![]));
    server.stop().await;
    carriers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_no_longer_when_the_clock_was_set_back_meanwhile() {
    const HOUR_MS: i64 = 3_600_000;
    let folder = tempfile::tempdir().expect("a folder");
    let server = shop(folder.path(), |_| {}).await;
    let first_ms = server.clock.now_ms();
    server.clock.advance(HOUR_MS);
    let visitor = server.visitor();
    let view = visitor.start("parcel/trip", json!({"name": "Asha Rao"})).await.ok(201);
    let view = visitor.event(&view, "submit", json!({"weight": 2, "kind": "gift"})).await.ok(200);
    let at = async |visitor: &Visitor, step: &str| {
        let there = async || visitor.view(id(&view)).await["step"]["id"].as_str()?.ends_with(step).then_some(());
        until(step, there).await;
    };
    at(&visitor, "priced").await;
    server.product.runtime.keep_time().await.expect("kept");
    server.stop().await;
    // the next process begins with a clock that says an hour less
    let server = shop(folder.path(), |_| {}).await;
    let visitor = visitor.moved(server.product.url());
    assert_eq!(server.clock.now_ms(), first_ms + HOUR_MS, "it goes on from where the last one was");
    server.clock.advance(HOUR_MS);
    at(&visitor, "over").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_newer_program_published_is_not_guessed_at() {
    let folder = tempfile::tempdir().expect("a folder");
    shop(folder.path(), |_| {}).await.stop().await;
    let file = folder.path().join("shop.db");
    let mut beside = sqlx::SqliteConnection::connect(file.to_str().expect("a path")).await.expect("it opens");
    let formats: Vec<i32> =
        sqlx::query_scalar("select distinct format from versions").fetch_all(&mut beside).await.expect("formats");
    assert_eq!(formats, [engine_definitions::FORMAT]);
    sqlx::query("update versions set format = format + 1").execute(&mut beside).await.expect("a newer program");
    let settings = Settings {
        database: engine_settings::Database { url: format!("sqlite:{}", file.display()) },
        keys: engine_settings::Keys {
            master: Some(engine_settings::Secret::new("5a".repeat(32))),
            ..Default::default()
        },
        ..Settings::default()
    };
    let store = engine_store::connect(&settings.database.url).await.expect("it opens");
    let clock = std::sync::Arc::new(engine_runtime::SystemClock::default());
    let runtime = engine_runtime::Runtime::new(store, settings.into(), clock).await.expect("a runtime");
    let refused = runtime.publishing.load_current().await.expect_err("it is newer").to_string();
    assert!(refused.contains("format 2; this program reads up to 1"), "{refused}");
}

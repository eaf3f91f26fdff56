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

/// A shop with a backup from the time before its customer said how heavy her parcel is, and its carriers, who have a
/// ledger of their own: no backup of ours turns that back.
struct Restored {
    carriers: TestServer,
    /// Of the lost shop and of its backup.
    folders: (tempfile::TempDir, tempfile::TempDir),
    server: TestServer,
    visitor: Visitor,
    journey: String,
}

impl Restored {
    /// The disk is gone, the backup is back: two kilograms are forgotten here, and not there.
    async fn shop() -> Restored {
        let carriers = TestServer::start(trip()).await;
        let folders = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let server = Restored::open(&carriers, folders.0.path()).await;
        let visitor = server.visitor();
        let view = visitor.start("parcel/trip", json!({"name": "Asha Rao"})).await.ok(201);
        back_up(folders.0.path(), folders.1.path()).await;
        let mut shop = Restored { carriers, folders, server, visitor, journey: id(&view).to_owned() };
        shop.weighs(2).await;
        assert_eq!(shop.priced().await, json!(10_000));

        begin_epoch(shop.folders.1.path()).await;
        let restored = Restored::open(&shop.carriers, shop.folders.1.path()).await;
        std::mem::replace(&mut shop.server, restored).stop().await;
        shop.visitor = shop.visitor.moved(shop.server.product.url());
        shop
    }

    async fn open(carriers: &TestServer, folder: &Path) -> TestServer {
        let sandbox = format!("{}/sandbox", carriers.product.url());
        shop(folder, |settings| settings.sandbox.url = Some(sandbox)).await
    }

    async fn weighs(&self, weight: i64) {
        let view = self.visitor.view(&self.journey).await;
        self.visitor.event(&view, "submit", json!({"weight": weight, "kind": "gift"})).await.ok(200);
    }

    /// What the carrier asks, once it has answered.
    async fn priced(&self) -> Value {
        let step = async || self.visitor.view(&self.journey).await["step"]["id"].as_str().map(str::to_owned);
        until("a price", async || step().await?.ends_with("priced").then_some(())).await;
        let record = self.server.store().await.journey(&self.journey).await.expect("a read").expect("a journey");
        let state: Value = serde_json::from_str(&record.state).expect("JSON");
        state["snapshot"]["context"]["price"]["price"].clone()
    }

    /// Keys of the calls that the carriers have seen.
    async fn calls(&self) -> Vec<String> {
        let seen = self.carriers.visitor().get("/sandbox/calls.json?partner=swift&operation=price").await.ok(200);
        let calls = seen["recent"].as_array().expect("calls").iter();
        let mut keys: Vec<String> = calls.map(|call| call["key"].as_str().expect("a key").to_owned()).collect();
        keys.sort();
        keys
    }

    async fn sends_nothing(&self) {
        let store = self.server.store().await;
        assert!(store.sends_held().await.expect("a read"));
        let now_ms = self.server.clock.now_ms();
        let look = ClaimRequest { worker: "eager".into(), now_ms, lease_ms: 1_000, limit: 10 };
        assert_eq!(store.claim_effects(look).await.expect("a look"), [], "a worker that looks for work finds none");
        let ours = EffectFilter { journey: Some(self.journey.clone()), ..EffectFilter::default() };
        let waits = store.effects(ours).await.expect("effects");
        assert_eq!(waits.iter().map(|e| (e.fence, e.epoch)).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(self.calls().await, [format!("{}.3.0", self.journey)], "nothing was sent");
    }

    async fn stop(self) {
        self.server.stop().await;
        self.carriers.stop().await;
    }
}

async fn back_up(live: &Path, backup: &Path) {
    let (live, kept) = (live.join("shop.db"), backup.join("shop.db"));
    let mut beside = sqlx::SqliteConnection::connect(live.to_str().expect("a path")).await.expect("it opens");
    sqlx::query("vacuum into $1").bind(kept.to_str()).execute(&mut beside).await.expect("a backup");
}

async fn begin_epoch(folder: &Path) {
    let store = engine_store::connect(&format!("sqlite:{}", folder.join("shop.db").display())).await.expect("it opens");
    store.migrate().await.expect("it is up to date");
    assert_eq!(store.begin_epoch(0).await.expect("a new epoch"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_no_key_means_something_else_and_nothing_is_sent_unasked() {
    let shop = Restored::shop().await;
    shop.weighs(5).await;
    let body = json!({"id": "w1", "kind": "delivered", "label": "L-1"}).to_string();
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let signed = [("x-swift-signature", signature.as_str())];
    let hook = shop.visitor.send("POST", "/api/v1/webhooks/swift/delivered", &signed, Some(body)).await;
    assert_eq!(hook.status, 200, "what comes in is taken");
    shop.sends_nothing().await;

    let (operations, asha) = (&shop.server.product.runtime.operations, Actor::operator("asha"));
    assert!(operations.release_sends(&asha).await.expect("released"));
    assert!(!operations.release_sends(&asha).await.expect("asked again"));
    assert_eq!(shop.priced().await, json!(25_000), "the price of five kilograms");
    assert_eq!(shop.calls().await, [format!("{}.3.0", shop.journey), format!("{}.3.0.1", shop.journey)]);
    assert_eq!(operations.replay(&shop.journey).await.expect("a replay"), Some(vec![]));
    shop.stop().await;
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

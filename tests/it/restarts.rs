//! What a product does that begins anew: from a backup, or with a clock that was set back.

use engine_definitions::Files;
use engine_runtime::{Actor, Clock};
use engine_settings::Settings;
use engine_store::{ClaimRequest, EffectFilter, EffectState, Spent};
use journey_tests::server::{TestServer, Visitor, fixture, until};
use serde_json::{Value, json};
use sqlx::Connection;
use std::collections::HashSet;
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

/// A shop with a backup from the time before its customer said how heavy the parcel is, and its carriers, who have a
/// ledger of their own: no backup of ours turns that back.
struct Restored {
    carriers: TestServer,
    /// Folders of the lost shop and of its backup.
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
        let look =
            ClaimRequest { worker: "eager".into(), now_ms, lease_ms: 1_000, limit: 10, ..ClaimRequest::default() };
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

/// A trip whose price was asked for, and each worker that claimed the call died: before its attempt began, or after.
async fn orphaned(folder: &Path, begins: bool) -> (Visitor, String) {
    let server = shop(folder, |settings| settings.worker.stop_ms = 0).await;
    let visitor = server.visitor();
    let mode = json!({"partner": "swift", "operation": "price", "mode": "hang"}).to_string();
    assert_eq!(visitor.send("POST", "/sandbox/switches", &[], Some(mode)).await.status, 200);
    let view = visitor.start("parcel/trip", json!({"name": "Asha Rao"})).await.ok(201);
    visitor.event(&view, "submit", json!({"weight": 2, "kind": "gift"})).await.ok(200);
    let mut now_ms = server.clock.now_ms();
    server.stop().await;

    let store = engine_store::connect(&format!("sqlite:{}", folder.join("shop.db").display())).await.expect("it opens");
    let expected = if begins { Spent::Attempts } else { Spent::Claims };
    loop {
        now_ms += 60_000;
        let dies = ClaimRequest { worker: "dies".into(), now_ms, lease_ms: 1_000, limit: 1, ..ClaimRequest::default() };
        let claimed = store.claim_effects(dies).await.expect("claimed").remove(0);
        match claimed.spent() {
            Some(spent) => break assert_eq!(spent, expected),
            None if begins => {
                let begun = store.begin_effects(vec![(claimed.key.clone(), claimed.fence)]).await.expect("begun");
                assert_eq!(begun, [true]);
            }
            None => {}
        }
    }
    (visitor, id(&view).to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_workers_died_fails_for_its_journey_at_once() {
    for (begins, code) in [(true, "attempts"), (false, "claims")] {
        let folder = tempfile::tempdir().expect("a folder");
        let (visitor, journey) = orphaned(folder.path(), begins).await;
        let server = shop(folder.path(), |_| {}).await;
        let visitor = visitor.moved(server.product.url());
        let failed = async || (visitor.view(&journey).await["journey"]["status"] != "active").then_some(());
        until("its `onError`", failed).await;
        let store = server.store().await;
        let effects = store.effects(EffectFilter { journey: Some(journey.clone()), ..EffectFilter::default() }).await;
        let ends: Vec<_> = effects.expect("effects").into_iter().map(|e| (e.state, e.outcome)).collect();
        assert_eq!(ends, [(EffectState::Done, Some(json!({"ok": false, "code": code})))], "nobody waits for it");
        let ended = store.events(&journey, 0, 100).await.expect("events");
        assert_eq!(ended.iter().filter(|event| event.kind == "call_ended").count(), 1);
        assert_eq!(server.product.runtime.operations.replay(&journey).await.expect("a replay"), Some(vec![]));
        let incidents = store.incidents_of(&journey, 9).await.expect("incidents");
        assert_eq!(incidents.len(), usize::from(!begins), "what ends its workers is an operator's matter");
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_of_nobody_is_an_incident_that_ends_when_its_journey_comes() {
    const SOON_MS: i64 = 120_000;
    // the product's own looks find nothing, these do
    let server = TestServer::start_with(trip(), |settings| settings.worker.unknown_ms = i64::MAX / 2).await;
    let work = &server.product.runtime.work;
    let mut known = HashSet::new();
    let body = json!({"id": "w1", "kind": "delivered", "label": "L-1"}).to_string();
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let signed = [("x-swift-signature", signature.as_str())];
    let visitor = server.visitor();
    assert_eq!(visitor.send("POST", "/api/v1/webhooks/swift/delivered", &signed, Some(body)).await.status, 200);
    assert_eq!(work.report_unknown(SOON_MS, &mut known).await.expect("a look"), 0, "its journey may come yet");
    server.clock.advance(SOON_MS + 1);
    assert_eq!(work.report_unknown(SOON_MS, &mut HashSet::new()).await.expect("a look"), 1);
    assert_eq!(work.report_unknown(SOON_MS, &mut HashSet::new()).await.expect("another node"), 0, "once");
    let (operations, asha) = (&server.product.runtime.operations, Actor::operator("asha"));
    let open = operations.incidents(&asha, true, 9).await.expect("incidents");
    let shown: Vec<_> = open.iter().map(|i| (i.place.as_str(), i.journey.as_str(), i.reason.as_str())).collect();
    let reason = "nobody here knows `L-1` of the event parcel.delivered: ask Swift what came of it";
    assert_eq!(shown, [("swift", "", reason)]);
    let page = visitor.get("/metrics").await.text();
    assert!(page.contains("journey_incidents_open 1"), "{page}");

    let view = visitor.start("parcel/trip", json!({"name": "Asha Rao"})).await.ok(201);
    let store = server.store().await;
    let record = store.journey(id(&view)).await.expect("a read").expect("a journey");
    let known_now = engine_store::CorrelationRecord {
        partner: "swift".into(),
        reference: "L-1".into(),
        journey: record.id.clone(),
        expected: json!({}),
    };
    let mut commit = engine_store::Commit::on(&record);
    commit.correlations = vec![known_now];
    store.commit(Box::new(commit)).await.expect("a commit");
    let closed = async || {
        operations.incidents(&asha, false, 9).await.ok()?.iter().find(|i| i.place == "swift")?.closed_by.clone()
    };
    until("its journey", closed).await;
    let taken = store.incidents_of(id(&view), 9).await.expect("incidents");
    let taken: Vec<_> = taken.iter().map(|incident| incident.reason.as_str()).collect();
    assert_eq!(taken, ["an event that nothing takes"], "and a journey at an earlier step says so");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_another_node_delivers_during_the_look_leaves_no_open_incident() {
    let server = TestServer::start_with(trip(), |settings| settings.worker.unknown_ms = i64::MAX / 2).await;
    let body = json!({"id": "w1", "kind": "delivered", "label": "L-1"}).to_string();
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let signed = [("x-swift-signature", signature.as_str())];
    assert_eq!(
        server.visitor().send("POST", "/api/v1/webhooks/swift/delivered", &signed, Some(body)).await.status,
        200
    );
    // the other node has delivered it, and closed nothing, as soon as this one writes the incident
    let delivered = "create trigger delivered before insert on incidents begin update webhooks set state = 1; end";
    let mut database = sqlx::SqliteConnection::connect(server.database()).await.expect("the database");
    sqlx::query(delivered).execute(&mut database).await.expect("a trigger");
    let look = server.product.runtime.work.report_unknown(0, &mut HashSet::new()).await;
    assert_eq!(look.expect("a look"), 1);
    let incidents = server.product.runtime.operations.incidents(&Actor::operator("asha"), true, 9).await;
    assert_eq!(incidents.expect("incidents"), [], "nobody has to look for what has found its journey");
    server.stop().await;
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

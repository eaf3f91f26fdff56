//! What a person sends: repeated without a cookie, saved before it is an answer, and never kept in clear.

use engine_definitions::Files;
use engine_store::EffectFilter;
use journey_tests::server::{TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};

const PARCEL: &str = "parcel/cover";
const RANDOM: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_start_is_repeated_without_its_cookie() {
    let server = TestServer::start(fixture("parcel")).await;
    let body = |weight: i64| json!({"workflow": PARCEL, "data": {"weight": weight, "kind": "gift"}}).to_string();
    let start = async |visitor: &Visitor, key: &str, weight: i64| {
        visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", key)], Some(body(weight))).await
    };
    // the answer is lost, and with it the cookie
    let first = start(&server.visitor(), RANDOM, 2).await.ok(201);
    let again = server.visitor();
    let reply = start(&again, RANDOM, 2).await;
    assert_eq!((reply.header("idempotent-replayed"), id(&reply.ok(200))), ("true", id(&first)));
    let sender = again.event(&again.view(id(&first)).await, "submit", json!({"name": "Asha Rao"})).await;
    assert_eq!(sender.status, 200, "the journey is theirs");
    let other = start(&server.visitor(), RANDOM, 3).await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
    // a key that two programs may choose is no secret
    let (one, two) = (start(&server.visitor(), "key-1", 2).await.ok(201), start(&server.visitor(), "key-1", 2).await);
    assert_ne!(id(&one), id(&two.ok(201)));
    let zeros = "0".repeat(32);
    let (one, two) = (start(&server.visitor(), &zeros, 2).await.ok(201), start(&server.visitor(), &zeros, 2).await);
    assert_ne!(id(&one), id(&two.ok(201)));
    // nor is a random one a right for ever
    server.clock.advance(3_600_000);
    let late = start(&server.visitor(), RANDOM, 2).await;
    assert_eq!((late.status, late.code().as_str()), (422, "key_reused"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_saved_is_shown_again_and_is_no_answer() {
    let server = TestServer::start(fixture("parcel")).await;
    let visitor = server.visitor();
    let view = visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let body = json!({"type": "save", "data": {"name": "A", "other": 1}, "revision": view["journey"]["revision"]});
    let address = format!("/api/v1/journeys/{}/events", id(&view));
    for replayed in ["false", "true"] {
        let saved = visitor.send("POST", &address, &[("idempotency-key", "s")], Some(body.to_string())).await;
        assert_eq!((saved.status, saved.header("idempotent-replayed")), (200, replayed), "{}", saved.text());
        let shown = saved.json();
        assert_eq!(shown["journey"]["revision"], view["journey"]["revision"], "nothing moved under the finger");
        assert_eq!(shown["step"]["form"]["data"], json!({"name": "A"}));
    }
    assert_eq!(server.product.runtime.operations.replay(id(&view)).await.expect("a replay"), Some(vec![]));
    // a start may be no more than that
    let body = json!({"workflow": PARCEL, "type": "save", "data": {"weight": 7}}).to_string();
    let begun = visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", "t")], Some(body)).await.ok(201);
    assert_eq!(visitor.view(id(&begun)).await["step"]["form"]["data"], json!({"weight": 7}));
    server.stop().await;
}

const SAFE: &str = "
id: safe
title: The safe
base: /safe
timezone: Asia/Kolkata
ttl: 1d
initial: word
context: {member: {}}
states:
  word:
    step: {form: number, into: member, path: ''}
    on: {submit: {target: open, actions: {assign: {member: \"{'name': int(context.member.name)}\"}}}}
  open: {type: final}
";
const FORM: &str = r#"{"title": "Your number", "required": ["name", "number"], "properties": {
  "name": {"type": "string", "title": "Name", "maxLength": 60},
  "number": {"type": "string", "title": "Number", "pattern": "^[0-9]{12}$", "maxLength": 12, "x-secret": true}}}"#;

fn safe() -> Files {
    let mut files = fixture("club");
    files.insert("workflows/club/safe/flow.yaml", SAFE.as_bytes());
    files.insert("forms/club/safe/number.json", FORM.as_bytes());
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_sealed_also_where_the_definition_fails() {
    const NUMBER: &str = "498712345678";
    let server = TestServer::start(safe()).await;
    let visitor = server.visitor();
    let body = json!({"workflow": "club/safe", "type": "save", "data": {"number": NUMBER}}).to_string();
    let view = visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", "s")], Some(body)).await.ok(201);
    let broken = visitor.event(&view, "submit", json!({"name": "Asha", "number": NUMBER})).await;
    assert_eq!((broken.status, broken.code().as_str()), (500, "broken"));
    assert!(!broken.text().contains(NUMBER));
    let shown = visitor.view(id(&view)).await;
    assert_eq!(shown["step"]["form"]["data"], json!({"name": "Asha"}), "what may be kept is kept");
    let store = server.store().await;
    let record = store.journey(id(&view)).await.expect("a read").expect("a journey");
    let kept = format!(
        "{record:?} {:?} {:?} {:?}",
        store.events(id(&view), 0, 100).await.expect("events"),
        store
            .effects(EffectFilter { journey: Some(id(&view).into()), ..EffectFilter::default() })
            .await
            .expect("effects"),
        store.incidents(false, 100).await.expect("incidents"),
    );
    assert!(!kept.contains(NUMBER), "{kept}");
    server.stop().await;
}

/// R9-39: who comes back within 45 days for health and 90 for life goes on, later they begin anew. What was handed in
/// stays for as long as the insurer may take.
#[tokio::test(flavor = "multi_thread")]
async fn a_visit_is_gone_on_with_within_its_days() {
    const DAY_MS: i64 = 86_400_000;
    let files = all_definitions();
    let server = TestServer::start_with(files, |settings| settings.session.ttl_ms = 90 * DAY_MS).await;
    for (workflow, days) in [("health/retail", 45), ("life/term", 90)] {
        let visitor = server.visitor();
        let body = json!({"workflow": workflow, "type": "save", "data": {}}).to_string();
        let begun =
            visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", workflow)], Some(body)).await.ok(201);
        server.clock.advance(days * DAY_MS - 60_000);
        let path = format!("/api/v1/journeys/{}", id(&begun));
        assert_eq!(visitor.get(&path).await.ok(200)["journey"]["status"], "active", "{workflow}");
        server.clock.advance(120_000);
        let late = visitor.get(&path).await;
        assert_eq!((late.status, late.code().as_str()), (410, "expired"), "{workflow}: {}", late.text());
    }
    server.stop().await;
}

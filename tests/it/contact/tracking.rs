//! Tracked steps: in order per journey, never in anybody's way, and where a partner may lead a browser.

use super::*;
use journey_tests::server::all_definitions;
use std::time::{Duration, Instant};

/// Effect keys as (journey, seq, index).
fn parts(key: &str) -> (String, i64, i32) {
    let mut parts = key.split('.');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    (next(), next().parse().expect("seq"), next().parse().expect("index"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn steps_are_told_in_order_by_many_workers() {
    in_order(None).await;
    in_order(Some(journey_tests::postgres::database().await.expect("a database"))).await;
}

/// Steps in order, on a database of their own; by default a SQLite file.
async fn in_order(database: Option<String>) {
    let server = club(|settings| {
        if let Some(url) = database {
            settings.database.url = url;
        }
    })
    .await;
    // more workers than one, over the same store
    let partners =
        std::sync::Arc::new(engine_partners::Partners::new(server.product.settings.clone(), None).expect("partners"));
    let mut workers = Vec::new();
    for _ in 0..3 {
        let context = worker::Context { runtime: server.product.runtime.clone(), partners: partners.clone() };
        workers.push(tokio::spawn(worker::run(context, std::future::pending())));
    }
    let visitors: Vec<Visitor> = (0..8).map(|_| server.visitor()).collect();
    let journeys = futures::future::join_all(visitors.iter().map(async |visitor| {
        let view = to_the_end(visitor, member(visitor, "Asha", json!({})).await).await;
        id(&view).to_owned()
    }))
    .await;
    let keys = server
        .until("all steps", async || {
            // a call that a busy machine made late is tried again
            server.clock.advance(5);
            // a repeated call counts where it came first
            let mut seen = std::collections::BTreeSet::new();
            let keys: Vec<String> = calls(&visitors[0], "scribe", "step")
                .await
                .into_iter()
                .map(|(key, _)| key)
                .filter(|key| seen.insert(key.clone()))
                .collect();
            (keys.len() >= journeys.len() * 6).then_some(keys)
        })
        .await;
    for journey in &journeys {
        let mine: Vec<(i64, i32)> = keys
            .iter()
            .map(|key| parts(key))
            .filter(|(j, ..)| j == journey)
            .map(|(_, seq, index)| (seq, index))
            .collect();
        let mut sorted = mine.clone();
        sorted.sort();
        assert_eq!(mine, sorted, "the order of {journey}");
        assert_eq!(mine.len(), 6, "one per change of step, and the action of its own");
    }
    let steps = effects(&server, &journeys[0]).await;
    let told: Vec<&str> = ["one", "two", "three", "halfway", "four", "joined"]
        .into_iter()
        .filter(|step| steps.contains_key(*step))
        .collect();
    assert_eq!(told, ["one", "two", "three", "halfway", "four", "joined"]);
    assert_eq!(steps["halfway"].payload["input"]["data"], json!({"words": 2}));
    workers.iter().for_each(|worker| worker.abort());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracking_partner_that_hangs_holds_nobody_up() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    switch(&visitor, "scribe", "hang").await;
    let began = Instant::now();
    let view = to_the_end(&visitor, member(&visitor, "Asha", json!({})).await).await;
    assert_eq!(view["step"]["id"], "join.joined");
    assert!(began.elapsed() < Duration::from_millis(4_900), "{:?}", began.elapsed());
    ended(&server, id(&view), "welcome", EffectState::Done).await;
    assert_ne!(effects(&server, id(&view)).await["one"].state, EffectState::Done);

    // it refuses for good: each is given up, and then the next is told
    switch(&visitor, "scribe", "fail").await;
    let view = to_the_end(&visitor, member(&visitor, "Ravi", json!({})).await).await;
    server
        .until_worked("giving up", async || {
            effects(&server, id(&view))
                .await
                .values()
                .filter(|e| e.kind == "track")
                .all(|e| e.state == EffectState::Parked)
                .then_some(())
        })
        .await;
    server.stop().await;
}

/// The view's way on after the first step of a member by this name was tracked.
async fn led(server: &TestServer, name: &str) -> Value {
    let visitor = server.visitor();
    let view = member(&visitor, name, json!({})).await;
    let mut changes = visitor.stream(id(&view)).await;
    ended(server, id(&view), "one", EffectState::Done).await;
    let now = visitor.view(id(&view)).await;
    if now["leave"].is_object() {
        // news came by the stream, too, without making a click stale
        changes.next().await.expect("news");
        assert_eq!(now["journey"]["revision"], view["journey"]["revision"]);
    }
    let next = visitor.event(&now, "submit", json!({})).await.ok(200);
    assert_eq!(next["leave"], Value::Null, "the step was left");
    now["leave"]["url"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_addresses_of_ours_and_allowed_hosts_are_followed() {
    let server = club(|settings| settings.tracking.redirect_hosts = vec!["partner.example".into()]).await;
    // R7.2-07, R8-10
    assert_eq!(led(&server, "Ours").await, "/help?x=1");
    assert_eq!(led(&server, "Partner").await, "https://partner.example/offer");
    for name in ["Foreign", "Sneaky", "Public", "Asha"] {
        assert_eq!(led(&server, name).await, Value::Null, "{name}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_went_on_is_not_led_away_and_replay_agrees() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    let slow = json!({"partner": "scribe", "mode": "slow", "delay_ms": 4_000}).to_string();
    assert!(visitor.send("POST", "/sandbox/switches", &[], Some(slow)).await.status < 400);
    let view = member(&visitor, "Ours", json!({})).await;
    let ended_at = |name: &'static str| ended(&server, id(&view), name, EffectState::Done);
    // the visitor has gone on before the answer to `one` comes
    let next = visitor.event(&view, "submit", json!({})).await.ok(200);
    switch(&visitor, "scribe", "normal").await;
    ended_at("two").await;
    assert_eq!(visitor.view(id(&view)).await["leave"], Value::Null);
    assert_eq!(next["step"]["id"], "join.two");
    let history = server.product.runtime.store().events(id(&view), 0, 100).await.expect("events");
    assert!(history.iter().all(|event| event.kind != "led_away"));
    // one who stays is led, and the history gives the same state again
    let other = member(&visitor, "Ours", json!({})).await;
    ended(&server, id(&other), "one", EffectState::Done).await;
    assert!(visitor.view(id(&other)).await["leave"].is_object());
    for view in [&view, &other] {
        assert_eq!(server.product.runtime.operations.replay(id(view)).await.expect("replayed"), Some(Vec::new()));
    }
    server.stop().await;
}

/// What is told of every step.
const KEYS: &str = "step visit_id lead_id partial_lead_id product business medium source sub_source user_platform \
    user_device platform device _aid _uid utm_source utm_medium utm_campaign utm_term utm_content city connectoid session_id";

/// What was told of this step, once it was.
async fn told(server: &TestServer, step: &str) -> Value {
    let found = async || {
        let told = server.product.memory.list("tracking", 100).await.expect("memory");
        told.into_iter().map(|(_, value)| value["body"].clone()).find(|body| body["step"] == step)
    };
    server.until(step, found).await
}

/// What was told of this step of a product, once it was.
async fn told_of(server: &TestServer, step: &str, product: &str) -> Value {
    let found = async || {
        let told = server.product.memory.list("tracking", 100).await.expect("memory");
        let mut told = told.into_iter().map(|(_, value)| value["body"].clone());
        told.find(|body| body["step"] == step && body["product"] == product)
    };
    server.until(step, found).await
}

/// R3-77, R7.2-06, R7.2-08, R7.2-20: of a health journey each step is told with all keys, and that somebody is there.
async fn is_tracked_at_home(server: &TestServer) {
    let visitor = server.visitor();
    visitor.get("/health-insurance?utm_source=mail&connectoid=c7").await;
    let data = json!({"name": "Asha Rao", "mobile": "9812345671", "pincode": "560001", "consent": true});
    let begun = visitor.start("health/advisor-at-home", data).await.ok(201);
    let step = told_of(server, "visit_form", "health").await;
    for key in KEYS.split_whitespace() {
        assert!(step.get(key).is_some(), "{key}: {step}");
    }
    assert_eq!((&step["lead_id"], &step["utm_source"]), (&begun["journey"]["id"], &json!("mail")));
    assert_eq!((&step["connectoid"], step["session_id"].as_str().map(str::len)), (&json!("c7"), Some(32)));
    // The step that is changed to tells the city as well.
    assert_eq!(told_of(server, "otp.asking", "health").await["city"], "Bengaluru");
    let there = format!("/api/v1/journeys/{}/presence", id(&begun));
    let heard = async || calls(&visitor, "tracking", "check-online").await.first().map(|_| ());
    assert_eq!(visitor.send("POST", &there, &[], Some("{}".into())).await.status, 204);
    server.until("that somebody is there", heard).await;
}

/// life-O35: without its key the lead system answers 401; operators see each step that waits, and the customer goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_refused_stops_nobody() {
    let server = TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
        settings.partners.secrets.insert("lead_system_key".into(), engine_settings::Secret::new(String::new()));
    })
    .await;
    let visitor = server.visitor();
    let lead = json!({"gender": "male", "dob": "1990-01-01", "tobacco": false, "occupation": "salaried",
        "annual_income": 1_200_000, "name": "Ravi Rao", "mobile": "9876512348", "pincode": "560001"});
    let begun = visitor.send("POST", "/api/life/v1/lead", &[], Some(lead.to_string())).await.ok(201);
    assert_eq!(begun["data"]["state"], "otp", "{begun}");
    let journey = begun["data"]["lead_id"].as_str().expect("an id");
    let refused = ended(&server, journey, "contact.otp.asking", EffectState::Parked).await;
    assert!(refused.outcome.is_some_and(|told| told.to_string().contains("tracking.key")));
    assert_eq!(visitor.view(journey).await["journey"]["status"], "active");
    server.stop().await;
}

/// The definitions that are shipped: the payload of R3-77, and a wrong one-time password (R8-03).
#[tokio::test(flavor = "multi_thread")]
async fn the_shipped_journeys_are_tracked_with_all_keys() {
    let files = all_definitions();
    let server = TestServer::start_with(files, |settings| settings.sandbox.delay_percent = 0).await;
    let visitor = server.visitor();
    let body = json!({
        "workflow": "motor/car", "data": {"kind": "registered", "registration": "dl3cab1234"},
        "attribution": {"utm_source": "mail", "utm_medium": "cpc", "utm_campaign": "spring", "source": "letter", "_aid": "A7", "_uid": "A8"},
    });
    let phone =
        "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36";
    let said = [("idempotency-key", "k"), ("user-agent", phone)];
    let first = visitor.send("POST", "/api/v1/journeys", &said, Some(body.to_string())).await.ok(201);
    let at = async |step: &str| {
        let there = async || Some(visitor.view(id(&first)).await).filter(|now| now["step"]["id"] == step);
        server.until(step, there).await
    };
    let data = json!({"name": "Asha Rao", "mobile": "9812345679", "consent": true});
    visitor.event(&at("car.contact.asking").await, "submit", data).await.ok(200);
    let view = at("car.contact.otp.asking").await;
    visitor.event(&view, "submit", json!({"code": "000001"})).await;

    let contact = told(&server, "contact.asking").await;
    for key in KEYS.split_whitespace() {
        assert!(contact.get(key).is_some(), "{key}: {contact}");
    }
    assert_eq!(
        (&contact["visit_id"], &contact["source"], &contact["_aid"]),
        (&view["journey"]["id"], &json!("letter"), &json!("A7"))
    );
    assert_eq!((&contact["user_device"], &contact["device"]), (&json!("Android"), &json!("Chrome")));
    // R7.2-05: what the pings of this page carry
    let drawn = view["presence"]["abTesting"].clone();
    assert!(drawn.as_str().is_some_and(|drawn| drawn.starts_with("chat:without,shop-words:")), "{drawn}");
    assert_eq!(
        view["presence"],
        json!({"leadId": view["journey"]["id"], "abTesting": drawn, "online": true, "final_source": "letter", "final_medium": "B2CAPP", "final_campaign": "spring",
            "city": "", "connectoid": contact["session_id"], "session_id": contact["session_id"]})
    );
    // R7.2-20: the visit as it is named to partners opens nothing
    let visit = contact["session_id"].as_str().expect("a visit");
    assert_eq!((visit.len(), &contact["connectoid"], &contact["city"]), (32, &json!(visit), &json!("")));
    assert_ne!(visitor.cookie("__Host-session"), visit);
    assert_eq!(told_of(&server, "otp_not_verified", "fw").await["lead_id"], view["journey"]["id"]);

    let visitor = server.visitor();
    let login = visitor.start("account/login", json!({"mobile": "9812345678"})).await.ok(201);
    let there = async || Some(visitor.view(id(&login)).await).filter(|now| now["step"]["id"] == "login.otp.asking");
    let asking = server.until("a code", there).await;
    visitor.event(&asking, "submit", json!({"code": "000001"})).await;
    assert_eq!(told_of(&server, "otp_not_verified", "login").await["visit_id"], login["journey"]["id"]);
    is_tracked_at_home(&server).await;
    server.stop().await;
}

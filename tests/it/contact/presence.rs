//! Pings: who may, what they cost, what partners hear of them.

use super::*;
use engine_store::PresenceNote;
use std::time::{Duration, Instant};

async fn ping(visitor: &Visitor, journey: &str) -> u16 {
    visitor
        .send("POST", &format!("/api/v1/journeys/{journey}/presence"), &[], Some("{\"online\": true}".into()))
        .await
        .status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ping_is_noted_and_its_end_too() {
    let server = club(|settings| (settings.presence.flush_ms, settings.presence.every_ms) = (10, 40)).await;
    let (visitor, stranger) = (server.visitor(), server.visitor());
    let view = visitor.start("club/join", json!({"name": "Asha", "mobile": "9876543210"})).await.ok(201);
    let journey = id(&view);
    assert_eq!(ping(&visitor, journey).await, 204);
    let store = server.product.runtime.store();
    let noted = server.until("the note", async || store.presence(journey).await.expect("read")).await;
    assert_eq!((noted.online, noted.seen_at_ms), (true, now(&server)));
    // neither key nor revision is needed; session, owner and our header are
    let path = format!("/api/v1/journeys/{journey}/presence");
    assert_eq!(visitor.send("POST", &path, &[("x-journey", "")], Some("{}".into())).await.code(), "csrf");
    assert_eq!(ping(&stranger, journey).await, 404);
    member(&stranger, "Ravi", json!({})).await;
    assert_eq!(ping(&stranger, journey).await, 404, "not hers");
    assert_eq!(ping(&visitor, &"0".repeat(32)).await, 404);

    server.clock.advance(1_000);
    server.until("the end", async || store.presence(journey).await.expect("read").filter(|p| !p.online)).await;
    assert_eq!(ping(&visitor, journey).await, 204);
    let back =
        server.until("the return", async || store.presence(journey).await.expect("read").filter(|p| p.online)).await;
    assert_eq!(back.seen_at_ms, now(&server));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ping_asks_the_database_once_in_a_while() {
    let server = club(|settings| settings.presence.flush_ms = 600_000).await;
    let visitor = server.visitor();
    let view = member(&visitor, "Asha", json!({})).await;
    assert_eq!(ping(&visitor, id(&view)).await, 204);
    // with the session gone from the database, only what is remembered can answer
    let store = server.product.runtime.store();
    let token = visitor.cookie("__Host-session");
    server.product.runtime.people.end_session(&token).await.expect("ended");
    assert_eq!(ping(&visitor, id(&view)).await, 204);
    server.clock.advance(server.product.settings.presence.allow_ms);
    assert_eq!(ping(&visitor, id(&view)).await, 404);
    assert_eq!(store.presence(id(&view)).await.expect("read"), None, "nothing was written yet");
    server.stop().await;
}

/// Partners are called one at a time, and one call waits.
async fn keeping_up() -> TestServer {
    club(|settings| (settings.presence.calls_max, settings.presence.calls_at_once) = (2, 1)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn partners_hear_of_it_once_per_browser() {
    let server = keeping_up().await;
    let visitor = server.visitor();
    let view = member(&visitor, "Asha", json!({})).await;
    let told =
        async || server.product.memory.get("online", id(&view)).await.expect("memory").map(|v| v["body"].clone());
    assert_eq!(ping(&visitor, id(&view)).await, 204);
    let body = server.until("the call", told).await;
    assert_eq!(body, json!({"leadId": id(&view), "online": true, "final_source": ""}));
    // a browser that pings too often makes no more calls: the next one is of another
    for _ in 0..5 {
        assert_eq!(ping(&visitor, id(&view)).await, 204);
    }
    let other = member(&visitor, "Ravi", json!({})).await;
    assert_eq!(ping(&visitor, id(&other)).await, 204);
    let heard = async || server.product.memory.get("online", id(&other)).await.expect("memory");
    server.until("the other's call", heard).await;
    let noted = async || Some(calls(&visitor, "scribe", "online").await.len()).filter(|n| *n > 1);
    assert_eq!(server.until("both calls", noted).await, 2);
    server.stop().await;
}

/// Pings are answered at once, and what does not fit is dropped.
#[tokio::test(flavor = "multi_thread")]
async fn a_partner_that_hangs_holds_no_ping_up() {
    let server = keeping_up().await;
    let visitor = server.visitor();
    switch(&visitor, "scribe", "hang").await;
    let mut others = Vec::new();
    for n in 0..12 {
        others.push(member(&visitor, &format!("Member {}", ["a", "b", "c", "d"][n % 4]), json!({})).await);
    }
    let began = Instant::now();
    for view in &others {
        assert_eq!(ping(&visitor, id(view)).await, 204);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let metrics = visitor.get("/metrics").await.text();
    let dropped = metrics
        .lines()
        .find(|line| line.starts_with("presence_calls_total{outcome=\"dropped\"}"))
        .expect("a metric")
        .to_owned();
    let dropped: u64 = dropped.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(dropped >= 5, "{dropped}");
    server.stop().await;
}

/// `cargo test -p journey-tests --test it a_hundred_thousand_visitors -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: it fills a database"]
async fn a_hundred_thousand_visitors_cost_a_handful_of_writes() {
    for kind in ["sqlite", "postgres"] {
        let folder = tempfile::tempdir().expect("a folder");
        let url = match kind {
            "sqlite" => format!("sqlite:{}/journey.db", folder.path().display()),
            _ => journey_tests::postgres::database().await.expect("a database"),
        };
        let server = club(|settings| settings.database.url = url).await;
        let store = server.product.runtime.store().clone();
        let ids: Vec<String> = (0..100_000).map(|_| engine_runtime::new_id()).collect();
        for chunk in ids.chunks(2_000) {
            let begun = chunk.iter().map(|id| store.commit(crate::store::event(id, 0)));
            futures::future::join_all(begun).await.into_iter().for_each(|done| drop(done.expect("committed")));
        }
        let settings = &server.product.settings.presence;
        for round in ["first", "second"] {
            let began = Instant::now();
            let mut statements = 0;
            for batch in ids.chunks(settings.batch_max) {
                store
                    .note_presence(
                        batch
                            .iter()
                            .map(|id| PresenceNote { journey: id.clone(), seen_at_ms: now(&server), online: true })
                            .collect(),
                    )
                    .await
                    .expect("noted");
                statements += 1;
            }
            let per_s = f64::from(statements) * 1000.0 / settings.every_ms as f64;
            println!(
                "{kind}, {round} ping of 100,000 journeys: {statements} statements in {:?}, {per_s:.1} statements/s at one ping each 30 s",
                began.elapsed()
            );
            assert!(per_s < 5.0);
        }
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_and_those_who_went_make_room() {
    let server = club(|settings| (settings.presence.flush_ms, settings.presence.journeys_max) = (10, 3)).await;
    let visitor = server.visitor();
    let mut journeys = Vec::new();
    for _ in 0..6 {
        journeys.push(id(&member(&visitor, "Asha", json!({})).await).to_owned());
    }
    for journey in &journeys {
        assert_eq!(ping(&visitor, journey).await, 204, "nobody is told no");
    }
    let store = server.product.runtime.store();
    let noted = async || {
        let mut noted = 0;
        for journey in &journeys {
            noted += usize::from(store.presence(journey).await.expect("read").is_some());
        }
        (noted >= 3).then_some(noted)
    };
    assert_eq!(server.until("what fits", noted).await, 3);
    // once those have gone, there is room again
    server.clock.advance(server.product.settings.presence.every_ms as i64 * 2);
    let last = journeys.last().expect("six");
    let found = async || {
        assert_eq!(ping(&visitor, last).await, 204);
        store.presence(last).await.expect("read")
    };
    server.until("room", found).await;
    server.stop().await;
}

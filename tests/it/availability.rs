//! What a visit leaves behind, and what people see while the database cannot be reached or written.

use journey_tests::postgres::Cluster;
use journey_tests::server::{Reply, TestServer, Visitor, fixture, until};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use sqlx::Connection;
use std::path::Path;
use std::process::Command;

const PARCEL: &str = "parcel/cover";

async fn started(visitor: &Visitor) -> Value {
    visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await.ok(201)
}

async fn sessions(server: &TestServer) -> i64 {
    let mut beside = sqlx::SqliteConnection::connect(server.database()).await.expect("it opens");
    sqlx::query_scalar("select count(*) from sessions").fetch_one(&mut beside).await.expect("a count")
}

#[tokio::test(flavor = "multi_thread")]
async fn looking_around_writes_nothing() {
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.limits.rate_per_s = 0).await;
    for visit in 0..50 {
        let visitor = server.visitor();
        for path in ["/parcel-cover", "/help", "/no-such-page", "/parcel-cover/offers"] {
            visitor.get(path).await;
        }
        let page = visitor.get("/parcel-cover").await;
        assert_eq!((page.status, page.header("set-cookie")), (200, ""), "visit {visit}");
        visitor.send("HEAD", "/parcel-cover", &[], None).await;
    }
    assert_eq!(sessions(&server).await, 0);

    let visitor = server.visitor();
    visitor.get("/parcel-cover").await;
    started(&visitor).await;
    assert_eq!((sessions(&server).await, visitor.cookie("__Host-session").len()), (1, 64));
    server.stop().await;
}

const COOKIE: &str = "__Host-attribution";

/// What is kept of where a journey came from.
async fn attribution(server: &TestServer, view: &Value) -> Value {
    let id = view["journey"]["id"].as_str().expect("a journey");
    server.product.runtime.store().journey(id).await.expect("a read").expect("a journey").attribution
}

/// Nobody reads it, and what somebody made up or changed is nothing.
async fn is_nothing_when_forged(server: &TestServer, sealed: &str) {
    for forged in [sealed.replacen(&sealed[20..21], if &sealed[20..21] == "A" { "B" } else { "A" }, 1), "e30".into()] {
        let stranger = server.visitor();
        let cookie = [("cookie", format!("{COOKIE}={forged}"))];
        let cookie: Vec<_> = cookie.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = json!({"workflow": PARCEL, "data": {"weight": 2, "kind": "gift"}}).to_string();
        let headers = [cookie.as_slice(), &[("idempotency-key", "k")]].concat();
        let begun = stranger.send("POST", "/api/v1/journeys", &headers, Some(body)).await.ok(201);
        assert_eq!(attribution(server, &begun).await, json!({}), "{forged}");
    }
}

/// However much an address says, the cookie is one that browsers keep.
async fn is_never_too_long(server: &TestServer) {
    const NAMES: [&str; 9] = [
        "source",
        "sub_source",
        "medium",
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
        "_aid",
    ];
    let mut rng = StdRng::seed_from_u64(1);
    let mut words = || (0..300).map(|_| char::from(rng.random_range(b'!'..=b'~'))).collect::<String>();
    let long =
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(NAMES.map(|name| (name, words()))).finish();
    let led = server.visitor().get(&format!("/parcel-cover?{long}")).await;
    let size = led.header("set-cookie").len();
    assert!((2_000..=4_096).contains(&size), "{size}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_first_visit_brings_waits_sealed_and_becomes_the_sessions() {
    let server = TestServer::start(fixture("parcel")).await;
    let visitor = server.visitor();
    let from = [("referer", "https://search.example/find?q=asha+rao&p=1&q=again#top")];
    let led = visitor.send("GET", "/parcel-cover?utm_source=mail&_aid=7", &from, None).await;
    assert_eq!((led.status, led.header("location")), (302, "/parcel-cover"));
    let sealed = visitor.cookie(COOKIE);
    assert!(!sealed.is_empty() && sealed.len() < 400, "{sealed}");
    let ours = [("referer", format!("{}/parcel-cover", server.product.url()))];
    let ours: Vec<_> = ours.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(visitor.send("GET", "/help", &ours, None).await.header("set-cookie"), "");
    // R3-07: each name of the query once.
    let brought = json!({
        "_aid": "7", "utm": {"utm_source": "mail", "referralUrl": "https://search.example/find?q=asha+rao&p=1"},
        "touches": [{"day": "2026-11-21", "channels": [], "source": ""}],
    });
    assert_eq!(attribution(&server, &started(&visitor).await).await, brought);
    assert_eq!(visitor.cookie(COOKIE), "", "it is the session's now");
    assert_eq!(attribution(&server, &started(&visitor).await).await, brought);

    is_nothing_when_forged(&server, &sealed).await;
    is_never_too_long(&server).await;
    server.stop().await;
}

fn told_when_to_come_back(reply: &Reply) -> bool {
    reply.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0)
}

/// What everybody gets while nothing can be written.
async fn is_out(server: &TestServer, visitor: &Visitor, view: &Value, reason: &str) {
    let stranger = server.visitor();
    let call = stranger.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await;
    assert_eq!((call.status, call.code().as_str()), (503, "unavailable"), "{}", call.text());
    assert!(told_when_to_come_back(&call));
    let event = visitor.event(view, "submit", json!({"name": "Asha Rao"})).await;
    assert_eq!((event.status, event.code().as_str()), (503, "unavailable"), "{}", event.text());
    let form = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", ""), ("accept", "text/html")];
    let page = stranger.send("POST", "/parcel-cover", &form, Some("weight=2&kind=gift".into())).await;
    assert_eq!(page.status, 503, "{}", page.text());
    assert!(told_when_to_come_back(&page) && page.text().contains("<h1>Back soon</h1>"), "{}", page.text());
    assert_eq!(stranger.get("/help").await.status, 200, "what needs no database is there");
    assert_eq!(stranger.get("/healthz").await.status, 200);
    // Looked at once a second at most.
    until(reason, async || {
        let ready = visitor.get("/readyz").await;
        (ready.status == 503 && ready.json()["reasons"] == json!([reason])).then_some(())
    })
    .await;
}

async fn is_back(visitor: &Visitor, view: &Value) {
    until("the way back", async || (visitor.get("/readyz").await.status == 200).then_some(())).await;
    until("the journey", async || {
        (visitor.event(view, "submit", json!({"name": "Asha Rao"})).await.status == 200).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_the_product_says_when_to_come_back() {
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(None)).await.expect("a task").expect("a cluster");
    let url = cluster.database().await.expect("a database");
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.database.url = url).await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let page = view["step"]["url"].as_str().expect("an address").to_owned();
    tokio::task::block_in_place(|| cluster.stop_server()).expect("it stops");
    let mine = until("an outage", async || {
        let mine = visitor.send("GET", &page, &[("accept", "text/html")], None).await;
        (mine.status == 503).then_some(mine)
    })
    .await;
    assert!(told_when_to_come_back(&mine) && mine.text().contains("<h1>Back soon</h1>"), "{}", mine.text());
    let link = visitor.get("/r/abcdefghijklmnopqrstuv").await;
    assert!(link.status == 503 && link.text().contains("<h1>Back soon</h1>"), "{} {}", link.status, link.text());
    is_out(&server, &visitor, &view, "the database cannot be reached").await;
    assert_eq!(server.visitor().get("/parcel-cover").await.status, 200, "who only looks needs none");
    tokio::task::block_in_place(|| cluster.start_server()).expect("it starts");
    is_back(&visitor, &view).await;
    server.stop().await;
}

/// A disk of its own, so small that it is soon full.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount(size: &str) -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder.path());
        mount.output().is_ok_and(|done| done.status.success()).then_some(Disk(folder))
    }

    /// The file that leaves no room for another byte.
    fn fill(&self) -> std::path::PathBuf {
        let file = self.0.path().join("filler");
        let mut size = 1 << 20;
        let mut all = Vec::new();
        while size > 0 {
            all.resize(all.len() + size, 1);
            if std::fs::write(&file, &all).is_err() {
                all.truncate(all.len() - size);
                size /= 2;
            }
        }
        let _ = std::fs::write(&file, all);
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_disk_the_product_says_so() {
    let Some(disk) = Disk::mount("6m") else {
        return eprintln!("SKIPPED: on_a_full_disk_the_product_says_so needs the right to mount a tmpfs");
    };
    let file = |folder: &Path| format!("sqlite:{}", folder.join("journey.db").display());
    let url = file(disk.0.path());
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.database.url = url).await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let filler = disk.fill();
    is_out(&server, &visitor, &view, "the database's disk is full").await;
    std::fs::remove_file(filler).expect("room again");
    is_back(&visitor, &view).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_readiness_says_that_nothing_is_sent() {
    let server = TestServer::start(fixture("parcel")).await;
    let visitor = server.visitor();
    let store = server.product.runtime.store();
    store.begin_epoch(server.product.runtime.now_ms()).await.expect("a restore");
    let held = visitor.get("/readyz").await.ok(200);
    assert_eq!(held["ready"], true, "what comes in is taken");
    assert!(held["notes"][0].as_str().is_some_and(|note| note.starts_with("nothing is sent")), "{held}");
    let token = server.product.runtime.people.new_operator("asha", 1).await.expect("a token");
    let bearer = format!("Bearer {token}");
    let release =
        async |headers: &[(&str, &str)]| visitor.send("POST", "/api/v1/operator/effects/release", headers, None).await;
    assert_eq!(release(&[]).await.code(), "not_found");
    assert_eq!(release(&[("authorization", &bearer)]).await.ok(200), json!({"released": true}));
    assert_eq!(release(&[("authorization", &bearer)]).await.ok(200), json!({"released": false}));
    until("a release", async || (visitor.get("/readyz").await.ok(200)["notes"] == json!([])).then_some(())).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_requests_are_a_page_for_people_and_a_problem_for_programs() {
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.limits.rate_burst = 1).await;
    let visitor = server.visitor();
    let html = [("accept", "text/html,application/xhtml+xml")];
    let page = until("a limit", async || {
        let page = visitor.send("GET", "/help", &html, None).await;
        (page.status == 429).then_some(page)
    })
    .await;
    assert!(told_when_to_come_back(&page) && page.text().contains("<h1>One moment, please</h1>"), "{}", page.text());
    let call = until("a limit", async || {
        let call = visitor.get("/api/v1/journeys").await;
        (call.status == 429).then_some(call)
    })
    .await;
    assert!(told_when_to_come_back(&call) && call.code() == "limited");
    server.stop().await;
}

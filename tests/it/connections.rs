//! Connections of those who send slowly, or nothing, or too often, beside everybody else (`fixtures/parcel`).

use engine_settings::Settings;
use journey_tests::server::{PATIENCE, TestServer, fixture, until};
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

async fn server(change: impl FnOnce(&mut Settings)) -> TestServer {
    TestServer::start_with(fixture("parcel"), |settings| {
        settings.limits.rate_per_s = 0;
        change(settings);
    })
    .await
}

/// A connection from this address of the machine.
async fn from(address: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(format!("{address}:0").parse().expect("an address")).expect("it binds");
    socket.connect(to).await.expect("it connects")
}

async fn sent(to: SocketAddr, address: &str, text: &str) -> TcpStream {
    let mut stream = from(address, to).await;
    stream.write_all(text.as_bytes()).await.expect("it is sent");
    stream
}

/// What comes until the server ends the connection.
async fn to_its_end(mut stream: TcpStream) -> String {
    let mut all = Vec::new();
    // A reset is an end too.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut all)).await.expect("the server ends it");
    String::from_utf8_lossy(&all).into_owned()
}

/// Reads until this has come.
async fn heard(stream: &mut TcpStream, wanted: &str) {
    let (mut all, mut part) = (Vec::new(), [0; 4_096]);
    while !String::from_utf8_lossy(&all).contains(wanted) {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut part)).await.expect("in time").expect("an answer");
        assert!(read > 0, "{wanted} did not come: {}", String::from_utf8_lossy(&all));
        all.extend_from_slice(&part[..read]);
    }
}

const ME: &str = "127.0.0.1";
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: shop\r\n\r\n";
/// A body that is announced, asked for, and does not come.
const SLOW: &str = "content-length: 100\r\nexpect: 100-continue\r\n\r\n";
const ASKED: &str = "100 Continue";

#[tokio::test(flavor = "multi_thread")]
async fn who_keeps_the_server_waiting_is_let_go() {
    let server = server(|settings| {
        settings.limits.header_timeout_ms = 200;
        settings.limits.idle_timeout_ms = 300;
        settings.limits.body_timeout_ms = 200;
    })
    .await;
    let to = server.product.address;
    let silent = to_its_end(sent(to, ME, "").await);
    let half = to_its_end(sent(to, ME, "GET /healthz HT").await);
    let idle = to_its_end(sent(to, ME, HEALTH).await);
    let second = to_its_end(sent(to, ME, &format!("{HEALTH}GET /heal")).await);
    let http2 = to_its_end(sent(to, ME, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await);
    let (silent, half, idle, second, _) = tokio::join!(silent, half, idle, second, http2);
    assert_eq!((silent.as_str(), half.as_str()), ("", ""));
    assert!(idle.starts_with("HTTP/1.1 200") && idle.ends_with("ok"), "{idle}");
    assert!(second.matches("HTTP/1.1").count() == 1 && second.ends_with("ok"), "{second}");

    let body = to_its_end(sent(to, ME, &format!("POST /api/v1/journeys HTTP/1.1\r\nhost: shop\r\n{SLOW}")).await).await;
    assert!(body.contains("HTTP/1.1 408") && body.contains("\"code\":\"body_too_slow\""), "{body}");

    // One byte after the other, for ever: each comes in time, the header does not.
    let mut drip = sent(to, ME, "GET / HTTP/1.1\r\nx: ").await;
    let mut pace = tokio::time::interval(std::time::Duration::from_millis(20));
    let ended = async {
        while drip.write_all(b"x").await.is_ok() {
            pace.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the server ends it");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_let_go() {
    let server = server(|settings| settings.limits.stalled_timeout_ms = 200).await;
    let mut stream = from(ME, server.product.address).await;
    let ended = async { while stream.write_all(b"GET /openapi.json HTTP/1.1\r\nhost: shop\r\n\r\n").await.is_ok() {} };
    tokio::time::timeout(PATIENCE, ended).await.expect("the server ends it");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_so_many_connections_and_a_proxy_any_number() {
    const PER_ADDRESS: usize = 3;
    let server = server(|settings| {
        settings.limits.connections_per_address = PER_ADDRESS;
        settings.server.trusted_proxies = vec!["127.0.0.8/32".into()];
    })
    .await;
    let to = server.product.address;
    let mut held = Vec::new();
    for _ in 0..PER_ADDRESS {
        let mut stream = sent(to, "127.0.0.9", HEALTH).await;
        heard(&mut stream, "200 OK").await;
        held.push(stream);
    }
    let refused = to_its_end(sent(to, "127.0.0.9", HEALTH).await).await;
    assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 429") && refused.contains("retry-after"), "{refused}");
    assert_eq!(server.visitor().get("/parcel-cover").await.status, 200, "another address is not concerned");
    drop(held.pop());
    until("a place that is free again", async || {
        let mut stream = sent(to, "127.0.0.9", HEALTH).await;
        let mut part = [0; 12];
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut part)).await.expect("in time");
        read.is_ok_and(|read| part[..read].ends_with(b"200")).then_some(())
    })
    .await;
    let mut proxied = Vec::new();
    for _ in 0..3 * PER_ADDRESS {
        let mut stream = sent(to, "127.0.0.8", HEALTH).await;
        heard(&mut stream, "200 OK").await;
        proxied.push(stream);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_has_a_door_of_its_own() {
    let server = server(|settings| {
        settings.limits.connections_max = 2;
        settings.server.health_address = Some("127.0.0.1:0".into());
    })
    .await;
    let held = [from("127.0.0.2", server.product.address).await, from("127.0.0.3", server.product.address).await];
    until("full house", async || {
        let answer = to_its_end(sent(server.product.address, ME, HEALTH).await).await;
        (!answer.starts_with("HTTP/1.1 200")).then_some(())
    })
    .await;
    let health = server.product.health_address.expect("it listens");
    let asked = async |path: &str| {
        let answer = reqwest::get(format!("http://{health}{path}")).await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("a body"))
    };
    assert_eq!(asked("/healthz").await, (200, "ok".into()));
    let (status, body) = asked("/readyz").await;
    assert!(status == 200 && body.contains("\"ready\":true"), "{body}");
    assert_eq!(asked("/parcel-cover").await.0, 404, "and for nothing else");
    drop(held);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_do_not_come_take_nobodys_place() {
    const WAITING: usize = 12;
    let server = server(|settings| {
        settings.limits.concurrency_max = 1;
        settings.limits.webhooks_max = 1;
        settings.limits.bodies_max = WAITING;
        settings.limits.bodies_per_address = WAITING - 1;
    })
    .await;
    let to = server.product.address;
    let slow = async |address: &str, path: &str| {
        let mut stream = sent(to, address, &format!("POST {path} HTTP/1.1\r\nhost: shop\r\n{SLOW}")).await;
        heard(&mut stream, ASKED).await;
        stream
    };
    let webhook = "/api/v1/webhooks/swift/delivered";
    let mut held = Vec::new();
    for _ in 1..WAITING {
        held.push(slow("127.0.0.5", webhook).await);
        held.push(slow("127.0.0.5", "/api/v1/journeys").await);
    }
    let more =
        async |address, path: &str| sent(to, address, &format!("POST {path} HTTP/1.1\r\nhost: shop\r\n{SLOW}")).await;
    let mut same = more("127.0.0.5", webhook).await;
    heard(&mut same, "HTTP/1.1 429").await;
    held.push(slow("127.0.0.6", webhook).await);
    let mut full = more("127.0.0.7", webhook).await;
    heard(&mut full, "HTTP/1.1 503").await;

    // Who is there with all of it is served: customers, webhooks, health.
    let visitor = server.visitor();
    visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_eq!(visitor.get("/parcel-cover").await.status, 200);
    assert_eq!(visitor.send("POST", webhook, &[], Some("{}".into())).await.code(), "signature");
    assert_eq!((visitor.get("/healthz").await.status, visitor.get("/readyz").await.status), (200, 200));
    drop(held);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_places_health_answers_and_others_learn_when_to_come_back() {
    let server = server(|settings| settings.limits.concurrency_max = 0).await;
    let visitor = server.visitor();
    assert_eq!((visitor.get("/healthz").await.status, visitor.get("/readyz").await.status), (200, 200));
    let call = visitor.get("/api/v1/journeys").await;
    assert_eq!((call.status, call.code().as_str(), call.header("retry-after")), (503, "busy", "1"));
    let page = visitor.send("GET", "/parcel-cover", &[("accept", "text/html,*/*")], None).await;
    assert_eq!((page.status, page.header("retry-after")), (503, "1"));
    assert!(page.header("content-type").starts_with("text/html") && page.text().contains("<h1>Back soon</h1>"));
    let webhook = visitor.send("POST", "/api/v1/webhooks/swift/delivered", &[], Some("{}".into())).await;
    assert_eq!(webhook.code(), "signature", "webhooks have places of their own");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_2_is_spoken() {
    let server = server(|_| {}).await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().expect("a client");
    let asked = (0..40).map(|_| client.get(format!("{}/parcel-cover", server.product.url())).send());
    for answer in futures::future::join_all(asked).await {
        let answer = answer.expect("an answer");
        assert_eq!((answer.status().as_u16(), answer.version()), (200, reqwest::Version::HTTP_2));
    }
    server.stop().await;
}

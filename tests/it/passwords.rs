//! One-time passwords: sent, tried and used with the turn that does it.

use crate::nodes::Nodes;
use engine_definitions::Files;
use engine_store::EffectFilter;
use journey_tests::server::{Reply, TestServer, Visitor, fixture, line};
use serde_json::{Value, json};
use sqlx::Connection;

pub(crate) use journey_tests::people::{code, solved};

const GATE: &str = "
id: gate
title: The gate
base: /gate
timezone: Asia/Kolkata
ttl: 1d
initial: ask
context: {member: {}}
states:
  ask:
    step: {form: club/join/member, into: member, path: ''}
    on: {submit: sending}
  sending:
    step: {wait: club.joined, path: sending}
    invoke: {id: send, src: system/otp.send, input: {mobile: context.member.mobile, purpose: \"'lead'\"}, onDone: asking, onError: limited}
  asking:
    step: {form: code, path: code, accepts: {resend: {}}}
    on:
      submit: checking
      resend: sending
      notify.failed: {actions: {type: message, from: \"{'code': event.code, 'level': 'error'}\"}}
  limited:
    step: {form: code, path: limited, accepts: {resend: {}}}
    on: {submit: checking, resend: sending}
  checking:
    step: {wait: club.joined, path: checking}
    invoke:
      id: verify
      src: system/otp.verify
      input: {mobile: context.member.mobile, purpose: \"'lead'\", code: event.secret.code}
      onDone:
        - {guard: event.output.ok, target: inside}
        - {target: asking, actions: {type: message, from: \"{'code': event.output.reason, 'level': 'error'}\"}}
      onError: asking
  inside: {type: final, step: {wait: club.joined, path: inside}}
";
const CODE: &str = r#"{"title": "Your code", "required": ["code"], "properties": {
  "code": {"type": "string", "title": "Code", "pattern": "^[0-9]{6}$", "maxLength": 6, "x-secret": true}}}"#;
const MESSAGE: &str = "channel: sms
purpose: transactional
text: \"{{code}} is your code for {{minutes}} minutes\"
sample: {code: '123456', minutes: 5}
";

/// The club with a gate; `gate` is its flow.
pub(crate) fn gated(gate: &str) -> Files {
    let mut files = fixture("club");
    files.insert("workflows/club/gate/flow.yaml", gate.as_bytes());
    files.insert("forms/club/gate/code.json", CODE.as_bytes());
    files.insert("workflows/club/messages/otp.yaml", MESSAGE.as_bytes());
    files.insert("workflows/club/gate/texts.yaml", b"club.joined: You are in.".as_slice());
    files
}

fn member(mobile: &str) -> Value {
    json!({"name": "Asha", "mobile": mobile, "email": "asha@example.com"})
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

fn step(view: &Value) -> &str {
    view["step"]["id"].as_str().and_then(|id| id.rsplit('.').next()).expect("a step")
}

fn told(view: &Value) -> &str {
    view["messages"][0]["code"].as_str().unwrap_or_default()
}

fn other_than(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

async fn enters(visitor: &Visitor, view: &Value, code: &str) -> Reply {
    visitor.event(view, "submit", json!({"code": code})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_submit_that_was_interrupted_succeeds_with_the_same_key() {
    let nodes = Nodes::start_with(gated(GATE), &[false], |settings| {
        (settings.otp.resend_ms, settings.otp.per_hour) = (0, 2);
    })
    .await;
    let (runtime, visitor) = (&nodes.all[0].runtime, Visitor::at(nodes.at(0)));
    let view = visitor.start("club/gate", member("9876543210")).await.ok(201);
    let body = |kind: &str, data: Value| {
        json!({"type": kind, "data": data, "revision": view["journey"]["revision"]}).to_string()
    };
    let address = format!("/api/v1/journeys/{}/events", id(&view));
    let send = async |key: &str, body: &str| {
        visitor.send("POST", &address, &[("idempotency-key", key)], Some(body.into())).await
    };
    let mut other = sqlx::PgConnection::connect(&nodes.url).await.expect("a connection");
    // Somebody holds the journey's row until the commit has given up: like a crash, nothing of the turn is written.
    let mut interrupted = async |key: &str, body: &str| {
        let mut held = other.begin().await.expect("a transaction");
        sqlx::query("select n from journeys for update").execute(&mut *held).await.expect("the row");
        assert_eq!(send(key, body).await.status, 503);
        held.rollback().await.expect("let go");
    };
    let again = body("resend", json!({}));
    interrupted("again", &again).await;
    let view = send("again", &again).await.ok(200);
    assert_eq!(step(&view), "asking", "the gate had counted nothing");
    let code = code(runtime, id(&view)).await;
    let right = json!({"type": "submit", "data": {"code": code}, "revision": view["journey"]["revision"]}).to_string();
    interrupted("right", &right).await;
    assert_eq!(step(&send("right", &right).await.ok(200)), "inside", "the code was not used up");
    assert_eq!(step(&send("right", &right).await.ok(200)), "inside", "and is used once");
    assert_eq!(runtime.operations.replay(id(&view)).await.expect("a replay"), Some(vec![]));
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_tries_are_counted_wherever_they_are_made() {
    let nodes =
        Nodes::start_with(gated(GATE), &[false, false], |settings| settings.limits.write_rate_burst = 1_000).await;
    let visitor = Visitor::at(nodes.at(0));
    let view = visitor.start("club/gate", member("9876543210")).await.ok(201);
    let right = code(&nodes.all[0].runtime, id(&view)).await;
    let wrong = other_than(&right);
    // a robot sees the newest revision at once and guesses on both nodes
    let guesses = (0..20).map(|guess| {
        let robot = visitor.moved(nodes.at(guess % 2));
        let journey = id(&view).to_owned();
        async move {
            let mut answered = 0;
            for key in 0..8 {
                let seen = robot.view(&journey).await;
                let body = json!({"type": "submit", "data": {"code": wrong}, "revision": seen["journey"]["revision"]});
                let key = format!("guess-{guess}-{key}");
                let address = format!("/api/v1/journeys/{journey}/events");
                let reply = robot.send("POST", &address, &[("idempotency-key", &key)], Some(body.to_string())).await;
                answered += i32::from(reply.status == 200 && told(&reply.json()) == "wrong");
            }
            answered
        }
    });
    let answered: i32 = futures::future::join_all(guesses).await.into_iter().sum();
    assert_eq!(answered, 5);
    let view = visitor.view(id(&view)).await;
    let late = enters(&visitor, &view, &right).await.ok(200);
    assert_eq!((step(&late), told(&late)), ("asking", "over"), "the right one comes too late");
    assert_eq!(nodes.all[0].runtime.operations.replay(id(&view)).await.expect("a replay"), Some(vec![]));
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_stays_counted_when_the_definition_fails_on_it() {
    let broken = GATE.replace(
        "{target: asking, actions: {type: message, from: \"{'code': event.output.reason, 'level': 'error'}\"}}",
        "{target: asking, actions: {assign: {member: event.output.nothing}}}",
    );
    let server = TestServer::start(gated(&broken)).await;
    let visitor = server.visitor();
    let view = visitor.start("club/gate", member("9876543210")).await.ok(201);
    let right = code(&server.product.runtime, id(&view)).await;
    for _ in 0..5 {
        let view = visitor.view(id(&view)).await;
        assert_eq!(enters(&visitor, &view, other_than(&right)).await.status, 500);
    }
    let view = visitor.view(id(&view)).await;
    assert_eq!(enters(&visitor, &view, &right).await.status, 500, "no tries are left, which fails too");
    let record = server.store().await.journey(id(&view)).await.expect("a read").expect("a journey");
    assert!(record.drafts.iter().all(|draft| draft.data == json!({})), "{:?}", record.drafts);
    assert_eq!(server.product.runtime.operations.replay(id(&view)).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_code_says_so_and_a_new_one_takes_its_place() {
    let server = TestServer::start(gated(GATE)).await;
    let visitor = server.visitor();
    let view = visitor.start("club/gate", member("9876543210")).await.ok(201);
    let first = code(&server.product.runtime, id(&view)).await;
    server.clock.advance(server.product.settings.otp.ttl_ms);
    let view = enters(&visitor, &view, &first).await.ok(200);
    assert_eq!((step(&view), told(&view)), ("asking", "expired"));
    let view = visitor.event(&view, "resend", json!({})).await.ok(200);
    let second = code(&server.product.runtime, id(&view)).await;
    let view = match first == second {
        true => view,
        false => {
            let view = enters(&visitor, &view, &first).await.ok(200);
            assert_eq!(told(&view), "wrong", "the one before it is void");
            view
        }
    };
    assert_eq!(step(&enters(&visitor, &view, &second).await.ok(200)), "inside");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_cannot_be_sent_is_told_to_the_person() {
    let server = TestServer::start(gated(GATE)).await;
    let visitor = server.visitor();
    // the gateway refuses such numbers
    let view = visitor.start("club/gate", member("9876540000")).await.ok(201);
    let mut changes = visitor.stream(id(&view)).await;
    while told(&visitor.view(id(&view)).await).is_empty() {
        changes.next().await.expect("the stream stays open");
    }
    let seen = visitor.view(id(&view)).await;
    assert_eq!(seen["journey"]["revision"], view["journey"]["revision"], "the form under the finger stays good");
    // what nobody listens to moves nothing
    let view = visitor.start("club/join", member("9876540000")).await.ok(201);
    let filter = || EffectFilter {
        journey: Some(id(&view).into()),
        state: Some(engine_store::EffectState::Parked),
        ..EffectFilter::default()
    };
    let store = server.store().await;
    server.until("a parked message", async || store.effects(filter()).await.ok()?.pop()).await;
    let events = store.events(id(&view), 0, 100).await.expect("events");
    assert!(events.iter().all(|event| event.data["event"] != "notify.failed"), "{events:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_third_send_of_a_network_each_needs_a_proof_of_work() {
    let server = TestServer::start_with(gated(GATE), |settings| {
        settings.otp.unproven_per_address_hour = 2;
        settings.otp.proof_bits = 14; // a forged one is right by chance once in 16,384 times
        settings.otp.resend_ms = 0;
    })
    .await;
    let visitor = server.visitor();
    let asks = async |key: &str, mobile: &str, proof: &str| {
        let body = json!({"workflow": "club/gate", "data": member(mobile)}).to_string();
        visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", key), ("x-proof", proof)], Some(body)).await
    };
    for (key, mobile, is_last) in [("a", "9876543210", false), ("b", "8765432109", true)] {
        let view = asks(key, mobile, "").await.ok(201);
        assert_eq!((step(&view), view["work"].is_object()), ("asking", is_last));
    }
    let refused = asks("c", "7654321098", "").await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    let challenge = refused.json()["challenge"].clone();
    let proof = solved(&challenge);
    let token = challenge["token"].as_str().expect("a token");
    for forged in [format!("{token}.x"), proof.replacen('.', ".0.", 1), format!("9{proof}"), "a.b.c.d.e".into()] {
        assert_eq!(asks("c", "7654321098", &forged).await.status, 403, "{forged}");
    }
    let view = asks("c", "7654321098", &proof).await.ok(201);
    assert_eq!(step(&view), "asking", "the same request, with the same key");
    assert_eq!(asks("c", "7654321098", "").await.ok(200)["journey"]["id"], view["journey"]["id"]);
    assert_eq!(asks("d", "6543210987", &proof).await.code(), "proof", "it counts once");

    // Each view from here on brings the work along: done ahead, nothing is refused first. So does the page.
    let ahead = asks("g", "6789012345", &solved(&view["work"])).await.ok(201);
    assert_eq!(step(&ahead), "asking");
    let page = visitor.get(ahead["step"]["url"].as_str().expect("a page")).await;
    assert!(page.text().contains("\"work\":{"), "{}", page.text());

    // A step that sends again asks too, and what was typed is sent again as it was.
    let resend = visitor.event(&view, "resend", json!({})).await;
    assert_eq!(resend.code(), "proof");
    let late = solved(&resend.json()["challenge"]);
    server.clock.advance(600_000);
    assert_eq!(asks("e", "6543210987", &late).await.code(), "proof", "it was valid for ten minutes");
    server.clock.advance(3_600_000);
    assert_eq!(step(&asks("f", "6543210987", "").await.ok(201)), "asking", "an hour later nobody is asked");
    server.stop().await;
}

/// Nobody is sent a message without a proof, and the captcha partner gives one.
async fn with_captcha() -> TestServer {
    let mut files = gated(GATE);
    let of_captcha = |path: &str| path.contains("/captcha/") || path == "workflows/partners/identity/partner.yaml";
    for (path, bytes) in line("club").iter().filter(|(path, _)| of_captcha(path)) {
        files.insert(path, bytes.clone());
    }
    TestServer::start_with(files, |settings| {
        settings.otp.unproven_per_address_hour = 0;
        settings.otp.proof_bits = 4;
        settings.otp.captcha = Some("captcha".into());
        settings.sandbox.delay_percent = 0;
    })
    .await
}

/// Starts the journey of this key with a proof; the number that it sends to is the key's own.
async fn proves(visitor: &Visitor, key: &str, proof: &str) -> Reply {
    let body = json!({"workflow": "club/gate", "data": member(&format!("98765432{key}"))}).to_string();
    visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", key), ("x-proof", proof)], Some(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_captcha_partner_asks_instead_of_work() {
    let server = with_captcha().await;
    let visitor = server.visitor();
    let asks = async |key: &str, proof: &str| proves(&visitor, key, proof).await;
    let refused = asks("10", "").await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    let page = refused.json()["challenge"]["page"].as_str().expect("a page").to_owned();
    let shown = visitor.get(&page[page.find("/sandbox/").expect("a page of the sandbox")..]).await;
    let shown = visitor.get(shown.header("location")).await;
    assert!(shown.text().contains("I am a person"), "{}", shown.text());
    assert!(shown.header("content-security-policy").contains("frame-ancestors 'self'"));
    assert_eq!(shown.header("x-frame-options"), "SAMEORIGIN");
    let around = visitor.get("/gate").await;
    let policy = around.header("content-security-policy");
    assert!(policy.contains("; frame-src http://"), "{policy}");

    assert_eq!(asks("10", "robot").await.code(), "proof", "the partner says no");
    assert_eq!(asks("10", &"t".repeat(5_000)).await.code(), "proof", "no token is so long");
    assert_eq!(step(&asks("10", "token-1").await.ok(201)), "asking", "the same request, with the same key");
    assert_eq!(asks("11", "token-1").await.code(), "proof", "it counts once");
    server.stop().await;
}

/// The browser works instead, until the partner is asked again a minute later.
#[tokio::test(flavor = "multi_thread")]
async fn work_stands_in_for_a_captcha_partner_that_is_away() {
    let server = with_captcha().await;
    let visitor = server.visitor();
    let asks = async |key: &str, proof: &str| proves(&visitor, key, proof).await;
    assert_eq!(step(&asks("10", "token-1").await.ok(201)), "asking");
    let down = json!({"partner": "captcha", "mode": "fail"}).to_string();
    visitor.send("POST", "/sandbox/switches", &[], Some(down)).await.ok(200);
    let refused = asks("11", "token-2").await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    let proof = solved(&refused.json()["challenge"]);
    assert_eq!(step(&asks("11", &proof).await.ok(201)), "asking");
    server.clock.advance(60_000);
    assert!(asks("12", "").await.json()["challenge"]["page"].is_string());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_counts_once_on_all_nodes_together() {
    let nodes = Nodes::start_with(gated(GATE), &[false, false], |settings| {
        settings.otp.unproven_per_address_hour = 0;
        settings.otp.proof_bits = 6;
    })
    .await;
    let asks = async |node: usize, mobile: &str, proof: &str| {
        let visitor = Visitor::at(nodes.at(node));
        let body = json!({"workflow": "club/gate", "data": member(mobile)}).to_string();
        visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", mobile), ("x-proof", proof)], Some(body)).await
    };
    let challenge = asks(0, "9876543210", "").await.json()["challenge"].clone();
    let proof = solved(&challenge);
    assert_eq!(step(&asks(1, "9876543210", &proof).await.ok(201)), "asking", "one node asked, another one is shown it");
    for node in 0..2 {
        assert_eq!(asks(node, "8765432109", &proof).await.code(), "proof", "node {node}");
    }
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_ipv6_network_is_one_address() {
    let server = TestServer::start_with(gated(GATE), |settings| {
        settings.otp.per_address_hour = 3;
        settings.server.trusted_proxies = vec!["127.0.0.1".into()];
    })
    .await;
    let visitor = server.visitor();
    let asks = async |number: usize, from: &str| {
        let body = json!({"workflow": "club/gate", "data": member(&format!("98765{number:05}"))}).to_string();
        let headers = [("idempotency-key", format!("k{number}")), ("x-forwarded-for", from.to_owned())];
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        step(&visitor.send("POST", "/api/v1/journeys", &headers, Some(body)).await.ok(201)).to_owned()
    };
    for (number, host) in ["1", "ffff", "a:b:c:d"].iter().enumerate() {
        let from = if host.contains(':') { format!("2001:db8:1:2:{host}") } else { format!("2001:db8:1:2::{host}") };
        assert_eq!(asks(number, &from).await, "asking");
    }
    assert_eq!(asks(3, "2001:db8:1:2::77").await, "limited");
    assert_eq!(asks(4, "2001:db8:1:3::77").await, "asking");
    server.stop().await;
}

//! Who is signed in goes on as the same person on another of our hosts, by a code that is good once and for a minute.

use crate::login::{logs_in, post};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::json;

const ASHA: (&str, &str) = ("Asha", "9876543210");
const RAVI: (&str, &str) = ("Ravi", "8765432109");
const HERE: &str = "/points-of-sale";
const THERE: (&str, &str) = ("host", "pos.journey.example");

/// The product, of which `ours` are further origins.
async fn start(ours: &[&str]) -> TestServer {
    let files = all_definitions();
    let origins: Vec<String> = ours.iter().map(|origin| (*origin).to_owned()).collect();
    TestServer::start_with(files, move |settings| {
        settings.server.origins = origins;
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 100;
    })
    .await
}

/// Address to which the link of this visitor leads.
async fn led(visitor: &Visitor) -> String {
    let reply = visitor.get(&format!("{HERE}?x=3")).await;
    assert_eq!(reply.status, 302, "{}", reply.text());
    reply.header("location").to_owned()
}

/// Path and query of an address of the other host.
fn rest(address: &str) -> &str {
    address.strip_prefix("https://pos.journey.example").expect("the other host")
}

async fn opens(visitor: &Visitor, path: &str) -> Reply {
    visitor.send("GET", path, &[THERE], None).await
}

async fn presses(visitor: &Visitor, path: &str, origin: &str) -> Reply {
    let form = ("content-type", "application/x-www-form-urlencoded");
    visitor.send("POST", path, &[THERE, form, ("origin", origin)], Some(String::new())).await
}

const OURS: &str = "https://pos.journey.example";

async fn signs_in(server: &TestServer, visitor: &Visitor, (name, mobile): (&str, &str)) {
    logs_in(server, visitor, mobile).await;
    post(visitor, "iam/user-accounts", &[], json!({"first_name": name})).await.ok(200);
}

/// Who the account greets; empty: nobody is signed in.
async fn greeted(visitor: &Visitor) -> &'static str {
    let known = visitor.get("/api/v1/account/dashboard").await.status;
    let page = visitor.get("/dashboard").await.text();
    let name = ["Asha", "Ravi"].into_iter().find(|name| page.contains(&format!("Good to see you, {name}.")));
    assert_eq!(known, if name.is_some() { 200 } else { 401 });
    name.unwrap_or_default()
}

/// R2.1-18: the link carries `token=`, opening it only asks, the button signs in once; logged in is then the token
/// (R4-17) and the cookie (R6-02).
#[tokio::test(flavor = "multi_thread")]
async fn who_is_signed_in_goes_on_on_another_host_of_ours() {
    let server = start(&[OURS]).await;
    let visitor = server.visitor();
    assert_eq!(led(&visitor).await, format!("{OURS}/?x=3"), "nobody is signed in");
    signs_in(&server, &visitor, ASHA).await;
    let address = led(&visitor).await;
    assert!(address.starts_with(&format!("{OURS}/?x=3&token=once.")) && !address.contains(ASHA.1), "{address}");
    assert_ne!(led(&visitor).await, address, "each is another one");

    // Programs that open every address use nothing up, and get nothing.
    let there = server.visitor();
    for _ in 0..3 {
        let asked = opens(&there, rest(&address)).await;
        assert_eq!((asked.status, asked.header("set-cookie")), (200, ""));
        assert_eq!((asked.header("referrer-policy"), asked.header("cache-control")), ("same-origin", "no-store"));
        assert!(asked.text().contains("method=\"post\"") && !asked.text().contains(ASHA.1), "{}", asked.text());
        let masked = format!("*****{}", &ASHA.1[5..]);
        assert!(asked.text().contains(&masked), "it says whose account one enters: {}", asked.text());
    }
    assert_eq!(greeted(&there).await, "");
    assert_eq!(presses(&there, rest(&address), "https://evil.example").await.status, 403);
    let pressed = presses(&there, rest(&address), OURS).await;
    assert_eq!((pressed.status, pressed.header("location")), (303, "/?x=3"), "{}", pressed.text());
    assert_eq!(greeted(&there).await, "Asha");
    let page = opens(&there, "/").await.text();
    assert!(page.contains(&format!("\"token\":\"{}\"", there.cookie("authToken"))), "its menu opens too");
    assert_eq!(opens(&there, rest(&led(&visitor).await)).await.status, 303, "who is there already goes straight on");

    // Used once, by whomever.
    for again in [&there, &server.visitor()] {
        let used = presses(again, rest(&address), OURS).await;
        assert_eq!((used.status, used.header("set-cookie")), (404, ""), "{}", used.text());
    }
    server.stop().await;
}

/// After a minute, at another host, once its session is over, changed: the same page for each.
#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_good_for_a_minute_at_its_host_while_its_session_lives() {
    let server = start(&[OURS]).await;
    let visitor = server.visitor();
    signs_in(&server, &visitor, ASHA).await;
    let there = server.visitor();

    let late = led(&visitor).await;
    server.clock.advance(60_000);
    assert_eq!(presses(&there, rest(&late), OURS).await.status, 404);
    let address = led(&visitor).await;
    server.clock.advance(59_000);
    assert_eq!(opens(&there, rest(&address)).await.status, 200, "still good");
    let elsewhere = there.get(rest(&address)).await;
    assert_eq!(elsewhere.status, 404, "at this host: {}", elsewhere.text());
    for changed in [format!("{}A", rest(&address)), rest(&address).replace("once.", "once.A")] {
        assert_eq!(presses(&there, &changed, OURS).await.status, 404, "{changed}");
    }
    post(&visitor, "logout", &[], json!({})).await.ok(200);
    assert_eq!(presses(&there, rest(&address), OURS).await.status, 404, "its session is over");
    assert_eq!(greeted(&there).await, "");
    server.stop().await;
}

/// Who was another person there is not any more, and what that one began stays theirs.
#[tokio::test(flavor = "multi_thread")]
async fn another_person_is_signed_out_first() {
    let server = start(&[OURS]).await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    signs_in(&server, &asha, ASHA).await;
    signs_in(&server, &ravi, RAVI).await;
    let car = json!({"kind": "registered", "registration": "DL3CAB1234"});
    let his = ravi.start("motor/car", car).await.ok(201)["journey"]["id"].clone();
    let his = format!("/api/v1/journeys/{}", his.as_str().expect("a journey"));
    let before = ravi.moved(server.product.url());
    let address = led(&asha).await;
    assert_eq!(presses(&ravi, rest(&address), OURS).await.status, 303);
    assert_eq!(greeted(&ravi).await, "Asha");
    assert_eq!(ravi.get(&his).await.status, 404);
    assert_eq!(greeted(&before).await, "");
    server.stop().await;
}

/// A host that is not the operator's gets no code; and an agent's `token` (R7.1-07) is theirs as before.
#[tokio::test(flavor = "multi_thread")]
async fn others_get_no_code_and_keep_their_token() {
    let server = start(&[]).await;
    let visitor = server.visitor();
    signs_in(&server, &visitor, ASHA).await;
    assert_eq!(led(&visitor).await, format!("{OURS}/?x=3"));
    let agent = server.visitor();
    // R2.1-17: what an address says of an agent is read, and taken out of it
    let came = agent.get("/health-insurance?_aid=A7&_uid=A8&token=t9&x=3").await;
    assert_eq!((came.status, came.header("location")), (302, "/health-insurance?x=3"));
    let checked = post(&agent, "agent?path=%2Fhealth-insurance", &[], json!({})).await.ok(200);
    assert_eq!(checked["agent"], json!({"agentId": "A7", "uAgentId": "A8"}));
    server.stop().await;
}

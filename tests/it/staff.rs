//! Staff sign in with a second factor and act in their roles; a service token opens a request before its customer has
//! shown their number.

use crate::assisted::{at, start, with_contact};
use crate::login::logs_in;
use crate::passwords::code;
use engine_runtime::SetUp;
use hmac::{Hmac, KeyInit, Mac};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};
use sha1::Sha1;

pub(crate) use journey_tests::people::{comes_by, holds};

const MOBILE: &str = "9123456780";
const ROLE: &str = "call-centre";

/// The code that an authenticator app shows, set up with this address, at a time.
fn app_code(address: &str, now_ms: i64) -> String {
    let secret = address.split("secret=").nth(1).expect("a secret").split('&').next().expect("its text");
    let bits: Vec<bool> = secret
        .bytes()
        .map(|letter| if letter.is_ascii_digit() { letter - b'2' + 26 } else { letter - b'A' })
        .flat_map(|value| (0..5).rev().map(move |bit| (value >> bit) & 1 == 1))
        .collect();
    let key: Vec<u8> =
        bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| (sum << 1) | u8::from(*bit))).collect();
    let mut mac = Hmac::<Sha1>::new_from_slice(&key).expect("any key");
    mac.update(&(now_ms / 30_000).to_be_bytes());
    let bytes = mac.finalize().into_bytes();
    let at = usize::from(bytes[19] & 15);
    let number = u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// The page that asks for the code of the app.
async fn at_second(server: &TestServer, browser: &Visitor, mobile: &str) -> Value {
    let view = browser.start("account/staff", json!({"mobile": mobile})).await.ok(201);
    let view = at(server, browser, &view, "staff.otp.asking").await;
    let code = code(&server.product.runtime, view["journey"]["id"].as_str().expect("an id")).await;
    browser.event(&view, "submit", json!({"code": code})).await.ok(200)
}

/// Makes Asha one of the staff: what sets up the second factor.
async fn joins(server: &TestServer) -> SetUp {
    let people = &server.product.runtime.people;
    assert!(people.add_staff("asha", MOBILE, "customer", None).await.is_err(), "the program gives this role itself");
    assert!(people.add_staff("asha", MOBILE, "boss", None).await.is_err());
    let set_up = people.add_staff("asha", MOBILE, ROLE, None).await.expect("added").expect("new");
    let SetUp { address, recovery } = &set_up;
    assert!(address.starts_with("otpauth://totp/") && address.contains(":asha?secret="), "{address}");
    assert!(recovery.len() == 8 && recovery.iter().all(|code| code.len() == 19), "{}", recovery.len());
    assert_eq!(people.add_staff("asha", MOBILE, "health-agent", None).await.expect("added"), None, "shown once");
    let listed = people.staff().await.expect("a list");
    assert_eq!((listed[0].mobile.as_str(), listed[0].roles.len()), ("*****56780", 2));
    set_up
}

/// A code opens once, and five wrong ones close the door for a quarter of an hour, however they come.
async fn is_locked_out_for_a_while(server: &TestServer, address: &str, used: &str, wrong: &str) -> Visitor {
    let (now, other) = (|| server.product.runtime.now_ms(), server.visitor());
    let mut view = at_second(server, &other, MOBILE).await;
    for n in 0..6 {
        let given = if n == 0 { used } else { wrong };
        view = other.event(&view, "submit", json!({"code": given})).await.ok(200);
        let told = if n < 5 { "second.wrong" } else { "second.locked" };
        assert_eq!(view["messages"][0]["code"], told, "{n}");
    }
    view = other.event(&view, "submit", json!({"code": app_code(address, now())})).await.ok(200);
    assert_eq!(view["messages"][0]["code"], "second.locked");
    server.clock.advance(15 * 60_000 + 1_000);
    let view = other.event(&view, "submit", json!({"code": app_code(address, now())})).await.ok(200);
    assert_eq!(view["step"]["id"], "staff.in");
    other
}

/// Checks that a session of the staff ends after eight hours, and at once when an operator says so.
async fn ends(server: &TestServer, browser: &Visitor, other: &Visitor) {
    let (people, now) = (&server.product.runtime.people, || server.product.runtime.now_ms());
    assert_eq!(browser.get("/staff").await.status, 200);
    assert_eq!(people.revoke_staff(MOBILE).await.expect("revoked"), Some(2));
    assert_eq!((browser.get("/staff").await.status, other.get("/staff").await.status), (404, 404));
    let SetUp { address, .. } =
        people.add_staff("asha", MOBILE, ROLE, None).await.expect("added").expect("a new secret");
    let view = at_second(server, browser, MOBILE).await;
    browser.event(&view, "submit", json!({"code": app_code(&address, now())})).await.ok(200);
    server.clock.advance(8 * 3_600_000 - 60_000);
    assert_eq!(browser.get("/staff").await.status, 200);
    server.clock.advance(61_000);
    assert_eq!(browser.get("/staff").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_sign_in_with_a_second_factor_and_lose_it_all_at_once() {
    let server = start().await;
    let (SetUp { address, .. }, now) = (joins(&server).await, || server.product.runtime.now_ms());
    let browser = server.visitor();
    assert_eq!(browser.get("/staff").await.status, 404);
    let mut view = at_second(&server, &browser, MOBILE).await;
    assert_eq!(view["step"]["id"], "staff.second");
    let wrong = if app_code(&address, now()) == "000000" { "000001" } else { "000000" };
    for _ in 0..4 {
        view = browser.event(&view, "submit", json!({"code": wrong})).await.ok(200);
        assert_eq!(view["messages"][0]["code"], "second.wrong");
    }
    let (before, code) = (browser.cookie("__Host-session"), app_code(&address, now()));
    let view = browser.event(&view, "submit", json!({"code": code})).await.ok(200);
    assert_eq!(view["step"]["id"], "staff.in");
    assert_ne!(browser.cookie("__Host-session"), before, "the session is made anew");
    let desk = browser.get("/staff").await;
    assert!(desk.status == 200 && desk.text().contains("Your desk"), "{}", desk.status);

    let other = is_locked_out_for_a_while(&server, &address, &code, wrong).await;

    // Who is not of the staff may have a number and a code, and comes no further.
    let stranger = server.visitor();
    let view = at_second(&server, &stranger, "9000000001").await;
    let view = stranger.event(&view, "submit", json!({"code": app_code(&address, now())})).await.ok(200);
    assert_eq!(view["messages"][0]["code"], "second.wrong");
    assert_eq!(stranger.get("/staff").await.status, 404);

    ends(&server, &browser, &other).await;
    server.stop().await;
}

/// Who has lost the app signs in with a code that was printed for that, however it is typed, and each opens once.
#[tokio::test(flavor = "multi_thread")]
async fn a_recovery_code_stands_in_for_a_lost_app_once() {
    let server = start().await;
    let SetUp { recovery, .. } = joins(&server).await;
    let gives = async |code: &str| {
        server.clock.advance(60_000);
        let browser = server.visitor();
        let view = at_second(&server, &browser, MOBILE).await;
        let view = browser.event(&view, "lost", json!({})).await.ok(200);
        let view = browser.event(&view, "submit", json!({"recovery": code})).await.ok(200);
        (browser.get("/staff").await.status, view)
    };
    assert_eq!(gives("ABCD-EFGH-2345-6777").await.0, 404);
    let (status, view) = gives(&recovery[0].to_lowercase().replace('-', "")).await;
    assert!(status == 200 && view.to_string().contains("You have 7 recovery codes left"), "{view}");
    let (status, view) = gives(&recovery[0]).await;
    assert_eq!((status, &view["messages"][0]["code"]), (404, &json!("recovery.wrong")));
    assert_eq!(gives(&recovery[7]).await.0, 200);
    server.stop().await;
}

/// Begins with each of these sources, in a session that holds a token for it.
async fn begin_without_a_password(server: &TestServer, sources: &[String], token: &str) {
    for source in sources {
        let browser = server.visitor();
        comes_by(&browser, source).await;
        assert_eq!(holds(&browser, &"0".repeat(64)).await.status, 404);
        assert_eq!(holds(&browser, token).await.ok(200)["data"]["sources"].as_array().map(Vec::len), Some(5));
        let view = with_contact(server, &browser, "9812345670").await;
        assert_eq!(view["step"]["id"], "car.vehicle", "{source}: {view}");
    }
}

/// Checks that the customer is asked with another source, a token for another one, or no token at all.
async fn is_asked_all_the_same(server: &TestServer, token: &str, narrow: &str) {
    for (source, token) in [("google", Some(token)), ("inbound-jaipur", Some(narrow)), ("inbound", None)] {
        let browser = server.visitor();
        comes_by(&browser, source).await;
        if let Some(token) = token {
            holds(&browser, token).await.ok(200);
        }
        let view = with_contact(server, &browser, "9812345670").await;
        let asked = if token.is_some() { "car.contact.otp.inviting" } else { "car.contact.otp.asking" };
        assert_eq!(view["step"]["id"], asked, "{source}");
    }
}

/// R6-08: five sources skip the password of a request, in a session that holds a token for the source, nowhere else.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_centre_begins_without_the_password_and_she_confirms_later() {
    let server = start().await;
    let people = &server.product.runtime.people;
    let sources = ["inbound", "inbound-jaipur", "chatbot", "internal", "inbound-enser"].map(str::to_owned);
    assert!(people.new_service_token("dialer", ROLE, &["elsewhere".to_owned()], 8).await.is_err());
    let token = people.new_service_token("dialer", ROLE, &sources, 8).await.expect("a token");
    let narrow = people.new_service_token("narrow", ROLE, &sources[..1], 8).await.expect("a token");

    begin_without_a_password(&server, &sources, &token).await;
    is_asked_all_the_same(&server, &token, &narrow).await;
    // The login asks whoever it is.
    let browser = server.visitor();
    comes_by(&browser, "inbound").await;
    holds(&browser, &token).await.ok(200);
    let view = browser.start("account/login", json!({"mobile": "9812345671"})).await.ok(201);
    at(&server, &browser, &view, "login.otp.asking").await;

    // Nobody who signs in with that number sees what was begun, until they have confirmed it by the link.
    let view = with_contact(&server, &browser, "9812345672").await;
    let id = view["journey"]["id"].as_str().expect("an id").to_owned();
    let customer = server.visitor();
    logs_in(&server, &customer, "9812345672").await;
    assert_eq!(customer.get(&format!("/api/v1/journeys/{id}")).await.status, 404);
    let hers = customer.get("/api/v1/account/dashboard").await.ok(200);
    assert_eq!(hers["data"]["journeys"], json!([]));

    // The token's end is the session's.
    assert_eq!(browser.get("/staff").await.status, 200);
    assert_eq!(people.service_tokens().await.expect("a list").len(), 2);
    assert_eq!(people.revoke_service_tokens("dialer").await.expect("revoked"), 1);
    assert_eq!(browser.get("/staff").await.status, 404);
    assert_eq!(browser.get(&format!("/api/v1/journeys/{id}")).await.status, 404);
    let again = holds(&browser, &token).await;
    assert_eq!(again.status, 404);
    let browser = server.visitor();
    holds(&browser, &narrow).await.ok(200);
    server.clock.advance(8 * 3_600_000 + 1_000);
    assert_eq!(browser.get("/staff").await.status, 404);
    server.stop().await;
}

//! Who takes part: somebody in a role, who logs in, who follows a link or is let in. With the definitions that are
//! shipped.

use crate::server::{PATIENCE, Reply, TestServer, Visitor};
use engine_definitions::Who;
use engine_runtime::Runtime;
use engine_runtime::effect::NotifyPayload;
use engine_store::{EffectFilter, SessionRecord};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Names the program of a browser (R7.1-02).
const CLIENT: (&str, &str) = ("x-api-key", "journey-web");

/// A visitor in a session with this role.
pub async fn sitting(server: &TestServer, role: &str, n: u8) -> Visitor {
    sitting_for(server, role, n, 30 * 86_400_000).await
}

/// As [`sitting`], in a session that lasts so long.
pub async fn sitting_for(server: &TestServer, role: &str, n: u8, lasts_ms: i64) -> Visitor {
    let runtime = &server.product.runtime;
    match role {
        "visitor" | "operator" => server.visitor(),
        _ => {
            let (token, id) = (format!("{n:02x}").repeat(32), format!("{n:02x}").repeat(16));
            let (kind, person) = if role == "customer" { ("customer", Some("c".repeat(32))) } else { ("staff", None) };
            let now = runtime.now_ms();
            let session = SessionRecord {
                token_hash: hex(&Sha256::digest(token.as_bytes())[..16]),
                id: id.clone(),
                subject: json!({"kind": kind, "roles": [role], "person": person, "staff": id, "name": "asha"}),
                person,
                created_at_ms: now,
                used_at_ms: now,
                expires_at_ms: now + lasts_ms,
            };
            runtime.store().save_session(session).await.expect("saved");
            Visitor::holding(server.product.url(), "__Host-session", &token)
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The newest code of a journey, as the message carries it.
pub async fn code(runtime: &Runtime, journey: &str) -> String {
    let filter = EffectFilter { journey: Some(journey.into()), kind: Some("notify".into()), ..EffectFilter::default() };
    let order = runtime.store().effects(filter).await.expect("effects").pop().expect("a message");
    let payload: NotifyPayload = serde_json::from_value(order.payload).expect("a payload");
    runtime.work.otp_code(journey, &payload).expect("a code")
}

/// What the browser of a person computes.
pub fn solved(challenge: &Value) -> String {
    let (token, bits) = (challenge["token"].as_str().expect("a token"), challenge["bits"].as_u64().expect("bits"));
    let zeros = |text: &str| {
        let hash = Sha256::digest(text.as_bytes());
        u128::from_be_bytes(hash[..16].try_into().expect("16 bytes")).leading_zeros()
    };
    (0..).map(|n| format!("{token}.{n}")).find(|proof| u64::from(zeros(proof)) >= bits).expect("a proof")
}

/// The one-time password in the text of a message.
pub fn password_in(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()))
}

pub async fn post(visitor: &Visitor, call: &str, headers: &[(&str, &str)], body: Value) -> Reply {
    visitor.send("POST", &format!("/api/v1/{call}"), headers, Some(body.to_string())).await
}

/// Asks for a code; the reply of `otpLogin`.
pub async fn asks(visitor: &Visitor, mobile: &str) -> Value {
    let body = json!({"mobile": mobile, "source": "", "sub_source": ""});
    let refused = post(visitor, "otpLogin", &[CLIENT], body.clone()).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    let proof = solved(&refused.json()["challenge"]);
    post(visitor, "otpLogin", &[CLIENT, ("x-proof", &proof)], body).await.ok(200)
}

pub async fn verifies(visitor: &Visitor, mobile: &str, auth: &Value, otp: &str) -> Reply {
    let body = json!({"mobile": mobile, "source": "", "sub_source": "", "otp": otp, "authCode": auth});
    post(visitor, "verifyLoginOtp", &[CLIENT], body).await
}

pub async fn logs_in(server: &TestServer, visitor: &Visitor, mobile: &str) -> Value {
    server.clock.advance(1_000);
    let begun = asks(visitor, mobile).await;
    let journey = begun["journey"].as_str().expect("a journey");
    let code = code(&server.product.runtime, journey).await;
    verifies(visitor, mobile, &begun["authCode"], &code).await.ok(200)
}

/// What was sent to a number, the newest first.
pub async fn messages(server: &TestServer, mobile: &str) -> Vec<String> {
    let inbox = server.visitor().get(&format!("/sandbox/inbox.json?to={mobile}")).await.ok(200);
    let all = inbox["messages"].as_array().expect("messages").iter();
    all.map(|message| message["text"].as_str().expect("a text").to_owned()).collect()
}

/// Opens the address of a message and presses its button.
pub async fn follows(browser: &Visitor, message: &str) -> Reply {
    let code: String = message.split("/r/").nth(1).expect("a link").chars().take(22).collect();
    let form = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
    browser.send("POST", &format!("/r/{code}"), &form, Some(String::new())).await
}

/// A customer opens the link that was sent to this number, has a code sent, and shows that the number is theirs.
pub async fn confirms_by(server: &TestServer, mobile: &str, id: &str) -> Visitor {
    let phone = Visitor::holding(server.product.url(), "another", "phone");
    let link = async || messages(server, mobile).await.into_iter().find(|text| text.contains("/r/"));
    let link = server.until("the link", link).await;
    assert_eq!(follows(&phone, &link).await.status, 303);
    let view = phone.view(id).await;
    let asked = phone.event(&view, "open", json!({})).await.ok(200);
    let code = code(&server.product.runtime, id).await;
    phone.event(&asked, "submit", json!({"code": code})).await.ok(200);
    phone
}

/// The code that a customer is shown, as they read it out.
pub fn read_out(view: &Value) -> String {
    let text = view["messages"].as_array().expect("messages").iter().find(|one| one["code"] == "journey.invited");
    let text = text.expect("a code")["text"].as_str().expect("a text");
    text.split(": ").nth(1).expect("a code").chars().take(9).collect()
}

/// Somebody of the staff brings what a customer has read out.
pub async fn brings(advisor: &Visitor, code: &str) -> Reply {
    post(advisor, "take-over", &[], json!({"code": code})).await
}

/// The session comes by this source.
pub async fn comes_by(browser: &Visitor, source: &str) {
    browser.get(&format!("/car-insurance?source={source}")).await;
}

/// Holds a service token.
pub async fn holds(browser: &Visitor, token: &str) -> Reply {
    post(browser, "service-token", &[CLIENT], json!({"token": token})).await
}

/// Addresses that answer by who asks, and some that everybody has.
pub fn places(server: &TestServer) -> Vec<String> {
    let catalog = server.product.runtime.catalog();
    let asks = |who: Who| who != Who::Anyone;
    let pages = catalog.site("en").addresses().filter(|(_, address)| asks(address.page.who));
    let pages: Vec<String> = pages.map(|(path, _)| path.to_owned()).collect();
    let calls =
        catalog.endpoints().filter(|call| call.method == "GET" && asks(call.caller.who)).map(|call| call.path.clone());
    let flows = catalog.workflows().map(|flow| format!("/api/v1/workflows/{}/start", flow.id));
    let known = ["/api/v1/journeys", "/", "/car-insurance", "/bike-insurance"].map(str::to_owned);
    let all: BTreeSet<String> = pages.into_iter().chain(calls).chain(flows).chain(known).collect();
    all.into_iter().filter(|path| !path.contains('{')).collect()
}

/// Sends a file in its parts to where a journey takes uploads; its id, once it has been looked at.
pub async fn hands_in(visitor: &Visitor, url: &str, kind: &str, file: (&str, &[u8])) -> String {
    let (media, bytes) = file;
    let said = json!({"kind": kind, "name": kind, "size": bytes.len(), "type": media});
    let upload = visitor.send("POST", url, &[], Some(said.to_string())).await.ok(201);
    let id = upload["id"].as_str().expect("an id").to_owned();
    let (size, part_bytes) = (bytes.len(), upload["chunk_bytes"].as_u64().expect("a size") as usize);
    for (n, part) in bytes.chunks(part_bytes).enumerate() {
        let first = n * part_bytes;
        let range = format!("bytes {first}-{}/{size}", first + part.len() - 1);
        let headers = [("content-type", "application/octet-stream"), ("content-range", range.as_str())];
        visitor.send_bytes("PUT", &format!("{url}/{id}"), &headers, Some(part.to_vec())).await.ok(200);
    }
    let patience = std::time::Instant::now() + PATIENCE;
    loop {
        let upload = visitor.get(&format!("{url}/{id}")).await.ok(200);
        assert_ne!(upload["status"], "refused", "{kind}: {upload}");
        if upload["status"] == "ready" {
            return id;
        }
        assert!(std::time::Instant::now() < patience, "{kind} is not ready: {upload}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

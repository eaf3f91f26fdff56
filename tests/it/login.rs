//! Login with a number and a one-time password, what belongs to a person, logout.

use crate::passwords::{code, solved};
use engine_definitions::Files;
use engine_store::EffectFilter;
use journey_tests::server::{Reply, TestServer, Visitor};
use serde_json::{Value, json};
use std::path::Path;

const ASHA: &str = "9876543210";
const RAVI: &str = "8765432109";
const CLIENT: (&str, &str) = ("x-api-key", "journey-web");

async fn start() -> TestServer {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Files::read_dir(root).expect("the definitions are there");
    TestServer::start_with(files, |settings| {
        // What counts here are the tries of a code, not the requests of an address.
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 100;
    })
    .await
}

async fn post(visitor: &Visitor, call: &str, headers: &[(&str, &str)], body: Value) -> Reply {
    visitor.send("POST", &format!("/api/v1/{call}"), headers, Some(body.to_string())).await
}

/// Asks for a code; the reply of `otpLogin`.
async fn asks(visitor: &Visitor, mobile: &str) -> Value {
    let body = json!({"mobile": mobile, "source": "", "sub_source": ""});
    let refused = post(visitor, "otpLogin", &[CLIENT], body.clone()).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    let proof = solved(&refused.json()["challenge"]);
    post(visitor, "otpLogin", &[CLIENT, ("x-proof", &proof)], body).await.ok(200)
}

/// The code of the login that was begun last.
async fn sent(server: &TestServer) -> String {
    let filter = EffectFilter { kind: Some("notify".into()), ..EffectFilter::default() };
    let effects = server.product.runtime.store().effects(filter).await.expect("effects");
    let newest = effects.into_iter().max_by_key(|effect| effect.created_at_ms).expect("a message");
    code(&server.product.runtime, &newest.key.journey).await
}

async fn verifies(visitor: &Visitor, mobile: &str, auth: &Value, otp: &str) -> Reply {
    let body = json!({"mobile": mobile, "source": "", "sub_source": "", "otp": otp, "authCode": auth});
    post(visitor, "verifyLoginOtp", &[CLIENT], body).await
}

pub(crate) async fn logs_in(server: &TestServer, visitor: &Visitor, mobile: &str) -> Value {
    server.clock.advance(1_000);
    let begun = asks(visitor, mobile).await;
    verifies(visitor, mobile, &begun["authCode"], &sent(server).await).await.ok(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_and_its_code_open_an_account_until_the_logout() {
    let server = start().await;
    let visitor = server.visitor();
    let number = |mobile: &str| json!({"mobile": mobile, "source": "", "sub_source": ""});

    // R7.1-02: who does not name its program, or has not worked for it, is refused; R5-15: so is a wrong number.
    assert_eq!(post(&visitor, "otpLogin", &[], number(ASHA)).await.code(), "client");
    assert_eq!(post(&visitor, "otpLogin", &[CLIENT], number(ASHA)).await.code(), "proof");
    let wrong = post(&visitor, "otpLogin", &[CLIENT], number("12345")).await;
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["text"]), (422, &json!("Invalid mobile number.")));

    // R7.1-03, R3-11
    let begun = asks(&visitor, ASHA).await;
    assert_eq!((&begun["statusCode"], &begun["status"]), (&json!(200), &json!("T")));
    let (auth, otp) = (begun["authCode"].clone(), sent(&server).await);
    let anonymous = visitor.cookie("__Host-session");

    // R5-17, R7.1-04: six digits, the right ones, with the code of this very login, in this very session.
    for given in ["", "abcdef", "12345", "1234567"] {
        assert_eq!(verifies(&visitor, ASHA, &auth, given).await.status, 422, "{given}");
    }
    let other = if otp == "000000" { "000001" } else { "000000" };
    let refused = verifies(&visitor, ASHA, &auth, other).await;
    assert_eq!(refused.json()["errors"][0]["text"], "That code is not right. Tries left: 4.");
    assert_eq!(verifies(&visitor, ASHA, &json!("another"), &otp).await.status, 404);
    assert_eq!(verifies(&server.visitor(), ASHA, &auth, &otp).await.status, 404);
    assert_eq!(visitor.get("/api/v1/account/dashboard").await.code(), "sign_in");
    let done = verifies(&visitor, ASHA, &auth, &otp).await.ok(200);
    let token = done["data"]["token"].as_str().expect("a token");
    assert!(!token.is_empty() && visitor.cookie("authToken") == token);
    assert_ne!(visitor.cookie("__Host-session"), anonymous, "the session is made anew");

    // R2.4-61, R7.1-09, R7.1-10
    let page = visitor.get("/dashboard").await;
    assert!(page.status == 200 && page.text().contains("\"own\":{\"title\":\"Your account\""), "{}", page.text());
    for call in ["dashboard", "policy-details", "tracker"] {
        assert_eq!(visitor.get(&format!("/api/v1/account/{call}")).await.ok(200)["status"], "T");
        assert_eq!(server.visitor().get(&format!("/api/v1/account/{call}")).await.status, 401);
    }
    // What a browser keeps is worth nothing without the session.
    let thief = [("cookie", &*format!("authToken={token}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &thief, None).await.status, 401);
    let before = [("cookie", &*format!("__Host-session={anonymous}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &before, None).await.status, 401);
    // A code opens once.
    assert_eq!(verifies(&visitor, ASHA, &auth, &otp).await.status, 409);

    // R2.4-62: what she says of herself is hers alone
    let said = json!({"first_name": "Asha", "email": "asha@example.com"});
    let kept = post(&visitor, "iam/user-accounts", &[], said.clone()).await.ok(200);
    assert_eq!(kept["data"]["firstName"], "Asha");
    assert_eq!(post(&server.visitor(), "iam/user-accounts", &[], said).await.status, 401);
    assert_eq!(post(&visitor, "iam/user-accounts", &[], json!({"first_name": ""})).await.status, 422);
    assert!(visitor.get("/editProfile").await.text().contains("asha@example.com"));

    // R7.1-05, R4-18
    let session = visitor.cookie("__Host-session");
    assert_eq!(post(&visitor, "logout", &[], json!({})).await.ok(200), json!({"statusCode": 200, "status": "T"}));
    assert_eq!((visitor.cookie("__Host-session"), visitor.cookie("authToken")), (String::new(), String::new()));
    let ended = [("cookie", &*format!("__Host-session={session}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &ended, None).await.status, 401);
    let page = visitor.get("/dashboard").await.text();
    assert!(page.contains("\"login\":true") && !page.contains("\"own\""), "{page}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_with_a_number_belongs_to_whoever_shows_that_it_is_hers() {
    let server = start().await;
    let (earlier, asha, ravi) = (server.visitor(), server.visitor(), server.visitor());
    let lead = json!({"name": "Asha Rao", "mobile": ASHA, "pincode": "110001", "consent": true});
    let view = earlier.start("health/advisor-at-home", lead).await.ok(201);
    let journey = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let path = format!("/api/v1/journeys/{journey}");
    let mine = async |visitor: &Visitor| {
        let account = visitor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
        account["journeys"].as_array().expect("journeys").iter().any(|one| one["id"] == journey.as_str())
    };
    let view = server
        .until("the password", async || {
            Some(earlier.view(&journey).await)
                .filter(|view| view["step"]["path"] == "otp" && view["step"]["form"].is_object())
        })
        .await;

    logs_in(&server, &asha, ASHA).await;
    assert!(!mine(&asha).await, "nobody has shown that the number is hers");
    assert_eq!(asha.get(&path).await.status, 404);
    let otp = code(&server.product.runtime, &journey).await;
    earlier.event(&view, "submit", json!({"code": otp})).await.ok(200);

    assert!(mine(&asha).await, "on every device of hers");
    assert_eq!(asha.get(&path).await.status, 200);
    assert_eq!(earlier.get(&path).await.status, 200, "and where it was begun");
    logs_in(&server, &ravi, RAVI).await;
    assert!(!mine(&ravi).await, "R6-02");
    assert_eq!(ravi.get(&path).await.status, 404, "R6-02");

    // What she begins while she is logged in is hers wherever she logs in.
    let lead = json!({"name": "Asha Rao", "mobile": RAVI, "pincode": "110001", "consent": true});
    let begun = asha.start("health/advisor-at-home", lead).await.ok(201);
    let path = format!("/api/v1/journeys/{}", begun["journey"]["id"].as_str().expect("a journey"));
    let elsewhere = server.visitor();
    logs_in(&server, &elsewhere, ASHA).await;
    assert_eq!((elsewhere.get(&path).await.status, ravi.get(&path).await.status), (200, 404));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_wrong_codes_at_once_five_are_looked_at() {
    let server = start().await;
    let visitor = server.visitor();
    let begun = asks(&visitor, ASHA).await;
    let otp = sent(&server).await;
    let wrong = if otp == "000000" { "000001" } else { "000000" };
    let tries = (0..64).map(|_| verifies(&visitor, ASHA, &begun["authCode"], wrong));
    let all = futures::future::join_all(tries).await;
    let counted = |reply: &&Reply| reply.status == 422 && reply.text().contains("Tries left");
    assert!(all.iter().filter(counted).count() <= 5 && all.iter().all(|reply| reply.status >= 400));
    let mut last = verifies(&visitor, ASHA, &begun["authCode"], &otp).await;
    // Until none are left the right one still opens; afterwards it does not.
    if last.status == 200 {
        server.clock.advance(1_000);
        let begun = asks(&visitor, ASHA).await;
        let otp = sent(&server).await;
        for _ in 0..5 {
            verifies(&visitor, ASHA, &begun["authCode"], if otp == wrong { "111111" } else { wrong }).await;
        }
        last = verifies(&visitor, ASHA, &begun["authCode"], &otp).await;
    }
    assert_eq!(last.status, 422, "{}", last.text());
    server.stop().await;
}

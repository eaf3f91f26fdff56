//! Login with a number and a one-time password, what belongs to a person, logout.

use crate::passwords::{code, solved};
use engine_store::EffectFilter;
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

use journey_tests::people::verifies;
pub(crate) use journey_tests::people::{asks, logs_in, post};

pub(crate) const ASHA: &str = "9876543210";
pub(crate) const RAVI: &str = "8765432109";
const CLIENT: (&str, &str) = ("x-api-key", "journey-web");

pub(crate) async fn start() -> TestServer {
    let files = all_definitions();
    TestServer::start_with(files, |settings| {
        // What counts here are the tries of a code, not the requests of an address.
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 100;
    })
    .await
}

/// The code of the login that was begun last.
async fn sent(server: &TestServer) -> String {
    let filter = EffectFilter { kind: Some("notify".into()), ..EffectFilter::default() };
    let effects = server.product.runtime.store().effects(filter).await.expect("effects");
    let newest = effects.into_iter().max_by_key(|effect| effect.created_at_ms).expect("a message");
    code(&server.product.runtime, &newest.key.journey).await
}

/// R7.1-02: who does not name its program, or has not worked for it, is refused; R5-15: so is a wrong number.
async fn are_refused_a_code(visitor: &Visitor) {
    let number = |mobile: &str| json!({"mobile": mobile, "source": "", "sub_source": ""});
    assert_eq!(post(visitor, "otpLogin", &[], number(ASHA)).await.code(), "client");
    assert_eq!(post(visitor, "otpLogin", &[CLIENT], number(ASHA)).await.code(), "proof");
    let wrong = post(visitor, "otpLogin", &[CLIENT], number("12345")).await;
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["text"]), (422, &json!("Invalid mobile number.")));
}

/// R5-17, R7.1-04: six digits, the right ones, with the code of this very login, in this very session.
async fn opens_nothing_else(server: &TestServer, visitor: &Visitor, auth: &Value, otp: &str) {
    for given in ["", "abcdef", "12345", "1234567"] {
        assert_eq!(verifies(visitor, ASHA, auth, given).await.status, 422, "{given}");
    }
    let other = if otp == "000000" { "000001" } else { "000000" };
    let refused = verifies(visitor, ASHA, auth, other).await;
    assert_eq!(refused.json()["errors"][0]["text"], "That code isn't right. Tries left: 4.");
    assert_eq!(verifies(visitor, ASHA, &json!("another"), otp).await.status, 404);
    assert_eq!(verifies(&server.visitor(), ASHA, auth, otp).await.status, 404);
    assert_eq!(visitor.get("/api/v1/account/dashboard").await.code(), "sign_in");
}

/// R2.4-61, R7.1-09, R7.1-10
async fn has_an_account(server: &TestServer, visitor: &Visitor) {
    let page = visitor.get("/dashboard").await;
    assert!(page.status == 200 && page.text().contains("\"own\":{\"title\":\"Your account\""), "{}", page.text());
    for call in ["dashboard", "policy-details", "tracker"] {
        assert_eq!(visitor.get(&format!("/api/v1/account/{call}")).await.ok(200)["status"], "T");
        assert_eq!(server.visitor().get(&format!("/api/v1/account/{call}")).await.status, 401);
    }
}

/// R2.4-62: what a person says about themselves is theirs alone.
async fn says_who_she_is(server: &TestServer, visitor: &Visitor) {
    let said = json!({"first_name": "Asha", "email": "asha@example.com"});
    let kept = post(visitor, "iam/user-accounts", &[], said.clone()).await.ok(200);
    assert_eq!(kept["data"]["firstName"], "Asha");
    assert_eq!(post(&server.visitor(), "iam/user-accounts", &[], said).await.status, 401);
    assert_eq!(post(visitor, "iam/user-accounts", &[], json!({"first_name": ""})).await.status, 422);
    assert!(visitor.get("/editProfile").await.text().contains("asha@example.com"));
}

/// R7.1-05, R4-18
async fn logs_out(visitor: &Visitor) {
    let session = visitor.cookie("__Host-session");
    let out = post(visitor, "logout", &[], json!({})).await;
    assert_eq!(out.ok(200), json!({"statusCode": 200, "status": "T"}));
    assert_eq!(out.header("clear-site-data"), "\"cache\"");
    assert_eq!((visitor.cookie("__Host-session"), visitor.cookie("authToken")), (String::new(), String::new()));
    let ended = [("cookie", &*format!("__Host-session={session}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &ended, None).await.status, 401);
    let page = visitor.get("/dashboard").await.text();
    assert!(page.contains("\"login\":true") && !page.contains("\"own\""), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_and_its_code_open_an_account_until_the_logout() {
    let server = start().await;
    let visitor = server.visitor();
    are_refused_a_code(&visitor).await;

    // R7.1-03, R3-11
    let begun = asks(&visitor, ASHA).await;
    assert_eq!((&begun["statusCode"], &begun["status"]), (&json!(200), &json!("T")));
    let (auth, otp) = (begun["authCode"].clone(), sent(&server).await);
    let anonymous = visitor.cookie("__Host-session");

    opens_nothing_else(&server, &visitor, &auth, &otp).await;
    let done = verifies(&visitor, ASHA, &auth, &otp).await.ok(200);
    let token = done["data"]["token"].as_str().expect("a token");
    assert!(!token.is_empty() && visitor.cookie("authToken") == token);
    assert_ne!(visitor.cookie("__Host-session"), anonymous, "the session is made anew");

    has_an_account(&server, &visitor).await;
    // What a browser keeps is worth nothing without the session.
    let thief = [("cookie", &*format!("authToken={token}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &thief, None).await.status, 401);
    let before = [("cookie", &*format!("__Host-session={anonymous}"))];
    assert_eq!(visitor.send("GET", "/api/v1/account/dashboard", &before, None).await.status, 401);
    // A code opens once.
    assert_eq!(verifies(&visitor, ASHA, &auth, &otp).await.status, 409);

    says_who_she_is(&server, &visitor).await;
    logs_out(&visitor).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_stays_open_hears_nothing_more_after_the_logout() {
    let server = start().await;
    let (left, at_home) = (server.visitor(), server.visitor());
    logs_in(&server, &left, ASHA).await;
    logs_in(&server, &at_home, ASHA).await;
    let view = left.start("motor/car", json!({"kind": "registered", "registration": "dl3cab1234"})).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let asked = async || {
        let view = at_home.view(&id).await;
        (view["step"]["id"] == "car.contact.asking").then_some(view)
    };
    let view = server.until("her contact", asked).await;
    let mut changes = left.stream(&id).await;
    changes.next().await.expect("where it is");
    post(&left, "logout", &[], json!({})).await.ok(200);
    let contact = json!({"name": "Asha Rao", "mobile": ASHA, "consent": true});
    at_home.event(&view, "submit", contact).await.ok(200);
    assert_eq!(changes.next().await, None);
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

    // What the customer begins while logged in is theirs wherever they log in.
    let lead = json!({"name": "Asha Rao", "mobile": RAVI, "pincode": "110001", "consent": true});
    let begun = asha.start("health/advisor-at-home", lead).await.ok(201);
    let path = format!("/api/v1/journeys/{}", begun["journey"]["id"].as_str().expect("a journey"));
    let elsewhere = server.visitor();
    logs_in(&server, &elsewhere, ASHA).await;
    assert_eq!((elsewhere.get(&path).await.status, ravi.get(&path).await.status), (200, 404));
    server.stop().await;
}

const HOME_VISIT: &str = "health/advisor-at-home";

fn visit(name: &str, mobile: &str) -> Value {
    json!({"name": name, "mobile": mobile, "pincode": "110001", "consent": true})
}

/// Begins one, and waits until the code is asked for, or the address where none is needed.
async fn begins_visit(server: &TestServer, visitor: &Visitor, name: &str, mobile: &str) -> Value {
    let begun = visitor.start(HOME_VISIT, visit(name, mobile)).await.ok(201);
    let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
    let stands = async || Some(visitor.view(&journey).await).filter(|view| view["step"]["form"].is_object());
    server.until("a form", stands).await
}

async fn shows_code(server: &TestServer, visitor: &Visitor, view: &Value, stays: bool) -> Reply {
    let code = code(&server.product.runtime, view["journey"]["id"].as_str().expect("an id")).await;
    visitor.event(view, "submit", json!({"code": code, "stays": stays})).await
}

/// Which journeys the account of who is signed in lists.
async fn listed(visitor: &Visitor) -> Vec<String> {
    let account = visitor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    let all = account["journeys"].as_array().expect("journeys").iter();
    all.map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

fn set_cookies(reply: &Reply) -> Vec<String> {
    reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().expect("text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_shows_her_number_in_a_journey_is_signed_in_until_the_browser_is_closed() {
    let server = start().await;
    for stays in [false, true] {
        let visitor = server.visitor().moved(server.product.url());
        let mobile = if stays { RAVI } else { ASHA };
        let view = begins_visit(&server, &visitor, "Asha Rao", mobile).await;
        let before = visitor.cookie("__Host-session");
        let shown = shows_code(&server, &visitor, &view, stays).await;
        assert_eq!(shown.ok(200)["step"]["path"], "address");
        assert_ne!(visitor.cookie("__Host-session"), before, "the session is made anew");
        assert_eq!(shown.header("signed-in"), visitor.cookie("authToken"), "its page hears of it");
        for cookie in set_cookies(&shown).iter().filter(|cookie| !cookie.contains("=;")) {
            assert_eq!(cookie.contains("Max-Age"), stays, "{cookie}");
        }
        let journey = view["journey"]["id"].as_str().expect("an id").to_owned();
        assert_eq!(listed(&visitor).await, [journey]);

        // The customer is asked nothing twice: name and number stand in the form, and no code is sent.
        let first = visitor.get(&format!("/api/v1/workflows/{HOME_VISIT}/start")).await.ok(200);
        let data = &first["step"]["form"]["data"];
        assert_eq!((&data["name"], &data["mobile"]), (&json!("Asha Rao"), &json!(mobile)));
        let again = begins_visit(&server, &visitor, "Asha Rao", mobile).await;
        assert_eq!(again["step"]["path"], "address", "{again}");
        let filter = EffectFilter { kind: Some("notify".into()), ..EffectFilter::default() };
        let effects = server.product.runtime.store().effects(filter).await.expect("effects");
        assert!(effects.iter().all(|effect| again["journey"]["id"] != effect.key.journey.as_str()));
        server.clock.advance(1_000);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_repeats_the_request_because_its_answer_was_lost_is_signed_in_all_the_same() {
    let server = start().await;
    let visitor = server.visitor();
    let view = begins_visit(&server, &visitor, "Asha Rao", ASHA).await;
    let runtime = &server.product.runtime;
    let token = visitor.cookie("__Host-session");
    let actor = runtime.people.session(&token).await.expect("a session").expect("a visitor");
    let id = view["journey"]["id"].as_str().expect("an id");
    let data = json!({"code": code(runtime, id).await});
    let revision = view["journey"]["revision"].as_i64().expect("a number");
    let send = engine_runtime::Send { key: "lost".into(), revision, kind: "submit".into(), data, shown: None };
    let first = runtime.journeys.send(&actor, id, send.clone()).await.expect("sent");
    let again = runtime.journeys.send(&actor, id, send).await.expect("sent again");
    assert!(first.signs_in.is_some() && again.repeated);
    assert_eq!(again.signs_in, first.signs_in);
    server.stop().await;
}

/// R6-10: of a browser that two share, each has what their own number has proved.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_number_proved_in_this_browser_is_not_shown_to_who_signs_in() {
    let server = start().await;
    let (shared, ravi_at_home, asha_at_home) = (server.visitor(), server.visitor(), server.visitor());
    let callback = shared.start("leads/callback", json!({"name": "Somebody", "mobile": RAVI})).await.ok(201);
    let unproved = callback["journey"]["id"].as_str().expect("an id").to_owned();
    let third = shared.start("leads/callback", json!({"name": "Zoya Khan", "mobile": "9812300099"})).await.ok(201);
    let third = third["journey"]["id"].as_str().expect("an id").to_owned();
    let view = begins_visit(&server, &shared, "Asha Rao", ASHA).await;
    shows_code(&server, &shared, &view, false).await.ok(200);
    let hers = view["journey"]["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/journeys/{hers}");

    logs_in(&server, &shared, RAVI).await;
    assert_eq!(listed(&shared).await, [unproved.as_str()], "what was begun for this number goes along");
    let mine = shared.get("/api/v1/journeys").await.ok(200);
    assert!(!mine.to_string().contains(&hers), "{mine}");
    assert_eq!(shared.get(&path).await.status, 404);
    assert_eq!(shared.event(&view, "back", json!({})).await.status, 404);
    let export = shared.get("/api/v1/account/export").await.text();
    assert!(!export.contains(&hers) && !export.contains("Asha Rao") && !export.contains(ASHA), "{export}");
    // what nobody has proved is no more of who signs in than what somebody has
    assert_eq!(shared.get(&format!("/api/v1/journeys/{third}")).await.status, 404);
    assert!(!mine.to_string().contains(&third) && !export.contains("Zoya") && !export.contains("9812300099"));

    logs_in(&server, &ravi_at_home, RAVI).await;
    assert!(listed(&ravi_at_home).await.is_empty());
    logs_in(&server, &asha_at_home, ASHA).await;
    assert_eq!(listed(&asha_at_home).await, [hers.as_str()], "nothing is lost");
    // The journey is locked behind its own code, in the same browser too.
    server.clock.advance(1_000);
    logs_in(&server, &shared, ASHA).await;
    assert_eq!(shared.get(&path).await.status, 200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_another_number_is_that_number_s() {
    let server = start().await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    let view = begins_visit(&server, &asha, "Ravi Das", RAVI).await;
    assert_eq!(view["step"]["path"], "otp", "another number needs its own code");
    let id = view["journey"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(listed(&asha).await, [id.as_str()]);
    let shown = shows_code(&server, &asha, &view, false).await.ok(200);
    assert_eq!(shown["step"]["path"], "address", "it goes on");
    assert_eq!(asha.view(&id).await["step"]["path"], "address", "as the person who has shown the number");
    logs_in(&server, &ravi, RAVI).await;
    assert_eq!(listed(&ravi).await, [id.as_str()]);
    let asha_again = server.visitor();
    logs_in(&server, &asha_again, ASHA).await;
    assert!(listed(&asha_again).await.is_empty());
    assert_eq!(asha_again.get(&format!("/api/v1/journeys/{id}")).await.status, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_after_ninety_days_however_much_it_is_used() {
    let server = start().await;
    let asha = server.visitor();
    logs_in(&server, &asha, ASHA).await;
    for _ in 0..4 {
        server.clock.advance(20 * 86_400_000);
        asha.get("/api/v1/account/dashboard").await.ok(200);
    }
    server.clock.advance(10 * 86_400_000);
    assert_eq!(asha.get("/api/v1/account/dashboard").await.code(), "sign_in");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_code_is_sent_to_a_browser_that_keeps_no_cookies() {
    let server = start().await;
    let body = json!({"mobile": ASHA, "source": "", "sub_source": ""});
    let refused = post(&server.visitor(), "otpLogin", &[CLIENT], body.clone()).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "proof"));
    assert!(set_cookies(&refused).iter().any(|cookie| cookie.starts_with("__Host-way-back=1")), "it may come back");
    let proof = solved(&refused.json()["challenge"]);
    let without = post(&server.visitor(), "otpLogin", &[CLIENT, ("x-proof", &proof)], body).await;
    assert_eq!((without.status, without.code().as_str()), (403, "cookies"));

    // Nor by a journey that would send one; a call back needs none.
    let begins = async |workflow: &str, data: Value| {
        let start = json!({"workflow": workflow, "data": data}).to_string();
        let headers = [("x-cookies", "off"), ("idempotency-key", "8f14e45f-ceea-467f-a8d6-1b2c3d4e5f60")];
        server.visitor().send("POST", "/api/v1/journeys", &headers, Some(start)).await
    };
    let visit = begins(HOME_VISIT, visit("Asha Rao", ASHA)).await;
    assert_eq!((visit.status, visit.code().as_str()), (403, "cookies"));
    begins("leads/callback", json!({"name": "Asha Rao", "mobile": ASHA})).await.ok(201);
    let inbox = server.visitor().get(&format!("/sandbox/inbox.json?to={ASHA}")).await.ok(200);
    assert_eq!(inbox["messages"], json!([]));
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

/// Sessions in which this person is signed in: name, device, and whether it asks itself.
async fn sessions(visitor: &Visitor) -> Vec<(String, String, bool)> {
    let page = visitor.get("/dashboard").await.text();
    let boot = page.split_once("id=\"boot\">").expect("what the browser begins with").1;
    let boot = boot.split_once("</script>").expect("its end").0;
    let boot: Value = serde_json::from_str(boot).expect("JSON");
    let blocks = boot["own"]["blocks"].as_array().cloned().unwrap_or_default();
    let block = |kind: &str| blocks.iter().find(|block| block["block"] == kind).cloned().unwrap_or_default();
    let others = block("actions")["items"].as_array().cloned().unwrap_or_default();
    let mut names = others.iter().filter_map(|item| item["data"]["session"].as_str());
    let rows = block("table")["rows"].as_array().cloned().unwrap_or_default();
    let all = rows.iter().map(|row| {
        let device = row[0].as_str().expect("a device").to_owned();
        let this = device.ends_with("this one");
        (if this { "" } else { names.next().expect("a button") }.to_owned(), device, this)
    });
    all.collect()
}

/// Signs in with two browsers, one after the other.
async fn signs_in_on(server: &TestServer, phone: &Visitor, desk: &Visitor) {
    let agents = [
        (phone, "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"),
        (desk, "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"),
    ];
    for (visitor, agent) in agents {
        server.clock.advance(3_600_000);
        let begun = asks(visitor, ASHA).await;
        let body = json!({"mobile": ASHA, "source": "", "sub_source": "", "otp": sent(server).await,
            "authCode": begun["authCode"]});
        post(visitor, "verifyLoginOtp", &[CLIENT, ("user-agent", agent)], body).await.ok(200);
    }
}

/// What was used last stands first, to the hour.
async fn are_shown_by_use(server: &TestServer, phone: &Visitor, desk: &Visitor) {
    server.clock.advance(2 * 3_600_000);
    desk.get("/api/v1/account/dashboard").await.ok(200);
    server.clock.advance(1);
    assert_eq!(sessions(phone).await.iter().position(|(_, _, this)| *this), Some(0), "looking is using");
    server.clock.advance(2 * 3_600_000);
    desk.get("/api/v1/account/dashboard").await.ok(200);
    assert!(sessions(desk).await[0].2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_her_sessions_and_ends_them() {
    let server = start().await;
    let (phone, desk, ravi) = (server.visitor(), server.visitor(), server.visitor());
    signs_in_on(&server, &phone, &desk).await;
    logs_in(&server, &ravi, RAVI).await;
    let seen = sessions(&desk).await;
    let shown: Vec<_> = seen.iter().map(|(_, device, this)| (device.as_str(), *this)).collect();
    assert_eq!(shown, [("Firefox on Linux, this one", true), ("Chrome on Android", false)]);
    assert_eq!(sessions(&ravi).await.len(), 1);

    // Nobody ends what is not theirs, by this name or by the session's own.
    let one = json!({"session": seen[1].0});
    assert_eq!(post(&ravi, "iam/sign-out", &[], one.clone()).await.status, 404);
    assert_eq!(post(&server.visitor(), "iam/sign-out", &[], one.clone()).await.code(), "sign_in");
    assert_eq!(phone.get("/api/v1/account/dashboard").await.status, 200);
    let token = phone.cookie("__Host-session");
    assert_eq!(post(&desk, "iam/sign-out", &[], json!({"session": token})).await.status, 404);

    // One of the person's sessions ends at once, on the other device too.
    post(&desk, "iam/sign-out", &[], one).await.ok(200);
    assert_eq!((sessions(&desk).await.len(), phone.get("/api/v1/account/dashboard").await.status), (1, 401));

    logs_in(&server, &phone, ASHA).await;
    are_shown_by_use(&server, &phone, &desk).await;

    // Everywhere: this one too, with its cookies.
    post(&desk, "iam/sign-out-everywhere", &[], json!({})).await.ok(200);
    assert_eq!((desk.cookie("__Host-session"), desk.cookie("authToken")), (String::new(), String::new()));
    for visitor in [&desk, &phone] {
        assert_eq!(visitor.get("/api/v1/account/dashboard").await.status, 401);
    }
    assert_eq!(ravi.get("/api/v1/account/dashboard").await.status, 200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_no_longer_signed_in_is_told_why() {
    let server = start().await;
    let (asha, elsewhere) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    let lead = json!({"name": "Asha Rao", "mobile": RAVI, "pincode": "110001", "consent": true});
    let view = asha.start("health/advisor-at-home", lead).await.ok(201);
    let path = format!("/api/v1/journeys/{}", view["journey"]["id"].as_str().expect("a journey"));
    let stranger = server.visitor();
    stranger.start("health/advisor-at-home", json!({"name": "", "mobile": RAVI})).await;
    asks(&stranger, RAVI).await;
    let (mark, session) = (asha.cookie("authToken"), asha.cookie("__Host-session"));
    logs_in(&server, &elsewhere, ASHA).await;
    post(&elsewhere, "iam/sign-out-everywhere", &[], json!({})).await.ok(200);
    let nobody = stranger.cookie("__Host-session");

    // R8-12: no session, one that is over, one of nobody, what is none of ours.
    let cases = [
        (String::new(), "MIDOTT004"),
        (format!("; __Host-session={session}"), "MIDOTT006"),
        (format!("; __Host-session={nobody}"), "MIDOTT007"),
        ("; __Host-session=old".to_owned(), "MIDOTT008"),
    ];
    for (cookie, code) in cases {
        let marked = format!("authToken={mark}{cookie}");
        for call in ["/api/v1/account/dashboard", &path] {
            let refused = server.visitor().send("GET", call, &[("cookie", &marked)], None).await;
            let told = refused.json()["errors"][0]["code"].clone();
            assert_eq!((refused.status, refused.code().as_str(), told), (401, "sign_in", json!(code)), "{call}");
        }
        // Who never was: nothing is there.
        let unmarked = format!("x=1{cookie}");
        let refused = server.visitor().send("GET", &path, &[("cookie", &unmarked)], None).await;
        assert_eq!(refused.status, 404, "{code}");
    }
    server.stop().await;
}

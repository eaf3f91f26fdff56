//! Whose a number is: one that many use, another one for the same person, and one that was given to somebody else.

use crate::login::{ASHA, RAVI, logs_in, post, start};
use crate::passwords::code;
use journey_tests::server::{Reply, TestServer, Visitor};
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;
const BORN: &str = "1990-05-04";

async fn account(visitor: &Visitor) -> Value {
    visitor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone()
}

/// Gives who is logged in a name, a birthday, and a call that they asked for.
async fn settles(visitor: &Visitor, mobile: &str) -> String {
    let said = json!({"first_name": "Asha", "dob": BORN});
    post(visitor, "iam/user-accounts", &[], said).await.ok(200);
    asks_for_a_call(visitor, "Asha Rao", mobile).await
}

async fn asks_for_a_call(visitor: &Visitor, name: &str, mobile: &str) -> String {
    let view = visitor.start("leads/callback", json!({"name": name, "mobile": mobile})).await.ok(201);
    view["journey"]["id"].as_str().expect("a journey").to_owned()
}

/// Up to the code of a flow that asks for a number first; what came of the code.
async fn shows_number(server: &TestServer, visitor: &Visitor, workflow: &str, data: Value) -> (String, Reply) {
    server.clock.advance(1_000);
    let begun = visitor.start(workflow, data).await.ok(201);
    let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
    let is_asked = |view: &Value| view["step"]["path"] == "otp" && view["step"]["form"].is_object();
    let asked = async || Some(visitor.view(&journey).await).filter(|view| is_asked(view));
    let view = server.until("the code's form", asked).await;
    let otp = code(&server.product.runtime, &journey).await;
    (journey, visitor.event(&view, "submit", json!({"code": otp})).await)
}

async fn opens(visitor: &Visitor, proof: Value) -> Reply {
    post(visitor, "iam/open-account", &[], proof).await
}

/// Checks that the account is closed to who has shown the number.
async fn sees_nothing(later: &Visitor, done: &Value) {
    assert_eq!((&done["data"]["token"], &done["data"]["firstName"]), (&json!(""), &json!("")));
    assert_eq!(later.cookie("authToken"), "");
    assert_eq!(later.get("/api/v1/account/dashboard").await.status, 401);
    for page in ["/dashboard", "/editProfile", "/your-data"] {
        let html = later.get(page).await.text();
        assert!(html.contains("Is this your account?") && !html.contains("Rao") && !html.contains("Asha"), "{html}");
    }
}

/// Page, form and refusal speak the visitor's language.
async fn is_asked_in_hindi(later: &Visitor) {
    assert_eq!(later.get("/dashboard?lang=hi").await.status, 302);
    let html = later.get("/dashboard").await.text();
    for words in ["क्या यह आपका खाता है?", "आपकी किसी एक पॉलिसी का नंबर", "मेरा खाता खोलें"]
    {
        assert!(html.contains(words), "{words}");
    }
    let refused = opens(later, json!({"policy_number": "P-0"})).await.json();
    let words = refused["errors"][0]["text"].as_str().expect("a text").to_owned();
    assert!(words.starts_with("यह जानकारी इस खाते से मेल नहीं खाती"), "{words}");
    assert_eq!(later.get("/dashboard?lang=en").await.status, 302);
}

/// Five answers a day; nobody else can give one.
async fn answers_five_times_in_vain(server: &TestServer, later: &Visitor) {
    assert_eq!(opens(&server.visitor(), json!({"dob": BORN})).await.status, 404);
    is_asked_in_hindi(later).await;
    for wrong in [json!({}), json!({"dob": "1990-05-05"}), json!({"policy_number": ""})] {
        let refused = opens(later, wrong).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{}", refused.text());
        assert!(!refused.text().contains(BORN));
    }
    assert_eq!(opens(later, json!({"dob": "1990-06-04"})).await.status, 422);
    assert_eq!(opens(later, json!({"dob": BORN})).await.status, 429, "not even the right one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_was_not_used_for_half_a_year_opens_nothing_by_itself() {
    let server = start().await;
    let (before, later) = (server.visitor(), server.visitor());
    logs_in(&server, &before, ASHA).await;
    settles(&before, ASHA).await;
    server.clock.advance(180 * DAY_MS - 60_000);
    let soon = server.visitor();
    logs_in(&server, &soon, ASHA).await;
    assert_eq!(account(&soon).await["firstName"], "Asha", "a minute before");
    assert_eq!(opens(&soon, json!({"dob": BORN})).await.status, 404, "it is open");

    server.clock.advance(180 * DAY_MS);
    let done = logs_in(&server, &later, ASHA).await;
    sees_nothing(&later, &done).await;
    // What the number's holder asks for now is not added to what was there, before it is known whose that is.
    let lead = json!({"name": "Ravi Das", "mobile": ASHA, "pincode": "110001", "consent": true});
    let (journey, verified) = shows_number(&server, &server.visitor(), "health/advisor-at-home", lead).await;
    verified.ok(200);
    let store = server.store().await;
    assert_eq!(store.journey(&journey).await.expect("read").expect("a journey").person, None);

    answers_five_times_in_vain(&server, &later).await;
    server.clock.advance(DAY_MS);
    let opened = opens(&later, json!({"dob": BORN})).await.ok(200);
    assert_eq!(opened["data"]["firstName"], "Asha");
    assert_eq!(opened["data"]["token"], later.cookie("authToken"));
    let hers = account(&later).await["journeys"].clone();
    assert_eq!(hers.as_array().map(Vec::len), Some(2), "with what waited for its owner: {hers}");
    assert!(hers.to_string().contains(&journey));
    let again = server.visitor();
    logs_in(&server, &again, ASHA).await;
    assert_eq!(account(&again).await["firstName"], "Asha", "open from now on");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_a_number_after_somebody_else_begins_anew() {
    let server = start().await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    let journey = settles(&asha, ASHA).await;
    let store = server.store().await;
    let person = async || store.journey(&journey).await.expect("read").expect("a journey").person.expect("hers");
    server.clock.advance(200 * DAY_MS);
    let lead = json!({"name": "Ravi Das", "mobile": ASHA, "pincode": "110001", "consent": true});
    let (waiting, verified) = shows_number(&server, &server.visitor(), "health/advisor-at-home", lead).await;
    verified.ok(200);
    logs_in(&server, &ravi, ASHA).await;
    post(&ravi, "iam/begin-anew", &[], json!({})).await.ok(200);
    let his = account(&ravi).await;
    let ids: Vec<&Value> = his["journeys"].as_array().into_iter().flatten().map(|one| &one["id"]).collect();
    assert_eq!((&his["firstName"], ids), (&json!(""), vec![&json!(waiting)]), "what he asked for before he signed in");
    let own = asks_for_a_call(&ravi, "Ravi Das", ASHA).await;
    assert_eq!(post(&ravi, "iam/begin-anew", &[], json!({})).await.status, 404, "once");
    let elsewhere = server.visitor();
    logs_in(&server, &elsewhere, ASHA).await;
    let journeys = account(&elsewhere).await["journeys"].clone();
    assert_eq!((journeys.as_array().map(Vec::len), &journeys[0]["id"]), (Some(2), &json!(own)));
    // What was there is kept, without a number that opens it.
    let left = store.person(&person().await).await.expect("read").expect("kept");
    assert_eq!((&left.profile["first_name"], &left.mobile), (&json!("Asha"), &left.id));
    server.stop().await;
}

/// Enters the code that the journey has just sent; what came of it.
async fn enters(server: &TestServer, visitor: &Visitor, journey: &str) -> Reply {
    server.clock.advance(1_000);
    let asked = async || Some(visitor.view(journey).await).filter(|view| view["step"]["form"].is_object());
    let view = server.until("the code's form", asked).await;
    let otp = code(&server.product.runtime, journey).await;
    visitor.event(&view, "submit", json!({"code": otp})).await
}

/// Shows the old number and then the new one: the journey, and what came of it.
async fn changes(server: &TestServer, visitor: &Visitor, new: &str) -> (String, Reply) {
    let (journey, shown) = shows_number(server, visitor, "account/number", json!({"mobile": new})).await;
    let shown = shown.ok(200);
    assert_eq!(shown["step"]["path"], "otp", "the new one has a code of its own: {shown}");
    let changed = enters(server, visitor, &journey).await;
    (journey, changed)
}

/// What was sent to a number or an address, the newest first.
async fn sent_to(server: &TestServer, to: &str) -> Vec<String> {
    let inbox = server.visitor().get(&format!("/sandbox/inbox.json?to={to}")).await.ok(200);
    let texts = inbox["messages"].as_array().expect("messages").iter();
    texts.filter_map(|message| message["text"].as_str().map(str::to_owned)).collect()
}

async fn told(server: &TestServer, to: &str) -> String {
    let about = async || sent_to(server, to).await.into_iter().find(|text| text.contains("/r/"));
    server.until("the word of it", about).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_another_number_once_she_has_shown_both() {
    let server = start().await;
    let (asha, elsewhere, ravi, nobody) = (server.visitor(), server.visitor(), server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    let journey = settles(&asha, ASHA).await;
    logs_in(&server, &elsewhere, ASHA).await;
    logs_in(&server, &ravi, RAVI).await;
    settles(&ravi, RAVI).await;
    let new = "7654321098";

    // One that has an account of its own is refused, and who is not signed in has nothing sent.
    let (_, refused) = changes(&server, &asha, RAVI).await;
    assert_eq!(refused.ok(200)["messages"][0]["code"], "otp.another_person");
    let refused = nobody.start("account/number", json!({"mobile": new})).await.ok(201);
    assert_eq!(refused["messages"][0]["code"], "number.log_in");
    assert_eq!(account(&ravi).await["journeys"].as_array().map(Vec::len), Some(1));

    let session = asha.cookie("__Host-session");
    let (_, changed) = changes(&server, &asha, new).await;
    assert_eq!(changed.ok(200)["step"]["path"], "in");
    assert_ne!(asha.cookie("__Host-session"), session, "the session is made anew");
    let receiver = async || server.product.runtime.people.present_number(&journey, ASHA).await.expect("asked");
    assert_eq!(receiver().await.as_deref(), Some(new), "messages of what she began go with her");
    assert_eq!(account(&asha).await["journeys"][0]["id"], json!(journey));
    assert_eq!(elsewhere.get("/api/v1/account/dashboard").await.status, 401, "her other sessions end");
    let (by_new, by_old) = (server.visitor(), server.visitor());
    logs_in(&server, &by_new, new).await;
    assert_eq!(account(&by_new).await["journeys"][0]["id"], json!(journey));
    logs_in(&server, &by_old, ASHA).await;
    let old = account(&by_old).await;
    assert_eq!((&old["firstName"], &old["journeys"]), (&json!(""), &json!([])), "the old number opens nothing of hers");
    // A number of somebody who has nothing here, or not for half a year, is free.
    let (_, back) = changes(&server, &asha, ASHA).await;
    assert_eq!(back.ok(200)["step"]["path"], "in");
    assert_eq!(receiver().await, None, "it is hers again");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_an_open_phone_takes_no_account_with_it() {
    let server = start().await;
    let (asha, thief) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    settles(&asha, ASHA).await;
    // The thief has the customer's session and his own number: the code goes to the customer's.
    let (his, first) = ("7654321098", sent_to(&server, ASHA).await.len());
    let begun = asha.start("account/number", json!({"mobile": his})).await.ok(201);
    assert_eq!(begun["step"]["path"], "otp");
    let arrived = async || Some(sent_to(&server, ASHA).await.len()).filter(|now| *now > first);
    server.until("a code to the old number", arrived).await;
    assert!(sent_to(&server, his).await.is_empty());

    // The thief has the customer's phone as well and takes it; the customer hears of it by SMS, and takes it back.
    let (_, changed) = changes(&server, &asha, his).await;
    changed.ok(200);
    let word = told(&server, ASHA).await;
    assert!(word.contains("*****21098") && !word.contains(his), "{word}");
    logs_in(&server, &thief, his).await;
    assert_eq!(account(&thief).await["firstName"], "Asha");
    let phone = server.visitor();
    assert_eq!(crate::assisted::follows(&phone, &word).await.status, 303);
    let link = changed.json()["journey"]["id"].as_str().expect("a journey").to_owned();
    let view = phone.view(&link).await;
    assert!(!view.to_string().contains(his) && !view.to_string().contains("Asha"), "{view}");
    let undone = phone.event(&view, "undo", json!({})).await.ok(200);
    assert_eq!(undone["step"]["path"], "restored");
    for session in [&asha, &thief] {
        assert_eq!(session.get("/api/v1/account/dashboard").await.status, 401, "everybody is logged out");
    }
    let (again, by_his) = (server.visitor(), server.visitor());
    logs_in(&server, &again, ASHA).await;
    assert_eq!(account(&again).await["firstName"], "Asha");
    logs_in(&server, &by_his, his).await;
    assert_eq!(account(&by_his).await["firstName"], "");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_lost_the_phone_names_what_it_does_not_tell() {
    let server = start().await;
    let asha = server.visitor();
    logs_in(&server, &asha, ASHA).await;
    settles(&asha, ASHA).await;
    let wrong = post(&asha, "iam/show-account", &[], json!({"dob": "1990-05-05"})).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (422, "invalid"));
    assert_eq!(post(&server.visitor(), "iam/show-account", &[], json!({"dob": BORN})).await.status, 401);
    let session = asha.cookie("__Host-session");
    let shown = post(&asha, "iam/show-account", &[], json!({"dob": BORN})).await.ok(200);
    assert_eq!(shown["data"]["url"], "/change-number");
    assert_ne!(asha.cookie("__Host-session"), session);
    let new = "7654321098";
    let (_, changed) = shows_number(&server, &asha, "account/number", json!({"mobile": new})).await;
    assert_eq!(changed.ok(200)["step"]["path"], "in", "without a code to the old one");
    told(&server, ASHA).await;

    // For ten minutes, and no longer.
    server.clock.advance(600_000);
    let begun = asha.start("account/number", json!({"mobile": ASHA})).await.ok(201);
    assert!(begun.to_string().contains("*****21098"), "{begun}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_shares_a_number_shares_an_account() {
    let server = start().await;
    // two browsers' keys are never the same
    let (asha, husband) = (server.visitor(), server.visitor().moved(server.product.url()));
    logs_in(&server, &asha, ASHA).await;
    let hers = asks_for_a_call(&asha, "Asha Rao", ASHA).await;
    logs_in(&server, &husband, ASHA).await;
    let his = asks_for_a_call(&husband, "Ravi Rao", ASHA).await;
    for visitor in [&asha, &husband] {
        let journeys = account(visitor).await["journeys"].clone();
        let ids: Vec<&str> =
            journeys.as_array().expect("journeys").iter().filter_map(|one| one["id"].as_str()).collect();
        assert!(ids.len() == 2 && ids.contains(&hers.as_str()) && ids.contains(&his.as_str()), "{ids:?}");
    }
    server.stop().await;
}

//! What a person keeps with us: their consents, a copy of their data, their birthday, the variants that they were
//! shown.

use crate::login::{ASHA, RAVI, logs_in, post, start};
use chrono::{Days, Months, NaiveDate};
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;
const WORDS: &str =
    "I allow Journey and its insurers to contact me by call, SMS, e-mail or messaging app about my insurance";

/// Asks for a call: the journey's id.
async fn asks_for_a_call(visitor: &Visitor, mobile: &str, consent: bool) -> String {
    let lead = json!({"name": "Asha Rao", "mobile": mobile, "consent": consent});
    let view = visitor.start("leads/callback", lead).await.ok(201);
    view["journey"]["id"].as_str().expect("a journey").to_owned()
}

async fn withdraws(visitor: &Visitor, purpose: &str) -> u16 {
    post(visitor, "iam/withdraw-consent", &[], json!({"purpose": purpose})).await.status
}

/// State and words of the consents, the newest first.
async fn consents(visitor: &Visitor) -> Vec<(bool, String)> {
    let account = visitor.get("/api/v1/account/dashboard").await.ok(200);
    let all = account["data"]["records"]["consent"].as_array().cloned().unwrap_or_default();
    let one = |one: &Value| (one["given"] == true, one["text"].as_str().expect("words").to_owned());
    all.iter().map(one).collect()
}

/// Checks that only what the customer agreed to can be ended, and only by them.
async fn cannot_be_taken_back(asha: &Visitor, unknown: &Visitor) {
    assert_eq!(withdraws(unknown, "marketing").await, 401);
    for purpose in ["terms", "kyc", "anything"] {
        assert_eq!(withdraws(asha, purpose).await, 404, "{purpose}");
    }
    assert_eq!(post(asha, "iam/withdraw-consent", &[], json!({})).await.status, 422);
}

/// The history says it, and gives the same journey again; asked once more, nothing is left to end.
async fn is_noted_once(server: &TestServer, asha: &Visitor, journey: &str) {
    let store = server.store().await;
    let events = store.events(journey, 0, 100).await.expect("events");
    assert_eq!(events.last().map(|event| event.kind.as_str()), Some("withdrew"));
    assert_eq!(server.product.runtime.operations.replay(journey).await.expect("replayed"), Some(vec![]));
    assert_eq!(withdraws(asha, "marketing").await, 200);
    assert_eq!(store.events(journey, 0, 100).await.expect("events").len(), events.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_she_agreed_to_is_on_record_and_ends_when_she_takes_it_back() {
    let server = start().await;
    let (asha, ravi, unknown) = (server.visitor(), server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    logs_in(&server, &ravi, RAVI).await;
    let people = &server.product.runtime.people;
    let may = async |journey: &str| people.consents(journey, "marketing", ASHA).await.expect("known");
    assert!(asha.get("/your-data").await.text().contains("You haven't agreed to any calls or messages"));

    let (first, not) = (asks_for_a_call(&asha, ASHA, true).await, asks_for_a_call(&asha, ASHA, false).await);
    // somebody who has not shown that the number is theirs
    let of_number = asks_for_a_call(&unknown, ASHA, true).await;
    let of_ravi = asks_for_a_call(&ravi, RAVI, true).await;
    assert_eq!((may(&first).await, may(&not).await, may(&of_number).await), (true, false, true));
    let given = consents(&asha).await;
    assert!(given.len() == 1 && given[0].0 && given[0].1.starts_with(WORDS), "{given:?}");
    let page = asha.get("/your-data").await.text();
    assert!(page.contains(WORDS) && page.contains("Withdraw: Calls and messages about insurance"), "{page}");

    cannot_be_taken_back(&asha, &unknown).await;
    let store = server.store().await;
    let deeds = async || store.audit_of(&["administration".to_owned()], 0, 100).await.expect("rows").len();
    let before = deeds().await;
    server.clock.advance(60_000);
    assert_eq!(withdraws(&asha, "marketing").await, 200);
    assert_eq!(deeds().await, before + 1);
    assert_eq!((may(&first).await, may(&of_number).await), (false, false), "for her number too");
    assert!(people.consents(&of_ravi, "marketing", RAVI).await.expect("known"));
    let ended = consents(&asha).await;
    assert!(ended.len() == 1 && !ended[0].0 && ended[0].1.starts_with(WORDS), "{ended:?}");
    let page = asha.get("/your-data").await.text();
    assert!(page.contains("Withdrawn on") && !page.contains("Withdraw:"), "{page}");
    is_noted_once(&server, &asha, &first).await;

    // What was withdrawn is given again from the same page, for what was begun before.
    assert!(page.contains("Agree again: Calls and messages about insurance"), "{page}");
    server.clock.advance(60_000);
    let agrees = async |visitor: &Visitor, purpose: &str| {
        post(visitor, "iam/agree-again", &[], json!({"purpose": purpose})).await.status
    };
    assert_eq!((agrees(&unknown, "marketing").await, agrees(&asha, "terms").await), (401, 404));
    assert_eq!((agrees(&ravi, "marketing").await, agrees(&asha, "marketing").await), (404, 200));
    assert_eq!((may(&first).await, may(&of_number).await, may(&not).await), (true, true, false));
    assert_eq!(consents(&asha).await, given);
    assert_eq!(agrees(&asha, "marketing").await, 404, "there is nothing to give");
    assert_eq!(server.product.runtime.operations.replay(&first).await.expect("replayed"), Some(vec![]));
    server.clock.advance(60_000);
    assert_eq!(withdraws(&asha, "marketing").await, 200);

    // Who agrees again agrees.
    server.clock.advance(60_000);
    let again = asks_for_a_call(&asha, ASHA, true).await;
    assert_eq!((may(&again).await, may(&first).await), (true, false));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_her_data_is_hers_alone() {
    let server = start().await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    logs_in(&server, &ravi, RAVI).await;
    post(&asha, "iam/user-accounts", &[], json!({"first_name": "Asha", "email": "asha@example.com"})).await.ok(200);
    let journey = asks_for_a_call(&asha, ASHA, true).await;
    asks_for_a_call(&ravi, RAVI, false).await;

    let export = "/api/v1/account/export";
    assert_eq!(server.visitor().get(export).await.code(), "sign_in");
    let store = server.store().await;
    let deeds = async || store.audit_of(&["administration".to_owned()], 0, 100).await.expect("rows").len();
    let before = deeds().await;
    let file = asha.get(export).await;
    assert_eq!(deeds().await, before + 1);
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"my-data.json\"");
    assert_eq!(file.header("cache-control"), "no-store");
    let data = file.ok(200)["data"].clone();
    assert_eq!(data["profile"]["email"], "asha@example.com");
    let told = data["journeys"].as_array().expect("journeys");
    assert_eq!((told.len(), &told[0]["id"]), (1, &json!(journey)));
    assert_eq!(told[0]["written"][0]["data"], json!({"name": "Asha Rao", "mobile": ASHA, "consent": true}));
    assert!(data["records"]["consent"][0]["text"].as_str().is_some_and(|words| words.starts_with(WORDS)));
    assert!(!data.to_string().contains(RAVI));
    server.stop().await;
}

/// Whether the dashboard of somebody who was born then reminds them.
async fn is_reminded(visitor: &Visitor, born: NaiveDate) -> bool {
    let said = json!({"first_name": "Asha", "dob": born.to_string()});
    post(visitor, "iam/user-accounts", &[], said).await.ok(200);
    visitor.get("/dashboard").await.text().contains("Your birthday is on")
}

/// R4-48
#[tokio::test(flavor = "multi_thread")]
async fn a_birthday_is_near_from_thirty_days_to_one_day_ahead() {
    let server = start().await;
    let asha = server.visitor();
    logs_in(&server, &asha, ASHA).await;
    assert!(!asha.get("/dashboard").await.text().contains("Your birthday is on"), "nobody knows when it is");
    let thirty_years_before = |day: NaiveDate| day - Months::new(360);
    let today = TestServer::first_day();
    for (days, reminded) in [(0, false), (1, true), (30, true), (31, false), (364, false)] {
        let born = thirty_years_before(today + Days::new(days));
        assert_eq!(is_reminded(&asha, born).await, reminded, "in {days} days");
    }
    // A birthday on the 29th of February counts as the 28th in other years; the next one is 2027's.
    let leap = NaiveDate::from_ymd_opt(1996, 2, 29).expect("a day");
    let mut day = today;
    for (month, of_month, reminded) in [(1, 28, false), (1, 29, true), (2, 27, true), (2, 28, false), (3, 1, false)] {
        let next = NaiveDate::from_ymd_opt(2027, month, of_month).expect("a day");
        server.clock.advance((next - day).num_days() * DAY_MS);
        day = next;
        logs_in(&server, &asha, ASHA).await;
        assert_eq!(is_reminded(&asha, leap).await, reminded, "{day}");
    }
    server.stop().await;
}

/// R4-14, R9-63: what was drawn for a person first is drawn for them everywhere.
#[tokio::test(flavor = "multi_thread")]
async fn variants_stay_with_the_person_on_every_device() {
    let mut files = all_definitions();
    let channels = "workflows/site/channels.yaml";
    let text = String::from_utf8(files.get(channels).expect("channels").to_vec()).expect("text");
    let text = text.replace("variants: {without: 100, with: 0}", "variants: {without: 50, with: 50}");
    files.insert(channels, text.into_bytes());
    let server = TestServer::start_with(files, |settings| {
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 100;
    })
    .await;
    let chat = async |visitor: &Visitor| visitor.get("/api/v1/visit").await.ok(200)["variants"]["chat"].clone();
    let mut by_variant = BTreeMap::new();
    while by_variant.len() < 2 {
        let device = server.visitor();
        device.get("/bike-insurance").await;
        by_variant.insert(chat(&device).await.to_string(), device);
    }
    let devices: Vec<Visitor> = by_variant.into_values().collect();
    let hers = chat(&devices[0]).await;
    assert_ne!(chat(&devices[1]).await, hers, "each as its own throw has it");
    for device in &devices {
        logs_in(&server, device, ASHA).await;
        assert_eq!(chat(device).await, hers);
        device.get("/bike-insurance").await;
        assert_eq!(chat(device).await, hers, "as she goes on");
    }
    server.stop().await;
}

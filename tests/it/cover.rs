//! Who helps a customer: what they see is covered, what they send back changes nothing, and the customer knows of them
//! and ends it. That nobody sees anything anywhere is what the program `cover` tries.

use crate::assisted::{at, events, follows, start};
use crate::handover::{brings, confirms_by, messages, read_out};
use crate::login::{logs_in, post};
use crate::purchase::{Customer, INSURER};
use crate::roles::sitting;
use journey_tests::buyer::{Buyer, Errand};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};

const MOBILE: &str = "9726864598";
const NAME: &str = "Zebediah Quixworth";

/// The customer answers the step that is shown; where that leads.
async fn goes_on(customer: &mut Customer<'_>) {
    let form = customer.view["step"]["form"]["data"].clone();
    let with = |own: Value| {
        let mut data = form.as_object().cloned().unwrap_or_default();
        data.extend(own.as_object().cloned().unwrap_or_default());
        data.retain(|_, value| !value.is_null());
        Value::Object(data)
    };
    match customer.view["step"]["id"].as_str().expect("a step") {
        "car.contact.asking" => {
            let contact = json!({"name": NAME, "mobile": MOBILE, "consent": true});
            customer.submits(contact, "car.contact.otp.asking").await;
        }
        "car.contact.otp.asking" => {
            let code = crate::passwords::code(&customer.server.product.runtime, &customer.id()).await;
            customer.submits(json!({"code": code}), "car.vehicle").await;
        }
        "car.vehicle" => customer.submits(form, "car.previous").await,
        "car.previous" => {
            let previous = json!({"owner_changed": false, "policy_type": "comprehensive", "active": true, "previous_policy_end_date": "2026-12-05",
                "previous_insurer": "10", "claim": false, "ncb": 45, "had_add_ons": false});
            customer.submits(previous, "car.quotes").await;
        }
        "car.quotes" => {
            let offers = customer.offers().await;
            let card = offers.iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer");
            let choice = card["action"]["data"].clone();
            customer.does("select", choice, "car.owner").await;
        }
        "car.owner" => {
            let owner =
                with(json!({"customer_type": "individual", "proposer_title": "Ms", "proposer_gender": "female",
                "dob": "1987-03-29", "proposer_email": "zeb.quix@canary.example", "is_financed": false}));
            customer.submits(owner, "car.address").await;
        }
        "car.address" => {
            let address = json!({"pincode": "110001", "address_line_1": "77 Quillfeather House", "address_line_2": "Xylophone Lane"});
            customer.submits(address, "car.nominee").await;
        }
        "car.nominee" => {
            let nominee =
                json!({"nominee_name": "Wilhelmina Quixworth", "nominee_age": 38, "nominee_relation": "spouse"});
            customer.submits(nominee, "car.vehicle_details").await;
        }
        "car.vehicle_details" => {
            let papers = json!({"engine_number": "K12MZQ77431", "chassis_number": "MA3ZPEJKD77431905",
                "previous_policy_number": "OG-77-4431-9055", "terms": true});
            customer.submits(papers, "car.purchase.kyc.asking").await;
        }
        "car.purchase.kyc.asking" => {
            let identity = json!({"document": "pan_card", "pan_number": "ZQXPC4571K", "occupation": "salaried", "income_source": "salary",
                "is_politically_exposed_person": false, "kyc_consent": true});
            customer.submits(identity, "car.purchase.check").await;
        }
        "car.purchase.check" => customer.submits(json!({}), "car.purchase.payment.paying").await,
        other => panic!("nobody goes on from {other}"),
    }
}

/// Somebody begins a request for the customer; the page behind the contact.
async fn begins(server: &TestServer, browser: &Visitor, flow: &str) -> Value {
    let number = json!({"kind": "registered", "registration": "dl3cab1234"});
    let view = browser.start(flow, number).await.ok(201);
    let view = at(server, browser, &view, "car.contact.asking").await;
    browser.event(&view, "submit", json!({"name": NAME, "mobile": MOBILE})).await.ok(200)
}

/// Whoever opens the link that this event of a helper sends to the customer.
async fn shared(server: &TestServer, helper: &Visitor, id: &str) -> Visitor {
    let before = messages(server, MOBILE).await;
    let view = helper.view(id).await;
    helper.event(&view, "share_sms", json!({})).await.ok(200);
    let new = async || messages(server, MOBILE).await.into_iter().find(|text| !before.contains(text));
    let (link, browser) = (server.until("a link", new).await, server.visitor());
    assert_eq!(follows(&browser, &link).await.status, 303);
    browser
}

/// Who saw the customer's journeys, as their account says it.
async fn sights(account: &Visitor) -> Value {
    account.get("/api/v1/account/dashboard").await.ok(200)["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_knows_who_saw_it_by_name_and_ends_their_access() {
    let server = start().await;
    let caller = sitting(&server, "call-centre", 9).await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view = begins(&server, &agent, "motor/car").await;
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let phone = confirms_by(&server, MOBILE, &id).await;
    let mut customer = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    customer.at("car.vehicle").await;

    // The link that the customer followed was their own.
    let seen = sights(&customer.browser).await;
    let kinds: Vec<&Value> = seen["seen"].as_array().expect("sights").iter().map(|sight| &sight["kind"]).collect();
    assert_eq!(kinds, ["partner-agent"], "{seen}");
    assert_eq!(customer.view["messages"][0]["code"], "journey.helped");
    assert!(events(&customer.view).contains(&"dismiss"), "{}", customer.view);
    let journey = format!("/api/v1/journeys/{id}");
    assert_eq!(agent.get(&journey).await.status, 200);
    let mut heard = agent.stream(&id).await;
    heard.next().await.expect("where it is");
    customer.does("dismiss", json!({}), "car.vehicle").await;
    assert_eq!(heard.next().await, None, "a stream ends with the access");
    assert_eq!(customer.view["messages"], json!([]));
    assert_eq!(agent.get(&journey).await.status, 404);
    assert_eq!(agent.event(&view, "submit", json!({})).await.status, 404);
    for list in ["/api/v1/journeys", "/api/v1/account/records", "/staff", "/dashboard"] {
        assert!(!agent.get(list).await.text().contains(&id), "{list}");
    }

    // Another is let in by a code, and leaves when the account says so.
    server.clock.advance(1_000);
    customer.does("invite", json!({}), "car.vehicle").await;
    brings(&caller, &read_out(&customer.view)).await.ok(200);
    customer.at("car.vehicle").await;
    let told = customer.view["messages"][0]["text"].as_str().expect("a text").to_owned();
    assert!(told.starts_with("asha (call centre) is helping you"), "{told}");
    let account = server.visitor();
    logs_in(&server, &account, MOBILE).await;
    let seen = sights(&account).await;
    assert_eq!((&seen["seen"][0]["kind"], &seen["seen"][0]["who"]), (&json!("call-centre"), &json!("asha")), "{seen}");
    assert_eq!(seen["helpers"][0]["name"], "asha");
    let page = account.get("/dashboard").await.text();
    assert!(page.contains("call centre") && page.contains("agent of a partner"), "{page}");
    let end = async |by: &Visitor| post(by, "account/end-access", &[], json!({"journey": id})).await.status;
    assert_eq!((end(&caller).await, end(&server.visitor()).await), (404, 401));
    assert_eq!(end(&account).await, 200);
    assert_eq!((caller.get(&journey).await.status, end(&account).await), (404, 404));
    assert_eq!(sights(&account).await["helpers"], json!([]));
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_helps_sends_the_link_again_corrects_their_own_and_confirms_nothing() {
    let server = start().await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view = begins(&server, &agent, "motor/car").await;
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let phone = confirms_by(&server, MOBILE, &id).await;
    let mut customer = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    customer.at("car.vehicle").await;
    let mut agent = Customer { server: &server, browser: agent, mobile: MOBILE, view: customer.view.clone() };
    while agent.view["step"]["id"] != "car.vehicle_details" {
        goes_on(&mut agent).await;
    }
    for step in ["car.vehicle_details", "car.purchase.kyc.asking"] {
        customer.at(step).await;
        agent.at(step).await;
        let offered = events(&agent.view).join(" ");
        assert_eq!(offered, "share_sms share_whatsapp back change", "{step}");
        let link = shared(&server, &agent.browser, &id).await;
        assert!(link.view(&id).await.to_string().contains("Please log in"));
        let words = agent.view["step"]["view"].to_string();
        assert!(words.contains("Correct: Your nominee") && !words.contains("Correct: Engine"), "{words}");
        agent.at(step).await;
        agent.does("change", json!({"step": "car.nominee"}), "car.nominee").await;
        let nominee = json!({"nominee_name": "Ravi Rao", "nominee_age": 38, "nominee_relation": "spouse"});
        agent.submits(nominee, "car.vehicle_details").await;
        customer.at("car.vehicle_details").await;
        goes_on(&mut customer).await;
    }
    goes_on(&mut customer).await;
    agent.at("car.purchase.check").await;
    assert!(!events(&agent.view).contains(&"submit"), "{}", agent.view);
    assert_eq!(agent.browser.event(&agent.view, "submit", json!({})).await.code(), "not_accepted");
    assert!(agent.view["step"]["view"].to_string().contains("The customer needs to check and confirm this page"));
    customer.at("car.purchase.check").await;
    goes_on(&mut customer).await;
    server.stop().await;
}

/// What the customer's check page says of these steps, but for who answered it.
fn told<'s>(view: &Value, steps: impl Iterator<Item = &'s String>) -> Vec<String> {
    let steps: Vec<&str> = steps.map(String::as_str).collect();
    let sections = view["step"]["review"]["sections"].as_array().expect("sections").iter();
    let asked = sections.filter(|one| steps.iter().any(|step| one["step"] == *step));
    let rows = asked.flat_map(|one| one["rows"].as_array().into_iter().flatten());
    rows.filter(|row| row["label"] != "Answered by").map(|row| format!("{}: {}", row["label"], row["value"])).collect()
}

/// Every step that a helper may change: they see it covered, send it as it was shown, and nothing is another value.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_helper_sends_back_as_it_was_shown_changes_nothing() {
    let server = start().await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view = begins(&server, &agent, "motor/car").await;
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let phone = confirms_by(&server, MOBILE, &id).await;
    let says =
        json!({"name": NAME, "mobile": MOBILE, "proposer_first_name": "Zebediah", "proposer_last_name": "Quixworth"});
    let buyer = Buyer::new(Errand::Car, 1, TestServer::first_day(), phone, server.visitor());
    let mut buyer = buyer.saying(says.as_object().cloned().unwrap_or_default());
    buyer.returns(&id).await;
    buyer.comes_to("purchase.check").await;

    let seen = agent.view(&id).await;
    let changeable = seen["step"]["changeable"].as_array().expect("steps").iter();
    let steps = changeable.filter_map(|one| one["step"].as_str()).filter(|step| *step != "car.quotes");
    let steps: Vec<String> = steps.map(str::to_owned).collect();
    // The page of name and number is not among them any more once the first one was answered again.
    let told = |view: &Value| told(view, steps.iter().filter(|step| !step.ends_with("contact.asking")));
    let before = told(&buyer.view);
    let mut sent = Vec::new();
    assert!(before.iter().any(|row| row.contains("Quixworth")), "{before:?}");
    // What was answered later first: who answers the first page again is not asked again who they are.
    for step in steps.iter().rev() {
        let seen = agent.view(&id).await;
        let shown = agent.event(&seen, "change", json!({"step": step})).await.ok(200);
        assert_eq!(shown["step"]["id"], step.as_str());
        if events(&shown).contains(&"submit") {
            let mut data = shown["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
            data.retain(|_, value| !value.is_null());
            let data = Value::Object(data);
            assert!(!data.to_string().contains("Quixworth") || step.ends_with("contact.asking"), "{step}: {data}");
            agent.event(&shown, "submit", data).await.ok(200);
            sent.push(step.as_str());
        }
        buyer.returns(&id).await;
        buyer.comes_to("purchase.check").await;
        assert_eq!(told(&buyer.view), before, "{step}");
    }
    // What only the customer answers is left to them.
    let own = ["car.contact.asking", "car.vehicle", "car.previous", "car.owner", "car.address", "car.nominee"];
    assert!(own.iter().all(|step| sent.contains(step)) && !sent.contains(&"car.vehicle_details"), "{sent:?}");
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

//! Somebody acts for a customer: what the customer alone may do stays theirs, and both have the journey open. With the
//! definitions that are shipped.

use crate::passwords::code;
use crate::roles::sitting;
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

pub(crate) use journey_tests::people::follows;

const MOBILE: &str = "9812345670";

pub(crate) async fn start() -> TestServer {
    let files = all_definitions();
    TestServer::start_with(files, |settings| {
        settings.limits.write_rate_per_s = 0;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 100;
        settings.otp.proof_bits = 4;
        settings.otp.unproven_per_address_hour = 1_000;
    })
    .await
}

/// A car's journey up to the page after the contact.
pub(crate) async fn with_contact(server: &TestServer, browser: &Visitor, mobile: &str) -> Value {
    let number = json!({"kind": "registered", "registration": "dl3cab1234"});
    let view = browser.start("motor/car", number).await.ok(201);
    let view = at(server, browser, &view, "car.contact.asking").await;
    browser.event(&view, "submit", json!({"name": "Asha Rao", "mobile": mobile})).await.ok(200)
}

pub(crate) async fn at(server: &TestServer, browser: &Visitor, view: &Value, step: &str) -> Value {
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let there = async || {
        let view = browser.view(&id).await;
        (view["step"]["id"] == step).then_some(view)
    };
    server.until(step, there).await
}

/// What the newest message to a number says, once it has this.
async fn told(server: &TestServer, mobile: &str, has: &str) -> String {
    let browser = server.visitor();
    let newest = async || {
        let inbox = browser.get(&format!("/sandbox/inbox.json?to={mobile}")).await.ok(200);
        inbox["messages"][0]["text"].as_str().filter(|text| text.contains(has)).map(str::to_owned)
    };
    server.until(has, newest).await
}

pub(crate) fn events(view: &Value) -> Vec<&str> {
    view["step"]["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect()
}

/// Asks the customer by a message; nobody else can do it for them, and no box is ticked for them. Gives the customer's
/// browser, with the code's form.
async fn is_asked_by_a_link(server: &TestServer, agent: &Visitor, view: &Value, id: &str) -> (Visitor, Value) {
    assert_eq!(view["step"]["id"], "car.contact.otp.inviting");
    assert_eq!(events(view), ["again", "change_number", "back", "change"]);
    assert_eq!(agent.event(view, "open", json!({})).await.status, 409);
    let link = told(server, MOBILE, "/r/").await;
    let customer = server.visitor();
    assert_eq!(customer.get(&format!("/api/v1/journeys/{id}")).await.status, 404);
    assert_eq!(follows(&customer, &link).await.status, 303);
    let view = customer.view(id).await;
    assert_eq!((events(&view), view["step"]["changeable"].clone()), (vec!["open"], json!([])));
    let asked = customer.event(&view, "open", json!({})).await.ok(200);
    assert_eq!(asked["step"]["id"], "car.contact.otp.asking");
    (customer, asked)
}

/// Checks that the customer's code is worth nothing in another's hands.
async fn is_not_theirs_to_enter(agent: &Visitor, id: &str, code: &str) {
    let seen = agent.view(id).await;
    assert_eq!((&seen["step"]["kind"], seen["step"].get("form")), (&json!("message"), None));
    assert_eq!(events(&seen), ["again", "back", "change"], "the link again, or another number: {seen}");
    let stolen = agent.event(&seen, "submit", json!({"code": code})).await;
    assert_eq!((stolen.status, stolen.code().as_str()), (409, "not_accepted"));
    let draft = json!({"step": "car.contact.otp.asking", "data": {}}).to_string();
    assert_eq!(agent.send("PUT", &format!("/api/v1/journeys/{id}/draft"), &[], Some(draft)).await.status, 404);
}

/// Checks that what the customer answers in person is covered for who acts for them, and may be left as it is.
async fn is_covered_and_kept(customer: &Visitor, agent: &Visitor, mine: &Value) {
    let said = json!({"name": "Asha Rao", "mobile": MOBILE, "consent": true});
    assert!(mine["step"]["form"]["schema"]["properties"].get("consent").is_some());
    let mine = customer.event(mine, "submit", said).await.ok(200);
    let seen = agent.event(&mine, "back", json!({})).await.ok(200);
    let form = &seen["step"]["form"];
    assert_eq!(form["data"]["mobile"], "*****45670", "{form}");
    assert!(form["schema"]["properties"].get("consent").is_none(), "{form}");
    let kept = agent.event(&seen, "submit", json!({"name": "Asha Rao", "mobile": "*****45670"})).await.ok(200);
    assert_eq!(kept["step"]["id"], "car.vehicle", "the number is still the verified one: {kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_goes_on_with_what_somebody_began_for_her() {
    let server = start().await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view = with_contact(&server, &agent, MOBILE).await;

    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let (customer, asked) = is_asked_by_a_link(&server, &agent, &view, &id).await;
    let code = code(&server.product.runtime, &id).await;
    is_not_theirs_to_enter(&agent, &id, &code).await;

    // The customer goes on, signed in, and the journey is theirs on every device; who began it has it too.
    let confirmed = customer.event(&asked, "submit", json!({"code": code})).await.ok(200);
    assert_eq!(confirmed["step"]["id"], "car.vehicle");
    let hers = customer.get("/api/v1/account/dashboard").await.ok(200);
    assert_eq!(hers["data"]["journeys"][0]["id"], json!(id), "{hers}");
    let seen = agent.view(&id).await;
    assert_eq!(seen["step"]["id"], "car.vehicle");

    // Both have it open: nobody writes over the other unseen, and each change arrives.
    let mut changes = customer.stream(&id).await;
    let mine = customer.event(&seen, "back", json!({})).await.ok(200);
    assert!(changes.next().await.is_some());
    let late = agent.event(&seen, "submit", json!({})).await;
    assert_eq!((late.status, late.code().as_str()), (409, "stale"), "{}", late.text());
    assert_eq!(late.json()["view"]["step"]["id"], mine["step"]["id"], "{}", late.text());

    is_covered_and_kept(&customer, &agent, &mine).await;
    server.stop().await;
}

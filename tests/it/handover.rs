//! A whole sale that somebody begins for a customer: links are really sent, each sees what the other does, and what the
//! customer alone may do stays theirs to the policy. With the definitions that are shipped and every fake partner.

use crate::assisted::{at, events, follows, start, with_contact};
use crate::purchase::{Customer, INSURER};
use crate::roles::sitting;
use crate::staff::{comes_by, holds};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) use journey_tests::people::{brings, confirms_by, messages, read_out};
use journey_tests::people::{post, sitting_for};

const MOBILE: &str = "9812345670";
const SHARES: [&str; 2] = ["share_sms", "share_whatsapp"];

/// What this event has sent to the customer; who does it stays where they are.
async fn shared(advisor: &mut Customer<'_>, event: &str) -> String {
    let before = messages(advisor.server, MOBILE).await;
    let step = advisor.view["step"]["id"].as_str().expect("a step").to_owned();
    advisor.does(event, json!({}), &step).await;
    let new = async || messages(advisor.server, MOBILE).await.into_iter().find(|text| !before.contains(text));
    advisor.server.until(event, new).await
}

/// Opens the link that was sent to the customer, has a code sent, and shows that the number is theirs.
pub(crate) async fn confirms(server: &TestServer, id: &str) -> Visitor {
    confirms_by(server, MOBILE, id).await
}

/// Checks that whoever opens this link reads what it is for, before anything is opened.
async fn is_said_for(server: &TestServer, link: &str, words: &str) {
    let asks = server.visitor().get(&link[link.find("/r/").expect("a link")..][..25]).await.text();
    assert!(asks.contains(words), "{asks}");
}

/// What another phone with this link is shown.
async fn sees(server: &TestServer, link: &str, id: &str) -> (Visitor, Value) {
    let phone = server.visitor();
    assert_eq!(follows(&phone, link).await.status, 303, "{link}");
    let view = phone.view(id).await;
    (phone, view)
}

/// Checks that this step is the customer's: whoever acts for them sees that, and nothing else.
async fn is_closed_to(advisor: &Visitor, id: &str) {
    let seen = advisor.view(id).await;
    let shown = &seen["step"];
    assert_eq!((&shown["kind"], shown.get("form"), shown.get("redirect")), (&json!("message"), None, None), "{seen}");
    let said = seen.to_string();
    assert!(said.contains("Only the customer can do this"), "{said}");
    assert!(SHARES.iter().all(|event| events(&seen).contains(event)), "the link is sent from here: {said}");
    let refused = advisor.event(&seen, "submit", json!({})).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "not_accepted"));
    let draft = json!({"step": shown["id"], "data": {}}).to_string();
    assert_eq!(advisor.send("PUT", &format!("/api/v1/journeys/{id}/draft"), &[], Some(draft)).await.status, 404);
}

async fn chooses(advisor: &mut Customer<'_>, then: &str) {
    let offers = advisor.offers().await;
    let card = offers.iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer");
    let choice = card["action"]["data"].clone();
    advisor.does("select", choice, then).await;
}

/// Steps of the check page, and who answered each.
fn givers(view: &Value) -> BTreeMap<String, String> {
    let sections = view["step"]["review"]["sections"].as_array().expect("sections").iter();
    let given = |section: &'_ Value| -> Option<(String, String)> {
        let row = section["rows"].as_array()?.iter().find(|row| row["label"] == "Answered by")?;
        Some((section["step"].as_str()?.to_owned(), row["value"].as_str()?.to_owned()))
    };
    sections.filter_map(given).collect()
}

/// Checks that each sees the other's answers arrive; who comes with an old page overwrites nothing and is shown what is
/// there now.
async fn both_have_it_open(advisor: &mut Customer<'_>, asha: &Customer<'_>, id: &str) {
    let early = asha.view.clone();
    let mut changes = asha.browser.stream(id).await;
    changes.next().await.expect("where it is");
    advisor.at("car.vehicle").await;
    advisor.has_it_priced().await;
    assert!(changes.next().await.is_some());
    let late = asha.browser.event(&early, "submit", early["step"]["form"]["data"].clone()).await;
    assert_eq!((late.status, late.code().as_str()), (409, "stale"));
    assert_eq!(late.json()["view"]["step"]["id"], "car.quotes");
}

/// What the two type at one step stands beside each other: neither loses it.
async fn both_type(asha: &Visitor, helper: &Visitor, id: &str) {
    let types = async |browser: &Visitor, data: Value| {
        let draft = json!({"step": "car.owner", "data": data}).to_string();
        assert_eq!(browser.send("PUT", &format!("/api/v1/journeys/{id}/draft"), &[], Some(draft)).await.status, 204);
    };
    let title = async |browser: &Visitor| browser.view(id).await["step"]["form"]["data"]["proposer_title"].clone();
    types(asha, json!({"proposer_title": "Ms"})).await;
    types(helper, json!({"proposer_title": "Dr"})).await;
    assert_eq!((title(asha).await, title(helper).await), (json!("Ms"), json!("Dr")));
    types(asha, json!({"proposer_title": "Mrs"})).await;
    assert_eq!((title(asha).await, title(helper).await), (json!("Mrs"), json!("Dr")));
}

/// What who sells it earns with each offer, as the offers say it.
fn commissions(offers: &[Value]) -> Vec<(Value, Value)> {
    let of = |offer: &Value, name: &str| {
        offer["facts"].as_array()?.iter().find(|fact| fact["id"] == name).map(|fact| fact["value"].clone())
    };
    let both = |offer: &Value| Some((of(offer, "commissionPoints")?, of(offer, "commissionTypeFlag")?));
    offers.iter().filter_map(both).collect()
}

/// R3-43: an advisor's offers carry both fields of the commission, a customer's neither.
async fn are_told_what_is_earned(advisor: &mut Customer<'_>, asha: &mut Customer<'_>) {
    let earned = commissions(&advisor.offers().await);
    assert!(earned.contains(&(json!(15), json!("Own damage premium"))), "{earned:?}");
    asha.at("car.quotes").await;
    asha.offers().await;
    assert!(!asha.view.to_string().to_lowercase().contains("commission"), "{}", asha.view);
}

/// A link of its own for each purpose: it shows the page, and whoever has it can do nothing there. The first link, and
/// the phone that followed it.
async fn shares_the_quotes(advisor: &mut Customer<'_>, asha: &mut Customer<'_>, id: &str) -> (String, Visitor) {
    advisor.offers().await;
    let links = [shared(advisor, "share_sms").await, shared(advisor, "share_whatsapp").await];
    assert_ne!(links[0], links[1]);
    is_said_for(advisor.server, &links[0], "Prices of “Car insurance” were shared with you.").await;
    let (other, seen) = sees(advisor.server, &links[0], id).await;
    assert_eq!((&seen["step"]["id"], events(&seen)), (&json!("car.quotes"), vec![]));
    let choice = advisor.offers().await[0]["action"]["data"].clone();
    assert_eq!(other.event(&seen, "select", choice).await.code(), "not_accepted");
    asha.at("car.quotes").await;
    assert!(events(&asha.view).iter().all(|event| !SHARES.contains(event)), "she is sent links, she sends none");
    assert_eq!(asha.browser.event(&asha.view, "share_sms", json!({})).await.code(), "not_accepted");
    let [first, _] = links;
    (first, other)
}

/// The check page says who gave which answer, covers what the advisor need not see, and says to each what its button
/// does.
async fn is_checked_by_both(advisor: &mut Customer<'_>, asha: &mut Customer<'_>, id: &str) {
    advisor.at("car.purchase.check").await;
    let given = givers(&advisor.view);
    assert_eq!((&*given["car.owner"], &*given["car.vehicle_details"]), ("The advisor", "The customer"));
    let shown = advisor.view.to_string();
    assert!(!shown.contains(MOBILE) && !shown.contains("asha@example.com"), "{shown}");
    assert!(!events(&advisor.view).contains(&"submit"), "the customer confirms: {shown}");
    let link = shared(advisor, "share_whatsapp").await;
    is_said_for(advisor.server, &link, "You can read it, but not change or pay for anything.").await;
    let (other, seen) = sees(advisor.server, &link, id).await;
    assert_eq!((&seen["step"]["id"], events(&seen)), (&json!("car.purchase.check"), vec![]));
    assert_eq!(other.event(&seen, "submit", json!({})).await.code(), "not_accepted");
    assert!(!seen.to_string().contains(MOBILE));
    asha.at("car.purchase.check").await;
    let button = asha.view["step"]["review"]["submit"].as_str().expect("a button");
    assert!(button.starts_with("Pay ₹") && button.ends_with(" securely"), "{button}");
}

/// Checks that nobody pays for the customer, and the link to the payment asks them to sign in.
async fn is_hers_to_pay(advisor: &mut Customer<'_>, asha: &mut Customer<'_>, id: &str) {
    asha.submits(json!({}), "car.purchase.payment.paying").await;
    advisor.at("car.purchase.payment.paying").await;
    assert_eq!(events(&advisor.view)[..2], SHARES);
    is_closed_to(&advisor.browser, id).await;
    let link = shared(advisor, "share_sms").await;
    let (_, seen) = sees(advisor.server, &link, id).await;
    assert_eq!((seen["step"].get("redirect"), events(&seen)), (None, vec![]));
    assert!(seen.to_string().contains("Please log in"), "{seen}");
}

/// R1-15: the policy says by whom and how it was sold.
async fn says_who_sold_it(server: &TestServer, id: &str) {
    let policies = async || {
        let found = crate::attributed::records(server, id, "policy").await;
        (!found.is_empty()).then_some(found)
    };
    let sold = server.until("a policy", policies).await[0]["sold"].clone();
    assert_eq!(sold["agent"], json!({"id": "07".repeat(16), "name": "asha", "role": "partner-agent"}));
    let how = [&sold["source"], &sold["medium"], &sold["channel"], &sold["_aid"]];
    assert_eq!(how, [&json!("POS"), &json!("POS"), &json!("partner-agent"), &json!("")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_for_a_customer_goes_to_the_policy_and_what_is_hers_stays_hers() {
    let server = start().await;
    let browser = sitting(&server, "partner-agent", 7).await.moved(server.product.url());
    let view = with_contact(&server, &browser, MOBILE).await;
    let mut advisor = Customer { server: &server, browser, mobile: MOBILE, view };
    let id = advisor.id();
    let journey = format!("/api/v1/journeys/{id}");
    let phone = confirms(&server, &id).await;
    let mut asha = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    both_have_it_open(&mut advisor, &asha, &id).await;
    are_told_what_is_earned(&mut advisor, &mut asha).await;
    let (link, other) = shares_the_quotes(&mut advisor, &mut asha, &id).await;

    chooses(&mut advisor, "car.owner").await;
    assert_eq!(other.get(&journey).await.status, 404, "the link was for the quotes");
    advisor.names_the_owner("car.vehicle_details").await;
    is_closed_to(&advisor.browser, &id).await;
    asha.at("car.vehicle_details").await;
    asha.agrees_and_is_known().await;
    is_checked_by_both(&mut advisor, &mut asha, &id).await;
    is_hers_to_pay(&mut advisor, &mut asha, &id).await;
    let fresh = server.visitor();
    follows(&fresh, &link).await;
    assert_eq!(fresh.get(&journey).await.status, 404, "of another purpose");

    asha.at("car.purchase.payment.paying").await;
    asha.pays("pay").await;
    asha.at("car.policy.issued").await;
    advisor.at("car.policy.issued").await;
    says_who_sold_it(&server, &id).await;
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_centre_prepares_what_she_confirms_and_pays() {
    let server = start().await;
    let people = &server.product.runtime.people;
    let token = people.new_service_token("dialer", "call-centre", &["inbound".to_owned()], 8).await.expect("a token");
    let browser = server.visitor();
    comes_by(&browser, "inbound").await;
    holds(&browser, &token).await.ok(200);
    let view = with_contact(&server, &browser, MOBILE).await;
    let mut caller = Customer { server: &server, browser, mobile: MOBILE, view };
    let id = caller.id();
    caller.at("car.vehicle").await;
    assert_eq!(messages(&server, MOBILE).await, Vec::<String>::new(), "nobody is asked for a code yet");
    caller.has_it_priced().await;
    chooses(&mut caller, "car.owner").await;
    // Beyond this the customer agrees to things: first the number must be theirs.
    caller.names_the_owner("car.confirming.inviting").await;
    assert_eq!(caller.browser.event(&caller.view, "open", json!({})).await.status, 409);
    let stranger = server.visitor();
    crate::login::logs_in(&server, &stranger, MOBILE).await;
    assert_eq!(stranger.get(&format!("/api/v1/journeys/{id}")).await.status, 404, "not by the number alone");

    let phone = confirms(&server, &id).await;
    let mut asha = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    asha.at("car.vehicle_details").await;
    assert_eq!(stranger.view(&id).await["step"]["id"], "car.vehicle_details", "now it is hers wherever she is");
    is_closed_to(&caller.browser, &id).await;
    asha.agrees_and_is_known().await;
    asha.submits(json!({}), "car.purchase.payment.paying").await;
    is_closed_to(&caller.browser, &id).await;
    asha.pays("pay").await;
    asha.at("car.policy.issued").await;
    caller.at("car.policy.issued").await;
    server.stop().await;
}

/// Whoever had the number that was typed wrongly is shown nothing by the link that went to them.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_went_to_a_wrong_number_opens_nothing_once_it_is_corrected() {
    let server = start().await;
    let browser = sitting(&server, "partner-agent", 7).await;
    let view = with_contact(&server, &browser, "9812345671").await;
    let mut agent = Customer { server: &server, browser, mobile: MOBILE, view };
    let sent = async || messages(&server, "9812345671").await.into_iter().find(|text| text.contains("/r/"));
    let wrong = server.until("the link", sent).await;
    agent.does("change_number", json!({}), "car.contact.asking").await;
    agent.submits(json!({"name": "Asha Rao", "mobile": MOBILE}), "car.contact.otp.inviting").await;
    let stranger = server.visitor();
    assert_eq!(follows(&stranger, &wrong).await.status, 404);
    assert_eq!(stranger.get(&format!("/api/v1/journeys/{}", agent.id())).await.status, 404);
    confirms(&server, &agent.id()).await;
    server.stop().await;
}

/// motor-O24: a stranger with a link to prices sees neither the number nor the whole plate; after 31 days it is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sees_prices_and_nobody_behind_them() {
    let server = start().await;
    let mobile = "9812345684";
    let mut asha = Customer::arrives(&server, mobile, json!({})).await;
    let contact = json!({"name": "Asha Rao", "mobile": mobile, "consent": true});
    asha.submits(contact, "car.contact.otp.asking").await;
    let code = crate::passwords::code(&server.product.runtime, &asha.id()).await;
    asha.submits(json!({"code": code}), "car.vehicle").await;
    asha.has_it_priced().await;
    asha.offers().await;
    asha.does("share", json!({}), "car.quotes").await;
    let sent = async || messages(&server, mobile).await.into_iter().find(|text| text.contains("prices you asked for"));
    let link = server.until("the link", sent).await;
    let (_, seen) = sees(&server, &link, &asha.id()).await;
    let seen = seen.to_string();
    assert!(seen.contains("DL-3-**-**34"), "{seen}");
    assert!(!seen.contains("DL-3-CAB-1234") && !seen.contains(mobile) && !seen.contains("Asha"), "{seen}");
    server.clock.advance(31 * 86_400_000);
    assert_eq!(follows(&server.visitor(), &link).await.status, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_was_confirmed_is_asked_again_when_it_changes() {
    let server = start().await;
    let people = &server.product.runtime.people;
    let token = people.new_service_token("dialer", "call-centre", &["inbound".to_owned()], 8).await.expect("a token");
    let browser = server.visitor();
    comes_by(&browser, "inbound").await;
    holds(&browser, &token).await.ok(200);
    let view = with_contact(&server, &browser, MOBILE).await;
    let mut caller = Customer { server: &server, browser, mobile: MOBILE, view };
    caller.at("car.vehicle").await;
    caller.does("back", json!({}), "car.contact.asking").await;
    caller.submits(json!({"name": "Asha Rao", "mobile": "9812345671"}), "car.vehicle").await;
    caller.has_it_priced().await;
    chooses(&mut caller, "car.owner").await;
    caller.names_the_owner("car.confirming.inviting").await;
    assert_eq!(messages(&server, MOBILE).await, Vec::<String>::new());
    caller.does("change_number", json!({}), "car.contact.asking").await;
    // What was answered since goes on by itself once a price is chosen.
    caller.submits(json!({"name": "Asha Rao", "mobile": MOBILE}), "car.quotes").await;
    chooses(&mut caller, "car.confirming.inviting").await;
    confirms(&server, &caller.id()).await;
    // The number was shown to be the customer's: another one is not, and no token helps.
    caller.at("car.vehicle_details").await;
    let change = json!({"step": "car.contact.asking"});
    let refused = caller.browser.event(&caller.view, "change", change).await.ok(200);
    assert_eq!(refused["step"]["id"], "car.contact.asking");
    caller.view = refused;
    caller.submits(json!({"name": "Asha Rao", "mobile": "9812345671"}), "car.contact.otp.inviting").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_is_booked_for_a_customer_who_agrees_herself() {
    let server = start().await;
    let advisor = sitting(&server, "health-agent", 7).await.moved(server.product.url());
    let first = advisor.get("/api/v1/workflows/health/advisor-at-home/start").await.ok(200);
    assert!(first["step"]["form"]["schema"]["properties"].get("consent").is_none(), "{first}");
    let booking = json!({"name": "Asha Rao", "mobile": MOBILE, "pincode": "560001"});
    let view = advisor.start("health/advisor-at-home", booking.clone()).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("an id").to_owned();
    at(&server, &advisor, &view, "visit.otp.inviting").await;
    let phone = confirms(&server, &id).await;
    let asked = at(&server, &phone, &view, "visit.agreeing").await;
    is_closed_to(&advisor, &id).await;
    assert_eq!(phone.event(&asked, "submit", json!({})).await.status, 422);
    let agreed = phone.event(&asked, "submit", json!({"consent": true})).await.ok(200);
    assert_eq!(agreed["step"]["id"], "visit.address");
    let seen = advisor.view(&id).await;
    let home = json!({"address_line_1": "12 Lake View", "address_line_2": "MG Road"});
    advisor.event(&seen, "submit", home).await.ok(200);
    at(&server, &phone, &view, "visit.appointment.time").await;
    // Whoever books for themselves agrees on the first page, as before.
    assert_eq!(server.visitor().start("health/advisor-at-home", booking).await.status, 422);
    server.stop().await;
}

/// Nobody comes in unasked, nobody guesses, and only staff who act for customers may try. The code that is good now.
async fn lets_nobody_in_unasked(asha: &mut Customer<'_>, advisor: &Visitor) -> String {
    let server = asha.server;
    assert_eq!(advisor.get(&format!("/api/v1/journeys/{}", asha.id())).await.status, 404);
    asha.does("invite", json!({}), "car.vehicle").await;
    let code = read_out(&asha.view);
    assert_eq!(brings(&asha.browser, &code).await.status, 404, "she is no advisor");
    assert_eq!(brings(&sitting(server, "publisher", 8).await, &code).await.status, 404);
    let wrong = if code.starts_with('A') { "BBBB BBBB" } else { "AAAA AAAA" };
    let refused = brings(advisor, wrong).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["errors"][0]["text"], "This code isn't right or is no longer valid");
    server.clock.advance(15 * 60_000);
    assert_eq!(brings(advisor, &code).await.status, 422, "it was good for a quarter of an hour");
    asha.does("invite", json!({}), "car.vehicle").await;
    read_out(&asha.view)
}

/// Tells the customer at once; helpers see what they need, covered. The page before, as the advisor sees it.
async fn sees_what_is_needed(asha: &mut Customer<'_>, advisor: &Visitor, id: &str) -> Value {
    asha.at("car.vehicle").await;
    assert_eq!(asha.view["messages"][0]["code"], "journey.helped");
    assert!(events(&asha.view).contains(&"dismiss") && !events(&asha.view).contains(&"invite"));
    let seen = advisor.view(id).await;
    assert!(events(&seen).iter().all(|event| !["invite", "dismiss"].contains(event)), "{seen}");
    assert_eq!(advisor.event(&seen, "dismiss", json!({})).await.status, 409);
    assert!(advisor.get("/staff").await.text().contains(id), "it stands on their desk");
    let back = advisor.event(&seen, "back", json!({})).await.ok(200);
    let form = &back["step"]["form"];
    assert_eq!((&form["data"]["mobile"], form["schema"]["properties"].get("consent")), (&json!("*****45670"), None));
    back
}

/// Checks that the customer is told who saw their data, and the end is the end.
async fn ends_the_help(asha: &mut Customer<'_>, helper: &Visitor, code: &str) {
    let server = asha.server;
    let account = server.visitor();
    crate::login::logs_in(server, &account, MOBILE).await;
    let account = account.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    let sights = account["seen"].as_array().expect("sights");
    assert!(sights.iter().any(|one| one["kind"] == "partner-agent" && one["about"] == "help"), "{account}");
    server.clock.advance(1_000);
    asha.does("dismiss", json!({}), "car.purchase.check").await;
    assert_eq!(asha.view["messages"], json!([]));
    assert_eq!(helper.get(&format!("/api/v1/journeys/{}", asha.id())).await.status, 404);
    assert_eq!(brings(helper, code).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advisor_helps_with_what_a_customer_began_as_long_as_she_likes() {
    let server = start().await;
    let mut asha = Customer::arrives(&server, MOBILE, json!({})).await;
    let (id, advisor) = (asha.id(), sitting(&server, "partner-agent", 7).await);
    asha.submits(json!({"name": "Asha Rao", "mobile": MOBILE, "consent": true}), "car.contact.otp.asking").await;
    let code = asha.password().await;
    asha.submits(json!({"code": code}), "car.vehicle").await;
    let code = lets_nobody_in_unasked(&mut asha, &advisor).await;
    let mut changes = asha.browser.stream(&id).await;
    changes.next().await.expect("where it is");
    let page = brings(&advisor, &code.to_lowercase()).await.ok(200)["data"]["url"].clone();
    assert_eq!(page, json!(format!("/car-insurance/vehicle?request={id}")));
    assert_eq!(brings(&sitting(&server, "life-agent", 9).await, &code).await.status, 422, "it opens once");
    assert!(changes.next().await.is_some());
    let back = sees_what_is_needed(&mut asha, &advisor, &id).await;

    // What they answer is noted as theirs.
    let mut helper = Customer { server: &server, browser: advisor, mobile: MOBILE, view: back };
    let covered = helper.view["step"]["form"]["data"].clone();
    helper.submits(json!({"name": covered["name"], "mobile": covered["mobile"]}), "car.vehicle").await;
    // Who sends back what was covered has written none of it, and sees no more than before.
    helper.does("back", json!({}), "car.contact.asking").await;
    let again = helper.view["step"]["form"]["data"].clone();
    assert_eq!((&again["name"], &again["mobile"]), (&covered["name"], &covered["mobile"]));
    assert!(covered["mobile"] == "*****45670" && covered["name"] != "Asha Rao", "{covered}");
    helper.submits(json!({"name": "Asha Rao", "mobile": "*****45670"}), "car.vehicle").await;
    helper.has_it_priced().await;
    chooses(&mut helper, "car.owner").await;
    both_type(&asha.browser, &helper.browser, &id).await;
    helper.names_the_owner("car.vehicle_details").await;
    is_closed_to(&helper.browser, &id).await;
    asha.at("car.vehicle_details").await;
    asha.agrees_and_is_known().await;
    let given = givers(&asha.view);
    assert_eq!((&*given["car.owner"], &*given["car.vehicle_details"]), ("The advisor", "The customer"));
    ends_the_help(&mut asha, &helper.browser, &code).await;
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advisor_who_signs_out_helps_nobody_any_more() {
    const TWO_HOURS_MS: i64 = 2 * 3_600_000;
    let server = start().await;
    let mut asha = Customer::arrives(&server, MOBILE, json!({})).await;
    let (id, advisor) = (asha.id(), sitting(&server, "partner-agent", 7).await);
    asha.submits(json!({"name": "Asha Rao", "mobile": MOBILE, "consent": true}), "car.contact.otp.asking").await;
    let code = asha.password().await;
    asha.submits(json!({"code": code}), "car.vehicle").await;
    asha.does("invite", json!({}), "car.vehicle").await;
    brings(&advisor, &read_out(&asha.view)).await.ok(200);
    asha.at("car.vehicle").await;
    assert!(events(&asha.view).contains(&"dismiss"), "{}", asha.view);

    let mut changes = asha.browser.stream(&id).await;
    changes.next().await.expect("where it is");
    post(&advisor, "logout", &[], json!({})).await.ok(200);
    assert!(changes.next().await.is_some(), "the customer's page hears of it");
    asha.at("car.vehicle").await;
    assert_eq!(asha.view["messages"], json!([]));
    assert!(events(&asha.view).contains(&"invite"), "who was left may ask again: {}", asha.view);

    // The next one helps no longer than their session lasts.
    asha.does("invite", json!({}), "car.vehicle").await;
    let next = sitting_for(&server, "partner-agent", 8, TWO_HOURS_MS).await;
    brings(&next, &read_out(&asha.view)).await.ok(200);
    let helped = async |asha: &mut Customer<'_>| {
        asha.at("car.vehicle").await;
        asha.view["messages"].as_array().is_some_and(|all| all.iter().any(|one| one["code"] == "journey.helped"))
    };
    assert!(helped(&mut asha).await);
    server.clock.advance(TWO_HOURS_MS);
    assert!(!helped(&mut asha).await, "it ends with the session");
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

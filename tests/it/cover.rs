//! Nobody sees a customer's data through a helper's screen: whoever is not the customer opens every step, page, paper,
//! list, export and stream there is, and all that comes back is searched for what the customer wrote.

use crate::assisted::{at, events, follows, start};
use crate::handover::{brings, confirms_by, messages, read_out};
use crate::login::{logs_in, post};
use crate::purchase::{Customer, INSURER, block};
use crate::roles::sitting;
use crate::staff::{comes_by, holds};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};

const MOBILE: &str = "9726864598";
const NAME: &str = "Zebediah Quixworth";
/// What a customer writes, and what partners say of them, in every spelling that a page could have.
const CANARIES: [&str; 16] = [
    "zebediah",
    "quixworth",
    MOBILE,
    "97268 64598",
    "zeb.quix@canary.example",
    "1987-03-29",
    "29 mar 1987",
    "29/03/1987",
    "zqxpc4571k",
    "k12mzq77431",
    "ma3zpejkd77431905",
    "quillfeather",
    "xylophone",
    "og-77-4431-9055",
    "wilhelmina",
    "9726864",
];
const STAFF_PAGES: [&str; 14] = [
    "/api/v1/journeys",
    "/api/v1/account/records",
    "/api/v1/account/dashboard",
    "/api/v1/account/tracker",
    "/api/v1/account/policy-details",
    "/api/v1/account/export",
    "/api/v1/iam/user-accounts",
    "/api/v1/menu/own",
    "/staff",
    "/staff/records",
    "/dashboard",
    "/your-data",
    "/editProfile",
    "/car-insurance",
];

/// Somebody who is not the customer, and looks at everything.
struct Watcher<'a> {
    server: &'a TestServer,
    browser: Visitor,
    who: String,
    /// What they wrote themselves, and where that may stand.
    wrote: Option<&'static str>,
    /// Of the policy: nobody knows it before.
    number: Option<String>,
}

impl Watcher<'_> {
    /// Nothing of what came back is the customer's.
    #[track_caller]
    fn finds_nothing(&self, place: &str, text: &str) {
        let small = text.to_lowercase();
        let known = self.number.iter().map(String::as_str);
        for canary in CANARIES.into_iter().chain(known) {
            let at = small.find(&canary.to_lowercase());
            let around = at.map(|at| small.get(at.saturating_sub(120)..(at + 60).min(small.len())).unwrap_or(&small));
            assert!(at.is_none(), "{}: {place} has `{canary}`: {around:?}", self.who);
        }
    }

    async fn opens(&self, path: &str) -> u16 {
        let reply = self.browser.get(path).await;
        let headers = format!("{:?}", reply.headers);
        self.finds_nothing(path, &format!("{headers} {}", reply.text()));
        reply.status
    }

    /// Everything that can be opened of this journey, and of all of theirs.
    async fn looks(&self, id: &str, documents: &[String]) {
        let journey = format!("/api/v1/journeys/{id}");
        let view = self.browser.get(&journey).await;
        if view.status == 200 {
            let view = view.json();
            let step = view["step"]["id"].as_str().expect("a step").to_owned();
            if self.wrote.is_none_or(|wrote| wrote != step) {
                self.finds_nothing(&step, &view.to_string());
                self.opens(view["step"]["url"].as_str().expect("an address")).await;
                self.sends_what_is_refused(&view).await;
            }
            let mut changes = self.browser.stream(id).await;
            let change = changes.next().await.expect("where it is");
            self.finds_nothing("the stream", &change.to_string());
            self.prints(id).await;
        }
        for document in documents {
            assert_eq!(self.opens(&format!("{journey}/documents/{document}")).await, 404, "{}", self.who);
        }
        for page in STAFF_PAGES {
            self.opens(page).await;
        }
        for search in [MOBILE, "64598", "car", "Quixworth"] {
            let found = post(&self.browser, "account/search", &[], json!({"search": search})).await;
            let without = if search.starts_with(char::is_numeric) || search == "Quixworth" { search } else { "" };
            self.finds_nothing("a search", &found.text().replace(without, ""));
            let listed = self.browser.get(&format!("/api/v1/account/records?search={search}")).await;
            self.finds_nothing("a list", &listed.text());
        }
    }

    /// The errors and conflicts of the shown step.
    async fn sends_what_is_refused(&self, view: &Value) {
        let mut old = view.clone();
        old["journey"]["revision"] = json!(0);
        let names = view["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
        let emptied: Value =
            names.keys().map(|name| (name.clone(), json!("?"))).collect::<serde_json::Map<_, _>>().into();
        for (sent, data) in [(&old, emptied.clone()), (view, json!({"nothing": "?"}))] {
            let refused = self.browser.event(sent, "submit", data).await;
            assert_ne!(refused.status, 200, "{}: {}", self.who, refused.text());
            self.finds_nothing("a refusal", &refused.text());
        }
    }

    /// What the step prints, as blocks: a PDF has its letters packed.
    async fn prints(&self, id: &str) {
        let runtime = &self.server.product.runtime;
        let token = self.browser.cookie("__Host-session");
        let actor = runtime.people.session(&token).await.expect("an answer").expect("a session");
        if let Ok(paper) = runtime.journeys.paper(&actor, id).await {
            self.finds_nothing("the paper", &format!("{} {}", paper.title, json!(paper.blocks)));
        }
    }
}

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
        "car.contact" => {
            let contact = json!({"name": NAME, "mobile": MOBILE, "consent": true});
            customer.submits(contact, "car.otp.asking").await;
        }
        "car.otp.asking" => {
            let code = crate::passwords::code(&customer.server.product.runtime, &customer.id()).await;
            customer.submits(json!({"code": code}), "car.vehicle").await;
        }
        "car.vehicle" => customer.submits(form, "car.previous").await,
        "car.previous" => {
            let previous = json!({"owner_changed": false, "policy_type": "comprehensive", "active": true, "previous_policy_end_date": "2026-12-05",
                "previous_insurer": "10", "claim": false, "ncb": 45, "had_add_ons": false});
            customer.submits(previous, "quotes").await;
        }
        "quotes" => {
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
        "car.purchase.payment.paying" => {
            customer.pays("pay").await;
            customer.at("car.policy.issued").await;
        }
        "car.policy.issued" => customer.does("summary", json!({}), "car.policy.summary").await,
        other => panic!("nobody goes on from {other}"),
    }
}

/// To this step; whoever watches looks at each before it, and at it.
async fn goes_to(customer: &mut Customer<'_>, step: &str, watchers: &mut [Watcher<'_>]) {
    loop {
        let (id, here) = (customer.id(), customer.view["step"]["id"].clone());
        let items = block(&customer.view, "documents")["items"].as_array().cloned().unwrap_or_default();
        let documents = items.iter().filter_map(|item| item["document"].as_str());
        let documents: Vec<String> = documents.filter(|name| *name != "paper").map(str::to_owned).collect();
        let facts = block(&customer.view, "facts")["items"].as_array().cloned().unwrap_or_default();
        let number = facts.iter().find(|item| item["label"] == "Policy number").and_then(|item| item["value"].as_str());
        for watcher in watchers.iter_mut() {
            watcher.number = number.map(str::to_owned).or(watcher.number.take());
            watcher.looks(&id, &documents).await;
        }
        if here == step {
            return;
        }
        goes_on(customer).await;
    }
}

fn watcher<'a>(server: &'a TestServer, who: &str, browser: Visitor) -> Watcher<'a> {
    Watcher { server, browser, who: who.to_owned(), wrote: None, number: None }
}

/// Somebody begins a request for the customer; the page behind the contact.
async fn begins(server: &TestServer, browser: &Visitor, flow: &str) -> Value {
    let number = json!({"kind": "registered", "registration": "dl3cab1234"});
    let view = browser.start(flow, number).await.ok(201);
    let view = at(server, browser, &view, "car.contact").await;
    browser.event(&view, "submit", json!({"name": NAME, "mobile": MOBILE})).await.ok(200)
}

/// Whoever opens the link that this event of a helper sends to the customer.
async fn shared<'a>(server: &'a TestServer, helper: &Visitor, id: &str) -> Watcher<'a> {
    let before = messages(server, MOBILE).await;
    let view = helper.view(id).await;
    helper.event(&view, "share_sms", json!({})).await.ok(200);
    let new = async || messages(server, MOBILE).await.into_iter().find(|text| !before.contains(text));
    let (link, browser) = (server.until("a link", new).await, server.visitor());
    assert_eq!(follows(&browser, &link).await.status, 303);
    watcher(server, &format!("a link to {}", view["step"]["id"]), browser)
}

/// An advisor who began it: the customer confirms by a link and writes everything that is personal.
#[tokio::test(flavor = "multi_thread")]
async fn who_began_a_request_sees_nothing_of_what_its_customer_writes() {
    let server = start().await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view = begins(&server, &agent, "motor/car").await;
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let phone = confirms_by(&server, MOBILE, &id).await;
    let mut customer = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    customer.at("car.vehicle").await;
    let began = Watcher { wrote: Some("car.contact"), ..watcher(&server, "who began it", agent) };
    let other = watcher(&server, "another advisor", sitting(&server, "partner-agent", 8).await);
    let mut watchers = [began, other];
    goes_to(&mut customer, "car.purchase.check", &mut watchers).await;
    goes_to(&mut customer, "car.policy.summary", &mut watchers).await;
    server.stop().await;
}

/// A call centre with a service token: what it wrote for the customer is corrected by the customer, and is theirs then.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_centre_sees_nothing_of_what_its_customer_corrects() {
    let server = start().await;
    let people = &server.product.runtime.people;
    let token = people.new_service_token("dialer", "call-centre", &["inbound".to_owned()], 8).await.expect("a token");
    let browser = server.visitor();
    comes_by(&browser, "inbound").await;
    holds(&browser, &token).await.ok(200);
    let view = begins(&server, &browser, "motor/car").await;
    let mut caller = Customer { server: &server, browser, mobile: "9812345670", view };
    caller.at("car.vehicle").await;
    while caller.view["step"]["id"] != "car.owner" {
        goes_on(&mut caller).await;
    }
    caller.names_the_owner("car.confirming.inviting").await;
    let id = caller.id();
    let phone = confirms_by(&server, MOBILE, &id).await;
    let mut customer = Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
    let owner = json!({"proposer_first_name": "Zebediah", "proposer_last_name": "Quixworth", "dob": "1987-03-29",
        "proposer_mobile": MOBILE, "proposer_email": "zeb.quix@canary.example"});
    let address = json!({"address_line_1": "77 Quillfeather House", "address_line_2": "Xylophone Lane"});
    let nominee = json!({"nominee_name": "Wilhelmina Quixworth"});
    for (step, own) in [("car.owner", owner), ("car.address", address), ("car.nominee", nominee)] {
        customer.at("car.vehicle_details").await;
        customer.does("change", json!({"step": step}), step).await;
        let mut data = customer.view["step"]["form"]["data"].clone();
        data.as_object_mut().expect("data").extend(own.as_object().expect("fields").clone());
        customer.submits(data, "car.vehicle_details").await;
    }
    let mut watchers = [Watcher { wrote: Some("car.contact"), ..watcher(&server, "the call centre", caller.browser) }];
    goes_to(&mut customer, "car.purchase.check", &mut watchers).await;
    goes_to(&mut customer, "car.policy.summary", &mut watchers).await;
    server.stop().await;
}

/// Somebody whom the customer let in, and whoever has a link that only shows a page.
#[tokio::test(flavor = "multi_thread")]
async fn who_helps_by_a_code_or_came_by_a_link_sees_nothing_of_it() {
    let server = start().await;
    let mut customer = Customer::arrives(&server, MOBILE, json!({})).await;
    let advisor = sitting(&server, "health-agent", 7).await;
    goes_to(&mut customer, "car.vehicle", &mut []).await;
    customer.does("invite", json!({}), "car.vehicle").await;
    brings(&advisor, &read_out(&customer.view)).await.ok(200);
    let mut watchers = vec![watcher(&server, "who helps", advisor)];
    for step in ["quotes", "car.purchase.check", "car.purchase.payment.paying"] {
        goes_to(&mut customer, step, &mut watchers).await;
        let by_link = shared(&server, &watchers[0].browser, &customer.id()).await;
        watchers.push(by_link);
        if step == "car.purchase.check" {
            customer.at(step).await;
        }
        customer.at(step).await;
    }
    goes_to(&mut customer, "car.policy.summary", &mut watchers).await;
    server.stop().await;
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
    customer.does("dismiss", json!({}), "car.vehicle").await;
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
    assert!(told.starts_with("asha (call centre) helps you"), "{told}");
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
        assert!(link.browser.view(&id).await.to_string().contains("Please log in"));
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
    assert!(agent.view["step"]["view"].to_string().contains("The customer checks and confirms this page"));
    customer.at("car.purchase.check").await;
    goes_on(&mut customer).await;
    server.stop().await;
}

/// Every kind of helper, in Hindi too, with both vehicles: `cargo test -p journey-tests --test it cover:: -- --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long"]
async fn nobody_in_any_role_sees_anything() {
    let server = start().await;
    let roles = ["health-agent", "life-agent", "partner-agent", "app-agent", "call-centre"];
    for (n, role) in (10_u8..).zip(roles) {
        for language in ["en", "hi"] {
            let agent = sitting(&server, role, n + if language == "hi" { 50 } else { 0 }).await;
            agent.get(&format!("/?lang={language}")).await;
            let view = begins(&server, &agent, "motor/car").await;
            let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
            let phone = confirms_by(&server, MOBILE, &id).await;
            let mut customer =
                Customer { server: &server, view: phone.view(&id).await, browser: phone, mobile: MOBILE };
            customer.at("car.vehicle").await;
            let mut watchers = vec![Watcher { wrote: Some("car.contact"), ..watcher(&server, role, agent) }];
            for other in roles.iter().filter(|other| **other != role) {
                watchers.push(watcher(&server, other, sitting(&server, other, n + 100).await));
            }
            goes_to(&mut customer, "car.purchase.check", &mut watchers).await;
            goes_to(&mut customer, "car.policy.summary", &mut watchers).await;
        }
    }
    server.stop().await;
}

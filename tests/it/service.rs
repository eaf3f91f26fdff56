//! Claims and complaints with the definitions that are shipped: a number at once, the desk of our people, who tells how
//! far each is, and the operator who tells it in the desk's place.

use crate::login::{ASHA, logs_in, start};
use engine_partners::signature::hmac_sha256_hex;
use journey_tests::people::messages;
use journey_tests::server::{Reply, TestServer, Visitor};
use serde_json::{Value, json};

/// A request with our people, and the browser of whose it is.
struct Case<'s> {
    server: &'s TestServer,
    browser: Visitor,
    id: String,
    reference: String,
}

impl<'s> Case<'s> {
    /// Files a case for who is logged in, whose name and number nobody asks for.
    async fn filed(server: &'s TestServer, workflow: &str, answers: &[Value]) -> Case<'s> {
        let browser = server.visitor();
        logs_in(server, &browser, ASHA).await;
        let mut view = browser.start(workflow, answers[0].clone()).await.ok(201);
        for answer in &answers[1..] {
            view = browser.event(&view, "submit", answer.clone()).await.ok(200);
        }
        let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
        let asked = async || {
            let view = browser.view(&id).await;
            let step = view["step"]["id"].as_str()?;
            (step.ends_with(".reach.asking") || step.ends_with(".open.waiting")).then_some(view)
        };
        let view = server.until("the next step", asked).await;
        if view["step"]["id"].as_str().is_some_and(|step| step.ends_with(".asking")) {
            let contact = json!({"name": "Asha Rao", "mobile": ASHA, "email": "asha@example.com"});
            browser.event(&view, "submit", contact).await.ok(200);
        }
        let case = Case { server, browser, id, reference: String::new() };
        let view = case.at("open.waiting").await;
        let reference = fact(&view, "Reference");
        Case { reference, ..case }
    }

    async fn at(&self, step: &str) -> Value {
        let there = async || {
            let view = self.browser.view(&self.id).await;
            view["step"]["id"].as_str()?.ends_with(step).then_some(view)
        };
        self.server.until(step, there).await
    }

    fn report(&self, once: &str, status: &str, words: &str) -> Value {
        json!({"id": once, "case": self.reference, "status": status, "words": words})
    }

    /// What the desk sends, signed with this secret.
    async fn told(&self, secret: &str, report: &Value) -> u16 {
        let body = report.to_string();
        let signature = hmac_sha256_hex(secret.as_bytes(), body.as_bytes());
        let headers = [("x-desk-signature", signature.as_str()), ("x-journey", ""), ("origin", "")];
        self.server.visitor().send("POST", "/api/v1/webhooks/desk/moved", &headers, Some(body)).await.status
    }

    async fn account(&self) -> String {
        self.browser.get("/dashboard").await.text()
    }

    async fn is_told_by_message(&self, words: &str) {
        let found = async || messages(self.server, ASHA).await.into_iter().find(|text| text.contains(words));
        let text = self.server.until(words, found).await;
        assert!(text.contains(&self.reference) && text.contains("/r/"), "{text}");
    }
}

fn fact(view: &Value, label: &str) -> String {
    let blocks = view["step"]["view"]["blocks"].as_array().into_iter().flatten();
    let mut items = blocks.filter_map(|block| block["items"].as_array()).flatten();
    let item = items.find(|item| item["label"] == label).unwrap_or_else(|| panic!("{label}: {view}"));
    item["value"].as_str().expect("a text").to_owned()
}

const SECRET: &str = "sandbox-desk_webhook_secret";

fn complaint() -> Value {
    json!({"about": "claim", "insurer": "1", "policy_number": "HE-2026-000123", "words": "Nobody has called me for nine days."})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_complaint_has_a_number_and_a_day_and_is_answered() {
    let server = start().await;
    let case = Case::filed(&server, "service/complaint", &[complaint()]).await;
    assert!(case.reference.starts_with("GR-20261121-"), "{}", case.reference);
    case.is_told_by_message("5 Dec 2026").await;
    let page = case.account().await;
    assert!(page.contains("Your complaints") && page.contains(&case.reference), "{page}");
    assert!(page.contains("We'll answer by 5 Dec 2026") && !page.contains("Pick up where you left off"), "{page}");

    // Our people have it on their desk, in the customer's words.
    let desk = async || {
        let page = server.visitor().get("/sandbox/partners/desk/v1/desk").await;
        let page = server.visitor().get(page.header("location")).await.text();
        page.contains(&case.reference).then_some(page)
    };
    assert!(server.until("the desk", desk).await.contains("Nobody has called me for nine days."));

    // Who is not the desk tells nothing; the desk tells it once.
    let answer = case.report("r1", "answered", "The surveyor comes on Monday.");
    assert_eq!(case.told("guessed", &answer).await, 401);
    for _ in 0..2 {
        assert_eq!(case.told(SECRET, &answer).await, 200);
    }
    let view = case.at("open.answered").await;
    assert!(view.to_string().contains("The surveyor comes on Monday."), "{view}");
    case.is_told_by_message("We've answered your complaint").await;
    assert!(case.account().await.contains("Answered"), "its state");

    case.browser.event(&view, "accept", json!({})).await.ok(200);
    assert!(case.account().await.contains("Closed"));
    server.stop().await;
}

async fn tells(server: &TestServer, token: &str, partner: &str, webhook: &str, body: Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let told = json!({"partner": partner, "webhook": webhook, "body": body}).to_string();
    server.visitor().send("POST", "/api/v1/operator/webhooks", &[("authorization", &bearer)], Some(told)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_answers_in_the_desks_place_and_tells_nothing_of_money() {
    let server = start().await;
    let case = Case::filed(&server, "service/complaint", &[complaint()]).await;
    let answer = case.report("by hand", "answered", "It is put right.");
    assert_eq!(tells(&server, &"0".repeat(64), "desk", "moved", answer.clone()).await.status, 404);

    let token = server.product.runtime.people.new_operator("asha", 8).await.expect("a token");
    let refused = async |partner: &str, webhook: &str, body: Value| {
        let reply = tells(&server, &token, partner, webhook, body).await;
        assert_eq!((reply.status, reply.code().as_str()), (409, "not_possible"), "{}", reply.text());
    };
    refused("nobody", "moved", json!({})).await;
    refused("desk", "moved", json!({"id": "x", "case": "GR-1", "status": "answered"})).await;
    refused("visits", "outcome", json!({"id": "x", "meeting": case.reference, "status": "done"})).await;
    let entity = json!({"id": "pay_1", "order_id": case.reference, "amount": 1, "status": "captured"});
    let paid = json!({"event": "payment.captured", "payload": {"payment": {"entity": entity}}});
    refused("gateway", "payments", paid).await;

    assert_eq!(tells(&server, &token, "desk", "moved", answer).await.status, 204);
    let view = case.at("open.answered").await;
    assert!(view.to_string().contains("It is put right."), "{view}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_says_what_to_do_and_how_far_it_is() {
    let server = start().await;
    let visitor = server.visitor();
    for (path, said) in [
        ("/claims", "Call 112 first"),
        ("/claims/car", "Get everyone to safety"),
        ("/claims/bike", "022 6234 6234"),
        ("/claims/health", "The insurer answers within one hour."),
        ("/claims/life", "Death certificate"),
    ] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains(said), "{path}: {}", page.text());
    }
    let policy = json!({"line": "car", "insurer": "1", "registration": "DL3CAB1234"});
    let happened = json!({"loss": "accident", "on": "2026-11-20", "pincode": "110001", "words": "A lorry hit us."});
    let case = Case::filed(&server, "service/claim", &[policy, happened]).await;
    assert!(case.reference.starts_with("CL-20261121-"), "{}", case.reference);
    case.is_told_by_message("We have your claim").await;
    assert!(case.account().await.contains("An accident · DL-3-CAB-1234"));

    let registered = json!({"id": "r1", "case": case.reference, "status": "registered", "number": "C-8812"});
    assert_eq!(case.told(SECRET, &registered).await, 200);
    let news = async || {
        let view = case.browser.view(&case.id).await;
        view.to_string().contains("C-8812").then_some(view)
    };
    let view = server.until("the insurer's number", news).await;
    assert_eq!(fact(&view, "Number at the insurer"), "C-8812");
    case.is_told_by_message("There's an update on your claim").await;
    assert!(case.account().await.contains("Registered with the insurer"));
    server.stop().await;
}

/// The help of a step, in the reader's language.
#[tokio::test(flavor = "multi_thread")]
async fn the_help_answers_what_people_ask_at_a_step() {
    let server = start().await;
    let visitor = server.visitor();
    let questions = async |path: &str| {
        let reply = visitor.get(&format!("/api/v1/help?path={path}")).await.ok(200);
        let all = reply["data"]["questions"].as_array().expect("questions").iter();
        all.map(|one| one["question"].as_str().expect("words").to_owned()).collect::<Vec<_>>()
    };
    let asked = questions("/bike-insurance/checkout-kyc").await;
    assert!(asked.iter().any(|question| question == "Why is my identity checked?"), "{asked:?}");
    assert_eq!(questions("/").await, [] as [String; 0]);
    visitor.get("/?lang=hi").await;
    let asked = questions("/car-insurance/contact").await;
    assert_eq!(asked, ["मेरा मोबाइल नंबर क्यों चाहिए?"]);
    server.stop().await;
}

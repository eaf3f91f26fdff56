//! The home visit with the definitions that are shipped: booked over the front door, reported by the partner's signed
//! callback, which comes twice, forged, and late (R1-19, R1-22, R7.3-33).

use engine_partners::signature::hmac_sha256_hex;
use engine_runtime::Actor;
use engine_store::{EffectFilter, EffectRecord, EffectState};
use journey_tests::people::password_in;
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

const MOBILE: &str = "9812345671";

async fn until(server: &TestServer, browser: &Visitor, journey: &str, step: &str) -> Value {
    server
        .until(step, async || {
            let view = browser.view(journey).await;
            (view["step"]["id"] == step).then_some(view)
        })
        .await
}

/// A booked visit: the journey's id and the meeting's.
async fn booked(server: &TestServer, browser: &Visitor) -> (String, String) {
    let data = json!({"name": "Asha Rao", "mobile": MOBILE, "pincode": "560001", "consent": true});
    let view = browser.start("health/advisor-at-home", data).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let view = until(server, browser, &id, "visit.otp.asking").await;
    let code = server
        .until("the one-time password", async || {
            let inbox = browser.get(&format!("/sandbox/inbox.json?to={MOBILE}")).await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await;
    browser.event(&view, "submit", json!({"code": code})).await.ok(200);
    let view = until(server, browser, &id, "visit.address").await;
    browser
        .event(&view, "submit", json!({"address_line_1": "12 Lake View", "address_line_2": "MG Road"}))
        .await
        .ok(200);
    let view = until(server, browser, &id, "visit.appointment.time").await;

    // Each slot has a key and a display value (R3-46); one outside the working hours is refused with a text.
    let offered =
        view["step"]["form"]["schema"]["properties"]["slot"]["x-ui"]["slots"].as_array().expect("slots").clone();
    assert!(offered.iter().all(|slot| slot["key"].is_string() && slot["text"].is_string()) && offered.len() > 100);
    let night = browser.event(&view, "submit", json!({"slot": "2026-11-24T16:30:00.000Z"})).await;
    assert_eq!(night.status, 422);
    assert_eq!(night.json()["errors"][0]["text"], "This time is no longer free. Please choose another one.");

    let free = offered.iter().find(|slot| slot["full"] == false).expect("a free slot");
    browser.event(&view, "submit", json!({"slot": free["key"]})).await.ok(200);
    let view = until(server, browser, &id, "visit.appointment.waiting").await;
    let facts = view["step"]["view"]["blocks"]
        .as_array()
        .expect("blocks")
        .iter()
        .find(|block| block["block"] == "facts")
        .expect("facts");
    let reference = facts["items"]
        .as_array()
        .expect("facts")
        .iter()
        .find(|fact| fact["label"] == "Reference")
        .expect("a reference");
    (id, reference["value"].as_str().expect("a reference").to_owned())
}

async fn report(server: &TestServer, secret: Option<&str>, body: Value) -> u16 {
    let body = body.to_string();
    let signature = secret.map(|secret| hmac_sha256_hex(secret.as_bytes(), body.as_bytes())).unwrap_or_default();
    let headers = [("x-visits-signature", signature.as_str()), ("x-journey", ""), ("origin", "")];
    server.visitor().send("POST", "/api/v1/webhooks/visits/outcome", &headers, Some(body)).await.status
}

/// A visit that a customer has booked, and what its partner reports of it.
struct Visit {
    server: TestServer,
    browser: Visitor,
    /// Id of the journey.
    id: String,
    meeting: String,
}

impl Visit {
    async fn booked() -> Visit {
        let server = TestServer::start(all_definitions()).await;
        let browser = server.visitor();
        let (id, meeting) = booked(&server, &browser).await;
        Visit { server, browser, id, meeting }
    }

    /// The status of the answer to a report, signed with this secret.
    async fn report(&self, secret: Option<&str>, once: &str, status: &str) -> u16 {
        let mut body = json!({"id": once, "meeting": self.meeting, "status": status});
        if status == "rescheduled" {
            body["slot"] = json!("2026-11-27T09:30:00.000Z");
        }
        report(&self.server, secret, body).await
    }

    async fn reported(&self, once: &str, status: &str) {
        assert_eq!(self.report(Some("sandbox-visits_webhook_secret"), once, status).await, 200);
    }

    /// How often its journey was told that it was moved.
    async fn moves(&self) -> usize {
        let events = self.server.store().await.events(&self.id, 0, 200).await.expect("a history");
        events.iter().filter(|event| event.data["event"] == "visit.rescheduled").count()
    }

    async fn incidents(&self) -> Vec<(String, String)> {
        let incidents = self.server.store().await.incidents(true, 10).await.expect("incidents");
        incidents.into_iter().map(|incident| (incident.journey, incident.reason)).collect()
    }
}

/// Nobody comes to the door of somebody who is forgotten; the request goes when the partner knows.
#[tokio::test(flavor = "multi_thread")]
async fn the_visit_of_who_is_forgotten_is_called_off_first() {
    let visit = Visit::booked().await;
    let operations = &visit.server.product.runtime.operations;
    let asked = operations.forget_person(&Actor::operator("test"), MOBILE).await;
    assert!(matches!(asked, Ok(Some(Ok(_)))), "{asked:?}");
    let store = visit.server.store().await;
    let filter = EffectFilter { journey: Some(visit.id.clone()), limit: 100, ..EffectFilter::default() };
    let hears = async || {
        let effects = store.effects(filter.clone()).await.expect("effects");
        let is_told = |effect: &EffectRecord| {
            effect.state == EffectState::Done && effect.payload.to_string().contains("visit/cancel")
        };
        effects.iter().any(is_told).then_some(())
    };
    visit.server.until("the partner hears of it", hears).await;
    // It goes with the first look at which no work is left.
    let is_gone = async || {
        visit.server.product.runtime.remember_forgotten().await.expect("the list");
        store.journey(&visit.id).await.expect("read").is_none().then_some(())
    };
    visit.server.until("it is erased", is_gone).await;
    visit.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_counts_once() {
    let visit = Visit::booked().await;
    assert_eq!(visit.report(None, "r1", "rescheduled").await, 401);
    assert_eq!(visit.report(Some("guessed"), "r1", "rescheduled").await, 401);
    assert_eq!(visit.moves().await, 0);

    for _ in 0..3 {
        visit.reported("r1", "rescheduled").await;
    }
    assert_eq!(visit.moves().await, 1);
    let view = visit.browser.view(&visit.id).await;
    let notice = &view["step"]["view"]["blocks"][0];
    assert_eq!(
        (&view["step"]["title"], &notice["title"]),
        (&json!("Your visit has been moved"), &json!("Rescheduled: Friday, 27 November 2026, 3:00 pm"))
    );
    visit.server.stop().await;
}

/// After the end: kept and looked at, without a consequence for the customer; unknown kinds are taken and ignored.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_outcome_is_an_incident() {
    let visit = Visit::booked().await;
    visit.reported("r2", "done").await;
    let view = until(&visit.server, &visit.browser, &visit.id, "visit.done").await;
    assert_eq!(
        (&view["journey"]["status"], &view["step"]["view"]["blocks"][0]["title"]),
        (&json!("done"), &json!("Visit done"))
    );
    assert_eq!(visit.incidents().await, []);

    visit.reported("r3", "closed").await;
    visit.reported("r4", "weather").await;
    assert_eq!(visit.incidents().await, [(visit.id.clone(), "an event for a journey that is over".to_owned())]);
    assert_eq!(visit.browser.view(&visit.id).await["step"]["id"], "visit.done");
    visit.server.stop().await;
}

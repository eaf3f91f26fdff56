//! Operators: effects, incidents and histories, over HTTP and the command line's use cases.

use engine_definitions::Files;
use engine_runtime::operations::{Effects, JourneyHistory};
use engine_runtime::{Actor, Stories};
use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::{Value, json};

/// Every stage depends on a town of the master data, which is live: adding the town repairs it.
const REPAIR: &str = "
id: repair
title: Repair
base: /repair
timezone: Asia/Kolkata
ttl: 90d
initial: ask
delays:
  hour: {until: 'add_minutes(now, 60)', on_version: restart}
context: {parcel: {}, price: {}, label: {}, town: '', second: '', third: ''}
states:
  ask:
    step: {form: parcel/cover/parcel, into: parcel, path: ''}
    on: {submit: {target: pricing, actions: {type: correlate, partner: swift, reference: journey.id, expect: {}}}}
  pricing:
    step: {wait: label.printing, path: ''}
    invoke:
      id: pricing
      src: swift/price
      input: {weight: context.parcel.weight}
      into: price
      onDone: {target: timing, actions: {assign: {town: \"lookup('towns', 'AAA').name\"}}}
      onError: {actions: {type: incident, reason: no price}}
  timing:
    step: {wait: label.printing, path: ''}
    after: {hour: {target: hooked, actions: {assign: {second: \"lookup('towns', 'BBB').name\"}}}}
  hooked:
    step: {wait: label.printing, path: ''}
    on: {parcel.delivered: {target: printing, actions: {assign: {third: \"lookup('towns', 'CCC').name\"}}}}
  printing:
    step: {wait: label.printing, path: ''}
    invoke:
      id: printing
      src: swift/label
      input: {name: \"'Asha Rao'\", weight: context.parcel.weight}
      into: label
      onDone: finished
      onError: {actions: {type: incident, reason: no label}}
  finished: {type: final}
";

fn definitions(towns: &[&str]) -> Files {
    let mut files = fixture("parcel");
    files.insert("workflows/parcel/repair/flow.yaml", REPAIR.as_bytes());
    let rows: String = towns.iter().map(|code| format!("{code},Town {code},State\n")).collect();
    files.insert("workflows/master/towns.csv", format!("code,name,state\nDL,Delhi,Delhi\n{rows}").into_bytes());
    files
}

struct Desk {
    server: TestServer,
    customer: Visitor,
    token: String,
}

impl Desk {
    async fn open(towns: &[&str]) -> Desk {
        let server = TestServer::start(definitions(towns)).await;
        let token = server.product.runtime.people.new_operator("asha", 8).await.expect("a token");
        Desk { customer: server.visitor(), server, token }
    }

    async fn ask(&self, method: &str, path: &str) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        self.customer.send(method, &format!("/api/v1/operator/{path}"), &[("authorization", &bearer)], None).await
    }

    async fn list(&self, path: &str) -> Vec<Value> {
        self.ask("GET", path).await.ok(200).as_array().expect("a list").clone()
    }

    async fn started(&self) -> String {
        let view = self.customer.start("parcel/repair", json!({"weight": 2, "kind": "gift"})).await.ok(201);
        view["journey"]["id"].as_str().expect("a journey").to_owned()
    }

    async fn repair(&self, towns: &[&str]) {
        let by = Actor::operator("test");
        self.server
            .product
            .runtime
            .publishing
            .publish(&definitions(towns), &by, Stories::OfChanges)
            .await
            .expect("it checks");
    }

    /// The one open incident.
    async fn incident(&self, what: &str) -> Value {
        self.server.until(what, async || self.list("incidents").await.first().cloned()).await
    }

    async fn retry(&self, incident: &Value) {
        let path = format!("incidents/{}/retry", incident["id"].as_str().expect("an id"));
        assert_eq!(self.ask("POST", &path).await.status, 204);
        let again = self.ask("POST", &path).await;
        assert_eq!((again.status, again.code().as_str()), (409, "not_possible"), "a second click does nothing");
    }

    async fn at(&self, journey: &str, step: &str) {
        let there = async || (self.customer.view(journey).await["step"]["id"].as_str()?.ends_with(step)).then_some(());
        self.server.until(step, there).await;
    }

    async fn agrees(&self, journey: &str) {
        assert_eq!(
            self.server.product.runtime.operations.replay(journey).await.expect("a replay"),
            Some(vec![]),
            "the history gives the state, retries included"
        );
    }
}

/// The four kinds of incidents, in the order in which the journey meets them.
impl Desk {
    /// A reply that the definition cannot take: its effect is parked.
    async fn repairs_a_reply(&self, journey: &str) {
        let incident = self.incident("the reply's incident").await;
        assert_eq!((&incident["journey"], &incident["retries"]), (&json!(journey), &json!("effect")), "{incident}");
        let parked = self.list("effects?kind=call&lane=swift").await;
        assert_eq!(
            (parked.len(), &parked[0]["code"], &parked[0]["state"]),
            (1, &json!("definition"), &json!("parked")),
            "{parked:?}"
        );
        assert_eq!(self.list("effects?lane=steady").await, [] as [Value; 0]);
        self.repair(&["AAA"]).await;
        self.retry(&incident).await;
        self.at(journey, "timing").await;
    }

    async fn repairs_a_timer(&self, journey: &str) {
        self.server.clock.advance(3_600_000);
        let incident = self.incident("the timer's incident").await;
        assert_eq!(incident["retries"], "timer");
        self.repair(&["AAA", "BBB"]).await;
        self.retry(&incident).await;
        self.at(journey, "hooked").await;
    }

    /// The label's printer is out of order from now on, so that the call after the webhook fails for good.
    async fn repairs_a_webhook(&self, journey: &str) {
        let body = json!({"id": "hook 1", "kind": "delivered", "label": journey}).to_string();
        let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
        let headers = [("x-swift-signature", signature.as_str()), ("x-journey", ""), ("origin", "")];
        let sent = self.customer.send("POST", "/api/v1/webhooks/swift/delivered", &headers, Some(body)).await;
        assert_eq!(sent.status, 200);
        let incident = self.incident("the webhook's incident").await;
        assert_eq!(incident["retries"], "webhook");
        self.switch_printer("fail").await;
        self.repair(&["AAA", "BBB", "CCC"]).await;
        self.retry(&incident).await;
    }

    /// A failed call that the workflow reports.
    async fn repairs_a_call(&self) {
        let failed = async || self.list("incidents").await.first().cloned();
        let incident = self.server.until_worked("the call's incident", failed).await;
        assert_eq!((&incident["reason"], &incident["retries"]), (&json!("no label"), &json!("effect")));
        self.switch_printer("normal").await;
        self.retry(&incident).await;
    }

    async fn switch_printer(&self, mode: &str) {
        let label = json!({"partner": "swift", "operation": "label", "mode": mode}).to_string();
        assert_eq!(self.customer.send("POST", "/sandbox/switches", &[], Some(label)).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repaired_work_goes_on_after_each_kind_of_incident() {
    let desk = Desk::open(&[]).await;
    let journey = desk.started().await;

    desk.repairs_a_reply(&journey).await;
    desk.repairs_a_timer(&journey).await;
    desk.repairs_a_webhook(&journey).await;
    desk.repairs_a_call().await;
    let ended = async || (desk.customer.view(&journey).await["journey"]["status"] == "done").then_some(());
    desk.server.until("the end", ended).await;
    desk.agrees(&journey).await;

    let closed = desk.list("incidents?all=true").await;
    assert!(closed.len() == 4 && closed.iter().all(|i| i["closed_by"] == "asha"), "{closed:?}");
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_call_fails_for_its_journey_and_names_who_gave_it_up() {
    let desk = Desk::open(&[]).await;
    let journey = desk.started().await;
    desk.incident("the reply's incident").await;
    let key = desk.list("effects").await[0]["key"].as_str().expect("a key").to_owned();
    assert_eq!(desk.ask("POST", &format!("effects/{key}/skip")).await.status, 204);
    let given_up = &desk.list("effects?state=cancelled").await[0];
    assert_eq!((&given_up["code"], &given_up["by"]), (&json!("skipped"), &json!("asha")), "{given_up}");
    // its `onError` was taken
    let reasons: Vec<Value> = desk.list("incidents").await.iter().map(|i| i["reason"].clone()).collect();
    assert!(reasons.contains(&json!("no price")), "{reasons:?}");
    for action in ["skip", "retry"] {
        let refused = desk.ask("POST", &format!("effects/{key}/{action}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "not_possible"));
    }
    desk.agrees(&journey).await;
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_effect_is_retried_with_its_old_key() {
    let desk = Desk::open(&[]).await;
    let journey = desk.started().await;
    desk.incident("the reply's incident").await;
    let parked = desk.list("effects").await[0].clone();
    let key = parked["key"].as_str().expect("a key");
    desk.repair(&["AAA"]).await;
    assert_eq!(desk.ask("POST", &format!("effects/{key}/retry")).await.status, 204);
    desk.at(&journey, "timing").await;
    let calls =
        desk.customer.get(&format!("/sandbox/calls.json?partner=swift&operation=price&key={key}")).await.ok(200);
    assert_eq!(calls["keys"][0]["count"], 2, "the partner saw the same key twice: {calls}");
    let done = desk.list(&format!("effects?state=done&journey={journey}")).await;
    assert_eq!((done.len(), &done[0]["attempts"]), (1, &json!(1)), "attempts begin anew");
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_tells_what_happened_and_nothing_that_was_written() {
    let desk = Desk::open(&["AAA"]).await;
    let view = desk
        .customer
        .start("parcel/repair", json!({"weight": 2, "kind": "gift", "note": "for Meera, 9876543210"}))
        .await
        .ok(201);
    let journey = view["journey"]["id"].as_str().expect("a journey").to_owned();
    desk.at(&journey, "timing").await;
    let reply = desk.ask("GET", &format!("journeys/{journey}/history")).await;
    for secret in ["Meera", "9876543210", "gift", "Town AAA"] {
        assert!(!reply.text().contains(secret), "{secret} is in {}", reply.text());
    }
    let history: JourneyHistory = serde_json::from_value(reply.ok(200)).expect("a history");
    assert!(history.events.iter().map(|e| e.seq).eq(1..=history.events.len() as i64));
    let submit = history.events.iter().find(|e| e.kind == "submitted").expect("the answer");
    assert_eq!(
        (submit.by.as_str(), submit.fields.as_slice()),
        ("visitor", ["weight", "kind", "note"].map(str::to_owned).as_slice())
    );
    let call = history.effects.first().expect("the call");
    assert_eq!(
        (call.target.as_str(), call.state.as_str(), call.attempts, call.code.as_deref()),
        ("swift/price", "done", 1, Some("ok"))
    );
    assert_eq!(
        history.timers.iter().map(|t| t.on_version.as_str()).collect::<Vec<_>>(),
        ["restart"],
        "the hour that runs, and its policy"
    );
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explained_history_tells_what_each_value_came_to_and_from_what_but_nothing_that_was_typed() {
    let server = TestServer::start(fixture("parcel")).await;
    let visitor = server.visitor();
    let begun = visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let journey = begun["journey"]["id"].as_str().expect("a journey");
    visitor.event(&begun, "submit", json!({"name": "Meera Rao"})).await.ok(200);
    let is_answered = |view: &Value| view["step"]["view"]["blocks"][0]["items"][0]["state"] == "answered";
    let answered = async || Some(visitor.view(journey).await).filter(is_answered);
    let view = server.until("an offer", answered).await;
    let carrier = view["step"]["view"]["blocks"][0]["items"][0]["provider"]["name"].clone();
    visitor.event(&view, "select", json!({"carrier": carrier})).await.ok(200);

    let me = Actor::operator("asha");
    let values = server.product.runtime.operations.explain(&me, journey).await.expect("an explanation");
    let told = |name: &str| values.iter().find(|value| value.name == name).expect("the value");
    let offered = told("offered");
    assert_eq!((&offered.arguments, &offered.result), (&vec![carrier], &json!(true)));
    let shipped = told("shipped");
    assert_eq!(shipped.result, json!({"name": "•••", "weight": 2}));
    assert_eq!(
        shipped.inputs,
        [("parcel.weight".into(), json!(2)), ("sender.name".into(), json!("•••"))] as [(String, Value); 2]
    );
    assert!(offered.seq == shipped.seq, "one choice, which asked both");
    assert!(!format!("{values:?}").contains("Meera"), "{values:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_an_operator_learns_that_there_is_an_api() {
    let desk = Desk::open(&[]).await;
    let journey = desk.started().await;
    let unknown = desk.customer.get("/api/v1/nowhere").await;
    let paths = [
        ("GET", "effects".to_owned()),
        ("GET", "incidents".into()),
        ("GET", format!("journeys/{journey}/history")),
        ("POST", format!("effects/{journey}.1.0/retry")),
        ("POST", format!("effects/{journey}.1.0/skip")),
        ("POST", format!("incidents/{journey}/close")),
        ("POST", format!("incidents/{journey}/retry")),
    ];
    let wrong = "0".repeat(64);
    for (method, path) in &paths {
        for bearer in [None, Some(wrong.as_str()), Some("short")] {
            let header = bearer.map(|token| format!("Bearer {token}")).unwrap_or_default();
            let reply = desk
                .customer
                .send(method, &format!("/api/v1/operator/{path}"), &[("authorization", &header)], None)
                .await;
            assert_eq!((reply.status, reply.text()), (404, unknown.text()), "{method} {path} with {bearer:?}");
        }
    }
    // a visitor who calls himself so is none: the use case asks again
    let pretender = Actor { roles: vec!["operator".into()], ..Actor::visitor("v") };
    let operations = &desk.server.product.runtime.operations;
    assert!(operations.effects(&pretender, Effects::default()).await.is_err());
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_no_session_and_ends_in_time_or_when_it_is_revoked() {
    let desk = Desk::open(&[]).await;
    let journey = desk.started().await;
    let cookie = format!("__Host-session={}", desk.token);
    let as_cookie =
        desk.customer.send("GET", &format!("/api/v1/journeys/{journey}"), &[("cookie", &cookie)], None).await;
    assert_eq!(as_cookie.status, 404);
    // it does not live longer by being used, and ends at once when revoked
    assert_eq!(desk.ask("GET", "incidents").await.status, 200);
    desk.server.clock.advance(8 * 3_600_000 - 1);
    assert_eq!(desk.ask("GET", "incidents").await.status, 200);
    desk.server.clock.advance(1);
    assert_eq!(desk.ask("GET", "incidents").await.status, 404);
    let runtime = &desk.server.product.runtime;
    let token = runtime.people.new_operator("asha", 8).await.expect("a token");
    let other = runtime.people.new_operator("ravi", 8).await.expect("a token");
    assert_eq!(
        runtime.people.revoke_operator("asha").await.expect("revoked"),
        1,
        "the one that had ended is not counted"
    );
    assert!(runtime.people.operator(&token).await.expect("an answer").is_none());
    assert_eq!(runtime.people.operator(&other).await.expect("an answer").map(|actor| actor.id), Some("ravi".into()));
    desk.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_show_the_queue_calls_and_breakers() {
    let desk = Desk::open(&[]).await;
    desk.started().await;
    desk.incident("the reply's incident").await;
    let page = desk.customer.get("/metrics").await.text();
    for line in [
        "journey_effects_waiting{kind=\"call\",lane=\"swift\",state=\"parked\"} 1",
        "journey_effects_parked 1",
        "journey_incidents_open 1",
        "journey_timers_waiting 0",
        "partner_breaker_state{partner=\"swift\",operation=\"price\"} 0",
    ] {
        assert!(page.lines().any(|l| l == line), "{line} is not in {page}");
    }
    for name in [
        "journey_effect_attempts_total{",
        "journey_effects_total{",
        "partner_call_seconds{",
        "partner_calls_total{",
        "journey_effect_seconds{",
    ] {
        assert!(page.contains(name), "{name} is not in {page}");
    }
    desk.server.stop().await;
}

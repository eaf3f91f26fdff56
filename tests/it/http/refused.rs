//! What is not let in, and what it is told.

use super::{id, parcels, started, with_offers};
use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::{Map, Value, json};

/// A journey at its second step, and who asks things of it that are refused.
struct Open {
    server: TestServer,
    visitor: Visitor,
    view: Value,
    /// Address to which events of the journey go.
    events: String,
}

impl Open {
    async fn journey() -> Open {
        let server = parcels().await;
        let visitor = server.visitor();
        let view = started(&visitor).await;
        let events = format!("/api/v1/journeys/{}/events", id(&view));
        Open { server, visitor, view, events }
    }

    /// An event with this data, as the form sends it.
    fn submit(&self, data: &Value) -> String {
        json!({"type": "submit", "data": data, "revision": self.view["journey"]["revision"]}).to_string()
    }

    /// An event that is accepted.
    fn good(&self) -> String {
        self.submit(&json!({"name": "Asha"}))
    }

    async fn posts(&self, body: &str) -> Reply {
        self.visitor.send("POST", &self.events, &[("idempotency-key", "k")], Some(body.to_owned())).await
    }

    async fn refuses(&self, what: &str, body: &str, status: u16, code: &str) {
        self.refuses_with(what, &[], body, status, code).await;
    }

    async fn refuses_with(&self, what: &str, headers: &[(&str, &str)], body: &str, status: u16, code: &str) {
        self.refuses_at(what, &format!("POST {}", self.events), headers, Some(body), (status, code)).await;
    }

    /// `to` is a method and an address.
    async fn refuses_at(
        &self,
        what: &str,
        to: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
        (status, code): (u16, &str),
    ) {
        let (method, path) = to.split_once(' ').expect("a method and an address");
        let mut all = vec![("idempotency-key", "k")];
        all.extend(headers);
        let reply = self.visitor.send(method, path, &all, body.map(str::to_owned)).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{what}: {}", reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_another_page_is_refused() {
    let open = Open::journey().await;
    let good = open.good();
    let from_nowhere = [("origin", ""), ("sec-fetch-site", "cross-site")];
    let form = [("content-type", "application/x-www-form-urlencoded")];
    open.refuses_with("no header of ours", &[("x-journey", "")], &good, 403, "csrf").await;
    open.refuses_with("a foreign origin", &[("origin", "https://evil.example")], &good, 403, "csrf").await;
    open.refuses_with("a foreign page without origin", &from_nowhere, &good, 403, "csrf").await;
    open.refuses_with("a form", &form, "type=submit", 415, "media_type").await;
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_what_the_api_takes_is_refused() {
    let open = Open::journey().await;
    let twice = r#"{"type":"submit","data":{"name":"Asha","name":"Ravi"},"revision":1}"#;
    let deep = format!("{{\"type\":\"submit\",\"data\":{}1{},\"revision\":1}}", "{\"a\":".repeat(40), "}".repeat(40));
    let unknown = r#"{"type":"submit","data":{},"revision":1,"role":"operator"}"#;
    open.refuses("not JSON", "{", 400, "body_invalid").await;
    open.refuses("a key twice", twice, 400, "body_invalid").await;
    open.refuses("too deep", &deep, 400, "body_invalid").await;
    open.refuses("an unknown name", unknown, 400, "body_invalid").await;
    open.refuses("no revision", r#"{"type":"submit","data":{}}"#, 400, "body_invalid").await;
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_much_is_refused() {
    let open = Open::journey().await;
    let data = |data: Value| json!({"type": "submit", "data": data, "revision": 1}).to_string();
    let fields = |count: usize| (0..count).map(|i| (format!("f{i}"), json!(i))).collect::<Map<String, Value>>();
    let nested = data(json!({"name": "Asha", "of": [fields(201)]}));
    open.refuses("too many fields", &data(fields(201).into()), 400, "body_invalid").await;
    open.refuses("too many fields of a row", &nested, 400, "body_invalid").await;
    open.refuses("too many values", &data(json!({"name": vec![0; 2_000]})), 400, "body_invalid").await;
    let told = open.posts(&open.submit(&fields(190).into())).await;
    assert_eq!(told.json()["errors"].as_array().expect("errors").len(), 50, "an answer says so much at most");

    let large = format!("{{\"type\":\"{}\"}}", "x".repeat(300_000));
    open.refuses("too large", &large, 413, "body_too_large").await;
    let unread = open.posts(&large).await;
    assert_eq!(unread.header("connection"), "close", "what nobody read ends the connection");
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_step_does_not_take_is_refused() {
    let open = Open::journey().await;
    let paid = open.good().replace("\"name\":\"Asha\"", "\"name\":\"Asha\",\"paid\":true");
    let partners = open.good().replace("submit", "reply.label");
    open.refuses("an unknown field of the form", &paid, 422, "invalid").await;
    open.refuses("an event that nobody may send", &partners, 409, "not_accepted").await;
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_refused() {
    let open = Open::journey().await;
    let starts = r#"{"workflow":"parcel/none"}"#;
    let (not_found, delete) = ((404, "not_found"), format!("DELETE {}", open.events));
    open.refuses_at("an unknown workflow", "POST /api/v1/journeys", &[], Some(starts), not_found).await;
    open.refuses_at("a wrong method", &delete, &[], None, (405, "method")).await;
    open.refuses_at("an unknown route", "GET /api/v1/nothing", &[], None, not_found).await;
    open.refuses_at("a webhook nobody has", "POST /api/v1/webhooks/swift/none", &[], Some("{}"), not_found).await;
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_needs_its_signature_and_nothing_else() {
    let open = Open::journey().await;
    let delivered = "/api/v1/webhooks/swift/delivered";
    open.refuses_at("an unsigned webhook", &format!("POST {delivered}"), &[], Some("{}"), (401, "signature")).await;
    let body = r#"{"id":"1","kind":"delivered","label":"none"}"#;
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let headers = [("x-swift-signature", signature.as_str()), ("x-journey", ""), ("origin", "")];
    let signed = open.visitor.send("POST", delivered, &headers, Some(body.into())).await;
    assert_eq!(signed.ok(200), json!({"received": true}));
    open.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_closed_at_every_level() {
    let mut files = fixture("parcel");
    let flow = "workflows/parcel/cover/flow.yaml";
    let text = String::from_utf8(files.get(flow).expect("the flow").to_vec()).expect("text");
    let note = "note: {type: object, optional: true, properties: {text: {type: string, maxLength: 9}}}";
    let said = "{carrier: {type: string, maxLength: 40}}";
    assert!(text.contains(said));
    let wider = format!("{{carrier: {{type: string, maxLength: 40}}, {note}}}");
    files.insert(flow, text.replace(said, &wider).into_bytes());
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    let view = with_offers(&visitor).await;
    let fact = json!({"carrier": "swift", "note": {"text": "x", "verified_mobile": "9876543210"}});
    let refused = visitor.event(&view, "select", fact).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert_eq!(refused.json()["errors"][0]["pointer"], "/note/verified_mobile");
    visitor.event(&view, "select", json!({"carrier": "swift", "note": {"text": "x"}})).await.ok(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_told_when_to_come_back() {
    let server = TestServer::start_with(fixture("parcel"), |settings| {
        settings.limits.error_reports_per_hour = 2;
        settings.limits.streams_per_session = 1;
        settings.limits.streams_per_address = 2;
    })
    .await;
    let visitor = server.visitor();
    let report =
        || visitor.send("POST", "/stackTraceApi", &[], Some(json!({"message": "x is not a function"}).to_string()));
    assert_eq!([report().await.status, report().await.status], [204, 204]);
    let limited = report().await;
    assert_eq!((limited.status, limited.code().as_str()), (429, "limited"));
    assert!(limited.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));

    let view = started(&visitor).await;
    let open = visitor.stream(id(&view)).await;
    assert_eq!(visitor.get(&format!("/api/v1/journeys/{}/stream", id(&view))).await.code(), "limited");
    let (second, third) = (server.visitor(), server.visitor());
    let (theirs, last) = (started(&second).await, started(&third).await);
    let beside = second.stream(id(&theirs)).await;
    assert_eq!(third.get(&format!("/api/v1/journeys/{}/stream", id(&last))).await.code(), "limited");
    drop((open, beside));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_office_behind_one_address_is_served() {
    let server = TestServer::start(fixture("parcel")).await;
    let mut open = Vec::new();
    for _ in 0..40 {
        let visitor = server.visitor();
        let view = started(&visitor).await;
        open.push(visitor.stream(id(&view)).await);
    }
    drop(open);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_is_taken_at_the_price_that_was_shown() {
    let server = TestServer::start(fixture("parcel")).await;
    let visitor = server.visitor();
    let view = with_offers(&visitor).await;
    let offer = view["step"]["view"]["blocks"][0]["items"][0].clone();
    let (data, price) = (offer["action"]["data"].clone(), offer["price"]["paise"].as_i64().expect("a price"));
    let press = async |key: &str, shown: i64| {
        let body = json!({"type": offer["action"]["event"], "data": data, "revision": view["journey"]["revision"],
            "shown": shown});
        let path = format!("/api/v1/journeys/{}/events", id(&view));
        visitor.send("POST", &path, &[("idempotency-key", key)], Some(body.to_string())).await
    };
    let refused = press("old", price - 100).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "repriced"));
    assert_eq!(refused.json()["view"]["step"]["view"]["blocks"][0]["items"][0]["price"]["paise"], price);
    assert_eq!(visitor.view(id(&view)).await["step"]["id"], view["step"]["id"], "nothing was bought");
    let taken = press("new", price).await.ok(200);
    assert_ne!(taken["step"]["id"], view["step"]["id"]);
    server.stop().await;
}

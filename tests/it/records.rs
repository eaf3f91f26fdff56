//! What was recorded of the journeys that somebody began, page by page: their own list, covered where they act for
//! others. And what comes to a lead from outside.

use crate::assisted::{start, with_contact};
use crate::handover::confirms;
use crate::login::{logs_in, post};
use crate::purchase::Customer;
use crate::roles::sitting;
use engine_partners::signature::hmac_sha256_hex;
use engine_store::Record;
use journey_tests::server::{TestServer, Visitor, fixture};
use serde_json::{Value, json};

const MOBILE: &str = "9812345670";
const LIST: &str = "/api/v1/account/records";

/// Somebody asks for a call to a customer.
async fn begins(advisor: &Visitor, name: &str, mobile: &str) {
    advisor.start("leads/callback", json!({"name": name, "mobile": mobile})).await.ok(201);
}

/// A page of their list: its rows, and where the next one begins.
async fn listed(visitor: &Visitor, query: &str) -> (Vec<Value>, String) {
    let data = visitor.get(&format!("{LIST}?{query}")).await.ok(200)["data"].clone();
    let before = data["before"].as_str().expect("a place").to_owned();
    (data["records"].as_array().expect("rows").clone(), before)
}

/// A word for a number: names have no digits.
fn name(n: u8) -> String {
    [char::from(b'A' + n % 26), char::from(b'x' + n / 26)].iter().collect()
}

fn mobiles(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["mobile"].as_str().expect("a number")).collect()
}

/// The desk names each request by its plate, says where it stands and who goes on; what came of it is not the
/// advisor's.
async fn stands_on_a_desk(advisor: &Visitor, id: &str) {
    for words in ["45670", "dl+3+cab+1234", "DL3CAB"] {
        let found = listed(advisor, &format!("kind=lead&search={words}")).await.0;
        assert!(
            found.len() == 1 && found[0]["url"].as_str().is_some_and(|url| url.ends_with(id)),
            "{words}: {found:?}"
        );
        assert_eq!((&found[0]["registration"], &found[0]["waits_for"]), (&json!("DL-3-CAB-1234"), &json!("anybody")));
        assert!(found[0]["step_title"].as_str().is_some_and(|words| !words.is_empty() && !words.contains("{{")));
    }
    assert_eq!(listed(advisor, "search=98123").await.0, Vec::<Value>::new(), "only what the advisor sees is searched");
    let own = advisor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    assert_eq!((&own["journeys"], &own["documents"], &own["seen"]), (&json!([]), &json!([]), &json!([])));
    assert!(advisor.get("/dashboard").await.text().contains("Your customers are on your desk"));
}

/// Part of the title, the kind, or the whole number of who has shown it.
async fn is_found_by_what_is_asked(advisor: &Visitor, other: &Visitor, id: &str) {
    for (query, rows) in
        [("kind=lead&search=call", 25), ("search=car", 1), ("kind=policy", 0), ("kind=visit", 0), ("search=yacht", 0)]
    {
        assert_eq!(listed(advisor, query).await.0.len(), rows, "{query}");
    }
    let hers = listed(advisor, &format!("search={MOBILE}")).await.0;
    let url = hers[0]["url"].as_str().expect("a page");
    assert!(hers.len() == 1 && url.ends_with(id), "{hers:?}");
    assert_eq!((&hers[0]["kind"], &hers[0]["mobile"]), (&json!("lead"), &json!("*****45670")));
    assert_eq!(listed(other, &format!("search={MOBILE}")).await.0, Vec::<Value>::new(), "not by another");
    for wrong in ["kind=consent", "before=1"] {
        assert!([400, 404, 422].contains(&advisor.get(&format!("{LIST}?{wrong}")).await.status), "{wrong}");
    }
}

/// The page says the same, with a search and a way to older ones.
async fn stands_on_a_page(advisor: &Visitor, other: &Visitor) {
    let page = advisor.get("/staff/records").await.text();
    for words in ["XXXa XX", "*****", "Older ones", "/staff/records?before="] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("981234562") && !page.contains("Asha"), "names and numbers are covered");
    let theirs = other.get("/staff/records").await.text();
    assert!(theirs.contains("XXXi") && !theirs.contains("XXXa") && !theirs.contains("Older ones"), "{theirs}");
    assert!(advisor.get("/staff/records?kind=policy").await.text().contains("Nothing of this kind was found"));
    assert_eq!(advisor.get("/staff/records?kind=anything").await.status, 404);
    let found = post(advisor, "account/search", &[], json!({"search": " call  me ", "kind": "lead"})).await.ok(200);
    assert_eq!(found["data"]["url"], "/staff/records?kind=lead&search=call+me");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_acts_for_customers_sees_what_came_of_it_and_nobody_elses() {
    let server = start().await;
    let advisor = sitting(&server, "partner-agent", 7).await.moved(server.product.url());
    let other = sitting(&server, "partner-agent", 8).await;
    let view = with_contact(&server, &advisor, MOBILE).await;
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let waiting = listed(&advisor, "kind=lead").await.0;
    assert_eq!(waiting.len(), 1, "it is on the desk: {waiting:?}");
    assert_eq!((&waiting[0]["name"], &waiting[0]["waits_for"]), (&json!("XXXa XXo"), &json!("customer")));
    confirms(&server, &id).await;
    for n in 0..27_u8 {
        begins(&advisor, &format!("Asha {}", name(n)), &format!("98123456{n:02}")).await;
    }
    begins(&other, "Ravi", "9812345699").await;

    let (first, before) = listed(&advisor, "").await;
    let (second, last) = listed(&advisor, &format!("before={before}")).await;
    assert_eq!((first.len(), second.len(), last.as_str()), (25, 3, ""));
    assert_eq!((mobiles(&first)[0], mobiles(&second)), ("*****45626", vec!["*****45601", "*****45600", "*****45670"]));
    assert!(first.iter().chain(&second).all(|row| row["name"].as_str().is_some_and(|name| name.starts_with("XXXa "))));
    assert_eq!(listed(&other, "").await.0[0]["name"], "XXXi");
    assert_eq!(listed(&other, &format!("before={before}")).await.0, Vec::<Value>::new());
    is_found_by_what_is_asked(&advisor, &other, &id).await;
    stands_on_a_desk(&advisor, &id).await;
    stands_on_a_page(&advisor, &other).await;

    // A customer sees their own, whole, and has no such page; who is nobody has neither.
    let customer = server.visitor();
    logs_in(&server, &customer, MOBILE).await;
    assert_eq!(listed(&customer, "").await.0[0]["mobile"], MOBILE);
    assert_eq!(customer.get("/staff/records").await.status, 404);
    assert_eq!(post(&customer, "account/search", &[], json!({})).await.status, 404);
    assert_eq!(
        (server.visitor().get(LIST).await.status, server.visitor().get("/staff/records").await.status),
        (401, 404)
    );
    // Nor does an advisor take along what customers wrote.
    assert_eq!(advisor.get("/api/v1/account/export").await.status, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_header_speaks_to_staff_in_their_language() {
    let server = start().await;
    let advisor = sitting(&server, "partner-agent", 7).await;
    let menu = async || advisor.get("/api/v1/menu/own").await.ok(200)["data"]["menu"][0]["text"].clone();
    assert_eq!(menu().await, "Your desk");
    assert_eq!(advisor.get("/?lang=hi").await.status, 302);
    assert_eq!(menu().await, "आपका डेस्क");
    let refused = post(&advisor, "take-over", &[], json!({"code": "AAAA AAAA"})).await;
    assert_eq!(refused.json()["errors"][0]["text"], "यह कोड सही नहीं है, या अब मान्य नहीं है");
    server.stop().await;
}

/// The status of the answer to what somebody outside says of a lead.
async fn tells(server: &TestServer, hook: &str, header: &str, secret: &str, body: &Value) -> u16 {
    let body = body.to_string();
    let signature = hmac_sha256_hex(secret.as_bytes(), body.as_bytes());
    let headers = [(header, signature.as_str()), ("x-journey", ""), ("origin", "")];
    server.visitor().send("POST", &format!("/api/v1/webhooks/{hook}"), &headers, Some(body)).await.status
}

fn of_kind(all: &[Record], kind: &str) -> Vec<(String, Value)> {
    all.iter().filter(|record| record.kind == kind).map(|record| (record.key.clone(), record.data.clone())).collect()
}

/// R7.3-32: a lead is over as soon as it is given, and is called after that. Nobody has to look after such a call-back;
/// one for a lead that is not there waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_callback_for_a_lead_that_is_over_stands_on_its_record() {
    let server = start().await;
    let begun = server.visitor().start("leads/callback", json!({"name": "Asha Rao", "mobile": MOBILE})).await.ok(201);
    let id = begun["journey"]["id"].as_str().expect("a journey").to_owned();
    assert_eq!(begun["journey"]["status"], "done");
    let called = |call: &str, lead: &str| json!({"call": call, "lead": lead, "outcome": "no-answer", "at": "2026-11-21T11:00:00+05:30"});
    let (hook, header, secret) = ("dialer/called", "x-dialer-signature", "sandbox-dialer_webhook_secret");
    assert_eq!(tells(&server, hook, header, "another", &called("call-1", &id)).await, 401);
    for call in ["call-1", "call-2", "call-1"] {
        assert_eq!(tells(&server, hook, header, secret, &called(call, &id)).await, 200);
    }
    let unknown = "00000000000000000000000000000000";
    assert_eq!(tells(&server, hook, header, secret, &called("call-3", unknown)).await, 200);

    let store = server.store().await;
    let all = store.records(&id).await.expect("records");
    let data = json!({"outcome": "no-answer", "called_at": "2026-11-21T11:00:00+05:30", "call_back_at": ""});
    assert_eq!(of_kind(&all, "call"), [("call-1".to_owned(), data.clone()), ("call-2".to_owned(), data)]);
    assert_eq!(store.incidents_of(&id, 10).await.expect("incidents").len(), 0);
    let parked: Vec<String> =
        store.parked_webhooks(10).await.expect("parked").into_iter().map(|one| one.once).collect();
    assert_eq!(parked, ["call-3"], "nobody's yet");
    assert_eq!(store.journey(&id).await.expect("a read").expect("a journey").step, "callback.thanks");
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

/// R7.3-32: what the dialer and the tracking system tell of a lead stands on its record.
#[tokio::test(flavor = "multi_thread")]
async fn a_callback_of_the_dialer_is_stored_on_its_lead() {
    let server = start().await;
    let mut asha = Customer::arrives(&server, MOBILE, json!({})).await;
    let id = asha.id();
    asha.submits(json!({"name": "Asha Rao", "mobile": MOBILE, "consent": true}), "car.contact.otp.asking").await;
    let code = asha.password().await;
    asha.submits(json!({"code": code}), "car.vehicle").await;

    let called = json!({"call": "call-1", "lead": id, "outcome": "call-back", "at": "2026-11-21T11:00:00+05:30",
        "callBackAt": "2026-11-22T10:00:00+05:30"});
    let (dialer, secret) = (("dialer/called", "x-dialer-signature"), "sandbox-dialer_webhook_secret");
    assert_eq!(tells(&server, dialer.0, dialer.1, "another", &called).await, 401);
    for _ in 0..2 {
        assert_eq!(tells(&server, dialer.0, dialer.1, secret, &called).await, 200);
    }
    let noted = json!({"id": "note-1", "lead": id, "state": "reached", "at": "2026-11-21T11:05:00+05:30"});
    let secret = "sandbox-tracking_webhook_secret";
    assert_eq!(tells(&server, "tracking/noted", "x-tracking-signature", secret, &noted).await, 200);

    let store = server.store().await;
    let told =
        async || Some(store.records(&id).await.expect("records")).filter(|all| !of_kind(all, "tracking").is_empty());
    let all = server.until("the note", told).await;
    let call = json!({"outcome": "call-back", "called_at": called["at"], "call_back_at": called["callBackAt"]});
    assert_eq!(of_kind(&all, "call"), [("call-1".to_owned(), call)]);
    let note = json!({"state": "reached", "noted_at": noted["at"]});
    assert_eq!(of_kind(&all, "tracking"), [("note-1".to_owned(), note)]);
    assert_eq!(of_kind(&all, "lead").len(), 1);
    asha.at("car.vehicle").await;
    assert_eq!(server.product.runtime.operations.replay(&id).await.expect("a replay"), Some(vec![]));
    server.stop().await;
}

/// A request notes an earlier one of its customer, which ends, and stands for it.
const STAY: &str = "
id: stay
title: A stay
base: /stay
timezone: Asia/Kolkata
ttl: 1d
initial: ask
context: {member: {}}
states:
  ask: {step: {form: club/join/member, into: member, path: ''}, on: {submit: noting}}
  noting:
    step: {wait: club.joined, path: noting}
    invoke: {id: note, src: system/person.note, input: {kind: \"'stay'\", key: \"'x'\", data: {}}, onDone: staying, onError: staying}
  staying:
    entry: {type: record, kind: stay, key: \"'X'\", data: {}}
    step: {form: club/join/member, path: staying}
    on: {submit: over, stay.noted: over}
  over: {type: final, step: {wait: club.joined, path: over}}
";

/// A renewal that took an older one's place is the one that a third hears of: the older has the newer note.
#[tokio::test(flavor = "multi_thread")]
async fn a_note_goes_to_the_request_that_still_goes_on() {
    let mut files = fixture("club");
    files.insert("workflows/club/stay/flow.yaml", STAY.as_bytes());
    files.insert("workflows/club/stay/texts.yaml", b"club.joined: You are in.".as_slice());
    let server = TestServer::start(files).await;
    let visitor = sitting(&server, "customer", 7).await;
    let member = json!({"name": "Asha", "mobile": MOBILE, "email": "asha@example.com"});
    let mut standing = Vec::new();
    for _ in 0..3 {
        let id = visitor.start("club/stay", member.clone()).await.ok(201)["journey"]["id"].clone();
        let id = id.as_str().expect("a journey").to_owned();
        let stays = async || (visitor.view(&id).await["step"]["id"] == "stay.staying").then_some(());
        server.until("a request that stays", stays).await;
        standing.push(id);
        server.clock.advance(60_000);
    }
    let mut states = Vec::new();
    for id in &standing {
        states.push(visitor.view(id).await["step"]["id"].clone());
    }
    assert_eq!(json!(states), json!(["stay.over", "stay.over", "stay.staying"]));
    server.stop().await;
}

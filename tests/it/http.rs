//! The front door as a browser meets it, on a small neutral journey (`fixtures/parcel`).

use engine_definitions::Files;
use engine_runtime::PublishError;
use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::{Value, json};

const PARCEL: &str = "parcel/cover";

async fn parcels() -> TestServer {
    TestServer::start(fixture("parcel")).await
}

/// A journey at its second step.
async fn started(visitor: &Visitor) -> Value {
    visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await.ok(201)
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

/// The data that a page's app starts with.
fn boot(page: &Reply) -> Value {
    let html = page.text();
    let data = html.split_once("id=\"boot\">").and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(data.expect("boot data").0).expect("JSON")
}

/// A journey whose offers have all arrived, heard over its stream.
async fn with_offers(visitor: &Visitor) -> Value {
    let view = started(visitor).await;
    let view = visitor.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    let mut changes = visitor.stream(id(&view)).await;
    loop {
        changes.next().await.expect("the stream stays open");
        let view = visitor.view(id(&view)).await;
        let items = view["step"]["view"]["blocks"][0]["items"].as_array().expect("offers").clone();
        if items.len() == 2 && items.iter().all(|item| item["state"] == "answered") {
            return view;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parcel_from_the_first_page_to_its_document() {
    let server = parcels().await;
    let visitor = server.visitor();

    let page = visitor.get("/parcel-cover").await;
    assert_eq!(page.status, 200);
    let html = page.text();
    for part in [
        "<title>What do you send? – Parcel House</title>",
        "<div id=\"app\" data-server=\"true\"><div class=\"step\" data-kind=\"form\" data-step=\"cover.parcel\">",
        "<span class=\"progress-title\">Your parcel</span>",
        "<h1 id=\"step-title\" tabindex=\"-1\">What do you send?</h1><p class=\"lead\">We cover parcels of up to 30 kg.</p>",
        "<input class=\"input\" id=\"f-weight\" type=\"text\"",
        "<a href=\"https://trade.example/\" target=\"_blank\" rel=\"noopener\"><span>Trade body</span>",
        "<a class=\"site-call\" href=\"tel:+911234567890\">",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let boot = boot(&page);
    assert_eq!(boot["view"]["journey"]["id"], Value::Null);
    assert_eq!(boot["site"]["name"], "Parcel House");

    let begun = visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await;
    let cookie = begun.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-session=")
            && ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"].iter().all(|part| cookie.contains(part)),
        "{cookie}"
    );
    let view = begun.ok(201);
    assert_eq!((&view["step"]["path"], &view["step"]["kind"]), (&json!("sender"), &json!("form")));
    let invalid = visitor.event(&view, "submit", json!({"name": "A"})).await;
    assert_eq!((invalid.status, invalid.code().as_str()), (422, "invalid"));
    assert_eq!(
        invalid.json()["errors"],
        json!([{"pointer": "/name", "code": "minLength", "text": "At least 2 characters, please"}])
    );

    let view = with_offers(&visitor).await;
    let offers = view["step"]["view"]["blocks"][0]["items"].as_array().expect("offers");
    let swift = offers.iter().find(|offer| offer["provider"]["name"] == "swift").expect("an offer");
    assert_eq!(swift["price"], json!({"paise": 10_000}));
    let forged = visitor.event(&view, "select", json!({"carrier": "swift", "price": 1})).await;
    assert_eq!((forged.status, forged.code().as_str()), (422, "invalid"));
    let mut changes = visitor.stream(id(&view)).await;
    let mut view = visitor.event(&view, "select", json!({"carrier": "swift"})).await.ok(200);
    while view["step"]["id"] != "cover.done" {
        changes.next().await.expect("the stream stays open");
        view = visitor.view(id(&view)).await;
    }

    let document = view["step"]["view"]["blocks"][1]["items"][0]["document"].as_str().expect("a document").to_owned();
    let address = format!("/api/v1/journeys/{}/documents/{document}", id(&view));
    let label = visitor.get(&address).await;
    assert_eq!((label.status, label.header("content-type")), (200, "application/pdf"));
    assert!(
        label.bytes.starts_with(b"%PDF-")
            && label.header("content-disposition").starts_with("attachment; filename=\"label.pdf\"")
    );
    assert_eq!(server.visitor().get(&address).await.status, 404);

    let mine = visitor.get("/api/v1/journeys").await.ok(200);
    assert_eq!(mine.as_array().map(Vec::len), Some(2));
    assert_eq!(server.visitor().get("/api/v1/journeys").await.ok(200), json!([]));
    server.stop().await;
    // A stop ends streams.
    while changes.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_counts_once_and_a_revision_must_be_the_seen_one() {
    let server = parcels().await;
    let visitor = server.visitor();
    let start = |key: &'static str, weight: i64| {
        let body = json!({"workflow": PARCEL, "data": {"weight": weight, "kind": "gift"}}).to_string();
        let visitor = &visitor;
        async move { visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", key)], Some(body)).await }
    };
    let (first, again, other) = (start("a", 2).await, start("a", 2).await, start("a", 3).await);
    assert_eq!((first.status, first.header("idempotent-replayed")), (201, "false"));
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"));
    assert_eq!(id(&first.json()), id(&again.json()));
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
    assert_eq!(start("", 2).await.code(), "key_missing");

    let view = first.json();
    let address = format!("/api/v1/journeys/{}/events", id(&view));
    let submit = |key: &'static str, name: &str, revision: i64| {
        let body = json!({"type": "submit", "data": {"name": name}, "revision": revision}).to_string();
        let (visitor, address) = (&visitor, &address);
        async move { visitor.send("POST", address, &[("idempotency-key", key)], Some(body)).await }
    };
    let revision = view["journey"]["revision"].as_i64().expect("a revision");
    assert_eq!(submit("", "Asha", revision).await.code(), "key_missing");
    // A refused event does not use its key up.
    assert_eq!(submit("b", "A", revision).await.code(), "invalid");
    let accepted = submit("b", "Asha", revision).await;
    assert_eq!((accepted.status, accepted.header("idempotent-replayed")), (200, "false"));
    let repeated = submit("b", "Asha", revision).await;
    assert_eq!((repeated.status, repeated.header("idempotent-replayed")), (200, "true"));
    assert_eq!(submit("b", "Ravi", revision).await.code(), "key_reused");
    let stale = submit("c", "Ravi", revision).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "stale"));
    assert_eq!(stale.json()["view"]["step"]["path"], "offers");
    // Another tab went back: the same form again, with the answer that was given there.
    visitor.event(&accepted.json(), "back", json!({})).await.ok(200);
    let stale = submit("d", "Ravi", revision).await;
    assert_eq!((stale.status, &stale.json()["view"]["step"]["path"]), (409, &json!("sender")));
    assert_eq!(stale.json()["difference"], json!([{"pointer": "/name", "yours": "Ravi", "theirs": "Asha"}]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_refused() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let events = format!("/api/v1/journeys/{}/events", id(&view));
    let good = json!({"type": "submit", "data": {"name": "Asha"}, "revision": view["journey"]["revision"]}).to_string();
    let deep = format!("{{\"type\":\"submit\",\"data\":{}1{},\"revision\":1}}", "{\"a\":".repeat(40), "}".repeat(40));
    let large = format!("{{\"type\":\"{}\"}}", "x".repeat(300_000));
    let check = async |what: &str,
                       method: &str,
                       path: &str,
                       headers: &[(&str, &str)],
                       body: Option<&str>,
                       status: u16,
                       code: &str| {
        let mut all = vec![("idempotency-key", "k")];
        all.extend(headers);
        let reply: Reply = visitor.send(method, path, &all, body.map(str::to_owned)).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{what}: {}", reply.text());
    };
    check("no header of ours", "POST", &events, &[("x-journey", "")], Some(&good), 403, "csrf").await;
    check("a foreign origin", "POST", &events, &[("origin", "https://evil.example")], Some(&good), 403, "csrf").await;
    check(
        "a foreign page without origin",
        "POST",
        &events,
        &[("origin", ""), ("sec-fetch-site", "cross-site")],
        Some(&good),
        403,
        "csrf",
    )
    .await;
    check(
        "a form",
        "POST",
        &events,
        &[("content-type", "application/x-www-form-urlencoded")],
        Some("type=submit"),
        415,
        "media_type",
    )
    .await;
    check("not JSON", "POST", &events, &[], Some("{"), 400, "body_invalid").await;
    check(
        "a key twice",
        "POST",
        &events,
        &[],
        Some(r#"{"type":"submit","data":{"name":"Asha","name":"Ravi"},"revision":1}"#),
        400,
        "body_invalid",
    )
    .await;
    check("too deep", "POST", &events, &[], Some(&deep), 400, "body_invalid").await;
    let data = |data: Value| json!({"type": "submit", "data": data, "revision": 1}).to_string();
    let wide: serde_json::Map<String, Value> = (0..201).map(|i| (format!("f{i}"), json!(i))).collect();
    check("too many fields", "POST", &events, &[], Some(&data(wide.clone().into())), 400, "body_invalid").await;
    let nested = data(json!({"name": "Asha", "of": [wide]}));
    check("too many fields of a row", "POST", &events, &[], Some(&nested), 400, "body_invalid").await;
    let many = data(json!({"name": vec![0; 2_000]}));
    check("too many values", "POST", &events, &[], Some(&many), 400, "body_invalid").await;
    let unknown: serde_json::Map<String, Value> = (0..190).map(|i| (format!("f{i}"), json!(i))).collect();
    let told = json!({"type": "submit", "data": unknown, "revision": view["journey"]["revision"]}).to_string();
    let told = visitor.send("POST", &events, &[("idempotency-key", "k")], Some(told)).await;
    assert_eq!(told.json()["errors"].as_array().expect("errors").len(), 50, "an answer says so much at most");
    check("too large", "POST", &events, &[], Some(&large), 413, "body_too_large").await;
    let unread = visitor.send("POST", &events, &[("idempotency-key", "k")], Some(large.clone())).await;
    assert_eq!(unread.header("connection"), "close", "what nobody read ends the connection");
    check(
        "an unknown name",
        "POST",
        &events,
        &[],
        Some(r#"{"type":"submit","data":{},"revision":1,"role":"operator"}"#),
        400,
        "body_invalid",
    )
    .await;
    check("no revision", "POST", &events, &[], Some(r#"{"type":"submit","data":{}}"#), 400, "body_invalid").await;
    check(
        "an unknown field of the form",
        "POST",
        &events,
        &[],
        Some(&good.replace("\"name\":\"Asha\"", "\"name\":\"Asha\",\"paid\":true")),
        422,
        "invalid",
    )
    .await;
    check(
        "an event that nobody may send",
        "POST",
        &events,
        &[],
        Some(&good.replace("submit", "reply.label")),
        409,
        "not_accepted",
    )
    .await;
    check(
        "an unknown workflow",
        "POST",
        "/api/v1/journeys",
        &[],
        Some(r#"{"workflow":"parcel/none"}"#),
        404,
        "not_found",
    )
    .await;
    check("a wrong method", "DELETE", &events, &[], None, 405, "method").await;
    check("an unknown route", "GET", "/api/v1/nothing", &[], None, 404, "not_found").await;
    check("a webhook nobody has", "POST", "/api/v1/webhooks/swift/none", &[], Some("{}"), 404, "not_found").await;
    check("an unsigned webhook", "POST", "/api/v1/webhooks/swift/delivered", &[], Some("{}"), 401, "signature").await;
    let body = r#"{"id":"1","kind":"delivered","label":"none"}"#;
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
    let signed = visitor
        .send(
            "POST",
            "/api/v1/webhooks/swift/delivered",
            &[("x-swift-signature", &signature), ("x-journey", ""), ("origin", "")],
            Some(body.into()),
        )
        .await;
    assert_eq!(signed.ok(200), json!({"received": true}), "a webhook needs its signature and nothing else");
    server.stop().await;
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
async fn not_yours_is_not_there() {
    let server = parcels().await;
    let (owner, other) = (server.visitor(), server.visitor());
    let view = started(&owner).await;
    started(&other).await;
    let unknown = "0".repeat(32);
    let asked = async |visitor: &Visitor, journey: &str| {
        let base = format!("/api/v1/journeys/{journey}");
        let event =
            json!({"type": "submit", "data": {"name": "Asha"}, "revision": view["journey"]["revision"]}).to_string();
        let replies = [
            visitor.get(&base).await,
            visitor.get(&format!("{base}?path=sender")).await,
            visitor.get(&format!("{base}/stream")).await,
            visitor.get(&format!("{base}/documents/{unknown}")).await,
            visitor.send("POST", &format!("{base}/events"), &[("idempotency-key", "x")], Some(event)).await,
            visitor
                .send(
                    "PUT",
                    &format!("{base}/draft"),
                    &[],
                    Some(json!({"step": "cover.sender", "data": {"name": "x"}}).to_string()),
                )
                .await,
        ];
        replies.map(|reply| (reply.status, reply.text()))
    };
    let (theirs, nobodys) = (asked(&other, id(&view)).await, asked(&other, &unknown).await);
    assert_eq!(theirs, nobodys);
    assert!(theirs.iter().all(|(status, _)| *status == 404), "{theirs:?}");
    assert_eq!(asked(&server.visitor(), id(&view)).await, nobodys, "without a session too");
    let page = other.get(&format!("/parcel-cover/sender?request={}", id(&view))).await;
    let nowhere = other.get(&format!("/parcel-cover/sender?request={unknown}")).await;
    assert_eq!((page.status, page.text()), (404, nowhere.text()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_is_kept_and_idle_journeys_end() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let draft = format!("/api/v1/journeys/{}/draft", id(&view));
    let saved = visitor
        .send(
            "PUT",
            &draft,
            &[],
            Some(json!({"step": "cover.sender", "data": {"name": "Ash", "forged": 1}}).to_string()),
        )
        .await;
    assert_eq!(saved.status, 204);
    let form = visitor.view(id(&view)).await["step"]["form"].clone();
    assert_eq!((&form["data"], &form["draft"]), (&json!({"name": "Ash"}), &json!(true)));
    let page = visitor.get(view["step"]["url"].as_str().expect("an address")).await;
    assert_eq!((page.status, &boot(&page)["view"]["step"]["form"]["data"]), (200, &json!({"name": "Ash"})));

    // Opening the address of the step before changes nothing: the current step is shown.
    let revision = |view: &Value| view["journey"]["revision"].clone();
    let before = visitor.get(&format!("/parcel-cover?request={}", id(&view))).await;
    assert_eq!((before.status, &boot(&before)["view"]["step"]["path"]), (200, &json!("sender")));
    let elsewhere = visitor.get(&format!("/api/v1/journeys/{}?path=offers", id(&view))).await.ok(200);
    assert_eq!(elsewhere["elsewhere"], json!(format!("/parcel-cover/sender?request={}", id(&view))));
    assert_eq!(revision(&visitor.view(id(&view)).await), revision(&view));

    server.clock.advance(11 * 86_400_000);
    let expired = visitor.get(&format!("/api/v1/journeys/{}", id(&view))).await;
    assert_eq!(
        (expired.status, expired.code().as_str(), &expired.json()["base"]),
        (410, "expired", &json!("/parcel-cover"))
    );
    // R9-39: its page offers a fresh one with the answers of the old one, and only to whose it was.
    let address = format!("/parcel-cover/sender?request={}", id(&view));
    let offered = visitor.get(&address).await;
    assert!(offered.status == 200 && offered.text().contains("Start again with my answers"), "{}", offered.text());
    assert_eq!(post(&server.visitor(), &address, &[], "").await.status, 404);
    let afresh = post(&visitor, &address, &[], "").await;
    let page = visitor.get(afresh.header("location")).await;
    let fresh = &boot(&page)["view"];
    assert_eq!((afresh.status, &fresh["step"]["form"]["data"]["weight"]), (303, &json!(2)));
    assert!(fresh["journey"]["id"].is_string() && fresh["journey"]["id"] != view["journey"]["id"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_redirects_and_what_is_not_there() {
    let server = parcels().await;
    let visitor = server.visitor();
    let check = async |path: &str, status: u16, location: &str, part: &str| {
        let reply = visitor.get(path).await;
        assert_eq!((reply.status, reply.header("location")), (status, location), "{path}");
        assert!(reply.text().contains(part), "{path}: {}", reply.text());
    };
    check("/no-such-page", 404, "", "Oops! We can&#x27;t seem to find the page you&#x27;re looking for.").await;
    check("/no-such-page", 404, "", "<meta name=\"robots\" content=\"noindex\">").await;
    check("/parcel-cover/nothing", 404, "", "Oops!").await;
    check("/old-help?a=1", 301, "/help?a=1", "").await;
    check("/help", 200, "", "<body data-hide=\"footer\"").await;
    check("/help/", 200, "", "Ask &lt;us&gt; anything.").await;
    // A step's address without its journey: the first form, or a word where a form would be no answer.
    check("/parcel-cover/prices?a=1", 200, "", "What do you send?</h1>").await;
    check("/parcel-cover/offers", 200, "", "<link rel=\"canonical\" href=\"").await;
    check("/parcel-cover/label", 200, "", "Nothing is open here").await;
    check("/parcel-cover?_aid=1&_uid=2&x=3&utm_source=mail", 302, "/parcel-cover?x=3", "").await;
    check("/openapi.json", 200, "", "/api/v1/journeys/{id}/events").await;
    check("/healthz", 200, "", "ok").await;
    check("/readyz", 200, "", "\"ready\":true").await;
    for ending in ["js", "css", "svg", "png", "jpg", "jpeg", "json", "ico", "gif", "webp"] {
        let missing = visitor.get(&format!("/missing.{ending}")).await;
        assert_eq!((missing.status, missing.text().as_str()), (404, "not found"), "R2.1-29 {ending}");
    }

    // What came with the address is in the journey's record, and gives no right.
    let view = started(&visitor).await;
    let record = server.product.runtime.store().journey(id(&view)).await.expect("a database").expect("a journey");
    let came = json!({
        "_aid": "1", "_uid": "2", "utm": {"utm_source": "mail"},
        "touches": [{"day": "2026-11-21", "channels": [], "source": ""}],
    });
    assert_eq!(record.attribution, came);
    assert_eq!(view["journey"]["channel"], "web");

    let towns = visitor.get("/api/v1/master/towns?q=pu").await.ok(200);
    assert_eq!(towns, json!({"rows": [{"code": "PUN", "name": "Pune", "state": "Maharashtra"}], "more": false}));
    let exact = visitor.get("/api/v1/master/towns?key=DL").await.ok(200);
    assert_eq!(exact["rows"][0]["name"], "Delhi");
    let filtered = visitor.get("/api/v1/master/towns?state=Maharashtra&limit=1").await.ok(200);
    assert_eq!((filtered["rows"].as_array().map(Vec::len), &filtered["more"]), (Some(1), &json!(true)));
    assert_eq!(visitor.get("/api/v1/master/none").await.code(), "not_found");
    server.stop().await;
}

/// A first page posted by a browser without scripts.
async fn post(visitor: &Visitor, path: &str, headers: &[(&str, &str)], form: &str) -> Reply {
    let mut all = vec![("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
    all.extend(headers);
    visitor.send("POST", path, &all, Some(form.to_owned())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_before_the_scripts_starts_the_journey() {
    let server = parcels().await;
    let visitor = server.visitor();
    let begun = post(&visitor, "/parcel-cover?x=1", &[], "weight=2&kind=gift&note=&unknown=1").await;
    assert_eq!(begun.status, 303, "{}", begun.text());
    assert!(begun.header("set-cookie").starts_with("__Host-session="));
    let page = visitor.get(begun.header("location")).await;
    let view = &boot(&page)["view"];
    assert_eq!((page.status, &view["step"]["id"]), (200, &json!("cover.sender")));
    let back = visitor.event(view, "back", json!({})).await.ok(200);
    assert_eq!(back["step"]["form"]["data"], json!({"weight": 2, "kind": "gift"}));

    // With errors: the step again, with what was typed and what is wrong with it.
    let refused = post(&visitor, "/parcel-cover", &[], "weight=99&note=for+Asha").await;
    assert_eq!((refused.status, refused.header("cache-control")), (422, "no-store"));
    let data = boot(&refused);
    assert_eq!(data["view"]["journey"]["id"], Value::Null);
    assert_eq!(data["view"]["step"]["form"]["data"], json!({"weight": 99, "note": "for Asha"}));
    let errors: Vec<_> =
        data["problem"]["errors"].as_array().expect("errors").iter().map(|error| &error["pointer"]).collect();
    assert_eq!(errors, ["/weight", "/kind"]);
    let drawn = refused.text().split_once("id=\"boot\"").expect("boot data").0.to_owned();
    assert!(drawn.contains("<div id=\"app\"><div class=\"step\" data-kind=\"form\"") && !drawn.contains("Asha"));

    // Only from our own pages, only at first pages, and it can only start.
    let foreign = post(&visitor, "/parcel-cover", &[("origin", "https://evil.example")], "weight=2&kind=gift").await;
    let nowhere = post(&visitor, "/parcel-cover", &[("origin", "")], "weight=2&kind=gift").await;
    let cross = [("origin", ""), ("sec-fetch-site", "cross-site")];
    let cross = post(&visitor, "/parcel-cover", &cross, "weight=2&kind=gift").await;
    assert_eq!([foreign.status, nowhere.status, cross.status], [403; 3]);
    let ours = post(&visitor, "/parcel-cover", &[("origin", ""), ("sec-fetch-site", "same-origin")], "weight=2").await;
    assert_eq!(ours.status, 422);
    assert_eq!(post(&visitor, "/parcel-cover/sender", &[], "name=Asha").await.status, 422);
    assert_eq!(post(&visitor, "/parcel-cover/sender?request=1", &[], "weight=2&kind=gift").await.status, 404);
    assert_eq!(post(&visitor, "/help", &[], "a=1").await.status, 404);
    assert_eq!(visitor.send("POST", "/parcel-cover", &[], Some("{}".into())).await.status, 405);
    assert_eq!(visitor.get("/api/v1/journeys").await.ok(200).as_array().map(Vec::len), Some(1));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_step_that_somebody_began_only_its_frame_is_drawn() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let page = visitor.get(view["step"]["url"].as_str().expect("an address")).await.text();
    let (drawn, data) = page.split_once("id=\"boot\"").expect("boot data");
    for part in
        ["<header class=\"site-header\">", "<div id=\"app\"><div class=\"step\" data-kind=\"form\"", "<noscript>"]
    {
        assert!(drawn.contains(part), "{part} is not in {drawn}");
    }
    // Two people at steps of one kind get the same.
    assert!(!drawn.contains("f-name") && data.contains("Full name"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_drawing_script_pages_work_from_their_data() {
    let empty = tempfile::tempdir().expect("a folder");
    let folder = empty.path().to_owned();
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.server.web_dir = Some(folder)).await;
    let visitor = server.visitor();
    let first = visitor.get("/parcel-cover").await;
    assert_eq!((first.status, &boot(&first)["view"]["step"]["id"]), (200, &json!("cover.parcel")));
    assert!(first.text().contains("<div id=\"app\"><p class=\"loading\">"), "{}", first.text());
    let help = visitor.get("/help").await;
    assert_eq!((help.status, help.header("cache-control")), (200, "no-store"));
    for part in
        ["<h1>Questions</h1>", "Ask &lt;us&gt; anything.", "<p>How heavy may it be?</p><p>Thirty kilograms.</p>"]
    {
        assert!(help.text().contains(part), "{part} is not in {}", help.text());
    }
    assert_eq!(visitor.get("/no-such-page").await.status, 404);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gallery_is_for_development() {
    let server = parcels().await;
    let visitor = server.visitor();
    let index = visitor.get("/gallery").await;
    assert!(index.status == 200 && index.text().contains("href=\"/gallery/widget-text\""), "{}", index.text());
    let page = visitor.get("/gallery/widget-text").await;
    assert!(page.text().contains("<label class=\"field-label\" for=\"f-answer\">Full name</label>"), "{}", page.text());
    assert_eq!(visitor.get("/gallery/none").await.status, 404);
    assert_eq!(visitor.get("/server/draw.js").await.text(), "not found");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_its_headers() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let own = format!("/api/v1/journeys/{}", id(&view));
    for path in [
        "/parcel-cover",
        "/help",
        "/no-such-page",
        "/missing.js",
        "/api/v1/nothing",
        "/api/v1/master/towns",
        "/healthz",
        "/sandbox/inbox",
        "/docs/",
        &own,
    ] {
        let reply = visitor.get(path).await;
        let policy = reply.header("content-security-policy");
        // a fake captcha is shown within a page of ours
        let around = if path.starts_with("/sandbox") { "frame-ancestors 'self'" } else { "frame-ancestors 'none'" };
        assert!(policy.contains(around) && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
        assert!(
            !reply.header("referrer-policy").is_empty() && !reply.header("permissions-policy").is_empty(),
            "{path}"
        );
    }
    for path in [own.as_str(), "/parcel-cover", "/api/v1/journeys"] {
        assert_eq!(visitor.get(path).await.header("cache-control"), "no-store", "{path}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_told_when_to_come_back() {
    let server = TestServer::start_with(fixture("parcel"), |settings| {
        settings.limits.error_reports_per_hour = 2;
        settings.limits.streams_per_address = 1;
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
    drop(open);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_definition_reaches_new_journeys_only() {
    let server = parcels().await;
    let visitor = server.visitor();
    let old = started(&visitor).await;
    let mut files = fixture("parcel");
    let form = String::from_utf8_lossy(files.get("forms/parcel/cover/sender.json").expect("the form"))
        .replace("Who sends it?", "Who is the sender?");
    files.insert("forms/parcel/cover/sender.json", form.into_bytes());
    let published = server.product.runtime.publishing.publish(&files, "test").await.expect("it checks");
    assert_eq!(published.changed, [PARCEL]);
    assert_eq!(visitor.view(id(&old)).await["step"]["title"], "Who sends it?");
    let new = started(&visitor).await;
    assert_eq!(new["step"]["title"], "Who is the sender?");
    assert_ne!(new["journey"]["version"], old["journey"]["version"]);
    server.stop().await;
}

/// What is live serves journeys that hold an older version, so it is published only when it can.
#[tokio::test(flavor = "multi_thread")]
async fn what_open_journeys_hold_is_not_taken_from_them() {
    let server = parcels().await;
    let changed = |path: &str, from: &str, to: &str| {
        let mut files = fixture("parcel");
        let text = String::from_utf8_lossy(files.get(path).expect("a file")).replace(from, to);
        files.insert(path, text.into_bytes());
        files
    };
    let publish = async |files: &Files| match server.product.runtime.publishing.publish(files, "test").await {
        Ok(_) => "published".to_owned(),
        Err(PublishError::Problems(problems)) => {
            problems.iter().map(|p| format!("{}: {}\n", p.code, p.message)).collect()
        }
        Err(other) => other.to_string(),
    };
    let flow = "workflows/parcel/cover/flow.yaml";
    let label = "workflows/contracts/parcel/label.yaml";
    // A sender's new field must have a default, as long as somebody may send without it.
    let mut dearer = changed(label, "weight: number}", "weight: number, floor: integer}");
    let sends = String::from_utf8_lossy(dearer.get(flow).expect("the flow"))
        .replace("weight: shipped.weight}, into: label", "weight: shipped.weight, floor: 1}, into: label");
    dearer.insert(flow, sends.into_bytes());
    let examples = "workflows/partners/carriers/swift/label.examples.yaml";
    let sent = String::from_utf8_lossy(dearer.get(examples).expect("examples")).replace("weight:", "floor: 1, weight:");
    dearer.insert(examples, sent.into_bytes());
    // An operation that the newest flow no longer calls.
    let mut without = changed(flow, "src: swift/label", "src: swift/print");
    for part in ["yaml", "examples.yaml", "sandbox.yaml"] {
        let old = format!("workflows/partners/carriers/swift/label.{part}");
        let bytes = std::sync::Arc::clone(without.get(&old).expect("the operation"));
        without.remove(&old);
        without.insert(format!("workflows/partners/carriers/swift/print.{part}"), bytes);
    }
    started(&server.visitor()).await;
    let said = publish(&dearer).await;
    assert_eq!(
        said,
        "contract-in-use: open journeys of `parcel/cover` hold the contract `parcel/label`: input `/floor` is new and has no default\n"
    );
    let said = publish(&without).await;
    assert_eq!(
        said,
        "version-in-use: open journeys of `parcel/cover` go on with what they began with: unknown operation `label` of partner `swift`\n"
    );
    let kinder = changed(label, "weight: number}", "weight: number, floor: {type: integer, default: 0}}");
    assert_eq!(publish(&kinder).await, "published");
    server.stop().await;

    let server = parcels().await;
    let nobody = async |files: &Files| server.product.runtime.publishing.publish(files, "test").await.is_ok();
    assert!(nobody(&dearer).await && nobody(&without).await, "nobody holds anything");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_definition_is_published_and_a_broken_one_is_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, bytes) in fixture("parcel").iter() {
        let place = folder.path().join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, bytes).expect("a file");
    }
    let server = TestServer::start_watching(folder.path()).await;
    let visitor = server.visitor();
    let form = folder.path().join("forms/parcel/cover/parcel.json");
    let good = std::fs::read_to_string(&form).expect("the form");
    let title = async || {
        visitor.get("/api/v1/workflows/parcel/cover/start").await.ok(200)["step"]["title"]
            .as_str()
            .map(str::to_owned)
            .expect("a title")
    };
    let saved = |text: String| std::fs::write(&form, text).expect("a file");

    let before = server.product.runtime.publication();
    saved(good.replace("What do you send?", "What shall we carry?"));
    server.until("the saved form", async || (title().await == "What shall we carry?").then_some(())).await;
    assert_eq!(server.product.runtime.publication(), before + 1);
    // A broken save changes nothing; the next good one does.
    saved(good.replace("What do you send?", "{ broken").replace("\"properties\"", "\"proprties\""));
    server
        .until("the refusal", async || {
            visitor.get("/metrics").await.text().contains("definitions_refused_total").then_some(())
        })
        .await;
    assert_eq!((title().await.as_str(), server.product.runtime.publication()), ("What shall we carry?", before + 1));
    saved(good.replace("What do you send?", "And now?"));
    server.until("the form that was put right", async || (title().await == "And now?").then_some(())).await;
    server.stop().await;
}

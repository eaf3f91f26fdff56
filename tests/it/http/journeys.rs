//! A journey: from its first page to its end, for whom it is, and once per key.

use super::{PARCEL, boot, id, parcels, post, started, with_offers};
use journey_tests::server::{Reply, Visitor};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_first_page_is_drawn_before_there_is_a_journey() {
    let server = parcels().await;
    let page = server.visitor().get("/parcel-cover").await;
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
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journey_begins_with_a_cookie_and_says_what_is_wrong_with_an_answer() {
    let server = parcels().await;
    let visitor = server.visitor();
    let begun = visitor.start(PARCEL, json!({"weight": 2, "kind": "gift"})).await;
    let cookie = begun.header("set-cookie");
    let parts = ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"];
    assert!(cookie.starts_with("__Host-session=") && parts.iter().all(|part| cookie.contains(part)), "{cookie}");
    let view = begun.ok(201);
    assert_eq!((&view["step"]["path"], &view["step"]["kind"]), (&json!("sender"), &json!("form")));
    let invalid = visitor.event(&view, "submit", json!({"name": "A"})).await;
    assert_eq!((invalid.status, invalid.code().as_str()), (422, "invalid"));
    let error = json!({"pointer": "/name", "code": "minLength", "text": "At least 2 characters, please"});
    assert_eq!(invalid.json()["errors"], json!([error]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parcel_from_its_offers_to_its_document() {
    let server = parcels().await;
    let visitor = server.visitor();
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

    let document = view["step"]["view"]["blocks"][1]["items"][0]["document"].as_str().expect("a document");
    let address = format!("/api/v1/journeys/{}/documents/{document}", id(&view));
    let label = visitor.get(&address).await;
    assert_eq!((label.status, label.header("content-type")), (200, "application/pdf"));
    assert!(label.bytes.starts_with(b"%PDF-"));
    assert!(label.header("content-disposition").starts_with("attachment; filename=\"label.pdf\""));
    assert_eq!(server.visitor().get(&address).await.status, 404);
    server.stop().await;
    // A stop ends streams.
    while changes.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_sees_her_own_journeys() {
    let server = parcels().await;
    let visitor = server.visitor();
    started(&visitor).await;
    started(&visitor).await;
    let mine = visitor.get("/api/v1/journeys").await.ok(200);
    assert_eq!(mine.as_array().map(Vec::len), Some(2));
    assert_eq!(server.visitor().get("/api/v1/journeys").await.ok(200), json!([]));
    server.stop().await;
}

/// Sends `body` under `key`.
async fn under(visitor: &Visitor, key: &str, path: &str, body: &Value) -> Reply {
    visitor.send("POST", path, &[("idempotency-key", key)], Some(body.to_string())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_starts_one_journey() {
    let server = parcels().await;
    let visitor = server.visitor();
    let start = async |key: &str, weight: i64| {
        let body = json!({"workflow": PARCEL, "data": {"weight": weight, "kind": "gift"}});
        under(&visitor, key, "/api/v1/journeys", &body).await
    };
    let (first, again, other) = (start("a", 2).await, start("a", 2).await, start("a", 3).await);
    assert_eq!((first.status, first.header("idempotent-replayed")), (201, "false"));
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"));
    assert_eq!(id(&first.json()), id(&again.json()));
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
    assert_eq!(start("", 2).await.code(), "key_missing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_sends_one_event_and_a_revision_must_be_the_seen_one() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let address = format!("/api/v1/journeys/{}/events", id(&view));
    let submit = async |key: &str, name: &str| {
        let body = json!({"type": "submit", "data": {"name": name}, "revision": view["journey"]["revision"]});
        under(&visitor, key, &address, &body).await
    };
    assert_eq!(submit("", "Asha").await.code(), "key_missing");
    // A refused event does not use its key up.
    assert_eq!(submit("b", "A").await.code(), "invalid");
    let accepted = submit("b", "Asha").await;
    assert_eq!((accepted.status, accepted.header("idempotent-replayed")), (200, "false"));
    let repeated = submit("b", "Asha").await;
    assert_eq!((repeated.status, repeated.header("idempotent-replayed")), (200, "true"));
    assert_eq!(submit("b", "Ravi").await.code(), "key_reused");
    let stale = submit("c", "Ravi").await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "stale"));
    assert_eq!(stale.json()["view"]["step"]["path"], "offers");
    // Another tab went back: the same form again, with the answer that was given there.
    visitor.event(&accepted.json(), "back", json!({})).await.ok(200);
    let stale = submit("d", "Ravi").await;
    assert_eq!((stale.status, &stale.json()["view"]["step"]["path"]), (409, &json!("sender")));
    assert_eq!(stale.json()["difference"], json!([{"pointer": "/name", "yours": "Ravi", "theirs": "Asha"}]));
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
async fn what_is_typed_is_kept() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let draft = format!("/api/v1/journeys/{}/draft", id(&view));
    let typed = json!({"step": "cover.sender", "data": {"name": "Ash", "forged": 1}}).to_string();
    assert_eq!(visitor.send("PUT", &draft, &[], Some(typed)).await.status, 204);
    let form = visitor.view(id(&view)).await["step"]["form"].clone();
    assert_eq!((&form["data"], &form["draft"]), (&json!({"name": "Ash"}), &json!(true)));
    let page = visitor.get(view["step"]["url"].as_str().expect("an address")).await;
    assert_eq!((page.status, &boot(&page)["view"]["step"]["form"]["data"]), (200, &json!({"name": "Ash"})));
    server.stop().await;
}

/// Opening the address of the step before changes nothing: the current step is shown.
#[tokio::test(flavor = "multi_thread")]
async fn the_address_of_another_step_shows_the_current_one() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
    let revision = |view: &Value| view["journey"]["revision"].clone();
    let before = visitor.get(&format!("/parcel-cover?request={}", id(&view))).await;
    assert_eq!((before.status, &boot(&before)["view"]["step"]["path"]), (200, &json!("sender")));
    let elsewhere = visitor.get(&format!("/api/v1/journeys/{}?path=offers", id(&view))).await.ok(200);
    assert_eq!(elsewhere["elsewhere"], json!(format!("/parcel-cover/sender?request={}", id(&view))));
    assert_eq!(revision(&visitor.view(id(&view)).await), revision(&view));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_journeys_end() {
    let server = parcels().await;
    let visitor = server.visitor();
    let view = started(&visitor).await;
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

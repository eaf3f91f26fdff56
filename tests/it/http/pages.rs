//! Pages: drawn or from their data, with and without scripts, redirected, and what is not there.

use super::{boot, id, parcels, post, started};
use engine_runtime::{Actor, Stories};
use journey_tests::server::{TestServer, fixture};
use serde_json::{Value, json};

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
    check("/help/", 200, "", "Ask us &amp; them anything.").await;
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
    server.stop().await;
}

/// What came with the address is in the journey's record, and gives no right.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_with_an_address_stands_in_the_journeys_record() {
    let server = parcels().await;
    let visitor = server.visitor();
    visitor.get("/parcel-cover?_aid=1&_uid=2&x=3&utm_source=mail").await;
    let view = started(&visitor).await;
    let record = server.product.runtime.store().journey(id(&view)).await.expect("a database").expect("a journey");
    let came = json!({
        "_aid": "1", "_uid": "2", "utm": {"utm_source": "mail"},
        "touches": [{"day": "2026-11-21", "channels": [], "source": ""}],
    });
    assert_eq!(record.attribution, came);
    assert_eq!(view["journey"]["channel"], "web");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn master_data_is_searched() {
    let server = parcels().await;
    let visitor = server.visitor();
    let towns = visitor.get("/api/v1/master/towns?q=pu").await.ok(200);
    assert_eq!(towns, json!({"rows": [{"code": "PUN", "name": "Pune", "state": "Maharashtra"}], "more": false}));
    let exact = visitor.get("/api/v1/master/towns?key=DL").await.ok(200);
    assert_eq!(exact["rows"][0]["name"], "Delhi");
    let filtered = visitor.get("/api/v1/master/towns?state=Maharashtra&limit=1").await.ok(200);
    assert_eq!((filtered["rows"].as_array().map(Vec::len), &filtered["more"]), (Some(1), &json!(true)));
    assert_eq!(visitor.get("/api/v1/master/none").await.code(), "not_found");
    server.stop().await;
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
    let (before, drawn) = drawn.split_once("<div id=\"app\">").expect("the place of the app");
    assert!(drawn.starts_with("<div class=\"step\" data-kind=\"form\"") && !drawn.contains("Asha"), "{drawn}");
    // A browser without scripts has a plain form, with the same.
    let plain = before.split_once("<noscript><form").expect("a plain form").1;
    let first = data["problem"]["errors"][0]["text"].as_str().expect("a text");
    assert!(plain.contains(first) && plain.contains("name=\"note\" value=\"for Asha\""), "{plain}");

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
        ["<h1>Questions</h1>", "Ask us &amp; them anything.", "<p>How heavy may it be?</p><p>Thirty kilograms.</p>"]
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

/// pages-O45: who knows nothing of a page's visitor may hand out what was made for another one; nothing else may be
/// handed out.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_kept_for_everybody_and_for_nobody() {
    let server = parcels().await;
    let (first, second) = (server.visitor(), server.visitor());
    let (made, kept) = (first.get("/help").await, second.get("/help").await);
    assert_eq!((made.text(), &made.header("cache-control")[..6]), (kept.text(), "public"));
    assert_eq!((kept.header("vary"), kept.header("content-type")), (made.header("vary"), made.header("content-type")));
    let packed = async || second.send("GET", "/help", &[("accept-encoding", "gzip")], None).await;
    let (made, again) = (packed().await, packed().await);
    assert_eq!((made.header("content-encoding"), again.header("content-encoding")), ("gzip", "gzip"));
    assert!(made.bytes == again.bytes && made.bytes.len() < kept.bytes.len());
    // What is compressed on its way out has no length before its end.
    assert_eq!(again.header("content-length"), again.bytes.len().to_string());
    assert_eq!(second.get("/help").await.text(), kept.text(), "who reads plain text gets it");

    // What brought somebody is answered to them alone.
    let led = first.get("/help?source=mail").await;
    assert!(led.status == 302 && led.header("set-cookie").starts_with("__Host-attribution="));
    let hers = first.get("/help").await;
    assert_eq!((&hers.header("cache-control")[..7], hers.text()), ("private", kept.text()));
    assert!(second.get("/help").await.header("cache-control").starts_with("public"));

    let stranger = server.visitor();
    assert_eq!(stranger.get("/help").await.text(), kept.text());
    let mut files = fixture("parcel");
    let page = String::from_utf8_lossy(files.get("workflows/site/pages/help.yaml").expect("the page"))
        .replace("Ask us & them anything.", "Ask us nothing.");
    files.insert("workflows/site/pages/help.yaml", page.into_bytes());
    server
        .product
        .runtime
        .publishing
        .publish(&files, &Actor::operator("test"), Stories::OfChanges)
        .await
        .expect("it checks");
    assert!(stranger.get("/help").await.text().contains("Ask us nothing."), "what is published is there at once");
    server.stop().await;
}

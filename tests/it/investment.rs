//! Investment: pages of its five kinds, each with a way to an advisor, and a new fund in its days alone.

use journey_tests::server::{TestServer, all_definitions};
use serde_json::json;

const DAY_MS: i64 = 86_400_000;

async fn product() -> TestServer {
    TestServer::start(all_definitions()).await
}

/// R1-07: from each of the five kinds a lead is begun, and it says which line it is about.
#[tokio::test(flavor = "multi_thread")]
async fn each_kind_has_a_page_and_a_lead_begins_there() {
    let server = product().await;
    for (n, kind) in ["ulip", "child", "retirement", "endowment", "money-back"].iter().enumerate() {
        let visitor = server.visitor();
        let page = visitor.get(&format!("/investment/plans/{kind}")).await;
        assert!(page.status == 200 && page.text().contains("<form"), "{kind}: {}", page.status);
        let lead = json!({"name": "Asha Rao", "mobile": format!("981234570{n}"), "about": "investment"});
        let begun = visitor.start("leads/callback", lead).await.ok(201);
        assert!(begun["step"]["id"].as_str().is_some_and(|step| step.ends_with("thanks")), "{kind}: {}", begun["step"]);
    }
    server.stop().await;
}

/// R3-50, R4-46: hidden before its first day and after its last, shown in between; the days are told at any time.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_fund_is_shown_in_its_days_alone() {
    let server = product().await;
    let visitor = server.visitor();
    let offers = visitor.get("/api/v1/investment/new-fund-offers").await.ok(200);
    let offer = &offers["data"]["offers"][0];
    let [start, end] = ["nfoStartDate", "nfoClosureDate"]
        .map(|key| offer[key].as_str().and_then(|day| day.parse::<chrono::NaiveDate>().ok()).expect("a date"));
    assert!(start < end);
    let first = TestServer::first_day();
    let mut now = 0;
    for (day, shown) in [
        ((start - first).num_days() - 1, false),
        ((start - first).num_days(), true),
        ((end - first).num_days(), true),
        ((end - first).num_days() + 1, false),
    ] {
        server.clock.advance((day - now) * DAY_MS);
        now = day;
        // An address of its own each day: a page that was made a moment ago is kept for everybody, whatever the clock
        // says.
        let page = visitor.get(&format!("/investment?day={day}")).await.text();
        let told = visitor.get("/api/v1/investment/new-fund-offers").await.ok(200);
        assert_eq!(told["data"]["offers"][0]["open"], json!(shown), "day {day}: {told}");
        assert_eq!(page.contains(offer["title"].as_str().expect("a title")), shown, "day {day}");
    }
    server.stop().await;
}

//! Pages over reference data: each known address is there, an unknown one is not, and what they show comes from rows.

use journey_tests::server::{TestServer, all_definitions};

async fn product() -> TestServer {
    TestServer::start(all_definitions()).await
}

/// R2.4-01, R2.4-66, R2.4-68, R2.4-31, R2.4-14, R2.4-09, R2.4-18, R2.4-43, R2.4-19, R2.4-45, pages-O01
#[tokio::test(flavor = "multi_thread")]
async fn every_address_over_rows_is_there() {
    let server = product().await;
    let visitor = server.visitor();
    let both = "thankyou lp lp-fusion renew renewal calculator premium-calculator self-inspection thirdparty-inspection \
        fusion/lp-inspection tp buy-now sms-landing rc-landing viewquotes quotes-page quotes checkout postpaymentpolicydoc \
        post-payment-success companies news zero-depreciation details-by-registration-number";
    let both: Vec<&str> = both.split_whitespace().collect();
    let both = both.iter().flat_map(|page| ["car", "bike"].map(|line| format!("/{line}-insurance/{page}")));
    let cities = "new-delhi mumbai bengaluru chennai kolkata hyderabad pune ahmedabad jaipur lucknow gurugram";
    let advisors = cities.split(' ').map(|city| format!("/insurance-advisors/insurance-advisor+in-{city}"));
    let lists = ["cars-under-6-lakh", "electric-cars", "seven-seaters", "cng-cars", "lowest-third-party"];
    let lists = lists.iter().map(|list| format!("/car-insurance/collection/{list}"));
    let others = [
        "/rto",
        "/rto/maharashtra",
        "/rto/maharashtra/mh-12",
        "/bike-insurance/collection/commuters",
        "/commercial-vehicle-insurance/calculator",
    ];
    for path in both.chain(advisors).chain(lists).chain(others.map(str::to_owned)) {
        assert_eq!(visitor.get(&path).await.status, 200, "{path}");
    }
    let missing = visitor.get("/bike-insurance/pay-as-you-drive").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("href=\"/car-insurance/pay-as-you-drive\""), "a page of its name is offered");
    assert!(!visitor.get("/bike-insurance/no-such-page").await.text().contains("Were you looking"));
    let twin = visitor.get("/rto/telangana/ts-15").await.text();
    assert!(twin.contains("/rto/telangana/tg-15\""), "the letters of today are the page that counts");
    for unknown in [
        "/rto/atlantis",
        "/rto/goa/mh-12",
        "/insurance-advisors/insurance-advisor+in-indore",
        "/car-insurance/collection/no-list",
        "/bike-insurance/collection/seven-seaters",
    ] {
        assert_eq!(visitor.get(unknown).await.status, 404, "{unknown}");
    }
    let office = visitor.get("/rto/maharashtra/mh-12").await.text();
    assert!(office.contains("Pune") && office.contains("noindex"));
    // A campaign's page has a form and no way out of it but the legal ones.
    let campaign = visitor.get("/car-insurance/lp-fusion").await.text();
    assert!(campaign.contains("<form") && !campaign.contains("site-nav-list"));
    // Footer and chat are no part of a calculator.
    let calculator = visitor.get("/car-insurance/premium-calculator").await.text();
    assert!(calculator.contains("data-hide=\"footer chat\""));
    server.stop().await;
}

/// R2.6-15, R2.6-16, R2.6-17, R3-49, R2.6-05, R9-67, R2.5-04, R2.5-07, R1-08, R2.6-04, pages-O23, pages-O27, pages-O31
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_content_say_what_they_are_for() {
    let server = product().await;
    let visitor = server.visitor();
    for path in [
        "/policy-download",
        "/plans",
        "/sip-calculator",
        "/investment/sip-calculator",
        "/investment/lump-sum-calculator",
    ] {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    // Each article heads its form by its own question.
    let articles = ["check-car-insurance-policy-status", "find-vehicle-owner-details-by-number-plate"];
    let headings = ["Policy near its end? See today", "Hit by an unknown vehicle? We help with the claim"];
    for (article, heading) in articles.iter().zip(headings) {
        let page = visitor.get(&format!("/articles/{article}")).await;
        assert!(page.status == 200 && page.text().contains(heading), "{article}: {}", page.status);
    }
    let investors = visitor.get("/investor").await.text();
    for year in ["2020-21", "2021-22", "2022-23", "2023-24"] {
        let report = format!("/investor/annual-report-{year}.pdf");
        assert!(investors.contains(&report), "{year}");
        let paper = visitor.get(&report).await;
        assert_eq!((paper.status, paper.header("content-type")), (200, "application/pdf"), "{year}");
    }
    for path in ["/investment/hi/", "/investment/hi"] {
        let hindi = visitor.get(path).await.text();
        assert!(hindi.contains("<html lang=\"hi\"") && hindi.contains("data-product=\"hindi\""), "{path}");
        assert!(hindi.contains(">किस लक्ष्य के लिए क्या सही<") && !hindi.contains("What fits which aim"), "{path}");
    }
    // Who looked at it goes on in Hindi; others do not.
    assert!(visitor.get("/investment").await.text().contains("<html lang=\"hi\""));
    let english = server.visitor().get("/investment").await.text();
    assert!(english.contains("<html lang=\"en\"") && english.contains("data-product=\"investment\""));
    let term = "/life-insurance/term-insurance/premium-calculator?age=30&coverage=10000000&cover_upto=65";
    for path in [term, "/life-insurance/premium-calculator", "/life-insurance/human-life-value"] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains("₹"), "{path}: {}", page.status);
    }
    let tax = visitor.get("/life-insurance/term-insurance/tax-benefit?salary=1500000&d80c=150000").await;
    let text = tax.text();
    assert!(tax.status == 200 && text.contains("9750000") && text.contains("21060000"), "97,500 and 2,10,600");
    server.stop().await;
}

/// R2.4-33, R2.4-34, R2.4-35, R2.4-36, R2.4-37, R2.4-40, R2.4-42, R3-47, R9-41, pages-O09, pages-O10
#[tokio::test(flavor = "multi_thread")]
async fn insurers_have_pages_of_their_own() {
    let server = product().await;
    let visitor = server.visitor();
    let company = "/car-insurance/companies/digit";
    let own = visitor.get(company).await.text();
    assert!(own.contains("Plans for people who drive little"), "R2.4-42");
    for path in ["garage", "claim", "renewal", "third-party", "comprehensive", "user-reviews"] {
        for line in ["car", "bike"] {
            let path = format!("/{line}-insurance/companies/tata-aig/{path}");
            assert_eq!(visitor.get(&path).await.status, 200, "{path}");
        }
    }
    let plain = visitor.get("/car-insurance/companies/tata-aig").await.text();
    assert!(plain.contains("What it sells") && plain.contains("Claims by telephone"), "R2.4-33");
    for unknown in ["/nonsense", "/user-reviews/review-99.htm", "x"] {
        assert_eq!(visitor.get(&format!("{company}{unknown}")).await.status, 404, "{unknown}");
    }
    // R2.4-35: twenty garages to a page, in the cities where it has some; and R2.4-37: reviews of a second page.
    let numbered = |path: &str, pages: usize| {
        let further = (2..=pages).map(|n| format!("{path}/{n}"));
        std::iter::once(path.to_owned()).chain(further).collect::<Vec<_>>()
    };
    let garages = numbered("/car-insurance/companies/digit/garage-in-mumbai", 5);
    let bikes = numbered("/bike-insurance/companies/raheja-qbe/garage-in-pune", 2);
    let reviews = ["car", "bike"].map(|line| format!("/{line}-insurance/companies/digit/user-reviews/2"));
    for path in garages.iter().chain(&bikes).chain(&reviews) {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    let (one, two) = (visitor.get(&garages[0]).await.text(), visitor.get(&garages[1]).await.text());
    assert!(one.contains("86 garages") && one.contains("samples") && one.contains("noindex"));
    assert_eq!((one.matches("Sample garage").count(), two.matches("Sample garage").count()), (20, 20));
    for unknown in ["/garage-in-mumbai/6", "/garage-in-atlantis", "/user-reviews/3"] {
        assert_eq!(visitor.get(&format!("{company}{unknown}")).await.status, 404, "{unknown}");
    }
    // R2.4-40: a make with one model is not for search engines.
    assert!(visitor.get("/car-insurance/nissan").await.text().contains("content=\"noindex\""));
    // The odd rows have the author under one name, the even ones under another; both are shown.
    for review in [1, 2] {
        let page = visitor.get(&format!("{company}/user-reviews/review-{review}.htm")).await;
        let text = page.text();
        assert!(
            page.status == 200 && text.contains(&format!("Sample customer {review}")) && text.contains("Rating"),
            "{review}"
        );
        assert!(text.contains("Best") && text.contains("Worst") && !text.contains("aggregateRating"), "{review}");
    }
    server.stop().await;
}

/// R2.10-08: the pages that the layout names answer for whoever has no request at hand too, and lead on.
#[tokio::test(flavor = "multi_thread")]
async fn pages_that_the_layout_names_are_there() {
    let server = product().await;
    let visitor = server.visitor();
    let pages = [
        "/track-policy",
        "/policy-document",
        "/car-insurance/track-policy",
        "/bike-insurance/track-policy",
        "/health-insurance/track-policy",
        "/life-insurance/track-policy",
        "/car-insurance/policy-document",
        "/bike-insurance/policy-document",
        "/health-insurance/policy-document",
        "/life-insurance/policy-document",
        "/car-insurance/request",
        "/health-insurance/request",
        "/life-insurance/request",
        "/health-insurance/medical-details",
        "/life-insurance/medical-details",
        "/health-insurance/document-upload",
        "/life-insurance/document-upload",
        "/life-insurance/video-verification",
    ];
    for path in pages {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    server.stop().await;
}

/// R1-39, pages-O17: the page counts down until the last moment of the day, and says nothing of it afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn the_tax_timer_is_there_until_its_day() {
    const DAY_MS: i64 = 86_400_000;
    let server = product().await;
    let visitor = server.visitor();
    let last = chrono::NaiveDate::from_ymd_opt(2024, 3, 31).expect("a day");
    let days = (last - TestServer::first_day()).num_days();
    // an address of its own each day: a page that was made a moment ago is kept for everybody
    for (day, shown) in [(0, false), (days - 1, true), (days, true), (days + 1, false)] {
        server.clock.advance(day * DAY_MS);
        let page = visitor.get(&format!("/tax-saving-schemes?day={day}")).await.text();
        assert!(page.contains("Tax saving schemes"), "day {day}");
        assert_eq!(page.contains(r#"data-until="2024-03-31""#), shown, "day {day}");
        server.clock.advance(-day * DAY_MS);
    }
    server.stop().await;
}

/// R7.2-22, pages-O24: how often a page was passed on, by way; nothing at all while the service that counts is away.
#[tokio::test(flavor = "multi_thread")]
async fn counts_of_shares_never_fail() {
    let server = product().await;
    let visitor = server.visitor();
    let counts = async |path: &str| {
        let answer = visitor.get(&format!("/api/v1/share-counts?path={path}")).await;
        assert_eq!(answer.status, 200, "{path}");
        answer.json()["counts"].clone()
    };
    let known = counts("/articles/policy-status").await;
    let ways: Vec<&str> = known.as_array().expect("a list").iter().filter_map(|row| row["way"].as_str()).collect();
    assert_eq!(ways, ["whatsapp", "facebook", "x"]);
    assert_eq!(counts("/articles/down").await, serde_json::json!([]));
    server.stop().await;
}

//! What the pages of the lines say, and the leads that their forms take.

use super::{between, product, values};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};

/// Texts of the first table of a page, row by row.
fn table(html: &str) -> Vec<Vec<&str>> {
    let rows = between(html, "<table>", "</table>").split("<tr>").skip(1);
    let texts = rows.map(|row| row.split('>').filter_map(|part| part.split('<').next()));
    texts.map(|cells| cells.filter(|text| !text.is_empty()).collect()).collect()
}

/// Begins a request of a business as a visitor of its own: the page that it comes to, and the lead that it has
/// recorded.
async fn begun(server: &TestServer, workflow: &str, data: Value) -> (Value, Value) {
    let visitor = server.visitor();
    let view = visitor.start(workflow, data).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey");
    let lead = server
        .until("the lead", async || {
            let records = server.store().await.records(id).await.expect("a read");
            records.into_iter().find(|record| record.kind == "lead").map(|record| record.data)
        })
        .await;
    (visitor.view(id).await, lead)
}

fn business(product: &str) -> Value {
    json!({
        "name": "Asha Rao", "businessName": "Lakeview Traders", "mobile": "9876543210", "email": "asha@example.com",
        "productType": product,
    })
}

/// Pages have what is theirs, and none of the landings is without the disclaimer (R1-30).
#[tokio::test(flavor = "multi_thread")]
async fn pages_say_what_is_theirs() {
    const EIGHTY_D: &str =
        "₹75,000: deduction for health insurance of you and of parents above 60 (section 126, before: section 80D)";
    const THANKS: &str =
        "For choosing the product! Our relationship manager will call you to guide you along with your purchase.";
    let server = product().await;
    let visitor = server.visitor();
    for (row, path, part) in [
        ("R1-36", "/tax-saving-schemes", EIGHTY_D),
        ("R1-37", "/tax-saving-schemes", "₹54,600: tax saved"),
        ("R1-38", "/tax-saving-schemes", "₹46,800: tax saved"),
        ("R2.1-21", "/sme/success-page", "<h1>Thank You!</h1>"),
        ("R2.1-21", "/sme/success-page", THANKS),
        ("R2.3-01", "/health-insurance", "name=\"insured_for\""),
        ("R2.6-07", "/tax-saving-schemes", "<h1>Save tax, and get something for it</h1>"),
        ("R2.4-54", "/car-insurance/details-by-registration-number", "name=\"registration\""),
        ("R2.4-54", "/bike-insurance/details-by-registration-number", "name=\"registration\""),
        ("R2.4-65", "/motor/feedback", "name=\"rating\""),
        ("R2.4-65", "/motor/thankyou", "<h1>Thank you</h1>"),
    ] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains(part), "{row} {path}: {part}");
    }
    for path in [
        "/",
        "/car-insurance",
        "/car-insurance/lp",
        "/car-insurance/tp",
        "/bike-insurance",
        "/bike-insurance/lp",
        "/bike-insurance/tp",
        "/health-insurance",
        "/health-insurance/advisor-at-home",
        "/health-insurance/lp-brand",
        "/health-insurance/lp-fusion",
        "/life-insurance",
        "/life-insurance/term-insurance",
        "/investment",
        "/tax-saving-schemes",
        "/travel-insurance",
        "/sme",
        "/sme/shopkeeper",
    ] {
        let page = visitor.get(path).await;
        let html = page.text();
        let legal = between(&html, "<p class=\"site-legal\">", "</p>");
        assert!(
            page.status == 200 && legal.contains("Insurance is the subject matter of solicitation."),
            "R1-30 {path}"
        );
    }
    server.stop().await;
}

/// Addresses that few would type, and what stands there.
#[tokio::test(flavor = "multi_thread")]
async fn odd_addresses_are_answered() {
    let server = product().await;
    let visitor = server.visitor();
    let hidden = "<meta name=\"robots\" content=\"noindex\">";
    for (row, path, status, part) in [
        ("pages-O01", "/car-insurance/pay-as-you-drive", 200, "<h1>"),
        ("pages-O04", "/car-insurance/tata/nexon-ev", 200, "6,712"),
        ("pages-O04", "/car-insurance/tata/creta", 404, hidden),
        ("pages-O05", "/car-insurance/maruti-suzuki/wagonr", 200, "2,094"),
        ("pages-O05", "/car-insurance/maruti-suzuki/wagonr", 200, "3,416"),
        ("pages-O07", "/bike-insurance/news/puc-no-longer-asked-at-renewal", 200, "/car-insurance/news/puc-no-longer-"),
        ("pages-O11", "/car-insurance/companies/digit/claim/2", 404, hidden),
        ("pages-O11", "/car-insurance/companies/digit/nonsense", 404, hidden),
        ("pages-O13", "/rto/telangana/ts-09", 200, "/rto/telangana/tg-09\">"),
        ("pages-O13", "/rto/maharashtra/mh-99", 404, hidden),
        ("pages-O13", "/rto/goa/mh-12", 404, hidden),
        ("pages-O15", "/insurance-advisors/insurance-advisor+in-pune", 200, "<h1>"),
        ("pages-O15", "/insurance-advisors/insurance-advisor%2Bin-pune", 200, "<h1>"),
        ("pages-O15", "/insurance-advisors/insurance-advisor+in-indore", 404, hidden),
        ("pages-O18", "/tax-saving-schemes", 200, "only in the old regime"),
        ("pages-O18", "/tax-saving-schemes", 200, "54,600"),
        ("pages-O20", "/car-insurance/claim-settlement", 200, "Claims settled: sample figures of this set-up"),
        ("pages-O21", "/irda-license", 200, "registrations of brokers have had no end date since"),
        ("pages-O25", "/travel-insurance/countries/georgia", 200, "GEL 30,000"),
        ("pages-O25", "/travel-insurance/countries/kenya", 200, "We have not checked the rule of this country"),
        ("pages-O25", "/travel-insurance/countries/kenya", 200, hidden),
        ("pages-O32", "/bike-insurance/third-party-insurance/up-to-75-cc", 200, hidden),
        ("pages-O33", "/car-insurance/companies/digit", 200, hidden),
        ("pages-O39", "/car-insurance/ford/figo", 200, "no longer builds cars in India"),
    ] {
        let page = visitor.get(path).await;
        assert!(page.status == status && page.text().contains(part), "{row} {path}: {} {part}", page.status);
    }
    // pages-O30
    for (insurer, kind, status) in [("digit", "car", 200), ("nobody", "car", 404), ("digit", "ship", 422)] {
        let call = format!("/api/v1/garagesCityList?insurer={insurer}&vehicle_category={kind}");
        assert_eq!(visitor.get(&call).await.status, status, "{call}");
    }
    // pages-O14
    for (typed, found) in [("DL3C", "DL-03"), ("mh%2012", "MH-12"), ("TG09", "TG-09"), ("od%2002", "OD-02")] {
        let rows = visitor.get(&format!("/api/v1/master/rto?q={typed}")).await.ok(200);
        assert_eq!(rows["rows"][0]["rto"], found, "{typed}");
    }
    // pages-O26: the day on which a rule had to be looked at again is over
    server.clock.advance(200 * 86_400_000);
    let late = visitor.get("/travel-insurance/georgia?late=1").await.text();
    assert!(late.contains("To be checked again. Ask the embassy.") && !late.contains("GEL 30,000"), "{late}");
    server.stop().await;
}

/// R2.7-01..06, pages-O08: whoever still has a former name of an insurer is led to its page, with the query.
#[tokio::test(flavor = "multi_thread")]
async fn former_names_of_insurers_lead_to_the_present_ones() {
    let server = product().await;
    let visitor = server.visitor();
    for (from, to) in [
        ("/health-insurance/religare", "/health-insurance/care"),
        ("/health-insurance/edelweiss", "/health-insurance/zuno"),
        ("/car-insurance/companies/edelweiss", "/car-insurance/companies/zuno"),
        ("/bike-insurance/companies/edelweiss", "/bike-insurance/companies/zuno"),
        ("/life-insurance/edelweiss-tokio", "/life-insurance/edelweiss-life"),
        ("/life-insurance/term-insurance/edelweiss-tokio", "/life-insurance/term-insurance/edelweiss-life"),
    ] {
        let led = visitor.get(&format!("{from}?a=1&b=2")).await;
        assert_eq!((led.status, led.header("location")), (301, format!("{to}?a=1&b=2").as_str()), "{from}");
        assert_eq!(visitor.get(to).await.status, 200, "{to}");
    }
    server.stop().await;
}

/// R2.4-32, R3-36: the pages of both vehicles list the insurers; the master data knows those of health by their ids.
#[tokio::test(flavor = "multi_thread")]
async fn insurers_are_listed() {
    let server = product().await;
    let visitor = server.visitor();
    for list in ["/car-insurance/companies", "/bike-insurance/companies"] {
        let page = visitor.get(list).await;
        let html = page.text();
        assert_eq!(page.status, 200, "R2.4-32 {list}");
        let one = format!("{list}/");
        let pages = values(&html, "href").filter(|link| link.starts_with(&one)).count();
        assert!(pages > 20, "R2.4-32 {list}: {pages}");
        for name in ["HDFC ERGO", "Digit", "New India"] {
            assert!(html.contains(&format!(". {name}")), "R2.4-32 {list}: {name}");
        }
    }
    let health = visitor.get("/api/v1/master/insurers?health=true&limit=50").await.ok(200);
    let rows = health["rows"].as_array().expect("rows");
    for (id, name) in [("32", "Niva Bupa"), ("31", "Manipal Cigna")] {
        assert!(rows.iter().any(|row| row["id"] == id && row["name"] == name), "R3-36 {id}: {rows:?}");
    }
    server.stop().await;
}

/// R2.4-47, R3-48, R9-17, pages-O16: what a repair pays, with zero depreciation first.
#[tokio::test(flavor = "multi_thread")]
async fn zero_depreciation_is_told_part_by_part() {
    let server = product().await;
    let visitor = server.visitor();
    for path in ["/car-insurance/zero-depreciation", "/bike-insurance/zero-depreciation"] {
        let page = visitor.get(path).await;
        let html = page.text();
        let expected = [
            ["Part", "With zero depreciation", "Without"],
            ["Repair", "100%", "50%"],
            ["Glass", "100%", "100%"],
            ["Fibre", "100%", "70%"],
            ["Paint", "100%", "50%"],
            ["Plastic", "100%", "50%"],
            ["Metal", "100%", "Depends on the age"],
        ];
        assert_eq!((page.status, table(&html)), (200, expected.map(Vec::from).to_vec()), "{path}");
    }
    server.stop().await;
}

/// R1-14: retail customers, shopkeepers and businesses begin where they land; R1-12, R1-13: a business is thanked.
#[tokio::test(flavor = "multi_thread")]
async fn each_group_of_customers_begins_where_it_lands() {
    let server = product().await;
    let visitor = server.visitor();
    for path in ["/car-insurance", "/sme/shopkeeper", "/sme"] {
        assert_eq!(visitor.get(path).await.status, 200, "R1-14 {path}");
    }
    let car = json!({"kind": "registered", "registration": "DL3CAB1234"});
    let view = visitor.start("motor/car", car).await.ok(201);
    assert_eq!(view["journey"]["status"], "active", "R1-14 {view}");
    for product in ["shopkeeper", "groupMedical"] {
        let (view, lead) = begun(&server, "sme/lead", business(product)).await;
        assert_eq!((&view["step"]["title"], &lead["productType"]), (&json!("Thank You!"), &json!(product)), "R1-14");
    }
    server.stop().await;
}

/// R2.6-10..14, R3-68: each cover of a business has its page, whose form knows what it is about; the lead says it by
/// its code. Longer addresses of before lead to them.
#[tokio::test(flavor = "multi_thread")]
async fn each_cover_of_a_business_has_a_page_and_a_code() {
    let server = product().await;
    let visitor = server.visitor();
    for (slug, code) in [
        ("group-medical", "groupMedical"),
        ("group-term-life", "gtli"),
        ("group-personal-accident", "groupPersonal"),
        ("workmen-compensation", "workmenCompensation"),
        ("contractor-plant", "cpm"),
        ("erection", "erection"),
        ("contractors-all-risk", "contractors"),
        ("machinery-breakdown", "machinery"),
        ("directors-and-officers", "dno"),
        ("errors-and-omissions", "eno"),
        ("commercial-general-liability", "cgl"),
        ("carrier-legal", "carrier"),
        ("public-liability", "publicLiability"),
        ("professional-indemnity", "professionalIndemnity"),
        ("fidelity", "fidelity"),
        ("cyber", "cyber"),
        ("specific-marine", "specificMarine"),
        ("open-marine", "openMarine"),
        ("marine-hull", "marineHull"),
        ("fire-and-burglary", "fire"),
        ("shopkeeper", "shopkeeper"),
        ("home-package", "homePackage"),
        ("jewellers", "jewellers"),
        ("office-package", "officePackage"),
    ] {
        let page = visitor.get(&format!("/sme/{slug}")).await;
        let chosen = format!("<option value=\"{code}\" selected");
        assert!(page.status == 200 && page.text().contains(&chosen), "{slug}: {}", page.status);
        let (_, lead) = begun(&server, "sme/lead", business(code)).await;
        assert_eq!(lead["productType"], code, "{slug}");
    }
    assert_eq!(visitor.get("/sme/nobody").await.status, 404);
    for slug in ["group-medical", "workmen-compensation", "fire-and-burglary", "shopkeeper"] {
        let led = visitor.get(&format!("/sme/{slug}-insurance?a=1")).await;
        assert_eq!((led.status, led.header("location")), (301, format!("/sme/{slug}?a=1").as_str()));
    }
    server.stop().await;
}

/// Pages from rows have headings of their own; under an address that no row has there is none.
#[tokio::test(flavor = "multi_thread")]
async fn pages_from_rows_have_their_own_headings() {
    let server = product().await;
    let visitor = server.visitor();
    for (row, path, heading) in [
        ("R2.3-02", "/health-insurance/companies", "Health insurers"),
        ("R2.3-03", "/health-insurance/plans", "Kinds of health plans"),
        ("R2.3-03", "/health-insurance/plans/family", "Health insurance for a family"),
        ("R2.3-03", "/health-insurance/plans/senior-citizen", "Health insurance for seniors"),
        ("R2.3-03", "/health-insurance/plans/parents", "Health insurance for parents"),
        ("R2.3-03", "/health-insurance/plans/women", "Health insurance for women"),
        ("R2.3-03", "/health-insurance/plans/children", "Health insurance for children"),
        ("R2.3-06", "/health-insurance/claim-settlement", "Claim settlement of health insurers"),
        ("R2.3-12", "/health-insurance/government-schemes/pm-jay", "PM-JAY: who it covers"),
        ("R2.3-13", "/health-insurance/care", "Health plans of Care Health"),
        ("R2.3-13", "/health-insurance/niva-bupa", "Health plans of Niva Bupa"),
        ("R2.5-05", "/life-insurance/lic", "LIC of India"),
        ("R2.5-05", "/life-insurance/term-insurance", "One crore for the family, for the price of a dinner a month"),
        ("R2.5-06", "/life-insurance/term-insurance/companies", "Insurers of term cover"),
        ("R2.5-06", "/life-insurance/term-insurance/plans", "Kinds of term plans"),
        ("R2.5-12", "/life-insurance/term-insurance/lic", "Term insurance of LIC of India"),
        ("R2.6-01", "/investment/companies", "Insurers that you can save with"),
        ("R2.6-01", "/investment/plans", "Kinds of investment plans"),
        ("R2.6-02", "/investment/plans/ulip", "ULIP: how it works"),
        ("R2.6-02", "/investment/plans/child", "Child plan: how it works"),
        ("R2.6-02", "/investment/plans/money-back", "Money-back: how it works"),
        ("R2.6-02", "/investment/plans/retirement", "Pension plan: how it works"),
        ("R2.6-02", "/investment/plans/endowment", "Endowment: how it works"),
        ("R2.6-06", "/investment/hdfc-life", "Savings plans of HDFC Life"),
        ("R2.6-08", "/travel-insurance/companies", "Insurers of trips"),
        ("R2.6-08", "/travel-insurance/countries", "Countries of your trip"),
        ("R2.6-08", "/travel-insurance/types", "Kinds of travel insurance"),
        ("R2.6-08", "/travel-insurance/benefits", "What travel insurance pays"),
        ("R2.6-08", "/travel-insurance/articles", "Travel articles"),
    ] {
        let page = visitor.get(path).await;
        let html = page.text();
        assert_eq!((page.status, between(&html, "<h1>", "</h1>")), (200, heading), "{row} {path}");
    }
    for (row, path) in [
        ("R2.3-12", "/health-insurance/government-schemes/nothing"),
        ("R2.3-13", "/health-insurance/nobody"),
        ("R2.5-05", "/life-insurance/nobody"),
        ("R2.5-12", "/life-insurance/term-insurance/nobody"),
        ("R2.6-02", "/investment/plans/nothing"),
        ("R2.6-06", "/investment/nobody"),
    ] {
        assert_eq!(visitor.get(path).await.status, 404, "{row} {path}");
    }
    // R2.3-02, R2.3-06: with what was published of claims; R2.5-06, R2.6-01, R2.6-08: first pages.
    for (row, path, part) in [
        ("R2.3-02", "/health-insurance/companies", "Care Health (before: Religare)"),
        ("R2.3-06", "/health-insurance/claim-settlement", "82.31%"),
        ("R2.5-06", "/life-insurance/term-insurance/companies", "LIC of India"),
        ("R2.6-01", "/investment", ">What are you saving for?</h1>"),
        ("R2.6-08", "/travel-insurance", ">Where are you going?</h1>"),
    ] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains(part), "{row} {path}: {part}");
    }
    server.stop().await;
}

/// The heading of the page of each of these names, which is its own.
async fn headings(visitor: &Visitor, under: &str, names: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in names.split(' ') {
        let page = visitor.get(&format!("{under}/{name}")).await;
        let html = page.text();
        let heading = between(&html, "<h1>", "</h1>").to_owned();
        assert!(page.status == 200 && !heading.is_empty(), "{under}/{name}: {}", page.status);
        assert!(!found.contains(&heading), "{under}/{name}: a heading of its own");
        found.push(heading);
    }
    found
}

/// R1-09, R2.3-04, R2.5-03, R2.5-08, R2.5-09, R2.6-03: each subject has its page.
#[tokio::test(flavor = "multi_thread")]
async fn subjects_have_pages() {
    let server = product().await;
    let visitor = server.visitor();
    let term = "/life-insurance/term-insurance";
    for (under, names) in [
        ("/health-insurance", "critical-illness 1-crore cashless-mediclaim"),
        ("/life-insurance", "postal premium benefits coverage tax-benefits claim-settlement news"),
        (term, "group family senior-citizen spouse nri non-working-spouse"),
        ("/investment", "nri best-tax-saving-investment fixed-deposit recurring-deposit news"),
    ] {
        headings(&visitor, under, names).await;
    }
    let amounts = headings(&visitor, term, "50-lakhs 1-crore 2-crore 5-crore").await;
    for (heading, amount) in amounts.iter().zip(["₹50 lakh", "₹1 crore", "₹2 crore", "₹5 crore"]) {
        assert!(heading.contains(amount), "R2.5-09 {heading}");
    }
    server.stop().await;
}

/// R2.4-38, R2.4-44, R2.4-46, R2.4-48..50, R2.4-52, R2.4-53, R2.4-55..60, R2.4-63, R2.4-64, pages-O02: what both
/// vehicles have, and what only one of them has.
#[tokio::test(flavor = "multi_thread")]
async fn subjects_of_vehicles_have_pages() {
    const BOTH: &str = "edge-claim claim-settlement third-party-insurance third-party-insurance/premium-rates garage \
        comprehensive comprehensive/what-is-not-covered idv standalone-own-damage-cover \
        standalone-own-damage-cover/eligibility fines-for-driving-without-insurance expired used faq mumbai bengaluru";
    const CAR: &str = "pay-as-you-drive imported irdai-rules temporary private long-term-three-year";
    const BIKE: &str = "long-term electric types e-bike-rental electric-scooter floater scooter cashless compare";
    let server = product().await;
    let visitor = server.visitor();
    for (under, own, others) in [("/car-insurance", CAR, BIKE), ("/bike-insurance", BIKE, CAR)] {
        headings(&visitor, under, BOTH).await;
        headings(&visitor, under, own).await;
        for name in others.split(' ') {
            assert_eq!(visitor.get(&format!("{under}/{name}")).await.status, 404, "{under}/{name}");
        }
        let questions = visitor.get(&format!("{under}/faq")).await.text();
        assert!(questions.matches("<summary>").count() >= 3, "R2.4-57 {under}");
    }
    for path in ["/motor-insurance", "/motor-insurance/careline"] {
        assert_eq!(visitor.get(path).await.status, 200, "R2.4-63 {path}");
    }
    let licence = visitor.get("/irda-license").await.text();
    assert!(licence.contains("19/03/2026") && licence.contains("Direct (Life and General)"), "R2.4-64 {licence}");
    server.stop().await;
}

/// R2.4-39, R2.4-51: each add-on that a vehicle can have has a page, to which that of all of them leads.
#[tokio::test(flavor = "multi_thread")]
async fn add_ons_have_pages() {
    const BOTH: &str = "zero-depreciation consumables engine-protection return-to-invoice roadside-assistance ncb-protection paid-driver \
        owner-driver passenger-cover";
    const CAR: &str = "tyre-secure key-replacement personal-belongings";
    let server = product().await;
    let visitor = server.visitor();
    for (line, own) in [("/car-insurance", format!("{BOTH} {CAR}")), ("/bike-insurance", BOTH.to_owned())] {
        let all = format!("{line}/add-on-covers");
        headings(&visitor, &all, &own).await;
        let list = visitor.get(&all).await;
        let html = list.text();
        let led: Vec<String> = values(&html, "href").filter(|link| link.starts_with(&format!("{all}/"))).collect();
        assert_eq!((list.status, led.len()), (200, own.split(' ').count()), "R2.4-51 {led:?}");
        assert_eq!(visitor.get(&format!("{all}/nothing")).await.status, 404, "R2.4-39 {line}");
    }
    assert_eq!(visitor.get("/bike-insurance/add-on-covers/tyre-secure").await.status, 404);
    server.stop().await;
}

/// R2.4-28..30, R2.4-67, R2.1-22, R2.3-10, R2.5-11, R7.3-30, pages-O06: digits are a part of the list, anything else
/// is an article.
#[tokio::test(flavor = "multi_thread")]
async fn news_have_lists_in_parts_and_articles() {
    let server = product().await;
    let visitor = server.visitor();
    for list in [
        "/news/",
        "/car-insurance/news/",
        "/car-insurance/news",
        "/car-insurance/news/2",
        "/car-insurance/news/2.htm",
        "/bike-insurance/news",
        "/bike-insurance/news/2",
        "/bike-insurance/news/2.htm",
        "/health-insurance/news",
        "/health-insurance/articles",
        "/life-insurance/term-insurance/news",
        "/sme/news",
    ] {
        let page = visitor.get(list).await;
        let html = page.text();
        let items = between(&html, "<ul class=\"cards\">", "</ul>").matches("<li").count();
        assert!(page.status == 200 && (2..=10).contains(&items), "{list}: {} {items}", page.status);
    }
    let part = visitor.get("/car-insurance/news/2.htm").await.text();
    assert!(between(&part, "<link rel=\"canonical\" href=\"", "\"").ends_with("/car-insurance/news/2"), "R2.4-28");
    for line in ["/car-insurance", "/bike-insurance"] {
        let article = visitor.get(&format!("{line}/news/telangana-plates-tg")).await;
        assert!(article.status == 200 && article.text().contains("<h1>Telangana plates begin with TG</h1>"), "{line}");
        for unknown in ["no-such-article", "99"] {
            assert_eq!(visitor.get(&format!("{line}/news/{unknown}")).await.status, 404, "{line}: {unknown}");
        }
    }
    server.stop().await;
}

/// R7.3-30: news and feedback over HTTP say what their pages say.
#[tokio::test(flavor = "multi_thread")]
async fn news_are_read_and_feedback_is_given_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let mut all = Vec::new();
    let first = visitor.get("/api/v1/news?line=car").await.ok(200);
    let pages = first["pages"].as_i64().expect("a number");
    assert!(first["page"] == 1 && pages > 1, "{first}");
    for page in 1..=pages {
        let list = visitor.get(&format!("/api/v1/news?line=car&page={page}")).await.ok(200);
        all.extend(list["items"].as_array().expect("a list").clone());
    }
    let days: Vec<&str> = all.iter().filter_map(|item| item["date"].as_str()).collect();
    assert!(days.len() > 10 && days.is_sorted_by(|newer, older| newer >= older), "{days:?}");
    let item = all.iter().find(|item| item["slug"] == "telangana-plates-tg").expect("it is there");
    assert_eq!(visitor.get("/api/v1/news/telangana-plates-tg").await.ok(200), *item);
    assert_eq!(visitor.get(item["href"].as_str().expect("an address")).await.status, 200);
    for unknown in ["/api/v1/news?line=boats", "/api/v1/news?line=car&page=99", "/api/v1/news/no-such-article"] {
        assert_eq!(visitor.get(unknown).await.status, 404, "{unknown}");
    }
    let give = async |body: Value| visitor.send("POST", "/api/v1/feedback", &[], Some(body.to_string())).await;
    let given = give(json!({"rating": "5", "words": "Very clear"})).await.ok(200);
    assert_eq!(visitor.view(given["id"].as_str().expect("an id")).await["step"]["title"], "Thank you");
    let refused = give(json!({"rating": "9", "words": "Very clear"})).await.ok(422);
    assert_eq!(refused["errors"][0]["pointer"], "/rating", "{refused}");
    server.stop().await;
}

/// R7.3-30: a program reads of a page what search engines are told, and of a person's page nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_search_engines_are_told_of_a_page_is_a_call() {
    let server = product().await;
    let visitor = server.visitor();
    for path in ["/car-insurance", "/car-insurance/news", "/health-insurance/star-health", "/figures"] {
        let told = visitor.get(&format!("/api/v1/seo/page?path={path}")).await.ok(200);
        let page = visitor.get(path).await.text();
        let title = told["title"].as_str().expect("a title");
        assert!(!title.is_empty() && page.contains("<title>"), "{path}: {told}");
        assert_eq!(told["canonical"], between(&page, "<link rel=\"canonical\" href=\"", "\""), "{path}");
        let hidden = between(&page, "<meta name=\"robots\" content=\"", "\"");
        assert_eq!(told["robots"] == "noindex", hidden == "noindex", "{path}: {}", told["robots"]);
        assert!(told["blocks"].as_array().is_some_and(|blocks| !blocks.is_empty()), "{path}");
    }
    let insurer = visitor.get("/api/v1/seo/page?path=/health-insurance/star-health").await.ok(200);
    let facts = insurer["facts"].as_array().expect("a list");
    assert!(
        facts.iter().all(|fact| !fact["label"].is_null() && !fact["value"].is_null()) && facts.len() > 2,
        "{facts:?}"
    );
    for unknown in ["/no-such-page", "/dashboard", "/staff"] {
        assert_eq!(visitor.get(&format!("/api/v1/seo/page?path={unknown}")).await.status, 404, "{unknown}");
    }
    assert_eq!(visitor.get("/api/v1/seo/page").await.status, 400);
    server.stop().await;
}

/// R1-31: what customers say, each with stars, words and a name.
#[tokio::test(flavor = "multi_thread")]
async fn customers_are_heard_on_the_first_page() {
    let server = product().await;
    let page = server.visitor().get("/").await.text();
    let reviews = between(&page, "data-block=\"reviews\"", "</section>");
    let said: Vec<&str> = reviews.split("<li").skip(1).collect();
    assert!(said.len() >= 3, "{reviews}");
    for one in said {
        let fields =
            [between(one, "<span class=\"sr\">", "<"), between(one, "<p>", "<"), between(one, "<strong>", "<")];
        assert!(fields[0].ends_with("of 5 stars") && fields.iter().all(|field| !field.is_empty()), "{one}");
    }
    server.stop().await;
}

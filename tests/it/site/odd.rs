//! Odd readers of pages (docs/odd-customers.tsv): who compares, caches, looks up strangers, adds what cannot be.

use super::product;
use engine_definitions::{Files, load};
use journey_tests::server::{TestServer, all_definitions};
use serde_json::json;
use std::collections::HashMap;

fn changed(path: &str, change: impl Fn(&str) -> String) -> Files {
    let mut files = all_definitions();
    let text = String::from_utf8(files.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).expect("text");
    let after = change(&text);
    assert_ne!(after, text, "{path}");
    files.insert(path, after.into_bytes());
    files
}

/// pages-O03: a city's page stands where a make of its name would.
#[test]
fn a_make_that_is_called_like_a_city_stops_the_loader() {
    let files = changed("workflows/site/tables/vehicle_models.yaml", |text| {
        text.replacen(
            "- car-insurance/maruti-suzuki/swift\n    - car-insurance/maruti-suzuki\n",
            "- car-insurance/mumbai/swift\n    - car-insurance/mumbai\n",
            1,
        )
    });
    let found = refused(&files);
    assert!(found.iter().any(|problem| problem.contains("`/car-insurance/mumbai` is already an address")), "{found:?}");
}

/// pages-O12: stars are one to five.
#[test]
fn a_review_of_no_or_six_stars_is_refused_by_file_and_row() {
    for stars in ["0", "6"] {
        let files = changed("workflows/motor/tables/reviews.yaml", |text| {
            text.replacen("stars: 5", &format!("stars: {stars}"), 1)
        });
        let found = refused(&files);
        let is_named =
            |problem: &&String| problem.contains("workflows/motor/tables/reviews.yaml:") && problem.contains("stars");
        assert!(found.iter().any(|problem| is_named(&problem)), "{stars}: {found:?}");
    }
}

/// pages-O22: what a register says of an owner goes nowhere, and nobody looks up plate after plate.
#[tokio::test(flavor = "multi_thread")]
async fn a_strangers_plate_tells_nothing_of_its_owner_and_not_for_ever() {
    let files = changed("workflows/partners/registers/vahan/lookup.sandbox.yaml", |text| {
        text.replacen(
            "      rtoCode: office_code\n",
            "      rtoCode: office_code\n      ownerName: \"'Leena Hidden'\"\n      address: \"'12 Secret Street'\"\n",
            1,
        )
    });
    let server = TestServer::start_with(files, |settings| {
        settings.limits.starts_per_hour = 3;
        settings.sandbox.delay_percent = 0;
    })
    .await;
    let visitor = server.visitor();
    for plate in ["DL3CAB1234", "DL3CAB1235", "DL3CAB1236"] {
        let begun = visitor.start("motor/car", json!({"kind": "registered", "registration": plate})).await.ok(201);
        let id = begun["journey"]["id"].as_str().expect("a journey").to_owned();
        let view = server
            .until("the register's answer", async || {
                let view = visitor.view(&id).await;
                (view["step"]["kind"] != "wait").then_some(view)
            })
            .await;
        let page = visitor.get(view["step"]["url"].as_str().expect("an address")).await;
        for text in [view.to_string(), page.text()] {
            assert!(!text.contains("Leena") && !text.contains("Secret Street"), "{plate}");
        }
    }
    let more = visitor.start("motor/car", json!({"kind": "registered", "registration": "DL3CAB1237"})).await;
    assert_eq!(more.status, 429, "{}", more.text());
    server.stop().await;
}

/// Sentences of a page as they are without names and figures, each with how often it is there.
fn sentences(html: &str, names: &[&str]) -> HashMap<String, usize> {
    let main = super::between(html, "<main", "</main>");
    let mut text = String::new();
    let mut rest = main;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let (name, after) = tag.split_once('>').unwrap_or((tag, ""));
        if !["/strong", "strong", "/em", "em", "/a", "a "].iter().any(|inline| name.starts_with(inline)) {
            text.push('\n');
        }
        rest = after;
    }
    let mut masked = text.to_lowercase();
    names.iter().for_each(|name| masked = masked.replace(name, "x"));
    masked.retain(|letter| !letter.is_ascii_digit() && !",.₹".contains(letter) || letter == '.');
    let mut all = HashMap::new();
    for sentence in masked.split(['\n', '.', '?']).map(str::trim).filter(|sentence| !sentence.is_empty()) {
        *all.entry(sentence.to_owned()).or_default() += 1;
    }
    all
}

/// Letters of one page's sentences that the other one does not have, of a hundred.
fn differs(one: &HashMap<String, usize>, other: &HashMap<String, usize>) -> usize {
    let letters = |(sentence, times): (&String, usize)| sentence.chars().count() * times;
    let own = one
        .iter()
        .map(|(sentence, times)| (sentence, times.saturating_sub(other.get(sentence).copied().unwrap_or_default())));
    own.map(letters).sum::<usize>() * 100
        / one.iter().map(|(sentence, times)| letters((sentence, *times))).sum::<usize>()
}

/// pages-O40, pages-O38: a page of a model is more than its name, and an electric one burns nothing.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_models_differ_by_more_than_names_and_figures() {
    let server = product().await;
    let visitor = server.visitor();
    let splendor = visitor.get("/bike-insurance/hero/splendor-plus").await.text();
    let activa = visitor.get("/bike-insurance/honda/activa-6g").await.text();
    let splendor = sentences(&splendor, &["hero", "splendor plus", "splendor"]);
    let activa = sentences(&activa, &["honda", "activa 6g", "activa"]);
    let apart = (differs(&splendor, &activa), differs(&activa, &splendor));
    assert!(apart.0 > 70 && apart.1 > 70, "{apart:?} of a hundred");

    let electric = visitor.get("/car-insurance/tata/nexon-ev").await.text();
    let main = super::between(&electric, "<main", "</main>").to_lowercase();
    assert!(!main.contains("petrol") && !main.contains("diesel"), "{main}");
    server.stop().await;
}

/// pages-O41: who has a page already is told so until it changes.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_a_reader_has_is_not_sent_again() {
    let server = product().await;
    let asks = async |method: &str, known: &str| {
        let reader = server.visitor();
        reader.send(method, "/car-insurance/mumbai", &[("if-none-match", known)], None).await
    };
    let first = asks("GET", "\"none\"").await;
    let tag = first.header("etag").to_owned();
    assert_eq!((first.status, tag.len()), (200, 34), "{tag}");
    let head = asks("HEAD", "").await;
    assert_eq!((head.status, head.header("etag"), head.bytes.len()), (200, &*tag, 0));
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let again = asks("GET", &known).await;
        assert_eq!((again.status, again.header("etag"), again.bytes.len()), (304, &*tag, 0), "{known}");
        assert_eq!(again.header("cache-control"), first.header("cache-control"));
    }
    let personal = server.visitor();
    personal
        .start("leads/callback", json!({"name": "Asha Rao", "mobile": "9876543210", "consent": false}))
        .await
        .ok(201);
    assert_eq!(personal.get("/car-insurance/mumbai").await.header("etag"), "", "what is not everybody's has no mark");
    server.stop().await;
}

/// Errors of these definitions, as an author reads them.
fn refused(files: &Files) -> Vec<String> {
    load(files).problems.iter().filter(|problem| problem.is_error()).map(ToString::to_string).collect()
}

//! What the shipped motor data promises beyond stories: its lists are found as people type them, its pictures are there.

use engine_definitions::{Files, load};
use engine_runtime::story::{Outcome, Runner};
use journey_tests::server::TestServer;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

async fn shop() -> TestServer {
    TestServer::start(Files::read_dir(root()).expect("the definitions are there")).await
}

/// The first row that a search finds: R7.2-17, R7.3-06.
#[tokio::test(flavor = "multi_thread")]
async fn offices_and_insurers_are_found_as_people_type_them() {
    let server = shop().await;
    let visitor = server.visitor();
    for (list, typed, column, found) in [
        ("rto", "MH12", "rto", "MH-12"),
        ("rto", "mh-12", "rto", "MH-12"),
        ("rto", "DL3C", "rto", "DL-03"),
        ("rto", "DL-3", "rto", "DL-03"),
        ("rto", "DL-3-C", "rto", "DL-03"),
        ("rto", "Pune", "city", "Pune"),
        ("insurers", "Zuno", "slug", "edelweiss"),
        ("insurers", "Edelweiss", "slug", "edelweiss"),
        ("insurers", "Navi", "slug", "dhfl"),
    ] {
        let rows = visitor.get(&format!("/api/v1/master/{list}?q={typed}&limit=20")).await.ok(200);
        assert_eq!(rows["rows"][0][column], found, "{list} {typed}");
    }
    server.stop().await;
}

/// An event that the API names is taken at any step: R2.4-25.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_is_kept_by_the_event_save() {
    let server = shop().await;
    let visitor = server.visitor();
    let view = visitor.start("motor/car", json!({"kind": "unknown"})).await.ok(201);
    let saved = visitor.event(&view, "save", json!({"make": "maruti-suzuki"})).await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    server.stop().await;
}

/// R1-29: insurers stand by claims settled, highest first; those that are alike share a place.
#[tokio::test(flavor = "multi_thread")]
async fn insurers_are_ranked_by_claims_settled() {
    let server = shop().await;
    for line in ["car", "bike"] {
        let page = server.visitor().get(&format!("/{line}-insurance/companies")).await.text();
        let ratios =
            page.split(" of 100 claims settled").filter_map(|before| before.get(before.len() - 2..)?.parse().ok());
        let ratios: Vec<u32> = ratios.take(20).collect();
        assert_eq!(ratios.len(), 20, "{line}: {ratios:?}");
        assert!(ratios.is_sorted_by(|one, next| one >= next), "{line}: {ratios:?}");
        for placed in ["1. HDFC ERGO", "1. Bajaj Allianz", "5. ACKO"] {
            assert!(page.contains(placed), "{line}: {placed}");
        }
    }
    server.stop().await;
}

/// What a plan covers can be read before it is paid for: of every insurer and kind a page, and a paper of it.
#[tokio::test(flavor = "multi_thread")]
async fn sheets_and_wordings_are_pages_and_papers() {
    let server = shop().await;
    let visitor = server.visitor();
    for (page, words) in [
        ("/car-insurance/information/acko/comprehensive", ["ACKO", "₹2,000", "Driving without a licence"]),
        ("/bike-insurance/information/digit/third-party", ["Digit", "Up to ₹1 lakh", "Not covered"]),
        ("/car-insurance/wording/own-damage", ["Section I", "Your duties", "Sample wording"]),
    ] {
        assert_eq!(visitor.get(page).await.status, 200, "{page}");
        let paper = visitor.get(&format!("{page}.pdf")).await;
        assert_eq!((paper.status, paper.header("content-type")), (200, "application/pdf"), "{page}");
        let text = crate::partners::pdf::text_of(&paper.bytes);
        for word in words {
            assert!(text.contains(word), "{page} does not say `{word}`: {text}");
        }
    }
    for page in ["/car-insurance/information/nobody/comprehensive.pdf", "/car-insurance/companies/acko.pdf"] {
        assert_eq!(visitor.get(page).await.status, 404, "{page}");
    }
    server.stop().await;
}

/// R3-38: addresses of pictures lead to pictures.
#[test]
fn pictures_of_the_master_data_are_there() {
    let public = root().join("web/public");
    for list in ["car_makes", "bike_makes", "models", "variants"] {
        let text = std::fs::read_to_string(root().join(format!("workflows/master/{list}.csv"))).expect("the list");
        let urls: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
        assert!(urls.len() >= 10 && urls.iter().all(|url| url.starts_with('/')), "{list}: {urls:?}");
        let missing: Vec<_> = urls.iter().filter(|url| !public.join(url.trim_start_matches('/')).exists()).collect();
        assert_eq!(missing, Vec::<&&str>::new(), "{list}");
    }
}

/// R3-38: a variant has all that its card needs, in the order of popularity. R3-39: what is inactive is not offered, but
/// its code is still known.
#[tokio::test(flavor = "multi_thread")]
async fn lists_of_vehicles_are_whole() {
    let server = shop().await;
    let visitor = server.visitor();
    let rows = async |address: &str| visitor.get(&format!("/api/v1/master/{address}")).await.ok(200)["rows"].clone();
    let variants = rows("variants?model_id=maruti-suzuki-swift").await;
    let variants = variants.as_array().expect("rows");
    for key in [
        "make",
        "make_id",
        "model",
        "model_id",
        "version",
        "version_id",
        "cc",
        "fuel",
        "popularity",
        "logo_url",
        "image_url",
    ] {
        assert!(variants.iter().all(|row| !row[key].is_null()), "R3-38 {key}");
    }
    assert!(variants.is_sorted_by_key(|row| row["popularity"].as_i64()), "R3-38");
    let bodies = rows("body_types?vehicle=fw").await;
    let bodies = bodies.as_array().expect("rows");
    assert!(bodies.len() > 3 && bodies.iter().all(|row| row["status"] == "active"), "R3-39: {bodies:?}");
    assert_eq!(rows("body_types?key=pickup").await[0]["bodyType"], "Pickup");
    server.stop().await;
}

/// A story that goes on where this call was open, hears the error, and expects.
fn refused(call: &str, error: &str, expected: &Value) -> String {
    let error = json!({"code": error, "message": WORDS, "kind": "refused"});
    let after = json!({"story": "car-bought", "until": call});
    json!({"name": error["code"], "after": after, "steps": [{"reply": call, "error": error, "expect": expected}]})
        .to_string()
}

/// What an insurer says of a proposal.
const WORDS: &str = "So we do not take it";
const PAGES: [(&str, &str); 6] = [
    ("papers", "vehicle_details"),
    ("previous", "previous"),
    ("vehicle", "vehicle"),
    ("address", "address"),
    ("nominee", "nominee"),
    ("owner", "owner"),
];

/// The field is on the page, marked with the insurer's words.
fn marked(state: &str, field: &str) -> Value {
    let name = field.trim_start_matches('/');
    let messages = json!([{"pointer": field, "level": "error", "text": WORDS}]);
    json!({"state": state, "messages": messages, "view": {"form": {"schema": {"properties": {name: {}}}}}})
}

/// Before the payment: to the field; where there is none, to the offers, where the insurer's card says why.
fn before_payment(row: &Map<String, Value>) -> Value {
    let of = |column: &str| row[column].as_str().expect("a text");
    match of("area") {
        area @ ("insurer" | "price") => {
            let messages = json!([{"level": "error", "text": WORDS}, {"code": "proposal.other_insurer"}]);
            let refusal = json!({"area": area, "field": of("field"), "words": WORDS});
            let context = json!({"refusals": {"hdfc-ergo": refusal}, "refused_prices": i32::from(area == "price")});
            json!({"state": "quotes.collecting", "messages": messages, "context": context})
        }
        "kyc" => marked("purchase.kyc.asking", of("field")),
        area => {
            let (_, page) = PAGES.iter().find(|(of, _)| *of == area).expect("a page of this area");
            marked(page, of("field"))
        }
    }
}

/// After it: to the field, with a message; where there is none a person calls, and that is told too.
fn after_payment(row: &Map<String, Value>) -> Value {
    let (area, field) = (row["after_payment"].as_str().unwrap_or_default(), row["field"].as_str().unwrap_or_default());
    let (mut expected, told) = match area {
        "" => (json!({"state": "policy.promised"}), "policy-delayed"),
        "kyc" if field.is_empty() => (json!({"state": "policy.kyc.asking"}), "insurer-asks"),
        "kyc" => (marked("policy.kyc.asking", field), "insurer-asks"),
        _ => (marked("after_payment", field), "insurer-asks"),
    };
    expected["effects"] = json!([{"notify": told, "to": "9876543210"}]);
    expected
}

/// R8-13, R8-14, R8-15, R8-16, R8-17, R8-18, R8-19, R8-20, R8-21, R8-22, R8-23, R8-24, R8-25, R8-26
#[test]
fn every_refusal_of_an_insurer_leads_where_it_can_be_cured() {
    let mut files = Files::read_dir(root()).expect("the definitions are there");
    let shipped = load(&files).catalog.expect("a catalog");
    let flow = shipped.workflow("motor/car").expect("the flow");
    let errors = &flow.contracts().find(|contract| contract.id == "motor/proposal").expect("the contract").errors;
    for (number, code) in errors.codes().enumerate() {
        let row = errors.of(code, "");
        let after = refused("policy.issuing", code, &after_payment(&row));
        let before = refused("purchase.proposing", code, &before_payment(&row));
        for (when, story) in [("before", before), ("after", after)] {
            files.insert(format!("workflows/motor/car/stories/refused-{when}-{number}.yaml"), story.into_bytes());
        }
    }
    let loaded = load(&files);
    let catalog = loaded.catalog.unwrap_or_else(|| panic!("{:?}", loaded.problems));
    let mut runner = Runner::new(&catalog);
    let stories = catalog.workflow("motor/car").expect("the flow").stories();
    let stories: Vec<_> = stories.iter().filter(|story| story.id.starts_with("refused-")).collect();
    assert!(stories.len() > 100, "{}", stories.len());
    for story in stories {
        assert_eq!(runner.run(story), Outcome::Held, "{}: {}", story.id, story.name);
    }
}

//! What the shipped motor data promises beyond stories: its lists are found as people type them, its pictures are
//! there.

use crate::http::boot;
use crate::purchase::{Customer, block};
use crate::site::between;
use engine_definitions::{Files, load};
use engine_runtime::story::{Outcome, Runner};
use engine_store::EffectFilter;
use journey_tests::server::{TestServer, all_definitions};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn shipped() -> Files {
    all_definitions()
}

async fn shop() -> TestServer {
    TestServer::start(shipped()).await
}

/// A shop of these definitions, with partners that answer at once and codes for whoever asks.
async fn quick(files: Files) -> TestServer {
    TestServer::start_with(files, |settings| {
        settings.sandbox.delay_percent = 0;
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
        (settings.otp.proof_bits, settings.otp.resend_ms, settings.otp.per_hour) = (4, 0, 100);
    })
    .await
}

/// Changes words of a shipped file.
fn change(files: &mut Files, path: &str, from: &str, to: &str) {
    let text = String::from_utf8(files.get(path).expect("a file").to_vec()).expect("text");
    assert!(text.contains(from), "{path}: {from}");
    files.insert(path, text.replacen(from, to, 1).into_bytes());
}

/// Stories beside those of a flow, each of which must hold.
fn hold(mut files: Files, flow: &str, stories: &[Value]) {
    for (number, story) in stories.iter().enumerate() {
        files.insert(format!("workflows/{flow}/stories/tried-{number}.yaml"), story.to_string().into_bytes());
    }
    let loaded = load(&files);
    let catalog = loaded.catalog.unwrap_or_else(|| panic!("{:?}", loaded.problems));
    let mut runner = Runner::new(&catalog);
    let all = catalog.workflow(flow).expect("the flow").stories();
    let tried: Vec<_> = all.iter().filter(|story| story.id.starts_with("tried-")).collect();
    assert_eq!(tried.len(), stories.len());
    for story in tried {
        assert_eq!(runner.run(story), Outcome::Held, "{}: {}", story.id, story.name);
    }
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
        for placed in ["1. HDFC ERGO", "1. Bajaj General", "5. ACKO"] {
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

/// R3-38: a variant has all that its card needs, in the order of popularity. R3-39: what is inactive is not offered,
/// but its code is still known.
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
fn refused(call: &str, error: &str, expected: &Value) -> Value {
    let error = json!({"code": error, "message": WORDS, "kind": "refused"});
    let after = json!({"story": "car-bought", "until": call});
    let name = format!("{call}: {}", error["code"]);
    json!({"name": name, "after": after, "steps": [{"reply": call, "error": error, "expect": expected}]})
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
            let context =
                json!({"quotes": {"refusals": {"hdfc-ergo": refusal}, "refused_prices": i32::from(area == "price")}});
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
    let catalog = journey_tests::server::catalog();
    let flow = catalog.workflow("motor/car").expect("the flow");
    let errors = &flow.contracts().find(|contract| contract.id == "motor/proposal").expect("the contract").errors;
    let stories = errors.codes().flat_map(|code| {
        let row = errors.of(code, "");
        let before = refused("purchase.proposing", code, &before_payment(&row));
        [before, refused("policy.issuing", code, &after_payment(&row))]
    });
    let stories: Vec<Value> = stories.collect();
    assert!(stories.len() > 100, "{}", stories.len());
    hold(shipped(), "motor/car", &stories);
}

const SWIFT: [&str; 3] = ["maruti-suzuki", "maruti-suzuki-swift", "maruti-suzuki-swift-vxi"];
const ACTIVA: [&str; 3] = ["honda-bikes", "honda-bikes-activa-6g", "honda-bikes-activa-6g-standard"];

/// Which one it is, without its age.
fn vehicle([make, model, variant]: [&str; 3]) -> Map<String, Value> {
    let vehicle = json!({"make": make, "model": model, "fuel": "petrol", "variant": variant, "rto": "DL-03"});
    vehicle.as_object().cloned().expect("an object")
}

/// Who does not know the number says what is known of the vehicle and comes to the last policy; what follows there.
fn at_the_last_policy(name: &str, of: [&str; 3], age: &Value, then: &[Value]) -> Value {
    let mut known = vehicle(of);
    known.extend(age.as_object().cloned().unwrap_or_default());
    let lead = json!({"name": "Asha Rao", "mobile": "9876543210", "consent": true});
    let mut steps = vec![
        json!({"send": "submit", "data": {"kind": "unknown"}}),
        json!({"send": "submit", "data": known}),
        json!({"send": "submit", "data": lead}),
        json!({"otp": "correct", "expect": {"state": "previous"}}),
    ];
    steps.extend_from_slice(then);
    json!({"name": name, "at": "2026-11-21T10:00:00+05:30", "steps": steps})
}

/// R9-02: of a vehicle whose age nobody has said the bonus is 50 percent.
#[test]
fn without_an_age_the_bonus_is_the_highest() {
    let mut files = shipped();
    change(&mut files, "forms/motor/car/vehicle.json", "\"manufacturing_year\", \"rto\"]", "\"rto\"]");
    let of_age = |age: Value, ncb: i64| {
        let seen = json!({"expect": {"view": {"form": {"data": {"ncb": ncb}}}}});
        at_the_last_policy(&format!("a bonus of {ncb}"), SWIFT, &age, &[seen])
    };
    let stories = [
        of_age(json!({}), 50),
        of_age(json!({"manufacturing_year": 2026}), 0),
        of_age(json!({"manufacturing_year": 2023, "registered_on": "2023-12-01"}), 25),
    ];
    hold(files, "motor/car", &stories);
}

/// R9-04: whatever the days are, own damage alone is for the two years after the first of a car, and four of a bike.
#[test]
fn own_damage_alone_is_for_so_many_years() {
    for (flow, of, days, [last, first_over], ages) in [
        ("motor/car", SWIFT, "1000, 2,", ["2023-11-23", "2023-11-22"], [1094, 1095]),
        ("motor/bike", ACTIVA, "1700, 4,", ["2021-11-23", "2021-11-22"], [1824, 1825]),
    ] {
        let mut files = shipped();
        change(&mut files, "workflows/motor/tables/limits.yaml", days, &days.replacen(&days[..4], "9999", 1));
        let registered = |on: &str, age: i64, kinds: &[&str]| {
            let known = json!({"manufacturing_year": on[..4].parse::<i64>().expect("a year"), "registered_on": on});
            let third_party = json!({"owner_changed": false, "policy_type": "third_party", "active": true,
                "previous_policy_end_date": "2027-01-10"});
            let facts = json!({"context": {"facts": {"age_days": age, "plan_types": kinds}}});
            let sent = json!({"send": "submit", "change": third_party, "expect": facts});
            at_the_last_policy(on, of, &known, &[sent])
        };
        let stories = [
            registered(last, ages[0], &["comprehensive", "third_party", "own_damage"]),
            registered(first_over, ages[1], &["comprehensive", "third_party"]),
        ];
        hold(files, flow, &stories);
    }
}

/// R2.4-02, R2.4-03, R2.4-04, R2.4-06, R2.4-11, R2.4-12, R2.4-13: each asks for the number plate, and takes it without
/// scripts too.
#[tokio::test(flavor = "multi_thread")]
async fn every_further_address_begins_with_the_number_plate() {
    let server = shop().await;
    let visitor = server.visitor();
    let first = ["car-insurance", "car-insurance/quotes-page", "bike-insurance", "car-insurance/viewquotes"];
    let landings = ["lp", "lp-fusion", "sms-landing", "rc-landing", "buy-now"];
    let landings = landings
        .iter()
        .flat_map(|page| ["car", "bike", "commercial-vehicle"].map(|line| format!("{line}-insurance/{page}")))
        .chain(["bike-insurance/lead".to_owned()]);
    let mut headings = BTreeSet::new();
    for page in first.map(str::to_owned).into_iter().chain(landings) {
        let reply = visitor.get(&format!("/{page}")).await;
        assert_eq!(reply.status, 200, "{page}");
        let html = reply.text();
        assert!(html.contains("name=\"registration\"") && html.contains("See my prices"), "{page}");
        headings.insert(between(&html, "<h1", "</h1>").to_owned());
    }
    // Cars, bikes, and each landing page in words of its own.
    assert_eq!(headings.len(), 2 + 3 * 5 + 1, "{headings:?}");
    server.stop().await;
}

/// R3-35, R3-40, R3-42, R7.3-15
#[tokio::test(flavor = "multi_thread")]
async fn insurers_places_banks_and_ranges_are_read() {
    let server = quick(shipped()).await;
    let visitor = server.visitor();
    let rows = async |address: &str| {
        let found = visitor.get(&format!("/api/v1/master/{address}")).await.ok(200)["rows"].clone();
        let found = found.as_array().cloned().unwrap_or_default();
        assert!(!found.is_empty(), "{address}");
        found
    };
    let slugs = "hdfc-ergo reliance bharti-axa icici-lombard kotak royal-sundaram iffco-tokio tata-aig future-generali \
        bajaj-allianz universal-sompo digit l-and-t new-india sbi shriram raheja-qbe united-india national liberty \
        cholamandalam magma-hdi oriental star-health religare acko dhfl edelweiss";
    let insurers = rows("insurers?limit=200").await;
    let of_motor = slugs.split_whitespace().enumerate().map(|(at, slug)| ((at + 1).to_string(), slug));
    for (id, slug) in of_motor {
        let named: Vec<_> = insurers.iter().filter(|row| row["id"] == id.as_str()).map(|row| &row["slug"]).collect();
        assert_eq!(named, [slug], "R3-35 {id}");
    }
    for (list, keys) in [
        ("cities?limit=200", &["cityId", "cityName", "stateId", "citySlug"][..]),
        ("financers?limit=200", &["financerCode", "financerName"]),
    ] {
        for row in rows(list).await {
            assert!(
                keys.iter().all(|key| row[key].is_number() || row[key].as_str().is_some_and(|t| !t.is_empty())),
                "{row}"
            );
        }
    }
    for (makes, vehicle) in [("car_makes", "fw"), ("bike_makes", "tw")] {
        for make in rows(&format!("{makes}?limit=200")).await {
            let make = make["make_id"].as_str().expect("a make").to_owned();
            let model = rows(&format!("models?make_id={make}&limit=200")).await.remove(0);
            let id = model["model_id"].as_str().expect("a model");
            let variants = rows(&format!("variants?model_id={id}")).await;
            assert!(variants.iter().all(|row| row["make_id"] == make.as_str() && row["vehicle"] == vehicle), "{id}");
        }
        assert!(rows(&format!("body_types?vehicle={vehicle}")).await.iter().all(|row| row["bodyType"].is_string()));
    }
    server.stop().await;
}

const OUR_CARD: &str = "hdfc-ergo.comprehensive.basic";

/// Prices are asked for a new one.
async fn priced<'a>(server: &'a TestServer, flow: &str, mobile: &'static str, of: [&str; 3]) -> Customer<'a> {
    let browser = server.visitor();
    let view = browser.start(flow, json!({"kind": "new"})).await.ok(201);
    let step = |name: &str| flow.replacen("motor/", "", 1) + name;
    let mut asha = Customer { server, browser, mobile, view };
    asha.submits(Value::Object(vehicle(of)), &step(".contact.asking")).await;
    asha.submits(json!({"name": "Asha Rao", "mobile": mobile, "consent": true}), &step(".contact.otp.asking")).await;
    let code = asha.password().await;
    asha.submits(json!({"code": code}), &step(".quotes")).await;
    asha
}

/// Total and lines of our card with these add-ons, and what insurers were asked for.
async fn with_add_ons(asha: &mut Customer<'_>, add_ons: &[&str]) -> (i64, Vec<String>, String) {
    asha.offers().await;
    let mut cover = asha.view["step"]["form"]["data"].clone();
    cover["add_ons"] = json!(add_ons);
    let quotes = asha.view["step"]["id"].as_str().expect("a step").to_owned();
    asha.submits(cover, &quotes).await;
    let card = asha.offers().await.into_iter().find(|card| card["id"] == OUR_CARD).expect("our card");
    let lines = card["breakup"].as_array().into_iter().flatten().filter_map(|line| line["label"].as_str());
    let lines = lines.map(str::to_owned).collect();
    let state = asha.server.store().await.journey(&asha.id()).await.expect("a read").expect("a journey").state;
    (card["price"]["paise"].as_i64().expect("a price"), lines, state)
}

/// R3-27, R3-28, R3-29, R3-30, R3-31: an add-on is a flag of what insurers are asked, 0 until it is chosen; the price
/// changes with it. R9-38: three plans are compared. R2.4-04, R2.4-06: further addresses lead to these quotes.
#[tokio::test(flavor = "multi_thread")]
async fn a_chosen_add_on_is_asked_for_and_priced() {
    let server = quick(shipped()).await;
    let mut asha = priced(&server, "motor/car", "9812345671", SWIFT).await;
    let (plain, lines, asked) = with_add_ons(&mut asha, &[]).await;
    assert_eq!(block(&asha.view, "options")["compare_max"], 3, "R9-38");
    for page in ["quotes-page", "viewquotes", "car-quotes"] {
        let page = asha.browser.get(&format!("/car-insurance/{page}?request={}", asha.id())).await;
        assert_eq!((page.status, &boot(&page)["view"]["step"]["id"]), (200, &json!("car.quotes")));
    }
    for (row, key, flag, label) in [
        ("R3-27", "engineCover", "isEngineProtection", "Engine protection"),
        ("R3-28", "invoiceCover", "isInvoiceCover", "Return to invoice"),
        ("R3-29", "tyreSecure", "isTyreSecure", "Tyre secure"),
        ("R3-30", "keyReplacementCover", "isKeyReplacementCover", "Key replacement"),
        ("R3-31", "lossOfPersonalBelonging", "isLossOfPersonalBelonging", "Loss of personal belongings"),
    ] {
        assert!(asked.contains(&format!("\"{flag}\":0")) && !lines.iter().any(|line| line == label), "{row}");
        let (price, lines, asked) = with_add_ons(&mut asha, &[key]).await;
        assert!(asked.contains(&format!("\"{flag}\":1")), "{row}: {asked}");
        assert!(price > plain && lines.iter().any(|line| line == label), "{row}: {price}, {lines:?}");
    }
    server.stop().await;
}

/// R3-05: what was asked for is read back by who asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_lead_says_what_it_is_for() {
    let server = quick(shipped()).await;
    for (flow, mobile, of, category) in
        [("motor/car", "9812345672", SWIFT, "car"), ("motor/bike", "9812345673", ACTIVA, "bike")]
    {
        let asha = priced(&server, flow, mobile, of).await;
        crate::login::logs_in(&server, &asha.browser, mobile).await;
        let leads = asha.browser.get("/api/v1/account/records?kind=lead").await.ok(200)["data"]["records"].clone();
        assert_eq!((&leads[0]["leadform"], &leads[0]["vehicleCategory"]), (&json!("new"), &json!(category)), "{leads}");
    }
    server.stop().await;
}

/// R9-47: who never comes to a price is asked 20 times at most. R9-07: driving little is what insurer 12 alone insures.
#[tokio::test(flavor = "multi_thread")]
async fn a_price_that_never_comes_is_not_asked_for_without_end() {
    let mut files = shipped();
    let script = "workflows/partners/kits/general-insurer/quote.sandbox.yaml";
    let never = "\ncases:\n  - {when: \"partner.id == 'acko'\", status: 202, body: {}}\n";
    change(&mut files, script, "\ncases:\n", never);
    let server = quick(files).await;
    for (flow, mobile, of) in [("motor/car", "9812345674", SWIFT), ("motor/bike", "9812345675", ACTIVA)] {
        let asha = priced(&server, flow, mobile, of).await;
        let cards = async || {
            let view = asha.browser.view(&asha.id()).await;
            let cards = block(&view, "options")["items"].as_array().cloned().unwrap_or_default();
            (cards.len() > 20 && cards.iter().all(|card| card["state"] != "asked")).then_some(cards)
        };
        let cards = server.until_worked("the end of the comparison", cards).await;
        assert!(cards.iter().any(|card| card["id"] == "acko.failed"), "{cards:?}");
        let filter = EffectFilter { journey: Some(asha.id()), kind: Some("call".into()), ..EffectFilter::default() };
        let calls = server.store().await.effects(filter).await.expect("effects");
        let tries: Vec<i32> = calls.iter().filter(|one| one.payload["key"] == "acko").map(|one| one.attempts).collect();
        assert!(matches!(tries[..], [2..=20]), "{flow}: {tries:?}");
        let little = cards.iter().filter(|card| !card["limits"].as_array().is_none_or(Vec::is_empty));
        let little: Vec<_> = little.map(|card| &card["action"]["data"]["insurer"]).collect();
        assert_eq!(little, ["digit"], "R9-07 {flow}");
    }
    server.stop().await;
}

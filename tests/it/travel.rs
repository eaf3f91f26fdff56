//! Trips, pets and shops with the definitions that are shipped: what the insurers of the sandbox ask and refuse, to the
//! paisa, and each line as calls from the request to the advisor's reference.

use journey_tests::people::{confirms_by, password_in, sitting};
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

pub async fn product() -> TestServer {
    TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
        settings.limits.rate_burst = 10_000;
        settings.limits.write_rate_per_s = 0;
    })
    .await
}

/// What a fake insurer answers: the amounts of its lines with net, tax and total, or the code of its refusal.
pub async fn asks(visitor: &Visitor, line: &str, insurer: &str, request: &Value) -> Result<Vec<i64>, String> {
    let key = format!("sandbox-{insurer}_key");
    let path = format!("/sandbox/partners/{insurer}/v1/{line}/quotes");
    let reply = visitor.send("POST", &path, &[("x-api-key", &key)], Some(request.to_string())).await;
    let answer = reply.json();
    if reply.status == 422 {
        return Err(answer["error"]["code"].as_str().expect("a code").to_owned());
    }
    assert_eq!(reply.status, 200, "{request}: {answer}");
    let plan = &answer["plans"][0];
    let lines = plan["lines"].as_array().expect("lines").iter().map(|line| &line["amount"]);
    let all = lines.chain(["net", "gst", "total"].map(|name| &plan[name]));
    Ok(all.map(|amount| amount.as_i64().expect("paise")).collect())
}

fn with(base: &Value, change: Value) -> Value {
    let mut changed = base.clone();
    for (name, value) in change.as_object().expect("a map") {
        changed[name] = value.clone();
    }
    changed
}

fn people(born: &[&str]) -> Value {
    born.iter().map(|dob| json!({"memberId": dob, "dateOfBirth": dob, "knownIllness": false})).collect()
}

/// A family of three in France and Italy for twelve days.
pub fn trip() -> Value {
    json!({
        "product": "single", "countries": ["FR", "IT"], "from": "2026-12-10", "to": "2026-12-21", "maxTripDays": 0, "months": 0,
        "travellers": people(&["1985-01-01", "1987-01-01", "2017-01-01"]), "indianPassport": true, "inIndia": true,
        "sumUsd": 100_000, "plan": "gold", "adventure": false, "buyer": "individual",
    })
}

/// R1-10, leads-O14..19: the worked examples of trips, and every reason to refuse one, in the order in which they are
/// looked at.
#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_priced_to_the_paisa() {
    let server = product().await;
    let visitor = server.visitor();
    let tata = async |change: Value| asks(&visitor, "travel", "tata-aig", &with(&trip(), change)).await;
    let icici = async |change: Value| asks(&visitor, "travel", "icici-lombard", &with(&trip(), change)).await;
    let bajaj = async |change: Value| asks(&visitor, "travel", "bajaj-allianz", &with(&trip(), change)).await;
    assert_eq!(tata(json!({})).await, Ok(vec![156_465, 115_900, 115_900, -38_827, 349_438, 0, 349_400]));
    let ill = json!([{"memberId": "a", "dateOfBirth": "1958-01-01", "knownIllness": true}]);
    let usa = json!({"countries": ["US"], "to": "2027-03-04", "sumUsd": 50_000, "plan": "silver", "travellers": ill});
    assert_eq!(icici(usa).await, Ok(vec![1_526_018, 457_805, 1_983_823, 0, 1_983_800]));
    let student = json!({"product": "student", "months": 12, "countries": ["GB"], "to": "", "plan": "silver", "travellers": people(&["2004-01-01"])});
    assert_eq!(bajaj(student.clone()).await, Ok(vec![1_213_773, 1_213_773, 0, 1_213_800]));
    // a company pays GST of 18%
    assert_eq!(tata(json!({"buyer": "company"})).await.expect("a price")[4..], [349_438, 62_899, 412_300]);
    // two travellers, adventure on the amount with the illness: 76000 × 62 % = 47120 each, 47120 × 135 % = 63612
    let two = json!([{"memberId": "a", "dateOfBirth": "1985-01-01", "knownIllness": true}, {"memberId": "b", "dateOfBirth": "1990-01-01", "knownIllness": false}]);
    let asia = json!({"countries": ["TH"], "sumUsd": 50_000, "plan": "silver", "adventure": true, "travellers": two});
    let expected = vec![63_612, 47_120, 12_722, 11_450, 7_068, -7_099, 134_873, 0, 134_900];
    assert_eq!(tata(asia).await, Ok(expected));
    // many trips: 4200 × 118 %
    let annual = json!({"product": "annual", "maxTripDays": 45, "to": "", "countries": ["TH"], "sumUsd": 50_000, "plan": "silver", "travellers": people(&["1990-01-01"])});
    assert_eq!(tata(annual.clone()).await, Ok(vec![307_272, 307_272, 0, 307_300]));

    let no = |code: &str| Err::<Vec<i64>, String>(code.to_owned());
    assert_eq!(tata(json!({"countries": ["FR", "AF"], "inIndia": false})).await, no("country_not_covered"));
    assert_eq!(tata(json!({"inIndia": false, "travellers": people(&["2026-11-20"])})).await, no("already_abroad"));
    assert_eq!(bajaj(json!({"indianPassport": false, "travellers": people(&["2026-09-12"])})).await, no("too_young"));
    assert!(tata(json!({"travellers": people(&["2026-09-11"])})).await.is_ok(), "ninety days");
    assert_eq!(
        bajaj(json!({"indianPassport": false, "travellers": people(&["1955-01-01"])})).await,
        no("passport_not_taken")
    );
    assert_eq!(bajaj(json!({"travellers": people(&["1955-01-01"])})).await, no("too_old"));
    assert_eq!(tata(json!({"travellers": people(&["1940-01-01"]), "sumUsd": 25_000})).await, no("too_old"));
    assert_eq!(tata(json!({"countries": ["FR", "TH"], "sumUsd": 25_000})).await, no("sum_insured_too_low"));
    assert!(tata(json!({"countries": ["TH"], "sumUsd": 25_000})).await.is_ok());
    assert_eq!(tata(json!({"travellers": people(&["1955-01-01"])})).await, no("sum_insured_too_high"));
    assert!(tata(json!({"travellers": people(&["1955-01-01"]), "sumUsd": 50_000})).await.is_ok());
    assert!(icici(json!({"travellers": people(&["1955-01-01"]), "sumUsd": 50_000})).await.is_ok());
    assert_eq!(tata(json!({"to": "2027-06-08"})).await, no("trip_too_long"));
    assert!(tata(json!({"to": "2027-06-07"})).await.is_ok(), "180 days");
    let old = json!({"travellers": people(&["1955-01-01"]), "sumUsd": 50_000, "to": "2027-03-10"});
    assert_eq!(icici(old.clone()).await, no("trip_too_long"));
    assert!(tata(old).await.is_ok(), "the other insurer has no such rule");
    assert_eq!(tata(with(&student, json!({"travellers": people(&["1990-01-01"])}))).await, no("plan_not_for_trip"));
    assert_eq!(tata(with(&student, json!({"countries": ["TH"]}))).await, no("plan_not_for_trip"));
    assert_eq!(tata(with(&annual, json!({"countries": ["FR"]}))).await, no("plan_not_for_trip"));
    let ill = json!([{"memberId": "a", "dateOfBirth": "1965-01-01", "knownIllness": true}]);
    assert_eq!(bajaj(json!({"travellers": ill})).await, no("pre_existing_not_taken"));
    server.stop().await;
}

/// R1-11, leads-O20, leads-O21: the worked examples of pets, and every reason to refuse one.
#[tokio::test(flavor = "multi_thread")]
async fn a_pet_is_priced_to_the_paisa() {
    let server = product().await;
    let visitor = server.visitor();
    let labrador = json!({
        "breed": "labrador", "ageMonths": 30, "use": "companion", "vaccinated": true, "certified": false, "microchip": true,
        "marketValue": 3_500_000, "sumInsured": 6_000_000, "covers": ["mortality", "theft", "tpl"], "liability": 50_000_000,
        "pets": 1, "renewal": false,
    });
    let at = async |insurer: &str, change: Value| asks(&visitor, "pet", insurer, &with(&labrador, change)).await;
    let expected = vec![234_000, 63_000, 31_500, 25_000, -17_675, 335_825, 60_449, 396_300];
    assert_eq!(at("bajaj-allianz", json!({})).await, Ok(expected));
    let cat =
        json!({"breed": "persian", "ageMonths": 70, "sumInsured": 4_000_000, "covers": ["opd"], "microchip": false});
    assert_eq!(at("digit", cat.clone()).await, Ok(vec![170_560, 124_800, 295_360, 53_165, 348_500]));
    // who does not sell visits leaves them out
    assert_eq!(at("hdfc-ergo", cat.clone()).await, Ok(vec![183_680, 183_680, 33_062, 216_700]));
    // a restricted breed costs a quarter more, without liability; then the chip, then the second pet
    let rottweiler = json!({"breed": "rottweiler", "covers": ["tpl"], "pets": 2});
    let expected = vec![234_000, 58_500, -14_625, -13_894, 263_981, 47_517, 311_500];
    assert_eq!(at("bajaj-allianz", rottweiler.clone()).await, Ok(expected));

    let no = |code: &str| Err::<Vec<i64>, String>(code.to_owned());
    assert_eq!(at("bajaj-allianz", cat).await, no("species_not_taken"));
    assert_eq!(at("bajaj-allianz", json!({"vaccinated": false, "use": "guard"})).await, no("vaccination_required"));
    assert_eq!(at("digit", json!({"use": "guard", "breed": "rottweiler"})).await, no("use_not_taken"));
    assert_eq!(at("digit", rottweiler.clone()).await, no("breed_not_taken"));
    assert_eq!(at("hdfc-ergo", rottweiler).await, no("breed_not_taken"));
    assert_eq!(at("future-generali", json!({"ageMonths": 5})).await, no("too_young"));
    assert!(at("future-generali", json!({"ageMonths": 5, "renewal": true})).await.is_ok());
    assert_eq!(at("bajaj-allianz", json!({"ageMonths": 85})).await, no("too_old"));
    assert!(at("bajaj-allianz", json!({"ageMonths": 84})).await.is_ok());
    assert_eq!(at("bajaj-allianz", json!({"breed": "great_dane", "ageMonths": 49})).await, no("too_old"));
    assert!(at("hdfc-ergo", json!({"breed": "great_dane", "ageMonths": 49})).await.is_ok());
    assert_eq!(at("hdfc-ergo", json!({"breed": "great_dane", "ageMonths": 73, "renewal": true})).await, no("too_old"));
    server.stop().await;
}

/// R1-13, leads-O11..13: the worked examples of shops, and every reason to refuse one.
#[tokio::test(flavor = "multi_thread")]
async fn a_shop_is_priced_to_the_paisa() {
    let server = product().await;
    let visitor = server.visitor();
    let none = json!({
        "building": 0, "contents": 0, "stock": 0, "money_transit": 0, "money_safe": 0, "money_counter": 0, "glass": 0, "sign": 0,
        "electronics": 0, "fidelity": 0, "liability": 0,
    });
    let kirana = json!({
        "shopType": "kirana", "construction": "pucca", "floor": "ground", "buildingAge": 5, "state": "Maharashtra",
        "sums": with(&none, json!({"building": 150_000_000, "contents": 20_000_000, "stock": 80_000_000,
            "money_transit": 5_000_000, "glass": 4_000_000, "sign": 2_500_000})),
        "burglary": "first_loss_25", "protections": ["cctv", "extinguisher"], "accident": {"persons": 0, "lakh": 0}, "claims": "0",
    });
    let at = async |insurer: &str, change: Value| asks(&visitor, "shop", insurer, &with(&kirana, change)).await;
    let expected =
        vec![175_500, 162_000, -8_438, 46_750, -2_338, 12_750, 34_000, 17_000, -5_408, 431_816, 77_727, 509_500];
    assert_eq!(at("bajaj-allianz", json!({})).await, Ok(expected));
    let restaurant = json!({
        "shopType": "restaurant", "construction": "kutcha", "state": "Assam", "burglary": "full", "protections": [], "claims": "1",
        "sums": with(&none, json!({"contents": 35_000_000, "stock": 15_000_000, "liability": 50_000_000})),
    });
    let expected = vec![92_800, 46_400, 49_500, 27_500, 32_430, 248_630, 44_753, 293_400];
    assert_eq!(at("new-india", restaurant.clone()).await, Ok(expected));
    // so little that the least premium fills it up
    let stall = json!({"burglary": "none", "protections": [], "sums": with(&none, json!({"contents": 1_000_000}))});
    assert_eq!(at("bajaj-allianz", stall).await, Ok(vec![1_620, 48_380, 50_000, 9_000, 59_000]));

    let no = |code: &str| Err::<Vec<i64>, String>(code.to_owned());
    let sums = |change: Value| json!({"sums": with(&none, change)});
    for kind in ["fireworks", "chemicals", "fuel", "jewellery"] {
        assert_eq!(at("new-india", json!({"shopType": kind})).await, no("occupancy_not_taken"), "{kind}");
    }
    assert_eq!(at("new-india", sums(json!({"stock": 5_000_000_100_i64}))).await, no("above_5_crore"));
    assert!(at("new-india", sums(json!({"stock": 5_000_000_000_i64}))).await.is_ok());
    assert_eq!(at("icici-lombard", sums(json!({"stock": 1_000_000_100_i64}))).await, no("sum_insured_too_high"));
    assert!(at("bajaj-allianz", sums(json!({"stock": 1_000_000_100_i64}))).await.is_ok());
    assert_eq!(at("bajaj-allianz", sums(json!({"building": 150_000_000}))).await, no("contents_required"));
    assert_eq!(at("bajaj-allianz", restaurant.clone()).await, no("construction_not_taken"));
    assert_eq!(at("icici-lombard", restaurant).await, no("construction_not_taken"));
    assert_eq!(at("icici-lombard", json!({"claims": "2+"})).await, no("claims_history"));
    assert!(at("bajaj-allianz", json!({"claims": "2+"})).await.is_ok(), "with a price that the insurer decides on");
    assert_eq!(
        at("bajaj-allianz", sums(json!({"stock": 80_000_000, "money_counter": 5_000_100}))).await,
        no("counter_limit")
    );
    assert!(at("bajaj-allianz", sums(json!({"stock": 80_000_000, "money_counter": 5_000_000}))).await.is_ok());
    server.stop().await;
}

async fn post(visitor: &Visitor, path: &str, body: Value) -> (u16, Value) {
    let reply = visitor.send("POST", path, &[], Some(body.to_string())).await;
    (reply.status, reply.json())
}

/// The offers as soon as all have answered.
async fn offers(server: &TestServer, visitor: &Visitor, path: &str) -> Vec<Value> {
    server
        .until("the offers", async || {
            let reply = visitor.get(path).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
            let data = reply.json()["data"].clone();
            (data["complete"] == true).then(|| data["quotes"].as_array().expect("offers").clone())
        })
        .await
}

/// Confirms the number of a request; what the call says.
async fn confirms(server: &TestServer, visitor: &Visitor, line: &str, lead: &str) -> Value {
    let otp = server
        .until("the code", async || {
            let inbox = visitor.get("/sandbox/inbox.json?to=9876543210").await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await;
    let (status, told) =
        post(visitor, &format!("/api/v1/{line}/otp"), json!({"lead_id": lead, "action": "verify", "otp": otp})).await;
    assert_eq!((status, &told["data"]["verified"]), (200, &json!(true)), "{told}");
    told["data"].clone()
}

/// R7.3-23: a trip is asked for, priced, confirmed and chosen by calls.
#[tokio::test(flavor = "multi_thread")]
async fn a_trip_is_asked_for_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let day = |n: i64| {
        let at = chrono::DateTime::from_timestamp_millis(server.product.runtime.now_ms()).expect("a time");
        (at + chrono::Duration::days(n)).format("%Y-%m-%d").to_string()
    };
    let request = json!({
        "trip": "single", "countries": ["FR", "IT"], "startDate": day(14), "endDate": day(25), "purpose": "holiday", "inIndia": true,
        "travellers": [{"dob": "1985-01-01", "relation": "self"}, {"dob": "1987-01-01", "relation": "spouse"}],
        "indianPassport": true, "buyer": "individual",
    });
    let (status, told) = post(&visitor, "/api/v1/travel/lead", json!({})).await;
    assert_eq!((status, &told["status"]), (422, &json!("F")));
    let wrong: Vec<&Value> = told["errors"].as_array().expect("errors").iter().map(|error| &error["pointer"]).collect();
    assert!(wrong.contains(&&json!("/countries")) && wrong.contains(&&json!("/travellers")), "{wrong:?}");

    // the first prices need no number; what is in them does
    let (status, told) = post(&visitor, "/api/v1/travel/lead", request.clone()).await;
    assert_eq!((status, &told["data"]["status"]), (200, &json!("leadGenerated")), "{told}");
    let lead = told["data"]["leadId"].as_str().expect("an id").to_owned();
    let quotes = format!("/api/v1/travel/quotes?leadId={lead}");
    let first = offers(&server, &visitor, &quotes).await;
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|offer| offer["total"].as_i64() > Some(0) && offer["lines"] == json!([])), "{first:?}");
    assert_eq!(server.visitor().get(&quotes).await.status, 404, "it is nobody else's");
    let (status, _) =
        post(&visitor, "/api/v1/travel/select", json!({"leadId": lead, "quoteId": "tata-aig.silver"})).await;
    assert_eq!(status, 409);

    let contact = json!({"contact": {"name": "Asha Rao", "mobile": "9876543210"}});
    let path = format!("/api/v1/travel/lead/{lead}");
    let told = visitor.send("PUT", &path, &[], Some(contact.to_string())).await;
    assert_eq!(told.status, 200, "{}", told.text());
    assert_eq!(visitor.send("DELETE", &path, &[], None).await.status, 405);
    confirms(&server, &visitor, "travel", &lead).await;
    let full = offers(&server, &visitor, &format!("{quotes}&si=100000&plan=gold")).await;
    assert!(full.iter().all(|offer| offer["plan"] == "gold" && offer["covers"].as_array().is_some_and(|covers| covers.len() == 11)), "{full:?}");
    let low = offers(&server, &visitor, &format!("{quotes}&si=25000")).await;
    assert!(low.iter().all(|offer| offer["declined"]["code"] == "sum_insured_too_low"), "{low:?}");
    offers(&server, &visitor, &format!("{quotes}&si=100000")).await;
    let choice = json!({"leadId": lead, "quoteId": "tata-aig.gold", "contactTime": "evening"});
    let (status, told) = post(&visitor, "/api/v1/travel/select", choice).await;
    assert_eq!(status, 200, "{told}");
    assert!(told["data"]["reference"].as_str().is_some_and(|reference| reference.starts_with("TR-")), "{told}");
    assert_eq!(told["data"]["callBetween"].as_array().map(Vec::len), Some(2));
    let kept = server.store().await.records(&lead).await.expect("a read");
    let lead = kept.iter().find(|record| record.kind == "lead").expect("the lead");
    assert_eq!(
        (&lead.data["status"], &lead.data["insurer"], &lead.data["best_time"]),
        (&json!("planSelected"), &json!("tata-aig"), &json!("evening"))
    );
    server.stop().await;
}

/// R7.3-24: a pet is asked for and chosen by calls.
#[tokio::test(flavor = "multi_thread")]
async fn a_pet_is_asked_for_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let request = json!({
        "species": "dog", "breed": "labrador", "ageMonths": 30, "gender": "male", "neutered": true, "use": "companion",
        "vaccinated": true, "vetCertificate": false, "microchip": "985112345678903", "marketValue": 35_000, "pets": 1,
        "pincode": "560001", "renewal": false, "contact": {"name": "Asha Rao", "mobile": "9876543210"},
    });
    let (status, told) = post(&visitor, "/api/v1/pet/lead", request).await;
    assert_eq!(status, 200, "{told}");
    let lead = told["data"]["leadId"].as_str().expect("an id").to_owned();
    confirms(&server, &visitor, "pet", &lead).await;
    let quotes = format!("/api/v1/pet/quotes?leadId={lead}");
    let all =
        offers(&server, &visitor, &format!("{quotes}&si=60000&covers=mortality,theft,tpl&liability=500000")).await;
    let of = |slug: &str| all.iter().find(|offer| offer["quoteId"] == format!("{slug}.standard")).expect("an offer");
    assert_eq!(of("bajaj-allianz")["total"], 396_300);
    let named = |offer: &Value| (offer["insurer"].clone(), offer["waiting"].clone());
    assert_eq!(named(of("bajaj-allianz")), (json!("bajaj-allianz"), json!(30)));
    let (status, told) =
        post(&visitor, "/api/v1/pet/select", json!({"leadId": lead, "quoteId": "bajaj-allianz.standard"})).await;
    assert!(
        status == 200 && told["data"]["reference"].as_str().is_some_and(|reference| reference.starts_with("PE-")),
        "{told}"
    );
    server.stop().await;
}

/// R7.3-26: a shop sees its offers without a number, which is asked for when one of them is taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_shop_is_asked_for_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let request = json!({
        "shopType": "kirana", "pincode": "411001", "construction": "pucca", "floor": "ground", "buildingAge": 5, "owner": true,
        "package": "standard", "protections": ["extinguisher", "cctv"], "claims3y": "0", "building": 1_500_000, "contents": 200_000,
        "stock": 800_000, "burglary": "first_loss_25", "moneyTransit": 50_000, "glass": 40_000, "sign": 25_000,
    });
    let (status, told) = post(&visitor, "/api/v1/shop/lead", request).await;
    assert_eq!(status, 200, "{told}");
    let lead = told["data"]["leadId"].as_str().expect("an id").to_owned();
    let all = offers(&server, &visitor, &format!("/api/v1/shop/quotes?leadId={lead}")).await;
    let of = |slug: &str| all.iter().find(|offer| offer["quoteId"] == format!("{slug}.package")).expect("an offer");
    assert_eq!(of("bajaj-allianz")["total"], 509_500);
    let choice = json!({"leadId": lead, "quoteId": "bajaj-allianz.package", "contact": {"name": "Asha Rao", "mobile": "9876543210"}});
    let (status, told) = post(&visitor, "/api/v1/shop/select", choice).await;
    assert_eq!((status, &told["data"]["otpNeeded"]), (200, &json!(true)), "{told}");
    let told = confirms(&server, &visitor, "shop", &lead).await;
    assert!(told["reference"].as_str().is_some_and(|reference| reference.starts_with("SH-")), "{told}");
    server.stop().await;
}

/// R2.6-08, R2.10-07: the pages of these lines, with the first questions where a price begins. R2.2-09: pages for
/// several shops have no footer.
#[tokio::test(flavor = "multi_thread")]
async fn the_pages_are_there() {
    let server = product().await;
    let visitor = server.visitor();
    for (path, part) in [
        ("/travel-insurance", "Where are you going?"),
        ("/travel-insurance/quotes", "Where are you going?"),
        ("/travel-insurance/checkout", "Where are you going?"),
        ("/travel-insurance/france", "Yes, of at least EUR 30,000"),
        ("/travel-insurance/thailand", "Travel insurance for Thailand"),
        ("/pet-insurance", "Which pet do you want to insure?"),
        ("/pet-insurance/quotes", "Which pet do you want to insure?"),
        ("/pet-insurance/breeds", "Siberian Husky"),
        ("/pet-insurance/rottweiler", "Insurers are careful with this breed"),
        ("/shop-insurance", "What kind of shop is it?"),
        ("/group-shop", "How many shops?"),
    ] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains(part), "{path}: {} without {part}", page.status);
    }
    assert_eq!(visitor.get("/travel-insurance/afghanistan").await.status, 404, "nobody insures a trip there");
    assert!(visitor.get("/group-shop").await.text().contains("data-hide=\"chat footer\""));
    server.stop().await;
}

/// An agent begins for a customer: says where the customer comes from, sees points beside the offers and never enters
/// the code; the record names who it was.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_asks_for_a_customer() {
    let server = product().await;
    let agent = sitting(&server, "app-agent", 8).await;
    let trip = json!({"trip": "annual", "countries": [{"country": "TH"}], "start_on": "2026-12-10", "max_days": 30, "purpose": "holiday", "in_india": true});
    let view = agent.start("travel/trip", trip).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("an id").to_owned();
    let travellers = json!({"travellers": [{"relation": "self", "dob": "1990-01-01", "has_illness": false}], "indian_passport": true, "buyer": "individual"});
    agent.event(&view, "submit", travellers).await.ok(200);
    let at = async |step: &str| {
        server
            .until(step, async || {
                let view = agent.view(&id).await;
                (view["step"]["id"] == step).then_some(view)
            })
            .await
    };
    server
        .until("the way on", async || {
            let view = at("trip.prices").await;
            (agent.event(&view, "go_on", json!({})).await.status == 200).then_some(())
        })
        .await;
    let view = at("trip.contact.asking").await;
    assert!(view["step"]["form"]["schema"]["properties"]["lead_source"].is_object(), "{view}");
    let contact = json!({"name": "Asha Rao", "mobile": "9876543210", "lead_source": "Walk-in", "language": "hi", "best_time": "evening"});
    agent.event(&view, "submit", contact).await.ok(200);
    at("trip.contact.otp.inviting").await;
    confirms_by(&server, "9876543210", &id).await;
    let view = server
        .until("all offers", async || {
            let view = at("trip.quotes").await;
            (view.to_string().matches("commissionPoints").count() == 3).then_some(view)
        })
        .await;
    let chosen = agent.event(&view, "select", json!({"insurer": "tata-aig", "plan": "silver"})).await.ok(200);
    let told = at("trip.advisor.told").await;
    assert!(told.to_string().contains("*****43210"), "{chosen}");
    let kept = server.store().await.records(&id).await.expect("a read");
    let lead = &kept.iter().find(|record| record.kind == "lead").expect("the lead").data;
    assert_eq!(
        (&lead["lead_source"], &lead["language"], &lead["best_time"]),
        (&json!("Walk-in"), &json!("hi"), &json!("evening")),
        "{lead}"
    );
    assert!(lead["agent"]["id"].as_str().is_some_and(|agent| !agent.is_empty()), "{lead}");
    server.stop().await;
}

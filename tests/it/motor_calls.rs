//! Car and bike are asked by calls alone: request, one-time password, prices, choice, proposal. The figures are those
//! of the public tariff, typed in here again.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use journey_tests::buyer::{Buyer, Errand};
use journey_tests::people::{follows, hands_in, messages, password_in};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A shop with partners that answer at once.
async fn shop() -> TestServer {
    TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
        (settings.otp.resend_ms, settings.otp.per_hour) = (0, 100);
    })
    .await
}

async fn post(visitor: &Visitor, path: &str, body: Value) -> Reply {
    visitor.send("POST", path, &[], Some(body.to_string())).await
}

/// `data` of a good answer.
async fn asked(visitor: &Visitor, path: &str, body: Value) -> Value {
    let answer = post(visitor, path, body).await.ok(200);
    assert_eq!((&answer["statusCode"], &answer["status"]), (&json!(200), &json!("T")), "{path}");
    answer["data"].clone()
}

/// Code and pointer of the first refusal.
fn refusal(reply: &Reply, status: u16) -> [String; 2] {
    let body = reply.ok(status);
    assert_eq!((&body["statusCode"], &body["status"]), (&json!(status), &json!("F")));
    ["code", "pointer"].map(|key| body["errors"][0][key].as_str().expect("a text").to_owned())
}

async fn code(server: &TestServer, visitor: &Visitor, mobile: &str) -> String {
    let path = format!("/sandbox/inbox.json?to={mobile}");
    server
        .until("the one-time password", async || {
            let inbox = visitor.get(&path).await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await
}

fn paise(of: &Value) -> i64 {
    of.as_i64().expect("an amount")
}

/// Share of an amount, to the nearest paisa, halves up.
fn share(amount: i64, thousandths_of_a_percent: i64) -> i64 {
    (amount * thousandths_of_a_percent * 2 + 100_000) / 200_000
}

/// Every line of an offer follows from the tariff: own damage of the insured value, third party as the law sets it, tax
/// on the sum, the total in whole rupees.
fn holds(offer: &Value, own_damage_rate: i64, third_party: i64) {
    let premium = &offer["premium"];
    let [od, tp, add_ons, discounts, net, rounding, total] =
        ["od", "tp", "addOns", "discounts", "net", "rounding", "total"].map(|key| paise(&premium[key]));
    assert_eq!(tp, third_party, "{offer}");
    if offer["planType"] == "comprehensive" {
        assert_eq!(od, share(paise(&offer["idv"]), own_damage_rate), "{offer}");
    }
    assert_eq!(net, od + tp + add_ons - discounts, "{offer}");
    let gst = paise(&premium["gst"][0]["amount"]);
    assert_eq!((&premium["gst"][0]["rate"], gst), (&json!(18), share(net, 18_000)), "{offer}");
    assert_eq!((net + gst + rounding, total % 100), (total, 0), "{offer}");
    let covers: i64 = offer["covers"].as_array().expect("covers").iter().map(|cover| paise(&cover["paise"])).sum();
    assert_eq!(covers, add_ons, "{offer}");
}

struct Line {
    category: &'static str,
    family: &'static str,
    id: i64,
    type_code: &'static str,
    make: &'static str,
    model: &'static str,
    mobile: &'static str,
    own_damage_rate: i64,
    third_party: i64,
}

const CAR: Line = Line {
    category: "car",
    family: "fw",
    id: 1,
    type_code: "fw",
    make: "maruti-suzuki",
    model: "maruti-suzuki-swift",
    mobile: "9812345671",
    own_damage_rate: 3_283,
    third_party: 341_600,
};

const BIKE: Line = Line {
    category: "bike",
    family: "tw",
    id: 2,
    type_code: "tw",
    make: "hero",
    model: "hero-splendor-plus",
    mobile: "9812345672",
    own_damage_rate: 1_708,
    third_party: 71_400,
};

impl Line {
    async fn lead(&self, visitor: &Visitor) -> Value {
        let rows = visitor.get(&format!("/api/v1/master/variants?model_id={}", self.model)).await.ok(200);
        let variant = rows["rows"].as_array().expect("rows").iter().find(|row| row["fuel"] == "petrol");
        let variant = variant.expect("a petrol one")["version_id"].clone();
        json!({
            "leadform": "renew", "vehicleCategory": self.category, "name": "Asha Rao", "mobile": self.mobile,
            "source": "B2C", "subSource": "calculator",
            "vehicle": {"make": self.make, "model": self.model, "fuel": "petrol", "variant": variant, "rto": "MH-12",
                "registrationDate": "2022-03-15", "manufacturingYear": 2022},
            "previousPolicy": {"type": "comprehensive", "insurerId": 4, "endDate": "2026-12-10", "claim": false, "ncb": 25},
        })
    }
}

/// R7.3-02, R7.3-03, R7.3-08, R3-05, R3-18, R3-20, R3-21, R3-22, R3-23, R4-22
async fn is_asked(line: &Line) {
    let server = shop().await;
    let visitor = server.visitor();
    let missing = post(&visitor, "/api/v1/lead", json!({})).await.ok(422);
    let pointers: Vec<&Value> = missing["errors"].as_array().expect("errors").iter().map(|e| &e["pointer"]).collect();
    assert_eq!(pointers, [&json!("/leadform"), &json!("/vehicleCategory")], "R7.3-34");
    let mut lead = line.lead(&visitor).await;
    lead["leadform"] = json!("used-up");
    assert_eq!(refusal(&post(&visitor, "/api/v1/lead", lead.clone()).await, 422)[1], "/leadform");
    lead["leadform"] = json!("renew");
    let begun = asked(&visitor, "/api/v1/lead", lead.clone()).await;
    let id = begun["leadId"].as_str().expect("an id").to_owned();
    assert_eq!((&begun["requestId"], &begun["state"]), (&json!(id), &json!("contact.otp.asking")));

    // Values are the same, created, read by id and read in detail.
    let told = asked(&visitor, "/api/v1/lead/get-details", json!({"leadId": id})).await;
    assert_eq!(visitor.get(&format!("/api/v1/lead/{id}")).await.ok(200)["data"], told);
    assert_eq!(told["vehicle"]["variant"], lead["vehicle"]["variant"]);
    let keys = [
        "leadform",
        "vehicleCategory",
        "categoryId",
        "typeCode",
        "registration_date",
        "pyp_end_date",
        "ncbValue",
        "journeyType",
    ];
    let expected = json!(["renew", line.category, line.id, line.type_code, "2022-03-15", "2026-12-10", 25, 0]);
    assert_eq!(json!(keys.map(|key| told[key].clone())), expected);

    // Nobody else's, and no prices before the number is shown.
    let quotes = format!("/api/v1/{}/getAsyncQuotes?leadId={id}", line.family);
    let stranger = server.visitor();
    asked(&stranger, "/api/v1/lead", json!({"leadform": "new", "vehicleCategory": line.category, "isNew": true})).await;
    for visitor in [&stranger, &server.visitor()] {
        assert_eq!(refusal(&visitor.get(&quotes).await, 404)[0], "not_found");
        assert_eq!(post(visitor, "/api/v1/lead/get-details", json!({"leadId": id})).await.status, 404);
    }
    assert_eq!(refusal(&visitor.get(&quotes).await, 409)[0], "otp.needed");
    let wrong = post(&visitor, "/api/v1/motor/otp", json!({"lead_id": id, "action": "verify", "otp": "000000"})).await;
    assert_eq!(refusal(&wrong, 422), ["otp.wrong", "/otp"]);
    let otp = code(&server, &visitor, line.mobile).await;
    let verified = asked(&visitor, "/api/v1/motor/otp", json!({"lead_id": id, "action": "verify", "otp": otp})).await;
    assert_eq!((&verified["verified"], &verified["state"]), (&json!(true), &json!("quotes")));
    let told = asked(&visitor, "/api/v1/lead/get-details", json!({"leadId": id})).await;
    assert_eq!((&told["leadType"], &told["ncbValue"]), (&json!("Rollover"), &json!(35)), "R3-22");
    // Of somebody who is signed in nothing is missing any more.
    let again = asked(&visitor, "/api/v1/lead", lead.clone()).await;
    assert_eq!(again["state"], "quotes", "{again}");

    let offers = server
        .until_worked("prices", async || {
            let answer = visitor.get(&quotes).await.ok(200)["data"].clone();
            (answer["complete"] == true).then_some(answer)
        })
        .await;
    assert_eq!((&offers["status"], &offers["waitMs"]), (&json!("done"), &json!(0)));
    let (good, declined): (Vec<&Value>, Vec<&Value>) =
        offers["quotes"].as_array().expect("quotes").iter().partition(|quote| quote["declined"].is_null());
    assert!(good.len() > 10, "{}", good.len());
    assert!(declined.iter().all(|quote| quote["declined"]["code"].is_string() && quote["insurerName"].is_string()));
    good.iter().for_each(|offer| holds(offer, line.own_damage_rate, line.third_party));
    // R3-18: what the insurers say is usual is the value of the request now, in whole rupees.
    let told = asked(&visitor, "/api/v1/lead/get-details", json!({"leadId": id})).await;
    let usual = paise(&told["idv"]) * 100;
    let [least, most] = ["idvMin", "idvMax"]
        .map(|key: &'static str| good.iter().map(move |offer| paise(&offer[key])).filter(|idv| *idv > 0));
    assert!(least.min() <= Some(usual) && Some(usual) <= most.max(), "{told}");

    // Another kind of cover has another price; what is none is refused.
    let insurer = good[0]["insurerId"].clone();
    let single = format!("/api/v1/{}/getSingleQuote", line.family);
    let third = asked(&visitor, &single, json!({"leadId": id, "insurerId": insurer, "planType": "third_party"})).await;
    let third = third["quotes"].as_array().expect("quotes").clone();
    assert!(!third.is_empty() && third.iter().all(|quote| quote["planType"] == "third_party"), "R3-21 {third:?}");
    third.iter().for_each(|offer| holds(offer, line.own_damage_rate, line.third_party));
    let none = post(&visitor, &single, json!({"leadId": id, "insurerId": insurer, "planType": "all"})).await;
    assert_eq!(refusal(&none, 422)[1], "/planType", "R3-21");
    asked(&visitor, &single, json!({"leadId": id, "insurerId": insurer, "planType": "comprehensive"})).await;
    let by_type = format!("/api/v1/{}/getQuotesBasedOnCustomerType", line.family);
    let firm = asked(&visitor, &by_type, json!({"leadId": id, "customerType": "company"})).await;
    let no_owner =
        |quote: &Value| quote["covers"].as_array().is_none_or(|all| all.iter().all(|c| c["key"] != "ownerDriverCover"));
    assert!(firm["quotes"].as_array().expect("quotes").iter().all(no_owner));
    asked(&visitor, &by_type, json!({"leadId": id, "customerType": "individual"})).await;

    // A call that says one thing alone changes that.
    asked(&visitor, "/api/v1/lead-update", json!({"leadId": id, "name": "Asha Rao"})).await;

    // A claim costs the bonus, wherever the customer is by now.
    let claim = json!({"leadId": id, "previousPolicy": {"type": "comprehensive", "insurerId": 4, "endDate": "2026-12-10", "claim": true}});
    let changed = asked(&visitor, "/api/v1/lead-update", claim).await;
    assert_eq!((&changed["ncbValue"], &changed["state"]), (&json!(0), &json!("quotes")));

    // The choice is one of these, while it holds.
    let push = format!("/api/v1/{}/pushSelectedQuotes", line.family);
    let gone = post(&visitor, &push, json!({"leadId": id, "quoteIds": ["nobody.basic.comprehensive"]})).await;
    assert_eq!(refusal(&gone, 409), ["QUOTE_DETAIL_INVALID", "/quoteIds"]);
    let offer = server
        .until_worked("a price", async || {
            let answer = visitor.get(&quotes).await.ok(200)["data"]["quotes"].clone();
            let is_it = |quote: &&Value| quote["insurer"] == "hdfc-ergo" && quote["declined"].is_null();
            answer.as_array().expect("quotes").iter().find(is_it).cloned()
        })
        .await;
    let chosen = asked(&visitor, &push, json!({"leadId": id, "quoteIds": [offer["quoteId"]]})).await;
    assert_eq!((&chosen["chosen"]["total"], &chosen["state"]), (&offer["premium"]["total"], &json!("owner")));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_car_is_asked_by_calls_alone() {
    is_asked(&CAR).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_is_asked_by_calls_alone() {
    is_asked(&BIKE).await;
}

/// R7.3-04, R3-24, R9-53: a proposal is saved in one go or in parts, in each version; handed in twice it is one.
#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_handed_in_by_calls_alone() {
    let server = shop().await;
    for (version, mobile) in [("", "9812345673"), ("secure/v4/", "9812345674")] {
        let visitor = server.visitor();
        let mut lead = CAR.lead(&visitor).await;
        lead["mobile"] = json!(mobile);
        let id = asked(&visitor, "/api/v1/lead", lead).await["leadId"].clone();
        let proposal = format!("/api/v1/{version}proposal");
        assert_eq!(refusal(&post(&visitor, &proposal, json!({"leadId": id})).await, 409)[0], "otp.needed");
        let otp = code(&server, &visitor, mobile).await;
        asked(&visitor, "/api/v1/motor/verifyOtp", json!({"leadId": id, "otp": otp})).await;
        let submit = format!("/api/v1/{version}proposal/submit");
        assert_eq!(refusal(&post(&visitor, &submit, json!({"proposalId": id})).await, 409)[0], "proposal.incomplete");
        let quotes = format!("/api/v1/fw/getAsyncQuotes?leadId={}", id.as_str().expect("an id"));
        let offer = server
            .until_worked("a price", async || {
                let answer = visitor.get(&quotes).await.ok(200)["data"]["quotes"].clone();
                let is_it = |quote: &&Value| quote["insurer"] == "hdfc-ergo" && quote["declined"].is_null();
                answer.as_array().expect("quotes").iter().find(is_it).cloned()
            })
            .await;
        // What is missing is named by its place in the call, all at once.
        let part = json!({"leadId": id, "quoteId": offer["quoteId"], "owner": {"customerType": "individual", "firstName": "Asha"}});
        let wrong = post(&visitor, &proposal, part).await.ok(422);
        let pointers: Vec<&str> =
            wrong["errors"].as_array().expect("errors").iter().filter_map(|error| error["pointer"].as_str()).collect();
        assert_eq!(pointers, ["/owner/title", "/owner/gender", "/owner/dob", "/owner/email"]);
        let saved = asked(&visitor, &proposal, json!({"leadId": id,
            "owner": {"customerType": "individual", "title": "Ms", "firstName": "Asha", "lastName": "Rao", "gender": "female",
                "dob": "1990-04-12", "mobile": mobile, "email": "asha@example.com"},
            "address": {"pincode": "411001", "line1": "12 Lake View"}}))
        .await;
        assert_eq!((&saved["missing"], &saved["customerType"]), (&json!(["nominee", "vehicle"]), &json!("I")));
        assert!(saved["email"].as_str().is_some_and(|email| email != "asha@example.com"), "{saved}");
        let saved = asked(&visitor, &proposal, json!({"leadId": id, "nominee": {"name": "Ravi Rao", "age": 40, "relation": "spouse"},
            "vehicle": {"registrationNumber": "MH-12-AB-1234", "engineNumber": "K12MN1234567", "chassisNumber": "MA3EWDE1S00123456"},
            "previousPolicy": {"policyNumber": "P12345678"}, "consent": true}))
        .await;
        assert_eq!((&saved["missing"], &saved["state"]), (&json!([]), &json!("purchase.kyc.asking")));
        let identity = json!({"proposalId": id, "document": "pan_card", "pan_number": "ABCPA1234F", "occupation": "salaried",
            "income_source": "salary", "is_politically_exposed_person": false, "kyc_consent": true});
        assert_eq!(asked(&visitor, "/api/v1/proposal/kyc", identity).await["verified"], true);
        let first = asked(&visitor, &submit, json!({"proposalId": id})).await;
        assert_eq!((&first["status"], &first["total"]), (&json!("submitted"), &offer["premium"]["total"]));
        assert_eq!(asked(&visitor, &submit, json!({"proposalId": id})).await, first, "R9-53");
        let stranger = server.visitor();
        asked(&stranger, "/api/v1/lead", json!({"leadform": "new", "vehicleCategory": "car", "isNew": true})).await;
        assert_eq!(post(&stranger, &submit, json!({"proposalId": id})).await.status, 404);
    }
    server.stop().await;
}

/// The code of a message that has not been read yet.
async fn another_code(server: &TestServer, visitor: &Visitor, seen: &mut BTreeSet<String>) -> String {
    let code = server
        .until("another code", async || {
            let inbox = visitor.get("/sandbox/inbox.json?to=9876543210").await.ok(200);
            let texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
            texts.filter_map(password_in).map(str::to_owned).find(|code| !seen.contains(code))
        })
        .await;
    seen.insert(code.clone());
    code
}

/// R7.3-07, R7.3-08, motor-O19, motor-O21: nothing is said of a policy before its number is confirmed, and of somebody
/// else's as little as of none.
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_found_again_by_its_owner_alone() {
    let server = shop().await;
    let visitor = server.visitor();
    let lead = "/api/v1/get-renewal-lead";
    let of = |policy: &str, mobile: &str| json!({"policyNumber": policy, "mobile": mobile});
    let none = post(&visitor, lead, of("DEMO-CAR-999", "9876543210")).await;
    let others = post(&visitor, lead, of("DEMO-CAR-001", "9812345670")).await;
    assert_eq!(refusal(&none, 404), ["renewal.not_found", "/policyNumber"]);
    assert_eq!(others.ok(404), none.ok(404));
    let down = post(&visitor, lead, of("DEMO-CAR-007", "9876543210")).await;
    assert_eq!(refusal(&down, 409)[0], "renewal.unavailable");

    let hindi = post(&visitor, "/api/v1/get-renewal-lead?lang=hi", of("DEMO-CAR-999", "9876543210")).await.ok(404);
    assert!(hindi.to_string().contains("पॉलिसी"), "the language of the address: {hindi}");

    let otp = json!({"otp": "123456"});
    for (call, body) in [
        ("send-otp", json!({})),
        ("motor/generateOtp", json!({})),
        ("lead-otp-expiry", json!({})),
        ("motor/verifyOtp", otp),
    ] {
        let nothing = post(&server.visitor(), &format!("/api/v1/{call}"), body).await;
        assert_eq!(nothing.ok(422)["errors"][0]["pointer"], "/leadId", "{call}: a request or a renewal is named");
    }
    let mut seen = BTreeSet::new();
    for (call, body, policy) in [
        (lead, of("demo-car-001", "9876543210"), "DEMO-CAR-001"),
        (
            "/api/v1/get-renewal-lead-by-regnum",
            json!({"registrationNumber": "dl3sab1234", "mobile": "9876543210"}),
            "DEMO-BIKE-001",
        ),
    ] {
        let visitor = server.visitor();
        let begun = asked(&visitor, call, body).await;
        let keys: Vec<&String> = begun.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["renewalLeadId", "otpTo", "canUseThisMobile", "resendIn"]);
        assert_eq!(begun["otpTo"], "*****43210");
        let id = begun["renewalLeadId"].clone();
        let good = asked(&visitor, "/api/v1/lead-otp-expiry", json!({"renewalLeadId": id})).await;
        assert_eq!((&good["secondsLeft"], &good["triesLeft"]), (&json!(300), &json!(5)));
        assert_eq!(post(&server.visitor(), "/api/v1/lead-otp-expiry", json!({"renewalLeadId": id})).await.status, 404);
        // A code that has run out is refused, and is no try.
        let old = another_code(&server, &visitor, &mut seen).await;
        server.clock.advance(301_000);
        let late = post(&visitor, "/api/v1/motor/verifyOtp", json!({"renewalLeadId": id, "otp": old})).await;
        assert_eq!(refusal(&late, 410), ["OTP_EXPIRED", "/otp"]);
        asked(&visitor, "/api/v1/motor/generateOtp", json!({"renewalLeadId": id})).await;
        let new = another_code(&server, &visitor, &mut seen).await;
        let told = asked(&visitor, "/api/v1/motor/verifyOtp", json!({"renewalLeadId": id, "otp": new})).await;
        let lead = &told["lead"];
        assert_eq!(
            (&told["verified"], &lead["policyNumber"], &lead["leadform"]),
            (&json!(true), &json!(policy), &json!("renew"))
        );
        assert_eq!(lead["renewal"]["window"], "open");
    }
    server.stop().await;
}

/// R1-04, R9-11, R3-20, R3-23, motor-O06: a truck by calls of the family `cv`; the line of third party has a GST of its
/// own, and damage alone is not sold for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_commercial_vehicle_is_asked_by_calls_alone() {
    let server = shop().await;
    let visitor = server.visitor();
    for old in ["/cv-insurance", "/commercial-vehicle"] {
        let moved = visitor.get(old).await;
        assert_eq!((moved.status, moved.header("location")), (301, "/commercial-vehicle-insurance"), "{old}");
    }
    let page = visitor.get("/commercial-vehicle-insurance").await;
    assert!(
        page.status == 200 && page.text().contains("data-product=\"commercial\" data-category=\"8\""),
        "{}",
        page.status
    );
    let lead = json!({
        "leadform": "renew", "vehicleCategory": "commercial", "name": "Asha Rao", "mobile": "9812345678",
        "vehicle": {"make": "ashok-leyland-trade", "model": "ashok-leyland-trade-1920", "fuel": "diesel",
            "variant": "ashok-leyland-trade-1920-haulage", "rto": "GJ-06", "registrationDate": "2022-03-15",
            "manufacturingYear": 2022, "cvClass": "gcv4", "gvw": 18_500},
        "previousPolicy": {"type": "comprehensive", "insurerId": 4, "endDate": "2026-12-10", "claim": false, "ncb": 20},
    });
    let id = asked(&visitor, "/api/v1/lead", lead).await["leadId"].as_str().expect("an id").to_owned();
    let otp = code(&server, &visitor, "9812345678").await;
    let verified = asked(&visitor, "/api/v1/motor/otp", json!({"lead_id": id, "action": "verify", "otp": otp})).await;
    assert_eq!(verified["state"], "quotes", "{verified}");
    let told = asked(&visitor, "/api/v1/lead/get-details", json!({"leadId": id})).await;
    let keys = ["vehicleCategory", "categoryId", "typeCode", "ncbValue"];
    assert_eq!(json!(keys.map(|key| told[key].clone())), json!(["commercial", 8, "cfw", 25]));

    let quotes = format!("/api/v1/cv/getAsyncQuotes?leadId={id}");
    assert_eq!(visitor.get(&quotes.replace("/cv/", "/fw/")).await.status, 404, "not a car's");
    let offers = server
        .until_worked("prices", async || {
            let answer = visitor.get(&quotes).await.ok(200)["data"].clone();
            (answer["complete"] == true).then_some(answer)
        })
        .await;
    let (good, declined): (Vec<&Value>, Vec<&Value>) =
        offers["quotes"].as_array().expect("quotes").iter().partition(|quote| quote["declined"].is_null());
    assert_eq!((good.len(), declined.len()), (10, 0), "{declined:?}");
    for offer in &good {
        let premium = &offer["premium"];
        let [od, tp, add_ons, discounts, net] =
            ["od", "tp", "addOns", "discounts", "net"].map(|key| paise(&premium[key]));
        assert_eq!((tp, net), (3_531_300, od + tp + add_ons - discounts), "{offer}");
        let gst = json!([{"rate": 5, "amount": share(tp, 5_000)}, {"rate": 18, "amount": share(net - tp, 18_000)}]);
        assert_eq!(premium["gst"], gst, "{offer}");
    }
    let single = json!({"leadId": id, "insurerId": good[0]["insurerId"], "planType": "own_damage"});
    assert_eq!(refusal(&post(&visitor, "/api/v1/cv/getSingleQuote", single).await, 422)[1], "/planType");
    let push = json!({"leadId": id, "quoteIds": [good[0]["quoteId"]]});
    let chosen = asked(&visitor, "/api/v1/cv/pushSelectedQuotes", push).await;
    assert_eq!((&chosen["chosen"]["total"], &chosen["state"]), (&good[0]["premium"]["total"], &json!("owner")));
    server.stop().await;
}

/// R7.2-13, R7.3-13, R7.3-29, motor-O28: cities of garages, what a vehicle costs, and places, for whoever asks.
#[tokio::test(flavor = "multi_thread")]
async fn what_anybody_may_ask_about_vehicles() {
    let server = shop().await;
    let visitor = server.visitor();
    let garages = visitor.get("/api/v1/garagesCityList?insurer=digit&vehicle_category=car").await.ok(200);
    let cities = garages["data"]["city"].as_array().expect("cities").clone();
    assert!(cities.contains(&json!("Mumbai")) && cities.is_sorted_by_key(Value::to_string), "{cities:?}");
    assert_eq!(visitor.get("/api/v1/garagesCityList?insurer=digit&vehicle_category=ship").await.status, 422);

    let calculate = "/api/v1/motor/calculate-vehicle";
    let swift = json!({"vehicle": "fw", "variant": "maruti-suzuki-swift-vxi", "fuel": "petrol", "price": 72_900_000, "rto": "MH-12",
        "registeredOn": "2022-10-01", "ncb": 20, "planType": "comprehensive"});
    let told = asked(&visitor, calculate, swift.clone()).await;
    assert_eq!((paise(&told["thirdParty"]["premium"]), &told["ncb"]), (341_600, &json!({"percent": 25, "next": 35})));
    let [base, rate, tariff] =
        [&told["idv"]["base"], &told["ownDamage"]["rate"], &told["ownDamage"]["tariff"]].map(paise);
    assert_eq!((base, rate, tariff), (36_450_000, 32_830, share(36_450_000, 3_283)));
    // Own damage with tax, from the highest discount that is usual to the lowest, after the bonus.
    for (end, off) in [("lowest", 75_000), ("highest", 20_000)] {
        let left = tariff - share(tariff, off);
        let own = left - share(left, 25_000);
        let total = own + 341_600;
        assert_eq!(paise(&told["ownDamage"][end]), own, "{end}");
        assert_eq!(paise(&told["total"][end]) / 100, (total + share(total, 18_000) + 50) / 100, "{end}");
    }
    let mut wrong = swift.clone();
    wrong["rto"] = json!("XX-99");
    assert_eq!(refusal(&post(&visitor, calculate, wrong).await, 422)[1], "/rto");
    let truck = json!({"vehicle": "cfw", "cvClass": "gcv4", "gvw": 7_501, "cc": 2_956, "fuel": "diesel", "price": 100_000_000,
        "rto": "MH-12", "registeredOn": "2022-10-01", "planType": "third_party"});
    let told = asked(&visitor, calculate, truck.clone()).await;
    assert_eq!((paise(&told["thirdParty"]["premium"]), paise(&told["total"]["lowest"])), (2_718_600, 2_854_500));
    for (change, at) in [(json!({"gvw": 0}), "/gvw"), (json!({"planType": "own_damage"}), "/planType")] {
        let mut wrong = truck.clone();
        let change = change.as_object().expect("a change").clone();
        wrong.as_object_mut().expect("a call").extend(change);
        assert_eq!(refusal(&post(&visitor, calculate, wrong).await, 422)[1], at);
    }

    let places = visitor.get("/api/v1/common/places?q=andheri").await;
    assert_eq!(places.status, 200);
    let places = visitor.get("/api/v1/common/places?q=pune").await.ok(200);
    let first = &places["data"]["places"][0];
    assert!(["placeId", "text", "city", "pincode"].iter().all(|key| first[key].is_string()), "{places}");
    assert_eq!(visitor.get("/api/v1/common/places?q=pu").await.status, 422);
    let chosen = format!("/api/v1/common/lat-lng?placeId={}", first["placeId"].as_str().expect("a place"));
    let point = visitor.get(&chosen).await.ok(200)["data"].clone();
    assert_eq!((&point["latitude"], &point["longitude"]), (&json!(18.5196), &json!(73.8554)));
    assert_eq!(visitor.get("/api/v1/common/lat-lng?placeId=000000").await.status, 422);
    server.stop().await;
}

/// R7.3-11, R7.3-14: who has bought asks what becomes of it, and finds their own identity check, nobody else's.
#[tokio::test(flavor = "multi_thread")]
async fn who_has_bought_asks_what_becomes_of_it() {
    let server = shop().await;
    let says = json!({"mobile": "9812345688"}).as_object().cloned().expect("answers");
    let (phone, today) = (server.visitor(), TestServer::first_day());
    let mut buyer = Buyer::new(Errand::Car, 71, today, phone, server.visitor()).saying(says);
    buyer.comes_to("purchase.check").await;
    let status = format!("/api/v1/postpayment-process-status?ticketId={}", buyer.id());
    assert_eq!(refusal(&buyer.browser().get(&status).await, 409), ["payment.none", "/ticketId"]);
    buyer.comes_to("policy.issued").await;
    let visitor = buyer.browser();
    let told = visitor.get(&status).await.ok(200)["data"].clone();
    assert_eq!((&told["step"], &told["etaMinutes"]), (&json!("issued"), &json!(0)), "{told}");
    assert!(told["policyNumber"].as_str().is_some_and(|number| !number.is_empty()), "{told}");
    assert_eq!(server.visitor().get(&status).await.status, 404, "nobody else's");

    let known = asked(visitor, "/api/v1/kycByPhoneNumber", json!({"mobile": "9812345688"})).await;
    let known = known.as_array().expect("checks").clone();
    assert!(known.len() == 1 && known[0]["document"] == "pan_card", "{known:?}");
    assert_eq!(asked(visitor, "/api/v1/kycByPhoneNumber", json!({"mobile": "9812345699"})).await, json!([]));
    let stranger = post(&server.visitor(), "/api/v1/kycByPhoneNumber", json!({"mobile": "9812345688"})).await;
    assert_eq!(stranger.status, 401);
    server.stop().await;
}

/// R1-34, R7.3-01, motor-O22: the quiz from its first page to the result by its seven calls; what is right is told
/// after the answer alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_quiz_is_played_by_calls() {
    let server = shop().await;
    let visitor = server.visitor();
    for old in ["/quiz", "/motor/quiz"] {
        assert_eq!(visitor.get(old).await.header("location"), "/car-insurance/quiz", "{old}");
    }
    assert_eq!(visitor.get("/car-insurance/quiz").await.status, 200);
    let home = visitor.get("/api/v1/motor/kbc-home").await.ok(200);
    assert_eq!(json!([home["questions"], home["seconds"], home["open"]]), json!([10, 30, true]));
    let call = |name: &str| format!("/api/v1/motor/kbc-{name}");
    let none = post(&visitor, &call("user-register"), json!({"name": "Asha Rao", "mobile": "12"})).await;
    assert_eq!(none.status, 422);
    let registered =
        post(&visitor, &call("user-register"), json!({"name": "Asha Rao", "mobile": "9812345677"})).await.ok(200);
    let id = registered["userId"].clone();
    assert_eq!(registered["otpSent"], true);
    let game = json!({"sessionId": id});
    assert_eq!(post(&visitor, &call("question"), game.clone()).await.status, 403, "not verified");
    let otp = code(&server, &visitor, "9812345677").await;
    let verified = post(&visitor, &call("user-verify-otp"), json!({"userId": id, "otp": otp})).await.ok(200);
    assert_eq!((&verified["verified"], &verified["sessionId"]), (&json!(true), &id));

    let mut score = 0;
    for number in 1..=10 {
        let question = post(&visitor, &call("question"), game.clone()).await.ok(200);
        assert_eq!((&question["number"], &question["of"]), (&json!(number), &json!(10)));
        assert!(!question.to_string().contains("right") && question["deadline"].is_string(), "{question}");
        let answer = json!({"sessionId": id, "questionId": question["questionId"], "optionId": 1});
        let told = post(&visitor, &call("answer"), answer.clone()).await.ok(200);
        score += i64::from(told["correct"] == true);
        assert_eq!((&told["correct"], &told["score"]), (&json!(told["rightOptionId"] == 1), &json!(score)));
        assert_eq!((&told["next"], told["why"].is_string()), (&json!(number < 10), true));
        let again = post(&visitor, &call("answer"), answer).await.ok(200);
        assert_eq!(again, told, "the first answer counts");
        let user =
            visitor.get(&format!("/api/v1/motor/kbc-user?sessionId={}", id.as_str().expect("an id"))).await.ok(200);
        assert_eq!(user["state"], if number < 10 { "playing" } else { "done" });
    }
    let result = post(&visitor, &call("thank-you"), game.clone()).await.ok(200);
    assert_eq!((&result["score"], &result["of"]), (&json!(score), &json!(10)));
    assert!(result["title"].is_string() && result["text"].is_string());
    assert_eq!(post(&server.visitor(), &call("thank-you"), game).await.status, 404, "nobody else's");
    server.stop().await;
}

/// R2.4-10, R2.4-26, R2.4-27, R7.3-05: the pages of inspections, and a surveyor's visit set by calls, which its case
/// shows.
#[tokio::test(flavor = "multi_thread")]
async fn an_inspection_is_scheduled_and_its_case_shows_it() {
    let server = shop().await;
    let visitor = server.visitor();
    for line in ["car", "bike"] {
        for page in ["self-inspection", "thirdparty-inspection", "fusion/lp-inspection"] {
            let reply = visitor.get(&format!("/{line}-insurance/{page}")).await;
            let text = reply.text();
            assert!(reply.status == 200 && text.contains("<form") && text.contains("Chassis number"), "{line} {page}");
            if page == "thirdparty-inspection" {
                let hidden =
                    text.split("data-hide=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
                assert!(hidden.contains("nav") && hidden.contains("footer"), "{line}: {hidden}");
            }
        }
    }
    // The visitor has shown their number with a request of their own.
    let mut lead = CAR.lead(&visitor).await;
    lead["mobile"] = json!("9812345666");
    let request = asked(&visitor, "/api/v1/lead", lead).await["leadId"].clone();
    let otp = code(&server, &visitor, "9812345666").await;
    asked(&visitor, "/api/v1/motor/otp", json!({"lead_id": request, "action": "verify", "otp": otp})).await;

    let day = (TestServer::first_day() + chrono::Days::new(3)).to_string();
    let slots = visitor.get(&format!("/api/v1/inspection/slots?pincode=411001&date={day}")).await.ok(200);
    let free: Vec<Value> = slots["slots"].as_array().expect("slots").iter().map(|slot| slot["key"].clone()).collect();
    assert!(free.iter().all(|slot| slot.as_str().is_some_and(|slot| slot.starts_with(&day))), "{slots}");
    let schedule = "/api/v1/inspection/schedule";
    let mut call = json!({"requestId": request, "registration": "MH-12-AB-1234", "name": "Asha Rao", "contactMobile": "9812345666",
        "mode": "surveyor", "date": day, "slot": free[0], "address": "12 Lake View", "pincode": "411001"});
    let mut short = call.clone();
    short.as_object_mut().expect("a call").remove("pincode");
    assert_eq!(refusal(&post(&visitor, schedule, short).await, 422)[1], "/pincode");
    // Somebody else may have taken a time meanwhile, which is said at its place; another one is free.
    let mut set = Value::Null;
    for slot in &free {
        call["slot"] = slot.clone();
        let answer = post(&visitor, schedule, call.clone()).await;
        if answer.status == 200 {
            set = answer.json()["data"].clone();
            break;
        }
        assert_eq!(refusal(&answer, answer.status)[1], "/slot");
    }
    let slot = call["slot"].clone();
    assert_eq!((&set["status"], &set["slot"], &set["mode"]), (&json!("scheduled"), &slot, &json!("surveyor")), "{set}");
    let id = set["inspectionId"].as_str().expect("an id");
    let case = visitor.get(&format!("/api/v1/inspection/{id}")).await.ok(200)["data"].clone();
    assert_eq!((&case["status"], &case["slot"]), (&json!("scheduled"), &slot));
    assert_eq!(server.visitor().get(&format!("/api/v1/inspection/{id}")).await.status, 404, "nobody else's");
    // By pictures: the same call leads to where they are taken.
    let own =
        json!({"registration": "MH-12-AB-1234", "name": "Asha Rao", "contactMobile": "9812345666", "mode": "self"});
    let own = asked(&visitor, schedule, own).await;
    assert_eq!(own["status"], "started", "{own}");
    server.stop().await;
}

/// What is behind the newest link that was sent to a number, for whoever follows it.
async fn shown_by_link(server: &TestServer, mobile: &str, words: &str, journey: &str) -> Value {
    let link = async || messages(server, mobile).await.into_iter().find(|text| text.contains(words));
    let link = server.until("the link", link).await;
    let friend = server.visitor();
    assert_eq!(follows(&friend, &link).await.status, 303);
    friend.view(journey).await
}

/// R7.3-04, R7.3-12, R7.3-27: prices and the proposal are shared by a link that shows the same, in each version; an
/// identity is checked in each way, with good and bad numbers.
#[tokio::test(flavor = "multi_thread")]
async fn prices_and_proposals_are_shared_and_identities_checked() {
    let server = shop().await;
    let failed = "The KYC is unsuccessful. Please click on Verify KYC to re-submit. After redirection, please close insurance company window.";
    let versions =
        [("v1", "9812345661", "kotak"), ("v2", "9812345664", "hdfc-ergo"), ("v1/secure/v4", "9812345662", "hdfc-ergo")];
    for (version, mobile, insurer) in versions {
        let visitor = server.visitor();
        let mut lead = CAR.lead(&visitor).await;
        lead["mobile"] = json!(mobile);
        let id = asked(&visitor, "/api/v1/lead", lead).await["leadId"].as_str().expect("an id").to_owned();
        let share_prices = "/api/v1/motor/addShareQuote";
        assert_eq!(refusal(&post(&visitor, share_prices, json!({"requestId": id})).await, 409)[0], "lead.incomplete");
        let otp = code(&server, &visitor, mobile).await;
        asked(&visitor, "/api/v1/motor/verifyOtp", json!({"leadId": id, "otp": otp})).await;
        let quotes = format!("/api/v1/fw/getAsyncQuotes?leadId={id}");
        let offer = server
            .until_worked("a price", async || {
                let answer = visitor.get(&quotes).await.ok(200)["data"]["quotes"].clone();
                let is_it = |quote: &&Value| quote["insurer"] == insurer && quote["declined"].is_null();
                answer.as_array().expect("quotes").iter().find(is_it).cloned()
            })
            .await;
        assert_eq!(asked(&visitor, share_prices, json!({"requestId": id})).await["sent"], true);
        let shown = shown_by_link(&server, mobile, "prices you asked for", &id).await;
        assert_eq!(shown["step"]["id"], "car.quotes", "{shown}");
        assert!(!shown.to_string().contains("Asha") && !shown.to_string().contains(mobile), "{shown}");

        let share = format!("/api/{version}/proposal/share");
        assert_eq!(refusal(&post(&visitor, &share, json!({"proposalId": id})).await, 409)[0], "proposal.incomplete");
        let saved = asked(&visitor, &format!("/api/{version}/proposal"), json!({"leadId": id, "quoteId": offer["quoteId"],
            "owner": {"customerType": "individual", "title": "Ms", "firstName": "Asha", "lastName": "Rao", "gender": "female",
                "dob": "1990-04-12", "mobile": mobile, "email": "asha@example.com"},
            "address": {"pincode": "411001", "line1": "12 Lake View"},
            "nominee": {"name": "Ravi Rao", "age": 40, "relation": "spouse"},
            "vehicle": {"registrationNumber": "MH-12-AB-1234", "engineNumber": "K12MN1234567", "chassisNumber": "MA3EWDE1S00123456"},
            "previousPolicy": {"policyNumber": "P12345678"}, "consent": true}))
        .await;
        assert_eq!((&saved["missing"], &saved["state"]), (&json!([]), &json!("purchase.kyc.asking")));
        let submit = format!("/api/{version}/proposal/submit");
        assert_eq!(refusal(&post(&visitor, &submit, json!({"proposalId": id})).await, 409)[0], "kyc.needed");

        let said = |document: &str, number: &str| {
            let field = if document == "pan_card" {
                "pan_number"
            } else if document == "aadhar_card" {
                "aadhar_number"
            } else {
                document
            };
            json!({"proposalId": id, "document": document, field: number, "occupation": "salaried", "income_source": "salary",
                "is_politically_exposed_person": false, "kyc_consent": true})
        };
        let checks = async |way: &str, document: &str, number: &str| {
            post(&visitor, &format!("/api/v1/kyc/{way}"), said(document, number)).await
        };
        assert_eq!(refusal(&checks("okyc", "pan_card", "ABCPA1234F").await, 422), ["kyc.document", "/document"]);
        let bad = checks("ckyc", "pan_card", "ABCPA0000F").await.ok(422);
        let told = ["code", "displayMessage"].map(|key| bad["errors"][0][key].clone());
        assert_eq!(told, [json!("kyc.failed"), json!(failed)], "R8-27");
        let (way, document, wrong, right) = if insurer == "kotak" {
            ("ovd", "driving_license", "MH1220110000123", "MH1220110062821")
        } else {
            ("okyc", "aadhar_card", "499100000002", "499118665246")
        };
        assert_eq!(refusal(&checks(way, document, wrong).await, 422)[0], "kyc.failed");
        let good = checks(way, document, right).await.ok(200)["data"].clone();
        assert_eq!((&good["verified"], &good["method"]), (&json!(true), &json!(way)), "{good}");

        let shared = asked(&visitor, &share, json!({"proposalId": id})).await;
        assert_eq!((&shared["proposalId"], &shared["sent"]), (&json!(id), &json!(true)));
        let shown = shown_by_link(&server, mobile, "Your insurance proposal", &id).await;
        assert_eq!(shown["step"]["id"], "car.purchase.check", "{shown}");
        assert!(!shown.to_string().contains("asha@example.com"), "{shown}");
        let submitted = asked(&visitor, &submit, json!({"proposalId": id})).await;
        assert_eq!((&submitted["status"], &submitted["total"]), (&json!("submitted"), &offer["premium"]["total"]));
    }
    server.stop().await;
}

/// Half a minute of nothing, as a phone writes it.
fn film() -> Vec<u8> {
    let boxed = |name: &[u8], content: &[u8]| -> Vec<u8> {
        [&u32::try_from(content.len() + 8).expect("small").to_be_bytes(), name, content].concat()
    };
    let header = [&[0; 12][..], &600u32.to_be_bytes(), &18_000u32.to_be_bytes(), &[0; 80]].concat();
    let moov = boxed(b"moov", &boxed(b"mvhd", &header));
    [boxed(b"ftyp", b"mp42\0\0\0\0isom"), boxed(b"mdat", &vec![7; 300_000]), moov].concat()
}

/// R7.3-10: files for a ticket are found again by who sent them, and by nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_ticket_are_handed_in_and_found() {
    let server = shop().await;
    let visitor = server.visitor();
    let mut lead = CAR.lead(&visitor).await;
    lead["mobile"] = json!("9812345663");
    let request = asked(&visitor, "/api/v1/lead", lead).await["leadId"].clone();
    let otp = code(&server, &visitor, "9812345663").await;
    asked(&visitor, "/api/v1/motor/otp", json!({"lead_id": request, "action": "verify", "otp": otp})).await;
    let own =
        json!({"registration": "MH-12-AB-1234", "name": "Asha Rao", "contactMobile": "9812345663", "mode": "self"});
    let ticket =
        asked(&visitor, "/api/v1/inspection/schedule", own).await["inspectionId"].as_str().expect("an id").to_owned();
    let read = format!("/api/v1/getDocuments/{ticket}");
    assert_eq!(visitor.get(&read).await.ok(200)["data"]["documents"], json!([]));
    let open = asked(&visitor, "/api/v1/uploadDocuments", json!({"ticketId": ticket})).await;
    let url = open["uploadUrl"].as_str().expect("an address").to_owned();
    let mut call = json!({"ticketId": ticket});
    for (shade, kind) in [(10, "photo_vehicle"), (90, "rc_front"), (170, "rc_back")] {
        let (mut bytes, picture) = (Vec::new(), RgbImage::from_pixel(1_400, 1_000, Rgb([shade, 120, 90])));
        PngEncoder::new(&mut bytes)
            .write_image(picture.as_raw(), 1_400, 1_000, ExtendedColorType::Rgb8)
            .expect("a PNG");
        call[kind] = json!([hands_in(&visitor, &url, kind, ("image/png", &bytes)).await]);
    }
    call["video_walkaround"] = json!([hands_in(&visitor, &url, "video_walkaround", ("video/mp4", &film())).await]);
    // R7.3-27: what is written on a paper is read.
    let front = format!("{url}/{}", call["rc_front"][0].as_str().expect("an id"));
    let paper = visitor.get(&front).await.ok(200);
    assert_eq!(paper["read"]["fields"]["registration"]["value"], "DL3CAB1234", "{paper}");
    asked(&visitor, "/api/v1/uploadDocuments", call.clone()).await;
    let documents = visitor.get(&read).await.ok(200)["data"]["documents"].clone();
    let of = |kind: &str| documents.as_array()?.iter().find(|document| document["kind"] == kind).cloned();
    let front = of("rc_front").expect("the certificate");
    assert_eq!((&front["files"][0]["documentId"], &front["status"]), (&call["rc_front"][0], &json!("uploaded")));
    assert_eq!(documents.as_array().map(Vec::len), Some(4), "{documents}");
    assert_eq!(visitor.get(front["files"][0]["file"].as_str().expect("an address")).await.status, 200);
    assert_eq!(refusal(&post(&visitor, "/api/v1/uploadDocuments", call).await, 409)[0], "documents.closed");
    let stranger = server.visitor();
    asked(&stranger, "/api/v1/lead", json!({"leadform": "new", "vehicleCategory": "car", "isNew": true})).await;
    assert_eq!(stranger.get(&read).await.status, 404, "nobody else's");
    server.stop().await;
}
